//! A program under mutation, whatever its language.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::edit::{ApplyError, Edit, Place, UnitId};
use crate::files::FileText;
use crate::hash::Hash;
use crate::operator::{About, number_of};

/// A program under mutation: a seed in its canonical layout, or what operators made of it.
///
/// Programs are values. They cross threads and share what they did not change with the program
/// that they were made from.
pub trait Program: Send + Sync + fmt::Debug {
    /// The texts of its files, in the order in which a verifier gets them.
    fn texts(&self) -> Vec<FileText>;

    /// The number of its files. Asked for often, so it should be cheaper than their texts.
    fn file_count(&self) -> usize {
        self.texts().len()
    }

    /// A hash of the program. Part of records, so it must stay the same from release to release.
    fn hash(&self) -> Hash;

    /// A number that tells the program from others in memory: may be cheaper than the hash, and is
    /// never stored.
    fn fingerprint(&self) -> u128 {
        let hash = self.hash();
        hash.iter().take(16).fold(0, |number, byte| number << 8 | u128::from(*byte))
    }

    /// The number of its units.
    fn unit_count(&self) -> usize;

    /// The units of the seed, by their numbers, in the order that they have in this program. What
    /// operators split off, added or removed is not among them.
    fn unit_order(&self) -> Vec<usize>;

    /// The index of a unit.
    fn unit(&self, id: &UnitId) -> Option<usize>;

    /// A unit in words: ``procedure `p` ``, `axiom #2`.
    fn describe(&self, unit: usize) -> String;

    /// The same, with what else tells a unit without a name from others of its kind:
    /// ``axiom #2 about `f` ``.
    fn describe_fully(&self, unit: usize) -> String {
        self.describe(unit)
    }

    /// What the goals of this program, which verifiers name, are called in its seed.
    fn goal_names(&self, seed: &dyn Program) -> GoalNames {
        let _ = seed;
        GoalNames::default()
    }

    /// The operators of its language: the same list as [`Language::operators`](crate::Language::operators).
    fn operators(&self) -> &'static [&'static About];

    /// The number of places that an operator, given by its number, has in the program.
    fn places(&self, operator: usize) -> u64;

    /// The number of places that an operator has inside a unit: those of
    /// [`Place::Inside`](crate::Place::Inside). With it, `minimise` tries other places of the same unit.
    fn places_inside(&self, operator: usize, unit: usize) -> u64 {
        let _ = (operator, unit);
        0
    }

    /// The place of a number below [`Program::places`].
    fn place(&self, operator: usize, number: u64) -> Option<Place>;

    /// Applies an operator at a place. What comes of it should differ from this program: what is equal
    /// to an earlier one is not a new mutant.
    fn apply_at(&self, operator: usize, place: Place) -> Result<Applied, ApplyError>;

    /// Does an edit again, on this program or on another that has the same place.
    fn apply(&self, edit: &Edit) -> Result<Applied, ApplyError> {
        let operator = number_of(self.operators(), &edit.operator)
            .ok_or_else(|| ApplyError::UnknownOperator(edit.operator.clone()))?;
        self.apply_at(operator, edit.place.clone()).map_err(|error| error.about(edit))
    }

    /// Called once for a program that was just made and is kept, with the program that it was made
    /// from and what changed: a chance to work out places from the parent's, for the operators that
    /// will be drawn.
    fn learn_from(&self, parent: &dyn Program, change: &EditTrace, operators: &[usize]) {
        let _ = (parent, change, operators);
    }

    /// Which programs may share a process of a verifier with this one: those of the same class.
    fn sharing(&self) -> Sharing {
        Sharing::default()
    }

    /// For the language itself, which knows what it is.
    fn as_any(&self) -> &dyn Any;
}

impl ApplyError {
    /// The error in the words of an edit.
    #[must_use]
    pub fn about(self, edit: &Edit) -> ApplyError {
        match self {
            ApplyError::NoPlace { operator, .. } => {
                ApplyError::NoPlace { operator, words: edit.words.clone() }
            }
            error => error,
        }
    }
}

/// A program after an edit.
#[derive(Debug)]
pub struct Applied {
    /// The program.
    pub program: Arc<dyn Program>,
    /// What was done.
    pub edit: Edit,
    /// What changed, for the language itself.
    pub change: EditTrace,
}

/// What an edit changed, as its language wants to know it to check the result. It may be large, so
/// it goes with a mutant that is to be checked and is not kept longer.
#[derive(Clone)]
pub struct EditTrace(Arc<dyn Any + Send + Sync>);

impl EditTrace {
    /// A change in the terms of a language.
    pub fn new(change: impl Any + Send + Sync) -> EditTrace {
        EditTrace(Arc::new(change))
    }

    /// The change, if it is of this type.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl fmt::Debug for EditTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Change")
    }
}

/// A class of programs that may share a process of a verifier.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
)]
pub struct Sharing(
    /// Means nothing outside of its language.
    pub u64,
);

/// What the goals of a mutant (procedures, queries) are called in its seed: those with another name
/// there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoalNames(FxHashMap<Box<str>, Box<str>>);

impl GoalNames {
    /// The names of goals in the mutant and in the seed, of those with two different ones.
    pub fn new(renamed: impl IntoIterator<Item = (Box<str>, Box<str>)>) -> GoalNames {
        GoalNames(renamed.into_iter().collect())
    }

    /// The name in the seed of a goal of the mutant.
    pub fn in_seed<'n>(&'n self, name: &'n str) -> &'n str {
        self.0.get(name).map_or(name, |original| original)
    }
}
