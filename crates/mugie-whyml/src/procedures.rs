//! Procedures: a `val` for callers, a `let` for each implementation.
//!
//! A `val` says what a caller must show and may use, a `let` is what is proved. Local variables and
//! out-parameters are parameters of the `let`, so their first values are arbitrary; each is a record
//! with one mutable field. This module knows no statements.

use std::collections::BTreeSet;
use std::rc::Rc;

use bpl_syntax::ast::{
    Body, ConditionKind, Expr, Ident, Name, Procedure, Signature, Spec, VarGroup,
};
use bpl_syntax::span::Span;
use bpl_syntax::visit::{Namespace, Occurrence, Visit};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::formula::Binders;
use crate::instances::{Choice, named};
use crate::logic::Role;
use crate::names;
use crate::print::Page;
use crate::refusal::{Result, refuse_at};
use crate::source::Proof;
use crate::statements::{Code, Target};
use crate::types::{Ty, TypeScope};
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
        let types = named(params.zip(args.iter().cloned()).collect(), &Scope::default());
        let shapes: Vec<Ty> = types.iter().map(|(_, ty)| ty.shape()).collect();
        let mut frame = self.global_frame()?;
        let mut binders = Binders::default();
        binders.add_tags(Scope { types: types.clone(), ..Scope::default() }.tags());
        for (name, ty) in self.source.formals(&signature.params, &types)? {
            let text = names::name("y_", &name);
            binders.add(&text, self.sort(&ty));
            frame.insert(name, Variable::fixed(ty, text));
        }
        let outs = self.source.formals(&signature.returns, &types)?;
        let result = self.result_type(own, &shapes, &outs, records);
        let name = names::instance(&names::name("p_", own), &shapes);
        let params = if binders.is_empty() { " ()".to_owned() } else { binders.params() };
        page.line_from(signature.name.span, &format!("val {name}{params} : {result}"));
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

        let mut scope = Scope { frame: Rc::new(frame), types, ..Scope::default() };
        for clause in conditions(procedure, ConditionKind::Requires, Some(false))? {
            self.clause("requires", clause, &mut scope, Role::Proved, page)?;
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
        let mut globals = self.global_scope()?;
        for global in source.globals.iter().filter(|global| modified.contains(&global.name.name)) {
            if let Some(clause) = where_clause(global.group) {
                self.clause("ensures", clause, &mut globals, Role::Used, page)?;
            }
        }
        for clause in signature.returns.iter().filter_map(where_clause) {
            self.clause("ensures", clause, &mut scope, Role::Used, page)?;
        }
        for clause in conditions(procedure, ConditionKind::Ensures, None)? {
            self.clause("ensures", clause, &mut scope, Role::Used, page)?;
        }
        Ok(())
    }

    /// The type of the results of a procedure: a record if there are several.
    fn result_type(
        &mut self,
        procedure: &Name,
        args: &[Ty],
        outs: &[(Name, Ty)],
        records: &mut Page,
    ) -> String {
        match outs {
            [] => "unit".to_owned(),
            [(_, only)] => self.sort(only),
            _ => {
                let record = names::instance(&names::name("r_", procedure), args);
                let mut fields = Vec::new();
                for (place, (_, ty)) in outs.iter().enumerate() {
                    let field = result_field(procedure, args, place);
                    fields.push(format!("{field} : {}", self.sort(ty)));
                }
                records.line(&format!("type {record} = {{ {} }}", fields.join("; ")));
                record
            }
        }
    }

    /// Writes a clause of a `val` or a `let`.
    fn clause(
        &mut self,
        keyword: &str,
        clause: Clause<'a>,
        scope: &mut Scope,
        role: Role,
        page: &mut Page,
    ) -> Result<()> {
        let text = self.condition(clause.expr, scope, role, clause.span)?;
        page.line_from(clause.span, &format!("  {keyword} {{ {text} }}"));
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
        let (types, spec_types) = self.type_scopes(signature, procedure)?;
        let mut globals = self.global_scope()?;
        let mut parts = Parts {
            params: Binders::default(),
            fits: Vec::new(),
            frame: (*globals.frame).clone(),
            spec_frame: (*globals.frame).clone(),
            targets: FxHashMap::default(),
        };
        let tags = Scope { types: types.clone(), ..Scope::default() }.tags();
        if !tags.is_empty() {
            self.need(Need::Sort(Ty::tagged("")));
        }
        parts.params.add_tags(tags);
        self.add_global_targets(&mut parts.targets)?;
        self.add_formals(signature, &types, procedure, &spec_types, &mut parts)?;
        let clauses = self.add_locals(body, &types, &mut parts)?;
        let Parts { params, fits, frame, spec_frame, targets } = parts;
        let mut scope = Scope { frame: Rc::new(frame), types, ..Scope::default() };
        let mut spec_scope =
            Scope { frame: Rc::new(spec_frame), types: spec_types, ..Scope::default() };

        let params = if params.is_empty() { " ()".to_owned() } else { params.params() };
        page.line_from(span, &format!("let {}{params} : unit", goal_name(proof)));
        for text in fits {
            page.line(&format!("  requires {{ {text} }}"));
        }
        let source = self.source;
        for clause in source.globals.iter().filter_map(|global| where_clause(global.group)) {
            self.clause("requires", clause, &mut globals, Role::Used, page)?;
        }
        let spec = &procedure.signature;
        for clause in spec.params.iter().chain(&spec.returns).filter_map(where_clause) {
            self.clause("requires", clause, &mut spec_scope, Role::Used, page)?;
        }
        for clause in clauses {
            self.clause("requires", clause, &mut scope, Role::Used, page)?;
        }
        for clause in conditions(procedure, ConditionKind::Requires, None)? {
            self.clause("requires", clause, &mut spec_scope, Role::Used, page)?;
        }
        for clause in conditions(procedure, ConditionKind::Ensures, Some(false))? {
            self.clause("ensures", clause, &mut spec_scope, Role::Proved, page)?;
        }
        let mut code = Code::new(self, page, scope, spec_scope, globals, targets);
        code.body(body, span)
    }

    /// What the type parameters of an implementation stand for, types that only tags tell; and those of
    /// its procedure, which are the same ones.
    fn type_scopes(
        &mut self,
        signature: &Signature,
        procedure: &Procedure,
    ) -> Result<(Choice, Choice)> {
        let tagged = |param: &Ident| (param.name.clone(), Ty::tagged(""));
        let types = named(signature.type_params.iter().map(tagged).collect(), &Scope::default());
        let solved = self.solve_signature(signature, &types)?;
        let places = self.type_param_places(&procedure.signature)?;
        let params = procedure.signature.type_params.iter().zip(places);
        let spec_types = params.map(|(param, place)| {
            (param.name.clone(), solved.get(place).cloned().unwrap_or(Ty::Int))
        });
        Ok((types, spec_types.collect()))
    }

    /// Adds the parameters of an implementation, which its procedure may call by other names.
    fn add_formals(
        &mut self,
        signature: &Signature,
        types: &TypeScope,
        procedure: &'a Procedure,
        spec_types: &TypeScope,
        parts: &mut Parts<'a>,
    ) -> Result<()> {
        let theirs = self.source.formals(&procedure.signature.params, spec_types)?;
        let ours = self.source.formals(&signature.params, types)?;
        for ((name, ty), (spec_name, _)) in ours.into_iter().zip(theirs) {
            let text = names::name("y_", &name);
            parts.params.add(&text, self.sort(&ty));
            parts.fits.extend(self.fits(&text, &ty));
            let variable = Variable::fixed(ty, text);
            parts.frame.insert(name, variable.clone());
            parts.spec_frame.insert(spec_name, variable);
        }
        let theirs = procedure.signature.returns.iter();
        let theirs = theirs.flat_map(|group| group.names.iter().map(move |id| (&id.name, group)));
        let ours = self.source.formals(&signature.returns, types)?;
        for ((name, ty), (spec_name, group)) in ours.into_iter().zip(theirs) {
            let variable = self.local(&name, &ty, parts);
            parts.frame.insert(name.clone(), variable.clone());
            parts.spec_frame.insert(spec_name.clone(), variable.clone());
            let clause = where_clause(group);
            parts.targets.insert(name, Target { variable, clause, of_spec: true, global: false });
        }
        Ok(())
    }

    /// Adds the local variables of a body, and returns what is assumed of them. Locals that the body does
    /// not mention do not exist, and neither do their `where` clauses.
    fn add_locals(
        &mut self,
        body: &'a Body,
        types: &TypeScope,
        parts: &mut Parts<'a>,
    ) -> Result<Vec<Clause<'a>>> {
        let mut in_body = Mentioned::default();
        in_body.visit_block(&body.block);
        let mut clauses = Vec::new();
        let mut in_clauses = Mentioned::default();
        let mut locals = Vec::new();
        for group in body.locals.iter().flat_map(|decl| &decl.groups) {
            let ty = self.read_type(&group.ty, types)?;
            let clause = where_clause(group);
            for ident in &group.names {
                let name = &ident.name;
                let variable = Variable::fixed(ty.clone(), cell(&names::name("z_", name), &ty));
                parts.frame.insert(name.clone(), variable.clone());
                let target = Target { variable, clause, of_spec: false, global: false };
                parts.targets.insert(name.clone(), target);
                locals.push((name, ty.clone()));
                if in_body.0.contains(name)
                    && let Some(clause) = clause
                {
                    in_clauses.visit_expr(clause.expr);
                    clauses.push(clause);
                }
            }
        }
        for (name, ty) in locals {
            if in_body.0.contains(name) || in_clauses.0.contains(name) {
                self.local(name, &ty, parts);
            }
        }
        Ok(clauses)
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

    /// Adds a variable to the parameters of a `let`.
    fn local(&mut self, name: &Name, ty: &Ty, parts: &mut Parts<'_>) -> Variable {
        let text = names::name("z_", name);
        parts.params.add(&text, self.cell_type(ty));
        let variable = Variable::fixed(ty.clone(), cell(&text, ty));
        parts.fits.extend(self.fits(&variable.now, ty));
        variable
    }
}

