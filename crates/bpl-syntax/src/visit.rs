//! Visitors that read or rewrite a tree.
//!
//! [`Visit`] and [`VisitMut`] are generated from one description, so both visit the same nodes in
//! the same order, that of the source. Each kind of node has a method `visit_…` to be overridden,
//! and a method `walk_…` that visits the children of the node. An overriding method calls `walk_…`
//! if and when the children are to be visited.
//!
//! Every expression is visited, wherever it occurs: in attributes, triggers, `where` clauses,
//! left-hand sides, code expressions, and actions declared in place. Every identifier is passed to
//! `visit_name`, except the names of attributes.
//!
//! ```
//! use bpl_syntax::ast::{BinaryOp, Expr, ExprKind};
//! use bpl_syntax::visit::Visit;
//! use bpl_syntax::{Dialect, parse};
//!
//! struct CountDivisions(usize);
//!
//! impl<'ast> Visit<'ast> for CountDivisions {
//!     fn visit_expr(&mut self, expr: &'ast Expr) {
//!         self.0 += usize::from(matches!(expr.kind, ExprKind::Binary(BinaryOp::Div, _)));
//!         self.walk_expr(expr);
//!     }
//! }
//!
//! let program = parse("axiom 7 div 2 div 1 == 3;", Dialect::Boogie2).program;
//! let mut count = CountDivisions(0);
//! program.decls.iter().for_each(|decl| count.visit_decl(decl));
//! assert_eq!(count.0, 2);
//! ```

use crate::ast::{
    ActionDecl, Annotation, Assign, Attr, AttrParam, AxiomDecl, Block, Body, CallArm,
    CallCondition, CallStmt, CodeBlock, CodeExpr, CodeTransfer, Condition, ConstDecl, ConstOrder,
    Constructor, Creates, DatatypeDecl, Decl, Else, Expr, ExprKind, Extract, FieldUpdate,
    FunctionDecl, FunctionParam, Goto, Guard, If, IfExpr, Implementation, InlineAction,
    InvariantClause, InvariantDecl, Let, LetVar, Lhs, LhsStep, List, LoopInvariant, LoopSpec,
    MapType, Measure, Modifies, Name, OrderParent, Predicate, Procedure, Quantifier, Refines,
    RefinesTarget, Signature, Spec, Stmt, StmtKind, Store, Trigger, Type, TypeDecl, TypeDef,
    TypeKind, Unpack, VarDecl, VarGroup, While,
};
use crate::stack::deep;

/// The kind of entity that an identifier names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Namespace {
    /// A type constructor, synonym, variable or datatype.
    Type,
    /// A variable or a constant.
    Variable,
    /// A function; in an application, also a constructor or anything else that looks like a
    /// function.
    Function,
    /// A procedure, an action or a yield invariant.
    Procedure,
    /// A constructor of a datatype.
    Constructor,
    /// A field of a datatype.
    Field,
    /// A label.
    Label,
}

/// Whether an identifier introduces the entity it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Occurrence {
    /// The entity is declared or bound here.
    Binding,
    /// The entity is declared elsewhere. The name of an implementation is a use.
    Use,
}

use Namespace::{Constructor as ConstructorName, Field, Function, Label, Procedure as Proc};
use Namespace::{Type as TypeName, Variable};
use Occurrence::{Binding, Use};

