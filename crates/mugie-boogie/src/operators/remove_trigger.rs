//! G2: removes a trigger.

use bpl_syntax::ast::{Annotation, Decl, Quantifier};

use crate::facts::Facts;
use crate::offers::{Change, Offers};
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::patch::Patch;
use crate::places::{each_quantifier, quote};

operator! {
    /// Removes a trigger annotation.
    ///
    /// ```boogie before
    /// function f(x: int): int;
    /// axiom (forall x: int :: {:weight 2} {f(x)} {f(x + 1)} f(x) < f(x + 1));
    /// ```
    /// ```boogie after
    /// function f(x: int): int;
    /// axiom (forall x: int :: {:weight 2} {f(x + 1)} f(x) < f(x + 1));
    /// ```
    ///
    /// ## Applies when
    /// a quantifier has a trigger, including `{:nopats e}`. Not in a `lambda`, whose identity
    /// depends on its text.
    ///
    /// ## Sound because
    /// a trigger has no logical meaning. However, it tells the solver when to instantiate the
    /// quantifier, and proofs depend on that: the operator is **not equivalence-preserving in
    /// practice**, and never drawn unless selected by name. With `/prune:1`, as Dafny runs it, Boogie
    /// also chooses by triggers which axioms the solver gets at all: a failure may be about that, and
    /// `mugie diagnose` says so.
    RemoveTrigger = "G2" / "remove-trigger" in Apart
}

impl Operator for RemoveTrigger {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Places("remove the triggers"))
    }

    fn in_decl<'d>(&self, decl: &'d Decl, _: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        each_quantifier(decl, |number, quantifier| {
            for (index, annotation) in quantifier.annotations.iter().enumerate() {
                let Annotation::Trigger(trigger) = annotation else { continue };
                offers.one(|| {
                    let terms: Vec<_> = trigger.terms.iter().map(quote).collect();
                    let remove = move |quantifier: &mut Quantifier| {
                        quantifier.annotations.remove(index);
                    };
                    let words = format!("remove trigger {}", terms.join(", "));
                    Change::new(words, Patch::quantifier(number, remove))
                });
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{results, words};
    use super::*;

    #[test]
    fn triggers_are_found_wherever_an_expression_can_stand() {
        let source = "function f(x: int): bool { (exists y: int :: {f(y)} f(x + y)) }
                      procedure p() requires (forall x: int :: {:nopats f(x)} f(x)); {
                        while ((forall x: int :: {f(x), f(x + 1)} f(x)))
                          invariant (forall x: int :: f(x) ==> (forall y: int :: {f(y)} f(y)));
                        { assume {:a (forall x: int :: {f(x)} f(x))} true; }
                      }";
        assert_eq!(results(&RemoveTrigger, source).len(), 5);
        assert_eq!(
            words(&RemoveTrigger, source)[2],
            "remove trigger `f(x)`, `f(x + 1)` in procedure `p`"
        );
    }
}
