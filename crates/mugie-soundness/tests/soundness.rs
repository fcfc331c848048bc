//! A minute of the experiment, and the assumptions behind it.

#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test may panic and report")]

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use mugie_core::number_of;
use mugie_soundness::mutants::{operators, strong};
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

#[test]
fn strong_edits_of_random_programs_are_well_formed_and_can_be_taken_apart() {
    for release in Release::ALL {
        for number in 0..20 {
            let seed = round::read(&generate(number, release).text, release).unwrap();
            let program = seed.program();
            let mutants = strong(&*seed, &operators(&**program), release, 2);
            assert!(mutants.dropped.is_empty(), "{number}: {:?}", mutants.dropped);
            assert!(mutants.made.len() > 20, "{number}: {}", mutants.made.len());
            for made in mutants.made {
                let [edit] = made.edits.as_slice() else { panic!("{:?}", made.edits) };
                let operator = number_of(program.operators(), &edit.operator).unwrap();
                let listed = program.spelled_out(operator, &edit.place).unwrap();
                let again = program.apply_at(operator, listed).unwrap();
                assert_eq!(again.program.texts(), made.program.texts(), "{}", edit.words);
            }
        }
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
