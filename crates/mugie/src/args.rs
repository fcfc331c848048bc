//! The arguments that commands share, and how they are read.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use mugie_core::{Language, LanguageOptions, NoStrength, OptionAbout, Program, Scope, Strengths};
use mugie_exec::Cache;
use mugie_experiment::sources::Source;
use mugie_verifiers::{Limits, VerifierOptions};

use crate::doors::{self, ToolArgs};
use crate::messages::{Style, Trouble};
use crate::parts::languages;
use crate::{cache, parallel};

/// The name of the argument for the language of programs.
const LANGUAGE: &str = "language";

/// The default memory limit of a run, in bytes.
const USUAL_MEMORY: u64 = 4 << 30;

/// The default number of further runs that must time out before a timeout counts.
const USUAL_CONFIRM: usize = 2;

/// Which verifier to run.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Verifier")]
pub(crate) struct VerifierArgs {
    /// The verifier: a name from `mugie verifiers`, or a file with a definition [default: boogie]
    #[arg(long, value_name = "NAME")]
    pub(crate) verifier: Option<String>,

    /// The verifier's solver: its name, its path, or NAME=PATH
    #[arg(long, value_name = "SOLVER")]
    pub(crate) solver: Option<String>,

    /// The verifier's executable, instead of the one on the PATH
    #[arg(long, value_name = "PATH")]
    pub(crate) program: Option<PathBuf>,

    /// A named set of options from the verifier's definition, such as `dafny-4`; `none` for no set
    /// [default: that of the tool that made the program, if it is recognised]
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,

    /// The solver's random seed
    #[arg(long, value_name = "K")]
    pub(crate) solver_seed: Option<u64>,

    /// An extra argument for the verifier, such as `/noinfer`; may be repeated
    #[arg(long = "arg", value_name = "ARG", allow_hyphen_values = true)]
    pub(crate) arguments: Vec<String>,

    #[command(flatten)]
    pub(crate) trust: TrustArgs,
}

/// Whether files written by others may name the programs to run.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Verifier")]
pub(crate) struct TrustArgs {
    /// For this run, trust all files that name programs to run: definitions in `verifiers/` of the
    /// current directory, plans and records
    ///
    /// Without it, mugie lists these programs and runs nothing. `mugie verifiers --trust NAME`
    /// trusts a definition permanently; in CI, set the variable `MUGIE_TRUST`.
    #[arg(long)]
    pub(crate) trust: bool,
}

impl VerifierArgs {
    /// The options of the verifier.
    pub(crate) fn options(&self, limits: &LimitArgs) -> VerifierOptions {
        VerifierOptions {
            solver: self.solver.clone(),
            program: self.program.clone(),
            profile: self.profile.clone(),
            arguments: self.arguments.clone(),
            resource_limit: limits.rlimit,
            procedure_seconds: limits.procedure_time_limit,
            random_seed: self.solver_seed,
            ..VerifierOptions::default()
        }
    }
}

/// The limits of a run.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// Time limit of each run, in seconds [default: 20]
    ///
    /// Time during which the verifier was ready to run but the machine was busy with something else
    /// does not count. A run that takes five times the limit plus five seconds of wall-clock time
    /// is stopped anyway, without a verdict.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time_limit: Option<Duration>,

    /// Limit on the processor time of each run, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) cpu_limit: Option<Duration>,

    /// Memory limit of each run, in bytes or with K, M or G; 0 means no limit [default: 4G]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory_limit: Option<u64>,

    /// Maximum number of processes and threads of each run at the same time [default: 500]
    ///
    /// A run that exceeds this limit is stopped, without a verdict.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) process_limit: Option<u32>,

    /// Limit on the solver's resource units for each procedure, as Boogie's `/rlimit`
    #[arg(long, value_name = "UNITS")]
    pub(crate) rlimit: Option<u64>,

    /// Time limit of each procedure, in seconds, enforced by the verifier itself
    #[arg(long, value_name = "SECONDS")]
    pub(crate) procedure_time_limit: Option<u64>,

    /// How many further runs must time out before a timeout counts [default: 2]
    #[arg(long, value_name = "N")]
    pub(crate) confirm: Option<usize>,
}

impl LimitArgs {
    /// The limits of a run. A limit that is not given is taken from `before`.
    pub(crate) fn limits(&self, before: Option<Limits>) -> Limits {
        let usual = Limits { memory: Some(USUAL_MEMORY), ..Limits::default() };
        let before = before.unwrap_or(usual);
        let memory = self.memory_limit.map(|bytes| (bytes > 0).then_some(bytes));
        Limits {
            time: self.time_limit.unwrap_or(before.time),
            cpu: self.cpu_limit.or(before.cpu),
            memory: memory.unwrap_or(before.memory),
            output: before.output,
            processes: self.process_limit.unwrap_or(before.processes),
        }
    }

