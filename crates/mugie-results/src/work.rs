//! The solver work of a program: which problems the solver gets, and how much work they take.
//!
//! Two programs with equal problems are the same to the solver, however different they look; an
//! increase in work announces that a proof is about to break. Problems are known for programs whose
//! solver was tapped; the work also where the verifier itself reports it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Digits of a problem's hash: enough to distinguish all problems of a campaign. It must not
/// change, as stores contain these hashes.
const DIGITS: usize = 16;

/// The relevant parts of a solver query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query<'q> {
    /// The procedure that the query belongs to, by its name in the verdict, if that is known.
    pub procedure: Option<&'q str>,
    /// The number of earlier queries in the same dialogue.
    pub number: u32,
    /// The query fingerprint: a hash of everything that the answer depends on.
    pub fingerprint: &'q str,
    /// The solver's resource count.
    pub resources: Option<u64>,
}

/// The solver work of a program, by procedure of the seed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolverWork(
    /// For each procedure, the work that decides whether it verifies. The empty name stands for the
    /// queries whose procedure is not known.
    pub BTreeMap<String, GoalWork>,
);

/// The solver work for one procedure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalWork {
    /// A short hash of the problem, if it is known. For the same solver, equal hashes mean the same
    /// problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The solver's resource count, if it is known; the same in every run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<u64>,
}

