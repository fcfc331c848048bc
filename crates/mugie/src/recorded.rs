//! Recorded mutants: from a file written by `mugie mutate` or `mugie test --out` to its seed and
//! its edits.

use std::path::{Path, PathBuf};

use mugie_core::{Edit, LanguageOptions, ReplayError, replay};
use mugie_experiment::seed::OpenSeed;
use mugie_experiment::sources::{Reading, Source, Unusable, path_called};
use mugie_results::result;
use mugie_verifiers::{Verifier, input, trust};

use crate::messages::{Style, Trouble};
use crate::mutants::{self, LIST, RESULT};
use crate::tool_spec::{Document, ToolSpec};
use crate::{output, session};

/// The maximum number of errors shown for a rejected seed.
const MAX_ERRORS: usize = 5;

/// The maximum size of a record of results, in bytes; larger files are refused.
pub(crate) const MAX_RECORD: u64 = 1 << 30;

/// A mutant and its seed, with their names.
pub(crate) struct RecordedMutant {
    /// The mutant's name.
    pub(crate) name: String,
    /// The seed's name.
    pub(crate) source: String,
    /// The seed.
    pub(crate) seed: OpenSeed,
    /// The edits from the seed to the mutant.
    pub(crate) edits: Vec<Edit>,
}

/// The record of a mutant.
#[derive(Debug)]
pub(crate) struct MutantRecord {
    /// The mutant's name.
    pub(crate) name: String,
    /// Possible locations of its seed, the likeliest first: the files of each.
    pub(crate) seeds: Vec<Vec<PathBuf>>,
    /// The seed's name.
    pub(crate) source: String,
    /// The hash of the seed.
    pub(crate) seed_hash: String,
    /// The options with which the seed is read.
    pub(crate) reading: LanguageOptions,
    /// The edits from the seed to the mutant.
    pub(crate) edits: Vec<Edit>,
    /// The hash of the mutant.
    pub(crate) hash: String,
}

/// The records that match, and the verifier with which the mutants were found, if known.
pub(crate) struct Records {
    pub(crate) mutants: Vec<MutantRecord>,
    pub(crate) tool: Option<ToolSpec>,
}

impl Records {
    /// Opens the first of the mutants whose seed has the right hash: the given seed, or one of the
    /// recorded locations. The seed is read with the options given now; where none are given, with
    /// those of the record; and where that has none, with those of the verifier.
    pub(crate) fn open(
        self,
        style: &Style,
        said: &LanguageOptions,
        verifier: &Verifier,
        from: Option<&Path>,
    ) -> Result<RecordedMutant, Trouble> {
        let given = from.map(|from| vec![vec![from.to_owned()]]);
        let mut other = None;
        for record in self.mutants {
            let MutantRecord { name, seeds, source, seed_hash, edits, hash, reading: options } =
                record;
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
        let words = format!("{} does not exist, or is not the seed of {name}", path.display());
        Err(Trouble::new(words).help("give the unchanged seed with `--from SEED`"))
    }
}

/// Opens a seed, which must be well-formed. Prints its errors otherwise.
pub(crate) fn open_seed(
    style: &Style,
    reading: &Reading,
    source: &Source,
) -> Result<OpenSeed, Trouble> {
    reading.open(source).map_err(|unusable| trouble(style, *unusable))
}

/// The error for an unusable seed. Prints the errors in the program.
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

/// Whether there is a record next to a file.
pub(crate) fn has_record(file: &Path) -> bool {
    let folder = file.parent().unwrap_or(Path::new(""));
    folder.join(LIST).exists() || folder.join("..").join(RESULT).exists()
}

/// Finds the records of a mutant next to its file. Tests of seeds with the same name can have
/// mutants with the same name: the hash of the seed tells them apart.
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
        let words = format!("{}: there is no record of the seed of this mutant", file.display());
        return Err(Trouble::new(words).help(format!(
            "its folder has no `{LIST}` of `mugie mutate`, nor a `{RESULT}` of `mugie test --out` \
             above it; name the seed instead, and the number: `mugie minimise SEED --mutant N`"
        )));
    };
    if found.mutants.is_empty() {
        let words = format!("{} has no mutant `{name}`", record.display());
        return Err(Trouble::new(words)
            .help("give a file of a mutant, as written by `mugie mutate` or `mugie test --out`"));
    }
    Ok(found)
}

/// A mutant in a folder of `mugie mutate`.
fn in_list(list: &Path, folder: &Path, name: &str) -> Result<Vec<MutantRecord>, Trouble> {
    let rows = mutants::read_list(list)?.into_iter();
    let rows = rows.filter(|row| row.files.iter().any(|file| file == name));
    let records = rows.map(|row| MutantRecord {
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
                MutantRecord {
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

/// The error for a mutant that cannot be reproduced.
pub(crate) fn not_again(name: &str, why: &ReplayError) -> Trouble {
    Trouble::new(format!("{name} cannot be reproduced: {why}"))
        .help("its record was changed, or written by a release of mugie with other rules")
}
