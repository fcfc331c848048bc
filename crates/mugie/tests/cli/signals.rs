//! A first signal ends every command at any stage and leaves nothing half-written; a second signal ends
//! it at once.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{Sandbox, script, wait_until};
use crate::test::ROBUST;

/// How long a command may take to end, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        // Usually the process has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Started {
    fn new(command: &mut Command) -> Started {
        Started(command.spawn().unwrap())
    }

    fn send(&self, signal: &str) {
        let id = self.0.id().to_string();
        // The process may have ended already.
        let _ = Command::new("kill").args([signal, &id]).stderr(Stdio::null()).status().unwrap();
    }

    /// Waits for the process, which must end within [`PATIENCE`].
    #[track_caller]
    fn end(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status;
            }
            assert!(start.elapsed() < PATIENCE, "it goes on after a signal");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Asserts that mugie ended by itself with code 2, or by the signal.
#[track_caller]
fn assert_ended(status: ExitStatus) {
    assert!(status.code() == Some(2) || status.signal().is_some(), "{status:?}");
}

#[test]
fn one_signal_ends_the_wait_for_standard_input() {
    let sandbox = Sandbox::new(&[("max.bpl", ROBUST)]);
    let program = ["--verifier", "command", "--program", "/bin/true"];
    for signal in ["-INT", "-TERM"] {
        for args in [
            &["check", "-"][..],
            &["mutate", "-"],
            &[&["test", "-", "--out", "out"], &program[..]].concat(),
            &[&["test", "/dev/stdin"], &program[..]].concat(),
            &[&["minimise", "/dev/stdin", "--mutant", "1"], &program[..]].concat(),
            &[&["diagnose", "max.bpl", "/dev/stdin"], &program[..]].concat(),
        ] {
            let mut command = sandbox.command();
            // The other end of the pipe stays open, so mugie waits for input.
            command.args(args).stdin(Stdio::piped());
            command.stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = Started::new(&mut command);
            thread::sleep(Duration::from_millis(300));
            assert!(child.0.try_wait().unwrap().is_none(), "{args:?} waits");
            child.send(signal);
            assert_ended(child.end());
            assert_eq!(sandbox.names(), ["max.bpl"], "{args:?}");
        }
    }
}

/// A program that takes some seconds to read.
fn large() -> String {
    let mut text = String::new();
    for number in 0..60_000 {
        let _ = writeln!(
            text,
            "procedure p{number}(x: int) returns (y: int) requires x > {number}; ensures y > x;\n\
             {{ y := x + 1; assert y > {number}; while (y < 10) invariant y > x; {{ y := y + 1; }} }}"
        );
    }
    text
}

#[test]
fn one_signal_ends_work_on_a_large_program() {
    let sandbox = Sandbox::new(&[("large.bpl", large())]);
    script(&sandbox, "content", "echo 'it finished with 1 verified, 0 errors'");
    fs::create_dir(sandbox.path("temporary")).unwrap();
    let names = ["content", "large.bpl", "temporary"];
    let program = ["--verifier", "command", "--program", "./content", "--no-cache"];
    for args in [
        &["print", "large.bpl", "-o", "printed.bpl"][..],
        &["mutate", "large.bpl", "-n", "100000"],
        &[&["test", "large.bpl", "-n", "100000", "--out", "out"], &program[..]].concat(),
        &[&["minimise", "large.bpl", "--mutant", "9999"], &program[..]].concat(),
    ] {
        for milliseconds in [200, 1500, 5000] {
            let mut command = sandbox.command();
            command.args(args).stdin(Stdio::null()).env("TMPDIR", sandbox.path("temporary"));
            let mut child = Started::new(command.stdout(Stdio::null()).stderr(Stdio::null()));
            thread::sleep(Duration::from_millis(milliseconds));
            child.send("-TERM");
            let status = child.end();
            let is_done = status.code() == Some(0);
            if !is_done {
                assert_ended(status);
            }
            // Apart from complete outputs, no file is left.
            for name in ["printed.bpl", "out"] {
                let path = sandbox.path(name);
                let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
            }
            assert_eq!(sandbox.names(), names, "{args:?} after {milliseconds} ms");
            let temporary = sandbox.path("temporary");
            wait_until("no file is left", || fs::read_dir(&temporary).unwrap().count() == 0);
        }
    }
}

#[test]
fn a_second_signal_ends_mugie_at_once() {
    let sandbox = Sandbox::new(&[("seed.bpl", ROBUST)]);
    fs::create_dir(sandbox.path("temporary")).unwrap();
    // The verifier ignores TERM, INT and HUP, and nobody reads mugie's output.
    let body = "case \"$*\" in *-0*) trap '' TERM INT HUP; sleep 45.67;; esac\n\
                echo 'it finished with 1 verified, 0 errors'";
    script(&sandbox, "slow", body);
    let mut command = sandbox.command();
    command.args(["test", "seed.bpl", "-n", "5", "--no-cache", "--verifier", "command"]);
    command.args(["--program", "./slow"]).env("TMPDIR", sandbox.path("temporary"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Started::new(&mut command);
    wait_until("a mutant is verified", || !crate::support::processes("45.67").is_empty());
    child.send("-INT");
    child.send("-TERM");
    child.send("-INT");
    assert_eq!(child.end().code(), Some(2));
    let mut words = String::new();
    child.0.stderr.take().unwrap().read_to_string(&mut words).unwrap();
    wait_until("the run is gone", || crate::support::processes("45.67").is_empty());
    let temporary = sandbox.path("temporary");
    wait_until("no file is left", || fs::read_dir(&temporary).unwrap().count() == 0);
}

#[test]
fn one_signal_ends_a_report() {
    let plan = "name = 'p'\n[seeds]\npaths = ['seed.bpl']\n[[batch]]\nname = '*'\nmutants = 3\n\
                [[tool]]\nname = 't'\nverifier = 'command'\nprogram = './content'\n";
    let sandbox = Sandbox::new(&[("seed.bpl", ROBUST), ("plan.toml", plan)]);
    script(&sandbox, "content", "echo 'it finished with 1 verified, 0 errors'");
    assert_eq!(sandbox.run(&["campaign", "run", "plan.toml", "--no-fail"]).code, 0);
    let whole = sandbox.run(&["campaign", "report", "plan.toml", "--out", "whole.html"]);
    assert_eq!(whole.code, 0, "{whole:?}");
    let before = sandbox.names();
    let page = fs::read(sandbox.path("whole.html")).unwrap();
    for milliseconds in [5, 15, 25, 40, 60, 90] {
        let mut command = sandbox.command();
        command.args(["campaign", "report", "plan.toml", "--out", "page.html"]);
        let mut child = Started::new(command.stdout(Stdio::null()).stderr(Stdio::null()));
        thread::sleep(Duration::from_millis(milliseconds));
        child.send("-TERM");
        child.end();
        if let Ok(found) = fs::read(sandbox.path("page.html")) {
            assert_eq!(found.len(), page.len());
            fs::remove_file(sandbox.path("page.html")).unwrap();
        }
        let mut names = sandbox.names();
        // SQLite's auxiliary files come and go.
        names.retain(|name| !name.contains("sqlite-"));
        assert_eq!(names, before);
    }
}
