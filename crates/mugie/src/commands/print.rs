//! `mugie print`: the same programs in canonical layout.

use std::path::PathBuf;

use clap::Args;
use clap::error::ErrorKind;
use mugie_core::Exit;
use mugie_exec::pool::Event;
use mugie_experiment::sources::Source;

use crate::args::{self, Inputs};
use crate::cli::Cli;
use crate::messages::Style;
use crate::output::{self, Broken};
use crate::progress::Progress;
use crate::{parallel, parts};

/// Print programs in canonical layout
///
/// The printed program is the same program: same declarations in the same order, same
/// attributes, same literals, fewest parentheses. Comments and layout go. It is printed in the
/// version of the language in which it was read. Several programs are printed one after the
/// other, in the order given.
///
/// A program with syntax errors is refused; names and types need not be right.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Print {
    #[command(flatten)]
    inputs: Inputs,

    /// Write to this file instead of standard output; it is replaced whole or left as it was
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  mugie print messy.bpl              to standard output
  mugie print messy.bpl -o messy.bpl to the file itself
  mugie print --together a.bpl b.bpl -o whole.bpl
                                     join the files of a program

Exit codes:
  0  every program is printed
  2  a program has syntax errors, a file cannot be read or written, or the usage is wrong";

impl Print {
    /// Prints all programs, in parallel.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        args::forbid_second_stdin(&self.inputs.files)?;
        let programs = self.inputs.programs();
        if self.out.is_some() && programs.len() > 1 {
            let message = "--out takes one program: give one FILE, or --together";
            Cli::usage(ErrorKind::ArgumentConflict, message);
        }
        let mut progress = Progress::new("printing", programs.len());
        let mut exit = Exit::Fine;
        parallel::in_order(
            &programs,
            self.inputs.jobs,
            |files| self.text(files, style),
            |event| {
                match event {
                    Event::Tick(finished) => progress.show(finished),
                    Event::Done(Ok(text)) => {
                        progress.hide();
                        match &self.out {
                            Some(path) => output::replace(path, &text)?,
                            None => output::data(&text)?,
                        }
                    }
                    Event::Done(Err(talk)) => {
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

    /// The printed program, or what to say if it cannot be read.
    fn text(&self, files: &[PathBuf], style: &Style) -> Result<String, String> {
        let source = Source::new(files.to_vec()).in_language(self.inputs.reading.language);
        let files = source.read().map_err(|unreadable| style.trouble(&unreadable.into()))?;
        let language = parts::language_of(&source);
        let printed = language.print(files, &self.inputs.reading.options.clone().of(language));
        printed.map_err(|errors| style.errors(&errors, MAX_ERRORS))
    }
}

/// `mugie check` shows more; here they are only the reason of a refusal.
const MAX_ERRORS: usize = 5;
