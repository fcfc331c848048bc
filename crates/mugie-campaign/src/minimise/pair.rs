//! A seed and its mutant as one thing: the seed, and edits that lead to the mutant.
//!
//! The mutant has no life of its own. Whatever is cut from the pair is cut from the seed, and the
//! mutant is made anew by the operators, which look for themselves whether they apply. So each
//! pair is a seed and what mugie's operators make of it, by construction.

use std::sync::Arc;

use bpl_check::check_with;
use bpl_syntax::ast::{Decl, Program};
use mugie_operators::{
    Applied, ApplyError, DeclId, Defect, Edit, Mutant, Offers, Operator, Place, Subject, Validator,
    operators,
};
use rustc_hash::FxHashSet;

use super::cut::Cut;
use super::names::{self, Names};
use super::number::number;
use crate::runs::Files;
use crate::witness;

/// A seed, and what leads to its mutant.
#[derive(Clone, Debug)]
pub struct Pair {
    options: bpl_check::Options,
    seed: Subject,
    names: Vec<Arc<Names>>,
    steps: Vec<Arc<Step>>,
}

/// An edit and what came of it.
#[derive(Debug)]
struct Step {
    edit: Edit,
    /// The declarations that the edit made, with their indices.
    changed: Vec<(usize, Decl)>,
    /// The program, whose trees have the numbers of the seed's.
    subject: Subject,
}

