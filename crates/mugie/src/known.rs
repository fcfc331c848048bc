//! The file of known findings: `--baseline` and `--update-baseline`.
//!
//! What counts as a finding, and what becomes of entries, is decided in `mugie-report`.

use std::path::PathBuf;

use clap::Args;
use mugie_results::known_findings::{self as known, Entry};
use mugie_results::result::TestReport;
use mugie_verifiers::input;

use crate::messages::{Style, Trouble, plural, shown};
use crate::output;
use crate::recorded::MAX_RECORD;

/// Which findings are known.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Answer")]
pub(crate) struct KnownArgs {
    /// A file with known findings, for which the exit code is 0
    ///
    /// An entry counts for the same program, procedure, verifier, solver and options. What is found no more is
    /// said, and so is what is stale, because it was found with another tool or other options.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,

    /// Write what is found to the file of --baseline; entries that this test says nothing about stay
    #[arg(long, requires = "baseline")]
    update_baseline: bool,
}

impl KnownArgs {
    /// The known findings; none without a file. A test that ends at its first finding cannot use them.
    pub(crate) fn read(&self, until_failure: bool) -> Result<Vec<Entry>, Trouble> {
        let Some(path) = &self.baseline else { return Ok(Vec::new()) };
        if until_failure {
            let words = "--until-failure may stop at a known finding, before it finds a new one";
            return Err(Trouble::new(words).help("leave it out with --baseline"));
        }
        if self.update_baseline && !path.exists() {
            return Ok(Vec::new());
        }
        if !path.exists() {
            return Err(Trouble::new(format!("{}: there is no such file", shown(path)))
                .help("write it with --update-baseline"));
        }
        let text = input::read_to_string(path, MAX_RECORD);
        let text = text.map_err(|error| Trouble::new(format!("{}: {error}", shown(path))))?;
        known::read(&text).map_err(|error| {
            Trouble::new(format!("{}: {error}", shown(path)))
                .help("remove the file, and write it again with --update-baseline")
        })
    }

    /// Compares a report with the known findings, and writes them anew if asked to.
    pub(crate) fn settle(
        &self,
        style: &Style,
        report: &mut TestReport,
        mut known: Vec<Entry>,
    ) -> Result<(), Trouble> {
        let Some(path) = &self.baseline else { return Ok(()) };
        if self.update_baseline {
            known = mugie_report::update(report, known);
            let text = known::write(known.clone());
            output::replace(path, &text)?;
            let number = known.len();
            let words = format!("{number} known {} in {}", plural(number, "finding"), shown(path));
            output::talk(&style.note(&words));
        }
        let file = mugie_core::path_name(path);
        report.known = Some(mugie_report::compare(report, file, &known));
        Ok(())
    }
}
