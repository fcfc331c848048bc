//! `mugie minimise`: what is left of a failing mutant without what does not matter.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use mugie_core::{Exit, Generator, Language, Mutant, Naming, Pair, SourceText};
use mugie_exec::{Draw, Executor};
use mugie_experiment::again::{self, AgainError};
use mugie_experiment::minimise::{
    Asking, Event, MinimiseError, Minimised, Settings, Start, minimise, so_far,
};
use mugie_experiment::recipe::pair_diff;
use mugie_experiment::seed::OpenSeed;
use mugie_experiment::sources::{Reading, Source, display_name};
use mugie_results::Ending;

use super::campaign::CampaignArgs;
use crate::args::{self, CacheArgs, JobsArgs, LimitArgs, ReadingArgs, VerifierArgs, at_least_one};
use crate::kept::{Kept, Question, Record, RunLimits, Search};
use crate::messages::{Style, Trouble, plural, shown};
use crate::output::{self, Broken};
use crate::progress::MinimiseMeter;
use crate::recorded::{self, RecordedMutant, open_seed};
use crate::session::{self, Running, Session};
use crate::tool_spec::ToolSpec;
use crate::{cache, parallel, parts, seed_paths};

/// Make a failing mutant small
///
/// Takes a mutant that does not verify although its seed does, and looks for the smallest pair of
/// programs that shows it: first with fewer changes, mostly one; then with less of the program.
/// The small seed verifies, and the small mutant is what the same change makes of it and fails in
/// the same way: the same procedure, with the same outcome. Both are confirmed by two more runs
/// at the end.
///
/// The mutant is a file that `mugie mutate` or `mugie test --out` wrote, or one of a seed by its
/// number, or one of a campaign by its name. The pair goes to a directory, as `seed.bpl` and `mutant.bpl`, with `minimal.json`, which
/// has the cause and the sizes. It is there from the first small step on, and is replaced whenever
/// there is a smaller one; the same command goes on where it was interrupted.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Minimise {
    /// A file of the mutant; or, with --mutant, its seed; or, with --campaign, its name
    #[arg(value_name = "MUTANT")]
    file: PathBuf,

    /// The seed of the mutant, if it is not where it was when the mutant was made
    #[arg(long, value_name = "SEED", conflicts_with = "mutant", help_heading = "Mutant")]
    from: Option<PathBuf>,

    #[command(flatten)]
    campaign: CampaignArgs,

    #[command(flatten)]
    numbered: NumberedArgs,

    /// Spend at most so many runs of the verifier; known verdicts count, too
    #[arg(long, value_name = "RUNS", value_parser = at_least_one, default_value = "400", help_heading = "Search")]
    budget: NonZeroUsize,

    /// Spend at most so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = args::seconds, help_heading = "Search")]
    max_time: Option<Duration>,

    /// Take any failure for the same, whichever procedure fails, and however
    #[arg(long, help_heading = "Search")]
    any_failure: bool,

    /// Leave the program as it is, and only look for fewer changes
    #[arg(long, help_heading = "Search")]
    no_program: bool,

    /// The directory for the small pair [default: the mutant's name with `.min`]
    #[arg(short, long, value_name = "DIR", help_heading = "Answer")]
    out: Option<PathBuf>,

    /// Start anew, and replace a directory of an earlier search
    #[arg(long, help_heading = "Answer")]
    force: bool,

    /// Print what `minimal.json` has
    #[arg(long, help_heading = "Answer")]
    json: bool,

    #[command(flatten)]
    verifier: VerifierArgs,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten, next_help_heading = "Reading")]
    reading: ReadingArgs,

    #[command(flatten)]
    cache: CacheArgs,

    #[command(flatten)]
    jobs: JobsArgs,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Mutant")]
struct NumberedArgs {
    /// Take the mutant of this number, which the seed has with these operators and --seed
    #[arg(long, value_name = "N", value_parser = at_least_one, conflicts_with = "campaign")]
    mutant: Option<NonZeroUsize>,

    /// The operators, as for `mugie mutate`
    #[arg(long, value_name = "CHOICE", default_value = "paper", requires = "mutant")]
    operators: String,

    /// The seed of the random numbers
    #[arg(long, value_name = "K", default_value_t = 1, requires = "mutant")]
    seed: u64,

    /// Give up after so many draws [default: as `mugie mutate -n N`]
    #[arg(long, value_name = "A", requires = "mutant")]
    max_attempts: Option<u64>,

    /// Number all mutants that the operators lead to, nearest first
    #[arg(long, requires = "mutant", conflicts_with_all = ["seed", "max_attempts"])]
    exhaustive: bool,
}