/// Why a seed and some edits make no pair.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PairError {
    /// The seed is not well-formed.
    #[error("the seed is not well-formed: {0}")]
    IllFormed(String),
    /// An edit cannot be done.
    #[error(transparent)]
    NotApplicable(#[from] ApplyError),
    /// What comes of an edit is wrong: a bug of mugie.
    #[error(transparent)]
    Defect(#[from] Defect),
}

impl Pair {
    /// The pair of a seed, which is checked with these options, and what some edits make of it.
    pub fn new(
        program: &Program,
        options: bpl_check::Options,
        edits: &[Edit],
    ) -> Result<Pair, PairError> {
        check_with(program, options).map_err(|errors| {
            let first = errors.into_iter().next();
            PairError::IllFormed(first.map(|error| error.message).unwrap_or_default())
        })?;
        let mut program = program.clone();
        number(&mut program);
        let names = program.decls.iter().map(|decl| Arc::new(Names::new(decl))).collect();
        let pair = Pair { options, seed: Subject::new(&program), names, steps: Vec::new() };
        pair.with_edits(edits)
    }

    /// The same seed with other edits.
    pub fn with_edits(&self, edits: &[Edit]) -> Result<Pair, PairError> {
        let mut pair = Pair { steps: Vec::new(), ..self.clone() };
        let validator = Validator::new(&self.seed.program(), self.options);
        for edit in edits {
            let applied = pair.mutant().apply(edit)?;
            pair.push(&validator, applied)?;
        }
        Ok(pair)
    }

    fn push(&mut self, validator: &Validator, applied: Applied) -> Result<(), Defect> {
        let Applied { subject, edit, changed, .. } = &applied;
        let mutant = Mutant {
            number: self.steps.len() + 1,
            parent: self.steps.len(),
            edits: vec![edit.clone()],
            subject: Arc::new(subject.clone()),
            changed: changed.clone(),
        };
        validator.validate(&mutant)?;
        let (edit, changed) = (applied.edit.clone(), mutant.changed);
        let subject = applied.keeping_trees();
        self.steps.push(Arc::new(Step { edit, changed, subject }));
        Ok(())
    }

    /// The seed.
    pub fn seed(&self) -> &Subject {
        &self.seed
    }

    /// The mutant.
    pub fn mutant(&self) -> &Subject {
        self.steps.last().map_or(&self.seed, |step| &step.subject)
    }

    /// What leads from the seed to the mutant.
    pub fn edits(&self) -> Vec<Edit> {
        self.steps.iter().map(|step| step.edit.clone()).collect()
    }

    /// Whether the two are the same program.
    pub fn is_equal(&self) -> bool {
        self.seed.hash() == self.mutant().hash()
    }

    /// The names in each declaration of the seed.
    pub(super) fn names(&self) -> &[Arc<Names>] {
        &self.names
    }

    /// The files of the seed, for a verifier.
    pub fn seed_files(&self) -> Files {
        files(&self.seed, "seed")
    }

    /// The files of the mutant, for a verifier.
    pub fn mutant_files(&self) -> Files {
        files(self.mutant(), "mutant")
    }

    /// The difference between seed and mutant, as a unified diff. A second file is compared with
    /// nothing.
    pub fn diff(&self) -> String {
        let (Files(seed), Files(mutant)) = (self.seed_files(), self.mutant_files());
        let files: Vec<String> = mutant.into_iter().map(|(name, _)| name).collect();
        let seed: Vec<&str> = seed.iter().map(|(name, _)| name.as_str()).collect();
        witness::diff(&self.seed, self.mutant(), seed.first().unwrap_or(&"seed.bpl"), &files)
    }

    /// The lines of the seed in its canonical layout, without blank ones.
    pub fn lines(&self) -> usize {
        let lines = |file: &mugie_operators::FileText| {
            file.text.lines().filter(|line| !line.trim().is_empty()).count()
        };
        self.seed.files().iter().map(lines).sum()
    }

    /// The declarations of the seed that the edits are about: none of them can go.
    pub(super) fn touched(&self) -> FxHashSet<usize> {
        let mut touched = FxHashSet::default();
        for step in &self.steps {
            match &step.edit.place {
                Place::Inside { decl, .. } => touched.extend(seed_number(decl)),
                Place::Swap { swap: (first, second) } => {
                    touched.extend(seed_number(first));
                    touched.extend(seed_number(second));
                }
                Place::Move { moved, .. } => touched.extend(seed_number(moved)),
                Place::Program { .. } => touched.extend(self.touched_by_name(step)),
            }
        }
        touched
    }

    /// What an edit of the whole program is about: what it renamed or removed.
    fn touched_by_name(&self, step: &Step) -> Vec<usize> {
        let left: FxHashSet<usize> = step.subject.seed_order().into_iter().collect();
        let removed = (0..self.seed.len()).filter(|index| !left.contains(index));
        let renamed = step.changed.iter().filter_map(|(index, tree)| {
            let index = step.subject.seed_index(*index)?;
            (names::declared(tree) != self.names.get(index)?.declared).then_some(index)
        });
        removed.chain(renamed).collect()
    }

    /// What is left of the pair after a cut, if it is still a pair: both programs well-formed, and
    /// the mutant the result of the same edits. What cannot stand without what is cut goes, too.
    pub(super) fn after(&self, cut: &Cut) -> Option<Pair> {
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
        let program = Program { dialect: self.seed.dialect(), decls };
        if check_with(&program, self.options).is_err() {
            return None;
        }
        let seed = Subject::new(&program);
        let names = names.into_iter().flatten().collect();
        let mut pair = Pair { options: self.options, seed, names, steps: Vec::new() };
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

/// From a pair to a smaller one: what is left of each declaration, and what it is called.
struct Reduction<'a> {
    before: &'a Pair,
    cut: &'a Cut,
    left: Vec<Option<Arc<Decl>>>,
    new_numbers: Vec<Option<usize>>,
}

impl Reduction<'_> {
    /// Does an edit again, at the place that is the same but for the cut.
    fn again(&self, step: &Step, program: &Subject) -> Option<Applied> {
        let operator = operators::find(&step.edit.operator)?;
        let at_place = |place: Place| program.apply(&Edit { place, ..step.edit.clone() }).ok();
        match &step.edit.place {
            Place::Swap { swap: (first, second) } => {
                at_place(Place::Swap { swap: (self.id(first)?, self.id(second)?) })
            }
            Place::Move { moved, second_first } => {
                at_place(Place::Move { moved: self.id(moved)?, second_first: *second_first })
            }
            Place::Inside { decl, at } => {
                let id = self.id(decl)?;
                let at = self.place_inside(operator, step, program, &id, *at)?;
                at_place(Place::Inside { decl: id, at })
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

    /// The place inside a declaration where the operator makes what is expected.
    fn place_inside(
        &self,
        operator: &dyn Operator,
        step: &Step,
        program: &Subject,
        id: &DeclId,
        at: u64,
    ) -> Option<u64> {
        let decl = program.decl(program.position(id)?);
        let cut = |(_, tree): &(usize, Decl)| self.cut.apply(&Arc::new(tree.clone()));
        let expected: Vec<Arc<Decl>> = step.changed.iter().map(cut).collect::<Option<_>>()?;
        let mut offers = Offers::counting();
        operator.in_decl(&decl, program.facts(), &mut offers);
        nearest_first(at, offers.count()).take(MAX_TRIED).find(|at| {
            let mut offers = Offers::picking(*at);
            operator.in_decl(&decl, program.facts(), &mut offers);
            offers.into_picked().is_some_and(|change| {
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

    /// What a declaration is called after the cut.
    fn id(&self, id: &DeclId) -> Option<DeclId> {
        let text = id.to_string();
        // What an operator added.
        if text.starts_with('+') {
            return Some(id.clone());
        }
        let number = self.new_numbers.get(seed_number(id)?).copied().flatten()?;
        let part = text.split_once('.').map_or(String::new(), |(_, part)| format!(".{part}"));
        Some(DeclId::from(format!("{number}{part}")))
    }
}

/// Places tried to find the one that an edit means.
const MAX_TRIED: usize = 5_000;

/// The numbers below `count`, those just below `at` first: a cut mostly takes places away.
fn nearest_first(at: u64, count: u64) -> impl Iterator<Item = u64> {
    let up_to = (at.saturating_add(1)).min(count);
    (0..up_to).rev().chain(up_to..count)
}

/// The number of the seed's declaration that an edit names, or that was split to get it.
fn seed_number(id: &DeclId) -> Option<usize> {
    id.to_string().split('.').next()?.parse().ok().filter(|_| !id.to_string().starts_with('+'))
}

fn files(subject: &Subject, stem: &str) -> Files {
    let texts = subject.files();
    let several = texts.len() > 1;
    let name = |number: usize| {
        if several { format!("{stem}-{}.bpl", number + 1) } else { format!("{stem}.bpl") }
    };
    Files(texts.into_iter().enumerate().map(|(i, file)| (name(i), file.text)).collect())
}
