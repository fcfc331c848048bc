//! What Boogie 3 says in its XML file and does not print: whether the solver ran out of time.
//!
//! An assertion that is alone in its verification condition is printed as an error that could not be
//! proved even if the solver was stopped at a limit. The XML file has the solver's outcome for each
//! batch of assertions.

use std::collections::BTreeMap;

use roxmltree::{Document, Node};

use super::super::who;
use mugie_core::{GoalRun, Location, Obligation, ObligationBatch, Outcome, Procedure, Verdict};

/// The verdict with the outcomes of procedures whose only failures are limits of the solver.
/// Details that do not fit the verdict, or are incomplete, change nothing.
pub(super) fn refine(mut verdict: Verdict, details: &str) -> Verdict {
    if verdict.outcome != Outcome::Failed {
        return verdict;
    }
    let Ok(document) = Document::parse(details) else { return verdict };
    let mut methods: BTreeMap<&str, Vec<Node<'_, '_>>> = BTreeMap::new();
    for method in document.root_element().children().filter(|node| node.has_tag_name("method")) {
        methods.entry(method.attribute("name").unwrap_or_default()).or_default().push(method);
    }
    let mut procedures: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, procedure) in verdict.procedures.iter().enumerate() {
        procedures.entry(&procedure.name).or_default().push(place);
    }
    let mut found: Vec<(usize, Outcome)> = Vec::new();
    for (name, places) in procedures {
        // Implementations of the same procedure are in the same order in both.
        let Some(methods) = methods.get(name).filter(|it| it.len() == places.len()) else {
            continue;
        };
        for (place, method) in places.into_iter().zip(methods) {
            if let Some(outcome) = limit(&verdict.procedures[place], *method) {
                found.push((place, outcome));
            }
        }
    }
    for (place, outcome) in found {
        verdict.procedures[place].outcome = outcome;
    }
    let worst = verdict.procedures.iter().map(|procedure| procedure.outcome).max();
    if let Some(worst) = worst.filter(|worst| *worst != Outcome::Failed) {
        verdict.outcome = worst;
        verdict.reason = who(&verdict.procedures, worst);
    }
    verdict
}

/// The goals in the file, with their proof obligations in the order of the file. Places are as Boogie has them.
pub(super) fn goals(details: &str) -> Vec<GoalRun> {
    let details = details.trim_start_matches('\u{feff}');
    let Ok(document) = Document::parse(details) else { return Vec::new() };
    let methods = document.root_element().children().filter(|node| node.has_tag_name("method"));
    let goal = |method: Node<'_, '_>| {
        let mut batches: Vec<(u32, ObligationBatch)> = method
            .children()
            .filter(|node| node.has_tag_name("assertionBatch"))
            .map(batch)
            .collect();
        batches.sort_by_key(|(number, _)| *number);
        let batches = batches.into_iter().map(|(_, batch)| batch).collect();
        Some(GoalRun { name: method.attribute("name")?.to_owned(), log: None, batches })
    };
    methods.filter_map(goal).collect()
}

/// A batch of proof obligations, and its number.
fn batch(node: Node<'_, '_>) -> (u32, ObligationBatch) {
    let end = conclusion(node);
    let attribute = |name: &str| end.and_then(|end| end.attribute(name));
    let outcome = match attribute("outcome") {
        Some("valid") => Outcome::Verified,
        Some("invalid") => Outcome::Failed,
        Some("timeout") => Outcome::TimedOut,
        Some("outofresource") => Outcome::OutOfResource,
        Some("outofmemory") => Outcome::OutOfMemory,
        Some(_) => Outcome::Inconclusive,
        None => Outcome::ToolError,
    };
    let obligations =
        node.children().filter(|node| node.has_tag_name("assertion")).filter_map(|node| {
            let number = |name: &str| node.attribute(name)?.parse().ok();
            let file = node.attribute("file")?.to_owned();
            let place = Location { file, line: number("line")?, column: number("column")? };
            Some(Obligation { place, description: None })
        });
    let number =
        node.attribute("number").and_then(|number| number.parse().ok()).unwrap_or(u32::MAX);
    let resources = attribute("resourceCount").and_then(|count| count.parse().ok());
    (
        number,
        ObligationBatch { outcome, resources, obligations: obligations.collect(), query: None },
    )
}