const EXAMPLES: &str = "\
Examples:
  mugie test max.bpl --out found              find mutants that fail
  mugie minimise found/max/max-0007.bpl       one of them, made small in max-0007.min/
  mugie minimise max.mutants/max-0007.bpl     one that `mugie mutate` made
  mugie minimise max.bpl --mutant 7           the same without any of its files
  mugie minimise 'max-*-0007' --campaign experiment.toml
                                              one that failed in a campaign
  mugie minimise max.bpl --mutant 7 --no-program
                                              just: which change is to blame?

Exit codes:
  0  fine: the pair is as small as it gets, or as the budget allows, and confirmed
  2  no answer: the mutant does not fail, no verifier, wrong usage; or interrupted, and the best
     pair so far is kept
  3  the seed does not verify as it is";

impl Minimise {
    /// Makes the mutant small.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        parallel::alone(|| self.run_deep(style))?
    }

    /// On a stack that is deep enough for any seed.
    fn run_deep(&self, style: &Style) -> Result<Exit, Broken> {
        let words = "the best pair so far is kept; the same command goes on from it";
        let session = Session::start(style, words, self.verifier.trust)?;
        let records = match (self.campaign.find(&self.file)?, self.numbered.mutant) {
            (None, None) => Some(recorded::find(&self.file)?),
            (records, _) => records,
        };
        let tool = records.as_ref().and_then(|records| records.tool.clone());
        let source = Source::new(vec![self.file.clone()]).in_language(self.reading.language);
        let usual = session.usual_verifier(parts::language_of(&source));
        let spec = ToolSpec::from_record(tool, &self.verifier, &self.limits, &usual);
        let verifier = session.verifier(&spec)?;
        let said = &self.reading.options;
        let mutant = match records {
            Some(records) => records.open(style, said, &verifier, self.from.as_deref())?,
            None => self.numbered(style, &session::reading(said, &verifier))?,
        };
        let cache = self.cache.open(style);
        let supervisor = session.supervisor([&verifier], false);
        let executor = session.plain_executor(&Running {
            verifier: &verifier,
            supervisor: &supervisor,
            limits: spec.limits,
            confirm: spec.confirm,
            jobs: self.jobs.number(),
            cache: cache.as_ref(),
            answers: None,
        })?;
        let search = Search {
            question: Question {
                seed: mutant.source.clone(),
                seed_hash: mutant.seed.hash(),
                mutant: mutant.name.clone(),
                edits: mutant.edits.clone(),
                any_failure: self.any_failure,
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

    /// The mutant of a number, and its seed.
    fn numbered(&self, style: &Style, reading: &Reading) -> Result<RecordedMutant, Trouble> {
        let number = self.numbered.mutant.map_or(1, NonZeroUsize::get);
        let source = seed_paths::source(&self.file)?.in_language(self.reading.language);
        let seed = open_seed(style, reading, &source)?;
        let mutant = self.numbered.make(&seed, number)?;
        Ok(RecordedMutant {
            name: Naming::new(&self.file, 0, seed.extension()).name(number),
            source: display_name(&self.file),
            edits: mutant.edits,
            seed,
        })
    }

    /// Searches from the start. If an earlier search was on its way, it says the same up to where that
    /// was, and then goes on: so it ends where that would have ended. Only without a cache, in which
    /// case all runs would be made again, it starts at the pair that the earlier one left.
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
        let (kept, earlier) = Kept::open(&out, &search.question, self.force)?;
        let asking = Asking { executor, language: mutant.seed.seed().language() };
        let pair = mutant.seed.pair(&mutant.edits).map_err(|error| {
            Trouble::new(format!("{} cannot be made again: {error}", mutant.name))
        })?;
        let mut before = None;
        if let Some(record) = earlier {
            let small = small_again(mutant, &record);
            // Whatever ended the earlier search may have done so while it wrote.
            kept.write(&record)?;
            if !record.is_unfinished(self.budget.get()) {
                output::talk("this was found before; `--force` searches anew\n");
                return self.answer(&record, small.as_deref(), asking.language, &out);
            }
            if let Some(small) = small {
                let (lines, runs) = (record.minimal.lines, record.minimal.runs);
                let runs_word = plural(runs, "run");
                output::talk(&format!("goes on at {lines} lines, after {runs} {runs_word}\n"));
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
                    output::talk("what was kept does not fail any more: starts anew\n");
                }
            }
        }
        let known = before.as_ref().map_or(0, |(record, _)| record.minimal.runs);
        match self.minimised(Start::new(pair), asking, search, &kept, known) {
            Ok(found) => {
                let found = found?;
                match before {
                    // It did not even get where the earlier one was.
                    Some((record, small))
                        if found.minimal.ending != Ending::Done && found.minimal.runs < known =>
                    {
                        self.answer(&record, Some(&*small), asking.language, &out)
                    }
                    _ => self.finish(&found, search, &kept, asking.language, &out),
                }
            }
            Err(MinimiseError::SeedFails(verdict)) => {
                let error = MinimiseError::SeedFails(verdict);
                let trouble = Trouble::new(format!("{}: {error}", mutant.source))
                    .help("make it verify first; there is nothing to compare its mutants with");
                output::talk(&style.trouble(&trouble));
                Ok(Exit::SeedFails)
            }
            Err(MinimiseError::Interrupted) => Ok(interrupted_early(style)),
            Err(error) => Err(unsuccessful(&mutant.name, &error).into()),
        }
    }

    /// Runs the search, and keeps what it finds on the way, after as many runs as an earlier search
    /// had made when it found what is kept.
    fn minimised(
        &self,
        start: Start,
        asking: Asking<'_>,
        search: &Search,
        kept: &Kept,
        known: usize,
    ) -> Result<Result<Minimised, Broken>, MinimiseError> {
        let settings = Settings {
            runs: self.budget.get(),
            deadline: self.max_time.map(|time| Instant::now() + time),
            any_failure: self.any_failure,
            program: !self.no_program,
        };
        let mut meter = MinimiseMeter::new();
        let mut written = Ok(());
        let found = minimise(start, asking, settings, &mut |symptom, event| match event {
            Event::Tick(progress) => meter.show(&progress),
            Event::Better(pair, progress) => {
                if progress.runs > known {
                    let minimal = so_far(pair, symptom, progress);
                    // A disk that is full now may not be at the end.
                    written = kept.write(&Record::new(search, pair, minimal));
                }
                meter.show(&progress);
            }
        });
        meter.hide();
        let found = found?;
        Ok(written.map(|()| found).map_err(Broken::from))
    }

    /// Keeps and prints what was found.
    fn finish(
        &self,
        found: &Minimised,
        search: &Search,
        kept: &Kept,
        language: &dyn Language,
        out: &Path,
    ) -> Result<Exit, Broken> {
        let record = Record::new(search, &*found.pair, found.minimal.clone());
        kept.write(&record)?;
        self.answer(&record, Some(&*found.pair), language, out)
    }

    fn answer(
        &self,
        record: &Record,
        pair: Option<&dyn Pair>,
        language: &dyn Language,
        out: &Path,
    ) -> Result<Exit, Broken> {
        let text = if self.json {
            record.to_json()?
        } else {
            let extension = language.extensions().first().copied().unwrap_or_default();
            let diff = pair.map(|pair| pair_diff(pair, extension));
            let (mutant, goal) = (&record.question.mutant, language.words().goal);
            mugie_report::minimal(mutant, &record.minimal, goal, diff.as_deref())
        };
        output::data(&text)?;
        output::talk(&format!("kept in {}\n", shown(out)));
        Ok(match record.minimal.ending {
            Ending::Interrupted => Exit::NoAnswer,
            Ending::Done | Ending::BudgetSpent => Exit::Fine,
        })
    }
}

