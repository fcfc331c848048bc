//! The arguments of `mugie test`: what to test, with what, and when to stop.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mugie_report::Format;

use crate::args::{
    CacheArgs, JobsArgs, LimitArgs, ReadingArgs, SpeedArgs, VerifierArgs, at_least_one,
};
use crate::defects::DefectArgs;

/// Test whether a proof is robust
///
/// Takes a program that verifies, the seed, and makes many others of it that mean the same, its
/// mutants: declarations change places, clauses are joined, and so on (`mugie operators` lists
/// the changes). Then runs the verifier on each, and says how many mutants do not verify, which
/// procedures are concerned, and which change is to blame. As all of them mean the same, every
/// one that fails is a weakness of the verifier, or of the encoding it was given.
///
/// Verdicts are kept in a cache. So a second run is immediate, and one that was interrupted goes
/// on where it was. A timeout counts only if it happens again.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Test {
    /// Programs to test: files, folders, or patterns in quotes; `-` is standard input
    #[arg(value_name = "SEED", required = true)]
    pub(super) seeds: Vec<PathBuf>,

    #[command(flatten)]
    pub(super) mutants: MutantArgs,

    #[command(flatten)]
    pub(super) stopping: StoppingArgs,

    #[command(flatten)]
    pub(super) verifier: VerifierArgs,

    #[command(flatten)]
    pub(super) limits: LimitArgs,

    #[command(flatten)]
    pub(super) causes: CauseArgs,

    /// How to print the answer
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Answer")]
    pub(super) format: FormatName,

    /// The same as --format json
    #[arg(long, conflicts_with = "format", help_heading = "Answer")]
    pub(super) json: bool,

    /// Keep every failing mutant, what the verifier said and the whole record in a directory
    ///
    /// Each brittle seed has a folder in it, with `report.txt` to read first, `seed.bpl`, and the
    /// failing mutants; beside a mutant is what the verifier printed, as `.out`. `result.json` has
    /// everything that was found, `measurements.jsonl` the time and memory of each run.
    #[arg(short, long, value_name = "DIR", help_heading = "Answer")]
    pub(super) out: Option<PathBuf>,

    /// Replace a directory of an earlier test
    #[arg(long, requires = "out", help_heading = "Answer")]
    pub(super) force: bool,

    #[command(flatten)]
    pub(super) defects: DefectArgs,

    #[command(flatten)]
    pub(super) seed_reading: SeedArgs,

    #[command(flatten)]
    pub(super) cache: CacheArgs,

    #[command(flatten)]
    pub(super) jobs: JobsArgs,

    #[command(flatten)]
    pub(super) speed: SpeedArgs,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Reading")]
pub(super) struct SeedArgs {
    /// Read all files as one program, as Boogie does with several files
    #[arg(long)]
    pub(super) together: bool,

    #[command(flatten)]
    pub(super) reading: ReadingArgs,

    /// Test what a run of each program yields on this level, instead of the program
    #[arg(long, value_name = "NAME", hide = true)]
    pub(super) level: Option<String>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Mutants")]
pub(super) struct MutantArgs {
    /// How many mutants to make of each seed [default: 100]
    #[arg(short = 'n', long, value_name = "N", value_parser = at_least_one)]
    pub(super) number: Option<NonZeroUsize>,

    /// The changes to draw from, with weights, as for `mugie mutate` [default: paper]
    #[arg(long, value_name = "CHOICE")]
    pub(super) operators: Option<String>,

    /// Where the random numbers start: another number draws other mutants
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub(super) seed: u64,

    /// Give up after so many draws [default: 100 for each mutant, at least 10000]
    #[arg(long, value_name = "A")]
    pub(super) max_attempts: Option<u64>,

    /// Take all mutants that the operators lead to, nearest first, up to -n of them
    #[arg(long, conflicts_with_all = ["seed", "max_attempts", "confidence"])]
    pub(super) exhaustive: bool,

    /// Test as the paper does: -n 100 --operators paper --time-limit 20 --confirm 10
    #[arg(long, conflicts_with_all = ["number", "operators", "time_limit", "confirm", "exhaustive"])]
    pub(super) paper: bool,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "When to stop")]
pub(super) struct StoppingArgs {
    /// Stop at the first mutant that fails
    #[arg(long)]
    pub(super) until_failure: bool,

    /// Stop as soon as the answer is sure enough
    ///
    /// With 0.95: stop at 59 mutants that all verify, which shows with 95 % confidence that 95 %
    /// of such mutants do. After a failure go on until it is clear whether one mutant in ten
    /// fails, or hardly one in a hundred; at most to the 120th.
    #[arg(
        long,
        value_name = "SHARE",
        value_parser = share,
        conflicts_with_all = ["number", "until_failure", "paper"]
    )]
    pub(super) confidence: Option<f64>,

    /// Test seeds that do not verify, too: does a mutant of them?
    #[arg(long)]
    pub(super) failing: bool,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Causes")]
pub(super) struct CauseArgs {
    /// Group failing mutants by their cause: the smallest change that makes the seed fail
    ///
    /// Takes some more runs for each cause. `mugie minimise` makes also the program small.
    #[arg(long, conflicts_with = "failing")]
    pub(super) minimise: bool,

    /// Spend at most so many runs on the causes of a seed
    #[arg(long, value_name = "RUNS", value_parser = at_least_one, default_value = "200", requires = "minimise")]
    pub(super) budget: NonZeroUsize,
}

const EXAMPLES: &str = "\
Examples:
  mugie test max.bpl                          100 mutants, Boogie and Z3
  mugie test max.bpl --until-failure          is there any mutant that fails?
  mugie test proofs/ --confidence 0.95 --format github
                                              in CI: as few runs as it takes
  mugie test max.bpl --operators S1 --exhaustive -n 1000
                                              all orders of the declarations; S1 swaps two
  mugie test max.bpl --solver ~/z3-4.15/z3    with another solver
  mugie test max.bpl --out found              keep the failing mutants

Exit codes:
  0  robust: no mutant got another verdict than its seed
  1  a finding: some mutant did, or the seed itself in another layout
  2  no answer: no verifier, a seed that is rejected or has no mutants, too much trouble, too many
     mutants left out, wrong usage, interrupted
  3  a seed does not verify as it is, and there is nothing worse";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum FormatName {
    /// For people
    #[default]
    Text,
    /// Everything, as in `result.json`
    Json,
    /// A test suite for each seed, a test case for each procedure
    Junit,
    /// For code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Format {
        match name {
            FormatName::Text => Format::Text,
            FormatName::Json => Format::Json,
            FormatName::Junit => Format::Junit,
            FormatName::Sarif => Format::Sarif,
            FormatName::Github => Format::Github,
        }
    }
}

fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.5..=0.999).contains(&share) {
        Ok(share)
    } else {
        Err("must be between 0.5 and 0.999, such as 0.95".to_owned())
    }
}
