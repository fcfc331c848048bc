//! The common part of the two operators that join clauses.

use std::rc::Rc;

use bpl_syntax::ast::{BinaryOp, Condition, ConditionKind, Decl, Expr, ExprKind, Spec};
use bpl_syntax::span::Span;

use crate::clauses::{Indexed, Shifts, condition_runs};
use crate::facts::Facts;
use crate::offers::Offers;
use crate::patch::Patch;
use crate::places::quote;

/// Offers every pair of clauses of a kind that can be joined.
pub(super) fn offer<'d>(
    decl: &'d Decl,
    kind: ConditionKind,
    facts: &Facts,
    offers: &mut Offers<Patch<'d>>,
) {
    let Decl::Procedure(procedure) = decl else { return };
    if facts.is_civl(decl) {
        return;
    }
    let runs = condition_runs(&procedure.specs, kind);
    let removed = Rc::new(Shifts::default());
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
            offer_pairs(&joinable, &removed, offers);
        }
    }
}

fn offer_pairs(
    clauses: &[Indexed<'_, Condition>],
    removed: &Rc<Shifts>,
    offers: &mut Offers<Patch<'_>>,
) {
    let words = |i: usize, j: usize| {
        format!("join {} and {}", quote(&clauses[i].1.expr), quote(&clauses[j].1.expr))
    };
    offers.joins(clauses.len(), words, |joins| {
        let indices: Vec<usize> = clauses.iter().map(|(index, _)| *index).collect();
        let removed = Rc::clone(removed);
        Patch::decl(move |copy| {
            let Decl::Procedure(procedure) = copy else { return };
            let mut gone = None;
            for (i, j) in joins {
                // A clause can become a part of one other only.
                if gone.replace(j) != Some(j) {
                    let now = |index: usize| index - removed.before(index);
                    join(&mut procedure.specs, now(indices[i]), now(indices[j]));
                    removed.note(indices[j]);
                }
            }
        })
    });
}

/// Makes the second clause a part of the first one.
fn join(specs: &mut Vec<Spec>, first: usize, second: usize) {
    let Spec::Condition(right) = specs.remove(second) else { return };
    if let Spec::Condition(left) = &mut specs[first] {
        let old = std::mem::replace(&mut left.expr.kind, ExprKind::Var("".into()));
        let operands = Box::new((Expr { span: left.expr.span, kind: old }, right.expr));
        let kind = ExprKind::Binary(BinaryOp::And, operands);
        left.expr = Expr { span: Span::default(), kind };
    }
}

/// Whether an expression is the literal `true`.
pub(super) fn is_true(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Literal(literal) if literal.text == "true")
}
