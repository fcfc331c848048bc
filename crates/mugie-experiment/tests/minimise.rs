//! A failing mutant becomes small, and mugie's operators can still make it from its seed.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bpl_syntax::ast::{Decl, Program};
use bpl_syntax::{Dialect, parse};
use mugie_boogie::BOOGIE;
use mugie_core::rng::MutantRng;
use mugie_core::{
    Artifact, Closure, Edit, Files, Generator, LanguageOptions, Outcome, Pair, Place, Procedure,
    Seed, SourceText, UnitId, Verdict, Weights,
};
use mugie_exec::{Executor, Key, OnSettled, Request, Settled, TimeoutPolicy};
use mugie_experiment::minimise::{
    Asking, MinimiseError, Minimised, SearchSettings, Start, minimise,
};
use mugie_experiment::seed::pair_files;
use mugie_results::SearchEnding;
use mugie_verifiers::Usage;

/// The number of threads of a search, for tests in which it does not matter.
const JOBS: usize = 3;

fn program(source: &str) -> Program {
    let parsed = parse(source, Dialect::Boogie2);
    assert!(parsed.errors.is_empty(), "{:?}\n{source}", parsed.errors);
    parsed.program
}

fn seed(source: &str) -> Box<dyn Seed> {
    let file = SourceText { name: "a.bpl".to_owned(), bytes: source.into() };
    BOOGIE.read(vec![file], &LanguageOptions::default()).unwrap()
}

fn pair(source: &str, edits: &[Edit]) -> Arc<dyn Pair> {
    seed(source).pair(edits).unwrap()
}

fn seed_files(pair: &dyn Pair) -> Files {
    pair_files(pair, "bpl").0
}

fn mutant_files(pair: &dyn Pair) -> Files {
    pair_files(pair, "bpl").1
}

fn settings(runs: usize) -> SearchSettings {
    SearchSettings { runs, deadline: None, any_failure: false, program: true, neighbours: 0 }
}

/// A stand-in for a verifier, which gets one program at a time.
trait Oracle: Sync {
    /// The verdict on a program, or `None` to interrupt the search.
    fn ask(&self, files: &Files, timeouts: TimeoutPolicy) -> Option<Settled>;
}

/// An executor that asks an oracle.
struct SolverWork<'o> {
    oracle: &'o dyn Oracle,
    jobs: usize,
}

impl Executor for SolverWork<'_> {
    fn identity(&self) -> String {
        String::new()
    }

    fn key(&self, _: &Request) -> Key {
        unreachable!("a search does not look for known verdicts itself")
    }

    fn capacity(&self) -> usize {
        self.jobs
    }

    fn can_share(&self) -> bool {
        false
    }

    fn verify(&self, requests: &[Request], each: OnSettled<'_>) {
        let _ = requests.iter().enumerate().try_for_each(|(place, request)| {
            assert_eq!(request.language, BOOGIE.id());
            let settled = self.oracle.ask(&request.files, request.timeouts);
            settled.map_or(ControlFlow::Break(()), |settled| each(place, settled))
        });
    }

    fn artifacts(&self, _: &str, _: &Files) -> Option<Vec<Artifact>> {
        Some(Vec::new())
    }

    fn cancel(&self) {}

    fn is_cancelled(&self) -> bool {
        false
    }
}

fn swap(first: usize, second: usize) -> Edit {
    let swap = (UnitId::of_seed(first), UnitId::of_seed(second));
    Edit::new("S1", Place::Swap { swap }, "")
}

/// A fake verifier: procedure `p` fails if the program is not provable or is brittle.
struct Fake<F> {
    /// Whether `p` can be proved at all.
    provable: F,
    /// Whether `p` fails although it can be proved.
    brittle: F,
    asked: AtomicUsize,
}

impl<F: Fn(&str) -> bool + Sync> Oracle for Fake<F> {
    fn ask(&self, files: &Files, _: TimeoutPolicy) -> Option<Settled> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let text: String = files.0.iter().map(|(_, text)| text.as_str()).collect();
        let parsed = program(&text);
        // A real verifier would reject ill-formed programs.
        bpl_check::check(&parsed).unwrap();
        let fails = !(self.provable)(&text) || (self.brittle)(&text);
        let procedures = parsed.decls.iter().filter_map(|decl| match &**decl {
            Decl::Procedure(procedure) if procedure.body.is_some() => {
                Some(procedure.signature.name.name.to_string())
            }
            _ => None,
        });
        Some(answer(procedures.collect(), fails))
    }
}

