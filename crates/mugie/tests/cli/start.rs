//! An interrupt at any moment of the start ends the command and leaves nothing behind.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{Sandbox, script, wait_until};
use crate::test::ROBUST;

/// The number of interrupts, spread evenly from the start of the command until [`LATEST`].
const TRIES: u32 = 20;
const LATEST: Duration = Duration::from_millis(300);

/// How long an interrupted command may take to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// The signal number of the interrupt.
const SIGINT: i32 = 2;

/// A verifier that prints its version after a moment; any other run hangs.
const SLOW: &str = "
case $1 in
  /version) sleep 0.05; echo 'Boogie program verifier version 2.4.1'; exit 0;;
esac
sleep 63.81";

const PLAN: &str = "\
name = 'start'
[seeds]
paths = ['seed.bpl']
[[batch]]
name = '*'
mutants = 30
[[tool]]
name = 'boogie'
program = './slow'
";

/// Ends a command that a failing test would leave behind.
struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        // Usually the process has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The number of processes with a marker in their environment, which every child inherits.
fn descendants(marker: &str) -> usize {
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let environments = entries.filter_map(|entry| fs::read(entry.path().join("environ")).ok());
    let marker = marker.as_bytes();
    environments.filter(|it| it.windows(marker.len()).any(|part| part == marker)).count()
}

/// Whether a process has a handler for interrupts.
fn watches(child: &Child) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or_default();
    let caught = u64::from_str_radix(caught.trim(), 16).unwrap_or_default();
    caught >> (SIGINT - 1) & 1 == 1
}

/// Interrupts a command after some time. Returns its exit status, and whether it had a handler by then.
fn interrupted(sandbox: &Sandbox, args: &[&str], after: Duration) -> (ExitStatus, bool) {
    let child = sandbox
        .command()
        .args(args)
        .env("MUGIE_TEST_MARKER", sandbox.path(""))
        .env("TMPDIR", sandbox.path("temporary"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut child = Started(child);
    thread::sleep(after);
    let watched = watches(&child.0);
    let sent = Command::new("kill").args(["-INT", &child.0.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let start = Instant::now();
    loop {
        if let Some(status) = child.0.try_wait().unwrap() {
            return (status, watched);
        }
        assert!(start.elapsed() < PATIENCE, "{args:?} goes on after an interrupt at {after:?}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Interrupts a command at many moments during its start.
fn at_all_moments(args: &[&str]) {
    let mut watched_often = 0;
    for number in 0..TRIES {
        let sandbox = Sandbox::new(&[("plan.toml", PLAN), ("seed.bpl", ROBUST)]);
        fs::create_dir(sandbox.path("temporary")).unwrap();
        script(&sandbox, "slow", SLOW);
        let after = LATEST * number / TRIES;
        let (status, watched) = interrupted(&sandbox, args, after);
        // Until mugie has installed its handler, the interrupt simply kills it.
        let early = !watched && status.signal() == Some(SIGINT);
        assert!(early || status.code() == Some(2), "{args:?} at {after:?}: {status:?}");
        watched_often += u32::from(watched);
        let marker = format!("MUGIE_TEST_MARKER={}", sandbox.path("").display());
        wait_until("no process is left", || descendants(&marker) == 0);
        let temporary = sandbox.path("temporary");
        wait_until("no file is left", || fs::read_dir(&temporary).unwrap().count() == 0);
    }
    assert!(watched_often > TRIES / 4, "{watched_often}");
}

#[test]
fn an_interrupt_ends_the_start_of_a_test() {
    at_all_moments(&["test", "seed.bpl", "--program", "./slow", "--no-cache"]);
}

#[test]
fn an_interrupt_ends_the_start_of_a_campaign() {
    at_all_moments(&["campaign", "run", "plan.toml"]);
}

#[test]
fn an_interrupt_ends_the_start_of_what_looks_into_a_mutant() {
    let mutant = ["--mutant", "1", "--operators", "L5", "--no-cache", "--program", "./slow"];
    at_all_moments(&[&["minimise", "seed.bpl"], &mutant[..]].concat());
    at_all_moments(&["diagnose", "seed.bpl", "seed.bpl", "--program", "./slow"]);
}
