//! Random programs whose verdicts are decided.
//!
//! A program is a function of its number. Statements are made with a list of facts that hold where
//! they stand, so that a procedure that is to verify asserts only what follows from them, by
//! propositional logic, linear arithmetic and equality. One that is to fail asserts something else at
//! some place. Which of them really verify is for Boogie to say. Some procedures are shapes in which
//! a place or an order means something.
//!
//! Some forms are left out because a defect of Boogie would drown everything else; each has a program
//! among the [explained](crate::explained) ones:
//!
//! - a statement that a `break` leaves is never the last one of a loop's body;
//! - a procedure that is inlined has no `where` clauses;
//! - no `goto` leads to a loop, and no loop has two heads;
//! - a procedure with type parameters stands in front of all others;
//! - constants are not ordered (`extends`), and nothing has a floating-point type;
//! - programs of Boogie 3 with type parameters do not concatenate bitvectors.
//!
//! Programs of Boogie 3 have no `:split_here`, because it ends with an exception on some that have.

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
    /// Its text.
    pub text: String,
    /// The same with an assertion that is false where bodies are left: what verifies so says nothing.
    pub probe: String,
    /// What it is made of, in words for the table.
    pub constructs: BTreeSet<&'static str>,
}

/// The program of a number, for a release of Boogie.
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

/// Whether a name stands in a text, as a whole.
pub(crate) fn mentions(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_'~#$^.?`\\".contains(c);
    text.match_indices(name).any(|(start, _)| {
        !text[..start].ends_with(is_part) && !text[start + name.len()..].starts_with(is_part)
    })
}

/// Writes another text in the place of a name.
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
