//! Ordinary and unusual identifiers.

use rustc_hash::FxHashSet;

use super::choices::Choices;
use crate::ast::Name;

/// The stems of identifiers, to which a number is added. The stems of type variables (`T`, `P`,
/// `m`) and of declarations made on demand (`k`, `seen`) are excluded. So is `_`: in a function's
/// body, Boogie names the unnamed arguments `_0`, `_1`, ….
const STEMS: [&str; 12] = ["x", "y", "a.b", "x'", "$m", "#x", "_y", "^", "?q", "`t", "~", "anon"];

/// Words that are reserved in one of the dialects, or only in some contexts. None of them is a
/// type.
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

/// An identifier that is not yet `taken`.
pub(super) fn fresh(choices: &mut Choices<'_>, taken: impl Fn(&str) -> bool) -> Name {
    let odd = choices.chance(12);
    let keyword = if odd { choices.word(&KEYWORDS) } else { "" };
    if odd && !taken(keyword) {
        return keyword.into();
    }
    let stem = if choices.chance(50) { choices.word(&STEMS) } else { STEMS[0] };
    numbered(stem, taken)
}

/// The stem followed by the smallest number that gives an identifier not yet `taken`.
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

/// The names used in one namespace.
#[derive(Debug, Default)]
pub(super) struct NameSpace {
    taken: FxHashSet<Name>,
}

impl NameSpace {
    /// A name that is not in use yet.
    pub(super) fn fresh(&mut self, choices: &mut Choices<'_>) -> Name {
        let name = fresh(choices, |name| self.taken.contains(name));
        self.taken.insert(name.clone());
        name
    }

    /// A name with this stem that is not in use yet.
    pub(super) fn numbered(&mut self, stem: &str) -> Name {
        let name = numbered(stem, |name| self.taken.contains(name));
        self.taken.insert(name.clone());
        name
    }
}
