//! `mugie minimise`: what is left of a failing mutant without what does not matter.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::Args;
use mugie_campaign::minimise::{
    Ending, Event, Minimal, MinimiseError, Minimised, Oracle, Pair, Runners, Settings, Start,
    minimise,
};
use mugie_campaign::naming::Naming;
use mugie_operators::{Closure, Defect, Generator, Mutant, Subject, Weights, hex};
use mugie_verifiers::Verifier;

use super::campaign::CampaignArgs;
use super::test::{self, LimitArgs, VerifierArgs};
use crate::cli::{Exit, ReadingArgs};
use crate::interrupt::{self, Leftovers};
pub(crate) use crate::kept::RECORD;
use crate::kept::{Kept, Question, Record};
use crate::load::{Loaded, Reading};
use crate::output::{self, Broken};
use crate::progress::MinimiseMeter;
use crate::report::{Style, Trouble, plural};
use crate::seeds::load_seed;
use crate::stored::{self, Subjects, not_again};
use crate::wanted::Wanted;
use crate::{cache, speed};
use crate::{parallel, read, seeds};

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
    #[arg(long, value_name = "RUNS", value_parser = test::at_least_one, default_value = "400", help_heading = "Search")]
    budget: NonZeroUsize,

    /// Spend at most so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = test::seconds, help_heading = "Search")]
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

    /// The folder of the cache [default: `$MUGIE_CACHE`, or `mugie` in the user's cache folder]
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache", help_heading = "Running")]
    cache: Option<PathBuf>,

    /// Run everything anew, and keep no verdicts
    #[arg(long, help_heading = "Running")]
    no_cache: bool,

    /// How many runs at once [default: the number of cores]
    #[arg(short, long, value_name = "N", value_parser = test::at_least_one, help_heading = "Running")]
    jobs: Option<NonZeroUsize>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Mutant")]
struct NumberedArgs {
    /// Take the mutant of this number, which the seed has with these operators and --seed
    #[arg(long, value_name = "N", value_parser = test::at_least_one, conflicts_with = "campaign")]
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
  2  could not run: the mutant does not fail, no verifier, wrong usage; or interrupted, and the
     best pair so far is kept
  3  the seed does not verify as it is";

/// Lines of a difference that are shown.
const MAX_DIFF: usize = 40;

/// What runs are made with.
struct Tools<'a> {
    verifier: &'a Verifier,
    oracle: &'a dyn Oracle,
}

