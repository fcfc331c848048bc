//! Edits: what was done to a program, as data that can be stored and applied again.
//!
//! A place is given in terms of *units*, the parts of a program that have an identity of their own:
//! declarations of a Boogie program, commands of an SMT-LIB script. Only the language knows the
//! inside of a unit, so a place inside it is a number.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// One application of an operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// The operator's code or name.
    pub operator: String,
    /// Where the operator was applied.
    pub place: Place,
    /// The number of places at which the operator was applied at once.
    #[serde(default, skip_serializing_if = "Strength::is_one")]
    pub strength: Strength,
    /// A description for people.
    pub words: String,
}

impl Edit {
    /// An application at a place, or at many.
    pub fn new(operator: impl Into<String>, place: Place, words: impl Into<String>) -> Edit {
        let (operator, words) = (operator.into(), words.into());
        let strength = match place {
            Place::Many { many, .. } => many,
            Place::Order { .. } | Place::Several { .. } => Strength::Some,
            _ => Strength::One,
        };
        Edit { operator, place, strength, words }
    }
}

/// The number of places at which an edit applies its operator.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, PartialOrd, Ord,
)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// The one place that the edit names.
    #[default]
    One,
    /// Some of the operator's places.
    Some,
    /// All of the operator's places.
    All,
}

impl Strength {
    /// Whether the edit has a single place.
    pub fn is_one(&self) -> bool {
        *self == Strength::One
    }
}

/// The stable identifier of a unit: its number in the seed (`7`); for a unit that an operator split
/// off, that number and another (`7.1`); for a unit that an operator added, `+1`.
///
/// Places in edit scripts use these identifiers, so an edit means the same whether or not other
/// edits precede it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct UnitId(Arc<str>);

impl UnitId {
    /// The unit with this number in the seed.
    pub fn of_seed(number: usize) -> UnitId {
        UnitId(number.to_string().into())
    }

    /// The identifier as it is stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number in the seed of the unit, or of the unit that it was split off from; `None` if an
    /// operator added it.
    pub fn seed_number(&self) -> Option<usize> {
        seed_number(self.0.split('.').next()?)
    }

    /// The number in the seed of the unit, if it is one of the seed's own units.
    pub fn own_number(&self) -> Option<usize> {
        seed_number(&self.0)
    }

    /// Whether an operator added the unit.
    pub fn is_added(&self) -> bool {
        self.0.starts_with('+')
    }

    /// Whether an operator split the unit off from another.
    pub fn is_split_off(&self) -> bool {
        self.0.contains('.')
    }
}

/// Parses a number; `None` for an added unit, whose `+` must not be parsed as a sign.
fn seed_number(id: &str) -> Option<usize> {
    if id.starts_with('+') { None } else { id.parse().ok() }
}

impl fmt::Display for UnitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<String> for UnitId {
    fn from(id: String) -> UnitId {
        UnitId(Arc::from(id))
    }
}

impl From<UnitId> for String {
    fn from(id: UnitId) -> String {
        id.to_string()
    }
}

/// Where an operator is applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Place {
    /// Inside a unit.
    Inside {
        /// The unit.
        #[serde(rename = "decl")]
        unit: UnitId,
        /// The number of the place among the operator's places in the unit.
        at: u64,
    },
    /// Two units that change places.
    Swap {
        /// The units.
        swap: (UnitId, UnitId),
    },
    /// A unit that moves to the second file.
    Move {
        /// The unit.
        moved: UnitId,
        /// Whether the verifier gets the second file first.
        second_first: bool,
    },
    /// A place that is not inside a single unit.
    Program {
        /// The number of the place among the operator's places that are not inside a single unit.
        at: u64,
    },
    /// Many places at once.
    Many {
        /// The share of the operator's places: some or all.
        many: Strength,
        /// The number that all random choices are drawn from.
        random: u64,
    },
    /// Several units that take each other's places: the first of them that of the unit that was first
    /// among them, and so on. All other units stay.
    Order {
        /// The units, in their new order.
        order: Vec<UnitId>,
    },
    /// Several places at once, each as it is before the edit.
    Several {
        /// The places.
        several: Vec<Spot>,
    },
}

