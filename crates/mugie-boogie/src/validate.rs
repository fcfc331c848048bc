//! The check that every mutant must pass before anyone sees it.
//!
//! It costs what the last edit touched: a declaration that changed must read back from its text
//! as the same tree and be well-formed against the signatures of the seed; the rest was checked
//! with the program that it came from. Only if an edit changed a name or a signature, the whole
//! program is checked. Mutants can be validated in any order, in several threads.

use bpl_check::{Env, Options};
use bpl_syntax::ast::{Decl, Program};
use mugie_core::{Defect, Edit};

use crate::subject::Subject;

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

    /// Checks what an edit made of a program that has been found right, or will be. `changed` has
    /// the declarations that are new, with their indices.
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
