//! `mugie diagnose`: which layer of the verifier is to blame?

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use mugie_core::{Exit, Files, Outcome, escaped_json};
use mugie_exec::Executor;
use mugie_experiment::diagnose::{Logger, Pair, Variation, diagnose, verify};
use mugie_experiment::seed::pair_files;
use mugie_experiment::sources::{Source, read};
use mugie_results::diagnosis::{Change, Diagnosis, Layer, Unavailable};
use mugie_verifiers::{Options, Registry, Verifier, trust};
use serde_json::json;

use super::campaign::CampaignArgs;
use crate::args::{JobsArgs, LimitArgs, ReadingArgs, VerifierArgs};
use crate::kept::{self, KeptFile, RECORD, Record};
use crate::messages::{Style, Trouble};
use crate::output::{self, Broken};
use crate::progress::Progress;
use crate::recorded::{self, RecordedMutant, Records};
use crate::session::{self, Running, Session};
use crate::tool_spec::{Document, ToolSpec};
use crate::{parallel, parts};

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

    #[command(flatten)]
    jobs: JobsArgs,
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
  2  no answer: both programs get the same verdict now, no verifier, wrong usage
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
        let session = Session::start(style, "there is no answer yet", self.verifier.trust)?;
        let found = self.found()?;
        let source = Source::new(self.files.clone()).in_language(self.reading.language);
        let usual = session.usual_verifier(parts::language_of(&source));
        let spec = ToolSpec::from_record(found.tool(), &self.verifier, &self.limits, &usual);
        let verifier = session.verifier(&spec)?;
        let pair = self.pair(&session, &verifier, found)?;
        let supervisor = session.supervisor([], true);
        let executor = |verifier: &Arc<Verifier>, times: u32, confirm: usize| {
            let mut limits = spec.limits;
            limits.time = limits.time.saturating_mul(times);
            limits.cpu = limits.cpu.map(|cpu| cpu.saturating_mul(times));
            session.plain_executor(&Running {
                verifier,
                supervisor: &supervisor,
                limits,
                confirm,
                jobs: self.jobs.number(),
                cache: None,
                answers: None,
            })
        };
        let as_found = executor(&verifier, 1, spec.confirm)?;
        let no_thread = |error: std::io::Error| parallel::no_thread(&error);
        let base = verify(&pair, &[&*as_found], |_| {}).map_err(no_thread)?;
        let Some(base) = base.and_then(|verdicts| verdicts.into_iter().next()) else {
            return Ok(interrupted_early(style));
        };
        let plan = if base.differ() {
            self.variations(&session.registry, &spec, &verifier, base.ran_out())
        } else {
            Plan::default()
        };
        let mut executors: Vec<Box<dyn Executor>> = Vec::new();
        for (planned, verifier) in &plan.planned {
            // Only what was found before must be sure. But what timed out for the first time in the
            // same solver may be the doing of a busy machine.
            let is_new = matches!(planned.change, Change::NoInference | Change::RandomSeed { .. });
            let confirm = if is_new && !base.ran_out() { spec.confirm.min(1) } else { 0 };
            executors.push(executor(verifier, planned.times, confirm)?);
        }
        let planned = plan.planned.iter().zip(&executors);
        let variations: Vec<Variation<'_>> = planned
            .map(|((planned, _), executor)| Variation {
                change: planned.change.clone(),
                words: planned.words.clone(),
                executor: &**executor,
            })
            .collect();
        let logging = Options { log_problems: true, ..spec.options.clone() };
        let logging = spec.resolve_with(&session.registry, &logging).map(Arc::new);
        let mut unavailable = plan.unavailable;
        if let Err(trouble) = &logging {
            let words = "what the solver is asked".to_owned();
            unavailable.push(Unavailable { words, reason: trouble.message.clone() });
        }
        let logging = logging.ok();
        let log_executor = logging.as_ref().map(|logging| executor(logging, 1, 0)).transpose()?;
        let problems = |log: &str| logging.as_ref().map(|it| it.problems(log)).unwrap_or_default();
        let logger =
            log_executor.as_deref().map(|executor| Logger { executor, problems: &problems });
        let mut progress = Progress::new("verifying", 2 * variations.len());
        let found = diagnose(&pair, &base, &variations, logger.as_ref(), unavailable, |done| {
            progress.show(done);
        });
        progress.hide();
        match found.map_err(no_thread)? {
            Some(found) => self.answer(&verifier, &spec, &found),
            None => Ok(interrupted_early(style)),
        }
    }

    /// What is given.
    fn found(&self) -> Result<Found, Trouble> {
        let [name, more @ ..] = self.files.as_slice() else {
            return Err(Trouble::new("there is no pair to diagnose"));
        };
        if let Some(records) = self.campaign.find(name)? {
            if !more.is_empty() {
                return Err(Trouble::new("a mutant of a campaign needs no files")
                    .help("with `--campaign`, give just the name of the mutant"));
            }
            return Ok(Found::Recorded(Box::new(records)));
        }
        if !more.is_empty() {
            return Ok(Found::Programs);
        }
        match kept::folder(name) {
            Some(folder) => {
                let record = kept::read(folder)?;
                Ok(Found::Small(folder.join(RECORD), Box::new(record)))
            }
            None => Ok(Found::Recorded(Box::new(recorded::find(name)?))),
        }
    }

    /// What to vary, and what cannot be varied.
    fn variations(
        &self,
        registry: &Registry,
        found: &ToolSpec,
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
                Ok(verifier) => plan.planned.push((planned, Arc::new(verifier))),
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
                    let planned = Planned::new(Change::Solver { title }, words);
                    plan.planned.push((planned, Arc::new(verifier)));
                }
                Err(trouble) => plan
                    .unavailable
                    .push(Unavailable { words: format!("with {solver}"), reason: trouble.message }),
            }
        }
        plan
    }

    /// The pair that is meant.
    fn pair(
        &self,
        session: &Session<'_>,
        verifier: &Verifier,
        found: Found,
    ) -> Result<Pair, Trouble> {
        match found {
            Found::Small(_, record) => {
                let files = |files: Vec<KeptFile>| {
                    Files(files.into_iter().map(|file| (file.name, file.text)).collect())
                };
                let source = record.seed_files.first().map(|file| PathBuf::from(&file.name));
                let source = Source::new(source.into_iter().collect());
                Ok(Pair {
                    language: parts::language_of(&source).id().to_owned(),
                    seed: files(record.seed_files),
                    mutant: files(record.mutant_files),
                })
            }
            Found::Recorded(records) => {
                let (said, from) = (&self.reading.options, self.from.as_deref());
                made(&records.open(session.style, said, verifier, from)?)
            }
            Found::Programs => {
                let (seed, mutant) = self.files.split_at(1);
                let language = parts::language_of(&Source::new(seed.to_vec()));
                Ok(Pair {
                    language: language.id().to_owned(),
                    seed: files_of(seed, "seed", HELP)?,
                    mutant: files_of(mutant, "mutant", HELP)?,
                })
            }
        }
    }

    /// Prints the answer.
    fn answer(
        &self,
        verifier: &Verifier,
        spec: &ToolSpec,
        found: &Diagnosis,
    ) -> Result<Exit, Broken> {
        let text = if self.json {
            let json = json!({
                "mugie": env!("CARGO_PKG_VERSION"),
                "verifier": session::info(verifier, spec),
                "diagnosis": found,
            });
            escaped_json(&format!("{json:#}\n"))
        } else {
            mugie_report::diagnosis(&verifier.title, found)
        };
        output::data(&text)?;
        let seed = found.tried.first().map(|tried| tried.seed);
        Ok(match (found.layer, seed) {
            (Layer::NotReproduced, Some(Outcome::Verified) | None) => Exit::NoAnswer,
            (Layer::NotReproduced, Some(seed)) if !seed.is_evidence() => Exit::NoAnswer,
            (Layer::NotReproduced, Some(_)) => Exit::SeedFails,
            _ => Exit::Fine,
        })
    }
}

