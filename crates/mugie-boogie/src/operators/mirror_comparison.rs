//! Mirrors a comparison.

use bpl_syntax::ast::{BinaryOp, Decl, Expr, ExprKind};

use crate::facts::Facts;
use crate::offers::{Change, Offers};
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::patch::Patch;
use crate::places::{each_expr, is_typed_in_order, quote};

operator! {
    /// Mirrors a comparison: `a < b` becomes `b > a`, and the other way round.
    ///
    /// ```boogie before
    /// procedure p(x: int, y: int);
    ///   requires x <= y;
    /// ```
    /// ```boogie after
    /// procedure p(x: int, y: int);
    ///   requires y >= x;
    /// ```
    ///
    /// ## Applies when
    /// an expression contains `<`, `<=`, `>` or `>=`, except in triggers, where the shape of a term
    /// matters, in attributes, and in a `lambda`: maps are not extensional, so the identity of a
    /// lambda depends on its text. If the arguments of some function do not determine its result
    /// type, comparisons with calls are left alone: Boogie infers their types from left to right.
    /// CIVL procedures are left alone.
    ///
    /// ## Sound because
    /// `b > a` is defined as `a < b`, for floating-point numbers as well.
    MirrorComparison = / "mirror-comparison" in Extended
}

impl Operator for MirrorComparison {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Places("mirror the comparisons"))
    }

    fn in_decl<'d>(&self, decl: &'d Decl, facts: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        if facts.is_civl(decl) {
            return;
        }
        each_expr(decl, |number, expr| {
            let is_comparison =
                matches!(&expr.kind, ExprKind::Binary(op, _) if mirrored(*op).is_some());
            if !is_comparison || is_typed_in_order(expr, facts) {
                return;
            }
            offers.one(|| {
                let words = format!("mirror {}", quote(expr));
                Change::new(words, Patch::expr(number, mirror))
            });
        });
    }
}

/// The operator that gives the same comparison with swapped operands.
fn mirrored(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Ge => BinaryOp::Le,
        _ => return None,
    })
}

fn mirror(expr: &mut Expr) {
    if let ExprKind::Binary(op, operands) = &mut expr.kind
        && let Some(mirrored) = mirrored(*op)
    {
        *op = mirrored;
        let (left, right) = &mut **operands;
        std::mem::swap(left, right);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, results};
    use super::*;

    #[test]
    fn each_comparison_has_its_mirror() {
        for (from, to) in [("<", ">"), (">", "<"), ("<=", ">="), (">=", "<=")] {
            let before = format!("const x: int; axiom x + 1 {from} 2;");
            let after = format!("const x: int; axiom 2 {to} x + 1;");
            check(&MirrorComparison, &before, &[&after]);
            check(&MirrorComparison, &after, &[&before]);
        }
    }

    #[test]
    fn other_operators_and_attributes_are_left_alone() {
        for source in [
            "procedure p(x: int) { assert {:a x < 1} x == 1; }",
            "procedure p(y: int) { assert (lambda x: int :: x < y) == (lambda x: int :: x < y); }",
            "function f<T>(): T; axiom 1.0 < f(); axiom f() < 1;",
            "type P a = int; function f<T>(x: P T): T; axiom f(1) < 1;",
        ] {
            assert!(results(&MirrorComparison, source).is_empty(), "{source}");
        }
        let source = "function f<T>(x: T): T; axiom f(1) < 1;";
        assert_eq!(results(&MirrorComparison, source).len(), 1);
    }
}
