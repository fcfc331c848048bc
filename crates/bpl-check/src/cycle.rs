//! Boogie 3: functions that are expanded where they are used may not use each other in a circle.

use bpl_syntax::ast::{Annotation, Decl, Expr, ExprKind, FunctionDecl, Name, Program};
use bpl_syntax::diagnostic::{Diagnostic, Kind};
use rustc_hash::FxHashMap;

use crate::attrs;
use crate::types::deep;

/// Reports functions marked `{:inline}` or `{:define}` whose definition comes back to itself.
pub(crate) fn check(program: &Program, into: &mut Vec<Diagnostic>) {
    let functions: Vec<&FunctionDecl> = program
        .decls
        .iter()
        .filter_map(|decl| match &**decl {
            Decl::Function(function)
                if attrs::is_set(&function.attrs, "inline")
                    || attrs::is_set(&function.attrs, "define") =>
            {
                Some(function)
            }
            _ => None,
        })
        .collect();
    let by_name: FxHashMap<&Name, usize> =
        functions.iter().enumerate().map(|(i, function)| (&function.name.name, i)).collect();
    let uses: Vec<Vec<usize>> = functions
        .iter()
        .map(|function| {
            let mut uses = Vec::new();
            if let Some(body) = &function.body {
                collect_calls(body, &mut |name| uses.extend(by_name.get(name).copied()));
            }
            uses
        })
        .collect();
    for (start, function) in functions.iter().enumerate() {
        let mut reached = vec![false; functions.len()];
        let mut pending = uses[start].clone();
        while let Some(next) = pending.pop() {
            if !std::mem::replace(&mut reached[next], true) {
                pending.extend(&uses[next]);
            }
        }
        if reached[start] {
            let name = &function.name.name;
            let message = format!("the definition of function `{name}` comes back to itself");
            let error = Diagnostic::new(Kind::Type, function.name.span, message)
                .help("a function that is expanded where it is used cannot be recursive");
            into.push(error);
        }
    }
}

fn collect_calls(expr: &Expr, each: &mut dyn FnMut(&Name)) {
    deep(|| {
        let mut all = |exprs: &[Expr]| exprs.iter().for_each(|expr| collect_calls(expr, each));
        match &expr.kind {
            ExprKind::Literal(_) | ExprKind::Var(_) | ExprKind::Code(_) => {}
            ExprKind::Call { function, args } => {
                all(args);
                each(function);
            }
            ExprKind::Old(inner)
            | ExprKind::Convert(_, inner)
            | ExprKind::Unary(_, inner)
            | ExprKind::Is(inner, _)
            | ExprKind::Coerce(inner, _)
            | ExprKind::Field(inner, _) => collect_calls(inner, each),
            ExprKind::Binary(_, operands) => {
                collect_calls(&operands.0, each);
                collect_calls(&operands.1, each);
            }
            ExprKind::Select(map, indices) => {
                all(indices);
                collect_calls(map, each);
            }
            ExprKind::Store(store) => {
                all(&store.indices);
                collect_calls(&store.map, each);
                collect_calls(&store.value, each);
            }
            ExprKind::Extract(extract) => collect_calls(&extract.vector, each),
            ExprKind::FieldUpdate(update) => {
                collect_calls(&update.record, each);
                collect_calls(&update.value, each);
            }
            ExprKind::If(conditional) => {
                collect_calls(&conditional.cond, each);
                collect_calls(&conditional.then_expr, each);
                collect_calls(&conditional.else_expr, each);
            }
            ExprKind::Quantifier(quantifier) => {
                for annotation in &quantifier.annotations {
                    if let Annotation::Trigger(trigger) = annotation {
                        trigger.terms.iter().for_each(|term| collect_calls(term, each));
                    }
                }
                collect_calls(&quantifier.body, each);
            }
            ExprKind::Let(binding) => {
                all(&binding.values);
                collect_calls(&binding.body, each);
            }
        }
    });
}
