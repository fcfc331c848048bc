//! The scope of change: which units of a program the places of operators are drawn from.
//!
//! A program that a tool made may consist mostly of what is the same for every user of the tool, such
//! as Dafny's prelude. A user wants to know about the rest.

use std::fmt;

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::edit::UnitId;
use crate::program::Program;

/// Which units of a program to change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Scope {
    /// All units alike.
    #[default]
    All,
    /// The units that the user wrote, and those that they mention, at least as often as the others.
    User,
    /// Only the units whose names match a pattern.
    Named(String),
}

impl Scope {
    /// Whether all units are changed alike.
    pub fn is_all(&self) -> bool {
        *self == Scope::All
    }

    /// The default scope for a program.
    pub fn usual(program: &dyn Program) -> Scope {
        if program.own_units().is_some() { Scope::User } else { Scope::All }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scope::All => "all",
            Scope::User => "user",
            Scope::Named(pattern) => pattern,
        })
    }
}

impl From<String> for Scope {
    fn from(text: String) -> Scope {
        match text.as_str() {
            "all" => Scope::All,
            "user" => Scope::User,
            _ => Scope::Named(text),
        }
    }
}

impl From<Scope> for String {
    fn from(scope: Scope) -> String {
        scope.to_string()
    }
}

/// Whether a name matches a pattern, in which `*` stands for any characters.
pub fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.ends_with(end)
}

/// Some units of a seed, by their numbers. What an operator splits off belongs to its unit; what an
/// operator adds belongs to none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitSet(FxHashSet<usize>);

impl UnitSet {
    /// Whether a unit of a mutant is among them.
    pub fn contains(&self, unit: &UnitId) -> bool {
        unit.seed_number().is_some_and(|number| self.0.contains(&number))
    }

    /// The number of units.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<usize> for UnitSet {
    fn from_iter<I: IntoIterator<Item = usize>>(units: I) -> UnitSet {
        UnitSet(units.into_iter().collect())
    }
}

/// The units that the user wrote, in a program that has others as well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnUnits {
    /// The units that the user wrote.
    pub own: UnitSet,
    /// These, and the units that they mention.
    pub with_mentioned: UnitSet,
}

/// No unit is in the scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is nothing called `{0}` to change")]
pub struct EmptyScope(pub String);

/// Draws that may fail in a row before a place anywhere in the program is taken. Raising it keeps to
/// the user's part longer if few places are left there.
const PATIENCE: u64 = 100;

/// The units of a seed that the places of operators are drawn from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Focus(Kind);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Everything,
    User(OwnUnits),
    Only(UnitSet),
}

impl Focus {
    /// The units of a seed that are in a scope.
    pub fn new(seed: &dyn Program, scope: &Scope) -> Result<Focus, EmptyScope> {
        let kind = match scope {
            Scope::All => Kind::Everything,
            Scope::User => seed.own_units().map_or(Kind::Everything, Kind::User),
            Scope::Named(pattern) => {
                let is_named =
                    |unit: &usize| seed.unit_names(*unit).iter().any(|name| matches(pattern, name));
                let units: UnitSet = (0..seed.unit_count()).filter(is_named).collect();
                if units.is_empty() {
                    return Err(EmptyScope(pattern.clone()));
                }
                Kind::Only(units)
            }
        };
        Ok(Focus(kind))
    }

    /// The units for the next mutant, given its number and the draws that failed since the last one;
    /// `None` for all units. Of four mutants, one is changed in the user's part, one there or in
    /// what the user's part mentions, and two anywhere.
    pub(crate) fn units(&self, number: usize, failed: u64) -> Option<&UnitSet> {
        match &self.0 {
            Kind::Everything => None,
            Kind::Only(units) => Some(units),
            Kind::User(_) if failed >= PATIENCE => None,
            Kind::User(OwnUnits { own, with_mentioned }) => match number % 4 {
                1 => Some(own),
                3 => Some(with_mentioned),
                _ => None,
            },
        }
    }

    /// The units that may be changed at all if every place is tried; `None` for all units.
    pub(crate) fn all_units(&self) -> Option<&UnitSet> {
        match &self.0 {
            Kind::Everything => None,
            Kind::Only(units) => Some(units),
            Kind::User(units) => Some(&units.with_mentioned),
        }
    }

    /// The number of units in the scope; `None` if it has no bounds.
    pub fn size(&self) -> Option<usize> {
        match &self.0 {
            Kind::Everything => None,
            Kind::Only(units) => Some(units.len()),
            Kind::User(units) => Some(units.own.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name, is_match) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("*b", "ab", true),
            ("*", "", true),
            ("a*a", "a", false),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "acb", false),
            ("*M.Max*", "M.Max (correctness)", true),
            ("C?", "Cx", false),
            ("**", "x", true),
        ] {
            assert_eq!(matches(pattern, name), is_match, "{pattern} {name}");
        }
    }

    #[test]
    fn a_scope_is_written_as_on_the_command_line() {
        for text in ["all", "user", "Impl$$M.*"] {
            assert_eq!(Scope::from(text.to_owned()).to_string(), text);
        }
    }

    #[test]
    fn half_of_the_mutants_are_changed_in_the_users_part() {
        let own: UnitSet = [7].into_iter().collect();
        let with_mentioned: UnitSet = [3, 7].into_iter().collect();
        let focus = Focus(Kind::User(OwnUnits {
            own: own.clone(),
            with_mentioned: with_mentioned.clone(),
        }));
        let units: Vec<_> = (1..=4).map(|number| focus.units(number, 0)).collect();
        assert_eq!(units, [Some(&own), None, Some(&with_mentioned), None]);
        assert_eq!(focus.units(1, PATIENCE), None);
        let id = |text: &str| UnitId::from(text.to_owned());
        assert!(own.contains(&id("7.1")) && !own.contains(&id("3")) && !own.contains(&id("+7")));
        let only = Focus(Kind::Only(own.clone()));
        assert_eq!((only.units(2, 1_000), only.all_units()), (Some(&own), Some(&own)));
    }
}
