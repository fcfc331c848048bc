//! Mutants that `mugie mutate` and `mugie test --out` wrote: from a file to its seed and its edits.

use std::fs;
use std::path::{Path, PathBuf};

use mugie_campaign::report::TestReport;
use mugie_operators::Edit;

use crate::commands::test::RESULT;
use crate::mutants::{self, LIST};
use crate::report::Trouble;

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

/// Looks for records of a mutant beside its file. Tests of seeds with the same name can have
/// mutants with the same name: the hash of the seed tells which one it is.
pub(crate) fn find(file: &Path) -> Result<Vec<Stored>, Trouble> {
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