impl SolverWork {
    /// The work of a program's queries; `in_seed` maps a procedure's name to its name in the seed.
    /// `reported` is the work on verified procedures, as the verifier reports it, for those whose
    /// queries are not known. `None` if nothing is known.
    pub fn new<'n>(
        queries: impl IntoIterator<Item = Query<'n>>,
        reported: impl IntoIterator<Item = (&'n str, u64)>,
        in_seed: impl Fn(&'n str) -> &'n str,
    ) -> Option<SolverWork> {
        // Later queries of a procedure only look for more errors.
        let deciding = queries.into_iter().filter(|query| query.number == 0);
        let mut procedures: BTreeMap<&str, Vec<Query<'n>>> = BTreeMap::new();
        for query in deciding {
            let name = query.procedure.map_or("", &in_seed);
            procedures.entry(name).or_default().push(query);
        }
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for (name, count) in reported {
            *counts.entry(in_seed(name)).or_default() += count;
        }
        let has_counts = !counts.is_empty();
        let tasks = procedures.into_iter().map(|(name, queries)| {
            let fingerprints = queries.iter().map(|query| query.fingerprint);
            let problem = Some(short_hash(fingerprints.collect()));
            // A sum over some procedures says little if the counts of each are known.
            let known = queries.iter().map(|query| query.resources).sum();
            let effort = if name.is_empty() && has_counts { None } else { known };
            (name.to_owned(), GoalWork { problem, effort })
        });
        let mut tasks: BTreeMap<String, GoalWork> = tasks.collect();
        for (name, count) in counts {
            let task = tasks.entry(name.to_owned()).or_default();
            task.effort = task.effort.or(Some(count));
        }
        (!tasks.is_empty()).then_some(SolverWork(tasks))
    }

    /// The largest ratio between a procedure's work and its work in the `seed`, if both are known
    /// for any procedure.
    pub fn effort_over(&self, seed: &SolverWork) -> Option<f64> {
        let ratios = self.0.iter().filter_map(|(procedure, task)| {
            let (effort, of_seed) = (task.effort?, seed.0.get(procedure)?.effort?);
            (of_seed > 0).then(|| float(effort) / float(of_seed))
        });
        ratios.max_by(f64::total_cmp)
    }

    /// A short hash of all problems, independent of the procedures' names; `None` if they are not
    /// known.
    pub fn problem(&self) -> Option<String> {
        let problems: Vec<&str> =
            self.0.values().filter_map(|task| task.problem.as_deref()).collect();
        (!problems.is_empty()).then(|| short_hash(problems))
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of work are far below 2^53")]
fn float(count: u64) -> f64 {
    count as f64
}

/// A hash of the words, independent of their order.
fn short_hash(mut words: Vec<&str>) -> String {
    words.sort_unstable();
    let mut hash = blake3::hash(words.join(" ").as_bytes()).to_hex().to_string();
    hash.truncate(DIGITS);
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query<'q>(procedure: &'q str, number: u32, fingerprint: &'q str, work: u64) -> Query<'q> {
        Query { procedure: Some(procedure), number, fingerprint, resources: Some(work) }
    }

    fn work<'q>(queries: impl IntoIterator<Item = Query<'q>>) -> Option<SolverWork> {
        SolverWork::new(queries, [], |name| name)
    }

    #[test]
    fn the_first_query_of_a_procedure_is_what_counts() {
        let queries = [query("p", 0, "a", 5), query("p", 1, "b", 100), query("q", 0, "c", 7)];
        let asked = work(queries).unwrap();
        assert_eq!(asked.0["p"].effort, Some(5));
        assert_eq!(work([queries[0]]).unwrap().0["p"], asked.0["p"]);
        assert_eq!(work([]), None);
    }

    #[test]
    fn implementations_of_a_procedure_are_taken_together() {
        let queries = [query("p", 0, "a", 5), query("p", 0, "b", 6)];
        let asked = work(queries).unwrap();
        assert_eq!(asked.0["p"].effort, Some(11));
        let turned = [queries[1], queries[0]];
        assert_eq!(work(turned).unwrap(), asked);
        let other = [queries[0], query("p", 0, "c", 6)];
        assert_ne!(work(other).unwrap().problem(), asked.problem());
    }

    #[test]
    fn the_procedure_that_grew_most_tells_the_effort() {
        let asked = |queries: &[Query<'static>]| work(queries.iter().copied()).unwrap();
        let seed = asked(&[query("p", 0, "a", 10), query("q", 0, "b", 100), query("r", 0, "c", 0)]);
        let mutant =
            asked(&[query("p", 0, "d", 35), query("q", 0, "e", 90), query("r", 0, "c", 9)]);
        assert_eq!(mutant.effort_over(&seed), Some(3.5));
        assert_eq!(mutant.effort_over(&asked(&[query("x", 0, "a", 1)])), None);
    }

    #[test]
    fn hashes_are_those_that_stores_have() {
        let queries = [query("p", 0, "a", 5), query("q", 0, "b", 6)];
        let asked = work(queries).unwrap();
        assert_eq!(asked.0["p"].problem.as_deref(), Some("17762fddd969a453"));
        assert_eq!(asked.problem().as_deref(), Some("b2b1094d520bbbd3"));
    }

    #[test]
    fn names_of_procedures_have_no_part_in_the_problem() {
        let queries = [query("p", 0, "a", 5), query("q", 0, "b", 6)];
        let renamed = [query("x", 0, "a", 5), query("q", 0, "b", 6)];
        let asked = work(queries).unwrap();
        assert_eq!(work(renamed).unwrap().problem(), asked.problem());
        let in_seed = |name| if name == "x" { "p" } else { name };
        assert_eq!(SolverWork::new(renamed, [], in_seed).unwrap(), asked);
    }

    #[test]
    fn what_the_verifier_reports_stands_in_for_queries() {
        let same = |name| name;
        let alone = SolverWork::new([], [("p", 5), ("q", 6), ("q", 7)], same).unwrap();
        assert_eq!((alone.0["p"].effort, alone.0["q"].effort), (Some(5), Some(13)));
        assert_eq!(alone.problem(), None);
        // A query of which nothing is known but its problem.
        let nameless = Query { procedure: None, ..query("", 0, "a", 9) };
        let both = SolverWork::new([nameless], [("p", 5)], same).unwrap();
        assert_eq!((both.0["p"].effort, both.0[""].effort), (Some(5), None));
        assert_eq!(both.problem(), work([query("p", 0, "a", 1)]).unwrap().problem());
        assert_eq!(work([nameless]).unwrap().0[""].effort, Some(9));
        // The deciding query is what counts.
        let queries = [query("p", 0, "a", 9), query("p", 1, "b", 9)];
        let asked = SolverWork::new(queries, [("p", 5)], same).unwrap();
        assert_eq!(asked.0["p"].effort, Some(9));
    }
}
