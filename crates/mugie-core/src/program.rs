//! A program under mutation, whatever its language.

use std::any::Any;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::edit::{ApplyError, Edit, Place, Spot, Strength, UnitId};
use crate::files::FileText;
use crate::hash::Hash;
use crate::instances::Instances;
use crate::operator::{About, number_of};
use crate::scope::{OwnUnits, UnitSet};

/// The most draws of a place until one is in certain units. Raising it finds rare places, and takes
/// longer where there are none.
pub const DRAWS: u64 = 64;

/// A program under mutation: a seed in its canonical layout, or a mutant.
///
/// Programs are values. They cross threads and share unchanged parts with the program that they were made
/// from.
pub trait Program: Send + Sync + fmt::Debug {
    /// The texts of the files, in the order in which a verifier gets them.
    fn texts(&self) -> Vec<FileText>;

    /// The number of files. Called often, so it should be cheaper than the texts.
    fn file_count(&self) -> usize {
        self.texts().len()
    }

    /// A hash of the program. It is stored in records, so it must not change between releases.
    fn hash(&self) -> Hash;

    /// A number that identifies the program in memory. It may be cheaper than the hash, and is never
    /// stored.
    fn fingerprint(&self) -> u128 {
        let hash = self.hash();
        hash.iter().take(16).fold(0, |number, byte| number << 8 | u128::from(*byte))
    }

    /// The number of units.
    fn unit_count(&self) -> usize;

    /// The units of the seed, by their numbers, in the order that they have in this program, without units
    /// that operators split off, added or removed.
    fn unit_order(&self) -> Vec<usize>;

    /// The index of a unit.
    fn unit(&self, id: &UnitId) -> Option<usize>;

    /// Describes a unit: ``procedure `p` ``, `axiom #2`.
    fn describe(&self, unit: usize) -> String;

    /// Describes a unit with more details, which tell it from others of its kind if it has no name: ``axiom
    /// #2 about `f` ``.
    fn describe_fully(&self, unit: usize) -> String {
        self.describe(unit)
    }

    /// The names under which a user may know a unit.
    fn unit_names(&self, unit: usize) -> Vec<String> {
        let _ = unit;
        Vec::new()
    }

    /// The units that the user wrote, if the program is a seed that a tool made and that has others
    /// as well.
    fn own_units(&self) -> Option<OwnUnits> {
        None
    }

    /// The names that this program's goals have in its seed.
    fn goal_names(&self, seed: &dyn Program) -> GoalNames {
        let _ = seed;
        GoalNames::default()
    }

    /// The goals that a verifier may report in instances, under names of its own.
    fn instances(&self) -> Instances {
        Instances::default()
    }

    /// Names that a verifier may report goals by, in place of their names in the program: pairs of the
    /// name in the program and the other one.
    fn other_goal_names(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Describes the units whose order is another one in every run of a verifier that sorts units by a
    /// hash of their content.
    fn sorted_by_chance(&self) -> Vec<String> {
        Vec::new()
    }

    /// The operators of the language: the same list as [`Language::operators`](crate::Language::operators).
    fn operators(&self) -> &'static [&'static About];

    /// The number of places of an operator, given by its number, in the program.
    fn places(&self, operator: usize) -> u64;

    /// The number of places of an operator inside a unit, which are
    /// [`Place::Inside`](crate::Place::Inside). `minimise` uses it to try other places in the same unit.
    fn places_inside(&self, operator: usize, unit: usize) -> u64 {
        let _ = (operator, unit);
        0
    }

    /// Whether an operator can be applied at many of its places at once: [`Place::Many`](crate::Place::Many).
    fn takes_many(&self, operator: usize) -> bool {
        let _ = operator;
        false
    }

    /// The places of a [`Place::Many`] one by one, as a [`Place::Order`] or [`Place::Several`] that leads to
    /// the same program: `minimise` uses it to take strong edits apart.
    fn spelled_out(&self, operator: usize, place: &Place) -> Option<Place> {
        let _ = (operator, place);
        None
    }

    /// Many places of an operator at once, all of which are in these units, as a [`Place::Order`] or
    /// [`Place::Several`] that says itself which they are. `None` if there are none.
    fn many_within(
        &self,
        operator: usize,
        strength: Strength,
        random: u64,
        units: &UnitSet,
    ) -> Option<Place> {
        let listed = self.spelled_out(operator, &Place::Many { many: strength, random })?;
        let is_in = |number: &usize| match &listed {
            Place::Order { order } => units.contains(&order[*number]),
            Place::Several { several } => match &several[*number] {
                Spot { unit: Some(unit), .. } => units.contains(unit),
                Spot { unit: None, at, .. } => {
                    self.is_within(operator, &Place::Program { at: *at }, units)
                }
            },
            _ => false,
        };
        let numbers: Vec<usize> = (0..listed.listed()).filter(is_in).collect();
        listed.only(&numbers)
    }

