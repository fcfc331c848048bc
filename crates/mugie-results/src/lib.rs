//! The results of tests and campaigns, as data, and their measures.
//!
//! The content of [`result.json`](result), the [data] of a campaign with the paper's [measures],
//! the smallest [pair](Minimal) that shows a failure, and the [layer](diagnosis) that is
//! responsible for it. Finding, storing and showing results is left to other crates: this crate
//! knows no verifier, no language, no database and no format for people.
//!
//! This crate is pure: no files, no clock, no processes, no randomness.

pub mod asked;
pub mod calibration;
pub mod cause;
pub mod compare;
pub mod controls;
pub mod data;
pub mod diagnosis;
#[cfg(any(test, feature = "example"))]
pub mod example;
mod flip;
mod known;
pub mod known_findings;
mod measurement;
pub mod measures;
mod minimal;
pub mod overview;
pub mod part;
mod query;
pub mod result;
pub mod solver;
pub mod work;

pub use calibration::Calibration;
pub use cause::{Cause, Groups};
pub use controls::{Circumstance, Controls, Moved};
pub use data::{Data, Details};
pub use diagnosis::Diagnosis;
pub use flip::{MAX_TROUBLE, flips, verifies};
pub use known::{Apart, Known};
pub use measurement::{Measurement, RunMeasurement};
pub use measures::Measures;
pub use minimal::{Minimal, Neighbours, SearchEnding};
pub use overview::{PlanOverview, Status};
pub use query::QueryRow;
pub use result::{SeedReport, TestReport};
pub use work::{GoalWork, Query, SolverWork};
