//! Viper programs: what Carbon makes of them is tested as Carbon runs it, and the answer is about the `.vpr`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{Run, Sandbox, boogie_3, has, json, named_or_cached, root};

/// Carbon, and the Boogie 3 that it needs. Prints a message if there is none.
#[expect(clippy::print_stderr, reason = "a test says why it skips")]
fn carbon() -> Option<(PathBuf, PathBuf)> {
    let jar = named_or_cached("MUGIE_CARBON", "carbon/carbon.jar");
    let java = Command::new("java").arg("-version").output().is_ok();
    let (Some(jar), true) = (jar, java) else {
        eprintln!(
            "SKIPPED: Carbon or Java is not installed; `scripts/install-tools carbon` gets both"
        );
        return None;
    };
    Some((jar, boogie_3()?))
}

/// Runs mugie in a folder with Carbon.
fn run_in(folder: &Path, args: &[&str]) -> Option<Run> {
    let (jar, boogie) = carbon()?;
    let mut command = crate::support::command(folder);
    let output =
        command.env("MUGIE_CARBON", jar).env("MUGIE_BOOGIE", boogie).args(args).output().unwrap();
    Some(Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    })
}

/// The programs in a folder of fixtures, sorted.
fn programs(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

/// The usual distance between programs that are tested: all of them take minutes.
fn step(usual: usize) -> usize {
    if std::env::var_os("MUGIE_ALL_VIPER").is_some() { 1 } else { usual }
}

/// The names of the goals in a calibration. All must be as Carbon runs them, with the same work of the solver.
fn same_goals(seed: &Value) -> Vec<&str> {
    let goals = seed["calibration"]["goals"].as_array().unwrap();
    for goal in goals {
        assert_eq!(goal["tool"], goal["verifier"], "{goal}");
        assert_eq!(goal["queries"], "same", "{goal}");
        assert_eq!(goal["tool_resources"], goal["verifier_resources"], "{goal}");
    }
    goals.iter().map(|goal| goal["name"].as_str().unwrap()).collect()
}

#[test]
fn viper_programs_are_tested_as_carbon_runs_them() {
    let folder = root().join("fixtures/viper/verified");
    let names = programs(&folder);
    assert!(names.len() >= 5);
    for name in names.iter().step_by(step(3)) {
        let Some(run) = run_in(&folder, &["test", name, "-n", "2", "--json"]) else { return };
        let report = json(&run);
        let seed = &report["seeds"][0];
        assert_eq!((run.code, &seed["answer"]), (0, &Value::from("robust")), "{}", run.stderr);
        assert_eq!(report["verifier"]["options"]["profile"], "carbon");
        assert!(seed["origin"]["tool"].as_str().unwrap().starts_with("Carbon "), "{seed}");
        assert!(!same_goals(seed).is_empty(), "{name}");
    }
}

#[test]
fn goals_have_the_names_of_members() {
    let folder = root().join("fixtures/viper/verified");
    let args = ["test", "measure.vpr", "-n", "2", "--json", "--mutate", "all"];
    let Some(run) = run_in(&folder, &args) else { return };
    let report = json(&run);
    // Boogie calls them `power#definedness`, `state_1` and `power_termination_proof`.
    assert_eq!(same_goals(&report["seeds"][0]), ["power", "state", "power (termination)"]);
    let procedures = report["seeds"][0]["baseline"]["procedures"].as_array().unwrap();
    let mut names: Vec<&str> =
        procedures.iter().map(|it| it["procedure"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["power", "power (termination)", "state"]);
    // The comparison is kept, and members are chosen by these names.
    let args = ["test", "measure.vpr", "-n", "1", "--procedure", "state"];
    let run = run_in(&folder, &args).unwrap();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("1 procedure verified"), "{}", run.stdout);
}

/// The place of the single error that Carbon itself reports: `x.vpr:9:3`.
fn carbons_place(folder: &Path, name: &str) -> Option<String> {
    let (jar, boogie) = carbon()?;
    let mut command = Command::new("java");
    command.current_dir(folder).args(["-Xss32m", "-jar"]).arg(jar);
    command.arg("--boogieExe").arg(boogie).args(["--z3Exe", "/usr/bin/z3", name]);
    let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let errors: Vec<&str> = output.lines().filter(|line| line.starts_with("  [")).collect();
    let [error] = errors[..] else { panic!("{name}: {output}") };
    let (file, range) = error.rsplit_once('(').unwrap().1.split_once('@').unwrap();
    Some(format!("{file}:{}", range.split_once("--").unwrap().0.replace('.', ":")))
}

#[test]
fn places_are_those_that_carbon_prints() {
    let folder = root().join("fixtures/viper/errors");
    let names = programs(&folder);
    assert!(names.len() >= 2);
    for name in names.into_iter().step_by(step(2)) {
        let Some(run) = run_in(&folder, &["test", &name, "-n", "1", "--json"]) else { return };
        assert_eq!(run.code, 3, "{name}: {}", run.stderr);
        let report = json(&run);
        let seed = &report["seeds"][0];
        assert_eq!(seed["answer"], "seed-fails");
        same_goals(seed);
        let procedures = seed["baseline"]["procedures"].as_array().unwrap();
        let failures: Vec<&Value> =
            procedures.iter().filter_map(|it| it["failures"].as_array()).flatten().collect();
        let [failure] = failures[..] else { panic!("{name}: {seed}") };
        let place = &failure["seed_place"];
        let file = place["file"].as_str().unwrap();
        let place = format!("{file}:{}:{}", place["line"], place["column"]);
        assert_eq!(Some(place), carbons_place(&folder, &name));
        assert!(failure["element"].as_str().unwrap().contains(" might "), "{failure}");
    }
}

#[test]
fn a_place_in_an_imported_file_has_its_path() {
    let sandbox = Sandbox::new(&[(
        "main.vpr",
        "import \"lib/part.vpr\"\n\nmethod whole()\n{\n  part(0)\n}\n",
    )]);
    fs::create_dir(sandbox.path("lib")).unwrap();
    let part = "method part(x: Int)\n{\n  assert x > 0\n}\n";
    fs::write(sandbox.path("lib/part.vpr"), part).unwrap();
    let Some(run) = run_in(&sandbox.path(""), &["test", "main.vpr", "-n", "1"]) else { return };
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.stdout.contains("at lib/part.vpr:3:10"), "{}", run.stdout);
}

