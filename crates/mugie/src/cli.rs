//! The command line: its grammar, its manual, and what an exit code means.
//!
//! The doc comments here and in [`crate::commands`] are the text of `--help`. What a command does is
//! written in the file of that command.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use bpl_syntax::Dialect;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};

use crate::commands::{
    campaign, check, completions, debug, diagnose, man, minimise, mutate, operators, print, query,
    seeds, test, verifiers,
};
use crate::load::{DialectChoice, Reading};
use crate::output::{self, Broken};
use crate::report::Style;

/// Tests how robust program verifiers are against harmless changes of their input.
///
/// mugie reads programs of the Boogie verification language, versions 2 and 3. Of a program, the
/// seed, it makes mutants: programs that mean the same. `mugie test` runs a verifier on them and
/// tells whether its verdict is robust; start with `mugie test FILE`. `minimise`, `diagnose` and
/// `query` look for the cause of a failure, and `campaign` runs whole experiments. `mutate`, `check`
/// and `print` make mutants, check programs as Boogie would, and print them in one canonical
/// layout, without running a verifier.
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

/// The release, and the commit that it was built from, if that is known.
const VERSION: &str = env!("MUGIE_VERSION");

const EXAMPLES: &str = "\
Examples:
  mugie test proof.bpl                        is the proof robust?
  mugie test proofs/ --confidence 0.95        those of a folder, with as few runs as it takes
  mugie test proof.bpl --minimise --out found what breaks it?
  mugie verifiers                             what is there to test?
  mugie help test                             the manual of a command

Exit codes:
  0  fine: what was asked for is done; what was tested is robust
  1  brittle: a mutant got another verdict than its seed
  2  could not: a program was rejected, a file could not be read, there is no verifier, or the
     usage was wrong
  3  a seed does not verify as it is";

#[derive(Debug, Subcommand)]
enum Command {
    Test(Box<test::Test>),
    Campaign(campaign::Campaign),
    Minimise(Box<minimise::Minimise>),
    Diagnose(Box<diagnose::Diagnose>),
    Query(Box<query::Query>),
    Check(check::Check),
    Print(print::Print),
    Mutate(mutate::Mutate),
    Operators(operators::Operators),
    Seeds(seeds::Seeds),
    Verifiers(verifiers::Verifiers),
    Debug(debug::Debug),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Cli {
    /// Ends the run because of wrong usage that `clap` cannot see by itself.
    pub(crate) fn usage(kind: ErrorKind, message: &str) -> ! {
        Cli::command().error(kind, message).exit()
    }

    /// Runs the command that was asked for.
    pub(crate) fn run(self) -> Exit {
        let style = Style::new(self.color.into());
        let result = match self.command {
            Command::Test(command) => command.run(&style),
            Command::Campaign(command) => command.run(&style),
            Command::Minimise(command) => command.run(&style),
            Command::Diagnose(command) => command.run(&style),
            Command::Query(command) => command.run(&style),
            Command::Check(command) => command.run(&style),
            Command::Print(command) => command.run(&style),
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
            // The reader has what it wanted, as in `mugie print FILE | head`.
            Err(Broken::Pipe) => Exit::Fine,
            Err(Broken::Trouble(trouble)) => {
                output::talk(&style.trouble(&trouble));
                Exit::CouldNot
            }
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All that was asked for could be done, and what was tested is robust.
    Fine,
    /// Some mutant got another verdict than its seed.
    Brittle,
    /// Something could not: said on standard error. Wrong usage, found by `clap`, ends so too.
    CouldNot,
    /// A seed does not verify.
    SeedFails,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        match exit {
            Exit::Fine => ExitCode::SUCCESS,
            Exit::Brittle => ExitCode::from(1),
            Exit::CouldNot => ExitCode::from(2),
            Exit::SeedFails => ExitCode::from(3),
        }
    }
}

/// The programs to read: common to all commands that take several.
#[derive(Args, Debug)]
pub(crate) struct Inputs {
    /// Boogie programs to read; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Read all files as one program, as Boogie does with several files
    #[arg(long)]
    pub(crate) together: bool,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    /// How many programs to work on at once [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
}

impl Inputs {
    /// The files of each program, in the order given.
    pub(crate) fn programs(&self) -> Vec<&[PathBuf]> {
        if self.together { vec![&self.files] } else { self.files.chunks(1).collect() }
    }
}

/// How programs are read: common to all commands that read any.
#[derive(Args, Debug)]
pub(crate) struct ReadingArgs {
    /// The version of the language that the programs are written in
    ///
    /// Boogie 2 and 3 reserve different words. `auto` takes the version that accepts the
    /// program, 2 if both do. If neither does, it reports the errors of the version that got
    /// further.
    #[arg(long, value_enum, value_name = "VERSION", default_value_t)]
    dialect: DialectName,

    /// Allow assignments that no `modifies` clause mentions, as Boogie's `/inferModifies` does
    #[arg(long)]
    infer_modifies: bool,
}

impl From<&ReadingArgs> for Reading {
    fn from(args: &ReadingArgs) -> Reading {
        let dialect = match args.dialect {
            DialectName::Auto => DialectChoice::Auto,
            DialectName::Two => DialectChoice::Only(Dialect::Boogie2),
            DialectName::Three => DialectChoice::Only(Dialect::Boogie3),
        };
        Reading { dialect, infer_modifies: args.infer_modifies }
    }
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum DialectName {
    /// Whichever accepts the program
    #[default]
    Auto,
    /// Boogie 2.4
    #[value(name = "2")]
    Two,
    /// Boogie 3.5
    #[value(name = "3")]
    Three,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Even into a file
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
