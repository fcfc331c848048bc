//! S1: swaps two declarations.

use crate::offers::Offers;
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::subject::{Rearrangement, Subject};

operator! {
    /// Swaps any two declarations.
    ///
    /// ```boogie before
    /// function h(int) returns (int);
    /// axiom (forall x: int :: h(x) > x);
    /// const a: int;
    /// ```
    /// ```boogie after
    /// const a: int;
    /// axiom (forall x: int :: h(x) > x);
    /// function h(int) returns (int);
    /// ```
    ///
    /// At many places, the declarations are shuffled, or one in five of them: in one edit, all orders are
    /// equally likely.
    ///
    /// ## Applies when
    /// the two declarations differ, and neither shares a name with another declaration in such a
    /// way that only the first takes effect: several declarations with `:extern`, several axioms
    /// with the same `:name`, or several implementations of an inlined procedure. If the program
    /// has two files, the two declarations may be in different files.
    ///
    /// ## Sound because
    /// apart from these exceptions, the order of declarations has no meaning in Boogie: every name
    /// is in scope everywhere, and the axioms are a set.
    SwapDeclarations = "S1" / "swap-declarations" in Paper
}

impl Operator for SwapDeclarations {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Order("declarations"))
    }

    fn in_program(&self, subject: &Subject, offers: &mut Offers<Rearrangement>) {
        offer_swaps(self, subject, offers);
    }

    fn moves(&self, subject: &Subject, index: usize) -> bool {
        subject.is_movable(index)
    }
}

/// Offers every pair of different declarations that an operator may move.
pub(super) fn offer_swaps(
    operator: &dyn Operator,
    subject: &Subject,
    offers: &mut Offers<Rearrangement>,
) {
    let movable: Vec<usize> =
        (0..subject.len()).filter(|index| operator.moves(subject, *index)).collect();
    let swap = |i: usize, j: usize| Rearrangement::Swap(movable[i], movable[j]);
    let words = |i: usize, j: usize| subject.words(&swap(i, j));
    let build = |swaps: Vec<(usize, usize)>| swap(swaps[0].0, swaps[0].1);
    if subject.is_plain() {
        return offers.pairs(movable.len(), words, build);
    }
    let hashes: Vec<_> = movable.iter().map(|index| subject.decl_hash(*index)).collect();
    offers.distinct_pairs(&hashes, words, build);
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, results, words};
    use super::*;

    #[test]
    fn every_pair_is_offered_once() {
        check(
            &SwapDeclarations,
            "const a: int; const b: int; const c: int;",
            &[
                "const b: int; const a: int; const c: int;",
                "const c: int; const b: int; const a: int;",
                "const a: int; const c: int; const b: int;",
            ],
        );
    }

    #[test]
    fn equal_declarations_are_not_swapped() {
        check(
            &SwapDeclarations,
            "axiom true; const a: int; axiom true;",
            &["const a: int; axiom true; axiom true;", "axiom true; axiom true; const a: int;"],
        );
    }

    #[test]
    fn the_first_of_two_that_share_a_name_stays_the_first() {
        let extern_pair = "const {:extern} a: int; const {:extern} a: int; const b: int;";
        assert!(results(&SwapDeclarations, extern_pair).is_empty());
        let inlined = "procedure {:inline 1} p(); implementation p() { } \
                       implementation p() { assert false; } const b: int;";
        assert!(results(&SwapDeclarations, inlined).is_empty());
        let named = "axiom {:extern} {:name \"n\"} true; axiom {:extern} {:name \"n\"} false; \
                     const b: int;";
        assert!(results(&SwapDeclarations, named).is_empty());
        let not_inlined = inlined.replace("{:inline 1}", "");
        assert_eq!(results(&SwapDeclarations, &not_inlined).len(), 6);
    }

    #[test]
    fn words_name_the_declarations() {
        let source = "axiom true; function f(): int; axiom false;";
        assert_eq!(words(&SwapDeclarations, source)[1], "swap axiom #1 with axiom #2");
        assert_eq!(words(&SwapDeclarations, source)[0], "swap axiom #1 with function `f`");
    }
}
