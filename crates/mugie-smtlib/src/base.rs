//! A query with everything that operators ask about it, made once.
//!
//! A *segment* is a run of declarations and assertions that nothing separates: no scope, option, check
//! or other command. Inside a segment, assertions may be in any order, and a declaration may be anywhere
//! before its first use and after what it uses. A declaration of a name that the segment has mentioned
//! before starts a new segment: what was mentioned is another thing of that name, or an error that the
//! solver reports.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashSet;
use smt_syntax::{Class, Declarations, Kind, NodeId, Role, Roles, Script, Symbol, Symbols};

use crate::operators::{ALL, Sites};

/// What a command is to those who move it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// An assertion that may move among the others of its segment.
    Assertion,
    /// A declaration, or an assertion whose name others use.
    Declaration,
    /// Anything else.
    Fixed,
}

/// A query in the layout of mutants.
#[derive(Debug)]
pub(crate) struct Base {
    pub(crate) script: Script,
    pub(crate) roles: Roles,
    pub(crate) symbols: Symbols,
    pub(crate) declarations: Declarations,
    /// For each command, its number in the seed.
    pub(crate) ids: Vec<u32>,
    /// For each command, what it is.
    pub(crate) parts: Vec<Part>,
    /// For each command, the number of its segment.
    pub(crate) segments: Vec<u32>,
    /// The symbols that the query gives a meaning of its own.
    own: FxHashSet<Symbol>,
    /// For each operator, where it applies.
    sites: Vec<OnceLock<Sites>>,
}

impl Base {
    /// The tables of a query whose commands have these numbers in the seed.
    pub(crate) fn new(script: Script, ids: Vec<u32>) -> Base {
        let (symbols, roles) = (Symbols::new(&script), Roles::new(&script));
        let declarations = Declarations::new(&script, &symbols, &roles);
        let all: Vec<usize> = (0..script.commands().len()).collect();
        let segments = segments(&script, &declarations, &all);
        let parts = all.iter().map(|command| part(&script, &declarations, *command)).collect();
        let own = own_symbols(&script, &symbols, &roles);
        let sites = ALL.iter().map(|_| OnceLock::new()).collect();
        Base { script, roles, symbols, declarations, ids, parts, segments, own, sites }
    }

    /// Where an operator applies.
    pub(crate) fn sites(&self, operator: usize) -> &Sites {
        self.sites[operator].get_or_init(|| ALL[operator].sites(self))
    }

    /// The text of the query.
    pub(crate) fn text(&self) -> &Arc<[u8]> {
        self.script.source()
    }

    /// Whether a list applies a symbol that the solver defines: its name.
    pub(crate) fn predefined(&self, list: NodeId) -> Option<&[u8]> {
        let head = self.script.children(list).next()?;
        let symbol = self.symbols.at(head)?;
        let is_applied = self.roles.of(list) == Role::Term && self.roles.of(head) == Role::Operator;
        // `|and|` is `and`, but nobody writes it.
        (is_applied && !self.own.contains(&symbol)).then(|| self.symbols.name(symbol))
    }

    /// Whether the query declares or binds a symbol anywhere.
    pub(crate) fn is_own(&self, symbol: Symbol) -> bool {
        self.own.contains(&symbol)
    }

    /// The commands of a kind in each segment, if there are at least two.
    pub(crate) fn groups(&self, wanted: Part) -> Vec<Vec<u32>> {
        let mut groups: Vec<Vec<u32>> = Vec::new();
        let mut last = None;
        for (command, part) in (0u32..).zip(&self.parts) {
            if *part != wanted {
                continue;
            }
            let segment = self.segments[command as usize];
            if last == Some(segment)
                && let Some(group) = groups.last_mut()
            {
                group.push(command);
            } else {
                groups.push(vec![command]);
                last = Some(segment);
            }
        }
        groups.retain(|group| group.len() > 1);
        groups
    }
}

