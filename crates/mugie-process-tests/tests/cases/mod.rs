//! Runs of the misbehaving verifier, for the tests of supervision.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{fs, process};

use mugie_verifiers::supervise::{Keeper, Supervisor};
use mugie_verifiers::{CommandLine, Limits, Run};
use tempfile::TempDir;

pub(crate) const MISBEHAVE: &str = env!("CARGO_BIN_EXE_misbehave");
pub(crate) const MUGIE_KEEPER: &str = env!("CARGO_BIN_EXE_mugie-keeper");

pub(crate) fn keeper() -> Keeper {
    Keeper { program: MUGIE_KEEPER.into(), arguments: Vec::new(), environment: Vec::new() }
}

pub(crate) fn seconds(time: f64) -> Limits {
    Limits { time: Duration::from_secs_f64(time), ..Limits::default() }
}

/// One way to misbehave, in a directory of its own.
pub(crate) struct Case {
    pub(crate) directory: TempDir,
    pub(crate) marker: String,
    pub(crate) command: CommandLine,
}

impl Case {
    pub(crate) fn new(how: &str, more: &[&str]) -> Case {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let marker = format!("mugie-test-{}-{number}-end", process::id());
        let directory = TempDir::new().unwrap();
        fs::write(directory.path().join("mutant.bpl"), "text").unwrap();
        let mut arguments: Vec<OsString> = vec![how.into(), marker.as_str().into()];
        arguments.extend(more.iter().map(OsString::from));
        let command = CommandLine {
            program: MISBEHAVE.into(),
            arguments,
            directory: directory.path().into(),
            environment: Vec::new(),
        };
        Case { directory, marker, command }
    }

    /// Runs the case. Asserts that no process is left and the directory is unchanged.
    pub(crate) fn run(&self, supervisor: &Supervisor, limits: &Limits) -> Run {
        let run = supervisor.run(&self.command, limits);
        assert_eq!(processes_with(&self.marker), [0; 0], "processes are left");
        let file = self.directory.path().join("mutant.bpl");
        assert_eq!(fs::read_to_string(file).unwrap(), "text", "the directory was touched");
        run
    }
}

pub(crate) fn run(how: &str, more: &[&str], limits: &Limits) -> Run {
    Case::new(how, more).run(&Supervisor::new(keeper()), limits)
}

/// The processes with the marker among their arguments, except zombies.
pub(crate) fn processes_with(marker: &str) -> Vec<u32> {
    let names = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.file_name());
    let numbers = names.filter_map(|name| name.to_str()?.parse().ok());
    numbers
        .filter(|number| {
            let line = fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
            line.split(|&byte| byte == 0).any(|argument| argument == marker.as_bytes())
        })
        .collect()
}

pub(crate) fn wait_until(what: &str, fact: impl Fn() -> bool) {
    let begin = Instant::now();
    while !fact() {
        assert!(begin.elapsed() < Duration::from_mins(1), "never came true: {what}");
        sleep(Duration::from_millis(10));
    }
}

/// Starts a process that supervises a run in `outer/run`. Returns it and that directory.
pub(crate) fn supervising(case: &Case, how: &[&str], outer: &Path) -> (Child, PathBuf) {
    let directory = outer.join("run");
    fs::create_dir_all(directory.join("deep")).unwrap();
    let child = Command::new(MISBEHAVE)
        .args(["supervise", &case.marker, MUGIE_KEEPER, how[0]])
        .arg(&directory)
        .args(&how[1..])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    (child, directory)
}
