//! Dafny programs: what Dafny makes of them is tested as Dafny runs it, and the answer is about the `.dfy`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Run, Sandbox, boogie_3, has, json, root};

/// Dafny 4, which is installed beside Boogie 3. Prints a message if there is none.
fn dafny_4() -> Option<PathBuf> {
    let dafny = boogie_3()?.with_file_name("dafny");
    dafny.exists().then_some(dafny)
}

/// Runs mugie in a folder with Dafny 4.
fn run_in(folder: &Path, args: &[&str]) -> Option<Run> {
    let mut command = crate::support::command(folder);
    command.env("MUGIE_DAFNY", dafny_4()?).args(args);
    let output = command.output().unwrap();
    Some(Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    })
}

const MAX: &str = "module Numbers {
  method Max(a: int, b: int) returns (m: int)
    ensures m >= a && m >= b
  {
    if a < b { m := b; } else { m := a; }
  }
}
lemma Sum(s: seq<int>, x: int)
  ensures (s + [x])[..|s|] == s
{
}
";

/// The goals of a calibration that are not as Dafny runs them, and the number of all.
fn unlike(seed: &Value) -> (Vec<String>, usize) {
    let goals = seed["calibration"]["goals"].as_array().unwrap();
    let same = |goal: &&Value| {
        let same_queries = ["same", "same-form"].contains(&goal["queries"].as_str().unwrap());
        let same_work = goal["tool_resources"] == goal["verifier_resources"];
        let has_cause = goal["causes"].as_array().is_some_and(|causes| !causes.is_empty());
        goal["tool"] == goal["verifier"] && same_queries && (same_work || has_cause)
    };
    let different = goals.iter().filter(|goal| !same(goal));
    (different.map(|goal| goal["name"].as_str().unwrap().to_owned()).collect(), goals.len())
}

#[test]
fn a_dafny_program_is_tested_as_dafny_runs_it() {
    let Some(dafny) = dafny_4() else { return };
    let sandbox = Sandbox::new(&[("max.dfy", MAX)]);
    let mut command = sandbox.command();
    let output = command
        .env("MUGIE_DAFNY", &dafny)
        .args(["test", "max.dfy", "-n", "3", "--json"])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["verifier"]["options"]["profile"], "dafny-4");
    let names: Vec<&str> =
        report["seeds"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["max.dfy:Numbers", "max.dfy:_module"]);
    for seed in report["seeds"].as_array().unwrap() {
        assert_eq!((seed["answer"].as_str(), unlike(seed).0), (Some("robust"), vec![]), "{seed}");
        assert!(seed["origin"]["tool"].as_str().unwrap().starts_with("Dafny 4."), "{seed}");
    }
    assert_eq!(output.status.code(), Some(0));
    // The comparison is kept: Dafny verifies the program once.
    let again = sandbox
        .command()
        .env("MUGIE_DAFNY", &dafny)
        .args(["test", "max.dfy", "-n", "3"])
        .output()
        .unwrap();
    assert!(!String::from_utf8_lossy(&again.stderr).contains("verifies max.dfy itself"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("verifies max.dfy itself"));
}

#[test]
fn what_dafny_printed_is_recognised() {
    let Some(boogie) = boogie_3() else { return };
    let text = "const $$Language$Dafny: bool\nuses {\naxiom $$Language$Dafny;\n}\n\nprocedure p()\n{\n  assert true;\n}\n";
    let sandbox =
        Sandbox::new(&[("out.bpl", text), ("other.bpl", "procedure p()\n{\n  assert true;\n}\n")]);
    let boogie = boogie.to_str().unwrap();
    let run = sandbox.run(&["test", "out.bpl", "-n", "1", "--program", boogie, "--json"]);
    assert_eq!(json(&run)["verifier"]["options"]["profile"], "dafny-4", "{}", run.stderr);
    assert!(run.stderr.contains("made by Dafny 4"), "{}", run.stderr);
    let run =
        sandbox.run(&["test", "out.bpl", "-n", "1", "--program", boogie, "--profile", "none"]);
    assert!(
        run.stderr.contains("warning") && run.stderr.contains("--profile dafny-4"),
        "{}",
        run.stderr
    );
    // Programs of different tools cannot be tested together.
    let run = sandbox.run(&["test", "out.bpl", "other.bpl", "-n", "1", "--program", boogie]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("test them apart"), "{}", run.stderr);
    // Boogie 2 is not what Dafny 4 runs.
    if has("boogie") {
        let run = sandbox.run(&["test", "out.bpl", "-n", "1"]);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(
            run.stderr.contains("is not for Boogie 2") && run.stderr.contains("--profile none"),
            "{}",
            run.stderr
        );
    }
}

