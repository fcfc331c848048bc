//! `--luck`: runs of the seeds with other random seeds of the solver.

use std::num::NonZeroUsize;
use std::sync::Arc;

use mugie_core::Verdict;
use mugie_exec::pool::InOrderEvent;
use mugie_exec::{Executor, Request};
use mugie_experiment::luck;
use mugie_experiment::seed_test::Finished;
use mugie_verifiers::{Verifier, VerifierOptions};

use crate::messages::Trouble;
use crate::parallel;
use crate::progress::Progress;
use crate::session::{Running, Session};
use crate::tool_spec::ToolSpec;

/// Runs each seed that verifies with other random seeds.
pub(super) fn settle(
    session: &Session<'_>,
    spec: &ToolSpec,
    running: &Running<'_, '_>,
    number: NonZeroUsize,
    seeds: &mut [Finished],
) -> Result<(), Trouble> {
    let numbers = 1..=number.get() as u64;
    let mut verifiers: Vec<(u64, Arc<Verifier>)> = Vec::new();
    for random in numbers.filter(|random| spec.options.random_seed != Some(*random)) {
        let options = VerifierOptions { random_seed: Some(random), ..spec.options.clone() };
        let verifier = spec.resolve_with(&session.registry, &options).map(Arc::new)?;
        if verifier.command_words() == running.verifier.command_words() {
            let message = format!("{} takes no random seed for its solver", verifier.title);
            return Err(Trouble::new(message).help("its definition lacks `{random_seed}`"));
        }
        verifiers.push((random, verifier));
    }
    // The supervisor of the test has been shut down.
    let supervisor = session.supervisor(verifiers.iter().map(|(_, verifier)| verifier), true);
    let mut executors: Vec<(u64, Box<dyn Executor + '_>)> = Vec::new();
    for (random, verifier) in &verifiers {
        let running = Running { verifier, supervisor: &supervisor, ..running.clone() };
        executors.push((*random, session.plain_executor(&running)?));
    }
    let requests = seeds.iter().enumerate();
    let requests = requests.filter_map(|(seed, it)| Some((seed, luck::request(it)?)));
    let runs: Vec<(usize, Request, usize)> = requests
        .flat_map(|(seed, request)| {
            (0..executors.len()).map(move |executor| (seed, request.clone(), executor))
        })
        .collect();
    let mut verdicts: Vec<Vec<(u64, Verdict)>> = vec![Vec::new(); seeds.len()];
    let mut progress = Progress::new("other random seeds", runs.len());
    let mut done = 0;
    let work = |(seed, request, executor): &(usize, Request, usize)| {
        let (random, executor) = &executors[*executor];
        executor.settle(request.clone()).map(|settled| (*seed, *random, settled.verdict))
    };
    parallel::in_order(&runs, Some(running.jobs), work, |event| {
        if let InOrderEvent::Done(result) = event {
            done += 1;
            if let Some((seed, random, verdict)) = result {
                verdicts[seed].push((random, verdict));
            }
        }
        progress.show(done);
        Ok::<(), Trouble>(())
    })?;
    progress.hide();
    for (seed, verdicts) in seeds.iter_mut().zip(verdicts) {
        luck::settle(seed, &verdicts);
    }
    Ok(())
}
