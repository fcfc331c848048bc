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
