//! Triggers: what they may contain and what they must mention.

use bpl_syntax::ast::{Attr, ExprKind, Ident, Name, Trigger, VarGroup};
use bpl_syntax::visit::{Namespace, Occurrence, Visit};
use rustc_hash::FxHashSet;

use crate::check::Checker;
use crate::types::TypeId;

/// The variables in the terms of a trigger. The only binder allowed in a trigger is `var`, so free
/// and bound variables need not be distinguished.
#[derive(Default)]
struct Variables<'a>(FxHashSet<&'a Name>);

impl<'a> Visit<'a> for Variables<'a> {
    fn visit_attr(&mut self, _: &'a Attr) {}

    fn visit_name(&mut self, name: &'a Name, namespace: Namespace, occurrence: Occurrence) {
        if namespace == Namespace::Variable && occurrence == Occurrence::Use {
            self.0.insert(name);
        }
    }
}

impl<'a> Checker<'_, 'a> {
    /// Checks a trigger of a quantifier with the given bound variables. Returns the types in the
    /// trigger if they are needed.
    pub(crate) fn trigger(
        &mut self,
        bound: &'a [VarGroup],
        trigger: &'a Trigger,
        want_types: bool,
    ) -> Vec<TypeId> {
        let outer_types = std::mem::replace(&mut self.trigger_types, want_types.then(Vec::new));
        let outer = std::mem::replace(&mut self.in_trigger, true);
        let mut mentioned = Variables::default();
        for term in &trigger.terms {
            if let ExprKind::Var(name) = &term.kind {
                self.unresolved(term.span, format!("variable `{name}` alone is not a trigger"));
            }
            self.expr(term);
            mentioned.visit_expr(term);
        }
        self.in_trigger = outer;
        let types = std::mem::replace(&mut self.trigger_types, outer_types).unwrap_or_default();
        if !trigger.negative {
            for name in bound.iter().flat_map(|group| &group.names) {
                if !mentioned.0.contains(&name.name) {
                    let name = &name.name;
                    self.unresolved(
                        trigger.span,
                        format!("the trigger does not mention bound variable `{name}`"),
                    );
                }
            }
        }
        types
    }

    /// Checks that a type variable that occurs in no bound variable's type occurs in the types of
    /// each trigger: `(forall<a> :: {f(): a} …)`.
    pub(crate) fn check_open_params(
        &mut self,
        open: &[&'a Ident],
        triggers: &[(&'a Trigger, Vec<TypeId>)],
    ) {
        for param in open {
            for (trigger, types) in triggers {
                if !types.iter().any(|&ty| self.solver.mentions(&param.name, ty)) {
                    let name = &param.name;
                    self.ill_typed(
                        trigger.span,
                        format!("the trigger does not mention bound type variable `{name}`"),
                    );
                }
            }
        }
    }
}
