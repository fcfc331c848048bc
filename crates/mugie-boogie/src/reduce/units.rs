//! The elements that can be cut from a program: one list for each kind of element.
//!
//! The elements of a list are in source order, so that related ones are near each other.

use bpl_syntax::ast::{
    Attr, BinaryOp, Block, Body, Condition, ConditionKind, Decl, Expr, ExprKind, If, LoopSpec,
    Name, Spec, Stmt, StmtKind, Trigger, VarDecl, VarGroup,
};
use bpl_syntax::visit::{Namespace, Occurrence, Visit};
use rustc_hash::FxHashSet;

use super::cut::{How, Unit};
use super::number::{of_decl, of_loop_spec, of_spec};
use crate::subject::Subject;

/// The declarations with a property.
pub(super) fn declarations(seed: &Subject, wanted: impl Fn(usize, &Decl) -> bool) -> Vec<Unit> {
    (0..seed.len())
        .filter_map(|index| {
            let decl = seed.decl(index);
            wanted(index, &decl).then(|| (of_decl(&decl), How::Remove))
        })
        .collect()
}

/// The assumptions in the proof of a procedure, or of all procedures: its preconditions, the
/// postconditions of others, invariants, `where` and `modifies` clauses.
pub(super) fn assumptions(seed: &Subject, procedure: Option<&str>) -> Vec<Unit> {
    clauses(seed, procedure).assumptions
}

/// The proof obligations of a procedure, or of all procedures: its postconditions, the
/// preconditions of others, assertions and invariants. Assertions and invariants remain as
/// assumptions, since a proof may rely on them.
pub(super) fn obligations(seed: &Subject, procedure: Option<&str>) -> Vec<Unit> {
    clauses(seed, procedure).obligations
}

fn clauses(seed: &Subject, procedure: Option<&str>) -> Clauses {
    let mut clauses = Clauses::default();
    for index in 0..seed.len() {
        let decl = seed.decl(index);
        let name = match &*decl {
            Decl::Procedure(procedure) => Some(&procedure.signature.name.name),
            _ => None,
        };
        clauses.is_proved =
            procedure.zip(name).is_none_or(|(procedure, name)| procedure == name.as_str());
        clauses.visit_decl(&decl);
    }
    clauses
}

#[derive(Default)]
struct Clauses {
    /// Whether the current declaration belongs to the procedure in question.
    is_proved: bool,
    assumptions: Vec<Unit>,
    obligations: Vec<Unit>,
}

impl<'d> Visit<'d> for Clauses {
    fn visit_spec(&mut self, spec: &'d Spec) {
        let unit = (of_spec(spec), How::Remove);
        match spec {
            Spec::Modifies(modifies) => {
                let names = modifies.names.iter();
                self.assumptions.extend(names.map(|ident| (ident.span.start, How::Remove)));
            }
            Spec::Condition(Condition { free: false, kind, .. }) => {
                let is_obligation = match kind {
                    ConditionKind::Ensures => self.is_proved,
                    ConditionKind::Requires => !self.is_proved,
                    _ => false,
                };
                let list =
                    if is_obligation { &mut self.obligations } else { &mut self.assumptions };
                list.push(unit);
            }
            _ => self.assumptions.push(unit),
        }
    }

    fn visit_loop_spec(&mut self, spec: &'d LoopSpec) {
        self.assumptions.push((of_loop_spec(spec), How::Remove));
        if matches!(spec, LoopSpec::Invariant(invariant) if !invariant.free) {
            self.obligations.push((of_loop_spec(spec), How::Assume));
        }
    }

    fn visit_stmt(&mut self, stmt: &'d Stmt) {
        if let StmtKind::Assert(_) = stmt.kind {
            self.obligations.push((stmt.span.start, How::Assume));
        }
        self.walk_stmt(stmt);
    }

    fn visit_var_group(&mut self, group: &'d VarGroup) {
        if group.where_clause.is_some() {
            self.assumptions.push((group.span.start, How::Where));
        }
    }