/// The limit that a procedure ran into, if nothing else is wrong with it.
fn limit(procedure: &Procedure, method: Node<'_, '_>) -> Option<Outcome> {
    let resources = conclusion(method)?.attribute("resourceCount")?.parse().ok();
    if procedure.outcome != Outcome::Failed || procedure.resources != resources {
        return None;
    }
    let batches = method.children().filter(|node| node.has_tag_name("assertionBatch"));
    let outcomes = batches.map(|batch| match conclusion(batch)?.attribute("outcome")? {
        "valid" => Some(Outcome::Verified),
        "timeout" => Some(Outcome::TimedOut),
        "outofresource" => Some(Outcome::OutOfResource),
        "outofmemory" => Some(Outcome::OutOfMemory),
        _ => None,
    });
    let worst = outcomes.collect::<Option<Vec<Outcome>>>()?.into_iter().max()?;
    (worst != Outcome::Verified).then_some(worst)
}

fn conclusion<'a, 'input>(node: Node<'a, 'input>) -> Option<Node<'a, 'input>> {
    node.children().find(|child| child.has_tag_name("conclusion"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Failed, OutOfResource, TimedOut, Verified};

    fn verdict(procedures: &[(&str, Outcome, u64)]) -> Verdict {
        let procedures = procedures.iter().map(|(name, outcome, resources)| Procedure {
            name: (*name).to_owned(),
            outcome: *outcome,
            failures: Vec::new(),
            seconds: None,
            resources: Some(*resources),
        });
        Verdict { procedures: procedures.collect(), ..Verdict::of_program(Failed, "so it is") }
    }

    fn method(name: &str, resources: u64, batches: &[&str]) -> String {
        let batch = |outcome: &&str| {
            format!(
                "<assertionBatch><assertion/><conclusion outcome=\"{outcome}\"/></assertionBatch>"
            )
        };
        let batches = batches.iter().map(batch).collect::<Vec<_>>().concat();
        format!(
            "<method name=\"{name}\">{batches}<conclusion resourceCount=\"{resources}\"/></method>"
        )
    }

    fn refined(before: &[(&str, Outcome, u64)], methods: &[String]) -> (Outcome, Vec<Outcome>) {
        let details =
            format!("\u{feff}<?xml version=\"1.0\"?><boogie>{}</boogie>", methods.concat());
        let after = refine(verdict(before), &details);
        (after.outcome, after.procedures.iter().map(|it| it.outcome).collect())
    }

    #[test]
    fn a_limit_is_told_from_a_failure() {
        let before = [("p", Failed, 7), ("q &lt; (x)", Verified, 3)];
        let before = [before[0], ("q < (x)", before[1].1, before[1].2)];
        let q = method("q &lt; (x)", 3, &["valid"]);
        for (batches, outcome) in [
            (&["timeout"][..], TimedOut),
            (&["outofresource"], OutOfResource),
            (&["valid", "outofresource", "timeout"], TimedOut),
            (&["valid", "invalid", "timeout"], Failed),
            (&["valid"], Failed),
            (&["timeout", "undetermined"], Failed),
            (&[], Failed),
        ] {
            let after = refined(&before, &[method("p", 7, batches), q.clone()]);
            assert_eq!(after, (outcome, vec![outcome, Verified]), "{batches:?}");
        }
        let details = format!("<boogie>{}</boogie>", method("p", 7, &["timeout"]));
        let after = refine(verdict(&before), &details);
        assert_eq!(after.reason.as_deref(), Some("`p` timed out"));
    }

    #[test]
    fn a_failure_of_another_procedure_stays() {
        let before = [("p", Failed, 7), ("q", Failed, 8), ("p", Failed, 9)];
        let methods =
            [method("p", 7, &["invalid"]), method("p", 9, &["timeout"]), method("q", 8, &[])];
        assert_eq!(refined(&before, &methods), (Failed, vec![Failed, Failed, TimedOut]));
    }

    #[test]
    fn details_that_do_not_fit_change_nothing() {
        let before = [("p", Failed, 7)];
        for methods in [
            vec![method("p", 8, &["timeout"])],
            vec![method("q", 7, &["timeout"])],
            vec![method("p", 7, &["timeout"]), method("p", 7, &["timeout"])],
            vec!["<method name=\"p\"/>".to_owned()],
            vec!["<method".to_owned()],
        ] {
            assert_eq!(refined(&before, &methods), (Failed, vec![Failed]), "{methods:?}");
        }
        for details in ["", "<", "\0", "<boogie>"] {
            assert_eq!(refine(verdict(&before), details), verdict(&before));
        }
    }
}
