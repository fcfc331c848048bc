//! Turns comparisons around.

use mugie_core::About;
use smt_syntax::NodeId;

use super::rearrange;
use super::{Choice, Operator, Site, Sites, about};
use crate::base::Base;
use crate::program::describe_place;
use crate::random::Stream;

/// Comparisons, and what each is called the other way round.
pub(crate) const MIRRORED: [(&str, &str); 12] = [
    ("<", ">"),
    (">", "<"),
    ("<=", ">="),
    (">=", "<="),
    ("bvult", "bvugt"),
    ("bvugt", "bvult"),
    ("bvule", "bvuge"),
    ("bvuge", "bvule"),
    ("bvslt", "bvsgt"),
    ("bvsgt", "bvslt"),
    ("bvsle", "bvsge"),
    ("bvsge", "bvsle"),
];

/// See [`Operator::about`].
#[derive(Debug)]
pub(crate) struct Mirror;

impl Operator for Mirror {
    fn about(&self) -> &'static About {
        about! {
            /// Turns comparisons around.
            ///
            /// ```smt2 before
            /// (assert (< a b))
            /// ```
            /// ```smt2 after
            /// (assert (> b a))
            /// ```
            ///
            /// At many places, half of the comparisons are turned.
            ///
            /// ## Applies when
            /// the comparison has two arguments, is not in a pattern, and the query gives neither of
            /// the two names another meaning.
            ///
            /// ## Sound because
            /// the theories define `>` by `<`, `>=` by `<=`, and the comparisons of bit vectors alike.
            "mirror" 1
        }
    }

    fn sites(&self, base: &Base) -> Sites {
        let nodes = 0..u32::try_from(base.script.nodes().len()).unwrap_or(u32::MAX);
        let is_site = |node: &NodeId| {
            !base.roles.in_pattern(*node)
                && other(base, *node).is_some()
                && base.script.children(*node).count() == 3
        };
        Sites::Nodes(nodes.filter(is_site).collect())
    }

    fn write(&self, base: &Base, choice: &Choice, out: &mut Vec<u8>) {
        let arrange = |list: NodeId, elements: &mut [NodeId]| {
            elements[1..].reverse();
            other(base, list)
        };
        rearrange::write(base, &turned(base, choice), &arrange, out);
    }

    fn listed(&self, base: &Base, choice: &Choice) -> Vec<Site> {
        turned(base, choice).into_iter().map(|at| Site { at, how: None }).collect()
    }

    fn words(&self, base: &Base, choice: &Choice) -> String {
        match choice {
            Choice::One(node) => format!("turn around {}", describe_place(base, *node)),
            choice => {
                let words = choice.words(self.own_sites(base).len());
                let half = if choice.random().is_some() { "half of " } else { "" };
                format!("turn around {half}{words} comparisons")
            }
        }
    }
}

/// The comparisons that a choice turns around.
fn turned(base: &Base, choice: &Choice) -> Vec<NodeId> {
    let mut chosen = choice.among(Mirror.own_sites(base).singles());
    if let Some(random) = choice.random()
        && chosen.len() > 1
    {
        chosen.retain(|site| Stream::of(random, u64::from(*site)).below(2) == 0);
    }
    chosen
}

/// The name of a comparison the other way round.
fn other(base: &Base, list: NodeId) -> Option<&'static str> {
    let name = base.predefined(list)?;
    let (_, other) = MIRRORED.iter().find(|(one, _)| one.as_bytes() == name)?;
    let is_theirs = base.symbols.find(other.as_bytes()).is_none_or(|symbol| !base.is_own(symbol));
    is_theirs.then_some(*other)
}

#[cfg(test)]
mod tests {
    use crate::program::testing::mutants;

    #[test]
    fn comparisons_of_two_are_turned() {
        let seed = "(declare-const a Int)(assert (< 1 a))(assert (<= 1 a 2))(check-sat)";
        let all = mutants(seed, "mirror", 50);
        assert_eq!(all.len(), 1, "{all:?}");
        assert!(all[0].contains("(assert (> a 1))"), "{all:?}");
    }

    #[test]
    fn a_name_of_the_user_is_no_comparison() {
        let seed = "(declare-fun > (Int Int) Bool)(assert (< 1 2))(assert (> 1 2))(check-sat)";
        assert_eq!(mutants(seed, "mirror", 50).len(), 0);
    }
}
