//! Procedures: a `val` for callers, a `let` for each implementation.
//!
//! A `val` says what a caller must show and may use, a `let` is what is proved. Local variables and
//! out-parameters are parameters of the `let`, so their first values are arbitrary; each is a record
//! with one mutable field. This module knows no statements.

use std::collections::BTreeSet;
use std::rc::Rc;

use bpl_syntax::ast::{
    Body, Condition, ConditionKind, Expr, Name, Procedure, Signature, Spec, VarGroup,
};
use bpl_syntax::span::Span;
use bpl_syntax::visit::{Namespace, Occurrence, Visit};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::logic::Role;
use crate::names;
use crate::print::Page;
use crate::refusal::{Result, refuse_at};
use crate::source::Proof;
use crate::statements::{Code, Target};
use crate::types::Ty;
use crate::world::{Need, Scope, Variable, World};

/// A clause about a state, and the names it is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clause<'a> {
    pub(crate) expr: &'a Expr,
    pub(crate) span: Span,
}

/// The condition of a variable's `where` clause.
fn where_clause(group: &VarGroup) -> Option<Clause<'_>> {
    let expr = group.where_clause.as_deref()?;
    Some(Clause { expr, span: expr.span })
}

/// The names that a body mentions.
#[derive(Default)]
struct Mentioned<'a>(FxHashSet<&'a Name>);

impl<'a> Visit<'a> for Mentioned<'a> {
    fn visit_name(&mut self, name: &'a Name, namespace: Namespace, _: Occurrence) {
        if namespace == Namespace::Variable {
            self.0.insert(name);
        }
    }
}

impl<'s, 'a> World<'s, 'a> {
    /// Declares the global variables.
    pub(crate) fn declare_globals(&mut self, page: &mut Page) -> Result<()> {
        let source = self.source;
        for global in &source.globals {
            let ty = self.read_type(&global.group.ty, &[])?;
            let (name, cell) = (names::name("v_", &global.name.name), self.cell_type(&ty));
            page.line_from(global.name.span, &format!("val {name} : {cell}"));
        }
        Ok(())
    }

    /// The type of variables that hold values of a type.
    fn cell_type(&mut self, ty: &Ty) -> String {
        let shape = ty.shape();
        self.sort(&shape);
        let name = names::of_type("vr_", &shape);
        self.need(Need::Variable(shape));
        name
    }

    /// The global variables as they are written in expressions.
    fn global_frame(&mut self) -> Result<FxHashMap<Name, Variable>> {
        let mut frame = FxHashMap::default();
        let source = self.source;
        for global in &source.globals {
            let ty = self.read_type(&global.group.ty, &[])?;
            let cell = cell(&names::name("v_", &global.name.name), &ty);
            let before = Rc::from(format!("(old {cell})"));
            let variable = Variable { ty, now: cell.into(), before };
            frame.insert(global.name.name.clone(), variable);
        }
        Ok(frame)
    }

    /// The place of each type parameter of a procedure in the numbering of the checker.
    fn type_param_places(&mut self, signature: &Signature) -> Result<Vec<usize>> {
        let count = signature.type_params.len();
        if count == 0 {
            return Ok(Vec::new());
        }
        let vars: Vec<(Name, Ty)> = (0..)
            .zip(&signature.type_params)
            .map(|(n, id)| (id.name.clone(), Ty::Var(n)))
            .collect();
        let found = self.solve_signature(signature, &vars)?;
        let place = |wanted: &Ty| found.iter().position(|ty| ty == wanted).unwrap_or(0);
        Ok(vars.iter().map(|(_, var)| place(var)).collect())
    }

