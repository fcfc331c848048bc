//! Messages about malformed programs: the texts in `fixtures/err`, each with the expected messages
//! next to it.
//!
//! After a change to the parser, `make update` records the messages again; review the diff.

#![expect(clippy::unwrap_used, reason = "only tests call these functions")]
#![expect(clippy::disallowed_methods, reason = "the tests read files")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use bpl_syntax::source::SourceMap;
use bpl_syntax::{Dialect, parse_files};

fn programs() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/err");
    let files = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "bpl")).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// All messages about a program, each under the line that it is about.
fn messages(path: &Path) -> String {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let dialect = if name.ends_with(".v3.bpl") { Dialect::Boogie3 } else { Dialect::Boogie2 };
    let sources = SourceMap::single(name, fs::read(path).unwrap()).unwrap();
    let mut text = String::new();
    let mut last_line = 0;
    for error in parse_files(&sources, dialect).errors {
        let at = sources.locate(error.span).unwrap();
        if at.line != last_line {
            writeln!(text, "{:>3} | {}", at.line, at.file.line(at.line)).unwrap();
            last_line = at.line;
        }
        writeln!(text, "    {}:{}: {error}", at.line, at.column).unwrap();
        if let Some(help) = error.help {
            writeln!(text, "      help: {help}").unwrap();
        }
    }
    text
}

#[test]
fn messages_are_as_recorded() {
    let update = std::env::var("UPDATE").as_deref() == Ok("1");
    for path in programs() {
        let found = messages(&path);
        let record = path.with_extension("txt");
        if update {
            fs::write(&record, &found).unwrap();
            continue;
        }
        let expected = fs::read_to_string(&record).unwrap_or_default();
        assert!(found == expected, "{}: run `make update`; found\n{found}", path.display());
    }
}
