//! The XML file in which the Boogie that Carbon runs reports its proof obligations in batches.

use mugie_core::{GoalRun, ObligationBatch, Outcome};
use roxmltree::{Document, Node};

/// The goals in the file. `None` if it is not complete.
pub(crate) fn read(text: &str) -> Option<Vec<GoalRun>> {
    let document = Document::parse(text.trim_start_matches('\u{feff}')).ok()?;
    let methods = document.root_element().children().filter(|it| it.has_tag_name("method"));
    Some(methods.filter_map(goal).collect())
}

/// A goal. Boogie 2 has no batches there, so the outcome of the whole is that of a single one.
fn goal(method: Node<'_, '_>) -> Option<GoalRun> {
    let number = |node: &Node<'_, '_>| node.attribute("number")?.parse::<u32>().ok();
    let mut parts: Vec<Node<'_, '_>> =
        method.children().filter(|it| it.has_tag_name("assertionBatch")).collect();
    parts.sort_by_key(number);
    let batches =
        if parts.is_empty() { vec![batch(method)] } else { parts.into_iter().map(batch).collect() };
    Some(GoalRun { name: method.attribute("name")?.to_owned(), log: None, batches })
}

/// What a node says about its end.
fn batch(node: Node<'_, '_>) -> ObligationBatch {
    let end = node.children().find(|it| it.has_tag_name("conclusion"));
    let attribute = |name: &str| end.and_then(|end| end.attribute(name));
    let outcome = match attribute("outcome") {
        Some("valid" | "correct") => Outcome::Verified,
        Some("invalid" | "errors") => Outcome::Failed,
        Some("timeout" | "timed out") => Outcome::TimedOut,
        Some("outofresource" | "out of resource") => Outcome::OutOfResource,
        Some("outofmemory" | "out of memory") => Outcome::OutOfMemory,
        Some(_) => Outcome::Inconclusive,
        None => Outcome::ToolError,
    };
    let resources = attribute("resourceCount").and_then(|count| count.parse().ok());
    ObligationBatch { outcome, resources, obligations: Vec::new(), query: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_and_work_are_read() {
        let text = "\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<boogie version=\"3.5.5.0\">\
            <error message=\"assertion violation\"/>\
            <method name=\"f#definedness\"><assertionBatch number=\"0\"><assertion line=\"5\"/>\
            <conclusion duration=\"0.1\" outcome=\"valid\" resourceCount=\"63414\" /></assertionBatch>\
            <conclusion outcome=\"correct\" /></method>\
            <method name=\"m\"><conclusion outcome=\"errors\" /></method></boogie>";
        let goals = read(text).unwrap();
        let rows: Vec<_> =
            goals.iter().map(|it| (it.name.as_str(), it.outcome(), it.resources())).collect();
        assert_eq!(
            rows,
            [("f#definedness", Outcome::Verified, Some(63414)), ("m", Outcome::Failed, None)]
        );
        assert_eq!(read("<boogie><method name=\"m\">"), None);
    }
}
