//! The trait of operators, and the macro that declares one.

use bpl_syntax::ast::Decl;
use mugie_core::About;

use crate::facts::Facts;
use crate::offers::Offers;
use crate::patch::Patch;
use crate::subject::{Rearrangement, Subject};

/// A semantics-preserving transformation, and the places where it applies.
///
/// An operator only reads a program and offers changes; the framework draws, applies, names and
/// checks them. Most operators act inside one declaration: the number of their places there is
/// stored with the declaration and shared by all mutants that contain it.
pub trait Operator: Sync {
    /// The name, the set and the manual page.
    fn about(&self) -> &'static About;

    /// How it is applied at many places at once; `None` if it is not.
    fn at_many(&self) -> Option<AtMany> {
        None
    }

    /// Offers the places inside a declaration. The result replaces the declaration and must have
    /// the same interface to other declarations: names, types, parameters, `modifies`.
    ///
    /// If the operator is applied at many places at once, any choice of these places must be right
    /// when the last one is changed first, and the innermost node before those around it.
    fn in_decl<'d>(&self, decl: &'d Decl, facts: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        let _ = (decl, facts, offers);
    }

    /// Offers the places that concern the program as a whole.
    fn in_program(&self, subject: &Subject, offers: &mut Offers<Rearrangement>) {
        let _ = (subject, offers);
    }

    /// Whether the operator may change the place of a declaration, if it changes the order of them.
    fn moves(&self, subject: &Subject, index: usize) -> bool {
        let _ = (subject, index);
        false
    }
}

/// How an operator is applied at many places at once, with words for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtMany {
    /// It shuffles declarations: `declarations`.
    Order(&'static str),
    /// It shuffles lists: `clauses`.
    Lists(&'static str),
    /// It is applied at each place or not: `swap the operands`.
    Places(&'static str),
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
            const ABOUT: mugie_core::About = mugie_core::About {
                code: operator!(@code $($code)?),
                name: $name,
                set: mugie_core::Set::$set,
                weight: 1,
                doc: concat!($($doc, "\n"),*),
            };
        }
    };
    (@code) => { None };
    (@code $code:literal) => { Some($code) };
}

pub(crate) use operator;
