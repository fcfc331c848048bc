//! The operators: one per file, one line each in [`ALL`].
//!
//! An operator says where it applies, its sites, and writes the query with a [`Choice`] of them. It is
//! applied at one site, at some of them (one in twenty) or at all. Two kinds suffice so far: those that
//! [move commands](order) inside their segments, and those that [rearrange](rearrange) the elements of
//! lists; renaming replaces atoms.

mod commute;
mod flatten;
mod mirror;
mod order;
mod rearrange;
mod rename;
mod scopes;
mod shuffle_assertions;
mod shuffle_bound;
mod shuffle_declarations;
mod under;

use std::sync::Arc;

use mugie_core::{About, Strength};
use smt_syntax::NodeId;

use crate::base::Base;
use crate::random::Stream;

pub(crate) use commute::COMMUTATIVE;
pub(crate) use mirror::MIRRORED;
pub(crate) use rearrange::{parsed, written};
pub(crate) use rename::{new_names, seed_names, write as write_renamed};
pub(crate) use scopes::flattened;

/// One site in this many is chosen for [`Strength::Some`].
const SOME: usize = 20;

/// All operators. Their order is part of the meaning of a random seed.
pub(crate) const ALL: &[&dyn Operator] = &[
    &shuffle_assertions::ShuffleAssertions,
    &shuffle_declarations::ShuffleDeclarations,
    &commute::Commute,
    &mirror::Mirror,
    &shuffle_bound::ShuffleBound,
    &rename::Rename,
    &flatten::Flatten,
    &under::Under,
];

/// The descriptions of all operators.
pub(crate) static ABOUTS: std::sync::LazyLock<Vec<&'static About>> =
    std::sync::LazyLock::new(|| ALL.iter().map(|operator| operator.about()).collect());

/// Where an operator applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sites {
    /// Groups of commands, any two of which may change places.
    Groups(Vec<Vec<u32>>),
    /// Pairs of commands that may change places.
    Pairs(Vec<(u32, u32)>),
    /// Nodes inside of commands, in ascending order.
    Nodes(Vec<NodeId>),
    /// Symbols of the whole query, by their numbers.
    Symbols(Vec<u32>),
    /// The whole query, if it applies at all.
    Whole(bool),
}

impl Sites {
    /// The number of sites.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Sites::Groups(groups) => groups.iter().map(|group| pairs(group.len())).sum(),
            Sites::Pairs(pairs) => pairs.len() as u64,
            Sites::Nodes(sites) | Sites::Symbols(sites) => sites.len() as u64,
            Sites::Whole(applies) => u64::from(*applies),
        }
    }

    /// The two commands of a pair.
    pub(crate) fn pair(&self, mut number: u64) -> Option<(u32, u32)> {
        match self {
            Sites::Groups(groups) => {
                let group = groups.iter().find(|group| {
                    let here = pairs(group.len());
                    let is_here = number < here;
                    number -= if is_here { 0 } else { here };
                    is_here
                })?;
                // Pairs are numbered by their second element, then by their first.
                let mut second = 1;
                while number >= second {
                    number -= second;
                    second += 1;
                }
                let at = |index: u64| group.get(usize::try_from(index).ok()?).copied();
                Some((at(number)?, at(second)?))
            }
            Sites::Pairs(pairs) => pairs.get(usize::try_from(number).ok()?).copied(),
            _ => None,
        }
    }

    /// Whether two commands may change places.
    pub(crate) fn has_pair(&self, one: u32, other: u32) -> bool {
        let (first, second) = (one.min(other), one.max(other));
        match self {
            Sites::Groups(groups) => {
                let has = |group: &[u32], command| group.binary_search(&command).is_ok();
                first != second && groups.iter().any(|it| has(it, first) && has(it, second))
            }
            Sites::Pairs(pairs) => pairs.contains(&(first, second)),
            _ => false,
        }
    }

    /// The nodes or symbols, if sites are such.
    pub(crate) fn singles(&self) -> &[u32] {
        match self {
            Sites::Nodes(sites) | Sites::Symbols(sites) => sites,
            Sites::Groups(_) | Sites::Pairs(_) | Sites::Whole(_) => &[],
        }
    }
}

fn pairs(length: usize) -> u64 {
    let length = length as u64;
    length * length.saturating_sub(1) / 2
}

/// Which sites an operator is applied at, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Two commands change places.
    Swap(u32, u32),
    /// One node, or one symbol.
    One(u32),
    /// Some sites or all of them, with the number that everything else is drawn from.
    Many(Strength, u64),
    /// Commands take each other's places, in this order.
    Order(Arc<[u32]>),
    /// Nodes or symbols, in ascending order.
    Several(Arc<[Site]>),
}

