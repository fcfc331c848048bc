//! What goes from a query, and the text that is left.
//!
//! Parts are known by their *origin*, the number of their node in the query that the reduction started with, so
//! that a list of cuts stays valid while some of them are made.

use rustc_hash::FxHashMap;
use smt_syntax::{NodeId, Role};

use crate::base::Base;

/// The origin of what was not in the first query.
pub(super) const NEW: u32 = u32::MAX;

/// What becomes of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// A command goes, or an element of a list: an argument, a binding, a bound variable.
    Remove,
    /// A term of sort Bool becomes `true`.
    True,
    /// A term of sort Bool becomes `false`.
    False,
    /// A term becomes a part of itself, with this origin.
    Become(u32),
}

/// One cut: the origin of a part, and what becomes of it.
pub(super) type Unit = (u32, How);

/// Cuts that are made at once.
#[derive(Clone, Debug, Default)]
pub(super) struct Cut(FxHashMap<u32, How>);

impl FromIterator<Unit> for Cut {
    fn from_iter<I: IntoIterator<Item = Unit>>(units: I) -> Cut {
        Cut(units.into_iter().filter(|(origin, _)| *origin != NEW).collect())
    }
}

/// The text of a query, and the origins of its nodes.
#[derive(Debug, Default)]
pub(super) struct Left {
    pub(super) text: Vec<u8>,
    pub(super) origins: Vec<u32>,
}

/// What is left to write.
#[derive(Clone, Copy)]
enum Item {
    Node(NodeId),
    Atom(&'static str),
    Close,
}

impl Cut {
    /// Whether a part with this origin goes.
    pub(super) fn removes(&self, origin: u32) -> bool {
        origin != NEW && self.0.get(&origin) == Some(&How::Remove)
    }

    /// What is left of a query whose nodes have these origins.
    pub(super) fn apply(&self, base: &Base, origins: &[u32]) -> Left {
        let mut left = Left::default();
        let mut stack = Vec::new();
        for command in base.script.commands() {
            if self.removes(origins[command.node as usize]) {
                continue;
            }
            stack.push(Item::Node(command.node));
            while let Some(item) = stack.pop() {
                self.write(base, origins, item, &mut stack, &mut left);
            }
            left.text.push(b'\n');
        }
        left
    }

