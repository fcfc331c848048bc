//! The commands in the README and the book work, and print what the documents show.
//!
//! A document is followed from top to bottom in a directory of its own, which has the folders
//! `examples` and `seeds` of the project. A block of
//!
//! - `console` is a transcript: commands after `$`, each with its whole output. A line `...` stands for
//!   any number of lines;
//! - `sh` has commands that must succeed, one to a line;
//! - any language after `<!-- file: NAME -->` is a file that later commands use.
//!
//! A block that cannot be run has `<!-- not run: WHY -->` before it. In such blocks, and wherever else a
//! mugie command is named, the command and its options must be in the manual.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Sandbox, has, root};

/// Makes a test for each document, so that they run in parallel.
macro_rules! documents {
    ($($name:ident: $path:literal $(with $tool:literal)?,)*) => {
        const FOLLOWED: &[&str] = &[$($path),*];
        $(#[test]
        fn $name() {
            // Tools that are not installed with Boogie.
            $(if !has($tool) {
                return;
            })?
            follow($path);
        })*
    };
}

documents! {
    readme_is_true: "README.md",
    first_steps_are_true: "book/src/first-steps.md",
    reading_a_result_is_true: "book/src/reading-a-result.md",
    causes_are_true: "book/src/causes.md",
    ci_is_true: "book/src/ci.md",
    campaigns_are_true: "book/src/campaigns.md",
    reproducing_the_paper_is_true: "book/src/paper.md",
    speed_is_true: "book/src/speed.md",
    operators_are_true: "book/src/operators/README.md",
    formats_are_true: "book/src/formats.md",
    why3_is_true: "book/src/why3.md" with "why3",
}

/// A fenced block of a document.
#[derive(Debug, Default)]
struct Block {
    language: String,
    text: String,
    /// The comment right before the block, without its delimiters.
    comment: Option<String>,
}

impl Block {
    fn file(&self) -> Option<&str> {
        self.comment.as_deref()?.strip_prefix("file: ")
    }

    fn is_run(&self) -> bool {
        let why = self.comment.as_deref().and_then(|comment| comment.strip_prefix("not run:"));
        assert!(why.is_none_or(|why| why.len() > 5), "say why it is not run: {self:?}");
        why.is_none() && matches!(self.language.as_str(), "console" | "sh")
    }

    /// The commands of a transcript, each with its output.
    fn transcript(&self) -> Vec<(String, String)> {
        let mut commands: Vec<(String, String)> = Vec::new();
        for line in self.text.lines() {
            match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some(command), _) => commands.push((command.to_owned(), String::new())),
                (None, Some((_, output))) => output.extend([line, "\n"]),
                (None, None) => panic!("a transcript starts with a command: {line}"),
            }
        }
        commands
    }

    /// The commands of a script.
    fn commands(&self) -> Vec<String> {
        let whole = self.text.replace("\\\n", " ");
        let lines = whole.lines().map(|line| line.split(" #").next().unwrap_or_default().trim());
        lines.filter(|line| !line.is_empty()).map(ToOwned::to_owned).collect()
    }
}

fn blocks(document: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut comment = None;
    let mut open: Option<Block> = None;
    for line in document.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(language), None) => {
                let language = language.to_owned();
                open = Some(Block { language, comment: comment.take(), ..Block::default() });
            }
            (None, Some(block)) => block.text.extend([line, "\n"]),
            (None, None) => {
                let inner = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
                comment = inner.map(ToOwned::to_owned);
            }
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

/// Runs the commands of a document and compares their output.
fn follow(path: &str) {
    let document = fs::read_to_string(root().join(path)).unwrap();
    let sandbox = Sandbox::empty();
    for folder in ["examples", "seeds"] {
        symlink(root().canonicalize().unwrap().join(folder), sandbox.path(folder)).unwrap();
    }
    let mut followed = 0;
    for block in blocks(&document) {
        if let Some(file) = block.file() {
            fs::write(sandbox.path(file), &block.text).unwrap();
        } else if block.is_run() {
            followed += 1;
            if block.language == "console" {
                for (command, expected) in block.transcript() {
                    let (_, printed) = shell(&sandbox, path, &command);
                    let lines: Vec<_> = expected.lines().collect();
                    let is_same = matches(&lines, &printed.lines().collect::<Vec<_>>());
                    assert!(is_same, "{path}\n$ {command}\n{printed}\n--- expected\n{expected}");
                }
            } else {
                for command in block.commands() {
                    let (code, printed) = shell(&sandbox, path, &command);
                    // These exit with code 1 if they find something.
                    let finders = ["mugie test", "mugie merge", "mugie campaign run"];
                    let most = i32::from(finders.iter().any(|it| command.starts_with(it)));
                    assert!(code <= most, "{path}\n$ {command}\nends with {code}\n{printed}");
                }
            }
        }
    }
    assert!(followed > 0, "{path} has nothing to follow");
}

