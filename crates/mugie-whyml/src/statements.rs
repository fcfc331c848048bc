//! Statements, and bodies without jumps.
//!
//! Every expression is written in the logic, `unghost (pure { e })`. Bodies with jumps are left to
//! [`crate::flow`], which uses the simple statements here.

use std::collections::BTreeSet;

use bpl_syntax::ast::{
    Assign, Attr, Binder, Body, CallStmt, Else, Expr, ExprKind, Guard, If, Lhs, LhsStep, Literal,
    LiteralKind, LoopSpec, Name, Predicate, Stmt, StmtKind, Unpack, While,
};
use bpl_syntax::span::Span;
use bpl_syntax::visit::Visit;
use rustc_hash::FxHashMap;

use crate::flow;
use crate::logic::{Role, deep};
use crate::names;
use crate::print::Page;
use crate::procedures::{Clause, modifies, result_field};
use crate::refusal::{Result, refuse, refuse_at};
use crate::source::{Source, literal};
use crate::types::Ty;
use crate::world::{Need, Scope, Variable, World};

/// A variable that statements can change.
#[derive(Clone, Debug)]
pub(crate) struct Target<'a> {
    pub(crate) variable: Variable,
    /// Its `where` clause.
    pub(crate) clause: Option<Clause<'a>>,
    /// Whether the clause is written with the names of the procedure, not of the implementation.
    pub(crate) of_spec: bool,
    /// Whether it is global; then its clause knows global names only.
    pub(crate) global: bool,
}

/// The code of an implementation under construction.
pub(crate) struct Code<'w, 's, 'a> {
    pub(crate) world: &'w mut World<'s, 'a>,
    pub(crate) page: &'w mut Page,
    pub(crate) scope: Scope,
    spec_scope: Scope,
    global_scope: Scope,
    targets: FxHashMap<Name, Target<'a>>,
}

