//! `mugie man`: manual pages for `man`.

use std::fs;
use std::path::PathBuf;

use clap::{Args, CommandFactory as _};
use mugie_core::Exit;

use crate::cli::Cli;
use crate::folder::cannot_write;
use crate::messages::Style;
use crate::output::{self, Broken};

/// Write the manual pages to a directory
///
/// One page per command: `mugie.1`, `mugie-test.1` and so on. Existing pages are replaced. The name
/// of the directory is printed to standard output.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Man {
    /// The directory, created if it does not exist
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  mugie man ~/.local/share/man/man1
  mugie man pages && man pages/mugie-test.1

Exit codes:
  0  the pages are written
  2  the directory cannot be written, or the usage is wrong";

impl Man {
    /// Writes the pages.
    pub(crate) fn run(&self, _: &Style) -> Result<Exit, Broken> {
        let directory = &self.directory;
        let written = fs::create_dir_all(directory).and_then(|()| {
            clap_mangen::generate_to(Cli::command().disable_help_subcommand(true), directory)
        });
        written.map_err(|error| cannot_write(directory, &error))?;
        output::path(directory)?;
        Ok(Exit::Fine)
    }
}