/// The rows of a table: file, line, column.
fn expected(folder: &Path) -> BTreeMap<String, String> {
    let table = fs::read_to_string(folder.join("expected.csv")).unwrap();
    let rows = table.lines().skip(1).map(|line| {
        let mut cells = line.split(',');
        let mut cell = || cells.next().unwrap().to_owned();
        let (file, line, column) = (cell(), cell(), cell());
        (file.clone(), format!("{file}({line},{column})"))
    });
    rows.collect()
}

#[test]
fn places_are_those_that_dafny_prints() {
    let folder = root().join("fixtures/dafny/errors");
    let expected = expected(&folder);
    assert!(expected.len() >= 20);
    // All of them take minutes.
    let step = if std::env::var_os("MUGIE_ALL_DAFNY").is_some() { 1 } else { 4 };
    for (file, place) in expected.into_iter().step_by(step) {
        let Some(run) = run_in(&folder, &["test", &file, "-n", "1", "--json"]) else { return };
        assert_eq!(run.code, 3, "{file}: {}", run.stderr);
        let mut places: Vec<String> = Vec::new();
        for seed in json(&run)["seeds"].as_array().unwrap() {
            let procedures = seed["baseline"]["procedures"].as_array().unwrap().clone();
            let failures = procedures.iter().filter_map(|it| it["failures"].as_array()).flatten();
            places.extend(
                failures.map(|failure| failure["tool_place"].as_str().unwrap_or("none").to_owned()),
            );
        }
        assert_eq!(places, [place], "{file}");
    }
}

#[test]
fn programs_of_all_kinds_are_as_dafny_runs_them() {
    let folder = root().join("fixtures/dafny/verified");
    let mut unlikely: Vec<(String, Vec<String>)> = Vec::new();
    let mut programs = 0;
    let mut names: Vec<PathBuf> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    // All of them take minutes.
    let some = std::env::var_os("MUGIE_ALL_DAFNY").map_or(4, |_| usize::MAX);
    for path in names.iter().take(some) {
        let name = path.file_name().unwrap().to_str().unwrap();
        let name = if name == "include" { "include/main.dfy" } else { name };
        let Some(run) = run_in(&folder, &["test", name, "-n", "1", "--json"]) else { return };
        assert_eq!(run.code, 0, "{name}: {}", run.stderr);
        programs += 1;
        for seed in json(&run)["seeds"].as_array().unwrap() {
            let (different, _) = unlike(seed);
            if !different.is_empty() {
                unlikely.push((name.to_owned(), different));
            }
        }
    }
    assert!(unlikely.len() * 15 <= programs, "{unlikely:?} of {programs}");
}

#[test]
fn a_module_that_fails_does_not_spoil_the_others() {
    let text = "module Good {\n  method P(x: int) { assert x + 1 > x; }\n}\nmodule Bad {\n  method P(x: int) { assert x > 0; }\n}\n";
    let sandbox = Sandbox::new(&[("two.dfy", text)]);
    let Some(run) = run_in(&sandbox.path(""), &["test", "two.dfy", "-n", "2", "--json"]) else {
        return;
    };
    let report = json(&run);
    let answers: BTreeMap<&str, &str> = report["seeds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|seed| (seed["name"].as_str().unwrap(), seed["answer"].as_str().unwrap()))
        .collect();
    assert_eq!(answers, [("two.dfy:Good", "robust"), ("two.dfy:Bad", "seed-fails")].into());
    assert_eq!(run.code, 3);
}

#[test]
fn options_that_dafny_gets_are_boogies_as_well() {
    let sandbox = Sandbox::new(&[("max.dfy", MAX)]);
    let args = [
        "test",
        "max.dfy",
        "-n",
        "1",
        "--json",
        "--dafny-arg",
        "--isolate-assertions",
        "--dafny-arg",
        "--resource-limit=1e7",
    ];
    let Some(run) = run_in(&sandbox.path(""), &args) else { return };
    let report = json(&run);
    let command = report["verifier"]["command"].as_array().unwrap();
    let has = |word: &str| command.iter().any(|it| it.as_str() == Some(word));
    assert!(has("/vcsSplitOnEveryAssert") && has("/rlimit:10000000"), "{command:?}");
    for seed in report["seeds"].as_array().unwrap() {
        assert_eq!(unlike(seed).0, Vec::<String>::new());
    }
    let broken = Sandbox::new(&[("broken.dfy", "method P( {}\n")]);
    let run = run_in(&broken.path(""), &["test", "broken.dfy"]).unwrap();
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("broken.dfy") && run.stderr.contains("rror"), "{}", run.stderr);
}

