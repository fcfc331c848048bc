//! Supervised runs of a verifier that attacks its supervision: each ends within its limit, and no
//! process that it started is left.
//!
//! Processes that fork here limit their own number and lifetime.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failed test should panic")]

mod cases;

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;
use std::{fs, process};

use mugie_verifiers::supervise::Supervisor;
use mugie_verifiers::{CommandLine, Ending, Limit, Limits};

use cases::{Case, keeper, processes_with, run, seconds, supervising, wait_until};

/// The result of a function that must return within the given number of seconds, even on a busy
/// machine.
fn within<T: Send + 'static>(most: u64, what: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, over) = mpsc::channel();
    thread::spawn(move || {
        let _ = done.send(what());
    });
    over.recv_timeout(Duration::from_secs(most)).expect("it goes on and on")
}

/// The children of this process, zombies included.
fn children() -> Vec<String> {
    let names = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.file_name());
    let own = process::id().to_string();
    let parent = |pid: &str| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1).map(str::to_owned)
    };
    let names = names.filter_map(|name| name.into_string().ok());
    names.filter(|pid| parent(pid).is_some_and(|parent| parent == own)).collect()
}

#[test]
fn a_keeper_that_is_stopped_goes_on() {
    let run = within(25, || run("signal-keeper", &["SIGSTOP"], &seconds(1.0)));
    assert_eq!(run.ending, Ending::Limited(Limit::Time));
    assert!(run.usage.wall >= Duration::from_secs(1));
    assert_eq!(children(), [""; 0]);
}

#[test]
fn a_keeper_that_is_stopped_again_and_again_is_replaced() {
    let run = within(25, || run("signal-keeper", &["SIGSTOP", "always"], &seconds(20.0)));
    let reason = "its keeper was stopped again and again";
    assert_eq!(run.ending, Ending::Lost(reason.to_owned()));
    assert_eq!(children(), [""; 0]);
}

#[test]
fn a_keeper_that_is_killed_is_replaced() {
    let run = within(25, || run("signal-keeper", &["SIGKILL"], &seconds(20.0)));
    let reason = "its keeper ended early (signal: 9 (SIGKILL))";
    assert_eq!(run.ending, Ending::Lost(reason.to_owned()));
    assert_eq!(children(), [""; 0]);
}

#[test]
fn what_a_replaced_keeper_leaves_is_reaped() {
    for how in [&["signal-keeper", "SIGKILL"][..], &["signal-keeper", "SIGSTOP", "always"]] {
        let case = Case::new("exit", &["0"]);
        let (child, _) = supervising(&case, how, case.directory.path());
        let output = within(25, || child.wait_with_output().unwrap());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.starts_with("Lost(") && text.ends_with(", 0 left"), "{text}");
    }
}

#[test]
fn the_end_of_one_run_by_force_is_nothing_to_others() {
    let supervisor = Arc::new(Supervisor::new(keeper()));
    let quiet = {
        let supervisor = Arc::clone(&supervisor);
        thread::spawn(move || Case::new("wait-with-escaped", &[]).run(&supervisor, &seconds(3.0)))
    };
    let hostile = within(25, move || {
        Case::new("signal-keeper", &["SIGKILL"]).run(&supervisor, &seconds(20.0))
    });
    assert!(matches!(hostile.ending, Ending::Lost(_)), "{hostile:?}");
    let quiet = within(60, || quiet.join().unwrap());
    assert_eq!(quiet.ending, Ending::Limited(Limit::Time));
}

#[test]
fn a_stopped_keeper_does_not_outlive_the_supervising_process() {
    let case = Case::new("exit", &["0"]);
    let outer = case.directory.path().join("outer");
    let (mut child, directory) = supervising(&case, &["signal-keeper", "SIGSTOP"], &outer);
    wait_until("the keeper is about to be stopped", || directory.join("ready").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("no process is left", || processes_with(&case.marker).is_empty());
    wait_until("the directory is gone", || !outer.exists());
}

#[test]
fn cancelling_ends_a_run_whose_keeper_is_stopped() {
    let supervisor = Arc::new(Supervisor::new(keeper()));
    let case = Case::new("signal-keeper", &["SIGSTOP", "always"]);
    let ready = case.directory.path().join("ready");
    let run = {
        let supervisor = Arc::clone(&supervisor);
        thread::spawn(move || case.run(&supervisor, &seconds(20.0)))
    };
    wait_until("the keeper is stopped", || ready.exists());
    within(10, move || supervisor.cancel());
    let run = within(25, || run.join().unwrap());
    assert_eq!(run.ending, Ending::Cancelled);
    assert_eq!(children(), [""; 0]);
}

#[test]
fn whoever_works_without_streams_ends_in_time() {
    let limits = Limits { memory: None, ..seconds(0.5) };
    let most = limits.most_wall();
    assert_eq!(most, Duration::from_millis(7500));
    let run = within(30, move || run("burn-without-streams", &[], &limits));
    match run.ending {
        Ending::Limited(Limit::Time) => assert!(run.usage.wall <= most + Duration::from_secs(5)),
        // On a busy machine.
        Ending::Limited(Limit::Overload) => assert!(run.usage.wall >= most),
        other => panic!("{other:?}"),
    }
}

/// Starts at most 255 processes, which sleep for at most 10 s.
#[test]
fn whoever_doubles_is_ended_at_the_limit_of_processes() {
    for how in ["double", "double-escaped"] {
        let limits = Limits { processes: 20, ..seconds(60.0) };
        let run = within(60, move || run(how, &["7"], &limits));
        assert_eq!(run.ending, Ending::Limited(Limit::Processes(20)));
        assert_eq!(children(), [""; 0]);
    }
}

#[test]
fn threads_count_as_processes() {
    let limits = Limits { processes: 20, ..seconds(60.0) };
    let run = within(60, move || run("threads", &["40"], &limits));
    assert_eq!(run.ending, Ending::Limited(Limit::Processes(20)));
}

#[test]
fn a_run_may_have_as_many_processes_as_its_limit() {
    // 31 processes, with one thread each.
    let limits = Limits { processes: 31, ..seconds(2.0) };
    let run = within(60, move || run("double", &["4"], &limits));
    assert_eq!(run.ending, Ending::Limited(Limit::Time));
}

#[test]
fn whoever_stops_itself_ends_in_time() {
    let run = within(30, || run("stop", &[], &seconds(0.3)));
    assert_eq!(run.ending, Ending::Limited(Limit::Time));
}

#[test]
fn too_many_files_end_a_run() {
    let run = within(90, || run("litter", &[], &seconds(60.0)));
    assert_eq!(run.ending, Ending::Limited(Limit::Files));
}

#[test]
fn the_files_of_a_keeper_are_of_no_use_to_its_run() {
    let case = Case::new("exit", &["0"]);
    // One of the files may be a pipe that nobody reads from any more.
    let script = "trap '' PIPE; \
                  for file in /proc/$PPID/fd/*; do echo x > $file; cat < $file & done 2>&-; exit 7";
    let command = CommandLine {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), script.into(), case.marker.as_str().into()],
        ..case.command.clone()
    };
    let run = within(60, move || Supervisor::new(keeper()).run(&command, &seconds(20.0)));
    assert_eq!(run.ending, Ending::Exited(7));
    assert_eq!(children(), [""; 0]);
}
