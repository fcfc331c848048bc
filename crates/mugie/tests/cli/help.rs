//! The manual.

use std::fmt::Write as _;

use crate::support::Sandbox;

const COMMANDS: [&[&str]; 12] = [
    &[],
    &["test"],
    &["minimise"],
    &["check"],
    &["print"],
    &["mutate"],
    &["operators"],
    &["seeds"],
    &["seeds", "generate"],
    &["verifiers"],
    &["debug"],
    &["debug", "tokens"],
];

#[test]
fn the_manual() {
    let sandbox = Sandbox::empty();
    let mut manual = String::new();
    for command in COMMANDS {
        let args = [command, &["--help"]].concat();
        let run = sandbox.run(&args);
        assert_eq!(run.code, 0);
        let _ = writeln!(manual, "$ mugie {}\n{}", args.join(" "), run.stdout);
    }
    insta::assert_snapshot!(manual);
}

#[test]
fn the_version_is_printed() {
    let run = Sandbox::empty().run(&["--version"]);
    assert_eq!(run.stdout, format!("mugie {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn wrong_usage_ends_with_2() {
    let sandbox = Sandbox::empty();
    for args in [
        &["check"][..],
        &["chekc", "a.bpl"],
        &["check", "--dialect", "4", "a.bpl"],
        &["check", "-j", "0", "a.bpl"],
        &["print", "-o", "c.bpl", "a.bpl", "b.bpl"],
        &["debug", "a.bpl"],
        &[],
    ] {
        let run = sandbox.run(args);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}");
        assert!(run.stderr.contains("--help"), "{args:?}: {}", run.stderr);
    }
}
