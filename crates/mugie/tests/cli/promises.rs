//! The promises of the book with Boogie 3, each beside a test with Boogie 2: `docs/boogie-3.md` has
//! the list.

use std::fs;
use std::io::Read as _;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::{
    Run, Sandbox, boogie_3, json, processes, root, shell, wait_until, without_proxy,
};
use crate::test::ROBUST;

/// A program that verifies with both Boogies, but not with its first two preconditions swapped.
fn clauses() -> String {
    fs::read_to_string(root().join("examples/clauses.bpl")).unwrap()
}

/// A sandbox with that program and Boogie 3.
fn brittle() -> Option<Sandbox> {
    Sandbox::with_boogie_3(&[("seed.bpl", clauses())])
}

fn test(sandbox: &Sandbox, args: &[&str]) -> Run {
    sandbox.run(&[&["test", "seed.bpl", "--cache", "cache"], args].concat())
}

#[test]
fn a_robust_seed_is_called_robust() {
    let Some(sandbox) = Sandbox::with_boogie_3(&[("seed.bpl", ROBUST)]) else { return };
    let run = test(&sandbox, &["-n", "6"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.starts_with("seed.bpl is robust: 0 of 6 mutants fail"), "{}", run.stdout);
    assert!(run.stdout.contains("2 procedures verified by Boogie 3."), "{}", run.stdout);
}

#[test]
fn a_brittle_seed_is_called_brittle_with_procedure_place_and_change() {
    let Some(sandbox) = brittle() else { return };
    // With the options that a first user gives.
    let run = test(&sandbox, &["--until-failure"]);
    assert!(run.code == 1 && run.stdout.starts_with("seed.bpl is BRITTLE"), "{run:?}");
    let run = test(&sandbox, &["--operators", "L5", "--exhaustive", "-n", "50"]);
    assert_eq!(run.code, 1, "{run:?}");
    for fact in [
        "seed.bpl is BRITTLE: 3 of 6 programs fail",
        "pick: 3 of 5",
        "L5 swap-clauses: 3 of 5",
        "postcondition `ensures o > row[i];` at seed.bpl:10:3",
        "  1. L5: swap ",
        "+  requires (forall k: int :: 0 <= k ==> row[k] < row[k + 1]);",
        "mugie mutate seed.bpl --force -n 50 --operators L5 --exhaustive --dialect 3",
    ] {
        assert!(run.stdout.contains(fact), "{fact} is missing:\n{}", run.stdout);
    }
}

#[test]
fn the_commands_to_reproduce_a_failure_do_so() {
    let Some(sandbox) = brittle() else { return };
    let run = test(&sandbox, &["--operators", "L5", "--until-failure", "--json"]);
    let report = json(&run);
    let commands = report["seeds"][0]["witness"]["reproduce"].as_array().unwrap();
    let mut last = String::new();
    for command in commands {
        last = shell(&sandbox, command.as_str().unwrap());
    }
    assert!(last.contains("finished with 0 verified, 1 error"), "{last}");
}

#[test]
fn a_seed_that_does_not_verify_is_not_tested() {
    let wrong = "procedure p() { assert false; }";
    let Some(sandbox) = Sandbox::with_boogie_3(&[("seed.bpl", wrong)]) else { return };
    let run = test(&sandbox, &[]);
    assert!(run.code == 3 && run.stdout.contains("does not verify"), "{run:?}");
    let run = test(&sandbox, &["-n", "2", "--failing"]);
    assert_eq!(run.code, 0, "{run:?}");
    fs::write(sandbox.path("seed.bpl"), "const c: int;").unwrap();
    let run = test(&sandbox, &[]);
    assert!(run.code == 3 && run.stdout.contains("nothing to verify"), "{run:?}");
}

/// Boogie 3 sorts the axioms into the order in which Z3 does not find the proof.
#[test]
fn the_example_of_the_readme_does_not_verify() {
    let example = fs::read_to_string(root().join("examples/brittle.bpl")).unwrap();
    let Some(sandbox) = Sandbox::with_boogie_3(&[("seed.bpl", example)]) else { return };
    let run = test(&sandbox, &["-n", "2"]);
    assert!(run.code == 3 && run.stdout.contains("does not verify"), "{run:?}");
    // In the order of the file it does, and is brittle.
    let order = ["--arg", "/normalizeDeclarationOrder:0"];
    let run = test(&sandbox, &[&order[..], &["--operators", "S1", "--until-failure"]].concat());
    assert!(run.code == 1 && run.stdout.contains("BRITTLE"), "{run:?}");
}

#[test]
fn what_cannot_be_run_is_said_with_a_remedy() {
    let Some(sandbox) = brittle() else { return };
    let run = test(&sandbox, &["--solver", "cvc4"]);
    assert!(run.code == 2 && run.stderr.contains("cannot use CVC4: a version <3"), "{run:?}");
    let run = test(&sandbox, &["--arg", "/nonsense"]);
    assert!(run.code == 2 && run.stdout.contains("Boogie could not start: '/nonsense'"), "{run:?}");
}

#[test]
fn the_record_depends_on_neither_threads_nor_cache() {
    let Some(sandbox) = brittle() else { return };
    let base = ["--operators", "L5,S3", "-n", "5", "--out"];
    for more in [&["one", "-j", "1"][..], &["again", "-j", "2"]] {
        assert_eq!(test(&sandbox, &[&base[..], more].concat()).code, 1);
    }
    let fresh = ["test", "seed.bpl", "--no-cache"];
    for more in [&["four", "-j", "4"][..], &["plain", "--plain"]] {
        assert_eq!(sandbox.run(&[&fresh[..], &base, more].concat()).code, 1);
    }
    let record =
        |folder: &str| fs::read_to_string(sandbox.path(folder).join("result.json")).unwrap();
    assert_eq!(record("one"), record("again"));
    assert_eq!(record("one"), record("four"));
    let seed = |folder: &str| {
        let mut record: Value = serde_json::from_str(&record(folder)).unwrap();
        let mut seed = record["seeds"][0].take();
        // A tap tells what the solver was asked; without one, how it searched stands for that.
        let fields = seed.as_object_mut().unwrap();
        let problems = fields.remove("problems").filter(|it| !it.is_null());
        let searches = fields.remove("searches").filter(|it| !it.is_null());
        assert_ne!(problems.is_some(), searches.is_some(), "{problems:?} {searches:?}");
        without_proxy(&mut seed);
        seed
    };
    assert_eq!(seed("one"), seed("plain"));
    let measured = fs::read_to_string(sandbox.path("again/measurements.jsonl")).unwrap();
    assert!(measured.lines().all(|line| line.contains("\"cached\":true")), "{measured}");
    let seed = seed("one");
    let flip = &seed["flips"][0];
    let output = format!("one/seed/{}.out", flip["mutant"].as_str().unwrap());
    let output = fs::read_to_string(sandbox.path(&output)).unwrap();
    assert!(output.contains("could not be proved"), "{output}");
}

#[test]
fn formats_for_other_programs_come_out_whole() {
    let Some(sandbox) = brittle() else { return };
    let args = ["--operators", "L5", "-n", "1", "--format"];
    let answer = |format| test(&sandbox, &[&args[..], &[format]].concat()).stdout;
    let junit = answer("junit");
    let junit = roxmltree::Document::parse(&junit).unwrap();
    let failures = junit.descendants().filter(|node| node.has_tag_name("failure"));
    assert_eq!(failures.count(), 1);
    let sarif: Value = serde_json::from_str(&answer("sarif")).unwrap();
    let region = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 10, "{sarif:#}");
    assert!(answer("github").starts_with("::error file=seed.bpl,line=10,"));
    assert_eq!(
        json(&test(&sandbox, &["-n", "1", "--operators", "L5", "--json"]))["seeds"][0]["answer"],
        "brittle"
    );
}