fn answer(procedures: Vec<String>, fails: bool) -> Settled {
    answer_with(procedures, if fails { Outcome::Failed } else { Outcome::Verified })
}

fn answer_with(procedures: Vec<String>, outcome: Outcome) -> Settled {
    let procedures = procedures.into_iter().map(|name| Procedure {
        outcome: if name == "p" { outcome } else { Outcome::Verified },
        name,
        failures: Vec::new(),
        seconds: None,
        resources: None,
    });
    let procedures = procedures.collect();
    let verdict = Verdict { outcome, reason: None, stage: None, procedures, messages: Vec::new() };
    Settled::of_run(verdict, String::new(), vec![Usage::default()])
}

fn search(
    start: Start,
    oracle: &dyn Oracle,
    jobs: usize,
    settings: SearchSettings,
) -> Result<Minimised, MinimiseError> {
    let asking = Asking { executor: &SolverWork { oracle, jobs }, language: BOOGIE };
    minimise(start, asking, settings, &mut |_, _| {})
}

fn minimised(pair: Arc<dyn Pair>, oracle: &dyn Oracle, settings: SearchSettings) -> Minimised {
    search(Start::new(pair), oracle, JOBS, settings).unwrap()
}

/// A program with many axioms and procedures: `p` calls some functions.
fn haystack(rng: &mut MutantRng, axioms: usize) -> String {
    let mut source = String::new();
    for number in 0..axioms {
        let _ = writeln!(source, "function f{number}(x: int): int;");
        let other = rng.index(number + 1);
        let _ = writeln!(
            source,
            "axiom (forall x: int :: f{number}(x) > {number} && f{other}(x) >= {other});"
        );
    }
    for number in 0..axioms / 4 {
        let _ = writeln!(
            source,
            "procedure q{number}(x: int) requires x > {number}; {{ assert f{number}(x) > 0; }}"
        );
    }
    let _ = writeln!(source, "procedure p(x: int)\n  requires x > 0;\n  requires x > 1;\n{{");
    let _ = writeln!(source, "  var y, z: int;");
    for number in 0..axioms {
        let _ = writeln!(source, "  if (x > {number}) {{ y := f{number}(x); z := y; }}");
    }
    source + "}\n"
}

/// The offset of the axiom about a function, if the text contains it.
fn axiom(text: &str, number: usize) -> Option<usize> {
    text.find(&format!("f{number}(x) > {number}"))
}

#[test]
fn the_known_minimum_is_found() {
    for seed in 0..6 {
        let mut rng = MutantRng::new(seed, &[7; 32]);
        let axioms = 12 + rng.index(30);
        let source = haystack(&mut rng, axioms);
        let first = rng.index(axioms - 1);
        let second = first + 1 + rng.index(axioms - first - 1);
        let called = rng.index(axioms);
        let call = format!("y := f{called}(x)");
        let fake = Fake::<Box<dyn Fn(&str) -> bool + Sync>> {
            provable: Box::new(|_| true),
            brittle: Box::new(move |text| {
                axiom(text, second).is_some_and(|at| axiom(text, first).is_some_and(|it| at < it))
                    && text.contains(&call)
            }),
            asked: AtomicUsize::new(0),
        };
        // Many edits, of which at most one alone causes the failure.
        let weights = Weights::parse("S1=3,L3,L5,L6", BOOGIE.operators()).unwrap();
        let program = self::seed(&source);
        let mutants = Generator::new(program.program(), weights, seed, 4000, 100_000);
        let mutant = mutants.map(Result::unwrap).find(|mutant| {
            mutant.edits.len() > 4 && (fake.brittle)(&mutant.program.texts()[0].text)
        });
        let mutant = mutant.expect("an order of many");
        let found = minimised(pair(&source, &mutant.edits), &fake, settings(3000));
        let Minimised { pair, minimal } = found;
        let seed_text = &seed_files(&*pair).0[0].1;
        assert_eq!(minimal.ending, SearchEnding::Done);
        assert!(minimal.confirmed);
        assert_eq!(minimal.edits.len(), 1, "{:?}", minimal.edits);
        // What is left: two axioms with their functions, the called function and the procedure.
        let functions = seed_text.matches("function").count();
        let needed = if [first, second].contains(&called) { 2 } else { 3 };
        assert_eq!(functions, needed, "{first} {second} {called}\n{seed_text}");
        assert_eq!(seed_text.matches("axiom").count(), 2, "{seed_text}");
        assert_eq!(seed_text.matches("procedure").count(), 1, "{seed_text}");
        for gone in ["requires", "if", "z", "&&"] {
            assert!(!seed_text.contains(gone), "{gone} in\n{seed_text}");
        }
        assert!(!(fake.brittle)(seed_text));
        assert!((fake.brittle)(&mutant_files(&*pair).0[0].1));
    }
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let source = haystack(&mut MutantRng::new(3, &[7; 32]), 20);
    let results: Vec<_> = [1, 2, 5]
        .into_iter()
        .map(|jobs| {
            let fake = order_fake();
            let start = Start::new(pair(&source, &[swap(3, 11)]));
            // Too few runs to finish the search.
            let found = search(start, &fake, jobs, settings(16)).unwrap();
            assert_eq!(found.minimal.ending, SearchEnding::BudgetSpent);
            assert!(found.minimal.runs <= 16);
            (found.minimal, pair_files(&*found.pair, "bpl"))
        })
        .collect();
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
}

