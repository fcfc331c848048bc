//! Regroups the operands of an associative operator.

use bpl_syntax::ast::{BinaryOp, Decl, Expr, ExprKind, LiteralKind};

use super::swap_operands::assumptions;
use crate::facts::Facts;
use crate::offers::{Change, Offers};
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::patch::Patch;
use crate::places::{each_expr, is_typed_in_order, quote};

operator! {
    /// Regroups three operands of `&&`, `||`, `+` or `*`: `(a && b) && c` becomes `a && (b && c)`, and
    /// the other way round.
    ///
    /// ```boogie before
    /// procedure p(x: int, y: int, z: int);
    ///   requires x + y + z > 0;
    /// ```
    /// ```boogie after
    /// procedure p(x: int, y: int, z: int);
    ///   requires x + (y + z) > 0;
    /// ```
    ///
    /// At many places, inner operands are regrouped before those around them, so a chain of operands can get
    /// any shape that this number of steps leads to.
    ///
    /// ## Applies when
    /// an operand of the operator is made with the same operator. Sums and products must be of `int`
    /// or `real`: if the program mentions floating-point numbers anywhere, one of the operands in the
    /// chain must be a number such as `1` or `1.5`, a conversion to `int` or `real`, a `div` or a
    /// `mod`. Not in triggers, where the shape of a term matters, in attributes, and in a `lambda`:
    /// maps are not extensional, so the identity of a lambda depends on its text. The `a && e` that
    /// is assigned to an `{:assumption}` variable `a`, local or global, must keep its form. If the
    /// arguments of some function do not determine its result type, sums and products with calls are
    /// left alone: Boogie infers their types from left to right. CIVL procedures are left alone.
    ///
    /// ## Sound because
    /// conjunction and disjunction are associative, and so are addition and multiplication of
    /// integers and of real numbers, which Boogie takes as the mathematical ones. Expressions have no
    /// side effects and are always defined, so the order of evaluation does not matter.
    Reassociate = / "reassociate" in Extended
}

impl Operator for Reassociate {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Places("regroup operands"))
    }

    fn in_decl<'d>(&self, decl: &'d Decl, facts: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        if facts.is_civl(decl) {
            return;
        }
        let assumptions = assumptions(decl);
        let is_assumption = |expr: &Expr| {
            matches!(&expr.kind, ExprKind::Var(name)
                if assumptions.contains(&name) || facts.is_assumption(name))
        };
        each_expr(decl, |number, expr| {
            let ExprKind::Binary(op, operands) = &expr.kind else { return };
            if !is_associative(*op, expr, facts) {
                return;
            }
            let mut offer = |to_right: bool| {
                offers.one(|| {
                    let side = if to_right { "right" } else { "left" };
                    let words = format!("regroup {} to the {side}", quote(expr));
                    Change::new(words, Patch::expr(number, move |expr| regroup(expr, to_right)))
                });
            };
            let (left, right) = &**operands;
            if is_made_with(left, *op) {
                offer(true);
            }
            if is_made_with(right, *op) && !is_assumption(left) {
                offer(false);
            }
        });
    }
}

/// Whether the operator of an expression is associative for the type of its operands.
fn is_associative(op: BinaryOp, expr: &Expr, facts: &Facts) -> bool {
    match op {
        BinaryOp::And | BinaryOp::Or => true,
        BinaryOp::Add | BinaryOp::Mul => {
            (!facts.has_floats() || has_exact_operand(expr, op)) && !is_typed_in_order(expr, facts)
        }
        _ => false,
    }
}

fn is_made_with(expr: &Expr, wanted: BinaryOp) -> bool {
    matches!(&expr.kind, ExprKind::Binary(op, _) if *op == wanted)
}

/// Whether one of the operands in a chain is certainly an `int` or a `real`. All of them have the
/// same type, because Boogie mixes no types of numbers.
fn has_exact_operand(expr: &Expr, chained: BinaryOp) -> bool {
    let mut pending = vec![expr];
    while let Some(expr) = pending.pop() {
        match &expr.kind {
            ExprKind::Binary(op, operands) if *op == chained => {
                pending.extend([&operands.0, &operands.1]);
            }
            ExprKind::Literal(literal)
                if matches!(literal.kind, LiteralKind::Int | LiteralKind::Real) =>
            {
                return true;
            }
            ExprKind::Convert(..) | ExprKind::Binary(BinaryOp::Div | BinaryOp::Mod, _) => {
                return true;
            }
            _ => {}
        }
    }
    false
}

/// Turns `(a b) c` into `a (b c)`, or the other way round.
fn regroup(expr: &mut Expr, to_right: bool) {
    let ExprKind::Binary(_, operands) = &mut expr.kind else { return };
    let (left, right) = &mut **operands;
    let (inner, outer) =
        if to_right { (&mut *left, &mut *right) } else { (&mut *right, &mut *left) };
    let ExprKind::Binary(_, nested) = &mut inner.kind else { return };
    // `(a b) c` to `(b a) c` to `(b c) a`, and the two sides swapped.
    let (first, second) = &mut **nested;
    std::mem::swap(first, second);
    std::mem::swap(if to_right { second } else { first }, outer);
    std::mem::swap(left, right);
}

#[cfg(test)]
mod tests {
    use super::super::testing::{all, at_many, check, printed, results, subject, words};
    use super::*;

    #[test]
    fn operands_are_regrouped_to_both_sides() {
        for (op, ty) in [("&&", "bool"), ("||", "bool"), ("+", "int"), ("*", "real")] {
            let axiom = |expr: &str| {
                let expr = expr.replace('.', op);
                let end = if ty == "bool" { "" } else { " == a" };
                format!("const a, b, c: {ty}; axiom ({expr}){end};")
            };
            let (left, right) = (axiom("(a . b) . c"), axiom("a . (b . c)"));
            check(&Reassociate, &left, &[&right]);
            check(&Reassociate, &right, &[&left]);
        }
    }

