//! Swaps two bound variables of a quantifier.

use bpl_syntax::ast::Decl;

use crate::facts::Facts;
use crate::offers::Offers;
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::patch::Patch;
use crate::places::each_quantifier;

operator! {
    /// Swaps two bound variables, or two groups of them, of a quantifier.
    ///
    /// ```boogie before
    /// function f(x: int, b: bool): bool;
    /// axiom (forall x: int, b: bool :: f(x, b));
    /// ```
    /// ```boogie after
    /// function f(x: int, b: bool): bool;
    /// axiom (forall b: bool, x: int :: f(x, b));
    /// ```
    ///
    /// At many places, the groups of each quantifier and the names of each group are shuffled, or one in
    /// five of them.
    ///
    /// ## Applies when
    /// a `forall` or `exists` binds two groups of variables, or a group has two names. Not to a
    /// `lambda`, where the order determines which argument is which, nor inside one: maps are not
    /// extensional, so the identity of a lambda depends on its text. CIVL procedures are left
    /// alone.
    ///
    /// ## Sound because
    /// quantifiers of the same kind commute. A group keeps its type and its attributes.
    ReorderBound = / "reorder-bound" in Extended
}

impl Operator for ReorderBound {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Lists("bound variables"))
    }

    fn in_decl<'d>(&self, decl: &'d Decl, facts: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        if facts.is_civl(decl) {
            return;
        }
        each_quantifier(decl, |number, quantifier| {
            let words = |i: usize, j: usize| {
                let first = |index: usize| &quantifier.bound[index].names[0].name;
                format!("swap bound `{}` with `{}`", first(i), first(j))
            };
            offers.distinct_pairs(&quantifier.bound, words, |swaps| {
                Patch::quantifier(number, move |quantifier| {
                    for (i, j) in swaps {
                        quantifier.bound.swap(i, j);
                    }
                })
            });
            for (index, group) in quantifier.bound.iter().enumerate() {
                let words = |i: usize, j: usize| {
                    let (left, right) = (&group.names[i].name, &group.names[j].name);
                    format!("swap bound `{left}` with `{right}`")
                };
                offers.distinct_pairs(&group.names, words, |swaps| {
                    Patch::quantifier(number, move |quantifier| {
                        let names = &mut quantifier.bound[index].names;
                        for (i, j) in swaps {
                            names.swap(i, j);
                        }
                    })
                });
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at_many, check, printed, results, words};
    use super::*;

    #[test]
    fn groups_and_names_within_a_group_are_swapped() {
        let source = "axiom (exists<T> x, y: T, {:a} z: int :: {f(x)} x == y || z == 0);";
        check(
            &ReorderBound,
            source,
            &[
                "axiom (exists<T> {:a} z: int, x, y: T :: {f(x)} x == y || z == 0);",
                "axiom (exists<T> y, x: T, {:a} z: int :: {f(x)} x == y || z == 0);",
            ],
        );
        assert_eq!(words(&ReorderBound, source)[0], "swap bound `x` with `z` in axiom #1");
    }

    #[test]
    fn arguments_of_a_lambda_stay() {
        let source = "axiom (lambda x: int, y: int :: x)[1, 2] == (lambda x, y: int :: x)[1, 2];";
        assert!(results(&ReorderBound, source).is_empty());
        assert!(results(&ReorderBound, "axiom (forall x: int :: x == x);").is_empty());
        let inside = "axiom (lambda x: int :: (forall i: int, j: int :: i + j == x))[1];";
        assert!(results(&ReorderBound, inside).is_empty());
    }

    #[test]
    fn groups_and_names_are_shuffled_at_once() {
        assert_eq!(
            at_many(&ReorderBound, "axiom (forall x, y: int, b: bool :: b || x < y);", &[0, 1]),
            printed("axiom (forall b: bool, y, x: int :: b || x < y);")
        );
    }
}
