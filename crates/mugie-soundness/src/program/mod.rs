//! Random programs with decided verdicts.
//!
//! A program is a function of its number. Statements are generated along with a list of facts that
//! hold at each point, so that a procedure that must verify asserts only what follows from the facts,
//! by propositional logic, linear arithmetic and equality. A procedure that may fail asserts
//! something else at some point. Boogie decides which of them really verify. Some procedures are
//! shapes in which a position or an order matters.
//!
//! Some constructs are left out because a defect of Boogie would drown everything else; each has a
//! program among the [explained](crate::explained) ones:
//!
//! - a statement that a `break` leaves is never the last one of a loop's body;
//! - a procedure that is inlined has no `where` clauses;
//! - no `goto` leads to a loop, no loop has two heads, and no head of a loop jumps directly to another;
//! - a procedure with type parameters precedes all others;
//! - constants are not ordered (`extends`), and nothing has a floating-point type;
//! - programs of Boogie 3 with type parameters do not concatenate bitvectors.
//!
//! Programs of Boogie 3 have no `:split_here`, because Boogie 3 crashes on some of them.

mod body;
mod exprs;
mod procedures;
mod shapes;
mod world;

use std::collections::BTreeSet;

use crate::Release;
use crate::random::Random;
use world::World;

/// A random program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The text.
    pub text: String,
    /// The same with a false assertion at each end of a body: a procedure that still verifies is
    /// vacuous.
    pub probe: String,
    /// The constructs that occur, as named in the table.
    pub constructs: BTreeSet<&'static str>,
}

/// The program with the given number, for a release of Boogie.
pub fn generate(number: u64, release: Release) -> Generated {
    let mut random = Random::new(number, release.name());
    let mut world = World::new(release, &mut random);
    let count = 2 + random.below(4);
    for _ in 0..count {
        procedures::add(&mut world, &mut random);
    }
    for _ in 0..random.below(4) {
        shapes::add(&mut world, &mut random);
    }
    world.finish(&mut random)
}

/// Whether a text contains a name as a whole word.
pub(crate) fn mentions(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_'~#$^.?`\\".contains(c);
    text.match_indices(name).any(|(start, _)| {
        !text[..start].ends_with(is_part) && !text[start + name.len()..].starts_with(is_part)
    })
}

/// Replaces a name by another text.
pub(crate) fn substitute(text: &str, name: &str, other: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || "_'~#$^.?`\\".contains(c);
    let mut result = String::new();
    let mut done = 0;
    for (start, _) in text.match_indices(name) {
        let end = start + name.len();
        if start >= done && !text[..start].ends_with(is_part) && !text[end..].starts_with(is_part) {
            result.push_str(&text[done..start]);
            result.push_str(other);
            done = end;
        }
    }
    result.push_str(&text[done..]);
    result
}