impl<'w, 's, 'a> Code<'w, 's, 'a> {
    pub(crate) fn new(
        world: &'w mut World<'s, 'a>,
        page: &'w mut Page,
        scope: Scope,
        spec_scope: Scope,
        global_scope: Scope,
        targets: FxHashMap<Name, Target<'a>>,
    ) -> Code<'w, 's, 'a> {
        Code { world, page, scope, spec_scope, global_scope, targets }
    }

    /// Translates a body.
    pub(crate) fn body(&mut self, body: &'a Body, span: Span) -> Result<()> {
        let mut jumps = Jumps::default();
        jumps.visit_block(&body.block);
        if jumps.any {
            self.page.open("= [@vc:sp] [@vc:divergent] (exception Return in try begin");
            flow::body(self, body, span)?;
            self.page.close("end with Return -> () end)");
            return Ok(());
        }
        // A `return` at the end does nothing.
        let block = match body.block.split_last() {
            Some((Stmt { kind: StmtKind::Return(_), .. }, rest)) => rest,
            _ => &*body.block,
        };
        let mut jumps = Jumps::default();
        for stmt in block {
            jumps.visit_stmt(stmt);
        }
        if jumps.returns {
            self.page.open("= [@vc:sp] [@vc:divergent] (exception Return in try begin");
            self.block(block)?;
            self.page.close("end with Return -> () end)");
        } else {
            self.page.open("= [@vc:sp] [@vc:divergent] (begin");
            self.block(block)?;
            self.page.close("end)");
        }
        Ok(())
    }

    fn block(&mut self, block: &'a [Stmt]) -> Result<()> {
        for stmt in block {
            deep(|| self.stmt(stmt)).map_err(|refusal| refusal.at(stmt.span))?;
        }
        self.page.line("()");
        Ok(())
    }

    fn stmt(&mut self, stmt: &'a Stmt) -> Result<()> {
        match &stmt.kind {
            StmtKind::If(conditional) => self.conditional(conditional),
            StmtKind::While(stmt) => self.while_loop(stmt),
            StmtKind::Return(_) => {
                self.page.line("raise Return;");
                Ok(())
            }
            _ => self.simple(stmt),
        }
    }

    fn conditional(&mut self, conditional: &'a If) -> Result<()> {
        let If { attrs: _, guard, then_block, else_branch } = conditional;
        let guard = self.guard(guard)?;
        self.page.open(&format!("if {guard} then begin"));
        self.block(then_block)?;
        match else_branch {
            None => {}
            Some(Else::Block(block)) => {
                self.page.divide("end else begin");
                self.block(block)?;
            }
            Some(Else::If(other)) => {
                self.page.divide("end else begin");
                deep(|| self.conditional(other))?;
                self.page.line("()");
            }
        }
        self.page.close("end;");
        Ok(())
    }

    /// A condition in code.
    fn guard(&mut self, guard: &'a Guard) -> Result<String> {
        match guard {
            Guard::Star => Ok("(any bool)".to_owned()),
            Guard::Expr(expr) => self.value(expr),
        }
    }

    /// The value of an expression in code.
    fn value(&mut self, expr: &'a Expr) -> Result<String> {
        let text = self.world.text(expr, &mut self.scope, Role::Both)?;
        Ok(format!("(unghost (pure {{ {text} }}))"))
    }

    fn while_loop(&mut self, stmt: &'a While) -> Result<()> {
        let While { guard, specs, block } = stmt;
        let mut changed = Changed::new(self.world.source);
        changed.visit_block(block);
        let heads = self.conditions_of(&changed.names)?;
        let mut free = Vec::new();
        let mut invariants = Vec::new();
        for spec in specs {
            match spec {
                LoopSpec::Invariant(invariant) => {
                    let role = if invariant.free { Role::Used } else { Role::Both };
                    let text = self.world.condition(
                        &invariant.expr,
                        &mut self.scope,
                        role,
                        invariant.span,
                    )?;
                    if invariant.free {
                        free.push((Some(invariant.span), text));
                    } else {
                        invariants.push((invariant.span, text));
                    }
                }
                LoopSpec::Call { span, .. } => {
                    return refuse_at(*span, "a call as an invariant (CIVL)");
                }
                LoopSpec::Measure(measure) => return refuse_at(measure.span, "`measure`"),
            }
        }
        let guard = self.guard(guard)?;
        if heads.is_empty() && free.is_empty() {
            self.page.open(&format!("while {guard} do"));
        } else {
            self.page.open("while (begin");
            for (span, text) in heads.into_iter().chain(free) {
                self.page.line_maybe_from(span, &format!("assume {{ {text} }};"));
            }
            self.page.line(&guard);
            self.page.divide("end) do");
        }
        for (span, text) in invariants {
            self.page.line_from(span, &format!("invariant {{ {text} }}"));
        }
        self.block(block)?;
        self.page.close("done;");
        Ok(())
    }

    /// What holds of variables after they were changed arbitrarily: their `where` clauses, and that
    /// they fit their tags.
    pub(crate) fn conditions_of(
        &mut self,
        names: &BTreeSet<Name>,
    ) -> Result<Vec<(Option<Span>, String)>> {
        let mut conditions = Vec::new();
        for name in names {
            let Some(target) = self.targets.get(name).cloned() else { continue };
            let Target { variable, clause, of_spec, global } = target;
            if let Some(text) = self.world.fits(&variable.now, &variable.ty) {
                conditions.push((None, text));
            }
            if let Some(clause) = clause {
                let scope = match (global, of_spec) {
                    (true, _) => &mut self.global_scope,
                    (_, true) => &mut self.spec_scope,
                    _ => &mut self.scope,
                };
                let text = self.world.condition(clause.expr, scope, Role::Used, clause.span)?;
                conditions.push((Some(clause.span), text));
            }
        }
        Ok(conditions)
    }

    /// Translates a statement without jumps and without other statements in it.
    pub(crate) fn simple(&mut self, stmt: &'a Stmt) -> Result<()> {
        match &stmt.kind {
            StmtKind::Assert(predicate) => {
                let (keyword, role) = if is_forgotten(predicate) {
                    ("check", Role::Proved)
                } else {
                    ("assert", Role::Both)
                };
                let text = self.world.text(&predicate.expr, &mut self.scope, role)?;
                self.page.line_from(stmt.span, &format!("{keyword} {{ {text} }};"));
            }
            StmtKind::Assume(predicate) => {
                let text = self.world.text(&predicate.expr, &mut self.scope, Role::Used)?;
                self.page.line_from(stmt.span, &format!("assume {{ {text} }};"));
            }
            StmtKind::Havoc(names) => {
                for ident in names {
                    let Target { variable, .. } = self.target(&ident.name)?;
                    let sort = self.world.sort(&variable.ty);
                    self.page.line_from(stmt.span, &format!("{} <- (any {sort});", variable.now));
                }
                // In the order of the statement, as Boogie assumes them.
                for ident in names {
                    for (span, text) in self.conditions_of(&BTreeSet::from([ident.name.clone()]))? {
                        self.page.line_maybe_from(span, &format!("assume {{ {text} }};"));
                    }
                }
            }
            StmtKind::Assign(assign) => self.assign(stmt.span, assign)?,
            StmtKind::Unpack(unpack) => self.unpack(stmt.span, unpack)?,
            StmtKind::Call(call) => self.call(stmt.span, call)?,
            // They matter only when Boogie prunes axioms.
            StmtKind::Hide(_) | StmtKind::Reveal(_) | StmtKind::Push | StmtKind::Pop => {}
            StmtKind::Label(_)
            | StmtKind::Yield
            | StmtKind::If(_)
            | StmtKind::While(_)
            | StmtKind::Break(_)
            | StmtKind::Goto(_)
            | StmtKind::Return(_)
            | StmtKind::Measure(_) => return refuse("a statement here"),
        }
        Ok(())
    }

    fn target(&mut self, name: &Name) -> Result<Target<'a>> {
        match self.targets.get(name) {
            Some(target) => Ok(target.clone()),
            None => refuse(format!("a change of `{name}`")),
        }
    }

    fn assign(&mut self, span: Span, assign: &'a Assign) -> Result<()> {
        let Assign { lhs, attrs: _, rhs } = assign;
        let mut pairs = Vec::new();
        for (target, value) in lhs.iter().zip(rhs) {
            let cell = self.target(&target.base.name)?.variable;
            let value_type = self.world.type_of(value, &self.scope.types)?;
            let value = self.world.text(value, &mut self.scope, Role::Both)?;
            let value = self.through(target, &cell, value, &value_type)?;
            pairs.push((cell.now, format!("(unghost (pure {{ {value} }}))")));
        }
        if let [(cell, value)] = &*pairs {
            self.page.line_from(span, &format!("{cell} <- {value};"));
            return Ok(());
        }
        // All values are of the state before.
        let lets: Vec<String> = pairs
            .iter()
            .enumerate()
            .map(|(number, (_, value))| format!("let w{number} = {value} in "))
            .collect();
        let sets: Vec<String> = pairs
            .iter()
            .enumerate()
            .map(|(number, (cell, _))| format!("{cell} <- w{number}"))
            .collect();
        let line = format!("({}begin {} end);", lets.concat(), sets.join("; "));
        self.page.line_from(span, &line);
        Ok(())
    }

    /// The value of a variable after an assignment to a part of it.
    fn through(
        &mut self,
        target: &'a Lhs,
        cell: &Variable,
        value: String,
        value_type: &Ty,
    ) -> Result<String> {
        // What each step is applied to, from the variable inwards.
        let mut whole = cell.now.to_string();
        let mut ty = cell.ty.clone();
        let mut layers = Vec::new();
        for step in &target.steps {
            match step {
                LhsStep::Index(indices) => {
                    let (types, element) = self.world.element_type(&ty, indices, &self.scope)?;
                    let mut texts = Vec::new();
                    for index in indices {
                        texts.push(self.world.text(index, &mut self.scope, Role::Both)?);
                    }
                    let (select, _) = self.world.map_access("select", &ty, &types, &element)?;
                    let mut parts = vec![select, whole.clone()];
                    parts.extend(texts.iter().cloned());
                    layers.push(Layer::Element { ty: ty.clone(), whole, types, texts });
                    whole = format!("({})", parts.join(" "));
                    ty = element;
                }
                LhsStep::Field(field) => {
                    let inner = self.world.field_of(&ty, &whole, field)?;
                    let element = self.world.field_type(&ty, &field.name)?;
                    layers.push(Layer::Field { ty: ty.clone(), whole, field: field.name.clone() });
                    whole = inner;
                    ty = element;
                }
            }
        }
        let mut value = value;
        let mut value_type = value_type.clone();
        for layer in layers.into_iter().rev() {
            match layer {
                Layer::Element { ty, whole, types, texts } => {
                    let (store, _) = self.world.map_access("store", &ty, &types, &value_type)?;
                    let mut parts = vec![store, whole];
                    parts.extend(texts);
                    parts.push(value);
                    value = format!("({})", parts.join(" "));
                    value_type = ty;
                }
                Layer::Field { ty, whole, field } => {
                    value = self.world.updated(&ty, &whole, &field, &value)?;
                    value_type = ty;
                }
            }
        }
        Ok(value)
    }

    fn unpack(&mut self, span: Span, unpack: &'a Unpack) -> Result<()> {
        let Unpack { constructor, vars, attrs: _, rhs } = unpack;
        let ty = self.world.type_of(rhs, &self.scope.types)?;
        let record = self.world.text(rhs, &mut self.scope, Role::Both)?;
        let fields = self.world.unpacked(&ty, "w", &constructor.name)?;
        let mut sets = Vec::new();
        for (var, field) in vars.iter().zip(fields) {
            let cell = self.target(&var.name)?.variable.now;
            sets.push(format!("{cell} <- (unghost (pure {{ {field} }}))"));
        }
        if sets.is_empty() {
            return Ok(());
        }
        let line =
            format!("(let w = (unghost (pure {{ {record} }})) in begin {} end);", sets.join("; "));
        self.page.line_from(span, &line);
        Ok(())
    }

    fn call(&mut self, span: Span, call: &'a CallStmt) -> Result<()> {
        let [arm] = &*call.arms else { return refuse("a concurrent call") };
        let procedure = self.world.source.procedure(&arm.callee.name)?;
        let mut cells = Vec::new();
        for out in &arm.outs {
            cells.push(self.target(&out.name)?.variable);
        }
        let mut types = Vec::new();
        let mut values = Vec::new();
        for arg in &arm.args {
            types.push(self.world.type_of(arg, &self.scope.types)?);
            values.push(self.value(arg)?);
        }
        let outs: Vec<Ty> = cells.iter().map(|cell| cell.ty.clone()).collect();
        let type_args = self.world.call_type_args(procedure, &types, &outs)?;
        let shapes: Vec<Ty> = type_args.iter().map(Ty::shape).collect();
        let callee = &arm.callee.name;
        let mut parts = vec![names::instance(&names::name("p_", callee), &shapes)];
        parts.extend(type_args.iter().flat_map(Ty::tags).map(|tag| tag.to_string()));
        parts.extend(values);
        if parts.len() == 1 {
            parts.push("()".to_owned());
        }
        let applied = format!("({})", parts.join(" "));
        let line = match &*cells {
            [] => format!("{applied};"),
            [only] => format!("{} <- {applied};", only.now),
            _ => {
                let sets: Vec<String> = cells
                    .iter()
                    .enumerate()
                    .map(|(place, cell)| {
                        format!("{} <- w.{}", cell.now, result_field(callee, &shapes, place))
                    })
                    .collect();
                format!("(let w = {applied} in begin {} end);", sets.join("; "))
            }
        };
        self.world.need(Need::Procedure(callee.clone(), shapes));
        self.page.line_from(span, &line);
        Ok(())
    }
}

