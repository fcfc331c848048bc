//! G1: adds `true` as a clause or an assertion.

use std::rc::Rc;

use bpl_syntax::ast::{
    Block, Condition, ConditionKind, Decl, Expr, ExprKind, List, Literal, LiteralKind,
    LoopInvariant, LoopSpec, Predicate, Spec, Stmt, StmtKind,
};
use bpl_syntax::span::Span;

use super::join::is_true;
use crate::clauses::Shifts;
use crate::facts::Facts;
use crate::offers::{Change, Offers};
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::patch::Patch;
use crate::places::{each_block, each_loop};

operator! {
    /// Adds `true` as precondition, postcondition, intermediate assertion or loop invariant.
    ///
    /// ```boogie before
    /// procedure p(x: int)
    /// {
    ///   assert x == x;
    /// }
    /// ```
    /// ```boogie after
    /// procedure p(x: int)
    ///   requires true;
    /// {
    ///   assert x == x;
    /// }
    /// ```
    ///
    /// ## Applies when
    /// there is no `true` of the same kind next to it: repeating the same clause gives no new
    /// program. An assertion is not added between a label and the `if` or `while` that it names,
    /// nor after a `goto`, `return` or `break`, where it would be unreachable. CIVL procedures are
    /// left alone.
    ///
    /// ## Sound because
    /// `true` always holds: as a condition it demands and promises nothing, as an assertion it
    /// neither fails nor adds knowledge.
    AddTrue = "G1" / "add-true" in Paper
}

impl Operator for AddTrue {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Places("add `true`"))
    }

    fn in_decl<'d>(&self, decl: &'d Decl, facts: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        if facts.is_civl(decl) {
            return;
        }
        if let Decl::Procedure(procedure) = decl {
            let added = Rc::new(Shifts::default());
            for kind in [ConditionKind::Requires, ConditionKind::Ensures] {
                offer_specs(&procedure.specs, kind, &added, offers);
            }
        }
        each_loop(decl, |number, repetition| {
            let is_true = |spec: &LoopSpec| match spec {
                LoopSpec::Invariant(invariant) => is_true(&invariant.expr),
                LoopSpec::Call { .. } | LoopSpec::Measure(_) => false,
            };
            let trues: Vec<bool> = repetition.specs.iter().map(is_true).collect();
            offer_gaps(&gaps(&trues), offers, |gap| {
                let insert = Patch::repetition(number, move |repetition| {
                    repetition.specs.insert(gap, invariant());
                });
                Change::new(format!("add `invariant true` at #{} of a loop", gap + 1), insert)
            });
        });
        each_block(decl, |number, block| {
            offer_gaps(&assertion_gaps(block), offers, |gap| {
                let insert = Patch::block(number, move |block| block.insert(gap, assertion()));
                let words = format!("add `assert true` at #{} of block {}", gap + 1, number + 1);
                Change::new(words, insert)
            });
        });
    }
}

/// Offers the gaps before each clause of a kind, and after the last one.
fn offer_specs(
    specs: &[Spec],
    wanted: ConditionKind,
    added: &Rc<Shifts>,
    offers: &mut Offers<Patch<'_>>,
) {
    let (indices, trues): (Vec<usize>, Vec<bool>) = specs
        .iter()
        .enumerate()
        .filter_map(|(index, spec)| match spec {
            Spec::Condition(clause) if clause.kind == wanted => {
                Some((index, is_true(&clause.expr)))
            }
            _ => None,
        })
        .unzip();
    offer_gaps(&gaps(&trues), offers, |gap| {
        let keyword = if wanted == ConditionKind::Requires { "requires" } else { "ensures" };
        let words = format!("add `{keyword} true` at #{}", gap + 1);
        let behind_last = indices.last().map_or(specs.len(), |last| last + 1);
        let index = indices.get(gap).copied().unwrap_or(behind_last);
        let added = Rc::clone(added);
        let insert = Patch::decl(move |copy| {
            if let Decl::Procedure(procedure) = copy {
                procedure.specs.insert(index + added.before(index), condition(wanted));
                added.note(index);
            }
        });
        Change::new(words, insert)
    });
}

fn offer_gaps<'d>(
    gaps: &[usize],
    offers: &mut Offers<Patch<'d>>,
    build: impl Fn(usize) -> Change<Patch<'d>>,
) {
    offers.many(gaps.len() as u64, |number| build(gaps[usize::try_from(number).unwrap_or(0)]));
}