    /// The types that a signature has for the type parameters of its procedure, in the numbering of the
    /// checker.
    fn solve_signature(&mut self, signature: &Signature, scope: &[(Name, Ty)]) -> Result<Vec<Ty>> {
        let source = self.source;
        let Some(head) = source.checked.env().procedure(&signature.name.name) else {
            return Ok(Vec::new());
        };
        let mut found = vec![None; head.type_params as usize];
        let groups = [(&head.params, &signature.params), (&head.returns, &signature.returns)];
        for (formals, groups) in groups {
            let actual = source.formals(groups, scope)?;
            for (&formal, (_, actual)) in formals.iter().zip(&actual) {
                self.read_id(formal, &[])?.solve_bound(actual, 0, &mut found);
            }
        }
        Ok(found.into_iter().map(|ty| ty.unwrap_or(Ty::Int)).collect())
    }

    /// The type arguments of a call, in the order in which the procedure declares its parameters.
    pub(crate) fn call_type_args(
        &mut self,
        procedure: &Procedure,
        args: &[Ty],
        outs: &[Ty],
    ) -> Result<Vec<Ty>> {
        let places = self.type_param_places(&procedure.signature)?;
        let source = self.source;
        let Some(head) = source.checked.env().procedure(&procedure.signature.name.name) else {
            return Ok(Vec::new());
        };
        let mut found = vec![None; head.type_params as usize];
        for (formals, actuals) in [(&head.params, args), (&head.returns, outs)] {
            for (&formal, actual) in formals.iter().zip(actuals) {
                self.read_id(formal, &[])?.solve_bound(actual, 0, &mut found);
            }
        }
        let at = |place: usize| found.get(place).cloned().flatten().unwrap_or(Ty::Int);
        Ok(places.into_iter().map(at).collect())
    }

    /// Declares the procedures that are called, in the order of the source.
    pub(crate) fn declare_procedures(&mut self, types: &mut Page, page: &mut Page) -> Result<()> {
        let program: &'a bpl_syntax::ast::Program = self.source.program;
        for decl in &program.decls {
            let bpl_syntax::ast::Decl::Procedure(procedure) = &**decl else { continue };
            let own = &procedure.signature.name.name;
            let first = Need::Procedure(own.clone(), Vec::new());
            let instances: Vec<Vec<Ty>> = self
                .known
                .range(first..)
                .map_while(|need| match need {
                    Need::Procedure(name, args) if name == own => Some(args.clone()),
                    _ => None,
                })
                .collect();
            for args in instances {
                self.declare_procedure(procedure, &args, types, page)?;
            }
        }
        Ok(())
    }

