//! Confirms flips: a seed counts as brittle only after repeated runs of a mutant and of the seed itself.
//!
//! The first flip of each seed with each tool is repeated by plain runs that no cache answers, and so is the
//! seed. If two verdicts on the same bytes differ, the mutant has no verdict, and the next flip is confirmed
//! instead. Once a flip was confirmed, the other flips of the seed with the tool count as they are.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use mugie_core::Outcome;
use mugie_exec::{Executor, Request, TimeoutPolicy};
use mugie_results::flips;

use crate::run::{PlanSeedIx, PlanToolIx};

/// Plain runs of each of the two programs. Raising it makes it less likely to take chance for
/// brittleness, for two runs each.
const RUNS: u32 = 4;

/// The number of the first repetition, after those of the baseline.
const FIRST: u32 = 2;

/// A seed with a tool: whether a flip was confirmed. It is locked while one is.
type Pair = Arc<Mutex<bool>>;

/// The seeds and tools with a confirmed flip.
#[derive(Debug, Default)]
pub(crate) struct Confirmed(Mutex<BTreeMap<(PlanSeedIx, PlanToolIx), Pair>>);

impl Confirmed {
    fn pair(&self, seed: PlanSeedIx, tool: PlanToolIx) -> Pair {
        let mut pairs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(pairs.entry((seed, tool)).or_default())
    }

    /// Records that a flip was confirmed, now or in an earlier run of the campaign.
    pub(crate) fn add(&self, seed: PlanSeedIx, tool: PlanToolIx) {
        *self.pair(seed, tool).lock().unwrap_or_else(PoisonError::into_inner) = true;
    }

    /// Whether a flip of the seed with the tool is known to be confirmed.
    pub(crate) fn has(&self, seed: PlanSeedIx, tool: PlanToolIx) -> bool {
        self.pair(seed, tool).try_lock().is_ok_and(|is_confirmed| *is_confirmed)
    }

    /// Confirms a flip of the seed with the tool, unless one was. Other threads wait for the result.
    pub(crate) fn confirm(
        &self,
        (seed, tool): (PlanSeedIx, PlanToolIx),
        confirm: impl FnOnce() -> Confirmation,
    ) -> Confirmation {
        let pair = self.pair(seed, tool);
        let mut is_confirmed = pair.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_confirmed {
            return Confirmation::Sure;
        }
        let confirmation = confirm();
        *is_confirmed = confirmation == Confirmation::Sure;
        confirmation
    }
}

/// The result of repeating a flip.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Confirmation {
    /// The verdicts are the same each time.
    Sure,
    /// Verdicts on the same bytes differ; says which.
    Varies(String),
    /// The runs were cancelled.
    Cancelled,
}

/// Repeats a mutant and its seed, each given with its outcome.
pub(crate) fn confirm(
    executor: &dyn Executor,
    seed: (&Request, Outcome),
    mutant: (&Request, Outcome),
) -> Confirmation {
    for ((request, usual), name) in [(mutant, "the mutant"), (seed, "the seed itself")] {
        // A timeout counts only if it was confirmed already.
        if usual.depends_on_machine() {
            continue;
        }
        for repetition in FIRST..FIRST + RUNS {
            let timeouts = TimeoutPolicy::Fresh;
            let again = Request { repetition, timeouts, ..request.clone() };
            let Some(settled) = executor.settle(again) else { return Confirmation::Cancelled };
            let outcome = settled.verdict.outcome;
            if flips(usual, outcome) == Some(true) {
                return Confirmation::Varies(format!(
                    "the same bytes get different verdicts: {name} is {usual} in one run, {outcome} in \
                     another"
                ));
            }
        }
    }
    Confirmation::Sure
}
