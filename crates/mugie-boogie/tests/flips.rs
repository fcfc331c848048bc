//! mugie can produce, from their seeds, the mutants on which the real Boogie's verdict is known to
//! flip.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::disallowed_methods, reason = "the tests read files and run Boogie")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use mugie_boogie::{BOOGIE, operators};
use mugie_core::{Closure, LanguageOptions, Program, Seed, SourceText, Weights};
use support::has_boogie;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn file(path: &Path) -> Vec<SourceText> {
    let name = path.display().to_string();
    vec![SourceText { name, bytes: fs::read(path).unwrap() }]
}

fn seed(path: &Path) -> Box<dyn Seed> {
    let seed = BOOGIE.read(file(path), &LanguageOptions::default());
    seed.unwrap_or_else(|rejected| panic!("{rejected}"))
}

fn subject(path: &Path) -> Arc<dyn Program> {
    Arc::clone(seed(path).program())
}

fn weights(choice: &str) -> Weights {
    Weights::parse(choice, operators::abouts()).unwrap()
}

/// Whether Boogie verifies all of each program. A program is given as its files.
fn verified(programs: &[Vec<PathBuf>]) -> Vec<bool> {
    let (single, several): (Vec<usize>, Vec<usize>) =
        (0..programs.len()).partition(|&index| programs[index].len() == 1);
    let mut verdicts = vec![false; programs.len()];
    // Many programs in one process, verified separately: the answers come in the same order.
    for batch in single.chunks(60) {
        let files = batch.iter().flat_map(|&index| &programs[index]);
        for (&index, verdict) in batch.iter().zip(run(files, true, batch.len())) {
            verdicts[index] = verdict;
        }
    }
    for index in several {
        verdicts[index] = run(programs[index].iter(), false, 1)[0];
    }
    verdicts
}

fn run<'p>(
    files: impl Iterator<Item = &'p PathBuf>,
    separately: bool,
    answers: usize,
) -> Vec<bool> {
    let mut command = Command::new("boogie");
    command.arg("/nologo").args(separately.then_some("/verifySeparately")).args(files);
    let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let verdicts: Vec<_> = output
        .lines()
        .filter_map(|line| line.strip_prefix("Boogie program verifier finished with "))
        .map(|counts| counts.ends_with(", 0 errors") && !counts.starts_with("0 "))
        .collect();
    assert_eq!(verdicts.len(), answers, "{output}");
    verdicts
}

/// Writes the files of a program and returns their paths, in the order in which the verifier gets
/// them.
fn write(subject: &dyn Program, folder: &Path, name: &str) -> Vec<PathBuf> {
    let files = subject.texts();
    let paths = (0..files.len()).map(|file| folder.join(format!("{name}-{file}.bpl")));
    let paths: Vec<_> = paths.collect();
    for (path, file) in paths.iter().zip(files) {
        fs::write(path, file.text).unwrap();
    }
    paths
}

