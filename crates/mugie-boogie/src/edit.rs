//! Edits of Boogie programs: finding a place by its number, and applying an operator there.

use bpl_syntax::ast::Decl;
use mugie_core::{ApplyError, Edit, Place, UnitId};

use crate::facts::Facts;
use crate::offers::{Change, Offers};
use crate::operator::Operator;
use crate::operators;
use crate::patch::patched;
use crate::subject::{Rearrangement, Subject, number_of};

/// A program after an edit.
#[derive(Debug)]
pub struct Applied {
    /// The program after the edit.
    pub subject: Subject,
    /// The edit.
    pub edit: Edit,
    /// The new declarations with their indices.
    pub changed: Vec<(usize, Decl)>,
    /// The former indices of the declarations that they replaced, if these are known.
    pub(crate) replaced: Option<Vec<usize>>,
}

impl Applied {
    /// Returns the program with the trees that the operator made, rather than those parsed from the
    /// printed text: the former keep the spans of the code they were made from.
    pub fn keeping_trees(self) -> Subject {
        self.subject.with_trees(self.changed)
    }
}

impl Subject {
    /// The number of places where an operator applies.
    pub fn places(&self, operator: &dyn Operator) -> u64 {
        number_of(operator).map_or(0, |number| self.count(number))
    }

    /// The place with this number, which must be below [`Subject::places`].
    pub(crate) fn place(&self, operator: usize, mut number: u64) -> Option<Place> {
        for (index, node) in self.nodes.iter().enumerate() {
            let count = self.count_in(operator, index);
            if number < count {
                return Some(Place::Inside { unit: node.id.clone(), at: number });
            }
            number -= count;
        }
        let mut offers = Offers::picking(number);
        operators::ALL[operator].in_program(self, &mut offers);
        let id = |index: usize| self.nodes[index].id.clone();
        Some(match offers.into_picked()?.result {
            Rearrangement::Swap(i, j) => Place::Swap { swap: (id(i), id(j)) },
            Rearrangement::ToSecondFile { index, second_first } => {
                Place::Move { moved: id(index), second_first }
            }
            Rearrangement::Replace(_) | Rearrangement::Insert(..) | Rearrangement::Order(_) => {
                Place::Program { at: number }
            }
        })
    }

    /// Applies an operator at a place.
    pub(crate) fn apply_at(&self, operator: usize, place: Place) -> Result<Applied, ApplyError> {
        if place.is_many() {
            return self.apply_at_many(operator, place);
        }
        let operator = operators::ALL[operator];
        let no_place = || no_place(operator, &place);
        let index =
            |id: &UnitId| self.position(id).ok_or_else(|| ApplyError::NoUnit(id.to_string()));
        let mut replaced = None;
        let (words, rearrangement) = match &place {
            Place::Inside { unit, at } => {
                let index = index(unit)?;
                replaced = Some(vec![index]);
                let decl = self.decl(index);
                let change = made(operator, &decl, &self.facts, vec![*at]).ok_or_else(no_place)?;
                let words = format!("{} in {}", change.words, self.describe(index));
                (words, Rearrangement::Replace(vec![(index, change.result)]))
            }
            Place::Swap { swap: (first, second) } => {
                let (i, j) = (index(first)?, index(second)?);
                if !self.can_swap(i, j) {
                    return Err(no_place());
                }
                let rearrangement = Rearrangement::Swap(i, j);
                (self.words(&rearrangement), rearrangement)
            }
            Place::Move { moved, second_first } => {
                let index = index(moved)?;
                if !self.can_move(index) {
                    return Err(no_place());
                }
                let rearrangement =
                    Rearrangement::ToSecondFile { index, second_first: *second_first };
                (self.words(&rearrangement), rearrangement)
            }
            Place::Program { at } => {
                let mut offers = Offers::picking(*at);
                operator.in_program(self, &mut offers);
                let change = offers.into_picked().ok_or_else(no_place)?;
                (change.words, change.result)
            }
            Place::Many { .. } | Place::Order { .. } | Place::Several { .. } => {
                return Err(no_place());
            }
        };
        let operator = operator.about().id().to_owned();
        let (mut subject, changed) = self.rearranged(rearrangement);
        subject.has_new_signatures |= matches!(place, Place::Program { .. });
        Ok(Applied { subject, edit: Edit::new(operator, place, words), changed, replaced })
    }

    /// Repeats an edit on this program, or on another one with the same places.
    pub fn apply(&self, edit: &Edit) -> Result<Applied, ApplyError> {
        let operator = operators::find(&edit.operator)
            .and_then(number_of)
            .ok_or_else(|| ApplyError::UnknownOperator(edit.operator.clone()))?;
        self.apply_at(operator, edit.place.clone()).map_err(|error| error.about(edit))
    }

    /// Whether swapping two declarations changes the program but not its meaning.
    pub(crate) fn can_swap(&self, i: usize, j: usize) -> bool {
        self.is_movable(i) && self.is_movable(j) && self.decl_hash(i) != self.decl_hash(j)
    }

    /// Whether a declaration can be moved out of the main file.
    pub(crate) fn can_move(&self, index: usize) -> bool {
        index < self.main_len() && self.main_len() > 1 && self.is_movable(index)
    }

    /// Describes a rearrangement of whole declarations.
    pub(crate) fn words(&self, rearrangement: &Rearrangement) -> String {
        match rearrangement {
            Rearrangement::Swap(i, j) => {
                format!("swap {} with {}", self.describe(*i), self.describe(*j))
            }
            Rearrangement::ToSecondFile { index, second_first } => {
                let order = if *second_first { "first" } else { "last" };
                format!("move {} to a second file, given {order}", self.describe(*index))
            }
            Rearrangement::Replace(_) | Rearrangement::Insert(..) | Rearrangement::Order(_) => {
                String::new()
            }
        }
    }
}

/// What an operator makes of a declaration at places in it, which are given in descending order. The
/// words are about the last of them. `None` if one of them is no place.
pub(crate) fn made(
    operator: &dyn Operator,
    decl: &Decl,
    facts: &Facts,
    places: Vec<u64>,
) -> Option<Change<Vec<Decl>>> {
    let mut offers = Offers::picking_all(places);
    operator.in_decl(decl, facts, &mut offers);
    let changes = offers.into_all_picked()?;
    let words = changes.first()?.words.clone();
    Some(Change::new(words, patched(decl, changes.into_iter().map(|change| change.result))))
}

/// The error of an operator that does not apply at a place.
pub(crate) fn no_place(operator: &dyn Operator, place: &Place) -> ApplyError {
    ApplyError::NoPlace { operator: operator.about().id().to_owned(), words: format!("{place:?}") }
}
