//! `mugie diagnose`: which layer of the verifier is to blame?

use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;
use mugie_campaign::diagnose::{
    Change, Diagnosis, Layer, Pair, Unavailable, Variation, diagnose, verify,
};
use mugie_campaign::minimise;
use mugie_campaign::runs::{Files, Runner};
use mugie_verifiers::supervise::{Keeper, Supervisor};
use mugie_verifiers::{Options, Outcome, Registry, Verifier};
use serde_json::json;

use super::campaign::{CampaignArgs, Failing};
use super::test::{self, LimitArgs, VerifierArgs};
use crate::cli::{Exit, ReadingArgs};
use crate::interrupt::{self, Leftovers};
use crate::kept::{self, KeptFile};
use crate::load::Reading;
use crate::output::{self, Broken};
use crate::progress::Progress;
use crate::report::{Style, Trouble};
use crate::stored::{self, Subjects, not_again};
use crate::wanted::Wanted;
use crate::{parallel, read, seeds};

/// Say which layer of the verifier is to blame for a mutant that fails
///
/// Runs the seed and the mutant again, as they were found and under variations: without the
/// verifier's own inference, with other random seeds of the solver, with other solvers that are
/// there, with more time if time ran out. Compares also what the verifier asks the solver about
/// the two: the very same, the same in another order, or another formula. Then names the layer:
/// type checking, inference, the order or the shape of the verification condition, the solver's
/// luck, or time. What could not be tried is named, too.
///
/// It is best to make the mutant small first, with `mugie minimise`, and to give its directory.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Diagnose {
    /// A directory of `mugie minimise`; or a mutant that `mugie mutate` or `mugie test --out` wrote;
    /// or, with --campaign, the name of a mutant; or any program that verifies, and the files of one
    /// that means the same
    #[arg(value_name = "PAIR", required = true, num_args = 1..=3)]
    files: Vec<PathBuf>,

    /// The seed of the mutant, if it is not where it was when the mutant was made
    #[arg(long, value_name = "SEED")]
    from: Option<PathBuf>,

    #[command(flatten)]
    campaign: CampaignArgs,

    /// Try this solver, too: its name, its path, or NAME=PATH; may be given several times
    #[arg(long = "also", value_name = "SOLVER", help_heading = "Variations")]
    solvers: Vec<String>,

    /// How many random seeds of the solver to try
    #[arg(long, value_name = "N", default_value_t = 5, help_heading = "Variations")]
    random_seeds: u64,

    /// How many times the time limit to try, if time ran out
    #[arg(long, value_name = "TIMES", default_value_t = 5, help_heading = "Variations")]
    more_time: u32,

    /// Print the answer as JSON
    #[arg(long, help_heading = "Answer")]
    json: bool,

    #[command(flatten)]
    verifier: VerifierArgs,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten, next_help_heading = "Reading")]
    reading: ReadingArgs,

    /// How many runs at once [default: the number of cores]
    #[arg(short, long, value_name = "N", value_parser = test::at_least_one, help_heading = "Running")]
    jobs: Option<NonZeroUsize>,
}

const EXAMPLES: &str = "\
Examples:
  mugie minimise found/max/max-0007.bpl       make a failing mutant small: max-0007.min/
  mugie diagnose max-0007.min                 whose fault is it?
  mugie diagnose found/max/max-0007.bpl       the same without making it small first
  mugie diagnose 'max-*-0007' --campaign experiment.toml
                                              one that failed in a campaign
  mugie diagnose max.bpl other.bpl            any two programs that mean the same
  mugie diagnose max-0007.min --also ~/z3-4.15/z3
                                              is it also so with this version?

Exit codes:
  0  there is an answer
  2  could not run: both programs get the same verdict now, no verifier, wrong usage
  3  the seed does not verify as it is";

/// What can be diagnosed.
const HELP: &str = "give a folder of `mugie minimise`, a mutant, or two programs";

