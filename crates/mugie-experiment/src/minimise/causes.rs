//! Looks for small causes that are not among the edits of the mutant.
//!
//! Nine swaps may have brought two axioms into an order that no single one of the nine swaps
//! produces.

use std::io;
use std::sync::Arc;

use mugie_core::reduce::{CandidateCheck, Search as _};
use mugie_core::{Edit, Language, Pair, Place, Program, UnitId, number_of};
use rustc_hash::FxHashSet;

use super::edits::with_edits;
use super::search::PairSearch;

/// The search for causes may spend 1/`SHARE` of the run budget, and so may taking an edit apart. Raising it leaves more runs for
/// reducing the program.
pub(super) const SHARE: usize = 4;

/// The most edits that are combined into pairs of edits. Raising it tries quadratically more pairs.
const MAX_PAIRED: usize = 24;

/// The most exchanges of neighbours to bisect over, and the most places to list per operator and
/// declaration.
const MAX_EXCHANGES: usize = 1_000_000;

/// The most declarations between two swapped ones for which every nearer swap is tried. Beyond it,
/// the decisive exchange is found by bisection.
const MAX_BETWEEN: usize = 8;

/// The most replacements for a single edit that are tried.
const MAX_OTHERS: usize = 12;

impl PairSearch<'_> {
    /// Looks for one edit, or else two, that cause the failure for which the best pair needs more.
    pub(super) fn find_causes(&mut self) -> io::Result<()> {
        let edits = self.best().edits();
        if edits.len() < 2 || self.is_over() {
            return Ok(());
        }
        let limit = self.limit;
        self.limit = limit.min(self.runs + self.settings.runs / SHARE);
        let result = self.find_within_limit(&edits);
        self.limit = limit;
        result
    }

    fn find_within_limit(&mut self, edits: &[Edit]) -> io::Result<()> {
        let base = Arc::clone(self.best());
        let mut singles = Vec::new();
        if edits.iter().all(|edit| matches!(edit.place, Place::Swap { .. })) {
            let exchange = self.decisive_exchange();
            singles.extend(exchange.and_then(|(first, second)| self.swap(first, second)));
        }
        singles.extend(swaps(&base.mutant().unit_order(), edits, self.asking.language));
        singles.extend(places_alike(base.seed(), edits));
        let alone = |index: usize| with_edits(&*base, std::slice::from_ref(&singles[index]));
        if self.first(singles.len(), CandidateCheck::Mutant, &alone)?.is_some() || edits.len() == 2
        {
            return Ok(());
        }
        let mut paired: Vec<Edit> = edits.to_vec();
        paired.extend(singles);
        paired.truncate(MAX_PAIRED);
        let pairs: Vec<(usize, usize)> =
            (0..paired.len()).flat_map(|j| (0..j).map(move |i| (i, j))).collect();
        let both = |index: usize| {
            let (i, j) = pairs[index];
            with_edits(&*base, &[paired[i].clone(), paired[j].clone()])
        };
        self.first(pairs.len(), CandidateCheck::Mutant, &both)?;
        Ok(())
    }

    /// If the only edit swaps two declarations, looks for a swap of two that are closer together: a
    /// declaration between the two may matter, and one of the two may not.
    pub(super) fn swap_nearer(&mut self) -> io::Result<()> {
        loop {
            let base = Arc::clone(self.best());
            let [Edit { place: Place::Swap { swap: (first, second) }, .. }] = &base.edits()[..]
            else {
                return Ok(());
            };
            let position = |id| base.seed().unit(id);
            let Some((first, second)) = position(first).zip(position(second)) else {
                return Ok(());
            };
            let (first, second) = (first.min(second), first.max(second));
            let mut nearer: Vec<(usize, usize)> = Vec::new();
            if second - first > MAX_BETWEEN {
                nearer.extend(self.decisive_exchange());
            } else {
                let between = first + 1..second;
                nearer.extend(between.clone().map(|other| (first, other)));
                nearer.extend(between.map(|other| (other, second)));
                nearer.sort_by_key(|(first, second)| second - first);
            }
            nearer.retain(|pair| *pair != (first, second));
            let swaps: Vec<Edit> = nearer.iter().filter_map(|(i, j)| self.swap(*i, *j)).collect();
            let alone = |index: usize| with_edits(&*base, std::slice::from_ref(&swaps[index]));
            if self.first(swaps.len(), CandidateCheck::Mutant, &alone)?.is_none() {
                return Ok(());
            }
        }
    }

    /// Bisects the exchanges of neighbours that lead from the seed's order to the mutant's, and
    /// returns the exchange that makes the mutant fail.
    pub(super) fn decisive_exchange(&mut self) -> Option<(usize, usize)> {
        let base = Arc::clone(self.best());
        let exchanges = exchanges(base.mutant().unit_order())?;
        let (mut verifies, mut fails) = (0, exchanges.len());
        while fails - verifies > 1 {
            let middle = usize::midpoint(verifies, fails);
            let mut order: Vec<usize> = (0..base.seed().unit_count()).collect();
            for (first, second) in &exchanges[..middle] {
                exchange(&mut order, *first, *second)?;
            }
            let pair = with_edits(&*base, &edits_to(&order, self.asking.language)?)?;
            if self.probe(&*pair)? {
                fails = middle;
            } else {
                verifies = middle;
            }
        }
        exchanges.get(fails.checked_sub(1)?).copied()
    }

    pub(super) fn swap(&self, first: usize, second: usize) -> Option<Edit> {
        swap(self.asking.language, first, second)
    }
}

