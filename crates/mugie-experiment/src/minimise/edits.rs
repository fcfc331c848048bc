//! Minimises the edits: which of them are to blame?

use std::io;
use std::sync::Arc;

use mugie_core::reduce::{CandidateCheck, Search as _, Sizes, remove_chunks};
use mugie_core::{Edit, Pair, Place, number_of};

use super::causes::SHARE;
use super::search::PairSearch;

/// The most places of an edit that are tried alone after no chunk of them could be left out.
const MAX_ALONE: usize = 12;

/// The most units in another order of which it is quicker to leave out some than to bisect.
const FEW: usize = 8;

impl PairSearch<'_> {
    /// Removes edits until every one that is left is needed. A selection is no candidate if one of
    /// its edits depends on a removed one, so that it cannot be applied, or if it leads back to the
    /// seed.
    pub(super) fn minimise_edits(&mut self) -> io::Result<()> {
        let edits = self.best().edits();
        if edits.len() < 2 {
            return Ok(());
        }
        // Mostly, a single edit is to blame.
        let base = Arc::clone(self.best());
        let alone = |index: usize| with_edits(&*base, std::slice::from_ref(&edits[index]));
        if self.first(edits.len(), CandidateCheck::Mutant, &alone)?.is_some() {
            return Ok(());
        }
        let mut left = edits;
        let mut sizes = Sizes::all(left.len());
        while !self.is_over() {
            let before = left.len();
            let make = |best: &dyn Pair, _: &[Edit], rest: &[Edit]| with_edits(best, rest);
            left = remove_chunks(self, left, sizes, CandidateCheck::Mutant, make)?;
            if left.len() == before {
                break;
            }
            sizes = Sizes::single();
        }
        Ok(())
    }
}

impl PairSearch<'_> {
    /// Takes edits at many places apart: leaves out places until each that is left is needed, at best all but one.
    pub(super) fn take_apart(&mut self) -> io::Result<()> {
        let limit = self.limit;
        if self.settings.program {
            // Leave runs for the program.
            self.limit = limit.min(self.runs + self.settings.runs / SHARE);
        }
        let result = self.take_edits_apart();
        self.limit = limit;
        result
    }

    fn take_edits_apart(&mut self) -> io::Result<()> {
        self.find_swap()?;
        (0..self.best().edits().len()).try_for_each(|number| self.take_edit_apart(number))
    }

    /// If the only edit is another order of units, looks for the two of them that must change places: bisecting
    /// takes fewer runs than leaving out units.
    fn find_swap(&mut self) -> io::Result<()> {
        match place_of(&**self.best(), 0) {
            Some(Place::Order { order }) if order.len() > FEW => {}
            _ => return Ok(()),
        }
        let base = Arc::clone(self.best());
        if base.edits().len() > 1 {
            return Ok(());
        }
        let exchange = self.decisive_exchange();
        let swap = exchange.and_then(|(first, second)| self.swap(first, second));
        let swap = |_| with_edits(&*base, std::slice::from_ref(swap.as_ref()?));
        self.first(1, CandidateCheck::Mutant, &swap)?;
        Ok(())
    }

    fn take_edit_apart(&mut self, number: usize) -> io::Result<()> {
        let Some(all) = place_of(&**self.best(), number) else { return Ok(()) };
        let make = |best: &dyn Pair, rest: &[usize]| with_place(best, number, all.only(rest)?);
        let mut left: Vec<usize> = (0..all.listed()).collect();
        let mut sizes = Sizes::all(left.len());
        while !self.is_over() && left.len() > 1 {
            let before = left.len();
            left = remove_chunks(self, left, sizes, CandidateCheck::Mutant, |best, _, rest| {
                make(best, rest)
            })?;
            if left.len() == before {
                break;
            }
            sizes = Sizes::single();
        }
        if (2..=MAX_ALONE).contains(&left.len()) {
            let alone = smallest(&all, &left);
            let base = Arc::clone(self.best());
            let candidate = |index: usize| make(&*base, &alone[index]);
            self.first(alone.len(), CandidateCheck::Mutant, &candidate)?;
        }
        self.put(number, place_of(&**self.best(), number).and_then(|place| place.as_single()));
        Ok(())
    }

    /// Replaces edits at many places by edits that list them.
    pub(super) fn spell_out(&mut self) {
        let spelled = |pair: &dyn Pair, number: usize| {
            let edits = pair.edits();
            let edit = edits.get(number).filter(|it| matches!(it.place, Place::Many { .. }))?;
            let before = pair.with_edits(&edits[..number]).ok()?;
            let operator = number_of(before.mutant().operators(), &edit.operator)?;
            before.mutant().spelled_out(operator, &edit.place)
        };
        for number in 0..self.best().edits().len() {
            let place = spelled(&**self.best(), number);
            self.put(number, place);
        }
    }

    /// Gives an edit of the best pair another place that leads to the same mutant.
    fn put(&mut self, number: usize, place: Option<Place>) {
        let best = self.best();
        let same = place.and_then(|place| with_place(&**best, number, place));
        if let Some(same) = same.filter(|it| it.mutant().hash() == best.mutant().hash())
            && let Some(last) = self.history.last_mut()
        {
            *last = same;
        }
    }
}

/// The place of an edit, if it lists several.
fn place_of(pair: &dyn Pair, number: usize) -> Option<Place> {
    let edit = pair.edits().into_iter().nth(number)?;
    (edit.place.listed() > 0).then_some(edit.place)
}

/// The least that could be left of a list of places, of those that are left: single ones, and for an order two units.
fn smallest(place: &Place, left: &[usize]) -> Vec<Vec<usize>> {
    match place {
        Place::Order { .. } => {
            let pairs = left.iter().enumerate();
            pairs.flat_map(|(end, j)| left[..end].iter().map(|i| vec![*i, *j])).collect()
        }
        _ => left.iter().map(|it| vec![*it]).collect(),
    }
}

/// The pair with another place of an edit.
fn with_place(pair: &dyn Pair, number: usize, place: Place) -> Option<Arc<dyn Pair>> {
    let mut edits = pair.edits();
    let edit = edits.get_mut(number)?;
    *edit = Edit::new(edit.operator.clone(), place, String::new());
    with_edits(pair, &edits)
}

/// The pair's seed with other edits, if they can be applied and change anything.
pub(super) fn with_edits(pair: &dyn Pair, edits: &[Edit]) -> Option<Arc<dyn Pair>> {
    let pair = pair.with_edits(edits).ok()?;
    (!edits.is_empty() && !pair.is_equal()).then_some(pair)
}
