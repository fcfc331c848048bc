//! Edits at many places at once: drawing the places, and applying an operator at all of them.
//!
//! Such an edit is the composition of edits at single places, the last place first and inner places
//! before those around them, so each of them is sound by the same argument as alone. The result of a
//! draw is a list of places, from which any part can be left out. This module knows no operator.
//!
//! A shuffle of a list is a list of swaps too: for each item from the last one on, one with an item that
//! is not behind it. All orders are equally likely, unless some items are equal.

use std::collections::BTreeMap;

use bpl_syntax::ast::Decl;
use mugie_core::rng::MutantRng;
use mugie_core::{ApplyError, Edit, Place, Spot, Strength, UnitId, UnitSet};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::edit::{Applied, made, no_place};
use crate::offers::{Offers, Pairs, Site};
use crate::operator::{AtMany, Operator};
use crate::operators;
use crate::subject::{Rearrangement, Subject};

/// One in this many places is drawn for [`Strength::Some`]. For [`Strength::All`], it is one in two: then
/// all programs that the operator leads to at single places are equally likely.
const SOME: u64 = 5;

/// The number of draws until the program is another one. Raising it only matters to programs with very
/// few places.
const DRAWS: u64 = 8;

/// The number of places that are drawn at least for [`Strength::Some`], if there are as many.
const LEAST: usize = 2;

/// A place of an operator: the index of the declaration, or `None` for the program, and the number.
type Spotted = (Option<usize>, u64);

impl Subject {
    /// Many places of an operator, all of them in the units if these are given, and the program after the
    /// edit. `None` if no change was found.
    pub(crate) fn drawn(
        &self,
        operator: usize,
        strength: Strength,
        random: u64,
        units: Option<&UnitSet>,
    ) -> Option<(Place, Applied)> {
        let at_many = operators::ALL[operator].at_many()?;
        if strength.is_one() {
            return None;
        }
        let is_within =
            |index: &usize| units.is_none_or(|units| units.contains(&self.nodes[*index].id));
        let focused: Vec<usize> = (0..self.len()).filter(is_within).collect();
        let is_changed = |place: Place| {
            let applied = self.apply_at_many(operator, place.clone()).ok()?;
            (applied.subject.fingerprint() != self.fingerprint()).then_some((place, applied))
        };
        (0..=DRAWS).find_map(|draw| {
            let mut rng = MutantRng::new(random, &draw.to_le_bytes());
            if draw == DRAWS {
                // Changes may undo each other; one alone does not.
                return is_changed(self.draw_one(operator, units, &mut rng)?);
            }
            is_changed(match at_many {
                AtMany::Order(_) => self.draw_order(operator, strength, &focused, &mut rng)?,
                AtMany::Lists(_) | AtMany::Places(_) => {
                    self.draw_several(operator, strength, &focused, units, &mut rng)?
                }
            })
        })
    }

    /// A single place of the operator, as a list of one, or the order of two declarations.
    fn draw_one(
        &self,
        operator: usize,
        units: Option<&UnitSet>,
        rng: &mut MutantRng,
    ) -> Option<Place> {
        let place = match units {
            Some(units) => self.place_in(operator, units, &mut |bound| rng.below(bound)),
            None => self.place(operator, rng.below(self.count(operator))),
        };
        let (unit, at) = match place? {
            Place::Swap { swap: (first, second) } => {
                let is_within = [&first, &second]
                    .iter()
                    .all(|unit| units.is_none_or(|units| units.contains(unit)));
                return is_within.then(|| Place::Order { order: vec![second, first] });
            }
            Place::Inside { unit, at } => (Some(unit), at),
            Place::Program { at } => (None, at),
            _ => return None,
        };
        Some(Place::Several { several: vec![Spot { unit, at, how: None }] })
    }

