//! What CI needs of `mugie test`: known findings, changes since a revision, shares for several machines, limits of
//! work and of time, and the action for GitHub.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{Run, Sandbox, has, has_program, json, root};

/// A program with an axiom that only helps before another one, and one without.
fn brittle_and_max() -> Sandbox {
    let text = |name: &str| fs::read_to_string(root().join("examples").join(name)).unwrap();
    Sandbox::new(&[("brittle.bpl", text("brittle.bpl")), ("max.bpl", text("max.bpl"))])
}

/// The options under which some mutants of `brittle.bpl` fail.
const ORDERS: [&str; 5] = ["--operators", "S1", "-n", "4", "--no-cache"];

fn test(sandbox: &Sandbox, args: &[&str]) -> Run {
    sandbox.run(&[&["test"], args, &ORDERS].concat())
}

/// Runs git in a sandbox.
#[track_caller]
fn git(sandbox: &Sandbox, args: &[&str]) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    let mut command = Command::new("git");
    command.args(identity).args(args).current_dir(sandbox.path("."));
    // No settings of the user or the machine.
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
}

/// Commits everything.
fn commit(sandbox: &Sandbox) {
    git(sandbox, &["add", "--all"]);
    git(sandbox, &["commit", "--quiet", "--message", "a state"]);
}

fn names(report: &Value) -> Vec<&str> {
    report["seeds"].as_array().unwrap().iter().map(|seed| seed["name"].as_str().unwrap()).collect()
}

#[test]
fn only_new_findings_fail() {
    if !has("boogie") {
        return;
    }
    let sandbox = brittle_and_max();
    let both = ["brittle.bpl", "max.bpl"];
    let known = ["--baseline", "known.toml"];
    let run = test(&sandbox, &[&both[..], &known].concat());
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("write it with --update-baseline"), "{run:?}");

    let update = [&known[..], &["--update-baseline"]].concat();
    let run = test(&sandbox, &[&both[..], &update].concat());
    assert_eq!(run.code, 0, "{run:?}");
    let list = fs::read_to_string(sandbox.path("known.toml")).unwrap();
    for line in [
        "program = \"brittle.bpl\"",
        "procedure = \"pick\"",
        "verifier = \"boogie 2.4.1\"",
        "reason = ",
    ] {
        assert!(list.contains(line), "{list}");
    }
    let run = test(&sandbox, &[&both[..], &known].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.ends_with("\nno new finding; 1 is known in known.toml\n"), "{run:?}");

    // Another finding is new.
    fs::copy(sandbox.path("brittle.bpl"), sandbox.path("new.bpl")).unwrap();
    let run = test(&sandbox, &[&["brittle.bpl", "new.bpl"][..], &known].concat());
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("new:\n  new.bpl, pick: brittle proof\n"), "{run:?}");
    let run = test(&sandbox, &["brittle.bpl", "new.bpl", "--format", "sarif", known[0], known[1]]);
    let results = json(&run)["runs"][0]["results"].clone();
    let states = results.as_array().unwrap().iter().map(|it| it["baselineState"].as_str().unwrap());
    assert_eq!(states.collect::<Vec<_>>(), ["unchanged", "new"]);
    assert_eq!(results[0]["suppressions"][0]["kind"], "external");

    // What is found no more is said, and stays until the list is written anew; so do programs of other tests.
    let text = fs::read_to_string(sandbox.path("brittle.bpl")).unwrap();
    let steady = text.replace("ensures o > row[i]", "ensures true");
    assert_ne!(steady, text);
    fs::write(sandbox.path("brittle.bpl"), steady).unwrap();
    let run = test(&sandbox, &[&both[..], &known].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("found no more"), "{run:?}");
    test(&sandbox, &[&["max.bpl"][..], &update].concat());
    assert_eq!(fs::read_to_string(sandbox.path("known.toml")).unwrap(), list);
    test(&sandbox, &[&both[..], &update].concat());
    let empty = fs::read_to_string(sandbox.path("known.toml")).unwrap();
    assert!(!empty.contains("[[known]]"), "{empty}");

    // Other options make another tool.
    fs::write(sandbox.path("brittle.bpl"), text).unwrap();
    fs::write(sandbox.path("known.toml"), &list).unwrap();
    let run = test(&sandbox, &[&both[..], &known, &["--arg", "/trace"]].concat());
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("stale, and not counted"), "{run:?}");

    let run = test(&sandbox, &[&both[..], &known, &["--until-failure"]].concat());
    assert_eq!(run.code, 2, "{run:?}");
}

