//! A seed: a program that was read and found well-formed.

use std::fmt;
use std::sync::Arc;

use crate::edit::{ApplyError, Edit};
use crate::files::SourceFile;
use crate::generate::{Defect, Mutant};
use crate::hash::hex;
use crate::language::{Language, LanguageOptions};
use crate::place::ReportedFailure;
use crate::program::Program;
use crate::reduce::{Pair, PairError, PlainPair};
use crate::verdict::{Failure, Message};

/// A seed: a program that was read and found well-formed.
pub trait Seed: Send + Sync + fmt::Debug {
    /// Its language.
    fn language(&self) -> &'static dyn Language;

    /// How it was read, with every choice made: read in the same way again, it is the same.
    fn options(&self) -> &LanguageOptions;

    /// The options without which it would be read in another way.
    fn needed_options(&self) -> LanguageOptions {
        self.options().clone()
    }

    /// Its files as its author wrote them.
    fn sources(&self) -> Vec<SourceFile<'_>>;

    /// The program in its canonical layout.
    fn program(&self) -> &Arc<dyn Program>;

    /// Checks a mutant of it whose parent has been found right, or will be. A mutant that is wrong
    /// is a bug of mugie.
    fn validate(&self, mutant: &Mutant) -> Result<(), Defect>;

    /// The lines of its files that are neither blank nor comment.
    fn code_lines(&self) -> usize;

    /// The line of the author's file on which a unit starts.
    fn unit_line(&self, unit: usize) -> Option<u32> {
        let _ = unit;
        None
    }

    /// What a verifier could not prove in a mutant, in terms of the seed. The files of the mutant
    /// are named in the order of [`Program::texts`].
    fn locate_failure(
        &self,
        mutant: &dyn Program,
        files: &[String],
        failure: &Failure,
    ) -> ReportedFailure {
        let _ = (mutant, files);
        failure.into()
    }

    /// Why a verifier refused a mutant, in terms of the seed.
    fn locate_message(
        &self,
        mutant: &dyn Program,
        files: &[String],
        message: &Message,
    ) -> ReportedFailure {
        let _ = (mutant, files);
        message.into()
    }

    /// The seed with a mutant of it, to be made small.
    fn pair(&self, edits: &[Edit]) -> Result<Arc<dyn Pair>, PairError> {
        PlainPair::new(Arc::clone(self.program()), edits)
    }
}

/// Why a recorded mutant cannot be made again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// An edit cannot be done.
    #[error(transparent)]
    NotApplicable(#[from] ApplyError),
    /// All edits can be done, but what comes of them is another program.
    #[error("the program has another hash")]
    OtherHash,
}

/// Makes a mutant again from the edits of its record. Its hash must be the recorded one.
pub fn replay(
    seed: &Arc<dyn Program>,
    edits: &[Edit],
    hash: &str,
) -> Result<Arc<dyn Program>, ReplayError> {
    let mut program = Arc::clone(seed);
    for edit in edits {
        program = program.apply(edit)?.program;
    }
    if hex(&program.hash()) == hash { Ok(program) } else { Err(ReplayError::OtherHash) }
}
