//! Versions of tools, and version ranges: `2.4.1`, `>=2.5, <3`.
//!
//! A version consists of numbers and dots only; suffixes that a tool prints never decide how it is
//! run.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, de};
use thiserror::Error;

/// A version: numbers with dots between them. `2.5` and `2.5.0` are equal.
#[derive(Clone, Debug)]
pub struct Version {
    numbers: Vec<u64>,
}

impl Version {
    /// The number at a position; missing numbers are 0.
    fn number(&self, place: usize) -> u64 {
        self.numbers.get(place).copied().unwrap_or(0)
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Version) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Version {}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Version) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Version) -> Ordering {
        let places = self.numbers.len().max(other.numbers.len());
        (0..places)
            .map(|place| self.number(place).cmp(&other.number(place)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

/// Why a text is not a version or version range.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum VersionError {
    /// Not numbers with dots between them.
    #[error("`{0}` is not a version: write numbers with dots between them, such as `2.4.1`")]
    Version(String),
    /// A version without a comparison.
    #[error("`{0}` is not a version range: write `<`, `<=`, `>`, `>=` or `=` before a version")]
    Range(String),
}

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Version, VersionError> {
        let number = |digits: &str| {
            let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            if plain { digits.parse().ok() } else { None }
        };
        let numbers: Option<Vec<u64>> = text.split('.').map(number).collect();
        let numbers = numbers.ok_or_else(|| VersionError::Version(text.to_owned()))?;
        Ok(Version { numbers })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, number) in self.numbers.iter().enumerate() {
            let dot = if place == 0 { "" } else { "." };
            write!(f, "{dot}{number}")?;
        }
        Ok(())
    }
}

/// A version range: a version is in it if all comparisons hold. Without comparisons it contains
/// every version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionRange {
    comparisons: Vec<(Comparison, Version)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
}

/// The symbols of comparisons. A symbol comes before its prefixes.
const COMPARISONS: [(&str, Comparison); 5] = [
    ("<=", Comparison::LessOrEqual),
    (">=", Comparison::GreaterOrEqual),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
    ("=", Comparison::Equal),
];

impl VersionRange {
    /// Whether the version is in the range.
    pub fn contains(&self, version: &Version) -> bool {
        self.comparisons.iter().all(|(comparison, bound)| match comparison {
            Comparison::Less => version < bound,
            Comparison::LessOrEqual => version <= bound,
            Comparison::Greater => version > bound,
            Comparison::GreaterOrEqual => version >= bound,
            Comparison::Equal => version == bound,
        })
    }

    /// Whether every version is in the range, so that the version need not be known.
    pub fn is_everything(&self) -> bool {
        self.comparisons.is_empty()
    }
}

impl FromStr for VersionRange {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<VersionRange, VersionError> {
        if text.trim() == "*" {
            return Ok(VersionRange::default());
        }
        let comparison = |part: &str| {
            let part = part.trim();
            let (symbol, comparison) = COMPARISONS
                .into_iter()
                .find(|(symbol, _)| part.starts_with(symbol))
                .ok_or_else(|| VersionError::Range(text.to_owned()))?;
            Ok((comparison, part[symbol.len()..].trim().parse()?))
        };
        let comparisons = text.split(',').map(comparison).collect::<Result<_, VersionError>>()?;
        Ok(VersionRange { comparisons })
    }
}

impl fmt::Display for VersionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.comparisons.is_empty() {
            return f.write_str("*");
        }
        for (place, (comparison, version)) in self.comparisons.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            let symbol = match comparison {
                Comparison::Less => "<",
                Comparison::LessOrEqual => "<=",
                Comparison::Greater => ">",
                Comparison::GreaterOrEqual => ">=",
                Comparison::Equal => "=",
            };
            write!(f, "{comma}{symbol}{version}")?;
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for VersionRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<VersionRange, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    #[test]
    fn versions_are_compared_by_numbers() {
        assert!(version("2.8.9") < version("2.8.12"));
        assert!(version("2.16") > version("2.8.20"));
        assert!(version("2.4.1.10503") > version("2.4.1"));
        assert_eq!(version("3"), version("3.0.0"));
    }

    #[test]
    fn what_is_no_version_is_refused() {
        for text in ["", ".", "2.", "2..1", "v2", "2.4.1+dfsg", "-1", "+1", "99999999999999999999"]
        {
            assert!(text.parse::<Version>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_range_is_all_of_its_comparisons() {
        let range: VersionRange = " >= 2.5 , <2.8.12".parse().unwrap();
        assert!(range.contains(&version("2.5")) && range.contains(&version("2.8.11")));
        assert!(!range.contains(&version("2.4.1")) && !range.contains(&version("2.8.12")));
        assert_eq!(range.to_string(), ">=2.5, <2.8.12");
        let range: VersionRange = ">2,<=3.0".parse().unwrap();
        assert!(!range.contains(&version("2.0")) && range.contains(&version("3")));
        let range: VersionRange = "=1.8".parse().unwrap();
        assert!(range.contains(&version("1.8.0")) && !range.contains(&version("1.8.1")));
        assert!("*".parse::<VersionRange>().unwrap().is_everything());
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in ["", "2.4", "<", "<2,", ">=a", "^2", "*,<3"] {
            assert!(text.parse::<VersionRange>().is_err(), "{text}");
        }
    }
}