    /// The number of further runs that must time out before a timeout counts.
    pub(crate) fn confirm(&self, before: Option<usize>) -> usize {
        self.confirm.or(before).unwrap_or(USUAL_CONFIRM)
    }
}

/// The cache of verdicts.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Running")]
pub(crate) struct CacheArgs {
    /// The cache folder [default: `$MUGIE_CACHE`, or `mugie` in the user's cache folder]
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    cache: Option<PathBuf>,

    /// Run everything again, and do not cache verdicts
    #[arg(long)]
    no_cache: bool,
}

impl CacheArgs {
    /// Opens the cache. `None` if it is disabled or cannot be opened.
    pub(crate) fn open(&self, style: &Style) -> Option<Cache> {
        cache::open(style, self.cache.as_deref(), self.no_cache)
    }
}

/// The number of parallel runs.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Running")]
pub(crate) struct JobsArgs {
    /// Number of parallel runs [default: the number of cores]
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    jobs: Option<NonZeroUsize>,
}

impl JobsArgs {
    /// The number that was given, or the number of cores.
    pub(crate) fn number(self) -> NonZeroUsize {
        parallel::threads(self.jobs)
    }
}

/// How runs are made fast.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Running")]
pub(crate) struct SpeedArgs {
    /// Run the verifier on each mutant in a process of its own, without the proxy for its solver
    ///
    /// By default, several mutants of a seed share a process if the verifier supports it, and a
    /// proxy in front of the solver answers queries that the solver has answered before. The
    /// verdicts are the same, but with --plain the answer does not include the solver's work: the
    /// number of distinct queries and the resource count.
    #[arg(long)]
    pub(crate) plain: bool,

    /// Compare this fraction of the verdicts, from 0 to 1, with those of --plain runs
    #[arg(long, value_name = "SHARE", value_parser = share, default_value_t, conflicts_with = "plain")]
    pub(crate) cross_check: f64,

    /// Where the verifier runs
    #[arg(long, value_name = "NAME", hide = true)]
    pub(crate) executor: Option<String>,
}

/// The programs to read, for all commands that take several.
#[derive(Args, Debug)]
pub(crate) struct Inputs {
    /// Programs to read; `-` means standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Read all files as one program, as Boogie does when given several files
    #[arg(long)]
    pub(crate) together: bool,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    /// Number of programs to process in parallel [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,

    #[command(flatten)]
    pub(crate) tools: ToolArgs,
}

impl Inputs {
    /// The programs, in the order given. A file for a front door is opened by it, and may be several programs.
    pub(crate) fn sources(&self) -> Result<Vec<Source>, Trouble> {
        let programs =
            if self.together { vec![&self.files[..]] } else { self.files.chunks(1).collect() };
        let programs = programs.into_iter().map(|files| Source::new(files.to_vec()));
        let programs = programs.map(|source| source.in_language(self.reading.language));
        doors::open(programs.collect(), &self.tools)
    }
}

/// At how many places operators are applied at once.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct StrengthArgs {
    /// At how many of its places an operator is applied at once: one, some, all, or mixed
    ///
    /// With `one`, mutants are made of the seed and of earlier mutants, as the paper does. With the others, a
    /// mutant is one edit of the seed, as long as there are new ones: at a share of its places (`some`), or at
    /// all (`all`), where an order is shuffled. With `mixed`, every other mutant is made as with `one`, by the paper's
    /// operators among the chosen ones, if there are any; of the rest, one in six is at one place, one at some
    /// places, and four at all. Operators that do not take many places at once are applied at one. The default
    /// is `one` for programs, and `mixed` for SMT-LIB queries, whose mutants are always made of the seed.
    #[arg(long, value_name = "STRENGTH", value_parser = strength, conflicts_with = "exhaustive")]
    strength: Option<Strengths>,
}

impl StrengthArgs {
    /// The strength that was asked for.
    pub(crate) fn asked(self) -> Option<Strengths> {
        self.strength
    }
}

/// Which declarations of a seed are changed.
#[derive(Args, Clone, Debug)]
pub(crate) struct ScopeArgs {
    /// Which declarations to change: all, user, or the name of some, with `*` for any characters
    ///
    /// `user` is for programs that a tool made, with a part that is the same for everybody, as
    /// Dafny does: of four mutants, one is a change of the user's part, one a change there or in
    /// declarations that it mentions, and two are changes anywhere. It is the default for programs
    /// by Dafny; for all others `all` is, which takes all places alike. A name stands for
    /// declarations and their implementations; those that Dafny gives to methods and lemmas
    /// (`{:verboseName}`) are known as well.
    #[arg(long, value_name = "SCOPE")]
    mutate: Option<String>,
}

impl ScopeArgs {
    /// The scope that was asked for.
    pub(crate) fn asked(&self) -> Option<Scope> {
        self.mutate.clone().map(Scope::from)
    }