/// The gaps of a list without a `true` on either side.
fn gaps(trues: &[bool]) -> Vec<usize> {
    let is_true = |index: usize| trues.get(index).copied().unwrap_or(false);
    (0..=trues.len()).filter(|&gap| !is_true(gap) && (gap == 0 || !is_true(gap - 1))).collect()
}

fn assertion_gaps(block: &Block) -> Vec<usize> {
    let trues: Vec<bool> = block
        .iter()
        .map(|stmt| matches!(&stmt.kind, StmtKind::Assert(predicate) if is_true(&predicate.expr)))
        .collect();
    let mut gaps = gaps(&trues);
    gaps.retain(|&gap| {
        let before = gap.checked_sub(1).map(|index| &block[index].kind);
        let after = block.get(gap).map(|stmt| &stmt.kind);
        match before {
            Some(StmtKind::Goto(_) | StmtKind::Return(_) | StmtKind::Break(_)) => false,
            Some(StmtKind::Label(_)) => {
                !matches!(after, Some(StmtKind::If(_) | StmtKind::While(_)))
            }
            _ => true,
        }
    });
    gaps
}

fn literal_true() -> Expr {
    let literal = Literal { kind: LiteralKind::Bool, text: "true".into() };
    Expr { span: Span::default(), kind: ExprKind::Literal(literal) }
}

fn condition(kind: ConditionKind) -> Spec {
    let (span, expr) = (Span::default(), literal_true());
    Spec::Condition(Condition { span, free: false, kind, attrs: List::new(), expr })
}

fn invariant() -> LoopSpec {
    let (span, expr) = (Span::default(), literal_true());
    LoopSpec::Invariant(LoopInvariant { span, free: false, attrs: List::new(), expr })
}

fn assertion() -> Stmt {
    let predicate = Predicate { attrs: List::new(), expr: literal_true() };
    Stmt { span: Span::default(), kind: StmtKind::Assert(Box::new(predicate)) }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at_many, check, printed, results};
    use super::*;

    #[test]
    fn a_declaration_takes_conditions_only() {
        check(
            &AddTrue,
            "procedure p(a: bool); requires a; modifies; ensures a;",
            &[
                "procedure p(a: bool); requires true; requires a; modifies; ensures a;",
                "procedure p(a: bool); requires a; requires true; modifies; ensures a;",
                "procedure p(a: bool); requires a; modifies; ensures true; ensures a;",
                "procedure p(a: bool); requires a; modifies; ensures a; ensures true;",
            ],
        );
    }

    #[test]
    fn bodies_of_implementations_are_reached_at_every_depth() {
        check(
            &AddTrue,
            "procedure p(); requires true; ensures true;
             implementation p() { while (*) { } }",
            &[
                "procedure p(); requires true; ensures true;
                 implementation p() { while (*) invariant true; { } }",
                "procedure p(); requires true; ensures true;
                 implementation p() { assert true; while (*) { } }",
                "procedure p(); requires true; ensures true;
                 implementation p() { while (*) { } assert true; }",
                "procedure p(); requires true; ensures true;
                 implementation p() { while (*) { assert true; } }",
            ],
        );
    }

    #[test]
    fn no_assertion_parts_a_label_from_its_loop_or_follows_a_jump() {
        let source = "procedure p(); requires true; ensures true;
                      implementation p() { l: while (*) invariant true; { break l; } return; }";
        // Before the label, between the loop and the return, and before the break.
        assert_eq!(results(&AddTrue, source).len(), 3);
    }

    #[test]
    fn true_is_not_added_next_to_true() {
        let source = "procedure p() requires true; ensures true; { assert true; }";
        assert!(results(&AddTrue, source).is_empty());
    }

    #[test]
    fn many_gaps_are_filled_at_once() {
        let source = "procedure p(a: bool) ensures a; requires a; { assert a; }";
        assert_eq!(
            at_many(&AddTrue, source, &[0, 1, 2, 3, 4, 5]),
            printed(
                "procedure p(a: bool) ensures true; ensures a; requires true; ensures true; requires a; \
                 requires true; { assert true; assert a; assert true; }"
            )
        );
    }
}
