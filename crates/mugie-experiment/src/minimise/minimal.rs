//! The whole search and its result.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use mugie_core::{Edit, Outcome, Pair, Place, Program, Symptom, Verdict};
use mugie_exec::TimeoutPolicy;
use mugie_results::{Minimal, Neighbours, SearchEnding};
use rustc_hash::FxHashSet;

use super::causes::SHARE;
use super::judge::{Count, NEIGHBOURS};
use super::search::{
    Asking, CONFIRMATION, PairSearch, RETRY_BUDGET, SearchEvent, SearchProgress, SearchSettings,
    TimedVerdict,
};

/// The number of neighbours of the result that are counted. Raising it makes the count more precise and takes longer.
const COUNTED: usize = 20;

/// Counting them may take 1/`SHARE_OF_COUNT` of the budget.
const SHARE_OF_COUNT: usize = 4;

/// Where a search starts.
#[derive(Clone, Debug)]
pub struct Start {
    /// The original pair, or the pair where an earlier search stopped.
    pub pair: Arc<dyn Pair>,
    /// How the mutant fails, if an earlier search found out.
    pub symptom: Option<Symptom>,
    /// The progress of the earlier search.
    pub progress: SearchProgress,
}

impl Start {
    /// Starts a new search.
    pub fn new(pair: Arc<dyn Pair>) -> Start {
        let (edits, lines) = (pair.edits().len(), pair.lines());
        let progress =
            SearchProgress { edits_before: edits, edits, lines_before: lines, lines, runs: 0 };
        Start { pair, symptom: None, progress }
    }

    /// Resumes a search that was interrupted at this pair.
    pub fn resume(minimal: &Minimal, pair: Arc<dyn Pair>) -> Start {
        let progress = SearchProgress {
            edits_before: minimal.edits_before,
            edits: minimal.edits.len(),
            lines_before: minimal.lines_before,
            lines: minimal.lines,
            runs: minimal.runs,
        };
        Start { pair, symptom: Some(minimal.symptom.clone()), progress }
    }
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Minimised {
    /// The smallest pair.
    pub pair: Arc<dyn Pair>,
    /// The record of the search: cause, symptom, sizes and runs.
    pub minimal: Minimal,
}

/// The record of a search that is still under way.
pub fn so_far(pair: &dyn Pair, symptom: &Symptom, progress: SearchProgress) -> Minimal {
    Minimal {
        cause: cause(pair.seed(), &pair.edits()),
        symptom: in_pair(symptom, pair),
        edits: pair.edits(),
        edits_before: progress.edits_before,
        lines: pair.lines(),
        lines_before: progress.lines_before,
        runs: progress.runs,
        ending: SearchEnding::Interrupted,
        confirmed: false,
        neighbours: None,
    }
}

/// A symptom of the first pair, with the names of another.
fn in_pair(symptom: &Symptom, pair: &dyn Pair) -> Symptom {
    let names = pair.goal_names();
    let procedure = symptom.procedure.as_ref().map(|name| names.in_mutant(name).to_owned());
    Symptom { procedure, ..symptom.clone() }
}

/// Why a search has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MinimiseError {
    /// The seed does not verify.
    #[error("the seed does not verify: {}", reason(.0))]
    SeedFails(Box<Verdict>),
    /// The mutant does not fail.
    #[error("the mutant does not fail: {}", reason(.0))]
    MutantVerifies(Box<Verdict>),
    /// The verifier crashed or had another problem on the seed or on the mutant.
    #[error("no verdict on {program}: {}", reason(.verdict))]
    Trouble {
        /// "the seed" or "the mutant".
        program: &'static str,
        /// The verdict without evidence.
        verdict: Box<Verdict>,
    },
    /// The failure did not recur in fresh runs.
    #[error("the failure does not recur in fresh runs, so the mutant alone does not cause it")]
    Unsteady,
    /// The search was interrupted before the failure was seen.
    #[error("interrupted before the failure was seen")]
    Interrupted,
    /// A thread could not be started.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] io::Error),
}

