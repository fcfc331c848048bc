//! Checks that a mutant asks what its seed asks, without knowing which operator made it.
//!
//! Each query has a fingerprint that does not depend on the order of assertions and declarations inside a
//! segment, of arguments that commute, of bound variables, nor on the direction of comparisons; names
//! are mapped back to the seed's. It does depend on how often a name was declared before a command that
//! mentions it. Equal fingerprints are equal queries up to these, but for an accident
//! of 64 bits.

use std::collections::BTreeMap;
use std::hash::{Hash as _, Hasher as _};

use rustc_hash::FxHasher;
use smt_syntax::{NodeId, Role, Script, Symbol};

use crate::base::Base;
use crate::operators::{COMMUTATIVE, MIRRORED, flattened};
use crate::program::SmtProgram;

/// The fingerprint of a query; `names` has the seed's names of what was renamed, and `segments` the segments
/// of the seed's commands, which those of a mutant are in as well.
pub(crate) fn fingerprint(base: &Base, names: &BTreeMap<String, String>, segments: &[u32]) -> u64 {
    let script = &base.script;
    let old: Vec<u64> = base
        .symbols
        .all()
        .map(|symbol: Symbol| {
            let name = String::from_utf8_lossy(base.symbols.name(symbol));
            hash_of(names.get(&*name).map_or(&*name, String::as_str).as_bytes())
        })
        .collect();
    // A list comes before its elements, so the last node is first.
    let mut hashes = vec![0u64; script.nodes().len()];
    for node in (0..u32::try_from(script.nodes().len()).unwrap_or(u32::MAX)).rev() {
        hashes[node as usize] = if script.is_list(node) {
            list(base, node, &hashes)
        } else {
            match base.symbols.at(node) {
                // Only names are mapped back.
                Some(symbol) if is_name(base.roles.of(node)) => old[symbol.index()],
                _ => hash_of(script.text(node)),
            }
        };
    }
    let mut whole = FxHasher::default();
    let mut sum = (0, 0u64);
    let mut declared = vec![0u64; base.symbols.len()];
    for (number, (command, segment)) in script.commands().iter().zip(segments).enumerate() {
        if *segment != sum.0 {
            sum.1.hash(&mut whole);
            sum = (*segment, 0);
        }
        let mentioned = base.declarations.mentions(number).iter();
        let mentioned = mentioned.filter(|it| !base.declarations.declared_by(**it).is_empty());
        let known = mentioned.fold(0u64, |known, symbol| {
            let index = symbol.index();
            known.wrapping_add(mixed(old[index] ^ declared[index].rotate_left(32)))
        });
        for it in base.declarations.of(number) {
            declared[it.symbol.index()] += 1;
        }
        // A barrier has a segment of its own.
        let hash = hashes[command.node as usize];
        sum.1 = sum.1.wrapping_add(mixed(hash ^ known));
    }
    script.commands().len().hash(&mut whole);
    sum.1.hash(&mut whole);
    whole.finish()
}

/// Checks that a mutant asks what its seed asks, whose fingerprint is given; says what is wrong otherwise.
pub(crate) fn check(seed: &Base, of_seed: u64, mutant: &SmtProgram) -> Result<(), String> {
    let script = Script::parse(mutant.text());
    let script = script.map_err(|error| format!("the query cannot be read: {error}"))?;
    let changed =
        |text: Vec<u8>| Script::parse(text).map(base_of).map_err(|error| error.to_string());
    // Without scopes, both are the same.
    let (found, of_seed) = if mutant.changes_scopes() {
        let seed = changed(flattened(&seed.script))?;
        let found = changed(flattened(&script))?;
        let of_seed = fingerprint(&seed, &BTreeMap::new(), &seed.segments);
        (fingerprint(&found, &mutant.seed_names(), &seed.segments), of_seed)
    } else {
        (fingerprint(&base_of(script), &mutant.seed_names(), &seed.segments), of_seed)
    };
    if found == of_seed { Ok(()) } else { Err("the query asks something else".to_owned()) }
}

fn base_of(script: Script) -> Base {
    let ids = (0..).take(script.commands().len()).collect();
    Base::new(script, ids)
}

fn is_name(role: Role) -> bool {
    !matches!(role, Role::CommandName | Role::Syntax | Role::AttributeValue | Role::IndexedName)
}

/// The hash of a list from those of its elements.
fn list(base: &Base, node: NodeId, hashes: &[u64]) -> u64 {
    let script: &Script = &base.script;
    let mut elements = script.children(node);
    let is_pattern = base.roles.in_pattern(node);
    let name = base.predefined(node).filter(|_| !is_pattern);
    if let Some(name) = name {
        if COMMUTATIVE.contains(&name) {
            let head = elements.next().map_or(0, |head| hashes[head as usize]);
            let sum = elements.fold(0u64, |sum, it| sum.wrapping_add(mixed(hashes[it as usize])));
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
        && base.roles.of(node) == Role::Binders
        && matches!(script.head(node - 2), Some(b"forall" | b"exists"));
    if is_quantified {
        return mixed(
            elements.fold(3, |sum: u64, it| sum.wrapping_add(mixed(hashes[it as usize]))),
        );
    }
    in_sequence(elements.map(|it| hashes[it as usize]))
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
        let base = Base::new(script, ids);
        fingerprint(&base, &BTreeMap::new(), &base.segments)
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
