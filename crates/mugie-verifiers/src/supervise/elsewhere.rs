//! A stub of the supervisor for systems without supervision: every run is lost.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Keeper, without_output};
use crate::run::{CommandLine, Ending, Limits, Part, Run};

/// The main function of a keeper, which always fails on this system.
pub fn keep() -> ExitCode {
    ExitCode::FAILURE
}

/// Runs nothing: see [`Supervisor::run`].
#[derive(Debug)]
pub struct Supervisor {
    cancelled: AtomicBool,
}

impl Supervisor {
    /// A supervisor, which never starts a keeper.
    pub fn new(_keeper: Keeper) -> Supervisor {
        Supervisor { cancelled: AtomicBool::new(false) }
    }

    /// Returns a lost run: verifiers can be run only on Linux.
    pub fn run(&self, _command: &CommandLine, _limits: &Limits) -> Run {
        without_output(Ending::Lost("verifiers can be run only on Linux".to_owned()))
    }

    /// Returns a lost run: verifiers can be run only on Linux.
    pub fn run_in_parts(
        &self,
        command: &CommandLine,
        limits: &Limits,
        _begins: &mut dyn FnMut(&str) -> bool,
        _each: &mut dyn FnMut(Part) -> ControlFlow<()>,
    ) -> Run {
        self.run(command, limits)
    }

    /// Records that no run is wanted any more.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether [`Supervisor::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}
