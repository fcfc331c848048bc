//! The table of small programs: our answers and the exact messages.
//!
//! To accept changed messages, run `make update` and review the diff.

#![expect(clippy::disallowed_methods, reason = "the tests read files")]

mod programs;

use std::fmt::Write as _;
use std::path::Path;

use bpl_check::check;
use bpl_syntax::diagnostic::{Diagnostic, ErrorClass};
use bpl_syntax::source::SourceMap;
use bpl_syntax::{Dialect, parse};

use crate::programs::{Case, cases};

/// The errors that we report for a program.
fn errors(program: &str, dialect: Dialect) -> Vec<Diagnostic> {
    let parse = parse(program, dialect);
    if !parse.errors.is_empty() {
        return parse.errors;
    }
    check(&parse.program).err().unwrap_or_default()
}

/// The class of an answer.
fn answer(errors: &[Diagnostic]) -> &'static str {
    match errors.first().map(|error| error.kind) {
        None => "accepted",
        Some(ErrorClass::Syntax) => "syntax",
        Some(ErrorClass::Resolution) => "resolution",
        Some(ErrorClass::Type) => "type",
    }
}

#[test]
fn every_program_gets_its_answer() {
    let mut wrong = String::new();
    for Case { fact, program, expected, dialects } in &cases() {
        for &dialect in dialects {
            let errors = errors(program, dialect);
            let answer = answer(&errors);
            if answer != *expected {
                let _ = writeln!(wrong, "Boogie {dialect}, {fact}: {answer} {errors:?}");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn messages_are_as_recorded() {
    let mut actual = String::new();
    for Case { fact, program, dialects, .. } in &cases() {
        let errors = errors(program, dialects[0]);
        if errors.is_empty() {
            continue;
        }
        let _ = writeln!(actual, "# {fact}");
        let sources = SourceMap::single("program", program.as_str()).unwrap();
        for error in &errors {
            let at = sources.locate(error.span).unwrap();
            let _ = writeln!(actual, "{}:{}: {}: {error}", at.line, at.column, error.kind);
            if let Some(help) = &error.help {
                let _ = writeln!(actual, "    help: {help}");
            }
            for (span, note) in &error.related {
                let at = sources.locate(*span).unwrap();
                let _ = writeln!(actual, "    {}:{}: {note}", at.line, at.column);
            }
        }
        actual.push('\n');
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages.snap");
    if std::env::var("UPDATE").as_deref() == Ok("1") {
        std::fs::write(&file, &actual).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(expected == actual, "messages differ: run `make update`; now they would be:\n{actual}");
}
