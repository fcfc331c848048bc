//! `mugie test`: with the real Boogie, and with verifiers that misbehave.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::{Run, Sandbox, processes, root, script, wait_until};

/// Verifies, and so do all its mutants.
pub(crate) const ROBUST: &str = "\
const a, b: int;
axiom a < b;
procedure p(x: int) returns (y: int)
  requires x > 0;
  requires x < 9;
  ensures y > x;
{
  if (x > 3) { y := x + 1; } else { y := x + 2; }
}
procedure q() { assert a != b; }
";

/// Verifies only with the clauses in this order: Boogie's inference processes them in turn.
pub(crate) const BRITTLE: &str = "\
procedure steady() { assert true; }

procedure q(i: int, j: int)
  requires j <= 5;
  requires i <= j;
{
  var k: int;
  k := i;
  while (*) { k := k - 1; }
  assert k <= 5;
}
";

/// A sandbox with a cache of its own.
fn sandbox(files: &[(&str, &str)]) -> Sandbox {
    Sandbox::new(files)
}

fn test_with(sandbox: &Sandbox, args: &[&str]) -> Run {
    let all = [&["test", "--cache", "cache"], args].concat();
    sandbox.run(&all)
}

const VERIFIED: &str = "echo 'it finished with 1 verified, 0 errors'";

