//! Identifiers, plain and odd.

use rustc_hash::FxHashSet;

use super::choices::Choices;
use crate::ast::Name;

/// What identifiers may start with. A number is added. Those of type variables (`T`, `P`, `m`)
/// and of declarations made on demand (`k`, `seen`) are not among them.
/// Nor is `_`: Boogie calls the arguments without a name `_0`, `_1`, … in a function's body.
const STEMS: [&str; 12] = ["x", "y", "a.b", "x'", "$m", "#x", "_y", "^", "?q", "`t", "~", "anon"];

/// Words that are reserved in one dialect or the other, or in part. None of them is a type.
const KEYWORDS: [&str; 16] = [
    "if",
    "is",
    "datatype",
    "hide",
    "old",
    "par",
    "extends",
    "RNE",
    "left",
    "div",
    "uses",
    "then",
    "creates",
    "pop",
    "real",
    "invariant",
];

/// An identifier that is not `taken` yet.
pub(super) fn fresh(choices: &mut Choices<'_>, taken: impl Fn(&str) -> bool) -> Name {
    let odd = choices.chance(12);
    let keyword = if odd { choices.word(&KEYWORDS) } else { "" };
    if odd && !taken(keyword) {
        return keyword.into();
    }
    let stem = if choices.chance(50) { choices.word(&STEMS) } else { STEMS[0] };
    numbered(stem, taken)
}

/// The stem with the least number that makes it an identifier not `taken` yet.
pub(super) fn numbered(stem: &str, taken: impl Fn(&str) -> bool) -> Name {
    let mut number = 0;
    loop {
        let name = format!("{stem}{number}");
        if !taken(&name) {
            return name.into();
        }
        number += 1;
    }
}

/// The names given in one name space.
#[derive(Debug, Default)]
pub(super) struct NameSpace {
    taken: FxHashSet<Name>,
}

impl NameSpace {
    /// A name that was not given before.
    pub(super) fn fresh(&mut self, choices: &mut Choices<'_>) -> Name {
        let name = fresh(choices, |name| self.taken.contains(name));
        self.taken.insert(name.clone());
        name
    }

    /// Such a name with this stem.
    pub(super) fn numbered(&mut self, stem: &str) -> Name {
        let name = numbered(stem, |name| self.taken.contains(name));
        self.taken.insert(name.clone());
        name
    }
}
