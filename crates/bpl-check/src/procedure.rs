//! Procedures, implementations, actions and yield invariants.

use bpl_syntax::Dialect;
use bpl_syntax::ast::{
    ActionDecl, Attr, Body, CallStmt, ConditionKind, Ident, Implementation, InvariantDecl, Name,
    Procedure, ProcedureKind, RefinesTarget, Signature, Spec, VarGroup,
};
use bpl_syntax::diagnostic::{Diagnostic, ErrorClass};

use crate::attrs;
use crate::check::{Checker, Frame, States};
use crate::collect::{is_yielding, read_signature};
use crate::env::ProcedureSort;
use crate::scope::{Local, LocalKind};
use crate::types::TypeId;

/// The common parts of declarations with a specification.
struct Specified<'a> {
    sort: ProcedureSort,
    attrs: &'a [Attr],
    signature: &'a Signature,
    specs: &'a [Spec],
    body: Option<&'a Body>,
}

impl<'a> Checker<'_, 'a> {
    pub(crate) fn procedure(&mut self, index: Option<usize>, procedure: &'a Procedure) {
        let sort = match procedure.kind {
            ProcedureKind::Plain => ProcedureSort::Plain,
            ProcedureKind::Pure => ProcedureSort::Pure,
            ProcedureKind::Yield(_) => ProcedureSort::Yield,
        };
        self.specified(
            index,
            &Specified {
                sort,
                attrs: &procedure.attrs,
                signature: &procedure.signature,
                specs: &procedure.specs,
                body: procedure.body.as_ref(),
            },
        );
    }

    pub(crate) fn action(&mut self, index: Option<usize>, action: &'a ActionDecl) {
        let sort = if action.pure { ProcedureSort::PureAction } else { ProcedureSort::Action };
        self.specified(
            index,
            &Specified {
                sort,
                attrs: &action.attrs,
                signature: &action.signature,
                specs: &action.specs,
                body: action.body.as_ref(),
            },
        );
    }

    fn specified(&mut self, index: Option<usize>, declaration: &Specified<'a>) {
        let Specified { sort, attrs, signature, specs, body } = *declaration;
        let vars_before = self.type_vars.len();
        let mark = self.scope.mark();
        let (params, returns) = self.signature_types(index, signature, "procedure");
        self.declaration_attributes(attrs, |checker| {
            checker.formals(&signature.params, &params, LocalKind::In);
            checker.formals(&signature.returns, &returns, LocalKind::Out);
        });
        self.pure = sort.is_pure();

        // The in-parameters: out-parameters are not in scope in their `where` clauses and in
        // preconditions.
        self.states = States::One;
        self.formals(&signature.params, &params, LocalKind::In);
        self.formal_clauses(&signature.params, &params);
        let ins = self.scope.mark();
        self.formals(&signature.returns, &returns, LocalKind::Out);
        self.formal_clauses(&signature.returns, &returns);
        let mut outs_visible = true;
        for spec in specs {
            let wanted = match spec {
                Spec::Condition(condition) => condition.kind == ConditionKind::Ensures,
                Spec::CallCondition(condition) => condition.kind == ConditionKind::Ensures,
                Spec::Refines(_) => true,
                Spec::Modifies(_) | Spec::Measure(_) | Spec::Creates(_) => false,
            };
            if wanted != outs_visible {
                outs_visible = wanted;
                self.scope.leave(ins);
                if wanted {
                    self.silently(|checker| {
                        checker.formals(&signature.returns, &returns, LocalKind::Out);
                    });
                }
            }
            // In a call of an invariant, `old` is allowed even before the procedure runs.
            let two = wanted || matches!(spec, Spec::CallCondition(_));
            self.states = match two {
                _ if self.pure => States::None,
                true => States::Two,
                false => States::One,
            };
            self.spec(spec, attrs);
        }
        self.scope.leave(ins);
        self.silently(|checker| {
            checker.formals(&signature.returns, &returns, LocalKind::Out);
        });
        if let Some(body) = body {
            self.enter_procedure(&signature.name.name, attrs);
            self.body(body);
        }
        self.leave_procedure();
        self.scope.leave(mark);
        self.type_vars.truncate(vars_before);
    }

    /// Sets the state for the body of an implementation.
    fn enter_procedure(&mut self, name: &Name, attributes: &[Attr]) {
        let env = self.env;
        let head = env.procedure(name);
        self.yields = is_yielding(attributes) || head.is_some_and(|head| head.yields);
        self.pure = head.is_some_and(|head| head.kind.is_pure());
        self.frame = if env.infer_modifies || self.yields || self.pure {
            Frame::Any
        } else {
            let modifies = head.map(|head| head.modifies.as_slice()).unwrap_or_default();
            Frame::Only {
                procedure: env.procedures.get_key_value(name).map(|(name, _)| name.as_str()),
                modifies: modifies.iter().map(Name::as_str).collect(),
            }
        };
    }

    fn leave_procedure(&mut self) {
        self.yields = false;
        self.pure = false;
        self.states = States::None;
        self.frame = Frame::Any;
    }

    /// Returns the types of the in- and out-parameters, and brings the type parameters into scope.
    fn signature_types(
        &mut self,
        index: Option<usize>,
        signature: &'a Signature,
        what: &str,
    ) -> (Vec<TypeId>, Vec<TypeId>) {
        let env = self.env;
        // The environment has already read the types, if under a binder.
        if let Some(head) = env.procedure(&signature.name.name)
            && head.sound
            && head.decl == index
            && signature.type_params.is_empty()
        {
            return (head.params.to_vec(), head.returns.to_vec());
        }
        self.declare_type_params(&signature.type_params);
        let params = self.group_types(&signature.params);
        let returns = self.group_types(&signature.returns);
        let all: Vec<_> = params.iter().chain(&returns).copied().collect();
        self.check_params_occur(&signature.type_params, &all, what);
        (params, returns)
    }

    fn group_types(&mut self, groups: &[VarGroup]) -> Vec<TypeId> {
        let mut types = Vec::new();
        for group in groups {
            let ty = self.read_type(&group.ty);
            types.extend(group.names.iter().map(|_| ty));
        }
        types
    }

    fn formals(&mut self, groups: &'a [VarGroup], types: &[TypeId], kind: LocalKind) {
        let mut types = types.iter();
        for group in groups {
            let assumption = attrs::is_set(&group.attrs, "assumption");
            for name in &group.names {
                let ty = types.next().copied().unwrap_or(TypeId::ERROR);
                self.declare_local(name, Local { span: name.span, ty, kind, assumption });
            }
        }
    }

    fn formal_clauses(&mut self, groups: &'a [VarGroup], types: &[TypeId]) {
        let mut types = types.iter();
        for group in groups {
            self.attributes(&group.attrs);
            let assumption = attrs::is_set(&group.attrs, "assumption");
            for name in &group.names {
                let ty = types.next().copied().unwrap_or(TypeId::ERROR);
                if assumption {
                    self.check_assumption(name, ty, group.where_clause.is_some());
                }
            }
            if let Some(clause) = &group.where_clause {
                self.condition(clause, "a where clause");
            }
        }
    }

    /// Checks the attributes of a declaration in the scope that `declare` sets up.
    pub(crate) fn declaration_attributes(
        &mut self,
        attrs: &'a [Attr],
        declare: impl FnOnce(&mut Self),
    ) {
        if Self::are_plain(attrs) {
            return;
        }
        let mark = self.scope.mark();
        self.silently(declare);
        self.states = States::One;
        self.attributes(attrs);
        self.finish_inference();
        self.scope.leave(mark);
    }

    fn spec(&mut self, spec: &'a Spec, owner_attrs: &'a [Attr]) {
        match spec {
            Spec::Modifies(modifies) => {
                for ident in &modifies.names {
                    let name = &ident.name;
                    match self.env.globals.get(name) {
                        None => {
                            self.unresolved(ident.span, format!("undeclared identifier `{name}`"));
                        }
                        Some(global) if global.constant => {
                            self.ill_typed(ident.span, format!("constant `{name}` cannot change"));
                        }
                        Some(_) if self.pure => {
                            let message = format!("a pure procedure cannot modify `{name}`");
                            self.unresolved(ident.span, message);
                        }
                        Some(_) => {}
                    }
                }
            }
            Spec::Condition(condition) => {
                match self.env.dialect {
                    Dialect::Boogie2 => self.ignored_attributes(&condition.attrs),
                    // Names are resolved, but types are not checked.
                    Dialect::Boogie3 => {
                        self.untyped(|checker| checker.attributes(&condition.attrs));
                    }
                }
                let what = match condition.kind {
                    ConditionKind::Requires => "a precondition",
                    ConditionKind::Ensures => "a postcondition",
                    ConditionKind::Preserves => "a preserved condition",
                    ConditionKind::Asserts => "an asserted expression",
                };
                self.condition(&condition.expr, what);
            }
            Spec::CallCondition(condition) => {
                self.invariant_call(&condition.call);
                self.finish_inference();
            }
            Spec::Measure(measure) => self.measure(measure),
            Spec::Refines(refines) => {
                self.attributes(&refines.attrs);
                match &refines.target {
                    RefinesTarget::Named { action, using } => {
                        for ident in [Some(action), using.as_ref()].into_iter().flatten() {
                            self.check_action(ident);
                        }
                    }
                    RefinesTarget::Inline(action) => {
                        self.attributes(&action.attrs);
                        self.enter_procedure(&action.name.name, owner_attrs);
                        self.frame = Frame::Any;
                        self.body(&action.body);
                        self.leave_procedure();
                    }
                }
            }
            Spec::Creates(creates) => {
                for ident in &creates.names {
                    self.check_action(ident);
                }
            }
        }
    }

    /// Reports an error if there is no action with this name.
    fn check_action(&mut self, ident: &Ident) {
        let head = self.env.procedure(&ident.name);
        let is_action = head.is_some_and(|head| {
            matches!(head.kind, ProcedureSort::Action | ProcedureSort::PureAction)
        });
        if !is_action {
            self.unresolved(ident.span, format!("undeclared action `{}`", ident.name));
        }
    }

    /// Checks a call in a clause, which must call a yield invariant.
    pub(crate) fn invariant_call(&mut self, call: &'a CallStmt) {
        for arm in &call.arms {
            if let Some(callee) = self.call_arm(arm)
                && callee.kind != ProcedureSort::Invariant
            {
                let name = &arm.callee.name;
                let error = Diagnostic::new(
                    ErrorClass::Resolution,
                    arm.callee.span,
                    format!("`{name}` is not a yield invariant"),
                )
                .related(callee.span, "declared here");
                self.report(error);
            }
        }
    }

    pub(crate) fn implementation(&mut self, implementation: &'a Implementation) {
        let Implementation { attrs, signature, body, .. } = implementation;
        self.implementation_of(attrs, signature, body);
    }

    pub(crate) fn implementation_of(
        &mut self,
        attrs: &'a [Attr],
        signature: &'a Signature,
        body: &'a Body,
    ) {
        let vars_before = self.type_vars.len();
        let mark = self.scope.mark();
        let (params, returns) = self.signature_types(None, signature, "implementation");
        self.declaration_attributes(attrs, |checker| {
            checker.formals(&signature.params, &params, LocalKind::In);
            checker.formals(&signature.returns, &returns, LocalKind::Out);
            checker.locals_for_attributes(body);
        });
        self.states = States::One;
        self.formals(&signature.params, &params, LocalKind::In);
        self.formal_clauses(&signature.params, &params);
        self.formals(&signature.returns, &returns, LocalKind::Out);
        self.formal_clauses(&signature.returns, &returns);
        let name = &signature.name.name;
        if self.env.procedure(name).is_none() {
            let span = signature.name.span;
            self.unresolved(span, format!("implementation of undeclared procedure `{name}`"));
        } else if !params.iter().chain(&returns).any(|&ty| self.solver.types.mentions_error(ty)) {
            self.type_vars.truncate(vars_before);
            self.check_agreement(signature);
            self.silently(|checker| checker.declare_type_params(&signature.type_params));
        }
        self.enter_procedure(name, attrs);
        self.body(body);
        self.leave_procedure();
        self.scope.leave(mark);
        self.type_vars.truncate(vars_before);
    }

    /// Declares the locals of an implementation, which its attributes may mention.
    fn locals_for_attributes(&mut self, body: &'a Body) {
        for group in body.locals.iter().flat_map(|local| &local.groups) {
            let ty = self.read_type(&group.ty);
            for name in &group.names {
                self.declare(name, ty, LocalKind::Var);
            }
        }
    }

    /// Checks that an implementation has the types of its procedure, up to renaming of type
    /// parameters.
    fn check_agreement(&mut self, signature: &'a Signature) {
        let env = self.env;
        let Some(head) = env.procedure(&signature.name.name) else { return };
        let mut reader = self.reader();
        reader.open_binder(&signature.type_params);
        let (types, split) = read_signature(&mut reader, signature);
        reader.close_binder(0);
        let (name, span) = (&signature.name.name, signature.name.span);
        let mismatch = if signature.type_params.len() != head.type_params as usize {
            Some("number of type parameters".to_owned())
        } else if split != head.params.len() {
            Some("number of in-parameters".to_owned())
        } else if types.len() - split != head.returns.len() {
            Some("number of out-parameters".to_owned())
        } else {
            let names = signature.params.iter().chain(&signature.returns).flat_map(|g| &g.names);
            let heads = head.params.iter().chain(head.returns.iter());
            types
                .iter()
                .zip(heads)
                .zip(names)
                .find(|((own, other), _)| {
                    own != other && !self.solver.types.mentions_error(**other)
                })
                .map(|(_, parameter)| format!("type of parameter `{}`", parameter.name))
        };
        if let Some(what) = mismatch {
            let message =
                format!("implementation of `{name}` differs from its procedure in the {what}");
            let error = Diagnostic::new(ErrorClass::Type, span, message)
                .related(head.span, "the procedure");
            self.report(error);
        }
    }

    pub(crate) fn invariant(&mut self, index: Option<usize>, invariant: &'a InvariantDecl) {
        let InvariantDecl { attrs, signature, clauses, .. } = invariant;
        let vars_before = self.type_vars.len();
        let mark = self.scope.mark();
        let (params, _) = self.signature_types(index, signature, "invariant");
        self.declaration_attributes(attrs, |checker| {
            checker.formals(&signature.params, &params, LocalKind::In);
        });
        self.states = States::One;
        self.formals(&signature.params, &params, LocalKind::In);
        self.formal_clauses(&signature.params, &params);
        for clause in clauses {
            self.attributes(&clause.attrs);
            self.condition(&clause.expr, "a preserved condition");
        }
        self.leave_procedure();
        self.scope.leave(mark);
        self.type_vars.truncate(vars_before);
    }
}
