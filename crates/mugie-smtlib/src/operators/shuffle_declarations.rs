//! Changes the order of declarations.

use mugie_core::{About, Strength};
use rustc_hash::{FxHashMap, FxHashSet};
use smt_syntax::Symbol;

use super::{Choice, Operator, SOME, Sites, about, order};
use crate::base::{Base, Part};
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

    fn write(&self, base: &Base, choice: &Choice, out: &mut Vec<u8>) {
        let order = self.order(base, choice).unwrap_or_default();
        order::write(base, &order, out);
    }

    fn allows(&self, base: &Base, order: &[u32]) -> bool {
        order::stays_in_segments(base, order, Part::Declaration) && is_usable(base, order)
    }

    fn order(&self, base: &Base, choice: &Choice) -> Option<Vec<u32>> {
        let (strength, random) = match choice {
            Choice::Many(strength, random) => (*strength, *random),
            Choice::Swap(one, other) => return Some(order::swapped(base, *one, *other)),
            Choice::Order(commands) => return Some(order::exchanged(base, commands)),
            Choice::One(_) | Choice::Several(_) => return None,
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

    fn words(&self, base: &Base, choice: &Choice) -> String {
        match choice {
            Choice::Swap(one, other) => order::swap_words(base, *one, *other),
            Choice::Order(order) if order.len() == 2 => order::swap_words(base, order[1], order[0]),
            choice => {
                let groups = base.groups(Part::Declaration);
                let number = groups.iter().map(|group| group.len() as u64).sum();
                format!("shuffle {} declarations", choice.words(number))
            }
        }
    }
}

/// Whether each declaration still comes after those that it needs when some take each other's places.
fn is_usable(base: &Base, commands: &[u32]) -> bool {
    let order = order::exchanged(base, commands);
    let mut place_of = vec![0usize; order.len()];
    for (place, command) in order.iter().enumerate() {
        place_of[*command as usize] = place;
    }
    let segments: FxHashSet<u32> = commands.iter().map(|it| base.segments[*it as usize]).collect();
    let is_moved = |command: usize| {
        segments.contains(&base.segments[command]) && base.parts[command] == Part::Declaration
    };
    (0..order.len()).filter(|command| is_moved(*command)).all(|command| {
        let needed = base.declarations.mentions(command).iter();
        let needed = needed.flat_map(|symbol| base.declarations.declared_by(*symbol));
        needed.map(|it| *it as usize).filter(|it| *it != command && is_moved(*it)).all(|needed| {
            // In the order that they have now, whichever that is.
            (needed < command) == (place_of[needed] < place_of[command])
        })
    })
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
