//! Kills what is left of runs in abandoned folders: a keeper that somebody stopped, and the
//! processes that its verifier started; or only these, if the keeper was killed as well.
//!
//! The processes of a run are recognised by the variable `TMPDIR`, which a supervisor sets for all
//! of them: it leads into a folder with a random name. The processes of a user who looks at the
//! folder do not have this variable.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};

use crate::supervise::KEEPER;

/// Time that a keeper may take to end its run before it is killed as well.
const GRACE: Duration = Duration::from_secs(1);

/// Time to wait for all processes to be gone; raising it delays the sweep if some cannot be killed.
const PATIENCE: Duration = Duration::from_secs(2);

/// Pause between two looks at the process table.
const PAUSE: Duration = Duration::from_millis(10);

/// A process of a run.
struct Process {
    pid: Pid,
    /// Whether it is a keeper that is not stopped: it notices that its supervisor is gone, and ends
    /// the run.
    is_keeping: bool,
}

/// Kills all processes of runs in folders with these names.
pub(super) fn end_runs(folders: &BTreeSet<&OsStr>) {
    let start = Instant::now();
    loop {
        let left = of_runs(folders);
        let waited = start.elapsed();
        if left.is_empty() || waited > PATIENCE {
            return;
        }
        for process in left.iter().filter(|process| !process.is_keeping || waited > GRACE) {
            // An error means that the process has ended by itself.
            let _ = kill(process.pid, Signal::SIGKILL);
        }
        thread::sleep(PAUSE);
    }
}

fn of_runs(folders: &BTreeSet<&OsStr>) -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    numbers
        .map(Pid::from_raw)
        .filter(|&pid| pid != Pid::this() && is_of_runs(pid, folders))
        .map(|pid| Process { pid, is_keeping: is_keeper(pid) && !is_stopped(pid) })
        .collect()
}

fn is_of_runs(pid: Pid, folders: &BTreeSet<&OsStr>) -> bool {
    let is_mine = |found: fs::Metadata| found.uid() == geteuid().as_raw();
    if !fs::metadata(format!("/proc/{pid}")).is_ok_and(is_mine) {
        return false;
    }
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let mut variables = environment.split(|&byte| byte == 0);
    let directory = variables.find_map(|variable| variable.strip_prefix(b"TMPDIR="));
    directory.is_some_and(|directory| {
        let path = Path::new(OsStr::from_bytes(directory));
        path.iter().any(|name| folders.contains(name))
    })
}

fn is_keeper(pid: Pid) -> bool {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    line.split(|&byte| byte == 0).nth(1) == Some(KEEPER.as_bytes())
}

fn is_stopped(pid: Pid) -> bool {
    let stat = fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name of the process is in parentheses, and may contain any bytes.
    let end = stat.iter().rposition(|&byte| byte == b')');
    let state = end.and_then(|end| stat.get(end + 2));
    matches!(state, Some(b'T' | b't'))
}
