//! `mugie minimise`: reduces a failing mutant to what is needed for the failure.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use mugie_core::{Exit, Generator, Language, Mutant, Naming, Pair, SourceText};
use mugie_exec::{Draw, Executor};
use mugie_experiment::again::{self, AgainError};
use mugie_experiment::minimise::{
    Asking, MinimiseError, Minimised, SearchEvent, SearchSettings, Start, minimise, so_far,
};
use mugie_experiment::recipe::pair_diff;
use mugie_experiment::seed::OpenSeed;
use mugie_experiment::sources::{Reading, Source, display_name};
use mugie_results::SearchEnding;

use super::campaign::CampaignArgs;
use crate::args::{
    self, CacheArgs, JobsArgs, LimitArgs, ReadingArgs, ScopeArgs, StrengthArgs, VerifierArgs,
    at_least_one,
};
use crate::doors::{self, ToolArgs};
use crate::dry_run::{Commands, DryRunArgs, placeholder};
use crate::messages::{Style, Trouble, plural, shown};
use crate::minimal_dir::{MinimalDir, MinimalRecord, MinimiseTask, RunLimits, Search};
use crate::output::{self, Broken};
use crate::procedures::ProcedureArgs;
use crate::progress::MinimiseMeter;
use crate::recorded::{self, RecordedMutant, open_seed};
use crate::session::{self, Running, Session};
use crate::tool_spec::ToolSpec;
use crate::{cache, first_run, parallel, parts};

/// Minimise a failing mutant
///
/// Takes a mutant that does not verify although its seed does, and looks for the smallest pair of
/// programs that shows the failure by delta debugging: first with fewer edits, usually one; then
/// with less of the program. The small seed verifies; the small mutant results from it by the same
/// edits and fails in the same way: the same procedure, with the same outcome. Two more runs
/// confirm both at the end.
///
/// Of SMT-LIB queries, other checks, assertions, declarations and parts of terms are cut, and an edit
/// at many places is taken apart: a shuffle of all assertions becomes a swap of two, if that is
/// enough. Options, scopes and patterns stay, and the solver may complain about nothing new.
///
/// The mutant is given as a file that `mugie mutate` or `mugie test --out` wrote, as a seed and a
/// number, or as a campaign and a name. The pair is written to a directory, as `seed.bpl` and
/// `mutant.bpl`, with `minimal.json`, which has the cause and the sizes. The directory exists from
/// the first small step on, and is replaced whenever a smaller pair is found; the same command
/// resumes an interrupted search.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Minimise {
    /// A file of the mutant; with --mutant, its seed; with --campaign, its name
    #[arg(value_name = "MUTANT")]
    file: PathBuf,

    /// The seed of the mutant, if it has been moved since the mutant was made
    #[arg(long, value_name = "SEED", conflicts_with = "mutant", help_heading = "Mutant")]
    from: Option<PathBuf>,

    #[command(flatten)]
    campaign: CampaignArgs,

    #[command(flatten)]
    numbered: NumberedArgs,

    /// Maximum number of runs of the verifier; cached verdicts count as well [default: 400; of queries, 2000]
    #[arg(long, value_name = "RUNS", value_parser = at_least_one, help_heading = "Search")]
    budget: Option<NonZeroUsize>,

    /// Maximum time to spend, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = args::seconds, help_heading = "Search")]
    max_time: Option<Duration>,

    /// Accept any failure, of any procedure and with any outcome
    #[arg(long, help_heading = "Search")]
    any_failure: bool,

    /// Share of a query's neighbours that must fail as well, in percent
    ///
    /// A neighbour of a pair of SMT-LIB queries is the pair with other names, or with another random seed
    /// of the solver. Six are tried at each step, of which more than this share must fail, so that no small
    /// pair fails by luck; if fewer neighbours of the original pair fail, as many are asked for. At the end,
    /// twenty are counted. 0 asks for none.
    #[arg(long, value_name = "PERCENT", value_parser = args::percent, default_value_t = NEIGHBOURS, help_heading = "Search")]
    neighbours: usize,

    /// Do not reduce the program, only the number of edits
    #[arg(long, help_heading = "Search")]
    no_program: bool,

    /// The directory for the small pair [default: the mutant's name plus `.min`]
    #[arg(short, long, value_name = "DIR", help_heading = "Answer")]
    out: Option<PathBuf>,

    /// Start over, and replace the directory of an earlier search
    #[arg(long, help_heading = "Answer")]
    force: bool,

    /// Print the content of `minimal.json`
    #[arg(long, help_heading = "Answer")]
    json: bool,

    #[command(flatten)]
    verifier: VerifierArgs,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    tools: ToolArgs,

    #[command(flatten)]
    procedures: ProcedureArgs,

    #[command(flatten, next_help_heading = "Reading")]
    reading: ReadingArgs,

    #[command(flatten)]
    cache: CacheArgs,

    #[command(flatten)]
    jobs: JobsArgs,

    #[command(flatten)]
    dry_run: DryRunArgs,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Mutant")]
