//! `mugie diagnose`: which layer of the verifier is to blame?

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use mugie_core::{Exit, Files, Instances, Language, Outcome, Translator, escaped_json};
use mugie_exec::Executor;
use mugie_experiment::diagnose::{ProgramPair, ProgramProblems, Variation, diagnose, verify};
use mugie_experiment::foreign;
use mugie_experiment::recipe::quoted_path;
use mugie_experiment::seed::pair_files;
use mugie_experiment::sources::Source;
use mugie_results::diagnosis::{Diagnosis, Layer, Unavailable, VariedPart};
use mugie_verifiers::supervise::Supervisor;
use mugie_verifiers::tap::Form;
use mugie_verifiers::{Registry, Verifier, VerifierOptions, trust};
use serde_json::json;

use super::campaign::CampaignArgs;
use crate::args::{JobsArgs, LimitArgs, ReadingArgs, VerifierArgs};
use crate::asked::{Asking, NotAsking};
use crate::dry_run::{Commands, DryRunArgs, placeholder};
use crate::messages::{Style, Trouble, shown};
use crate::minimal_dir::{self, MinimalRecord, RECORD, RecordedFile};
use crate::output::{self, Broken};
use crate::progress::Progress;
use crate::recorded::{self, RecordedMutant, Records};
use crate::session::{self, Running, Session};
use crate::tool_spec::{Document, ToolSpec};
use crate::{parallel, parts};

/// Find the layer of the verifier that is to blame for a failing mutant
///
/// Runs the seed and the mutant again, both as they were found and under variations: without the
/// verifier's inference, with other random seeds of the solver, with other installed solvers, and
/// with more time if time ran out. Also compares the queries to the solver: are they identical,
/// identical up to order, or different? Then names the layer: type checking, inference, the order
/// or the shape of the verification condition, the solver's random choices, or time. Variations
/// that could not be tried are listed.
///
/// It is best to minimise the mutant first, with `mugie minimise`, and to give the resulting
/// directory.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Diagnose {
    /// A directory of `mugie minimise`; or a mutant written by `mugie mutate` or `mugie test
    /// --out`; or, with --campaign, the name of a mutant; or any program that verifies, followed by
    /// the files of one with the same meaning
    #[arg(value_name = "PAIR", required = true, num_args = 1..=3)]
    files: Vec<PathBuf>,

    /// The seed of the mutant, if it has been moved since the mutant was made
    #[arg(long, value_name = "SEED")]
    from: Option<PathBuf>,

    #[command(flatten)]
    campaign: CampaignArgs,

    /// Also try this solver: its name, its path, or NAME=PATH; or another verifier by its name, such as
    /// `why3`, with the same solver if it has that; may be repeated
    #[arg(long = "also", value_name = "SOLVER", help_heading = "Variations")]
    others: Vec<String>,

    /// Number of random seeds of the solver to try
    #[arg(long, value_name = "N", default_value_t = 5, help_heading = "Variations")]
    random_seeds: u64,

    /// Factor by which to raise the time limit, if time ran out
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

    #[command(flatten)]
    dry_run: DryRunArgs,
}

const EXAMPLES: &str = "\
Examples:
  mugie minimise found/max/max-0007.bpl       minimise a failing mutant: max-0007.min/
  mugie diagnose max-0007.min                 which layer is to blame?
  mugie diagnose found/max/max-0007.bpl       the same without minimising it first
  mugie diagnose 'max-*-0007' --campaign experiment.toml
                                              one that failed in a campaign
  mugie diagnose max.bpl other.bpl            any two programs with the same meaning
  mugie diagnose max-0007.min --also ~/z3-4.15/z3
                                              also with this version of Z3
  mugie diagnose max-0007.min --also why3     is it Boogie, or the solver?

Exit codes:
  0  an answer was found
  2  no answer: both programs get the same verdict now, missing verifier, wrong usage
  3  the seed does not verify as it is";

/// What can be diagnosed, for a help line.
const HELP: &str = "give a folder of `mugie minimise`, a mutant, or two programs";

