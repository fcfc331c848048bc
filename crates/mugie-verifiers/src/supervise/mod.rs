//! Runs programs that may hang, flood, fork and devour: watched, limited, and cleaned up.
//!
//! Each run has a watchdog process, the *keeper*, which watches one run at a time. The keeper starts the verifier,
//! enforces the limits, and, however the run ends, kills and reaps every process that the run
//! started. It also ends the run when the supervising process is gone, so nothing outlives the
//! supervisor. A run that stops or kills its keeper is ended by the supervisor.
//!
//! A program that supervises runs also acts as the keeper: its `main` calls [`keep`] if its first
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

/// Name of a folder beside the directories of runs, for files that runs share. A keeper whose
/// supervisor is gone removes it together with the last of these directories.
pub const SHARED: &str = "shared";

/// Time that killed processes may take to die; raising it delays the report of processes that
/// cannot be killed.
#[cfg(target_os = "linux")]
const DYING: Duration = Duration::from_secs(10);

/// How to start a keeper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keeper {
    /// A program that calls [`keep`] when it is started with these arguments.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Environment variables of the keeper, which the verifier inherits.
    pub environment: Vec<(OsString, OsString)>,
}

impl Keeper {
    /// A keeper that is the running program, started again with the argument [`KEEPER`].
    pub fn this_program() -> Keeper {
        // Not the path of the program: another version may have been installed there since it
        // started.
        Keeper {
            program: PathBuf::from("/proc/self/exe"),
            arguments: vec![KEEPER.into()],
            environment: Vec::new(),
        }
    }
}

/// The message of a system error, for instance of a failed fork.
#[cfg(target_os = "linux")]
fn why(error: &io::Error) -> String {
    match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::EAGAIN) => "too many processes (see `ulimit -u`)".to_owned(),
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