/// What is given to be diagnosed.
enum Found {
    /// A pair that `mugie minimise` kept, and the file that it is in.
    Small(PathBuf, Box<Record>),
    /// A mutant that is on record.
    Recorded(Box<Records>),
    /// Any programs.
    Programs,
}

impl Found {
    /// The verifier that it was found with, if it is known.
    fn tool(&self) -> Option<ToolSpec> {
        match self {
            Found::Small(path, record) => {
                let hash = trust::hash(&record.to_json().unwrap_or_default());
                let document = Document { path, hash };
                let mut spec = ToolSpec::recorded(&record.question.verifier, None, document);
                if let Some(limits) = &record.limits {
                    limits.apply(&mut spec);
                }
                Some(spec)
            }
            Found::Recorded(records) => records.tool.clone(),
            Found::Programs => None,
        }
    }
}

/// What to run, and what cannot be.
#[derive(Default)]
struct Plan {
    planned: Vec<(Planned, Arc<Verifier>)>,
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
pub(super) fn made(mutant: &RecordedMutant) -> Result<Pair, Trouble> {
    let pair = mutant
        .seed
        .pair(&mutant.edits)
        .map_err(|error| Trouble::new(format!("{} cannot be made again: {error}", mutant.name)))?;
    let language = mutant.seed.seed().language().id().to_owned();
    let (seed, mutant) = pair_files(&*pair, mutant.seed.extension());
    Ok(Pair { language, seed, mutant })
}

fn interrupted_early(style: &Style) -> Exit {
    let trouble = Trouble::new("interrupted before there was an answer")
        .help("the same command starts again");
    output::talk(&style.trouble(&trouble));
    Exit::NoAnswer
}

fn display_seconds(time: Duration) -> String {
    format!("{:.0}", time.as_secs_f64())
}

/// The files of a program, under plain names.
pub(super) fn files_of(paths: &[PathBuf], what: &str, help: &str) -> Result<Files, Trouble> {
    let extension = parts::language_of(&Source::new(paths.to_vec())).extensions();
    let extension = extension.first().copied().unwrap_or_default();
    let several = paths.len() > 1;
    let texts =
        read(paths).map_err(|error| Trouble { help: Some(help.to_owned()), ..error.into() })?;
    let files = texts.into_iter().enumerate().map(|(number, file)| {
        let number = if several { format!("-{}", number + 1) } else { String::new() };
        let text = String::from_utf8_lossy(&file.bytes).into_owned();
        (format!("{what}{number}.{extension}"), text)
    });
    Ok(Files(files.collect()))
}
