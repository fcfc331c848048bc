//! `mugie minimise` on the command line.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{has, root};

/// A directory in which mugie runs, with a cache of its own.
struct Sandbox(TempDir);

#[derive(Debug)]
struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Sandbox {
    fn new(files: &[(&str, &str)]) -> Sandbox {
        let sandbox = Sandbox(tempfile::tempdir().unwrap());
        for (name, text) in files {
            fs::write(sandbox.path(name), text).unwrap();
        }
        sandbox
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mugie"));
        command.current_dir(self.0.path()).args(args);
        command.env("MUGIE_CACHE", self.path("cache")).env("NO_COLOR", "1");
        command.env("MUGIE_TRUST", "1");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, args: &[&str]) -> Run {
        let output = self.command(args).output().unwrap();
        let talk = String::from_utf8_lossy(&output.stderr);
        assert!(!talk.contains("mugie's own check"), "{talk}");
        Run {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The record in a folder.
    fn record(&self, folder: &str) -> Value {
        serde_json::from_str(&self.read(&format!("{folder}/minimal.json"))).unwrap()
    }

    /// Writes an executable script.
    fn script(&self, name: &str, body: &str) {
        fs::write(self.path(name), format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Whether Boogie verifies a file.
fn verifies(path: &Path) -> bool {
    let output = Command::new("boogie").arg("/nologo").arg(path).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(" verified, "), "{text}");
    text.contains(" 0 errors")
}

#[test]
fn the_example_becomes_two_axioms_their_functions_and_the_procedure() {
    if !has("boogie") {
        return;
    }
    let example = fs::read_to_string(root().join("examples/brittle.bpl")).unwrap();
    let mut source = example;
    for number in 0..2 {
        let _ = writeln!(
            source,
            "function f{number}(x: int): int;\naxiom f{number}({number}) > {number};\n\
             procedure q{number}(x: int) requires x > 0; {{ assert x > 0; }}"
        );
    }
    let sandbox = Sandbox::new(&[("brittle.bpl", source.as_str())]);
    // The mutant that swaps the two axioms.
    let args = ["minimise", "brittle.bpl", "--mutant", "5", "--operators", "S1", "--exhaustive"];
    let run = sandbox.run(&[&args[..], &["-j", "2"]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    let cause = "axiom #2 about `row` before axiom #1 about `above`";
    for fact in [cause, "procedure `pick` failed", "nothing smaller was found", "two more runs"] {
        assert!(run.stdout.contains(fact), "{fact}: {}", run.stdout);
    }
    let small = sandbox.read("brittle-0005.min/seed.bpl");
    let count = |word: &str| small.matches(word).count();
    assert_eq!((count("axiom"), count("function"), count("procedure")), (2, 1, 1), "{small}");
    assert!(verifies(&sandbox.path("brittle-0005.min/seed.bpl")));
    assert!(!verifies(&sandbox.path("brittle-0005.min/mutant.bpl")));
    let record = sandbox.record("brittle-0005.min");
    assert_eq!(record["minimal"]["cause"], cause);
    assert_eq!(record["minimal"]["confirmed"], true);
    // A second search takes its result from the first.
    let again = sandbox.run(&[&args[..], &["--json"]].concat());
    assert_eq!(serde_json::from_str::<Value>(&again.stdout).unwrap(), record);
    assert!(again.stderr.contains("earlier search"), "{}", again.stderr);
}

#[test]
fn an_anchor_breaks_by_its_operator() {
    if !has("boogie") {
        return;
    }
    let anchor = root().join("seeds/X_L5_assertions/L5_assertions.bpl");
    let anchor = fs::read_to_string(anchor).unwrap();
    let sandbox = Sandbox::new(&[("anchor.bpl", anchor.as_str())]);
    let args = ["minimise", "anchor.bpl", "--mutant", "1", "--operators", "L5", "--exhaustive"];
    let run = sandbox.run(&[&args[..], &["-j", "2", "--budget", "12", "--out", "small"]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    let record = sandbox.record("small");
    assert_eq!(record["minimal"]["edits"].as_array().unwrap().len(), 1, "{record}");
    assert_eq!(record["minimal"]["edits"][0]["operator"], "L5");
    assert!(verifies(&sandbox.path("small/seed.bpl")));
    assert!(!verifies(&sandbox.path("small/mutant.bpl")));
}

/// A program with many axioms.
fn haystack() -> String {
    let mut source = String::new();
    for number in 0..12 {
        let _ = writeln!(source, "function f{number}(x: int): int;");
        let _ = writeln!(source, "axiom (forall x: int :: f{number}(x) > {number});");
    }
    source + "procedure p(x: int) { assert x == x; assert f3(x) > 3; }\n"
}

/// A verifier for which `p` fails if the axiom of `f5` comes before that of `f1`. It runs the shell
/// code `before` first.
fn order_matters(before: &str) -> String {
    format!(
        "{before}
         say() {{ echo \"Verifying p ...  [1 proof obligation]  $1\"; echo \"it finished with $2\"; }}
         if awk '/f5.x. > 5/ {{a = NR}} /f1.x. > 1/ {{b = NR}} END {{exit !(a && b && a < b)}}' \"$@\"
         then say error '0 verified, 1 error'; else say verified '1 verified, 0 errors'; fi"
    )
}

const WITH_SCRIPT: [&str; 4] = ["--verifier", "command", "--program", "./verifier"];

/// The swap of the axioms of `f1` and `f5`: the 58th of the pairs `(0, 1), (0, 2), (1, 2), …`
const SWAP: [&str; 6] = ["seed.bpl", "--mutant", "59", "--operators", "S1", "--exhaustive"];

#[test]
fn mutants_on_disk_are_found_with_their_seed() {
    let sandbox = Sandbox::new(&[("seed.bpl", haystack().as_str())]);
    sandbox.script("verifier", &order_matters(""));
    let run = sandbox.run(&["mutate", "seed.bpl", "--operators", "S1", "--exhaustive", "-n", "60"]);
    assert_eq!(run.code, 0, "{run:?}");
    let minimise = |args: &[&str]| sandbox.run(&[&["minimise"], args, &WITH_SCRIPT].concat());
    let run = minimise(&["seed.mutants/seed-0059.bpl"]);
    assert_eq!(run.code, 0, "{run:?}");
    let small = sandbox.read("seed-0059.min/seed.bpl");
    assert_eq!(small.matches("axiom").count(), 2, "{small}");
    assert!(!small.contains("assert"), "{small}");
    // A mutant with several edits that `mugie test` kept.
    let test = ["test", "seed.bpl", "--operators", "S1", "-n", "40", "--out", "found"];
    assert_eq!(sandbox.run(&[&test[..], &WITH_SCRIPT].concat()).code, 1);
    let found: Value = serde_json::from_str(&sandbox.read("found/result.json")).unwrap();
    let flips = found["seeds"][0]["flips"].as_array().unwrap();
    let flip = flips.iter().max_by_key(|flip| flip["edits"].as_array().unwrap().len()).unwrap();
    let file = format!("found/seed/{}", flip["files"][0].as_str().unwrap());
    let run = minimise(&[&file, "--out", "small"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("about `f5` before axiom #1 about `f1`"), "{}", run.stdout);
    // The seed was moved.
    fs::rename(sandbox.path("seed.bpl"), sandbox.path("other.bpl")).unwrap();
    let run = minimise(&["seed.mutants/seed-0059.bpl", "--force"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("--from SEED"), "{}", run.stderr);
    let from = ["seed.mutants/seed-0059.bpl", "--force", "--from", "other.bpl"];
    assert_eq!(minimise(&from).code, 0);
    // A changed seed is not accepted as the seed of the mutant.
    fs::write(sandbox.path("other.bpl"), "axiom true;").unwrap();
    assert_eq!(minimise(&from).code, 2);
}

#[test]
fn what_cannot_be_minimised_is_said() {
    let sandbox = Sandbox::new(&[("seed.bpl", haystack().as_str()), ("broken.bpl", "axiom")]);
    sandbox.script("verifier", &order_matters(""));
    let minimise = |args: &[&str]| sandbox.run(&[&["minimise"], args, &WITH_SCRIPT].concat());
    let cases: [(&[&str], i32, &str); 7] = [
        (&["seed.bpl", "--mutant", "1", "--operators", "S1"], 2, "does not fail"),
        (&["seed.bpl"], 2, "there is no record of the seed"),
        (&["missing.bpl"], 2, "no such file"),
        (&["missing.bpl", "--mutant", "1"], 2, "no such file"),
        (&["broken.bpl", "--mutant", "1"], 2, "not a well-formed program"),
        (&["seed.bpl", "--mutant", "1", "--operators", "L2"], 2, "no mutant 1"),
        (&["seed.bpl", "--operators", "S1"], 2, "--mutant"),
    ];
    for (args, code, words) in cases {
        let run = minimise(args);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{args:?}: {run:?}");
        assert!(run.stderr.contains(words), "{args:?}: {}", run.stderr);
    }
    sandbox.script("verifier", "echo 'it finished with 0 verified, 1 error'");
    let run = minimise(&SWAP);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.stderr.contains("the seed does not verify"), "{}", run.stderr);
    sandbox.script("verifier", "echo nonsense");
    assert_eq!(minimise(&SWAP).code, 2);
    // A folder with other files is not touched.
    sandbox.script("verifier", &order_matters(""));
    fs::create_dir(sandbox.path("mine")).unwrap();
    fs::write(sandbox.path("mine/diary"), "").unwrap();
    let run = minimise(&[&SWAP[..], &["--out", "mine", "--force"]].concat());
    assert_eq!(run.code, 2, "{run:?}");
    assert_eq!(fs::read_dir(sandbox.path("mine")).unwrap().count(), 1);
}

/// Waits until a condition holds; panics after a minute.
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_mins(1), "waited in vain until {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// The number of processes with a marker among their arguments.
fn processes(marker: &str) -> usize {
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(marker)).count()
}

/// Starts a search with slow runs and waits until it has found a smaller pair.
fn under_way(sandbox: &Sandbox, marker: &str) -> Child {
    fs::create_dir(sandbox.path("temporary")).unwrap();
    let log = sandbox.path("log");
    sandbox
        .script("verifier", &order_matters(&format!("echo >> {}; sleep {marker}", log.display())));
    let args = [&["minimise"], &SWAP[..], &WITH_SCRIPT, &["--out", "small", "-j", "1"]].concat();
    let mut command = sandbox.command(&args);
    let child = command.env("TMPDIR", sandbox.path("temporary")).spawn().unwrap();
    wait_until("something is found", || sandbox.path("small/minimal.json").exists());
    let runs = || sandbox.read("log").lines().count();
    let before = runs();
    wait_until("the next run is under way", || runs() > before);
    child
}

#[test]
fn a_killed_search_keeps_its_best_pair_and_goes_on_from_it() {
    let sandbox = Sandbox::new(&[("seed.bpl", haystack().as_str())]);
    let mut child = under_way(&sandbox, "0.2611");
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("the runs are gone", || processes("sleep\x000.2611") == 0);
    let kept = sandbox.record("small");
    assert_eq!(kept["minimal"]["confirmed"], false);
    let lines = |record: &Value| record["minimal"]["lines"].as_u64().unwrap();
    assert!(lines(&kept) < 26, "{kept}");

    let runs = || sandbox.read("log").lines().count();
    let before = runs();
    let args = [&["minimise"], &SWAP[..], &WITH_SCRIPT, &["-j", "1"]].concat();
    let run = sandbox.run(&[&args[..], &["--out", "small"]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stderr.contains("resumes at"), "{}", run.stderr);
    let after = runs();
    let whole = sandbox.run(&[&args[..], &["--out", "whole", "--no-cache"]].concat());
    assert_eq!(whole.code, 0, "{whole:?}");
    for file in ["seed.bpl", "mutant.bpl"] {
        let [small, whole] =
            ["small", "whole"].map(|folder| sandbox.read(&format!("{folder}/{file}")));
        assert_eq!(small, whole);
    }
    // Known runs were not repeated, except those under way when the search was killed.
    let anew = runs() - after;
    assert!(after - before < anew, "{before} {after} {anew}");
}

#[test]
fn a_search_that_goes_on_ends_where_it_would_have_ended() {
    let sandbox = Sandbox::new(&[("seed.bpl", haystack().as_str())]);
    sandbox.script("verifier", &order_matters(""));
    let minimise = |args: &[&str]| {
        let run = sandbox.run(&[&["minimise"], &SWAP[..], &WITH_SCRIPT, args].concat());
        assert_eq!(run.code, 0, "{run:?}");
        run
    };
    minimise(&["--out", "whole"]);
    let runs = sandbox.record("whole")["minimal"]["runs"].as_u64().unwrap();
    // A budget ends a search at a chosen moment, as an interrupt would at any moment.
    for budget in (7..runs).step_by(3) {
        minimise(&["--out", "small", "--force", "--budget", &budget.to_string()]);
        let run = minimise(&["--out", "small"]);
        assert!(run.stderr.contains("resumes at"), "{budget}: {}", run.stderr);
        for file in ["minimal.json", "seed.bpl", "mutant.bpl"] {
            let [small, whole] =
                ["small", "whole"].map(|folder| sandbox.read(&format!("{folder}/{file}")));
            assert_eq!(small, whole, "{file} after a budget of {budget}");
        }
    }
}

#[test]
fn files_that_do_not_belong_to_the_record_are_mended() {
    let sandbox = Sandbox::new(&[("seed.bpl", haystack().as_str())]);
    sandbox.script("verifier", &order_matters(""));
    let args = [&["minimise"], &SWAP[..], &WITH_SCRIPT, &["--out", "small"]].concat();
    assert_eq!(sandbox.run(&args).code, 0);
    let small = sandbox.read("small/mutant.bpl");
    // The state after a kill between writing the record and writing the mutant.
    fs::write(sandbox.path("small/mutant.bpl"), "// larger").unwrap();
    fs::write(sandbox.path("small/.mugie-abcdef012345.tmp"), "").unwrap();
    let run = sandbox.run(&args);
    assert!(run.stderr.contains("earlier search"), "{run:?}");
    assert_eq!(sandbox.read("small/mutant.bpl"), small);
    assert_eq!(fs::read_dir(sandbox.path("small")).unwrap().count(), 3);
}

#[test]
fn an_interrupted_search_says_what_it_has() {
    let sandbox = Sandbox::new(&[("seed.bpl", haystack().as_str())]);
    let child = under_way(&sandbox, "0.2612");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let words = String::from_utf8(output.stdout).unwrap();
    assert!(words.contains("interrupted; run the same command again to continue"), "{words}");
    assert_eq!(sandbox.record("small")["minimal"]["ending"], "interrupted");
    assert_eq!(processes("sleep\x000.2612"), 0);
    assert_eq!(fs::read_dir(sandbox.path("temporary")).unwrap().count(), 0);
}

#[test]
fn the_budget_is_kept_and_more_of_it_goes_on() {
    let sandbox = Sandbox::new(&[("seed.bpl", haystack().as_str())]);
    sandbox.script("verifier", &order_matters(""));
    let minimise = |args: &[&str]| {
        let run = sandbox.run(&[&["minimise"], &SWAP[..], &WITH_SCRIPT, args].concat());
        assert_eq!(run.code, 0, "{run:?}");
        sandbox.record("seed-0059.min")["minimal"].clone()
    };
    let little = minimise(&["--budget", "9"]);
    assert_eq!(little["ending"], "budget-spent");
    assert!(little["runs"].as_u64().unwrap() <= 10, "{little}");
    let more = minimise(&["--budget", "300"]);
    assert_eq!(more["ending"], "done");
    let edits = minimise(&["--no-program", "--force"]);
    assert_eq!(edits["lines"], edits["lines_before"]);
}

#[test]
fn a_timeout_is_made_small_and_confirmed() {
    let sandbox = Sandbox::new(&[("seed.bpl", haystack().as_str())]);
    let hangs = "if awk '/f5.x. > 5/ {a = NR} /f1.x. > 1/ {b = NR} END {exit !(a && b && a < b)}' \
                 \"$@\"; then sleep 60; fi
                 echo 'Verifying p ...  [1 proof obligation]  verified'
                 echo 'it finished with 1 verified, 0 errors'";
    sandbox.script("verifier", hangs);
    let limits = ["--time-limit", "1", "--confirm", "1", "--budget", "30", "-j", "2"];
    let run = sandbox.run(&[&["minimise"], &SWAP[..], &WITH_SCRIPT, &limits].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("timed out"), "{run:?}");
    assert!(run.stdout.contains("by two more runs of each program"), "{run:?}");
    let minimal = &sandbox.record("seed-0059.min")["minimal"];
    assert_eq!(
        (&minimal["confirmed"], &minimal["symptom"]["outcome"]),
        (&true.into(), &"timed-out".into())
    );
    assert!(minimal["lines"].as_u64() < Some(10), "{minimal}");
}
