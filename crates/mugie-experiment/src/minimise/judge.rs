//! Decides whether a pair shows the failure: its seed verifies, its mutant fails in the same way, and so it is with
//! enough of its neighbours.

use std::sync::Arc;
use std::time::Duration;

use mugie_core::reduce::CandidateCheck;
use mugie_core::{Hash, Outcome, Pair, Symptom, Verdict, fails};
use mugie_exec::TimeoutPolicy;

use super::search::{Asking, TimedVerdict};

/// The number of neighbours that a candidate is asked for. Raising it makes luck rarer, and every step of a
/// search dearer.
pub(super) const NEIGHBOURS: usize = 6;

/// The result of trying a candidate.
pub(super) struct Attempt {
    pub(super) index: usize,
    /// Verifier runs spent on the candidate.
    pub(super) runs: usize,
    /// The hashes of the candidate's seed and mutant, if the candidate could be made.
    pub(super) key: Option<(Hash, Hash)>,
    /// Whether the seed verified, but the mutant did not fail.
    pub(super) is_half: bool,
    /// The candidate, if it shows the failure.
    pub(super) accepted: Option<Accepted>,
    pub(super) is_cancelled: bool,
}

impl Attempt {
    /// A candidate that could not be made.
    pub(super) fn none(index: usize) -> Attempt {
        Attempt { index, runs: 0, key: None, is_half: false, accepted: None, is_cancelled: false }
    }
}

/// A candidate that shows the failure.
pub(super) struct Accepted {
    pub(super) pair: Arc<dyn Pair>,
    /// Its longest processor time.
    pub(super) time: Duration,
    /// The verdict on its seed, if that was asked for.
    pub(super) of_seed: Option<Verdict>,
}

/// Decides whether a candidate shows the failure.
#[derive(Clone, Copy)]
pub(super) struct Judge<'a> {
    pub(super) asking: Asking<'a>,
    pub(super) symptom: &'a Symptom,
    /// The verdict on the seed that the search started with.
    pub(super) first: &'a Verdict,
    /// The verdict on the best pair's seed.
    pub(super) of_seed: &'a Verdict,
    /// The usual processor time of a run.
    pub(super) usual: Duration,
    pub(super) is_lowered: bool,
    pub(super) any_failure: bool,
    /// How many of [`NEIGHBOURS`] must show the failure as well.
    pub(super) needed: usize,
}

/// `Some` with the verdict if it is the expected one, `None` otherwise. The time of a timeout is zero.
type Shown = Option<TimedVerdict>;

/// How many neighbours of a pair show the failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) failing: usize,
    pub(super) of: usize,
    /// Verifier runs spent.
    pub(super) runs: usize,
}

impl Judge<'_> {
    pub(super) fn try_pair(
        &self,
        index: usize,
        pair: Arc<dyn Pair>,
        key: (Hash, Hash),
        question: CandidateCheck,
    ) -> Attempt {
        let refused = Attempt { key: Some(key), ..Attempt::none(index) };
        let (mut runs, of_seed, of_mutant) = match self.ask_both(&*pair, question) {
            (runs, None) => return Attempt { runs, is_cancelled: true, ..refused },
            (runs, Some((of_seed, Some(of_mutant)))) => (runs, of_seed, of_mutant),
            (runs, Some((of_seed, None))) => {
                let is_half = question == CandidateCheck::SeedFirst && of_seed.is_some();
                return Attempt { runs, is_half, ..refused };
            }
        };
        if of_seed.is_none() && question != CandidateCheck::Mutant {
            return Attempt { runs, ..refused };
        }
        let seed_verdict = of_seed.as_ref().map_or(self.of_seed, |it| &it.verdict);
        if !pair.is_evidence(self.first, seed_verdict, &of_mutant.verdict) {
            return Attempt { runs, ..refused };
        }
        if self.needed > 0 {
            let Some(count) = self.count_neighbours(&*pair, NEIGHBOURS, Some(self.needed)) else {
                return Attempt { runs, is_cancelled: true, ..refused };
            };
            runs += count.runs;
            if count.failing < self.needed {
                return Attempt { runs, ..refused };
            }
        }
        let time = of_seed.as_ref().map_or(of_mutant.time, |it| it.time.max(of_mutant.time));
        let of_seed = of_seed.map(|it| it.verdict);
        Attempt { runs, accepted: Some(Accepted { pair, time, of_seed }), ..refused }
    }

    /// The runs spent, and what was shown by the seed and by the mutant; `None` if cancelled.
    fn ask_both(
        &self,
        pair: &dyn Pair,
        question: CandidateCheck,
    ) -> (usize, Option<(Shown, Shown)>) {
        // A seed that takes much longer than before does not count as verified.
        let seed = || self.seed_verifies(pair, TimeoutPolicy::Quick(self.usual));
        let mutant = || self.mutant_fails(pair, None);
        match question {
            CandidateCheck::Mutant => (1, mutant().map(|mutant| (None, mutant))),
            CandidateCheck::SeedFirst => match seed() {
                None => (1, None),
                Some(None) => (1, Some((None, None))),
                Some(seed) => (2, mutant().map(|mutant| (seed, mutant))),
            },
            CandidateCheck::MutantFirst => match mutant() {
                None => (1, None),
                Some(None) => (1, Some((None, None))),
                Some(mutant) => (2, seed().map(|seed| (seed, mutant))),
            },
        }
    }

    /// How many of the first `number` neighbours of a pair show the failure; counts only until it is known
    /// whether they are `enough`. `None` if cancelled.
    pub(super) fn count_neighbours(
        &self,
        pair: &dyn Pair,
        number: usize,
        enough: Option<usize>,
    ) -> Option<Count> {
        let mut count = Count::default();
        for index in 0..number {
            let is_known = |enough: usize| {
                count.failing >= enough || count.failing + (number - index) < enough
            };
            if enough.is_some_and(is_known) {
                break;
            }
            let Some(neighbour) = pair.neighbour(index) else { continue };
            let (runs, shown) = self.ask_both(&*neighbour, CandidateCheck::SeedFirst);
            let fails = match shown? {
                (Some(seed), Some(mutant)) => {
                    neighbour.is_evidence(self.first, &seed.verdict, &mutant.verdict)
                }
                _ => false,
            };
            count.runs += runs;
            count.of += 1;
            count.failing += usize::from(fails);
        }
        Some(count)
    }

    pub(super) fn seed_verifies(&self, pair: &dyn Pair, timeouts: TimeoutPolicy) -> Option<Shown> {
        let found = self.asking.ask_seed(pair, timeouts)?;
        let verifies = found.verdict.outcome == Outcome::Verified
            && (self.any_failure || self.symptom.is_absent(&found.verdict));
        Some(verifies.then_some(found))
    }

    /// Whether the mutant fails. Without a given policy, the full time limit applies only if a timeout may be
    /// the failure.
    pub(super) fn mutant_fails(
        &self,
        pair: &dyn Pair,
        timeouts: Option<TimeoutPolicy>,
    ) -> Option<Shown> {
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
        Some(fails.then_some(TimedVerdict { verdict, time }))
    }
}
