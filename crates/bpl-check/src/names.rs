//! The free variables of an expression.
//!
//! They depend on scopes only, so any tree will do, checked or not.

use bpl_syntax::ast::{Expr, ExprKind, Name};
use bpl_syntax::visit::{Namespace, Occurrence, Visit};

use crate::types::deep;

/// The free variables of an expression, each once, in order of first occurrence. Variables in
/// attributes and triggers count.
///
/// ```
/// use bpl_syntax::ast::Decl;
/// use bpl_syntax::{Dialect, parse};
///
/// let program = parse("axiom (forall x: int :: f(x) == y + x);", Dialect::Boogie2).program;
/// let Decl::Axiom(axiom) = &*program.decls[0] else { unreachable!() };
/// assert_eq!(bpl_check::free_variables(&axiom.expr), ["y"]);
/// ```
pub fn free_variables(expr: &Expr) -> Vec<&Name> {
    let mut free = Free { bound: Vec::new(), free: Vec::new() };
    free.visit_expr(expr);
    free.free
}

struct Free<'a> {
    bound: Vec<&'a Name>,
    free: Vec<&'a Name>,
}

impl<'a> Visit<'a> for Free<'a> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        let outer = self.bound.len();
        match &expr.kind {
            ExprKind::Quantifier(quantifier) => {
                let names = quantifier.bound.iter().flat_map(|group| &group.names);
                self.bound.extend(names.map(|ident| &ident.name));
                self.walk_expr(expr);
            }
            ExprKind::Code(code) => {
                let groups = code.locals.iter().flat_map(|local| &local.groups);
                self.bound.extend(groups.flat_map(|group| &group.names).map(|ident| &ident.name));
                self.walk_expr(expr);
            }
            ExprKind::Let(binding) => {
                // The values are outside the scope of the variables.
                let attrs = binding.vars.iter().flat_map(|var| &var.attrs);
                attrs.for_each(|attr| self.visit_attr(attr));
                binding.values.iter().for_each(|value| self.visit_expr(value));
                self.bound.extend(binding.vars.iter().map(|var| &var.name.name));
                binding.attrs.iter().for_each(|attr| self.visit_attr(attr));
                deep(|| self.visit_expr(&binding.body));
            }
            _ => self.walk_expr(expr),
        }
        self.bound.truncate(outer);
    }

    fn visit_name(&mut self, name: &'a Name, namespace: Namespace, occurrence: Occurrence) {
        let is_use = namespace == Namespace::Variable && occurrence == Occurrence::Use;
        if is_use && !self.bound.contains(&name) && !self.free.contains(&name) {
            self.free.push(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bpl_syntax::ast::Decl;
    use bpl_syntax::{Dialect, parse};

    fn free(text: &str) -> Vec<String> {
        let program = parse(&format!("axiom {text};"), Dialect::Boogie3).program;
        let Decl::Axiom(axiom) = &*program.decls[0] else { panic!("not an axiom") };
        free_variables(&axiom.expr).into_iter().map(ToString::to_string).collect()
    }

    #[test]
    fn binders_bind_their_bodies_only() {
        assert_eq!(free("x == (exists x: int :: {f(x, t)} x == y) && z"), ["x", "t", "y", "z"]);
        assert_eq!(free("(lambda x: int :: {:a x, b} x)[c]"), ["b", "c"]);
    }

    #[test]
    fn values_of_a_let_are_outside() {
        assert_eq!(free("(var x, y := y, 1; x == y && z)"), ["y", "z"]);
    }

    #[test]
    fn code_expressions_bind_their_locals() {
        assert_eq!(
            free("|{ var x: int where x == y; A: x, z := 1, 2; return x == w; }|"),
            ["y", "z", "w"]
        );
    }

    #[test]
    fn functions_and_labels_are_no_variables() {
        assert_eq!(free("f(g(x))->h is C"), ["x"]);
    }
}