#[test]
fn debians_dafny_works_with_boogie_2() {
    if !has("boogie") || !has("dafny") {
        return;
    }
    let text = "method Max(a: int, b: int) returns (m: int)\n  ensures m >= a && m >= b\n{\n  if a < b { m := b; } else { m := a; }\n}\n";
    let sandbox = Sandbox::new(&[("max.dfy", text)]);
    let run = sandbox.run(&["test", "max.dfy", "-n", "2", "--json", "--dafny", "/usr/bin/dafny"]);
    let report = json(&run);
    assert_eq!(
        (run.code, &report["seeds"][0]["answer"]),
        (0, &Value::from("robust")),
        "{}",
        run.stderr
    );
    assert!(report["seeds"][0]["origin"]["tool"].as_str().unwrap().starts_with("Dafny 2."));
    assert_eq!(unlike(&report["seeds"][0]).0, Vec::<String>::new());
    // Its goals have the names that Dafny 4 gives them.
    let wrong = "method Get(s: seq<int>, i: int) returns (r: int) { r := s[i]; }\nmethod Fine(x: int) { assert x <= x; }\n";
    let sandbox = Sandbox::new(&[("get.dfy", wrong)]);
    let words = ["test", "get.dfy", "-n", "2", "--dafny", "/usr/bin/dafny"];
    let run = sandbox.run(&words);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.stdout.contains("`Get (correctness)` failed"), "{run:?}");
    assert!(!run.stdout.contains("Impl$$"), "{run:?}");
    let run = sandbox.run(&[&words[..], &["--procedure", "Fine"]].concat());
    assert_eq!(run.code, 0, "{run:?}");
}

#[test]
fn every_command_that_reads_programs_takes_a_dafny_program() {
    let sandbox = Sandbox::new(&[("max.dfy", MAX)]);
    let Some(check) = run_in(&sandbox.path(""), &["check", "max.dfy"]) else { return };
    let lines: Vec<&str> = check.stdout.lines().collect();
    assert_eq!(
        lines,
        ["max.dfy:Numbers: accepted (Boogie 3)", "max.dfy:_module: accepted (Boogie 3)"]
    );
    let run = |args: &[&str]| run_in(&sandbox.path(""), args).unwrap();
    let print = run(&["print", "max.dfy"]);
    assert_eq!(
        (print.code, print.stdout.matches("{:verboseName \"Numbers.Max").count() > 0),
        (0, true)
    );
    // Two modules are two programs, each with a name.
    let run_of_both = run(&["query", "max.dfy"]);
    assert_eq!(run_of_both.code, 2);
    assert!(
        run_of_both.stderr.contains("its programs are: max.dfy:Numbers, max.dfy:_module"),
        "{}",
        run_of_both.stderr
    );
    let list = run(&["query", "max.dfy:Numbers"]);
    assert!(list.stdout.contains("Numbers.Max (correctness)"), "{}{}", list.stdout, list.stderr);
    let query = run(&["query", "max.dfy:Numbers", "Numbers.Max (correctness)"]);
    assert!(query.stdout.contains("(check-sat)"), "{}{}", query.stdout, query.stderr);
    let list = run(&["mutate", "max.dfy:_module", "--list"]);
    assert_eq!(list.code, 0, "{}", list.stderr);
    let unknown = run(&["mutate", "max.dfy:Other", "--list"]);
    assert_eq!(unknown.code, 2);
    assert!(
        unknown.stderr.contains("max.dfy:Other: there is no such program"),
        "{}",
        unknown.stderr
    );
}

#[test]
fn a_missing_file_is_told_before_any_tool_runs() {
    for file in ["none.dfy", "none.vpr"] {
        let run = Sandbox::empty().run(&["test", file]);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains(&format!("{file}: there is no such file")), "{run:?}");
    }
}

#[test]
fn without_dafny_the_message_says_how_to_get_it() {
    let sandbox = Sandbox::new(&[("max.dfy", MAX)]);
    let output =
        sandbox.command().env("PATH", "/nonexistent").args(["test", "max.dfy"]).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr.contains("Dafny was not found") && stderr.contains("dotnet tool install"),
        "{stderr}"
    );
}
