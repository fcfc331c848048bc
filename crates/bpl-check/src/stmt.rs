//! Statements.

use std::sync::Arc;

use bpl_syntax::Dialect;
use bpl_syntax::ast::{
    Assign, Attr, BinaryOp, Body, CallArm, CallStmt, Else, Expr, ExprKind, Guard, Ident, If, Lhs,
    LhsStep, LoopSpec, Measure, Name, Predicate, Stmt, StmtKind, Unpack, VarDecl, While,
};
use bpl_syntax::diagnostic::{Diagnostic, ErrorClass};
use bpl_syntax::span::Span;
use rustc_hash::FxHashSet;

use crate::attrs;
use crate::check::{Checker, States, Variable, VariableKind, repeated};
use crate::env::{FunctionKind, ProcedureHead};
use crate::scope::{Local, LocalKind};
use crate::type_names::{count, plural};
use crate::types::{TypeId, deep};

impl<'e, 'a> Checker<'e, 'a> {
    /// Checks a body, with the parameters already in scope.
    pub(crate) fn body(&mut self, body: &'a Body) {
        let mark = self.scope.mark();
        self.labels.clear();
        self.assigned.clear();
        self.locals(&body.locals);
        self.states = States::Two;
        self.block(&body.block);
        self.scope.leave(mark);
    }

    /// Declares local variables, then checks their attributes and `where` clauses, which may
    /// mention all of them.
    pub(crate) fn locals(&mut self, locals: &'a [VarDecl]) {
        for VarDecl { attrs, groups, .. } in locals {
            let assumption = attrs::is_set(attrs, "assumption");
            for group in groups {
                let ty = self.read_type(&group.ty);
                for name in &group.names {
                    let span = name.span;
                    self.declare_local(name, Local { span, ty, kind: LocalKind::Var, assumption });
                    if assumption {
                        self.check_assumption(name, ty, group.where_clause.is_some());
                    }
                }
            }
        }
        let outer = std::mem::replace(&mut self.states, States::One);
        for VarDecl { attrs, groups, .. } in locals {
            self.attributes(attrs);
            for group in groups {
                if let Some(clause) = &group.where_clause {
                    self.condition(clause, "a where clause");
                }
            }
        }
        self.states = outer;
    }

    /// Checks the declaration of an `{:assumption}` variable.
    pub(crate) fn check_assumption(&mut self, ident: &Ident, ty: TypeId, has_where: bool) {
        let (span, name) = (ident.span, &ident.name);
        if has_where {
            self.unresolved(span, format!("assumption variable `{name}` has a where clause"));
        }
        if ty != TypeId::BOOL && ty != TypeId::ERROR {
            self.ill_typed(span, format!("assumption variable `{name}` must be of type `bool`"));
        }
    }

