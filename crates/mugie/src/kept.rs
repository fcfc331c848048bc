//! The smallest pair so far, on disk: written whenever a smaller one is found, and read again by a
//! search that goes on.
//!
//! `minimal.json` has everything and is replaced as a whole, so a search that is killed leaves a
//! pair that is one. The programs beside it are for people and verifiers; they follow it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mugie_core::{Edit, Files, Options, Pair, escaped_json};
use mugie_experiment::seed::pair_files;
use mugie_results::result::VerifierInfo;
use mugie_results::{Ending, Minimal};
use mugie_verifiers::{claim, input};
use serde::{Deserialize, Serialize};

use crate::folder::{Folder, cannot_write};
use crate::messages::Trouble;
use crate::output;
use crate::recorded::MAX_RECORD;
use crate::tool_spec::ToolSpec;

/// The file that tells a folder of a minimised mutant from others.
pub(crate) const RECORD: &str = "minimal.json";

/// What was minimised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Question {
    /// The seed, as it is called.
    pub(crate) seed: String,
    /// The hash of the seed.
    pub(crate) seed_hash: String,
    /// The mutant, as it is called.
    pub(crate) mutant: String,
    /// What leads from the seed to it.
    pub(crate) edits: Vec<Edit>,
    /// Whether any failure will do.
    pub(crate) any_failure: bool,
    /// The verifier.
    pub(crate) verifier: VerifierInfo,
}

/// The content of `minimal.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The version of mugie.
    pub(crate) mugie: String,
    /// What was minimised.
    pub(crate) question: Question,
    /// What came of it.
    pub(crate) minimal: Minimal,
    /// The files of the small seed: always one.
    pub(crate) seed_files: Vec<KeptFile>,
    /// The files of the small mutant, in the order for the verifier.
    pub(crate) mutant_files: Vec<KeptFile>,
    /// How the seed is read, where that is not the usual.
    #[serde(default, skip_serializing_if = "Options::is_empty")]
    pub(crate) reading: Options,
    /// What a run could use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) limits: Option<RunLimits>,
}

/// What a run of the verifier could use.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunLimits {
    /// The time limit of a run, in seconds.
    time_limit: f64,
    /// The limit on processor time, in seconds.
    cpu_limit: Option<f64>,
    /// The memory limit of a run, in bytes.
    memory_limit: Option<u64>,
    /// How many processes and threads a run may have at a time, if there was such a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    process_limit: Option<u32>,
    /// The solver's limit in resource units.
    resource_limit: Option<u64>,
    /// How many more runs had to time out before a timeout counted.
    confirm: usize,
}

impl RunLimits {
    /// Those of a verifier that is wanted.
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

    /// The same verifier with these.
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

/// What is the same for all pairs of a search.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    /// What is minimised.
    pub(crate) question: Question,
    /// The extension of the files.
    pub(crate) extension: &'static str,
    /// How the seed is read, where that is not the usual.
    pub(crate) reading: Options,
    /// What a run may use.
    pub(crate) limits: RunLimits,
}

/// A file of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptFile {
    /// Its name.
    pub(crate) name: String,
    /// Its text.
    pub(crate) text: String,
}

impl Record {
    /// The record of a pair.
    pub(crate) fn new(search: &Search, pair: &dyn Pair, minimal: Minimal) -> Record {
        let kept = |Files(files): Files| {
            files.into_iter().map(|(name, text)| KeptFile { name, text }).collect()
        };
        let Search { question, extension, reading, limits } = search;
        let (seed, mutant) = pair_files(pair, extension);
        Record {
            mugie: env!("CARGO_PKG_VERSION").to_owned(),
            question: question.clone(),
            minimal,
            seed_files: kept(seed),
            mutant_files: kept(mutant),
            reading: reading.clone(),
            limits: Some(*limits),
        }
    }

    /// The record as text.
    pub(crate) fn to_json(&self) -> Result<String, Trouble> {
        let text = serde_json::to_string_pretty(self);
        let text = text.map_err(|error| Trouble::new(format!("cannot write JSON: {error}")))?;
        Ok(escaped_json(&text) + "\n")
    }

    /// Whether a search with so many runs would go on from here.
    pub(crate) fn is_unfinished(&self, budget: usize) -> bool {
        match self.minimal.ending {
            Ending::Done => false,
            Ending::BudgetSpent => self.minimal.runs < budget,
            Ending::Interrupted => true,
        }
    }
}

/// The folder of a minimised mutant.
#[derive(Debug)]
pub(crate) struct Kept {
    folder: PathBuf,
}

impl Kept {
    /// A folder, if its place is fit, and what an earlier search left there on the same question.
    pub(crate) fn open(
        folder: &Path,
        question: &Question,
        force: bool,
    ) -> Result<(Kept, Option<Record>), Trouble> {
        let kept = Kept { folder: folder.to_owned() };
        claim::sweep_once(folder, claim::DRAFT);
        let earlier = input::read_to_string(&folder.join(RECORD), MAX_RECORD).ok();
        let earlier: Option<Record> = earlier.and_then(|text| serde_json::from_str(&text).ok());
        let earlier = earlier.filter(|record| record.question == *question && !force);
        if earlier.is_none() {
            Folder::check(folder, RECORD, force)?;
        }
        Ok((kept, earlier))
    }

    /// Keeps a pair. Files of an earlier one that are no longer needed go.
    pub(crate) fn write(&self, record: &Record) -> Result<(), Trouble> {
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
                    // It is mostly not there.
                    let _ = fs::remove_file(self.folder.join(old));
                }
            }
        }
        Ok(())
    }

    /// Has a file with this text in the folder. What is no file is not written to: a pipe would wait
    /// for a reader.
    fn put(&self, name: &str, text: &str) -> Result<(), Trouble> {
        let path = self.folder.join(name);
        input::check_place(&path).map_err(|error| cannot_write(&path, &error))?;
        if input::read(&path, MAX_RECORD).is_ok_and(|old| old == text.as_bytes()) {
            return Ok(());
        }
        output::replace(&path, text)
    }
}

/// The folder of a minimised mutant that is meant by a path: its own, or that of a file in it.
pub(crate) fn folder(path: &Path) -> Option<&Path> {
    if path.is_dir() {
        return Some(path);
    }
    path.parent().filter(|folder| folder.join(RECORD).is_file())
}

/// What is kept in a folder of a minimised mutant.
pub(crate) fn read(folder: &Path) -> Result<Record, Trouble> {
    let file = folder.join(RECORD);
    let trouble = |error: &dyn std::fmt::Display| {
        Trouble::new(format!("{}: cannot read a minimised mutant: {error}", file.display()))
            .help("`mugie minimise` writes such a directory")
    };
    let text = input::read_to_string(&file, MAX_RECORD).map_err(|error| trouble(&error))?;
    serde_json::from_str(&text).map_err(|error| trouble(&error))
}
