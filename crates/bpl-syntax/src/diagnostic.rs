//! Errors in a program, as data. Rendering is left to the caller.

use std::fmt;

use crate::span::Span;

/// The number of errors in a file after which reading it stops.
pub(crate) const MAX_ERRORS: usize = 100;

/// An error at a location.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The class of the error.
    pub kind: ErrorClass,
    /// The primary location.
    pub span: Span,
    /// The message, a lower-case fragment without a full stop.
    pub message: String,
    /// Advice on how to fix the error, if there is any.
    pub help: Option<String>,
    /// Related locations with a note each, for example the other declaration.
    pub related: Vec<(Span, String)>,
}

/// The stage that rejects a program. Boogie itself distinguishes these classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorClass {
    /// The program does not conform to the grammar.
    Syntax,
    /// A name is unknown, declared twice, or out of scope.
    Resolution,
    /// A type does not fit, or something is assigned that must not be.
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
    /// Creates a diagnostic without help or related locations.
    pub fn new(kind: ErrorClass, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { kind, span, message: message.into(), help: None, related: Vec::new() }
    }

    /// Adds advice on how to fix the error.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Adds a related location and a note about it.
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