/// A step on the way to the part of a variable that is assigned.
enum Layer {
    Element { ty: Ty, whole: String, types: Vec<Ty>, texts: Vec<String> },
    Field { ty: Ty, whole: String, field: Name },
}

/// Whether an assertion is not assumed after it was checked.
fn is_forgotten(predicate: &Predicate) -> bool {
    let subsumption: Option<&Attr> = predicate.attrs.iter().find(|attr| attr.name == "subsumption");
    match subsumption.and_then(literal) {
        Some("0") => true,
        Some("1") => matches!(
            &predicate.expr.kind,
            ExprKind::Quantifier(quantifier) if quantifier.binder != Binder::Lambda
        ),
        _ => false,
    }
}

/// The jumps in a body.
#[derive(Default)]
struct Jumps {
    /// Whether there are jumps other than a `return` outside of loops, or parts of loops that cannot go
    /// on: without them, it may be no loop.
    any: bool,
    /// Whether there is a `return`.
    returns: bool,
    loops: u32,
}

impl<'a> Visit<'a> for Jumps {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Label(_) | StmtKind::Goto(_) | StmtKind::Break(_) => self.any = true,
            StmtKind::Return(_) => {
                self.returns = true;
                self.any |= self.loops > 0;
            }
            StmtKind::Assert(predicate) | StmtKind::Assume(predicate) => {
                self.any |= self.loops > 0 && is_literal(&predicate.expr, "false");
            }
            StmtKind::While(inner) => {
                self.any |= matches!(&inner.guard, Guard::Expr(e) if is_literal(e, "false"));
                self.loops += 1;
                self.walk_stmt(stmt);
                self.loops -= 1;
            }
            StmtKind::If(conditional) => {
                self.any |= self.loops > 0
                    && matches!(&conditional.guard, Guard::Expr(e) if is_literal(e, "false"));
                self.walk_stmt(stmt);
            }
            _ => self.walk_stmt(stmt),
        }
    }

    fn visit_expr(&mut self, _: &'a Expr) {}
}

