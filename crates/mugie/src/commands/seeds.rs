//! `mugie seeds`: programs to test, made to measure.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, Subcommand};

use crate::cli::{Cli, Exit};
use crate::output::{self, Broken};
use crate::report::Style;
use crate::scalable::Kind;

/// Make programs to be tested
#[derive(Args, Debug)]
pub(crate) struct Seeds {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Generate(Generate),
}

/// Make a program of a given size
///
/// The program follows a fixed pattern and verifies by construction: it shows how a verifier and
/// its robustness scale. The same kind and size give the same program, always.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
struct Generate {
    /// The pattern
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Kind,

    /// How deep, or how many; at most 16 for nested-conditionals and 200000 for the others
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    size: u32,

    /// Write to this file instead of standard output; it is replaced whole or left as it was
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  mugie seeds generate --kind nested-conditionals --size 3
  mugie seeds generate --kind many-variables --size 100 --out variables.bpl
  mugie seeds generate --kind long-assignments --size 5000 | mugie check -

Exit codes:
  0  the program is made
  2  the file cannot be written, or the usage is wrong";

impl Seeds {
    /// Runs the command that was asked for.
    pub(crate) fn run(&self, _: &Style) -> Result<Exit, Broken> {
        match &self.command {
            Command::Generate(command) => command.run(),
        }
    }
}

impl Generate {
    fn run(&self) -> Result<Exit, Broken> {
        let max = self.kind.max_size();
        if self.size > max {
            let message = format!("--size of {} is at most {max}", self.kind.name());
            Cli::usage(ErrorKind::ValueValidation, &message);
        }
        let text = self.kind.program(self.size);
        match &self.out {
            Some(path) => output::replace(path, &text)?,
            None => output::data(&text)?,
        }
        Ok(Exit::Fine)
    }
}
