//! Going from an expression to its parts, for questions that need no scopes.

use bpl_syntax::ast::{Annotation, Expr, ExprKind};

use crate::types::deep;

/// Calls `each` for an expression and all expressions within it, terms of triggers included;
/// attributes and the statements of code expressions are left out.
pub(crate) fn walk<'a>(expr: &'a Expr, each: &mut dyn FnMut(&'a Expr)) {
    each(expr);
    let mut all = |exprs: &'a [Expr]| {
        for expr in exprs {
            walk(expr, each);
        }
    };
    deep(|| match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Var(_) | ExprKind::Code(_) => {}
        ExprKind::Call { args, .. } => all(args),
        ExprKind::Old(inner)
        | ExprKind::Convert(_, inner)
        | ExprKind::Unary(_, inner)
        | ExprKind::Is(inner, _)
        | ExprKind::Coerce(inner, _)
        | ExprKind::Field(inner, _) => walk(inner, each),
        ExprKind::Binary(_, operands) => {
            walk(&operands.0, each);
            walk(&operands.1, each);
        }
        ExprKind::Select(map, indices) => {
            all(std::slice::from_ref(map));
            all(indices);
        }
        ExprKind::Store(store) => {
            all(std::slice::from_ref(&store.map));
            all(&store.indices);
            all(std::slice::from_ref(&store.value));
        }
        ExprKind::Extract(extract) => walk(&extract.vector, each),
        ExprKind::FieldUpdate(update) => {
            walk(&update.record, each);
            walk(&update.value, each);
        }
        ExprKind::If(conditional) => {
            walk(&conditional.cond, each);
            walk(&conditional.then_expr, each);
            walk(&conditional.else_expr, each);
        }
        ExprKind::Quantifier(quantifier) => {
            for annotation in &quantifier.annotations {
                if let Annotation::Trigger(trigger) = annotation {
                    all(&trigger.terms);
                }
            }
            all(std::slice::from_ref(&quantifier.body));
        }
        ExprKind::Let(binding) => {
            all(&binding.values);
            all(std::slice::from_ref(&binding.body));
        }
    });
}