#[test]
fn shards_together_are_the_whole_test() {
    if !has("boogie") {
        return;
    }
    let sandbox = brittle_and_max();
    fs::copy(sandbox.path("max.bpl"), sandbox.path("other.bpl")).unwrap();
    let whole = test(&sandbox, &[".", "--out", "whole"]);
    assert_eq!(whole.code, 1, "{whole:?}");
    let expected = fs::read_to_string(sandbox.path("whole/result.json")).unwrap();
    // With a cold cache, the same programs give the same bytes.
    let again = test(&sandbox, &[".", "--json"]);
    assert_eq!(again.stdout, expected);

    let mut tested = Vec::new();
    for (shard, out) in [("1/2", "one"), ("2/2", "two")] {
        let run = test(&sandbox, &[".", "--shard", shard, "--out", out, "-j", "1"]);
        assert!(run.code < 2, "{run:?}");
        let result = fs::read_to_string(sandbox.path(out).join("result.json")).unwrap();
        let result: Value = serde_json::from_str(&result).unwrap();
        tested.extend(names(&result).into_iter().map(str::to_owned));
    }
    tested.sort();
    assert_eq!(tested, ["brittle.bpl", "max.bpl", "other.bpl"]);
    let merged = sandbox.run(&["merge", "two", "one", "--json"]);
    assert_eq!((merged.code, merged.stdout.as_str()), (1, expected.as_str()));
    for format in ["text", "junit", "sarif", "github", "markdown"] {
        let [whole, merged] = [&["whole"][..], &["two", "one/result.json"]]
            .map(|results| sandbox.run(&[&["merge"], results, &["--format", format]].concat()));
        assert_eq!(whole.stdout, merged.stdout, "{format}");
        assert_eq!((whole.code, merged.code), (1, 1), "{format}");
    }

    // A missing shard is no success.
    let missing = sandbox.run(&["merge", "two", "--json"]);
    let answers = json(&missing);
    assert_eq!(names(&answers), ["brittle.bpl", "max.bpl", "other.bpl"]);
    assert!(missing.stderr.contains("shard 1 is missing"), "{missing:?}");
    assert!(missing.code > 0, "{missing:?}");
    let twice = sandbox.run(&["merge", "one", "one"]);
    assert_eq!(twice.code, 2, "{twice:?}");
    assert!(twice.stderr.contains("shard 1 is given twice"), "{twice:?}");
    let others = sandbox.run(&["merge", "whole", "one"]);
    assert!(others.stderr.contains("it is no shard"), "{others:?}");
}

#[test]
fn only_what_changed_since_a_revision_is_tested() {
    if !has("boogie") || !has_program("git") {
        return;
    }
    let two = "procedure p() { assert true; }\nprocedure q(x: int) { assert x == x; }\n";
    let sandbox =
        Sandbox::new(&[("two.bpl", two), ("one.bpl", "procedure p() { assert true; }\n")]);
    let since = |revision: &str| {
        let args = ["test", ".", "--since", revision, "-n", "2", "--no-cache", "--json"];
        sandbox.run(&args)
    };
    let outside = since("HEAD");
    assert_eq!(outside.code, 2, "{outside:?}");
    assert!(outside.stderr.contains("leave out --since"), "{outside:?}");
    git(&sandbox, &["init", "--quiet"]);
    commit(&sandbox);
    let unknown = since("no-such-branch");
    assert_eq!(unknown.code, 2, "{unknown:?}");
    assert!(
        unknown.stderr.contains("git does not know the revision `no-such-branch`"),
        "{unknown:?}"
    );
    assert!(unknown.stderr.contains("git fetch"), "{unknown:?}");

    let nothing = since("HEAD");
    assert_eq!((nothing.code, names(&json(&nothing)).len()), (0, 0), "{nothing:?}");
    assert!(nothing.stderr.contains("0 of 2 programs changed"), "{nothing:?}");

    // A change of a body: its procedure only, committed or not. A new file: all of it.
    fs::write(sandbox.path("two.bpl"), two.replace("x == x", "x <= x")).unwrap();
    fs::write(sandbox.path("new.bpl"), two).unwrap();
    let changed = since("HEAD");
    let report = json(&changed);
    assert_eq!((changed.code, names(&report)), (0, vec!["new.bpl", "two.bpl"]), "{changed:?}");
    let procedures =
        |seed: usize| report["seeds"][seed]["baseline"]["procedures"].as_array().unwrap().len();
    assert_eq!((procedures(0), procedures(1)), (2, 1), "{report}");
    assert_eq!(report["seeds"][1]["baseline"]["procedures"][0]["procedure"], "q");
    commit(&sandbox);
    assert_eq!(names(&json(&since("HEAD^"))), ["new.bpl", "two.bpl"]);
    // Anything but a body concerns all procedures; a remark concerns none.
    fs::write(sandbox.path("two.bpl"), format!("axiom 0 < 1;\n{two}")).unwrap();
    let report = json(&since("HEAD"));
    assert_eq!(report["seeds"][0]["baseline"]["procedures"].as_array().unwrap().len(), 2);
    fs::write(
        sandbox.path("two.bpl"),
        format!("// A remark.\n{}", two.replace("x == x", "x <= x")),
    )
    .unwrap();
    assert_eq!(names(&json(&since("HEAD"))).len(), 0);
}

