//! The parts of a query that may go, by their origins.

use rustc_hash::{FxHashMap, FxHashSet};
use smt_syntax::declare::What;
use smt_syntax::scope::Live;
use smt_syntax::{Class, Dialect, Kind, NodeId, Role, Scopes, Symbol};

use super::cut::{How, Unit};
use super::pair::SmtPair;
use crate::base::Base;

/// All commands of a kind.
fn commands(base: &Base, is_one: impl Fn(usize, Kind) -> bool) -> Vec<usize> {
    let commands = base.script.commands().iter().enumerate();
    commands.filter(|(number, it)| is_one(*number, it.kind)).map(|(number, _)| number).collect()
}

/// The removal of a command.
fn removal(pair: &SmtPair, command: usize) -> Unit {
    let node = pair.base().script.commands()[command].node;
    (pair.origins[node as usize], How::Remove)
}

/// What to remove so that a check is the only one: everything that is not live at it, or else all that comes after it.
pub(super) fn other_checks(pair: &SmtPair, check: Option<usize>) -> Vec<Vec<Unit>> {
    let script = &pair.base().script;
    let scopes = Scopes::new(script, Dialect::Z3);
    let check = check.unwrap_or_else(|| scopes.checks().len().saturating_sub(1));
    let Some(&last) = scopes.checks().get(check) else { return Vec::new() };
    let live = scopes.live(check);
    let is_whole = |it: &Live| {
        let opened = script.children(script.commands()[it.command].node).nth(1);
        let opened =
            opened.map_or(Some(1), |it| str::from_utf8(script.text(it)).ok()?.parse().ok());
        it.scopes.is_none() || it.scopes == opened
    };
    let kept: FxHashSet<usize> = live.iter().map(|it| it.command).collect();
    let all = 0..script.commands().len();
    let mut choices = Vec::new();
    if live.iter().all(is_whole) {
        choices.push(all.clone().filter(|it| !kept.contains(it)).collect::<Vec<usize>>());
    }
    choices.push(all.filter(|it| *it > last).collect());
    let units = |commands: Vec<usize>| commands.into_iter().map(|it| removal(pair, it)).collect();
    choices.into_iter().map(units).collect()
}

/// The assertions, those farthest from the last one before a check at the end, each with its distance.
pub(super) fn assertions(pair: &SmtPair) -> Vec<(usize, Unit)> {
    let base = pair.base();
    let asserted = commands(base, |_, kind| kind == Kind::Assert);
    let is_check = |command: usize| {
        let mut after = base.script.commands()[command + 1..].iter();
        after.find(|it| it.kind.class() != Class::Output).is_some_and(|it| it.kind.is_check())
    };
    let mut known: FxHashSet<Symbol> = FxHashSet::default();
    let functions: FxHashMap<usize, Vec<Symbol>> =
        asserted.iter().map(|command| (*command, functions(base, *command))).collect();
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut next: Vec<usize> = asserted.iter().copied().filter(|it| is_check(*it)).collect();
    let mut left: Vec<usize> = asserted.iter().copied().filter(|it| !is_check(*it)).collect();
    for distance in 0.. {
        known.extend(next.iter().flat_map(|command| &functions[command]));
        found.extend(next.drain(..).map(|command| (distance, command)));
        (next, left) = left
            .into_iter()
            .partition(|command| functions[command].iter().any(|it| known.contains(it)));
        if next.is_empty() {
            found.extend(left.drain(..).map(|command| (distance + 1, command)));
            break;
        }
    }
    found.into_iter().map(|(distance, command)| (distance, removal(pair, command))).collect()
}

/// The functions of the query's own that a command mentions.
fn functions(base: &Base, command: usize) -> Vec<Symbol> {
    let is_function = |symbol: &&Symbol| {
        let declared = base.declarations.declared_by(**symbol).iter();
        let mut all = declared.flat_map(|it| base.declarations.of(*it as usize));
        all.any(|it| it.symbol == **symbol && it.what != What::Sort && it.what != What::Named)
    };
    base.declarations.mentions(command).iter().filter(is_function).copied().collect()
}

/// Declarations that nothing uses, and notes.
pub(super) fn unused(pair: &SmtPair) -> Vec<Unit> {
    let base = pair.base();
    let number = base.script.commands().len();
    let kind = |command: usize| base.script.commands()[command].kind;
    let is_declaration = |command: usize| kind(command).class() == Class::Declaration;
    let mut is_used = vec![false; number];
    let mut left: Vec<usize> = (0..number).filter(|it| !is_declaration(*it)).collect();
    while let Some(command) = left.pop() {
        if std::mem::replace(&mut is_used[command], true) {
            continue;
        }
        let mentioned = base.declarations.mentions(command).iter();
        let declaring = mentioned.flat_map(|it| base.declarations.declared_by(*it));
        left.extend(declaring.map(|it| *it as usize));
    }
    let goes = |command: usize, kind: Kind| !is_used[command] || kind == Kind::SetInfo;
    commands(base, goes).into_iter().map(|it| removal(pair, it)).collect()
}

