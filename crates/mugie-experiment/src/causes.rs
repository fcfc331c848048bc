//! Finds out why mutants of a seed fail, by minimising their changes.

use std::collections::BTreeSet;

use mugie_exec::Executor;
use mugie_results::Minimal;
use mugie_results::result::{Causes, Question};

use crate::group::{Failing, group};
use crate::minimise::{
    Asking, MinimiseError, Minimised, SearchEvent, SearchProgress, SearchSettings, Start, minimise,
};
use crate::seed::OpenSeed;
use crate::seed_test::{Finished, FlipArtifacts, SeedArtifacts};

/// Looks for the causes of the failing mutants of a seed, with at most `budget` verifier runs.
/// Calls `each` with the progress.
pub fn find_causes(
    finished: &mut Finished,
    executor: &dyn Executor,
    budget: usize,
    each: &mut dyn FnMut(&SearchProgress),
) -> Result<(), MinimiseError> {
    let Finished { report, kept } = finished;
    let SeedArtifacts { flips, seed: Some(seed), .. } = kept else { return Ok(()) };
    if flips.is_empty() || report.question != Question::DoesAMutantFail {
        return Ok(());
    }
    let failing: Option<Vec<Failing>> = report
        .flips
        .iter()
        .zip(flips.iter())
        .map(|(flip, kept)| {
            let symptom = kept.symptom.clone()?;
            Some(Failing { edits: flip.edits.clone(), order: kept.program.unit_order(), symptom })
        })
        .collect();
    let Some(failing) = failing else { return Ok(()) };
    let mut spent = 0;
    let mut failure = None;
    let groups = group(&**seed.program(), &failing, |number| {
        let left = budget.saturating_sub(spent);
        if left == 0 || failure.is_some() || executor.is_cancelled() {
            return None;
        }
        match smallest(seed, &failing[number], executor, left, each) {
            Ok(found) => {
                let minimal = found?;
                spent += minimal.runs;
                Some(minimal.into())
            }
            Err(error) => {
                failure = Some(error);
                None
            }
        }
    });
    if let Some(error) = failure {
        return Err(error);
    }
    report.causes = Some(Causes { groups, distinct_problems: distinct_problems(flips) });
    Ok(())
}

/// The smallest change that makes the mutant fail, if it can be found.
fn smallest(
    seed: &OpenSeed,
    failing: &Failing,
    executor: &dyn Executor,
    runs: usize,
    each: &mut dyn FnMut(&SearchProgress),
) -> Result<Option<Minimal>, MinimiseError> {
    // Edits that were applied once can be applied again, so this does not happen.
    let Ok(pair) = seed.pair(&failing.edits) else { return Ok(None) };
    let start = Start { symptom: Some(failing.symptom.clone()), ..Start::new(pair) };
    let settings =
        SearchSettings { runs, deadline: None, any_failure: false, program: false, neighbours: 0 };
    let asking = Asking { executor, language: seed.seed().language() };
    let found = minimise(start, asking, settings, &mut |_, event| match event {
        SearchEvent::Tick(progress) | SearchEvent::Better(_, progress) => each(&progress),
    });
    match found {
        Ok(Minimised { minimal, .. }) => Ok(Some(minimal)),
        Err(error @ MinimiseError::Thread(_)) => Err(error),
        // A failure that does not recur has no cause that could be found.
        Err(_) => Ok(None),
    }
}

/// The number of different solver problems of the failing procedures, if the solver's queries were
/// recorded.
fn distinct_problems(flips: &[FlipArtifacts]) -> Option<usize> {
    let problems = flips.iter().map(|flip| {
        let work = flip.work.as_ref()?;
        match flip.symptom.as_ref()?.procedure.as_ref() {
            Some(procedure) => work.0.get(procedure)?.problem.clone(),
            None => work.problem(),
        }
    });
    let problems: Option<BTreeSet<String>> = problems.collect();
    Some(problems?.len())
}