/// A node or symbol, and what the operator makes of it: what it makes of a single one if nothing is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) at: u32,
    pub(crate) how: Option<Box<str>>,
}

impl Choice {
    /// The chosen ones of some sites.
    pub(crate) fn among(&self, sites: &[u32]) -> Vec<u32> {
        match self {
            Choice::Swap(..) | Choice::Order(_) => Vec::new(),
            Choice::One(site) => vec![*site],
            Choice::Several(several) => several.iter().map(|site| site.at).collect(),
            Choice::Many(Strength::All | Strength::One, _) => sites.to_vec(),
            Choice::Many(Strength::Some, random) => {
                let is_chosen =
                    |site: &&u32| Stream::of(random ^ 0x50_3e, u64::from(**site)).below(SOME) == 0;
                let chosen: Vec<u32> = sites.iter().filter(is_chosen).copied().collect();
                if !chosen.is_empty() || sites.is_empty() {
                    return chosen;
                }
                vec![sites[Stream::of(*random, 0).below(sites.len())]]
            }
        }
    }

    /// The number that random choices are drawn from. At a single site there is one way only.
    pub(crate) fn random(&self) -> Option<u64> {
        match self {
            Choice::Many(_, random) => Some(*random),
            _ => None,
        }
    }

    /// What is said about a node or symbol.
    pub(crate) fn how(&self, at: u32) -> Option<&str> {
        let Choice::Several(several) = self else { return None };
        let found = several.binary_search_by_key(&at, |site| site.at).ok()?;
        several[found].how.as_deref()
    }

    /// The sites in words: `all 214`, `some of 214`, `3 of 214`.
    pub(crate) fn words(&self, sites: u64) -> String {
        match self {
            Choice::Many(Strength::Some, _) => format!("some of {sites}"),
            Choice::Order(commands) => format!("{} of {sites}", commands.len()),
            Choice::Several(several) => format!("{} of {sites}", several.len()),
            _ => format!("all {sites}"),
        }
    }
}

/// An operator.
pub(crate) trait Operator: Sync {
    /// Its description.
    fn about(&self) -> &'static About;

    /// Where it applies.
    fn sites(&self, base: &Base) -> Sites;

    /// Where it applies, found once for a query.
    fn own_sites<'b>(&self, base: &'b Base) -> &'b Sites {
        let name = self.about().name;
        let number = ALL.iter().position(|operator| operator.about().name == name);
        base.sites(number.unwrap_or_default())
    }

    /// Writes the query with a choice of its sites.
    fn write(&self, base: &Base, choice: &Choice, out: &mut Vec<u8>);

    /// The order of the commands after the choice; `None` if it stays.
    fn order(&self, base: &Base, choice: &Choice) -> Option<Vec<u32>> {
        let _ = (base, choice);
        None
    }

    /// Whether commands may take each other's places in this order.
    fn allows(&self, base: &Base, order: &[u32]) -> bool {
        let _ = (base, order);
        false
    }

    /// Whether the operator can make this of a node or symbol.
    fn can_make(&self, base: &Base, site: u32, how: &str) -> bool {
        let _ = (base, site, how);
        false
    }

    /// The nodes or symbols that a choice changes, each with what is made of it.
    fn listed(&self, base: &Base, choice: &Choice) -> Vec<Site> {
        let _ = (base, choice);
        Vec::new()
    }

    /// Whether it opens or closes scopes, which all others keep.
    fn changes_scopes(&self) -> bool {
        false
    }

    /// What the operator does at one node or symbol, or at many sites, in words.
    fn words(&self, base: &Base, choice: &Choice) -> String;
}

macro_rules! about {
    ($(#[doc = $doc:literal])* $name:literal $weight:literal) => {
        &mugie_core::About {
            code: None,
            name: $name,
            set: mugie_core::Set::Extended,
            weight: $weight,
            doc: concat!($($doc, "\n"),*),
        }
    };
}

/// The description of an operator that is drawn only if asked for by name.
macro_rules! apart {
    ($(#[doc = $doc:literal])* $name:literal) => {
        &mugie_core::About {
            code: None,
            name: $name,
            set: mugie_core::Set::Apart,
            weight: 1,
            doc: concat!($($doc, "\n"),*),
        }
    };
}

pub(crate) use about;
pub(crate) use apart;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pairs_of_all_groups_are_numbered() {
        let sites = Sites::Groups(vec![vec![1, 2, 5], vec![7, 8]]);
        let found: Vec<_> = (0..=sites.len()).map(|number| sites.pair(number)).collect();
        assert_eq!(found, [Some((1, 2)), Some((1, 5)), Some((2, 5)), Some((7, 8)), None]);
        assert!(sites.has_pair(5, 1) && !sites.has_pair(5, 7) && !sites.has_pair(5, 5));
    }
}
