//! `mugie diagnose`, and the causes that `mugie test` finds, with the real Boogie.

use serde_json::Value;

use crate::support::{Run, Sandbox, root, script};
use crate::test::{BRITTLE, ROBUST};

fn layer(run: &Run) -> String {
    let answer: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:?}"));
    answer["diagnosis"]["layer"].as_str().unwrap().to_owned()
}

/// Diagnoses the only mutant that an operator makes of a seed.
fn diagnose(seed: &str, operator: &str) -> Run {
    let sandbox = Sandbox::new(&[("seed.bpl", seed)]);
    let made = ["mutate", "seed.bpl", "--exhaustive", "-n", "1", "--operators", operator];
    assert_eq!(sandbox.run(&made).code, 0);
    let mutant = "seed.mutants/seed-0001.bpl";
    sandbox.run(&["diagnose", mutant, "--json", "--random-seeds", "1", "--time-limit", "5"])
}

#[test]
fn inference_is_told_from_the_order_of_axioms() {
    let run = diagnose(BRITTLE, "L5");
    assert_eq!((run.code, layer(&run).as_str()), (0, "inference"), "{run:?}");
    let sandbox = Sandbox::empty();
    let brittle = root().join("examples/brittle.bpl");
    let seed = brittle.to_str().unwrap();
    let numbered = ["--mutant", "5", "--operators", "S1", "--exhaustive", "--no-program"];
    let run = sandbox.run(&[&["minimise", seed, "--out", "small"][..], &numbered].concat());
    assert_eq!(run.code, 0, "{run:?}");
    let run = sandbox.run(&["diagnose", "small", "--random-seeds", "1", "--time-limit", "5"]);
    assert_eq!(run.code, 0, "{run:?}");
    let sentence = "The order of axioms in the verification condition. The solver's random seed";
    assert!(run.stdout.starts_with(sentence), "{run:?}");
    assert!(run.stdout.contains("\n  unchanged "), "{run:?}");
    // The output names what was not tried, and why.
    assert!(run.stdout.contains("not tried: Boogie 2.4.1 cannot use cvc5"), "{run:?}");
    // A file in the directory stands for the directory.
    let args = ["diagnose", "small/mutant.bpl", "--json", "--random-seeds", "0"];
    let run = sandbox.run(&[&args[..], &["--time-limit", "5"]].concat());
    assert_eq!((run.code, layer(&run).as_str()), (0, "axiom-order"), "{run:?}");
}

#[test]
fn a_timeout_that_does_not_come_again_is_no_random_choice() {
    // Boogie, except that one run with another random seed hangs, as on a busy machine.
    let sandbox = Sandbox::empty();
    let body = r#"case "$*" in *random_seed=1*) mkdir "$0.busy" 2>/dev/null && exec sleep 60;; esac
                  exec boogie "$@""#;
    script(&sandbox, "slow", body);
    let path = root().join("examples/brittle.bpl");
    let seed = path.to_str().unwrap();
    let made = ["mutate", seed, "--exhaustive", "-n", "5", "--operators", "S1", "--out", "made"];
    assert_eq!(sandbox.run(&made).code, 0);
    let args = ["diagnose", "made/brittle-0005.bpl", "--from", seed, "--random-seeds", "1"];
    // Long enough for the other runs even on a busy machine.
    let more = ["--json", "--time-limit", "15", "--program", "./slow"];
    let run = sandbox.run(&[&args[..], &more].concat());
    assert!(sandbox.path("slow.busy").exists(), "{run:?}");
    assert_eq!((run.code, layer(&run).as_str()), (0, "axiom-order"), "{run:?}");
}

#[test]
fn a_pair_without_a_difference_has_no_diagnosis() {
    let sandbox = Sandbox::new(&[("a.bpl", ROBUST), ("b.bpl", ROBUST)]);
    let run = sandbox.run(&["diagnose", "a.bpl", "b.bpl", "--random-seeds", "0"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stdout.starts_with("The difference was not reproduced"), "{run:?}");
    let run = sandbox.run(&["diagnose", "none.bpl"]);
    assert!(run.code == 2 && run.stderr.contains("there is no such file"), "{run:?}");
    let run = sandbox.run(&["diagnose", "."]);
    assert!(run.code == 2 && run.stderr.contains("`mugie minimise` writes such"), "{run:?}");
}

#[test]
fn failing_mutants_are_grouped_by_cause() {
    let sandbox = Sandbox::new(&[("seed.bpl", BRITTLE)]);
    let args = ["test", "seed.bpl", "--cache", "cache", "--operators", "L5,S2"];
    let more = ["-n", "6", "--minimise"];
    let run = sandbox.run(&[&args[..], &more].concat());
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains(" failing mutants, 1 cause\n"), "{run:?}");
    assert!(run.stdout.contains("  swap requires `j <= 5` with `i <= j`"), "{run:?}");
    let json = sandbox.run(&[&args[..], &more, &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(&json.stdout).unwrap();
    let seed = &report["seeds"][0];
    let causes = seed["causes"]["causes"].as_array().unwrap();
    assert_eq!(causes.len(), 1);
    let mutants = causes[0]["mutants"].as_array().unwrap().len();
    assert_eq!(mutants, seed["flips"].as_array().unwrap().len());
    assert!(mutants > 1);
}