impl Minimise {
    /// Makes the mutant small.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        parallel::alone(|| self.run_deep(style))?
    }

    /// On a stack that is deep enough for any seed.
    fn run_deep(&self, style: &Style) -> Result<Exit, Broken> {
        let interrupted = output::note_interrupts()?;
        let registry = test::registry(&interrupted)?;
        let (failing, wanted) = self.campaign.find(&self.file)?.unzip();
        let wanted = wanted.unwrap_or_else(|| Wanted::new(&self.verifier, &self.limits));
        let verifier = wanted.resolve(&registry)?;
        let subjects = match failing {
            Some(failing) => failing.open(style, self.from.as_deref())?,
            None => self.subjects(style, &verifier)?,
        };
        let pair = Pair::new(&subjects.loaded.program, subjects.loaded.options, &subjects.edits)
            .map_err(|error| not_again(&subjects.name, &error.to_string()))?;
        let cache = cache::open(style, self.cache.as_deref(), self.no_cache);
        let supervisor = speed::supervisor([&verifier], false);
        let leftovers = Leftovers::default();
        let words = "the best pair so far is kept; the same command goes on from it".to_owned();
        interrupt::watch(&supervisor, &leftovers, words)?;
        if interrupted.load(Ordering::Relaxed) {
            supervisor.cancel();
        }
        let Wanted { limits, confirm, .. } = wanted;
        let runners = Runners::new(&verifier, &supervisor, limits, confirm, cache.as_ref())
            .map_err(|error| test::no_folder(&error))?;
        leftovers.add(runners.folder());
        let tools = Tools { verifier: &verifier, oracle: &runners };
        let exit = self.search(style, &subjects, pair, &tools);
        cache::report(style, cache.as_ref());
        exit
    }

    /// The mutant that is meant, and its seed.
    fn subjects(&self, style: &Style, verifier: &Verifier) -> Result<Subjects, Trouble> {
        let reading = seeds::reading_for(Reading::from(&self.reading), verifier);
        let Some(number) = self.numbered.mutant else {
            return stored::open(style, reading, &self.file, self.from.as_deref());
        };
        let loaded = load_seed(style, &self.file, reading)?;
        let mutant = self.numbered.make(&Subject::new(&loaded.program), number.get())?;
        let naming = Naming::new(&self.file, 0);
        Ok(Subjects {
            name: naming.name(number.get()),
            source: read::name(&self.file),
            loaded,
            edits: mutant.edits,
        })
    }

    /// Searches, from the start or from where an earlier search was.
    fn search(
        &self,
        style: &Style,
        subjects: &Subjects,
        pair: Pair,
        tools: &Tools<'_>,
    ) -> Result<Exit, Broken> {
        let question = Question {
            seed: subjects.source.clone(),
            seed_hash: hex(&pair.seed().hash()),
            mutant: subjects.name.clone(),
            edits: subjects.edits.clone(),
            any_failure: self.any_failure,
            verifier: test::info(tools.verifier),
        };
        let usual = || format!("{}.min", plain(&subjects.name)).into();
        let out = self.out.clone().unwrap_or_else(usual);
        let (kept, earlier) = Kept::open(&out, &question, self.force)?;
        let mut start = Start::new(pair);
        if let Some(record) = earlier {
            if !record.is_unfinished(self.budget.get()) {
                output::talk("this was found before; `--force` searches anew\n");
                let small = again(&subjects.loaded, &record);
                return self.answer(&record, small.as_ref(), &out);
            }
            if let Some(pair) = again(&subjects.loaded, &record) {
                let (lines, runs) = (record.minimal.lines, record.minimal.runs);
                let runs_word = plural(runs, "run");
                output::talk(&format!("goes on at {lines} lines, after {runs} {runs_word}\n"));
                kept.write(&record)?;
                let resumed = record.minimal.resume(pair);
                match self.minimised(resumed, tools, &question, &kept) {
                    Ok(found) => return self.finish(&found?, &question, &kept, &out),
                    Err(MinimiseError::Interrupted) => return Ok(interrupted_early(style)),
                    Err(_) => output::talk("what was kept does not fail any more: starts anew\n"),
                }
            }
            start = Start::new(start.pair);
        }
        match self.minimised(start, tools, &question, &kept) {
            Ok(found) => self.finish(&found?, &question, &kept, &out),
            Err(MinimiseError::SeedFails(verdict)) => {
                let error = MinimiseError::SeedFails(verdict);
                let trouble = Trouble::new(format!("{}: {error}", subjects.source))
                    .help("make it verify first; there is nothing to compare its mutants with");
                output::talk(&style.trouble(&trouble));
                Ok(Exit::SeedFails)
            }
            Err(MinimiseError::Interrupted) => Ok(interrupted_early(style)),
            Err(error) => Err(unsuccessful(&subjects.name, &error).into()),
        }
    }

    /// Runs the search, and keeps what it finds on the way.
    fn minimised(
        &self,
        start: Start,
        tools: &Tools<'_>,
        question: &Question,
        kept: &Kept,
    ) -> Result<Result<Minimised, Broken>, MinimiseError> {
        let settings = Settings {
            runs: self.budget.get(),
            deadline: self.max_time.map(|time| Instant::now() + time),
            jobs: parallel::threads(self.jobs),
            any_failure: self.any_failure,
            program: !self.no_program,
        };
        let mut meter = MinimiseMeter::new();
        let mut written = Ok(());
        let found = minimise(start, tools.oracle, settings, &mut |symptom, event| match event {
            Event::Tick(progress) => meter.show(&progress),
            Event::Better(pair, progress) => {
                let minimal = Minimal::so_far(pair, symptom, progress);
                // A disk that is full now may not be at the end.
                written = kept.write(&Record::new(question, pair, minimal));
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
        question: &Question,
        kept: &Kept,
        out: &Path,
    ) -> Result<Exit, Broken> {
        let record = Record::new(question, &found.pair, found.minimal.clone());
        kept.write(&record)?;
        self.answer(&record, Some(&found.pair), out)
    }

    fn answer(&self, record: &Record, pair: Option<&Pair>, out: &Path) -> Result<Exit, Broken> {
        let text = if self.json { record.to_json()? } else { in_words(record, pair) };
        output::data(&text)?;
        output::talk(&format!("kept in {}\n", out.display()));
        Ok(match record.minimal.ending {
            Ending::Interrupted => Exit::CouldNot,
            Ending::Done | Ending::BudgetSpent => Exit::Fine,
        })
    }
}

impl NumberedArgs {
    /// The mutant of a number.
    fn make(&self, seed: &Subject, number: usize) -> Result<Mutant, Trouble> {
        let weights = Weights::parse(&self.operators).map_err(|error| {
            Trouble::new(error.to_string()).help("`mugie operators` lists them")
        })?;
        let mutant = if self.exhaustive {
            nth(Closure::new(seed, &weights, number), number)
        } else {
            let usual = || Generator::usual_attempts(number);
            let attempts = self.max_attempts.unwrap_or_else(usual);
            nth(Generator::new(seed, weights, self.seed, number, attempts), number)
        };
        mutant
            .ok_or_else(|| {
                Trouble::new(format!("there is no mutant {number} by these operators"))
                    .help("`mugie mutate` with the same options shows which there are")
            })?
            .map_err(|defect| Trouble::new(format!("a mutant went wrong: {defect}")))
    }
}

/// The mutant of a number, or the defect that ends the mutants.
fn nth(
    mut mutants: impl Iterator<Item = Result<Mutant, Defect>>,
    number: usize,
) -> Option<Result<Mutant, Defect>> {
    mutants.find(|mutant| mutant.as_ref().map_or(true, |mutant| mutant.number == number))
}

/// A name without what a shell or a file system reads in another way.
fn plain(name: &str) -> String {
    name.replace(['/', '*', '?', '\\', ' '], "_")
}

/// The small pair of a record.
fn again(loaded: &Loaded, record: &Record) -> Option<Pair> {
    let file = record.seed_files.first()?;
    let parsed = bpl_syntax::parse(&file.text, loaded.program.dialect);
    if !parsed.errors.is_empty() {
        return None;
    }
    Pair::new(&parsed.program, loaded.options, &record.minimal.edits).ok()
}

/// What was found, for people.
fn in_words(record: &Record, pair: Option<&Pair>) -> String {
    let Record { question, minimal, .. } = record;
    let Minimal { cause, symptom, edits, edits_before, lines, lines_before, runs, .. } = minimal;
    let mut text = format!("{} fails because of {}:\n  {cause}\n\n", question.mutant, {
        if edits.len() == 1 { "one change".to_owned() } else { format!("{} changes", edits.len()) }
    });
    let of_what = match (&symptom.procedure, symptom.stage) {
        (Some(procedure), _) => format!("procedure `{procedure}` {}", symptom.outcome),
        (None, Some(stage)) => format!("{} in its {stage} check", symptom.outcome),
        (None, None) => format!("{}", symptom.outcome),
    };
    let _ = writeln!(text, "  failure   {of_what}");
    let _ = writeln!(text, "  changes   {} of {edits_before}", edits.len());
    let percent = 100 * lines / (*lines_before).max(1);
    let _ = writeln!(text, "  program   {lines} of {lines_before} lines ({percent} %)");
    let ending = match minimal.ending {
        Ending::Done => "nothing smaller was found",
        Ending::BudgetSpent => "the budget is spent; --budget gives more",
        Ending::Interrupted => "interrupted; the same command goes on",
    };
    let _ = writeln!(text, "  search    {runs} {}: {ending}", plural(*runs, "run"));
    let confirmed =
        if minimal.confirmed { "by two more runs of either program" } else { "not yet" };
    let _ = writeln!(text, "  confirmed {confirmed}");
    if let Some(pair) = pair {
        let diff = pair.diff();
        text.push('\n');
        for line in diff.lines().take(MAX_DIFF) {
            let _ = writeln!(text, "  {line}");
        }
        if let Some(hidden @ 1..) = diff.lines().count().checked_sub(MAX_DIFF) {
            let _ = writeln!(text, "  and {hidden} more {}", plural(hidden, "line"));
        }
    }
    text
}

fn interrupted_early(style: &Style) -> Exit {
    let trouble = Trouble::new("interrupted before the failure was seen");
    output::talk(&style.trouble(&trouble.help("the same command starts again")));
    Exit::CouldNot
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
