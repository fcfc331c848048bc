//! The directory with the smallest pair found so far: written whenever a smaller pair is found, and
//! read again by a search that resumes.
//!
//! `minimal.json` has everything and is replaced atomically, so even a killed search leaves a
//! consistent pair. The programs next to it are for people and verifiers, and are written after it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mugie_core::{Edit, Files, LanguageOptions, Pair, escaped_json};
use mugie_experiment::seed::pair_files;
use mugie_results::result::VerifierInfo;
use mugie_results::{Minimal, SearchEnding};
use mugie_verifiers::{claim, input};
use serde::{Deserialize, Serialize};

use crate::folder::{Folder, cannot_write};
use crate::messages::Trouble;
use crate::output;
use crate::recorded::MAX_RECORD;
use crate::tool_spec::ToolSpec;

/// The file that identifies the folder of a minimised mutant.
pub(crate) const RECORD: &str = "minimal.json";

/// The input of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MinimiseTask {
    /// The seed's name.
    pub(crate) seed: String,
    /// The hash of the seed.
    pub(crate) seed_hash: String,
    /// The mutant's name.
    pub(crate) mutant: String,
    /// The edits from the seed to the mutant.
    pub(crate) edits: Vec<Edit>,
    /// Whether any failure is accepted.
    pub(crate) any_failure: bool,
    /// The share of neighbours that had to fail, in percent, if it is not the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) neighbours: Option<usize>,
    /// The verifier.
    pub(crate) verifier: VerifierInfo,
}

/// The content of `minimal.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct MinimalRecord {
    /// The version of mugie.
    pub(crate) mugie: String,
    /// The input of the search.
    pub(crate) question: MinimiseTask,
    /// The result.
    pub(crate) minimal: Minimal,
    /// The files of the small seed; always a single one.
    pub(crate) seed_files: Vec<RecordedFile>,
    /// The files of the small mutant, in the order for the verifier.
    pub(crate) mutant_files: Vec<RecordedFile>,
    /// The options with which the seed is read, where they are not the defaults.
    #[serde(default, skip_serializing_if = "LanguageOptions::is_empty")]
    pub(crate) reading: LanguageOptions,
    /// The limits of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) limits: Option<RunLimits>,
}

/// The limits of a run of the verifier.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunLimits {
    /// The time limit of a run, in seconds.
    time_limit: f64,
    /// The limit on processor time, in seconds.
    cpu_limit: Option<f64>,
    /// The memory limit of a run, in bytes.
    memory_limit: Option<u64>,
    /// The limit on processes and threads of a run at the same time, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    process_limit: Option<u32>,
    /// The solver's limit in resource units.
    resource_limit: Option<u64>,
    /// The number of further runs that had to time out before a timeout counted.
    confirm: usize,
}

impl RunLimits {
    /// The limits of a specification.
    pub(crate) fn new(spec: &ToolSpec) -> RunLimits {
        RunLimits {
            time_limit: spec.limits.time.as_secs_f64(),
            cpu_limit: spec.limits.cpu.map(|limit| limit.as_secs_f64()),
            memory_limit: spec.limits.memory,
            process_limit: Some(spec.limits.processes),
            resource_limit: spec.options.resource_limit,
            confirm: spec.confirm,
        }
    }

    /// Sets these limits in a specification.
    pub(crate) fn apply(&self, spec: &mut ToolSpec) {
        let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds).ok();
        spec.limits.time = seconds(self.time_limit).unwrap_or(spec.limits.time);
        spec.limits.cpu = self.cpu_limit.and_then(seconds);
        spec.limits.memory = self.memory_limit;
        spec.limits.processes = self.process_limit.unwrap_or(spec.limits.processes);
        spec.options.resource_limit = self.resource_limit;
        spec.confirm = self.confirm;
    }
}

/// The data common to all pairs of a search.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    /// The input.
    pub(crate) question: MinimiseTask,
    /// The extension of the files.
    pub(crate) extension: &'static str,
    /// The options with which the seed is read, where they are not the defaults.
    pub(crate) reading: LanguageOptions,
    /// The limits of a run.
    pub(crate) limits: RunLimits,
}

/// A file of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordedFile {
    /// Its name.
    pub(crate) name: String,
    /// Its text.
    pub(crate) text: String,
}