/// Runs `mugie test` with a script as the verifier. `$mutant` is set for mutants, empty for the seed.
fn test_with_script(sandbox: &Sandbox, body: &str, args: &[&str]) -> Run {
    let body = format!("case \"$*\" in *-0*) mutant=1;; *) mutant=;; esac\n{body}");
    script(sandbox, "verifier", &body);
    let program = ["--verifier", "command", "--program", "./verifier"];
    test_with(sandbox, &[&program, args].concat())
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

#[test]
fn a_robust_seed_is_called_robust() {
    let sandbox = sandbox(&[("seed.bpl", ROBUST)]);
    let run = test_with(&sandbox, &["seed.bpl", "-n", "12"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.starts_with("seed.bpl is robust: 0 of 12 mutants fail"), "{}", run.stdout);
    assert!(run.stdout.contains("2 procedures verified by Boogie "), "{}", run.stdout);
}

#[test]
fn a_brittle_seed_is_called_brittle_with_procedure_place_and_change() {
    let sandbox = sandbox(&[("seed.bpl", BRITTLE)]);
    let args = ["seed.bpl", "--operators", "L5", "--exhaustive", "-n", "50"];
    let run = test_with(&sandbox, &args);
    assert_eq!(run.code, 1, "{run:?}");
    for fact in [
        "seed.bpl is BRITTLE: 1 of 2 programs fails",
        "q: 1 of 1",
        "L5 swap-clauses: 1 of 1",
        "assertion `assert k <= 5;` at seed.bpl:10:3",
        "  1. L5: swap ",
        "+  requires i <= j;",
        "mugie mutate seed.bpl --force -n 50 --operators L5 --exhaustive",
        "seed.mutants/seed-0001.bpl",
    ] {
        assert!(run.stdout.contains(fact), "{fact} is missing:\n{}", run.stdout);
    }
}

#[test]
fn the_commands_to_reproduce_a_failure_do_so() {
    let sandbox = sandbox(&[("seed.bpl", BRITTLE)]);
    let args = ["seed.bpl", "--operators", "L5", "--until-failure", "--format", "json"];
    let report = json(&test_with(&sandbox, &args));
    let commands = report["seeds"][0]["witness"]["reproduce"].as_array().unwrap();
    let mugie = Path::new(env!("CARGO_BIN_EXE_mugie")).parent().unwrap();
    let path = format!("{}:{}", mugie.display(), std::env::var("PATH").unwrap());
    let mut last = String::new();
    for command in commands {
        let output = Command::new("sh")
            .args(["-c", command.as_str().unwrap()])
            .env("PATH", &path)
            .current_dir(sandbox.path("."))
            .output()
            .unwrap();
        assert!(output.status.success(), "{command}: {output:?}");
        last = String::from_utf8(output.stdout).unwrap();
    }
    assert!(last.contains("finished with 1 verified, 1 error"), "{last}");
}

#[test]
fn a_seed_that_does_not_verify_is_not_tested() {
    let sandbox = sandbox(&[("seed.bpl", "procedure p() { assert false; }")]);
    let run = test_with(&sandbox, &["seed.bpl"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.stdout.contains("does not verify"), "{}", run.stdout);
    let run = test_with(&sandbox, &["seed.bpl", "-n", "3", "--failing"]);
    assert_eq!(run.code, 0, "{run:?}");
    let empty = Sandbox::new(&[("seed.bpl", "const c: int;")]);
    let run = test_with(&empty, &["seed.bpl"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.stdout.contains("nothing to verify"), "{}", run.stdout);
}

#[test]
fn a_failing_seed_with_a_verifying_mutant_is_brittle() {
    // A mutant of the brittle seed as the seed: its own mutant is the brittle seed.
    let swapped = BRITTLE.replace(
        "  requires j <= 5;\n  requires i <= j;\n",
        "  requires i <= j;\n  requires j <= 5;\n",
    );
    let sandbox = sandbox(&[("seed.bpl", &swapped)]);
    let args = ["seed.bpl", "--operators", "L5", "--exhaustive", "--failing", "--format", "json"];
    let run = test_with(&sandbox, &args);
    assert_eq!(run.code, 1, "{run:?}");
    let seed = &json(&run)["seeds"][0];
    assert_eq!(seed["question"], "does-a-mutant-pass");
    assert_eq!(seed["flips"][0]["outcome"], "verified");
}

#[test]
fn what_cannot_be_run_is_said_with_a_remedy() {
    let sandbox = sandbox(&[("seed.bpl", ROBUST), ("broken.bpl", "procedure p( {")]);
    let run = test_with(&sandbox, &["broken.bpl"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stdout.contains("not a well-formed program"), "{run:?}");
    assert!(run.stderr.contains("broken.bpl:1:"), "{run:?}");
    let run = test_with(&sandbox, &["missing.bpl"]);
    assert_eq!(run.code, 2, "{run:?}");
    let mut command = sandbox.command();
    let output = command.args(["test", "seed.bpl"]).env("PATH", "/nowhere").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(words.contains("apt-get install boogie"), "{words}");
    let run = test_with(&sandbox, &["seed.bpl", "--out", "."]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("has other files in it"), "{run:?}");
}

#[test]
fn several_seeds_get_a_line_each_and_a_summary() {
    let sandbox = sandbox(&[("a.bpl", ROBUST), ("b.bpl", BRITTLE), ("c.bpl", "procedure p( {")]);
    let run = test_with(&sandbox, &[".", "-n", "4", "--operators", "L5"]);
    assert_eq!(run.code, 1, "{run:?}");
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[0].contains("robust") && lines[0].contains("a.bpl"), "{}", run.stdout);
    assert!(lines[1].contains("TROUBLE") && lines[1].contains("c.bpl"), "{}", run.stdout);
    // An accusation comes after its controls.
    assert!(lines[2].contains("BRITTLE") && lines[2].contains("b.bpl"), "{}", run.stdout);
    assert!(run.stdout.contains("1 brittle, 1 robust, 1 could not be tested"), "{}", run.stdout);
}

#[test]
fn the_record_depends_on_neither_threads_nor_cache() {
    let sandbox = sandbox(&[("a.bpl", BRITTLE), ("b.bpl", ROBUST)]);
    let base = ["a.bpl", "b.bpl", "-n", "10"];
    test_with(&sandbox, &[&base[..], &["--out", "one", "-j", "1"]].concat());
    test_with(&sandbox, &[&base[..], &["--out", "again", "-j", "2"]].concat());
    let record =
        |folder: &str| fs::read_to_string(sandbox.path(folder).join("result.json")).unwrap();
    assert_eq!(record("one"), record("again"));
    // More threads divide the runs of a seed differently.
    for (folder, jobs) in [("two", "2"), ("four", "4")] {
        let more = ["--no-cache", "--out", folder, "-j", jobs];
        let run = sandbox.run(&[&["test"], &base[..], &more].concat());
        assert_eq!(run.code, 1, "{run:?}");
        assert_eq!(record("one"), record(folder));
    }
    // Every flip is kept, with the verifier's output.
    let report: Value = serde_json::from_str(&record("one")).unwrap();
    let flips = report["seeds"][0]["flips"].as_array().unwrap();
    assert!(!flips.is_empty());
    for flip in flips {
        let name = flip["mutant"].as_str().unwrap();
        let output = fs::read_to_string(sandbox.path(&format!("one/a/{name}.out"))).unwrap();
        assert!(output.contains("might not hold"), "{output}");
        for file in flip["files"].as_array().unwrap() {
            assert!(sandbox.path(&format!("one/a/{}", file.as_str().unwrap())).exists());
        }
    }
    let measured = fs::read_to_string(sandbox.path("again/measurements.jsonl")).unwrap();
    let rows: Vec<Value> =
        measured.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows.len() >= 26 && rows.iter().all(|row| row["cached"] == true), "{measured}");
}

#[test]
fn until_failure_stops_at_the_first_one_by_number() {
    let sandbox = sandbox(&[("seed.bpl", BRITTLE)]);
    let args = ["seed.bpl", "--until-failure", "--format", "json", "-j"];
    let one = test_with(&sandbox, &[&args[..], &["1"]].concat());
    let four = sandbox.run(&[&["test", "--no-cache"], &args[..], &["4"]].concat());
    assert_eq!((one.code, four.code), (1, 1), "{one:?}");
    assert_eq!(one.stdout, four.stdout);
    assert_eq!(json(&one)["seeds"][0]["counts"]["flips"], 1);
}

#[test]
fn the_sequential_rule_stops_when_the_answer_is_sure() {
    let sandbox = sandbox(&[("seed.bpl", ROBUST)]);
    let args = ["seed.bpl", "--confidence", "0.9", "--format", "json"];
    let seed = &json(&test_with_script(&sandbox, VERIFIED, &args))["seeds"][0];
    assert_eq!((&seed["grade"], &seed["counts"]["judged"]), (&"stable".into(), &29.into()));
    let failing =
        format!("[ $mutant ] && echo 'it finished with 0 verified, 1 error' || {VERIFIED}");
    let seed = &json(&test_with_script(&sandbox, &failing, &args))["seeds"][0];
    assert_eq!((&seed["grade"], &seed["counts"]["judged"]), (&"unstable".into(), &2.into()));
}

#[test]
fn formats_for_other_programs_come_out_whole() {
    let sandbox = sandbox(&[("seed.bpl", BRITTLE)]);
    let args = ["seed.bpl", "--operators", "L5", "--exhaustive", "--format"];
    let answer = |format| test_with(&sandbox, &[&args[..], &[format]].concat()).stdout;
    assert!(answer("junit").starts_with("<?xml version=\"1.0\""));
    let sarif: Value = serde_json::from_str(&answer("sarif")).unwrap();
    let region = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 10, "{sarif:#}");
    assert!(answer("github").starts_with("::error file=seed.bpl,line=10,"));
    let json = [&args[..args.len() - 1], &["--json"]].concat();
    assert_eq!(test_with(&sandbox, &json).stdout, answer("json"));
}

#[test]
fn layout_alone_can_be_what_breaks_a_proof() {
    let sandbox = sandbox(&[("seed.bpl", "procedure p() {\n\n\n assert true; }")]);
    // Fails if the first line has no opening brace.
    let body = "if head -n 1 $1 | grep -q '{'; then echo 'it finished with 1 verified, 0 errors'
                else echo 'it finished with 0 verified, 1 error'; fi";
    let run = test_with_script(&sandbox, body, &["seed.bpl"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("BRITTLE to layout alone"), "{}", run.stdout);
}

#[test]
fn misbehaviour_of_the_verifier_is_no_evidence() {
    let cases = [
        ("garbage", "head -c 100000 /dev/urandom", "matches no pattern"),
        ("silence", "exit 0", "printed nothing"),
        ("death", "kill -9 $$", "signal 9"),
        ("flood", "exec yes it finished with 1 verified, 0 errors", "printed more"),
        ("murder", "kill -9 $PPID; sleep 10", "its keeper ended early"),
    ];
    for (name, body, reason) in cases {
        let sandbox = sandbox(&[("seed.bpl", ROBUST)]);
        let run = test_with_script(&sandbox, body, &["seed.bpl"]);
        assert_eq!(run.code, 2, "{name}: {run:?}");
        assert!(run.stdout.contains(reason), "{name}: {}", run.stdout);
        // The same on mutants only is not a finding either.
        let body = format!("if [ $mutant ]; then {body}; else {VERIFIED}; fi");
        let run = test_with_script(&sandbox, &body, &["seed.bpl", "-n", "3"]);
        assert_eq!(run.code, 2, "{name}: {run:?}");
        assert!(run.stdout.contains("3 of 3 mutants have no verdict"), "{name}: {}", run.stdout);
    }
}

/// The verifier starts 30 processes, which end by themselves.
#[test]
fn too_many_processes_are_no_evidence() {
    let sandbox = sandbox(&[("seed.bpl", ROBUST)]);
    let body = format!("for n in $(seq 30); do sleep 10 & done; {VERIFIED}; wait");
    let run = test_with_script(&sandbox, &body, &["seed.bpl", "--process-limit", "20"]);
    assert_eq!(run.code, 2, "{run:?}");
    let reason = "the verifier had more than 20 processes and threads";
    assert!(run.stdout.contains(reason), "{}", run.stdout);
}

#[test]
fn a_verifier_that_stops_its_keeper_does_not_stop_mugie() {
    let sandbox = sandbox(&[("seed.bpl", ROBUST)]);
    let body = "kill -STOP $PPID; sleep 30";
    let args = ["seed.bpl", "--time-limit", "1", "--confirm", "0"];
    let run = test_with_script(&sandbox, body, &args);
    assert!(run.code > 1, "{run:?}");
    assert!(run.stdout.contains("timed out"), "{}", run.stdout);
}

#[test]
fn mutants_that_hang_or_devour_memory_are_failures() {
    let sandbox = sandbox(&[("seed.bpl", ROBUST)]);
    let body = format!("if [ $mutant ]; then sleep 100; else {VERIFIED}; fi");
    let args = ["seed.bpl", "-n", "2", "--time-limit", "0.3", "--format", "json", "--out", "out"];
    let run = test_with_script(&sandbox, &body, &args);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(json(&run)["seeds"][0]["by_kind"][0]["outcome"], "timed-out");
    // Each timeout was confirmed by two more runs.
    let measured = fs::read_to_string(sandbox.path("out/measurements.jsonl")).unwrap();
    let mutant = measured.lines().find(|line| line.contains("seed-0001")).unwrap();
    let mutant: Value = serde_json::from_str(mutant).unwrap();
    assert_eq!(mutant["runs"].as_array().unwrap().len(), 3);
    let devour = "x=x; while :; do x=$x$x; done";
    let body = format!("if [ $mutant ]; then {devour}; else {VERIFIED}; fi");
    let args = ["seed.bpl", "-n", "1", "--memory-limit", "100M", "--confirm", "0"];
    let run = test_with_script(&sandbox, &body, &args);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("1 out of memory"), "{}", run.stdout);
}

#[test]
fn a_timeout_that_does_not_happen_again_does_not_count() {
    let sandbox = sandbox(&[("seed.bpl", ROBUST)]);
    let marks = sandbox.path("marks");
    fs::create_dir(&marks).unwrap();
    // Each mutant hangs the first time only.
    let body = format!(
        "mark={}/$(basename $1)\n[ $mutant ] && [ ! -e $mark ] && touch $mark && sleep 100\n{VERIFIED}",
        marks.display()
    );
    let args = ["seed.bpl", "-n", "4", "--operators", "paper,S3=0", "--time-limit", "0.5"];
    let run = test_with_script(&sandbox, &body, &args);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(fs::read_dir(&marks).unwrap().count(), 4);
}

#[test]
fn a_verdict_that_changes_from_run_to_run_is_nondeterminism() {
    let sandbox = sandbox(&[("seed.bpl", ROBUST)]);
    let mark = sandbox.path("mark");
    let body = format!(
        "[ $mutant ] && [ ! -e {0} ] && touch {0} && echo 'it finished with 0 verified, 1 error' && exit
         {VERIFIED}",
        mark.display()
    );
    let args = ["seed.bpl", "-n", "80", "-j", "1"];
    let run = test_with_script(&sandbox, &body, &args);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("is failed in one run, verified in the next"), "{}", run.stdout);
    assert!(run.stdout.starts_with("seed.bpl is NONDETERMINISTIC"), "{}", run.stdout);
    // Nor is it a finding about a procedure or a place.
    for (format, is_told) in [("sarif", "nondeterministic"), ("junit", "(program)")] {
        let run = test_with_script(&sandbox, &body, &[&args[..], &["--format", format]].concat());
        assert!(run.stdout.contains(is_told), "{}", run.stdout);
        assert!(!run.stdout.contains("smallest change"), "{}", run.stdout);
    }
    // A seed without a stable verdict cannot be a baseline.
    fs::remove_file(&mark).unwrap();
    let run = test_with_script(&sandbox, &body.replace("[ $mutant ] && ", ""), &args);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("the seed itself has no stable verdict"), "{}", run.stdout);
}