struct NumberedArgs {
    /// Take the seed's mutant with this number, as drawn with these operators and --seed
    #[arg(long, value_name = "N", value_parser = at_least_one, conflicts_with = "campaign")]
    mutant: Option<NonZeroUsize>,

    /// The operators, as for `mugie mutate`
    #[arg(long, value_name = "CHOICE", default_value = "paper", requires = "mutant")]
    operators: String,

    #[command(flatten)]
    strength: StrengthArgs,

    /// The random seed
    #[arg(long, value_name = "K", default_value_t = 1, requires = "mutant")]
    seed: u64,

    #[command(flatten)]
    scope: ScopeArgs,

    /// Maximum number of attempts to draw mutants [default: as `mugie mutate -n N`]
    #[arg(long, value_name = "A", requires = "mutant")]
    max_attempts: Option<u64>,

    /// Number all mutants that the operators can reach, nearest first
    #[arg(long, requires = "mutant", conflicts_with_all = ["seed", "max_attempts"])]
    exhaustive: bool,
}

/// The usual share of neighbours that must fail, in percent.
const NEIGHBOURS: usize = 50;

const EXAMPLES: &str = "\
Examples:
  mugie test max.bpl --out found              find mutants that fail
  mugie minimise found/max/max-0007.bpl       minimise one of them, into max-0007.min/
  mugie minimise max.mutants/max-0007.bpl     one that `mugie mutate` made
  mugie minimise max.bpl --mutant 7           the same without any of its files
  mugie minimise 'max-*-0007' --campaign experiment.toml
                                              one that failed in a campaign
  mugie minimise max.bpl --mutant 7 --no-program
                                              only find the change to blame

Exit codes:
  0  success: the pair is confirmed, and as small as possible or as the budget allows
  2  no answer: the mutant does not fail, missing verifier, wrong usage; or interrupted, and the
     best pair so far is kept
  3  the seed does not verify as it is";

