//! Small pairs of SMT-LIB queries.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::support::{Sandbox, has_program, json, root};

fn brittle() -> String {
    fs::read_to_string(root().join("examples/brittle.smt2")).unwrap()
}

/// The brittle query as the second of three checks, among assertions that have nothing to do with it.
fn among_others() -> String {
    let text = brittle();
    let (before, goal) = text.split_once("(push 1)").unwrap();
    let one = |n: usize| {
        format!(
            "(declare-const c{n} Int)(assert (and (> c{n} {n}) (or (< c{n} 99) false)))
"
        )
    };
    let noise: Vec<String> = (0..12).map(one).collect();
    let noise = noise.concat();
    format!(
        "{before}{noise}(push 1)(assert (= i 3))(check-sat)(pop 1)\n(push 1){goal}(check-sat)\n"
    )
}

/// What Z3 answers about a file.
fn z3(sandbox: &Sandbox, file: &str) -> Vec<String> {
    let output = Command::new("z3").arg(sandbox.path(file)).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_answer =
        |line: &&str| matches!(*line, "sat" | "unsat" | "unknown") || line.contains("error");
    text.lines().filter(is_answer).map(str::to_owned).collect()
}

/// The names of the failing mutants of a test.
fn failing(sandbox: &Sandbox) -> Vec<(String, Value)> {
    let report = fs::read_to_string(sandbox.path("found/result.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let flips = report["seeds"][0]["flips"].as_array().unwrap().clone();
    flips.into_iter().map(|flip| (flip["mutant"].as_str().unwrap().to_owned(), flip)).collect()
}

#[test]
fn a_query_is_cut_with_its_mutant() {
    if !has_program("z3") {
        return;
    }
    let sandbox = Sandbox::new(&[("a.smt2", brittle())]);
    sandbox.run(&["test", "a.smt2", "-n", "40", "--out", "found"]);
    for (name, _) in failing(&sandbox) {
        let mutant = format!("found/a/{name}.smt2");
        let run = sandbox.run(&["minimise", &mutant, "--out", "small", "--force"]);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(run.stdout.contains("neighbours 20 of 20 fail as well"), "{run:?}");
        let seed = fs::read_to_string(sandbox.path("small/seed.smt2")).unwrap();
        // The premises go, and what comes after the check.
        assert!(
            !seed.contains("<= 0 i") && !seed.contains(">= i 0") && !seed.contains("pop"),
            "{seed}"
        );
        assert!(seed.contains("(set-option :smt.case_split 3)"), "{seed}");
        assert_eq!(z3(&sandbox, "small/seed.smt2"), ["unsat"]);
        assert_eq!(z3(&sandbox, "small/mutant.smt2"), ["unknown"]);
        // The result does not depend on the number of threads, nor on the cache.
        let record = fs::read_to_string(sandbox.path("small/minimal.json")).unwrap();
        let again = [
            "minimise",
            &mutant,
            "--out",
            "again",
            "--force",
            "--json",
            "--jobs",
            "1",
            "--no-cache",
        ];
        assert_eq!(sandbox.run(&again).stdout, record);
    }
}

#[test]
fn a_strong_edit_among_other_checks_becomes_one_swap() {
    if !has_program("z3") {
        return;
    }
    let sandbox = Sandbox::new(&[("a.smt2", among_others())]);
    let test =
        ["test", "a.smt2", "-n", "30", "--out", "found", "--operators", "shuffle-assertions"];
    let run = sandbox.run(&test);
    assert_eq!(run.code, 1, "{run:?}");
    let flips = failing(&sandbox);
    let is_strong = |flip: &Value| flip["edits"][0]["strength"] == "all";
    let (name, flip) = flips.iter().find(|(_, flip)| is_strong(flip)).unwrap();
    assert_eq!(flip["changes"][0]["procedure"], "#2", "{flip}");
    let mutant = format!("found/a/{name}.smt2");
    let run = sandbox.run(&["minimise", &mutant, "--out", "small", "--json"]);
    assert_eq!(run.code, 0, "{run:?}");
    let found = json(&run);
    assert_eq!(found["minimal"]["cause"], "assertion #2 `ascending` before assertion #1 `above`");
    assert_eq!(found["minimal"]["symptom"]["procedure"], "#1");
    assert!(found["minimal"]["edits"][0]["place"]["swap"].is_array(), "{found}");
    assert_eq!(found["reading"]["answers"], "unsat");
    assert_eq!(z3(&sandbox, "small/seed.smt2"), ["unsat"]);
    assert_eq!(z3(&sandbox, "small/mutant.smt2"), ["unknown"]);
    assert!(!fs::read_to_string(sandbox.path("small/seed.smt2")).unwrap().contains("c11"));
    // The record is read again.
    let run = sandbox.run(&["minimise", &mutant, "--out", "small"]);
    assert_eq!((run.code, run.stderr.contains("earlier search")), (0, true), "{run:?}");
    assert!(run.stdout.contains("+(assert (forall ((i Int))"), "{run:?}");
    let run = sandbox.run(&["minimise", &mutant, "--out", "edits", "--json", "--no-program"]);
    assert_eq!(json(&run)["minimal"]["edits"][0]["place"].as_object().unwrap().len(), 1, "{run:?}");
}

#[test]
fn the_mutant_of_a_seed_is_run_as_in_a_test() {
    if !has_program("z3") {
        return;
    }
    let sandbox = Sandbox::new(&[("a.smt2", brittle())]);
    sandbox.run(&["test", "a.smt2", "-n", "40", "--out", "found"]);
    let flips = failing(&sandbox);
    let number = flips[0].0.trim_start_matches("a-").trim_start_matches('0');
    let run = sandbox.run(&["minimise", "a.smt2", "--mutant", number, "--json", "--budget", "60"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(json(&run)["reading"]["units"], "1000000", "{run:?}");
}

#[test]
fn a_query_of_a_verifier_is_cut() {
    let folder = root().join("../shared/corpus/smt/queries/mariposa");
    let name = "unstable_core--d_lvbkv-lib-Math-Nonlinear.i.dfy.Impl__NonlinearLemmas.__default.div__denom__ge__1.smt2";
    let Ok(query) = fs::read_to_string(folder.join(name)) else {
        eprintln!("SKIPPED: {} is not there", folder.display());
        return;
    };
    if !has_program("z3") {
        return;
    }
    let sandbox = Sandbox::new(&[("a.smt2", &query)]);
    let test = ["test", "a.smt2", "-n", "4", "--out", "found", "--operators", "shuffle-assertions"];
    // Twice the work of the query, rather than ten times: what fails takes all of it, in each run.
    let limits = ["--units", "500000", "--budget", "0"];
    assert_eq!(sandbox.run(&[&test[..], &limits].concat()).code, 1);
    let mutant = "found/a/a-0003.smt2";
    let run = sandbox.run(&["minimise", mutant, "--out", "small", "--json", "--budget", "60"]);
    assert_eq!(run.code, 0, "{run:?}");
    let minimal = &json(&run)["minimal"];
    let (lines, before) =
        (minimal["lines"].as_u64().unwrap(), minimal["lines_before"].as_u64().unwrap());
    assert!(lines * 10 < before * 9, "{lines} of {before}");
    assert!(minimal["neighbours"]["of"].as_u64().unwrap() > 0, "{minimal}");
    let small = fs::read_to_string(sandbox.path("small/seed.smt2")).unwrap();
    let complaints = |file: &str| z3(&sandbox, file).iter().any(|line| line.contains("error"));
    assert!(
        small.len() < query.len()
            && !complaints("small/seed.smt2")
            && !complaints("small/mutant.smt2")
    );
    assert_eq!(z3(&sandbox, "small/seed.smt2"), ["unsat"]);
}