#[test]
fn many_forced_timeouts_leave_nothing_behind() {
    let sandbox = sandbox(&[("seed.bpl", ROBUST)]);
    let temporary = sandbox.path("temporary");
    fs::create_dir(&temporary).unwrap();
    // A child in a session of its own that ignores the signals that can be ignored.
    let body = format!(
        "if [ $mutant ]; then setsid sh -c 'trap \"\" TERM INT HUP; sleep 77.123' & sleep 77.123
         else {VERIFIED}; fi"
    );
    script(&sandbox, "verifier", &format!("case \"$*\" in *-0*) mutant=1;; esac\n{body}"));
    let output = sandbox
        .command()
        .args(["test", "seed.bpl", "--verifier", "command", "--program", "./verifier"])
        .args(["-n", "60", "-j", "12", "--confirm", "0", "--time-limit", "1", "--no-cache"])
        .env("TMPDIR", &temporary)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("60 timed out"));
    assert_eq!(processes("77.123"), [""; 0]);
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
}

#[test]
fn a_seed_that_times_out_is_told_its_limit() {
    let sandbox = sandbox(&[("seed.bpl", ROBUST)]);
    script(&sandbox, "verifier", "sleep 60");
    let verifier = ["test", "seed.bpl", "--verifier", "command", "--program", "./verifier"];
    let limits = ["--time-limit", "1", "--confirm", "0", "--no-cache"];
    let run = sandbox.run(&[&verifier[..], &limits].concat());
    assert!(run.code == 3 && run.stdout.contains("it had 1 s: give it more time"), "{run:?}");
}

