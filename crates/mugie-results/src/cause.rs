//! Failing mutants by cause, as data, independent of how causes are found.

use mugie_core::{Edit, Symptom};
use serde::{Deserialize, Serialize};

/// A change that makes a seed fail, and the mutants that fail because of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// A description of the change.
    pub words: String,
    /// The edits that make the change.
    pub edits: Vec<Edit>,
    /// How the seed fails after the change.
    pub symptom: Symptom,
    /// The mutants, by their numbers among the failing ones, in ascending order.
    pub mutants: Vec<usize>,
}

/// Failing mutants by cause.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Groups {
    /// The causes, those with the most mutants first.
    pub causes: Vec<Cause>,
    /// Mutants with an unknown cause, by their numbers among the failing ones.
    pub unexplained: Vec<usize>,
}
