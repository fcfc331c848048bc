//! What is wrong with a program, as data. Rendering is left to whoever shows it.

use std::fmt;

use crate::span::Span;

/// How many errors are reported of a file before reading it is given up.
pub(crate) const MAX_ERRORS: usize = 100;

/// One thing that is wrong, at one place.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Which rule book was broken.
    pub kind: ErrorClass,
    /// The place to look at first.
    pub span: Span,
    /// What is wrong, in a lower-case fragment without a full stop.
    pub message: String,
    /// What to do about it, where that can be said.
    pub help: Option<String>,
    /// Further places that matter: the other declaration, say.
    pub related: Vec<(Span, String)>,
}

/// The stage that rejects a program: the classes that Boogie itself tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorClass {
    /// It is not a sentence of the grammar.
    Syntax,
    /// A name is unknown, doubled or out of scope.
    Resolution,
    /// A type does not fit, or something is assigned that may not be.
    Type,
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ErrorClass::Syntax => "syntax",
            ErrorClass::Resolution => "resolution",
            ErrorClass::Type => "type",
        })
    }
}

impl Diagnostic {
    /// A diagnostic without help or further places.
    pub fn new(kind: ErrorClass, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { kind, span, message: message.into(), help: None, related: Vec::new() }
    }

    /// The same with a remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// The same with a further place and what it is.
    #[must_use]
    pub fn related(mut self, span: Span, note: impl Into<String>) -> Diagnostic {
        self.related.push((span, note.into()));
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Diagnostic {}
