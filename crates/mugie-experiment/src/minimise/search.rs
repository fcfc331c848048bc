//! The state of a search: the best pair so far, the budget, and how candidates are tried.
//!
//! Candidates are tried by several threads at once, but their results are used in order: the first candidate
//! that shows the failure wins, and results of later ones are dropped. So the result depends neither on the
//! number of threads nor on which run was faster.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mugie_core::reduce::{CandidateCheck, Make, Search};
use mugie_core::{Hash, Language, Outcome, Pair, Program, Symptom, Verdict, fails, files_of};
use mugie_exec::pool::{self, InOrderEvent};
use mugie_exec::{Executor, Request, TimeoutPolicy};
use mugie_results::SearchEnding;
use rustc_hash::FxHashSet;

use super::causes::other_edits;
use super::edits::with_edits;
use crate::seed::{MUTANT_FILE, SEED_FILE};

/// Verifier runs that confirm a pair: two of the seed and two of the mutant.
pub(super) const CONFIRMATION: usize = 4;

/// Settings of a search.
#[derive(Clone, Copy, Debug)]
pub struct SearchSettings {
    /// The budget in verifier runs. Cached verdicts count too, so a search that is resumed after an
    /// interruption ends where it would have ended without the interruption.
    pub runs: usize,
    /// When to stop, even if there are runs left.
    pub deadline: Option<Instant>,
    /// Whether any failure counts, instead of only the same failure.
    pub any_failure: bool,
    /// Whether to reduce the program as well as the edits.
    pub program: bool,
}

/// The progress of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchProgress {
    /// Edits at the start.
    pub edits_before: usize,
    /// Edits now.
    pub edits: usize,
    /// Lines of the seed at the start, without blank lines and comments.
    pub lines_before: usize,
    /// Lines now.
    pub lines: usize,
    /// Verifier runs spent.
    pub runs: usize,
}

/// Events of a running search.
#[derive(Debug)]
pub enum SearchEvent<'e> {
    /// The progress, several times a second.
    Tick(SearchProgress),
    /// A smaller pair was found.
    Better(&'e dyn Pair, SearchProgress),
}

/// The result of trying a candidate.
struct Attempt {
    index: usize,
    /// Verifier runs spent on the candidate.
    runs: usize,
    /// The hashes of the candidate's seed and mutant, if the candidate could be made.
    key: Option<(Hash, Hash)>,
    /// Whether the seed verified, but the mutant did not fail.
    is_half: bool,
    /// The candidate and its longest processor time, if it shows the failure.
    accepted: Option<(Arc<dyn Pair>, Duration)>,
    is_cancelled: bool,
}

/// Verifier runs that may be spent in a row on replacing the edits of a pair without success. Raising it
/// finds smaller pairs and takes longer.
pub(super) const RETRY_BUDGET: usize = 24;

/// Where verdicts come from: an executor, and the language of the programs.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    /// The executor that verifies programs.
    pub executor: &'a dyn Executor,
    /// The language of the programs.
    pub language: &'static dyn Language,
}

/// A verdict and its cost.
pub(super) struct TimedVerdict {
    pub(super) verdict: Verdict,
    /// The processor time of the longest run.
    pub(super) time: Duration,
}

impl Asking<'_> {
    /// Verifies a program; `None` if the search is cancelled.
    fn ask(
        &self,
        program: &dyn Program,
        name: &str,
        timeouts: TimeoutPolicy,
    ) -> Option<TimedVerdict> {
        let files = files_of(program, name, self.language.extension());
        let request = Request { timeouts, ..Request::new(self.language.id(), files) };
        let settled = self.executor.settle(request)?.of_goals(&program.instances());
        Some(TimedVerdict { time: settled.longest(), verdict: settled.verdict })
    }

    /// Verifies the seed of a pair; `None` if the search is cancelled.
    pub(super) fn ask_seed(
        &self,
        pair: &dyn Pair,
        timeouts: TimeoutPolicy,
    ) -> Option<TimedVerdict> {
        self.ask(pair.seed(), SEED_FILE, timeouts)
    }

    /// Verifies the mutant of a pair; `None` if the search is cancelled.
    pub(super) fn ask_mutant(
        &self,
        pair: &dyn Pair,
        timeouts: TimeoutPolicy,
    ) -> Option<TimedVerdict> {
        self.ask(pair.mutant(), MUTANT_FILE, timeouts)
    }
}

