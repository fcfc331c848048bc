//! Mutants that `mugie mutate` and `mugie test --out` wrote: from a file to its seed and its edits.

use std::fs;
use std::path::{Path, PathBuf};

use mugie_campaign::report::TestReport;
use mugie_operators::{Edit, Subject, hex};

use crate::commands::test::RESULT;
use crate::load::{Loaded, Reading};
use crate::mutants::{self, LIST};
use crate::report::{Style, Trouble};
use crate::seeds::load_seed;

/// A mutant, its seed, and what they are called.
pub(crate) struct Subjects {
    /// What the mutant is called.
    pub(crate) name: String,
    /// What the seed is called.
    pub(crate) source: String,
    /// The seed.
    pub(crate) loaded: Loaded,
    /// What leads from the seed to the mutant.
    pub(crate) edits: Vec<Edit>,
}

/// A mutant that was found.
#[derive(Debug)]
pub(crate) struct Stored {
    /// What it is called.
    pub(crate) name: String,
    /// Files that may be its seed, the likeliest first.
    pub(crate) seeds: Vec<PathBuf>,
    /// What the seed is called.
    pub(crate) source: String,
    /// The hash of the seed.
    pub(crate) seed_hash: String,
    /// What leads from the seed to it.
    pub(crate) edits: Vec<Edit>,
    /// Its own hash.
    pub(crate) hash: String,
}

/// The mutant in a file that mugie wrote, with the seed that has the right hash: the given one, or
/// where it should be.
pub(crate) fn open(
    style: &Style,
    reading: Reading,
    file: &Path,
    from: Option<&Path>,
) -> Result<Subjects, Trouble> {
    open_stored(style, reading, find(file)?, from)
}

/// The first of some mutants that has a seed with the right hash: the given one, or where it
/// should be.
pub(crate) fn open_stored(
    style: &Style,
    reading: Reading,
    mutants: Vec<Stored>,
    from: Option<&Path>,
) -> Result<Subjects, Trouble> {
    let given = from.map(|from| vec![from.to_owned()]);
    let mut other = None;
    for Stored { name, seeds, source, seed_hash, edits, hash } in mutants {
        for path in given.as_ref().unwrap_or(&seeds) {
            if given.is_none() && !path.exists() {
                continue;
            }
            let loaded = load_seed(style, path, reading)?;
            let subject = Subject::new(&loaded.program);
            if hex(&subject.hash()) != seed_hash {
                other = Some((path.clone(), name.clone()));
                continue;
            }
            let made = edits.iter().try_fold(subject, |subject, edit| {
                subject.apply(edit).map(|applied| applied.subject)
            });
            let made = made.map_err(|error| not_again(&name, &error.to_string()))?;
            if hex(&made.hash()) != hash {
                return Err(not_again(&name, "the program has another hash"));
            }
            return Ok(Subjects { name, source, loaded, edits });
        }
        if other.is_none() {
            other = Some((PathBuf::from(source), name));
        }
    }
    let (path, name) = other.unwrap_or_default();
    let words = format!("{} is not there, or not the seed of {name}", path.display());
    Err(Trouble::new(words).help("name the seed with `--from SEED`, unchanged"))
}

/// Looks for records of a mutant beside its file. Tests of seeds with the same name can have
/// mutants with the same name: the hash of the seed tells which one it is.
fn find(file: &Path) -> Result<Vec<Stored>, Trouble> {
    if !file.exists() {
        return Err(Trouble::new(format!("{}: there is no such file", file.display()))
            .help("check the spelling, and that the path starts from the current directory"));
    }
    let folder = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (list, result) = (folder.join(LIST), folder.join("..").join(RESULT));
    let (record, found) = if list.exists() {
        let found = in_list(&list, &folder, &name)?;
        (list, found)
    } else if result.exists() {
        let found = in_result(&result, &folder, &name)?;
        (result, found)
    } else {
        let words = format!("{}: nothing tells the seed of this mutant", file.display());
        return Err(Trouble::new(words).help(format!(
            "its folder has no `{LIST}` of `mugie mutate`, nor a `{RESULT}` of `mugie test --out` \
             above it; name the seed instead, and the number: `mugie minimise SEED --mutant N`"
        )));
    };
    if found.is_empty() {
        let words = format!("{} knows nothing of a mutant `{name}`", record.display());
        return Err(Trouble::new(words)
            .help("name a file of a mutant, as `mugie mutate` or `mugie test --out` wrote it"));
    }
    Ok(found)
}

/// A mutant in a folder of `mugie mutate`.
fn in_list(list: &Path, folder: &Path, name: &str) -> Result<Vec<Stored>, Trouble> {
    let rows = mutants::read_list(list)?.into_iter();
    let rows = rows.filter(|row| row.files.iter().any(|file| file == name));
    let stored = rows.map(|row| Stored {
        seeds: vec![
            folder.join("..").join(&row.source),
            PathBuf::from(&row.source),
            folder.join(&row.source),
        ],
        name: row.name,
        source: row.source,
        seed_hash: row.seed,
        edits: row.edits,
        hash: row.hash,
    });
    Ok(stored.collect())
}

/// A mutant in a folder of `mugie test --out`.
fn in_result(result: &Path, folder: &Path, name: &str) -> Result<Vec<Stored>, Trouble> {
    let unreadable = |error: &dyn std::fmt::Display| {
        Trouble::new(format!("{}: cannot read what a test found: {error}", result.display()))
            .help("the file was changed, or written by another release of mugie")
    };
    let text = fs::read_to_string(result).map_err(|error| unreadable(&error))?;
    let report: TestReport = serde_json::from_str(&text).map_err(|error| unreadable(&error))?;
    let mut found = Vec::new();
    for seed in report.seeds {
        let Some(seed_hash) = seed.hash else { continue };
        let flips = seed.flips.into_iter();
        found.extend(flips.filter(|flip| flip.files.iter().any(|file| file == name)).map(|flip| {
            Stored {
                name: flip.mutant,
                seeds: vec![folder.join("seed.bpl")],
                source: seed.name.clone(),
                seed_hash: seed_hash.clone(),
                edits: flip.edits,
                hash: flip.hash,
            }
        }));
    }
    Ok(found)
}

/// What to say if a mutant does not come out as it was.
pub(crate) fn not_again(name: &str, why: &str) -> Trouble {
    Trouble::new(format!("{name} cannot be made again: {why}"))
        .help("its record was changed, or written by a release of mugie with other rules")
}
