//! Boogie 3: functions that are expanded where they are used may not use each other in a circle.

use bpl_syntax::ast::{Decl, ExprKind, FunctionDecl, Name, Program};
use bpl_syntax::diagnostic::{Diagnostic, Kind};
use rustc_hash::FxHashMap;

use crate::attrs;
use crate::walk::walk;

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
                walk(body, &mut |part| {
                    if let ExprKind::Call { function, .. } = &part.kind {
                        uses.extend(by_name.get(function).copied());
                    }
                });
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
