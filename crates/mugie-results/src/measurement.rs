//! The resource usage of runs: the lines of `measurements.jsonl`. Separate from results, which must
//! be the same on every machine.

use mugie_core::Outcome;
use serde::Serialize;

/// The resource usage of a program's runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measurement {
    /// The seed or mutant.
    pub program: String,
    /// The outcome that follows from all runs.
    pub outcome: Outcome,
    /// Whether the verdict came from the cache: then the runs are the recorded ones.
    pub cached: bool,
    /// The usage of each run.
    pub runs: Vec<RunMeasurement>,
}

/// The usage of one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RunMeasurement {
    /// Wall-clock time in seconds.
    pub wall_seconds: f64,
    /// Processor time of all processes, in seconds.
    pub cpu_seconds: f64,
    /// The peak resident memory in bytes.
    pub memory_bytes: u64,
}
