//! What mutants of a seed are compared with, for one tool.

use mugie_core::{Outcome, Verdict};
use mugie_experiment::baseline::{Conclusion, NOTHING_TO_VERIFY, unstable_in_words};
use mugie_experiment::judge::{Profile, question};
use mugie_results::result::Question;
use mugie_results::{SolverWork, flips};

use crate::rows::BaselineRow;

/// A tool's baseline of a seed.
pub(crate) struct Base {
    pub(crate) question: Option<Question>,
    pub(crate) profile: Profile,
    pub(crate) verdict: Verdict,
    /// The seed's solver work, if it is known.
    pub(crate) work: Option<SolverWork>,
}

impl Base {
    /// The baseline as it is in the store.
    pub(crate) fn new(BaselineRow { verdict, work, .. }: &BaselineRow) -> Base {
        Base {
            question: question(verdict.outcome),
            profile: Profile::new(verdict, str::to_owned),
            verdict: verdict.clone(),
            work: work.clone(),
        }
    }

    /// Whether an outcome of a mutant is a flip.
    pub(crate) fn is_flip(&self, mutant: Outcome) -> bool {
        let of_seed = match self.question {
            Some(Question::DoesAMutantFail) => Outcome::Verified,
            Some(Question::DoesAMutantPass) => Outcome::Failed,
            None => return false,
        };
        flips(of_seed, mutant) == Some(true)
    }
}

/// The conclusion as one verdict, and whether the layout alone changes it.
pub(crate) fn in_short(conclusion: Conclusion) -> (Verdict, bool) {
    let trouble = |reason: &str| (Verdict::of_program(Outcome::ToolError, reason), false);
    match conclusion {
        Conclusion::Missing(_) => trouble("the seed was not run"),
        Conclusion::Trouble(verdict) => (verdict, false),
        Conclusion::Unstable { is_printed, change } => {
            trouble(&unstable_in_words(is_printed, &change))
        }
        Conclusion::Empty => trouble(NOTHING_TO_VERIFY),
        Conclusion::Known { verdict, layout } => (verdict, !layout.is_empty()),
    }
}