    /// An order of some or all of the declarations that the operator moves.
    fn draw_order(
        &self,
        operator: usize,
        strength: Strength,
        focused: &[usize],
        rng: &mut MutantRng,
    ) -> Option<Place> {
        let operator = operators::ALL[operator];
        let movable: Vec<usize> =
            focused.iter().copied().filter(|index| operator.moves(self, *index)).collect();
        let mut places = chosen(&movable, strength, rng);
        while places.len() < LEAST.min(movable.len()) {
            let one = movable[rng.index(movable.len())];
            if let Err(at) = places.binary_search(&one) {
                places.insert(at, one);
            }
        }
        let mut order = places.clone();
        for last in (1..order.len()).rev() {
            order.swap(last, rng.index(last + 1));
        }
        let moved = places.iter().zip(&order).filter(|(place, it)| place != it);
        let order: Vec<UnitId> = moved.map(|(_, it)| self.nodes[*it].id.clone()).collect();
        (!order.is_empty()).then_some(Place::Order { order })
    }

    /// Some or about half of the operator's places; of a list, the swaps that lead to another order.
    fn draw_several(
        &self,
        operator: usize,
        strength: Strength,
        focused: &[usize],
        units: Option<&UnitSet>,
        rng: &mut MutantRng,
    ) -> Option<Place> {
        let mut spots: Vec<Spotted> = Vec::new();
        // The last number of each part, with those before it.
        let mut ends: Vec<(u64, Option<usize>)> = Vec::new();
        let mut all = 0;
        for index in focused {
            let count = self.count_in(operator, *index);
            if count > 0 {
                let decl = self.decl(*index);
                let mut offers = Offers::listing();
                operators::ALL[operator].in_decl(&decl, &self.facts, &mut offers);
                draw_sites(&offers.into_sites(), strength, rng, |at| {
                    spots.push((Some(*index), at));
                });
                all += count;
                ends.push((all, Some(*index)));
            }
        }
        let mut offers = Offers::listing();
        operators::ALL[operator].in_program(self, &mut offers);
        let is_within = |at: u64| {
            units.is_none_or(|it| self.is_change_within(operator, &Place::Program { at }, it))
        };
        let count = offers.count();
        draw_sites(&offers.into_sites(), strength, rng, |at| {
            if is_within(at) {
                spots.push((None, at));
            }
        });
        all += count;
        ends.push((all, None));
        // A swap is about two places already.
        let is_of_lists = matches!(operators::ALL[operator].at_many(), Some(AtMany::Lists(_)));
        let least = if is_of_lists || strength == Strength::All { 1 } else { LEAST };
        for _ in 0..if all > 0 { DRAWS } else { 0 } {
            if spots.len() >= least.min(usize::try_from(all).unwrap_or(usize::MAX)) {
                break;
            }
            let number = rng.below(all);
            let part = ends.partition_point(|(end, _)| *end <= number);
            let first = part.checked_sub(1).map_or(0, |before| ends[before].0);
            let spot = (ends[part].1, number - first);
            if !spots.contains(&spot) && (spot.0.is_some() || is_within(spot.1)) {
                spots.push(spot);
            }
        }
        // Places of the program come last.
        spots.sort_unstable_by_key(|(index, at)| (index.is_none(), *index, *at));
        let id = |index: usize| self.nodes[index].id.clone();
        let spot = |(index, at): Spotted| Spot { unit: index.map(id), at, how: None };
        let several: Vec<Spot> = spots.into_iter().map(spot).collect();
        (!several.is_empty()).then_some(Place::Several { several })
    }

