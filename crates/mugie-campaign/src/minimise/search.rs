//! The state of a search: the best pair so far, the budget, and how candidates are tried.
//!
//! Candidates are tried by several threads at once, but taken up in their order: the first one
//! that shows the failure wins, and what was tried beyond it is forgotten. So the result does not
//! depend on the number of threads, nor on which run was faster.

use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use mugie_operators::Hash;
use mugie_verifiers::Outcome;
use rustc_hash::FxHashSet;

use super::oracle::{Answer, Care, Oracle};
use super::pair::Pair;
use super::symptom::{Symptom, fails};

/// Stack of a worker: room for trees of the greatest height. Reserved only.
const STACK: usize = 256 << 20;

/// How often progress is reported while nothing happens.
const TICK: Duration = Duration::from_millis(200);

/// Runs that the confirmation of a pair takes: two of the seed and two of the mutant.
pub(super) const CONFIRMATION: usize = 4;

/// How a search is done.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How many runs of the verifier to spend. Verdicts that were known count, too: so a search
    /// that goes on after an interruption ends where it would have ended without.
    pub runs: usize,
    /// When to end, whatever was spent.
    pub deadline: Option<Instant>,
    /// How many runs at once.
    pub jobs: NonZeroUsize,
    /// Whether any failure will do, not just the same.
    pub any_failure: bool,
    /// Whether to reduce the program, not just the edits.
    pub program: bool,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
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
pub enum Event<'e> {
    /// How far it is. Comes several times a second.
    Tick(Progress),
    /// A smaller pair was found.
    Better(&'e Pair, Progress),
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// Nothing smaller was found: every single element was tried.
    Done,
    /// The runs or the time are spent.
    BudgetSpent,
    /// Somebody interrupted it.
    Interrupted,
}

/// What a candidate is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Only the mutant: the seed is one that verifies.
    Mutant,
    /// Both, the seed first: where less is known, it may not verify any more.
    SeedFirst,
    /// Both, the mutant first: where less is to be proved, it may not fail any more.
    MutantFirst,
}

/// What became of a candidate.
struct Tried {
    index: usize,
    /// Runs spent on it.
    runs: usize,
    /// The hashes of the candidate, if there was one.
    key: Option<(Hash, Hash)>,
    /// Whether its seed verified and its mutant did not fail.
    is_half: bool,
    /// The candidate and how long its runs took, if it shows the failure.
    accepted: Option<(Pair, Duration)>,
    is_cancelled: bool,
}

/// A search under way.
pub(super) struct Search<'a> {
    pub(super) oracle: &'a dyn Oracle,
    pub(super) settings: Settings,
    pub(super) symptom: Symptom,
    /// The pairs that were the best at some time, the last one is now.
    pub(super) history: Vec<Pair>,
    /// Pairs that do not show the failure: seed and mutant.
    pub(super) refuted: FxHashSet<(Hash, Hash)>,
    /// Of the candidates that were tried last, those whose seed verified and whose mutant did not
    /// fail.
    pub(super) half: Vec<usize>,
    /// Runs that may be spent on other edits before the next success.
    pub(super) luck: usize,
    /// How long the runs of the best pair took that did not time out.
    pub(super) usual: Duration,
    /// Whether a mutant that should time out has less time than it would have otherwise.
    pub(super) is_lowered: bool,
    /// How many of the pairs are known to fail without a lowered limit.
    pub(super) sure: usize,
    /// Where the search started.
    pub(super) start: Progress,
    /// Runs spent.
    pub(super) runs: usize,
    /// Runs that may be spent before the search ends, the confirmation not counted.
    pub(super) limit: usize,
    pub(super) is_interrupted: bool,
    pub(super) each: &'a mut dyn FnMut(Event<'_>),
}

