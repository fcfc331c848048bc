//! The arguments of `mugie test`: seeds, mutants, verifier, limits, and when to stop.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mugie_report::Format;

use crate::args::{
    CacheArgs, JobsArgs, LimitArgs, ReadingArgs, ScopeArgs, SpeedArgs, StrengthArgs, VerifierArgs,
    at_least_one,
};
use crate::defects::DefectArgs;
use crate::doors::DoorArgs;
use crate::dry_run::DryRunArgs;
use crate::known::KnownArgs;
use crate::procedures::ProcedureArgs;

use super::part::PartArgs;

/// Test whether a proof is robust
///
/// Takes a program that verifies, the seed, and makes mutants of it: programs with the same
/// meaning, in which declarations are reordered, clauses are joined, and so on (`mugie operators`
/// lists the changes). Runs the verifier on each mutant, and reports how many mutants do not
/// verify, which procedures fail, and which changes are to blame. Since all mutants have the same
/// meaning, each failing mutant reveals a weakness of the verifier or of the encoding it was given.
///
/// Verdicts are cached, so repeating a test is immediate, and an interrupted test resumes where it
/// stopped. A timeout counts only if it happens again.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Test {
    /// Programs to test: files, folders, or quoted glob patterns; `-` means standard input
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
    pub(super) doors: DoorArgs,

    #[command(flatten)]
    pub(super) procedures: ProcedureArgs,

    /// Also run each seed with N other random seeds of the solver: all of them must verify it
    ///
    /// The program stays the same, so such a failure is no brittleness: it is reported apart, as luck.
    #[arg(long, value_name = "N", value_parser = at_least_one, help_heading = "When to stop")]
    pub(super) luck: Option<NonZeroUsize>,

    /// Maximum work of the solver on a mutant, as a multiple of its work on the seed
    ///
    /// A mutant that needs more is a finding, although it verifies: the proof is about to break. The work is the
    /// solver's resource count, which is the same in every run.
    #[arg(long, value_name = "TIMES", value_parser = times, conflicts_with = "plain", help_heading = "When to stop")]
    pub(super) max_effort: Option<f64>,

    #[command(flatten)]
    pub(super) part: PartArgs,

    #[command(flatten)]
    pub(super) causes: CauseArgs,

    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Answer")]
    pub(super) format: FormatName,

    /// Same as --format json
    #[arg(long, conflicts_with = "format", help_heading = "Answer")]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) known: KnownArgs,

    /// Keep all failing mutants, the verifier's output for them and the full results in a directory
    ///
    /// Each brittle seed has a folder in it, with `report.txt` to read first, `seed.bpl`, and the
    /// failing mutants; the verifier's output for a mutant is next to it, as `.out`. `result.json`
    /// has all results, `measurements.jsonl` the time and memory of each run.
    #[arg(short, long, value_name = "DIR", help_heading = "Answer")]
    pub(super) out: Option<PathBuf>,

    /// Also write the results as one HTML page, which needs no network and no other files
    ///
    /// The page leads with what was asked and the answer, then has the brittle seeds with the smallest known
    /// difference and the commands that reproduce it, pictures, and tables. It is the page that `mugie campaign
    /// report` writes for a campaign.
    #[arg(long, value_name = "FILE", help_heading = "Answer")]
    pub(super) report: Option<PathBuf>,

    /// Replace the directory of an earlier test
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

    #[command(flatten)]
    pub(super) dry_run: DryRunArgs,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Reading")]
pub(super) struct SeedArgs {
    /// Read all files as one program, as Boogie does when given several files
    #[arg(long)]
    pub(super) together: bool,

    #[command(flatten)]
    pub(super) reading: ReadingArgs,

    /// What to test: the seeds (`source`), the verifier's queries to its solver (`query`), or `both`
    ///
    /// For queries, the verifier runs once for each seed. Then only the solver runs, on mutants of each
    /// query, which is much faster and finds what the verifier evens out.
    #[arg(long, value_name = "NAME")]
    pub(super) level: Option<String>,

    /// Test each check of an SMT-LIB query by itself, with the commands that are live at it
    ///
    /// Scopes stay. For long logs with many checks, as verifiers of Viper's family write them.
    #[arg(long)]
    pub(super) split: bool,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Mutants")]
pub(super) struct MutantArgs {
    /// Number of mutants of each seed [default: 100; for SMT-LIB queries, as --confidence 0.95 says]
    #[arg(short = 'n', long, value_name = "N", value_parser = at_least_one)]
    pub(super) number: Option<NonZeroUsize>,

    /// The operators to draw from, with weights, as for `mugie mutate`
    ///
    /// By default, all that preserve what a verifier can do, with `--strength mixed`; for Boogie, with
    /// `reorder-bound` thrice as often as others. With --exhaustive, those of the set `paper`.
    #[arg(long, value_name = "CHOICE")]
    pub(super) operators: Option<String>,

    #[command(flatten)]
    pub(super) strength: StrengthArgs,