    #[test]
    fn each_pair_of_neighbours_in_a_chain_is_a_place() {
        let axiom = |expr: &str| format!("const a, b, c, d: bool; axiom {expr};");
        check(
            &Reassociate,
            &axiom("((a && b) && c) && d"),
            &[&axiom("(a && b) && (c && d)"), &axiom("(a && (b && c)) && d")],
        );
        check(
            &Reassociate,
            &axiom("(a && b) && (c && d)"),
            &[&axiom("a && (b && (c && d))"), &axiom("((a && b) && c) && d")],
        );
        assert_eq!(
            words(&Reassociate, &axiom("(a && b) && (c && d)")),
            [
                "regroup `a && b && (c && d)` to the right in axiom #1",
                "regroup `a && b && (c && d)` to the left in axiom #1",
            ]
        );
    }

    #[test]
    fn regrouping_leads_back() {
        let seed = subject("procedure p(x: int) { assert 2 * (3 * x) == 2 * 3 * x; }");
        for applied in all(&Reassociate, &seed) {
            let back = all(&Reassociate, &applied.subject);
            assert!(back.iter().any(|back| back.subject.hash() == seed.hash()));
        }
    }

    #[test]
    fn operators_are_not_mixed_and_others_are_left_alone() {
        for source in [
            "const a, b, c: bool; axiom (a && b) || c; axiom a || (b && c);",
            "const a, b, c: bool; axiom (a <==> b) <==> c; axiom a ==> (b ==> c);",
            "const x: int; axiom x * 2 + 1 == x + x * 2; axiom x - 1 - 2 == x - (x - 1);",
            "const x: int; axiom x - 1 + 2 == x; axiom x div 2 div 3 == x;",
            "const v: bv8; axiom v[8:6] ++ v[6:4] ++ v[4:0] == v;",
        ] {
            assert!(results(&Reassociate, source).is_empty(), "{source}");
        }
    }

    #[test]
    fn triggers_attributes_and_lambdas_are_left_alone() {
        for source in [
            "function f(x: int): bool; axiom (forall x: int :: {f(x + 1 + 2)} f(x));",
            "procedure p(x: int) { assert {:a x + 1 + 2} x == x; }",
            "procedure p(y: int) { assert (lambda x: int :: x + y + 1) == (lambda x: int :: x); }",
            "procedure {:atomic} p(x: int) { assert x + 1 + 2 == x; }",
        ] {
            assert!(results(&Reassociate, source).is_empty(), "{source}");
        }
    }

    #[test]
    fn floats_are_left_alone() {
        for (expr, count) in [
            ("f + f + f == f", 0),
            ("(f * f) * f == f", 0),
            ("f && (f && f)", 1),
            ("1 + x + x == x", 1),
        ] {
            let ty = if expr.contains("&&") { "bool" } else { "float24e8" };
            let source = format!("const f: {ty}; const g: float24e8; const x: int; axiom {expr};");
            assert_eq!(results(&Reassociate, &source).len(), count, "{expr}");
        }
        // In a program with floating-point numbers, nothing but the text tells the type.
        let source = "type T = float24e8; const x: int, y: real; axiom ";
        let source = source.replace("x: int, y: real", "x: int; const y: real");
        for (expr, count) in [
            ("x + x + x == x", 0),
            ("x + (x + x div 2) == x", 1),
            ("x + (x + x mod 2) == x", 1),
            ("y * y * real(x) == y", 1),
            ("y * (1.5 * y) == y", 1),
        ] {
            assert_eq!(results(&Reassociate, &format!("{source}{expr};")).len(), count, "{expr}");
        }
        let literal = "const x: int; axiom 0x1.0e0f24e8 == 0x1.0e0f24e8; axiom x + x + x == x;";
        assert!(results(&Reassociate, literal).is_empty());
    }

    #[test]
    fn types_that_depend_on_the_order_are_left_alone() {
        let source =
            "function f<T>(): T; axiom f() + 1.0 + 2.0 == 1.0; axiom 1.0 * (f() * 1.5) > 1.0;";
        assert!(results(&Reassociate, source).is_empty());
        let source = "function f<T>(x: T): T; axiom f(1) + 1 + 2 == 1;";
        assert_eq!(results(&Reassociate, source).len(), 1);
    }

    #[test]
    fn assignments_to_assumption_variables_keep_their_form() {
        for source in [
            "procedure p(b: bool, c: bool) { var {:assumption} a: bool; a := a && (b && c); }",
            "var {:assumption} a: bool; procedure p(b: bool, c: bool); modifies a;
             implementation p(b: bool, c: bool) { a := a && (b && c); }",
        ] {
            assert!(results(&Reassociate, source).is_empty(), "{source}");
        }
        check(
            &Reassociate,
            "procedure p(b: bool) { var {:assumption} a: bool; a := a && (b && b && b); }",
            &["procedure p(b: bool) { var {:assumption} a: bool; a := a && (b && (b && b)); }"],
        );
    }

    #[test]
    fn chains_are_regrouped_from_the_inside() {
        let axiom = |expr: &str| format!("const a, b, c, d: bool; axiom {expr};");
        // The inner operands first: `(a && (b && c)) && d`, then all of it.
        assert_eq!(
            at_many(&Reassociate, &axiom("((a && b) && c) && d"), &[0, 1]),
            printed(&axiom("a && ((b && c) && d)"))
        );
    }
}