impl Search<'_> {
    /// The best pair so far.
    pub(super) fn best(&self) -> &Pair {
        self.history.last().unwrap_or_else(|| unreachable!("a search starts with a pair"))
    }

    /// How far it is.
    pub(super) fn progress(&self) -> Progress {
        Progress {
            edits: self.best().edits().len(),
            lines: self.best().lines(),
            runs: self.runs,
            ..self.start
        }
    }

    /// Whether there is nothing left to spend.
    pub(super) fn is_over(&self) -> bool {
        self.is_interrupted || self.is_late() || self.runs >= self.limit
    }

    fn is_late(&self) -> bool {
        self.settings.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Why it ended.
    pub(super) fn ending(&self) -> Ending {
        if self.is_interrupted {
            Ending::Interrupted
        } else if self.is_over() {
            Ending::BudgetSpent
        } else {
            Ending::Done
        }
    }

    /// Tries candidates, which `make` builds by number; `None` is no candidate. The first that
    /// shows the failure is the best pair from now on. Returns its number.
    pub(super) fn first(
        &mut self,
        number: usize,
        question: Question,
        make: impl Fn(usize) -> Option<Pair> + Sync,
    ) -> io::Result<Option<usize>> {
        self.half.clear();
        if number == 0 || self.is_over() {
            return Ok(None);
        }
        let refuted = std::mem::take(&mut self.refuted);
        let make = |index: usize| make(index).filter(|pair| !refuted.contains(&key(pair)));
        let tried = self.try_all(number, question, &make);
        self.refuted = refuted;
        let tried = tried?;
        let mut found = None;
        for tried in tried {
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
        self.usual = if question == Question::Mutant { self.usual.max(time) } else { time };
        self.history.push(pair);
        let progress = self.progress();
        if let Some(best) = self.history.last() {
            (self.each)(Event::Better(best, progress));
        }
        Ok(Some(index))
    }

    /// Tries candidates in order, at least up to the first that shows the failure or to the end of
    /// the budget.
    fn try_all(
        &mut self,
        number: usize,
        question: Question,
        make: &(impl Fn(usize) -> Option<Pair> + Sync),
    ) -> io::Result<Vec<Tried>> {
        let judge = Judge {
            oracle: self.oracle,
            symptom: &self.symptom.clone(),
            usual: self.usual,
            is_lowered: self.is_lowered,
            any_failure: self.settings.any_failure,
        };
        let (next, end, spent) =
            (AtomicUsize::new(0), AtomicUsize::new(number), AtomicUsize::new(0));
        let (left, deadline) = (self.limit - self.runs, self.settings.deadline);
        let work = |sender: mpsc::Sender<Tried>| {
            loop {
                // What is spent on those before it is at least this much.
                if spent.load(Ordering::SeqCst) >= left
                    || deadline.is_some_and(|deadline| Instant::now() >= deadline)
                {
                    return;
                }
                let index = next.fetch_add(1, Ordering::SeqCst);
                if index >= end.load(Ordering::SeqCst) {
                    return;
                }
                let tried = match make(index) {
                    None => Tried {
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
                if tried.accepted.is_some() || tried.is_cancelled {
                    end.fetch_min(index, Ordering::SeqCst);
                }
                // Nobody listens any more only if the caller panicked.
                let _ = sender.send(tried);
            }
        };
        let (sender, receiver) = mpsc::channel();
        let mut tried = thread::scope(|scope| {
            for _ in 0..self.settings.jobs.get().min(number) {
                let (sender, work) = (sender.clone(), &work);
                let worker = move || work(sender);
                thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker)?;
            }
            drop(sender);
            let mut tried = Vec::new();
            let before = self.progress();
            loop {
                match receiver.recv_timeout(TICK) {
                    Ok(one) => tried.push(one),
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                }
                let runs = before.runs + spent.load(Ordering::SeqCst);
                (self.each)(Event::Tick(Progress { runs, ..before }));
            }
            Ok::<_, io::Error>(tried)
        })?;
        tried.sort_by_key(|tried| tried.index);
        Ok(tried)
    }

    /// Whether the mutant of a pair fails, without making it the best one; `None` if nobody can
    /// tell any more.
    pub(super) fn probe(&mut self, pair: &Pair) -> Option<bool> {
        if self.is_over() {
            return None;
        }
        let fails = self.judge().mutant_fails(pair, None);
        self.runs += 1;
        self.is_interrupted |= fails.is_none();
        let progress = self.progress();
        (self.each)(Event::Tick(progress));
        Some(fails?.is_some())
    }

    fn judge(&self) -> Judge<'_> {
        let Search { oracle, symptom, usual, is_lowered, .. } = self;
        let (usual, is_lowered, any_failure) = (*usual, *is_lowered, self.settings.any_failure);
        Judge { oracle: *oracle, symptom, usual, is_lowered, any_failure }
    }

    /// Asks whether the best pair fails without a lowered limit, if that is not known. If it does
    /// not, the limit was too low for it: the last pair of which it is known is the best one
    /// again, and the limit is not lowered any more. Returns whether that happened.
    pub(super) fn ask_without_lowered_limit(&mut self) -> bool {
        if !self.is_lowered || self.is_interrupted || self.sure == self.history.len() {
            return false;
        }
        self.runs += 1;
        match self.judge().mutant_fails(self.best(), Some(Care::Sure)) {
            None => self.is_interrupted = true,
            Some(Some(_)) => self.sure = self.history.len(),
            Some(None) => {
                self.is_lowered = false;
                self.history.truncate(self.sure);
                let progress = self.progress();
                if let Some(best) = self.history.last() {
                    (self.each)(Event::Better(best, progress));
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
            (self.each)(Event::Tick(progress));
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
            let (judge, pair) = (self.judge(), self.best());
            let is_shown = judge.seed_verifies(pair, Care::Fresh)?.is_some()
                && judge.mutant_fails(pair, Some(Care::Fresh))?.is_some();
            if !is_shown {
                return Some(false);
            }
        }
        Some(true)
    }
}

/// What tells a pair from others.
fn key(pair: &Pair) -> (Hash, Hash) {
    (pair.seed().hash(), pair.mutant().hash())
}

/// Knows what a candidate must show.
struct Judge<'a> {
    oracle: &'a dyn Oracle,
    symptom: &'a Symptom,
    /// How long runs take usually.
    usual: Duration,
    is_lowered: bool,
    any_failure: bool,
}

/// How long a run took that showed what it should, nothing if that was a timeout; `None` if it did
/// not.
type Shown = Option<Duration>;

impl Judge<'_> {
    fn try_pair(&self, index: usize, pair: Pair, question: Question) -> Tried {
        // A seed that takes much longer than before is none that verifies well.
        let seed = || self.seed_verifies(&pair, Care::Quick(self.usual));
        let mutant = || self.mutant_fails(&pair, None);
        let both = |first: Shown, second: &dyn Fn() -> Option<Shown>| match first {
            Some(time) => (2, second().map(|shown| Some(time.max(shown?)))),
            None => (1, Some(None)),
        };
        let (runs, shown) = match question {
            Question::Mutant => (1, mutant()),
            Question::SeedFirst => seed().map_or((1, None), |shown| both(shown, &mutant)),
            Question::MutantFirst => mutant().map_or((1, None), |shown| both(shown, &seed)),
        };
        let (key, is_cancelled) = (Some(key(&pair)), shown.is_none());
        let is_half = question == Question::SeedFirst && runs == 2 && shown == Some(None);
        let accepted = shown.flatten().map(|time| (pair, time));
        Tried { index, runs, key, is_half, accepted, is_cancelled }
    }

    fn seed_verifies(&self, pair: &Pair, care: Care) -> Option<Shown> {
        let Answer { verdict, time } = self.oracle.ask(&pair.seed_files(), care)?;
        let verifies = verdict.outcome == Outcome::Verified
            && (self.any_failure || self.symptom.is_absent(&verdict));
        Some(verifies.then_some(time))
    }

    /// Whether the mutant fails. If nothing else is asked for, timeouts matter only if they may be
    /// the failure.
    fn mutant_fails(&self, pair: &Pair, care: Option<Care>) -> Option<Shown> {
        let may_time_out = self.any_failure || self.symptom.outcome.depends_on_machine();
        let usual = match may_time_out {
            true if self.is_lowered => Care::Lowered(self.usual),
            true => Care::Sure,
            false => Care::Quick(self.usual),
        };
        let Answer { verdict, time } =
            self.oracle.ask(&pair.mutant_files(), care.unwrap_or(usual))?;
        let is_same = || self.symptom.shows(&verdict, pair.mutant(), pair.seed());
        let fails = if self.any_failure { fails(&verdict) } else { is_same() };
        let time = if verdict.depends_on_machine() { Duration::ZERO } else { time };
        Some(fails.then_some(time))
    }
}
