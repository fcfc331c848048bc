//! Swaps two triggers of a quantifier, or two terms of a trigger.

use bpl_syntax::ast::{Annotation, Decl, Trigger};

use crate::facts::Facts;
use crate::offers::Offers;
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::patch::Patch;
use crate::places::{each_quantifier, quote};

operator! {
    /// Swaps two triggers of a quantifier, or two terms of one trigger.
    ///
    /// ```boogie before
    /// function f(x: int): int;
    /// axiom (forall x: int :: {f(x)} {f(x + 1)} f(x) < f(x + 1));
    /// ```
    /// ```boogie after
    /// function f(x: int): int;
    /// axiom (forall x: int :: {f(x + 1)} {f(x)} f(x) < f(x + 1));
    /// ```
    ///
    /// At many places, the triggers of each quantifier and the terms of each trigger are shuffled, or one
    /// in five of them.
    ///
    /// ## Applies when
    /// the two differ and belong to the same quantifier, or to the same trigger. Attributes between
    /// triggers stay where they are. Not in a `lambda`: maps are not extensional, so the identity
    /// of a lambda depends on its text. CIVL procedures are left alone.
    ///
    /// ## Sound because
    /// triggers are alternatives, and all terms of one trigger are needed: the order matters in
    /// neither case.
    ReorderTriggers = / "reorder-triggers" in Extended
}

impl Operator for ReorderTriggers {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Lists("triggers"))
    }

    fn in_decl<'d>(&self, decl: &'d Decl, facts: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        if facts.is_civl(decl) {
            return;
        }
        each_quantifier(decl, |number, quantifier| {
            let (indices, triggers): (Vec<usize>, Vec<&Trigger>) = quantifier
                .annotations
                .iter()
                .enumerate()
                .filter_map(|(index, annotation)| match annotation {
                    Annotation::Trigger(trigger) => Some((index, trigger)),
                    Annotation::Attr(_) => None,
                })
                .unzip();
            let words = |i: usize, j: usize| {
                format!("swap trigger {} with {}", list(triggers[i]), list(triggers[j]))
            };
            offers.distinct_pairs(&triggers, words, |swaps| {
                let indices = indices.clone();
                Patch::quantifier(number, move |quantifier| {
                    let annotations = &mut quantifier.annotations;
                    for (i, j) in swaps {
                        annotations.swap(indices[i], indices[j]);
                    }
                })
            });
            for (index, trigger) in indices.iter().copied().zip(&triggers) {
                let words = |i: usize, j: usize| {
                    let (left, right) = (quote(&trigger.terms[i]), quote(&trigger.terms[j]));
                    format!("swap term {left} with {right} of a trigger")
                };
                offers.distinct_pairs(&trigger.terms, words, |swaps| {
                    Patch::quantifier(number, move |quantifier| {
                        if let Annotation::Trigger(trigger) = &mut quantifier.annotations[index] {
                            for (i, j) in swaps {
                                trigger.terms.swap(i, j);
                            }
                        }
                    })
                });
            }
        });
    }
}

fn list(trigger: &Trigger) -> String {
    trigger.terms.iter().map(quote).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, results, words};
    use super::*;

    #[test]
    fn triggers_and_their_terms_are_swapped() {
        let source = "procedure p(); requires \
                      (forall x: int :: {f(x), g(x)} {:weight 2} {f(x)} f(x));";
        check(
            &ReorderTriggers,
            source,
            &[
                "procedure p(); requires (forall x: int :: {f(x)} {:weight 2} {f(x), g(x)} f(x));",
                "procedure p(); requires (forall x: int :: {g(x), f(x)} {:weight 2} {f(x)} f(x));",
            ],
        );
        assert_eq!(
            words(&ReorderTriggers, source)[0],
            "swap trigger `f(x)`, `g(x)` with `f(x)` in procedure `p`"
        );
    }

    #[test]
    fn equal_triggers_and_terms_are_not_swapped() {
        let source = "axiom (forall x: int :: {f(x), f(x)} {f(x), f(x)} f(x));";
        assert!(results(&ReorderTriggers, source).is_empty());
        let inside = "axiom (lambda x: int :: (forall i: int :: {f(i)} {g(i)} f(i)))[1];";
        assert!(results(&ReorderTriggers, inside).is_empty());
    }
}
