//! The solver work of a program, from the records of a tap and from what the verifier reports.

use std::collections::BTreeSet;

use mugie_core::{Outcome, Verdict};
use mugie_results::{Query, SolverWork};
use mugie_verifiers::tap::QueryRecord;

/// The solver work of a program; `in_seed` maps a goal's name to its name in the seed. `None` if
/// nothing is known.
pub fn solver_work<'n>(
    verdict: &'n Verdict,
    queries: &'n [QueryRecord],
    in_seed: impl Fn(&'n str) -> &'n str,
) -> Option<SolverWork> {
    let queries = queries.iter().map(|query| Query {
        procedure: query.goal.as_deref(),
        number: query.number,
        fingerprint: &query.fingerprint,
        resources: query.resources,
    });
    SolverWork::new(queries, reported(verdict), in_seed)
}

/// The counts that the verifier reports for procedures. The count of one that is not verified
/// includes the search for more errors.
fn reported(verdict: &Verdict) -> impl Iterator<Item = (&str, u64)> {
    let unknown = verdict
        .procedures
        .iter()
        .filter(|it| it.outcome != Outcome::Verified || it.resources.is_none());
    let unknown: BTreeSet<&str> = unknown.map(|it| it.name.as_str()).collect();
    let known = verdict.procedures.iter().filter(move |it| !unknown.contains(it.name.as_str()));
    known.filter_map(|it| Some((it.name.as_str(), it.resources?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mugie_core::Procedure;

    #[test]
    fn only_counts_of_verified_procedures_are_used() {
        let procedure = |name: &str, outcome, resources| Procedure {
            name: name.to_owned(),
            outcome,
            failures: Vec::new(),
            seconds: None,
            resources,
        };
        let verdict = Verdict {
            procedures: vec![
                procedure("p", Outcome::Verified, Some(5)),
                procedure("q", Outcome::Verified, Some(6)),
                procedure("q", Outcome::Failed, Some(7)),
                procedure("r", Outcome::Verified, None),
            ],
            ..Verdict::of_program(Outcome::Failed, "`q` failed")
        };
        let work = solver_work(&verdict, &[], |name| name).unwrap();
        assert_eq!(work.0.keys().collect::<Vec<_>>(), ["p"]);
        assert_eq!(work.0["p"].effort, Some(5));
    }
}