impl Minimise {
    /// Minimises the mutant.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        parallel::alone(|| self.run_deep(style))?
    }

    /// Runs on a stack deep enough for any seed.
    fn run_deep(&self, style: &Style) -> Result<Exit, Broken> {
        let words = "the best pair so far is kept; the same command resumes from it";
        let session = Session::start(style, words, self.verifier.trust)?;
        let records = match (self.campaign.find(&self.file)?, self.numbered.mutant) {
            (None, None) => Some(recorded::find(&self.file)?),
            (records, _) => records,
        };
        let tool = records.as_ref().and_then(|records| records.tool.clone());
        let source = Source::new(vec![self.file.clone()]).in_language(self.reading.language);
        let usual = session.usual_verifier(parts::language_of(&source));
        let is_recorded = tool.is_some();
        let spec = ToolSpec::from_record(tool, &self.verifier, &self.limits, &usual);
        let spec = if is_recorded { spec } else { spec.recognising(&session, &[&source])? };
        let verifier = session.verifier(&spec)?;
        if self.dry_run.dry_run {
            let language = parts::language_of(&source);
            let mut commands = Commands::default();
            let budget = self.budget(language);
            for what in ["SMALLER_SEED", "SMALLER_MUTANT"] {
                commands.add(
                    &verifier,
                    &placeholder(what, language.extension()),
                    "again and again",
                );
            }
            commands.note(&format!("at most {budget} {} of both together", plural(budget, "run")));
            commands.print()?;
            return Ok(Exit::Fine);
        }
        let said = &self.reading.options;
        let cache = self.cache.open(style);
        let supervisor = session.supervisor([&verifier], false);
        let running = Running {
            verifier: &verifier,
            supervisor: &supervisor,
            limits: spec.limits,
            confirm: spec.confirm,
            jobs: self.jobs.number(),
            cache: cache.as_ref(),
            answers: None,
        };
        let mutant = if let Some(records) = records {
            records.open(style, said, &verifier, self.from.as_deref())?
        } else {
            let reading = session::reading(said, &verifier);
            self.numbered(style, &reading, |source| {
                let mut found =
                    first_run::measured(&session, &[(&reading, running.clone())], &[source])?;
                found.pop().ok_or_else(|| Trouble::new("there is no seed"))
            })?
        };
        let executor = session.plain_executor(&running)?;
        let search = Search {
            question: MinimiseTask {
                seed: mutant.source.clone(),
                seed_hash: mutant.seed.hash(),
                mutant: mutant.name.clone(),
                edits: mutant.edits.clone(),
                any_failure: self.any_failure,
                neighbours: (self.neighbours != NEIGHBOURS).then_some(self.neighbours),
                verifier: session::info(&verifier, &spec),
            },
            extension: mutant.seed.extension(),
            reading: mutant.seed.seed().needed_options(),
            limits: RunLimits::new(&spec),
        };
        session.interrupts.something_is_known();
        let exit = self.search(style, &mutant, &search, &*executor, cache.is_some());
        cache::report(style, cache.as_ref());
        exit
    }

    /// The mutant with the given number, and its seed.
    fn numbered(
        &self,
        style: &Style,
        reading: &Reading,
        measured: impl FnOnce(Source) -> Result<Source, Trouble>,
    ) -> Result<RecordedMutant, Trouble> {
        let number = self.numbered.mutant.map_or(1, NonZeroUsize::get);
        let source = doors::source(&self.file, &self.tools)?.in_language(self.reading.language);
        let source = self.procedures.choose_one(style, source, reading)?;
        let seed = open_seed(style, reading, &measured(source)?)?;
        let mutant = self.numbered.make(&seed, number)?;
        Ok(RecordedMutant {
            name: Naming::new(&self.file, 0, seed.extension()).name(number),
            source: display_name(&self.file),
            edits: mutant.edits,
            seed,
        })
    }

    /// Searches from the start. If an earlier search was interrupted, the new one repeats its steps
    /// from the cache and then continues, so it ends where the earlier one would have ended. Only
    /// without a cache, where all runs would have to be repeated, it starts at the pair that the
    /// earlier search left.
    fn search(
        &self,
        style: &Style,
        mutant: &RecordedMutant,
        search: &Search,
        executor: &dyn Executor,
        has_cache: bool,
    ) -> Result<Exit, Broken> {
        let usual = || format!("{}.min", plain(&mutant.name)).into();
        let out = self.out.clone().unwrap_or_else(usual);
        let (kept, earlier) = MinimalDir::open(&out, &search.question, self.force)?;
        let asking = Asking { executor, language: mutant.seed.seed().language() };
        let pair = mutant.seed.pair(&mutant.edits).map_err(|error| {
            Trouble::new(format!("{} cannot be reproduced: {error}", mutant.name))
        })?;
        let mut before = None;
        if let Some(record) = earlier {
            let small = small_again(mutant, &record);
            // The earlier search may have been killed while it was writing.
            kept.write(&record)?;
            if !record.is_unfinished(self.budget(asking.language)) {
                output::talk("this is the result of an earlier search; `--force` searches again\n");
                return self.answer(&record, small.as_deref(), asking.language, &out);
            }
            if let Some(small) = small {
                let (lines, runs) = (record.minimal.lines, record.minimal.runs);
                let (lines_word, runs_word) = (plural(lines, "line"), plural(runs, "run"));
                output::talk(&format!(
                    "resumes at {lines} {lines_word}, after {runs} {runs_word}\n"
                ));
                before = Some((record, small));
            }
        }
        if !has_cache && let Some((record, small)) = &before {
            let resumed = Start::resume(&record.minimal, Arc::clone(small));
            match self.minimised(resumed, asking, search, &kept, record.minimal.runs) {
                Ok(found) => return self.finish(&found?, search, &kept, asking.language, &out),
                Err(MinimiseError::Interrupted) => return Ok(interrupted_early(style)),
                Err(_) => {
                    before = None;
                    output::talk("the kept pair does not fail any more: starting over\n");
                }
            }
        }
        let known = before.as_ref().map_or(0, |(record, _)| record.minimal.runs);
        match self.minimised(Start::new(pair), asking, search, &kept, known) {
            Ok(found) => {
                let found = found?;
                match before {
                    // This search did not get as far as the earlier one.
                    Some((record, small))
                        if found.minimal.ending != SearchEnding::Done
                            && found.minimal.runs < known =>
                    {
                        self.answer(&record, Some(&*small), asking.language, &out)
                    }
                    _ => self.finish(&found, search, &kept, asking.language, &out),
                }
            }
            Err(MinimiseError::SeedFails(verdict)) => {
                let error = MinimiseError::SeedFails(verdict);
                let trouble = Trouble::new(format!("{}: {error}", mutant.source))
                    .help("make the seed verify first; its mutants are compared with it");
                output::talk(&style.trouble(&trouble));
                Ok(Exit::SeedFails)
            }
            Err(MinimiseError::Interrupted) => Ok(interrupted_early(style)),
            Err(error) => Err(unsuccessful(&mutant.name, &error).into()),
        }
    }

    /// The budget, in runs.
    fn budget(&self, language: &dyn Language) -> usize {
        self.budget.map_or_else(|| language.search_budget(), NonZeroUsize::get)
    }

    /// Runs the search and writes each smaller pair, except during the first runs, which only
    /// repeat an earlier search.
    fn minimised(
        &self,
        start: Start,
        asking: Asking<'_>,
        search: &Search,
        kept: &MinimalDir,
        known: usize,
    ) -> Result<Result<Minimised, Broken>, MinimiseError> {
        let settings = SearchSettings {
            runs: self.budget(asking.language),
            deadline: self.max_time.map(|time| Instant::now() + time),
            any_failure: self.any_failure,
            program: !self.no_program,
            neighbours: self.neighbours,
        };
        let mut meter = MinimiseMeter::new();
        let mut written = Ok(());
        let found = minimise(start, asking, settings, &mut |symptom, event| match event {
            SearchEvent::Tick(progress) => meter.show(&progress),
            SearchEvent::Better(pair, progress) => {
                if progress.runs > known {
                    let minimal = so_far(pair, symptom, progress);
                    // Ignored for now: a full disk may have space again at the end.
                    written = kept.write(&MinimalRecord::new(search, pair, minimal));
                }
                meter.show(&progress);
            }
        });
        meter.hide();
        let found = found?;
        Ok(written.map(|()| found).map_err(Broken::from))
    }

    /// Writes and prints the result.
    fn finish(
        &self,
        found: &Minimised,
        search: &Search,
        kept: &MinimalDir,
        language: &dyn Language,
        out: &Path,
    ) -> Result<Exit, Broken> {
        let record = MinimalRecord::new(search, &*found.pair, found.minimal.clone());
        kept.write(&record)?;
        self.answer(&record, Some(&*found.pair), language, out)
    }

    fn answer(
        &self,
        record: &MinimalRecord,
        pair: Option<&dyn Pair>,
        language: &dyn Language,
        out: &Path,
    ) -> Result<Exit, Broken> {
        let text = if self.json {
            record.to_json()?
        } else {
            let extension = language.extension();
            let diff = pair.map(|pair| pair_diff(pair, extension));
            let (mutant, goal) = (&record.question.mutant, language.words().goal);
            mugie_report::minimal(mutant, &record.minimal, goal, diff.as_deref())
        };
        output::data(&text)?;
        output::talk(&format!("kept in {}\n", shown(out)));
        Ok(match record.minimal.ending {
            SearchEnding::Interrupted => Exit::NoAnswer,
            SearchEnding::Done | SearchEnding::BudgetSpent | SearchEnding::TimeSpent => Exit::Fine,
        })
    }
}

