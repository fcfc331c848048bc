//! Checks that a mutant asks what its seed asks, without knowing which operator made it.
//!
//! Each query has a fingerprint that does not depend on the order of assertions and declarations inside a
//! segment, of arguments that commute, of bound variables, nor on the direction of comparisons; names
//! are mapped back to the seed's. It does depend on how often a name was declared before a command that
//! mentions it. Equal fingerprints are equal queries up to these, but for an accident
//! of 64 bits.

use std::collections::BTreeMap;
use std::hash::{Hash as _, Hasher as _};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use smt_syntax::declare::What;
use smt_syntax::{Declarations, NodeId, Role, Roles, Script, Symbol, Symbols, SyntaxError};

use crate::base::Base;
use crate::operators::{COMMUTATIVE, MIRRORED, flattened};
use crate::program::SmtProgram;

/// The bytes of a query that are worked on at a time. Raising it takes more memory, and less time for queries
/// with many names that are mentioned everywhere.
const PART: usize = 1 << 17;

/// What the seed says about its mutants.
#[derive(Debug)]
pub(crate) struct Original {
    /// Hashes of the names that the seed declares or binds.
    own: FxHashSet<u64>,
    /// Hashes of the names that its commands declare.
    declared: FxHashSet<u64>,
    /// The segments of its commands, which those of a mutant are in as well.
    segments: Vec<u32>,
    fingerprint: u64,
}

impl Original {
    /// What a seed says about its mutants.
    pub(crate) fn new(base: &Base) -> Original {
        let own = base.symbols.all().filter(|symbol| base.is_own(*symbol));
        let own = own.map(|symbol| hash_of(base.symbols.name(symbol))).collect();
        let commands = 0..base.script.commands().len();
        let declared = commands.flat_map(|command| base.declarations.of(command));
        let declared = declared.map(|it| hash_of(base.symbols.name(it.symbol))).collect();
        let segments = base.segments.clone();
        let mut original = Original { own, declared, segments, fingerprint: 0 };
        original.fingerprint =
            original.fingerprint_of(base.text(), &BTreeMap::new()).unwrap_or_default();
        original
    }

    /// The fingerprint of a query, which is not in memory as a whole tree; `names` has the seed's names of what was
    /// renamed.
    fn fingerprint_of(
        &self,
        text: &[u8],
        names: &BTreeMap<String, String>,
    ) -> Result<u64, SyntaxError> {
        let mut whole = FxHasher::default();
        let mut sum = (0, 0u64);
        // How often each name was declared so far.
        let mut declared: FxHashMap<u64, u64> = FxHashMap::default();
        let mut segments = self.segments.iter();
        let mut number = 0usize;
        let mut rest = text;
        while !rest.is_empty() {
            let (script, read) = Script::parse_part(rest, PART)?;
            rest = &rest[read..];
            let part = Part::new(&script, &self.own, names);
            let hashes = part.hashes();
            for (command, it) in script.commands().iter().enumerate() {
                number += 1;
                // A command too many is in no segment of the seed.
                let segment = segments.next().copied().unwrap_or(u32::MAX);
                if segment != sum.0 {
                    sum.1.hash(&mut whole);
                    sum = (segment, 0);
                }
                let mentioned = part.declarations.mentions(command).iter();
                let mentioned = mentioned.map(|symbol| part.old[symbol.index()]);
                let mentioned = mentioned.filter(|name| self.declared.contains(name));
                let known = mentioned.fold(0u64, |known, name| {
                    let times = declared.get(&name).copied().unwrap_or_default();
                    known.wrapping_add(mixed(name ^ times.rotate_left(32)))
                });
                for it in part.declarations.of(command) {
                    let name = match it.what {
                        What::Constructor => {
                            // A part of a script does not list testers that other parts mention.
                            let tester = [b"is-", part.old_name(it.symbol)].concat();
                            *declared.entry(hash_of(&tester)).or_default() += 1;
                            part.old[it.symbol.index()]
                        }
                        What::Tester => continue,
                        _ => part.old[it.symbol.index()],
                    };
                    *declared.entry(name).or_default() += 1;
                }
                // A barrier has a segment of its own.
                sum.1 = sum.1.wrapping_add(mixed(hashes[it.node as usize] ^ known));
            }
        }
        number.hash(&mut whole);
        sum.1.hash(&mut whole);
        Ok(whole.finish())
    }
}

