//! What messages recommend exists: every command and every option that a text in the sources names; and numbers go
//! with their nouns.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Sandbox, root};

/// Options of other programs, in texts for people.
const OTHERS: [&str; 23] = [
    "--aot",
    "--aot-path",
    "--keep-a-run",
    "--tap-a-solver",
    "--end-of-options",
    "--error-unmatch",
    "--name-only",
    "--no-ext-diff",
    "--no-renames",
    "--output",
    "--verify",
    "--boogie",
    "--isolate-assertions",
    "--log",
    "--log_queries",
    "--print",
    "--unshallow",
    "--cores",
    "--version",
    "--help",
    "--verbose",
    "--format",
    "--boogieExe",
];

/// Nouns after a number, in the plural.
const NOUNS: [&str; 16] = [
    "runs",
    "mutants",
    "programs",
    "seeds",
    "files",
    "lines",
    "verdicts",
    "procedures",
    "queries",
    "errors",
    "edits",
    "causes",
    "shards",
    "findings",
    "units",
    "batches",
];

/// Texts with a number that is never one, or that says so in another way.
const NEVER_ONE: [&str; 17] = [
    "{unstable} seeds have",
    "{mutants} mutants of",
    "{MOST} mutants",
    "{name} runs",
    "{tool} runs",
    "{} seeds have",
    "{flips} mutants have",
    "{} seeds\"",
    "{number} batches",
    "{} batches",
    "{mine} batches",
    "{places} times",
    "of {} seeds, {} are",
    "Of {} seeds",
    "{sum} procedures",
    "reads programs",
    "{input}",
];

fn rust_files(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The texts of a source outside of its tests: literals without the breaks in them, and the comments that become
/// manual pages.
fn texts(source: &str) -> Vec<String> {
    let end = source.find("\n#[cfg(test)]\n").unwrap_or(source.len());
    let mut texts = Vec::new();
    let mut rest = &source[..end];
    while let Some(at) = rest.find(['"', '\'', '/']) {
        let (start, after) = (&rest[at..], &rest[at + 1..]);
        if start.starts_with("//") {
            let (line, next) = start.split_once('\n').unwrap_or((start, ""));
            if let Some(text) = line.strip_prefix("/// ") {
                texts.push(text.to_owned());
            }
            rest = next;
        } else if start.starts_with('"') {
            let mut text = String::new();
            let mut characters = after.char_indices();
            let mut length = after.len();
            while let Some((index, character)) = characters.next() {
                match character {
                    '"' => {
                        length = index + 1;
                        break;
                    }
                    '\\' => match characters.next() {
                        // A break in the source; the blanks after it do not count.
                        Some((_, '\n')) => text.push('\u{1}'),
                        Some((_, 'n')) => text.push('\n'),
                        Some((_, other)) => text.push(other),
                        None => {}
                    },
                    ' ' if text.ends_with('\u{1}') => {}
                    other => text.push(other),
                }
            }
            texts.push(text.replace('\u{1}', ""));
            rest = &after[length..];
        } else if start.starts_with("'\"'") || start.starts_with("'\\") {
            rest = &rest[at + 3..];
        } else {
            rest = after;
        }
    }
    texts
}

/// The texts of the crates that speak to users.
fn all_texts() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for name in [
        "mugie",
        "mugie-report",
        "mugie-experiment",
        "mugie-campaign",
        "mugie-verifiers",
        "mugie-exec",
    ] {
        rust_files(&root().join("crates").join(name).join("src"), &mut files);
    }
    let read = |file: PathBuf| {
        let source = fs::read_to_string(&file).unwrap();
        texts(&source).into_iter().map(move |text| (file.clone(), text))
    };
    files.retain(|file| !file.ends_with("tests.rs"));
    files.into_iter().flat_map(read).collect()
}