    fn write(
        &self,
        base: &Base,
        origins: &[u32],
        item: Item,
        stack: &mut Vec<Item>,
        left: &mut Left,
    ) {
        let node = match item {
            Item::Close => return left.text.push(b')'),
            Item::Atom(text) => return left.token(text.as_bytes(), NEW),
            Item::Node(node) => node,
        };
        let origin = origins[node as usize];
        let how = if origin == NEW { None } else { self.0.get(&origin) };
        match how {
            Some(How::True) => return left.token(b"true", NEW),
            Some(How::False) => return left.token(b"false", NEW),
            Some(How::Become(part)) => {
                let inside = node + 1..base.script.node(node).skip;
                let part = inside.clone().find(|it| origins[*it as usize] == *part);
                if let Some(part) = part {
                    return stack.push(Item::Node(part));
                }
            }
            Some(How::Remove) | None => {}
        }
        if !base.script.is_list(node) {
            return left.token(base.script.text(node), origin);
        }
        let children: Vec<NodeId> = base.script.children(node).collect();
        let is_kept = |it: &NodeId| !self.removes(origins[*it as usize]);
        let kept: Vec<NodeId> = children.iter().copied().filter(is_kept).collect();
        let is_emptied = |it: NodeId| {
            let mut parts = base.script.children(it).peekable();
            parts.peek().is_some() && parts.all(|part| self.removes(origins[part as usize]))
        };
        if let Some(item) = collapsed(base, node, &children, &kept, &is_emptied) {
            return stack.push(item);
        }
        left.token(b"(", origin);
        stack.push(Item::Close);
        stack.extend(kept.into_iter().rev().map(Item::Node));
    }
}

impl Left {
    fn token(&mut self, token: &[u8], origin: u32) {
        if !matches!(self.text.last(), None | Some(b'(' | b'\n')) {
            self.text.push(b' ');
        }
        self.text.extend_from_slice(token);
        self.origins.push(origin);
    }
}

/// What stands for a list that lost elements, if not the list of those that are left.
fn collapsed(
    base: &Base,
    list: NodeId,
    children: &[NodeId],
    kept: &[NodeId],
    is_emptied: &dyn Fn(NodeId) -> bool,
) -> Option<Item> {
    if kept.len() < children.len() {
        return match (base.predefined(list)?, kept) {
            (b"and", [_]) => Some(Item::Atom("true")),
            (b"or", [_]) => Some(Item::Atom("false")),
            (b"and" | b"or" | b"=>", [_, only]) => Some(Item::Node(*only)),
            _ => None,
        };
    }
    let [_, bound, body] = children else { return None };
    match base.roles.of(*bound) {
        Role::LetBindings if is_emptied(*bound) => Some(Item::Node(*body)),
        Role::Binders if is_emptied(*bound) => {
            // Without variables there is nothing to instantiate, so patterns go as well.
            let is_annotated = base.script.head(*body) == Some(b"!");
            let inner = base.script.children(*body).nth(1).filter(|_| is_annotated);
            Some(Item::Node(inner.unwrap_or(*body)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt_syntax::Script;

    /// The text that is left when all parts with some texts are cut.
    fn after(text: &str, cuts: &[(&str, How)]) -> String {
        let script = Script::parse(text.as_bytes()).unwrap();
        let base = Base::new(script, (0..).take(9).collect());
        let origins: Vec<u32> = (0..).take(base.script.nodes().len()).collect();
        let cut = origins.iter().flat_map(|node| {
            let text = base.script.text(*node);
            cuts.iter().filter(move |it| it.0.as_bytes() == text).map(|it| (*node, it.1))
        });
        let left = cut.collect::<Cut>().apply(&base, &origins);
        let again = Script::parse(left.text.clone()).unwrap();
        assert_eq!(again.nodes().len(), left.origins.len());
        String::from_utf8(left.text).unwrap()
    }

    #[test]
    fn lists_that_lose_elements_stay_terms() {
        let text = "(assert (and a (or b c) (=> d e)))";
        let remove = |parts: &[&'static str]| {
            after(text, &parts.iter().map(|it| (*it, How::Remove)).collect::<Vec<_>>())
        };
        assert_eq!(remove(&["a"]), "(assert (and (or b c) (=> d e)))\n");
        assert_eq!(remove(&["a", "b", "d"]), "(assert (and c e))\n");
        assert_eq!(remove(&["b", "c", "(=> d e)"]), "(assert (and a false))\n");
        assert_eq!(remove(&["a", "(or b c)", "(=> d e)"]), "(assert true)\n");
        assert_eq!(remove(&[text]), "");
        assert_eq!(after(text, &[("(or b c)", How::False)]), "(assert (and a false (=> d e)))\n");
    }

    #[test]
    fn what_binds_nothing_goes() {
        let text =
            "(assert (let ((x 1) (y 2)) (forall ((i Int) (j Int)) (! (p x) :pattern ((q i j))))))";
        let cut = [("(y 2)", How::Remove), ("(j Int)", How::Remove)];
        assert_eq!(
            after(text, &cut),
            "(assert (let ((x 1)) (forall ((i Int)) (! (p x) :pattern ((q i j))))))\n"
        );
        let cut = [("(i Int)", How::Remove), ("(j Int)", How::Remove)];
        assert_eq!(after(text, &cut), "(assert (let ((x 1) (y 2)) (p x)))\n");
        let cut = [("(x 1)", How::Remove), ("(y 2)", How::Remove)];
        assert!(after(text, &cut).starts_with("(assert (forall ((i Int)"));
    }
}
