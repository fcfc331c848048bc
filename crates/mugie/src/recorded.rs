//! Mutants that `mugie mutate` and `mugie test --out` wrote: from a file to its seed and its edits.

use std::path::{Path, PathBuf};

use mugie_core::{Edit, Options, ReplayError, replay};
use mugie_experiment::seed::OpenSeed;
use mugie_experiment::sources::{Reading, Source, Unusable, path_called};
use mugie_results::result;
use mugie_verifiers::{Verifier, input, trust};

use crate::messages::{Style, Trouble};
use crate::mutants::{self, LIST, RESULT};
use crate::tool_spec::{Document, ToolSpec};
use crate::{output, session};

/// Errors shown of a seed that is rejected.
const MAX_ERRORS: usize = 5;

/// Bytes of a record of results, at most.
pub(crate) const MAX_RECORD: u64 = 1 << 30;

/// A mutant, its seed, and what they are called.
pub(crate) struct RecordedMutant {
    /// What the mutant is called.
    pub(crate) name: String,
    /// What the seed is called.
    pub(crate) source: String,
    /// The seed.
    pub(crate) seed: OpenSeed,
    /// What leads from the seed to the mutant.
    pub(crate) edits: Vec<Edit>,
}

/// The record of a mutant.
#[derive(Debug)]
pub(crate) struct Record {
    /// What it is called.
    pub(crate) name: String,
    /// Where its seed may be, the likeliest first: the files of each place.
    pub(crate) seeds: Vec<Vec<PathBuf>>,
    /// What the seed is called.
    pub(crate) source: String,
    /// The hash of the seed.
    pub(crate) seed_hash: String,
    /// How the seed is read.
    pub(crate) reading: Options,
    /// What leads from the seed to it.
    pub(crate) edits: Vec<Edit>,
    /// Its own hash.
    pub(crate) hash: String,
}

/// The records that may be meant, and the verifier that they were found with, if it is known.
pub(crate) struct Records {
    pub(crate) mutants: Vec<Record>,
    pub(crate) tool: Option<ToolSpec>,
}

impl Records {
    /// The first of the mutants that has a seed with the right hash: the given one, or where it
    /// should be. It is read as is said now; where nothing is said, as the record has it; and where
    /// that has nothing, as the verifier will take it.
    pub(crate) fn open(
        self,
        style: &Style,
        said: &Options,
        verifier: &Verifier,
        from: Option<&Path>,
    ) -> Result<RecordedMutant, Trouble> {
        let given = from.map(|from| vec![vec![from.to_owned()]]);
        let mut other = None;
        for record in self.mutants {
            let Record { name, seeds, source, seed_hash, edits, hash, reading: options } = record;
            for paths in given.as_ref().unwrap_or(&seeds) {
                if given.is_none() && !paths.iter().all(|path| path.exists()) {
                    continue;
                }
                let reading = session::reading(&said.clone().or(&options), verifier);
                let seed = open_seed(style, &reading, &Source::new(paths.clone()))?;
                if seed.hash() != seed_hash {
                    other = Some((paths.first().cloned().unwrap_or_default(), name.clone()));
                    continue;
                }
                replay(seed.program(), &edits, &hash).map_err(|error| not_again(&name, &error))?;
                return Ok(RecordedMutant { name, source, seed, edits });
            }
            if other.is_none() {
                other = Some((PathBuf::from(source), name));
            }
        }
        let (path, name) = other.unwrap_or_default();
        let words = format!("{} is not there, or not the seed of {name}", path.display());
        Err(Trouble::new(words).help("name the seed with `--from SEED`, unchanged"))
    }
}

/// The program of a source, which must be well-formed. Its errors are told.
pub(crate) fn open_seed(
    style: &Style,
    reading: &Reading,
    source: &Source,
) -> Result<OpenSeed, Trouble> {
    reading.open(source).map_err(|unusable| trouble(style, *unusable))
}

/// What to say of a seed that cannot be used. Its errors are told.
pub(crate) fn trouble(style: &Style, unusable: Unusable) -> Trouble {
    let Unusable { name, reason, help, errors, .. } = unusable;
    let message = if errors.is_empty() {
        format!("{name}: {reason}")
    } else {
        output::talk(&style.errors(&errors, MAX_ERRORS));
        format!("{name}: the seed is not a well-formed program")
    };
    Trouble { message, help }
}

/// Looks for records of a mutant beside its file. Tests of seeds with the same name can have
/// mutants with the same name: the hash of the seed tells which one it is.
pub(crate) fn find(file: &Path) -> Result<Records, Trouble> {
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
        let found = Records { mutants: in_list(&list, &folder, &name)?, tool: None };
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
    if found.mutants.is_empty() {
        let words = format!("{} knows nothing of a mutant `{name}`", record.display());
        return Err(Trouble::new(words)
            .help("name a file of a mutant, as `mugie mutate` or `mugie test --out` wrote it"));
    }
    Ok(found)
}

/// A mutant in a folder of `mugie mutate`.
fn in_list(list: &Path, folder: &Path, name: &str) -> Result<Vec<Record>, Trouble> {
    let rows = mutants::read_list(list)?.into_iter();
    let rows = rows.filter(|row| row.files.iter().any(|file| file == name));
    let records = rows.map(|row| Record {
        seeds: vec![
            vec![path_called(&folder.join(".."), &row.source)],
            vec![path_called(Path::new(""), &row.source)],
            vec![path_called(folder, &row.source)],
        ],
        reading: row.reading,
        name: row.name,
        source: row.source,
        seed_hash: row.seed,
        edits: row.edits,
        hash: row.hash,
    });
    Ok(records.collect())
}

/// A mutant in a folder of `mugie test --out`, and the verifier of that test.
fn in_result(file: &Path, folder: &Path, name: &str) -> Result<Records, Trouble> {
    let unreadable = |error: &dyn std::fmt::Display| {
        Trouble::new(format!("{}: cannot read what a test found: {error}", file.display()))
            .help("the file was changed, or written by another release of mugie")
    };
    let text = input::read_to_string(file, MAX_RECORD).map_err(|error| unreadable(&error))?;
    let report = result::read(&text).map_err(|error| unreadable(&error))?;
    let document = Document { path: file, hash: trust::hash(&text) };
    let tool = Some(ToolSpec::recorded(&report.verifier, Some(&report.settings), document));
    let mut mutants = Vec::new();
    for seed in report.seeds {
        let Some(seed_hash) = seed.hash else { continue };
        let flips = seed.flips.into_iter();
        mutants.extend(flips.filter(|flip| flip.files.iter().any(|file| file == name)).map(
            |flip| {
                let extension = flip.files.first().and_then(|file| Path::new(file).extension());
                let printed = Path::new("seed").with_extension(extension.unwrap_or_default());
                Record {
                    name: flip.mutant,
                    seeds: vec![vec![folder.join(printed)]],
                    source: seed.name.clone(),
                    seed_hash: seed_hash.clone(),
                    reading: seed.reading.clone(),
                    edits: flip.edits,
                    hash: flip.hash,
                }
            },
        ));
    }
    Ok(Records { mutants, tool })
}

/// What to say if a mutant does not come out as it was.
pub(crate) fn not_again(name: &str, why: &ReplayError) -> Trouble {
    Trouble::new(format!("{name} cannot be made again: {why}"))
        .help("its record was changed, or written by a release of mugie with other rules")
}