    pub(crate) fn block(&mut self, stmts: &'a [Stmt]) {
        for stmt in stmts {
            deep(|| self.stmt(stmt));
            self.finish_inference();
        }
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Label(label) => self.declare_label(label),
            StmtKind::Assert(predicate) => {
                self.predicate(stmt.span, predicate, "an asserted expression");
            }
            StmtKind::Assume(predicate) => {
                self.predicate(stmt.span, predicate, "an assumed expression");
            }
            StmtKind::Havoc(names) => {
                for name in names {
                    self.target(name);
                }
            }
            StmtKind::Assign(assign) => self.assign(stmt.span, assign),
            StmtKind::Unpack(unpack) => self.unpack(stmt.span, unpack),
            StmtKind::Call(call) => self.call(call),
            StmtKind::Yield => {
                if !self.yields {
                    self.ill_typed(
                        stmt.span,
                        "`yield` in a procedure that is not marked `:yields`",
                    );
                }
            }
            StmtKind::If(conditional) => self.conditional_stmt(conditional),
            StmtKind::While(stmt) => {
                let While { guard, specs, block } = &**stmt;
                self.guard(guard);
                for spec in specs {
                    self.loop_spec(spec);
                }
                self.block(block);
            }
            StmtKind::Goto(goto) => self.attributes(&goto.attrs),
            StmtKind::Return(attrs) => self.attributes(attrs),
            StmtKind::Measure(measure) => self.measure(measure),
            StmtKind::Hide(Some(function)) | StmtKind::Reveal(Some(function)) => {
                self.check_function(function);
            }
            StmtKind::Break(_)
            | StmtKind::Hide(None)
            | StmtKind::Reveal(None)
            | StmtKind::Push
            | StmtKind::Pop => {}
        }
    }

    pub(crate) fn declare_label(&mut self, label: &'a Ident) {
        if !self.labels.insert(&label.name) {
            let name = &label.name;
            let error = Diagnostic::new(
                ErrorClass::Resolution,
                label.span,
                format!("label `{name}` is declared more than once"),
            )
            .help("a label must be unique in the whole body");
            self.report(error);
        }
    }

    fn predicate(&mut self, span: Span, predicate: &'a Predicate, what: &str) {
        self.note_id(span, &predicate.attrs);
        self.attributes(&predicate.attrs);
        self.condition(&predicate.expr, what);
    }

    /// Notes the `{:id}` of a statement, which must be unique in the program.
    fn note_id(&mut self, span: Span, attributes: &'a [Attr]) {
        if let Some(id) = attrs::string(attributes, "id") {
            self.facts.statement_ids.push((id, span));
        }
    }

    fn guard(&mut self, guard: &'a Guard) {
        if let Guard::Expr(expr) = guard {
            self.condition(expr, "a guard");
        }
    }

    fn conditional_stmt(&mut self, conditional: &'a If) {
        self.attributes(&conditional.attrs);
        self.guard(&conditional.guard);
        self.block(&conditional.then_block);
        match &conditional.else_branch {
            Some(Else::If(other)) => deep(|| self.conditional_stmt(other)),
            Some(Else::Block(block)) => self.block(block),
            None => {}
        }
    }

    fn loop_spec(&mut self, spec: &'a LoopSpec) {
        match spec {
            LoopSpec::Invariant(invariant) => {
                self.note_id(invariant.span, &invariant.attrs);
                self.attributes(&invariant.attrs);
                self.condition(&invariant.expr, "an invariant");
            }
            LoopSpec::Call { attrs, call, .. } => {
                self.attributes(attrs);
                self.invariant_call(call);
                self.finish_inference();
            }
            LoopSpec::Measure(measure) => self.measure(measure),
        }
    }

    pub(crate) fn measure(&mut self, measure: &'a Measure) {
        self.attributes(&measure.attrs);
        for expr in &measure.exprs {
            self.expr(expr);
        }
        self.finish_inference();
    }

    /// Reports an error if there is no function with this name.
    fn check_function(&mut self, ident: &Ident) {
        if self.env.function(&ident.name).is_none() {
            self.unresolved(ident.span, format!("undeclared function `{}`", ident.name));
        }
    }

    /// Checks a variable that a statement modifies.
    fn target(&mut self, ident: &Ident) -> Option<Variable> {
        let variable = self.variable(ident.span, &ident.name)?;
        self.check_assignable(ident, variable.kind);
        Some(variable)
    }

    fn assign(&mut self, span: Span, assign: &'a Assign) {
        let Assign { lhs, attrs, rhs } = assign;
        if lhs.len() != rhs.len() {
            let targets = plural(lhs.len(), "target");
            let values = plural(rhs.len(), "value");
            self.unresolved(span, format!("{targets} for {values}"));
        }
        for target in repeated(lhs, |target| &target.base.name) {
            let name = &target.base.name;
            self.unresolved(target.base.span, format!("`{name}` is assigned more than once"));
        }
        let targets: Vec<_> =
            lhs.iter().enumerate().map(|(i, lhs)| self.lhs(lhs, rhs.get(i))).collect();
        self.ignored_attributes(attrs);
        for (i, value) in rhs.iter().enumerate() {
            let ty = self.expr(value);
            let Some(&target) = targets.get(i) else { continue };
            if !self.solver.unify(ty, target) {
                let (ty, target) = (self.solver.display(ty), self.solver.display(target));
                self.ill_typed(
                    value.span,
                    format!("a value of type `{ty}` cannot be assigned to type `{target}`"),
                );
            }
        }
    }

    /// The type of an assignment's target; `value` is the assigned expression.
    fn lhs(&mut self, lhs: &'a Lhs, value: Option<&'a Expr>) -> TypeId {
        let variable = self.target(&lhs.base);
        let mut ty = variable.map_or(TypeId::ERROR, |variable| variable.ty);
        for step in &lhs.steps {
            ty = match step {
                LhsStep::Index(indices) => {
                    let indices = self.typed(indices);
                    self.element(lhs.base.span, ty, &indices, "map assignment")
                }
                LhsStep::Field(field) => self.field(ty, field),
            };
        }
        if let Some(Variable { assumption: true, kind, .. }) = variable
            && let (true, Some(value)) = (lhs.steps.is_empty(), value)
        {
            self.assumption_assignment(&lhs.base, kind, value);
        }
        ty
    }

    /// Checks that an assumption variable is assigned at most once, and only in the form
    /// `a := a && e`.
    fn assumption_assignment(&mut self, base: &'a Ident, kind: VariableKind, value: &'a Expr) {
        let (span, name) = (base.span, &base.name);
        let weakens = match &value.kind {
            ExprKind::Binary(BinaryOp::And, operands) => {
                matches!(&operands.0.kind, ExprKind::Var(first) if first == name)
            }
            _ => false,
        };
        if !weakens {
            let message =
                format!("assumption variable `{name}` must be assigned in the form `{name} && …`");
            self.unresolved(span, message);
        } else if kind == VariableKind::Global {
            self.facts.assumptions.push((name, span));
        } else if !self.assigned.insert(name) {
            let message = format!("assumption variable `{name}` is assigned more than once");
            self.unresolved(span, message);
        }
    }

    fn unpack(&mut self, span: Span, unpack: &'a Unpack) {
        let Unpack { constructor, vars, attrs, rhs } = unpack;
        let name = &constructor.name;
        let function = self.env.function(name);
        let targets: Vec<_> = vars.iter().map(|var| self.target(var)).collect();
        self.ignored_attributes(attrs);
        let value = self.expr(rhs);
        for var in repeated(vars, |var| &var.name) {
            self.ill_typed(var.span, format!("`{}` is assigned more than once", var.name));
        }
        let Some(function) = function else {
            self.unresolved(constructor.span, format!("undeclared constructor `{name}`"));
            return;
        };
        if !matches!(function.kind, FunctionKind::Constructor(_)) {
            self.ill_typed(constructor.span, format!("function `{name}` is not a constructor"));
            return;
        }
        if function.params.len() != vars.len() {
            let fields = plural(function.params.len(), "field");
            self.ill_typed(span, format!("constructor `{name}` has {fields}, not {}", vars.len()));
            return;
        }
        let unknowns = self.solver.unknowns(function.type_params);
        let result = self.solver.types.instantiate(function.result, &unknowns);
        if !self.solver.unify(value, result) {
            let (value, result) = (self.solver.display(value), self.solver.display(result));
            self.ill_typed(
                rhs.span,
                format!("a value of type `{value}` is not of type `{result}`"),
            );
        }
        let fields = Arc::clone(&function.params);
        for ((&field, target), var) in fields.iter().zip(targets).zip(vars) {
            let Some(target) = target else { continue };
            let field = self.solver.types.instantiate(field, &unknowns);
            if !self.solver.unify(field, target.ty) {
                let (field, ty) = (self.solver.display(field), self.solver.display(target.ty));
                let name = &var.name;
                self.ill_typed(
                    var.span,
                    format!(
                        "a field of type `{field}` cannot be assigned to `{name}` of type `{ty}`"
                    ),
                );
            }
        }
    }

    fn call(&mut self, call: &'a CallStmt) {
        let parallel = call.is_par || call.arms.len() > 1;
        if parallel
            && self.env.dialect == Dialect::Boogie2
            && !self.yields
            && let Some(arm) = call.arms.first()
        {
            self.ill_typed(arm.span, "parallel call in a procedure that is not marked `:yields`");
        }
        let mut outs: FxHashSet<&'a str> = FxHashSet::default();
        for arm in &call.arms {
            for out in &arm.outs {
                if !outs.insert(&out.name) {
                    let name = &out.name;
                    self.unresolved(out.span, format!("`{name}` takes more than one result"));
                }
            }
            let callee = self.call_arm(arm);
            if self.env.dialect == Dialect::Boogie2
                && let Some(callee) = callee
            {
                self.yielding_call(call, arm, callee, parallel);
            }
        }
    }

    /// Checks that only procedures marked `:yields` are called concurrently (Boogie 2).
    fn yielding_call(
        &mut self,
        call: &'a CallStmt,
        arm: &'a CallArm,
        callee: &ProcedureHead,
        parallel: bool,
    ) {
        let name = &arm.callee.name;
        if call.is_async && !callee.returns.is_empty() {
            self.unresolved(
                arm.span,
                format!("`{name}` has out-parameters, so it cannot be called asynchronously"),
            );
        }
        if (parallel || call.is_async) && !callee.yields {
            let error = Diagnostic::new(
                ErrorClass::Type,
                arm.span,
                format!("`{name}` is called concurrently but not marked `:yields`"),
            )
            .related(callee.span, "declared here");
            self.report(error);
        }
    }

    /// Looks up a procedure and reports an error if it does not exist.
    pub(crate) fn callee(&mut self, ident: &Ident) -> Option<&'e ProcedureHead> {
        let env = self.env;
        let name = &ident.name;
        if let Some(procedure) = env.procedures.get(name) {
            return Some(procedure);
        }
        let message = format!("undeclared procedure `{name}`");
        let mut error = Diagnostic::new(ErrorClass::Resolution, ident.span, message);
        if env.functions.contains_key(name) {
            error = error.help(format!("`{name}` is a function; use it in an expression"));
        } else if let Some(near) = self.suggestion(name, env.procedures.keys().map(Name::as_str)) {
            error = error.help(format!("did you mean `{near}`?"));
        }
        self.report(error);
        None
    }

    /// Checks one call and returns the procedure if it exists.
    pub(crate) fn call_arm(&mut self, arm: &'a CallArm) -> Option<&'e ProcedureHead> {
        let CallArm { span, attrs, outs, callee, args } = arm;
        self.note_id(*span, attrs);
        self.attributes(attrs);
        let name = &callee.name;
        let targets: Vec<_> = outs.iter().map(|out| self.target(out)).collect();
        let procedure = self.callee(callee);
        let actual = self.typed(args);
        let procedure = procedure?;
        if self.pure && !procedure.kind.is_pure() {
            self.unresolved(*span, format!("call to `{name}`, which is not pure"));
        }
        let mut fits = true;
        if actual.len() != procedure.params.len() {
            let message = format!(
                "procedure `{name}` takes {}, not {}",
                count(procedure.params.len()),
                actual.len()
            );
            let error = Diagnostic::new(ErrorClass::Resolution, *span, message)
                .related(procedure.span, "declared here");
            self.report(error);
            fits = false;
        }
        if targets.len() != procedure.returns.len() {
            let results = plural(procedure.returns.len(), "result");
            let message = format!("procedure `{name}` has {results}, not {}", targets.len());
            let error = Diagnostic::new(ErrorClass::Resolution, *span, message)
                .related(procedure.span, "declared here");
            self.report(error);
            fits = false;
        }
        if fits {
            let unknowns = self.solver.unknowns(procedure.type_params);
            for (i, (&(span, actual), &formal)) in
                actual.iter().zip(procedure.params.iter()).enumerate()
            {
                let formal = self.solver.types.instantiate(formal, &unknowns);
                self.check_argument(span, actual, formal, i, name);
            }
            for ((target, &formal), out) in targets.iter().zip(procedure.returns.iter()).zip(outs) {
                let Some(target) = target else { continue };
                let formal = self.solver.types.instantiate(formal, &unknowns);
                if !self.solver.unify(formal, target.ty) {
                    let (formal, ty) =
                        (self.solver.display(formal), self.solver.display(target.ty));
                    let out_name = &out.name;
                    self.ill_typed(
                        out.span,
                        format!(
                            "a result of type `{formal}` cannot be assigned to `{out_name}` of type `{ty}`"
                        ),
                    );
                }
            }
        }
        for changed in &procedure.modifies {
            if self.env.globals.get(changed).is_some_and(|global| !global.constant) {
                self.check_frame(*span, changed, Some(name));
            }
        }
        Some(procedure)
    }
}
