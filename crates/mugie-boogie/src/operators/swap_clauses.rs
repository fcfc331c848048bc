//! L5: swaps two clauses of the same kind.

use bpl_syntax::ast::{
    Block, Condition, ConditionKind, Decl, LoopInvariant, LoopSpec, Predicate, Spec, StmtKind,
};

use crate::clauses::{condition_runs, invariant_runs, stays_itself};
use crate::facts::Facts;
use crate::offers::Offers;
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::patch::Patch;
use crate::places::{each_block, each_loop, quote};

operator! {
    /// Swaps any two preconditions, postconditions, loop invariants or assertions of the same element.
    ///
    /// ```boogie before
    /// procedure p(x: int)
    /// {
    ///   assert x > 0;
    ///   assert x > 1;
    /// }
    /// ```
    /// ```boogie after
    /// procedure p(x: int)
    /// {
    ///   assert x > 1;
    ///   assert x > 0;
    /// }
    /// ```
    ///
    /// At many places, each of these lists is shuffled, or one in five of their clauses.
    ///
    /// ## Applies when
    /// the two differ and are both `requires`, or both `ensures`, of one procedure (`free` or not);
    /// or both are invariants of one loop, and from one to the other all invariants are `free` or
    /// all are checked; or both are assertions of one uninterrupted run: any other statement
    /// between them, or a label, ends the run. CIVL procedures are left alone.
    ///
    /// A clause or an assertion with an attribute other than `:msg`, `:subsumption` and `:id` is
    /// not moved, and nothing of its kind is moved past it. Some attributes make it an assumption
    /// for what follows (`:InlineAssume`, `:verified_under`, Boogie 3's `:always_assume`), or make
    /// checking begin there (`:start_checking_here`); unknown attributes might do the same.
    ///
    /// ## Sound because
    /// all clauses of a kind hold together. All assertions of a run are checked in the same state,
    /// and the run passes exactly if their conjunction holds there. A `free` invariant is an
    /// assumption at the head of the loop, a checked one is an assertion, and moving an assertion
    /// past an assumption would change its meaning: if the body never jumps back, both are executed
    /// once, in order.
    SwapClauses = "L5" / "swap-clauses" in Paper
}

impl Operator for SwapClauses {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Lists("clauses"))
    }

    fn in_decl<'d>(&self, decl: &'d Decl, facts: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        if facts.is_civl(decl) {
            return;
        }
        if let Decl::Procedure(procedure) = decl {
            for kind in [ConditionKind::Requires, ConditionKind::Ensures] {
                offer_specs(&procedure.specs, kind, offers);
            }
        }
        each_loop(decl, |number, repetition| {
            offer_invariants(number, &repetition.specs, offers);
        });
        each_block(decl, |number, block| offer_asserts(number, block, offers));
    }
}

fn offer_specs<'d>(specs: &'d [Spec], wanted: ConditionKind, offers: &mut Offers<Patch<'d>>) {
    for run in condition_runs(specs, wanted) {
        let (indices, clauses): (Vec<usize>, Vec<&Condition>) = run.into_iter().unzip();
        let words = |i: usize, j: usize| {
            let keyword = if wanted == ConditionKind::Requires { "requires" } else { "ensures" };
            let (left, right) = (quote(&clauses[i].expr), quote(&clauses[j].expr));
            format!("swap {keyword} {left} with {right}")
        };
        offers.distinct_pairs(&clauses, words, |swaps| {
            let indices = indices.clone();
            Patch::decl(move |copy| {
                if let Decl::Procedure(procedure) = copy {
                    for (i, j) in swaps {
                        procedure.specs.swap(indices[i], indices[j]);
                    }
                }
            })
        });
    }
}

fn offer_invariants<'d>(number: usize, specs: &'d [LoopSpec], offers: &mut Offers<Patch<'d>>) {
    for run in invariant_runs(specs) {
        let (indices, clauses): (Vec<usize>, Vec<&LoopInvariant>) = run.into_iter().unzip();
        let words = |i: usize, j: usize| {
            let (left, right) = (quote(&clauses[i].expr), quote(&clauses[j].expr));
            format!("swap invariant {left} with {right}")
        };
        offers.distinct_pairs(&clauses, words, |swaps| {
            let indices = indices.clone();
            Patch::repetition(number, move |repetition| {
                for (i, j) in swaps {
                    repetition.specs.swap(indices[i], indices[j]);
                }
            })
        });
    }
}

