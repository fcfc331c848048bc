//! `mugie debug`: mugie's view of a program, for developers of mugie.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use mugie_core::Exit;
use mugie_experiment::sources::Source;

use crate::args::ReadingArgs;
use crate::messages::{Style, Trouble, there_are};
use crate::output::{self, Broken};
use crate::{parallel, parts};

/// Show mugie's view of a program: tokens, tree or types
///
/// For people to read; the format may change with any release.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Debug {
    #[command(subcommand)]
    view: View,
}

const EXAMPLES: &str = "\
Examples:
  mugie debug tokens program.bpl
  mugie debug types program.bpl
  echo 'axiom (forall x: int :: x == x);' | mugie debug tree -

Exit codes:
  0  success
  2  the program has syntax errors (for types: any errors), the file cannot be read, or the
     usage is wrong";

#[derive(Debug, Subcommand)]
enum View {
    /// Show the tokens, with the line, column, kind and text of each
    #[command(after_help = "Examples:\n  mugie debug tokens program.bpl")]
    Tokens(Input),
    /// Show the syntax tree, with the byte range of each node; for a program with errors, a partial tree
    #[command(after_help = "Examples:\n  mugie debug tree program.bpl")]
    Tree(Input),
    /// Show the type of each expression of an accepted program
    #[command(after_help = "Examples:\n  mugie debug types program.bpl")]
    Types(Input),
}

#[derive(Args, Debug)]
struct Input {
    /// A Boogie program; `-` means standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    reading: ReadingArgs,
}

impl Debug {
    /// Prints the view.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        let (name, input) = match &self.view {
            View::Tokens(input) => ("tokens", input),
            View::Tree(input) => ("tree", input),
            View::Types(input) => ("types", input),
        };
        parallel::alone(|| show(name, input, style))?
    }
}

/// The maximum number of errors shown; `mugie check` shows more.
const MAX_ERRORS: usize = 5;

fn show(name: &str, input: &Input, style: &Style) -> Result<Exit, Broken> {
    let source = Source::new(vec![input.file.clone()]).in_language(input.reading.language);
    let files = source.read()?;
    let language = parts::language_of(&source);
    let view = language.view(name, files, &input.reading.options.clone().of(language)).ok_or_else(
        || {
            let names: Vec<&str> = language.views().iter().map(|(name, _)| *name).collect();
            Trouble::new(format!("programs of {} have no view `{name}`", language.title()))
                .help(there_are(&names))
        },
    )?;
    output::talk(&style.errors(&view.errors, MAX_ERRORS));
    output::data(&view.data)?;
    Ok(if view.errors.is_empty() { Exit::Fine } else { Exit::NoAnswer })
}
