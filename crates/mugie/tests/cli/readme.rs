//! The README shows what the program really prints.

use std::fs;
use std::process::Command;

use crate::support::root;

/// The transcripts of a document: blocks of `console`, split into commands and their outputs.
fn transcripts(document: &str) -> Vec<(String, String)> {
    let mut transcripts: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in document.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if inside {
            match (line.strip_prefix("$ "), transcripts.last_mut()) {
                (Some(command), _) => transcripts.push((command.to_owned(), String::new())),
                (None, Some((_, output))) => output.extend([line, "\n"]),
                (None, None) => {}
            }
        }
    }
    transcripts
}

#[test]
fn the_readme_shows_what_is_printed() {
    // Among it that 60 of the 120 orders of the paper's example fail.
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let transcripts = transcripts(&readme);
    assert!(!transcripts.is_empty());
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_mugie")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let cache = tempfile::tempdir().unwrap();
    for (command, expected) in transcripts {
        let mut shell = Command::new("sh");
        // How far a long test is depends on the machine, and goes to standard error.
        let merged = if command.starts_with("mugie test") { "" } else { "exec 2>&1; " };
        shell.args(["-c", &format!("{merged}{command}")]);
        shell.current_dir(root()).env("PATH", &path).env("MUGIE_CACHE", cache.path());
        let output = shell.output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "$ {command}");
    }
}
