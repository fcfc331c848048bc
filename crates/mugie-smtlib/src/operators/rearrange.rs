//! Writes a query in which the elements of some lists are in another order.

use smt_syntax::NodeId;

use super::{Choice, Site};
use crate::base::Base;
use crate::random::Stream;

/// Orders the elements of a list after a choice; those before `first` stay.
pub(super) fn arrange(choice: &Choice, list: NodeId, first: usize, elements: &mut [NodeId]) {
    match (choice.random(), choice.how(list)) {
        (Some(random), _) => {
            Stream::of(random, u64::from(list)).shuffle(&mut elements[first..]);
        }
        (None, None) => elements[first..].reverse(),
        (None, Some(how)) => {
            if let Some(order) = parsed(how, elements.len() - first) {
                let old = elements[first..].to_vec();
                let moved = order.iter().map(|it| old[*it]);
                elements[first..].iter_mut().zip(moved).for_each(|(place, it)| *place = it);
            }
        }
    }
}

/// The lists that a choice changes, each with the order of its elements.
pub(super) fn listed(base: &Base, choice: &Choice, sites: &[u32], first: usize) -> Vec<Site> {
    let site = |at: u32| {
        let mut elements: Vec<NodeId> = base.script.children(at).collect();
        let old = elements[first..].to_vec();
        arrange(choice, at, first, &mut elements);
        let new = &elements[first..];
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

/// A range of the seed's text that is left to write, with the sites in it as a range of all chosen ones; or
/// a word that stands for another.
enum Item {
    Range { start: u32, end: u32, first: usize, after: usize },
    Word(&'static str),
}

/// Writes the query with the elements of the chosen lists in another order; what is between them stays. The
/// nodes are in ascending order. `arrange` orders the elements, and may say what stands for the
/// first one.
pub(super) fn write(
    base: &Base,
    chosen: &[NodeId],
    arrange: &dyn Fn(NodeId, &mut [NodeId]) -> Option<&'static str>,
    out: &mut Vec<u8>,
) {
    let (script, text) = (&base.script, base.text());
    out.reserve(text.len());
    let (mut old, mut new): (Vec<NodeId>, Vec<NodeId>) = (Vec::new(), Vec::new());
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let mut stack = vec![Item::Range { start: 0, end, first: 0, after: chosen.len() }];
    while let Some(item) = stack.pop() {
        let (start, end, first, after) = match item {
            Item::Range { start, end, first, after } => (start, end, first, after),
            Item::Word(word) => {
                out.extend_from_slice(word.as_bytes());
                continue;
            }
        };
        if first == after {
            out.extend_from_slice(&text[start as usize..end as usize]);
            continue;
        }
        // What is before the first site is copied at once.
        let site = chosen[first];
        let list = script.node(site);
        out.extend_from_slice(&text[start as usize..list.start as usize]);
        let inside = first + 1;
        let behind = inside + chosen[inside..after].partition_point(|it| *it < list.skip);
        stack.push(Item::Range { start: list.end, end, first: behind, after });
        old.clear();
        old.extend(script.children(site));
        new.clear();
        new.extend_from_slice(&old);
        let head = arrange(site, &mut new);
        // The last part is at the bottom of the stack.
        let mut written_to = list.end;
        for (number, (place, element)) in old.iter().zip(&new).enumerate().rev() {
            let place = script.node(*place);
            stack.push(text_only(place.end, written_to));
            stack.push(match head {
                Some(head) if number == 0 => Item::Word(head),
                _ => {
                    let node = script.node(*element);
                    let sites = &chosen[inside..behind];
                    let first = inside + sites.partition_point(|it| *it < *element);
                    let after = inside + sites.partition_point(|it| *it < node.skip);
                    Item::Range { start: node.start, end: node.end, first, after }
                }
            });
            written_to = place.start;
        }
        stack.push(text_only(list.start, written_to));
    }
}

/// A range without sites.
fn text_only(start: u32, end: u32) -> Item {
    Item::Range { start, end, first: 0, after: 0 }
}