    #[command(flatten)]
    pub(super) scope: ScopeArgs,

    /// The random seed: another number gives other mutants
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub(super) seed: u64,

    /// Maximum number of attempts to draw mutants [default: 100 per mutant, at least 10000]
    #[arg(long, value_name = "A")]
    pub(super) max_attempts: Option<u64>,

    /// Run a fixed list of mutants, whatever they do to the solver
    ///
    /// By default, an operator whose mutants make no difference to the solver is drawn less, if that is known
    /// and mutants are single edits of the seed (--strength). With --plain or --cross-check, and in campaigns, the
    /// list is always fixed.
    #[arg(long)]
    pub(super) fixed: bool,

    /// Test all mutants that the operators can reach, nearest first, up to -n of them
    ///
    /// Without -n, there must be at most 1000. An answer from all mutants, or from the nearest ones,
    /// has no interval: they are not a random sample.
    #[arg(long, conflicts_with_all = ["seed", "max_attempts", "confidence"])]
    pub(super) exhaustive: bool,

    /// Test as the paper does: -n 100 --operators paper --time-limit 20 --confirm 10
    #[arg(long, conflicts_with_all = ["number", "operators", "strength", "time_limit", "confirm", "exhaustive"])]
    pub(super) paper: bool,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "When to stop")]
pub(super) struct StoppingArgs {
    /// Stop at the first mutant that fails
    #[arg(long)]
    pub(super) until_failure: bool,

    /// Stop as soon as the answer has this confidence
    ///
    /// With 0.95, the test stops after 59 mutants if all of them verify, which shows with 95 %
    /// confidence that 95 % of such mutants do. After a failure it continues until it is clear
    /// whether at least one mutant in ten fails, or hardly one in a hundred; at most to the 120th
    /// mutant.
    #[arg(
        long,
        value_name = "SHARE",
        value_parser = share,
        conflicts_with_all = ["number", "until_failure", "paper"]
    )]
    pub(super) confidence: Option<f64>,

    /// Also test seeds that do not verify: is there a mutant that does?
    ///
    /// SMT-LIB queries are tried anyway, with 8 mutants.
    #[arg(long)]
    pub(super) failing: bool,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Causes")]
pub(super) struct CauseArgs {
    /// Group failing mutants by their cause: the smallest change that makes the seed fail
    ///
    /// This takes some more runs for each cause. `mugie minimise` also reduces the program.
    #[arg(long, alias = "minimize", conflicts_with = "failing")]
    pub(super) minimise: bool,

    /// Maximum number of runs to spend on the causes of each seed [default: 50; with --minimise, 200]
    ///
    /// The mutant to look at first is taken apart before it is shown, so that only the changes are left that
    /// its failure needs; 0 shows it as it was drawn.
    #[arg(long, value_name = "RUNS")]
    budget: Option<usize>,
}

impl CauseArgs {
    /// The number of runs to spend on the causes of each seed.
    pub(super) fn budget(&self) -> usize {
        self.budget.unwrap_or(if self.minimise { 200 } else { 50 })
    }
}

const EXAMPLES: &str = "\
Examples:
  mugie test max.bpl                          100 mutants, Boogie and Z3
  mugie test max.bpl --until-failure          does any mutant fail?
  mugie test proofs/ --confidence 0.95 --format github
                                              in CI, with as few runs as possible
  mugie test proofs/ --baseline known.toml --since origin/main --max-time 600
                                              only what is new, in what changed, in ten minutes
  mugie test max.bpl --operators S1 --exhaustive -n 1000
                                              all orders of the declarations (S1 swaps two)
  mugie test max.bpl --solver ~/z3-4.15/z3    with another solver
  mugie test max.bpl --out found              keep the failing mutants
  mugie test proofs/ --report robust.html     all results as one HTML page

Exit codes:
  0  robust: every mutant has the same verdict as its seed
  1  a finding: a mutant, or the seed itself in another layout, has a different verdict
  2  no answer: missing verifier, rejected seed, seed without mutants, too many tool errors, too
     many mutants left out, wrong usage, interrupted
  3  a seed does not verify as it is, and no other seed has a worse answer";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatName {
    /// Text for people
    #[default]
    Text,
    /// All results, as in `result.json`
    Json,
    /// JUnit XML: a test suite per seed, a test case per procedure
    Junit,
    /// SARIF, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
    /// Markdown, for the summary of a CI job
    Markdown,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Format {
        match name {
            FormatName::Text => Format::Text,
            FormatName::Json => Format::Json,
            FormatName::Junit => Format::Junit,
            FormatName::Sarif => Format::Sarif,
            FormatName::Github => Format::Github,
            FormatName::Markdown => Format::Markdown,
        }
    }
}

fn times(text: &str) -> Result<f64, String> {
    let times: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if times.is_finite() && times >= 1.0 {
        Ok(times)
    } else {
        Err("must be 1 or more, such as 3 for three times the work".to_owned())
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
