//! Permanent numbers for the elements of a program.
//!
//! Every declaration, clause, statement, expression and variable gets a unique number, which is
//! stored as its span. Operators copy spans along with what they move, and spans do not affect the
//! equality of trees. So the number identifies the element of the seed that an element of a mutant
//! comes from.

use bpl_syntax::ast::{
    AxiomDecl, Decl, Expr, Ident, LoopSpec, Program, Spec, Stmt, VarDecl, VarGroup,
};
use bpl_syntax::span::Span;
use bpl_syntax::visit::VisitMut;

/// The number of an element; 0 for elements that an operator made.
pub(super) type Number = u32;

/// Numbers the elements of a program.
pub(super) fn number(program: &mut Program) {
    let mut numbering = Numbering(0);
    for index in 0..program.decls.len() {
        numbering.visit_decl(program.decl_mut(index));
    }
}

/// The number of a declaration.
pub(super) fn of_decl(decl: &Decl) -> Number {
    decl.span().start
}

struct Numbering(Number);

impl Numbering {
    fn next(&mut self) -> Span {
        // Cannot overflow: a source has at most 4 GiB, and fewer elements than bytes.
        self.0 = self.0.saturating_add(1);
        Span::new(self.0, self.0)
    }

    fn idents(&mut self, idents: &mut [Ident]) {
        for ident in idents {
            ident.span = self.next();
        }
    }
}

impl VisitMut for Numbering {
    fn visit_decl(&mut self, decl: &mut Decl) {
        let span = self.next();
        match decl {
            Decl::Type(types) => {
                types.span = span;
                for def in &mut types.defs {
                    def.name.span = self.next();
                }
            }
            Decl::Const(consts) => {
                consts.span = span;
                self.idents(&mut consts.names);
            }
            Decl::Function(function) => function.span = span,
            // Numbered in `visit_axiom` and `visit_var_decl`, since both also occur inside other
            // elements.
            Decl::Axiom(_) | Decl::Var(_) => {}
            Decl::Procedure(procedure) => procedure.span = span,
            Decl::Implementation(implementation) => implementation.span = span,
            Decl::Datatype(datatype) => datatype.span = span,
            Decl::Action(action) => action.span = span,
            Decl::Invariant(invariant) => invariant.span = span,
        }
        self.walk_decl(decl);
    }

    fn visit_axiom(&mut self, axiom: &mut AxiomDecl) {
        axiom.span = self.next();
        self.walk_axiom(axiom);
    }

    fn visit_var_decl(&mut self, var: &mut VarDecl) {
        var.span = self.next();
        self.walk_var_decl(var);
    }

    fn visit_var_group(&mut self, group: &mut VarGroup) {
        group.span = self.next();
        self.idents(&mut group.names);
        self.walk_var_group(group);
    }

    fn visit_spec(&mut self, spec: &mut Spec) {
        let span = self.next();
        match spec {
            Spec::Modifies(modifies) => {
                modifies.span = span;
                self.idents(&mut modifies.names);
            }
            Spec::Condition(condition) => condition.span = span,
            Spec::CallCondition(condition) => condition.span = span,
            Spec::Measure(measure) => measure.span = span,
            Spec::Refines(refines) => refines.span = span,
            Spec::Creates(creates) => creates.span = span,
        }
        self.walk_spec(spec);
    }

    fn visit_loop_spec(&mut self, spec: &mut LoopSpec) {
        *loop_spec_span(spec) = self.next();
        self.walk_loop_spec(spec);
    }

    fn visit_stmt(&mut self, stmt: &mut Stmt) {
        stmt.span = self.next();
        self.walk_stmt(stmt);
    }

    fn visit_expr(&mut self, expr: &mut Expr) {
        expr.span = self.next();
        self.walk_expr(expr);
    }
}

fn loop_spec_span(spec: &mut LoopSpec) -> &mut Span {
    match spec {
        LoopSpec::Invariant(invariant) => &mut invariant.span,
        LoopSpec::Call { span, .. } => span,
        LoopSpec::Measure(measure) => &mut measure.span,
    }
}

/// The number of a clause of a procedure.
pub(super) fn of_spec(spec: &Spec) -> Number {
    match spec {
        Spec::Modifies(modifies) => modifies.span.start,
        Spec::Condition(condition) => condition.span.start,
        Spec::CallCondition(condition) => condition.span.start,
        Spec::Measure(measure) => measure.span.start,
        Spec::Refines(refines) => refines.span.start,
        Spec::Creates(creates) => creates.span.start,
    }
}

/// The number of a clause of a loop.
pub(super) fn of_loop_spec(spec: &LoopSpec) -> Number {
    match spec {
        LoopSpec::Invariant(invariant) => invariant.span.start,
        LoopSpec::Call { span, .. } => span.start,
        LoopSpec::Measure(measure) => measure.span.start,
    }
}
