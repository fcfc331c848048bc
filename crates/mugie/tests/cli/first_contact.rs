//! The first minutes with mugie: files of other languages, the shipped examples, words that are nearly right, and
//! commands that are only printed.

use std::fs;

use crate::support::{Run, Sandbox, boogie_3, has, root, script};

fn max() -> Sandbox {
    let text = fs::read_to_string(root().join("examples/max.bpl")).unwrap();
    Sandbox::new(&[("max.bpl", text)])
}

#[test]
fn a_file_of_another_language_is_named_with_what_to_do() {
    let sandbox = Sandbox::new(&[
        ("a.mlw", "module M\nend"),
        ("b.c", "int main() {}"),
        ("c.why", "theory T end"),
    ]);
    for (args, language, help) in [
        (&["test", "a.mlw"][..], "a WhyML file", "why3 prove -P z3"),
        (&["test", "c.why"], "a WhyML file", "why3 prove -P z3"),
        (&["test", "b.c"], "a C file", "`.bpl`, `.vpr` or `.smt2`"),
        (&["check", "b.c"], "a C file", "`.bpl`, `.vpr` or `.smt2`"),
        (&["mutate", "a.mlw"], "a WhyML file", "why3 prove -P z3"),
        (&["print", "a.mlw"], "a WhyML file", "why3 prove -P z3"),
        (&["minimise", "a.mlw", "--mutant", "1"], "a WhyML file", "why3 prove -P z3"),
        (&["query", "a.mlw"], "a WhyML file", "why3 prove -P z3"),
        (&["test", "."], "a WhyML file", "why3 prove -P z3"),
    ] {
        let run = sandbox.run(args);
        assert_eq!(run.code, 2, "{args:?}: {run:?}");
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(said.contains(language), "{args:?}: {run:?}");
        assert!(said.contains(help), "{args:?}: {run:?}");
    }
}

/// Tests the examples that mugie ships, as somebody who wants to see it work.
fn test_examples(sandbox: &Sandbox) -> Run {
    assert_eq!(sandbox.run(&["seeds", "export", "--out", "playground"]).code, 0);
    sandbox.run(&["test", "playground/examples/*.bpl", "-n", "2", "--no-cache"])
}

#[test]
fn the_examples_can_be_tested_with_any_boogie() {
    if !has("boogie") {
        return;
    }
    let sandbox = Sandbox::empty();
    let run = test_examples(&sandbox);
    assert!(run.code <= 1, "{run:?}");
    assert!(!run.stdout.contains("TROUBLE") && !run.stdout.contains("fails  "), "{run:?}");
    let names: [(&str, &str); 0] = [];
    if boogie_3().is_none() {
        return;
    }
    let Some(sandbox) = Sandbox::with_boogie_3(&names) else { return };
    let run = test_examples(&sandbox);
    // The order of axioms that breaks one of them is the usual one of Boogie 3.
    assert!(!run.stdout.contains("TROUBLE") && run.code != 2, "{run:?}");
    let failing: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with("fails ")).collect();
    assert!(failing.iter().all(|line| line.contains("brittle.bpl")), "{run:?}");
}

#[test]
fn words_that_are_nearly_right_are_understood() {
    let sandbox = max();
    for args in [
        &["minimize", "--help"][..],
        &["help", "minimize"],
        &["test", "max.bpl", "--minimize", "--help"],
    ] {
        assert_eq!(sandbox.run(args).code, 0, "{args:?}");
    }
    let run = sandbox.run(&["diagnose", "max.bpl"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("a diagnosis needs two programs"), "{run:?}");
    assert!(run.stderr.contains("mugie test max.bpl --out found"), "{run:?}");
    assert!(!run.stderr.contains("--mutant"), "{run:?}");
}

#[test]
fn a_search_says_that_its_time_was_over() {
    if !has("boogie") {
        return;
    }
    let sandbox = Sandbox::empty();
    let seed = root().join("examples/brittle.bpl");
    let args =
        ["minimise", seed.to_str().unwrap(), "--mutant", "5", "--operators", "S1", "--exhaustive"];
    let run =
        sandbox.run(&[&args[..], &["--out", "small", "--no-cache", "--max-time", "0.5"]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("the time is over; raise --max-time"), "{run:?}");
    assert!(!run.stdout.contains("--budget"), "{run:?}");
    let record = fs::read_to_string(sandbox.path("small/minimal.json")).unwrap();
    assert!(record.contains("\"ending\": \"time-spent\""), "{record}");
}

#[test]
fn a_dry_run_prints_the_commands_and_runs_none() {
    if !has("boogie") {
        return;
    }
    let sandbox = max();
    fs::copy(sandbox.path("max.bpl"), sandbox.path("other.bpl")).unwrap();
    let plan = "name = \"p\"\nseeds.paths = [\"max.bpl\"]\nbatch = [{ name = \"*\", operators = \"paper\", mutants = 3 }]\n\
                tool = [{ name = \"t\", verifier = \"boogie\" }]\n";
    fs::write(sandbox.path("plan.toml"), plan).unwrap();
    assert_eq!(sandbox.run(&["mutate", "max.bpl", "-n", "1", "--out", "made"]).code, 0);
    let names = sandbox.names();
    // Boogie, except that it notes which programs it is run on.
    let body = "case \"$*\" in *.bpl*) touch \"$0.ran\";; esac\nexec boogie \"$@\"";
    script(&sandbox, "noting", body);
    let program = sandbox.path("noting");
    for (args, expected) in [
        (&["test", "max.bpl", "other.bpl", "-n", "7"][..], "at most 7 runs"),
        (&["minimise", "made/max-0001.bpl"], "SMALLER_MUTANT.bpl"),
        (&["diagnose", "max.bpl", "other.bpl"], "without inference"),
        (&["query", "max.bpl"], "max.bpl  #"),
        (&["campaign", "run", "plan.toml"], "at most 3 runs"),
    ] {
        let mut command = sandbox.command();
        command.args(args).arg("--dry-run").env("MUGIE_BOOGIE", &program);
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(text.contains(expected), "{args:?}: {text}");
        assert!(text.contains("noting /nologo"), "{args:?}: {text}");
        assert!(!sandbox.path("noting.ran").exists(), "{args:?}: it was run");
    }
    let mut now = sandbox.names();
    now.retain(|name| name != "noting");
    assert_eq!(now, names, "nothing is written");
}
