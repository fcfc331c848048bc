//! The state of a search: the best pair so far, the budget, and how candidates are tried.
//!
//! Candidates are tried by several threads at once, but taken up in their order: the first one
//! that shows the failure wins, and what was tried beyond it is forgotten. So the result does not
//! depend on the number of threads, nor on which run was faster.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mugie_core::reduce::{CandidateCheck, Make, Search};
use mugie_core::{Files, Hash, Language, Outcome, Pair, Symptom, Verdict, fails};
use mugie_exec::pool::{self, InOrderEvent};
use mugie_exec::{Executor, Request, TimeoutPolicy};
use mugie_results::Ending;
use rustc_hash::FxHashSet;

use super::causes::other_edits;
use super::edits::with_edits;
use crate::seed::pair_files;

/// Runs that the confirmation of a pair takes: two of the seed and two of the mutant.
pub(super) const CONFIRMATION: usize = 4;

/// How a search is done.
#[derive(Clone, Copy, Debug)]
pub struct SearchSettings {
    /// How many runs of the verifier to spend. Verdicts that were known count, too: so a search
    /// that goes on after an interruption ends where it would have ended without.
    pub runs: usize,
    /// When to end, whatever was spent.
    pub deadline: Option<Instant>,
    /// Whether any failure will do, not just the same.
    pub any_failure: bool,
    /// Whether to reduce the program, not just the edits.
    pub program: bool,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchProgress {
    /// Edits at the start.
    pub edits_before: usize,
    /// Edits now.
    pub edits: usize,
    /// Lines of the seed at the start, without blank ones and comments.
    pub lines_before: usize,
    /// Lines now.
    pub lines: usize,
    /// Runs spent.
    pub runs: usize,
}

/// What a search reports while it runs.
#[derive(Debug)]
pub enum SearchEvent<'e> {
    /// How far it is. Comes several times a second.
    Tick(SearchProgress),
    /// A smaller pair was found.
    Better(&'e dyn Pair, SearchProgress),
}

/// What became of a candidate.
struct Attempt {
    index: usize,
    /// Runs spent on it.
    runs: usize,
    /// The hashes of the candidate, if there was one.
    key: Option<(Hash, Hash)>,
    /// Whether its seed verified and its mutant did not fail.
    is_half: bool,
    /// The candidate and how long its runs took, if it shows the failure.
    accepted: Option<(Arc<dyn Pair>, Duration)>,
    is_cancelled: bool,
}

/// Verifier runs that may be spent in a row on replacing the edits of a pair without success. Raising it finds
/// smaller pairs and takes longer.
pub(super) const RETRY_BUDGET: usize = 24;

/// Whom a search asks: an executor, about programs of one language.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    /// What verifies programs.
    pub executor: &'a dyn Executor,
    /// The language of the programs.
    pub language: &'static dyn Language,
}

/// What there is to know of a program.
pub(super) struct TimedVerdict {
    /// What the verifier says of it.
    pub(super) verdict: Verdict,
    /// How long it took: the processor time of the longest run.
    pub(super) time: Duration,
}

impl Asking<'_> {
    /// The answer about a program; `None` if the search is to end.
    pub(super) fn ask(&self, files: Files, care: TimeoutPolicy) -> Option<TimedVerdict> {
        let request = Request { care, ..Request::new(self.language.id(), files) };
        let settled = self.executor.settle(request)?;
        Some(TimedVerdict { time: settled.longest(), verdict: settled.verdict })
    }

    /// The files of a pair: the seed's and the mutant's.
    pub(super) fn files(&self, pair: &dyn Pair) -> (Files, Files) {
        let extension = self.language.extensions().first().copied().unwrap_or_default();
        pair_files(pair, extension)
    }
}

/// A search under way.
pub(super) struct PairSearch<'a> {
    pub(super) asking: Asking<'a>,
    pub(super) settings: SearchSettings,
    pub(super) symptom: Symptom,
    /// The pairs that were the best at some time, the last one is now.
    pub(super) history: Vec<Arc<dyn Pair>>,
    /// Pairs that do not show the failure: seed and mutant.
    pub(super) refuted: FxHashSet<(Hash, Hash)>,
    /// Of the candidates that were tried last, those whose seed verified and whose mutant did not
    /// fail.
    pub(super) half: Vec<usize>,
    /// Runs that may be spent on other edits before the next success.
    pub(super) retries_left: usize,
    /// How long the runs of the best pair took that did not time out.
    pub(super) usual: Duration,
    /// Whether a mutant that should time out has less time than it would have otherwise.
    pub(super) is_lowered: bool,
    /// How many of the pairs are known to fail without a lowered limit.
    pub(super) sure: usize,
    /// Where the search started.
    pub(super) start: SearchProgress,
    /// Runs spent.
    pub(super) runs: usize,
    /// Runs that may be spent before the search ends, the confirmation not counted.
    pub(super) limit: usize,
    pub(super) is_interrupted: bool,
    pub(super) each: &'a mut dyn FnMut(SearchEvent<'_>),
}