    fn declare_procedure(
        &mut self,
        procedure: &'a Procedure,
        args: &[Ty],
        records: &mut Page,
        page: &mut Page,
    ) -> Result<()> {
        let signature = &procedure.signature;
        let own = &signature.name.name;
        let params = signature.type_params.iter().map(|param| param.name.clone());
        let types = self.named(params.zip(args.iter().cloned()).collect(), &Scope::default());
        let shapes: Vec<Ty> = types.iter().map(|(_, ty)| ty.shape()).collect();
        let mut frame = self.global_frame()?;
        let mut header = format!("val {}", names::instance(&names::name("p_", own), &shapes));
        let tags = Scope { types: types.clone(), ..Scope::default() }.tags();
        let mut any = false;
        for tag in tags {
            header.push_str(&format!(" ({tag}: ty)"));
            any = true;
        }
        for (name, ty) in self.source.formals(&signature.params, &types)? {
            let text = names::name("y_", &name);
            header.push_str(&format!(" ({text}: {})", self.sort(&ty)));
            frame.insert(name, Variable::fixed(ty, text));
            any = true;
        }
        if !any {
            header.push_str(" ()");
        }
        let outs = self.source.formals(&signature.returns, &types)?;
        let mut fits = Vec::new();
        for (place, (name, ty)) in outs.iter().enumerate() {
            let text = if outs.len() == 1 {
                "result".to_owned()
            } else {
                format!("result.{}", result_field(own, &shapes, place))
            };
            fits.extend(self.fits(&text, ty));
            frame.insert(name.clone(), Variable::fixed(ty.clone(), text));
        }
        match &*outs {
            [] => header.push_str(" : unit"),
            [(_, only)] => header.push_str(&format!(" : {}", self.sort(only))),
            _ => {
                let record = names::instance(&names::name("r_", own), &shapes);
                let mut fields = Vec::new();
                for (place, (_, ty)) in outs.iter().enumerate() {
                    let field = result_field(own, &shapes, place);
                    fields.push(format!("{field} : {}", self.sort(ty)));
                }
                records.line(&format!("type {record} = {{ {} }}", fields.join("; ")));
                header.push_str(&format!(" : {record}"));
            }
        }
        page.line_from(signature.name.span, &header);

        let mut scope = Scope { frame: Rc::new(frame), types, ..Scope::default() };
        for condition in conditions(procedure, ConditionKind::Requires)? {
            if !condition.free {
                let text =
                    self.condition(&condition.expr, &mut scope, Role::Proved, condition.span)?;
                page.line_from(condition.span, &format!("  requires {{ {text} }}"));
            }
        }
        let modified = modifies(procedure);
        if !modified.is_empty() {
            let names: Vec<String> = modified.iter().map(|name| names::name("v_", name)).collect();
            page.line(&format!("  writes {{ {} }}", names.join(", ")));
        }
        for text in fits {
            page.line(&format!("  ensures {{ {text} }}"));
        }
        let source = self.source;
        for global in source.globals.iter().filter(|global| modified.contains(&global.name.name)) {
            if let Some(clause) = where_clause(global.group) {
                let mut scope = self.global_scope()?;
                let text = self.condition(clause.expr, &mut scope, Role::Used, clause.span)?;
                page.line_from(clause.span, &format!("  ensures {{ {text} }}"));
            }
        }
        for clause in signature.returns.iter().filter_map(where_clause) {
            let text = self.condition(clause.expr, &mut scope, Role::Used, clause.span)?;
            page.line_from(clause.span, &format!("  ensures {{ {text} }}"));
        }
        for condition in conditions(procedure, ConditionKind::Ensures)? {
            let text = self.condition(&condition.expr, &mut scope, Role::Used, condition.span)?;
            page.line_from(condition.span, &format!("  ensures {{ {text} }}"));
        }
        Ok(())
    }

    /// The scope of `where` clauses of global variables.
    fn global_scope(&mut self) -> Result<Scope> {
        Ok(Scope { frame: Rc::new(self.global_frame()?), ..Scope::default() })
    }

