//! Changes the order of assertions.

use mugie_core::About;

use super::{Choice, Operator, Sites, about, order};
use crate::base::{Base, Part};

/// See [`Operator::about`].
#[derive(Debug)]
pub(crate) struct ShuffleAssertions;

impl Operator for ShuffleAssertions {
    fn about(&self) -> &'static About {
        about! {
            /// Changes the order of assertions.
            ///
            /// ```smt2 before
            /// (assert p)
            /// (assert (not p))
            /// ```
            /// ```smt2 after
            /// (assert (not p))
            /// (assert p)
            /// ```
            ///
            /// ## Applies when
            /// the assertions are in one segment: no scope, option, check or other command is between
            /// them. All declarations of a segment come before its assertions, in the seed as mugie
            /// prints it as well. An assertion with a name (`:named`) that other commands use stays.
            ///
            /// ## Sound because
            /// a check is about the set of assertions that hold at it; their order is no part of it.
            "shuffle-assertions" 3
        }
    }

    fn sites(&self, base: &Base) -> Sites {
        Sites::Groups(base.groups(Part::Assertion))
    }

    fn write(&self, base: &Base, choice: &Choice, out: &mut Vec<u8>) {
        let order = self.order(base, choice).unwrap_or_default();
        order::write(base, &order, out);
    }

    fn allows(&self, base: &Base, order: &[u32]) -> bool {
        order::stays_in_segments(base, order, Part::Assertion)
    }

    fn order(&self, base: &Base, choice: &Choice) -> Option<Vec<u32>> {
        Some(match choice {
            Choice::Swap(one, other) => order::swapped(base, *one, *other),
            Choice::Order(commands) => order::exchanged(base, commands),
            choice => match self.own_sites(base) {
                Sites::Groups(groups) => order::shuffled(base, groups, choice),
                _ => return None,
            },
        })
    }

    fn words(&self, base: &Base, choice: &Choice) -> String {
        match choice {
            Choice::Swap(one, other) => order::swap_words(base, *one, *other),
            Choice::Order(order) if order.len() == 2 => order::swap_words(base, order[1], order[0]),
            choice => {
                let groups = base.groups(Part::Assertion);
                let number = groups.iter().map(|group| group.len() as u64).sum();
                format!("shuffle {} assertions", choice.words(number))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::program::testing::{mutants, texts};

    #[test]
    fn assertions_stay_in_their_segment() {
        let seed =
            "(assert true)(push)(assert (= 1 1))(assert (= 2 2))(check-sat)(pop)(assert false)";
        let all = mutants(seed, "shuffle-assertions", 40);
        assert_eq!(all.len(), 1, "{all:?}");
        let (first, second) = (all[0].find("2 2"), all[0].find("1 1"));
        assert!(first < second && all[0].ends_with("(assert false)\n"), "{all:?}");
    }

    #[test]
    fn all_orders_are_reached() {
        let seed =
            "(declare-const p Bool)(assert p)(assert (! p :named b))(assert (not p))(check-sat)";
        assert_eq!(mutants(seed, "shuffle-assertions", 200).len(), 5);
    }

    #[test]
    fn a_single_swap_is_told() {
        let seed = "(assert true)(assert false)(check-sat)";
        let words = texts(seed, "shuffle-assertions", |program, place| {
            program.apply_at(0, place).unwrap().edit.words
        });
        assert_eq!(words, ["swap assertion #1 with assertion #2, the goal"]);
    }
}
