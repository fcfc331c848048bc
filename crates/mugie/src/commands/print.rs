//! `mugie print`: programs in canonical layout.

use std::path::PathBuf;

use clap::Args;
use clap::error::ErrorKind;
use mugie_core::Exit;
use mugie_exec::pool::InOrderEvent;
use mugie_experiment::sources::Source;

use crate::args::{self, Inputs};
use crate::cli::Cli;
use crate::messages::Style;
use crate::output::{self, Broken};
use crate::progress::Progress;
use crate::{parallel, parts};

/// Print programs in canonical layout
///
/// The result is the same program: the same declarations in the same order, the same attributes and
/// literals, with as few parentheses as possible. Comments and layout are lost. The program is
/// printed in the version of the language in which it was read. Several programs are printed one
/// after the other, in the order given.
///
/// A program with syntax errors is refused; names and types are not checked.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Print {
    #[command(flatten)]
    inputs: Inputs,

    /// Write to this file instead of standard output; it is replaced completely or not at all
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  mugie print messy.bpl              to standard output
  mugie print messy.bpl -o messy.bpl in place
  mugie print --together a.bpl b.bpl -o whole.bpl
                                     join the files of a program

Exit codes:
  0  every program is printed
  2  a program has syntax errors, a file cannot be read or written, or the usage is wrong";

impl Print {
    /// Prints all programs, in parallel.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        args::forbid_second_stdin(&self.inputs.files)?;
        let programs = self.inputs.sources()?;
        if self.out.is_some() && programs.len() > 1 {
            let message = "--out takes one program: give one FILE, or --together";
            Cli::usage(ErrorKind::ArgumentConflict, message);
        }
        let mut progress = Progress::new("printing", programs.len());
        let mut exit = Exit::Fine;
        parallel::in_order(
            &programs,
            self.inputs.jobs,
            |source| self.text(source, style),
            |event| {
                match event {
                    InOrderEvent::Tick(finished) => progress.show(finished),
                    InOrderEvent::Done(Ok(text)) => {
                        progress.hide();
                        match &self.out {
                            Some(path) => output::replace(path, &text)?,
                            None => output::data(&text)?,
                        }
                    }
                    InOrderEvent::Done(Err(talk)) => {
                        progress.hide();
                        output::talk(&talk);
                        exit = Exit::NoAnswer;
                    }
                }
                Ok::<(), Broken>(())
            },
        )?;
        progress.hide();
        Ok(exit)
    }

    /// The printed program, or a message if it cannot be read.
    fn text(&self, source: &Source, style: &Style) -> Result<String, String> {
        let files = source.read().map_err(|unreadable| style.trouble(&unreadable.into()))?;
        let language = parts::language_of(source);
        let printed = language.print(files, &self.inputs.reading.options.clone().of(language));
        printed.map_err(|errors| style.errors(&errors, MAX_ERRORS))
    }
}

/// The maximum number of errors shown; `mugie check` shows more.
const MAX_ERRORS: usize = 5;
