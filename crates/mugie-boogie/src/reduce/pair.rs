//! A seed and its mutant as one object: the seed, and the edits that lead to the mutant.
//!
//! The mutant is never changed directly. Whatever is cut is cut from the seed, and the mutant is
//! made anew by the operators, which check their side conditions themselves. So by construction,
//! every pair is a seed and a mutant that mugie's operators make from it.

use std::any::Any;
use std::sync::Arc;

use bpl_check::check_with;
use bpl_syntax::ast::{Decl, Program as Tree};
use mugie_core::{Defect, Edit, Pair, PairError, Place, Program, Spot, UnitId};
use rustc_hash::FxHashSet;

use super::cut::Cut;
use super::names::{self, Names};
use super::number::number;
use crate::edit::{Applied, made};
use crate::offers::Offers;
use crate::operator::Operator;
use crate::operators;
use crate::subject::Subject;
use crate::validate::Validator;

/// A seed, and the edits that lead to its mutant.
#[derive(Clone, Debug)]
pub(crate) struct BoogiePair {
    options: bpl_check::CheckOptions,
    seed: Subject,
    names: Vec<Arc<Names>>,
    steps: Vec<Arc<Step>>,
}

/// An edit and its result.
#[derive(Debug)]
struct Step {
    edit: Edit,
    /// The declarations that the edit made, with their indices.
    changed: Vec<(usize, Decl)>,
    /// The program after the edit. Its trees carry the seed's numbers.
    subject: Subject,
}

impl BoogiePair {
    /// Checks a seed with these options and applies the edits to it.
    pub(crate) fn new(
        program: &Tree,
        options: bpl_check::CheckOptions,
        edits: &[Edit],
    ) -> Result<BoogiePair, PairError> {
        check_with(program, options).map_err(|errors| {
            let first = errors.into_iter().next();
            PairError::IllFormed(first.map(|error| error.message).unwrap_or_default())
        })?;
        let mut program = program.clone();
        number(&mut program);
        let names = program.decls.iter().map(|decl| Arc::new(Names::new(decl))).collect();
        let pair = BoogiePair { options, seed: Subject::new(&program), names, steps: Vec::new() };
        pair.edited(edits)
    }

    /// The same seed with other edits.
    fn edited(&self, edits: &[Edit]) -> Result<BoogiePair, PairError> {
        let mut pair = BoogiePair { steps: Vec::new(), ..self.clone() };
        let validator = Validator::new(&self.seed.program(), self.options);
        for edit in edits {
            let applied = pair.mutant().apply(edit)?;
            pair.push(&validator, applied)?;
        }
        Ok(pair)
    }

    fn push(&mut self, validator: &Validator, applied: Applied) -> Result<(), Defect> {
        validator.validate(&applied.subject, &applied.edit, &applied.changed)?;
        let (edit, changed) = (applied.edit.clone(), applied.changed.clone());
        let subject = applied.keeping_trees();
        self.steps.push(Arc::new(Step { edit, changed, subject }));
        Ok(())
    }

    /// The seed.
    pub(super) fn seed(&self) -> &Subject {
        &self.seed
    }

    /// The mutant.
    fn mutant(&self) -> &Subject {
        self.steps.last().map_or(&self.seed, |step| &step.subject)
    }

    /// The names in each declaration of the seed.
    pub(super) fn names(&self) -> &[Arc<Names>] {
        &self.names
    }

    /// The declarations of the seed that the edits are about, none of which may be removed.
    pub(super) fn touched(&self) -> FxHashSet<usize> {
        let mut touched = FxHashSet::default();
        for step in &self.steps {
            match &step.edit.place {
                Place::Inside { unit, .. } => touched.extend(unit.seed_number()),
                Place::Swap { swap: (first, second) } => {
                    touched.extend(first.seed_number());
                    touched.extend(second.seed_number());
                }
                Place::Move { moved, .. } => touched.extend(moved.seed_number()),
                Place::Order { .. } | Place::Several { .. } => {
                    let units = step.edit.place.units();
                    touched.extend(units.into_iter().filter_map(UnitId::seed_number));
                    touched.extend(self.touched_by_name(step));
                }
                Place::Program { .. } | Place::Many { .. } => {
                    touched.extend(self.touched_by_name(step));
                }
            }
        }
        touched
    }

