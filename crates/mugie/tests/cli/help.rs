//! The help texts and the manual.

use std::fs;

use crate::support::{Sandbox, root};

const COMMANDS: [&[&str]; 29] = [
    &[],
    &["test"],
    &["merge"],
    &["minimise"],
    &["diagnose"],
    &["query"],
    &["campaign"],
    &["campaign", "init"],
    &["campaign", "plan"],
    &["campaign", "run"],
    &["campaign", "status"],
    &["campaign", "table"],
    &["campaign", "report"],
    &["mutate"],
    &["operators"],
    &["check"],
    &["print"],
    &["translate"],
    &["verifiers"],
    &["seeds"],
    &["seeds", "list"],
    &["seeds", "export"],
    &["seeds", "generate"],
    &["debug"],
    &["debug", "tokens"],
    &["debug", "tree"],
    &["debug", "types"],
    &["completions"],
    &["man"],
];

/// The commands that `--help` lists, each including the words before it.
fn listed(before: &[&str]) -> Vec<Vec<String>> {
    let help = Sandbox::empty().run(&[before, &["--help"]].concat()).stdout;
    let Some((_, list)) = help.split_once("\nCommands:\n") else { return Vec::new() };
    let list = list.split("\n\n").next().unwrap_or_default();
    // A line that is indented further continues the line above.
    let names = list.lines().filter(|line| !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names
        .map(|name| before.iter().chain([&name]).map(|word| (*word).to_owned()).collect())
        .collect()
}

#[test]
fn the_manual() {
    let sandbox = Sandbox::empty();
    for command in COMMANDS {
        let run = sandbox.run(&[command, &["--help"]].concat());
        assert_eq!(run.code, 0);
        let name = if command.is_empty() { "mugie".to_owned() } else { command.join("-") };
        insta::with_settings!({ snapshot_suffix => name }, {
            insta::assert_snapshot!(run.stdout);
        });
    }
}

#[test]
fn every_command_is_in_the_manual() {
    for command in COMMANDS {
        for listed in listed(command) {
            let is_help = listed.last().is_some_and(|word| word == "help");
            let is_known = COMMANDS.iter().any(|command| *command == listed);
            assert!(is_help || is_known, "{listed:?} is missing here");
        }
    }
}

#[test]
fn every_command_has_examples() {
    let sandbox = Sandbox::empty();
    for command in COMMANDS {
        let help = sandbox.run(&[command, &["--help"]].concat()).stdout;
        let line = format!("\n  mugie {}", command.join(" "));
        let has = help.contains("\nExamples:\n") && help.contains(line.trim_end());
        assert!(has, "`mugie {}` has no examples", command.join(" "));
    }
}

#[test]
fn the_book_has_the_whole_manual() {
    let page = fs::read_to_string(root().join("book/src/commands.md")).unwrap();
    for command in COMMANDS {
        let name = if command.is_empty() { "mugie".to_owned() } else { command.join("-") };
        let include = format!("/cli__help__the_manual@{name}.snap:5:}}}}");
        assert!(page.contains(&include), "book/src/commands.md does not include {name}");
    }
}

#[test]
fn the_version_names_commit_and_date() {
    let run = Sandbox::empty().run(&["--version"]);
    let version = format!("mugie {}", env!("CARGO_PKG_VERSION"));
    let build = run.stdout.trim_end().strip_prefix(&version).unwrap();
    // Without a repository, the commit is unknown.
    if root().join(".git").exists() {
        let words = build.strip_prefix(" (").and_then(|words| words.strip_suffix(')')).unwrap();
        let (commit, date) = words.split_once(' ').unwrap();
        assert!(commit.len() >= 7 && commit.chars().all(|digit| digit.is_ascii_hexdigit()));
        assert_eq!(date.split('-').map(str::len).collect::<Vec<_>>(), [4, 2, 2]);
    }
}

#[test]
fn man_pages_cover_every_command() {
    let sandbox = Sandbox::empty();
    let run = sandbox.run(&["man", "pages"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "pages\n"));
    for command in COMMANDS {
        let name = [&["mugie"][..], command].concat().join("-");
        let page = fs::read_to_string(sandbox.path(&format!("pages/{name}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{name}");
    }
    let again = fs::read(sandbox.path("pages/mugie.1")).unwrap();
    assert_eq!(sandbox.run(&["man", "pages"]).code, 0);
    assert_eq!(fs::read(sandbox.path("pages/mugie.1")).unwrap(), again);
}

#[test]
fn completions_know_the_commands() {
    let sandbox = Sandbox::empty();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = sandbox.run(&["completions", shell]);
        assert_eq!(run.code, 0);
        assert!(run.stdout.contains("minimise") && run.stdout.contains("until-failure"), "{shell}");
    }
    assert_eq!(sandbox.run(&["completions", "csh"]).code, 2);
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
