//! Prints declarations.

use super::printer::Printer;
use crate::ast::{
    ActionDecl, AxiomDecl, Body, CallCondition, Condition, ConditionKind, ConstDecl, ConstOrder,
    Constructor, Creates, DatatypeDecl, Decl, FunctionDecl, FunctionParam, Ident, Implementation,
    InlineAction, InvariantClause, InvariantDecl, Modifies, Mover, OrderParent, Procedure,
    ProcedureKind, Refines, RefinesTarget, Signature, Spec, TypeDecl, TypeDef, VarGroup,
};

impl Printer {
    /// Writes a declaration, without the final line break.
    pub(super) fn decl(&mut self, decl: &Decl) {
        match decl {
            Decl::Type(decl) => self.type_decl(decl),
            Decl::Const(decl) => self.const_decl(decl),
            Decl::Function(decl) => self.function(decl),
            Decl::Axiom(decl) => self.axiom(decl),
            Decl::Var(decl) => self.var_decl(decl),
            Decl::Procedure(decl) => self.procedure(decl),
            Decl::Implementation(decl) => {
                let Implementation { span: _, attrs, signature, body } = decl;
                self.push("implementation ");
                self.attrs(attrs);
                self.signature(signature);
                self.body(body);
            }
            Decl::Datatype(decl) => self.datatype(decl),
            Decl::Action(decl) => self.action(decl),
            Decl::Invariant(decl) => self.invariant(decl),
        }
    }

    /// Writes variables that share a type.
    pub(super) fn var_group(&mut self, group: &VarGroup) {
        let VarGroup { span: _, attrs, names, ty, where_clause } = group;
        self.attrs(attrs);
        self.idents(names);
        self.push(": ");
        self.ty(ty);
        if let Some(expr) = where_clause {
            self.push(" where ");
            self.expr(expr);
        }
    }

    fn type_decl(&mut self, decl: &TypeDecl) {
        let TypeDecl { span: _, attrs, defs } = decl;
        self.push("type ");
        self.attrs(attrs);
        self.list(defs, |p, TypeDef { name, params, synonym }| {
            p.ident(name);
            for param in params {
                p.push(" ");
                p.ident(param);
            }
            if let Some(ty) = synonym {
                p.push(" = ");
                p.ty(ty);
            }
        });
        self.push(";");
    }

    fn const_decl(&mut self, decl: &ConstDecl) {
        let ConstDecl { span: _, attrs, unique, names, ty, order, uses } = decl;
        self.push("const ");
        self.attrs(attrs);
        if *unique {
            self.push("unique ");
        }
        self.idents(names);
        self.push(": ");
        self.ty(ty);
        if let Some(ConstOrder { parents, complete }) = order {
            self.push(" extends");
            if !parents.is_empty() {
                self.push(" ");
                self.list(parents, |p, OrderParent { unique, name }| {
                    if *unique {
                        p.push("unique ");
                    }
                    p.ident(name);
                });
            }
            if *complete {
                self.push(" complete");
            }
        }
        match uses {
            Some(axioms) => self.uses(axioms),
            None => self.push(";"),
        }
    }

    /// Writes the axioms that come with a constant or a function.
    fn uses(&mut self, axioms: &[AxiomDecl]) {
        self.push(" uses {");
        self.indented(|p| {
            for axiom in axioms {
                p.line();
                p.axiom(axiom);
            }
        });
        self.line();
        self.push("}");
    }

    fn function(&mut self, decl: &FunctionDecl) {
        let FunctionDecl {
            span: _,
            revealed,
            attrs,
            name,
            type_params,
            params,
            result,
            body,
            uses,
        } = decl;
        if *revealed {
            self.push("revealed ");
        }
        self.push("function ");
        self.attrs(attrs);
        self.ident(name);
        self.type_params(type_params);
        let whole = |p: &mut Printer| {
            p.bracketed("(", params, ")", Printer::function_param);
            p.function_result(result);
        };
        if !self.fits(whole) {
            let room = self.width(|p| p.function_result(result));
            self.before(room, |p| p.bracketed("(", params, ")", Printer::function_param));
            self.function_result(result);
        }
        if let Some(expr) = body
            && !self.fits(|p| p.enclosed(" { ", " }", |p| p.expr(expr)))
        {
            self.line();
            self.push("{");
            self.indented(|p| {
                p.line();
                p.expr(expr);
            });
            self.line();
            self.push("}");
        }
        match uses {
            Some(axioms) => self.uses(axioms),
            None if body.is_none() => self.push(";"),
            None => {}
        }
    }

    fn function_result(&mut self, result: &FunctionParam) {
        if result.attrs.is_empty() && result.name.is_none() {
            self.push(": ");
            self.ty(&result.ty);
        } else {
            self.enclosed(" returns (", ")", |p| p.function_param(result));
        }
    }

    fn function_param(&mut self, param: &FunctionParam) {
        let FunctionParam { attrs, name, ty } = param;
        self.attrs(attrs);
        if let Some(name) = name {
            self.ident(name);
            self.push(": ");
        }
        self.ty(ty);
    }

    fn axiom(&mut self, axiom: &AxiomDecl) {
        let AxiomDecl { span: _, hideable, attrs, expr } = axiom;
        self.clause(if *hideable { "hideable axiom" } else { "axiom" }, attrs, expr);
    }