#[test]
fn mutants_that_hang_or_devour_memory_are_failures() {
    let Some(sandbox) = brittle() else { return };
    // The solver works for ever unless it is told by the trigger what to do.
    fs::write(sandbox.path("endless.bpl"), crate::boogie_3::ENDLESS).unwrap();
    let args = ["test", "endless.bpl", "--operators", "G2", "--exhaustive", "-n", "2"];
    let limits = ["--time-limit", "4", "--confirm", "0", "--no-cache", "--json"];
    let run = sandbox.run(&[&args[..], &limits].concat());
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(json(&run)["seeds"][0]["flips"][0]["outcome"], "timed-out", "{run:?}");
    let run = test(&sandbox, &["--memory-limit", "50M"]);
    assert!(run.code == 3 && run.stdout.contains("the memory limit was reached"), "{run:?}");
}

/// Starts a test that has much to do, and waits until a solver has answered.
fn under_way(sandbox: &Sandbox) -> Child {
    let temporary = sandbox.path("temporary");
    fs::create_dir(&temporary).unwrap();
    let child = sandbox
        .command()
        .args(["test", "seed.bpl", "--no-cache", "-n", "200", "-j1", "--format", "json"])
        .env("TMPDIR", &temporary)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let pattern = format!("{}/mugie-*/*/*-000[3-9]*.bpl", temporary.display());
    wait_until("a solver works on a mutant", || {
        let mut mutants = glob::glob(&pattern).unwrap().flatten();
        mutants.any(|mutant| mutant.with_file_name(".mugie-queries.jsonl").exists())
    });
    child
}