/// Fails if axiom 5 comes before axiom 1.
fn order_fake() -> Fake<fn(&str) -> bool> {
    Fake {
        provable: |_| true,
        brittle: |text| axiom(text, 5).is_some_and(|at| axiom(text, 1).is_some_and(|it| at < it)),
        asked: AtomicUsize::new(0),
    }
}

#[test]
fn what_the_proof_needs_stays() {
    let source = haystack(&mut MutantRng::new(4, &[7; 32]), 16);
    let fake = Fake::<fn(&str) -> bool> {
        provable: |text| axiom(text, 9).is_some() && text.contains("requires x > 1"),
        ..order_fake()
    };
    let Minimised { pair, minimal } =
        minimised(pair(&source, &[swap(3, 11)]), &fake, settings(2000));
    let text = &seed_files(&*pair).0[0].1;
    assert_eq!(text.matches("axiom").count(), 3, "{text}");
    assert_eq!(text.matches("requires").count(), 1, "{text}");
    assert!(minimal.lines <= 10, "{text}");
    assert_eq!(minimal.cause, "axiom #2 about `f5` before axiom #1 about `f1`");
}

#[test]
fn a_failure_that_is_gone_in_fresh_runs_is_not_returned() {
    /// A verifier whose failures vanish in fresh runs of programs with fewer lines than the given
    /// number; counts such runs.
    struct Flaky(Fake<fn(&str) -> bool>, usize, Mutex<usize>);
    impl Oracle for Flaky {
        fn ask(&self, files: &Files, timeouts: TimeoutPolicy) -> Option<Settled> {
            let answer = self.0.ask(files, timeouts)?;
            if timeouts == TimeoutPolicy::Fresh && files.0[0].1.lines().count() < self.1 {
                *self.2.lock().unwrap() += 1;
                return Some(crate::answer(vec!["p".to_owned()], false));
            }
            Some(answer)
        }
    }
    let source = haystack(&mut MutantRng::new(3, &[7; 32]), 20);
    let flaky = Flaky(order_fake(), 20, Mutex::new(0));
    let found = minimised(pair(&source, &[swap(3, 11)]), &flaky, settings(2000));
    assert!(*flaky.2.lock().unwrap() > 0);
    assert!(found.minimal.confirmed);
    assert!(mutant_files(&*found.pair).0[0].1.lines().count() >= 20);
    let hopeless = Flaky(order_fake(), usize::MAX, Mutex::new(0));
    let start = Start::new(pair(&source, &[swap(3, 11)]));
    let error = search(start, &hopeless, JOBS, settings(100)).unwrap_err();
    assert!(matches!(error, MinimiseError::Unsteady));
}