/// Replacements for the only edit of a pair: swaps of either declaration with others, near and far;
/// or other applications of the operator in the same declaration.
pub(super) fn other_edits(pair: &dyn Pair, language: &dyn Language) -> Vec<Edit> {
    let seed = pair.seed();
    let edits = pair.edits();
    let [edit] = edits.as_slice() else { return Vec::new() };
    let mut others = match &edit.place {
        Place::Swap { swap: (first, second) } => {
            let items = [first, second].map(|id| seed.unit(id));
            let step = seed.unit_count().div_ceil(MAX_OTHERS / 2).max(1);
            let swaps = items.into_iter().flatten().flat_map(|item| {
                let partners = (0..seed.unit_count()).skip(item % step).step_by(step);
                let partners = partners.filter(move |other| *other != item);
                partners.filter_map(move |other| swap(language, item, other))
            });
            swaps.collect()
        }
        Place::Inside { .. } => places_alike(seed, &edits),
        Place::Move { .. }
        | Place::Program { .. }
        | Place::Many { .. }
        | Place::Order { .. }
        | Place::Several { .. } => Vec::new(),
    };
    others.truncate(MAX_OTHERS);
    others
}

/// All applications of the edits' operators inside the declarations that the edits change.
fn places_alike(seed: &dyn Program, edits: &[Edit]) -> Vec<Edit> {
    let mut done = FxHashSet::default();
    let mut places = Vec::new();
    for edit in edits {
        let Place::Inside { unit, .. } = &edit.place else { continue };
        let (Some(index), Some(operator)) =
            (seed.unit(unit), number_of(seed.operators(), &edit.operator))
        else {
            continue;
        };
        if !done.insert((index, operator)) {
            continue;
        }
        places
            .extend((0..seed.places_inside(operator, index).min(MAX_EXCHANGES as u64)).map(|at| {
                Edit { place: Place::Inside { unit: unit.clone(), at }, ..edit.clone() }
            }));
    }
    places
}

/// The swap of two units of the seed, if the language has an operator for it.
fn swap(language: &dyn Language, first: usize, second: usize) -> Option<Edit> {
    let place = Place::Swap { swap: (UnitId::of_seed(first), UnitId::of_seed(second)) };
    Some(Edit::new(language.swap_operator()?.id(), place, String::new()))
}

/// For each two of the swapped declarations that are in a different order in the mutant, the one
/// swap that exchanges them.
fn swaps(order: &[usize], edits: &[Edit], language: &dyn Language) -> Vec<Edit> {
    let mut swapped: Vec<usize> = Vec::new();
    for edit in edits {
        if let Place::Swap { swap: (first, second) } = &edit.place {
            swapped.extend([first, second].iter().filter_map(|id| id.own_number()));
        }
    }
    swapped.sort_unstable();
    swapped.dedup();
    let mut place = vec![None; order.iter().max().map_or(0, |most| most + 1)];
    for (position, &number) in order.iter().enumerate() {
        place[number] = Some(position);
    }
    let mut swaps = Vec::new();
    for (index, &second) in swapped.iter().enumerate() {
        for &first in &swapped[..index] {
            let at = |number: usize| place.get(number).copied().flatten();
            if at(first).zip(at(second)).is_some_and(|(first, second)| first > second) {
                swaps.extend(swap(language, first, second));
            }
        }
    }
    swaps
}

/// The exchanges of neighbours that lead from the seed's order to the given one; `None` if there
/// are too many.
fn exchanges(mut order: Vec<usize>) -> Option<Vec<(usize, usize)>> {
    let mut exchanges = Vec::new();
    for next in 1..order.len() {
        let mut place = next;
        while place > 0 && order[place - 1] > order[place] {
            if exchanges.len() >= MAX_EXCHANGES {
                return None;
            }
            exchanges.push((order[place], order[place - 1]));
            order.swap(place - 1, place);
            place -= 1;
        }
    }
    // Sorting leads back to the seed, so the reverse leads to the mutant.
    exchanges.reverse();
    Some(exchanges)
}

fn exchange(order: &mut [usize], first: usize, second: usize) -> Option<()> {
    let first = order.iter().position(|number| *number == first)?;
    let second = order.iter().position(|number| *number == second)?;
    order.swap(first, second);
    Some(())
}

/// Swaps that lead from the seed's order to the given one.
fn edits_to(order: &[usize], language: &dyn Language) -> Option<Vec<Edit>> {
    let mut now: Vec<usize> = (0..order.len()).collect();
    let mut place: Vec<usize> = now.clone();
    let mut edits = Vec::new();
    for (position, &wanted) in order.iter().enumerate() {
        let found = now[position];
        if found == wanted {
            continue;
        }
        let from = place[wanted];
        now.swap(position, from);
        place[found] = from;
        place[wanted] = position;
        edits.push(swap(language, found, wanted)?);
    }
    Some(edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanges_lead_to_the_order() {
        let order = vec![3, 0, 4, 1, 2];
        let mut now: Vec<usize> = (0..5).collect();
        let exchanges = exchanges(order.clone()).unwrap();
        assert_eq!(exchanges.len(), 5);
        for (first, second) in exchanges {
            let at = |number: usize| now.iter().position(|n| *n == number).unwrap();
            assert_eq!(at(first).abs_diff(at(second)), 1);
            exchange(&mut now, first, second).unwrap();
        }
        assert_eq!(now, order);
    }

    #[test]
    fn swaps_lead_to_the_order() {
        let order = [3, 0, 4, 1, 2];
        let mut now: Vec<usize> = (0..5).collect();
        for edit in edits_to(&order, mugie_boogie::BOOGIE).unwrap() {
            let Place::Swap { swap: (first, second) } = edit.place else { unreachable!() };
            let number = |id: UnitId| id.own_number().unwrap();
            exchange(&mut now, number(first), number(second)).unwrap();
        }
        assert_eq!(now, order);
    }
}
