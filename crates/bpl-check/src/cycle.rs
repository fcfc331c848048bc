//! Functions that are expanded at their uses must not be recursive (Boogie 3).

use bpl_syntax::ast::{Attr, Decl, FunctionDecl, Name, Program};
use bpl_syntax::diagnostic::{Diagnostic, ErrorClass};
use bpl_syntax::visit::{Namespace, Occurrence, Visit};
use rustc_hash::FxHashMap;

use crate::attrs;

/// The functions of interest that an expression calls.
struct Calls<'m, 'a> {
    by_name: &'m FxHashMap<&'a Name, usize>,
    uses: Vec<usize>,
}

impl<'a> Visit<'a> for Calls<'_, 'a> {
    fn visit_attr(&mut self, _: &'a Attr) {}

    fn visit_name(&mut self, name: &'a Name, namespace: Namespace, _: Occurrence) {
        if namespace == Namespace::Function {
            self.uses.extend(self.by_name.get(name));
        }
    }
}

/// Reports functions marked `{:inline}` or `{:define}` whose definition is recursive.
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
                let mut calls = Calls { by_name: &by_name, uses: Vec::new() };
                calls.visit_expr(body);
                uses = calls.uses;
            }
            uses
        })
        .collect();
    let mut found = vec![false; functions.len()];
    let mut states = vec![Visited::Unseen; functions.len()];
    for start in 0..functions.len() {
        // The functions being expanded, each with the index of the next call to follow.
        let mut path = vec![(start, 0)];
        if states[start] == Visited::Done {
            continue;
        }
        while let Some((function, next)) = path.last_mut() {
            states[*function] = Visited::Open;
            let Some(&target) = uses[*function].get(*next) else {
                states[*function] = Visited::Done;
                path.pop();
                continue;
            };
            *next += 1;
            match states[target] {
                Visited::Unseen => path.push((target, 0)),
                Visited::Open => found[target] = true,
                Visited::Done => {}
            }
        }
    }
    for (function, _) in functions.iter().zip(found).filter(|(_, found)| *found) {
        let name = &function.name.name;
        let message = format!("the definition of function `{name}` is recursive");
        let error = Diagnostic::new(ErrorClass::Type, function.name.span, message)
            .help("a function that is expanded where it is used cannot be recursive");
        into.push(error);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visited {
    Unseen,
    /// Being expanded.
    Open,
    Done,
}
