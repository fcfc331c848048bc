//! SMT-LIB queries as seeds.

use serde_json::Value;

use crate::support::{Run, Sandbox, has, has_program, json, root};

fn brittle() -> String {
    std::fs::read_to_string(root().join("examples/brittle.smt2")).unwrap()
}

fn seed(run: &Run) -> Value {
    json(run)["seeds"][0].clone()
}

#[test]
fn a_query_that_depends_on_the_order_of_its_assertions_is_brittle() {
    if !has_program("z3") {
        return;
    }
    let sandbox = Sandbox::new(&[("a.smt2", brittle())]);
    let run = sandbox.run(&["test", "a.smt2", "-n", "40", "--minimise", "--json"]);
    assert_eq!(run.code, 1, "{run:?}");
    let seed = seed(&run);
    assert_eq!((&seed["answer"], &seed["goal"]), (&"brittle".into(), &"check".into()));
    // The budget is ten times the work of the seed, or a million.
    assert_eq!(seed["reading"]["units"], "1000000", "{}", seed["reading"]);
    let causes = seed["causes"].to_string();
    assert!(causes.contains("assertion #2 `ascending` before assertion #1 `above`"), "{causes}");
    assert!(causes.contains("reverse the variables `x`, `y`"), "{causes}");
    let place = &seed["flips"][0]["changes"][0]["failures"][0]["seed_place"];
    assert_eq!((&place["file"], &place["line"]), (&"a.smt2".into(), &21.into()), "{place}");
}