    fn visit_expr(&mut self, _: &'d Expr) {}
}

/// The bodies of functions.
pub(super) fn function_bodies(seed: &Subject) -> Vec<Unit> {
    let has_body = |decl: &Decl| matches!(decl, Decl::Function(f) if f.body.is_some());
    let decls = (0..seed.len()).map(|index| seed.decl(index)).filter(|decl| has_body(decl));
    decls.map(|decl| (of_decl(&decl), How::Body)).collect()
}

/// The statements at this nesting depth.
pub(super) fn statements(seed: &Subject, depth: usize) -> Vec<Unit> {
    let mut statements =
        Statements { wanted: depth, depth: 0, units: Vec::new(), parts: Vec::new() };
    for index in 0..seed.len() {
        statements.visit_decl(&seed.decl(index));
    }
    statements.units
}

/// The conditionals and loops at this nesting depth, each to be replaced by one of its parts.
pub(super) fn parts(seed: &Subject, depth: usize) -> Vec<Unit> {
    let mut statements =
        Statements { wanted: depth, depth: 0, units: Vec::new(), parts: Vec::new() };
    for index in 0..seed.len() {
        statements.visit_decl(&seed.decl(index));
    }
    statements.parts
}

struct Statements {
    wanted: usize,
    depth: usize,
    units: Vec<Unit>,
    parts: Vec<Unit>,
}

impl<'d> Visit<'d> for Statements {
    fn visit_block(&mut self, block: &'d Block) {
        if self.depth == self.wanted {
            for stmt in block {
                self.units.push((stmt.span.start, How::Remove));
                self.parts.extend(parts_of(stmt));
            }
            return;
        }
        self.depth += 1;
        self.walk_block(block);
        self.depth -= 1;
    }

    fn visit_expr(&mut self, _: &'d Expr) {}
}

fn parts_of(stmt: &Stmt) -> Vec<Unit> {
    let hows: &[How] = match &stmt.kind {
        StmtKind::If(conditional) => match **conditional {
            If { else_branch: None, .. } => &[How::First],
            If { .. } => &[How::First, How::Second, How::Else],
        },
        StmtKind::While(_) => &[How::First],
        _ => &[],
    };
    hows.iter().map(|how| (stmt.span.start, *how)).collect()
}

/// The operands of conjunctions, disjunctions, equivalences and implications that can replace the
/// whole.
pub(super) fn operands(seed: &Subject) -> Vec<Unit> {
    struct Operands(Vec<Unit>);
    impl<'d> Visit<'d> for Operands {
        fn visit_expr(&mut self, expr: &'d Expr) {
            let hows: &[How] = match &expr.kind {
                ExprKind::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Iff, _) => {
                    &[How::First, How::Second]
                }
                ExprKind::Binary(BinaryOp::Implies, _) => &[How::Second],
                ExprKind::Binary(BinaryOp::Explies, _) => &[How::First],
                _ => &[],
            };
            self.0.extend(hows.iter().map(|how| (expr.span.start, *how)));
            self.walk_expr(expr);
        }
        fn visit_trigger(&mut self, _: &'d Trigger) {}
        fn visit_attr(&mut self, _: &'d Attr) {}
    }
    let mut operands = Operands(Vec::new());
    for index in 0..seed.len() {
        operands.visit_decl(&seed.decl(index));
    }
    operands.0
}

/// Unused local variables, and unused names in declarations of several names.
pub(super) fn unused_names(seed: &Subject, used: &FxHashSet<Name>) -> Vec<Unit> {
    let mut units = Vec::new();
    for index in 0..seed.len() {
        let decl = seed.decl(index);
        let mut own = Vec::new();
        match &*decl {
            Decl::Const(consts) => own.extend(&consts.names),
            Decl::Type(types) => own.extend(types.defs.iter().map(|def| &def.name)),
            Decl::Var(vars) => own.extend(vars.groups.iter().flat_map(|group| &group.names)),
            _ => {
                let mut locals = Locals::default();
                locals.visit_decl(&decl);
                let Locals { units: found, used } = locals;
                units.extend(
                    found
                        .into_iter()
                        .filter(|(name, _)| !used.contains(name))
                        .map(|(_, unit)| unit),
                );
            }
        }
        // A declaration must keep at least one name.
        let unused: Vec<_> = own.iter().filter(|ident| !used.contains(&ident.name)).collect();
        if unused.len() < own.len() {
            units.extend(unused.iter().map(|ident| (ident.span.start, How::Remove)));
        }
    }
    units
}

#[derive(Default)]
struct Locals {
    units: Vec<(Name, Unit)>,
    used: FxHashSet<Name>,
}

impl<'d> Visit<'d> for Locals {
    fn visit_body(&mut self, body: &'d Body) {
        let groups = |local: &'d VarDecl| local.groups.iter();
        for ident in body.locals.iter().flat_map(groups).flat_map(|group| &group.names) {
            self.units.push((ident.name.clone(), (ident.span.start, How::Remove)));
        }
        self.walk_body(body);
    }

    fn visit_name(&mut self, name: &'d Name, _: Namespace, occurrence: Occurrence) {
        if occurrence == Occurrence::Use {
            self.used.insert(name.clone());
        }
    }
}
