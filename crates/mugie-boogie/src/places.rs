//! Finding a place again: the n-th statement list, conditional, … of a declaration.
//!
//! An operator looks at a declaration it may not change, and later changes a copy of it. The
//! number of a node, in the order of the source, leads from the one to the other: the two
//! visitors of `bpl-syntax` go through the same nodes in the same order.
//!
//! Code expressions are left out: they are expressions, and no operator acts on their blocks.

use bpl_syntax::ast::{
    Attr, Binder, Block, Body, Decl, Expr, ExprKind, If, Quantifier, Stmt, StmtKind, Trigger, While,
};
use bpl_syntax::print::print_expr;
use bpl_syntax::visit::{Visit, VisitMut};

use crate::facts::Facts;

/// Declares a pair of functions: one that shows every node of a kind with its number, one that
/// gives the node of a number to be changed.
macro_rules! numbered {
    (
        $(#[$doc:meta])*
        $each:ident, $change:ident: $node:ty, $visit:ident, nested: $walk:expr, $walk_mut:expr
    ) => {
        $(#[$doc])*
        pub(crate) fn $each<'d>(decl: &'d Decl, show: impl FnMut(usize, &'d $node)) {
            struct Each<F>(usize, F);
            impl<'d, F: FnMut(usize, &'d $node)> Visit<'d> for Each<F> {
                fn $visit(&mut self, node: &'d $node) {
                    (self.1)(self.0, node);
                    self.0 += 1;
                    $walk(self, node);
                }
                fn visit_expr(&mut self, _: &'d Expr) {}
            }
            Each(0, show).visit_decl(decl);
        }

        /// Changes the node of a number.
        pub(crate) fn $change(decl: &mut Decl, number: usize, change: impl FnOnce(&mut $node)) {
            struct Change<F>(usize, Option<F>);
            impl<F: FnOnce(&mut $node)> VisitMut for Change<F> {
                fn $visit(&mut self, node: &mut $node) {
                    if self.0 == 0
                        && let Some(change) = self.1.take()
                    {
                        return change(node);
                    }
                    self.0 = self.0.wrapping_sub(1);
                    $walk_mut(self, node);
                }
                fn visit_expr(&mut self, _: &mut Expr) {}
            }
            Change(number, Some(change)).visit_decl(decl);
        }
    };
}

numbered! {
    /// Shows the bodies: one, none, or those of actions declared on the spot.
    // No body stands in another.
    each_body, change_body: Body, visit_body, nested: |_, _| (), |_, _| ()
}

numbered! {
    /// Shows the statement lists, nested ones after the list they stand in.
    each_block, change_block: Block, visit_block, nested: Visit::walk_block, VisitMut::walk_block
}

numbered! {
    /// Shows the conditionals, also those behind an `else`.
    each_if, change_if: If, visit_if, nested: Visit::walk_if, VisitMut::walk_if
}

numbered! {
    /// Shows the statements.
    each_stmt, change_stmt: Stmt, visit_stmt, nested: Visit::walk_stmt, VisitMut::walk_stmt
}

/// Shows the loops, each with its number among the statements.
pub(crate) fn each_loop<'d>(decl: &'d Decl, mut show: impl FnMut(usize, &'d While)) {
    each_stmt(decl, |number, stmt| {
        if let StmtKind::While(repetition) = &stmt.kind {
            show(number, repetition);
        }
    });
}

/// Changes the loop of a number among the statements.
pub(crate) fn change_loop(decl: &mut Decl, number: usize, change: impl FnOnce(&mut While)) {
    change_stmt(decl, number, |stmt| {
        if let StmtKind::While(repetition) = &mut stmt.kind {
            change(repetition);
        }
    });
}

/// Shows the quantifiers with their numbers, wherever an expression can stand but in a `lambda`:
/// which map a lambda is depends on its text, since maps are not extensional. Numbers count those
/// in lambdas, too, and the lambdas themselves.
pub(crate) fn each_quantifier<'d>(decl: &'d Decl, mut show: impl FnMut(usize, &'d Quantifier)) {
    each_binder(decl, |number, quantifier, in_lambda| {
        if !in_lambda && quantifier.binder != Binder::Lambda {
            show(number, quantifier);
        }
    });
}

/// Shows the quantifiers and lambdas with their numbers, wherever an expression can stand, and
/// whether they stand in a lambda. For renaming only.
pub(crate) fn each_binder<'d>(decl: &'d Decl, show: impl FnMut(usize, &'d Quantifier, bool)) {
    struct Each<F> {
        number: usize,
        in_lambda: bool,
        show: F,
    }
    impl<'d, F: FnMut(usize, &'d Quantifier, bool)> Visit<'d> for Each<F> {
        fn visit_quantifier(&mut self, quantifier: &'d Quantifier) {
            (self.show)(self.number, quantifier, self.in_lambda);
            self.number += 1;
            let in_lambda = self.in_lambda;
            self.in_lambda |= quantifier.binder == Binder::Lambda;
            self.walk_quantifier(quantifier);
            self.in_lambda = in_lambda;
        }
    }
    Each { number: 0, in_lambda: false, show }.visit_decl(decl);
}

