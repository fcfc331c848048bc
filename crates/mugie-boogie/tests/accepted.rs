//! Many strong mutants of large seeds: each is replayed from its record to the byte, and accepted by the
//! real Boogie of its dialect.
//!
//! This takes an hour, so it runs only if `STRONG_MUTANTS` says how many mutants to make. `STRONG_PART`, such
//! as `2/8`, takes every eighth seed from the second one on. `STRONG_ONE_IN` gives one in that number of mutants to
//! Boogie. `STRONG_SEEDS` names folders, separated by colons: every file in them is a seed, and so are the
//! files of each folder in them. The programs of a folder whose name ends in `-3` are for Boogie 3.

#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test may panic and report")]
#![expect(clippy::disallowed_methods, reason = "the tests read files and run Boogie")]

mod support;

use std::collections::HashSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use mugie_boogie::{BOOGIE, operators};
use mugie_core::{Edit, LanguageOptions, Mutant, Place, Seed, Set, SourceText, Strength};
use support::has_boogie;

/// The folders of seeds, relative to the project.
const SEEDS: &str = "../shared/seeds/paper:../shared/seeds/boogie-3";

/// What Boogie 2 says of a program in which a call precedes the polymorphic procedure that it calls: a defect of
/// its own, which depends on the order of declarations.
const KNOWN: &str = "type variable must occur in types of given arguments";

/// Programs per process.
const BATCH: usize = 50;

/// A seed with its name and the Boogie that accepts it.
struct Case {
    name: String,
    files: Vec<PathBuf>,
    is_boogie_3: bool,
}

fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort_unstable();
    paths
}

fn cases() -> Vec<Case> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = env::var("STRONG_SEEDS").unwrap_or_else(|_| SEEDS.to_owned());
    let mut cases = Vec::new();
    for folder in folders.split(':').map(|folder| project.join(folder)) {
        if !folder.is_dir() {
            eprintln!("SKIPPED: there are no seeds in {}", folder.display());
            continue;
        }
        let is_boogie_3 = folder.to_str().unwrap().ends_with("-3");
        for path in in_folder(&folder) {
            let is_bpl = |path: &PathBuf| path.extension().is_some_and(|it| it == "bpl");
            let files: Vec<PathBuf> = if path.is_dir() {
                in_folder(&path).into_iter().filter(is_bpl).collect()
            } else {
                Some(path.clone()).into_iter().filter(is_bpl).collect()
            };
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            if !files.is_empty() {
                cases.push(Case { name, files, is_boogie_3 });
            }
        }
    }
    cases
}

fn read(case: &Case) -> Box<dyn Seed> {
    let source = |path: &PathBuf| SourceText {
        name: path.file_name().unwrap().to_str().unwrap().to_owned(),
        bytes: fs::read(path).unwrap(),
    };
    let mut options = LanguageOptions::default();
    if case.is_boogie_3 {
        options.set("dialect", "3".to_owned());
    }
    BOOGIE
        .read(case.files.iter().map(source).collect(), &options)
        .unwrap_or_else(|rejected| panic!("{}: {:?}", case.name, rejected.errors))
}

/// The Boogie that accepts the programs of a case; `None` if it is not here.
fn boogie(is_boogie_3: bool) -> Option<PathBuf> {
    if !is_boogie_3 {
        return Some("boogie".into());
    }
    let named = env::var_os("MUGIE_BOOGIE_3").map(PathBuf::from);
    let usual = || Some(PathBuf::from(env::var_os("HOME")?).join(".cache/boogie-3/bin/boogie"));
    named.or_else(usual).filter(|path| path.exists())
}

/// The number of programs that Boogie parses, resolves and type-checks, and its output.
fn accepted(boogie: &Path, files: &[PathBuf]) -> (usize, String) {
    let output = Command::new(boogie)
        .arg("/noVerify")
        .args((files.len() > 1).then_some("/verifySeparately"))
        .args(files)
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_end = |line: &&str| line.starts_with("Boogie program verifier finished with ");
    (output.lines().filter(is_end).count(), output)
}

