//! Turns source text into a checked program, in the version of the language that fits.
//!
//! This module knows nothing about files on disk, the terminal or the command line.

use bpl_check::{CheckOptions, Libraries, check_with};
use bpl_syntax::ast::Program;
use bpl_syntax::diagnostic::{Diagnostic, ErrorClass};
use bpl_syntax::source::SourceMap;
use bpl_syntax::{Dialect, Parse, parse_files};

/// A program that has been parsed, and checked if it could be parsed.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The program; if there are syntax errors, the part of it that could be parsed.
    pub(crate) program: Program,
    /// The errors, in source order.
    pub(crate) errors: Vec<Diagnostic>,
    /// The options of the checker.
    pub(crate) options: CheckOptions,
}

impl Loaded {
    /// Whether Boogie would accept the program.
    pub(crate) fn accepted(&self) -> bool {
        self.errors.is_empty()
    }

    /// Whether the program is syntactically correct, well-typed or not.
    pub(crate) fn well_formed(&self) -> bool {
        self.errors.iter().all(|error| error.kind != ErrorClass::Syntax)
    }

    /// The stage of the first error and its position; `None` if the program is accepted.
    fn progress(&self) -> Option<(ErrorClass, u32)> {
        let stage = self.errors.iter().map(|error| error.kind).min()?;
        let first = self.errors.iter().map(|error| error.span.start).min()?;
        Some((stage, first))
    }
}

/// Parses and checks all files as one program.
///
/// Without a dialect, it takes the version that accepts the program, preferring 2. If neither does,
/// it takes the version that got further: in stages first, then in the text, and 2 in a tie.
pub(crate) fn load(sources: &SourceMap, dialect: Option<Dialect>, infer_modifies: bool) -> Loaded {
    let attempt = |dialect| attempt(sources, dialect, infer_modifies);
    if let Some(dialect) = dialect {
        return attempt(dialect);
    }
    let two = attempt(Dialect::Boogie2);
    if two.accepted() {
        return two;
    }
    // Keep only one tree at a time: a tree takes many times the memory of the source.
    let progress = two.progress();
    drop(two);
    let three = attempt(Dialect::Boogie3);
    if three.accepted() || three.progress() > progress {
        return three;
    }
    drop(three);
    attempt(Dialect::Boogie2)
}

fn attempt(sources: &SourceMap, dialect: Dialect, infer_modifies: bool) -> Loaded {
    let Parse { program, errors, .. } = parse_files(sources, dialect);
    let mut options = CheckOptions { infer_modifies, ..CheckOptions::default() };
    if !errors.is_empty() {
        return Loaded { program, errors, options };
    }
    let mut errors = check_with(&program, options).err().unwrap_or_default();
    // Which libraries a program uses is given to Boogie 3 on the command line; the program itself
    // shows it only by the names it uses.
    if dialect == Dialect::Boogie3
        && errors.iter().any(|error| error.kind == ErrorClass::Resolution)
    {
        let libraries = Libraries { base: true, node: true, set_size: true };
        let with_libraries = CheckOptions { libraries, ..options };
        if check_with(&program, with_libraries).is_ok() {
            (errors, options) = (Vec::new(), with_libraries);
        }
    }
    Loaded { program, errors, options }
}
