//! Real queries of verifiers: they are read, the query that is run has the answers and the work of the author's, and
//! mutants ask what their seeds ask. `MUGIE_ALL_QUERIES=1` takes all of them.

#![expect(clippy::disallowed_methods, reason = "tests read queries and run Z3")]
#![expect(clippy::print_stderr, reason = "tests say what they skip and compare")]
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::{env, fs};

use mugie_core::{Generator, LanguageOptions, Seed, SourceText, Weights};
use mugie_smtlib::SMTLIB;

/// The largest query that is given to Z3, in bytes, unless all are.
const SMALL: usize = 30_000;

/// The queries next to the project, every `one_of`th; none if they are not there.
fn queries(one_of: usize) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/smt");
    let Ok(manifest) = fs::read_to_string(folder.join("manifest.csv")) else {
        eprintln!("SKIPPED: {} is not there", folder.display());
        return Vec::new();
    };
    let one_of = if env::var_os("MUGIE_ALL_QUERIES").is_some() { 1 } else { one_of };
    let paths = manifest.lines().skip(1).filter_map(|line| line.split(',').next()).step_by(one_of);
    let paths = paths.map(|path| folder.join(path));
    paths.filter_map(|path| Some((path.clone(), fs::read_to_string(path).ok()?))).collect()
}

fn read(path: &Path, text: &str, units: u64) -> Arc<dyn Seed> {
    let file = SourceText { name: path.display().to_string(), bytes: text.as_bytes().to_vec() };
    let mut options = LanguageOptions::default();
    options.set("units", units.to_string());
    match SMTLIB.read(vec![file], &options) {
        Ok(seed) => Arc::from(seed),
        Err(rejected) => panic!("{}: {:?}", path.display(), rejected.errors),
    }
}

/// What Z3 prints, without places in error messages.
fn answers(text: &str) -> Option<Vec<String>> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), text).unwrap();
    let output = Command::new("z3").args(["-smt2", "-T:20"]).arg(file.path()).output().ok()?;
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = |line: &str| match line.split_once(": ") {
        Some((place, rest)) if place.starts_with("(error \"line ") => rest.to_owned(),
        _ => line.to_owned(),
    };
    Some(lines.lines().map(line).collect())
}

#[test]
fn the_printed_query_has_the_answers_and_the_work_of_the_original() {
    let mut different = Vec::new();
    let mut compared = 0;
    for (path, text) in queries(3) {
        if text.len() > SMALL && env::var_os("MUGIE_ALL_QUERIES").is_none() {
            continue;
        }
        let seed = read(&path, &text, 300_000);
        let printed = seed.program().texts().remove(0).text;
        let Some(original) = answers(seed.sources()[0].text) else {
            eprintln!("SKIPPED: z3 is not installed");
            return;
        };
        compared += 1;
        // Declarations come before assertions, so complaints may come in another order.
        let count = |lines: Vec<String>| {
            lines.into_iter().fold(BTreeMap::<String, usize>::new(), |mut all, line| {
                *all.entry(line).or_default() += 1;
                all
            })
        };
        if count(original) != count(answers(&printed).unwrap()) {
            different.push(path.display().to_string());
        }
    }
    println!("{compared} queries compared, {} differ: {different:#?}", different.len());
    assert!(different.len() * 50 <= compared, "{different:#?}");
}

#[test]
fn mutants_ask_what_their_seeds_ask() {
    let mut mutants = 0;
    for (path, text) in queries(4) {
        let seed = read(&path, &text, 1_000_000);
        let weights = Weights::parse("all", SMTLIB.operators()).unwrap();
        for mutant in Generator::new(seed.program(), weights, 7, 6, 200) {
            let mutant = mutant.unwrap_or_else(|dropped| panic!("{}: {dropped}", path.display()));
            if let Err(dropped) = mutant.check(&*seed) {
                panic!("{}: {dropped}", path.display());
            }
            mutants += 1;
        }
    }
    println!("{mutants} mutants");
}