/// A search under way.
pub(super) struct PairSearch<'a> {
    pub(super) asking: Asking<'a>,
    pub(super) settings: SearchSettings,
    pub(super) symptom: Symptom,
    /// All pairs that were the best so far; the last one still is.
    pub(super) history: Vec<Arc<dyn Pair>>,
    /// Hashes of seed and mutant of the pairs that do not show the failure.
    pub(super) refuted: FxHashSet<(Hash, Hash)>,
    /// Of the candidates tried last, those whose seed verified and whose mutant did not fail.
    pub(super) half_refuted: Vec<usize>,
    /// Verifier runs that may be spent on replacing edits before the next success.
    pub(super) retries_left: usize,
    /// The longest processor time of the best pair's runs, timeouts not counted.
    pub(super) usual: Duration,
    /// Whether a timeout is looked for with a lowered time limit.
    pub(super) is_lowered: bool,
    /// How many pairs of the history are known to fail without a lowered limit.
    pub(super) confirmed: usize,
    /// The progress at the start.
    pub(super) start: SearchProgress,
    /// Verifier runs spent.
    pub(super) runs: usize,
    /// Verifier runs after which the search ends, without those that confirm the result.
    pub(super) limit: usize,
    pub(super) is_interrupted: bool,
    pub(super) each: &'a mut dyn FnMut(SearchEvent<'_>),
}

