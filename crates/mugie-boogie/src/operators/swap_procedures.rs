//! Swaps two procedures or implementations.

use super::swap_declarations::offer_swaps;
use crate::offers::Offers;
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::subject::{Rearrangement, Subject};

operator! {
    /// Swaps two procedures or implementations, and leaves all other declarations in their places.
    ///
    /// ```boogie before
    /// procedure p();
    /// axiom true;
    /// implementation p() { }
    /// procedure q() { call p(); }
    /// ```
    /// ```boogie after
    /// procedure q() { call p(); }
    /// axiom true;
    /// implementation p() { }
    /// procedure p();
    /// ```
    ///
    /// This is a part of what `swap-declarations` does: the part that leaves the axioms in their
    /// order, and with them the queries to the solver.
    ///
    /// At many places, the procedures and implementations are shuffled, or one in five of them.
    ///
    /// ## Applies when
    /// the two differ, and neither shares a name with another declaration in such a way that only
    /// the first takes effect: several declarations with `:extern`, or several implementations of an
    /// inlined procedure. If the program has two files, the two may be in different files.
    ///
    /// ## Sound because
    /// apart from these exceptions, the order of declarations has no meaning in Boogie: every name
    /// is in scope everywhere, and each implementation is verified by itself.
    SwapProcedures = / "swap-procedures" in Extended
}

impl Operator for SwapProcedures {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Order("procedures and implementations"))
    }

    fn in_program(&self, subject: &Subject, offers: &mut Offers<Rearrangement>) {
        offer_swaps(self, subject, offers);
    }

    fn moves(&self, subject: &Subject, index: usize) -> bool {
        matches!(subject.keyword(index), "procedure" | "implementation")
            && subject.is_movable(index)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, results, words};
    use super::*;

    #[test]
    fn only_procedures_and_implementations_change_places() {
        check(
            &SwapProcedures,
            "procedure p(); axiom true; implementation p() { } const a: int; procedure q() { }",
            &[
                "implementation p() { } axiom true; procedure p(); const a: int; procedure q() { }",
                "procedure q() { } axiom true; implementation p() { } const a: int; procedure p();",
                "procedure p(); axiom true; procedure q() { } const a: int; implementation p() { }",
            ],
        );
        for source in [
            "axiom true; const a: int; function f(): int; type T; var x: int; procedure p() { }",
            "axiom true; axiom true; procedure p() { }",
        ] {
            assert!(results(&SwapProcedures, source).is_empty(), "{source}");
        }
    }

    #[test]
    fn equal_implementations_are_not_swapped() {
        let source = "procedure p(); implementation p() { } implementation p() { }";
        assert_eq!(results(&SwapProcedures, source).len(), 2);
    }

    #[test]
    fn the_first_of_two_that_share_a_name_stays_the_first() {
        let inlined = "procedure {:inline 1} p(); implementation p() { } \
                       implementation p() { assert false; } procedure q();";
        assert!(results(&SwapProcedures, inlined).is_empty());
        assert_eq!(results(&SwapProcedures, &inlined.replace("{:inline 1}", "")).len(), 6);
        let external = "procedure {:extern} p(); procedure p(); procedure q();";
        assert!(results(&SwapProcedures, external).is_empty());
    }

    #[test]
    fn words_name_the_declarations() {
        let source = "procedure p(); axiom true; implementation p() { }";
        assert_eq!(words(&SwapProcedures, source), ["swap procedure `p` with implementation `p`"]);
    }
}