    /// Applies an operator at many places.
    pub(crate) fn apply_at_many(&self, number: usize, place: Place) -> Result<Applied, ApplyError> {
        let operator = operators::ALL[number];
        let Some(at_many) = operator.at_many() else { return Err(no_place(operator, &place)) };
        match (&place, at_many) {
            (Place::Many { many, random }, _) => {
                let drawn = self.drawn(number, *many, *random, None);
                let (listed, applied) = drawn.ok_or_else(|| no_place(operator, &place))?;
                let words = match (at_many, many, listed.listed()) {
                    (AtMany::Order(what), Strength::All, 3..) => {
                        let all = (0..self.len()).filter(|it| operator.moves(self, *it)).count();
                        format!("shuffle all {all} {what}")
                    }
                    (AtMany::Lists(what), Strength::All, swaps) if swaps > 1 => {
                        format!("shuffle all {what}, by {swaps} swaps")
                    }
                    (AtMany::Lists(what), _, swaps) if swaps > 1 => {
                        format!("shuffle some {what}, by {swaps} swaps")
                    }
                    _ => applied.edit.words,
                };
                let edit = Edit::new(operator.about().id(), place, words);
                Ok(Applied { edit, ..applied })
            }
            (Place::Order { order }, AtMany::Order(what)) => {
                let places = self.reordered(operator, order)?;
                let places = places.ok_or_else(|| no_place(operator, &place))?;
                let words = match places.as_slice() {
                    [(i, j), _] => self.words(&Rearrangement::Swap(*i, *j)),
                    places => {
                        let all = (0..self.len()).filter(|it| operator.moves(self, *it)).count();
                        format!("shuffle {} {what}", of_all(places.len(), all))
                    }
                };
                let (subject, changed) = self.rearranged(Rearrangement::Order(places));
                let edit = Edit::new(operator.about().id(), place, words);
                Ok(Applied { subject, edit, changed, replaced: None })
            }
            (Place::Several { several }, AtMany::Lists(what) | AtMany::Places(what)) => {
                let spots = self.spotted(several)?;
                let made = spots.and_then(|spots| self.made_at(operator, spots));
                let made = made.ok_or_else(|| no_place(operator, &place))?;
                let words = match (made.only, at_many) {
                    (Some(words), _) => words,
                    (None, AtMany::Lists(_)) => format!("{} swaps of {what}", several.len()),
                    (None, _) => {
                        let all = usize::try_from(self.count(number)).unwrap_or(usize::MAX);
                        format!("{what} at {} places", of_all(several.len(), all))
                    }
                };
                let replaced = made.replaced.iter().map(|(index, _)| *index).collect();
                let rearrangement = Rearrangement::Replace(made.replaced);
                let (mut subject, changed) = self.rearranged(rearrangement);
                subject.has_new_signatures |= made.is_wide;
                let edit = Edit::new(operator.about().id(), place, words);
                Ok(Applied { subject, edit, changed, replaced: Some(replaced) })
            }
            _ => Err(no_place(operator, &place)),
        }
    }

    /// The indices of units.
    fn indices<'i>(
        &self,
        mut units: impl Iterator<Item = &'i UnitId> + Clone,
    ) -> Result<FxHashMap<&'i UnitId, usize>, ApplyError> {
        let wanted: FxHashSet<&UnitId> = units.clone().collect();
        let nodes = self.nodes.iter().enumerate();
        let found = nodes.filter_map(|(index, node)| Some((*wanted.get(&node.id)?, index)));
        let found: FxHashMap<&UnitId, usize> = found.collect();
        match units.find(|unit| !found.contains_key(unit)) {
            Some(unit) => Err(ApplyError::NoUnit(unit.to_string())),
            None => Ok(found),
        }
    }

    /// The places that change, with what comes there; `None` if the operator cannot do this.
    fn reordered(
        &self,
        operator: &dyn Operator,
        order: &[UnitId],
    ) -> Result<Option<Vec<(usize, usize)>>, ApplyError> {
        let indices = self.indices(order.iter())?;
        let moved: Vec<usize> = order.iter().map(|unit| indices[unit]).collect();
        let mut places = moved.clone();
        places.sort_unstable();
        let is_right = places.len() > 1
            && places.windows(2).all(|two| two[0] < two[1])
            && moved.iter().all(|index| operator.moves(self, *index))
            && places
                .iter()
                .zip(&moved)
                .any(|(place, it)| self.decl_hash(*place) != self.decl_hash(*it));
        Ok(is_right.then(|| places.into_iter().zip(moved).collect()))
    }

    /// The places in a list; `None` if the list says more than where they are.
    fn spotted(&self, several: &[Spot]) -> Result<Option<Vec<Spotted>>, ApplyError> {
        let indices = self.indices(several.iter().filter_map(|spot| spot.unit.as_ref()))?;
        let spotted = |spot: &Spot| {
            let index = spot.unit.as_ref().map(|unit| indices[unit]);
            spot.how.is_none().then_some((index, spot.at))
        };
        Ok(several.iter().map(spotted).collect())
    }

    /// What an operator makes of the declarations at many places; `None` if one of them is no place, or
    /// is there twice. A place that cannot be changed any more after those behind it is left out.
    fn made_at(&self, operator: &dyn Operator, spots: Vec<Spotted>) -> Option<Made> {
        let number = spots.len();
        let mut inside: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
        let mut wide = Vec::new();
        for (index, at) in spots {
            match index {
                Some(index) => inside.entry(index).or_default().push(at),
                None => wide.push(at),
            }
        }
        let is_wide = !wide.is_empty();
        let mut only = None;
        let mut replaced: BTreeMap<usize, Vec<Decl>> = BTreeMap::new();
        for (index, places) in inside {
            let decl = self.decl(index);
            let change = made(operator, &decl, &self.facts, descending(places)?)?;
            if number == 1 {
                only = Some(format!("{} in {}", change.words, self.describe(index)));
            }
            if !matches!(change.result.as_slice(), [one] if *one == *decl) {
                replaced.insert(index, change.result);
            }
        }
        if is_wide {
            let mut offers = Offers::picking_all(descending(wide)?);
            operator.in_program(self, &mut offers);
            let mut main = self.main_len();
            for change in offers.into_all_picked()? {
                let Rearrangement::Replace(others) = change.result else { return None };
                let is_gone = |(index, decls): &&(usize, Vec<Decl>)| {
                    *index < self.main_len() && decls.is_empty()
                };
                let gone = others.iter().filter(is_gone).count();
                let is_free = others.iter().all(|(index, _)| !replaced.contains_key(index));
                if is_free && gone < main {
                    main -= gone;
                    replaced.extend(others);
                }
                if number == 1 {
                    only = Some(change.words);
                }
            }
        }
        Some(Made { replaced: replaced.into_iter().collect(), only, is_wide })
    }
}

