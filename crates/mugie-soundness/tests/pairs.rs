//! Pairs: a procedure that must verify, and its twin with a mistake, which must fail. Both are decided
//! without luck, so no edit may change either verdict, in any release of Boogie.
//!
//! The first line of each program in `pairs/` names the operator that it was written for.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mugie_core::{Outcome, number_of};
use mugie_soundness::compare::{Family, compare};
use mugie_soundness::mutants::{Mutants, operators, singles, strong};
use mugie_soundness::round::{read, words};
use mugie_soundness::{Boogie, Release};
use mugie_verifiers::supervise::{KEEPER, Keeper, Supervisor};

/// The programs, each with the operator that it was written for.
fn pairs() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("pairs");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort_unstable();
    let operator = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        text.lines().next().unwrap().strip_prefix("// operator: ").unwrap().to_owned()
    };
    paths.into_iter().map(|path| (path.clone(), operator(&path))).collect()
}

/// The operators that pairs were written for.
const OPERATORS: [&str; 4] = ["reassociate", "swap-blocks", "swap-targets", "swap-procedures"];

/// The mutants of a program by edits at many places: one draw for each of these operators. If the environment
/// variable `STRONG` is set, its number of draws for every operator.
fn strong_mutants(seed: &dyn mugie_core::Seed, numbers: &[usize], release: Release) -> Mutants {
    match std::env::var("STRONG") {
        Ok(draws) => strong(seed, &operators(&**seed.program()), release, draws.parse().unwrap()),
        Err(_) => strong(seed, numbers, release, 1),
    }
}

/// A program with all its mutants by the operators that pairs were written for, and some by edits at many
/// places.
fn family(path: &Path, operator: &str, release: Release) -> Family {
    let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
    let seed = read(&fs::read_to_string(path).unwrap(), release).unwrap();
    let numbers = OPERATORS.map(|name| number_of(seed.program().operators(), name).unwrap());
    let mut mutants = singles(&*seed, &numbers, release);
    let more = strong_mutants(&*seed, &numbers, release);
    mutants.made.extend(more.made);
    mutants.dropped.extend(more.dropped);
    assert!(mutants.dropped.is_empty(), "{name}: {:?}", mutants.dropped);
    let has_own = mutants.made.iter().any(|made| made.edits[0].operator == operator);
    assert!(has_own, "{name}: no mutants by {operator}");
    Family { name, seed, mutants }
}

#[test]
fn no_edit_changes_what_a_pair_shows() {
    let supervisor = Arc::new(Supervisor::new(Keeper {
        program: env!("CARGO_BIN_EXE_mugie-soundness").into(),
        arguments: vec![KEEPER.into()],
        environment: Vec::new(),
    }));
    for release in Release::ALL {
        let Some(boogie) = Boogie::find(release, &supervisor) else {
            eprintln!("SKIPPED: there is no {} here", release.name());
            continue;
        };
        let families: Vec<Family> =
            pairs().iter().map(|(path, operator)| family(path, operator, release)).collect();
        let compared = compare(&families, &boogie).unwrap().unwrap();
        for (family, said) in families.iter().zip(&compared.seeds) {
            assert_eq!(said.trouble, None, "{}: {}", family.name, said.output);
            for (procedure, outcomes) in &said.outcomes {
                let is_wrong = procedure == "wrong";
                let expected = if is_wrong { Outcome::Failed } else { Outcome::Verified };
                let name = &family.name;
                assert!(outcomes.iter().all(|it| *it == expected), "{name}: {procedure}");
            }
            assert!(said.outcomes.contains_key("right") && said.outcomes.contains_key("wrong"));
        }
        let mutants: usize = families.iter().map(|family| family.mutants.made.len()).sum();
        eprintln!("{}: {} pairs, {mutants} mutants", release.name(), families.len());
        for differs in &compared.differences {
            let family = &families[differs.family];
            let made = &family.mutants.made[differs.mutant];
            eprintln!("{}: {}\n{}", family.name, words(&made.edits), differs.after.output);
        }
        assert!(compared.differences.is_empty());
    }
}
