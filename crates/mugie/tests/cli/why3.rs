//! Boogie programs with Why3: what it reads is a translation, and every answer is about the Boogie program.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::{Run, Sandbox, has, json, processes, root, wait_until};

/// Whether Why3 and Z3 are installed. Says so if they are not.
fn has_why3() -> bool {
    has("why3") && has("z3")
}

fn example(name: &str) -> String {
    fs::read_to_string(root().join("examples").join(name)).unwrap()
}

/// A sandbox with a robust program and a brittle one.
fn sandbox() -> Sandbox {
    Sandbox::new(&[("max.bpl", example("max.bpl")), ("brittle.bpl", example("brittle.bpl"))])
}

/// The options for a program that is brittle with Why3: swapped bound variables matter if there is no model-based
/// instantiation.
const BRITTLE: [&str; 9] = [
    "brittle.bpl",
    "--verifier",
    "why3",
    "--profile",
    "z3-ematching",
    "--operators",
    "reorder-bound",
    "-n",
    "2",
];

fn test(sandbox: &Sandbox, more: &[&str]) -> Run {
    sandbox.run(&[&["test", "--no-cache"], more].concat())
}

/// Has failures of every kind that Boogie names, and a procedure that Why3 simplifies away.
const FAILING: &str = "\
procedure callee(x: int) returns (y: int);
  requires x > 0;
  ensures y >= x;
procedure calls(n: int) returns (r: int)
{
  call r := callee(n);
}
procedure returns_(n: int) returns (r: int)
  ensures r > n;
{
  r := n;
}
procedure enters(n: int)
{
  var i: int;
  i := n;
  while (i < 10)
    invariant i >= 0;
  {
    i := i + 1;
  }
}
procedure maintains(n: int)
{
  var i: int;
  i := 0;
  while (i < 10)
    invariant i <= 5;
  {
    i := i + 1;
  }
}
procedure asserts(n: int)
{
  assert n != 3;
}
procedure trivial() { assert true; }
";

#[test]
fn a_program_is_tested_with_why3() {
    if !has_why3() {
        return;
    }
    let sandbox = sandbox();
    let run = test(&sandbox, &["max.bpl", "--verifier", "why3", "-n", "10", "--json"]);
    let report = json(&run);
    let seed = &report["seeds"][0];
    assert_eq!((run.code, &seed["answer"]), (0, &"robust".into()), "{run:?}");
    assert_eq!((&seed["counts"]["judged"], &seed["texts"]["mutants"]), (&10.into(), &10.into()));
    assert_eq!(seed["baseline"]["procedures"][0]["procedure"], "Max");
    // Steps are the work of the solver.
    assert!(seed["effort"][0]["seed"].as_u64().unwrap() > 100, "{seed}");
    assert!(report["verifier"]["title"].as_str().unwrap().starts_with("Why3 "), "{report}");
}

#[test]
fn failures_have_the_places_and_kinds_of_the_boogie_program() {
    if !has_why3() {
        return;
    }
    let sandbox = Sandbox::new(&[("failing.bpl", FAILING)]);
    let run = test(&sandbox, &["failing.bpl", "--verifier", "why3", "--json"]);
    assert_eq!(run.code, 3, "{run:?}");
    let printed = sandbox.run(&["print", "failing.bpl"]).stdout;
    let procedures = &json(&run)["seeds"][0]["baseline"]["procedures"];
    let found = procedures.as_array().unwrap().iter().map(|procedure| {
        let failure = &procedure["failures"][0];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let place = text(&failure["mutant_place"]);
        let line = place.split(':').nth(1).and_then(|line| line.parse::<usize>().ok());
        let line = line.and_then(|line| printed.lines().nth(line - 1)).unwrap_or_default();
        (text(&procedure["procedure"]), text(&failure["kind"]), line.trim().to_owned())
    });
    let found: Vec<_> = found.collect();
    let expected = [
        ("asserts", "assertion", "assert n != 3;"),
        ("calls", "precondition", "call r := callee(n);"),
        ("enters", "invariant-entry", "invariant i >= 0;"),
        ("maintains", "invariant-maintenance", "invariant i <= 5;"),
        ("returns_", "postcondition", "ensures r > n;"),
        ("trivial", "", ""),
    ];
    assert_eq!(found, expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned())));
}

