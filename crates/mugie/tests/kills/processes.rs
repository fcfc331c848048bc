//! The processes of a run, found by a marker in their environment.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// The environment variable that holds the marker.
pub(crate) const MARKER: &str = "MUGIE_TEST_OF_KILLS";

/// The process to kill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Victim {
    /// The mugie command itself.
    Mugie,
    /// The watchdog of a run.
    Keeper,
    Verifier,
    /// The proxy between verifier and solver.
    Tap,
    Solver,
}

/// A process with the marker.
pub(crate) struct Process {
    pid: Pid,
    words: Vec<String>,
}

impl Process {
    pub(crate) fn is(&self, victim: Victim) -> bool {
        let Process { words, .. } = self;
        let has = |word: &str| words.iter().any(|it| it == word);
        let program = words.first().map(String::as_str).unwrap_or_default();
        let name = Path::new(program).file_name().unwrap_or_default();
        let (is_keeper, is_tap) = (has("--keep-a-run"), has("--tap-a-solver"));
        match victim {
            Victim::Keeper => is_keeper,
            Victim::Tap => is_tap,
            Victim::Mugie => !is_keeper && !is_tap && name == "mugie",
            Victim::Verifier => words.iter().any(|it| it.ends_with("Boogie.exe")),
            Victim::Solver => name == "z3",
        }
    }

    /// Kills the process. Returns whether it existed.
    pub(crate) fn kill(&self) -> bool {
        kill(self.pid, Signal::SIGKILL).is_ok()
    }
}

/// All processes with a marker.
pub(crate) fn find(marker: &str) -> Vec<Process> {
    let variable = format!("{MARKER}={marker}");
    let is_marked = |pid: Pid| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|it| it == variable.as_bytes())
    };
    let words = |pid: Pid| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words = line.split(|&byte| byte == 0);
        words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
    };
    let entries = fs::read_dir("/proc").unwrap();
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let pids = numbers.map(Pid::from_raw).filter(|&pid| is_marked(pid));
    pids.map(|pid| Process { pid, words: words(pid) }).collect()
}

/// Descriptions of the processes that still exist after this time.
pub(crate) fn of_run(marker: &str, patience: Duration) -> Vec<String> {
    let start = Instant::now();
    loop {
        let left = find(marker);
        if left.is_empty() || start.elapsed() > patience {
            return left.into_iter().map(|process| process.words.join(" ")).collect();
        }
        thread::sleep(Duration::from_millis(5));
    }
}