impl MinimalRecord {
    /// The record of a pair.
    pub(crate) fn new(search: &Search, pair: &dyn Pair, minimal: Minimal) -> MinimalRecord {
        let kept = |Files(files): Files| {
            files.into_iter().map(|(name, text)| RecordedFile { name, text }).collect()
        };
        let Search { question, extension, reading, limits } = search;
        let (seed, mutant) = pair_files(pair, extension);
        MinimalRecord {
            mugie: env!("CARGO_PKG_VERSION").to_owned(),
            question: question.clone(),
            minimal,
            seed_files: kept(seed),
            mutant_files: kept(mutant),
            reading: pair.options(reading),
            limits: Some(*limits),
        }
    }

    /// The record as text.
    pub(crate) fn to_json(&self) -> Result<String, Trouble> {
        let text = serde_json::to_string_pretty(self);
        let text = text.map_err(|error| Trouble::new(format!("cannot write JSON: {error}")))?;
        Ok(escaped_json(&text) + "\n")
    }

    /// Whether a search with this budget of runs would continue from here.
    pub(crate) fn is_unfinished(&self, budget: usize) -> bool {
        match self.minimal.ending {
            SearchEnding::Done => false,
            SearchEnding::BudgetSpent => self.minimal.runs < budget,
            SearchEnding::TimeSpent | SearchEnding::Interrupted => true,
        }
    }
}

/// The folder of a minimised mutant.
#[derive(Debug)]
pub(crate) struct MinimalDir {
    folder: PathBuf,
}

impl MinimalDir {
    /// Opens the folder, if it can be created, and reads the record of an earlier search with the
    /// same input.
    pub(crate) fn open(
        folder: &Path,
        question: &MinimiseTask,
        force: bool,
    ) -> Result<(MinimalDir, Option<MinimalRecord>), Trouble> {
        let kept = MinimalDir { folder: folder.to_owned() };
        claim::sweep_once(folder, claim::DRAFT);
        let earlier = input::read_to_string(&folder.join(RECORD), MAX_RECORD).ok();
        let earlier: Option<MinimalRecord> =
            earlier.and_then(|text| serde_json::from_str(&text).ok());
        let earlier = earlier.filter(|record| record.question == *question && !force);
        if earlier.is_none() {
            Folder::check(folder, RECORD, force)?;
        }
        Ok((kept, earlier))
    }

    /// Writes a pair. Removes files of an earlier pair that are no longer needed.
    pub(crate) fn write(&self, record: &MinimalRecord) -> Result<(), Trouble> {
        fs::create_dir_all(&self.folder).map_err(|error| cannot_write(&self.folder, &error))?;
        self.put(RECORD, &record.to_json()?)?;
        let files = || record.seed_files.iter().chain(&record.mutant_files);
        for file in files() {
            self.put(&file.name, &file.text)?;
        }
        let names = record.mutant_files.iter().filter_map(|file| Path::new(&file.name).extension());
        for extension in names.map(|extension| extension.to_string_lossy()) {
            for old in ["mutant", "mutant-1", "mutant-2"].map(|stem| format!("{stem}.{extension}"))
            {
                if !files().any(|file| file.name == old) {
                    // The file usually does not exist.
                    let _ = fs::remove_file(self.folder.join(old));
                }
            }
        }
        Ok(())
    }

    /// Writes a file of the folder, unless the path exists and is not a regular file: a pipe would
    /// wait for a reader.
    fn put(&self, name: &str, text: &str) -> Result<(), Trouble> {
        let path = self.folder.join(name);
        input::check_place(&path).map_err(|error| cannot_write(&path, &error))?;
        if input::read(&path, MAX_RECORD).is_ok_and(|old| old == text.as_bytes()) {
            return Ok(());
        }
        output::replace(&path, text)
    }
}

/// The folder of a minimised mutant, given by its own path or that of a file in it.
pub(crate) fn folder(path: &Path) -> Option<&Path> {
    if path.is_dir() {
        return Some(path);
    }
    path.parent().filter(|folder| folder.join(RECORD).is_file())
}

/// Reads the record in the folder of a minimised mutant.
pub(crate) fn read(folder: &Path) -> Result<MinimalRecord, Trouble> {
    let file = folder.join(RECORD);
    let trouble = |error: &dyn std::fmt::Display| {
        Trouble::new(format!("{}: cannot read a minimised mutant: {error}", file.display()))
            .help("`mugie minimise` writes such a directory")
    };
    let text = input::read_to_string(&file, MAX_RECORD).map_err(|error| trouble(&error))?;
    serde_json::from_str(&text).map_err(|error| trouble(&error))
}
