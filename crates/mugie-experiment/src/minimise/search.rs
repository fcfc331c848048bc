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
use mugie_core::{GoalNames, Hash, Language, Outcome, Pair, Program, Symptom, Verdict, files_of};
use mugie_exec::pool::{self, InOrderEvent};
use mugie_exec::{Executor, Request, TimeoutPolicy};
use mugie_results::SearchEnding;
use rustc_hash::FxHashSet;

use super::causes::other_edits;
use super::edits::with_edits;
use super::judge::{Accepted, Attempt, Judge};
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
    /// The share of a pair's neighbours that must fail as well, in percent, so that no pair fails by luck; or that
    /// of the first pair, if it is less. Without effect in languages without neighbours.
    pub neighbours: usize,
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
        names: &GoalNames,
    ) -> Option<TimedVerdict> {
        let files = files_of(program, name, self.language.extension());
        let request = Request { timeouts, ..Request::new(self.language.id(), files) };
        let settled = self.executor.settle(request)?.of_goals(&program.instances());
        let (time, mut verdict) = (settled.longest(), settled.verdict);
        if !names.is_empty() {
            for goal in &mut verdict.procedures {
                goal.name = names.in_seed(&goal.name).to_owned();
            }
        }
        Some(TimedVerdict { verdict, time })
    }

    /// Verifies the seed of a pair; `None` if the search is cancelled.
    pub(super) fn ask_seed(
        &self,
        pair: &dyn Pair,
        timeouts: TimeoutPolicy,
    ) -> Option<TimedVerdict> {
        self.ask(pair.seed(), SEED_FILE, timeouts, &pair.goal_names())
    }

    /// Verifies the mutant of a pair; `None` if the search is cancelled.
    pub(super) fn ask_mutant(
        &self,
        pair: &dyn Pair,
        timeouts: TimeoutPolicy,
    ) -> Option<TimedVerdict> {
        self.ask(pair.mutant(), MUTANT_FILE, timeouts, &pair.goal_names())
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
    /// The verdict on the seed that the search started with.
    pub(super) first: Verdict,
    /// The verdict on the best pair's seed.
    pub(super) of_seed: Verdict,
    /// How many of [`NEIGHBOURS`] must show the failure as well.
    pub(super) needed: usize,
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

    pub(super) fn is_late(&self) -> bool {
        self.settings.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Why the search ended.
    pub(super) fn ending(&self) -> SearchEnding {
        if self.is_interrupted {
            SearchEnding::Interrupted
        } else if self.runs >= self.limit {
            SearchEnding::BudgetSpent
        } else if self.is_late() {
            SearchEnding::TimeSpent
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
        // Events go to a closure that is a part of the search, so the judge has copies.
        let (symptom, first, of_seed) =
            (self.symptom.clone(), self.first.clone(), self.of_seed.clone());
        let judge = Judge {
            asking: self.asking,
            symptom: &symptom,
            first: &first,
            of_seed: &of_seed,
            usual: self.usual,
            is_lowered: self.is_lowered,
            any_failure: self.settings.any_failure,
            needed: self.needed,
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
                None => Attempt::none(index),
                Some(pair) => {
                    let key = key(&*pair);
                    judge.try_pair(index, pair, key, question)
                }
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

    pub(super) fn judge(&self) -> Judge<'_> {
        let PairSearch { asking, symptom, first, of_seed, usual, is_lowered, needed, .. } = self;
        Judge {
            asking: *asking,
            symptom,
            first,
            of_seed,
            usual: *usual,
            is_lowered: *is_lowered,
            any_failure: self.settings.any_failure,
            needed: *needed,
        }
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
            if !self.go_back(&mut back) {
                return false;
            }
        }
        false
    }

    /// Goes back in the history, farther each time; `false` if there is nothing earlier.
    pub(super) fn go_back(&mut self, steps: &mut usize) -> bool {
        if self.history.len() == 1 {
            return false;
        }
        let left = self.history.len().saturating_sub(*steps).max(1);
        self.history.truncate(left);
        *steps *= 2;
        true
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

    fn work(&self) -> Option<u64> {
        self.of_seed.procedures.iter().filter_map(|goal| goal.resources).max()
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
            if let Some(accepted) = tried.accepted {
                found = Some((tried.index, accepted));
                break;
            }
            if !tried.is_cancelled {
                self.refuted.extend(tried.key);
            }
            self.half_refuted.extend(tried.is_half.then_some(tried.index));
        }
        let Some((index, Accepted { pair, time, of_seed })) = found else { return Ok(None) };
        if let Some(of_seed) = of_seed {
            self.of_seed = of_seed;
        }
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
