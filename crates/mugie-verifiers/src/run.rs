//! One run of a program: what it may use, how it ended, what it used and printed.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The program: a path, not a name to be searched for.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The directory it runs in, which is also where it may put temporary files.
    pub directory: PathBuf,
    /// Variables for it, besides those that mugie has.
    pub environment: Vec<(OsString, OsString)>,
}

/// What a run may use. A limit of `None` is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Time that counts: that of the wall clock, less what the machine gave to others while the
    /// run was ready to go on.
    pub time: Duration,
    /// Processor time of all its processes.
    pub cpu: Option<Duration>,
    /// Resident memory of all its processes together, in bytes.
    pub memory: Option<u64>,
    /// Bytes it may print.
    pub output: u64,
    /// Threads of all its processes together; each process has at least one.
    #[serde(default = "usual_processes")]
    pub processes: u32,
}

/// Mono takes some ten threads, .NET and Java dozens, and more on machines with many processors.
fn usual_processes() -> u32 {
    500
}

impl Limits {
    /// The most time on the clock, whatever the machine gave to others: five times the limit, and
    /// five seconds. A run that is not over then is given up, as [`Limit::Overload`].
    pub fn most_wall(&self) -> Duration {
        self.time.saturating_mul(5).saturating_add(Duration::from_secs(5))
    }
}

impl Default for Limits {
    /// 20 s as in the paper, 4 GiB, 16 MiB of output, 500 processes and threads.
    fn default() -> Limits {
        Limits {
            time: Duration::from_secs(20),
            cpu: None,
            memory: Some(4 << 30),
            output: 16 << 20,
            processes: usual_processes(),
        }
    }
}

/// A limit that ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// [`Limits::time`].
    Time,
    /// [`Limits::cpu`].
    Cpu,
    /// [`Limits::memory`].
    Memory,
    /// [`Limits::output`].
    Output,
    /// Too many bytes or files in its directory.
    Files,
    /// [`Limits::processes`], which is this.
    Processes(u32),
    /// [`Limits::most_wall`]: the machine had still not given the run the time it may have.
    Overload,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// By itself, with an exit code.
    Exited(i32),
    /// By a signal that we did not send.
    Signaled(i32),
    /// We ended it because it reached a limit.
    Limited(Limit),
    /// We ended it because we were asked to.
    Cancelled,
    /// It did not start, or could not be watched; says why.
    Lost(String),
}

/// What a run used: of all processes it started, those that outlived it included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// On the wall clock.
    pub wall: Duration,
    /// On processors.
    pub cpu: Duration,
    /// The most resident memory at a time, in bytes: of all processes together when looked at,
    /// or of the largest one.
    pub memory: u64,
}

/// What a run printed to one stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The text; bytes that are no UTF-8 are replaced.
    pub text: String,
    /// Whether there was more.
    pub truncated: bool,
}

/// A part of a run that is over while the run goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What was used since the part before was over.
    pub usage: Usage,
    /// Standard output, from the line that began the part.
    pub stdout: Captured,
    /// Standard error, as far as it came in time.
    pub stderr: Captured,
}

/// One run, when it is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// How it ended.
    pub ending: Ending,
    /// What it used.
    pub usage: Usage,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
}