/// Starts a test with a verifier that takes a while for each mutant, and waits until some are done.
fn started(sandbox: &Sandbox, marker: &str, args: &[&str]) -> Child {
    let log = sandbox.path("log");
    let body =
        format!("basename $1 >> {}; [ $mutant ] && sleep {marker}; {VERIFIED}", log.display());
    let body = format!("case \"$*\" in *-0*) mutant=1;; esac\n{body}");
    script(sandbox, "verifier", &body);
    let child = sandbox
        .command()
        .args(["test", "--cache", "cache", "--verifier", "command", "--program", "./verifier"])
        .args(["seed.bpl", "-n", "30", "-j", "2"])
        .args(args)
        .env("TMPDIR", sandbox.path("temporary"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = || fs::read_to_string(&log).unwrap_or_default().lines().count();
    let enough = if marker.starts_with('0') { 10 } else { 3 };
    wait_until("some mutants are under way", || lines() > enough);
    child
}

#[test]
fn a_killed_test_leaves_nothing_and_goes_on_where_it_was() {
    let sandbox = sandbox(&[("seed.bpl", ROBUST)]);
    let temporary = sandbox.path("temporary");
    fs::create_dir(&temporary).unwrap();
    let mut child = started(&sandbox, "0.2501", &["--out", "out"]);
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("the runs are gone", || processes("0.2501").is_empty());
    wait_until("their files are gone", || fs::read_dir(&temporary).unwrap().count() == 0);
    assert!(!sandbox.path("out").exists());
    let log = sandbox.path("log");
    let runs = || -> Vec<String> {
        fs::read_to_string(&log).unwrap().lines().map(str::to_owned).collect()
    };
    let before = runs();

    let again = |args: &[&str]| {
        let program = ["--verifier", "command", "--program", "./verifier"];
        let seed = ["seed.bpl", "-n", "30", "-j", "2"];
        let run = sandbox.run(&[&["test"][..], args, &program, &seed].concat());
        assert_eq!(run.code, 0, "{run:?}");
        runs()
    };
    let after = again(&["--cache", "cache", "--out", "out"]);
    // Only runs that were under way when mugie was killed were started again.
    let repeated: Vec<&String> =
        after[before.len()..].iter().filter(|name| before.contains(name)).collect();
    assert!(repeated.len() <= 2, "{repeated:?}");
    again(&["--no-cache", "--out", "fresh"]);
    let record = |folder: &str| fs::read(sandbox.path(folder).join("result.json")).unwrap();
    assert_eq!(record("out"), record("fresh"));
}

#[test]
fn an_interrupted_test_says_what_it_knows() {
    let sandbox = sandbox(&[("seed.bpl", ROBUST)]);
    fs::create_dir(sandbox.path("temporary")).unwrap();
    let mut child = started(&sandbox, "0.2502", &["--format", "json"]);
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(2));
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    let seed = &report["seeds"][0];
    assert_eq!(seed["answer"], "interrupted");
    assert!(seed["counts"]["judged"].as_u64().unwrap() >= 5, "{text}");
    assert_eq!(processes("0.2502"), [""; 0]);
    assert_eq!(fs::read_dir(sandbox.path("temporary")).unwrap().count(), 0);
}

fn interrupt(child: &Child) {
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
}

#[test]
fn an_interrupt_ends_the_question_for_a_version() {
    let sandbox = sandbox(&[("seed.bpl", ROBUST)]);
    let asked = sandbox.path("asked");
    script(&sandbox, "boogie", &format!("touch {}; sleep 78.901", asked.display()));
    let mut child = sandbox
        .command()
        .args(["test", "seed.bpl", "--no-cache", "--program", "./boogie"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("it is asked", || asked.exists());
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(2));
    let mut words = String::new();
    child.stderr.take().unwrap().read_to_string(&mut words).unwrap();
    assert!(words.contains("interrupted"), "{words}");
    wait_until("the program is gone", || processes("78.901").is_empty());
}

#[test]
fn nobody_who_reads_ends_the_runs() {
    let sandbox = sandbox(&[("a.bpl", ROBUST), ("b.bpl", ROBUST), ("c.bpl", ROBUST)]);
    // The first seed ends soon; the others would take minutes.
    let body = format!("case $1 in a*) ;; *) sleep 79.012;; esac; {VERIFIED}");
    script(&sandbox, "verifier", &body);
    let mut child = sandbox
        .command()
        .args(["test", "a.bpl", "b.bpl", "c.bpl", "-n", "1", "-j", "1", "--time-limit", "1000"])
        .args(["--no-cache", "--verifier", "command", "--program", "./verifier"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    child.wait().unwrap();
    assert_eq!(processes("79.012"), [""; 0]);
}

#[test]
fn an_interrupt_asks_no_seed_that_was_not_opened() {
    // A thread that is idle during the first seed starts the next, but does not reach the last.
    let broken = "procedure p( {";
    let sandbox = sandbox(&[
        ("seed.bpl", ROBUST),
        ("b.bpl", ROBUST),
        ("c.bpl", ROBUST),
        ("broken.bpl", broken),
    ]);
    fs::create_dir(sandbox.path("temporary")).unwrap();
    let args = ["b.bpl", "c.bpl", "broken.bpl", "--format", "json"];
    let mut child = started(&sandbox, "5.2503", &args);
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(2));
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    let answers: Vec<_> = (0..4).map(|seed| &report["seeds"][seed]["answer"]).collect();
    assert_eq!(answers, ["interrupted"; 4], "{text}");
}

#[test]
fn an_answer_that_cannot_be_kept_is_printed() {
    let sandbox = sandbox(&[("seed.bpl", ROBUST)]);
    // The output folder is created by someone else while the test runs.
    let body = format!("mkdir -p {0}; touch {0}/other; {VERIFIED}", sandbox.path("out").display());
    let run = test_with_script(&sandbox, &body, &["seed.bpl", "-n", "1", "--out", "out"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stdout.contains("seed.bpl is robust"), "{run:?}");
    assert!(run.stderr.contains("has other files in it"), "{run:?}");
    let run = test_with_script(&sandbox, "echo never", &["seed.bpl", "--out", "seed.bpl/out"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stdout.is_empty() && run.stderr.contains("cannot write"), "{run:?}");
}

#[test]
fn commands_to_reproduce_a_failure_name_the_files_of_mutate() {
    let sandbox = sandbox(&[("a b.bpl", ROBUST), ("c.bpl", "const c: int;")]);
    let body = format!("[ $mutant ] && echo 'it finished with 0 verified, 1 error' || {VERIFIED}");
    for seeds in [&["a b.bpl"][..], &["a b.bpl", "c.bpl", "--together"]] {
        let args = [seeds, &["-n", "2", "--format", "json"]].concat();
        let report = json(&test_with_script(&sandbox, &body, &args));
        let commands = report["seeds"][0]["witness"]["reproduce"].as_array().unwrap();
        let mugie = Path::new(env!("CARGO_BIN_EXE_mugie")).parent().unwrap();
        let path = format!("{}:{}", mugie.display(), std::env::var("PATH").unwrap());
        let script = format!(
            "{} && {}",
            commands[0].as_str().unwrap(),
            commands[1].as_str().unwrap().replace(sandbox.path("verifier").to_str().unwrap(), "ls")
        );
        let mut command = Command::new("sh");
        command.args(["-c", &script]).env("PATH", &path).current_dir(sandbox.path("."));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{script}: {output:?}");
    }
}

#[test]
fn files_that_know_their_number_are_tested_on_any_number_of_threads() {
    let second = "#if FILE_1\nprocedure r(x: int) requires x > 0; { assert x > -1; }\n#endif\n";
    let sandbox = sandbox(&[("a.bpl", ROBUST), ("b.bpl", second)]);
    for jobs in ["2", "4"] {
        let args = ["a.bpl", "b.bpl", "--together", "-n", "3", "--no-cache", "--json", "-j", jobs];
        let run = sandbox.run(&[&["test"], &args[..]].concat());
        assert_eq!(run.code, 0, "{run:?}");
        let report = json(&run);
        let procedures = report["seeds"][0]["baseline"]["procedures"].as_array().unwrap();
        assert_eq!(procedures.len(), 3, "{run:?}");
    }
}

#[test]
fn a_cache_that_cannot_be_used_is_no_obstacle() {
    let sandbox = sandbox(&[("seed.bpl", ROBUST), ("cache", "a file, not a folder")]);
    let run = test_with_script(&sandbox, VERIFIED, &["seed.bpl", "-n", "2"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stderr.contains("verdicts are not cached"), "{run:?}");
}

#[test]
fn the_anchors_are_found_brittle_in_the_right_procedure() {
    let anchors = root().join("../shared/seeds/anchors");
    if !anchors.exists() {
        eprintln!(
            "SKIPPED: the_anchors_are_found_brittle_in_the_right_procedure: there is no \
             ../shared/seeds/anchors; `mugie test` is tried on examples/brittle.bpl only"
        );
        return;
    }
    let sandbox = Sandbox::empty();
    for (file, operator, procedure) in [
        ("G2a", "G2", "p"),
        ("L4a", "L3", "q"),
        ("L6assa", "L5", "a"),
        ("L6ensa", "L5", "u"),
        ("L6inva", "L5", "v"),
        ("L6reqa", "L5", "q"),
        ("L8a", "L6", "r"),
        ("S1a", "S1", "pick"),
        ("S6a", "S3", "pick"),
    ] {
        let path = anchors.join(format!("{file}.bpl"));
        let args = ["--operators", operator, "--until-failure", "--format", "json"];
        let run = test_with(&sandbox, &[&[path.to_str().unwrap()], &args[..]].concat());
        assert_eq!(run.code, 1, "{file}: {run:?}");
        let found = &json(&run)["seeds"][0]["by_procedure"][0]["procedure"];
        assert_eq!(found, procedure, "{file}");
    }
}

/// More orders of declarations than anybody tests without saying so.
const MANY: &str = "procedure p() { assert true; }
const a: int; const b: int; const c: int; const d: int; const e: int; const f: int;
";

#[test]
fn exhaustive_means_all_or_asks_for_a_number() {
    let sandbox = sandbox(&[("many.bpl", MANY), ("seed.bpl", BRITTLE)]);
    for command in ["test", "mutate"] {
        let run = sandbox.run(&[command, "many.bpl", "--operators", "S1", "--exhaustive"]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
        assert!(run.stderr.contains("the operators reach more than 1000 mutants"), "{run:?}");
        assert!(run.stderr.contains("say how many to take with -n"), "{run:?}");
    }
    let made = |number: &str| {
        let words = ["mutate", "many.bpl", "--operators", "S1", "--exhaustive", "--force", "-n"];
        sandbox.run(&[&words[..], &[number]].concat()).stderr
    };
    assert!(made("3").contains("3 mutants, the nearest to the seed: there are more"));
    // A set that is cut off is no sample.
    let args = ["many.bpl", "--operators", "S1", "--exhaustive", "-n", "3"];
    let run = test_with(&sandbox, &args);
    assert_eq!(run.code, 0, "{run:?}");
    let words = "0 of 3 mutants fail; there are more, which were not tested";
    assert!(run.stdout.contains(words), "{run:?}");
    let report = json(&test_with(&sandbox, &[&args[..], &["--format", "json"]].concat()));
    let seed = &report["seeds"][0];
    assert_eq!(seed["share"]["interval"], Value::Null, "{seed}");
    assert_eq!(seed["counts"]["complete"], false, "{seed}");
    // All, although not more than all were asked for.
    for number in [&["-n", "1"][..], &[]] {
        let args = [&["seed.bpl", "--operators", "L5", "--exhaustive"], number].concat();
        let run = test_with(&sandbox, &args);
        assert!(run.stdout.contains("1 of 2 programs fails, counting"), "{run:?}");
    }
}

#[test]
fn one_answer_has_one_meaning_of_95_percent() {
    let sandbox = sandbox(&[("seed.bpl", ROBUST)]);
    let run = test_with(&sandbox, &["seed.bpl", "--confidence", "0.9"]);
    assert_eq!(run.code, 0, "{run:?}");
    // 29 mutants without a failure: 1 - 0.05^(1/29), one-sided as the rule that ended the test.
    let bound = "0 of 29 mutants fail; at most 9.8 % of such mutants do, with 95 % confidence";
    assert!(run.stdout.contains(bound), "{run:?}");
    let rule = "at least 90 % of such mutants agree with the seed, with 95 % confidence";
    assert!(run.stdout.contains(rule), "{run:?}");
}