    fn procedure(&mut self, decl: &Procedure) {
        let Procedure { span: _, kind, attrs, signature, specs, body } = decl;
        match kind {
            ProcedureKind::Plain => {}
            ProcedureKind::Pure => self.push("pure "),
            ProcedureKind::Yield(mover) => {
                self.push("yield ");
                self.mover(*mover);
            }
        }
        self.push("procedure ");
        self.attrs(attrs);
        self.signature(signature);
        self.specs_and_body(specs, body.as_ref());
    }

    /// Writes the part after a signature. A semicolon takes the place of a missing body.
    fn specs_and_body(&mut self, specs: &[Spec], body: Option<&Body>) {
        if body.is_none() {
            self.push(";");
        }
        self.specs(specs);
        if let Some(body) = body {
            self.body(body);
        }
    }

    fn action(&mut self, decl: &ActionDecl) {
        let ActionDecl { span: _, pure, is_async, mover, attrs, signature, specs, body } = decl;
        if *pure {
            self.push("pure ");
        }
        if *is_async {
            self.push("async ");
        }
        self.mover(*mover);
        self.push("action ");
        self.attrs(attrs);
        self.signature(signature);
        self.specs_and_body(specs, body.as_ref());
    }

    fn invariant(&mut self, decl: &InvariantDecl) {
        let InvariantDecl { span: _, is_yield, attrs, signature, clauses } = decl;
        self.push(if *is_yield { "yield invariant " } else { "invariant " });
        self.attrs(attrs);
        self.signature(signature);
        self.push(";");
        self.indented(|p| {
            for InvariantClause { span: _, old_keyword, attrs, expr } in clauses {
                p.line();
                p.clause(if *old_keyword { "invariant" } else { "preserves" }, attrs, expr);
            }
        });
    }

    /// Writes a mover type followed by a blank, or nothing.
    fn mover(&mut self, mover: Option<Mover>) {
        self.push(match mover {
            None => "",
            Some(Mover::Atomic) => "atomic ",
            Some(Mover::Both) => "both ",
            Some(Mover::Left) => "left ",
            Some(Mover::Right) => "right ",
        });
    }

    fn signature(&mut self, signature: &Signature) {
        let Signature { name, type_params, params, returns } = signature;
        self.ident(name);
        self.type_params(type_params);
        // Parameters on separate lines are indented more than the clauses.
        self.indented(|p| {
            p.bracketed("(", params, ")", Printer::var_group);
            if !returns.is_empty() {
                let fits = p.fits(|p| p.bracketed(" returns (", returns, ")", Printer::var_group));
                if !fits {
                    p.line();
                    p.bracketed("returns (", returns, ")", Printer::var_group);
                }
            }
        });
    }

    fn specs(&mut self, specs: &[Spec]) {
        self.indented(|p| {
            for spec in specs {
                p.line();
                p.spec(spec);
            }
        });
    }

    fn spec(&mut self, spec: &Spec) {
        match spec {
            Spec::Modifies(Modifies { span: _, names }) => self.names_clause("modifies", names),
            Spec::Creates(Creates { span: _, names }) => self.names_clause("creates", names),
            Spec::Condition(Condition { span: _, free, kind, attrs, expr }) => {
                if *free {
                    self.push("free ");
                }
                self.clause(condition_keyword(*kind), attrs, expr);
            }
            Spec::CallCondition(CallCondition { span: _, kind, call }) => {
                self.push(condition_keyword(*kind));
                self.push(" ");
                self.call(call);
                self.push(";");
            }
            Spec::Measure(measure) => self.measure(measure),
            Spec::Refines(Refines { span: _, attrs, target }) => {
                self.push("refines ");
                self.attrs(attrs);
                self.refines_target(target);
            }
        }
    }

    fn names_clause(&mut self, keyword: &str, names: &[Ident]) {
        self.push(keyword);
        if !names.is_empty() {
            self.push(" ");
            self.idents(names);
        }
        self.push(";");
    }

    fn refines_target(&mut self, target: &RefinesTarget) {
        match target {
            RefinesTarget::Named { action, using } => {
                // Without the backslash, these would start an action declared in place.
                match action.name.as_str() {
                    mover @ ("atomic" | "both" | "left" | "right") => self.escaped_name(mover),
                    name => self.name(name),
                }
                if let Some(using) = using {
                    self.push(" using ");
                    self.ident(using);
                }
                self.push(";");
            }
            RefinesTarget::Inline(action) => {
                let InlineAction { mover, attrs, name, body } = &**action;
                self.mover(*mover);
                self.push("action ");
                self.attrs(attrs);
                self.ident(name);
                self.body(body);
            }
        }
    }

    fn datatype(&mut self, decl: &DatatypeDecl) {
        let DatatypeDecl { span: _, attrs, name, type_params, constructors } = decl;
        self.push("datatype ");
        self.attrs(attrs);
        self.ident(name);
        self.type_params(type_params);
        if self.fits(|p| p.bracketed(" { ", constructors, " }", Printer::constructor)) {
            return;
        }
        self.push(" {");
        self.indented(|p| {
            for (i, constructor) in constructors.iter().enumerate() {
                if i > 0 {
                    p.push(",");
                }
                p.line();
                p.constructor(constructor);
            }
        });
        self.line();
        self.push("}");
    }

    fn constructor(&mut self, constructor: &Constructor) {
        let Constructor { name, fields } = constructor;
        self.ident(name);
        self.bracketed("(", fields, ")", Printer::var_group);
    }
}

fn condition_keyword(kind: ConditionKind) -> &'static str {
    match kind {
        ConditionKind::Requires => "requires",
        ConditionKind::Ensures => "ensures",
        ConditionKind::Preserves => "preserves",
        ConditionKind::Asserts => "asserts",
    }
}
