//! What runs took: the lines of `measurements.jsonl`. Kept apart from results, which must be the
//! same on every machine.

use mugie_core::Outcome;
use serde::Serialize;

/// What the runs of a program took.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measurement {
    /// The seed or mutant.
    pub program: String,
    /// The outcome of all its runs together.
    pub outcome: Outcome,
    /// Whether the verdict was known already: then the runs are those of that time.
    pub cached: bool,
    /// What each run used.
    pub runs: Vec<RunMeasurement>,
}

/// What one run used.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RunMeasurement {
    /// Seconds on the wall clock.
    pub wall_seconds: f64,
    /// Seconds on processors, of all its processes.
    pub cpu_seconds: f64,
    /// The most resident memory at a time.
    pub memory_bytes: u64,
}
