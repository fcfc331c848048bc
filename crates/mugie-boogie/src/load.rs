//! From source text to a checked program, in the version of the language that fits.
//!
//! Knows nothing of files on disk, of the terminal or of the command line.

use bpl_check::{Libraries, Options, check_with};
use bpl_syntax::ast::Program;
use bpl_syntax::diagnostic::{Diagnostic, Kind};
use bpl_syntax::source::SourceMap;
use bpl_syntax::{Dialect, Parse, parse_files};

/// A program that has been parsed, and checked if it could be parsed.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The program; what could be read of it, if there are syntax errors.
    pub(crate) program: Program,
    /// What is wrong, in the order of the source.
    pub(crate) errors: Vec<Diagnostic>,
    /// What it was checked with.
    pub(crate) options: Options,
}

impl Loaded {
    /// Whether Boogie would accept the program.
    pub(crate) fn accepted(&self) -> bool {
        self.errors.is_empty()
    }

    /// Whether the program is a sentence of the grammar, well-typed or not.
    pub(crate) fn well_formed(&self) -> bool {
        self.errors.iter().all(|error| error.kind != Kind::Syntax)
    }

    /// The stage that the program reached, and the place of its first error there.
    fn progress(&self) -> Option<(Kind, u32)> {
        let stage = self.errors.iter().map(|error| error.kind).min()?;
        let first = self.errors.iter().map(|error| error.span.start).min()?;
        Some((stage, first))
    }
}

/// Parses and checks all files of the map as one program.
///
/// Without a dialect, it takes the version that accepts the program, 2 if both do. If neither
/// does, it takes the one that got further: in stages first, then in the text, and 2 in a tie.
pub(crate) fn load(sources: &SourceMap, dialect: Option<Dialect>, infer_modifies: bool) -> Loaded {
    let attempt = |dialect| attempt(sources, dialect, infer_modifies);
    if let Some(dialect) = dialect {
        return attempt(dialect);
    }
    let two = attempt(Dialect::Boogie2);
    if two.accepted() {
        return two;
    }
    // One tree at a time: they take many times the memory of the source.
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
    let Parse { program, errors } = parse_files(sources, dialect);
    let mut options = Options { infer_modifies, ..Options::default() };
    if !errors.is_empty() {
        return Loaded { program, errors, options };
    }
    let mut errors = check_with(&program, options).err().unwrap_or_default();
    // Boogie 3 is told on its command line which libraries a program uses; a program itself
    // shows it only by their names.
    if dialect == Dialect::Boogie3 && errors.iter().any(|error| error.kind == Kind::Resolution) {
        let libraries = Libraries { base: true, node: true, set_size: true };
        let with_libraries = Options { libraries, ..options };
        if check_with(&program, with_libraries).is_ok() {
            (errors, options) = (Vec::new(), with_libraries);
        }
    }
    Loaded { program, errors, options }
}
