//! The whole search and its result.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use mugie_core::{Edit, Outcome, Pair, Place, Program, Symptom, Verdict};
use mugie_exec::TimeoutPolicy;
use mugie_results::{Minimal, SearchEnding};
use rustc_hash::FxHashSet;

use super::search::{
    Asking, CONFIRMATION, PairSearch, RETRY_BUDGET, SearchEvent, SearchProgress, SearchSettings,
    TimedVerdict,
};

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
        symptom: symptom.clone(),
        edits: pair.edits(),
        edits_before: progress.edits_before,
        lines: pair.lines(),
        lines_before: progress.lines_before,
        runs: progress.runs,
        ending: SearchEnding::Interrupted,
        confirmed: false,
    }
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
    let (found, usual) = examine(&*pair, &asking)?;
    if is_new {
        progress.runs += 2;
    }
    let symptom = symptom.unwrap_or(found);
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
        confirmed: 1,
        start: progress,
        runs: progress.runs,
        limit: settings.runs.saturating_sub(CONFIRMATION),
        is_interrupted: false,
        each: &mut |event| each(&symptom, event),
    };
    search.run()?;
    if search.ask_without_lowered_limit() {
        search.run()?;
    }
    let ending = search.ending();
    let confirmed = !search.is_interrupted && search.confirm();
    if !confirmed && !search.is_interrupted {
        return Err(MinimiseError::Unsteady);
    }
    let ending = if search.is_interrupted { SearchEnding::Interrupted } else { ending };
    let (progress, symptom) = (search.progress(), search.symptom.clone());
    let pair = search.history.pop().unwrap_or_else(|| unreachable!("a search keeps a pair"));
    let minimal = Minimal { ending, confirmed, ..so_far(&*pair, &symptom, progress) };
    Ok(Minimised { pair, minimal })
}

impl PairSearch<'_> {
    /// Applies everything that makes a pair smaller.
    fn run(&mut self) -> io::Result<()> {
        self.minimise_edits()?;
        self.find_causes()?;
        if self.settings.program {
            self.reduce()?;
            // A smaller program leaves runs to try more causes.
            let edits = self.best().edits().len();
            self.find_causes()?;
            if self.best().edits().len() < edits {
                self.reduce()?;
            }
        }
        Ok(())
    }

    /// Reduces the program, if the language has a reducer.
    fn reduce(&mut self) -> io::Result<()> {
        match self.asking.language.reducer() {
            Some(reducer) => reducer.reduce(self),
            None => self.swap_nearer(),
        }
    }
}

/// The symptom of the mutant, and the longer processor time of the two programs, timeouts not
/// counted.
fn examine(pair: &dyn Pair, asking: &Asking<'_>) -> Result<(Symptom, Duration), MinimiseError> {
    let check = |answer: Option<TimedVerdict>, program: &'static str| {
        let answer = answer.ok_or(MinimiseError::Interrupted)?;
        if answer.verdict.outcome.is_evidence() {
            return Ok(answer);
        }
        Err(MinimiseError::Trouble { program, verdict: Box::new(answer.verdict) })
    };
    let TimedVerdict { verdict, time: seed_time } =
        check(asking.ask_seed(pair, TimeoutPolicy::Usual), "the seed")?;
    if verdict.outcome != Outcome::Verified {
        return Err(MinimiseError::SeedFails(Box::new(verdict)));
    }
    let TimedVerdict { verdict, time } =
        check(asking.ask_mutant(pair, TimeoutPolicy::Usual), "the mutant")?;
    match Symptom::new(&verdict, pair.mutant(), pair.seed()) {
        Some(symptom) if verdict.depends_on_machine() => Ok((symptom, seed_time)),
        Some(symptom) => Ok((symptom, seed_time.max(time))),
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