#[test]
fn an_interrupted_test_says_what_it_knows() {
    let Some(sandbox) = brittle() else { return };
    let mut child = under_way(&sandbox);
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    // A failing mutant that is known is an answer.
    let code = child.wait().unwrap().code();
    let report: Value = serde_json::from_str(&text).unwrap();
    let seed = &report["seeds"][0];
    let answer = if code == Some(1) { "brittle" } else { "interrupted" };
    assert_eq!(seed["answer"], answer, "{code:?} {text}");
    assert!(seed["counts"]["interrupted"] == true, "{text}");
    // Verdicts of a shared process count only after it was compared with runs alone, so there may be none yet.
    assert!(seed["counts"]["judged"].as_u64().is_some(), "{text}");
    assert_eq!(fs::read_dir(sandbox.path("temporary")).unwrap().count(), 0);
    assert_eq!(processes(sandbox.path("temporary").to_str().unwrap()), [""; 0]);
}

#[test]
fn a_kill_leaves_nothing_of_a_tapped_solver() {
    let Some(sandbox) = brittle() else { return };
    let mut child = under_way(&sandbox);
    child.kill().unwrap();
    child.wait().unwrap();
    let temporary = sandbox.path("temporary");
    wait_until("all files are gone", || fs::read_dir(&temporary).unwrap().count() == 0);
    wait_until("all runs are gone", || processes(temporary.to_str().unwrap()).is_empty());
}