    /// The declarations that an edit of the whole program renamed or removed.
    fn touched_by_name(&self, step: &Step) -> Vec<usize> {
        let left: FxHashSet<usize> = step.subject.seed_order().into_iter().collect();
        let removed = (0..self.seed.len()).filter(|index| !left.contains(index));
        let renamed = step.changed.iter().filter_map(|(index, tree)| {
            let index = step.subject.seed_index(*index)?;
            (names::declared(tree) != self.names.get(index)?.declared).then_some(index)
        });
        removed.chain(renamed).collect()
    }

    /// Returns what remains after a cut if it is still a pair: both programs are well-formed, and
    /// the mutant is the result of the same edits. Declarations that depend on something that was
    /// cut are removed as well.
    pub(super) fn after(&self, cut: &Cut) -> Option<BoogiePair> {
        let touched = self.touched();
        let trees: Vec<Arc<Decl>> = (0..self.seed.len()).map(|i| self.seed.decl(i)).collect();
        let mut left: Vec<Option<Arc<Decl>>> = trees.iter().map(|decl| cut.apply(decl)).collect();
        let mut names: Vec<Option<Arc<Names>>> = left
            .iter()
            .enumerate()
            .map(|(index, decl)| {
                let decl = decl.as_ref()?;
                let is_same = Arc::ptr_eq(decl, &trees[index]);
                let names = || Arc::new(Names::new(decl));
                Some(if is_same { Arc::clone(&self.names[index]) } else { names() })
            })
            .collect();
        names::drop_dependents(&self.names, &mut names, |index| touched.contains(&index));
        let mut new_numbers = vec![None; left.len()];
        let mut number = 0;
        for (index, names) in names.iter().enumerate() {
            if names.is_none() {
                left[index] = None;
            } else {
                new_numbers[index] = Some(number);
                number += 1;
            }
        }
        let decls: Vec<Arc<Decl>> = left.iter().flatten().cloned().collect();
        let program = Tree { dialect: self.seed.dialect(), decls };
        if check_with(&program, self.options).is_err() {
            return None;
        }
        let seed = Subject::new(&program);
        let names = names.into_iter().flatten().collect();
        let mut pair = BoogiePair { options: self.options, seed, names, steps: Vec::new() };
        let validator = Validator::new(&program, self.options);
        let reduction = Reduction { before: self, cut, left, new_numbers };
        for step in &self.steps {
            let applied = reduction.again(step, pair.mutant())?;
            pair.push(&validator, applied).ok()?;
            if !reduction.is_expected(step, pair.mutant()) {
                return None;
            }
        }
        Some(pair)
    }
}

impl Pair for BoogiePair {
    fn seed(&self) -> &dyn Program {
        &self.seed
    }

    fn mutant(&self) -> &dyn Program {
        BoogiePair::mutant(self)
    }

    fn edits(&self) -> Vec<Edit> {
        self.steps.iter().map(|step| step.edit.clone()).collect()
    }

