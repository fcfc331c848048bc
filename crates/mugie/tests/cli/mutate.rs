//! `mugie mutate` and `mugie operators`.

use std::fs;

use crate::support::{Run, Sandbox};

const SEED: &str = "\
const a, b: int;
axiom a < b;
procedure p(x: int) returns (y: int)
  requires x > 0;
  requires x < 9;
  ensures y > x;
{
  var i, j: int;
  var k: bool;
  if (k) { y := x + 1; } else { y := x + 2; }
}
";

fn sandbox() -> Sandbox {
    Sandbox::new(&[("seed.bpl", SEED)])
}

fn fine(run: Run) -> Run {
    assert_eq!(run.code, 0, "{}", run.stderr);
    run
}

/// All files of a folder with their names, sorted.
fn files(sandbox: &Sandbox, folder: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(sandbox.path(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn mutants_go_to_a_folder_with_a_list() {
    let sandbox = sandbox();
    let run = fine(sandbox.run(&["mutate", "seed.bpl", "-n", "20"]));
    assert_eq!(run.stdout, "seed.mutants\n");
    assert!(run.stderr.starts_with("20 mutants ("), "{}", run.stderr);
    assert_eq!(sandbox.names(), ["seed.bpl", "seed.mutants"]);
    let list = fs::read_to_string(sandbox.path("seed.mutants/mutants.jsonl")).unwrap();
    assert_eq!(list.lines().count(), 20);
    let first: serde_json::Value = serde_json::from_str(list.lines().next().unwrap()).unwrap();
    assert_eq!(first["name"], "seed-0001");
    assert_eq!(first["parent"], "seed.bpl");
    for line in list.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        for file in row["files"].as_array().unwrap() {
            let text =
                fs::read_to_string(sandbox.path("seed.mutants").join(file.as_str().unwrap()));
            let edits = row["edits"].as_array().unwrap();
            let words = edits.last().unwrap()["words"].as_str().unwrap();
            assert!(text.unwrap().contains(words), "{words}");
        }
    }
}

#[test]
fn every_mutant_is_accepted() {
    let sandbox = sandbox();
    fine(sandbox.run(&["mutate", "seed.bpl", "-n", "60", "--operators", "paper,S3=0,G2"]));
    let mut args = vec!["check".to_owned()];
    for (name, _) in files(&sandbox, "seed.mutants") {
        if name != "mutants.jsonl" {
            args.push(format!("seed.mutants/{name}"));
        }
    }
    assert_eq!(args.len(), 61);
    fine(sandbox.run(&args));
}

#[test]
fn the_same_command_gives_the_same_bytes_in_any_number_of_threads() {
    let sandbox = sandbox();
    for (out, jobs) in [("one", "1"), ("two", "2"), ("seven", "7")] {
        fine(sandbox.run(&["mutate", "seed.bpl", "-n", "50", "-j", jobs, "--out", out]));
    }
    assert_eq!(files(&sandbox, "one"), files(&sandbox, "two"));
    assert_eq!(files(&sandbox, "one"), files(&sandbox, "seven"));
    fine(sandbox.run(&["mutate", "seed.bpl", "-n", "50", "--seed", "2", "--out", "other"]));
    assert_ne!(files(&sandbox, "one"), files(&sandbox, "other"));
}

#[test]
fn a_replay_gives_the_same_bytes() {
    let sandbox = sandbox();
    fine(sandbox.run(&["mutate", "seed.bpl", "-n", "40"]));
    fs::rename(sandbox.path("seed.bpl"), sandbox.path("moved.bpl")).unwrap();
    let list = "seed.mutants/mutants.jsonl";
    fine(sandbox.run(&["mutate", "moved.bpl", "--replay", list, "--out", "again"]));
    assert_eq!(files(&sandbox, "seed.mutants"), files(&sandbox, "again"));
}

#[test]
fn a_replay_fails_if_seed_or_edits_differ() {
    let sandbox = sandbox();
    fine(sandbox.run(&["mutate", "seed.bpl", "-n", "3", "--operators", "S1"]));
    let list = "seed.mutants/mutants.jsonl";
    fs::write(sandbox.path("other.bpl"), SEED.replace("a < b", "a > b")).unwrap();
    let run = sandbox.run(&["mutate", "other.bpl", "--replay", list, "--out", "again"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("other.bpl is not the seed of seed-0001"), "{}", run.stderr);

    let rows = fs::read_to_string(sandbox.path(list)).unwrap();
    fs::write(sandbox.path("changed"), rows.replace("\"swap\":[\"0\",", "\"swap\":[\"9\","))
        .unwrap();
    let run = sandbox.run(&["mutate", "seed.bpl", "--replay", "changed", "--out", "again"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("cannot be reproduced"), "{}", run.stderr);

    fs::write(sandbox.path("torn"), &rows[..rows.len() / 2]).unwrap();
    let run = sandbox.run(&["mutate", "seed.bpl", "--replay", "torn", "--out", "again"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("not a row of a list"), "{}", run.stderr);
    assert!(!sandbox.path("again").exists());
}

#[test]
fn a_folder_is_replaced_only_on_demand_and_only_if_it_holds_mutants() {
    let sandbox = sandbox();
    fine(sandbox.run(&["mutate", "seed.bpl", "-n", "5"]));
    let run = sandbox.run(&["mutate", "seed.bpl", "-n", "6"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("seed.mutants already exists"), "{}", run.stderr);
    fine(sandbox.run(&["mutate", "seed.bpl", "-n", "2", "--force", "--operators", "S1"]));
    assert_eq!(files(&sandbox, "seed.mutants").len(), 3);

    fs::create_dir(sandbox.path("precious")).unwrap();
    fs::write(sandbox.path("precious/thesis.tex"), "").unwrap();
    let run = sandbox.run(&["mutate", "seed.bpl", "--force", "--out", "precious"]);
    assert_eq!(run.code, 2);
    assert!(sandbox.path("precious/thesis.tex").exists());
    let run = sandbox.run(&["mutate", "seed.bpl", "--force", "--out", "seed.bpl"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("not a directory"), "{}", run.stderr);
}

#[test]
fn two_files_are_numbered_in_the_order_for_the_verifier() {
    let sandbox = Sandbox::new(&[("s.bpl", "const a: int;\naxiom a > 0;\n")]);
    fine(sandbox.run(&["mutate", "s.bpl", "--exhaustive", "--operators", "S3"]));
    let names: Vec<_> = files(&sandbox, "s.mutants").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names[..2], ["mutants.jsonl", "s-0001-1.bpl"]);
    let first = fs::read_to_string(sandbox.path("s.mutants/s-0002-1.bpl")).unwrap();
    assert!(first.contains("file 1 of 2"), "{first}");
    assert!(first.ends_with("const a: int;\n"), "{first}");
}

#[test]
fn the_closure_of_an_operator_is_finite_and_said_to_be_whole() {
    let sandbox = Sandbox::new(&[("s.bpl", "const a: int;\nconst b: int;\nconst c: int;\n")]);
    let run = fine(sandbox.run(&["mutate", "s.bpl", "--exhaustive", "--operators", "S1"]));
    assert_eq!(run.stderr, "5 mutants: there are no others\n");
    let run = fine(sandbox.run(&["mutate", "s.bpl", "--operators", "S1", "--out", "drawn"]));
    assert_eq!(run.stderr, "5 of 100 mutants: no attempts left (10000 attempts)\n");
}

#[test]
fn places_are_listed() {
    let run = fine(sandbox().run(&["mutate", "seed.bpl", "--list", "--json"]));
    let places = |operator: &str| {
        let rows = run.stdout.lines().map(|row| serde_json::from_str(row).unwrap());
        let mut rows = rows.filter(|row: &serde_json::Value| row["operator"] == operator);
        rows.next().unwrap()["places"].as_u64().unwrap()
    };
    let expected = [("S1", 3), ("S2", 1), ("S3", 6), ("L1", 1), ("L2", 1), ("L3", 1), ("L4", 0)];
    for (operator, number) in expected {
        assert_eq!(places(operator), number, "{operator}");
    }
}

#[test]
fn an_ill_formed_seed_is_refused() {
    let sandbox = Sandbox::new(&[("s.bpl", "axiom x;")]);
    let run = sandbox.run(&["mutate", "s.bpl"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("the seed is not a well-formed program"), "{}", run.stderr);
    let run = sandbox.run(&["mutate", "s.bpl", "--operators", "S9"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("did you mean `S1`?"), "{}", run.stderr);
    assert_eq!(sandbox.names(), ["s.bpl"]);
}

#[test]
fn operators_are_listed_and_explained() {
    let sandbox = Sandbox::empty();
    let run = fine(sandbox.run(&["operators"]));
    assert!(run.stdout.starts_with("Boogie:\nS1  swap-declarations  "), "{}", run.stdout);
    assert!(run.stdout.contains("\nSMT-LIB:\n    shuffle-assertions  "), "{}", run.stdout);
    let run = fine(sandbox.run(&["operators", "--explain", "flip-conditional"]));
    assert!(run.stdout.starts_with("# L6 flip-conditional (in the set `paper`)\n"));
    assert!(run.stdout.contains("## Sound because"));
    let run = sandbox.run(&["operators", "--explain", "flip"]);
    assert_eq!(run.code, 2);
}
