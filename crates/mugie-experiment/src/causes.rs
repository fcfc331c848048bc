//! Finds out why mutants of a seed fail, by minimising their changes.

use std::collections::BTreeSet;

use mugie_core::Answer;
use mugie_exec::Executor;
use mugie_results::SearchEnding;
use mugie_results::result::{Causes, Flip, Question, ReducedWitness, SeedReport};

use crate::group::{Failing, group};
use crate::minimise::{
    Asking, MinimiseError, Minimised, SearchEvent, SearchProgress, SearchSettings, Start, minimise,
};
use crate::recipe::{Recipe, diff};
use crate::seed::OpenSeed;
use crate::seed_test::{Finished, FlipArtifacts, SeedArtifacts, parts};

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
                let minimal = found?.minimal;
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

/// Whether the witness of a report has changes that may not matter.
pub fn is_reducible(report: &SeedReport) -> bool {
    let witness = report.witness.as_ref();
    let flip = witness.and_then(|it| report.flips.iter().find(|flip| flip.mutant == it.mutant));
    let is_failing = report.answer == Answer::Brittle
        && report.question == Question::DoesAMutantFail
        && !report.counts.interrupted;
    is_failing && flip.is_some_and(Flip::is_divisible)
}

/// Leaves out what the failure of a report's witness does not need, with at most `budget` verifier runs. The mutant stays in
/// the report as it was drawn. Calls `each` with the progress.
pub fn reduce_witness(
    finished: &mut Finished,
    recipe: &Recipe,
    executor: &dyn Executor,
    budget: usize,
    each: &mut dyn FnMut(&SearchProgress),
) -> Result<(), MinimiseError> {
    let Finished { report, kept } = finished;
    if !is_reducible(report) {
        return Ok(());
    }
    let (Some(seed), Some(witness)) = (&kept.seed, &mut report.witness) else { return Ok(()) };
    let number = report.flips.iter().position(|flip| flip.mutant == witness.mutant);
    let Some((flip, kept)) = number.and_then(|it| report.flips.get(it).zip(kept.flips.get(it)))
    else {
        return Ok(());
    };
    let Some(symptom) = kept.symptom.clone() else { return Ok(()) };
    let order = kept.program.unit_order();
    let failing = Failing { edits: flip.edits.clone(), order, symptom };
    let Some(Minimised { pair, minimal }) = smallest(seed, &failing, executor, budget, each)?
    else {
        return Ok(());
    };
    if minimal.ending == SearchEnding::Interrupted || minimal.edits == flip.edits {
        return Ok(());
    }
    let (program, edits) = (pair.mutant(), minimal.edits);
    let naming = seed.naming(1);
    witness.reduced = Some(ReducedWitness {
        cause: minimal.cause,
        symptom: minimal.symptom,
        parts: parts(seed, &edits),
        diff: diff(pair.seed(), program, naming.source(), &naming.plain_files(1, program)),
        reproduce: recipe
            .clone()
            .for_outcome(flip.outcome)
            .commands_of_edits(seed, &edits, program)
            .unwrap_or_default(),
        edits,
        runs: minimal.runs,
        ending: minimal.ending,
    });
    Ok(())
}

/// The smallest change that makes the mutant fail, if it can be found.
fn smallest(
    seed: &OpenSeed,
    failing: &Failing,
    executor: &dyn Executor,
    runs: usize,
    each: &mut dyn FnMut(&SearchProgress),
) -> Result<Option<Minimised>, MinimiseError> {
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
        Ok(minimised) => Ok(Some(minimised)),
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