/// One of several places at which an operator is applied at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spot {
    /// The unit; `None` if the place is not inside a single one.
    #[serde(rename = "decl", default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<UnitId>,
    /// The number of the place, as of [`Place::Inside`] or [`Place::Program`].
    pub at: u64,
    /// What the operator makes of the place, in its own terms; `None` for what it makes of a single place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub how: Option<String>,
}

impl Place {
    /// The units that the place names, if any.
    pub fn units(&self) -> Vec<&UnitId> {
        match self {
            Place::Inside { unit, .. } | Place::Move { moved: unit, .. } => vec![unit],
            Place::Swap { swap: (one, other) } => vec![one, other],
            Place::Order { order } => order.iter().collect(),
            Place::Several { several } => {
                several.iter().filter_map(|it| it.unit.as_ref()).collect()
            }
            Place::Program { .. } | Place::Many { .. } => Vec::new(),
        }
    }

    /// Whether it is at many places.
    pub fn is_many(&self) -> bool {
        matches!(self, Place::Many { .. } | Place::Order { .. } | Place::Several { .. })
    }

    /// The number of places that it lists, if it lists several: those that minimising can leave out.
    pub fn listed(&self) -> usize {
        match self {
            Place::Order { order } => order.len(),
            Place::Several { several } => several.len(),
            _ => 0,
        }
    }

    /// Only some of the places that it lists, by their numbers in ascending order; `None` if that would be
    /// nothing.
    pub fn only(&self, numbers: &[usize]) -> Option<Place> {
        match self {
            Place::Order { order } => {
                let order: Vec<UnitId> =
                    numbers.iter().filter_map(|it| order.get(*it)).cloned().collect();
                (order.len() > 1).then_some(Place::Order { order })
            }
            Place::Several { several } => {
                let several: Vec<Spot> =
                    numbers.iter().filter_map(|it| several.get(*it)).cloned().collect();
                (!several.is_empty()).then_some(Place::Several { several })
            }
            _ => None,
        }
    }

    /// The same as a single place, if it lists no more than that: two units in another order are a swap.
    pub fn as_single(&self) -> Option<Place> {
        match self {
            Place::Order { order } => match order.as_slice() {
                [second, first] => Some(Place::Swap { swap: (first.clone(), second.clone()) }),
                _ => None,
            },
            Place::Several { several } => match several.as_slice() {
                [Spot { unit, at, how: None }] => Some(match unit {
                    Some(unit) => Place::Inside { unit: unit.clone(), at: *at },
                    None => Place::Program { at: *at },
                }),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Why an edit cannot be applied to a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// The language has no such operator.
    #[error("there is no operator `{0}`")]
    UnknownOperator(String),
    /// The program has no such unit.
    #[error("there is no unit {0} in the program")]
    NoUnit(String),
    /// The operator has no such place.
    #[error("{operator} does not apply there: {words}")]
    NoPlace {
        /// The operator.
        operator: String,
        /// The description of the edit.
        words: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_known_by_their_number_in_the_seed() {
        let id = |text: &str| UnitId::from(text.to_owned());
        assert_eq!((id("7").seed_number(), id("7").own_number()), (Some(7), Some(7)));
        assert_eq!((id("7.1").seed_number(), id("7.1").own_number()), (Some(7), None));
        assert_eq!((id("+1").seed_number(), id("+1").own_number()), (None, None));
        assert!(id("+1").is_added() && id("7.1").is_split_off());
    }

    #[test]
    fn a_list_of_places_gets_shorter_until_it_is_one() {
        let units = [3, 1, 2].map(UnitId::of_seed);
        let order = Place::Order { order: units.to_vec() };
        let two = order.only(&[0, 2]).unwrap();
        let swap = Place::Swap { swap: (UnitId::of_seed(2), UnitId::of_seed(3)) };
        assert_eq!((order.listed(), two.as_single()), (3, Some(swap)));
        assert_eq!((order.as_single(), order.only(&[1])), (None, None));
        let spot =
            |at: u64, how: Option<&str>| Spot { unit: None, at, how: how.map(str::to_owned) };
        let several = Place::Several { several: vec![spot(4, None), spot(5, Some("2 1 3"))] };
        assert_eq!(several.only(&[0]).unwrap().as_single(), Some(Place::Program { at: 4 }));
        assert_eq!(several.only(&[1]).unwrap().as_single(), None);
    }
}
