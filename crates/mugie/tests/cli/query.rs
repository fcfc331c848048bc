//! `mugie query`, with the real Boogie and Z3.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::support::{Sandbox, root};

#[test]
fn a_query_answers_the_same_when_the_solver_is_asked_by_hand() {
    let brittle = root().join("examples/brittle.bpl");
    let sandbox = Sandbox::new(&[("seed.bpl", fs::read_to_string(brittle).unwrap())]);
    for canonical in [&["--canonical"][..], &[]] {
        let run = sandbox.run(&[&["query", "seed.bpl", "pick"], canonical].concat());
        assert_eq!(run.code, 0, "{run:?}");
        assert!(run.stderr.starts_with("the answer was unsat, after "), "{run:?}");
        let is_canonical = !run.stdout.contains(":qid |programb.");
        assert_eq!(is_canonical, !canonical.is_empty(), "{run:?}");
        fs::write(sandbox.path("query.smt2"), &run.stdout).unwrap();
        let solver = Command::new("z3").arg(sandbox.path("query.smt2")).output().unwrap();
        let answer = String::from_utf8_lossy(&solver.stdout).into_owned();
        assert!(answer.lines().any(|line| line == "unsat"), "{answer}");
    }
}

#[test]
fn queries_are_listed_with_their_work() {
    let text = "procedure p(x: int) { assert x > 0; } procedure q(x: int) { assert x == x; }";
    let sandbox = Sandbox::new(&[("a.bpl", text)]);
    let run = sandbox.run(&["query", "a.bpl", "--json"]);
    assert_eq!(run.code, 0, "{run:?}");
    let rows: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let first: Vec<&Value> = rows.iter().filter(|row| row["number"] == 1).collect();
    assert_eq!(first.len(), 2, "{run:?}");
    assert!(first[0]["procedure"] == "p" && first[0]["answer"] != "unsat", "{run:?}");
    assert!(first[1]["procedure"] == "q" && first[1]["answer"] == "unsat", "{run:?}");
    assert!(first.iter().all(|row| row["work"].as_u64() > Some(0)), "{run:?}");
    let run = sandbox.run(&["query", "a.bpl"]);
    assert!(run.code == 0 && run.stdout.starts_with("procedure"), "{run:?}");
}

#[test]
fn what_is_not_asked_is_named() {
    let files =
        [("a.bpl", "procedure p() { assert true; }"), ("b.bpl", "procedure p() { x := 1; }")];
    let sandbox = Sandbox::new(&files);
    let run = sandbox.run(&["query", "a.bpl", "r"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
    assert!(run.stderr.contains("procedures are: p"), "{run:?}");
    let run = sandbox.run(&["query", "a.bpl", "p", "--number", "7"]);
    assert!(run.code == 2 && run.stderr.contains("no query 7"), "{run:?}");
    let run = sandbox.run(&["query", "b.bpl", "p"]);
    assert!(run.code == 2 && run.stderr.contains("there are no queries"), "{run:?}");
    let run = sandbox.run(&["query", "a.bpl", "p", "--solver", "cvc4"]);
    assert!(run.code == 2 && run.stderr.contains("help: "), "{run:?}");
}

#[test]
fn there_is_no_flag_without_effect() {
    let run = Sandbox::empty().run(&["query", "--help"]);
    assert!(run.code == 0 && !run.stdout.contains("--dialect"), "{run:?}");
    for flag in ["--dialect=3", "--infer-modifies"] {
        let run = Sandbox::empty().run(&["query", "a.bpl", flag]);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains("unexpected argument"), "{run:?}");
    }
}