#[test]
fn options_that_carbon_gets_are_boogies_as_well() {
    let folder = root().join("fixtures/viper/verified");
    let carbon = ["--front-end-arg", "--boogieOpt", "--front-end-arg", "/vcsSplitOnEveryAssert"];
    let args = ["test", "marks.vpr", "-n", "1", "--json"];
    let Some(run) = run_in(&folder, &[&args[..], &carbon].concat()) else { return };
    let report = json(&run);
    let command = report["verifier"]["command"].as_array().unwrap();
    assert!(command.iter().any(|word| word == "/vcsSplitOnEveryAssert"), "{command:?}");
    same_goals(&report["seeds"][0]);
}

#[test]
fn what_is_wrong_is_said_with_a_remedy() {
    let sandbox = Sandbox::new(&[("broken.vpr", "method P( {}\n")]);
    let output = sandbox
        .command()
        .env("PATH", "/nonexistent")
        .env_remove("MUGIE_CARBON")
        .args(["test", "broken.vpr"])
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr.contains("Carbon was not found") && stderr.contains("pip download nagini"),
        "{stderr}"
    );
    let output = sandbox
        .command()
        .env("PATH", "/nonexistent")
        .args(["test", "broken.vpr", "--front-end", "carbon.jar"])
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("Java was not found") && stderr.contains("default-jre"), "{stderr}");
    let Some(run) = run_in(&sandbox.path(""), &["test", "broken.vpr"]) else { return };
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("Parse error") && run.stderr.contains("broken.vpr@1.11"));
    // What Boogie 2 prints with Debian's Z3 is not what Carbon expects.
    if has("boogie") {
        let sandbox = Sandbox::new(&[("ok.vpr", "method P(x: Int)\n{\n  assert x == x\n}\n")]);
        let args = ["test", "ok.vpr", "--program", "/usr/bin/boogie"];
        let run = run_in(&sandbox.path(""), &args).unwrap();
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains("a Boogie of version 3"), "{}", run.stderr);
    }
}
