//! Turns source text into a checked program, in the version of the language that fits.
//!
//! This module knows nothing about files on disk, the terminal or the command line.

use bpl_check::{CheckOptions, Edition, Libraries, check_with};
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

/// How a program is to be checked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    /// The version of the language, if it was given.
    pub(crate) dialect: Option<Dialect>,
    /// Whether `modifies` clauses are inferred.
    pub(crate) infer_modifies: bool,
    /// The libraries of Boogie 3.
    pub(crate) libraries: Libraries,
}

/// Parses and checks all files as one program.
///
/// Without a dialect, it takes the version that accepts the program, preferring 2. If neither does,
/// it takes the version that got further: in stages first, then in the text, and 2 in a tie.
pub(crate) fn load(sources: &SourceMap, asked: Asked) -> Loaded {
    let attempt = |dialect| attempt(sources, dialect, asked);
    if let Some(dialect) = asked.dialect {
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

fn attempt(sources: &SourceMap, dialect: Dialect, asked: Asked) -> Loaded {
    let Parse { program, errors, .. } = parse_files(sources, dialect);
    let Asked { infer_modifies, mut libraries, .. } = asked;
    // The edition of the libraries depends on the version of Boogie, which is not known here.
    libraries.edition = Edition::Of355;
    let options = CheckOptions { infer_modifies, libraries };
    if !errors.is_empty() {
        return Loaded { program, errors, options };
    }
    let errors = check_with(&program, options).err().unwrap_or_default();
    if errors.is_empty() || dialect == Dialect::Boogie2 {
        return Loaded { program, errors, options };
    }
    let later = Libraries { edition: Edition::Later, ..libraries };
    let later = CheckOptions { libraries: later, ..options };
    if check_with(&program, later).is_ok() {
        return Loaded { program, errors: Vec::new(), options: later };
    }
    let errors = with_help(&program, options, errors);
    Loaded { program, errors, options }
}

/// Adds the libraries that would make Boogie accept the program, if there are such, to the first error.
fn with_help(
    program: &Program,
    options: CheckOptions,
    mut errors: Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    let unresolved = errors.iter_mut().find(|error| error.kind == ErrorClass::Resolution);
    let Some(error) = unresolved else { return errors };
    let more = [(false, false), (true, false), (false, true), (true, true)];
    let found = more.into_iter().find_map(|(node, set_size)| {
        let asked = options.libraries;
        let libraries = Libraries {
            base: true,
            node: node || asked.node,
            set_size: set_size || asked.set_size,
            ..asked
        };
        [Edition::Of355, Edition::Later].into_iter().find_map(|edition| {
            let libraries = Libraries { edition, ..libraries };
            check_with(program, CheckOptions { libraries, ..options }).ok()?;
            Some(libraries)
        })
    });
    if let Some(libraries) = found {
        let names = names(libraries);
        let arguments = names.iter().map(|name| format!("--arg /lib:{name}"));
        error.help = Some(format!(
            "Boogie's libraries declare it: use {}, or --lib {} where no verifier runs",
            arguments.collect::<Vec<_>>().join(" "),
            names.join(",")
        ));
    }
    errors
}

/// The names of libraries.
pub(crate) fn names(libraries: Libraries) -> Vec<&'static str> {
    let Libraries { base, node, set_size, .. } = libraries;
    let all = [(base, "base"), (node, "node"), (set_size, "set_size")];
    all.into_iter().filter_map(|(is_in, name)| is_in.then_some(name)).collect()
}

/// The libraries with these names, separated by commas; an unknown name is an error.
pub(crate) fn libraries(text: &str) -> Result<Libraries, String> {
    let mut libraries = Libraries::default();
    for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        match name {
            "base" => libraries.base = true,
            "node" => libraries.node = true,
            "set_size" => libraries.set_size = true,
            other => return Err(other.to_owned()),
        }
    }
    Ok(libraries)
}
