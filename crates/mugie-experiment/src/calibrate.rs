//! Compares the own run of the tool that made a seed with the verifier's run on the seed: the same goals, the same
//! outcomes, the same queries.
//!
//! A test of the seed says something about the user's tool only as far as the two are the same. How the runs were made
//! is of no concern here.

use mugie_core::{GoalRun, Location, Obligation};
use mugie_results::calibration::{CalibratedGoal, Calibration, QueryMatch};
use mugie_verifiers::smt::{NormalForm, QueryDifference};

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// What the two have in common.
    pub calibration: Calibration,
    /// The places of proof obligations: in the seed, and the same in the user's source.
    pub places: Vec<(Location, Obligation)>,
}

/// Compares the tool's goals with the verifier's. `query` is the query that the verifier logged under a name.
pub fn compare(
    tool: &str,
    own: &[GoalRun],
    verifiers: &[GoalRun],
    query: &dyn Fn(&str) -> Option<String>,
) -> Compared {
    let mut places = Vec::new();
    let mut left: Vec<&GoalRun> = verifiers.iter().collect();
    let goals = own.iter().map(|goal| {
        // Goals of the same name are in the same order in both.
        let place = left.iter().position(|other| other.name == goal.name);
        let other = place.map(|place| left.remove(place));
        places.extend(other.iter().flat_map(|other| same_places(goal, other, query)));
        compare_goal(goal, other, query)
    });
    let goals = goals.collect();
    Compared { calibration: Calibration { tool: tool.to_owned(), goals }, places }
}

fn compare_goal(
    own: &GoalRun,
    other: Option<&GoalRun>,
    query: &dyn Fn(&str) -> Option<String>,
) -> CalibratedGoal {
    let (queries, causes) = match other {
        None => (QueryMatch::NotCompared, vec!["the verifier does not name it".to_owned()]),
        Some(other) => compare_queries(own, other, query),
    };
    CalibratedGoal {
        name: own.name.clone(),
        tool: own.outcome(),
        verifier: other.map(GoalRun::outcome),
        tool_resources: own.resources(),
        verifier_resources: other.and_then(GoalRun::resources),
        queries,
        causes,
        disagrees: false,
    }
}

/// Compares the queries of a goal, batch by batch.
fn compare_queries(
    own: &GoalRun,
    other: &GoalRun,
    query: &dyn Fn(&str) -> Option<String>,
) -> (QueryMatch, Vec<String>) {
    let (mine, others) = (own.batches.len(), other.batches.len());
    let Some(pairs) = pairs(own, other, query) else {
        let cause = format!("{mine} batches of proof obligations instead of {others}");
        return (QueryMatch::Different, vec![cause]);
    };
    let mut found = QueryDifference::default();
    for (number, partner) in pairs {
        let Some(difference) = batch_difference(own, number, (other, partner), query) else {
            return (QueryMatch::NotCompared, vec!["a query is not known".to_owned()]);
        };
        found.text |= difference.text;
        found.order |= difference.order;
        found.nesting |= difference.nesting;
        found.repetition |= difference.repetition;
        found.assertions.0 += difference.assertions.0;
        found.assertions.1 += difference.assertions.1;
        found.options.extend(difference.options);
    }
    found.options.sort();
    found.options.dedup();
    let same = QueryDifference { text: found.text, ..QueryDifference::default() };
    let matched = if found == same {
        QueryMatch::Same
    } else if found.is_immaterial() {
        QueryMatch::SameForm
    } else {
        QueryMatch::Different
    };
    let mut causes = causes(&found);
    if others > mine {
        let cause =
            format!("proof obligations that the tool simplifies to `true`: {}", others - mine);
        causes.push(cause);
    }
    let matched =
        if others > mine && matched == QueryMatch::Same { QueryMatch::SameForm } else { matched };
    (matched, causes)
}

/// The batches of the verifier that the batches of the tool correspond to. The verifier may have more, of obligations that
/// the tool simplifies away; then the others must ask the same.
fn pairs(
    own: &GoalRun,
    other: &GoalRun,
    query: &dyn Fn(&str) -> Option<String>,
) -> Option<Vec<(usize, usize)>> {
    if own.batches.len() == other.batches.len() {
        return Some((0..own.batches.len()).map(|number| (number, number)).collect());
    }
    let mut next = 0;
    let mut pairs = Vec::new();
    for number in 0..own.batches.len() {
        let asks_the_same = |partner: &usize| {
            let difference = batch_difference(own, number, (other, *partner), query);
            difference.is_some_and(|difference| difference.is_immaterial())
        };
        let partner = (next..other.batches.len()).find(asks_the_same)?;
        pairs.push((number, partner));
        next = partner + 1;
    }
    Some(pairs)
}

