//! The command line: its grammar, its manual, and the exit codes.
//!
//! The doc comments here and in [`crate::commands`] are the text of `--help`. Each command is
//! implemented in its own file.

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};
use mugie_core::Exit;

use crate::commands::{
    campaign, check, completions, debug, diagnose, man, merge, minimise, mutate, operators, print,
    query, seeds, test, translate, verifiers,
};
use crate::messages::Style;
use crate::output::{self, Broken};

/// Tests how robust program verifiers are against semantics-preserving changes of their input.
///
/// mugie reads programs in the Boogie verification language, versions 2 and 3. From a program, the
/// seed, it makes mutants: programs with the same meaning. `mugie test` runs a verifier on the
/// mutants and reports whether its verdict is robust; start with `mugie test FILE`. `minimise`,
/// `diagnose` and `query` look for the cause of a failure, and `campaign` runs whole experiments.
/// `mutate`, `check`, `print` and `translate` run no verifier: they make mutants, check programs as
/// Boogie would, print programs in canonical layout, and translate them for other verifiers.
#[derive(Debug, Parser)]
#[command(name = "mugie", version = VERSION, max_term_width = 96, after_help = EXAMPLES)]
#[command(arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,

    /// When to colour messages
    ///
    /// `auto` colours on a terminal unless the variable `NO_COLOR` is set.
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        display_order = 90
    )]
    color: ColorChoice,
}

/// The release, and the commit it was built from if known.
const VERSION: &str = env!("MUGIE_VERSION");

const EXAMPLES: &str = "\
Examples:
  mugie test proof.bpl                        is the proof robust?
  mugie test proofs/ --confidence 0.95        a whole folder, with as few runs as possible
  mugie test proof.bpl --minimise --out found which change breaks it?
  mugie verifiers                             which verifiers are installed?
  mugie help test                             the manual of a command

Exit codes:
  0  success: the command is done, and every seed tested is robust
  1  a finding: brittle (also to layout), nondeterministic, or over a limit that you set
  2  no answer: wrong usage, a rejected program, an unreadable file, a missing verifier,
     an inconclusive test, or an interruption
  3  a seed does not verify as it is
For several seeds the worst answer counts: 1, then 2, then 3, then 0.";

#[derive(Debug, Subcommand)]
enum Command {
    Test(Box<test::Test>),
    Merge(merge::Merge),
    Campaign(campaign::Campaign),
    #[command(alias = "minimize")]
    Minimise(Box<minimise::Minimise>),
    Diagnose(Box<diagnose::Diagnose>),
    Query(Box<query::Query>),
    Check(check::Check),
    Print(print::Print),
    Translate(Box<translate::Translate>),
    Mutate(Box<mutate::Mutate>),
    Operators(operators::Operators),
    Seeds(seeds::Seeds),
    Verifiers(verifiers::Verifiers),
    Debug(debug::Debug),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Cli {
    /// Reports wrong usage that `clap` cannot detect itself, and exits.
    pub(crate) fn usage(kind: ErrorKind, message: &str) -> ! {
        Cli::command().error(kind, message).exit()
    }

    /// Runs the command.
    pub(crate) fn run(self) -> Exit {
        let style = Style::new(self.color.into());
        let result = match self.command {
            Command::Test(command) => command.run(&style),
            Command::Merge(command) => command.run(&style),
            Command::Campaign(command) => command.run(&style),
            Command::Minimise(command) => command.run(&style),
            Command::Diagnose(command) => command.run(&style),
            Command::Query(command) => command.run(&style),
            Command::Check(command) => command.run(&style),
            Command::Print(command) => command.run(&style),
            Command::Translate(command) => command.run(&style),
            Command::Mutate(command) => command.run(&style),
            Command::Operators(command) => command.run(&style),
            Command::Seeds(command) => command.run(&style),
            Command::Verifiers(command) => command.run(&style),
            Command::Debug(command) => command.run(&style),
            Command::Completions(command) => command.run(&style),
            Command::Man(command) => command.run(&style),
        };
        match result {
            Ok(exit) => exit,
            // The reader has closed the pipe, as in `mugie print FILE | head`.
            Err(Broken::Pipe) => Exit::Fine,
            Err(Broken::Trouble(trouble)) => {
                output::talk(&style.trouble(&trouble));
                Exit::NoAnswer
            }
        }
    }
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Also when writing to a file
    Always,
    /// Never
    Never,
}

impl From<ColorChoice> for anstream::ColorChoice {
    fn from(choice: ColorChoice) -> anstream::ColorChoice {
        match choice {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
