//! The check that every mutant must pass before it is used.
//!
//! Its cost depends only on the last edit: a changed declaration must parse back to the same tree
//! and be well-formed with respect to the signatures of the seed; the rest was checked with the
//! program it comes from. Only if an edit changed a name or a signature is the whole program
//! checked. Mutants can be validated in any order and in several threads.

use bpl_check::{CheckOptions, Env};
use bpl_syntax::ast::{Decl, Program};
use mugie_core::{Defect, Edit};

use crate::subject::Subject;

/// Validates mutants of one seed.
#[derive(Debug)]
pub struct Validator {
    /// The signatures of the seed.
    env: Env,
    options: CheckOptions,
}

impl Validator {
    /// Creates a validator for the mutants of a seed, which must be well-formed.
    pub fn new(seed: &Program, options: CheckOptions) -> Validator {
        Validator { env: Env::with_options(seed, options), options }
    }

    /// Checks the result of an edit to a program that has been validated or will be. `changed`
    /// holds the new declarations with their indices.
    pub fn validate(
        &self,
        subject: &Subject,
        edit: &Edit,
        changed: &[(usize, Decl)],
    ) -> Result<(), Defect> {
        for (index, tree) in changed {
            if !subject.reads_back(*index, tree) {
                let decl = subject.describe(*index);
                return Err(Defect::after(
                    edit,
                    format_args!("the text of {decl} does not read back"),
                ));
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
                Err(Defect::after(edit, format_args!("the program is not well-formed: {error}")))
            }
        }
    }
}