/// The manual pages of all commands, with their subcommands.
fn manual() -> BTreeMap<Vec<String>, String> {
    let sandbox = Sandbox::empty();
    let mut pages = BTreeMap::new();
    let mut left = vec![Vec::new()];
    while let Some(command) = left.pop() {
        let run = sandbox.run(&[&command[..], &["--help".to_owned()]].concat());
        assert_eq!(run.code, 0, "{command:?}");
        let list = run.stdout.split("\nCommands:\n").nth(1).unwrap_or_default();
        let list = list.lines().take_while(|line| !line.is_empty());
        for line in list.filter(|line| line.starts_with("  ") && !line.starts_with("   ")) {
            let name = line.split_whitespace().next().unwrap().to_owned();
            if name != "help" {
                left.push([&command[..], &[name]].concat());
            }
        }
        pages.insert(command, run.stdout);
    }
    pages
}

/// The options on a page: those that a line starts with.
fn options(page: &str) -> BTreeSet<&str> {
    let words = page
        .lines()
        .flat_map(|line| line.split([' ', ',', '[', ']', '=', '`', '(', ')', ':', ';', '.', '\'']));
    words.filter(|word| word.starts_with('-') && word.len() > 1).collect()
}

#[test]
fn every_command_and_option_that_a_message_names_exists() {
    let pages = manual();
    let all: BTreeSet<&str> = pages.values().flat_map(|page| options(page)).collect();
    let mut named = 0;
    let mut wrong: Vec<String> = Vec::new();
    for (file, text) in all_texts() {
        let place = file.display();
        for words in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_')) {
            let is_option = words.len() > 3 && words.starts_with("--") && !words.starts_with("---");
            if is_option && words.as_bytes()[2].is_ascii_lowercase() && !text.contains("git") {
                let is_known = all.contains(words) || OTHERS.contains(&words);
                if !is_known {
                    wrong.push(format!("{place}: there is no option {words}: {text}"));
                }
                named += 1;
            }
        }
        for command in text.split('`').skip(1).step_by(2).filter(|it| it.starts_with("mugie ")) {
            let words: Vec<String> =
                command.split_whitespace().skip(1).map(str::to_owned).collect();
            let Some(first) = words.first().filter(|it| !it.starts_with(['-', '{'])) else {
                continue;
            };
            if first == "help" || first.chars().all(|c| c.is_ascii_uppercase()) {
                continue;
            }
            let longest =
                words.get(..2).filter(|it| pages.contains_key(*it)).unwrap_or(&words[..1]);
            let page = pages.get(longest);
            let Some(page) = page else {
                wrong.push(format!("{place}: there is no command `{command}`"));
                continue;
            };
            for option in words.iter().filter(|word| word.starts_with("--")) {
                let option = option.split('=').next().unwrap_or_default();
                if !options(page).contains(option) {
                    wrong.push(format!("{place}: `{command}`: no {option}"));
                }
            }
            named += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(named > 100, "only {named} were found");
}

#[test]
fn numbers_go_with_their_nouns() {
    let mut seen = 0;
    let mut wrong: Vec<String> = Vec::new();
    for (file, text) in all_texts().into_iter().filter(|(file, _)| !file.ends_with("finish.rs")) {
        for noun in NOUNS {
            let ends = format!("}} {noun}");
            for (at, _) in text.match_indices(&ends) {
                seen += 1;
                let after = text[at + ends.len()..].chars().next();
                let is_word = after.is_none_or(|c| !c.is_alphanumeric());
                let is_exempt = NEVER_ONE.iter().any(|it| text.contains(it.trim_matches('"')));
                // A share of a total, as in a table, is read for many.
                let start = text[..at].rfind('{').unwrap_or(0);
                let is_share = text[..start].ends_with("of ");
                if is_word && !is_exempt && !is_share {
                    wrong.push(format!("{}: 1 {noun}? {text}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 0);
}

#[test]
fn texts_are_found() {
    let source =
        "/// A `mugie x`.\nlet a = \"b \\\n    c\"; // \"no\n'\"' \"d\\\"e\"\n#[cfg(test)]\n\"f\"";
    assert_eq!(texts(source), ["A `mugie x`.", "b c", "d\"e"]);
}