/// Parts of terms that may go, by how deep they are nested in such parts.
#[derive(Debug, Default)]
pub(super) struct Terms {
    /// Arguments of `and`, `or` and `=>`.
    pub(super) arguments: Vec<Vec<Unit>>,
    /// Other terms that may be replaced.
    pub(super) replaced: Vec<Unit>,
    /// Bindings and variables that nothing mentions.
    pub(super) unused: Vec<Unit>,
}

/// A term that is being looked at.
#[derive(Clone, Copy)]
struct Seen {
    node: NodeId,
    is_bool: bool,
    /// Whether it is an argument that may go as a whole.
    is_argument: bool,
    depth: usize,
}

impl Terms {
    /// Those of all assertions and definitions.
    pub(super) fn of(pair: &SmtPair) -> Terms {
        let base = pair.base();
        let mut terms = Terms::default();
        let mut stack = Vec::new();
        for command in base.script.commands() {
            let body = match command.kind {
                Kind::Assert => base.script.children(command.node).nth(1).map(|it| (it, true)),
                Kind::DefineFun | Kind::DefineFunRec => {
                    let parts: Vec<NodeId> = base.script.children(command.node).collect();
                    let sort = parts.get(3).map(|sort| base.script.text(*sort));
                    parts.get(4).map(|body| (*body, sort == Some(b"Bool")))
                }
                _ => None,
            };
            let Some((node, is_bool)) = body else { continue };
            stack.push(Seen { node, is_bool, is_argument: true, depth: 0 });
            while let Some(seen) = stack.pop() {
                terms.look(pair, seen, &mut stack);
            }
        }
        terms
    }

    fn look(&mut self, pair: &SmtPair, seen: Seen, stack: &mut Vec<Seen>) {
        let Seen { node, is_bool, is_argument, depth } = seen;
        let base = pair.base();
        let origin = |node: NodeId| pair.origins[node as usize];
        if base.roles.in_pattern(node) || base.roles.of(node) != Role::Term {
            return;
        }
        let text = base.script.text(node);
        // Attributes stay, so what is replaced is what they are about.
        let is_annotated = base.script.head(node) == Some(b"!");
        if is_bool && !is_argument && !is_annotated && text != b"true" && text != b"false" {
            self.replaced.extend([(origin(node), How::True), (origin(node), How::False)]);
        }
        let children: Vec<NodeId> = base.script.children(node).collect();
        let Some((_, parts)) = children.split_first() else { return };
        let plain = |node: NodeId, is_bool: bool| Seen { node, is_bool, is_argument: false, depth };
        let name = base.predefined(node).or_else(|| base.script.head(node)).unwrap_or_default();
        let is_own = base.predefined(node).is_none();
        match (name, parts) {
            (b"and" | b"or" | b"=>", parts) if !is_own => {
                let last = if name == b"=>" { parts.len().saturating_sub(1) } else { parts.len() };
                for (number, part) in parts.iter().enumerate() {
                    if number == last {
                        stack.push(plain(*part, true));
                        continue;
                    }
                    self.argument(depth, (origin(*part), How::Remove));
                    let is_argument = true;
                    stack.push(Seen { node: *part, is_bool: true, is_argument, depth: depth + 1 });
                }
            }
            (b"not" | b"xor", parts) if !is_own => {
                stack.extend(parts.iter().map(|part| plain(*part, true)));
            }
            (b"ite", [condition, one, other]) if !is_own => {
                let branches = [one, other].map(|it| (origin(node), How::Become(origin(*it))));
                self.replaced.extend(branches);
                stack.push(plain(*condition, true));
                stack.extend([one, other].map(|it| plain(*it, is_bool)));
            }
            (b"!", [inner, ..]) => stack.push(Seen { node: *inner, ..seen }),
            (b"forall" | b"exists", [bound, body]) => {
                self.bound(pair, *bound, *body);
                stack.push(plain(*body, true));
            }
            (b"let", [bindings, body]) => {
                self.bound(pair, *bindings, *body);
                for binding in base.script.children(*bindings) {
                    let value = base.script.children(binding).nth(1);
                    stack.extend(value.map(|value| plain(value, false)));
                }
                stack.push(Seen { node: *body, ..seen });
            }
            (_, parts) => stack.extend(parts.iter().map(|part| plain(*part, false))),
        }
    }

    fn argument(&mut self, depth: usize, unit: Unit) {
        if self.arguments.len() <= depth {
            self.arguments.resize(depth + 1, Vec::new());
        }
        self.arguments[depth].push(unit);
    }

    /// Variables or bindings whose names do not occur in the body.
    fn bound(&mut self, pair: &SmtPair, list: NodeId, body: NodeId) {
        let base = pair.base();
        let inside: FxHashSet<Symbol> =
            (body..base.script.node(body).skip).filter_map(|it| base.symbols.at(it)).collect();
        let parts = base.script.children(list).filter(|part| {
            let name = base.script.children(*part).next().and_then(|it| base.symbols.at(it));
            name.is_some_and(|name| !inside.contains(&name))
        });
        let removed = |part: NodeId| (pair.origins[part as usize], How::Remove);
        self.unused.extend(parts.map(removed));
    }
}
