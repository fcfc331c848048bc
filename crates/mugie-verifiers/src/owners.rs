//! Which goal of a verdict each query to the solver belongs to.
//!
//! A verifier may name goals for the solver in another way than for people, or not at all. Then the
//! order of its verdict tells: goals are verified one after the other, each in one conversation or
//! several, and the solver's resource counts of these add up to the count that the verifier reports
//! for the goal. If more than one assignment is possible, or none, only names count; a query whose
//! goal is not certain has none.
//!
//! This module must not know which verifier it is: how a name is made for a part of a goal is in a
//! [`Style`].

use std::collections::BTreeMap;

use mugie_core::{Procedure, Verdict};

use crate::smt::Style;
use crate::tap::QueryRecord;

/// The share of a goal's resource count by which the sum of its conversations may differ if the
/// solver was stopped in one of them: its count is not always exact then.
const STOPPED: f64 = 0.01;

/// Writes to each query the goal that it belongs to, and the number of its conversation among those
/// of the goal. `is_stopped` tells whether the solver was stopped before it could answer.
pub(crate) fn assign(
    queries: &mut [QueryRecord],
    verdict: &Verdict,
    style: &Style,
    is_stopped: impl Fn(&QueryRecord) -> bool,
) {
    let goals = &verdict.procedures;
    let conversations = conversations(queries, is_stopped);
    let named: Vec<Option<&str>> =
        conversations.iter().map(|it| it.goal_by_name(goals, style)).collect();
    let owners = by_order(&conversations, &named, goals, 0.0)
        .or_else(|| by_order(&conversations, &named, goals, STOPPED))
        .unwrap_or(named);
    let mut parts: BTreeMap<&str, u32> = BTreeMap::new();
    let mut found: Vec<(usize, String, u32)> = Vec::new();
    for (conversation, owner) in conversations.iter().zip(owners) {
        let Some(goal) = owner else { continue };
        let part = parts.entry(goal).or_default();
        *part += 1;
        let members = conversation.members.iter();
        found.extend(members.map(|&place| (place, goal.to_owned(), *part)));
    }
    for (place, goal, part) in found {
        queries[place].goal = Some(goal);
        queries[place].part = Some(part);
    }
}

/// The queries between two resets of the solver: one verification condition.
struct Conversation {
    /// The places of its queries.
    members: Vec<usize>,
    process: u32,
    /// When the process was started, and when the last query was answered.
    between: (i64, i64),
    /// The verifier's name for it.
    name: Option<String>,
    /// The fingerprint of its first query.
    fingerprint: String,
    /// The resource count of all of its queries, if it is known.
    resources: Option<u64>,
    /// Whether the solver was stopped in it.
    is_stopped: bool,
}

/// The conversations, in the order in which they began.
fn conversations(
    queries: &[QueryRecord],
    is_stopped: impl Fn(&QueryRecord) -> bool,
) -> Vec<Conversation> {
    let mut conversations: Vec<Conversation> = Vec::new();
    let mut last: BTreeMap<u32, usize> = BTreeMap::new();
    for (place, query) in queries.iter().enumerate() {
        if query.number == 0 {
            last.insert(query.process, conversations.len());
            conversations.push(Conversation {
                members: Vec::new(),
                process: query.process,
                between: query.between,
                name: query.procedure.clone(),
                fingerprint: query.fingerprint.clone(),
                resources: Some(0),
                is_stopped: false,
            });
        }
        let current = last.get(&query.process).and_then(|&place| conversations.get_mut(place));
        let Some(current) = current else { continue };
        current.members.push(place);
        current.between.1 = query.between.1;
        current.resources = current.resources.zip(query.resources).map(|(sum, more)| sum + more);
        current.is_stopped |= is_stopped(query);
    }
    conversations
}

impl Conversation {
    /// The goal with the name of the conversation, or whose part has that name.
    fn goal_by_name<'g>(&self, goals: &'g [Procedure], style: &Style) -> Option<&'g str> {
        let name = self.name.as_deref()?;
        let find = |name: &str| goals.iter().map(|goal| goal.name.as_str()).find(|it| *it == name);
        find(name).or_else(|| find(style.whole(name)?))
    }
}

