//! The check that every mutant must pass before anyone sees it.
//!
//! It costs what the last edit touched: a declaration that changed must read back from its text
//! as the same tree and be well-formed against the signatures of the seed; the rest was checked
//! with the program that it came from. Only if an edit changed a name or a signature, the whole
//! program is checked. Mutants can be validated in any order, in several threads.

use bpl_check::{Env, Options};
use bpl_syntax::ast::Program;
use bpl_syntax::diagnostic::Diagnostic;

use crate::edit::{ApplyError, Edit};
use crate::generate::Mutant;

/// A mutant that is wrong: a bug of mugie, never the fault of its user.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Defect {
    /// The text of a declaration does not read back as its tree.
    #[error("after `{}: {}`, the text of {decl} does not read back", .edit.operator, .edit.words)]
    DoesNotReadBack {
        /// The last edit.
        edit: Box<Edit>,
        /// The declaration.
        decl: String,
    },
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
pub struct Validator {
    /// The signatures of the seed.
    env: Env,
    options: Options,
}

impl Validator {
    /// A validator for the mutants of a seed, which must be well-formed itself.
    pub fn new(seed: &Program, options: Options) -> Validator {
        Validator { env: Env::with_options(seed, options), options }
    }

    /// Checks a mutant whose parent has been found right, or will be.
    pub fn validate(&self, mutant: &Mutant) -> Result<(), Defect> {
        let Mutant { subject, changed, edits, .. } = mutant;
        let Some(edit) = edits.last() else { return Ok(()) };
        for (index, tree) in changed {
            if !subject.reads_back(*index, tree) {
                let decl = subject.describe(*index);
                return Err(Defect::DoesNotReadBack { edit: Box::new(edit.clone()), decl });
            }
        }
        let error = if subject.has_new_signatures {
            bpl_check::check_with(&subject.program(), self.options)
                .err()
                .and_then(|errors| errors.into_iter().next())
        } else {
            changed.iter().find_map(|(index, tree)| {
                let index = subject.seed_index(*index)?;
                self.env.check_decl(index, tree).into_iter().next()
            })
        };
        match error {
            None => Ok(()),
            Some(error) => {
                Err(Defect::IllFormed { edit: Box::new(edit.clone()), error: Box::new(error) })
            }
        }
    }
}
