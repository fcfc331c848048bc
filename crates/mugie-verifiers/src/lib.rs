//! Program verifiers: how to find one, how to run it under supervision, and what it answers.
//!
//! A verifier is data, a [definition](Definition) in TOML, which the [registry] looks up on this machine. A run
//! is [supervised](supervise) by a watchdog process, and its output is [read] as a [`Verdict`]. The
//! queries to the solver can be [tapped](tap), or read from a [log](problems).
//!
//! This crate must not know mutants or languages. The only parts specific to Boogie are a
//! [reader](read::READERS) of its output, a [style](smt::STYLES) of queries and a
//! [marker](tap::MARKERS) of programs, which definitions name; nothing else depends on which
//! verifier it is.

pub mod claim;
mod command;
mod definition;
mod find;
pub mod images;
pub mod input;
mod owners;
pub mod problems;
pub mod read;
pub mod registry;
mod run;
pub mod smt;
pub mod supervise;
pub mod tap;
pub mod trust;
mod verifier;
mod version;

pub use definition::{Definition, DefinitionError, Origin};
pub use find::{Environment, FoundProgram, ToolError};
pub use mugie_core::{
    Failure, FailureKind, Location, Message, Outcome, ProblemDifference, Procedure, Stage, Verdict,
};
pub use problems::Problem;
pub use read::Reader;
pub use registry::{Inspection, Registry, ResolveError};
pub use run::{Captured, CommandLine, Ending, Limit, Limits, Part, Run, Usage};
pub use trust::{Foreign, Untrusted};
pub use verifier::{SharedProcess, Solver, Verifier, VerifierOptions};
pub use version::{Version, VersionRange};

#[cfg(test)]
mod tests;