/// The owners by the order of goals and by their resource counts, if that leaves one possibility.
/// Counts of a solver that was stopped may differ by the share `inexact`.
fn by_order<'g>(
    conversations: &[Conversation],
    named: &[Option<&str>],
    goals: &'g [Procedure],
    inexact: f64,
) -> Option<Vec<Option<&'g str>>> {
    if are_mixed(conversations) {
        return None;
    }
    // For each number of goals: the possible numbers of conversations that belong to them, and how
    // many of these come before the last goal, unless there are two ways.
    let mut steps: Vec<BTreeMap<usize, Option<usize>>> = vec![[(0, Some(0))].into()];
    for (place, goal) in goals.iter().enumerate() {
        let mut next: BTreeMap<usize, Option<usize>> = BTreeMap::new();
        let is_last = place + 1 == goals.len();
        for (&start, way) in steps.last()? {
            let rest = Rest { conversations, named, start };
            for end in rest.ends(goal, is_last, inexact) {
                next.entry(end).and_modify(|way| *way = None).or_insert(way.map(|_| start));
            }
        }
        steps.push(next);
    }
    let mut owners = vec![None; conversations.len()];
    let mut end = conversations.len();
    for (goal, step) in goals.iter().zip(&steps[1..]).rev() {
        let start = (*step.get(&end)?)?;
        owners[start..end].fill(Some(goal.name.as_str()));
        end = start;
    }
    Some(owners)
}

/// Whether conversations may be in another order than their goals: of two solvers that run at the
/// same time, either may end first, and an equal resource count does not tell whose it was.
fn are_mixed(conversations: &[Conversation]) -> bool {
    let mut processes: BTreeMap<u32, (i64, i64)> = BTreeMap::new();
    for Conversation { process, between: (start, end), .. } in conversations {
        let span = processes.entry(*process).or_insert((*start, *end));
        span.1 = span.1.max(*end);
    }
    let mut spans: Vec<(i64, i64)> = processes.into_values().collect();
    spans.sort_unstable();
    if spans.windows(2).all(|pair| pair[0].1 <= pair[1].0) {
        return false;
    }
    let mut seen: BTreeMap<Option<u64>, &str> = BTreeMap::new();
    conversations.iter().any(|it| {
        let other = seen.insert(it.resources, &it.fingerprint);
        other.is_some_and(|fingerprint| fingerprint != it.fingerprint)
    })
}

/// The conversations from `start` on.
struct Rest<'c> {
    conversations: &'c [Conversation],
    named: &'c [Option<&'c str>],
    start: usize,
}