#[test]
fn an_interrupted_search_keeps_its_best_pair_and_goes_on_from_it() {
    /// A verifier that answers only the given number of requests.
    struct Cut(Fake<fn(&str) -> bool>, usize);
    impl Oracle for Cut {
        fn ask(&self, files: &Files, timeouts: TimeoutPolicy) -> Option<Settled> {
            let answer = self.0.ask(files, timeouts);
            answer.filter(|_| self.0.asked.load(Ordering::SeqCst) <= self.1)
        }
    }
    let source = haystack(&mut MutantRng::new(3, &[7; 32]), 20);
    let alone = |start, oracle: &dyn Oracle| search(start, oracle, 1, settings(3000)).unwrap();
    let start = || Start::new(pair(&source, &[swap(3, 11)]));
    let cut = alone(start(), &Cut(order_fake(), 9));
    assert_eq!(cut.minimal.ending, SearchEnding::Interrupted);
    assert!(!cut.minimal.confirmed);
    assert!(cut.minimal.lines < cut.minimal.lines_before);
    let text = &seed_files(&*cut.pair).0[0].1;
    let again = Start::resume(&cut.minimal, pair(text, &cut.minimal.edits));
    let found = alone(again, &order_fake());
    let whole = alone(start(), &order_fake());
    assert_eq!(seed_files(&*found.pair), seed_files(&*whole.pair));
    assert_eq!(found.minimal.lines_before, whole.minimal.lines_before);
}

#[test]
fn a_seed_that_fails_and_a_mutant_that_does_not_are_refused() {
    let source = "axiom 1 > 0; axiom 2 > 0; procedure p() { }";
    let error = |provable: fn(&str) -> bool| {
        let fake = Fake::<fn(&str) -> bool> { provable, ..order_fake() };
        let start = Start::new(pair(source, &[swap(0, 1)]));
        search(start, &fake, JOBS, settings(9)).unwrap_err()
    };
    assert!(matches!(error(|_| false), MinimiseError::SeedFails(_)));
    assert!(matches!(error(|_| true), MinimiseError::MutantVerifies(_)));
}

#[test]
fn a_small_seed_may_fail_by_another_edit_of_the_same_things() {
    let source = haystack(&mut MutantRng::new(4, &[7; 32]), 20);
    let fake = Fake::<fn(&str) -> bool> {
        brittle: |text| match text.matches("axiom").count() {
            15.. => is_out_of_order(text),
            _ => axiom(text, 5).is_some_and(|at| text.find("function f3").is_some_and(|f| at < f)),
        },
        ..order_fake()
    };
    let Minimised { pair, minimal } =
        minimised(pair(&source, &[swap(3, 11)]), &fake, settings(400));
    assert!(minimal.confirmed);
    assert_eq!(minimal.edits.len(), 1);
    let text = &seed_files(&*pair).0[0].1;
    assert!(text.matches("axiom").count() <= 2, "{text}");
}

/// A verifier with a run time in seconds for each program, and a time limit in seconds.
struct Slow {
    seconds: fn(&str) -> u64,
    limit: u64,
    /// The number of runs that used up the full limit.
    timeouts: AtomicUsize,
}

impl Slow {
    fn new(seconds: fn(&str) -> u64) -> Slow {
        Slow { seconds, limit: 60, timeouts: AtomicUsize::new(0) }
    }
}

impl Oracle for Slow {
    fn ask(&self, files: &Files, timeouts: TimeoutPolicy) -> Option<Settled> {
        let limit = match timeouts {
            TimeoutPolicy::Quick(usual) | TimeoutPolicy::Lowered(usual) => {
                (4 * usual.as_secs()).min(self.limit)
            }
            TimeoutPolicy::Usual | TimeoutPolicy::Fresh => self.limit,
        };
        let seconds = (self.seconds)(&files.0[0].1);
        if seconds >= self.limit && limit == self.limit {
            self.timeouts.fetch_add(1, Ordering::SeqCst);
        }
        let outcome = if seconds > limit { Outcome::TimedOut } else { Outcome::Verified };
        let cpu = Duration::from_secs(seconds.min(limit));
        let usage = vec![Usage { cpu, ..Usage::default() }];
        Some(Settled { usage, ..answer_with(vec!["p".to_owned()], outcome) })
    }
}

fn is_out_of_order(text: &str) -> bool {
    (order_fake().brittle)(text)
}