/// Strong mutants of a seed, each with the file that it was written to.
fn write_mutants(seed: &dyn Seed, wanted: usize, folder: &Path) -> Vec<(Edit, PathBuf)> {
    let program = seed.program();
    let mut known = HashSet::from([program.hash()]);
    let mut made = Vec::new();
    let is_strong = |operator: &usize| {
        operators::abouts()[*operator].set != Set::Apart
            && program.takes_many(*operator)
            && program.places(*operator) > 1
    };
    let strong: Vec<usize> = (0..operators::ALL.len()).filter(is_strong).collect();
    let draws = 0..wanted as u64;
    for (random, many) in draws.flat_map(|it| [(it, Strength::All), (it, Strength::Some)]) {
        for operator in &strong {
            if made.len() == wanted {
                return made;
            }
            let applied = program.apply_at(*operator, Place::Many { many, random }).unwrap();
            if !known.insert(applied.program.hash()) {
                continue;
            }
            let record = serde_json::to_string(&applied.edit).unwrap();
            let replayed = program.apply(&serde_json::from_str(&record).unwrap()).unwrap();
            assert_eq!(replayed.program.texts(), applied.program.texts(), "{record}");
            let (edit, made_program) = (applied.edit.clone(), Arc::clone(&applied.program));
            let mutant = Mutant::made(vec![edit.clone()], made_program, applied.change);
            seed.validate(&mutant).unwrap();
            let path = folder.join(format!("{}.bpl", made.len()));
            fs::write(&path, &applied.program.texts()[0].text).unwrap();
            made.push((edit, path));
        }
    }
    made
}

#[test]
fn strong_mutants_are_accepted_and_replayed() {
    let Ok(wanted) = env::var("STRONG_MUTANTS") else {
        eprintln!("SKIPPED: STRONG_MUTANTS does not say how many mutants to make");
        return;
    };
    let wanted: usize = wanted.parse().unwrap();
    let part = env::var("STRONG_PART").unwrap_or_else(|_| "1/1".to_owned());
    let (first, of) = part.split_once('/').unwrap();
    let (first, of): (usize, usize) = (first.parse().unwrap(), of.parse().unwrap());
    if !has_boogie() {
        return;
    }
    let one_in = env::var("STRONG_ONE_IN").map_or(1, |number| number.parse().unwrap());
    let cases = cases();
    let each = wanted.div_ceil(cases.len().max(1));
    let mut rejected = Vec::new();
    let (mut mutants, mut asked, mut known) = (0, 0, 0);
    for case in cases.iter().skip(first - 1).step_by(of) {
        let folder = tempfile::tempdir().unwrap();
        let seed = read(case);
        let made = write_mutants(&*seed, each, folder.path());
        mutants += made.len();
        let Some(boogie) = boogie(case.is_boogie_3) else {
            eprintln!("SKIPPED: there is no Boogie 3 here for {}", case.name);
            continue;
        };
        let asked_about: Vec<&(Edit, PathBuf)> = made.iter().step_by(one_in).collect();
        asked += asked_about.len();
        for batch in asked_about.chunks(BATCH) {
            let files: Vec<PathBuf> = batch.iter().map(|(_, path)| path.clone()).collect();
            if accepted(&boogie, &files).0 == files.len() {
                continue;
            }
            for (edit, path) in batch {
                let (number, output) = accepted(&boogie, std::slice::from_ref(path));
                let mut errors = output.lines().filter(|line| line.contains(": Error: "));
                let is_order = matches!(edit.place, Place::Many { .. })
                    && matches!(&*edit.operator, "S1" | "swap-procedures");
                if number != 1 && is_order && errors.all(|line| line.contains(KNOWN)) {
                    known += 1;
                } else if number != 1 {
                    rejected.push(format!("{}: {edit:?}\n{output}", case.name));
                }
            }
        }
        eprintln!("{}: {} mutants", case.name, made.len());
    }
    eprintln!(
        "{mutants} mutants replayed, {asked} given to Boogie, {known} rejected for a known defect of Boogie, \
         {} for another reason",
        rejected.len()
    );
    assert!(rejected.is_empty(), "{}", rejected.join("\n"));
}
