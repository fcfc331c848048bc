//! Neighbours of a pair: both queries with other names, or with another random seed of the solver.
//!
//! Neither says anything about a difference between the two queries. A pair of which few neighbours fail, fails by luck.

use std::collections::BTreeMap;

use mugie_core::{Program as _, Strength};
use rustc_hash::FxHashMap;
use smt_syntax::{Kind, Script, Symbol};

use super::pair::{SmtPair, is_renaming};
use crate::base::Base;
use crate::operators::{Choice, new_names, write_renamed};
use crate::program::SmtProgram;

/// The greatest random seed that is set.
const MOST: u64 = 9973;

/// The neighbour with a number: those with even numbers have other names, those with odd ones another random seed. If
/// the mutant differs by names, all have another random seed.
pub(super) fn of(pair: &SmtPair, number: usize) -> Option<SmtPair> {
    // Every pair has others, so that no search finds a pair that suits a few neighbours only.
    let of_seed = pair.seed.hash();
    let of_seed = of_seed.iter().take(8).fold(0u64, |hash, byte| hash << 8 | u64::from(*byte));
    let random = of_seed.wrapping_add(number as u64);
    if number.is_multiple_of(2) && !pair.edit().is_some_and(is_renaming) {
        renamed(pair, random)
    } else {
        reseeded(pair, random % MOST + 1)
    }
}

fn reseeded(pair: &SmtPair, seed: u64) -> Option<SmtPair> {
    let set = |program: &SmtProgram| {
        let text = program.text();
        let script = Script::parse(text.clone()).ok()?;
        // After the query's own options, which may be about the same.
        let first = script.commands().iter().find(|it| it.kind != Kind::SetOption)?;
        let (options, rest) = text.split_at(script.node(first.node).start as usize);
        let own =
            format!("(set-option :smt.random_seed {seed})\n(set-option :sat.random_seed {seed})\n");
        query([options, own.as_bytes(), rest].concat(), BTreeMap::new())
    };
    Some(pair.of(set(&pair.seed)?, set(pair.query()?)?))
}

fn renamed(pair: &SmtPair, random: u64) -> Option<SmtPair> {
    let choice = Choice::Many(Strength::All, random);
    let names = new_names(pair.base(), &choice);
    let by_old: FxHashMap<&[u8], &String> =
        names.iter().map(|(symbol, new)| (pair.base().symbols.name(*symbol), new)).collect();
    let with_names = |base: &Base| {
        let new = |symbol: Symbol| {
            let new = by_old.get(base.symbols.name(symbol))?;
            Some((symbol, (*new).clone()))
        };
        let mut text = Vec::new();
        write_renamed(base, &base.symbols.all().filter_map(new).collect(), &mut text);
        let old = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        query(text, by_old.iter().map(|(name, new)| ((*new).clone(), old(name))).collect())
    };
    let mutant = query(pair.query()?.text(), BTreeMap::new())?;
    Some(pair.of(with_names(pair.base())?, with_names(&mutant.base)?))
}

/// A query with the old names of what was renamed.
fn query(text: Vec<u8>, names: BTreeMap<String, String>) -> Option<SmtProgram> {
    let script = Script::parse(text).ok()?;
    let ids = (0..).take(script.commands().len()).collect();
    Some(SmtProgram::new(Base::new(script, ids)).renamed(names))
}
