//! Failing mutants by cause, as data. How causes are found is for others to say.

use mugie_core::{Edit, Symptom};
use serde::{Deserialize, Serialize};

/// A change that makes a seed fail, and the mutants that fail because of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// The change in words.
    pub words: String,
    /// What is done to the seed.
    pub edits: Vec<Edit>,
    /// How the seed fails then.
    pub symptom: Symptom,
    /// The mutants, by their numbers among the failing ones, rising.
    pub mutants: Vec<usize>,
}

/// Failing mutants by cause.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Groups {
    /// The causes, those of most mutants first.
    pub causes: Vec<Cause>,
    /// Mutants whose cause is not known, by their numbers among the failing ones.
    pub unexplained: Vec<usize>,
}
