//! Why mutants fail: their causes, and how many problems they put to the solver.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;

use mugie_campaign::cache::Cache;
use mugie_campaign::group::{Failing, group};
use mugie_campaign::minimise::{
    Event, Minimal, MinimiseError, Minimised, Runners, Settings, Start, minimise,
};
use mugie_campaign::report::{Causes, Question};
use mugie_campaign::seed::Seed;
use mugie_campaign::trial::{Finished, Kept, KeptFlip};
use mugie_verifiers::supervise::Supervisor;
use mugie_verifiers::{Limits, Verifier};

use super::no_folder;
use crate::interrupt::Leftovers;
use crate::parallel;
use crate::progress::MinimiseMeter;
use crate::report::Trouble;

/// What it takes to look for causes.
pub(super) struct Explainer<'a> {
    pub(super) verifier: &'a Verifier,
    pub(super) supervisor: &'a Arc<Supervisor>,
    pub(super) cache: Option<&'a Cache>,
    pub(super) limits: Limits,
    pub(super) confirm: usize,
    /// Runs for a seed.
    pub(super) budget: NonZeroUsize,
    pub(super) jobs: NonZeroUsize,
}

impl Explainer<'_> {
    /// Looks for the causes of the failing mutants of a seed.
    pub(super) fn explain(
        &self,
        finished: &mut Finished,
        leftovers: &Leftovers,
    ) -> Result<(), Trouble> {
        let Finished { report, kept } = finished;
        let Kept { flips, seed: Some(seed), .. } = kept else { return Ok(()) };
        if flips.is_empty() || report.question != Question::DoesAMutantFail {
            return Ok(());
        }
        let failing: Vec<Failing> = report
            .flips
            .iter()
            .zip(flips.iter())
            .filter_map(|(flip, kept)| {
                let symptom = kept.symptom.clone()?;
                Some(Failing {
                    edits: flip.edits.clone(),
                    order: kept.subject.seed_order(),
                    symptom,
                })
            })
            .collect();
        if failing.len() < flips.len() {
            return Ok(());
        }
        let runners =
            Runners::new(self.verifier, self.supervisor, self.limits, self.confirm, self.cache)
                .map_err(|error| no_folder(&error))?;
        leftovers.add(runners.folder());
        let mut spent = 0;
        let mut failure = None;
        let groups = group(seed.subject(), &failing, |number| {
            let left = self.budget.get().saturating_sub(spent);
            if left == 0 || failure.is_some() || self.supervisor.is_cancelled() {
                return None;
            }
            match self.minimise(seed, &failing[number], &runners, left) {
                Ok(found) => {
                    let minimal = found?;
                    spent += minimal.runs;
                    Some(minimal.into())
                }
                Err(trouble) => {
                    failure = Some(trouble);
                    None
                }
            }
        });
        if let Some(trouble) = failure {
            return Err(trouble);
        }
        let distinct_problems = distinct_problems(flips);
        report.causes = Some(Causes { groups, distinct_problems });
        Ok(())
    }

    /// The smallest change behind a mutant, if there is one.
    fn minimise(
        &self,
        seed: &Seed,
        failing: &Failing,
        runners: &Runners<'_>,
        runs: usize,
    ) -> Result<Option<Minimal>, Trouble> {
        let pair = seed
            .pair(&failing.edits)
            .map_err(|error| Trouble::new(format!("a mutant cannot be made again: {error}")))?;
        let start = Start { symptom: Some(failing.symptom.clone()), ..Start::new(pair) };
        let settings =
            Settings { runs, deadline: None, jobs: self.jobs, any_failure: false, program: false };
        let mut meter = MinimiseMeter::new();
        let found = minimise(start, runners, settings, &mut |_, event| match event {
            Event::Tick(progress) | Event::Better(_, progress) => meter.show(&progress),
        });
        meter.hide();
        match found {
            Ok(Minimised { minimal, .. }) => Ok(Some(minimal)),
            Err(MinimiseError::Thread(error)) => Err(parallel::no_thread(&error)),
            // What does not show again has no cause that could be found.
            Err(_) => Ok(None),
        }
    }
}

/// How many different problems the procedures that fail put to the solver, if that is known.
fn distinct_problems(flips: &[KeptFlip]) -> Option<usize> {
    let problems = flips.iter().map(|flip| {
        let asked = flip.asked.as_ref()?;
        match flip.symptom.as_ref()?.procedure.as_ref() {
            Some(procedure) => Some(asked.0.get(procedure)?.problem.clone()),
            None => Some(asked.problem()),
        }
    });
    let problems: Option<BTreeSet<String>> = problems.collect();
    Some(problems?.len())
}
