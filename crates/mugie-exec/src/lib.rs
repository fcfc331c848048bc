//! Verifies programs: from a program to a settled verdict.
//!
//! An [`Executor`] takes [requests](Request) and returns [settled verdicts](Settled). [`Local`]
//! runs verifiers on this machine, several programs in one process where that is sound; [`Cached`]
//! and [`CrossChecked`] are wrappers around any executor. [`pool`] is mugie's only thread pool.
//!
//! This crate must not know seeds, mutants or the meaning of a verdict: a program is some files.

mod cache;
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

/// The callback for verdicts: it receives the index of the request, and its verdict. If it returns
/// a break, no more verdicts are wanted; verdicts of current runs may still follow.
pub type OnSettled<'e> = &'e mut dyn FnMut(usize, Settled) -> ControlFlow<()>;

/// A place where programs are verified.
pub trait Executor: Sync {
    /// A text that identifies everything that verdicts depend on, except for the program.
    fn identity(&self) -> String;

    /// A hash of everything that the verdict on a request depends on.
    fn key(&self, request: &Request) -> Key;

    /// The number of concurrent calls of [`Executor::verify`] that are worthwhile.
    fn capacity(&self) -> usize;

    /// Whether requests take less time together than each alone.
    fn can_share(&self) -> bool;

    /// Verifies programs. `each` receives the verdicts as soon as they are known, in any order; a
    /// break from it ends the current runs. If the executor was cancelled, some verdicts are
    /// missing.
    fn verify(&self, requests: &[Request], each: OnSettled<'_>);

    /// Verifies a program in a run of its own and returns the files that the run left behind, such
    /// as a log of solver queries. Empty if there are none; `None` if the run was cancelled.
    fn artifacts(&self, language: &str, files: &Files) -> Option<Vec<Artifact>>;

    /// The results of the comparison with plain runs, if verdicts are compared.
    fn cross_checks(&self) -> Option<CrossChecks> {
        None
    }

    /// The number of seeds whose programs could not share processes, because the solver received
    /// something else from a shared process than from a process of a program alone.
    fn unshared_seeds(&self) -> usize {
        0
    }

    /// Ends all current runs, and prevents new ones.
    fn cancel(&self);

    /// Whether it was cancelled.
    fn is_cancelled(&self) -> bool;
}

impl dyn Executor + '_ {
    /// The verdict on one program, or `None` if the executor was cancelled.
    pub fn settle(&self, request: Request) -> Option<Settled> {
        let mut found = None;
        self.verify(&[request], &mut |_, settled| {
            found = Some(settled);
            ControlFlow::Continue(())
        });
        found
    }
}