#[test]
fn recorded_flips_are_reproduced() {
    let anchors = root().join("../shared/seeds/anchors");
    if !anchors.exists() {
        let anchors = anchors.display();
        eprintln!(
            "SKIPPED: recorded_flips_are_reproduced: there is no {anchors}: no flip is made again"
        );
        return;
    }
    // The files are named after the operators' numbers in the original tool.
    let flips: [(&str, &str, &[&str]); 9] = [
        ("S1", "S1a", &["S1b"]),
        ("S3", "S6a", &["S6b_main", "S6b_extra"]),
        ("L3", "L4a", &["L4b"]),
        ("L5", "L6reqa", &["L6reqb"]),
        ("L5", "L6ensa", &["L6ensb"]),
        ("L5", "L6assa", &["L6assb"]),
        ("L5", "L6inva", &["L6invb"]),
        ("L6", "L8a", &["L8b"]),
        ("G2", "G2a", &["G2b"]),
    ];
    let folder = tempfile::tempdir().unwrap();
    let mut programs = Vec::new();
    for (operator, seed, mutant) in flips {
        let path = |name: &str| anchors.join(format!("{name}.bpl"));
        let files = mutant
            .iter()
            .map(|name| BOOGIE.print(file(&path(name)), &LanguageOptions::default()).unwrap());
        let expected: Vec<_> = files.collect();
        let seed_subject = subject(&path(seed));
        let made = Closure::new(&seed_subject, &weights(operator), 1000).map(Result::unwrap).find(
            |made| {
                let files: Vec<_> =
                    made.program.texts().into_iter().map(|file| file.text).collect();
                files == expected
            },
        );
        let made = made.unwrap_or_else(|| panic!("{operator} does not make {mutant:?}"));
        programs.push(write(&*seed_subject, folder.path(), seed));
        programs.push(write(&*made.program, folder.path(), mutant[0]));
    }
    if has_boogie() {
        let verdicts = verified(&programs);
        for (pair, (operator, seed, _)) in verdicts.chunks(2).zip(flips) {
            assert_eq!(pair, [true, false], "{operator} on {seed}");
        }
    }
}

#[test]
fn every_anchor_breaks_under_its_operators() {
    let anchors = [
        ("S1_axiom_order", &["S1"][..]),
        ("S3_file_order", &["S3"]),
        ("L3_preconditions", &["L3", "L5"]),
        ("L4_postconditions", &["L4", "L5"]),
        ("L5_assertions", &["L5"]),
        ("L5_invariants", &["L5"]),
        ("L6_branches", &["L6", "desugar-control"]),
        ("G2_witness", &["G2"]),
        ("swap_operands", &["swap-operands"]),
        ("reorder_bound", &["reorder-bound"]),
        ("add_unused", &["add-unused"]),
    ];
    let shipped = fs::read_dir(root().join("seeds")).unwrap();
    let names = shipped.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.filter(|name| name.starts_with("X_")).count(), anchors.len());
    let folder = tempfile::tempdir().unwrap();
    let mut programs = Vec::new();
    let mut origins = Vec::new();
    for (name, operators) in anchors {
        let seed = subject(&root().join(format!("seeds/X_{name}/{name}.bpl")));
        for operator in operators {
            // The first additions are types, constants and functions without a body: no axioms.
            let enough = if *operator == "add-unused" { 20 } else { 6 };
            for mutant in Closure::new(&seed, &weights(operator), 1000).take(enough) {
                let mutant = mutant.unwrap();
                let file = format!("{name}-{operator}-{}", mutant.number);
                programs.push(write(&*mutant.program, folder.path(), &file));
                origins.push((name, *operator));
            }
        }
    }
    if has_boogie() {
        let verdicts = verified(&programs);
        for (name, operators) in anchors {
            for operator in operators {
                let mut mutants = origins.iter().zip(&verdicts);
                assert!(
                    mutants.any(|(&origin, &verified)| origin == (name, operator) && !verified),
                    "{operator} does not break X_{name}"
                );
            }
        }
    }
}

#[test]
fn half_of_the_orders_of_five_declarations_verify() {
    let path = root().join("examples/brittle.bpl");
    let seed = seed(&path);
    let mutants = Closure::new(seed.program(), &weights("S1"), 1000);
    let mutants: Vec<_> = mutants.map(Result::unwrap).collect();
    assert_eq!(mutants.len(), 119);
    for mutant in &mutants {
        seed.validate(mutant).unwrap();
    }
    if has_boogie() {
        let folder = tempfile::tempdir().unwrap();
        let mut programs = vec![write(&**seed.program(), folder.path(), "seed")];
        for mutant in &mutants {
            programs.push(write(&*mutant.program, folder.path(), &mutant.number.to_string()));
        }
        let verified = verified(&programs).into_iter().filter(|&verified| verified).count();
        assert_eq!(verified, 60);
    }
}