#[test]
fn a_brittle_program_is_reproduced_by_hand() {
    if !has_why3() {
        return;
    }
    let sandbox = sandbox();
    let run = test(&sandbox, &[&BRITTLE[..], &["--json"]].concat());
    let seed = &json(&run)["seeds"][0];
    assert_eq!((run.code, &seed["answer"]), (1, &"brittle".into()), "{run:?}");
    assert_eq!(seed["flips"][0]["changes"][0]["failures"][0]["kind"], "postcondition", "{seed}");
    let lines = seed["witness"]["reproduce"].as_array().unwrap();
    assert_eq!(lines.len(), 3, "{lines:?}");
    let bin = Path::new(env!("CARGO_BIN_EXE_mugie")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let said = lines.iter().map(|line| {
        let mut shell = Command::new("sh");
        shell.args(["-c", line.as_str().unwrap()]).current_dir(sandbox.path("")).env("PATH", &path);
        let output = shell.output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    });
    let said: Vec<_> = said.collect();
    assert_eq!(said.iter().map(|it| it.0).collect::<Vec<_>>(), [Some(0), Some(0), Some(2)]);
    assert!(said[2].1.contains("Goal i_pick'vc.\nProver result is: Unknown"), "{said:?}");
}

#[test]
fn a_failing_mutant_is_minimised_and_diagnosed() {
    if !has_why3() {
        return;
    }
    let sandbox = sandbox();
    let run = test(&sandbox, &[&BRITTLE[..], &["--out", "found"]].concat());
    assert_eq!(run.code, 1, "{run:?}");
    let names = fs::read_dir(sandbox.path("found/brittle")).unwrap();
    let names = names.map(|it| it.unwrap().file_name().into_string().unwrap());
    // Beside each mutant is the output of the verifier, whose name comes after it.
    let mutant = names.filter(|name| name.starts_with("brittle-")).min();
    let mutant = format!("found/brittle/{}", mutant.unwrap());
    let run = sandbox.run(&["minimise", &mutant, "--out", "small"]);
    assert!(run.code == 0 && run.stdout.contains("procedure `pick` failed"), "{run:?}");
    let words = ["diagnose", "small", "--random-seeds", "1", "--time-limit", "5", "--json"];
    let run = sandbox.run(&words);
    let answer = json(&run);
    let diagnosis = &answer["diagnosis"];
    // The bound variables of a quantifier are another formula.
    assert_eq!((run.code, &diagnosis["layer"]), (0, &"problem-shape".into()), "{run:?}");
    assert_eq!(answer["verifier"]["options"]["profile"], "z3-ematching");
}

#[test]
fn a_pair_of_boogie_is_tried_with_why3_and_the_same_solver() {
    if !has_why3() || !has("boogie") {
        return;
    }
    let brittle = example("brittle.bpl");
    let axioms: Vec<&str> = brittle.lines().filter(|line| line.starts_with("axiom")).collect();
    let swapped = brittle.replacen(axioms[0], "HERE", 1).replacen(axioms[1], axioms[0], 1);
    let swapped = swapped.replacen("HERE", axioms[1], 1);
    let sandbox = Sandbox::new(&[("good.bpl", brittle.as_str()), ("bad.bpl", &swapped)]);
    let words = ["diagnose", "good.bpl", "bad.bpl", "--also", "why3", "--random-seeds", "0"];
    let run = sandbox.run(&[&words[..], &["--time-limit", "4"]].concat());
    let (good, bad) = ("verifies both with the same solver", "another verdict");
    assert!(run.stdout.contains(good) && !run.stdout.contains(bad), "{run:?}");
    assert!(run.stdout.contains("  with Why3 "), "{run:?}");
}

#[test]
fn what_cannot_be_expressed_is_no_answer_and_no_failure() {
    if !has_why3() {
        return;
    }
    let bits = "procedure p(x: bv8) { assert x == x; }\n";
    let sandbox = Sandbox::new(&[("bits.bpl", bits)]);
    let run = test(&sandbox, &["bits.bpl", "--verifier", "why3", "--json"]);
    let seed = &json(&run)["seeds"][0];
    assert_eq!((run.code, &seed["answer"]), (2, &"not-expressible".into()), "{run:?}");
    assert!(seed["reason"].as_str().unwrap().contains("(bits.bpl:1:"), "{seed}");
    let run = test(&sandbox, &["bits.bpl", "--verifier", "why3"]);
    let words = "cannot be expressed in the verifier's input language";
    assert!(run.stdout.contains(words), "{run:?}");
    let run = sandbox.run(&["translate", "bits.bpl", "--to", "whyml"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(
        run.stderr.contains("bits.bpl:1:") && run.stderr.contains("not expressible"),
        "{run:?}"
    );
}

#[test]
fn limits_end_what_why3_does() {
    if !has_why3() {
        return;
    }
    let cubes = "procedure p(x: int, y: int, z: int)\n  requires x > 0 && y > 0 && z > 0;\n\
                 {\n  assert x * x * x + y * y * y != z * z * z;\n}\n";
    let sandbox = Sandbox::new(&[("max.bpl", example("max.bpl")), ("cubes.bpl", cubes.to_owned())]);
    let why3 = |file: &str, more: &[&str]| {
        let run = test(&sandbox, &[&[file, "--verifier", "why3", "--json"], more].concat());
        let seed = json(&run)["seeds"][0].clone();
        (run.code, seed["baseline"]["outcome"].as_str().unwrap_or_default().to_owned())
    };
    let steps = why3("max.bpl", &["--rlimit", "100"]);
    assert_eq!(steps, (3, "out-of-resource".to_owned()));
    assert_eq!(why3("max.bpl", &["--rlimit", "1000000", "-n", "1"]), (0, "verified".to_owned()));
    // Whatever Z3 makes of it, it does not prove it within a second.
    fs::create_dir(sandbox.path("temporary")).unwrap();
    let output = sandbox
        .command()
        .args(["test", "cubes.bpl", "--verifier", "why3", "--json", "--no-cache"])
        .args(["--time-limit", "1", "--confirm", "0"])
        .env("TMPDIR", sandbox.path("temporary"))
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let outcome = report["seeds"][0]["baseline"]["outcome"].as_str().unwrap_or_default();
    let is_limited = ["failed", "timed-out"].contains(&outcome);
    assert!(output.status.code() == Some(3) && is_limited, "{outcome}");
    // The solver's command line names a file there.
    assert_eq!(processes(&format!("{}/", sandbox.path("temporary").display())), [""; 0]);
}

/// A program that keeps Z3 busy: a chain of growing squares.
const BUSY: &str = "\
function f(x: int): int;
axiom (forall x: int :: {f(x)} f(x) == f(x + 1) * f(x + 2) + f(x - 1));
procedure p() { assert f(0) == 77; }
";

#[test]
fn an_interrupt_leaves_nothing_of_why3() {
    if !has_why3() {
        return;
    }
    let sandbox = Sandbox::new(&[("busy.bpl", BUSY)]);
    fs::create_dir(sandbox.path("temporary")).unwrap();
    let mut child = sandbox
        .command()
        .args(["test", "busy.bpl", "--verifier", "why3", "--no-cache", "--time-limit", "300"])
        .env("TMPDIR", sandbox.path("temporary"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let place = sandbox.path("temporary").display().to_string();
    wait_until("the solver works", || !processes(&format!("{place}/")).is_empty());
    std::thread::sleep(Duration::from_millis(300));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(2));
    wait_until("all processes are gone", || processes(&format!("{place}/")).is_empty());
    assert_eq!(fs::read_dir(sandbox.path("temporary")).unwrap().count(), 0);
}

#[test]
fn a_campaign_compares_boogie_and_why3_on_the_same_mutants() {
    if !has_why3() || !has("boogie") {
        return;
    }
    let plan = "name = 'two'\n[seeds]\npaths = ['*.bpl']\ngroup = 'none'\n\
                [[batch]]\nname = 'mix'\noperators = 'S1'\nmutants = 8\n\
                [[tool]]\nname = 'boogie'\nverifier = 'boogie'\n\
                [[tool]]\nname = 'why3'\nverifier = 'why3'\n";
    let sandbox = Sandbox::new(&[
        ("brittle.bpl", example("brittle.bpl")),
        ("max.bpl", example("max.bpl")),
        ("bits.bpl", "procedure p(x: bv8) { assert x == x; }\n".to_owned()),
        ("plan.toml", plan.to_owned()),
    ]);
    let run = sandbox.run(&["campaign", "run", "plan.toml", "--no-fail"]);
    assert_eq!(run.code, 0, "{run:?}");
    let status = json(&sandbox.run(&["campaign", "status", "plan.toml", "--json"]));
    let counts = |tool: usize| {
        let tool = &status["tools"][tool];
        ["verified", "brittle", "not_expressible"].map(|key| tool[key].as_u64().unwrap())
    };
    assert_eq!([counts(0), counts(1)], [[3, 1, 0], [2, 0, 1]], "{status}");
    let table = sandbox.run(&["campaign", "table", "plan.toml", "fail"]).stdout;
    assert!(table.contains("With why3: 1 seed not expressible in its language."), "{table}");
    let table = sandbox.run(&["campaign", "table", "plan.toml", "tools"]).stdout;
    assert!(table.contains("why3"), "{table}");
    assert_eq!(sandbox.run(&["campaign", "report", "plan.toml"]).code, 0);
    let page = fs::read_to_string(sandbox.path("plan.html")).unwrap();
    assert!(page.contains("only with boogie"), "the sentence that compares the tools");
    assert!(page.contains("mugie translate") || !page.contains("--tool why3"), "reproduce");
}

#[test]
fn mutants_share_a_process_and_get_the_verdicts_of_processes_of_their_own() {
    if !has_why3() {
        return;
    }
    let sandbox = sandbox();
    let words = ["max.bpl", "--verifier", "why3", "-n", "12", "-j1", "--json"];
    let shared = test(&sandbox, &[&words[..], &["--cross-check", "1"]].concat());
    let checks = &json(&shared)["cross_check"];
    assert!(checks["compared"].as_u64().unwrap() >= 8, "{shared:?}");
    assert_eq!(checks["differences"], Value::Array(Vec::new()), "{shared:?}");
    let plain = test(&sandbox, &[&words[..], &["--plain"]].concat());
    let seed = |run: &Run| json(run)["seeds"][0].clone();
    let (shared, plain) = (seed(&shared), seed(&plain));
    for key in ["counts", "effort", "searches", "texts", "baseline"] {
        assert_eq!(shared[key], plain[key], "{key}");
    }
}

#[test]
fn the_queries_of_why3_are_listed_and_printed() {
    if !has_why3() {
        return;
    }
    let sandbox = Sandbox::new(&[("failing.bpl", FAILING)]);
    let run = sandbox.run(&["query", "failing.bpl", "--verifier", "why3", "--json"]);
    let rows: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |name: &str| rows.iter().find(|row| row["procedure"] == name).unwrap();
    assert_eq!(of("asserts")["answer"], "unknown", "{run:?}");
    assert!(of("asserts")["work"].as_u64().unwrap() > 10, "{run:?}");
    let run = sandbox.run(&["query", "failing.bpl", "asserts", "--verifier", "why3"]);
    assert!(run.stdout.starts_with("; procedure asserts, query 1\n"), "{run:?}");
    fs::write(sandbox.path("asserts.smt2"), &run.stdout).unwrap();
    let z3 = Command::new("z3").arg("asserts.smt2").current_dir(sandbox.path("")).output().unwrap();
    let said = String::from_utf8(z3.stdout).unwrap();
    assert!(["sat", "unknown"].contains(&said.trim()), "{said}");
}

#[test]
fn a_program_is_translated_to_look_at() {
    let sandbox = sandbox();
    let run = sandbox.run(&["translate", "max.bpl", "--to", "whyml"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.starts_with("module M\n") && run.stdout.contains("let i_Max "), "{run:?}");
    if !has_why3() {
        return;
    }
    let run = sandbox.run(&["translate", "max.bpl", "--verifier", "why3", "--out", "max.why3"]);
    let output =
        Command::new("sh").args(["-c", &run.stdout]).current_dir(sandbox.path("")).output();
    let said = String::from_utf8(output.unwrap().stdout).unwrap();
    assert!(said.contains("Goal i_Max'vc.\nProver result is: Valid "), "{said}");
}
