//! The smallest pair of a seed and a mutant that still shows a failure, as data: the result of a
//! search, not the search.

use mugie_core::{Edit, Symptom};
use serde::{Deserialize, Serialize};

/// The smallest pair that a search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Minimal {
    /// A description of the cause: the change to the seed, or the order of two declarations.
    pub cause: String,
    /// How the mutant fails.
    pub symptom: Symptom,
    /// The edits that lead from the small seed to the small mutant.
    pub edits: Vec<Edit>,
    /// The number of edits at the start.
    pub edits_before: usize,
    /// Lines of the small seed, without blank lines.
    pub lines: usize,
    /// Lines of the original seed in the same layout.
    pub lines_before: usize,
    /// Verifier runs, including those answered from the cache.
    pub runs: usize,
    /// Why the search ended.
    pub ending: SearchEnding,
    /// Whether two fresh runs of each program showed the failure again.
    pub confirmed: bool,
    /// How many neighbours of the pair fail as well, if they were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neighbours: Option<Neighbours>,
}

/// How many neighbours of a pair fail as well: pairs that differ from it by names or by the solver's random seed only. If
/// few of them fail, the pair fails by luck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbours {
    /// How many neighbours of the small pair fail.
    pub failing: usize,
    /// How many neighbours of it were tried.
    pub of: usize,
    /// How many neighbours of the original pair fail.
    pub failing_before: usize,
    /// How many neighbours of it were tried.
    pub of_before: usize,
    /// The share of neighbours that had to fail at each step, in percent, unless fewer of the original pair's do.
    pub asked: usize,
}

impl Neighbours {
    /// Whether as many fail as were asked for.
    pub fn are_enough(&self) -> bool {
        let Neighbours { failing, of, failing_before, of_before, asked } = *self;
        let asked_for = of * asked / 100;
        let as_before = of * failing_before / of_before.max(1);
        failing >= asked_for.min(as_before)
    }
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SearchEnding {
    /// Nothing smaller was found: every single element was tried.
    Done,
    /// The runs were spent.
    BudgetSpent,
    /// The time was over.
    TimeSpent,
    /// The search was interrupted.
    Interrupted,
}
