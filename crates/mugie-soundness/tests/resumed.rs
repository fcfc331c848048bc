//! A killed run resumes where it stopped.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use mugie_soundness::state::StateDir;
use mugie_soundness::{Boogie, Release, round};
use mugie_verifiers::supervise::{KEEPER, Keeper, Supervisor};

const PROGRAM: &str = env!("CARGO_BIN_EXE_mugie-soundness");

/// A run with the given number of rounds, each of one program.
fn run(state: &Path, rounds: u64) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .arg(state)
        .env("RELEASES", "2")
        .env("ROUNDS", rounds.to_string())
        .env("PROGRAMS", "1")
        .env_remove("MINUTES")
        .stderr(Stdio::null());
    command
}

#[test]
fn a_round_that_was_killed_is_done_again_and_counts_once() {
    let supervisor = Arc::new(Supervisor::new(Keeper {
        program: PROGRAM.into(),
        arguments: vec![KEEPER.into()],
        environment: Vec::new(),
    }));
    let Some(boogie) = Boogie::find(Release::Two, &supervisor) else {
        eprintln!("SKIPPED: there is no Boogie 2 here");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut killed = run(folder.path(), 5).spawn().unwrap();
    thread::sleep(Duration::from_millis(1500));
    killed.kill().unwrap();
    killed.wait().unwrap();

    let state = StateDir::open(folder.path()).unwrap();
    let done = state.records().unwrap();
    assert!(run(folder.path(), 1).status().unwrap().success());
    let records = state.records().unwrap();
    let numbers: Vec<u64> = records.iter().map(|record| record.round).collect();
    assert_eq!(numbers, (0..=done.len() as u64).collect::<Vec<_>>());
    assert_eq!(records[..done.len()], done);

    let last = records.last().unwrap();
    let again = round::run(last.round..last.round + 1, &boogie).unwrap().unwrap();
    assert_eq!(again.counts, last.counts);
    assert_eq!(last.boogie, boogie.version);
    let table = std::fs::read_to_string(folder.path().join("table.md")).unwrap();
    assert!(table.contains(&format!("| rounds | {} |", records.len())), "{table}");
}