/// Checks that a mutant asks what its seed asks; says what is wrong otherwise.
pub(crate) fn check(
    seed: &Base,
    original: &Original,
    mutant: &SmtProgram,
    text: &[u8],
) -> Result<(), String> {
    let unread = |error: SyntaxError| format!("the query cannot be read: {error}");
    let names = mutant.seed_names();
    let is_same = if mutant.changes_scopes() {
        // Without scopes, both are the same.
        let flat = |script: &Script| Script::parse(flattened(script)).map_err(unread);
        let flat_seed = flat(&seed.script)?;
        let ids = (0..).take(flat_seed.commands().len()).collect();
        let original = Original::new(&Base::new(flat_seed, ids));
        let found = flat(&Script::parse(text).map_err(unread)?)?;
        original.fingerprint_of(found.source(), &names).map_err(unread)? == original.fingerprint
    } else {
        original.fingerprint_of(text, &names).map_err(unread)? == original.fingerprint
    };
    if is_same { Ok(()) } else { Err("the query asks something else".to_owned()) }
}

/// Some commands of a query, with the tables that their hashes are made from.
struct Part<'a> {
    script: &'a Script,
    roles: Roles,
    symbols: Symbols,
    declarations: Declarations,
    /// The seed's names of what was renamed.
    names: &'a BTreeMap<String, String>,
    /// For each symbol, the hash of its name in the seed.
    old: Vec<u64>,
    own: &'a FxHashSet<u64>,
}

impl Part<'_> {
    fn new<'a>(
        script: &'a Script,
        own: &'a FxHashSet<u64>,
        names: &'a BTreeMap<String, String>,
    ) -> Part<'a> {
        let (symbols, roles) = (Symbols::new(script), Roles::new(script));
        let declarations = Declarations::new(script, &symbols, &roles);
        let mut part = Part { script, roles, symbols, declarations, names, old: Vec::new(), own };
        part.old = part.symbols.all().map(|symbol| hash_of(part.old_name(symbol))).collect();
        part
    }

    /// The name of a symbol in the seed.
    fn old_name(&self, symbol: Symbol) -> &[u8] {
        let name = self.symbols.name(symbol);
        let text = if self.names.is_empty() { None } else { std::str::from_utf8(name).ok() };
        text.and_then(|text| self.names.get(text)).map_or(name, |name| name.as_bytes())
    }

    /// The hashes of all nodes.
    fn hashes(&self) -> Vec<u64> {
        let number = self.script.nodes().len();
        let mut hashes = vec![0u64; number];
        // A list comes before its elements, so the last node is first.
        for node in (0..u32::try_from(number).unwrap_or(u32::MAX)).rev() {
            hashes[node as usize] = if self.script.is_list(node) {
                self.list(node, &hashes)
            } else {
                match self.symbols.at(node) {
                    // Only names are mapped back.
                    Some(symbol) if is_name(self.roles.of(node)) => self.old[symbol.index()],
                    _ => hash_of(self.script.text(node)),
                }
            };
        }
        hashes
    }

    /// The function of the solver that a list applies, if it does.
    fn predefined(&self, list: NodeId) -> Option<&[u8]> {
        let head = self.script.children(list).next()?;
        let symbol = self.symbols.at(head)?;
        let is_applied = self.roles.of(list) == Role::Term && self.roles.of(head) == Role::Operator;
        let is_own = || self.own.contains(&self.old[symbol.index()]);
        (is_applied && !is_own()).then(|| self.symbols.name(symbol))
    }

    /// The hash of a list from those of its elements.
    fn list(&self, node: NodeId, hashes: &[u64]) -> u64 {
        let script = self.script;
        let mut elements = script.children(node);
        let is_pattern = self.roles.in_pattern(node);
        let name = self.predefined(node).filter(|_| !is_pattern);
        if let Some(name) = name {
            if COMMUTATIVE.contains(&name) {
                let head = elements.next().map_or(0, |head| hashes[head as usize]);
                let sum =
                    elements.fold(0u64, |sum, it| sum.wrapping_add(mixed(hashes[it as usize])));
                return mixed(head ^ sum.rotate_left(17) ^ 1);
            }
            let turned = MIRRORED.iter().find(|(one, other)| one.as_bytes() == name && one > other);
            if let (Some((_, other)), 3) = (turned, script.children(node).count()) {
                let arguments: Vec<NodeId> = elements.skip(1).collect();
                let in_order = [hash_of(other.as_bytes())]
                    .into_iter()
                    .chain(arguments.iter().rev().map(|it| hashes[*it as usize]));
                return in_sequence(in_order);
            }
        }
        let is_quantified = node >= 2
            && self.roles.of(node) == Role::Binders
            && matches!(script.head(node - 2), Some(b"forall" | b"exists"));
        if is_quantified {
            return mixed(
                elements.fold(3, |sum: u64, it| sum.wrapping_add(mixed(hashes[it as usize]))),
            );
        }
        in_sequence(elements.map(|it| hashes[it as usize]))
    }
}

