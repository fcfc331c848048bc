//! At how many of its places an operator is applied at once.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::edit::Strength;
use crate::rng::MutantRng;

/// The strengths that edits are drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strengths {
    /// One place.
    One,
    /// Some of the operator's places.
    Some,
    /// All of them.
    All,
    /// Each of these at random, in turn with the paper's way of drawing.
    Mixed,
}

/// Of this many edits of [`Strengths::Mixed`] that are not drawn in the paper's way, one is at one place, one at some
/// places, and the rest at all.
/// Raising it finds more, and in larger changes.
const MIXED: u64 = 6;

impl Strengths {
    /// All of them.
    pub const ALL: [Strengths; 4] =
        [Strengths::One, Strengths::Some, Strengths::All, Strengths::Mixed];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Strengths::One => "one",
            Strengths::Some => "some",
            Strengths::All => "all",
            Strengths::Mixed => "mixed",
        }
    }

    /// Draws the strength of an edit whose operator has more than one place.
    pub(crate) fn draw(self, rng: &mut MutantRng) -> Strength {
        match self {
            Strengths::One => Strength::One,
            Strengths::Some => Strength::Some,
            Strengths::All => Strength::All,
            Strengths::Mixed => match rng.below(MIXED) {
                0 => Strength::One,
                1 => Strength::Some,
                _ => Strength::All,
            },
        }
    }
}

impl fmt::Display for Strengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no such strength.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a strength: one, some, all or mixed")]
pub struct NoStrength(String);

impl FromStr for Strengths {
    type Err = NoStrength;

    fn from_str(name: &str) -> Result<Strengths, NoStrength> {
        let found = Strengths::ALL.into_iter().find(|it| it.name() == name);
        found.ok_or_else(|| NoStrength(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strength_is_written_as_on_the_command_line() {
        for strength in Strengths::ALL {
            assert_eq!(strength.name().parse(), Ok(strength));
        }
        let error = "strong".parse::<Strengths>().unwrap_err();
        assert_eq!(error.to_string(), "`strong` is not a strength: one, some, all or mixed");
    }
}
