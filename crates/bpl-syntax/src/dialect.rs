//! The two versions of the language, and the words that each reserves.

use std::fmt;

/// A version of the Boogie language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    /// The language of Boogie 2.4.
    #[default]
    Boogie2,
    /// The language of Boogie 3.5.
    Boogie3,
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dialect::Boogie2 => "2",
            Dialect::Boogie3 => "3",
        })
    }
}