fn reason(verdict: &Verdict) -> &str {
    verdict.reason.as_deref().unwrap_or(verdict.outcome.words())
}

/// Looks for the smallest pair that fails in the same way as the given one. Calls `each` in this
/// thread with every event; the symptom is known from the first call on.
///
/// The returned pair showed the failure in two fresh runs of seed and mutant, unless the search was
/// interrupted: then [`Minimal::confirmed`] says whether it did.
pub fn minimise(
    start: Start,
    asking: Asking<'_>,
    settings: SearchSettings,
    each: &mut dyn FnMut(&Symptom, SearchEvent<'_>),
) -> Result<Minimised, MinimiseError> {
    let Start { pair, symptom, mut progress } = start;
    let is_new = symptom.is_none();
    let Examined { symptom: found, of_seed, usual } = examine(&*pair, &asking)?;
    if is_new {
        progress.runs += 2;
    }
    let symptom = symptom.unwrap_or(found);
    let has_neighbours = settings.neighbours > 0 && pair.neighbour(0).is_some();
    let counted = if has_neighbours { settings.runs / SHARE_OF_COUNT } else { 0 };
    let counted = counted.min(2 * COUNTED);
    let mut search = PairSearch {
        asking,
        settings,
        symptom: symptom.clone(),
        history: vec![pair],
        refuted: FxHashSet::default(),
        half_refuted: Vec::new(),
        // A verifier rejects a program or not, whatever the edit: replacing edits would be wasted.
        retries_left: if symptom.outcome == Outcome::Rejected { 0 } else { RETRY_BUDGET },
        usual,
        // Only a time limit can be lowered: with less memory, say, the failure may be another one.
        is_lowered: symptom.outcome == Outcome::TimedOut,
        first: of_seed.clone(),
        of_seed,
        needed: 0,
        confirmed: 1,
        start: progress,
        runs: progress.runs,
        limit: settings.runs.saturating_sub(CONFIRMATION + counted),
        is_interrupted: false,
        each: &mut |event| each(&symptom, event),
    };
    let at_start = if has_neighbours { search.ask_for_neighbours() } else { None };
    search.run()?;
    if search.ask_without_lowered_limit() {
        search.run()?;
    }
    let ending = search.ending();
    let mut back = 1;
    let (confirmed, neighbours) = loop {
        let confirmed = !search.is_interrupted && search.confirm();
        if !confirmed && !search.is_interrupted {
            return Err(MinimiseError::Unsteady);
        }
        let neighbours = at_start.and_then(|at_start| search.count_at_end(at_start, counted / 2));
        // More neighbours may tell that the failure of the pair is luck; then an earlier one may do.
        if neighbours.is_none_or(|it| it.are_enough()) || !search.go_back(&mut back) {
            break (confirmed, neighbours);
        }
    };
    let ending = if search.is_interrupted { SearchEnding::Interrupted } else { ending };
    let (progress, symptom) = (search.progress(), search.symptom.clone());
    let pair = search.history.pop().unwrap_or_else(|| unreachable!("a search keeps a pair"));
    let minimal = Minimal { ending, confirmed, neighbours, ..so_far(&*pair, &symptom, progress) };
    Ok(Minimised { pair, minimal })
}

impl PairSearch<'_> {
    /// Applies everything that makes a pair smaller.
    fn run(&mut self) -> io::Result<()> {
        self.minimise_edits()?;
        self.spell_out();
        self.find_causes()?;
        let is_strong = self.best().edits().iter().any(|edit| edit.place.listed() > 0);
        if !self.settings.program {
            self.take_apart()?;
            // What is left of a shuffle may be farther apart than needed.
            return if is_strong { self.swap_nearer() } else { Ok(()) };
        }
        // An edit at many places mostly fails on a smaller program as well; what is left of it at one place fails only
        // if everything else is as it was. So the program is reduced first, with some runs left for the edit.
        let limit = self.limit;
        if is_strong {
            self.limit -= limit.saturating_sub(self.runs) / SHARE;
        }
        let reduced = self.reduce();
        self.limit = limit;
        reduced?;
        // A smaller program leaves runs to try more causes.
        let edits = self.best().edits();
        self.take_apart()?;
        self.find_causes()?;
        if self.best().edits() != edits {
            self.reduce()?;
        }
        Ok(())
    }

    /// Counts how many neighbours of the first pair fail, and asks the same of every pair from now on, or more than the
    /// share that the settings ask for, if that is less. `None` if interrupted.
    fn ask_for_neighbours(&mut self) -> Option<Count> {
        let count = self.judge().count_neighbours(&**self.best(), NEIGHBOURS, None);
        let Some(count) = count else {
            self.is_interrupted = true;
            return None;
        };
        self.runs += count.runs;
        let more = NEIGHBOURS * self.settings.neighbours / 100 + 1;
        self.needed = more.min(NEIGHBOURS).min(count.failing);
        Some(count)
    }

    /// Counts how many of more neighbours of the result fail. `None` if interrupted.
    fn count_at_end(&mut self, at_start: Count, number: usize) -> Option<Neighbours> {
        if self.is_interrupted {
            return None;
        }
        // When time is up, a few have to do.
        let number = if self.is_late() { number.min(NEIGHBOURS) } else { number }.max(1);
        let count = self.judge().count_neighbours(&**self.best(), number, None)?;
        self.runs += count.runs;
        Some(Neighbours {
            failing: count.failing,
            of: count.of,
            failing_before: at_start.failing,
            of_before: at_start.of,
            asked: self.settings.neighbours,
        })
    }

    /// Reduces the program, if the language has a reducer.
    fn reduce(&mut self) -> io::Result<()> {
        match self.asking.language.reducer() {
            Some(reducer) => reducer.reduce(self),
            None => self.swap_nearer(),
        }
    }
}