impl PairSearch<'_> {
    /// The best pair so far.
    pub(super) fn best(&self) -> &Arc<dyn Pair> {
        self.history.last().unwrap_or_else(|| unreachable!("a search starts with a pair"))
    }

    /// How far it is.
    pub(super) fn progress(&self) -> SearchProgress {
        SearchProgress {
            edits: self.best().edits().len(),
            lines: self.best().lines(),
            runs: self.runs,
            ..self.start
        }
    }

    /// Whether there is nothing left to spend.
    fn is_spent(&self) -> bool {
        self.is_interrupted || self.is_late() || self.runs >= self.limit
    }

    fn is_late(&self) -> bool {
        self.settings.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Why it ended.
    pub(super) fn ending(&self) -> Ending {
        if self.is_interrupted {
            Ending::Interrupted
        } else if self.is_spent() {
            Ending::BudgetSpent
        } else {
            Ending::Done
        }
    }

    /// Tries candidates in order, at least up to the first that shows the failure or to the end of
    /// the budget.
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
        // What is spent on those before a candidate is at least this much.
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

    /// Whether the mutant of a pair fails, without making it the best one; `None` if nobody can
    /// tell any more.
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

    /// Asks whether the best pair fails without a lowered limit, if that is not known. If it does
    /// not, the limit was too low for it: the last pair of which it is known is the best one
    /// again, and the limit is not lowered any more. Returns whether that happened.
    pub(super) fn ask_without_lowered_limit(&mut self) -> bool {
        if !self.is_lowered || self.is_interrupted || self.sure == self.history.len() {
            return false;
        }
        self.runs += 1;
        match self.judge().mutant_fails(&**self.best(), Some(TimeoutPolicy::Usual)) {
            None => self.is_interrupted = true,
            Some(Some(_)) => self.sure = self.history.len(),
            Some(None) => {
                self.is_lowered = false;
                self.history.truncate(self.sure);
                let progress = self.progress();
                if let Some(best) = self.history.last() {
                    (self.each)(SearchEvent::Better(&**best, progress));
                }
                return true;
            }
        }
        false
    }

    /// Looks for the last pair that shows the failure in fresh runs, and makes it the best one.
    /// Returns whether there is one.
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
        self.half.clear();
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
            self.half.extend(tried.is_half.then_some(tried.index));
        }
        let Some((index, pair, time)) = found else { return Ok(None) };
        // The seed was not asked for, so it may still be what takes longer.
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
        for index in std::mem::take(&mut self.half) {
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

/// What tells a pair from others.
fn key(pair: &dyn Pair) -> (Hash, Hash) {
    (pair.seed().hash(), pair.mutant().hash())
}

/// Knows what a candidate must show.
struct Judge<'a> {
    asking: Asking<'a>,
    symptom: &'a Symptom,
    /// How long runs take usually.
    usual: Duration,
    is_lowered: bool,
    any_failure: bool,
}

/// The processor time of a run that gave the expected verdict, zero if that is a timeout; `None`
/// if it gave another one.
type Shown = Option<Duration>;

impl Judge<'_> {
    fn try_pair(&self, index: usize, pair: Arc<dyn Pair>, question: CandidateCheck) -> Attempt {
        // A seed that takes much longer than before is none that verifies well.
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

    fn seed_verifies(&self, pair: &dyn Pair, care: TimeoutPolicy) -> Option<Shown> {
        let TimedVerdict { verdict, time } = self.asking.ask(self.asking.files(pair).0, care)?;
        let verifies = verdict.outcome == Outcome::Verified
            && (self.any_failure || self.symptom.is_absent(&verdict));
        Some(verifies.then_some(time))
    }

    /// Whether the mutant fails. If nothing else is asked for, timeouts matter only if they may be
    /// the failure.
    fn mutant_fails(&self, pair: &dyn Pair, care: Option<TimeoutPolicy>) -> Option<Shown> {
        let may_time_out = self.any_failure || self.symptom.outcome.depends_on_machine();
        let usual = match may_time_out {
            true if self.is_lowered => TimeoutPolicy::Lowered(self.usual),
            true => TimeoutPolicy::Usual,
            false => TimeoutPolicy::Quick(self.usual),
        };
        let TimedVerdict { verdict, time } =
            self.asking.ask(self.asking.files(pair).1, care.unwrap_or(usual))?;
        let is_same = || self.symptom.shows(&verdict, pair.mutant(), pair.seed());
        let fails = if self.any_failure { fails(&verdict) } else { is_same() };
        let time = if verdict.depends_on_machine() { Duration::ZERO } else { time };
        Some(fails.then_some(time))
    }
}