/// Declares a visitor over `&Node` or `&mut Node`.
macro_rules! visitor {
    (
        $(#[$doc:meta])*
        trait $Visitor:ident $(<$life:lifetime>)?, nodes: & $($mutable:ident)?
    ) => {
        $(#[$doc])*
        pub trait $Visitor $(<$life>)? {
            /// Visits a declaration.
            fn visit_decl(&mut self, decl: &$($life)? $($mutable)? Decl) {
                self.walk_decl(decl);
            }

            /// Visits an axiom, at the top level or in a `uses` block.
            fn visit_axiom(&mut self, axiom: &$($life)? $($mutable)? AxiomDecl) {
                self.walk_axiom(axiom);
            }

            /// Visits a declaration of global or local variables.
            fn visit_var_decl(&mut self, var: &$($life)? $($mutable)? VarDecl) {
                self.walk_var_decl(var);
            }

            /// Visits variables that share a type, wherever they are bound.
            fn visit_var_group(&mut self, group: &$($life)? $($mutable)? VarGroup) {
                self.walk_var_group(group);
            }

            /// Visits a clause of a procedure or an action.
            fn visit_spec(&mut self, spec: &$($life)? $($mutable)? Spec) {
                self.walk_spec(spec);
            }

            /// Visits a clause of a loop.
            fn visit_loop_spec(&mut self, spec: &$($life)? $($mutable)? LoopSpec) {
                self.walk_loop_spec(spec);
            }

            /// Visits a body.
            fn visit_body(&mut self, body: &$($life)? $($mutable)? Body) {
                self.walk_body(body);
            }

            /// Visits a list of statements.
            fn visit_block(&mut self, block: &$($life)? $($mutable)? Block) {
                self.walk_block(block);
            }

            /// Visits a statement.
            fn visit_stmt(&mut self, stmt: &$($life)? $($mutable)? Stmt) {
                self.walk_stmt(stmt);
            }

            /// Visits a conditional, including one after an `else`.
            fn visit_if(&mut self, if_stmt: &$($life)? $($mutable)? If) {
                self.walk_if(if_stmt);
            }

            /// Visits a call, either a statement or part of a clause.
            fn visit_call(&mut self, call: &$($life)? $($mutable)? CallStmt) {
                self.walk_call(call);
            }

            /// Visits an expression.
            fn visit_expr(&mut self, expr: &$($life)? $($mutable)? Expr) {
                self.walk_expr(expr);
            }

            /// Visits a quantifier or a lambda.
            fn visit_quantifier(&mut self, quantifier: &$($life)? $($mutable)? Quantifier) {
                self.walk_quantifier(quantifier);
            }

            /// Visits a trigger.
            fn visit_trigger(&mut self, trigger: &$($life)? $($mutable)? Trigger) {
                self.walk_trigger(trigger);
            }

            /// Visits a type.
            fn visit_type(&mut self, ty: &$($life)? $($mutable)? Type) {
                self.walk_type(ty);
            }

            /// Visits an attribute.
            fn visit_attr(&mut self, attr: &$($life)? $($mutable)? Attr) {
                self.walk_attr(attr);
            }

            /// Visits an identifier.
            fn visit_name(
                &mut self,
                name: &$($life)? $($mutable)? Name,
                namespace: Namespace,
                occurrence: Occurrence,
            ) {
                let _ = (name, namespace, occurrence);
            }

            /// Visits the parts of a declaration.
            #[expect(clippy::too_many_lines, reason = "a table with a row for each kind of declaration")]
            fn walk_decl(&mut self, decl: &$($life)? $($mutable)? Decl) {
                match decl {
                    Decl::Type(TypeDecl { span: _, attrs, defs }) => {
                        self.walk_attrs(attrs);
                        for TypeDef { name, params, synonym } in defs {
                            self.visit_name(& $($mutable)? name.name, TypeName, Binding);
                            for param in params {
                                self.visit_name(& $($mutable)? param.name, TypeName, Binding);
                            }
                            if let Some(ty) = synonym {
                                self.visit_type(ty);
                            }
                        }
                    }
                    Decl::Const(ConstDecl { span: _, attrs, unique: _, names, ty, order, uses }) => {
                        self.walk_attrs(attrs);
                        for ident in names {
                            self.visit_name(& $($mutable)? ident.name, Variable, Binding);
                        }
                        self.visit_type(ty);
                        if let Some(ConstOrder { parents, complete: _ }) = order {
                            for OrderParent { unique: _, name } in parents {
                                self.visit_name(& $($mutable)? name.name, Variable, Use);
                            }
                        }
                        for axiom in uses.into_iter().flatten() {
                            self.visit_axiom(axiom);
                        }
                    }
                    Decl::Function(FunctionDecl {
                        span: _,
                        revealed: _,
                        attrs,
                        name,
                        type_params,
                        params,
                        result,
                        body,
                        uses,
                    }) => {
                        self.walk_attrs(attrs);
                        self.visit_name(& $($mutable)? name.name, Function, Binding);
                        for ident in type_params {
                            self.visit_name(& $($mutable)? ident.name, TypeName, Binding);
                        }
                        for param in params {
                            self.walk_function_param(param);
                        }
                        self.walk_function_param(result);
                        if let Some(expr) = body {
                            self.visit_expr(expr);
                        }
                        for axiom in uses.into_iter().flatten() {
                            self.visit_axiom(axiom);
                        }
                    }
                    Decl::Axiom(axiom) => self.visit_axiom(axiom),
                    Decl::Var(var) => self.visit_var_decl(var),
                    Decl::Procedure(Procedure { span: _, kind: _, attrs, signature, specs, body }) => {
                        self.walk_attrs(attrs);
                        self.walk_signature(signature, Binding);
                        for spec in specs {
                            self.visit_spec(spec);
                        }
                        if let Some(body) = body {
                            self.visit_body(body);
                        }
                    }
                    Decl::Implementation(Implementation { span: _, attrs, signature, body }) => {
                        self.walk_attrs(attrs);
                        self.walk_signature(signature, Use);
                        self.visit_body(body);
                    }
                    Decl::Datatype(DatatypeDecl {
                        span: _,
                        attrs,
                        name,
                        type_params,
                        constructors,
                    }) => {
                        self.walk_attrs(attrs);
                        self.visit_name(& $($mutable)? name.name, TypeName, Binding);
                        for ident in type_params {
                            self.visit_name(& $($mutable)? ident.name, TypeName, Binding);
                        }
                        for Constructor { name, fields } in constructors {
                            self.visit_name(& $($mutable)? name.name, ConstructorName, Binding);
                            for VarGroup { span: _, attrs, names, ty, where_clause } in fields {
                                self.walk_attrs(attrs);
                                for ident in names {
                                    self.visit_name(& $($mutable)? ident.name, Field, Binding);
                                }
                                self.visit_type(ty);
                                if let Some(expr) = where_clause {
                                    self.visit_expr(expr);
                                }
                            }
                        }
                    }
                    Decl::Action(ActionDecl {
                        span: _,
                        pure: _,
                        is_async: _,
                        mover: _,
                        attrs,
                        signature,
                        specs,
                        body,
                    }) => {
                        self.walk_attrs(attrs);
                        self.walk_signature(signature, Binding);
                        for spec in specs {
                            self.visit_spec(spec);
                        }
                        if let Some(body) = body {
                            self.visit_body(body);
                        }
                    }
                    Decl::Invariant(InvariantDecl { span: _, is_yield: _, attrs, signature, clauses }) => {
                        self.walk_attrs(attrs);
                        self.walk_signature(signature, Binding);
                        for InvariantClause { span: _, old_keyword: _, attrs, expr } in clauses {
                            self.walk_attrs(attrs);
                            self.visit_expr(expr);
                        }
                    }
                }
            }

            /// Visits attributes.
            fn walk_attrs(&mut self, attrs: &$($life)? $($mutable)? List<Attr>) {
                for attr in attrs {
                    self.visit_attr(attr);
                }
            }

            /// Visits the parameters of an attribute.
            fn walk_attr(&mut self, attr: &$($life)? $($mutable)? Attr) {
                let Attr { span: _, name: _, params } = attr;
                for param in params {
                    match param {
                        AttrParam::Str(_) => {}
                        AttrParam::Expr(expr) => self.visit_expr(expr),
                    }
                }
            }

            /// Visits the parts of an axiom.
            fn walk_axiom(&mut self, axiom: &$($life)? $($mutable)? AxiomDecl) {
                let AxiomDecl { span: _, hideable: _, attrs, expr } = axiom;
                self.walk_attrs(attrs);
                self.visit_expr(expr);
            }

            /// Visits the parts of a declaration of variables.
            fn walk_var_decl(&mut self, var: &$($life)? $($mutable)? VarDecl) {
                let VarDecl { span: _, attrs, groups } = var;
                self.walk_attrs(attrs);
                for group in groups {
                    self.visit_var_group(group);
                }
            }

            /// Visits the names, the type and the `where` clause of a group of variables.
            fn walk_var_group(&mut self, group: &$($life)? $($mutable)? VarGroup) {
                let VarGroup { span: _, attrs, names, ty, where_clause } = group;
                self.walk_attrs(attrs);
                for ident in names {
                    self.visit_name(& $($mutable)? ident.name, Variable, Binding);
                }
                self.visit_type(ty);
                if let Some(expr) = where_clause {
                    self.visit_expr(expr);
                }
            }

            /// Visits the parts of a function's argument or result.
            fn walk_function_param(&mut self, param: &$($life)? $($mutable)? FunctionParam) {
                let FunctionParam { attrs, name, ty } = param;
                self.walk_attrs(attrs);
                if let Some(ident) = name {
                    self.visit_name(& $($mutable)? ident.name, Variable, Binding);
                }
                self.visit_type(ty);
            }

            /// Visits the parts of a signature. Its name may be a binding or a use.
            fn walk_signature(
                &mut self,
                signature: &$($life)? $($mutable)? Signature,
                occurrence: Occurrence,
            ) {
                let Signature { name, type_params, params, returns } = signature;
                self.visit_name(& $($mutable)? name.name, Proc, occurrence);
                for ident in type_params {
                    self.visit_name(& $($mutable)? ident.name, TypeName, Binding);
                }
                for group in params {
                    self.visit_var_group(group);
                }
                for group in returns {
                    self.visit_var_group(group);
                }
            }

            /// Visits the parts of a clause of a procedure or an action.
            fn walk_spec(&mut self, spec: &$($life)? $($mutable)? Spec) {
                match spec {
                    Spec::Modifies(Modifies { span: _, names }) => {
                        for ident in names {
                            self.visit_name(& $($mutable)? ident.name, Variable, Use);
                        }
                    }
                    Spec::Condition(Condition { span: _, free: _, kind: _, attrs, expr }) => {
                        self.walk_attrs(attrs);
                        self.visit_expr(expr);
                    }
                    Spec::CallCondition(CallCondition { span: _, kind: _, call }) => {
                        self.visit_call(call);
                    }
                    Spec::Measure(measure) => self.walk_measure(measure),
                    Spec::Refines(Refines { span: _, attrs, target }) => {
                        self.walk_attrs(attrs);
                        match target {
                            RefinesTarget::Named { action, using } => {
                                self.visit_name(& $($mutable)? action.name, Proc, Use);
                                if let Some(ident) = using {
                                    self.visit_name(& $($mutable)? ident.name, Proc, Use);
                                }
                            }
                            RefinesTarget::Inline(action) => {
                                let InlineAction { mover: _, attrs, name, body } =
                                    & $($mutable)? **action;
                                self.walk_attrs(attrs);
                                self.visit_name(& $($mutable)? name.name, Proc, Binding);
                                self.visit_body(body);
                            }
                        }
                    }
                    Spec::Creates(Creates { span: _, names }) => {
                        for ident in names {
                            self.visit_name(& $($mutable)? ident.name, Proc, Use);
                        }
                    }
                }
            }

            /// Visits the parts of a `measure`.
            fn walk_measure(&mut self, measure: &$($life)? $($mutable)? Measure) {
                let Measure { span: _, free: _, attrs, exprs } = measure;
                self.walk_attrs(attrs);
                self.walk_exprs(exprs);
            }

            /// Visits the locals and the statements of a body.
            fn walk_body(&mut self, body: &$($life)? $($mutable)? Body) {
                let Body { span: _, locals, block } = body;
                for local in locals {
                    self.visit_var_decl(local);
                }
                self.visit_block(block);
            }

            /// Visits the statements of a list.
            fn walk_block(&mut self, block: &$($life)? $($mutable)? Block) {
                for stmt in block {
                    self.visit_stmt(stmt);
                }
            }

            /// Visits the parts of a statement.
            fn walk_stmt(&mut self, stmt: &$($life)? $($mutable)? Stmt) {
                let Stmt { span: _, kind } = stmt;
                match kind {
                    StmtKind::Label(ident) => {
                        self.visit_name(& $($mutable)? ident.name, Label, Binding);
                    }
                    StmtKind::Assert(predicate) | StmtKind::Assume(predicate) => {
                        let Predicate { attrs, expr } = & $($mutable)? **predicate;
                        self.walk_attrs(attrs);
                        self.visit_expr(expr);
                    }
                    StmtKind::Havoc(names) => {
                        for ident in names {
                            self.visit_name(& $($mutable)? ident.name, Variable, Use);
                        }
                    }
                    StmtKind::Assign(assign) => {
                        let Assign { lhs, attrs, rhs } = & $($mutable)? **assign;
                        for Lhs { base, steps } in lhs {
                            self.visit_name(& $($mutable)? base.name, Variable, Use);
                            for step in steps {
                                match step {
                                    LhsStep::Index(indices) => self.walk_exprs(indices),
                                    LhsStep::Field(ident) => {
                                        self.visit_name(& $($mutable)? ident.name, Field, Use);
                                    }
                                }
                            }
                        }
                        self.walk_attrs(attrs);
                        self.walk_exprs(rhs);
                    }
                    StmtKind::Unpack(unpack) => {
                        let Unpack { constructor, vars, attrs, rhs } = & $($mutable)? **unpack;
                        self.visit_name(& $($mutable)? constructor.name, ConstructorName, Use);
                        for ident in vars {
                            self.visit_name(& $($mutable)? ident.name, Variable, Use);
                        }
                        self.walk_attrs(attrs);
                        self.visit_expr(rhs);
                    }
                    StmtKind::Call(call) => self.visit_call(call),
                    StmtKind::If(if_stmt) => deep(|| self.visit_if(if_stmt)),
                    StmtKind::While(while_stmt) => deep(|| self.walk_while(while_stmt)),
                    StmtKind::Break(label) => {
                        if let Some(ident) = label {
                            self.visit_name(& $($mutable)? ident.name, Label, Use);
                        }
                    }
                    StmtKind::Goto(goto) => self.walk_goto(goto),
                    StmtKind::Return(attrs) => self.walk_attrs(attrs),
                    StmtKind::Measure(measure) => self.walk_measure(measure),
                    StmtKind::Hide(target) | StmtKind::Reveal(target) => {
                        if let Some(ident) = target {
                            self.visit_name(& $($mutable)? ident.name, Function, Use);
                        }
                    }
                    StmtKind::Yield | StmtKind::Push | StmtKind::Pop => {}
                }
            }

            /// Visits the guard and the branches of a conditional.
            fn walk_if(&mut self, if_stmt: &$($life)? $($mutable)? If) {
                let If { attrs, guard, then_block, else_branch } = if_stmt;
                self.walk_attrs(attrs);
                self.walk_guard(guard);
                self.visit_block(then_block);
                match else_branch {
                    None => {}
                    Some(Else::If(if_stmt)) => deep(|| self.visit_if(if_stmt)),
                    Some(Else::Block(block)) => self.visit_block(block),
                }
            }

            /// Visits the expression of a guard.
            fn walk_guard(&mut self, guard: &$($life)? $($mutable)? Guard) {
                match guard {
                    Guard::Star => {}
                    Guard::Expr(expr) => self.visit_expr(expr),
                }
            }

            /// Visits the guard, the clauses and the body of a loop.
            fn walk_while(&mut self, while_stmt: &$($life)? $($mutable)? While) {
                let While { guard, specs, block } = while_stmt;
                self.walk_guard(guard);
                for spec in specs {
                    self.visit_loop_spec(spec);
                }
                self.visit_block(block);
            }

            /// Visits the parts of a clause of a loop.
            fn walk_loop_spec(&mut self, spec: &$($life)? $($mutable)? LoopSpec) {
                match spec {
                    LoopSpec::Invariant(LoopInvariant { span: _, free: _, attrs, expr }) => {
                        self.walk_attrs(attrs);
                        self.visit_expr(expr);
                    }
                    LoopSpec::Call { span: _, attrs, call } => {
                        self.walk_attrs(attrs);
                        self.visit_call(call);
                    }
                    LoopSpec::Measure(measure) => self.walk_measure(measure),
                }
            }

            /// Visits the arms of a call.
            fn walk_call(&mut self, call: &$($life)? $($mutable)? CallStmt) {
                let CallStmt { is_async: _, free: _, is_par: _, arms } = call;
                for CallArm { span: _, attrs, outs, callee, args } in arms {
                    self.walk_attrs(attrs);
                    for ident in outs {
                        self.visit_name(& $($mutable)? ident.name, Variable, Use);
                    }
                    self.visit_name(& $($mutable)? callee.name, Proc, Use);
                    self.walk_exprs(args);
                }
            }

            /// Visits the targets of a `goto`.
            fn walk_goto(&mut self, goto: &$($life)? $($mutable)? Goto) {
                let Goto { attrs, targets } = goto;
                self.walk_attrs(attrs);
                for ident in targets {
                    self.visit_name(& $($mutable)? ident.name, Label, Use);
                }
            }

            /// Visits expressions.
            fn walk_exprs(&mut self, exprs: &$($life)? $($mutable)? List<Expr>) {
                for expr in exprs {
                    self.visit_expr(expr);
                }
            }

            /// Visits the parts of an expression.
            fn walk_expr(&mut self, expr: &$($life)? $($mutable)? Expr) {
                let Expr { span: _, kind } = expr;
                deep(|| match kind {
                    ExprKind::Literal(_) => {}
                    ExprKind::Var(name) => self.visit_name(name, Variable, Use),
                    ExprKind::Call { function, args } => {
                        self.visit_name(function, Function, Use);
                        self.walk_exprs(args);
                    }
                    ExprKind::Old(inner)
                    | ExprKind::Convert(_, inner)
                    | ExprKind::Unary(_, inner) => self.visit_expr(inner),
                    ExprKind::Binary(_, operands) => {
                        let (left, right) = & $($mutable)? **operands;
                        self.visit_expr(left);
                        self.visit_expr(right);
                    }
                    ExprKind::Is(is) => {
                        let (inner, ident) = & $($mutable)? **is;
                        self.visit_expr(inner);
                        self.visit_name(& $($mutable)? ident.name, ConstructorName, Use);
                    }
                    ExprKind::Coerce(inner, ty) => {
                        self.visit_expr(inner);
                        self.visit_type(ty);
                    }
                    ExprKind::Select(map, indices) => {
                        self.visit_expr(map);
                        self.walk_exprs(indices);
                    }
                    ExprKind::Store(store) => {
                        let Store { map, indices, value } = & $($mutable)? **store;
                        self.visit_expr(map);
                        self.walk_exprs(indices);
                        self.visit_expr(value);
                    }
                    ExprKind::Extract(extract) => {
                        let Extract { vector, high: _, low: _ } = & $($mutable)? **extract;
                        self.visit_expr(vector);
                    }
                    ExprKind::Field(field) => {
                        let (record, ident) = & $($mutable)? **field;
                        self.visit_expr(record);
                        self.visit_name(& $($mutable)? ident.name, Field, Use);
                    }
                    ExprKind::FieldUpdate(update) => {
                        let FieldUpdate { record, field, value } = & $($mutable)? **update;
                        self.visit_expr(record);
                        self.visit_name(& $($mutable)? field.name, Field, Use);
                        self.visit_expr(value);
                    }
                    ExprKind::If(if_expr) => {
                        let IfExpr { cond, then_expr, else_expr } = & $($mutable)? **if_expr;
                        self.visit_expr(cond);
                        self.visit_expr(then_expr);
                        self.visit_expr(else_expr);
                    }
                    ExprKind::Quantifier(quantifier) => self.visit_quantifier(quantifier),
                    ExprKind::Let(let_expr) => {
                        let Let { vars, values, attrs, body } = & $($mutable)? **let_expr;
                        for LetVar { attrs, name } in vars {
                            self.walk_attrs(attrs);
                            self.visit_name(& $($mutable)? name.name, Variable, Binding);
                        }
                        self.walk_exprs(values);
                        self.walk_attrs(attrs);
                        self.visit_expr(body);
                    }
                    ExprKind::Code(code) => self.walk_code(code),
                });
            }

            /// Visits the parts of a quantifier or a lambda.
            fn walk_quantifier(&mut self, quantifier: &$($life)? $($mutable)? Quantifier) {
                let Quantifier { binder: _, type_params, bound, annotations, body } = quantifier;
                for ident in type_params {
                    self.visit_name(& $($mutable)? ident.name, TypeName, Binding);
                }
                for group in bound {
                    self.visit_var_group(group);
                }
                for annotation in annotations {
                    match annotation {
                        Annotation::Attr(attr) => self.visit_attr(attr),
                        Annotation::Trigger(trigger) => self.visit_trigger(trigger),
                    }
                }
                self.visit_expr(body);
            }

            /// Visits the terms of a trigger.
            fn walk_trigger(&mut self, trigger: &$($life)? $($mutable)? Trigger) {
                let Trigger { span: _, negative: _, terms } = trigger;
                self.walk_exprs(terms);
            }

            /// Visits the locals and the blocks of a code expression.
            fn walk_code(&mut self, code: &$($life)? $($mutable)? CodeExpr) {
                let CodeExpr { locals, blocks } = code;
                for local in locals {
                    self.visit_var_decl(local);
                }
                for CodeBlock { label, stmts, transfer } in blocks {
                    self.visit_name(& $($mutable)? label.name, Label, Binding);
                    self.visit_block(stmts);
                    match transfer {
                        CodeTransfer::Goto(goto) => self.walk_goto(goto),
                        CodeTransfer::Return { attrs, expr } => {
                            self.walk_attrs(attrs);
                            self.visit_expr(expr);
                        }
                    }
                }
            }

            /// Visits the parts of a type.
            fn walk_type(&mut self, ty: &$($life)? $($mutable)? Type) {
                let Type { span: _, kind } = ty;
                match kind {
                    TypeKind::Int | TypeKind::Real | TypeKind::Bool => {}
                    TypeKind::Named { name, args } => {
                        self.visit_name(name, TypeName, Use);
                        for arg in args {
                            deep(|| self.visit_type(arg));
                        }
                    }
                    TypeKind::Map(map) => {
                        let MapType { type_params, domain, range } = & $($mutable)? **map;
                        for ident in type_params {
                            self.visit_name(& $($mutable)? ident.name, TypeName, Binding);
                        }
                        for ty in domain {
                            deep(|| self.visit_type(ty));
                        }
                        deep(|| self.visit_type(range));
                    }
                }
            }
        }
    };
}

visitor! {
    /// Reads a tree. The references passed to it live as long as the tree, so a visitor can keep
    /// them.
    ///
    /// ```
    /// use bpl_syntax::ast::Name;
    /// use bpl_syntax::visit::{Namespace, Occurrence, Visit};
    /// use bpl_syntax::{Dialect, parse};
    ///
    /// /// Collects the functions that are called.
    /// struct Calls<'ast>(Vec<&'ast Name>);
    ///
    /// impl<'ast> Visit<'ast> for Calls<'ast> {
    ///     fn visit_name(&mut self, name: &'ast Name, space: Namespace, occurrence: Occurrence) {
    ///         if (space, occurrence) == (Namespace::Function, Occurrence::Use) {
    ///             self.0.push(name);
    ///         }
    ///     }
    /// }
    ///
    /// let program = parse("axiom f(1) == g(2);", Dialect::Boogie2).program;
    /// let mut calls = Calls(Vec::new());
    /// program.decls.iter().for_each(|decl| calls.visit_decl(decl));
    /// assert_eq!(calls.0, ["f", "g"]);
    /// ```
    trait Visit<'ast>, nodes: &
}

visitor! {
    /// Rewrites a tree in place. Use [`Program::decl_mut`](crate::ast::Program::decl_mut) to get a
    /// declaration of a program; it does not affect other programs.
    ///
    /// ```
    /// use bpl_syntax::ast::{Expr, ExprKind};
    /// use bpl_syntax::visit::VisitMut;
    /// use bpl_syntax::{Dialect, parse, print};
    ///
    /// /// Removes `old`, leaving its argument.
    /// struct RemoveOld;
    ///
    /// impl VisitMut for RemoveOld {
    ///     fn visit_expr(&mut self, expr: &mut Expr) {
    ///         self.walk_expr(expr);
    ///         if let ExprKind::Old(inner) = &mut expr.kind {
    ///             expr.kind = inner.kind.clone();
    ///         }
    ///     }
    /// }
    ///
    /// let source = "procedure p(); ensures g == old(g);";
    /// let mut program = parse(source, Dialect::Boogie2).program;
    /// RemoveOld.visit_decl(program.decl_mut(0));
    /// assert_eq!(print(&program), "procedure p();\n  ensures g == g;\n");
    /// ```
    trait VisitMut, nodes: &mut
}