    /// The scope for a program.
    pub(crate) fn of(&self, program: &dyn Program) -> Scope {
        self.asked().unwrap_or_else(|| Scope::usual(program))
    }
}

/// How programs are read: the options of all languages.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadingArgs {
    /// The language of all programs, if it was given.
    pub(crate) language: Option<&'static dyn Language>,
    /// The options that differ from their defaults.
    pub(crate) options: LanguageOptions,
}

impl ReadingArgs {
    /// The options of all languages, each name once.
    fn abouts() -> Vec<&'static OptionAbout> {
        let mut abouts: Vec<&'static OptionAbout> = Vec::new();
        for about in languages().0.iter().flat_map(|language| language.options()) {
            if abouts.iter().all(|other| other.name != about.name) {
                abouts.push(about);
            }
        }
        abouts
    }
}

impl Args for ReadingArgs {
    fn augment_args(mut command: Command) -> Command {
        let names = languages().0.iter().map(|it| PossibleValue::new(it.id()).help(it.title()));
        let language = Arg::new(LANGUAGE)
            .long(LANGUAGE)
            .value_name("NAME")
            .help("The language of the programs, if it does not follow from their file names")
            .value_parser(names.collect::<Vec<_>>())
            // With only one language there is nothing to choose.
            .hide(languages().0.len() < 2);
        command = command.arg(language);
        for about in ReadingArgs::abouts() {
            let (short, long) = about.help.split_once("\n\n").unwrap_or((about.help, ""));
            let mut arg = Arg::new(about.name).long(about.name).help(short);
            if !long.is_empty() {
                arg = arg.long_help(about.help);
            }
            arg = match about.value_name {
                None => arg.action(ArgAction::SetTrue),
                Some(name) => arg.action(ArgAction::Set).value_name(name),
            };
            if !about.values.is_empty() {
                let values = about.values.iter();
                let values = values.map(|(value, help)| PossibleValue::new(*value).help(*help));
                arg = arg.value_parser(values.collect::<Vec<_>>());
            }
            if let Some(default) = about.default {
                arg = arg.default_value(default);
            }
            command = command.arg(arg);
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        ReadingArgs::augment_args(command)
    }
}

impl FromArgMatches for ReadingArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<ReadingArgs, clap::Error> {
        let mut options = LanguageOptions::default();
        for about in ReadingArgs::abouts() {
            if about.value_name.is_none() {
                if matches.get_flag(about.name) {
                    options.set(about.name, "true");
                }
            } else if let Some(value) = matches.get_one::<String>(about.name)
                && Some(value.as_str()) != about.default
            {
                options.set(about.name, value.as_str());
            }
        }
        let language = matches.get_one::<String>(LANGUAGE);
        let language = language.and_then(|name| languages().find(name));
        Ok(ReadingArgs { language, options })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = ReadingArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Parses a positive number of seconds.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    if seconds <= 0.0 {
        return Err("must be more than 0".to_owned());
    }
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// The strengths that `--strength` takes.
fn strength(text: &str) -> Result<Strengths, NoStrength> {
    text.parse()
}

fn size(text: &str) -> Result<u64, String> {
    let short = text.trim_end_matches(['B', 'b', 'i']);
    let (digits, factor) = match short.split_at_checked(short.len().saturating_sub(1)) {
        Some((digits, "K" | "k")) => (digits, 1 << 10),
        Some((digits, "M" | "m")) => (digits, 1 << 20),
        Some((digits, "G" | "g")) => (digits, 1 << 30),
        _ => (text, 1),
    };
    let number: u64 = digits.parse().map_err(|_| "not a size like 4G or 500M".to_owned())?;
    number.checked_mul(factor).ok_or_else(|| "too large".to_owned())
}

/// Parses a positive whole number.
pub(crate) fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "not a positive whole number".to_owned())
}

/// Parses a percentage.
pub(crate) fn percent(text: &str) -> Result<usize, String> {
    let percent: usize = text.parse().map_err(|_| "not a whole number".to_owned())?;
    if percent <= 100 { Ok(percent) } else { Err("must be from 0 to 100".to_owned()) }
}

fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("must be from 0 to 1".to_owned()) }
}

/// Rejects a list of files with more than one `-`: standard input can be read only once.
pub(crate) fn forbid_second_stdin(files: &[PathBuf]) -> Result<(), Trouble> {
    let is_stdin = |path: &&PathBuf| mugie_experiment::sources::is_stdin(Path::new(path));
    if files.iter().filter(is_stdin).count() > 1 {
        let words = "`-` is given twice, but standard input can be read only once";
        return Err(Trouble::new(words).help("give the other program as a file"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("4G"), Ok(4 << 30));
        assert_eq!(size("500MiB"), Ok(500 << 20));
        assert_eq!(size("0"), Ok(0));
        assert_eq!(size("123"), Ok(123));
        assert!(size("4T").is_err() && size("").is_err() && size("99999999999G").is_err());
    }
}