/// How the queries of two batches differ, if both are known.
fn batch_difference(
    own: &GoalRun,
    number: usize,
    (other, partner): (&GoalRun, usize),
    query: &dyn Fn(&str) -> Option<String>,
) -> Option<QueryDifference> {
    let log = own.log.as_ref()?;
    let whole = || query(log).filter(|_| other.batches.len() == 1);
    let theirs = query(&format!("{log}_split{partner}")).or_else(whole)?;
    let mine = own.batches.get(number)?.query.as_ref()?;
    Some(NormalForm::of(mine)?.difference(&NormalForm::of(&theirs)?))
}

/// A difference in lower-case fragments.
fn causes(difference: &QueryDifference) -> Vec<String> {
    let QueryDifference { text, order, nesting, repetition, options, assertions } = difference;
    let (mine, others) = assertions;
    let mut causes = Vec::new();
    if (*mine, *others) != (0, 0) {
        causes.push(format!("{mine} assertions of the tool and {others} of the verifier differ"));
    }
    if !options.is_empty() {
        causes.push(format!("solver options: {}", options.join(" ")));
    }
    let forms = [
        (*order, "the order of assertions"),
        (*nesting, "the nesting of conjunctions"),
        (*repetition, "axioms that are repeated"),
    ];
    causes.extend(forms.iter().filter(|(is, _)| *is).map(|(_, words)| (*words).to_owned()));
    if *text && causes.is_empty() {
        causes.push("generated names, labels and definitions".to_owned());
    }
    causes
}

/// The places of the same proof obligations in both, if there are as many in each batch.
fn same_places(
    own: &GoalRun,
    other: &GoalRun,
    query: &dyn Fn(&str) -> Option<String>,
) -> Vec<(Location, Obligation)> {
    let pairs = pairs(own, other, query).unwrap_or_default().into_iter();
    let batches = pairs.map(|(number, partner)| (&own.batches[number], &other.batches[partner]));
    batches
        .filter(|(own, other)| own.obligations.len() == other.obligations.len())
        .flat_map(|(own, other)| own.obligations.iter().zip(&other.obligations))
        .map(|(own, other)| (other.place.clone(), own.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mugie_core::{ObligationBatch, Outcome};

    fn obligation(line: u32, description: Option<&str>) -> Obligation {
        let place = Location { file: "x".to_owned(), line, column: 1 };
        Obligation { place, description: description.map(str::to_owned) }
    }

    fn goal(outcome: Outcome, query: Option<&str>, obligation: Obligation) -> GoalRun {
        let batch = ObligationBatch {
            outcome,
            resources: Some(7),
            obligations: vec![obligation],
            query: query.map(str::to_owned),
        };
        GoalRun { name: "p".to_owned(), log: Some("Impl__p".to_owned()), batches: vec![batch] }
    }

    const QUERY: &str = "(declare-fun a () Bool)(assert (and a (or a a)))(check-sat)";

    fn compared(tools: Outcome, verifiers: Outcome, query: Option<&str>) -> Compared {
        let own = goal(tools, Some(QUERY), obligation(1, Some("it holds")));
        let ours = goal(verifiers, None, obligation(9, None));
        let logged = |name: &str| (name == "Impl__p").then(|| query.map(str::to_owned)).flatten();
        compare("Tool 1", &[own], &[ours], &logged)
    }

    #[test]
    fn goals_are_the_same_if_outcomes_and_questions_are() {
        use Outcome::{Failed, Verified};
        let one = |compared: Compared| compared.calibration.goals.into_iter().next().unwrap();
        let renamed = QUERY.replace('a', "b").replace("bnd", "and").replace("declbre", "declare");
        let renamed = renamed.replace("bssert", "assert").replace("check-sbt", "check-sat");
        let same = one(compared(Verified, Verified, Some(&renamed)));
        assert!(same.is_same() && same.queries == QueryMatch::Same, "{same:?}");
        let other = one(compared(Verified, Verified, Some("(assert false)(check-sat)")));
        assert!(!other.is_same() && other.queries == QueryMatch::Different, "{other:?}");
        let unknown = one(compared(Verified, Verified, None));
        assert!(!unknown.is_same() && unknown.queries == QueryMatch::NotCompared);
        let disagreeing = one(compared(Failed, Verified, Some(QUERY)));
        assert!(!disagreeing.is_same() && disagreeing.has_other_verdict());
        let missing =
            compare("Tool 1", &[goal(Verified, None, obligation(1, None))], &[], &|_| None);
        assert!(!one(missing).is_same());
    }

    #[test]
    fn proof_obligations_are_paired_by_their_order() {
        let places = compared(Outcome::Verified, Outcome::Verified, None).places;
        let [(seed, own)] = &places[..] else { panic!("{places:?}") };
        assert_eq!((seed.line, own.place.line), (9, 1));
        assert_eq!(own.description.as_deref(), Some("it holds"));
    }
}