/// Changes the quantifier of a number.
pub(crate) fn change_quantifier(
    decl: &mut Decl,
    number: usize,
    change: impl FnOnce(&mut Quantifier),
) {
    struct Change<F>(usize, Option<F>);
    impl<F: FnOnce(&mut Quantifier)> VisitMut for Change<F> {
        fn visit_quantifier(&mut self, quantifier: &mut Quantifier) {
            if self.0 == 0
                && let Some(change) = self.1.take()
            {
                return change(quantifier);
            }
            self.0 = self.0.wrapping_sub(1);
            self.walk_quantifier(quantifier);
        }
    }
    Change(number, Some(change)).visit_decl(decl);
}

/// Shows the expressions with their numbers, except those in triggers and attributes, where not
/// the meaning counts but the shape, and in lambdas, where both do. Numbers count those in lambdas.
pub(crate) fn each_expr<'d>(decl: &'d Decl, mut show: impl FnMut(usize, &'d Expr)) {
    each_expr_anywhere(decl, |number, expr, in_lambda| {
        if !in_lambda {
            show(number, expr);
        }
    });
}

/// Shows the expressions with their numbers, except those in triggers and attributes, and whether
/// they stand in a lambda. For renaming only.
pub(crate) fn each_expr_anywhere<'d>(decl: &'d Decl, show: impl FnMut(usize, &'d Expr, bool)) {
    struct Each<F> {
        number: usize,
        in_lambda: bool,
        show: F,
    }
    impl<'d, F: FnMut(usize, &'d Expr, bool)> Visit<'d> for Each<F> {
        fn visit_expr(&mut self, expr: &'d Expr) {
            (self.show)(self.number, expr, self.in_lambda);
            self.number += 1;
            self.walk_expr(expr);
        }
        fn visit_quantifier(&mut self, quantifier: &'d Quantifier) {
            let in_lambda = self.in_lambda;
            self.in_lambda |= quantifier.binder == Binder::Lambda;
            self.walk_quantifier(quantifier);
            self.in_lambda = in_lambda;
        }
        fn visit_trigger(&mut self, _: &'d Trigger) {}
        fn visit_attr(&mut self, _: &'d Attr) {}
    }
    Each { number: 0, in_lambda: false, show }.visit_decl(decl);
}

/// Changes the expression of a number.
pub(crate) fn change_expr(decl: &mut Decl, number: usize, change: impl FnOnce(&mut Expr)) {
    struct Change<F>(usize, Option<F>);
    impl<F: FnOnce(&mut Expr)> VisitMut for Change<F> {
        fn visit_expr(&mut self, expr: &mut Expr) {
            if self.0 == 0
                && let Some(change) = self.1.take()
            {
                return change(expr);
            }
            self.0 = self.0.wrapping_sub(1);
            self.walk_expr(expr);
        }
        fn visit_trigger(&mut self, _: &mut Trigger) {}
        fn visit_attr(&mut self, _: &mut Attr) {}
    }
    Change(number, Some(change)).visit_decl(decl);
}

/// Whether it may matter to Boogie's type checker which operand of an arithmetical operator or a
/// comparison comes first.
pub(crate) fn is_typed_in_order(expr: &Expr, facts: &Facts) -> bool {
    struct Calls(bool);
    impl<'d> Visit<'d> for Calls {
        fn visit_expr(&mut self, expr: &'d Expr) {
            self.0 |= matches!(expr.kind, ExprKind::Call { .. });
            self.walk_expr(expr);
        }
    }
    facts.has_open_results() && {
        let mut calls = Calls(false);
        calls.visit_expr(expr);
        calls.0
    }
}

/// A copy of a declaration, changed, as an operator's result.
pub(crate) fn changed(decl: &Decl, change: impl FnOnce(&mut Decl)) -> Vec<Decl> {
    let mut copy = decl.clone();
    change(&mut copy);
    vec![copy]
}

/// An expression in words: its text, cut to a length that fits a line.
pub(crate) fn quote(expr: &Expr) -> String {
    const LONGEST: usize = 50;
    let text = print_expr(expr);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}
