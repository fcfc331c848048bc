//! Statistics of robustness: confidence intervals for shares, tests that compare counts, and a
//! stopping rule for drawing mutants.
//!
//! All functions are pure functions of counts. This crate knows nothing about programs and
//! verifiers.

mod compare;
mod interval;
mod sequential;
mod special;
#[cfg(test)]
mod testing;

pub use compare::{fisher, holm, mcnemar};
pub use interval::{bound_of_none, clopper_pearson};
pub use sequential::{Sequential, trials_needed};

use serde::{Deserialize, Serialize};

/// A confidence interval for a share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The lower end, from 0 to 1.
    pub low: f64,
    /// The upper end, from 0 to 1.
    pub high: f64,
}

/// The grade that the sequential rule gives a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// No mutant failed, and there were enough of them.
    Stable,
    /// Some mutant failed, and the test accepts that at least one in ten does.
    Unstable,
    /// Some mutant failed, but the test accepts that at most one in a hundred does, or it could not
    /// decide.
    BrittleRare,
    /// There were too few mutants to decide.
    Inconclusive,
}
