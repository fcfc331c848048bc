//! Changes the order of arguments where it does not matter.

use mugie_core::About;
use smt_syntax::NodeId;

use super::rearrange;
use super::{Choice, Operator, Site, Sites, about};
use crate::base::Base;
use crate::program::describe_place;

/// The functions of the solver whose arguments may be in any order.
pub(crate) const COMMUTATIVE: [&[u8]; 12] = [
    b"and",
    b"or",
    b"xor",
    b"=",
    b"distinct",
    b"+",
    b"*",
    b"bvadd",
    b"bvmul",
    b"bvand",
    b"bvor",
    b"bvxor",
];

/// The first element that moves.
const FIRST: usize = 1;

/// See [`Operator::about`].
#[derive(Debug)]
pub(crate) struct Commute;

impl Operator for Commute {
    fn about(&self) -> &'static About {
        about! {
            /// Changes the order of arguments where it does not matter.
            ///
            /// ```smt2 before
            /// (assert (and p (= a (+ b c))))
            /// ```
            /// ```smt2 after
            /// (assert (and (= (+ c b) a) p))
            /// ```
            ///
            /// The functions are `and`, `or`, `xor`, `=`, `distinct`, `+`, `*`, `bvadd`, `bvmul`,
            /// `bvand`, `bvor` and `bvxor`, with two arguments or more. At a single place, the
            /// arguments are reversed; at many, each list has a random order.
            ///
            /// ## Applies when
            /// the term is not in a pattern, which is syntax for the matcher of the solver, and the
            /// query nowhere gives the name of the function another meaning.
            ///
            /// ## Sound because
            /// the theories define these functions to be commutative, and associative where they take
            /// more than two arguments; `=` and `distinct` of several are about all of them alike.
            /// Sums and products of floating-point numbers have other names.
            "commute" 3
        }
    }

    fn sites(&self, base: &Base) -> Sites {
        let nodes = 0..u32::try_from(base.script.nodes().len()).unwrap_or(u32::MAX);
        let is_site = |node: &NodeId| {
            !base.roles.in_pattern(*node)
                && base.predefined(*node).is_some_and(|name| COMMUTATIVE.contains(&name))
                && base.script.children(*node).nth(2).is_some()
        };
        Sites::Nodes(nodes.filter(is_site).collect())
    }

    fn write(&self, base: &Base, choice: &Choice, out: &mut Vec<u8>) {
        let sites = self.own_sites(base).singles();
        let arrange = |list: NodeId, elements: &mut [NodeId]| {
            rearrange::arrange(choice, list, FIRST, elements);
            None
        };
        rearrange::write(base, &choice.among(sites), &arrange, out);
    }

    fn can_make(&self, base: &Base, site: u32, how: &str) -> bool {
        rearrange::is_order(base, site, FIRST, how)
    }

    fn listed(&self, base: &Base, choice: &Choice) -> Vec<Site> {
        rearrange::listed(base, choice, self.own_sites(base).singles(), FIRST)
    }

    fn words(&self, base: &Base, choice: &Choice) -> String {
        match choice {
            Choice::One(node) => {
                format!("reverse the arguments of {}", describe_place(base, *node))
            }
            Choice::Several(sites) if sites.len() == 1 => {
                format!("reorder the arguments of {}", describe_place(base, sites[0].at))
            }
            choice => format!(
                "commute the arguments at {} places",
                choice.words(self.own_sites(base).len())
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::program::testing::mutants;

    #[test]
    fn arguments_move_with_what_is_in_them() {
        let seed = "(declare-const a Int)(assert (and true (= a (+ a 1))))(check-sat)";
        let all = mutants(seed, "commute", 200);
        assert_eq!(all.len(), 7, "{all:?}");
        assert!(all.iter().any(|text| text.contains("(and (= (+ 1 a) a) true)")), "{all:?}");
    }

    #[test]
    fn patterns_and_names_of_the_user_stay() {
        let seed = "(declare-fun or (Int Int) Bool)\
                    (assert (forall ((x Int)) (! (or x 1) :pattern ((= x (+ x 2))))))(check-sat)";
        assert_eq!(mutants(seed, "commute", 50).len(), 0);
    }

    #[test]
    fn many_arguments_have_any_order() {
        let seed = "(assert (distinct 1 2 3))(check-sat)";
        assert_eq!(mutants(seed, "commute", 200).len(), 5);
    }
}
