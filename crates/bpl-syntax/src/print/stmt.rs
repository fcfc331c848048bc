//! Prints statements and bodies.

use super::printer::Printer;
use crate::ast::{
    Assign, Attr, Body, CallArm, CallStmt, Else, Expr, Goto, Guard, If, Lhs, LhsStep,
    LoopInvariant, LoopSpec, Measure, Predicate, Stmt, StmtKind, Unpack, VarDecl, While,
};
use crate::stack::deep;

impl Printer {
    /// Writes a body, with the opening brace on a new line.
    pub(super) fn body(&mut self, body: &Body) {
        let Body { span: _, locals, block } = body;
        self.line();
        self.push("{");
        self.indented(|p| {
            for local in locals {
                p.line();
                p.var_decl(local);
            }
            // A blank line between the locals and the statements.
            if !locals.is_empty() && !block.is_empty() && !p.is_flat() {
                p.end_line();
            }
            p.stmts(block);
        });
        self.line();
        self.push("}");
    }

    /// Writes statements, each on a new line.
    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Label(label) => self.label_line(&label.name),
                _ => self.line(),
            }
            self.stmt(stmt);
        }
    }

    /// Writes statements between braces, with the opening brace on the current line.
    fn block(&mut self, stmts: &[Stmt]) {
        if stmts.is_empty() {
            self.push("{}");
            return;
        }
        self.push("{");
        self.indented(|p| p.stmts(stmts));
        self.line();
        self.push("}");
    }

    /// Writes a declaration of variables, global or local.
    pub(super) fn var_decl(&mut self, var: &VarDecl) {
        let VarDecl { span: _, attrs, groups } = var;
        self.push("var ");
        self.attrs(attrs);
        self.list(groups, Printer::var_group);
        self.push(";");
    }

    /// Writes a statement at the current position.
    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        if self.is_past_margin() {
            return;
        }
        let Stmt { span: _, kind } = stmt;
        match kind {
            StmtKind::Label(label) => {
                self.ident(label);
                self.push(":");
            }
            StmtKind::Assert(predicate) => self.predicate("assert", predicate),
            StmtKind::Assume(predicate) => self.predicate("assume", predicate),
            StmtKind::Havoc(names) => {
                self.push("havoc ");
                self.idents(names);
                self.push(";");
            }
            StmtKind::Assign(assign) => self.assign(assign),
            StmtKind::Unpack(unpack) => {
                let Unpack { constructor, vars, attrs, rhs } = &**unpack;
                self.ident(constructor);
                self.bracketed("(", vars, ")", Printer::ident);
                self.push(" := ");
                self.attrs(attrs);
                self.expr(rhs);
                self.push(";");
            }
            StmtKind::Call(call) => {
                self.call(call);
                self.push(";");
            }
            StmtKind::Yield => self.push("yield;"),
            StmtKind::If(if_stmt) => deep(|| self.if_stmt(if_stmt)),
            StmtKind::While(while_stmt) => deep(|| self.while_stmt(while_stmt)),
            StmtKind::Break(label) => {
                self.push("break");
                if let Some(label) = label {
                    self.push(" ");
                    self.ident(label);
                }
                self.push(";");
            }
            StmtKind::Goto(goto) => self.goto(goto),
            StmtKind::Return(attrs) => {
                self.push("return");
                for attr in attrs {
                    self.push(" ");
                    self.attr(attr);
                }
                self.push(";");
            }
            StmtKind::Measure(measure) => self.measure(measure),
            StmtKind::Hide(target) => self.visibility("hide ", target.as_ref().map(|t| &*t.name)),
            StmtKind::Reveal(target) => {
                self.visibility("reveal ", target.as_ref().map(|t| &*t.name));
            }
            StmtKind::Push => self.push("push;"),
            StmtKind::Pop => self.push("pop;"),
        }
    }

    /// Writes `hide f;` or `reveal f;`. The target cannot be escaped and never needs to be.
    fn visibility(&mut self, keyword: &str, target: Option<&str>) {
        self.push(keyword);
        self.push(target.unwrap_or("*"));
        self.push(";");
    }

    /// Writes an `assert` or an `assume`.
    fn predicate(&mut self, keyword: &str, predicate: &Predicate) {
        let Predicate { attrs, expr } = predicate;
        self.clause(keyword, attrs, expr);
    }

    /// Writes a keyword, attributes, an expression and a semicolon.
    pub(super) fn clause(&mut self, keyword: &str, attrs: &[Attr], expr: &Expr) {
        self.push(keyword);
        self.push(" ");
        self.attrs(attrs);
        self.expr(expr);
        self.push(";");
    }

    /// Writes a `measure`, which is either a clause or a statement.
    pub(super) fn measure(&mut self, measure: &Measure) {
        let Measure { span: _, free, attrs, exprs } = measure;
        self.push(if *free { "free measure " } else { "measure " });
        self.attrs(attrs);
        self.list(exprs, Printer::expr);
        self.push(";");
    }

    /// Writes a `goto`.
    pub(super) fn goto(&mut self, goto: &Goto) {
        let Goto { attrs, targets } = goto;
        self.push("goto ");
        self.attrs(attrs);
        self.idents(targets);
        self.push(";");
    }

    fn assign(&mut self, assign: &Assign) {
        let Assign { lhs, attrs, rhs } = assign;
        self.list(lhs, |p, Lhs { base, steps }| {
            p.ident(base);
            for step in steps {
                match step {
                    LhsStep::Index(indices) => p.bracketed("[", indices, "]", Printer::expr),
                    LhsStep::Field(field) => {
                        p.push("->");
                        p.ident(field);
                    }
                }
            }
        });
        self.push(" :=");
        self.hanging(" ", |p| {
            p.attrs(attrs);
            p.list(rhs, Printer::expr);
        });
        self.push(";");
    }

    /// Writes a call without the semicolon.
    pub(super) fn call(&mut self, call: &CallStmt) {
        let CallStmt { is_async, free, is_par, arms } = call;
        if *is_async {
            self.push("async ");
        }
        if *free {
            self.push("free ");
        }
        self.push(if *is_par { "par " } else { "call " });
        for (i, arm) in arms.iter().enumerate() {
            // The blank after the bar separates it from the brace of an attribute: `|{` is one
            // token.
            if i == 0 {
                self.call_arm(arm);
            } else {
                self.indented(|p| {
                    let fits = p.fits(|p| {
                        p.push(" | ");
                        p.call_arm(arm);
                    });
                    if !fits {
                        p.line();
                        p.push("| ");
                        p.call_arm(arm);
                    }
                });
            }
        }
    }

    fn call_arm(&mut self, arm: &CallArm) {
        let CallArm { span: _, attrs, outs, callee, args } = arm;
        self.attrs(attrs);
        if outs.is_empty() {
            self.ident(callee);
        } else {
            self.idents(outs);
            self.push(" :=");
            let fits = self.fits(|p| {
                p.push(" ");
                p.ident(callee);
            });
            if !fits {
                self.indented(Printer::line);
                self.ident(callee);
            }
        }
        self.bracketed("(", args, ")", Printer::expr);
    }

    fn guard(&mut self, guard: &Guard) {
        match guard {
            Guard::Star => self.push("(*)"),
            // Indent by two steps, so that the guard does not look like the first statement. A
            // brace may follow on the same line.
            Guard::Expr(expr) => self.before(" {".len(), |p| {
                p.enclosed("(", ")", |p| p.indented(|p| p.expr(expr)));
            }),
        }
    }

    fn if_stmt(&mut self, if_stmt: &If) {
        let mut if_stmt = if_stmt;
        loop {
            let If { attrs, guard, then_block, else_branch } = if_stmt;
            self.push("if ");
            self.attrs(attrs);
            self.guard(guard);
            self.push(" ");
            self.block(then_block);
            match else_branch {
                None => break,
                Some(Else::If(next)) => {
                    self.push(" else ");
                    if_stmt = next;
                }
                Some(Else::Block(block)) => {
                    self.push(" else ");
                    self.block(block);
                    break;
                }
            }
        }
    }

    fn while_stmt(&mut self, while_stmt: &While) {
        let While { guard, specs, block } = while_stmt;
        self.push("while ");
        self.guard(guard);
        if specs.is_empty() {
            self.push(" ");
        } else {
            self.indented(|p| {
                for spec in specs {
                    p.line();
                    p.loop_spec(spec);
                }
            });
            self.line();
        }
        self.block(block);
    }

    fn loop_spec(&mut self, spec: &LoopSpec) {
        match spec {
            LoopSpec::Invariant(LoopInvariant { span: _, free, attrs, expr }) => {
                self.clause(if *free { "free invariant" } else { "invariant" }, attrs, expr);
            }
            LoopSpec::Call { span: _, attrs, call } => {
                self.push("invariant ");
                self.attrs(attrs);
                self.call(call);
                self.push(";");
            }
            LoopSpec::Measure(measure) => self.measure(measure),
        }
    }
}