fn is_name(role: Role) -> bool {
    !matches!(role, Role::CommandName | Role::Syntax | Role::AttributeValue | Role::IndexedName)
}

fn in_sequence(elements: impl Iterator<Item = u64>) -> u64 {
    let mut hasher = FxHasher::default();
    2u8.hash(&mut hasher);
    elements.for_each(|hash| hash.hash(&mut hasher));
    mixed(hasher.finish())
}

fn hash_of(text: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    // `|x|` is `x`.
    let text = match text {
        [b'|', inside @ .., b'|'] => inside,
        text => text,
    };
    text.hash(&mut hasher);
    mixed(hasher.finish())
}

/// Spreads the bits, so that sums of hashes are not alike by accident.
fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> u64 {
        let script = Script::parse(text.as_bytes()).unwrap();
        let ids = (0..).take(script.commands().len()).collect();
        Original::new(&Base::new(script, ids)).fingerprint
    }

    #[test]
    fn what_means_the_same_is_the_same() {
        let one = "(declare-const a Int)(declare-const b Int)(assert (< a b))(assert (and true (= a 1)))\
                   (assert (forall ((x Int) (y Int)) (= x y)))(check-sat)";
        let other = "(declare-const b Int)(declare-const a Int)(assert (and (= 1 a) true))(assert (> b a))\
                     (assert (forall ((y Int) (x Int)) (= y x)))(check-sat)";
        assert_eq!(of(one), of(other));
    }

    #[test]
    fn it_does_not_matter_which_part_a_command_is_in() {
        let filler = "(assert (= 12345 12345))".repeat(PART / 20);
        let assertions = "(assert ((_ is c) (s d)))(assert (is-c d))";
        let declared = "(declare-datatype T ((c (s T))))(declare-const d T)";
        let near = format!("{declared}{assertions}{filler}(check-sat)");
        let far = format!("{declared}{filler}{assertions}(check-sat)");
        assert_eq!(of(&near), of(&far));
        assert_ne!(of(&near), of(&near.replace("(s d)", "d")));
    }

    #[test]
    fn what_means_something_else_is_not_the_same() {
        let seed = "(declare-const a Int)(declare-const b Int)(push)(assert (< a b))(assert (=> true (- a b)))\
                    (assert (forall ((x Int)) (! (= x a) :pattern ((+ x a)))))(check-sat)";
        for (from, to) in [
            ("(< a b)", "(< b a)"),
            ("(< a b)", "(> a b)"),
            ("(- a b)", "(- b a)"),
            ("=> true", "=> false"),
            ("(+ x a)", "(+ a x)"),
            ("(push)(assert (< a b))", "(assert (< a b))(push)"),
            ("(check-sat)", ""),
            ("(assert (< a b))", ""),
            (
                "(declare-const a Int)(declare-const b Int)(push)",
                "(push)(declare-const a Int)(declare-const b Int)",
            ),
        ] {
            assert!(seed.contains(from));
            assert_ne!(of(seed), of(&seed.replace(from, to)), "{from} {to}");
        }
    }
}
