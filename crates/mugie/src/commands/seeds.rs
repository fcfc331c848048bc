//! `mugie seeds`: programs to test, shipped with mugie or generated.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, Subcommand};
use mugie_core::Exit;

use crate::cli::Cli;
use crate::folder::Folder;
use crate::messages::Style;
use crate::output::{self, Broken};
use crate::scalable::Pattern;
use crate::shipped;

/// Get programs to test: those shipped with mugie, or generated ones
///
/// mugie ships example programs, and seeds in groups as in the paper: algorithms (A), examples of
/// triggers (E), scalable programs (S), and small programs that are known to break (X).
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Seeds {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  mugie seeds list                            list the shipped programs
  mugie seeds export --out playground         write all of them to files
  mugie test playground/seeds --until-failure
  mugie seeds generate --kind many-variables --size 100

Exit codes:
  0  success
  2  something cannot be written, or the usage is wrong";

#[derive(Debug, Subcommand)]
enum Command {
    List(List),
    Export(Export),
    Generate(Generate),
}

/// List the programs that are shipped with mugie
///
/// One line each: the path that `mugie seeds export` gives it, and a description.
#[derive(Args, Debug)]
#[command(after_help = LIST_EXAMPLES)]
struct List {}

const LIST_EXAMPLES: &str = "\
Examples:
  mugie seeds list
  mugie seeds list | grep /A_                 the algorithms";

/// Write the programs that are shipped with mugie to a directory
///
/// The directory appears only when it is complete. Its name is printed to standard output.
#[derive(Args, Debug)]
#[command(after_help = EXPORT_EXAMPLES)]
struct Export {
    /// The directory for the programs
    #[arg(short, long, value_name = "DIR", default_value = "mugie-programs")]
    out: PathBuf,

    /// Replace the directory of an earlier export
    #[arg(long)]
    force: bool,
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  mugie seeds export
  mugie seeds export --out playground && mugie test playground/examples/max.bpl

Exit codes:
  0  the programs are written
  2  the directory cannot be written, or the usage is wrong";

/// A file that identifies a directory of shipped programs.
const MARKER: &str = "seeds/README.md";

/// Generate a program of a given size
///
/// The program follows a fixed pattern and verifies by construction: it shows how a verifier and
/// its robustness scale. The same kind and size always give the same program.
#[derive(Args, Debug)]
#[command(after_help = GENERATE_EXAMPLES)]
struct Generate {
    /// The pattern
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Pattern,

    /// The depth or number; at most 16 for nested-conditionals and 200000 for the others
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    size: u32,

    /// Write to this file instead of standard output; it is replaced completely or not at all
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

const GENERATE_EXAMPLES: &str = "\
Examples:
  mugie seeds generate --kind nested-conditionals --size 3
  mugie seeds generate --kind many-variables --size 100 --out variables.bpl
  mugie seeds generate --kind long-assignments --size 5000 | mugie check -

Exit codes:
  0  the program is written
  2  the file cannot be written, or the usage is wrong";

impl Seeds {
    /// Runs the subcommand.
    pub(crate) fn run(&self, _: &Style) -> Result<Exit, Broken> {
        match &self.command {
            Command::List(_) => list(),
            Command::Export(command) => command.run(),
            Command::Generate(command) => command.run(),
        }
    }
}

fn list() -> Result<Exit, Broken> {
    let list = shipped::programs().fold(String::new(), |mut list, (path, text)| {
        let _ = writeln!(list, "{path:56}{}", shipped::about(text));
        list
    });
    output::data(&list)?;
    Ok(Exit::Fine)
}

impl Export {
    fn run(&self) -> Result<Exit, Broken> {
        let folder = Folder::start(&self.out, MARKER, self.force)?;
        let mut marker = "";
        for (path, text) in shipped::FILES {
            folder.write(path, text)?;
            if *path == MARKER {
                marker = text;
            }
        }
        folder.finish(marker)?;
        output::path(&self.out)?;
        Ok(Exit::Fine)
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
