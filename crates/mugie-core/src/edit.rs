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
}

impl Place {
    /// The units that the place names, if any.
    pub fn units(&self) -> Vec<&UnitId> {
        match self {
            Place::Inside { unit, .. } | Place::Move { moved: unit, .. } => vec![unit],
            Place::Swap { swap: (one, other) } => vec![one, other],
            Place::Program { .. } | Place::Many { .. } => Vec::new(),
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
}
