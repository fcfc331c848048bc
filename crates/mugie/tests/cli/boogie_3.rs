//! What mugie says with Boogie 3, where its options and its output are other ones than those of
//! Boogie 2.

use std::fs;

use crate::support::{Run, Sandbox, json, root};
use crate::test::BRITTLE;

/// The layer that a diagnosis names.
fn layer(run: &Run) -> String {
    assert_eq!(run.code, 0, "{run:?}");
    json(run)["diagnosis"]["layer"].as_str().unwrap().to_owned()
}

/// The mutants that an operator makes of a seed, as arguments: the seed and the mutant.
fn pair(sandbox: &Sandbox, operator: &str, number: usize) -> [String; 2] {
    let made = ["mutate", "seed.bpl", "--exhaustive", "--operators", operator, "-n"];
    let run = sandbox.run(&[&made[..], &[&number.to_string()]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    ["seed.bpl".to_owned(), format!("seed.mutants/seed-{number:04}.bpl")]
}

/// Boogie's `/randomSeed` renames everything and reorders declarations.
#[test]
fn the_solver_s_seeds_change_nothing_else() {
    let brittle = fs::read_to_string(root().join("examples/brittle.bpl")).unwrap();
    let Some(sandbox) = Sandbox::with_boogie_3(&[("seed.bpl", brittle)]) else { return };
    let [seed, mutant] = pair(&sandbox, "S1", 5);
    // Declarations stay in the order of the file.
    let order = ["--arg", "/normalizeDeclarationOrder:0", "--time-limit", "20"];
    let diagnose = ["diagnose", &seed, &mutant, "--json", "--random-seeds", "3"];
    let run = sandbox.run(&[&diagnose[..], &order].concat());
    assert_eq!(layer(&run), "axiom-order", "{run:?}");
    let query = |more: &[&str]| {
        let run = sandbox.run(&[&["query", "seed.bpl", "pick"], &order[..], more].concat());
        assert_eq!(run.code, 0, "{run:?}");
        run.stdout
    };
    let seeded = query(&["--solver-seed", "3"]);
    let is_seed = |line: &&str| line.contains(".random_seed 3)");
    assert!(seeded.lines().any(|line| is_seed(&line)), "{seeded}");
    let others: Vec<&str> = seeded.lines().filter(|line| !is_seed(line)).collect();
    assert_eq!(others, query(&[]).lines().collect::<Vec<_>>());
}

/// Without `/infer:j` there is no inference, so it is dropped to switch inference off.
#[test]
fn inference_that_an_argument_asks_for_can_be_to_blame() {
    let Some(sandbox) = Sandbox::with_boogie_3(&[("seed.bpl", BRITTLE)]) else { return };
    let [seed, mutant] = pair(&sandbox, "L5", 1);
    let diagnose = ["diagnose", &seed, &mutant, "--json", "--random-seeds", "1"];
    let run = sandbox.run(&[&diagnose[..], &["--arg", "/infer:j"]].concat());
    assert_eq!(layer(&run), "inference", "{run:?}");
    let tried = json(&run)["diagnosis"]["tried"].clone();
    let without = tried.as_array().unwrap().iter().find(|it| it["words"] == "without inference");
    let without = without.unwrap_or_else(|| panic!("{tried:#}"));
    assert_eq!((&without["seed"], &without["mutant"]), (&"failed".into(), &"failed".into()));
    let command = json(&run)["verifier"]["command"].to_string();
    assert!(command.contains("/infer:j"), "{command}");
}

#[test]
fn without_inference_there_is_none_to_switch_off() {
    let example = fs::read_to_string(root().join("examples/clauses.bpl")).unwrap();
    let Some(sandbox) = Sandbox::with_boogie_3(&[("seed.bpl", example)]) else { return };
    let [seed, mutant] = pair(&sandbox, "L5", 1);
    let run = sandbox.run(&["diagnose", &seed, &mutant, "--random-seeds", "1"]);
    assert!(run.stdout.contains("Boogie 3.5.5 with Z3 4.8.12 has no inference"), "{run:?}");
    assert!(run.stdout.starts_with("The shape of the verification condition"), "{run:?}");
}

/// Without the trigger `hint(x)` the assertion cannot be proved, and the solver works on `mix` for
/// ever.
pub(crate) const ENDLESS: &str = "\
function mix(x: int, y: int): int;
axiom (forall x, y: int :: {mix(x, y)} mix(x, y) != mix(mix(y, x), x + 1) + mix(y, mix(x, x)));
function root(x: int): int;
function hint(x: int): bool;
axiom (forall x: int :: {hint(x)} x >= 0 ==> root(x * x) == x);
procedure p(a: int)
{
  assume mix(a, 3) > 0 && hint(3);
  assert root(9) == 3;
}
";

/// The outcomes of the failing mutants of `ENDLESS` by removed triggers.
fn endless(sandbox: &Sandbox, args: &[&str]) -> Vec<String> {
    let test = ["test", "seed.bpl", "--operators", "G2", "--exhaustive", "--format", "json"];
    let run = sandbox.run(&[&test[..], &["--no-cache"], args].concat());
    assert_eq!(run.code, 1, "{run:?}");
    let flips = json(&run)["seeds"][0]["flips"].clone();
    let outcomes = flips.as_array().unwrap().iter().map(|flip| &flip["outcome"]);
    outcomes.map(|outcome| outcome.as_str().unwrap().to_owned()).collect()
}

/// Boogie 3 prints that the assertion could not be proved, whether or not the solver gave up.
#[test]
fn the_limits_of_the_solver_are_told_from_failures() {
    let Some(sandbox) = Sandbox::with_boogie_3(&[("seed.bpl", ENDLESS)]) else { return };
    for args in [&["--rlimit", "60000"][..], &["--rlimit", "60000", "--plain"]] {
        assert_eq!(endless(&sandbox, args), ["out-of-resource", "failed"], "{args:?}");
    }
    let limits = ["--procedure-time-limit", "1", "--confirm", "1", "--out", "found"];
    assert_eq!(endless(&sandbox, &limits), ["timed-out", "failed"]);
    // A timeout is confirmed by more runs.
    let measured = fs::read_to_string(sandbox.path("found/measurements.jsonl")).unwrap();
    let first = measured.lines().find(|line| line.contains("seed-0002")).unwrap();
    let first: serde_json::Value = serde_json::from_str(first).unwrap();
    assert_eq!(first["runs"].as_array().map(Vec::len), Some(2), "{first}");
}

/// The counterpart for Boogie 2.
#[test]
fn boogie_2_says_itself_that_a_limit_was_reached() {
    let sandbox = Sandbox::new(&[("seed.bpl", ENDLESS)]);
    assert_eq!(endless(&sandbox, &["--rlimit", "60000"]), ["out-of-resource", "failed"]);
}

#[test]
fn a_line_in_place_of_an_answer_is_the_reason() {
    let generic = "datatype List<T> { Nil(), Cons(head: T, tail: List T) }\n\
                   procedure p() { var l: List int; assert l is Nil || l is Cons; }\n";
    let Some(sandbox) = Sandbox::with_boogie_3(&[("seed.bpl", generic)]) else { return };
    let run = sandbox.run(&["test", "seed.bpl", "--no-cache", "--arg", "/typeEncoding:a"]);
    let reason = "datatypes only supported with monomorphic encoding";
    assert!(run.code == 3 && run.stdout.contains(reason), "{run:?}");
}

/// A procedure that is reported by another name, one that is verified in parts, and one that needs
/// its trigger.
const NAMES: &str = "\
function f(x: int): int;
axiom (forall x: int :: {f(x)} f(x) > x);
function root(x: int): int;
function hint(x: int): bool;
axiom (forall x: int :: {hint(x)} x >= 0 ==> root(x * x) == x);
procedure one(x: int) returns (y: int);
  ensures y > x;
implementation {:verboseName \"Mod.One (correctness)\"} one(x: int) returns (y: int) { y := f(x); }
procedure {:vcs_split_on_every_assert} iso(x: int)
{
  assert f(x) > x;
  assert f(f(x)) > x;
  assert f(f(f(x))) > x;
}
procedure {:verboseName \"Mod.Root (correctness)\"} Impl$$Root() { assume hint(3); assert root(9) == 3; }
procedure easy() { assert true; }
";

/// With this option, Boogie does not tell the solver the names of procedures.
const NAMELESS: [&str; 2] = ["--arg", "/emitDebugInformation:0"];

#[test]
fn effort_has_the_names_of_procedures() {
    let Some(sandbox) = Sandbox::with_boogie_3(&[("seed.bpl", NAMES)]) else { return };
    let test = ["test", "seed.bpl", "--no-cache", "--format", "json", "--operators", "L5,S1"];
    let seed_of = |args: &[&str]| {
        let run = sandbox.run(&[&test[..], &["-n", "2"], args].concat());
        assert_eq!(run.code, 0, "{run:?}");
        json(&run)["seeds"][0].clone()
    };
    let name = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    for nameless in [&[][..], &NAMELESS] {
        let tapped = seed_of(nameless);
        let efforts = tapped["effort"].as_array().unwrap();
        let names: Vec<String> = efforts.iter().map(|it| name(&it["procedure"])).collect();
        let procedures = tapped["baseline"]["procedures"].as_array().unwrap();
        let verified: Vec<String> = procedures.iter().map(|it| name(&it["procedure"])).collect();
        assert_eq!(names, verified);
        assert_eq!(names, ["Mod.One (correctness)", "Mod.Root (correctness)", "easy", "iso"]);
        // Without a tap, the counts are those that Boogie prints.
        let plain = seed_of(&[nameless, &["--plain"]].concat());
        assert_eq!(plain["effort"], tapped["effort"]);
        assert!(plain["problems"].is_null() && tapped["problems"].is_object());
    }
}

#[test]
fn queries_have_the_names_of_procedures() {
    let Some(sandbox) = Sandbox::with_boogie_3(&[("seed.bpl", NAMES)]) else { return };
    for nameless in [&[][..], &NAMELESS] {
        let query = |args: &[&str]| sandbox.run(&[&["query", "seed.bpl"], nameless, args].concat());
        let list = query(&["--json"]);
        let rows: Vec<serde_json::Value> =
            list.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let parts: Vec<String> =
            rows.iter().map(|row| format!("{} {}", row["procedure"], row["part"])).collect();
        let root = "\"Mod.Root (correctness)\" 1";
        let expected = [
            "\"Mod.One (correctness)\" 1",
            "\"iso\" 1",
            "\"iso\" 2",
            "\"iso\" 3",
            root,
            "\"easy\" 1",
        ];
        assert_eq!(parts, expected);
        let one = query(&["Mod.One (correctness)"]);
        assert!(one.code == 0 && one.stdout.contains("(check-sat)"), "{one:?}");
        assert!(one.stdout.starts_with("; procedure Mod.One (correctness), query 1\n"), "{one:?}");
        assert_eq!(query(&["one"]).stdout, one.stdout);
        assert_eq!(query(&["Impl$$Root"]).stdout, query(&["Mod.Root (correctness)"]).stdout);
        let second = query(&["iso", "--part", "2"]);
        assert!(second.stderr.starts_with("part 2 of 3: the answer was unsat"), "{second:?}");
        assert_ne!(second.stdout, query(&["iso"]).stdout);
        let missing = query(&["iso", "--part", "4"]);
        assert!(missing.code == 2 && missing.stderr.contains("no part 4 of `iso`"), "{missing:?}");
        let missing = query(&["two"]);
        assert!(missing.code == 2 && missing.stderr.contains("are: Mod.One"), "{missing:?}");
    }
    // The name that the solver hears.
    let part = sandbox.run(&["query", "seed.bpl", "iso_split1"]);
    let second = sandbox.run(&["query", "seed.bpl", "iso", "--part", "2"]);
    assert!(part.code == 0 && part.stdout == second.stdout, "{part:?}");
}

#[test]
fn a_diagnosis_compares_the_problems_of_the_failing_procedure() {
    let Some(sandbox) = Sandbox::with_boogie_3(&[("seed.bpl", NAMES)]) else { return };
    let trigger = NAMES.replace("{hint(x)} ", "");
    fs::write(sandbox.path("trigger.bpl"), trigger).unwrap();
    for nameless in [&[][..], &NAMELESS] {
        let args = ["--json", "--random-seeds", "0"];
        let run =
            sandbox.run(&[&["diagnose", "seed.bpl", "trigger.bpl"], &args[..], nameless].concat());
        assert_eq!(layer(&run), "problem-shape", "{run:?}");
    }
}

/// With `/prune:1`, Boogie leaves out an axiom without a trigger.
#[test]
fn a_diagnosis_says_that_the_solver_gets_other_axioms() {
    let seed = "function f(x: int): int;\nfunction mark(x: int): bool;\n\
                axiom (forall x: int :: {mark(x)} f(x) > x);\n\
                procedure p(a: int) { assume mark(a); assert f(a) > a; }\n";
    let Some(sandbox) = Sandbox::with_boogie_3(&[("seed.bpl", seed)]) else { return };
    let [seed, mutant] = pair(&sandbox, "G2", 1);
    let args = ["--arg", "/prune:1", "--random-seeds", "0", "--json"];
    let run = sandbox.run(&[&["diagnose", &seed, &mutant], &args[..]].concat());
    assert_eq!(layer(&run), "axiom-choice", "{run:?}");
}

/// A mutant that only fails with the arguments that it was found with.
#[test]
fn what_a_test_kept_brings_its_arguments() {
    let Some(sandbox) = Sandbox::with_boogie_3(&[("seed.bpl", BRITTLE)]) else { return };
    let test = ["test", "seed.bpl", "--arg", "/infer:j", "--out", "found", "--no-cache"];
    let run =
        sandbox.run(&[&test[..], &["--operators", "L5", "-n", "1", "--format", "json"]].concat());
    assert_eq!(run.code, 1, "{run:?}");
    let file = json(&run)["seeds"][0]["flips"][0]["files"][0].as_str().unwrap().to_owned();
    let file = format!("found/seed/{file}");
    let run = sandbox.run(&["minimise", &file, "--out", "small", "--no-cache", "--no-program"]);
    assert_eq!(run.code, 0, "{run:?}");
    for kept in [file.as_str(), "small"] {
        let run = sandbox.run(&["diagnose", kept, "--random-seeds", "0", "--json"]);
        assert_eq!(layer(&run), "inference", "{kept}: {run:?}");
        assert!(json(&run)["verifier"]["command"].to_string().contains("/infer:j"), "{run:?}");
    }
}
