//! Shared helpers: finding and reading the programs to test with.

#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "only tests call these functions")]
#![expect(clippy::disallowed_methods, reason = "the tests read files")]

use std::fs;
use std::path::{Path, PathBuf};

use bpl_syntax::ast::Program;
use bpl_syntax::{Dialect, parse};

pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All `.bpl` files under a directory, sorted.
pub(crate) fn programs(directory: &Path) -> Vec<PathBuf> {
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

/// The names and trees of our own programs.
pub(crate) fn fixtures() -> Vec<(String, Program)> {
    let files = programs(&workspace().join("fixtures/ok"));
    assert!(!files.is_empty(), "no fixtures");
    files
        .iter()
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let dialect =
                if name.ends_with(".v3.bpl") { Dialect::Boogie3 } else { Dialect::Boogie2 };
            let program = parse_well(&read(path), dialect, &name);
            (name, program)
        })
        .collect()
}

/// The programs next to the workspace that parse. Empty, with a message, if `../shared` is missing.
pub(crate) fn neighbourhood(test: &str) -> Vec<(String, Program)> {
    let shared = workspace().join("../shared");
    if !shared.exists() {
        eprintln!("SKIPPED: {test}: there is no ../shared; only fixtures are checked");
    }
    let mut files = programs(&shared.join("seeds"));
    files.extend(programs(&shared.join("corpus")));
    let mut found = Vec::new();
    for path in &files {
        let name = path.display().to_string();
        let dialect = if name.contains("boogie-3") { Dialect::Boogie3 } else { Dialect::Boogie2 };
        let parsed = parse(&read(path), dialect);
        if parsed.errors.is_empty() {
            found.push((name, parsed.program));
        }
    }
    eprintln!("read {} of {} programs", found.len(), files.len());
    found
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
}

/// Parses a text that must be well-formed.
pub(crate) fn parse_well(text: &str, dialect: Dialect, what: &str) -> Program {
    let parsed = parse(text, dialect);
    if let Some(error) = parsed.errors.first() {
        let at = (error.span.start as usize).min(text.len());
        let line = text[..at].matches('\n').count();
        let quote = text.lines().nth(line).unwrap_or_default();
        panic!("{what}: line {}: {error}\n{quote}", line + 1);
    }
    parsed.program
}