    fn with_edits(&self, edits: &[Edit]) -> Result<Arc<dyn Pair>, PairError> {
        Ok(Arc::new(self.edited(edits)?))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The step from a pair to a smaller one: what remains of each declaration, and its new number.
struct Reduction<'a> {
    before: &'a BoogiePair,
    cut: &'a Cut,
    left: Vec<Option<Arc<Decl>>>,
    new_numbers: Vec<Option<usize>>,
}

impl Reduction<'_> {
    /// Repeats an edit on the smaller program, at the corresponding place.
    fn again(&self, step: &Step, program: &Subject) -> Option<Applied> {
        let operator = operators::find(&step.edit.operator)?;
        let at_place = |place: Place| program.apply(&Edit { place, ..step.edit.clone() }).ok();
        match &step.edit.place {
            Place::Many { .. } => None,
            Place::Order { order } => {
                let order = order.iter().map(|unit| self.id(unit)).collect::<Option<_>>()?;
                at_place(Place::Order { order })
            }
            // The places keep their numbers, or the result is not the expected one.
            Place::Several { several } => {
                let spot = |spot: &Spot| {
                    let unit = match &spot.unit {
                        Some(unit) => Some(self.id(unit)?),
                        None => None,
                    };
                    Some(Spot { unit, ..spot.clone() })
                };
                let several = several.iter().map(spot).collect::<Option<_>>()?;
                at_place(Place::Several { several })
            }
            Place::Swap { swap: (first, second) } => {
                at_place(Place::Swap { swap: (self.id(first)?, self.id(second)?) })
            }
            Place::Move { moved, second_first } => {
                at_place(Place::Move { moved: self.id(moved)?, second_first: *second_first })
            }
            Place::Inside { unit, at } => {
                let id = self.id(unit)?;
                let at = self.place_inside(operator, step, program, &id, *at)?;
                at_place(Place::Inside { unit: id, at })
            }
            Place::Program { at } => {
                let mut offers = Offers::counting();
                operator.in_program(program, &mut offers);
                nearest_first(*at, offers.count()).take(MAX_TRIED).find_map(|at| {
                    let applied = at_place(Place::Program { at })?;
                    let result = program.apply(&applied.edit).ok()?.keeping_trees();
                    self.is_expected(step, &result).then_some(applied)
                })
            }
        }
    }

    /// Finds the place inside a declaration where the operator gives the expected result.
    fn place_inside(
        &self,
        operator: &dyn Operator,
        step: &Step,
        program: &Subject,
        id: &UnitId,
        at: u64,
    ) -> Option<u64> {
        let decl = program.decl(program.position(id)?);
        let cut = |(_, tree): &(usize, Decl)| self.cut.apply(&Arc::new(tree.clone()));
        let expected: Vec<Arc<Decl>> = step.changed.iter().map(cut).collect::<Option<_>>()?;
        let mut offers = Offers::counting();
        operator.in_decl(&decl, program.facts(), &mut offers);
        nearest_first(at, offers.count()).take(MAX_TRIED).find(|at| {
            let change = made(operator, &decl, program.facts(), vec![*at]);
            change.is_some_and(|change| {
                change.result.len() == expected.len()
                    && change.result.iter().zip(&expected).all(|(made, wanted)| made == &**wanted)
            })
        })
    }

    /// Whether a program is what the cut leaves of the program after a step.
    fn is_expected(&self, step: &Step, program: &Subject) -> bool {
        let before = &step.subject;
        let mut main = 0;
        let mut number = 0;
        for index in 0..before.len() {
            let tree = before.decl(index);
            let expected = match before.seed_index(index) {
                None => Some(tree),
                Some(original) if self.new_numbers[original].is_none() => None,
                Some(original) if Arc::ptr_eq(&tree, &self.before.seed.decl(original)) => {
                    self.left[original].clone()
                }
                Some(_) => match self.cut.apply(&tree) {
                    Some(tree) => Some(tree),
                    None => return false,
                },
            };
            let Some(expected) = expected else { continue };
            main += usize::from(index < before.main_len());
            let is_same = number < program.len() && {
                let found = program.decl(number);
                Arc::ptr_eq(&found, &expected) || found == expected
            };
            if !is_same {
                return false;
            }
            number += 1;
        }
        let second_first = |subject: &Subject| subject.split().map(|split| split.second_first);
        number == program.len()
            && main == program.main_len()
            && second_first(before) == second_first(program)
    }

    /// The id of a declaration after the cut.
    fn id(&self, id: &UnitId) -> Option<UnitId> {
        if id.is_added() {
            return Some(id.clone());
        }
        let number = self.new_numbers.get(id.seed_number()?).copied().flatten()?;
        let part =
            id.as_str().split_once('.').map_or(String::new(), |(_, part)| format!(".{part}"));
        Some(UnitId::from(format!("{number}{part}")))
    }
}

/// The largest number of places tried to repeat an edit. Raising it finds rare places in large
/// programs, and costs an application of the operator per place.
const MAX_TRIED: usize = 5_000;

/// The numbers below `count`, starting with `at` and those just below it: a cut mostly removes
/// places.
fn nearest_first(at: u64, count: u64) -> impl Iterator<Item = u64> {
    let up_to = (at.saturating_add(1)).min(count);
    (0..up_to).rev().chain(up_to..count)
}
