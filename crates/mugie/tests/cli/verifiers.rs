//! `mugie verifiers`, on a machine whose programs are scripts.

#![cfg(unix)]

use std::fs;
use std::process::{Command, Stdio};

use crate::support::{Run, Sandbox, root};

const Z3: &str = "Z3 version 4.8.12 - 64 bit";
const BOOGIE: &str = "Boogie program verifier version 2.4.1.10503, Copyright (c) 2003-2014";

/// A sandbox with programs in `bin`, each of which prints a line.
fn machine(programs: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.path("bin")).unwrap();
    for (name, answer) in programs {
        // A shell writes the file: had this process opened it for writing, a program that another
        // thread starts meanwhile would inherit the open file, and the script could not be run.
        let write = format!("printf '#!/bin/sh\\necho \"{answer}\"\\n' >$0 && chmod 755 $0");
        let mut shell = Command::new("sh");
        shell.args(["-c", &write]).arg(sandbox.path(&format!("bin/{name}")));
        assert!(shell.status().unwrap().success());
    }
    sandbox
}

/// Runs `mugie verifiers` with only these programs and settings available.
fn run(sandbox: &Sandbox, args: &[&str], variables: &[(&str, &str)]) -> Run {
    let mut command = sandbox.command();
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"MUGIE_") {
            command.env_remove(name);
        }
    }
    command.env("PATH", sandbox.path("bin")).env("XDG_CONFIG_HOME", sandbox.path("config"));
    command.envs(variables.iter().copied()).arg("verifiers").args(args);
    let output = command.output().unwrap();
    let place = format!("{}/", sandbox.path("").canonicalize().unwrap().display());
    let text = |bytes| String::from_utf8(bytes).unwrap().replace(&place, "");
    Run {
        code: output.status.code().unwrap(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

#[test]
fn what_is_installed_is_listed() {
    let cvc5 = "This is cvc5 version 1.0.3";
    let sandbox = machine(&[("boogie", BOOGIE), ("z3", Z3), ("cvc5", cvc5)]);
    let run = run(&sandbox, &[], &[]);
    assert_eq!(
        run.stdout,
        "\
boogie    Boogie 2.4.1   bin/boogie
  z3      Z3 4.8.12      bin/z3 (default)
  cvc4    not found      apt-get install cvc4, or set MUGIE_CVC4
  cvc5    cvc5 1.0.3     bin/cvc5 (only with Boogie >=3)
  profile carbon: as Viper's Carbon runs it
  profile dafny-4: as Dafny 4 runs it (not with this version)
  profile move: as the Move Prover runs it (not with this version)
  The Boogie program verifier, versions 2 and 3; shipped with mugie

command   not found      set MUGIE_COMMAND to its path
  Any program that takes Boogie files; shipped with mugie

cvc5      cvc5 1.0.3     bin/cvc5
  The cvc5 solver, on SMT-LIB queries; shipped with mugie

why3      not found      apt-get install --no-install-recommends why3, or set MUGIE_WHY3
  z3      Z3 4.8.12      bin/z3 (default)
  cvc4    not found      apt-get install cvc4, or set MUGIE_CVC4
  profile cvc4: Why3's own options for CVC4, without its limit of time
  profile z3: Why3's own options for Z3, without its limit of time
  profile z3-ematching: Z3 without model-based instantiation, as near as can be to how Boogie uses it
  The Why3 platform, with the prover of your choice; shipped with mugie

z3        Z3 4.8.12      bin/z3
  The Z3 solver, on SMT-LIB queries; shipped with mugie
"
    );
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}

#[test]
fn what_is_missing_comes_with_the_command_to_install_it() {
    let run = run(&machine(&[]), &[], &[]);
    assert!(
        run.stdout.ends_with("\nInstall what is missing:\n  apt-get install boogie z3\n"),
        "{}",
        run.stdout
    );
    assert_eq!(run.code, 0);
}

#[test]
fn variables_say_where_programs_are() {
    let sandbox = machine(&[("b", BOOGIE), ("z", "Z3 version 4.5.1 - 64 bit"), ("x", "garbage")]);
    let variables = [("MUGIE_BOOGIE", "bin/b"), ("MUGIE_Z3", "./bin/z"), ("MUGIE_CVC4", "x")];
    let run = run(&sandbox, &["boogie"], &variables);
    let lines: Vec<_> = run.stdout.lines().collect();
    assert!(lines[0].starts_with("boogie    Boogie 2.4.1   "), "{}", run.stdout);
    assert!(lines[1].starts_with("  z3      Z3 4.5.1       "), "{}", run.stdout);
    assert!(lines[2].starts_with("  cvc4    not usable     "), "{}", run.stdout);
    assert!(lines[2].ends_with("it prints `garbage`"), "{}", run.stdout);
}

#[test]
fn json_has_a_line_for_each_verifier() {
    let sandbox = machine(&[("boogie", BOOGIE), ("z3", Z3)]);
    let run = run(&sandbox, &["--json"], &[]);
    let rows: Vec<serde_json::Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 5);
    assert_eq!(rows[0]["title"], "Boogie 2.4.1");
    assert_eq!(rows[0]["program"], "bin/boogie");
    assert_eq!(rows[0]["solvers"][0]["version"], "4.8.12");
    assert_eq!(rows[0]["solvers"][0]["usable"], true);
    assert_eq!(rows[0]["solvers"][1]["program"], serde_json::Value::Null);
    assert_eq!(rows[0]["solvers"][1]["install"], "apt-get install cvc4");
    assert_eq!(rows[1]["name"], "command");
    assert_eq!(
        rows[1]["trouble"],
        "the program to run is missing: its definition names no program"
    );
}

#[test]
fn a_definition_is_shown_copied_and_found_again() {
    let sandbox = machine(&[("boogie", BOOGIE)]);
    let shown = run(&sandbox, &["boogie", "--show"], &[]);
    let shipped = fs::read_to_string(root().join("verifiers/boogie.toml")).unwrap();
    assert_eq!(shown.stdout, shipped);
    fs::create_dir(sandbox.path("verifiers")).unwrap();
    fs::write(sandbox.path("verifiers/mine.toml"), shown.stdout).unwrap();
    fs::create_dir_all(sandbox.path("config/mugie/verifiers")).unwrap();
    let changed = shipped.replace("about = \"The", "about = \"My");
    fs::write(sandbox.path("config/mugie/verifiers/boogie.toml"), changed).unwrap();
    let listed = run(&sandbox, &[], &[]);
    for line in [
        "  My Boogie program verifier, versions 2 and 3; config/mugie/verifiers/boogie.toml\n",
        "mine      Boogie 2.4.1 ",
        "  The Boogie program verifier, versions 2 and 3; verifiers/mine.toml\n",
    ] {
        assert!(listed.stdout.contains(line), "{line}: {}", listed.stdout);
    }
    let by_path = run(&sandbox, &["verifiers/mine.toml", "--show"], &[]);
    assert_eq!(by_path.stdout, shipped);
}

#[test]
fn a_definition_can_be_copied_to_where_it_is_looked_for() {
    let sandbox = machine(&[]);
    fs::create_dir(sandbox.path("verifiers")).unwrap();
    let file = fs::File::create(sandbox.path("verifiers/boogie.toml")).unwrap();
    let mut command: Command = sandbox.command();
    let status = command.args(["verifiers", "boogie", "--show"]).stdout(Stdio::from(file)).status();
    assert!(status.unwrap().success());
    let copy = fs::read_to_string(sandbox.path("verifiers/boogie.toml")).unwrap();
    assert!(copy.contains("reader = \"boogie\""));
}

#[test]
fn broken_and_unknown_definitions_are_explained() {
    let sandbox = machine(&[]);
    let unknown = run(&sandbox, &["dafny"], &[]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (2, ""));
    assert!(unknown.stderr.contains("there is no verifier `dafny`"), "{}", unknown.stderr);
    assert!(unknown.stderr.contains("`boogie`, `command`"), "{}", unknown.stderr);
    fs::create_dir(sandbox.path("verifiers")).unwrap();
    fs::write(sandbox.path("verifiers/tool.toml"), "about = \"x\"\nargument = []\n").unwrap();
    let broken = run(&sandbox, &[], &[]);
    assert_eq!((broken.code, broken.stdout.as_str()), (2, ""));
    let expected = "verifiers/tool.toml:2:1: unknown field `argument`, expected one of";
    assert!(broken.stderr.contains(expected), "{}", broken.stderr);
    let missing = run(&sandbox, &["nowhere/tool.toml"], &[]);
    assert_eq!(missing.code, 2);
}
