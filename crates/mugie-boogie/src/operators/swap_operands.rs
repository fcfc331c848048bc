//! Swaps the operands of a commutative operator.

use bpl_syntax::ast::{BinaryOp, Body, Decl, Expr, ExprKind, Name};

use crate::facts::Facts;
use crate::offers::{Change, Offers};
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::patch::Patch;
use crate::places::{each_body, each_expr, is_typed_in_order, quote};

operator! {
    /// Swaps the operands of `+`, `*`, `==`, `!=`, `<==>`, `&&` or `||`.
    ///
    /// ```boogie before
    /// function f(x: int): int;
    /// axiom (forall x: int :: {f(x + 1)} f(x + 1) == f(x));
    /// ```
    /// ```boogie after
    /// function f(x: int): int;
    /// axiom (forall x: int :: {f(x + 1)} f(x) == f(x + 1));
    /// ```
    ///
    /// ## Applies when
    /// the operands differ. Not in triggers, where the shape of a term matters, in attributes, and
    /// in a `lambda`: maps are not extensional, so the identity of a lambda depends on its text.
    /// The `a && e` that is assigned to an `{:assumption}` variable `a`, local or global, must keep
    /// its form. If the arguments of some function do not determine its result type, sums and
    /// products with calls are left alone: Boogie infers their types from left to right. CIVL
    /// procedures are left alone.
    ///
    /// ## Sound because
    /// the operators are commutative, also on floating-point numbers. Expressions have no side
    /// effects and are always defined, so the order of evaluation does not matter.
    SwapOperands = / "swap-operands" in Extended
}

impl Operator for SwapOperands {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Places("swap the operands"))
    }

    fn in_decl<'d>(&self, decl: &'d Decl, facts: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        if facts.is_civl(decl) {
            return;
        }
        let assumptions = assumptions(decl);
        each_expr(decl, |number, expr| {
            let ExprKind::Binary(op, operands) = &expr.kind else { return };
            let (left, right) = &**operands;
            if !is_commutative(*op)
                || left == right
                || matches!(&left.kind, ExprKind::Var(name)
                    if assumptions.contains(&name) || facts.is_assumption(name))
                || matches!(op, BinaryOp::Add | BinaryOp::Mul) && is_typed_in_order(expr, facts)
            {
                return;
            }
            offers.one(|| {
                let words = format!("swap the operands of {}", quote(expr));
                Change::new(words, Patch::expr(number, swap))
            });
        });
    }
}

fn is_commutative(op: BinaryOp) -> bool {
    use BinaryOp::{Add, And, Eq, Iff, Mul, Ne, Or};
    matches!(op, Add | Mul | Eq | Ne | Iff | And | Or)
}

fn swap(expr: &mut Expr) {
    if let ExprKind::Binary(_, operands) = &mut expr.kind {
        let (left, right) = &mut **operands;
        std::mem::swap(left, right);
    }
}

/// The `{:assumption}` variables, which may only be assigned in a fixed form.
pub(super) fn assumptions(decl: &Decl) -> Vec<&Name> {
    let mut names = Vec::new();
    each_body(decl, |_, Body { locals, .. }| {
        for local in locals.iter().filter(|l| l.attrs.iter().any(|a| a.name == "assumption")) {
            names.extend(local.groups.iter().flat_map(|g| &g.names).map(|ident| &ident.name));
        }
    });
    names
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, results, words};
    use super::*;

    #[test]
    fn operands_are_swapped_at_every_depth() {
        check(
            &SwapOperands,
            "procedure p(a: bool, b: bool, x: int) requires (a || b) && x * 2 == x; { }",
            &[
                "procedure p(a: bool, b: bool, x: int) requires x * 2 == x && (a || b); { }",
                "procedure p(a: bool, b: bool, x: int) requires (b || a) && x * 2 == x; { }",
                "procedure p(a: bool, b: bool, x: int) requires (a || b) && x == x * 2; { }",
                "procedure p(a: bool, b: bool, x: int) requires (a || b) && 2 * x == x; { }",
            ],
        );
    }

    #[test]
    fn triggers_attributes_and_equal_operands_are_left_alone() {
        for source in [
            "function f(x: int): bool; axiom (forall x: int :: {f(x + 1)} f(x));",
            "procedure p(x: int) { assert {:a x + 1} x == x; assume x - 1 < x; }",
            "procedure p(b: bool) { var {:assumption} a: bool; a := a && b; }",
            "procedure {:atomic} p(x: int) { assert x == 1; }",
            "var {:assumption} a: bool; procedure p(b: bool); modifies a;
             implementation p(b: bool) { a := a && b; }",
            "function f<T>(): T; axiom 1.0 + f() - f() > 1.0 * f();",
            "function F(m: [int]int): bool;
             axiom F((lambda x: int :: x + 1)); axiom F((lambda x: int :: (lambda y: int :: x * y)[1]));",
        ] {
            assert!(results(&SwapOperands, source).is_empty(), "{source}");
        }
    }

    #[test]
    fn what_stands_beside_a_lambda_is_swapped() {
        let source = "procedure p(y: int) { assert (lambda x: int :: x + y) == (lambda x: int :: x); \
                      assert (lambda x: int :: x + 1)[y + 2] == 3; }";
        assert_eq!(
            words(&SwapOperands, source),
            [
                "swap the operands of `(lambda x: int :: x + y) == (lambda x: int :: x)` \
                 in procedure `p`",
                "swap the operands of `(lambda x: int :: x + 1)[y + 2] == 3` in procedure `p`",
                "swap the operands of `y + 2` in procedure `p`",
            ]
        );
        let left = results(&SwapOperands, source).pop().unwrap();
        assert!(left.contains("(lambda x: int :: x + 1)[2 + y]"), "{left}");
    }

    #[test]
    fn left_sides_and_guards_are_reached() {
        let source = "procedure p(x: int) { var m: [int]int; \
                      while (x != 1) { m[x + 1] := x + 2; } call p(x + 3); }";
        assert_eq!(results(&SwapOperands, source).len(), 4);
        assert_eq!(
            words(&SwapOperands, source)[0],
            "swap the operands of `x != 1` in procedure `p`"
        );
    }
}