#[test]
fn a_timeout_is_minimised_in_less_time_than_it_takes() {
    let source = haystack(&mut MutantRng::new(3, &[7; 32]), 20);
    let slow = Slow::new(|text| if is_out_of_order(text) { 1000 } else { 1 });
    let Minimised { pair, minimal } =
        minimised(pair(&source, &[swap(3, 11)]), &slow, settings(2000));
    assert_eq!((minimal.ending, minimal.confirmed), (SearchEnding::Done, true));
    assert_eq!(minimal.symptom.outcome, Outcome::TimedOut);
    let text = &seed_files(&*pair).0[0].1;
    assert_eq!(text.matches("axiom").count(), 2, "{text}");
    let rounds = 8;
    assert!(slow.timeouts.load(Ordering::SeqCst) < rounds, "{slow:?}", slow = slow.timeouts);
}

#[test]
fn a_lowered_limit_that_misleads_is_given_up() {
    let source = haystack(&mut MutantRng::new(3, &[7; 32]), 20);
    // Small mutants exceed the lowered limit, but not the real one.
    let slow = Slow::new(|text| match text.matches("axiom").count() {
        _ if !is_out_of_order(text) => 1,
        0..7 => 20,
        _ => 1000,
    });
    let Minimised { pair, minimal } =
        minimised(pair(&source, &[swap(3, 11)]), &slow, settings(3000));
    assert_eq!((minimal.ending, minimal.confirmed), (SearchEnding::Done, true));
    let text = &seed_files(&*pair).0[0].1;
    assert_eq!(text.matches("axiom").count(), 7, "{text}");
}

/// A verifier that verifies every seed and fails on every mutant.
struct Differ;

impl Oracle for Differ {
    fn ask(&self, files: &Files, _: TimeoutPolicy) -> Option<Settled> {
        let is_mutant = files.0[0].0.starts_with("mutant");
        Some(answer(vec!["p".to_owned()], is_mutant))
    }
}

/// For every operator, a pair is reduced without losing its edit.
#[test]
fn every_kind_of_edit_survives_the_reduction_around_it() {
    const SOURCE: &str = "
        type T; const c, d: T; const e: int;
        function {:inline} g(x: int): int { x + 1 }
        function h(x: int, y: int): int;
        axiom (forall x, y: int :: {h(x, y)} {h(y, x)} h(x, y) > x && h(x, y) > y);
        axiom e > 0 && e > 1;
        var m: [int]int; var n, o: int where n > 0;
        procedure r(x: int) returns (z: int); ensures z > x; modifies m;
        procedure p(x: int) returns (y: int)
          requires x > 0; requires x > 1; requires x > 2 && x < 9; ensures y > 0; ensures y > 1;
          modifies m, n;
        {
          var a, b: int; var k: int;
          a := 1; b := 2;
          havoc a, b;
          assert a == a; assert b == b; assert x > 0;
          if (x > e) { y := 3; } else { y := h(x, 4); }
          m[x] := y;
          while (k < 10) invariant k > 0; invariant k > 1; invariant x > 0; { k := k + 1; }
          call y := r(x);
        }";
    let weights = Weights::parse("all,G2=1", BOOGIE.operators()).unwrap();
    let closure = Closure::new(seed(SOURCE).program(), &weights, 100_000);
    let mut operators = std::collections::BTreeSet::new();
    for mutant in closure.map(Result::unwrap) {
        if mutant.edits.len() > 1 {
            break;
        }
        // One edit per operator and declaration is enough.
        let edit = &mutant.edits[0];
        let key = match &edit.place {
            Place::Inside { unit, .. } => unit.to_string(),
            _ => String::new(),
        };
        if !operators.insert((edit.operator.clone(), key)) {
            continue;
        }
        let found = minimised(pair(SOURCE, &mutant.edits), &Differ, settings(5000));
        assert_eq!(found.minimal.edits.len(), 1);
        assert_eq!(found.minimal.edits[0].operator, edit.operator);
        assert!(!found.pair.is_equal());
        assert!(
            found.minimal.lines * 2 <= found.minimal.lines_before,
            "{} left after {edit:?}\n{}",
            found.minimal.lines,
            seed_files(&*found.pair).0[0].1
        );
        // The printed seed and the edits suffice to make the mutant again.
        let text = &seed_files(&*found.pair).0[0].1;
        let again = pair(text, &found.minimal.edits);
        assert_eq!(mutant_files(&*again), mutant_files(&*found.pair));
    }
    assert!(operators.len() > 20, "{operators:?}");
}