#[test]
fn failing_mutants_are_made_small_and_grouped_by_cause() {
    let more = format!("{}procedure other(x: int) {{ assert x + 1 > x; }}\n", clauses());
    let Some(sandbox) = Sandbox::with_boogie_3(&[("seed.bpl", more)]) else { return };
    let run = test(&sandbox, &["--operators", "L5,S1", "-n", "4", "--minimise", "--out", "found"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("1 cause\n  swap requires "), "{}", run.stdout);
    let report = fs::read_to_string(sandbox.path("found/result.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let file = report["seeds"][0]["flips"][0]["files"][0].as_str().unwrap();
    let file = format!("found/seed/{file}");
    let run = sandbox.run(&["minimise", &file, "--out", "small", "--cache", "cache"]);
    assert_eq!(run.code, 0, "{run:?}");
    let small = fs::read_to_string(sandbox.path("small/seed.bpl")).unwrap();
    assert!(!small.contains("other") && small.contains("above"), "{small}");
    let record = fs::read_to_string(sandbox.path("small/minimal.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["minimal"]["confirmed"], true, "{record:#}");
    assert_eq!(record["minimal"]["symptom"]["procedure"], "pick", "{record:#}");
}

#[test]
fn a_query_answers_the_same_when_the_solver_is_asked_by_hand() {
    let Some(sandbox) = brittle() else { return };
    for form in [&["--canonical"][..], &[]] {
        let run = sandbox.run(&[&["query", "seed.bpl", "pick"], form].concat());
        assert!(run.stderr.starts_with("the answer was unsat, after "), "{run:?}");
        fs::write(sandbox.path("query.smt2"), &run.stdout).unwrap();
        let solver = Command::new("z3").arg(sandbox.path("query.smt2")).output().unwrap();
        let answer = String::from_utf8_lossy(&solver.stdout).into_owned();
        assert!(answer.lines().any(|line| line == "unsat"), "{answer}");
    }
}

/// Boogie itself accepts what mugie makes of a program with much of Boogie 3 in it.
#[test]
fn every_mutant_is_accepted() {
    let rich = "datatype List<T> { Nil(), Cons(head: T, tail: List T) }
function {:inline} double(x: int): int { x + x }
function length(l: List int): int;
axiom (forall l: List int :: {length(l)} length(l) >= 0 && (l is Nil <==> length(l) == 0));
var count: int;
procedure push(x: int, l: List int) returns (m: List int)
  requires x > 0 && double(x) > x;
  ensures m is Cons && m->head == x;
  ensures count == old(count) + 1;
  modifies count;
{
  var a: int, b: int;
  havoc a, b;
  assume a == b;
  if (a > 0) { m := Cons(x, l); } else { m := Cons(x, l); }
  count := count + 1;
}
procedure call_it() modifies count; { var l: List int; call l := push(3, Nil()); }
";
    let Some(sandbox) = Sandbox::with_boogie_3(&[("seed.bpl", rich)]) else { return };
    let Some(boogie) = boogie_3() else { return };
    let args = ["mutate", "seed.bpl", "--dialect", "3", "-n", "40", "--operators", "all,S3=0,G2"];
    let run = sandbox.run(&args);
    assert_eq!(run.code, 0, "{run:?}");
    let pattern = sandbox.path("seed.mutants/*.bpl");
    let mutants: Vec<_> = glob::glob(pattern.to_str().unwrap()).unwrap().flatten().collect();
    assert_eq!(mutants.len(), 40);
    let mut command = Command::new(boogie);
    let output = command.args(["/noVerify", "/verifySeparately"]).args(&mutants).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let accepted = said.matches("finished with 0 verified, 0 errors").count();
    assert_eq!(accepted, mutants.len(), "{said}");
}

#[test]
fn a_campaign_goes_from_a_plan_to_a_report_and_says_what_a_test_says() {
    let Some(sandbox) = brittle() else { return };
    let plan = "name = 'three'\n[seeds]\npaths = ['seed.bpl']\ngroup = 'none'\n\
                [[batch]]\nname = 'L5'\noperators = 'L5'\nmutants = 4\n[[tool]]\nname = 'boogie'\n";
    fs::write(sandbox.path("plan.toml"), plan).unwrap();
    let run = sandbox.run(&["campaign", "run", "plan.toml", "--no-fail"]);
    assert_eq!(run.code, 0, "{run:?}");
    let run = sandbox.run(&["campaign", "status", "plan.toml", "--json"]);
    let tool = &json(&run)["tools"][0];
    assert_eq!((&tool["seeds"], &tool["verified"]), (&1.into(), &1.into()), "{run:?}");
    let tested = json(&test(&sandbox, &["--operators", "L5", "-n", "4", "--json"]));
    let problems = &tested["seeds"][0]["problems"];
    let row = format!("all,boogie,1,4,{},{},", problems["distinct"], problems["flips"]);
    let table = sandbox.run(&["campaign", "table", "plan.toml", "problems", "--format", "csv"]);
    assert!(table.stdout.lines().any(|line| line.starts_with(&row)), "{row} {table:?}");
    let run = sandbox.run(&["campaign", "report", "plan.toml", "--out", "report.html"]);
    assert_eq!(run.code, 0, "{run:?}");
    let page = fs::read_to_string(sandbox.path("report.html")).unwrap();
    assert!(page.contains("Boogie 3.") && page.contains("seed-L5-"), "the report is incomplete");
}
