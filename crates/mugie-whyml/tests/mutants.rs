//! Mutants: what is translated as a seed is translated as a mutant.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::disallowed_methods, reason = "the tests read files")]

mod support;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bpl_syntax::{Dialect, parse};
use mugie_boogie::{Subject, operators};
use mugie_core::{Files, Generator, Program, Weights};
use mugie_whyml::WHYML;
use support::{Why3, programs, root, translate_file};

/// Translates mutants of a program, and writes those texts that differ. Returns their number, and what
/// went wrong.
fn mutants(path: &Path, wanted: usize, why3: &Why3, files: &mut Vec<PathBuf>) -> (usize, String) {
    let text = fs::read_to_string(path).unwrap();
    let parsed = parse(&text, Dialect::Boogie2);
    assert!(parsed.errors.is_empty(), "{}", path.display());
    let seed: Arc<dyn Program> = Arc::new(Subject::new(&parsed.program));
    let weights = Weights::parse("all", operators::abouts()).unwrap();
    let mut known = BTreeSet::from([translate_file(path).unwrap().files.0.remove(0).1]);
    let mut errors = String::new();
    let mut count = 0;
    for mutant in Generator::new(&seed, weights, 7, wanted, 20 * wanted as u64) {
        let mutant = mutant.unwrap();
        let parts = mutant.program.texts();
        let parts = parts.into_iter().map(|part| (format!("m{}.bpl", part.part), part.text));
        count += 1;
        match WHYML.translate(&Files(parts.collect())) {
            Ok(mut done) => {
                if known.insert(done.files.0[0].1.clone()) {
                    done.files.0.truncate(1);
                    files.push(why3.write(&format!("mutant{}", files.len()), &done));
                }
            }
            Err(error) => {
                let edits: Vec<&str> =
                    mutant.edits.iter().map(|edit| edit.operator.as_str()).collect();
                writeln!(errors, "{}, {edits:?}: {error}", path.display()).unwrap();
            }
        }
    }
    (count, errors)
}

/// Fails if a mutant of a seed is refused, or Why3 rejects it.
fn accepted(seeds: &[PathBuf], wanted: usize, at_least: usize) {
    let Some(why3) = Why3::find() else { return };
    let (mut count, mut errors, mut texts) = (0, String::new(), 0);
    for path in seeds {
        let mut files = Vec::new();
        let (more, wrong) = mutants(path, wanted, &why3, &mut files);
        count += more;
        texts += files.len();
        errors.push_str(&wrong);
        why3.accepts(&files);
    }
    assert!(errors.is_empty(), "{errors}");
    assert!(count >= at_least, "{count} mutants, {texts} texts");
}

#[test]
fn mutants_of_shipped_seeds_are_accepted_by_why3() {
    accepted(&programs(&root().join("seeds")), 3, 100);
}

#[test]
#[ignore = "takes an hour"]
fn three_thousand_mutants_of_the_papers_seeds_are_accepted_by_why3() {
    let folder = root().join("../shared/seeds/paper");
    assert!(folder.is_dir(), "there is no {}", folder.display());
    accepted(&programs(&folder), 27, 3_000);
}
