//! The trait of operators, and the macro that declares one.

use bpl_syntax::ast::Decl;
use mugie_core::About;

use crate::facts::Facts;
use crate::offers::Offers;
use crate::subject::{Rearrangement, Subject};

/// A semantics-preserving transformation, and the places where it applies.
///
/// An operator only reads a program and offers changes; the framework draws, applies, names and
/// checks them. Most operators act inside one declaration: the number of their places there is
/// stored with the declaration and shared by all mutants that contain it.
pub trait Operator: Sync {
    /// The name, the set and the manual page.
    fn about(&self) -> &'static About;

    /// Offers the places inside a declaration. The result replaces the declaration and must have
    /// the same interface to other declarations: names, types, parameters, `modifies`.
    fn in_decl(&self, decl: &Decl, facts: &Facts, offers: &mut Offers<Vec<Decl>>) {
        let _ = (decl, facts, offers);
    }

    /// Offers the places that concern the program as a whole.
    fn in_program(&self, subject: &Subject, offers: &mut Offers<Rearrangement>) {
        let _ = (subject, offers);
    }
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
