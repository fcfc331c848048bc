//! Real programs: our answers compared with those of Boogie or of its test suite.
//!
//! The programs are next to the workspace, not in it; without them the tests are skipped. The
//! results are recorded in `conformance/manifest.snap`, every disagreement with its reason. To
//! accept a change there, run `make update`.

#![expect(clippy::disallowed_methods, reason = "the tests read files")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use bpl_check::{CheckOptions, check_with, check_with_types};
use bpl_syntax::ast::Expr;
use bpl_syntax::diagnostic::{Diagnostic, ErrorClass};
use bpl_syntax::source::SourceMap;
use bpl_syntax::visit::Visit;
use bpl_syntax::{Dialect, parse, parse_files};

/// Programs that only CIVL's own checks reject: layers, linearity, movers, yields, measures.
/// Those checks are out of our scope.
const CIVL: &[&str] = &[
    "boogie-2.4/Test/civl/chris3.bpl",
    "boogie-2.4/Test/civl/linear/async-bug.bpl",
    "boogie-2.4/Test/civl/linear/typecheck.bpl",
    "boogie-2.4/Test/civl/nocollector.bpl",
    "boogie-2.4/Test/civl/reserve.bpl",
    "boogie-2.4/Test/civl/signature-mismatch.bpl",
    "boogie-2.4/Test/civl/termination.bpl",
    "boogie-3/Test/civl/regression-tests/async-check.bpl",
    "boogie-3/Test/civl/regression-tests/chris3.bpl",
    "boogie-3/Test/civl/regression-tests/linear-types-fail.bpl",
    "boogie-3/Test/civl/regression-tests/linear/async-bug.bpl",
    "boogie-3/Test/civl/regression-tests/linear/unpack-type-error.bpl",
    "boogie-3/Test/civl/regression-tests/local-layers.bpl",
    "boogie-3/Test/civl/regression-tests/parallel-patterns.bpl",
    "boogie-3/Test/civl/regression-tests/signature-mismatch.bpl",
    "boogie-3/Test/civl/regression-tests/type-inst-errors.bpl",
    "boogie-3/Test/civl/regression-tests/yield-requires-ensures-errors-3.bpl",
    "boogie-3/Test/civl/regression-tests/yield-requires-ensures-errors-5.bpl",
    "boogie-3/Test/measure/conc5.bpl",
    "boogie-3/Test/measure/loopconc3.bpl",
    "boogie-3/Test/measure/loopseq5.bpl",
];

/// Other disagreements, each with its reason.
const EXCEPTIONS: &[(&str, &str)] = &[];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of programs, if it exists. Otherwise reports which test is skipped.
#[expect(clippy::print_stderr, reason = "a test that is skipped must say so")]
fn shared(test: &str) -> Option<PathBuf> {
    let shared = workspace().join("../shared");
    if shared.is_dir() {
        return Some(shared);
    }
    eprintln!(
        "SKIPPED: {test}: there is no {}; only tests/programs.txt and fixtures are checked",
        shared.display()
    );
    None
}

fn dialect(field: &str) -> Dialect {
    if field == "2" { Dialect::Boogie2 } else { Dialect::Boogie3 }
}

fn class(errors: &[Diagnostic]) -> &'static str {
    match errors.first().map(|error| error.kind) {
        None => "accepted",
        Some(ErrorClass::Syntax) => "syntax_error",
        Some(ErrorClass::Resolution) => "resolution_error",
        Some(ErrorClass::Type) => "type_error",
    }
}

fn errors(sources: &SourceMap, dialect: Dialect, options: CheckOptions) -> Vec<Diagnostic> {
    let parse = parse_files(sources, dialect);
    if !parse.errors.is_empty() {
        return parse.errors;
    }
    check_with(&parse.program, options).err().unwrap_or_default()
}

fn first_error(sources: &SourceMap, errors: &[Diagnostic]) -> String {
    let Some(error) = errors.first() else { return "no error".to_owned() };
    let line = sources.locate(error.span).map_or(0, |location| location.line);
    format!("line {line}: {error}")
}

/// The options of a test of Boogie 3's own suite, taken from its first line.
fn recorded_options(text: &str) -> CheckOptions {
    let mut options = CheckOptions::default();
    let run = text.lines().find(|line| line.starts_with("// RUN:")).unwrap_or_default();
    options.libraries.base = run.contains("lib:base");
    options.libraries.node = run.contains("lib:node");
    options.libraries.set_size = run.contains("lib:set_size");
    options.infer_modifies = run.contains("inferModifies");
    options
}

