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
use crate::verdict::{Failure, Message, Verdict};

/// A seed: a program that was read and found well-formed.
pub trait Seed: Send + Sync + fmt::Debug {
    /// The seed's language.
    fn language(&self) -> &'static dyn Language;

    /// How the seed was read, with every choice made explicit: reading it with these options gives
    /// the same seed.
    fn options(&self) -> &LanguageOptions;

    /// The options without which the seed would be read differently.
    fn needed_options(&self) -> LanguageOptions {
        self.options().clone()
    }

    /// The files as the author wrote them.
    fn sources(&self) -> Vec<SourceFile<'_>>;

    /// The program in its canonical layout.
    fn program(&self) -> &Arc<dyn Program>;

    /// Checks a mutant whose parent has been or will be checked as well. An ill-formed mutant is a
    /// bug in mugie.
    fn validate(&self, mutant: &Mutant) -> Result<(), Defect>;

    /// The number of lines in the seed's files that are neither blank nor comments.
    fn code_lines(&self) -> usize;

    /// The line of the author's file on which a unit starts.
    fn unit_line(&self, unit: usize) -> Option<u32> {
        let _ = unit;
        None
    }

    /// Locates a failure of a mutant in the seed. `files` names the mutant's files in the order of
    /// [`Program::texts`].
    fn locate_failure(
        &self,
        mutant: &dyn Program,
        files: &[String],
        failure: &Failure,
    ) -> ReportedFailure {
        let _ = (mutant, files);
        failure.into()
    }

    /// Locates the message of a mutant's rejection in the seed.
    fn locate_message(
        &self,
        mutant: &dyn Program,
        files: &[String],
        message: &Message,
    ) -> ReportedFailure {
        let _ = (mutant, files);
        message.into()
    }

    /// Whether a verdict on a mutant can be compared with that on the seed. If not, says why: a bug in
    /// mugie, never evidence.
    fn can_compare(
        &self,
        mutant: &dyn Program,
        of_seed: &Verdict,
        of_mutant: &Verdict,
    ) -> Result<(), String> {
        let _ = (mutant, of_seed, of_mutant);
        Ok(())
    }

    /// The pair of the seed and the mutant that the edits lead to.
    fn pair(&self, edits: &[Edit]) -> Result<Arc<dyn Pair>, PairError> {
        PlainPair::new(Arc::clone(self.program()), edits)
    }
}

/// Why a recorded mutant cannot be recreated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// An edit cannot be applied.
    #[error(transparent)]
    NotApplicable(#[from] ApplyError),
    /// All edits can be applied, but the result is another program.
    #[error("the program has another hash")]
    OtherHash,
}

/// Recreates a mutant from its recorded edits. Its hash must be the recorded one.
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
