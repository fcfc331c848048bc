//! Mutants that fail mugie's own check: bug reports about mugie itself.
//!
//! A run continues without them. [`Dropped::are_too_many`] decides whether there are too many of
//! them.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use mugie_core::{Dropped, Edit, LanguageOptions, escaped_json, hex, path_name, plain};
use mugie_experiment::seed::OpenSeed;
use serde::Serialize;

use crate::folder::cannot_write;
use crate::messages::{Style, Trouble, plural};
use crate::output;

/// The maximum number of defects listed at the end of a run.
const MAX_NAMED: usize = 3;

/// The options for mutants that fail the check.
#[derive(Args, Clone, Debug)]
pub(crate) struct DefectArgs {
    /// Keep mutants that fail mugie's own check in a directory, as bug reports
    ///
    /// Each is a JSON file with everything needed to investigate: the seed, the edits, the error,
    /// and the text. The run continues without such mutants; if they are more than 5 % of all,
    /// there is no answer.
    #[arg(long, value_name = "DIR", help_heading = "Defects")]
    keep_defects: Option<PathBuf>,
}

/// A bug report.
#[derive(Debug, Serialize)]
struct Report<'r> {
    /// The version of mugie.
    mugie: &'static str,
    language: &'static str,
    seed: Seed<'r>,
    mutant: Mutant<'r>,
}

#[derive(Debug, Serialize)]
struct Seed<'r> {
    name: &'r str,
    hash: String,
    /// The options with which it is read, all of them explicit.
    reading: &'r LanguageOptions,
    /// The original text.
    files: Vec<Text>,
}

#[derive(Debug, Serialize)]
struct Mutant<'r> {
    name: &'r str,
    number: usize,
    /// The operator that made the mutant invalid.
    operator: &'r str,
    /// The error.
    reason: String,
    edits: &'r [Edit],
    /// The printed text; `null` if it could not be made.
    files: Option<Vec<Text>>,
}

#[derive(Debug, Serialize)]
struct Text {
    name: String,
    text: String,
}

/// The mutants of a run that fail the check, in the order found.
#[derive(Debug)]
pub(crate) struct Defects<'a> {
    folder: Option<&'a Path>,
    /// The name and the error of each.
    found: Vec<(String, String)>,
}

impl DefectArgs {
    /// Starts an empty collection.
    pub(crate) fn collect(&self) -> Defects<'_> {
        Defects { folder: self.keep_defects.as_deref(), found: Vec::new() }
    }

    /// Whether defects are kept as files.
    pub(crate) fn are_kept(&self) -> bool {
        self.keep_defects.is_some()
    }
}

impl Defects<'_> {
    /// Adds a defect of which only the name and the error are known.
    pub(crate) fn note(&mut self, mutant: String, reason: String) {
        self.found.push((mutant, reason));
    }

    /// Adds a defect, and keeps it if asked to. `batch` tells batches of the same seed apart.
    pub(crate) fn add(
        &mut self,
        seed: &OpenSeed,
        batch: Option<&str>,
        mutant: &str,
        dropped: &Dropped,
    ) -> Result<(), Trouble> {
        self.note(mutant.to_owned(), dropped.to_string());
        let Some(folder) = self.folder else { return Ok(()) };
        let file = folder.join(file_name(seed, batch, mutant));
        let report = report(seed, mutant, dropped);
        let text = serde_json::to_string_pretty(&report)
            .map_err(|error| Trouble::new(format!("cannot write JSON: {error}")))?;
        fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
        output::replace(&file, &(escaped_json(&text) + "\n"))
    }

    /// Warns about the defects, and asks for a report.
    pub(crate) fn tell(&self, style: &Style) {
        let number = self.found.len();
        if number == 0 {
            return;
        }
        let verb = if number == 1 {
            "fails mugie's own check and is"
        } else {
            "fail mugie's own check and are"
        };
        let noun = plural(number, "mutant");
        output::talk(
            &style.warning(&format!("{number} {noun} {verb} left out: this is a bug in mugie")),
        );
        for (mutant, reason) in self.found.iter().take(MAX_NAMED) {
            output::talk(&style.note(&format!("{mutant}: {reason}")));
        }
        let ask = match self.folder {
            Some(folder) => {
                format!("please report it, with the files in {}", path_name(folder))
            }
            None => "please report it, with the files that `--keep-defects DIR` writes".to_owned(),
        };
        output::talk(&style.note(&ask));
    }
}

/// A file name that is unique within a run, and the same in the next run.
fn file_name(seed: &OpenSeed, batch: Option<&str>, mutant: &str) -> String {
    let hash = seed.hash();
    let mut name = format!("{mutant}-{}", &hash[..8.min(hash.len())]);
    if let Some(batch) = batch {
        name = format!("{name}-{batch}");
    }
    plain(&name, "json")
}

fn report<'r>(seed: &'r OpenSeed, mutant: &'r str, dropped: &'r Dropped) -> Report<'r> {
    let sources = seed.seed().sources().into_iter();
    let extension = seed.extension();
    let made = dropped.program.as_ref().map(|program| {
        let texts = program.texts().into_iter().enumerate();
        let texts = texts.map(|(index, file)| Text {
            name: plain(&format!("{mutant}-{}", index + 1), extension),
            text: file.text,
        });
        texts.collect()
    });
    Report {
        mugie: env!("CARGO_PKG_VERSION"),
        language: seed.seed().language().id(),
        seed: Seed {
            name: seed.name(),
            hash: hex(&seed.program().hash()),
            reading: seed.seed().options(),
            files: sources
                .map(|file| Text { name: file.name.to_owned(), text: file.text.to_owned() })
                .collect(),
        },
        mutant: Mutant {
            name: mutant,
            number: dropped.number,
            operator: dropped.operator(),
            reason: dropped.to_string(),
            edits: &dropped.edits,
            files: made,
        },
    }
}
