//! Whether all mutants of a seed can be taken, for commands that are asked for all of them.

use std::sync::Arc;

use mugie_core::{Closure, Focus, Program, Weights};

use crate::messages::Trouble;

/// The most mutants that `--exhaustive` takes without a number. Raising it lets commands run for hours that
/// nobody asked for.
pub(crate) const MOST: usize = 1000;

/// Fails if the operators reach more mutants of a seed than [`MOST`].
pub(crate) fn check(
    name: &str,
    seed: &Arc<dyn Program>,
    weights: &Weights,
    focus: Focus,
) -> Result<(), Trouble> {
    let mut all = Closure::new(seed, weights, MOST + 1).within(focus);
    // Mutants that are left out later do count.
    if all.by_ref().count() <= MOST {
        return Ok(());
    }
    let words = format!("{name}: the operators reach more than {MOST} mutants");
    Err(Trouble::new(words).help("say how many to take with -n, nearest to the seed first"))
}