#[test]
fn mutants_and_their_minimal_pairs_are_made_again() {
    if !has_program("z3") {
        return;
    }
    let sandbox = Sandbox::new(&[("a.smt2", brittle())]);
    let run = sandbox.run(&["test", "a.smt2", "-n", "40", "--out", "found"]);
    assert_eq!(run.code, 1, "{run:?}");
    let report = std::fs::read_to_string(sandbox.path("found/result.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let name = report["seeds"][0]["flips"][0]["mutant"].as_str().unwrap();
    let mutant = format!("found/a/{name}.smt2");
    assert!(sandbox.path(&mutant).exists(), "{mutant}");
    let run = sandbox.run(&["minimise", &mutant, "--json", "--out", "small"]);
    assert_eq!(run.code, 0, "{run:?}");
}

#[test]
fn every_check_of_a_query_has_an_answer_to_expect() {
    if !has_program("z3") {
        return;
    }
    let text = "(declare-const p Bool)(declare-const q Bool)(assert (or p q))\n\
                (push)(assert (not p))(assert (not q))(check-sat)(pop)\n(check-sat)\n(get-model)\n";
    let sandbox = Sandbox::new(&[("a.smt2", text)]);
    let run = sandbox.run(&["test", "a.smt2", "-n", "10", "--json"]);
    assert_eq!(run.code, 0, "{run:?}");
    let found = seed(&run);
    assert_eq!(found["reading"]["answers"], "unsat,sat");
    assert_eq!(found["baseline"]["procedures"].as_array().unwrap().len(), 2);
    // With another expectation the seed does not verify.
    let run = sandbox.run(&["test", "a.smt2", "-n", "10", "--answers", "unsat,unsat"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.stdout.contains("answers sat"), "{run:?}");
}

#[test]
fn a_query_without_an_answer_does_not_verify() {
    if !has_program("z3") {
        return;
    }
    let text = "(set-option :auto_config false)(set-option :smt.mbqi false)\n\
                (declare-fun f (Int) Int)(declare-fun g (Int) Int)\n\
                (assert (forall ((x Int)) (! (> (g x) 0) :pattern ((f x)))))\n\
                (assert (< (g 3) 0))\n(check-sat)\n";
    let sandbox = Sandbox::new(&[("a.smt2", text)]);
    let run = sandbox.run(&["test", "a.smt2", "-n", "4"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.stdout.contains("answers unknown"), "{run:?}");
}

#[test]
fn cvc5_reads_the_same_queries() {
    if !has_program("cvc5") {
        return;
    }
    let text = "(set-logic UFLIA)(declare-fun f (Int) Int)(declare-const c Int)\n\
                (assert (forall ((x Int) (y Int)) (=> (< x y) (< (f x) (f y)))))\n\
                (assert (> (f c) (f (+ c 1))))\n(check-sat)\n";
    let sandbox = Sandbox::new(&[("a.smt2", text)]);
    let run = sandbox.run(&["test", "a.smt2", "-n", "10", "--verifier", "cvc5", "--json"]);
    assert_eq!((run.code, &seed(&run)["answer"]), (0, &"robust".into()), "{run:?}");
}

#[test]
fn complaints_of_the_solver_about_the_seed_are_no_obstacle() {
    if !has_program("z3") {
        return;
    }
    let text = "(declare-const p Bool)(declare-const p Bool)(assert (unknown-thing p))(assert p)\n\
                (assert (not p))(check-sat)\n";
    let sandbox = Sandbox::new(&[("a.smt2", text)]);
    let run = sandbox.run(&["test", "a.smt2", "-n", "12", "--json"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(seed(&run)["counts"]["troubles"], 0, "{run:?}");
}

#[test]
fn hostile_queries_get_clear_answers() {
    let deep =
        format!("(assert {}true{})(check-sat)", "(not ".repeat(100_000), ")".repeat(100_000));
    let latin: &[u8] = b"(declare-const |\xe9| Bool)(check-sat)";
    let sandbox = Sandbox::new(&[
        ("include.smt2", b"(include \"/etc/passwd\")(check-sat)".to_vec()),
        ("channel.smt2", b"(set-option :regular-output-channel \"x\")(check-sat)".to_vec()),
        ("open.smt2", b"(assert true\n(check-sat)\n".to_vec()),
        ("nothing.smt2", b"(assert true)\n".to_vec()),
        ("model.smt2", b"(assert true)(get-model)\n".to_vec()),
        ("latin.smt2", latin.to_vec()),
        ("deep.smt2", deep.into_bytes()),
    ]);
    for (file, words) in [
        ("include.smt2", "it reads another file"),
        ("channel.smt2", "it makes the solver write a file"),
        ("open.smt2", "never closed"),
        ("nothing.smt2", "there is no `(check-sat)`"),
        ("model.smt2", "not models, cores or values"),
        ("latin.smt2", "not UTF-8"),
    ] {
        let run = sandbox.run(&["check", file]);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(format!("{}{}", run.stdout, run.stderr).contains(words), "{run:?}");
    }
    let run = sandbox.run(&["mutate", "deep.smt2", "-n", "2", "--out", "m"]);
    assert_eq!(run.code, 0, "{run:?}");
}

#[test]
fn the_queries_of_a_program_are_a_level_of_their_own() {
    if !has("boogie") || !has_program("z3") {
        return;
    }
    let program = std::fs::read_to_string(root().join("examples/brittle.bpl")).unwrap();
    let test = ["test", "a.bpl", "--level", "query", "-n", "30", "--json"];
    let sandbox = Sandbox::new(&[("a.bpl", program)]);
    let run = sandbox.run(&test);
    assert_eq!(run.code, 1, "{run:?}");
    let found = seed(&run);
    assert_eq!((&found["name"], &found["answer"]), (&"a.bpl:pick".into(), &"brittle".into()));
    assert!(found["by_operator"].to_string().contains("shuffle-assertions"), "{found}");
    // Boogie 3 sorts declarations, so that no order of the program reaches its solver; the query has one.
    let program = std::fs::read_to_string(root().join("examples/clauses.bpl")).unwrap();
    let Some(sandbox) = Sandbox::with_boogie_3(&[("a.bpl", program)]) else { return };
    let run = sandbox.run(&test);
    assert!(matches!(run.code, 0 | 1), "{run:?}");
    assert_eq!(seed(&run)["name"], "a.bpl:pick", "{run:?}");
}

#[test]
fn printing_keeps_every_command() {
    let text = "(set-info :status unsat) ; note\n(assert\n  true)(get-model)(exit)";
    let sandbox = Sandbox::new(&[("a.smt2", text)]);
    let run = sandbox.run(&["print", "a.smt2"]);
    assert_eq!(run.stdout, "(set-info :status unsat)\n(assert true)\n(get-model)\n(exit)\n");
}

/// A query that Z3 proves by chance: with the seed's order of assertions it gives up.
fn with_a_hidden_proof() -> String {
    let text = brittle();
    let flipped = text.replace("((x Int) (y Int))", "((y Int) (x Int))");
    assert_ne!(text, flipped);
    flipped
}

#[test]
fn a_mutant_with_a_proof_that_the_seed_lacks_is_found() {
    if !has_program("z3") {
        return;
    }
    let sandbox = Sandbox::new(&[("a.smt2", with_a_hidden_proof())]);
    let run = sandbox.run(&["test", "a.smt2", "--json"]);
    assert_eq!(run.code, 1, "{run:?}");
    let seed = seed(&run);
    assert_eq!(seed["question"], "does-a-mutant-pass");
    assert_eq!(seed["counts"]["flips"], 1, "it stops at the first: {seed}");
    let text = sandbox.run(&["test", "a.smt2"]);
    assert!(text.stdout.contains("Mariposa     would call the query unstable"), "{text:?}");
}

#[test]
fn operators_without_effect_are_parked() {
    if !has_program("z3") {
        return;
    }
    // The solver drops what it knows to be true before it counts.
    let declarations: Vec<String> =
        (0..40).map(|it| format!("(declare-const c{it} Int)")).collect();
    let declarations = declarations.join("\n");
    let text = format!("{declarations}\n(assert (> c1 c2))\n(assert (> c2 c1))\n(check-sat)\n");
    let sandbox = Sandbox::new(&[("a.smt2", text)]);
    let one = sandbox.run(&["test", "a.smt2", "--json", "--jobs", "1", "--no-cache"]);
    assert_eq!(one.code, 0, "{one:?}");
    let searches = seed(&one)["searches"].clone();
    let inert = searches["inert"].to_string();
    assert!(inert.contains("shuffle-declarations"), "{searches}");
    assert!(searches["left_out"].as_u64().unwrap() > 0, "{searches}");
    // What is left out does not depend on the number of runs at a time.
    let many = sandbox.run(&["test", "a.smt2", "--json", "--jobs", "7", "--no-cache"]);
    assert_eq!(one.stdout, many.stdout);
}

#[test]
fn a_log_is_split_into_its_checks() {
    if !has_program("z3") {
        return;
    }
    let text = "(declare-const p Bool)\n(declare-const q Bool)\n(assert (or p q))\n(push)\n\
                (assert (not p))\n(assert (not q))\n(check-sat)\n(pop)\n(check-sat)\n";
    let sandbox = Sandbox::new(&[("a.smt2", text), ("a.bpl", "procedure p() {}")]);
    let run = sandbox.run(&["test", "a.smt2", "--split", "--json"]);
    assert_eq!(run.code, 0, "{run:?}");
    let seeds = json(&run)["seeds"].clone();
    let names: Vec<&str> =
        seeds.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a.smt2#1", "a.smt2#2"]);
    assert_eq!(seeds[1]["reading"]["answers"], "sat");
    if has("boogie") {
        let run = sandbox.run(&["test", "a.bpl", "--split"]);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains("--procedure"), "{run:?}");
    }
}

#[test]
fn a_query_has_no_queries() {
    if !has_program("z3") {
        return;
    }
    let sandbox = Sandbox::new(&[("a.smt2", brittle())]);
    let run = sandbox.run(&["test", "a.smt2", "--level", "query"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("a query is tested as it is"), "{run:?}");
}

#[test]
fn both_levels_are_side_by_side() {
    if !has_program("z3") || !has("boogie") {
        return;
    }
    let text = std::fs::read_to_string(root().join("examples/brittle.bpl")).unwrap();
    let sandbox = Sandbox::new(&[("a.bpl", text)]);
    let run = sandbox.run(&["test", "a.bpl", "--level", "both"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("a.bpl by level\n"), "{run:?}");
    assert!(run.stdout.contains(": source "), "{run:?}");
    let run = sandbox.run(&["test", "a.bpl", "--level", "both", "--json"]);
    let below = json(&run)["below"].clone();
    let query = &below["seeds"][0];
    assert_eq!(query["above"]["seed"], "a.bpl", "{query}");
    // A failure of a query is where its procedure is in the user's file.
    let place = &query["flips"][0]["changes"][0]["failures"][0]["seed_place"];
    assert_eq!(place["file"], "a.bpl", "{query}");
    assert!(place["line"].as_u64().unwrap() > 1, "{place}");
    let run = sandbox.run(&["test", "a.bpl", "--level", "middle"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("source, query, both"), "{run:?}");
}

#[test]
fn other_random_seeds_are_no_part_of_the_share() {
    if !has_program("z3") {
        return;
    }
    let sandbox = Sandbox::new(&[("a.smt2", brittle())]);
    let run = sandbox.run(&["test", "a.smt2", "--luck", "5", "--json"]);
    assert_eq!(run.code, 1, "{run:?}");
    let found = seed(&run);
    assert_eq!(found["luck"]["judged"], 5, "{found}");
    let without = seed(&sandbox.run(&["test", "a.smt2", "--json"]));
    assert_eq!(found["counts"], without["counts"]);
}

/// A solver that answers as Z3 does, except that it contradicts itself about one order of assertions.
const CONTRADICTORY: &str = "#!/bin/sh
case \"$*\" in *--version*) exec z3 --version;; esac
for file in \"$@\"; do :; done
if grep assert \"$file\" | head -1 | grep -q 'assert p'; then z3 \"$@\"; else echo sat; fi
";

#[test]
#[cfg(unix)]
fn a_solver_that_contradicts_itself_is_told_loudly_and_both_files_are_kept() {
    if !has_program("z3") {
        return;
    }
    let text = "(declare-const p Bool)\n(assert p)\n(assert (not p))\n(check-sat)\n";
    let sandbox = Sandbox::new(&[("a.smt2", text), ("wrong-z3", CONTRADICTORY)]);
    std::process::Command::new("chmod").arg("+x").arg(sandbox.path("wrong-z3")).status().unwrap();
    let program = sandbox.path("wrong-z3");
    let run = sandbox.run(&["test", "a.smt2", "-n", "1", "--program", program.to_str().unwrap()]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("CONTRADICTION"), "{run:?}");
    assert!(run.stderr.contains("kept in mugie-contradictions"), "{run:?}");
    assert!(sandbox.path("mugie-contradictions/a/seed.smt2").exists());
    assert!(sandbox.path("mugie-contradictions/result.json").exists());
}

#[test]
fn a_campaign_compares_solvers_on_the_same_mutants() {
    if !has_program("z3") {
        return;
    }
    let plan = "name = 'solvers'\n[seeds]\npaths = ['*.smt2']\n\
                [[batch]]\nname = '*'\noperators = 'paper'\nmutants = 12\n\
                [[tool]]\nname = 'usual'\nverifier = 'z3'\n\
                [[tool]]\nname = 'patient'\nverifier = 'z3'\narguments = ['smt.mbqi=true']\n";
    let sandbox = Sandbox::new(&[("a.smt2", brittle().as_str()), ("plan.toml", plan)]);
    let run = sandbox.run(&["campaign", "run", "plan.toml", "--no-fail"]);
    assert_eq!(run.code, 0, "{run:?}");
    // The seed has its expected answers and its budget: it verifies, and some mutants do not.
    let status = json(&sandbox.run(&["campaign", "status", "plan.toml", "--json"]));
    assert_eq!(status["tools"][0]["not_verified"], 0, "{status}");
    let again = sandbox.run(&["campaign", "run", "plan.toml", "--no-fail"]);
    assert!(again.stderr.contains("0 of them new"), "{again:?}");
    let table = sandbox.run(&["campaign", "table", "plan.toml", "tools"]);
    assert_eq!(table.code, 0, "{table:?}");
}

#[test]
fn a_query_is_its_own_problem_for_diagnose() {
    if !has_program("z3") {
        return;
    }
    let sandbox = Sandbox::new(&[("a.smt2", brittle())]);
    let other = brittle().replace("((x Int) (y Int))", "((y Int) (x Int))");
    std::fs::write(sandbox.path("b.smt2"), other).unwrap();
    let run = sandbox.run(&["diagnose", "a.smt2", "b.smt2"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.starts_with("The shape of the verification condition"), "{run:?}");
}

#[test]
fn scopes_are_changed_only_on_request_and_alone() {
    if !has_program("z3") {
        return;
    }
    let sandbox = Sandbox::new(&[("a.smt2", brittle())]);
    for operator in ["under", "flatten"] {
        let run = sandbox.run(&["test", "a.smt2", "-n", "3", "--json", "--operators", operator]);
        let used = seed(&run)["by_operator"].to_string();
        // It has scopes or has none, so exactly one of the two applies.
        let is_used = used.contains(operator);
        assert_eq!(is_used, brittle().contains("(push") == (operator == "flatten"), "{run:?}");
    }
    let run = sandbox.run(&["test", "a.smt2", "--operators", "paper,under"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stdout.contains("choose it alone") || run.stderr.contains("choose it alone"));
}
