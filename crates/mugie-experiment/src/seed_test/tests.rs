//! Tests of the state machine, without a verifier.

use mugie_core::{Procedure, Strengths};
use mugie_results::result::{SeedReport, Speed};

use super::*;

pub(crate) fn seed() -> OpenSeed {
    let text = "const a: int; const b: int; const c: int; procedure p() { assert true; }";
    crate::testing::seed("seed.bpl", text)
}

/// A test of all orders of the declarations.
pub(crate) fn protocol() -> Protocol {
    let settings = TestSettings {
        operators: "S1".to_owned(),
        mutants: 1000,
        exhaustive: true,
        strength: None,
        random_seed: 1,
        max_attempts: 10_000,
        time_limit: 20.0,
        cpu_limit: None,
        memory_limit: None,
        process_limit: None,
        resource_limit: None,
        confirm: 0,
        until_failure: false,
        confidence: None,
        failing: false,
        tries: 0,
        park_after: None,
        procedures: Vec::new(),
        mutate: None,
        max_effort: None,
        speed: Speed::default(),
    };
    let draw = Draw {
        operators: settings.operators.clone(),
        random_seed: 1,
        mutants: 1000,
        attempts: 10_000,
        exhaustive: true,
        strength: None,
        scope: Scope::All,
    };
    let recipe = Recipe { draw, command: Vec::new(), translate: None, time_limit: 20.0 };
    Protocol { settings, recipe, names_goals: true, sorts_declarations: true }
}

fn verdict(outcome: Outcome) -> Verdict {
    let procedure = Procedure {
        name: "p".to_owned(),
        outcome,
        failures: Vec::new(),
        seconds: None,
        resources: None,
    };
    Verdict { procedures: vec![procedure], ..Verdict::of_program(outcome, "so it is") }
}

/// Runs a seed test with `at_once` jobs at a time, of which the last one started ends first.
/// The outcome of a mutant depends on its number and the repetition; the seed has number 0.
fn run(protocol: &Protocol, at_once: usize, outcome: impl Fn(usize, u32) -> Outcome) -> SeedReport {
    run_seed(seed(), protocol, at_once, outcome)
}

fn run_seed(
    seed: OpenSeed,
    protocol: &Protocol,
    at_once: usize,
    outcome: impl Fn(usize, u32) -> Outcome,
) -> SeedReport {
    run_with(seed, protocol, at_once, |what| verdict(of_run(what, &outcome)))
}

/// The outcome of a job.
fn of_run(what: &JobKind, outcome: impl Fn(usize, u32) -> Outcome) -> Outcome {
    let (number, repetition) = match what {
        JobKind::Baseline(Step::Original { repetition }) => (0, *repetition),
        JobKind::Baseline(Step::Printed { repetition }) => (0, 10 + *repetition),
        JobKind::Mutant(mutant) => (mutant.number, 0),
        JobKind::Again { number, .. } => (*number, 1),
    };
    outcome(number, repetition)
}

fn run_with(
    seed: OpenSeed,
    protocol: &Protocol,
    at_once: usize,
    verdict: impl Fn(&JobKind) -> Verdict,
) -> SeedReport {
    let report = finished_with(seed, protocol, at_once, verdict).report;
    assert_eq!(report.dropped, [], "a mutant of a Boogie program is wrong");
    report
}

/// As [`run`], with what is kept.
pub(crate) fn finished(
    seed: OpenSeed,
    protocol: &Protocol,
    at_once: usize,
    outcome: impl Fn(usize, u32) -> Outcome,
) -> Finished {
    finished_with(seed, protocol, at_once, |what| verdict(of_run(what, &outcome)))
}

fn finished_with(
    seed: OpenSeed,
    protocol: &Protocol,
    at_once: usize,
    verdict: impl Fn(&JobKind) -> Verdict,
) -> Finished {
    let mut seed_test = SeedTest::new(seed, protocol);
    let mut jobs = Vec::new();
    while !seed_test.is_done() {
        while jobs.len() < at_once
            && let Some(job) = seed_test.next_job()
        {
            jobs.push(job);
        }
        let Some(job) = jobs.pop() else { break };
        let verdict = verdict(&job.what);
        let settled = Settled::of_run(verdict, String::new(), Vec::new());
        seed_test.complete(JobResult { what: job.what, settled: Ok(settled) });
    }
    assert!(seed_test.is_done(), "the test has no job left and is not done");
    seed_test.finish()
}

use Outcome::{Failed, Verified};

#[test]
fn a_report_does_not_depend_on_how_many_jobs_run_at_once() {
    let mut protocol = protocol();
    let all = run(&protocol, 1, |_, _| Verified);
    assert!(all.counts.complete && all.counts.judged == 23, "{:?}", all.counts);
    for until_failure in [false, true] {
        protocol.settings.until_failure = until_failure;
        for flip in [1, 5, 22, 23] {
            let outcome = |number, _| if number >= flip { Failed } else { Verified };
            let one = run(&protocol, 1, outcome);
            for at_once in [2, 7, 100] {
                let other = run(&protocol, at_once, outcome);
                assert_eq!(format!("{one:#?}"), format!("{other:#?}"));
            }
        }
    }
}