fn part(script: &Script, declarations: &Declarations, command: usize) -> Part {
    let kind = script.commands()[command].kind;
    match kind.class() {
        Class::Declaration => Part::Declaration,
        _ if kind != Kind::Assert => Part::Fixed,
        _ => {
            let is_used = |it: &smt_syntax::declare::Declared| {
                !declarations.mentioned_by(it.symbol).is_empty()
            };
            let is_used = declarations.of(command).iter().any(is_used);
            if is_used { Part::Declaration } else { Part::Assertion }
        }
    }
}

/// The symbols that are declared or bound somewhere.
fn own_symbols(script: &Script, symbols: &Symbols, roles: &Roles) -> FxHashSet<Symbol> {
    let nodes = 0..u32::try_from(script.nodes().len()).unwrap_or(u32::MAX);
    let is_declared = |node: &NodeId| {
        matches!(
            roles.of(*node),
            Role::Name
                | Role::Constructor
                | Role::Selector
                | Role::Named
                | Role::Binder
                | Role::LetName
                | Role::SortParameter
                | Role::MatchPattern
        )
    };
    nodes.filter(is_declared).filter_map(|node| symbols.at(node)).collect()
}

/// The numbers of the segments of some commands, in order.
pub(crate) fn segments(script: &Script, declarations: &Declarations, kept: &[usize]) -> Vec<u32> {
    let mut segments = Vec::with_capacity(kept.len());
    let mut segment = 0;
    let mut mentioned: FxHashSet<Symbol> = FxHashSet::default();
    for &command in kept {
        let is_barrier = script.commands()[command].kind.is_barrier();
        let declared = declarations.of(command);
        if is_barrier || declared.iter().any(|it| mentioned.contains(&it.symbol)) {
            segment += 1;
            mentioned.clear();
        }
        segments.push(segment);
        if is_barrier {
            segment += 1;
        } else {
            mentioned.extend(declared.iter().map(|it| it.symbol));
            mentioned.extend(declarations.mentions(command));
        }
    }
    segments
}

/// Some commands with the declarations of each segment before its assertions.
pub(crate) fn hoisted(
    script: &Script,
    declarations: &Declarations,
    kept: &[usize],
    segments: &[u32],
) -> Vec<usize> {
    let mut order: Vec<(u32, bool, usize)> = kept
        .iter()
        .zip(segments)
        .map(|(&command, &segment)| {
            (segment, part(script, declarations, command) == Part::Assertion, command)
        })
        .collect();
    order.sort_unstable();
    order.into_iter().map(|(_, _, command)| command).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(text: &str) -> Base {
        let script = Script::parse(text.as_bytes()).unwrap();
        let ids = (0..).take(script.commands().len()).collect();
        Base::new(script, ids)
    }

    #[test]
    fn nothing_crosses_scopes_options_and_checks() {
        let text = "(set-logic ALL)(declare-const x Int)(assert (> x 0))(push)(assert true)(assert false)\
                    (check-sat)(pop)(assert false)";
        assert_eq!(base(text).segments, [1, 2, 2, 3, 4, 4, 5, 7, 8]);
    }

    #[test]
    fn a_name_that_is_declared_again_starts_a_segment() {
        let again = "(declare-fun f (Int) Int)(assert (> (f 0) 0))(declare-fun f (Bool) Int)";
        assert_eq!(base(again).segments, [0, 0, 1]);
        // An error of the query stays one.
        assert_eq!(base("(assert p)(declare-const p Bool)(assert p)").segments, [0, 1, 1]);
    }

    #[test]
    fn an_assertion_with_a_name_that_others_use_is_a_declaration() {
        let text = "(assert (! true :named a))(assert (! true :named b))(define-fun c () Bool a)";
        assert_eq!(base(text).parts, [Part::Declaration, Part::Assertion, Part::Declaration]);
    }

    #[test]
    fn a_symbol_that_the_query_binds_is_not_the_solvers() {
        let text = "(assert (let ((and true)) (or and true)))(assert (and true true))";
        let base = base(text);
        let lists = 0..u32::try_from(base.script.nodes().len()).unwrap();
        let found: Vec<&[u8]> = lists.filter_map(|list| base.predefined(list)).collect();
        assert_eq!(found, [b"or"]);
    }
}
