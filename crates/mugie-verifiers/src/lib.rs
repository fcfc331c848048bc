//! Program verifiers: how to find one, how to run it under supervision, and what it answers.
//!
//! A verifier is data, a definition in TOML; a run of it is watched by a process of
//! its own; what it printed becomes a [`Verdict`]. This crate knows nothing of
//! mutants, and of Boogie only what its output looks like.

pub mod read;
pub mod run;
pub mod supervise;
pub mod verdict;

pub use run::{Captured, CommandLine, Ending, Limit, Limits, Run, Usage};
pub use verdict::{Failure, FailureKind, Location, Message, Outcome, Procedure, Stage, Verdict};
