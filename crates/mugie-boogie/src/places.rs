//! Finding a place again: the n-th statement list, conditional, … of a declaration.
//!
//! An operator looks at a declaration it may not change, and later changes a copy of it. The
//! number of a node, in the order of the source, leads from the one to the other: the two
//! visitors of `bpl-syntax` go through the same nodes in the same order.
//!
//! Code expressions are left out: they are expressions, and no operator acts on their blocks.

use bpl_syntax::ast::{
    Attr, Block, Body, Decl, Expr, If, Quantifier, Stmt, StmtKind, Trigger, While,
};
use bpl_syntax::print::print_expr;
use bpl_syntax::visit::{Visit, VisitMut};

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

/// Shows the quantifiers and lambdas with their numbers, wherever an expression can stand.
pub(crate) fn each_quantifier<'d>(decl: &'d Decl, show: impl FnMut(usize, &'d Quantifier)) {
    struct Each<F>(usize, F);
    impl<'d, F: FnMut(usize, &'d Quantifier)> Visit<'d> for Each<F> {
        fn visit_quantifier(&mut self, quantifier: &'d Quantifier) {
            (self.1)(self.0, quantifier);
            self.0 += 1;
            self.walk_quantifier(quantifier);
        }
    }
    Each(0, show).visit_decl(decl);
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

/// Shows the expressions with their numbers, except those in triggers and attributes: what these
/// say is not their meaning but their shape.
pub(crate) fn each_expr<'d>(decl: &'d Decl, show: impl FnMut(usize, &'d Expr)) {
    struct Each<F>(usize, F);
    impl<'d, F: FnMut(usize, &'d Expr)> Visit<'d> for Each<F> {
        fn visit_expr(&mut self, expr: &'d Expr) {
            (self.1)(self.0, expr);
            self.0 += 1;
            self.walk_expr(expr);
        }
        fn visit_trigger(&mut self, _: &'d Trigger) {}
        fn visit_attr(&mut self, _: &'d Attr) {}
    }
    Each(0, show).visit_decl(decl);
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