#[test]
fn included_files_count_as_changed() {
    if !has_program("git") || !has("boogie") {
        return;
    }
    let sandbox = Sandbox::new(&[
        ("a.dfy", "include \"b.dfy\"\nmethod A() ensures true {}\n"),
        ("b.dfy", "method B() ensures true {}\n"),
        ("c.dfy", "method C() ensures true {}\n"),
    ]);
    git(&sandbox, &["init", "--quiet"]);
    commit(&sandbox);
    fs::write(sandbox.path("b.dfy"), "method B() ensures 1 < 2 {}\n").unwrap();
    // Whether Dafny is installed does not matter for what has changed.
    let run =
        sandbox.run(&["test", "a.dfy", "c.dfy", "--since", "HEAD", "-n", "1", "--no-calibration"]);
    assert!(run.stderr.contains("1 of 2 programs changed since HEAD"), "{run:?}");
}

#[test]
fn a_test_ends_in_time_and_says_what_is_not_tested() {
    if !has("boogie") {
        return;
    }
    let sandbox = brittle_and_max();
    let run = sandbox.run(&[
        "test",
        "max.bpl",
        "-n",
        "100000",
        "--no-cache",
        "--max-time",
        "4",
        "--json",
    ]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("the time is over"), "{run:?}");
    let report = json(&run);
    assert_eq!(report["seeds"][0]["answer"], "interrupted");
    let reason = report["seeds"][0]["reason"].as_str().unwrap();
    assert!(reason.starts_with("the time of 4 s was over"), "{reason}");
    assert!(report["seeds"][0]["help"].as_str().unwrap().contains("--max-time"));
    // A seed whose turn never came is in the report; what was found counts.
    let args =
        ["brittle.bpl", "max.bpl", "--operators", "S1", "--exhaustive", "-n", "100000", "-j", "1"];
    let run = sandbox
        .run(&[&["test"], &args[..], &["--no-cache", "--max-time", "0.05", "--json"]].concat());
    assert_eq!(run.code, 2, "{run:?}");
    assert_eq!(names(&json(&run)), ["brittle.bpl", "max.bpl"]);
}

#[test]
fn more_work_than_allowed_is_a_finding() {
    if !has("boogie") {
        return;
    }
    let sandbox = brittle_and_max();
    let args = ["test", "max.bpl", "-n", "8", "--max-effort"];
    let generous = sandbox.run(&[&args[..], &["100", "--json"]].concat());
    assert_eq!(generous.code, 0, "{generous:?}");
    let report = json(&generous);
    let effort = &report["seeds"][0]["effort"][0];
    assert!(effort["most"].as_u64() > effort["seed"].as_u64(), "{effort}");
    let mutant = effort["most_in"].as_str().unwrap();
    let strict = sandbox.run(&[&args[..], &["1", "--json"]].concat());
    assert_eq!(strict.code, 1, "{strict:?}");
    let report = json(&strict);
    assert_eq!(report["seeds"][0]["answer"], "beyond-limit");
    assert_eq!(report["seeds"][0]["effort"][0]["beyond"], true);
    assert!(report["seeds"][0]["reason"].as_str().unwrap().contains(mutant));
    let sarif = json(&sandbox.run(&[&args[..], &["1", "--format", "sarif"]].concat()));
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "beyond-limit");
    assert!(sarif["runs"][0]["properties"]["solverWork"][0]["times"].as_f64() > Some(1.0));
    let junit = sandbox.run(&[&args[..], &["1", "--format", "junit"]].concat());
    assert!(junit.stdout.contains("<property name=\"solver-work Max\" value=\"1."), "{junit:?}");
    assert!(junit.stdout.contains("type=\"beyond-limit\""), "{junit:?}");
    // Such a finding can be known as well.
    let known = [&args[..], &["1", "--baseline", "known.toml", "--update-baseline"]].concat();
    assert_eq!(sandbox.run(&known).code, 0);
    assert_eq!(sandbox.run(&[&args[..], &["1", "--plain"]].concat()).code, 2);
}

