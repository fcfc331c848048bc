//! Cuts: which elements of a program are removed or simplified, and what remains of a declaration.
//!
//! A cut refers to elements by their [numbers](super::number), so it means the same in a seed and
//! in its mutant, wherever an operator moved the element.

use std::sync::Arc;

use bpl_syntax::ast::{
    Block, Body, Decl, Else, Expr, ExprKind, Ident, List, LoopSpec, Spec, Stmt, StmtKind, VarGroup,
};
use bpl_syntax::visit::VisitMut;
use rustc_hash::FxHashMap;

use super::number::{Number, of_decl, of_loop_spec, of_spec};

/// How an element is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum How {
    /// Removes the element.
    Remove,
    /// Removes the body of a procedure or function.
    Body,
    /// Removes the `where` clause of a group of variables.
    Where,
    /// Replaces the element by its first part: an operator by the left operand, a conditional by
    /// the `then` branch, a loop by the body.
    First,
    /// Replaces the element by its second part: the right operand or the `else` branch.
    Second,
    /// Removes the `else` branch.
    Else,
    /// Assumes an assertion or a loop invariant instead of checking it.
    Assume,
}

/// An element and how it is cut.
pub(super) type Unit = (Number, How);

/// A set of elements, and how each is cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cut(FxHashMap<Number, How>);

impl FromIterator<Unit> for Cut {
    fn from_iter<T: IntoIterator<Item = Unit>>(units: T) -> Cut {
        Cut(units.into_iter().collect())
    }
}

impl Cut {
    /// Whether an element is removed.
    pub(super) fn removes(&self, number: Number) -> bool {
        self.has(number, How::Remove)
    }

    fn has(&self, number: Number, how: How) -> bool {
        self.0.get(&number) == Some(&how)
    }

    /// Returns what remains of a declaration: the same tree if the cut does not concern it, `None`
    /// if the declaration is removed or what remains is not a declaration.
    pub(super) fn apply(&self, decl: &Arc<Decl>) -> Option<Arc<Decl>> {
        if self.removes(of_decl(decl)) {
            return None;
        }
        let mut copy = Decl::clone(decl);
        let mut cutter = Cutter { cut: self, cuts: 0, is_ruined: false };
        cutter.visit_decl(&mut copy);
        if cutter.is_ruined {
            return None;
        }
        Some(if cutter.cuts == 0 { Arc::clone(decl) } else { Arc::new(copy) })
    }
}

struct Cutter<'c> {
    cut: &'c Cut,
    cuts: usize,
    is_ruined: bool,
}

impl Cutter<'_> {
    fn has(&mut self, number: Number, how: How) -> bool {
        let has = self.cut.has(number, how);
        self.cuts += usize::from(has);
        has
    }

    fn retain<T>(&mut self, items: &mut Vec<T>, number: impl Fn(&T) -> Number) {
        items.retain(|item| !self.has(number(item), How::Remove));
    }

    fn retain_names(&mut self, names: &mut List<Ident>) {
        names.retain(|ident| !self.has(ident.span.start, How::Remove));
    }

    /// Like [`Cutter::retain`], for lists that must not become empty.
    fn retain_some<T>(&mut self, items: &mut Vec<T>, number: impl Fn(&T) -> Number) {
        self.retain(items, number);
        self.is_ruined |= items.is_empty();
    }

    fn specs(&mut self, specs: &mut Vec<Spec>) {
        self.retain(specs, of_spec);
        for spec in specs.iter_mut() {
            if let Spec::Modifies(modifies) = spec {
                self.retain_names(&mut modifies.names);
            }
        }
        specs.retain(|spec| !matches!(spec, Spec::Modifies(m) if m.names.is_empty()));
    }

    fn groups(&mut self, groups: &mut Vec<VarGroup>) {
        for group in groups.iter_mut() {
            self.retain_names(&mut group.names);
        }
        groups.retain(|group| !group.names.is_empty());
    }

    /// Returns the statements that replace this one, if the cut replaces it.
    fn parts(&mut self, stmt: &mut Stmt) -> Option<Block> {
        let number = stmt.span.start;
        match &mut stmt.kind {
            StmtKind::If(conditional) => {
                if self.has(number, How::First) {
                    return Some(std::mem::take(&mut conditional.then_block));
                }
                if self.has(number, How::Second) {
                    return Some(match conditional.else_branch.take() {
                        None => Block::new(),
                        Some(Else::Block(block)) => block,
                        Some(Else::If(other)) => {
                            vec![Stmt { span: stmt.span, kind: StmtKind::If(other) }]
                        }
                    });
                }
                if self.has(number, How::Else) {
                    conditional.else_branch = None;
                }
                None
            }
            StmtKind::While(repetition) => {
                let block = &mut repetition.block;
                self.has(number, How::First).then(|| std::mem::take(block))
            }
            _ => None,
        }
    }
}