/// Whether an expression is this literal.
pub(crate) fn is_literal(expr: &Expr, text: &str) -> bool {
    matches!(&expr.kind, ExprKind::Literal(Literal { kind: LiteralKind::Bool, text: own }) if own == text)
}

/// The variables that statements change.
pub(crate) struct Changed<'s, 'a> {
    source: &'s Source<'a>,
    pub(crate) names: BTreeSet<Name>,
}

impl<'s, 'a> Changed<'s, 'a> {
    pub(crate) fn new(source: &'s Source<'a>) -> Changed<'s, 'a> {
        Changed { source, names: BTreeSet::new() }
    }
}

impl<'a> Visit<'a> for Changed<'_, '_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Havoc(names) => {
                self.names.extend(names.iter().map(|ident| ident.name.clone()));
            }
            StmtKind::Assign(assign) => {
                self.names.extend(assign.lhs.iter().map(|target| target.base.name.clone()));
            }
            StmtKind::Unpack(unpack) => {
                self.names.extend(unpack.vars.iter().map(|ident| ident.name.clone()));
            }
            StmtKind::Call(call) => {
                for arm in &call.arms {
                    self.names.extend(arm.outs.iter().map(|ident| ident.name.clone()));
                    if let Ok(procedure) = self.source.procedure(&arm.callee.name) {
                        self.names.extend(modifies(procedure));
                    }
                }
            }
            _ => self.walk_stmt(stmt),
        }
    }

    fn visit_expr(&mut self, _: &'a Expr) {}
}