impl Rest<'_> {
    /// The possible ends of the conversations about a goal.
    fn ends(&self, goal: &Procedure, is_last: bool, inexact: f64) -> Vec<usize> {
        let fits = |place: usize| self.named[place].is_none_or(|name| name == goal.name);
        let Some(wanted) = goal.resources else {
            // The verifier was stopped in this goal: the rest belongs to it.
            let rest = self.start..self.conversations.len();
            return if is_last && rest.clone().all(fits) { vec![rest.end] } else { Vec::new() };
        };
        let mut ends = Vec::new();
        let (mut sum, mut is_stopped) = (0, false);
        if wanted == 0 {
            ends.push(self.start);
        }
        for (place, conversation) in self.conversations.iter().enumerate().skip(self.start) {
            let Some(more) = conversation.resources.filter(|_| fits(place)) else { break };
            sum += more;
            is_stopped |= conversation.is_stopped;
            let tolerance = if is_stopped { float(wanted) * inexact } else { 0.0 };
            if float(sum.abs_diff(wanted)) <= tolerance {
                ends.push(place + 1);
            } else if sum > wanted {
                break;
            }
        }
        ends
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of work are far below 2^53")]
fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use mugie_core::Outcome;

    fn verdict(goals: &[(&str, Option<u64>)]) -> Verdict {
        let procedures = goals.iter().map(|(name, resources)| Procedure {
            name: (*name).to_owned(),
            outcome: Outcome::Verified,
            failures: Vec::new(),
            seconds: None,
            resources: *resources,
        });
        Verdict {
            procedures: procedures.collect(),
            ..Verdict::of_program(Outcome::Verified, "as it is")
        }
    }

    fn query(procedure: &str, number: u32, resources: u64) -> QueryRecord {
        QueryRecord {
            process: 1,
            procedure: (!procedure.is_empty()).then(|| procedure.to_owned()),
            number,
            fingerprint: format!("{procedure} {resources}"),
            answer: "unsat".to_owned(),
            resources: Some(resources),
            ..QueryRecord::default()
        }
    }

    /// The owners of the queries, such as `p1` for the first conversation about `p`.
    fn owners(mut queries: Vec<QueryRecord>, goals: &[(&str, Option<u64>)]) -> Vec<String> {
        let is_stopped = |query: &QueryRecord| query.answer == "unknown";
        assign(&mut queries, &verdict(goals), Style::usual(), is_stopped);
        let owner = |query: &QueryRecord| match (&query.goal, query.part) {
            (Some(goal), Some(part)) => format!("{goal}{part}"),
            _ => "?".to_owned(),
        };
        queries.iter().map(owner).collect()
    }

    #[test]
    fn names_tell() {
        let queries = || vec![query("p", 0, 1), query("q_split0", 0, 2), query("q_split1", 0, 3)];
        let goals = [("p", None), ("q", None)];
        assert_eq!(owners(queries(), &goals), ["p1", "q1", "q2"]);
        // The name of a goal of its own, and the name of none.
        let goals = [("q_split0", None), ("q", None)];
        assert_eq!(owners(queries(), &goals), ["?", "q_split01", "q1"]);
        assert_eq!(owners(queries(), &[]), ["?", "?", "?"]);
    }

    #[test]
    fn counts_in_order_tell() {
        let counts = [(0, 5), (0, 7), (1, 3), (0, 5), (0, 9)];
        let queries = |name: &str| -> Vec<QueryRecord> {
            counts.iter().map(|&(number, count)| query(name, number, count)).collect()
        };
        let goals = [("M.P (x)", Some(5)), ("none", Some(0)), ("q", Some(15)), ("r", Some(9))];
        for name in ["", "Impl$$M.P"] {
            let owners = owners(queries(name), &goals);
            assert_eq!(owners, ["M.P (x)1", "q1", "q1", "q2", "r1"], "{name}");
        }
        // Two implementations of a procedure.
        let twice = [("p", Some(5)), ("q", Some(15)), ("p", Some(9))];
        assert_eq!(owners(queries(""), &twice), ["p1", "q1", "q1", "q2", "p2"]);
        // A verifier that was stopped in the last goal.
        let stopped = [("p", Some(5)), ("q", None)];
        assert_eq!(owners(queries(""), &stopped), ["p1", "q1", "q1", "q2", "q3"]);
        for unfit in [
            vec![("p", Some(6)), ("q", Some(24))],
            vec![("p", Some(5))],
            vec![("p", None), ("q", Some(24))],
            vec![("p", Some(5)), ("q", Some(24)), ("r", Some(1))],
        ] {
            assert_eq!(owners(queries(""), &unfit), ["?"; 5], "{unfit:?}");
        }
    }

    #[test]
    fn a_name_goes_before_a_count() {
        // The counts fit, the names do not.
        let queries = vec![query("q", 0, 5), query("p", 0, 7)];
        assert_eq!(owners(queries, &[("p", Some(5)), ("q", Some(7))]), ["q1", "p1"]);
    }

    #[test]
    fn what_is_not_certain_is_not_said() {
        let goals = [("p", Some(5)), ("q", Some(0)), ("r", Some(5))];
        let queries = vec![query("", 0, 5), query("", 0, 0), query("", 0, 5)];
        assert_eq!(owners(queries, &goals), ["?"; 3]);
        // Two solvers, which work at the same time or one after the other.
        let queries = |start, count| {
            let one = QueryRecord { between: (0, 10), ..query("", 0, 5) };
            let between = (start, start + 10);
            let fingerprint = "odd".to_owned();
            vec![one, QueryRecord { process: 2, between, fingerprint, ..query("", 0, count) }]
        };
        let same = [("p", Some(5)), ("q", Some(5))];
        assert_eq!(owners(queries(9, 5), &same), ["?"; 2]);
        assert_eq!(owners(queries(10, 5), &same), ["p1", "q1"]);
        assert_eq!(owners(queries(9, 6), &[("p", Some(5)), ("q", Some(6))]), ["p1", "q1"]);
        assert_eq!(owners(queries(9, 6), &[("q", Some(6)), ("p", Some(5))]), ["?"; 2]);
    }

    #[test]
    fn the_count_of_a_solver_that_was_stopped_is_not_exact() {
        let stopped = |query: QueryRecord| QueryRecord { answer: "unknown".to_owned(), ..query };
        let queries = |last| {
            let stopped = stopped(query("", 0, 10_030));
            vec![query("", 0, 50), stopped, query("", 0, last)]
        };
        let goals = |count| [("p", Some(50)), ("q", Some(count)), ("r", Some(700))];
        assert_eq!(owners(queries(700), &goals(10_000)), ["p1", "q1", "r1"]);
        assert_eq!(owners(queries(700), &goals(9_000)), ["?"; 3]);
        let two = |count| [("p", Some(50)), ("q", Some(count))];
        assert_eq!(owners(queries(7), &two(10_037)), ["p1", "q1", "q2"]);
        assert_eq!(owners(queries(7), &two(10_036)), ["p1", "q1", "q2"]);
        // The last query may belong to either.
        let three = [("p", Some(50)), ("q", Some(10_000)), ("r", Some(0))];
        assert_eq!(owners(queries(0), &three), ["?"; 3]);
    }
}
