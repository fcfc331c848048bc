//! Writes a query in which the elements of some lists are in another order.

use smt_syntax::NodeId;

use crate::base::Base;

/// A list with its elements in another order.
#[derive(Debug)]
pub(super) struct Arranged {
    /// The elements, in their new order.
    pub(super) elements: Vec<NodeId>,
    /// What stands for the first element, if that changes.
    pub(super) head: Option<&'static str>,
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
