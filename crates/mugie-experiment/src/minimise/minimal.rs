//! The whole search, and what it found, as data.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use mugie_core::{Edit, Outcome, Pair, Place, Program, Symptom, Verdict};
use mugie_exec::TimeoutPolicy;
use mugie_results::{Ending, Minimal};
use rustc_hash::FxHashSet;

use super::search::{
    Asking, CONFIRMATION, PairSearch, RETRY_BUDGET, SearchEvent, SearchProgress, SearchSettings,
    TimedVerdict,
};

/// Where a search starts.
#[derive(Clone, Debug)]
pub struct Start {
    /// The pair as it is, or as an earlier search left it.
    pub pair: Arc<dyn Pair>,
    /// How the mutant fails, if an earlier search found that out.
    pub symptom: Option<Symptom>,
    /// How far the earlier search was.
    pub progress: SearchProgress,
}

impl Start {
    /// A new search.
    pub fn new(pair: Arc<dyn Pair>) -> Start {
        let (edits, lines) = (pair.edits().len(), pair.lines());
        let progress =
            SearchProgress { edits_before: edits, edits, lines_before: lines, lines, runs: 0 };
        Start { pair, symptom: None, progress }
    }

    /// Where a search goes on that was interrupted at this pair.
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

/// What a search found.
#[derive(Clone, Debug)]
pub struct Minimised {
    /// The smallest pair.
    pub pair: Arc<dyn Pair>,
    /// What there is to know of it.
    pub minimal: Minimal,
}

/// What is known of a pair while the search is under way.
pub fn so_far(pair: &dyn Pair, symptom: &Symptom, progress: SearchProgress) -> Minimal {
    Minimal {
        cause: cause(pair.seed(), &pair.edits()),
        symptom: symptom.clone(),
        edits: pair.edits(),
        edits_before: progress.edits_before,
        lines: pair.lines(),
        lines_before: progress.lines_before,
        runs: progress.runs,
        ending: Ending::Interrupted,
        confirmed: false,
    }
}

/// Why there is no smaller pair.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MinimiseError {
    /// The seed does not verify.
    #[error("the seed does not verify: {}", reason(.0))]
    SeedFails(Box<Verdict>),
    /// The mutant does not fail.
    #[error("the mutant does not fail: {}", reason(.0))]
    MutantVerifies(Box<Verdict>),
    /// The tool fails on the seed or on the mutant.
    #[error("nothing is known of {program}: {}", reason(.verdict))]
    Trouble {
        /// Which of the two.
        program: &'static str,
        /// What happened.
        verdict: Box<Verdict>,
    },
    /// Fresh runs say something else.
    #[error("the failure does not show in fresh runs, so it is none of the mutant's alone")]
    Unsteady,
    /// It was interrupted before anything was known.
    #[error("interrupted before the failure was seen")]
    Interrupted,
    /// A thread could not be started.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] io::Error),
}

fn reason(verdict: &Verdict) -> &str {
    verdict.reason.as_deref().unwrap_or(verdict.outcome.words())
}

/// Looks for the smallest pair that fails in the way that a pair does. Calls `each` with what
/// happens, in this thread; the symptom is known from the first call on.
///
/// The pair that is returned showed the failure in two fresh runs of either program, unless the
/// search was interrupted: then [`Minimal::confirmed`] says whether it did.
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
        half: Vec::new(),
        // Whether a program is rejected is no matter of luck.
        retries_left: if symptom.outcome == Outcome::Rejected { 0 } else { RETRY_BUDGET },
        usual,
        // Less memory or less of anything else is not known to be the same failure.
        is_lowered: symptom.outcome == Outcome::TimedOut,
        sure: 1,
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
    let ending = if search.is_interrupted { Ending::Interrupted } else { ending };
    let (progress, symptom) = (search.progress(), search.symptom.clone());
    let pair = search.history.pop().unwrap_or_else(|| unreachable!("a search keeps a pair"));
    let minimal = Minimal { ending, confirmed, ..so_far(&*pair, &symptom, progress) };
    Ok(Minimised { pair, minimal })
}

impl PairSearch<'_> {
    /// Everything that makes a pair smaller.
    fn run(&mut self) -> io::Result<()> {
        self.minimise_edits()?;
        self.find_causes()?;
        if self.settings.program {
            self.reduce()?;
            // In a small program, more can be tried.
            let edits = self.best().edits().len();
            self.find_causes()?;
            if self.best().edits().len() < edits {
                self.reduce()?;
            }
        }
        Ok(())
    }

    /// Cuts the program, if the language knows how.
    fn reduce(&mut self) -> io::Result<()> {
        match self.asking.language.reducer() {
            Some(reducer) => reducer.reduce(self),
            None => self.swap_nearer(),
        }
    }
}

/// How the mutant of a pair fails, and how long it takes to get an answer, if it does not time out.
fn examine(pair: &dyn Pair, asking: &Asking<'_>) -> Result<(Symptom, Duration), MinimiseError> {
    let (seed_files, mutant_files) = asking.files(pair);
    let ask = |files, program: &'static str| {
        let answer = asking.ask(files, TimeoutPolicy::Usual).ok_or(MinimiseError::Interrupted)?;
        if answer.verdict.outcome.is_evidence() {
            return Ok(answer);
        }
        Err(MinimiseError::Trouble { program, verdict: Box::new(answer.verdict) })
    };
    let TimedVerdict { verdict, time: seed_time } = ask(seed_files, "the seed")?;
    if verdict.outcome != Outcome::Verified {
        return Err(MinimiseError::SeedFails(Box::new(verdict)));
    }
    let TimedVerdict { verdict, time } = ask(mutant_files, "the mutant")?;
    match Symptom::new(&verdict, pair.mutant(), pair.seed()) {
        Some(symptom) if verdict.depends_on_machine() => Ok((symptom, seed_time)),
        Some(symptom) => Ok((symptom, seed_time.max(time))),
        None => Err(MinimiseError::MutantVerifies(Box::new(verdict))),
    }
}

/// What edits do to a seed, in words. Of a swap of two declarations, the order that they have
/// then.
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