/// The verdicts on the first pair.
struct Examined {
    symptom: Symptom,
    of_seed: Verdict,
    /// The longer processor time of the two programs, timeouts not counted.
    usual: Duration,
}

fn examine(pair: &dyn Pair, asking: &Asking<'_>) -> Result<Examined, MinimiseError> {
    let check = |answer: Option<TimedVerdict>, program: &'static str| {
        let answer = answer.ok_or(MinimiseError::Interrupted)?;
        if answer.verdict.outcome.is_evidence() {
            return Ok(answer);
        }
        Err(MinimiseError::Trouble { program, verdict: Box::new(answer.verdict) })
    };
    let TimedVerdict { verdict: of_seed, time: seed_time } =
        check(asking.ask_seed(pair, TimeoutPolicy::Usual), "the seed")?;
    if of_seed.outcome != Outcome::Verified {
        return Err(MinimiseError::SeedFails(Box::new(of_seed)));
    }
    let TimedVerdict { verdict, time } =
        check(asking.ask_mutant(pair, TimeoutPolicy::Usual), "the mutant")?;
    match Symptom::new(&verdict, pair.mutant(), pair.seed()) {
        Some(symptom) => {
            let is_time_known = !verdict.depends_on_machine();
            let usual = if is_time_known { seed_time.max(time) } else { seed_time };
            Ok(Examined { symptom, of_seed, usual })
        }
        None => Err(MinimiseError::MutantVerifies(Box::new(verdict))),
    }
}

/// Describes what the edits do to the seed. A swap of two declarations is described by the
/// resulting order.
pub fn cause(seed: &dyn Program, edits: &[Edit]) -> String {
    let words = |edit: &Edit| {
        let order = match &edit.place {
            Place::Swap { swap: (first, second) } => {
                let position = |id| seed.unit(id);
                position(first).zip(position(second))
            }
            _ => None,
        };
        match order {
            Some((first, second)) => in_order(seed, first.min(second), first.max(second)),
            None => edit.words.clone(),
        }
    };
    edits.iter().map(words).collect::<Vec<_>>().join("; ")
}

fn in_order(seed: &dyn Program, earlier: usize, later: usize) -> String {
    format!("{} before {}", seed.describe_fully(later), seed.describe_fully(earlier))
}