impl Diagnose {
    /// Finds the layer.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        parallel::alone(|| self.run_deep(style))?
    }

    /// On a stack that is deep enough for any seed.
    fn run_deep(&self, style: &Style) -> Result<Exit, Broken> {
        let interrupted = output::note_interrupts()?;
        let registry = test::registry(&interrupted)?;
        let (failing, wanted) = self.in_campaign()?.unzip();
        let wanted = wanted.unwrap_or_else(|| Wanted::new(&self.verifier, &self.limits));
        let verifier = wanted.resolve(&registry)?;
        let pair = match failing {
            Some(failing) => made(&failing.open(style, self.from.as_deref())?)?,
            None => self.pair(style, &verifier)?,
        };
        let supervisor = Arc::new(Supervisor::new(Keeper::this_program()));
        let leftovers = Leftovers::default();
        interrupt::watch(&supervisor, &leftovers, "there is no answer yet".to_owned())?;
        if interrupted.load(Ordering::Relaxed) {
            supervisor.cancel();
        }
        let runner = |verifier, times: u32, confirm: usize| {
            let mut limits = wanted.limits;
            limits.time = limits.time.saturating_mul(times);
            limits.cpu = limits.cpu.map(|cpu| cpu.saturating_mul(times));
            let runner = Runner::new(verifier, &supervisor, limits, confirm, None)
                .map_err(|error| test::no_folder(&error))?;
            leftovers.add(runner.folder());
            Ok::<_, Trouble>(runner)
        };
        let jobs = parallel::threads(self.jobs);
        let as_found = runner(&verifier, 1, wanted.confirm)?;
        let base = verify(&pair, &[&as_found], jobs, |_| {});
        let Some(base) = base.and_then(|verdicts| verdicts.into_iter().next()) else {
            return Ok(interrupted_early(style));
        };
        let plan = if base.differ() {
            self.variations(&registry, &wanted, &verifier, base.ran_out())
        } else {
            Plan::default()
        };
        let mut variations = Vec::new();
        for (planned, verifier) in &plan.planned {
            // Only what was found before must be sure. But what timed out for the first time in the
            // same solver may be the doing of a busy machine.
            let is_new = matches!(planned.change, Change::NoInference | Change::RandomSeed { .. });
            let confirm = if is_new && !base.ran_out() { wanted.confirm.min(1) } else { 0 };
            variations.push(Variation {
                change: planned.change.clone(),
                words: planned.words.clone(),
                runner: runner(verifier, planned.times, confirm)?,
            });
        }
        let logging = Options { log_problems: true, ..wanted.options.clone() };
        let logging = wanted.resolve_with(&registry, &logging);
        let mut unavailable = plan.unavailable;
        if let Err(trouble) = &logging {
            let words = "what the solver is asked".to_owned();
            unavailable.push(Unavailable { words, reason: trouble.message.clone() });
        }
        let logger = logging.ok();
        let logger = logger.as_ref().map(|verifier| runner(verifier, 1, 0)).transpose()?;
        let progress = std::sync::Mutex::new(Progress::new("verifying", 2 * variations.len()));
        let with_progress = |act: &dyn Fn(&mut Progress)| {
            act(&mut progress.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        };
        let each = |done| with_progress(&|progress| progress.show(done));
        let logger = logger.as_ref();
        let found = diagnose(&pair, &base, &variations, logger, unavailable, jobs, each);
        with_progress(&Progress::hide);
        let Some(found) = found else { return Ok(interrupted_early(style)) };
        self.answer(&verifier, &found)
    }

    /// The mutant of a campaign, if it is one.
    fn in_campaign(&self) -> Result<Option<(Failing, Wanted)>, Trouble> {
        let [name, more @ ..] = self.files.as_slice() else { return Ok(None) };
        let found = self.campaign.find(name)?;
        if found.is_some() && !more.is_empty() {
            return Err(Trouble::new("a mutant of a campaign needs no files")
                .help("with `--campaign`, give just the name of the mutant"));
        }
        Ok(found)
    }

    /// What to vary, and what cannot be varied.
    fn variations(
        &self,
        registry: &Registry,
        found: &Wanted,
        verifier: &Verifier,
        ran_out: bool,
    ) -> Plan {
        let base = &found.options;
        let mut wanted = vec![(
            Planned::new(Change::NoInference, "without inference"),
            Options { without_inference: true, ..base.clone() },
        )];
        for seed in 1..=self.random_seeds {
            let change = Change::RandomSeed { seed };
            let planned = Planned::new(change, format!("with random seed {seed}"));
            wanted.push((planned, Options { random_seed: Some(seed), ..base.clone() }));
        }
        if ran_out {
            let seconds = found.limits.time.saturating_mul(self.more_time);
            let change = Change::Time { seconds: seconds.as_secs_f64() };
            let words = format!("with {} s", display_seconds(seconds));
            let planned = Planned { times: self.more_time, ..Planned::new(change, words) };
            wanted.push((planned, base.clone()));
        }
        let mut solvers: Vec<String> = Vec::new();
        if let (Ok(definition), Some(own)) = (registry.find(&found.verifier), &verifier.solver) {
            let others = definition.solvers.iter().filter(|solver| solver.name != own.name);
            solvers.extend(others.map(|solver| solver.name.clone()));
        }
        solvers.extend(self.solvers.iter().cloned());
        let mut plan = Plan::default();
        for (planned, options) in wanted {
            match found.resolve_with(registry, &options) {
                Ok(verifier) => plan.planned.push((planned, verifier)),
                Err(trouble) => plan
                    .unavailable
                    .push(Unavailable { words: planned.words, reason: trouble.message }),
            }
        }
        for solver in solvers {
            let options = Options { solver: Some(solver.clone()), ..base.clone() };
            match found.resolve_with(registry, &options) {
                Ok(verifier) => {
                    let title = verifier.solver.as_ref().map(|solver| solver.title.clone());
                    let title = title.unwrap_or_else(|| solver.clone());
                    let words = format!("with {title}");
                    plan.planned.push((Planned::new(Change::Solver { title }, words), verifier));
                }
                Err(trouble) => plan
                    .unavailable
                    .push(Unavailable { words: format!("with {solver}"), reason: trouble.message }),
            }
        }
        plan
    }

    /// The pair that is meant.
    fn pair(&self, style: &Style, verifier: &Verifier) -> Result<Pair, Trouble> {
        let alone = match self.files.as_slice() {
            [one] => kept::folder(one),
            _ => None,
        };
        match (alone, self.files.as_slice()) {
            (Some(folder), _) => {
                let record = kept::read(folder)?;
                let files = |files: Vec<KeptFile>| {
                    Files(files.into_iter().map(|file| (file.name, file.text)).collect())
                };
                Ok(Pair { seed: files(record.seed_files), mutant: files(record.mutant_files) })
            }
            (None, [one]) => {
                let reading = seeds::reading_for(Reading::from(&self.reading), verifier);
                let subjects = stored::open(style, reading, one, self.from.as_deref())?;
                made(&subjects)
            }
            (None, [seed, mutant @ ..]) => {
                let seed = files_of(std::slice::from_ref(seed), "seed", HELP)?;
                Ok(Pair { seed, mutant: files_of(mutant, "mutant", HELP)? })
            }
            (None, []) => Err(Trouble::new("there is no pair to diagnose")),
        }
    }

    /// Prints the answer.
    fn answer(&self, verifier: &Verifier, found: &Diagnosis) -> Result<Exit, Broken> {
        let text = if self.json {
            let json = json!({
                "mugie": env!("CARGO_PKG_VERSION"),
                "verifier": test::info(verifier),
                "diagnosis": found,
            });
            format!("{json:#}\n")
        } else {
            in_words(verifier, found)
        };
        output::data(&text)?;
        let seed = found.tried.first().map(|tried| tried.seed);
        Ok(match (found.layer, seed) {
            (Layer::NotReproduced, Some(Outcome::Verified) | None) => Exit::CouldNot,
            (Layer::NotReproduced, Some(seed)) if !seed.is_evidence() => Exit::CouldNot,
            (Layer::NotReproduced, Some(_)) => Exit::SeedFails,
            _ => Exit::Fine,
        })
    }
}

