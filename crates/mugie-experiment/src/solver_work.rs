//! From what a tap recorded to what a program puts to the solver.

use mugie_results::{Query, SolverWork};
use mugie_verifiers::tap::QueryRecord;

/// What a program puts to the solver; `in_seed` tells what a goal is called in the seed. `None` if
/// nothing is known.
pub fn solver_work<'n>(
    queries: &'n [QueryRecord],
    in_seed: impl Fn(&'n str) -> &'n str,
) -> Option<SolverWork> {
    let queries = queries.iter().map(|query| Query {
        procedure: query.procedure.as_deref(),
        number: query.number,
        fingerprint: &query.fingerprint,
        resources: query.resources,
    });
    SolverWork::new(queries, in_seed)
}