/// What is made of declarations at many places.
struct Made {
    replaced: Vec<(usize, Vec<Decl>)>,
    /// The words about the place, if it is only one.
    only: Option<String>,
    /// Whether the program as a whole changes.
    is_wide: bool,
}

/// The numbers in descending order, with the last one first to be popped; `None` if one is there twice.
fn descending(mut places: Vec<u64>) -> Option<Vec<u64>> {
    places.sort_unstable_by(|one, other| other.cmp(one));
    places.windows(2).all(|two| two[0] != two[1]).then_some(places)
}

/// `all 214`, `31 of 58`.
fn of_all(number: usize, all: usize) -> String {
    if number == all { format!("all {all}") } else { format!("{number} of {all}") }
}

/// Those that are drawn: all of them, or some.
fn chosen<T: Copy>(all: &[T], strength: Strength, rng: &mut MutantRng) -> Vec<T> {
    let is_all = strength == Strength::All;
    all.iter().copied().filter(|_| is_all || rng.below(SOME) == 0).collect()
}

/// Draws places.
fn draw_sites(sites: &[Site], strength: Strength, rng: &mut MutantRng, mut draw: impl FnMut(u64)) {
    let one_in = if strength == Strength::All { 2 } else { SOME };
    for site in sites {
        match site {
            Site::Places { first, number } => {
                (*first..first + number).filter(|_| rng.below(one_in) == 0).for_each(&mut draw);
            }
            Site::List(pairs) => {
                let items: Vec<usize> = (0..pairs.length).collect();
                let moved = chosen(&items, strength, rng);
                for last in (1..moved.len()).rev() {
                    let other = rng.index(last + 1);
                    draw_pair(pairs, moved[other], moved[last], &mut draw);
                }
            }
            Site::Joins(pairs) => {
                for j in 1..pairs.length {
                    if rng.below(one_in) == 0 {
                        draw_pair(pairs, rng.index(j), j, &mut draw);
                    }
                }
            }
        }
    }
}

fn draw_pair(pairs: &Pairs, i: usize, j: usize, draw: &mut impl FnMut(u64)) {
    if i < j
        && let Some(number) = pairs.number(i, j)
    {
        draw(number);
    }
}