/// Runs a command. Returns its exit code and its output.
fn shell(sandbox: &Sandbox, path: &str, command: &str) -> (i32, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_mugie")).parent().unwrap();
    let search = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    // Long runs print their progress, which depends on the machine, to standard error.
    let is_long = ["mugie test", "mugie campaign run", "mugie minimise", "mugie diagnose"];
    let is_long = is_long.iter().any(|start| command.starts_with(start));
    let merged = if is_long { "" } else { "exec 2>&1; " };
    let output = Command::new("sh")
        .args(["-c", &format!("{merged}{command}")])
        .current_dir(sandbox.path(""))
        .env("PATH", search)
        .env("MUGIE_CACHE", sandbox.path("cache"))
        .output()
        .unwrap();
    let code = output.status.code().unwrap_or_else(|| panic!("{path}: {command} was killed"));
    (code, String::from_utf8(output.stdout).unwrap())
}

/// Whether lines are as expected, where `...` stands for any number of lines.
fn matches(expected: &[&str], lines: &[&str]) -> bool {
    match expected {
        [] => lines.is_empty(),
        ["...", rest @ ..] => (0..=lines.len()).any(|skipped| matches(rest, &lines[skipped..])),
        [first, rest @ ..] => lines.first() == Some(first) && matches(rest, &lines[1..]),
    }
}

/// The paths of all documents for users, relative to the root of the project.
fn documents() -> Vec<PathBuf> {
    let mut documents = vec![PathBuf::from("README.md"), PathBuf::from("CONTRIBUTING.md")];
    for folder in ["book/src", "book/src/operators", "book/src/advice"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = Path::new(folder).join(entry.unwrap().file_name());
            if path.extension().is_some_and(|extension| extension == "md") {
                documents.push(path);
            }
        }
    }
    documents
}

#[test]
fn every_document_with_commands_is_followed() {
    for path in documents() {
        let text = fs::read_to_string(root().join(&path)).unwrap();
        let name = path.to_str().unwrap();
        if name != "CONTRIBUTING.md" && blocks(&text).iter().any(Block::is_run) {
            assert!(FOLLOWED.contains(&name), "{name} has commands: add it to the list here");
        }
    }
}

/// The mugie commands that a document names outside of the blocks that are run.
fn named(document: &str) -> Vec<String> {
    let mut named = Vec::new();
    let mut is_open = false;
    for line in document.lines() {
        if line.starts_with("```") {
            is_open ^= true;
        } else if is_open {
            let words = line.trim().trim_start_matches("- ");
            let words = words.strip_prefix("run: ").unwrap_or(words);
            named.push(words.strip_prefix("entry: ").unwrap_or(words).to_owned());
        } else {
            named.extend(line.split('`').skip(1).step_by(2).map(ToOwned::to_owned));
        }
    }
    named.retain(|words| words.starts_with("mugie "));
    named
}

#[test]
fn every_command_that_is_named_is_in_the_manual() {
    let sandbox = Sandbox::empty();
    let mut pages: BTreeMap<Vec<String>, String> = BTreeMap::new();
    let mut page = |command: &[String]| {
        let page = pages.entry(command.to_vec()).or_insert_with(|| {
            let run = sandbox.run(&[command, &["--help".to_owned()]].concat());
            assert_eq!(run.code, 0, "there is no command `mugie {}`", command.join(" "));
            run.stdout
        });
        page.clone()
    };
    let mut seen = BTreeSet::new();
    for path in documents() {
        for named in named(&fs::read_to_string(root().join(&path)).unwrap()) {
            let line = named.split(" #").next().unwrap_or_default();
            let words: Vec<String> =
                line.split_whitespace().skip(1).map(ToOwned::to_owned).collect();
            if words[0] == "help" || words[0].starts_with('-') {
                continue;
            }
            let mut command = vec![words[0].clone()];
            if page(&command).contains("\nCommands:\n") && words.len() > 1 {
                command.push(words[1].clone());
            }
            let manual = page(&command);
            for option in words.iter().filter(|word| word.starts_with('-') && word.len() > 1) {
                let option = option.split('=').next().unwrap_or_default();
                let is_known = manual.lines().any(|line| {
                    let mut words = line.trim_start().split([' ', ',', ']']);
                    words.any(|word| word == option)
                });
                assert!(is_known, "{}: `{named}`: no {option}", path.display());
            }
            seen.insert(command);
        }
    }
    assert!(seen.len() > 10, "{seen:?}");
}
