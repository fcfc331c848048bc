//! Seeds of several files: every command reads them as one program and reproduces them as one.

use std::fs;

use mugie_campaign::rows::FlipKey;
use mugie_campaign::store::Store;
use mugie_core::Outcome;
use serde_json::Value;

use crate::support::{Sandbox, commands, json, shell};
use crate::test::{BRITTLE, ROBUST};

/// Correct as the second file of a program, wrong as the first. It ends without a line break.
const SECOND: &str = "\
#if FILE_1
procedure r(x: int) requires x > 0; requires x > 1; { assert x > -1; }
#else
procedure wrong() { assert false; }
#endif
// the end";

const PLAN: &str = "\
name = 'together'
[seeds]
programs = [['a.bpl', 'b.bpl'], ['b.bpl', 'c.bpl']]
[[batch]]
name = 'L5'
mutants = 4
[[tool]]
name = 'boogie'
";

/// A sandbox in which the first file is brittle.
fn sandbox() -> Sandbox {
    let third = ROBUST.replace("procedure q", "procedure s");
    let files = [("plan.toml", PLAN), ("a.bpl", BRITTLE), ("b.bpl", SECOND), ("c.bpl", &third)];
    Sandbox::new(&files)
}

#[test]
fn seeds_of_several_files_go_through_a_campaign() {
    let sandbox = sandbox();
    let run = sandbox.run(&["campaign", "plan", "plan.toml"]);
    assert!(run.stdout.contains("2 seeds"), "{run:?}");
    let run = sandbox.run(&["campaign", "run", "plan.toml", "--no-fail", "-j", "2"]);
    assert_eq!(run.code, 0, "{run:?}");
    let status = json(&sandbox.run(&["campaign", "status", "plan.toml", "--json"]));
    let tool = &status["tools"][0];
    // Only the first seed verifies: the second starts with `b.bpl`, which is wrong as a first file.
    assert_eq!((&tool["verified"], &tool["brittle"]), (&1.into(), &1.into()), "{status}");
    let table = sandbox.run(&["campaign", "table", "plan.toml", "all", "--format", "json"]);
    assert_eq!(table.code, 0, "{table:?}");
    let run = sandbox.run(&["campaign", "report", "plan.toml"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    let page = fs::read_to_string(sandbox.path("plan.html")).unwrap();
    for words in ["a.bpl + b.bpl", "b.bpl + c.bpl", "a.bpl:10:3"] {
        assert!(page.contains(words), "{words}");
    }
    // A second run finds every verdict in the store, under the same names.
    let run = sandbox.run(&["campaign", "run", "plan.toml", "--no-fail"]);
    assert!(run.stderr.contains("in the store, 0 of them new"), "{run:?}");
}

#[test]
fn a_mutant_of_several_files_is_made_again_by_what_the_page_says() {
    let sandbox = sandbox();
    assert_eq!(sandbox.run(&["campaign", "run", "plan.toml", "--no-fail"]).code, 0);
    assert_eq!(sandbox.run(&["campaign", "report", "plan.toml"]).code, 0);
    let page = fs::read_to_string(sandbox.path("plan.html")).unwrap();
    let lines = commands(&page);
    shell(&sandbox, &lines[0]);
    let store = Store::open(&sandbox.path("plan.sqlite")).unwrap();
    let data = store.load(&[], &[]).unwrap();
    let failed = data.verdicts.iter().find(|verdict| verdict.outcome == Outcome::Failed).unwrap();
    let mutant = data.mutants[failed.mutant];
    let seed = &data.seeds[mutant.seed].name;
    let key = FlipKey { seed, batch: "L5", number: mutant.number, tool: "boogie" };
    let flip = store.flip(&key).unwrap();
    let rows = fs::read_to_string(sandbox.path("stdin.mutants/mutants.jsonl")).unwrap();
    let rows = rows.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    assert!(rows.into_iter().any(|row| row["hash"] == flip.hash.as_str()), "{}", lines[0]);
}

#[test]
fn a_mutant_of_several_files_is_made_small_and_diagnosed() {
    let sandbox = sandbox();
    assert_eq!(sandbox.run(&["campaign", "run", "plan.toml", "--no-fail"]).code, 0);
    assert_eq!(sandbox.run(&["campaign", "report", "plan.toml"]).code, 0);
    let page = fs::read_to_string(sandbox.path("plan.html")).unwrap();
    let minimise = commands(&page).into_iter().find(|it| it.starts_with("mugie minimise")).unwrap();
    let name = minimise.split_whitespace().nth(2).unwrap();
    shell(&sandbox, &minimise);
    let record = fs::read_to_string(sandbox.path(&format!("{name}.min/minimal.json"))).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["minimal"]["confirmed"], true, "{record}");
    assert_eq!(record["question"]["seed"], "a.bpl + b.bpl", "{record}");
    let args = ["--campaign", "plan.toml", "--random-seeds", "0", "--json"];
    let answer = json(&sandbox.run(&[&["diagnose", name], &args[..]].concat()));
    assert_eq!(answer["diagnosis"]["layer"], "inference", "{answer}");
    let query = sandbox.run(&["query", name, "--campaign", "plan.toml", "--json"]);
    // The procedure of the second file is included.
    assert!(query.code == 0 && query.stdout.contains("\"r\""), "{query:?}");
}

#[test]
fn a_test_of_several_files_says_how_to_see_it_again() {
    let sandbox = sandbox();
    let args = ["--together", "--operators", "L5", "-n", "4", "--no-cache", "--format", "json"];
    let report = json(&sandbox.run(&[&["test", "a.bpl", "b.bpl"], &args[..]].concat()));
    let seed = &report["seeds"][0];
    assert_eq!(seed["answer"], "brittle", "{report}");
    let lines = seed["witness"]["reproduce"].as_array().unwrap();
    shell(&sandbox, lines[0].as_str().unwrap());
    let said = shell(&sandbox, lines[1].as_str().unwrap());
    assert!(said.contains("finished with 2 verified, 1 error"), "{said}");
}
