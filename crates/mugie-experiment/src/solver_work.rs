//! Converts the records of a tap to the solver work of a program.

use mugie_results::{Query, SolverWork};
use mugie_verifiers::tap::QueryRecord;

/// The solver work of a program; `in_seed` maps a goal's name to its name in the seed. `None` if
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
