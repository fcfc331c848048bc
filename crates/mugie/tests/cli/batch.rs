//! Several mutants in one verifier process: the results are those of separate runs, whatever happens
//! to the process.

use std::fs;
use std::io::Read as _;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::{Run, Sandbox, processes, script, wait_until, without_proxy};
use crate::test::{BRITTLE, ROBUST};

/// The definition of a verifier that takes several programs at a time.
const DEFINITION: &str = "\
about = \"a script\"
arguments = [\"{files}\"]
reader = \"boogie\"
[batch]
arguments = [\"--together\"]
begins = '^Parsing (?<file>.+)$'
file_line = '#line 1 {file}'
[program]
names = []
";

/// Writes a verifier that verifies one file after the other. The shell code `each` runs before each
/// answer: it can use `$file` and `$together`, and set `answer=error`.
fn fake(sandbox: &Sandbox, each: &str) {
    let body = format!(
        r#"
together=
[ "$1" = --together ] && {{ together=1; shift; }}
echo "$together $#" >> {log}
say() {{
  echo "Verifying p ..."; echo "  [0.1 s, 1 proof obligation]  $1"
  [ $1 = error ] && {{ echo "$file(1,1): Error BP5001: no"; echo "Execution trace:"; }}
  echo
  if [ $1 = error ]; then echo "Boogie program verifier finished with 0 verified, 1 error"
  else echo "Boogie program verifier finished with 1 verified, 0 errors"; fi
}}
[ $together ] || set -- "$1"
for file in "$@"; do
  echo "Parsing $file"
  answer=verified
  {each}
  say $answer
done"#,
        log = sandbox.path("log").display()
    );
    script(sandbox, "fake", &body);
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new(&[("seed.bpl", ROBUST), ("fake.toml", DEFINITION)]);
    fs::create_dir(sandbox.path("temporary")).unwrap();
    sandbox
}

const FAKE: [&str; 5] = ["test", "--verifier", "./fake.toml", "--program", "./fake"];

fn test(sandbox: &Sandbox, more: &[&str]) -> Run {
    let args = [&FAKE[..], &["--no-cache", "--format", "json", "seed.bpl", "-n", "40"], more];
    sandbox.run(&args.concat())
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

/// For each process, whether it took several programs, and the number of its files.
fn log(sandbox: &Sandbox) -> Vec<(bool, usize)> {
    let text = fs::read_to_string(sandbox.path("log")).unwrap();
    let _ = fs::remove_file(sandbox.path("log"));
    let line = |line: &str| {
        let (together, number) = line.split_once(' ').unwrap();
        (together == "1", number.parse().unwrap())
    };
    text.lines().map(line).collect()
}

fn without_settings(run: &Run) -> Value {
    let mut report = json(run);
    report["settings"] = Value::Null;
    report["seeds"].as_array_mut().unwrap().iter_mut().for_each(without_proxy);
    report
}

#[test]
fn mutants_share_processes_unless_they_must_not() {
    let sandbox = sandbox();
    fake(&sandbox, "");
    let shared = test(&sandbox, &[]);
    let processes = log(&sandbox);
    let together: usize = processes.iter().filter(|(together, _)| *together).map(|it| it.1).sum();
    assert!(together >= 36 && processes.len() < 15, "{processes:?}");
    let plain = test(&sandbox, &["--plain"]);
    assert!(log(&sandbox).iter().all(|(together, _)| !together));
    assert_eq!(json(&shared)["settings"]["speed"]["batches"], true);
    assert_eq!(json(&plain)["settings"]["speed"]["batches"], false);
    assert_eq!(without_settings(&shared), without_settings(&plain));
}

#[test]
fn without_lines_of_files_only_programs_of_one_file_share_processes() {
    let sandbox = sandbox();
    let definition = DEFINITION.replace("file_line = '#line 1 {file}'\n", "");
    fs::write(sandbox.path("fake.toml"), definition).unwrap();
    fake(&sandbox, "");
    for (operators, is_shared) in [("S1", true), ("S3", false)] {
        let shared = test(&sandbox, &["--operators", operators]);
        assert_eq!(log(&sandbox).iter().any(|(together, _)| *together), is_shared);
        let plain = test(&sandbox, &["--plain", "--operators", operators]);
        assert!(log(&sandbox).iter().all(|(together, _)| !together));
        assert_eq!(without_settings(&shared), without_settings(&plain));
    }
}

#[test]
fn few_are_run_ahead_if_the_test_may_end_at_any() {
    let sandbox = sandbox();
    fake(&sandbox, "");
    for args in [&["--until-failure"], &["--confidence=0.95"][..]] {
        let args = [&FAKE[..], &["--no-cache", "--format", "json", "seed.bpl"], args].concat();
        assert_eq!(sandbox.run(&args).code, 0);
        assert!(log(&sandbox).iter().all(|(together, number)| !together || *number <= 4));
    }
}

#[test]
fn what_goes_wrong_in_a_shared_process_costs_only_that_program() {
    let long = "head -c 5000 /dev/zero | tr '\\0' x";
    let flood = format!("line=$({long}); while :; do echo $line $line $line $line; done");
    for (what, how) in [
        ("a hang", "sleep 1000.5"),
        ("a crash", "echo oh >&2; exit 3"),
        ("a kill", "kill -9 $$"),
        ("a flood", flood.as_str()),
        ("an early end", "exit 0"),
        ("no answer", "continue"),
        ("another's name", "echo Parsing seed-0001.bpl"),
        ("the name once more", "echo Parsing $file"),
        ("half an answer", "echo Verifying p ...; exit 0"),
        ("talk", "echo careful >&2; sleep 0.3"),
        ("a failure", "answer=error"),
    ] {
        let sandbox = sandbox();
        let each = format!("case $together$file in 1*-0006*|1*-0021*) {how};; esac");
        fake(&sandbox, &each);
        let run = test(&sandbox, &["--time-limit", "2", "-j2"]);
        let report = json(&run);
        let seed = &report["seeds"][0];
        assert_eq!((run.code, &seed["answer"]), (0, &"robust".into()), "{what}: {run:?}");
        assert_eq!(seed["counts"]["judged"], 40, "{what}: {run:?}");
        assert_eq!(seed["counts"]["troubles"], 0, "{what}: {run:?}");
        let shared = log(&sandbox).iter().filter(|(together, _)| *together).count();
        assert!(shared > 0, "{what}: {shared}");
        assert_eq!(processes("1000.5"), [""; 0]);
    }
}

#[test]
fn what_goes_wrong_alone_is_what_counts() {
    let sandbox = sandbox();
    fake(&sandbox, "case $file in *-0006*) answer=error;; *-0009*) sleep 1000.6;; esac");
    let args = ["--time-limit", "1", "--confirm", "1", "-j2"];
    let shared = test(&sandbox, &args);
    assert_eq!(shared.code, 1, "{shared:?}");
    let kinds = &json(&shared)["seeds"][0]["by_kind"];
    assert_eq!(kinds.as_array().unwrap().len(), 2, "{kinds}");
    let plain = test(&sandbox, &[&args[..], &["--plain"]].concat());
    assert_eq!(without_settings(&shared), without_settings(&plain));
}

#[test]
fn differences_to_plain_runs_are_shouted_and_lose() {
    let sandbox = sandbox();
    // Mutant 3 fails only in a shared process, mutant 4 only alone.
    let each = "case $together$file in 1*-0003*|seed-0004*) answer=error;; esac";
    fake(&sandbox, each);
    let run = test(&sandbox, &["--cross-check", "1", "-j2"]);
    let report = json(&run);
    assert_eq!(report["seeds"][0]["counts"]["flips"], 1);
    let differences = report["cross_check"]["differences"].as_array().unwrap();
    assert_eq!(differences.len(), 2, "{differences:?}");
    // The seed has processes of its own.
    assert_eq!(report["cross_check"]["compared"], 40);
    assert!(run.stderr.contains("2 of 40 verdicts"), "{run:?}");

    let none = test(&sandbox, &[]);
    assert_eq!(json(&none)["cross_check"], Value::Null);
    let wrong = test(&sandbox, &["--cross-check", "1.5"]);
    assert_eq!(wrong.code, 2);
}

/// More of the definition: a solver with a tap.
const WITH_SOLVER: &str = "\
[[solver]]
name = 'z3'
title = 'Z3'
arguments = ['--solver={solver}']
[solver.program]
names = ['z3']
[solver.program.version]
arguments = ['--version']
pattern = 'Z3 version (\\S+)'
[solver.tap]
conversation = '-in'
";

/// A verifier that asks the solver about each program. In a shared process, everything that `leak`
/// prints is told in addition.
fn asking(sandbox: &Sandbox, leak: &str) {
    let definition = DEFINITION.replace("[program]", "marker = 'boogie-ground-axiom'\n[program]");
    fs::write(sandbox.path("fake.toml"), format!("{definition}{WITH_SOLVER}")).unwrap();
    let ask = format!(
        r#"number=$(sed -n 's/^axiom {{:keep}} 724901377 + \([0-9]*\) .*/\1/p' $file)
  {{ echo '(reset)'
    [ "$number" ] && {leak}
    [ "$number" ] && echo "(assert (= (+ 724901377 $number) (+ $number 724901377)))"
    echo '(assert true) (push 1) (check-sat)'; }} | "$solver" -in > answer
  [ $(cat answer) = sat ] || answer=error"#
    );
    fake(sandbox, &ask);
    let text = fs::read_to_string(sandbox.path("fake")).unwrap();
    let body = text.trim_start_matches("#!/bin/sh\n");
    script(sandbox, "fake", &format!("solver=${{1#--solver=}}; shift\n{body}"));
}

#[test]
fn what_tells_the_solver_something_else_in_a_shared_process_is_not_shared() {
    let sandbox = sandbox();
    asking(&sandbox, ":");
    let sound = test(&sandbox, &["-j2"]);
    assert_eq!(json(&sound)["settings"]["speed"]["tap"], true, "{sound:?}");
    assert!(!sound.stderr.contains("processes of their own"), "{sound:?}");
    let together = |processes: &[(bool, usize)]| -> usize {
        processes.iter().filter(|(together, _)| *together).map(|(_, programs)| programs).sum()
    };
    assert!(together(&log(&sandbox)) >= 36);

    // The first program of a process is as if it were alone, and the others are not.
    asking(&sandbox, "{ [ -e told ] && echo '(declare-const other Int)'; : > told; }");
    let plain = test(&sandbox, &["--plain"]);
    log(&sandbox);
    let mut bytes = Vec::new();
    for threads in ["-j1", "-j2", "-j5"] {
        let run = test(&sandbox, &[threads]);
        let words = "the mutants of 1 seed had processes of their own, because";
        assert!(run.stderr.contains(words), "{run:?}");
        let seed = &json(&run)["seeds"][0];
        assert_eq!(seed["unshared"], true);
        assert_eq!(seed["counts"], json(&plain)["seeds"][0]["counts"]);
        bytes.push(run.stdout);
        // Every mutant has a process of its own, whatever was tried before.
        let processes = log(&sandbox);
        let alone = processes.iter().filter(|(together, _)| !together).count();
        assert!(alone >= 40, "{processes:?}");
        let text = sandbox.run(&[&FAKE[..], &["--no-cache", "seed.bpl", "-n", "8"]].concat());
        assert!(text.stdout.contains("processes of their own: shared ones are not"), "{text:?}");
        log(&sandbox);
    }
    assert!(bytes.iter().all(|text| *text == bytes[0]));
}

/// Starts a test whose mutants take a while, and waits until some are done.
fn started(sandbox: &Sandbox, seconds: &str) -> Child {
    fake(sandbox, &format!("[ $together ] && {{ echo $file >> mutants; sleep {seconds}; }}"));
    let log = sandbox.path("mutants");
    let text = fs::read_to_string(sandbox.path("fake")).unwrap();
    let text = text.replace(">> mutants", &format!(">> {}", log.display()));
    script(sandbox, "fake", text.trim_start_matches("#!/bin/sh\n"));
    let args = ["--cache", "cache", "--format", "json", "seed.bpl", "-n", "40", "-j2"];
    let child = sandbox
        .command()
        .args(FAKE)
        .args(args)
        .env("TMPDIR", sandbox.path("temporary"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = || fs::read_to_string(&log).unwrap_or_default().lines().count();
    wait_until("some mutants are done", || lines() > 5);
    child
}

#[test]
fn an_interrupt_in_a_shared_process_keeps_what_is_known() {
    let sandbox = sandbox();
    let mut child = started(&sandbox, "0.2601");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(2));
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    assert!(report["seeds"][0]["counts"]["judged"].as_u64().unwrap() >= 2, "{text}");
    assert_eq!(processes("0.2601"), [""; 0]);
    assert_eq!(fs::read_dir(sandbox.path("temporary")).unwrap().count(), 0);
}

#[test]
fn a_kill_in_a_shared_process_leaves_nothing_and_keeps_what_is_known() {
    let sandbox = sandbox();
    let mut child = started(&sandbox, "0.2602");
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("the runs are gone", || processes("0.2602").is_empty());
    let temporary = sandbox.path("temporary");
    wait_until("their files are gone", || fs::read_dir(&temporary).unwrap().count() == 0);
    let mutants = || fs::read_to_string(sandbox.path("mutants")).unwrap();
    let before = mutants();
    let args = ["--cache", "cache", "--format", "json", "seed.bpl", "-n", "40", "-j2"];
    let run = sandbox.run(&[&FAKE[..], &args].concat());
    assert_eq!(run.code, 0, "{run:?}");
    let after = mutants();
    let repeated = after[before.len()..].lines().filter(|name| before.contains(name)).count();
    // Mutants whose runs were killed, or had just ended.
    assert!(repeated <= 4, "{before}---\n{after}");
}

/// Has verified, failed, rejected and multi-file mutants: Boogie 2.4 requires a polymorphic procedure
/// to come before the bodies that call it.
const MIXED: &str = "\
procedure swap<T>(x: T) returns (y: T);
procedure caller() { var a: int; call a := swap(3); }
";

#[test]
fn boogie_says_of_mutants_together_what_it_says_alone() {
    let mixed = format!("{BRITTLE}{MIXED}");
    let sandbox = Sandbox::new(&[("a.bpl", mixed)]);
    let run = |args: &[&str]| {
        let all = ["test", "a.bpl", "-n", "10", "--no-cache", "--format", "json"];
        sandbox.run(&[&all[..], &["--operators", "S1,S3,L5,add-unused"], args].concat())
    };
    let (shared, plain) = (run(&["--cross-check", "1"]), run(&["--plain"]));
    let mut together = without_settings(&shared);
    assert_eq!(together["cross_check"]["differences"], Value::Array(Vec::new()), "{shared:?}");
    assert!(together["cross_check"]["compared"].as_u64().unwrap() >= 8, "{shared:?}");
    together.as_object_mut().unwrap().remove("cross_check");
    // Only runs with the solver proxy report these two.
    let seed = together["seeds"][0].as_object_mut().unwrap();
    assert!(seed.remove("problems").is_some() && seed.remove("effort").is_some(), "{shared:?}");
    assert_eq!(together, without_settings(&plain));
    assert_eq!(together["seeds"][0]["by_kind"].as_array().unwrap().len(), 2, "{together:#}");
}

#[test]
fn a_kill_leaves_nothing_of_a_tapped_solver() {
    let sandbox = Sandbox::new(&[("a.bpl", BRITTLE)]);
    let temporary = sandbox.path("temporary");
    fs::create_dir(&temporary).unwrap();
    let mut child = sandbox
        .command()
        .args(["test", "a.bpl", "--no-cache", "-n", "40", "-j1"])
        .env("TMPDIR", &temporary)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Once a solver of a shared process has answered a query, a watchdog knows of it.
    let pattern = format!("{}/mugie-*/*/a-0002*.bpl", temporary.display());
    wait_until("the solver has answered", || {
        let mut seconds = glob::glob(&pattern).unwrap().flatten();
        seconds.any(|second| second.with_file_name(".mugie-queries.jsonl").exists())
    });
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("all files are gone", || fs::read_dir(&temporary).unwrap().count() == 0);
}
