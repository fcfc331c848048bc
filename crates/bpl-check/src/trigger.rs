//! Triggers: what may stand in them and what they must mention.

use bpl_syntax::ast::{ExprKind, Ident, Name, Trigger, VarGroup};
use rustc_hash::FxHashSet;

use crate::check::Checker;
use crate::types::TypeId;
use crate::walk::walk;

impl<'a> Checker<'_, 'a> {
    /// Checks a trigger of a quantifier with the given bound variables; returns the types within
    /// it if they are wanted.
    pub(crate) fn trigger(
        &mut self,
        bound: &'a [VarGroup],
        trigger: &'a Trigger,
        want_types: bool,
    ) -> Vec<TypeId> {
        let outer_types = std::mem::replace(&mut self.trigger_types, want_types.then(Vec::new));
        let outer = std::mem::replace(&mut self.in_trigger, true);
        let mut mentioned: FxHashSet<&'a Name> = FxHashSet::default();
        for term in &trigger.terms {
            if let ExprKind::Var(name) = &term.kind {
                self.unresolved(term.span, format!("variable `{name}` alone is not a trigger"));
            }
            self.expr(term);
            // A binder within cannot rebind a name from outside in Boogie 2, and there is none but
            // `var` in Boogie 3, so there is no need to tell free from bound.
            walk(term, &mut |part| {
                if let ExprKind::Var(name) = &part.kind {
                    mentioned.insert(name);
                }
            });
        }
        self.in_trigger = outer;
        let types = std::mem::replace(&mut self.trigger_types, outer_types).unwrap_or_default();
        if !trigger.negative {
            for name in bound.iter().flat_map(|group| &group.names) {
                if !mentioned.contains(&name.name) {
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

    /// A type variable that no bound variable's type mentions must at least occur in the types
    /// within each trigger: `(forall<a> :: {f(): a} …)`.
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
