//! The program as its own keeper and tap.

#![cfg(target_os = "linux")]

use std::path::Path;

use mugie_campaign::runs::{Files, Runner};
use mugie_verifiers::supervise::{KEEPER, Keeper, Supervisor};
use mugie_verifiers::tap::{CAPACITY, Tap};
use mugie_verifiers::{Limits, Options, Outcome, Registry};

#[test]
fn a_runner_with_a_tap_tells_of_the_queries() {
    let program = env!("CARGO_BIN_EXE_mugie");
    let keeper = Keeper { program: program.into(), arguments: vec![KEEPER.into()] };
    let supervisor = Supervisor::new(keeper);
    let verifier = Registry::load().unwrap().resolve("boogie", &Options::default()).unwrap();
    let runner = || Runner::new(&verifier, &supervisor, Limits::default(), 0, None).unwrap();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/brittle.bpl");
    let files = Files(vec![("brittle.bpl".to_owned(), std::fs::read_to_string(example).unwrap())]);

    let plain = runner().settle(&files, 0).unwrap();
    assert_eq!(plain.verdict.outcome, Outcome::Verified);
    assert_eq!(plain.queries, []);

    let folder = tempfile::tempdir().unwrap();
    let answers = Some(folder.path().join("answers"));
    let tap = Tap { program: program.into(), answers, capacity: CAPACITY, queries: None };
    let tapped = runner().with_tap(tap);
    for cached in [false, true] {
        let settled = tapped.settle(&files, 0).unwrap();
        assert_eq!(settled.verdict.outcome, Outcome::Verified, "{settled:?}");
        let [query] = settled.queries.as_slice() else { panic!("{settled:?}") };
        assert_eq!(query.procedure.as_deref(), Some("pick"));
        assert_eq!((query.answer.as_str(), query.cached), ("unsat", cached));
        assert!(query.resources > Some(0));
    }
}
