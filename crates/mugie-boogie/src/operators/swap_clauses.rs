//! L5: two clauses of the same kind change places.

use bpl_syntax::ast::{
    Attr, Block, Condition, ConditionKind, Decl, LoopInvariant, LoopSpec, Predicate, Spec, StmtKind,
};

use crate::facts::Facts;
use crate::offers::{Change, Offers};
use mugie_core::About;

use crate::operator::{Operator, operator};
use crate::places::{change_block, change_loop, changed, each_block, each_loop, quote};

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
    /// ## Applies when
    /// the two differ and are both `requires`, or both `ensures`, of one procedure (`free` or
    /// not); or both invariants of one loop; or both assertions of one uninterrupted run:
    /// anything else between them, a label included, or an assertion with an attribute that may
    /// act on the place where it stands, ends the run. Clauses with `:always_assume` stay, and
    /// so do those of procedures to which CIVL gives a meaning of its own.
    ///
    /// ## Sound because
    /// the clauses of a kind hold all together. Of assertions in a run, each is checked in the
    /// state of all the others, and the run passes exactly if their conjunction holds there.
    SwapClauses = "L5" / "swap-clauses" in Paper
}

impl Operator for SwapClauses {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn in_decl(&self, decl: &Decl, facts: &Facts, offers: &mut Offers<Vec<Decl>>) {
        if facts.is_civl(decl) {
            return;
        }
        if let Decl::Procedure(procedure) = decl {
            for kind in [ConditionKind::Requires, ConditionKind::Ensures] {
                offer_specs(decl, &procedure.specs, kind, offers);
            }
        }
        each_loop(decl, |number, repetition| {
            offer_invariants(decl, number, &repetition.specs, offers);
        });
        each_block(decl, |number, block| offer_asserts(decl, number, block, offers));
    }
}

fn offer_specs(decl: &Decl, specs: &[Spec], wanted: ConditionKind, offers: &mut Offers<Vec<Decl>>) {
    let (indices, clauses): (Vec<usize>, Vec<&Condition>) = specs
        .iter()
        .enumerate()
        .filter_map(|(index, spec)| match spec {
            Spec::Condition(clause) if clause.kind == wanted && is_free_to_move(&clause.attrs) => {
                Some((index, clause))
            }
            _ => None,
        })
        .unzip();
    offers.distinct_pairs(&clauses, |i, j| {
        let keyword = if wanted == ConditionKind::Requires { "requires" } else { "ensures" };
        let (left, right) = (quote(&clauses[i].expr), quote(&clauses[j].expr));
        let words = format!("swap {keyword} {left} with {right}");
        let swap = |copy: &mut Decl| {
            if let Decl::Procedure(procedure) = copy {
                procedure.specs.swap(indices[i], indices[j]);
            }
        };
        Change::new(words, changed(decl, swap))
    });
}

fn offer_invariants(
    decl: &Decl,
    number: usize,
    specs: &[LoopSpec],
    offers: &mut Offers<Vec<Decl>>,
) {
    let (indices, clauses): (Vec<usize>, Vec<&LoopInvariant>) = specs
        .iter()
        .enumerate()
        .filter_map(|(index, spec)| match spec {
            LoopSpec::Invariant(clause) if is_free_to_move(&clause.attrs) => Some((index, clause)),
            _ => None,
        })
        .unzip();
    offers.distinct_pairs(&clauses, |i, j| {
        let (left, right) = (quote(&clauses[i].expr), quote(&clauses[j].expr));
        let words = format!("swap invariant {left} with {right}");
        let swap = |copy: &mut Decl| {
            change_loop(copy, number, |repetition| {
                repetition.specs.swap(indices[i], indices[j]);
            });
        };
        Change::new(words, changed(decl, swap))
    });
}

fn offer_asserts(decl: &Decl, number: usize, block: &Block, offers: &mut Offers<Vec<Decl>>) {
    let movable = |index: usize| match &block[index].kind {
        StmtKind::Assert(predicate) if stays_itself(&predicate.attrs) => Some(predicate),
        _ => None,
    };
    let mut start = 0;
    while start < block.len() {
        let run: Vec<&Predicate> = (start..block.len()).map_while(movable).collect();
        offers.distinct_pairs(&run, |i, j| {
            let words = format!("swap assert {} with {}", quote(&run[i].expr), quote(&run[j].expr));
            let swap = |copy: &mut Decl| {
                change_block(copy, number, |block| block.swap(start + i, start + j));
            };
            Change::new(words, changed(decl, swap))
        });
        start += run.len() + 1;
    }
}

/// Whether a clause means the same anywhere in its list.
fn is_free_to_move(attrs: &[Attr]) -> bool {
    attrs.iter().all(|attr| attr.name != "always_assume")
}

/// Whether the attributes of an assertion say something of it alone, and nothing of the
/// statements around it, as `:split_here` or `:focus` do. Unknown ones might.
fn stays_itself(attrs: &[Attr]) -> bool {
    attrs.iter().all(|attr| matches!(attr.name.as_str(), "msg" | "subsumption" | "id"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, results, words};
    use super::*;

    #[test]
    fn clauses_of_procedures_swap_within_their_kind() {
        check(
            &SwapClauses,
            "procedure p(a: bool); requires a; ensures a; free requires !a; ensures {:x} !a;",
            &[
                "procedure p(a: bool); free requires !a; ensures a; requires a; ensures {:x} !a;",
                "procedure p(a: bool); requires a; ensures {:x} !a; free requires !a; ensures a;",
            ],
        );
    }

    #[test]
    fn invariants_of_nested_loops_are_reached() {
        check(
            &SwapClauses,
            "procedure p(a: bool); implementation p(a: bool) {
               while (*) { if (a) { while (a) invariant a; free invariant !a; { } } } }",
            &["procedure p(a: bool); implementation p(a: bool) {
               while (*) { if (a) { while (a) free invariant !a; invariant a; { } } } }"],
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