impl NumberedArgs {
    /// The mutant of a number.
    fn make(&self, seed: &OpenSeed, number: usize) -> Result<Mutant, Trouble> {
        let usual = || Generator::usual_attempts(number);
        let draw = Draw {
            operators: self.operators.clone(),
            random_seed: self.seed,
            mutants: number,
            attempts: self.max_attempts.unwrap_or_else(usual),
            exhaustive: self.exhaustive,
        };
        again::mutant(seed, &draw, number).map_err(|error| match error {
            AgainError::NoMutant(number) => {
                Trouble::new(format!("there is no mutant {number} by these operators"))
                    .help("`mugie mutate` with the same options shows which there are")
            }
            AgainError::Operators(error) => {
                Trouble::new(error.to_string()).help("`mugie operators` lists them")
            }
            error => Trouble::new(error.to_string()),
        })
    }
}

/// A name without what a shell or a file system reads in another way.
fn plain(name: &str) -> String {
    name.replace(['/', '*', '?', '\\', ' '], "_")
}

/// The small pair of a record.
fn small_again(mutant: &RecordedMutant, record: &Record) -> Option<Arc<dyn Pair>> {
    let seed = mutant.seed.seed();
    let file = record.seed_files.first()?;
    let file = SourceText { name: file.name.clone(), bytes: file.text.clone().into_bytes() };
    let small = seed.language().read(vec![file], seed.options()).ok()?;
    small.pair(&record.minimal.edits).ok()
}

fn interrupted_early(style: &Style) -> Exit {
    let trouble = Trouble::new("interrupted before the failure was seen");
    output::talk(&style.trouble(&trouble.help("the same command starts again")));
    Exit::NoAnswer
}

fn unsuccessful(name: &str, error: &MinimiseError) -> Trouble {
    let trouble = Trouble::new(format!("{name}: {error}"));
    match error {
        MinimiseError::MutantVerifies(_) => trouble.help(
            "there is nothing to make small; was it found with another verifier, solver or limit?",
        ),
        MinimiseError::Unsteady => {
            trouble.help("the verifier's answer changes from run to run; try another --solver-seed")
        }
        _ => trouble,
    }
}
