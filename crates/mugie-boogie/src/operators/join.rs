//! The common part of the two operators that join clauses.

use bpl_syntax::ast::{BinaryOp, Condition, ConditionKind, Decl, Expr, ExprKind, Spec};
use bpl_syntax::span::Span;

use crate::clauses::{Indexed, condition_runs};
use crate::facts::Facts;
use crate::offers::{Change, Offers};
use crate::places::{changed, quote};

/// Offers every pair of clauses of a kind that can be joined.
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
    let runs = condition_runs(&procedure.specs, kind);
    for free in [false, true] {
        for run in &runs {
            // An attribute of one clause need not be right for the other. `true` is not joined: a
            // clause extended by `&& true` gives no new program.
            let is_joinable = |(_, clause): &Indexed<'_, Condition>| {
                clause.free == free
                    && clause.attrs.is_empty()
                    && !is_true(&clause.expr)
                    && !facts.has_candidate(&clause.expr)
            };
            let joinable: Vec<_> = run.iter().copied().filter(is_joinable).collect();
            offer_pairs(decl, &joinable, offers);
        }
    }
}

fn offer_pairs(decl: &Decl, clauses: &[Indexed<'_, Condition>], offers: &mut Offers<Vec<Decl>>) {
    offers.pairs(clauses.len(), |i, j| {
        let ((first, left), (second, right)) = (clauses[i], clauses[j]);
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

fn and(left: &Expr, right: &Expr) -> Expr {
    let operands = Box::new((left.clone(), right.clone()));
    Expr { span: Span::default(), kind: ExprKind::Binary(BinaryOp::And, operands) }
}

/// Whether an expression is the literal `true`.
pub(super) fn is_true(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Literal(literal) if literal.text == "true")
}
