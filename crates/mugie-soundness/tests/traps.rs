//! Traps: programs on which an operator once failed. No single edit may change Boogie's verdicts.
//!
//! The traps of this crate are in `traps/`; their comments state the expected outcome of each
//! procedure. Other traps are tried if the folder named by `MUGIE_TRAPS` exists. Only a sample of
//! their edits is tried, unless `MUGIE_ALL_TRAPS` is set: then all edits are, without and with
//! inference, which takes some minutes.

#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test may panic and report")]

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mugie_core::{FileText, Outcome, Sharing};
use mugie_soundness::boogie::{Mode, Submission, in_one_file};
use mugie_soundness::compare::{Compared, Differs, Family, compare};
use mugie_soundness::explained::{Difference, explain};
use mugie_soundness::mutants::all_singles;
use mugie_soundness::round::{read, words};
use mugie_soundness::{Boogie, Release};
use mugie_verifiers::supervise::{KEEPER, Keeper, Supervisor};

/// Known differences that Boogie itself causes: program, operators, cause.
const EXPLAINED: &[(&str, &[&str], &str)] = &[
    ("c01_control", &["L6"], "two-heads"),
    ("e01_order", &["S1", "S3"], "ordered-constants"),
    ("k01", &["S1", "S3"], "polymorphic-callee"),
    ("k02", &["S1", "S3"], "polymorphic-callee"),
    ("l6", &["L6"], "two-heads"),
    ("n13_multi", &["S1", "S3"], "inlined-where"),
    ("z1", &["S1", "S3"], "inlined-where"),
    ("z2", &["S1", "S3"], "inlined-where"),
];

/// A program to try.
struct Trap {
    name: String,
    text: String,
}

impl Trap {
    /// The value of the comment line with the given key.
    fn says(&self, key: &str) -> Option<&str> {
        self.text.lines().find_map(|line| line.strip_prefix(&format!("// {key}: ")))
    }

    fn release(&self) -> Release {
        if self.says("release") == Some("3") { Release::Three } else { Release::Two }
    }

    /// The outcomes on a comment line such as `p verified, q failed`.
    fn outcomes(&self, key: &str) -> BTreeMap<String, Vec<Outcome>> {
        let pairs = self.says(key).unwrap_or_default().split(", ");
        let pairs = pairs.filter_map(|pair| pair.split_once(' '));
        let outcome = |word| match word {
            "verified" => Outcome::Verified,
            "failed" => Outcome::Failed,
            other => panic!("{}: {other}", self.name),
        };
        pairs.map(|(name, word)| (name.to_owned(), vec![outcome(word)])).collect()
    }
}

fn boogie(release: Release) -> Option<Boogie> {
    let supervisor = Arc::new(Supervisor::new(Keeper {
        program: env!("CARGO_BIN_EXE_mugie-soundness").into(),
        arguments: vec![KEEPER.into()],
        environment: Vec::new(),
    }));
    let boogie = Boogie::find(release, &supervisor);
    if boogie.is_none() {
        eprintln!("SKIPPED: there is no {} here", release.name());
    }
    boogie
}

/// The programs of a folder, sorted by path.
fn traps(folder: &Path) -> Vec<Trap> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort_unstable();
    let read = |path: PathBuf| Trap {
        name: path.file_stem().unwrap().to_str().unwrap().to_owned(),
        text: fs::read_to_string(&path).unwrap(),
    };
    paths.into_iter().map(read).collect()
}

/// The programs with every `step`th of their single edits, and the names of the programs that mugie
/// rejects.
fn families(traps: &[Trap], release: Release, step: usize) -> (Vec<Family>, BTreeSet<String>) {
    let mut families = Vec::new();
    let mut refused = BTreeSet::new();
    for trap in traps {
        let Ok(seed) = read(&trap.text, release) else {
            refused.insert(trap.name.clone());
            continue;
        };
        let mut mutants = all_singles(&*seed, release);
        if let Some(dropped) = mutants.dropped.first() {
            panic!("{}: {}: {}", trap.name, words(&dropped.edits), dropped.reason);
        }
        let mut number = 0;
        mutants.made.retain(|_| {
            number += 1;
            number % step == 0
        });
        families.push(Family { name: trap.name.clone(), seed, mutants });
    }
    (families, refused)
}

/// The cause of a difference, if it is listed in [`EXPLAINED`].
fn cause(families: &[Family], differs: &Differs) -> Option<&'static str> {
    let family = &families[differs.family];
    let made = &family.mutants.made[differs.mutant];
    let cause = explain(&Difference {
        seed: &in_one_file(&family.seed.program().texts()),
        mutant: &in_one_file(&made.program.texts()),
        edits: &made.edits,
        before: &differs.before,
        after: &differs.after,
    })?;
    let operator = made.edits[0].operator.as_str();
    let is_allowed = EXPLAINED.iter().any(|(program, operators, name)| {
        *program == family.name && operators.contains(&operator) && *name == cause.name
    });
    is_allowed.then_some(cause.name)
}