impl PairSearch<'_> {
    /// The best pair so far.
    pub(super) fn best(&self) -> &Arc<dyn Pair> {
        self.history.last().unwrap_or_else(|| unreachable!("a search starts with a pair"))
    }

    /// The progress so far.
    pub(super) fn progress(&self) -> SearchProgress {
        SearchProgress {
            edits: self.best().edits().len(),
            lines: self.best().lines(),
            runs: self.runs,
            ..self.start
        }
    }

    /// Whether the budget is spent or the search was interrupted.
    fn is_spent(&self) -> bool {
        self.is_interrupted || self.is_late() || self.runs >= self.limit
    }

    fn is_late(&self) -> bool {
        self.settings.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Why the search ended.
    pub(super) fn ending(&self) -> SearchEnding {
        if self.is_interrupted {
            SearchEnding::Interrupted
        } else if self.is_spent() {
            SearchEnding::BudgetSpent
        } else {
            SearchEnding::Done
        }
    }

    /// Tries candidates in order, at least up to the first that shows the failure or up to the end of the
    /// budget.
    fn try_all(
        &mut self,
        number: usize,
        question: CandidateCheck,
        make: &(dyn Fn(usize) -> Option<Arc<dyn Pair>> + Sync),
    ) -> io::Result<Vec<Attempt>> {
        let symptom = self.symptom.clone();
        let judge = Judge {
            asking: self.asking,
            symptom: &symptom,
            usual: self.usual,
            is_lowered: self.is_lowered,
            any_failure: self.settings.any_failure,
        };
        let spent = AtomicUsize::new(0);
        let (left, deadline) = (self.limit - self.runs, self.settings.deadline);
        // A lower bound of the runs spent on the candidates before this one.
        let is_left = |_: &usize| {
            spent.load(Ordering::SeqCst) < left
                && deadline.is_none_or(|deadline| Instant::now() < deadline)
        };
        let try_one = |index: usize| {
            let tried = match make(index) {
                None => Attempt {
                    index,
                    runs: 0,
                    key: None,
                    is_half: false,
                    accepted: None,
                    is_cancelled: false,
                },
                Some(pair) => judge.try_pair(index, pair, question),
            };
            spent.fetch_add(tried.runs, Ordering::SeqCst);
            let is_end = tried.accepted.is_some() || tried.is_cancelled;
            (tried, if is_end { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        let before = self.progress();
        let threads = self.asking.executor.capacity().min(number);
        let mut tried = Vec::new();
        pool::in_order((0..number).take_while(is_left), threads, try_one, |event| {
            if let InOrderEvent::Done(one) = event {
                tried.push(one);
            }
            let runs = before.runs + spent.load(Ordering::SeqCst);
            (self.each)(SearchEvent::Tick(SearchProgress { runs, ..before }));
        })?;
        Ok(tried)
    }

    /// Whether the mutant of a pair fails, without making the pair the best one; `None` if the search is
    /// over.
    pub(super) fn probe(&mut self, pair: &dyn Pair) -> Option<bool> {
        if self.is_spent() {
            return None;
        }
        let fails = self.judge().mutant_fails(pair, None);
        self.runs += 1;
        self.is_interrupted |= fails.is_none();
        let progress = self.progress();
        (self.each)(SearchEvent::Tick(progress));
        Some(fails?.is_some())
    }

    fn judge(&self) -> Judge<'_> {
        let PairSearch { asking, symptom, usual, is_lowered, .. } = self;
        let (usual, is_lowered, any_failure) = (*usual, *is_lowered, self.settings.any_failure);
        Judge { asking: *asking, symptom, usual, is_lowered, any_failure }
    }

    /// Checks whether the best pair also fails without a lowered limit, if that is not yet known. If it does
    /// not, the limit was too low: goes back to the last pair that is known to fail, and lowers the limit no
    /// more. Returns whether that happened.
    pub(super) fn ask_without_lowered_limit(&mut self) -> bool {
        if !self.is_lowered || self.is_interrupted || self.confirmed == self.history.len() {
            return false;
        }
        self.runs += 1;
        match self.judge().mutant_fails(&**self.best(), Some(TimeoutPolicy::Usual)) {
            None => self.is_interrupted = true,
            Some(Some(_)) => self.confirmed = self.history.len(),
            Some(None) => {
                self.is_lowered = false;
                self.history.truncate(self.confirmed);
                let progress = self.progress();
                if let Some(best) = self.history.last() {
                    (self.each)(SearchEvent::Better(&**best, progress));
                }
                return true;
            }
        }
        false
    }

    /// Looks for the last pair that shows the failure in fresh runs, and makes it the best one. Returns
    /// whether such a pair exists.
    pub(super) fn confirm(&mut self) -> bool {
        let mut back = 1;
        while !self.history.is_empty() {
            let progress = self.progress();
            (self.each)(SearchEvent::Tick(progress));
            match self.is_confirmed() {
                None => {
                    self.is_interrupted = true;
                    return false;
                }
                Some(true) => return true,
                Some(false) => {}
            }
            if self.history.len() == 1 {
                return false;
            }
            let left = self.history.len().saturating_sub(back).max(1);
            self.history.truncate(left);
            back *= 2;
        }
        false
    }

    /// Whether the best pair shows the failure in each of two fresh runs; `None` if interrupted.
    fn is_confirmed(&mut self) -> Option<bool> {
        for _ in 0..CONFIRMATION / 2 {
            self.runs += 2;
            let (judge, pair) = (self.judge(), &**self.best());
            let is_shown = judge.seed_verifies(pair, TimeoutPolicy::Fresh)?.is_some()
                && judge.mutant_fails(pair, Some(TimeoutPolicy::Fresh))?.is_some();
            if !is_shown {
                return Some(false);
            }
        }
        Some(true)
    }
}

impl Search for PairSearch<'_> {
    fn best(&self) -> Arc<dyn Pair> {
        Arc::clone(PairSearch::best(self))
    }

    fn goal(&self) -> Option<&str> {
        self.symptom.procedure.as_deref()
    }

    fn outcome(&self) -> Outcome {
        self.symptom.outcome
    }

    fn is_over(&self) -> bool {
        self.is_spent()
    }

    fn first(
        &mut self,
        number: usize,
        question: CandidateCheck,
        make: Make<'_>,
    ) -> io::Result<Option<usize>> {
        self.half_refuted.clear();
        if number == 0 || self.is_spent() {
            return Ok(None);
        }
        let refuted = std::mem::take(&mut self.refuted);
        let make = |index: usize| make(index).filter(|pair| !refuted.contains(&key(&**pair)));
        let tried = self.try_all(number, question, &make);
        self.refuted = refuted;
        let mut found = None;
        for tried in tried? {
            if self.runs >= self.limit {
                break;
            }
            self.runs += tried.runs;
            self.is_interrupted |= tried.is_cancelled;
            if let Some((pair, time)) = tried.accepted {
                found = Some((tried.index, pair, time));
                break;
            }
            if !tried.is_cancelled {
                self.refuted.extend(tried.key);
            }
            self.half_refuted.extend(tried.is_half.then_some(tried.index));
        }
        let Some((index, pair, time)) = found else { return Ok(None) };
        // The seed did not run this time, so its earlier time may still be the longer one.
        self.usual = if question == CandidateCheck::Mutant { self.usual.max(time) } else { time };
        self.history.push(pair);
        let progress = self.progress();
        if let Some(best) = self.history.last() {
            (self.each)(SearchEvent::Better(&**best, progress));
        }
        Ok(Some(index))
    }

    fn first_with_luck(&mut self, number: usize, make: Make<'_>) -> io::Result<bool> {
        if self.first(number, CandidateCheck::SeedFirst, make)?.is_some() {
            return Ok(true);
        }
        let limit = self.limit;
        for index in std::mem::take(&mut self.half_refuted) {
            let Some(small) = make(index) else { continue };
            let others = other_edits(&*small, self.asking.language);
            let other = |index: usize| with_edits(&*small, std::slice::from_ref(&others[index]));
            let before = self.runs;
            self.limit = limit.min(before + self.retries_left);
            let found = self.first(others.len(), CandidateCheck::Mutant, &other);
            self.limit = limit;
            self.retries_left = self.retries_left.saturating_sub(self.runs - before);
            if found?.is_some() {
                self.retries_left = RETRY_BUDGET;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn find_nearer_swap(&mut self) -> io::Result<()> {
        self.swap_nearer()
    }

    fn settle_time_limit(&mut self) -> bool {
        self.ask_without_lowered_limit()
    }
}

/// Identifies a pair.
fn key(pair: &dyn Pair) -> (Hash, Hash) {
    (pair.seed().hash(), pair.mutant().hash())
}

/// Decides whether a candidate shows the failure.
struct Judge<'a> {
    asking: Asking<'a>,
    symptom: &'a Symptom,
    /// The usual processor time of a run.
    usual: Duration,
    is_lowered: bool,
    any_failure: bool,
}

/// `Some(cpu_time)` if the run gave the expected verdict (zero if that is a timeout), `None` otherwise.
type Shown = Option<Duration>;

impl Judge<'_> {
    fn try_pair(&self, index: usize, pair: Arc<dyn Pair>, question: CandidateCheck) -> Attempt {
        // A seed that takes much longer than before does not count as verified.
        let seed = || self.seed_verifies(&*pair, TimeoutPolicy::Quick(self.usual));
        let mutant = || self.mutant_fails(&*pair, None);
        let both = |first: Shown, second: &dyn Fn() -> Option<Shown>| match first {
            Some(time) => (2, second().map(|shown| Some(time.max(shown?)))),
            None => (1, Some(None)),
        };
        let (runs, shown) = match question {
            CandidateCheck::Mutant => (1, mutant()),
            CandidateCheck::SeedFirst => seed().map_or((1, None), |shown| both(shown, &mutant)),
            CandidateCheck::MutantFirst => mutant().map_or((1, None), |shown| both(shown, &seed)),
        };
        let (key, is_cancelled) = (Some(key(&*pair)), shown.is_none());
        let is_half = question == CandidateCheck::SeedFirst && runs == 2 && shown == Some(None);
        let accepted = shown.flatten().map(|time| (pair, time));
        Attempt { index, runs, key, is_half, accepted, is_cancelled }
    }

    fn seed_verifies(&self, pair: &dyn Pair, timeouts: TimeoutPolicy) -> Option<Shown> {
        let TimedVerdict { verdict, time } = self.asking.ask_seed(pair, timeouts)?;
        let verifies = verdict.outcome == Outcome::Verified
            && (self.any_failure || self.symptom.is_absent(&verdict));
        Some(verifies.then_some(time))
    }

    /// Whether the mutant fails. Without a given policy, the full time limit applies only if a timeout may be
    /// the failure.
    fn mutant_fails(&self, pair: &dyn Pair, timeouts: Option<TimeoutPolicy>) -> Option<Shown> {
        let may_time_out = self.any_failure || self.symptom.outcome.depends_on_machine();
        let usual = match may_time_out {
            true if self.is_lowered => TimeoutPolicy::Lowered(self.usual),
            true => TimeoutPolicy::Usual,
            false => TimeoutPolicy::Quick(self.usual),
        };
        let TimedVerdict { verdict, time } =
            self.asking.ask_mutant(pair, timeouts.unwrap_or(usual))?;
        let is_same = || self.symptom.shows(&verdict, pair.mutant(), pair.seed());
        let fails = if self.any_failure { fails(&verdict) } else { is_same() };
        let time = if verdict.depends_on_machine() { Duration::ZERO } else { time };
        Some(fails.then_some(time))
    }
}
