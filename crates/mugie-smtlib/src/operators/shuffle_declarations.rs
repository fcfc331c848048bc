//! Changes the order of declarations.

use mugie_core::{About, Strength};
use rustc_hash::FxHashMap;
use smt_syntax::Symbol;

use super::{Choice, Operator, SOME, Sites, about, order};
use crate::base::{Base, Part};
use crate::program::describe;
use crate::random::Stream;

/// See [`Operator::about`].
#[derive(Debug)]
pub(crate) struct ShuffleDeclarations;

impl Operator for ShuffleDeclarations {
    fn about(&self) -> &'static About {
        about! {
            /// Changes the order of declarations and definitions.
            ///
            /// ```smt2 before
            /// (declare-sort S 0)
            /// (declare-const a S)
            /// (declare-const b S)
            /// ```
            /// ```smt2 after
            /// (declare-sort S 0)
            /// (declare-const b S)
            /// (declare-const a S)
            /// ```
            ///
            /// ## Applies when
            /// the declarations are in one segment, and none of them mentions a name that one after it
            /// declares. A block of datatypes moves as one. A name that is declared again, or that was
            /// mentioned before, starts a new segment.
            ///
            /// ## Sound because
            /// a declaration only makes names known. Every command still comes after the declarations
            /// of all names that it mentions, and no name has another meaning than before.
            "shuffle-declarations" 1
        }
    }

    fn sites(&self, base: &Base) -> Sites {
        let mut found = Vec::new();
        for group in base.groups(Part::Declaration) {
            for pair in group.windows(2) {
                if !depends(base, pair[1], pair[0]) {
                    found.push((pair[0], pair[1]));
                }
            }
        }
        Sites::Pairs(found)
    }

    fn write(&self, base: &Base, choice: Choice, out: &mut Vec<u8>) {
        let order = self.order(base, choice).unwrap_or_default();
        order::write(base, &order, out);
    }

    fn order(&self, base: &Base, choice: Choice) -> Option<Vec<u32>> {
        let Choice::Many(strength, random) = choice else {
            let Choice::Swap(one, other) = choice else { return None };
            return Some(order::swapped(base, one, other));
        };
        let mut order: Vec<u32> = (0..).take(base.script.commands().len()).collect();
        for (number, group) in (0u64..).zip(base.groups(Part::Declaration)) {
            let moved = sorted(base, &group, strength, &mut Stream::of(random, number));
            for (place, command) in group.iter().zip(moved) {
                order[*place as usize] = command;
            }
        }
        Some(order)
    }

    fn words(&self, base: &Base, choice: Choice) -> String {
        match choice {
            Choice::Swap(one, other) => {
                format!("swap {} with {}", describe(base, one), describe(base, other))
            }
            Choice::Many(..) | Choice::One(_) => {
                let groups = base.groups(Part::Declaration);
                let number = groups.iter().map(|group| group.len() as u64).sum();
                format!("shuffle {} declarations", choice.words(number))
            }
        }
    }
}

/// Whether a command mentions what another one declares.
fn depends(base: &Base, command: u32, on: u32) -> bool {
    let declared = base.declarations.of(on as usize);
    let mentions = base.declarations.mentions(command as usize);
    declared.iter().any(|it| mentions.contains(&it.symbol))
}

/// The commands of a group in a random order that respects what they need of each other. With
/// [`Strength::Some`], a command comes out of turn only now and then.
fn sorted(base: &Base, group: &[u32], strength: Strength, stream: &mut Stream) -> Vec<u32> {
    let mut places: FxHashMap<Symbol, usize> = FxHashMap::default();
    for (place, command) in group.iter().enumerate() {
        for declared in base.declarations.of(*command as usize) {
            places.insert(declared.symbol, place);
        }
    }
    let mut needs = vec![0u32; group.len()];
    let mut needed_by: Vec<Vec<usize>> = vec![Vec::new(); group.len()];
    for (place, command) in group.iter().enumerate() {
        for symbol in base.declarations.mentions(*command as usize) {
            if let Some(&needed) = places.get(symbol)
                && needed != place
            {
                needs[place] += 1;
                needed_by[needed].push(place);
            }
        }
    }
    // Places that are free to come, the earliest first.
    let mut ready: std::collections::BTreeSet<usize> =
        (0..group.len()).filter(|place| needs[*place] == 0).collect();
    let mut drawn: Vec<usize> = ready.iter().copied().collect();
    let mut order = Vec::with_capacity(group.len());
    while !ready.is_empty() {
        let is_random = strength == Strength::All || stream.below(SOME) == 0;
        let next = if is_random {
            // Those that have come already are dropped from the list when they are drawn.
            loop {
                let index = stream.below(drawn.len());
                let place = drawn.swap_remove(index);
                if ready.contains(&place) {
                    break place;
                }
            }
        } else {
            let Some(first) = ready.first().copied() else { break };
            first
        };
        ready.remove(&next);
        order.push(group[next]);
        for &place in &needed_by[next] {
            needs[place] -= 1;
            if needs[place] == 0 {
                ready.insert(place);
                drawn.push(place);
            }
        }
    }
    // A circle cannot be: each command was legal where it stood. If it were, the order stays.
    if order.len() == group.len() { order } else { group.to_vec() }
}

#[cfg(test)]
mod tests {
    use crate::program::testing::mutants;

    #[test]
    fn what_is_needed_comes_first() {
        let seed = "(declare-sort S 0)(declare-const a S)(define-fun b () S a)(declare-const c S)(check-sat)";
        let all = mutants(seed, "shuffle-declarations", 100);
        // `c` anywhere after `S`.
        assert_eq!(all.len(), 2, "{all:?}");
        for text in &all {
            assert!(text.starts_with("(declare-sort S 0)"), "{text}");
            assert!(text.find("const a") < text.find("fun b"), "{text}");
        }
    }

    #[test]
    fn names_that_are_declared_twice_stay_in_order() {
        let seed = "(declare-const a Int)(declare-const a Int)(check-sat)";
        assert_eq!(mutants(seed, "shuffle-declarations", 20).len(), 0);
    }
}
