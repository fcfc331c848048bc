//! Changes the order of bound variables.

use mugie_core::About;
use rustc_hash::FxHashSet;
use smt_syntax::{NodeId, Role};

use super::rearrange;
use super::{Choice, Operator, Site, Sites, about};
use crate::base::Base;
use crate::program::describe_command;

/// The first element that moves.
const FIRST: usize = 0;

/// See [`Operator::about`].
#[derive(Debug)]
pub(crate) struct ShuffleBound;

impl Operator for ShuffleBound {
    fn about(&self) -> &'static About {
        about! {
            /// Changes the order of the variables of a quantifier.
            ///
            /// ```smt2 before
            /// (assert (forall ((x Int) (y Int)) (= (f x y) 0)))
            /// ```
            /// ```smt2 after
            /// (assert (forall ((y Int) (x Int)) (= (f x y) 0)))
            /// ```
            ///
            /// At a single place, the variables are reversed; at many, each list has a random order.
            ///
            /// ## Applies when
            /// `forall` or `exists` binds two variables or more, all with different names.
            ///
            /// ## Sound because
            /// a quantifier is about all values of all of its variables at once; the sorts of variables
            /// do not depend on each other.
            "shuffle-bound" 2
        }
    }

    fn sites(&self, base: &Base) -> Sites {
        let nodes = 2..u32::try_from(base.script.nodes().len()).unwrap_or(u32::MAX);
        let is_site = |node: &NodeId| {
            // Before the list of variables are the quantifier and its word.
            let head = base.script.head(*node - 2).unwrap_or_default();
            base.roles.of(*node) == Role::Binders
                && base.roles.of(*node - 2) == Role::Term
                && matches!(head, b"forall" | b"exists")
                && has_different_names(base, *node)
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
                let names: Vec<String> = names(base, *node)
                    .map(|name| format!("`{}`", String::from_utf8_lossy(name)))
                    .collect();
                format!(
                    "reverse the variables {} in {}",
                    names.join(", "),
                    describe_command(base, *node)
                )
            }
            Choice::Several(sites) if sites.len() == 1 => {
                format!("reorder the variables in {}", describe_command(base, sites[0].at))
            }
            choice => {
                format!(
                    "reorder the variables of {} quantifiers",
                    choice.words(self.own_sites(base).len())
                )
            }
        }
    }
}

/// The names of variables.
fn names(base: &Base, binders: NodeId) -> impl Iterator<Item = &[u8]> {
    let variables = base.script.children(binders);
    variables.filter_map(|variable| base.script.symbol(base.script.children(variable).next()?))
}

fn has_different_names(base: &Base, binders: NodeId) -> bool {
    let variables = base.script.children(binders).count();
    let different: FxHashSet<&[u8]> = names(base, binders).collect();
    variables > 1 && different.len() == variables
}

#[cfg(test)]
mod tests {
    use crate::program::testing::mutants;

    #[test]
    fn variables_of_quantifiers_have_any_order() {
        let seed = "(assert (forall ((x Int) (y Int) (z Bool)) (! (= x y) :pattern ((+ x y)))))(check-sat)";
        assert_eq!(mutants(seed, "shuffle-bound", 100).len(), 5);
    }

    #[test]
    fn parameters_and_equal_names_stay() {
        let seed = "(define-fun f ((x Int) (y Int)) Int x)(assert (exists ((x Int) (x Bool)) x))\
                    (assert (let ((x 1) (y 2)) (= x y)))(check-sat)";
        assert_eq!(mutants(seed, "shuffle-bound", 50).len(), 0);
    }
}