/// What to run, and what cannot be.
#[derive(Default)]
struct Plan {
    planned: Vec<(Planned, Verifier)>,
    unavailable: Vec<Unavailable>,
}

struct Planned {
    change: Change,
    words: String,
    /// How many times the time limit.
    times: u32,
}

impl Planned {
    fn new(change: Change, words: impl Into<String>) -> Planned {
        Planned { change, words: words.into(), times: 1 }
    }
}

/// A mutant and its seed, as a verifier gets them.
pub(super) fn made(subjects: &Subjects) -> Result<Pair, Trouble> {
    let loaded = &subjects.loaded;
    let pair = minimise::Pair::new(&loaded.program, loaded.options, &subjects.edits)
        .map_err(|error| not_again(&subjects.name, &error.to_string()))?;
    Ok(Pair { seed: pair.seed_files(), mutant: pair.mutant_files() })
}

fn interrupted_early(style: &Style) -> Exit {
    let trouble = Trouble::new("interrupted before there was an answer")
        .help("the same command starts again");
    output::talk(&style.trouble(&trouble));
    Exit::CouldNot
}

fn display_seconds(time: Duration) -> String {
    format!("{:.0}", time.as_secs_f64())
}

/// The files of a program, under plain names.
pub(super) fn files_of(paths: &[PathBuf], what: &str, help: &str) -> Result<Files, Trouble> {
    let several = paths.len() > 1;
    let file = |(number, path): (usize, &PathBuf)| {
        let text = fs::read_to_string(path).map_err(|error| {
            Trouble::new(format!("{}: cannot read the file: {error}", read::name(Path::new(path))))
                .help(help)
        })?;
        let name =
            if several { format!("{what}-{}.bpl", number + 1) } else { format!("{what}.bpl") };
        Ok((name, text))
    };
    Ok(Files(paths.iter().enumerate().map(file).collect::<Result<_, Trouble>>()?))
}

fn in_words(verifier: &Verifier, found: &Diagnosis) -> String {
    let mut text = format!("{}\n\n", found.sentence);
    let _ = writeln!(text, "  {}", verifier.title);
    let words = |words: &str| words.chars().count();
    let tried = found.tried.iter().map(|tried| words(&tried.words));
    let width = tried.chain([words("variation")]).max().unwrap_or_default();
    let outcomes = found.tried.iter().map(|tried| words(tried.seed.words()));
    let middle = outcomes.chain([words("original")]).max().unwrap_or_default();
    let _ = writeln!(text, "  {:width$}  {:middle$}  mutant", "variation", "original");
    for tried in &found.tried {
        let (seed, mutant) = (tried.seed.words(), tried.mutant.words());
        let _ = writeln!(text, "  {:width$}  {seed:middle$}  {mutant}", tried.words);
    }
    for Unavailable { words, reason } in &found.unavailable {
        let _ = writeln!(text, "  {words:width$}  not tried: {reason}");
    }
    text
}
