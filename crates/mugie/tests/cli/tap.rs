//! mugie as its own watchdog and solver proxy.

use std::fs;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mugie_core::Files;
use mugie_exec::{Executor, Local, Request, Settled};
use mugie_verifiers::supervise::{KEEPER, Keeper, Supervisor};
use mugie_verifiers::tap::{CAPACITY, QueryRecord, Tap};
use mugie_verifiers::{Limits, Outcome, Registry, VerifierOptions};

use crate::support::root;

const PROGRAM: &str = env!("CARGO_BIN_EXE_mugie");

/// Boogie with a separate process for each program.
fn boogie() -> Local {
    let keeper =
        Keeper { program: PROGRAM.into(), arguments: vec![KEEPER.into()], environment: Vec::new() };
    let supervisor = Arc::new(Supervisor::new(keeper));
    let verifier =
        Registry::load().unwrap().resolve("boogie", &VerifierOptions::default()).unwrap();
    let one = NonZeroUsize::MIN;
    Local::new(Arc::new(verifier), supervisor, Limits::default(), 0, one).unwrap()
}

fn request(files: &Files) -> Request {
    Request::new("boogie", files.clone())
}

fn settle(executor: &dyn Executor, request: Request) -> Settled {
    executor.settle(request).unwrap()
}

fn tap(answers: Option<PathBuf>) -> Tap {
    Tap { program: PROGRAM.into(), answers, capacity: CAPACITY, queries: None }
}

fn program(path: &Path) -> Files {
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    Files(vec![(name, fs::read_to_string(path).unwrap())])
}

#[test]
fn a_run_with_a_tap_tells_of_the_queries() {
    let local = boogie();
    let files = program(&root().join("examples/brittle.bpl"));
    let plain = settle(&local, request(&files));
    assert_eq!(plain.verdict.outcome, Outcome::Verified);
    assert_eq!(plain.queries, []);

    let folder = tempfile::tempdir().unwrap();
    let tapped = local.with_tap(tap(Some(folder.path().join("answers")))).unwrap();
    for cached in [false, true] {
        let settled = settle(&tapped, request(&files));
        assert_eq!(settled.verdict.outcome, Outcome::Verified, "{settled:?}");
        let [query] = settled.queries.as_slice() else { panic!("{settled:?}") };
        assert_eq!(query.procedure.as_deref(), Some("pick"));
        assert_eq!((query.answer.as_str(), query.cached), ("unsat", cached));
        assert!(query.resources > Some(0));
        assert_eq!(settled.is_timed(), !cached);
    }
    let again = Request { repetition: 1, ..request(&files) };
    assert_eq!(settle(&tapped, again).queries, [], "a repetition is plain");
}

/// The queries without measured times and memory.
fn facts(settled: &Settled) -> Vec<QueryRecord> {
    let queries = settled.queries.iter().cloned();
    queries
        .map(|query| QueryRecord {
            process: 0,
            between: (0, 0),
            seconds: 0.0,
            memory: None,
            ..query
        })
        .collect()
}

#[test]
fn the_solver_hears_of_programs_together_what_it_hears_of_each_alone() {
    // Everything whose numbering might continue from one program to the next (quantifiers, lambdas,
    // functions with bodies, calls, jumps), a failure, and a program that needs no solver.
    let names = [
        "quantifiers",
        "definitions",
        "maps",
        "sum",
        "search",
        "bits",
        "calls",
        "jumps",
        "max",
        "where",
    ];
    let mut programs: Vec<Files> = names
        .iter()
        .map(|name| program(&root().join(format!("fixtures/verified/{name}.bpl"))))
        .collect();
    let failing = "axiom (forall i: int :: {f(i)} f(i) > 0); function f(i: int): int;\n\
                   procedure p() { assert (forall i: int :: f(i) > 1); }\n\
                   procedure q() { assert (exists i: int :: f(i) > 0); }\n";
    programs.insert(2, Files(vec![("failing.bpl".to_owned(), failing.to_owned())]));
    let nothing = "procedure p(); procedure q();".to_owned();
    programs.insert(1, Files(vec![("nothing.bpl".to_owned(), nothing)]));
    together_as_alone(&programs, |place, together| {
        assert!(together.together);
        assert_eq!(together.queries.is_empty(), place == 1, "{together:?}");
        assert_eq!(together.verdict.outcome == Outcome::Failed, place == 3, "{together:?}");
    });
}

#[test]
fn a_tap_that_is_killed_or_fails_while_it_is_tried_out_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second, wrapper] = ["first", "second", "tap"].map(|name| folder.path().join(name));
    let script = format!(
        "#!/bin/sh\nmkdir '{}' 2>/dev/null && kill -9 $$\nmkdir '{}' 2>/dev/null && exit 1\n\
         exec '{PROGRAM}' \"$@\"\n",
        first.display(),
        second.display()
    );
    fs::write(&wrapper, script).unwrap();
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o700)).unwrap();
    let tapped = boogie().with_tap(Tap { program: wrapper, ..tap(None) }).unwrap();
    assert!(second.exists() && tapped.is_tapped());
}

/// The messages about places in the program.
fn messages(settled: &Settled) -> Vec<&str> {
    settled.output.lines().filter(|line| line.contains(".bpl(")).collect()
}

/// Verifies programs in one process and each alone, and compares the solver's queries.
fn together_as_alone(programs: &[Files], check: impl Fn(usize, &Settled)) {
    let local = boogie().with_shared_processes().with_tap(tap(None)).unwrap();
    let requests: Vec<Request> = programs.iter().map(request).collect();
    let mut seen = 0;
    local.verify(&requests, &mut |place, together| {
        let alone = settle(&local, requests[place].clone());
        assert!(!alone.together);
        assert_eq!(facts(&together), facts(&alone), "{:?}", programs[place]);
        assert_eq!(together.verdict.outcome, alone.verdict.outcome);
        assert_eq!(messages(&together), messages(&alone));
        check(place, &together);
        seen += 1;
        ControlFlow::Continue(())
    });
    assert_eq!(seen, programs.len());
}

/// Five programs with different names and different numbers of quantifiers.
fn five(declarations: &str) -> Vec<Files> {
    let program = |number: usize| {
        let axioms = "axiom (forall x: int :: {f(x)} f(x) > 0);\n".repeat(number);
        let rest = "function f(x: int) returns (int);\n\
                    procedure p() { assert f(3) > 0 && (exists x: int :: f(x) > 0); }\n";
        Files(vec![(format!("{number}.bpl"), format!("{declarations}\n{axioms}{rest}"))])
    };
    (1..6).map(program).collect()
}

#[test]
fn programs_with_type_parameters_share_a_process() {
    for declarations in [
        "function g<a>(x: a) returns (int); axiom (forall<a> x: a :: {g(x)} g(x) == g(x));",
        "type Field a; type Heap = <a>[Field a]a; var heap: Heap;",
        "const a: int; const b: int; axiom a <: b;",
        // A type parameter that makes no difference to Boogie.
        "procedure q<a>(x: a);",
    ] {
        let programs = five(declarations);
        together_as_alone(&programs, |_, together| {
            assert!(together.together);
        });
    }
}
