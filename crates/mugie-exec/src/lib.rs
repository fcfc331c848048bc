//! From a program to a settled verdict.
//!
//! An [`Executor`] takes [requests](Request) and gives [settled verdicts](Settled). [`Local`] runs
//! verifiers on this machine, several programs in one process where that is sound; [`Cached`] and
//! [`CrossChecked`] are wrappers around any executor. [`pool`] has the one pool of threads of mugie.
//!
//! This crate knows nothing of seeds, mutants and what a verdict means: a program is some files.

pub mod cache;
pub mod cache_folder;
mod cached;
mod cross_check;
mod local;
mod pace;
pub mod pool;
mod request;
mod setup;
#[cfg(test)]
mod testing;

use std::ops::ControlFlow;

use mugie_core::{Artifact, Files};

pub use cache::{Cache, CacheError};
pub use cached::Cached;
pub use cross_check::{CrossChecked, CrossChecks, Difference};
pub use local::{Local, TapError};
pub use pace::Pace;
pub use request::{Draw, Key, Made, Origin, Request, Settled, TimeoutPolicy};
pub use setup::{ExecutorKind, LOCAL, Setup, StartedExecutor};

/// What is told of each verdict: the place of its request, and the verdict. Whether to go on is the
/// answer; what was under way when that was a break may still be told.
pub type OnSettled<'e> = &'e mut dyn FnMut(usize, Settled) -> ControlFlow<()>;

/// Where programs are verified.
pub trait Executor: Sync {
    /// What verdicts depend on but for the program, as text.
    fn identity(&self) -> String;

    /// A hash of all that the verdict on a request depends on.
    fn key(&self, request: &Request) -> Key;

    /// How many calls of [`Executor::verify`] are worth having under way at once.
    fn capacity(&self) -> usize;

    /// Whether requests that are given together take less than each alone.
    fn can_share(&self) -> bool;

    /// Verifies programs. `each` gets the verdicts as soon as they are there, in any order; a break
    /// from it ends what is under way. If the executor was cancelled, some are left out.
    fn verify(&self, requests: &[Request], each: OnSettled<'_>);

    /// Verifies a program in a run of its own, and returns what that run left behind, such as the
    /// problems for the solver. Empty if it left nothing; `None` if the run was cancelled.
    fn artifacts(&self, language: &str, files: &Files) -> Option<Vec<Artifact>>;

    /// What the comparison with plain runs brought, if verdicts are compared.
    fn cross_checks(&self) -> Option<CrossChecks> {
        None
    }

    /// Ends all that is under way, and all that comes.
    fn cancel(&self);

    /// Whether it was cancelled.
    fn is_cancelled(&self) -> bool;
}

impl dyn Executor + '_ {
    /// The verdict on one program; `None` if the executor was cancelled.
    pub fn settle(&self, request: Request) -> Option<Settled> {
        let mut found = None;
        self.verify(&[request], &mut |_, settled| {
            found = Some(settled);
            ControlFlow::Continue(())
        });
        found
    }
}