#[test]
fn a_flip_that_trouble_keeps_from_being_confirmed_has_no_part_in_the_grade() {
    let mut protocol = protocol();
    protocol.settings.operators = "paper".to_owned();
    protocol.settings.exhaustive = false;
    protocol.settings.confidence = Some(0.9);
    // Two flips at the beginning would decide the test.
    let report = run(&protocol, 2, |number, repetition| match (number, repetition) {
        (1..=2, 0) => Failed,
        (1..=2, _) => Outcome::Crashed,
        _ => Verified,
    });
    assert_eq!((report.grade, report.counts.flips), (Some(Grade::Stable), 0));
    assert!(report.counts.judged >= 29 && report.counts.troubles == 2, "{:?}", report.counts);
}

#[test]
fn a_failing_mutant_that_passes_when_repeated_is_nondeterminism() {
    let mut protocol = protocol();
    protocol.sorts_declarations = false;
    let report = run(
        &protocol,
        2,
        |number, repetition| {
            if number == 3 && repetition == 0 { Failed } else { Verified }
        },
    );
    assert_eq!(report.answer, Answer::Nondeterministic);
    assert!(report.reason.unwrap().ends_with("is failed in one run, verified in the next"));
    // Two ways of not being verified are one finding.
    let report = run(&protocol, 2, |number, repetition| match (number, repetition) {
        (3, 0) => Failed,
        (3, _) => Outcome::TimedOut,
        _ => Verified,
    });
    assert_eq!((report.answer, report.counts.flips), (Answer::Brittle, 1));
}

#[test]
fn a_verdict_that_depends_on_chance_is_no_brittleness() {
    let text = "const a: int; axiom a != 3000000000; axiom a > 1; procedure p() { assert true; }";
    let chancy = || crate::testing::seed("seed.bpl", text);
    let mut protocol = protocol();
    // The seed itself, and the mutant that is shown.
    for (number, repetition) in [(0, 1), (2, 0)] {
        let outcome = |of: usize, run: u32| {
            if (of, run) == (number, repetition) { Failed } else { Verified }
        };
        protocol.sorts_declarations = true;
        let report = run_seed(chancy(), &protocol, 2, outcome);
        assert_eq!(report.answer, Answer::Nondeterministic, "{:?}", report.reason);
        assert_eq!(report.chance.unwrap().declarations, ["axiom #1 about `a`"]);
        assert!(report.help.unwrap().contains("/normalizeDeclarationOrder:0"));
        protocol.sorts_declarations = false;
        let report = run_seed(chancy(), &protocol, 2, outcome);
        assert_eq!((report.answer, report.chance), (Answer::Nondeterministic, None));
    }
}

#[test]
fn layout_is_blamed_only_if_it_fails_twice() {
    let protocol = protocol();
    let report =
        run(&protocol, 2, |_, repetition| if repetition >= 10 { Failed } else { Verified });
    assert_eq!((report.answer, report.layout.len()), (Answer::Brittle, 1));
    let report =
        run(&protocol, 2, |_, repetition| if repetition == 10 { Failed } else { Verified });
    assert_eq!((report.answer, report.layout.len()), (Answer::Nondeterministic, 0));
    assert!(report.reason.unwrap().contains("as it is printed"));
}

/// A test of a program by many operators, where the solver's work depends on the operator.
fn parked(at_once: usize, units: impl Fn(&Edit) -> u64) -> SeedReport {
    let text = "const a: int; const b: int; const c: int; axiom a < b && b < c && c < 9;
        procedure p(x: int, y: int) requires x < y && a < x; { assert x < y || y == x; assert a < c; }
        procedure q(x: int) requires x > 1 && x > a; { var y, z: int; y := x + 1; z := y + x; }";
    let mut protocol = protocol();
    protocol.settings.operators = "all".to_owned();
    (protocol.settings.exhaustive, protocol.settings.mutants) = (false, 60);
    protocol.settings.strength = Some(Strengths::Mixed);
    protocol.settings.park_after = Some(3);
    run_with(crate::testing::seed("seed.bpl", text), &protocol, at_once, |what| {
        let mut verdict = verdict(Verified);
        let resources = match what {
            JobKind::Mutant(mutant) if mutant.edits.len() == 1 => units(&mutant.edits[0]),
            _ => 7,
        };
        verdict.procedures[0].resources = Some(resources);
        verdict
    })
}

#[test]
fn what_poses_the_seeds_problem_is_drawn_less_with_any_number_of_jobs() {
    // Shuffles of declarations change something, and all else is the same.
    let units = |edit: &Edit| if edit.operator == "S1" { 8 } else { 7 };
    let one = parked(1, units);
    let searches = one.searches.clone().unwrap();
    assert!(searches.left_out > 0 && !searches.inert.is_empty(), "{searches:?}");
    assert!(searches.inert.iter().all(|it| it.operator != "S1"), "{searches:?}");
    assert!(one.strata.iter().map(|it| it.mutants).sum::<usize>() <= one.counts.judged);
    for at_once in [2, 7, 100] {
        assert_eq!(format!("{one:#?}"), format!("{:#?}", parked(at_once, units)));
    }
    // Where nothing is known to be the seed's own problem, everything is drawn as before.
    let all = parked(7, |edit| edit.words.len() as u64 + 100).searches.unwrap();
    assert_eq!((all.left_out, all.inert.len()), (0, 0));
}
