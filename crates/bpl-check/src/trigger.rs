//! Triggers: what may stand in them and what they must mention.

use bpl_syntax::ast::{Expr, ExprKind, Ident, Name, Trigger, VarGroup};
use rustc_hash::FxHashSet;

use crate::check::Checker;
use crate::types::{TypeId, deep};

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
        let mut mentioned = FxHashSet::default();
        for term in &trigger.terms {
            if let ExprKind::Var(name) = &term.kind {
                self.unresolved(term.span, format!("variable `{name}` alone is not a trigger"));
            }
            self.expr(term);
            collect_variables(term, &mut mentioned);
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

/// The variables in an expression. A binder within cannot rebind a name from outside, so there
/// is no need to tell free from bound.
fn collect_variables<'a>(expr: &'a Expr, into: &mut FxHashSet<&'a Name>) {
    deep(|| match &expr.kind {
        ExprKind::Var(name) => {
            into.insert(name);
        }
        ExprKind::Literal(_) | ExprKind::Code(_) => {}
        ExprKind::Call { args, .. } => args.iter().for_each(|arg| collect_variables(arg, into)),
        ExprKind::Old(inner)
        | ExprKind::Convert(_, inner)
        | ExprKind::Unary(_, inner)
        | ExprKind::Is(inner, _)
        | ExprKind::Coerce(inner, _)
        | ExprKind::Field(inner, _) => collect_variables(inner, into),
        ExprKind::Binary(_, operands) => {
            collect_variables(&operands.0, into);
            collect_variables(&operands.1, into);
        }
        ExprKind::Select(map, indices) => {
            collect_variables(map, into);
            indices.iter().for_each(|index| collect_variables(index, into));
        }
        ExprKind::Store(store) => {
            collect_variables(&store.map, into);
            store.indices.iter().for_each(|index| collect_variables(index, into));
            collect_variables(&store.value, into);
        }
        ExprKind::Extract(extract) => collect_variables(&extract.vector, into),
        ExprKind::FieldUpdate(update) => {
            collect_variables(&update.record, into);
            collect_variables(&update.value, into);
        }
        ExprKind::If(conditional) => {
            collect_variables(&conditional.cond, into);
            collect_variables(&conditional.then_expr, into);
            collect_variables(&conditional.else_expr, into);
        }
        ExprKind::Quantifier(quantifier) => collect_variables(&quantifier.body, into),
        ExprKind::Let(binding) => {
            binding.values.iter().for_each(|value| collect_variables(value, into));
            collect_variables(&binding.body, into);
        }
    });
}
