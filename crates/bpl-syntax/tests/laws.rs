//! The laws of the printer, on our own fixtures and on whatever programs lie next to the
//! workspace.

use std::fs;
use std::path::{Path, PathBuf};

use bpl_syntax::ast::Program;
use bpl_syntax::{Dialect, PrintCache, parse, print, print_with};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All `.bpl` files under a directory, sorted.
fn programs(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut directories = vec![directory.to_path_buf()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "bpl") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
}

/// Parses a text that must be well-formed.
fn parse_well(text: &str, dialect: Dialect, what: &str) -> Program {
    let parsed = parse(text, dialect);
    if let Some(error) = parsed.errors.first() {
        let at = (error.span.start as usize).min(text.len());
        let line = text[..at].lines().count();
        panic!("{what}: line {line}: {error}\n{}", text.lines().nth(line.max(1) - 1).unwrap_or(""));
    }
    parsed.program
}

/// Panics unless the program reads back from its text, and prints as the same text again.
fn check_laws(program: &Program, what: &str) {
    let text = print(program);
    let again = parse_well(&text, program.dialect, what);
    for (one, other) in program.decls.iter().zip(&again.decls) {
        assert!(one == other, "{what}: reads back differently:\n{one}\n{other}");
    }
    assert_eq!(program, &again, "{what}");
    assert_eq!(print(&again), text, "{what}");
    assert_eq!(print_with(program, &mut PrintCache::new()), text, "{what}");
    for line in text.lines() {
        assert!(!line.starts_with('#'), "{what}: starts a line with `#`: {line}");
        assert!(line == line.trim_end(), "{what}: blanks at the end of a line: {line:?}");
    }
}

#[test]
fn programs_of_the_neighbourhood_obey_the_laws() {
    let shared = workspace().join("../shared");
    if !shared.exists() {
        println!("skipped: no programs next to the workspace");
        return;
    }
    let mut counts = (0, 0, 0, 0);
    for directory in ["seeds", "corpus"] {
        for path in programs(&shared.join(directory)) {
            let text = read(&path);
            for dialect in [Dialect::Boogie2, Dialect::Boogie3] {
                let parsed = parse(&text, dialect);
                counts.0 += 1;
                if parsed.errors.is_empty() {
                    counts.1 += 1;
                    check_laws(&parsed.program, &path.display().to_string());
                    let long = print(&parsed.program);
                    counts.2 += long.lines().count();
                    counts.3 += long.lines().filter(|line| line.len() > 100).count();
                }
            }
        }
    }
    println!("read {} of {} (file, dialect) pairs; all obey the laws", counts.1, counts.0);
    println!("{} of {} lines are longer than 100 columns", counts.3, counts.2);
}
