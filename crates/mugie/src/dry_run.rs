//! `--dry-run`: prints the commands that a command would run, and runs none of them.
//!
//! Only verifiers and solvers are asked for their versions, as `mugie verifiers` does: options can depend on them.

use std::fmt::Write as _;
use std::path::Path;

use clap::Args;
use mugie_experiment::recipe::{quoted, quoted_path};
use mugie_verifiers::Verifier;

use crate::output::{self, Broken};

/// What stands for the files in the command line of a verifier.
const FILES: &str = "{files}";

/// Whether only to print the commands.
#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = "Running")]
pub(crate) struct DryRunArgs {
    /// Print the commands that would be run, and run none of them
    ///
    /// Verifiers and solvers are only asked for their versions. Files that mugie would make have a name in
    /// capitals, such as `MUTANT.bpl`.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Commands to print.
#[derive(Default)]
pub(crate) struct Commands(String);

impl Commands {
    /// Adds the command of a verifier on some files, which are written as they are in a shell, with a remark.
    pub(crate) fn add(&mut self, verifier: &Verifier, files: &str, remark: &str) {
        let words = verifier.command_words().into_iter();
        let words = words.map(|word| match word.as_str() {
            FILES => files.to_owned(),
            _ if word.contains(FILES) => word.replace(FILES, files),
            _ => quoted(&word),
        });
        let words: Vec<String> = words.collect();
        let _ = writeln!(self.0, "{}  # {remark}", words.join(" "));
    }

    /// Adds a remark.
    pub(crate) fn note(&mut self, remark: &str) {
        let _ = writeln!(self.0, "# {remark}");
    }

    /// Prints the commands.
    pub(crate) fn print(&self) -> Result<(), Broken> {
        output::data(&self.0)
    }
}

/// The name of a file that mugie would make.
pub(crate) fn placeholder(what: &str, extension: &str) -> String {
    format!("{what}.{extension}")
}

/// Paths as they are written in a shell.
pub(crate) fn paths<'p>(paths: impl IntoIterator<Item = &'p Path>) -> String {
    paths.into_iter().map(quoted_path).collect::<Vec<_>>().join(" ")
}
