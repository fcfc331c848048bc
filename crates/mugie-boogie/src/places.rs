//! Finds a node again by its number: the n-th statement list, conditional, … of a declaration.
//!
//! An operator examines an immutable declaration, and [patches](crate::patch) change a copy of it. A
//! node in the original and its counterpart in the copy have the same number in source order, because
//! both visitors of `bpl-syntax` visit the same nodes in the same order.
//!
//! Code expressions are skipped: no operator acts on the blocks inside them.

use bpl_syntax::ast::{
    Attr, Binder, Block, Body, Decl, Expr, ExprKind, If, Quantifier, Stmt, StmtKind, Trigger, While,
};
use bpl_syntax::print::print_expr;
use bpl_syntax::visit::Visit;

use crate::facts::Facts;

/// Declares a function that shows every node of a kind with its number.
macro_rules! numbered {
    (
        $(#[$doc:meta])*
        $each:ident: $node:ty, $visit:ident, nested: $walk:expr
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
    };
}

numbered! {
    /// Shows the bodies. A declaration may have none, one, or several (those of actions declared in
    /// place).
    // Bodies do not nest.
    each_body: Body, visit_body, nested: |_, _| ()
}

numbered! {
    /// Shows the statement lists, nested ones after the enclosing list.
    each_block: Block, visit_block, nested: Visit::walk_block
}

numbered! {
    /// Shows the conditionals, including those after an `else`.
    each_if: If, visit_if, nested: Visit::walk_if
}

numbered! {
    /// Shows the statements.
    each_stmt: Stmt, visit_stmt, nested: Visit::walk_stmt
}

/// Shows the loops, each with its number among all statements.
pub(crate) fn each_loop<'d>(decl: &'d Decl, mut show: impl FnMut(usize, &'d While)) {
    each_stmt(decl, |number, stmt| {
        if let StmtKind::While(repetition) = &stmt.kind {
            show(number, repetition);
        }
    });
}

/// Shows the quantifiers in all expressions with their numbers, except inside a `lambda`: maps are
/// not extensional, so the identity of a lambda depends on its text. The numbering includes lambdas
/// and the quantifiers inside them.
pub(crate) fn each_quantifier<'d>(decl: &'d Decl, mut show: impl FnMut(usize, &'d Quantifier)) {
    each_binder(decl, |number, quantifier, in_lambda| {
        if !in_lambda && quantifier.binder != Binder::Lambda {
            show(number, quantifier);
        }
    });
}

/// Shows all quantifiers and lambdas with their numbers, and whether they are inside a lambda. Only
/// a renaming may use it.
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

/// Shows the expressions with their numbers, except in triggers and attributes, where the shape
/// matters rather than the meaning, and in lambdas, where both do. The numbering includes the
/// expressions in lambdas.
pub(crate) fn each_expr<'d>(decl: &'d Decl, mut show: impl FnMut(usize, &'d Expr)) {
    each_expr_anywhere(decl, |number, expr, in_lambda| {
        if !in_lambda {
            show(number, expr);
        }
    });
}

/// Shows the expressions with their numbers, except in triggers and attributes, and whether they
/// are inside a lambda. Only a renaming may use it.
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

/// Whether Boogie's type checker may depend on the order of the operands of this arithmetic
/// operator or comparison.
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

/// The text of an expression, shortened to fit on a line.
pub(crate) fn quote(expr: &Expr) -> String {
    const LONGEST: usize = 50;
    let text = print_expr(expr);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}