/// The parts of a `let` that come before its clauses.
struct Parts<'a> {
    params: Binders,
    /// That the variables fit their tags.
    fits: Vec<String>,
    /// The variables by the names that the body uses.
    frame: FxHashMap<Name, Variable>,
    /// The variables by the names that the procedure uses.
    spec_frame: FxHashMap<Name, Variable>,
    targets: FxHashMap<Name, Target<'a>>,
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

/// The clauses of a procedure of one kind, perhaps only those that are free or not.
fn conditions(
    procedure: &Procedure,
    kind: ConditionKind,
    free: Option<bool>,
) -> Result<Vec<Clause<'_>>> {
    let mut found = Vec::new();
    for spec in &procedure.specs {
        let (span, what) = match spec {
            Spec::Condition(condition) => match condition.kind {
                ConditionKind::Requires | ConditionKind::Ensures => {
                    if condition.kind == kind && free.is_none_or(|free| free == condition.free) {
                        found.push(Clause { expr: &condition.expr, span: condition.span });
                    }
                    continue;
                }
                ConditionKind::Preserves => (condition.span, "`preserves`"),
                ConditionKind::Asserts => (condition.span, "`asserts` (CIVL)"),
            },
            Spec::Modifies(_) => continue,
            Spec::CallCondition(condition) => (condition.span, "a call as a condition (CIVL)"),
            Spec::Measure(measure) => (measure.span, "`measure`"),
            Spec::Refines(refines) => (refines.span, "`refines` (CIVL)"),
            Spec::Creates(creates) => (creates.span, "`creates` (CIVL)"),
        };
        return refuse_at(span, what);
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