#[test]
fn agreement_with_boogie_is_as_recorded() {
    let Some(shared) = shared("agreement_with_boogie_is_as_recorded") else { return };
    let corpus = shared.join("corpus");
    let manifest = fs::read_to_string(corpus.join("manifest.csv")).unwrap();
    let mut counts: BTreeMap<(String, String), (u32, u32)> = BTreeMap::new();
    let (mut total, mut exceptions) = (0, 0);
    let mut exception_lines = String::new();
    let mut civl_lines = String::new();
    let mut unexpected = String::new();
    for row in manifest.lines().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let (path, expected) = (fields[0], fields[2]);
        let dialect = dialect(fields[1]);
        let text = fs::read(corpus.join(path)).unwrap();
        let options = match dialect {
            Dialect::Boogie2 => CheckOptions::default(),
            Dialect::Boogie3 => recorded_options(&String::from_utf8_lossy(&text)),
        };
        let sources = SourceMap::single(path, text).unwrap();
        let errors = errors(&sources, dialect, options);
        let answer = class(&errors);
        total += 1;
        let name = path.split('/').next().unwrap_or_default().to_owned();
        let count = counts.entry((name, expected.to_owned())).or_default();
        count.1 += 1;
        if answer == expected {
            count.0 += 1;
            continue;
        }
        let note = format!("{path}: {expected}, we say {answer}");
        let reason = EXCEPTIONS.iter().find(|(exception, _)| *exception == path);
        if answer == "accepted" && CIVL.contains(&path) {
            let _ = writeln!(civl_lines, "{path}");
        } else if let (Some((_, reason)), true) = (reason, expected != "accepted") {
            exceptions += 1;
            let _ = writeln!(exception_lines, "{note}\n    {reason}");
        } else {
            let _ = writeln!(unexpected, "{note} ({})", first_error(&sources, &errors));
        }
    }
    assert!(unexpected.is_empty(), "unexplained:\n{unexpected}");
    assert!(exceptions * 200 <= total, "{exceptions} exceptions in {total} programs");

    let mut snapshot = String::from("agree / all, by corpus and by Boogie's answer\n\n");
    for ((corpus, expected), (agree, all)) in &counts {
        let _ = writeln!(snapshot, "{corpus:<12} {expected:<17} {agree:>4} / {all}");
    }
    let _ = write!(snapshot, "\nexceptions: {exceptions} of {total}\n\n{exception_lines}");
    let _ = write!(snapshot, "\nrejected only by the checks of CIVL:\n\n{civl_lines}");
    compare(&workspace().join("conformance/manifest.snap"), &snapshot);
}

/// Counts expressions.
struct Count(usize);

impl<'a> Visit<'a> for Count {
    fn visit_expr(&mut self, expr: &'a Expr) {
        self.0 += 1;
        self.walk_expr(expr);
    }
}

#[test]
fn every_expression_has_a_type() {
    let Some(shared) = shared("every_expression_has_a_type") else { return };
    let corpus = shared.join("corpus");
    let manifest = fs::read_to_string(corpus.join("manifest.csv")).unwrap();
    for row in manifest.lines().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let (path, dialect) = (fields[0], dialect(fields[1]));
        let text = String::from_utf8_lossy(&fs::read(corpus.join(path)).unwrap()).into_owned();
        let program = parse(&text, dialect).program;
        let Ok(checked) = check_with_types(&program, recorded_options(&text)) else { continue };
        for (index, decl) in program.decls.iter().enumerate() {
            let mut count = Count(0);
            count.visit_decl(decl);
            assert_eq!(checked.expr_types(index).len(), count.0, "{path}, declaration {index}");
        }
    }
}

fn compare(file: &Path, actual: &str) {
    if std::env::var("UPDATE").as_deref() == Ok("1") {
        fs::write(file, actual).expect("the snapshot can be written");
    }
    let expected = fs::read_to_string(file).unwrap_or_default();
    let file = file.display();
    assert!(expected == actual, "{file} differs: run `make update`; now it would be:\n{actual}");
}

#[test]
fn seeds_are_accepted() {
    let Some(shared) = shared("seeds_are_accepted") else { return };
    let mut programs: Vec<Vec<PathBuf>> = Vec::new();
    let in_folder = |folder: &Path| -> Vec<PathBuf> {
        let mut paths: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    for folder in in_folder(&shared.join("seeds/paper")) {
        programs.extend(in_folder(&folder).into_iter().map(|path| vec![path]));
    }
    for path in in_folder(&shared.join("seeds/anchors")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if let Some(stem) = name.strip_suffix("_main.bpl") {
            let extra = path.with_file_name(format!("{stem}_extra.bpl"));
            programs.push(vec![path, extra]);
        } else if !name.ends_with("_extra.bpl") {
            programs.push(vec![path]);
        }
    }
    let mut rejected = String::new();
    for paths in programs {
        if paths.iter().any(|path| path.extension().is_none_or(|extension| extension != "bpl")) {
            continue;
        }
        let mut sources = SourceMap::new();
        for path in &paths {
            sources.add(path.display().to_string(), fs::read(path).unwrap()).unwrap();
        }
        let errors = errors(&sources, Dialect::Boogie2, CheckOptions::default());
        if !errors.is_empty() {
            let first = first_error(&sources, &errors);
            let _ = writeln!(rejected, "{}: {first}", paths[0].display());
        }
    }
    assert!(rejected.is_empty(), "rejected:\n{rejected}");
}
