//! What the two operators that join clauses have in common.

use bpl_syntax::ast::{BinaryOp, Condition, ConditionKind, Decl, Expr, ExprKind, Spec};
use bpl_syntax::span::Span;

use crate::facts::Facts;
use crate::offers::{Change, Offers};
use crate::places::{changed, quote};

/// Offers every pair of clauses of a kind that can become one.
pub(super) fn offer(
    decl: &Decl,
    kind: ConditionKind,
    facts: &Facts,
    offers: &mut Offers<Vec<Decl>>,
) {
    let Decl::Procedure(procedure) = decl else { return };
    if facts.is_civl(decl) {
        return;
    }
    for free in [false, true] {
        // An attribute says something of its clause that need not go for the other. `true` is
        // left alone: a clause that grows by `&& true` is not a new one.
        let joinable: Vec<(usize, &Condition)> = procedure
            .specs
            .iter()
            .enumerate()
            .filter_map(|(index, spec)| match spec {
                Spec::Condition(condition)
                    if condition.kind == kind
                        && condition.free == free
                        && condition.attrs.is_empty()
                        && !is_true(&condition.expr) =>
                {
                    Some((index, condition))
                }
                _ => None,
            })
            .collect();
        offers.pairs(joinable.len(), |i, j| {
            let ((first, left), (second, right)) = (joinable[i], joinable[j]);
            let words = format!("join {} and {}", quote(&left.expr), quote(&right.expr));
            let expr = and(&left.expr, &right.expr);
            let join = |copy: &mut Decl| {
                let Decl::Procedure(procedure) = copy else { return };
                procedure.specs.remove(second);
                if let Spec::Condition(condition) = &mut procedure.specs[first] {
                    condition.expr = expr;
                }
            };
            Change::new(words, changed(decl, join))
        });
    }
}

fn and(left: &Expr, right: &Expr) -> Expr {
    let operands = Box::new((left.clone(), right.clone()));
    Expr { span: Span::default(), kind: ExprKind::Binary(BinaryOp::And, operands) }
}

/// Whether an expression is the literal `true`.
pub(super) fn is_true(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Literal(literal) if literal.text == "true")
}
