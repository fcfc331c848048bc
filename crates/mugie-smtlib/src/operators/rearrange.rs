//! Writes a query in which the elements of some lists are in another order.

use smt_syntax::NodeId;

use super::{Choice, Site};
use crate::base::Base;
use crate::random::Stream;

/// A list with its elements in another order.
#[derive(Debug)]
pub(super) struct Arranged {
    /// The elements, in their new order.
    pub(super) elements: Vec<NodeId>,
    /// What stands for the first element, if that changes.
    pub(super) head: Option<&'static str>,
}

/// The elements of a list after a choice; those before `first` stay.
pub(super) fn elements(base: &Base, choice: &Choice, list: NodeId, first: usize) -> Vec<NodeId> {
    let mut elements: Vec<NodeId> = base.script.children(list).collect();
    match (choice.random(), choice.how(list)) {
        (Some(random), _) => {
            Stream::of(random, u64::from(list)).shuffle(&mut elements[first..]);
        }
        (None, None) => elements[first..].reverse(),
        (None, Some(how)) => {
            if let Some(order) = parsed(how, elements.len() - first) {
                let moved: Vec<NodeId> = order.iter().map(|it| elements[first + it]).collect();
                elements.truncate(first);
                elements.extend(moved);
            }
        }
    }
    elements
}

/// The lists that a choice changes, each with the order of its elements.
pub(super) fn listed(base: &Base, choice: &Choice, sites: &[u32], first: usize) -> Vec<Site> {
    let site = |at: u32| {
        let old: Vec<NodeId> = base.script.children(at).skip(first).collect();
        let new = &elements(base, choice, at, first)[first..];
        if old == new {
            return None;
        }
        let is_reversed = old.iter().rev().eq(new);
        let number = |node: &NodeId| old.iter().position(|it| it == node).unwrap_or_default();
        let order: Vec<usize> = new.iter().map(number).collect();
        Some(Site { at, how: (!is_reversed).then(|| written(&order)) })
    };
    choice.among(sites).into_iter().filter_map(site).collect()
}

/// Whether a text is an order of the elements of a list.
pub(super) fn is_order(base: &Base, list: NodeId, first: usize, how: &str) -> bool {
    parsed(how, base.script.children(list).count().saturating_sub(first)).is_some()
}

/// An order as text: `3 1 2`.
pub(crate) fn written(order: &[usize]) -> Box<str> {
    let words: Vec<String> = order.iter().map(|it| (it + 1).to_string()).collect();
    words.join(" ").into()
}

/// An order of this number of elements from its text.
pub(crate) fn parsed(how: &str, number: usize) -> Option<Vec<usize>> {
    let order = how.split(' ').map(|it| it.parse::<usize>().ok()?.checked_sub(1));
    let order: Vec<usize> = order.collect::<Option<_>>()?;
    let mut sorted = order.clone();
    sorted.sort_unstable();
    sorted.into_iter().eq(0..number).then_some(order)
}

/// What is left to write.
enum Item {
    Node(NodeId),
    /// A range of the text between nodes.
    Text(usize, usize),
    Head(&'static str),
}

/// Writes the query; `arrange` says how a chosen list is written. The nodes are in ascending order.
pub(super) fn write(
    base: &Base,
    chosen: &[NodeId],
    arrange: &dyn Fn(NodeId) -> Arranged,
    out: &mut Vec<u8>,
) {
    let (script, text) = (&base.script, base.text());
    out.reserve(text.len());
    let next_chosen = |node: NodeId| {
        chosen.get(chosen.partition_point(|site| *site < node)).copied().unwrap_or(NodeId::MAX)
    };
    let mut copied = 0;
    let mut stack: Vec<Item> = Vec::new();
    let mut next = 0;
    while let Some(&site) = chosen.get(next) {
        // Everything up to a site that is inside no other site is copied at once.
        let whole = script.node(site);
        out.extend_from_slice(&text[copied..whole.start as usize]);
        stack.push(Item::Node(site));
        while let Some(item) = stack.pop() {
            match item {
                Item::Text(start, end) => out.extend_from_slice(&text[start..end]),
                Item::Head(head) => out.extend_from_slice(head.as_bytes()),
                Item::Node(id) => {
                    let node = script.node(id);
                    let inside = next_chosen(id);
                    if inside >= node.skip {
                        out.extend_from_slice(&text[node.start as usize..node.end as usize]);
                        continue;
                    }
                    let (elements, head) = if inside == id {
                        let Arranged { elements, head } = arrange(id);
                        (elements, head)
                    } else {
                        (script.children(id).collect(), None)
                    };
                    push_list(base, id, &elements, head, &mut stack);
                }
            }
        }
        copied = whole.end as usize;
        next = chosen.partition_point(|other| *other < whole.skip);
    }
    out.extend_from_slice(&text[copied..]);
}

/// Pushes a list, so that its first part is on top. Elements move; what is between them stays.
fn push_list(
    base: &Base,
    list: NodeId,
    elements: &[NodeId],
    head: Option<&'static str>,
    stack: &mut Vec<Item>,
) {
    let node = base.script.node(list);
    let first = stack.len();
    let mut before = node.start as usize;
    for (number, (place, element)) in base.script.children(list).zip(elements).enumerate() {
        let place = base.script.node(place);
        stack.push(Item::Text(before, place.start as usize));
        stack.push(match head {
            Some(head) if number == 0 => Item::Head(head),
            _ => Item::Node(*element),
        });
        before = place.end as usize;
    }
    stack.push(Item::Text(before, node.end as usize));
    stack[first..].reverse();
}
