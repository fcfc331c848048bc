//! Program verifiers: how to find one, how to run it under supervision, and what it answers.
//!
//! A verifier is data, a [definition] in TOML, which the [registry] looks up on this machine. A
//! run of it is [supervised](supervise) by a process of its own; what it printed is
//! [read] as a [`Verdict`]. This crate knows nothing of mutants, and of Boogie only what its
//! output looks like.

pub mod command;
pub mod definition;
pub mod find;
pub mod images;
pub mod problems;
pub mod read;
pub mod registry;
pub mod run;
pub mod supervise;
pub mod tap;
pub mod verdict;
pub mod verifier;
pub mod version;

pub use definition::{Definition, DefinitionError, Dialect, Origin, Reader};
pub use find::{Environment, Tool, ToolError};
pub use problems::{Problem, ProblemDifference};
pub use registry::{Inspection, Registry, ResolveError};
pub use run::{Captured, CommandLine, Ending, Limit, Limits, Part, Run, Usage};
pub use verdict::{Failure, FailureKind, Location, Message, Outcome, Procedure, Stage, Verdict};
pub use verifier::{Batch, Options, Solver, Verifier};
pub use version::{Version, VersionRange};

#[cfg(test)]
mod tests;