impl Diagnose {
    /// Finds the layer that is to blame.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        parallel::alone(|| self.run_deep(style))?
    }

    /// Runs on a stack deep enough for any seed.
    fn run_deep(&self, style: &Style) -> Result<Exit, Broken> {
        let session = Session::start(style, "there is no answer yet", self.verifier.trust)?;
        let found = self.found()?;
        let source = Source::new(self.files.clone()).in_language(self.reading.language);
        let usual = session.usual_verifier(parts::language_of(&source));
        let spec = ToolSpec::from_record(found.tool(), &self.verifier, &self.limits, &usual);
        let spec =
            if found.tool().is_none() { spec.recognising(&session, &[&source])? } else { spec };
        let verifier = session.verifier(&spec)?;
        if self.dry_run.dry_run {
            let language = parts::language_of(&source);
            let plan = self.variations(&session.registry, &spec, &verifier, false);
            let mut commands = Commands::default();
            let unchanged = [("unchanged", &verifier)].into_iter();
            let varied = plan.planned.iter().map(|(it, verifier)| (it.words.as_str(), verifier));
            for (words, verifier) in unchanged.chain(varied) {
                for what in ["SEED", "MUTANT"] {
                    commands.add(verifier, &placeholder(what, language.extension()), words);
                }
            }
            commands.print()?;
            return Ok(Exit::Fine);
        }
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
            Variations::default()
        };
        let mut executors: Vec<Box<dyn Executor>> = Vec::new();
        for (planned, verifier) in &plan.planned {
            // Only the verdicts found earlier must be certain. But a new timeout of the same solver
            // may be due to a busy machine.
            let is_new =
                matches!(planned.change, VariedPart::NoInference | VariedPart::RandomSeed { .. });
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
        let mut unavailable = plan.unavailable;
        let asking = QueryLog::new(&session, &spec, &verifier, &supervisor, &executor)?;
        if let QueryLog::None(reason) = &asking {
            let (words, reason) = ("the queries to the solver".to_owned(), reason.clone());
            unavailable.push(Unavailable { words, reason });
        }
        let logger = |language: &str, files: &Files| asking.problems(language, files);
        let mut progress = Progress::new("verifying", 2 * variations.len());
        let found = diagnose(&pair, &base, &variations, &logger, unavailable, |done| {
            progress.show(done);
        });
        progress.hide();
        match found.map_err(no_thread)? {
            Some(found) => self.answer(&verifier, &spec, &found),
            None => Ok(interrupted_early(style)),
        }
    }

    /// The kind of input.
    fn found(&self) -> Result<Found, Trouble> {
        let [name, more @ ..] = self.files.as_slice() else {
            return Err(Trouble::new("no pair to diagnose is given"));
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
        match minimal_dir::folder(name) {
            Some(folder) => {
                let record = minimal_dir::read(folder)?;
                Ok(Found::Small(folder.join(RECORD), Box::new(record)))
            }
            None => match recorded::find(name) {
                Ok(records) => Ok(Found::Recorded(Box::new(records))),
                Err(trouble) if name.is_file() && !recorded::has_record(name) => {
                    let file = quoted_path(name);
                    let words = format!(
                        "{}: a diagnosis needs two programs: a seed, and a mutant that fails",
                        shown(name)
                    );
                    Err(Trouble { message: words, ..trouble }.help(format!(
                        "find a mutant that fails with `mugie test {file} --out found`, and give its file; or \
                         give another program with the same meaning, `mugie diagnose {file} OTHER`"
                    )))
                }
                Err(trouble) => Err(trouble),
            },
        }
    }

    /// The variations to run, and those that are not possible.
    fn variations(
        &self,
        registry: &Registry,
        found: &ToolSpec,
        verifier: &Verifier,
        ran_out: bool,
    ) -> Variations {
        let base = &found.options;
        let mut wanted = vec![(
            Planned::new(VariedPart::NoInference, "without inference"),
            VerifierOptions { without_inference: true, ..base.clone() },
        )];
        for seed in 1..=self.random_seeds {
            let change = VariedPart::RandomSeed { seed };
            let planned = Planned::new(change, format!("with random seed {seed}"));
            wanted.push((planned, VerifierOptions { random_seed: Some(seed), ..base.clone() }));
        }
        if ran_out {
            let seconds = found.limits.time.saturating_mul(self.more_time);
            let change = VariedPart::Time { seconds: seconds.as_secs_f64() };
            let words = format!("with {} s", display_seconds(seconds));
            let planned = Planned { times: self.more_time, ..Planned::new(change, words) };
            wanted.push((planned, base.clone()));
        }
        let mut solvers: Vec<String> = Vec::new();
        if let (Ok(definition), Some(own)) = (registry.find(&found.verifier), &verifier.solver) {
            let others = definition.solvers.iter().filter(|solver| solver.name != own.name);
            solvers.extend(others.map(|solver| solver.name.clone()));
        }
        let is_verifier = |name: &&String| is_other_verifier(registry, found, verifier, name);
        let (verifiers, more): (Vec<&String>, Vec<&String>) =
            self.others.iter().partition(is_verifier);
        solvers.extend(more.into_iter().cloned());
        let mut plan = Variations::default();
        for (planned, options) in wanted {
            match found.resolve_with(registry, &options) {
                Ok(verifier) => plan.planned.push((planned, Arc::new(verifier))),
                Err(trouble) => plan
                    .unavailable
                    .push(Unavailable { words: planned.words, reason: trouble.message }),
            }
        }
        for name in verifiers {
            plan.add_verifier(registry, found, verifier, name);
        }
        // A profile that is for one solver says nothing about another one.
        let profile = base.profile.clone().filter(|profile| {
            let definition = registry.find(&found.verifier).ok();
            let profile = definition.as_ref().and_then(|it| it.profiles.get(profile));
            profile.is_none_or(|profile| profile.solver.is_none())
        });
        for solver in solvers {
            let options = VerifierOptions {
                solver: Some(solver.clone()),
                profile: profile.clone(),
                ..base.clone()
            };
            match found.resolve_with(registry, &options) {
                Ok(verifier) => {
                    let title = verifier.solver.as_ref().map(|solver| solver.title.clone());
                    let title = title.unwrap_or_else(|| solver.clone());
                    let words = format!("with {title}");
                    let planned = Planned::new(VariedPart::Solver { title }, words);
                    plan.planned.push((planned, Arc::new(verifier)));
                }
                Err(trouble) => plan
                    .unavailable
                    .push(Unavailable { words: format!("with {solver}"), reason: trouble.message }),
            }
        }
        plan
    }

    /// The pair to diagnose.
    fn pair(
        &self,
        session: &Session<'_>,
        verifier: &Verifier,
        found: Found,
    ) -> Result<ProgramPair, Trouble> {
        match found {
            Found::Small(_, record) => {
                let files = |files: Vec<RecordedFile>| {
                    Files(files.into_iter().map(|file| (file.name, file.text)).collect())
                };
                let source = record.seed_files.first().map(|file| PathBuf::from(&file.name));
                let source = Source::new(source.into_iter().collect());
                Ok(ProgramPair {
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
                Ok(ProgramPair {
                    language: language.id().to_owned(),
                    seed: files_of(&Source::new(seed.to_vec()), "seed", HELP)?,
                    mutant: files_of(&Source::new(mutant.to_vec()), "mutant", HELP)?,
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
                "advice": {
                    "page": mugie_report::page(found.layer),
                    "lines": mugie_report::advice(found.layer),
                },
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

/// The kinds of input.
enum Found {
    /// A pair kept by `mugie minimise`, and its file.
    Small(PathBuf, Box<MinimalRecord>),
    /// A recorded mutant.
    Recorded(Box<Records>),
    /// Any two programs.
    Programs,
}

impl Found {
    /// The verifier with which the mutant was found, if known.
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

/// Starts an executor of a verifier, with a factor on the time limit and a number of runs that
/// confirm a timeout.
type StartExecutor<'s> =
    dyn Fn(&Arc<Verifier>, u32, usize) -> Result<Box<dyn Executor>, Trouble> + 's;

/// How the queries to the solver are recorded.
enum QueryLog {
    /// By a tap, which knows what belongs to which goal.
    Tapped(Box<Asking>),
    /// By the verifier itself, with its own names for goals.
    Logged(Box<dyn Executor>, Arc<Verifier>),
    /// There is none: the program is the query.
    Itself(Arc<Verifier>),
    /// Not at all, for this reason.
    None(String),
}

impl QueryLog {
    fn new(
        session: &Session<'_>,
        spec: &ToolSpec,
        verifier: &Arc<Verifier>,
        supervisor: &Arc<Supervisor>,
        executor: &StartExecutor<'_>,
    ) -> Result<QueryLog, Trouble> {
        if parts::languages().find(verifier.input()).is_some_and(Language::is_query) {
            return Ok(QueryLog::Itself(Arc::clone(verifier)));
        }
        let supervisor = Arc::clone(supervisor);
        match Asking::new(session, verifier, supervisor, spec.limits, Form::Original) {
            Ok(asking) => return Ok(QueryLog::Tapped(Box::new(asking))),
            Err(NotAsking::Trouble(trouble)) => return Err(trouble),
            Err(NotAsking::Tap(_)) => {}
        }
        let logging = VerifierOptions { log_problems: true, ..spec.options.clone() };
        match spec.resolve_with(&session.registry, &logging).map(Arc::new) {
            Ok(logging) => Ok(QueryLog::Logged(executor(&logging, 1, 0)?, logging)),
            Err(trouble) => Ok(QueryLog::None(trouble.message)),
        }
    }

    /// The problems of a program. `None` if they are not known.
    fn problems(&self, language: &str, files: &Files) -> Option<ProgramProblems> {
        match self {
            QueryLog::Tapped(asking) => {
                let asked = asking.ask(language, files)?;
                let (problems, instances) = (asking.problems(&asked)?, asked.instances());
                Some(ProgramProblems { problems, instances })
            }
            QueryLog::Logged(executor, verifier) => {
                let left = executor.artifacts(language, files)?;
                let problems = left.iter().flat_map(|it| {
                    let problems = verifier.problems(&it.text).into_iter();
                    problems.map(|problem| match &it.goal {
                        Some(goal) => problem.of_goal(Some(goal.clone())),
                        None => problem,
                    })
                });
                let problems = problems.collect();
                Some(ProgramProblems { problems, instances: Instances::default() })
            }
            QueryLog::Itself(verifier) => {
                let problems = files.0.iter().flat_map(|(_, text)| verifier.problems(text));
                Some(ProgramProblems {
                    problems: problems.collect(),
                    instances: Instances::default(),
                })
            }
            QueryLog::None(_) => None,
        }
    }
}

/// The variations to run, and those that are not possible.
#[derive(Default)]
struct Variations {
    planned: Vec<(Planned, Arc<Verifier>)>,
    unavailable: Vec<Unavailable>,
}

impl Variations {
    /// Adds another verifier, with the same solver if it can use that, and with the same limits.
    fn add_verifier(
        &mut self,
        registry: &Registry,
        found: &ToolSpec,
        verifier: &Verifier,
        name: &str,
    ) {
        let VerifierOptions { resource_limit: _, procedure_seconds, random_seed, .. } =
            found.options;
        let plain =
            VerifierOptions { procedure_seconds, random_seed, ..VerifierOptions::default() };
        let same = verifier.solver.as_ref().and_then(|solver| {
            let solver = format!("{}={}", solver.name, solver.tool.path.display());
            let options = VerifierOptions { solver: Some(solver), ..plain.clone() };
            registry.resolve(name, &options).ok()
        });
        let same_solver = same.is_some();
        match same.map_or_else(|| registry.resolve(name, &plain), Ok) {
            Ok(other) => {
                let title = other.title.clone();
                let words = format!("with {title}");
                let change = VariedPart::Verifier { title, same_solver };
                self.planned.push((Planned::new(change, words), Arc::new(other)));
            }
            Err(error) => self
                .unavailable
                .push(Unavailable { words: format!("with {name}"), reason: error.to_string() }),
        }
    }
}

/// Whether a name is that of another verifier, which reads the same programs or a translation of them.
fn is_other_verifier(
    registry: &Registry,
    found: &ToolSpec,
    verifier: &Verifier,
    name: &str,
) -> bool {
    let own = registry.find(&found.verifier);
    let is_solver = own.is_ok_and(|own| own.solvers.iter().any(|solver| solver.name == name));
    let Some(other) = registry.get(name).filter(|_| !is_solver && found.verifier != name) else {
        return false;
    };
    let translators = parts::parts().translators;
    let from =
        |input: &str| translators.iter().any(|it| it.from() == input && it.to() == other.input);
    other.input == verifier.input() || from(verifier.input()) || {
        let to = |it: &&&dyn Translator| it.from() == other.input && it.to() == verifier.input();
        translators.iter().any(|it| to(&it))
    }
}

struct Planned {
    change: VariedPart,
    words: String,
    /// The factor on the time limit.
    times: u32,
}

impl Planned {
    fn new(change: VariedPart, words: impl Into<String>) -> Planned {
        Planned { change, words: words.into(), times: 1 }
    }
}

/// A mutant and its seed, as the verifier reads them.
pub(super) fn made(mutant: &RecordedMutant) -> Result<ProgramPair, Trouble> {
    let pair = mutant
        .seed
        .pair(&mutant.edits)
        .map_err(|error| Trouble::new(format!("{} cannot be reproduced: {error}", mutant.name)))?;
    let language = mutant.seed.seed().language().id().to_owned();
    let (seed, mutant) = pair_files(&*pair, mutant.seed.extension());
    Ok(ProgramPair { language, seed, mutant })
}

fn interrupted_early(style: &Style) -> Exit {
    let trouble = Trouble::new("interrupted before there was an answer")
        .help("run the same command to start again");
    output::talk(&style.trouble(&trouble));
    Exit::NoAnswer
}

fn display_seconds(time: Duration) -> String {
    format!("{:.0}", time.as_secs_f64())
}

/// Reads the files of a program, under plain names.
pub(super) fn files_of(source: &Source, what: &str, help: &str) -> Result<Files, Trouble> {
    if let Some(refused) = source.paths().iter().find_map(|path| foreign::refuse(path)) {
        return Err(refused.into());
    }
    let extension = parts::language_of(source).extension();
    let texts =
        source.read().map_err(|error| Trouble { help: Some(help.to_owned()), ..error.into() })?;
    let several = texts.len() > 1;
    let files = texts.into_iter().enumerate().map(|(number, file)| {
        let number = if several { format!("-{}", number + 1) } else { String::new() };
        let text = String::from_utf8_lossy(&file.bytes).into_owned();
        (format!("{what}{number}.{extension}"), text)
    });
    Ok(Files(files.collect()))
}
