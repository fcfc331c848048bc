//! What is left of runs in folders that are nobody's: a keeper that somebody stopped, and what its
//! verifier started; or just these, if the keeper was killed, too.
//!
//! The processes of a run are known by the variable `TMPDIR`, which a supervisor sets for all of
//! them: it leads into a folder whose name was drawn. A user who looks at the folder has no such
//! variable.

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

/// How long a keeper may take that ends its run, before it is killed as well.
const GRACE: Duration = Duration::from_secs(1);

/// How long to wait for all of them to be gone.
const PATIENCE: Duration = Duration::from_secs(2);

/// The time between two looks.
const PAUSE: Duration = Duration::from_millis(10);

/// A process of a run.
struct Process {
    pid: Pid,
    /// Whether it is a keeper, and not stopped: it sees that it was left alone, and ends the run.
    is_keeping: bool,
}

/// Ends all processes of runs in folders of these names.
pub(super) fn end_runs(folders: &BTreeSet<&OsStr>) {
    let start = Instant::now();
    loop {
        let left = of_runs(folders);
        let waited = start.elapsed();
        if left.is_empty() || waited > PATIENCE {
            return;
        }
        for process in left.iter().filter(|process| !process.is_keeping || waited > GRACE) {
            // It may have ended by itself.
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
    // Its name is in parentheses, and may have any bytes.
    let end = stat.iter().rposition(|&byte| byte == b')');
    let state = end.and_then(|end| stat.get(end + 2));
    matches!(state, Some(b'T' | b't'))
}