    /// Whether every mutant is made from the seed, rather than from any earlier program.
    fn is_alone(&self) -> bool {
        false
    }

    /// The place with a number below [`Program::places`].
    fn place(&self, operator: usize, number: u64) -> Option<Place>;

    /// Whether an operator at a place changes one of these units.
    fn is_within(&self, operator: usize, place: &Place, units: &UnitSet) -> bool {
        let _ = operator;
        match place {
            Place::Inside { unit, .. } | Place::Move { moved: unit, .. } => units.contains(unit),
            Place::Swap { swap: (one, other) } => units.contains(one) || units.contains(other),
            Place::Order { order } => order.iter().any(|unit| units.contains(unit)),
            Place::Several { several } => {
                several.iter().any(|it| it.unit.as_ref().is_none_or(|unit| units.contains(unit)))
            }
            Place::Program { .. } | Place::Many { .. } => true,
        }
    }

    /// A place of an operator in one of these units, drawn at random: `below` draws a number below
    /// its argument. `None` if no place was found.
    fn place_within(
        &self,
        operator: usize,
        units: &UnitSet,
        below: &mut dyn FnMut(u64) -> u64,
    ) -> Option<Place> {
        let places = self.places(operator);
        (0..if places > 0 { DRAWS } else { 0 }).find_map(|_| {
            let place = self.place(operator, below(places))?;
            self.is_within(operator, &place, units).then_some(place)
        })
    }

    /// Applies an operator at a place. The result should differ from this program: a program equal to an
    /// earlier one is not a new mutant.
    fn apply_at(&self, operator: usize, place: Place) -> Result<Applied, ApplyError>;

    /// Applies an edit again, to this program or to another that has the same place.
    fn apply(&self, edit: &Edit) -> Result<Applied, ApplyError> {
        let operator = number_of(self.operators(), &edit.operator)
            .ok_or_else(|| ApplyError::UnknownOperator(edit.operator.clone()))?;
        self.apply_at(operator, edit.place.clone()).map_err(|error| error.about(edit))
    }

    /// Called once for a new program that is kept, with its parent and the change: a chance to compute the
    /// places of the given operators from the parent's.
    fn learn_from(&self, parent: &dyn Program, change: &EditTrace, operators: &[usize]) {
        let _ = (parent, change, operators);
    }

    /// The sharing class: programs of the same class may share a process of a verifier.
    fn sharing(&self) -> Sharing {
        Sharing::default()
    }

    /// For the language itself, which can downcast it.
    fn as_any(&self) -> &dyn Any;
}

impl ApplyError {
    /// The same error, with the description of an edit.
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

/// The result of an edit.
#[derive(Debug)]
pub struct Applied {
    /// The program.
    pub program: Arc<dyn Program>,
    /// The edit, with its description.
    pub edit: Edit,
    /// The change, for the language itself.
    pub change: EditTrace,
}

/// The change that an edit made, as its language needs it to check the result. It may be large, so it is
/// dropped once the mutant was checked.
#[derive(Clone)]
pub struct EditTrace(Arc<dyn Any + Send + Sync>);

impl EditTrace {
    /// Wraps a change in the language's own type.
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

/// A class of programs that may share a process of a verifier: the features of a program that matter
/// to that. A verifier may be unable to share a process among programs that have some feature.
#[derive(
    Clone,
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
    /// The names of the features, which the manual of verifiers lists.
    pub BTreeSet<Cow<'static, str>>,
);

impl Sharing {
    /// The class of programs with these features.
    pub fn new(features: impl IntoIterator<Item = &'static str>) -> Sharing {
        Sharing(features.into_iter().map(Cow::Borrowed).collect())
    }
}

/// The names that goals of a mutant (procedures, queries) have in its seed, as far as they differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoalNames(FxHashMap<Box<str>, Box<str>>);

impl GoalNames {
    /// The names of renamed goals: in the mutant and in the seed.
    pub fn new(renamed: impl IntoIterator<Item = (Box<str>, Box<str>)>) -> GoalNames {
        GoalNames(renamed.into_iter().collect())
    }

    /// The name of a mutant's goal in the seed.
    pub fn in_seed<'n>(&'n self, name: &'n str) -> &'n str {
        self.0.get(name).map_or(name, |original| original)
    }

    /// The name in the mutant of a goal of the seed.
    pub fn in_mutant<'n>(&'n self, name: &'n str) -> &'n str {
        let found = self.0.iter().find(|(_, original)| ***original == *name);
        found.map_or(name, |(new, _)| new)
    }

    /// Whether all goals have the names that they have in the seed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
