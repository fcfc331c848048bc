//! The smallest pair of a seed and a mutant that still shows a failure, as data: what a search
//! found, not how.

use mugie_core::{Edit, Symptom};
use serde::{Deserialize, Serialize};

/// The smallest pair that a search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Minimal {
    /// The cause in words: what is done to the seed, or which order of two declarations.
    pub cause: String,
    /// How the mutant fails.
    pub symptom: Symptom,
    /// What leads from the small seed to the small mutant.
    pub edits: Vec<Edit>,
    /// How many edits there were.
    pub edits_before: usize,
    /// Lines of the small seed, without blank ones.
    pub lines: usize,
    /// Lines of the seed in the same layout.
    pub lines_before: usize,
    /// Runs of the verifier, those included whose verdict was known.
    pub runs: usize,
    /// Why the search ended.
    pub ending: Ending,
    /// Whether two fresh runs of either program showed it again.
    pub confirmed: bool,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// Nothing smaller was found: every single element was tried.
    Done,
    /// The runs or the time are spent.
    BudgetSpent,
    /// Somebody interrupted it.
    Interrupted,
}