impl VisitMut for Cutter<'_> {
    fn visit_decl(&mut self, decl: &mut Decl) {
        let number = of_decl(decl);
        match decl {
            Decl::Type(types) => self.retain_some(&mut types.defs, |def| def.name.span.start),
            Decl::Const(consts) => {
                self.retain_names(&mut consts.names);
                self.is_ruined |= consts.names.is_empty();
                if let Some(axioms) = &mut consts.uses {
                    self.retain(axioms, |axiom| axiom.span.start);
                }
            }
            Decl::Function(function) => {
                if function.body.is_some() && self.has(number, How::Body) {
                    function.body = None;
                }
                if let Some(axioms) = &mut function.uses {
                    self.retain(axioms, |axiom| axiom.span.start);
                }
            }
            Decl::Var(vars) => {
                self.groups(&mut vars.groups);
                self.is_ruined |= vars.groups.is_empty();
            }
            Decl::Procedure(procedure) => {
                self.specs(&mut procedure.specs);
                if procedure.body.is_some() && self.has(number, How::Body) {
                    procedure.body = None;
                }
            }
            Decl::Action(action) => self.specs(&mut action.specs),
            Decl::Axiom(_) | Decl::Implementation(_) | Decl::Datatype(_) | Decl::Invariant(_) => {}
        }
        self.walk_decl(decl);
    }

    fn visit_body(&mut self, body: &mut Body) {
        for local in &mut body.locals {
            self.groups(&mut local.groups);
        }
        body.locals.retain(|local| !local.groups.is_empty());
        self.walk_body(body);
    }

    fn visit_var_group(&mut self, group: &mut VarGroup) {
        if group.where_clause.is_some() && self.has(group.span.start, How::Where) {
            group.where_clause = None;
        }
        self.walk_var_group(group);
    }

    fn visit_block(&mut self, block: &mut Block) {
        self.retain(block, |stmt| stmt.span.start);
        if block.iter().any(|stmt| self.cut.0.contains_key(&stmt.span.start)) {
            let mut result = Block::with_capacity(block.len());
            for mut stmt in std::mem::take(block) {
                match self.parts(&mut stmt) {
                    Some(mut parts) => {
                        self.retain(&mut parts, |stmt| stmt.span.start);
                        result.append(&mut parts);
                    }
                    None => result.push(stmt),
                }
            }
            *block = result;
        }
        self.walk_block(block);
    }

    fn visit_stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::While(repetition) => self.retain(&mut repetition.specs, of_loop_spec),
            StmtKind::Assert(predicate) if self.has(stmt.span.start, How::Assume) => {
                stmt.kind = StmtKind::Assume(predicate.clone());
            }
            _ => {}
        }
        self.walk_stmt(stmt);
    }

    fn visit_loop_spec(&mut self, spec: &mut LoopSpec) {
        let number = of_loop_spec(spec);
        if let LoopSpec::Invariant(invariant) = spec
            && self.has(number, How::Assume)
        {
            invariant.free = true;
        }
        self.walk_loop_spec(spec);
    }

    fn visit_expr(&mut self, expr: &mut Expr) {
        loop {
            let number = expr.span.start;
            let (first, second) = (self.has(number, How::First), self.has(number, How::Second));
            let ExprKind::Binary(_, operands) = &mut expr.kind else { break };
            let part = match (first, second) {
                (true, _) => &mut operands.0,
                (_, true) => &mut operands.1,
                _ => break,
            };
            *expr =
                std::mem::replace(part, Expr { span: expr.span, kind: ExprKind::Var("".into()) });
        }
        self.walk_expr(expr);
    }
}
