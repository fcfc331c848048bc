//! Whether shared processes can be trusted: whether the solver receives the same from a shared process
//! as from a process of each program alone.
//!
//! This is known for the verifiers whose definitions allow sharing, but the next version, or a program
//! like none before, may be different. So some programs of a shared process are also run alone, and the
//! fingerprints of their queries compared. That takes another start of the verifier, but not of the
//! solver, whose answers are cached. If they differ, no verdict of the process counts, and the other
//! programs of the same seed are run alone.

use std::collections::BTreeMap;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Request, Settled};

/// A process with at least this many programs is always compared. Raising it saves runs and finds
/// differences later.
const LARGE: usize = 16;

/// Of smaller processes, one in this many is compared. Raising it saves runs and finds differences
/// later.
const SELDOM: u8 = 16;

/// What is known about the shared processes of each seed.
#[derive(Debug, Default)]
pub(super) struct Trust(Mutex<BTreeMap<String, Known>>);

/// What is known about the shared processes of one seed, and what is being found out.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    state: TrustState,
    /// Whether an early program of a process was chosen to be compared.
    has_early: bool,
}

/// What is known about the shared processes of one seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TrustState {
    /// Nothing was compared yet.
    #[default]
    New,
    /// All comparisons so far found no difference.
    Confirmed,
    /// A comparison found a difference.
    Withdrawn,
}

impl Trust {
    /// What is known about the seed of a program.
    pub(super) fn state(&self, request: &Request) -> TrustState {
        self.lock().get(seed(request)).copied().unwrap_or_default().state
    }

    /// The programs of a process to compare, among those at these places in it. The first program of a
    /// process is never of interest, and the last one the most. An early one is compared in one process of
    /// each seed, even if several end at the same time.
    pub(super) fn choose(&self, request: &Request, places: &[usize]) -> Vec<usize> {
        let later: Vec<usize> = places.iter().copied().filter(|&place| place > 0).collect();
        let mut seeds = self.lock();
        let Known { has_early, .. } = seeds.entry(seed(request).to_owned()).or_default();
        match later.as_slice() {
            [] => Vec::new(),
            [first, .., last] if !mem::replace(has_early, true) => vec![*first, *last],
            [.., last] => vec![*last],
        }
    }

    /// Records that a comparison failed to say anything, so that the next process starts from the beginning.
    pub(super) fn note_nothing(&self, request: &Request) {
        self.lock().entry(seed(request).to_owned()).or_default().has_early = false;
    }

    /// Records a comparison. A difference is never forgotten.
    pub(super) fn note(&self, request: &Request, agree: bool) {
        let mut seeds = self.lock();
        let Known { state, .. } = seeds.entry(seed(request).to_owned()).or_default();
        *state = match state {
            TrustState::New | TrustState::Confirmed if agree => TrustState::Confirmed,
            _ => TrustState::Withdrawn,
        };
    }

    /// The number of seeds with a difference.
    pub(super) fn withdrawn(&self) -> usize {
        self.lock().values().filter(|known| known.state == TrustState::Withdrawn).count()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The hash of a program's seed; empty if it is not known.
fn seed(request: &Request) -> &str {
    request.origin.as_ref().map(|origin| origin.seed.as_str()).unwrap_or_default()
}

impl TrustState {
    /// Whether a process with this number of programs is compared. `lot` is drawn from the process.
    pub(super) fn is_compared(self, programs: usize, lot: u8) -> bool {
        self == TrustState::New || programs >= LARGE || lot.is_multiple_of(SELDOM)
    }
}

/// Whether the solver received the same in both runs of a program. `None` if that cannot be said, because
/// the run alone did not come to an end.
pub(super) fn agree(together: &Settled, alone: &Settled) -> Option<bool> {
    let is_known =
        alone.fast && alone.verdict.outcome.is_evidence() && !alone.verdict.depends_on_machine();
    let queries = |settled: &Settled| -> Vec<(Option<String>, String)> {
        let each = settled.queries.iter();
        each.map(|query| (query.procedure.clone(), query.fingerprint.clone())).collect()
    };
    is_known.then(|| queries(together) == queries(alone))
}

#[cfg(test)]
mod tests {
    use mugie_core::{Files, Outcome, Verdict};
    use mugie_verifiers::tap::QueryRecord;

    use super::*;
    use crate::{Made, Origin};

    fn request(seed: &str) -> Request {
        let (made, hash) = (Made::Printed, String::new());
        let origin = Some(Origin { seed: seed.to_owned(), made, hash });
        Request { origin, ..Request::new("boogie", Files::default()) }
    }

    #[test]
    fn trust_is_lost_for_good_and_for_each_seed() {
        let trust = Trust::default();
        let (one, two) = (request("1"), request("2"));
        trust.note(&one, true);
        assert_eq!(
            (trust.state(&one), trust.state(&two)),
            (TrustState::Confirmed, TrustState::New)
        );
        trust.note(&one, false);
        trust.note(&one, true);
        trust.note(&two, true);
        let states = (trust.state(&one), trust.state(&two));
        assert_eq!(trust.withdrawn(), 1);
        assert_eq!(states, (TrustState::Withdrawn, TrustState::Confirmed));
    }

    #[test]
    fn the_last_program_of_a_process_is_compared_and_at_first_an_early_one() {
        let trust = Trust::default();
        let (one, two) = (request("1"), request("2"));
        let many: Vec<usize> = (0..20).collect();
        assert_eq!(trust.choose(&one, &[0]), [0; 0]);
        assert_eq!(trust.choose(&one, &[0, 4]), [4]);
        assert_eq!(trust.choose(&one, &many), [1, 19]);
        assert_eq!(trust.choose(&one, &many), [19], "nothing is known yet, but being found out");
        assert_eq!(trust.choose(&two, &many), [1, 19]);
        trust.note_nothing(&two);
        assert_eq!(trust.choose(&two, &many), [1, 19]);
    }

    #[test]
    fn the_first_and_the_large_processes_are_compared_and_some_of_the_others() {
        assert!(TrustState::New.is_compared(2, 1) && TrustState::Confirmed.is_compared(16, 1));
        assert!(!TrustState::Confirmed.is_compared(4, 1));
        assert!(TrustState::Confirmed.is_compared(4, 32));
    }

    #[test]
    fn runs_agree_if_the_solver_gets_the_same_queries_in_the_same_order() {
        let settled = |outcome, fingerprints: &[&str]| {
            let record = |fingerprint: &&str| {
                let fingerprint = (*fingerprint).to_owned();
                QueryRecord { fingerprint, ..QueryRecord::default() }
            };
            let queries = fingerprints.iter().map(record).collect();
            let verdict = Verdict::of_program(outcome, "");
            let plain = Settled::of_run(verdict, String::new(), Vec::new());
            Settled { queries, fast: true, ..plain }
        };
        let (verified, failed) = (Outcome::Verified, Outcome::Failed);
        let one = settled(verified, &["a", "b"]);
        assert_eq!(agree(&one, &settled(verified, &["a", "b"])), Some(true));
        for other in [&["a"][..], &["b", "a"], &["a", "b", "b"], &[]] {
            assert_eq!(agree(&one, &settled(failed, other)), Some(false), "{other:?}");
        }
        assert_eq!(agree(&one, &settled(Outcome::TimedOut, &["a"])), None);
        let untapped = Settled { fast: false, ..settled(verified, &[]) };
        assert_eq!(agree(&one, &untapped), None);
    }
}