/// Counts the explained differences, prints the others and returns their number.
fn tell(families: &[Family], compared: &Compared, title: &str) -> usize {
    let mut explained: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut rest = 0;
    for differs in &compared.differences {
        let family = &families[differs.family];
        let made = &family.mutants.made[differs.mutant];
        if let Some(cause) = cause(families, differs) {
            *explained.entry((&family.name, cause)).or_default() += 1;
            continue;
        }
        rest += 1;
        let (before, after) = (&differs.before, &differs.after);
        eprintln!("{}: {}", family.name, words(&made.edits));
        eprintln!(
            "  {:?} {:?}\n  {:?} {:?}",
            before.trouble, before.outcomes, after.trouble, after.outcomes
        );
    }
    let mutants: usize = families.iter().map(|family| family.mutants.made.len()).sum();
    eprintln!(
        "{title}: {} programs, {mutants} mutants, {} differ, explained {explained:?}, shared only {}",
        families.len(),
        compared.differences.len(),
        compared.shared_only
    );
    rest
}

/// Compares the traps that have candidate invariants, with Houdini choosing among the candidates.
fn houdini(traps: &[Trap], boogie: &Boogie) -> (Vec<Family>, Compared) {
    let chosen = traps.iter().filter(|trap| trap.text.contains(":existential"));
    let chosen: Vec<Trap> =
        chosen.map(|t| Trap { name: t.name.clone(), text: t.text.clone() }).collect();
    let (families, _) = families(&chosen, Release::Two, 1);
    let compared = compare(&families, &boogie.with(Mode::Houdini)).unwrap().unwrap();
    (families, compared)
}

fn own() -> Vec<Trap> {
    traps(&Path::new(env!("CARGO_MANIFEST_DIR")).join("traps"))
}

#[test]
fn own_traps_hold() {
    for release in Release::ALL {
        let Some(boogie) = boogie(release) else { continue };
        let traps: Vec<Trap> = own().into_iter().filter(|trap| trap.release() == release).collect();
        let (families, refused) = families(&traps, release, 1);
        assert_eq!(refused, BTreeSet::new());
        let compared = compare(&families, &boogie).unwrap().unwrap();
        for (trap, said) in traps.iter().zip(&compared.seeds) {
            assert_eq!(said.outcomes, trap.outcomes("expected"), "{}: {}", trap.name, said.output);
        }
        assert_eq!(tell(&families, &compared, release.name()), 0);
    }
}

#[test]
fn own_traps_hold_with_candidates() {
    let Some(boogie) = boogie(Release::Two) else { return };
    let traps = own();
    let (families, compared) = houdini(&traps, &boogie);
    for (family, said) in families.iter().zip(&compared.seeds) {
        let trap = traps.iter().find(|trap| trap.name == family.name).unwrap();
        let mut chosen = said.outcomes.clone();
        chosen.remove("");
        assert_eq!(chosen, trap.outcomes("chosen"), "{}: {}", trap.name, said.output);
    }
    assert_eq!(tell(&families, &compared, "Houdini"), 0);
}

/// The other traps. Prints that they are skipped if their folder does not exist.
fn others() -> Option<Vec<Trap>> {
    let near = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/seeds/traps");
    let folder = env::var_os("MUGIE_TRAPS").map_or(near, PathBuf::from);
    if !folder.is_dir() {
        let folder = folder.display();
        eprintln!("SKIPPED: other traps: there is no {folder}; only those of this crate are tried");
        return None;
    }
    Some(traps(&folder))
}

#[test]
fn other_traps_hold() {
    let (Some(boogie), Some(traps)) = (boogie(Release::Two), others()) else { return };
    let is_all = env::var_os("MUGIE_ALL_TRAPS").is_some();
    let (families, refused) = families(&traps, Release::Two, if is_all { 1 } else { SAMPLE });
    // Boogie also rejects what mugie rejects.
    for trap in traps.iter().filter(|trap| refused.contains(&trap.name)) {
        let file = FileText { part: 0, text: trap.text.clone() };
        let original = |name: &str| name.to_owned();
        let question =
            Submission { files: &[file], class: Sharing::default(), original: &original };
        let said = boogie.ask_alone(&question).unwrap().unwrap();
        assert_eq!(said.trouble, Some(Outcome::Rejected), "{}", trap.name);
    }
    let compared = compare(&families, &boogie).unwrap().unwrap();
    let mut rest = tell(&families, &compared, "Boogie 2");
    let (candidates, chosen) = houdini(&traps, &boogie);
    rest += tell(&candidates, &chosen, "Houdini");
    if is_all {
        // A difference that shows only with inference is caused by inference.
        let different: BTreeSet<(usize, usize)> =
            compared.differences.iter().map(|d| (d.family, d.mutant)).collect();
        let mut inferred = compare(&families, &boogie.with(Mode::Inference)).unwrap().unwrap();
        let all = inferred.differences.len();
        inferred.differences.retain(|d| different.contains(&(d.family, d.mutant)));
        eprintln!(
            "with inference: {all} differ, {} of them vanish",
            all - inferred.differences.len()
        );
        rest += tell(&families, &inferred, "with inference and without");
    }
    assert_eq!(rest, 0);
}

/// Of the edits of other traps, one in `SAMPLE` is tried; raising it makes the test faster.
const SAMPLE: usize = 40;