    /// Translates an implementation.
    pub(crate) fn implementation(&mut self, proof: &Proof<'a>, page: &mut Page) -> Result<()> {
        let Proof { signature, body, span, .. } = *proof;
        let procedure = self.source.procedure(&signature.name.name)?;
        // Its type parameters are types that only tags tell; those of the procedure are the same ones.
        let types: Vec<(Name, Ty)> = signature
            .type_params
            .iter()
            .map(|param| (param.name.clone(), Ty::tagged("")))
            .collect();
        let types = self.named(types, &Scope::default());
        let solved = self.solve_signature(signature, &types)?;
        let places = self.type_param_places(&procedure.signature)?;
        let at = |place: usize| solved.get(place).cloned().unwrap_or(Ty::Int);
        let spec_types: Vec<(Name, Ty)> = procedure
            .signature
            .type_params
            .iter()
            .zip(places)
            .map(|(param, place)| (param.name.clone(), at(place)))
            .collect();

        let globals = self.global_scope()?;
        let mut frame = (*globals.frame).clone();
        let mut spec_frame = frame.clone();
        let mut header = format!("let {} ", goal_name(proof));
        let mut targets: FxHashMap<Name, Target<'a>> = FxHashMap::default();
        self.add_global_targets(&mut targets)?;
        let mut fits = Vec::new();
        let mut params = Vec::new();
        for tag in (Scope { types: types.clone(), ..Scope::default() }).tags() {
            self.need(Need::Sort(Ty::tagged("")));
            params.push(format!("({tag}: ty)"));
        }
        let theirs = self.source.formals(&procedure.signature.params, &spec_types)?;
        let ours = self.source.formals(&signature.params, &types)?;
        for ((name, ty), (spec_name, _)) in ours.into_iter().zip(theirs) {
            let text = names::name("y_", &name);
            params.push(format!("({text}: {})", self.sort(&ty)));
            fits.extend(self.fits(&text, &ty));
            let variable = Variable::fixed(ty, text);
            frame.insert(name, variable.clone());
            spec_frame.insert(spec_name, variable);
        }
        let theirs = procedure.signature.returns.iter();
        let theirs = theirs.flat_map(|group| group.names.iter().map(move |id| (&id.name, group)));
        let ours = self.source.formals(&signature.returns, &types)?;
        for ((name, ty), (spec_name, group)) in ours.into_iter().zip(theirs) {
            let variable = self.local(&name, &ty, &mut params, &mut fits);
            frame.insert(name.clone(), variable.clone());
            spec_frame.insert(spec_name.clone(), variable.clone());
            let clause = where_clause(group);
            targets.insert(name, Target { variable, clause, of_spec: true, global: false });
        }
        let mut locals = Vec::new();
        self.add_locals(body, &types, &mut frame, &mut targets, &mut locals)?;
        let mut spec_scope =
            Scope { frame: Rc::new(spec_frame), types: spec_types, ..Scope::default() };
        let mut scope = Scope { frame: Rc::new(frame), types, ..Scope::default() };

        // Locals that the body does not mention do not exist, and neither do their conditions.
        let mut mentioned = Mentioned::default();
        mentioned.visit_block(&body.block);
        let mut clauses = Vec::new();
        let used: Vec<&(Name, Option<Clause<'a>>)> =
            locals.iter().filter(|(name, _)| mentioned.0.contains(name)).collect();
        for clause in used.iter().filter_map(|(_, clause)| *clause) {
            let text = self.condition(clause.expr, &mut scope, Role::Used, clause.span)?;
            clauses.push((clause.span, text));
        }
        let mut all = Mentioned::default();
        for clause in used.iter().filter_map(|(_, clause)| *clause) {
            all.visit_expr(clause.expr);
        }
        for (name, _) in &locals {
            if mentioned.0.contains(name) || all.0.contains(name) {
                let ty = targets.get(name).map(|target| target.variable.ty.clone());
                self.local(name, &ty.unwrap_or(Ty::Int), &mut params, &mut fits);
            }
        }
        if params.is_empty() {
            params.push("()".to_owned());
        }
        header.push_str(&params.join(" "));
        header.push_str(" : unit");
        page.line_from(span, &header);
        for text in fits {
            page.line(&format!("  requires {{ {text} }}"));
        }
        let source = self.source;
        for clause in source.globals.iter().filter_map(|global| where_clause(global.group)) {
            let text =
                self.condition(clause.expr, &mut globals.clone(), Role::Used, clause.span)?;
            page.line_from(clause.span, &format!("  requires {{ {text} }}"));
        }
        let spec = &procedure.signature;
        for clause in spec.params.iter().chain(&spec.returns).filter_map(where_clause) {
            let text = self.condition(clause.expr, &mut spec_scope, Role::Used, clause.span)?;
            page.line_from(clause.span, &format!("  requires {{ {text} }}"));
        }
        for (span, text) in clauses {
            page.line_from(span, &format!("  requires {{ {text} }}"));
        }
        for condition in conditions(procedure, ConditionKind::Requires)? {
            let text =
                self.condition(&condition.expr, &mut spec_scope, Role::Used, condition.span)?;
            page.line_from(condition.span, &format!("  requires {{ {text} }}"));
        }
        for condition in conditions(procedure, ConditionKind::Ensures)? {
            if !condition.free {
                let text =
                    self.condition(&condition.expr, &mut spec_scope, Role::Proved, condition.span)?;
                page.line_from(condition.span, &format!("  ensures {{ {text} }}"));
            }
        }
        let mut code = Code::new(self, page, scope, spec_scope, globals, targets);
        code.body(body, span)
    }

    fn add_global_targets(&mut self, targets: &mut FxHashMap<Name, Target<'a>>) -> Result<()> {
        let globals = self.global_frame()?;
        let source: &'s crate::source::Source<'a> = self.source;
        for global in &source.globals {
            let Some(variable) = globals.get(&global.name.name) else { continue };
            let clause = where_clause(global.group);
            let variable = variable.clone();
            let target = Target { variable, clause, of_spec: false, global: true };
            targets.insert(global.name.name.clone(), target);
        }
        Ok(())
    }

    fn add_locals(
        &mut self,
        body: &'a Body,
        types: &[(Name, Ty)],
        frame: &mut FxHashMap<Name, Variable>,
        targets: &mut FxHashMap<Name, Target<'a>>,
        locals: &mut Vec<(Name, Option<Clause<'a>>)>,
    ) -> Result<()> {
        for group in body.locals.iter().flat_map(|decl| &decl.groups) {
            let ty = self.read_type(&group.ty, types)?;
            let clause = where_clause(group);
            for ident in &group.names {
                let variable =
                    Variable::fixed(ty.clone(), cell(&names::name("z_", &ident.name), &ty));
                frame.insert(ident.name.clone(), variable.clone());
                let target = Target { variable, clause, of_spec: false, global: false };
                targets.insert(ident.name.clone(), target);
                locals.push((ident.name.clone(), clause));
            }
        }
        Ok(())
    }

    /// Adds a variable to the parameters of a `let`.
    fn local(
        &mut self,
        name: &Name,
        ty: &Ty,
        params: &mut Vec<String>,
        fits: &mut Vec<String>,
    ) -> Variable {
        let text = names::name("z_", name);
        params.push(format!("({text}: {})", self.cell_type(ty)));
        let variable = Variable::fixed(ty.clone(), cell(&text, ty));
        fits.extend(self.fits(&variable.now, ty));
        variable
    }
}

/// The value of a variable.
fn cell(variable: &str, ty: &Ty) -> String {
    format!("{variable}.{}", names::of_type("c_", &ty.shape()))
}

/// The name of an implementation in WhyML.
pub(crate) fn goal_name(proof: &Proof<'_>) -> String {
    let name = names::name("i_", &proof.signature.name.name);
    if proof.number == 0 { name } else { format!("{name}_{}", proof.number) }
}

/// The name of a procedure's result in the record of its results.
pub(crate) fn result_field(procedure: &Name, args: &[Ty], place: usize) -> String {
    names::instance(&format!("r{place}{}", names::name("_", procedure)), args)
}

/// The clauses of a procedure of one kind.
fn conditions(procedure: &Procedure, kind: ConditionKind) -> Result<Vec<&Condition>> {
    let mut found = Vec::new();
    for spec in &procedure.specs {
        match spec {
            Spec::Condition(condition) if condition.kind == kind => found.push(condition),
            Spec::Condition(condition) => match condition.kind {
                ConditionKind::Requires | ConditionKind::Ensures => {}
                ConditionKind::Preserves => {
                    return refuse_at(condition.span, "`preserves`");
                }
                ConditionKind::Asserts => return refuse_at(condition.span, "`asserts` (CIVL)"),
            },
            Spec::Modifies(_) => {}
            Spec::CallCondition(condition) => {
                return refuse_at(condition.span, "a call as a condition (CIVL)");
            }
            Spec::Measure(measure) => return refuse_at(measure.span, "`measure`"),
            Spec::Refines(refines) => return refuse_at(refines.span, "`refines` (CIVL)"),
            Spec::Creates(creates) => return refuse_at(creates.span, "`creates` (CIVL)"),
        }
    }
    Ok(found)
}

/// The global variables that a procedure may modify.
pub(crate) fn modifies(procedure: &Procedure) -> BTreeSet<Name> {
    let clauses = procedure.specs.iter().filter_map(|spec| match spec {
        Spec::Modifies(modifies) => Some(modifies),
        _ => None,
    });
    clauses.flat_map(|clause| &clause.names).map(|ident| ident.name.clone()).collect()
}