impl NumberedArgs {
    /// The mutant with the given number.
    fn make(&self, seed: &OpenSeed, number: usize) -> Result<Mutant, Trouble> {
        let usual = || Generator::usual_attempts(number);
        let draw = Draw {
            operators: self.operators.clone(),
            random_seed: self.seed,
            mutants: number,
            attempts: self.max_attempts.unwrap_or_else(usual),
            exhaustive: self.exhaustive,
            strength: self.strength.asked(),
            scope: self.scope.of(&**seed.program()),
        };
        again::mutant(seed, &draw, number).map_err(|error| match error {
            AgainError::NoMutant(number) => {
                Trouble::new(format!("these operators give no mutant {number}"))
                    .help("`mugie mutate` with the same options lists the mutants")
            }
            AgainError::Operators(error) => {
                Trouble::new(error.to_string()).help("`mugie operators` lists them")
            }
            error => Trouble::new(error.to_string()),
        })
    }
}

/// Replaces the characters of a name that are special to a shell or a file system.
fn plain(name: &str) -> String {
    name.replace(['/', '*', '?', '\\', ' '], "_")
}

/// The small pair of a record, made again.
fn small_again(mutant: &RecordedMutant, record: &MinimalRecord) -> Option<Arc<dyn Pair>> {
    let seed = mutant.seed.seed();
    let file = record.seed_files.first()?;
    let file = SourceText { name: file.name.clone(), bytes: file.text.clone().into_bytes() };
    let options = record.reading.clone().or(seed.options());
    let small = seed.language().read(vec![file], &options).ok()?;
    small.pair(&record.minimal.edits).ok()
}

fn interrupted_early(style: &Style) -> Exit {
    let trouble = Trouble::new("interrupted before the failure was seen");
    output::talk(&style.trouble(&trouble.help("run the same command to start again")));
    Exit::NoAnswer
}

fn unsuccessful(name: &str, error: &MinimiseError) -> Trouble {
    let trouble = Trouble::new(format!("{name}: {error}"));
    match error {
        MinimiseError::MutantVerifies(_) => trouble.help(
            "there is no failure to minimise; was it found with another verifier, solver or limit?",
        ),
        MinimiseError::Unsteady => {
            trouble.help("the verifier's answer changes from run to run; try another --solver-seed")
        }
        _ => trouble,
    }
}
