//! Runs of programs that may hang, flood, fork and devour: watched, limited, and cleaned up.
//!
//! Each run is watched by a process of its own, the *keeper*. It starts the verifier, enforces
//! the limits, and at any end kills and reaps all that the run started. It ends the run also when
//! the process that wanted it is gone, so nothing outlives that. A run that stops or kills its keeper
//! is ended by the process that wanted it.
//!
//! A program that supervises acts as its own keeper: its `main` calls [`keep`] if its first
//! argument is [`KEEPER`], before it does anything else.
//!
//! This module must not know what a verifier is, nor what its output means.

use std::ffi::OsString;
use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::{io, time::Duration};

#[cfg(target_os = "linux")]
use nix::errno::Errno;

#[cfg(target_os = "linux")]
mod capture;
#[cfg(target_os = "linux")]
mod clock;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod group;
#[cfg(target_os = "linux")]
mod keeper;
#[cfg(target_os = "linux")]
mod litter;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(target_os = "linux")]
mod sweep;
#[cfg(target_os = "linux")]
mod take_over;
#[cfg(target_os = "linux")]
mod wire;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Supervisor, keep};
#[cfg(target_os = "linux")]
pub use keeper::keep;
#[cfg(target_os = "linux")]
pub use supervisor::Supervisor;
#[cfg(target_os = "linux")]
pub(crate) use take_over::{adopt_orphans, end_adopted};

use crate::run::{Captured, Ending, Run, Usage};

/// The first argument of a program that is to act as a keeper.
pub const KEEPER: &str = "--keep-a-run";

/// A folder beside the directories of runs, for what they share. Keepers whose supervisor is gone
/// remove it with the last of these directories.
pub const SHARED: &str = "shared";

/// How long processes may take to die.
#[cfg(target_os = "linux")]
const DYING: Duration = Duration::from_secs(10);

/// How to start a keeper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keeper {
    /// A program that calls [`keep`] when started like this.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Variables for it, and so for the program that it keeps.
    pub environment: Vec<(OsString, OsString)>,
}

impl Keeper {
    /// The running program, started again with the argument [`KEEPER`].
    pub fn this_program() -> Keeper {
        // Not its path: another version may have been installed there in the meantime.
        Keeper {
            program: PathBuf::from("/proc/self/exe"),
            arguments: vec![KEEPER.into()],
            environment: Vec::new(),
        }
    }
}

/// Why a process could not be started, or the like.
#[cfg(target_os = "linux")]
fn why(error: &io::Error) -> String {
    match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::EAGAIN) => "there may be no more processes (see `ulimit -u`)".to_owned(),
        Some(number) => number.desc().to_owned(),
        None => error.to_string(),
    }
}

/// A run that ended before it printed or used anything.
fn without_output(ending: Ending) -> Run {
    Run {
        ending,
        usage: Usage::default(),
        stdout: Captured::default(),
        stderr: Captured::default(),
    }
}