/// A part of `action.yml`, as JSON: its parser is Python's.
#[expect(clippy::print_stderr, reason = "a test says why it skips")]
fn action() -> Option<Value> {
    let program = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))";
    let mut python = Command::new("python3");
    let output = python.args(["-c", program]).arg(root().join("action.yml")).output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else {
        eprintln!("SKIPPED: python3 with its module yaml is not installed");
        return None;
    };
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// Runs the step that tests, as GitHub runs it.
fn run_step(sandbox: &Sandbox, step: &Value, inputs: &[(&str, &str)], all: &Value) -> Run {
    fs::write(sandbox.path("step.sh"), step["run"].as_str().unwrap()).unwrap();
    for file in ["summary.md", "output.txt"] {
        fs::write(sandbox.path(file), "").unwrap();
    }
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-eo", "pipefail", "step.sh"]);
    command.current_dir(sandbox.path(".")).stdin(Stdio::null());
    let programs = Path::new(env!("CARGO_BIN_EXE_mugie")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    command.env("PATH", path).env("MUGIE_CACHE", sandbox.path("cache"));
    command.env("GITHUB_STEP_SUMMARY", sandbox.path("summary.md"));
    command.env("GITHUB_OUTPUT", sandbox.path("output.txt"));
    command.env("GITHUB_ACTION_PATH", root());
    for (variable, value) in step["env"].as_object().into_iter().flatten() {
        let input = value.as_str().unwrap().trim_matches(['$', '{', '}', ' ']);
        let input = input.strip_prefix("inputs.").unwrap();
        let given = inputs.iter().find(|(name, _)| *name == input).map(|(_, value)| *value);
        let about = all.get(input).unwrap_or_else(|| panic!("there is no input {input}"));
        command.env(variable, given.or_else(|| about["default"].as_str()).unwrap());
    }
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

#[test]
fn the_action_annotates_and_writes_a_summary() {
    let Some(action) = action() else { return };
    if !has("boogie") {
        return;
    }
    assert_eq!(action["runs"]["using"], "composite");
    let steps = action["runs"]["steps"].as_array().unwrap();
    for step in steps {
        assert!(
            step["uses"].is_string() != (step["run"].is_string() && step["shell"] == "bash"),
            "{step}"
        );
    }
    let sandbox = brittle_and_max();
    let installed = steps.iter().find(|step| step["name"] == "Install mugie").unwrap();
    let run = run_step(&sandbox, installed, &[], &action["inputs"]);
    assert_eq!(run.code, 0, "{run:?}");
    let step = steps.iter().find(|step| step["id"] == "test").unwrap();
    let arguments = ("arguments", "--operators S1 -n 4");
    let inputs = [("programs", "brittle.bpl\nmax.bpl\n"), arguments];
    let run = run_step(&sandbox, step, &inputs, &action["inputs"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.starts_with("::error file=brittle.bpl,"), "{run:?}");
    let summary = fs::read_to_string(sandbox.path("summary.md")).unwrap();
    assert!(summary.starts_with("## 1 finding\n"), "{summary}");
    assert_eq!(
        fs::read_to_string(sandbox.path("output.txt")).unwrap(),
        "exit-code=1\nresult=mugie-result\n"
    );
    let sarif = fs::read_to_string(sandbox.path("mugie-result/result.sarif")).unwrap();
    assert!(sarif.contains("brittle-proof"), "{sarif}");

    // All the other inputs.
    git(&sandbox, &["init", "--quiet"]);
    commit(&sandbox);
    fs::write(sandbox.path("known.toml"), "format = 1\n").unwrap();
    let max = fs::read_to_string(sandbox.path("max.bpl")).unwrap();
    fs::write(sandbox.path("max.bpl"), format!("{max}\naxiom 0 < 1;\n")).unwrap();
    let inputs = [
        ("programs", "."),
        arguments,
        ("baseline", "known.toml"),
        ("since", "HEAD"),
        ("shard", "1/1"),
        ("max-time", "500"),
        ("max-effort", "1000"),
        ("out", "other place"),
    ];
    let run = run_step(&sandbox, step, &inputs, &action["inputs"]);
    assert_eq!(run.code, 0, "{run:?}");
    let summary = fs::read_to_string(sandbox.path("summary.md")).unwrap();
    assert!(summary.starts_with("## No new brittle proof\n\n1 program,"), "{summary}");
    let run = run_step(
        &sandbox,
        step,
        &[("programs", "missing.bpl"), ("arguments", "--no-such-option")],
        &action["inputs"],
    );
    assert_eq!(run.code, 2, "{run:?}");
    let summary = fs::read_to_string(sandbox.path("summary.md")).unwrap();
    assert!(summary.contains("could not run"), "{summary}");
}
