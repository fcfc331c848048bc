//! One run of a program: its limits, how it ended, what it used and printed.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The path of the program; it is not searched for.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The working directory, which is also the directory for temporary files.
    pub directory: PathBuf,
    /// Environment variables, in addition to those of mugie.
    pub environment: Vec<(OsString, OsString)>,
}

/// The limits of a run. `None` means no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Counted time: wall-clock time without the time in which the run was ready but other
    /// processes had the processors.
    pub time: Duration,
    /// Processor time of all its processes.
    pub cpu: Option<Duration>,
    /// Resident memory of all its processes together, in bytes.
    pub memory: Option<u64>,
    /// Bytes that the run may print.
    pub output: u64,
    /// Threads of all its processes together; each process has at least one.
    #[serde(default = "usual_processes")]
    pub processes: u32,
}

/// The default for the number of threads. Mono takes about ten, .NET and Java dozens, and more on
/// machines with many processors.
fn usual_processes() -> u32 {
    500
}

impl Limits {
    /// The limit on wall-clock time: five times the time limit, plus five seconds. A run that is
    /// not over by then is given up as [`Limit::Overload`]: the machine is too busy with other
    /// things.
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
    /// Too many bytes or files in the directory of the run.
    Files,
    /// [`Limits::processes`], with its value.
    Processes(u32),
    /// [`Limits::most_wall`]: the machine is overloaded and did not give the run the time it may
    /// have.
    Overload,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// It exited with this code.
    Exited(i32),
    /// It was killed by a signal that we did not send.
    Signaled(i32),
    /// We killed it because it reached a limit.
    Limited(Limit),
    /// We killed it because we were asked to.
    Cancelled,
    /// It did not start or could not be watched, for this reason.
    Lost(String),
}

/// The resources used by all processes of a run, including those that outlived its main process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Wall-clock time.
    pub wall: Duration,
    /// Processor time.
    pub cpu: Duration,
    /// Peak resident memory in bytes: of all processes together at a look, or of the largest
    /// process.
    pub memory: u64,
}

/// What a run printed to one stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The text, in which bytes that are not UTF-8 are replaced.
    pub text: String,
    /// Whether a part of the output is missing.
    pub truncated: bool,
}

/// A part of a run that is over, while the run may go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The usage since the end of the previous part.
    pub usage: Usage,
    /// Standard output, from the line that began the part.
    pub stdout: Captured,
    /// Standard error, as far as it arrived in time.
    pub stderr: Captured,
}

/// The result of a run.
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
