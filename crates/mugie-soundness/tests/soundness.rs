//! A minute of the experiment, and the assumptions behind it.

#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test may panic and report")]

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use mugie_soundness::mutants::operators;
use mugie_soundness::program::generate;
use mugie_soundness::{Boogie, Release, round};
use mugie_verifiers::supervise::{KEEPER, Keeper, Supervisor};

fn supervisor() -> Arc<Supervisor> {
    Arc::new(Supervisor::new(Keeper {
        program: env!("CARGO_BIN_EXE_mugie-soundness").into(),
        arguments: vec![KEEPER.into()],
        environment: Vec::new(),
    }))
}

/// The Boogie of a release. Prints that the test is skipped if it is not installed.
fn boogie(release: Release) -> Option<Boogie> {
    let boogie = Boogie::find(release, &supervisor());
    if boogie.is_none() {
        eprintln!("SKIPPED: there is no {} here", release.name());
    }
    boogie
}

#[test]
fn programs_are_accepted_and_reproducible() {
    for release in Release::ALL {
        for number in 0..300 {
            let generated = generate(number, release);
            assert_eq!(generated, generate(number, release));
            let read = round::read(&generated.text, release);
            assert!(read.is_ok(), "{number}: {}\n{}", read.unwrap_err(), generated.text);
        }
    }
}

#[test]
fn every_operator_has_places() {
    for release in Release::ALL {
        let mut missing: Option<BTreeSet<usize>> = None;
        for number in 0..60 {
            let seed = round::read(&generate(number, release).text, release).unwrap();
            let program = seed.program();
            let missing =
                missing.get_or_insert_with(|| operators(&**program).into_iter().collect());
            missing.retain(|operator| program.places(*operator) == 0);
        }
        assert_eq!(missing, Some(BTreeSet::new()));
    }
}

/// Runs a round and asserts that it leaves no unexplained difference.
fn check(release: Release, programs: Range<u64>) {
    let Some(boogie) = boogie(release) else { return };
    let round = round::run(programs, &boogie).unwrap().unwrap();
    for finding in &round.findings {
        eprintln!("== {}", finding.name);
        for (name, text) in &finding.files {
            eprintln!("-- {name}\n{text}");
        }
    }
    assert!(round.counts.is_clean(), "{:#?}", round.counts);
    let counts = &round.counts;
    assert!(counts.verified_goals > 0 && counts.verified_goals < counts.goals);
    assert!(counts.mutants() > 30 * counts.seeds, "{}", counts.mutants());
}

#[test]
fn a_round_with_boogie_2_has_no_differences() {
    check(Release::Two, 0..5);
}

#[test]
fn a_round_with_boogie_3_has_no_differences() {
    check(Release::Three, 0..2);
}
