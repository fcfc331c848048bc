//! `mugie merge`: puts the results of shards together, and prints a result again in any format.

use std::path::{Path, PathBuf};

use clap::Args;
use mugie_core::Exit;
use mugie_report::Format;
use mugie_results::part::{self, Missing};
use mugie_results::result::{self, TestReport};
use mugie_verifiers::input;

use super::test::FormatName;
use crate::known::KnownArgs;
use crate::messages::{Style, Trouble, plural, shown};
use crate::mutants::RESULT;
use crate::output::{self, Broken};
use crate::recorded::MAX_RECORD;

/// Put the results of shards together, or print a result again
///
/// Takes what `mugie test --shard K/N --out DIR` kept for each of the shards, and answers as one test of all
/// programs would have, in any of its formats and with its exit code. Programs of missing shards are
/// reported as not tested. A single result is printed again, perhaps in another format.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Merge {
    /// Directories of `mugie test --out`, or their `result.json`
    #[arg(value_name = "DIR", required = true)]
    results: Vec<PathBuf>,

    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Answer")]
    format: FormatName,

    /// Same as --format json: the content of the `result.json` of the whole test
    #[arg(long, conflicts_with = "format", help_heading = "Answer")]
    json: bool,

    #[command(flatten)]
    known: KnownArgs,
}

const EXAMPLES: &str = "\
Examples:
  mugie test proofs/ --shard 1/2 --out one    on one machine
  mugie test proofs/ --shard 2/2 --out two    on another
  mugie merge one two                         the answer for all programs
  mugie merge one two --json > result.json    all results
  mugie merge one --format markdown           a result in another format

Exit codes, as of the whole test:
  0  robust: every mutant has the same verdict as its seed
  1  a finding
  2  no answer: a shard is missing, results of different tests, wrong usage
  3  a seed does not verify as it is";

impl Merge {
    /// Prints the result of all shards.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        let known = self.known.read(false)?;
        let parts: Vec<TestReport> =
            self.results.iter().map(|path| read(path)).collect::<Result<_, _>>()?;
        let (mut report, missing) = part::merge(parts).map_err(|(index, why)| {
            let path = self.results.get(index).map(|path| shown(path)).unwrap_or_default();
            Trouble::new(format!("{path}: {why}"))
                .help("give the results of one test, each made with another `--shard K/N`")
        })?;
        if let Some(Missing { shards, programs }) = missing {
            let numbers: Vec<String> = shards.iter().map(ToString::to_string).collect();
            let words = format!(
                "{} {} missing: {programs} {} not tested",
                plural(shards.len(), "shard"),
                numbers.join(", ") + if shards.len() == 1 { " is" } else { " are" },
                if programs == 1 { "program is" } else { "programs are" },
            );
            output::talk(&style.warning(&words));
        }
        self.known.settle(style, &mut report, known)?;
        let format: Format = if self.json { Format::Json } else { self.format.into() };
        let colour = style.colors_data();
        let mut text = mugie_report::render(&report, format, colour);
        if format == Format::Text {
            text += &mugie_report::levels(&report, colour);
            text += &mugie_report::known(&report, colour);
        }
        output::data(&text)?;
        Ok(mugie_report::exit(&report))
    }
}

/// Reads a result.
fn read(path: &Path) -> Result<TestReport, Trouble> {
    let file = if path.is_dir() { path.join(RESULT) } else { path.to_owned() };
    let unreadable = |error: &dyn std::fmt::Display| {
        Trouble::new(format!("{}: cannot read the result: {error}", shown(&file)))
            .help("give a directory that `mugie test --out` wrote")
    };
    let text = input::read_to_string(&file, MAX_RECORD).map_err(|error| unreadable(&error))?;
    result::read(&text).map_err(|error| unreadable(&error))
}