fn offer_asserts<'d>(number: usize, block: &'d Block, offers: &mut Offers<Patch<'d>>) {
    let movable = |index: usize| match &block[index].kind {
        StmtKind::Assert(predicate) if stays_itself(&predicate.attrs) => Some(&**predicate),
        _ => None,
    };
    let mut start = 0;
    while start < block.len() {
        let run: Vec<&Predicate> = (start..block.len()).map_while(movable).collect();
        let words = |i: usize, j: usize| {
            format!("swap assert {} with {}", quote(&run[i].expr), quote(&run[j].expr))
        };
        offers.distinct_pairs(&run, words, |swaps| {
            Patch::block(number, move |block| {
                for (i, j) in swaps {
                    block.swap(start + i, start + j);
                }
            })
        });
        start += run.len() + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, results, words};
    use super::*;

    #[test]
    fn clauses_of_procedures_swap_within_their_kind() {
        check(
            &SwapClauses,
            "procedure p(a: bool); requires a; ensures a; free requires !a; ensures {:id \"x\"} !a;",
            &[
                "procedure p(a: bool); free requires !a; ensures a; requires a; \
                 ensures {:id \"x\"} !a;",
                "procedure p(a: bool); requires a; ensures {:id \"x\"} !a; free requires !a; \
                 ensures a;",
            ],
        );
    }

    #[test]
    fn a_clause_with_another_attribute_stays_and_is_not_passed() {
        for attr in
            ["InlineAssume", "verified_under true", "start_checking_here", "always_assume", "x"]
        {
            for clauses in [
                format!("requires a; requires {{:{attr}}} !a;"),
                format!("ensures {{:{attr}}} a; ensures !a;"),
                format!("ensures a; free ensures {{:{attr}}} a || b; ensures !a;"),
            ] {
                let source = format!("procedure p(a: bool, b: bool); {clauses}");
                assert!(results(&SwapClauses, &source).is_empty(), "{clauses}");
            }
            let source = format!(
                "procedure p(a: bool, b: bool) {{ while (*) invariant a; invariant !a; \
                 invariant {{:{attr}}} a || b; invariant b; invariant !b; {{ }} }}"
            );
            // Clauses are swapped only on either side of the clause with the attribute.
            assert_eq!(results(&SwapClauses, &source).len(), 2, "{attr}");
        }
        let source = "procedure p(a: bool, b: bool); requires a; ensures {:x} b; requires b;";
        assert_eq!(results(&SwapClauses, source).len(), 1, "another kind is in nobody's way");
    }

    #[test]
    fn free_and_checked_invariants_do_not_pass_each_other() {
        let looped = |clauses: &str| {
            format!("procedure p(a: bool, b: bool) {{ while (*) {clauses} {{ break; }} }}")
        };
        for clauses in [
            "free invariant a; invariant b;",
            "invariant a; free invariant b;",
            "invariant a; free invariant a && b; invariant b;",
            "free invariant a; invariant a && b; free invariant b;",
        ] {
            assert!(results(&SwapClauses, &looped(clauses)).is_empty(), "{clauses}");
        }
        let from = "invariant a; invariant b; free invariant a; free invariant b;";
        let to = [
            "invariant b; invariant a; free invariant a; free invariant b;",
            "invariant a; invariant b; free invariant b; free invariant a;",
        ];
        check(&SwapClauses, &looped(from), &to.map(looped).each_ref().map(String::as_str));
    }

    #[test]
    fn invariants_of_nested_loops_are_reached() {
        check(
            &SwapClauses,
            "procedure p(a: bool); implementation p(a: bool) {
               while (*) { if (a) { while (a) invariant a; invariant !a; { } } } }",
            &["procedure p(a: bool); implementation p(a: bool) {
               while (*) { if (a) { while (a) invariant !a; invariant a; { } } } }"],
        );
    }

    #[test]
    fn anything_between_ends_a_run_of_asserts() {
        for between in ["assume a;", "l:", "havoc b;", "if (a) { }", "assert {:split_here} true;"] {
            let source =
                format!("procedure p(a: bool) {{ var b: bool; assert a; {between} assert !a; }}");
            assert!(results(&SwapClauses, &source).is_empty(), "{between}");
        }
        let run = "procedure p(a: bool) { assert a; assert {:msg \"m\"} !a; assert true; }";
        assert_eq!(results(&SwapClauses, run).len(), 3);
        assert_eq!(words(&SwapClauses, run)[0], "swap assert `a` with `!a` in procedure `p`");
    }

    #[test]
    fn equal_clauses_are_not_swapped() {
        let source = "procedure p(a: bool); requires a; requires a;";
        assert!(results(&SwapClauses, source).is_empty());
    }
}
