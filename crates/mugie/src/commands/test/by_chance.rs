//! Seeds whose declarations the verifier sorts by chance: repeated before a difference counts.

use std::sync::Arc;

use mugie_experiment::chance;
use mugie_experiment::seed_test::Finished;
use mugie_verifiers::VerifierOptions;

use crate::messages::Trouble;
use crate::session::{Running, Session};
use crate::tool_spec::ToolSpec;

/// Runs seeds again whose declarations are sorted by chance, if a mutant has another verdict.
pub(super) fn settle(
    session: &Session<'_>,
    spec: &ToolSpec,
    running: &Running<'_, '_>,
    seeds: &mut [Finished],
) -> Result<(), Trouble> {
    if !seeds.iter().any(|seed| chance::is_doubtful(&seed.report)) {
        return Ok(());
    }
    let options = VerifierOptions { file_order: true, ..spec.options.clone() };
    let in_order = spec.resolve_with(&session.registry, &options).map(Arc::new)?;
    let supervisor = session.supervisor([running.verifier, &in_order], true);
    // A cached verdict is no run.
    let again = Running { supervisor: &supervisor, cache: None, ..running.clone() };
    let by_chance = session.plain_executor(&again)?;
    let in_order = session.plain_executor(&Running { verifier: &in_order, ..again.clone() })?;
    for seed in seeds.iter_mut().filter(|seed| chance::is_doubtful(&seed.report)) {
        chance::settle(seed, &*by_chance, &*in_order);
    }
    Ok(())
}
