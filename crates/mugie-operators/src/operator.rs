//! What an operator is, and how one is declared.

use bpl_syntax::ast::Decl;

use crate::facts::Facts;
use crate::offers::Offers;
use crate::subject::{Rearrangement, Subject};

/// A change to a program that should not matter, and the places where it can be made.
///
/// An operator only reads and offers. Drawing, applying, naming and checking are the
/// framework's. Most operators act inside one declaration: the number of their places there is
/// remembered with the declaration and shared by all mutants that have it.
pub trait Operator: Sync {
    /// Name, set and manual page.
    fn about(&self) -> &'static About;

    /// Offers the places inside a declaration. The result takes the declaration's place, and
    /// must show other declarations the same face: names, types, parameters, `modifies`.
    fn in_decl(&self, decl: &Decl, facts: &Facts, offers: &mut Offers<Vec<Decl>>) {
        let _ = (decl, facts, offers);
    }

    /// Offers the places that concern the program as a whole.
    fn in_program(&self, subject: &Subject, offers: &mut Offers<Rearrangement>) {
        let _ = (subject, offers);
    }
}

/// What there is to know of an operator.
#[derive(Debug, PartialEq, Eq)]
pub struct About {
    /// The paper's code: `S1`.
    pub code: Option<&'static str>,
    /// The name: `swap-declarations`.
    pub name: &'static str,
    /// The set it belongs to.
    pub set: Set,
    /// The doc comment behind the manual page: what it does, an example, when it applies, why it
    /// is sound.
    pub(crate) doc: &'static str,
}

impl About {
    /// What edit scripts and tables call the operator: the code if it has one.
    pub fn id(&self) -> &'static str {
        self.code.unwrap_or(self.name)
    }

    /// The first sentence of the manual page.
    pub fn summary(&self) -> String {
        let manual = self.manual();
        let first = manual.split("\n\n").next().unwrap_or_default();
        first.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The manual page in Markdown.
    pub fn manual(&self) -> String {
        // Every line of a doc comment starts with a blank.
        self.doc.lines().fold(String::new(), |manual, line| {
            manual + line.strip_prefix(' ').unwrap_or(line) + "\n"
        })
    }
}

/// A family of operators that are switched on together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Set {
    /// The paper's operators that preserve the meaning of a program.
    Paper,
    /// The paper's G2, which does so in logic but not for a solver: on request only.
    Trigger,
    /// Operators that the paper does not have.
    Extended,
}

/// Declares an operator: its type, and an [`About`] that keeps the doc comment at run time.
macro_rules! operator {
    (
        $(#[doc = $doc:literal])*
        $type:ident = $($code:literal)? / $name:literal in $set:ident
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug)]
        pub(super) struct $type;

        impl $type {
            const ABOUT: $crate::operator::About = $crate::operator::About {
                code: operator!(@code $($code)?),
                name: $name,
                set: $crate::operator::Set::$set,
                doc: concat!($($doc, "\n"),*),
            };
        }
    };
    (@code) => { None };
    (@code $code:literal) => { Some($code) };
}

pub(crate) use operator;
