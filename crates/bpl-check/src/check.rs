//! The state of the checker, and what all rules share: reporting errors, looking up variables,
//! recording types.
//!
//! Names and types are checked in one traversal. Type errors are filtered at the end: Boogie
//! reports them only if all names could be resolved.

use bpl_syntax::ast::{Attr, AttrParam, Expr, Ident, Name, Type};
use bpl_syntax::diagnostic::{Diagnostic, ErrorClass};
use bpl_syntax::span::Span;
use rustc_hash::FxHashSet;

use crate::env::Env;
use crate::scope::{Local, LocalKind, Scope};
use crate::suggest::nearest;
use crate::type_names::{TypeReader, TypeVars};
use crate::types::{TypeId, TypeKind};
use crate::unify::Solver;

/// The program states that an expression can refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum States {
    /// No state: axioms and function bodies.
    None,
    /// One state: preconditions and `where` clauses.
    One,
    /// Two states, so `old` is allowed: postconditions and bodies.
    Two,
}

/// The global variables that may be modified.
#[derive(Debug)]
pub(crate) enum Frame<'e> {
    /// All of them, since the frame is inferred.
    Any,
    /// The variables in a procedure's `modifies` clauses.
    Only { procedure: Option<&'e str>, modifies: FxHashSet<&'e str> },
}

/// Facts collected from each declaration for the checks across declarations.
#[derive(Debug, Default)]
pub(crate) struct Facts<'a> {
    /// The values of `{:id}` on statements.
    pub(crate) statement_ids: Vec<(&'a Name, Span)>,
    /// The assignments to global `{:assumption}` variables.
    pub(crate) assumptions: Vec<(&'a Name, Span)>,
}

/// A variable of any kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable {
    pub(crate) ty: TypeId,
    pub(crate) kind: VariableKind,
    pub(crate) assumption: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VariableKind {
    Constant,
    Global,
    Local(LocalKind),
}

/// The largest number of errors kept of each class. An error takes many times the memory of the
/// code it is about.
pub(crate) const MAX_ERRORS: usize = 1000;

/// Checks declarations against an environment.
pub(crate) struct Checker<'e, 'a> {
    pub(crate) env: &'e Env,
    pub(crate) solver: Solver<'e>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The number of errors of each class, including those that were not kept.
    resolution_errors: usize,
    type_errors: usize,
    /// Errors are not reported while this is positive.
    silent: u32,
    /// Type errors are not reported while this is positive.
    untyped: u32,
    pub(crate) scope: Scope<'a>,
    pub(crate) type_vars: TypeVars,
    pub(crate) states: States,
    pub(crate) frame: Frame<'e>,
    /// Whether the procedure is `pure`, so that it must not use global variables.
    pub(crate) pure: bool,
    /// Whether the procedure is marked `{:yields}` (Boogie 2).
    pub(crate) yields: bool,
    pub(crate) in_trigger: bool,
    /// The types of all expressions in the current trigger, if they are needed.
    pub(crate) trigger_types: Option<Vec<TypeId>>,
    /// The labels seen in the body so far.
    pub(crate) labels: FxHashSet<&'a str>,
    /// The local `{:assumption}` variables assigned so far.
    pub(crate) assigned: FxHashSet<&'a str>,
    pub(crate) facts: Facts<'a>,
    /// The number of code expressions around the current statement.
    pub(crate) code_depth: u32,
    /// The types of the declaration's expressions, in pre-order.
    recorded: Option<Vec<TypeId>>,
    /// The index from which on the recorded types may contain unknowns.
    unfinished: usize,
}

impl<'e, 'a> Checker<'e, 'a> {
    pub(crate) fn new(env: &'e Env, record: bool) -> Checker<'e, 'a> {
        Checker {
            env,
            solver: Solver::new(&env.types),
            diagnostics: Vec::new(),
            resolution_errors: 0,
            type_errors: 0,
            silent: 0,
            untyped: 0,
            scope: Scope::new(env.dialect),
            type_vars: TypeVars::default(),
            states: States::None,
            frame: Frame::Any,
            pure: false,
            yields: false,
            in_trigger: false,
            trigger_types: None,
            labels: FxHashSet::default(),
            assigned: FxHashSet::default(),
            facts: Facts::default(),
            code_depth: 0,
            recorded: record.then(Vec::new),
            unfinished: 0,
        }
    }

    // Reporting.

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        let ignored = self.untyped > 0 && diagnostic.kind == ErrorClass::Type;
        if self.silent == 0 && !ignored {
            // Count each class separately, since the errors of the other class may turn out to be
            // irrelevant.
            let count = match diagnostic.kind {
                ErrorClass::Type => &mut self.type_errors,
                ErrorClass::Syntax | ErrorClass::Resolution => &mut self.resolution_errors,
            };
            *count += 1;
            if *count <= MAX_ERRORS {
                self.diagnostics.push(diagnostic);
            }
        }
    }

    pub(crate) fn unresolved(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::new(ErrorClass::Resolution, span, message));
    }

    pub(crate) fn ill_typed(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::new(ErrorClass::Type, span, message));
    }

    /// The known name closest to an unknown one. Only the first errors get suggestions: searching
    /// takes time, and nobody reads hundreds of errors.
    pub(crate) fn suggestion<'c>(
        &self,
        name: &str,
        known: impl Iterator<Item = &'c str>,
    ) -> Option<&'c str> {
        const ENOUGH: usize = 100;
        if self.diagnostics.len() < ENOUGH && self.silent == 0 {
            nearest(name, known)
        } else {
            None
        }
    }

    /// Runs an action without reporting errors.
    pub(crate) fn silently<R>(&mut self, action: impl FnOnce(&mut Self) -> R) -> R {
        self.silent += 1;
        let result = action(self);
        self.silent -= 1;
        result
    }

    /// Runs an action without reporting type errors.
    pub(crate) fn untyped<R>(&mut self, action: impl FnOnce(&mut Self) -> R) -> R {
        self.untyped += 1;
        let result = action(self);
        self.untyped -= 1;
        result
    }

    // Recording.

    /// Runs an action without recording the types of its expressions.
    pub(crate) fn unrecorded(&mut self, action: impl FnOnce(&mut Self)) {
        self.finish_inference();
        let recorded = self.recorded.take();
        let unfinished = std::mem::take(&mut self.unfinished);
        action(self);
        self.finish_inference();
        self.recorded = recorded;
        self.unfinished = unfinished;
    }

    /// Reserves the next number for an expression.
    pub(crate) fn begin_expr(&mut self) -> usize {
        match &mut self.recorded {
            Some(recorded) => {
                recorded.push(TypeId::ERROR);
                recorded.len() - 1
            }
            None => 0,
        }
    }

    pub(crate) fn end_expr(&mut self, number: usize, ty: TypeId) {
        if let Some(recorded) = &mut self.recorded {
            recorded[number] = ty;
        }
        if let Some(types) = &mut self.trigger_types {
            types.push(ty);
        }
    }

    /// Ends the inference of a clause or a statement: types that are still unknown remain so.
    pub(crate) fn finish_inference(&mut self) {
        if self.code_depth > 0 {
            return;
        }
        let idle = self.solver.is_idle();
        if let Some(recorded) = &mut self.recorded {
            if !idle {
                for ty in &mut recorded[self.unfinished..] {
                    *ty = self.solver.resolve_fully(*ty);
                }
            }
            self.unfinished = recorded.len();
        }
        if !idle {
            self.solver.reset();
        }
    }

    /// Takes the recorded types of a declaration after it has been checked.
    pub(crate) fn take_recorded(&mut self) -> Vec<TypeId> {
        self.finish_inference();
        self.unfinished = 0;
        self.recorded.as_mut().map(std::mem::take).unwrap_or_default()
    }

    // Types and variables.

    pub(crate) fn reader(&mut self) -> TypeReader<'_, 'e> {
        TypeReader {
            dialect: self.env.dialect,
            names: &self.env.type_names,
            solver: &mut self.solver,
            vars: &mut self.type_vars,
            errors: Vec::new(),
        }
    }

    /// Converts a type from syntax.
    pub(crate) fn read_type(&mut self, ty: &Type) -> TypeId {
        let mut reader = self.reader();
        let id = reader.read(ty);
        let errors = reader.errors;
        self.report_all(errors);
        id
    }

    pub(crate) fn declare_type_params(&mut self, params: &[Ident]) {
        let mut reader = self.reader();
        reader.declare_params(params);
        let errors = reader.errors;
        self.report_all(errors);
    }

    fn report_all(&mut self, errors: Vec<Diagnostic>) {
        for error in errors {
            self.report(error);
        }
    }

    /// Declares a local name with this type and kind.
    pub(crate) fn declare(&mut self, ident: &'a Ident, ty: TypeId, kind: LocalKind) {
        self.declare_local(ident, Local { span: ident.span, ty, kind, assumption: false });
    }

    pub(crate) fn declare_local(&mut self, ident: &'a Ident, local: Local) {
        if let Err(other) = self.scope.declare(&ident.name, local) {
            let name = &ident.name;
            let error = Diagnostic::new(
                ErrorClass::Resolution,
                ident.span,
                format!("variable `{name}` is declared more than once"),
            )
            .help("a local name may hide a global one, but not another local name")
            .related(other.span, "the other declaration");
            self.report(error);
        }
    }

    /// Looks up a variable. Reports an error if it does not exist or must not be used here.
    pub(crate) fn variable(&mut self, span: Span, name: &Name) -> Option<Variable> {
        if let Some(Local { ty, kind, assumption, .. }) = self.scope.get(name) {
            return Some(Variable { ty, kind: VariableKind::Local(kind), assumption });
        }
        let Some(global) = self.env.globals.get(name) else {
            let mut error = Diagnostic::new(
                ErrorClass::Resolution,
                span,
                format!("undeclared identifier `{name}`"),
            );
            let known = self.env.globals.keys().map(Name::as_str);
            if let Some(near) = self.suggestion(name, known.chain(self.scope.names())) {
                error = error.help(format!("did you mean `{near}`?"));
            }
            self.report(error);
            return None;
        };
        let (ty, constant, assumption) = (global.ty, global.constant, global.assumption);
        if !constant && (self.states == States::None || self.pure) {
            self.unresolved(span, format!("global variable `{name}` may not be used here"));
        }
        let kind = if constant { VariableKind::Constant } else { VariableKind::Global };
        Some(Variable { ty, kind, assumption })
    }

    /// Reports an error if a variable may not be changed.
    pub(crate) fn check_assignable(&mut self, ident: &Ident, kind: VariableKind) {
        let (span, name) = (ident.span, &ident.name);
        let what = match kind {
            VariableKind::Local(LocalKind::Out | LocalKind::Var) => return,
            VariableKind::Global => return self.check_frame(span, name, None),
            VariableKind::Constant => "constant",
            VariableKind::Local(LocalKind::In) => "in-parameter",
            VariableKind::Local(LocalKind::Bound) => "bound variable",
        };
        self.ill_typed(span, format!("{what} `{name}` cannot be changed"));
    }

    /// Reports an error if a global variable is not in the frame. `callee` is the procedure that
    /// changes it, if it is not the current one.
    pub(crate) fn check_frame(&mut self, span: Span, name: &str, callee: Option<&str>) {
        let Frame::Only { procedure, modifies } = &self.frame else { return };
        if modifies.contains(name) {
            return;
        }
        let message = match callee {
            Some(callee) => format!("call to `{callee}` changes global variable `{name}`"),
            None => format!("assignment to global variable `{name}`"),
        };
        let message = format!("{message}, which is not in the modifies clause");
        let mut error = Diagnostic::new(ErrorClass::Type, span, message);
        if let Some(procedure) = procedure {
            error = error.help(format!("add `{name}` to the modifies clause of `{procedure}`"));
        }
        self.report(error);
    }

    /// Checks that an expression is of type `bool`, and ends the inference of its clause.
    pub(crate) fn condition(&mut self, expr: &'a Expr, what: &str) {
        let ty = self.expr(expr);
        if !self.solver.unify(ty, TypeId::BOOL) {
            let ty = self.solver.display(ty);
            self.ill_typed(expr.span, format!("{what} must be of type `bool`, not `{ty}`"));
        }
        self.finish_inference();
    }

    // Attributes.

    /// Checks attributes in the current scope.
    pub(crate) fn attributes(&mut self, attrs: &'a [Attr]) {
        for attr in attrs {
            let single = takes_one_argument(attr);
            if single && attr.params.len() != 1 {
                let name = &attr.name;
                self.unresolved(
                    attr.span,
                    format!("attribute `:{name}` takes exactly one argument"),
                );
            }
            for param in &attr.params {
                let ty = match param {
                    AttrParam::Expr(expr) => Some(self.expr(expr)),
                    AttrParam::Str(_) => None,
                };
                if single && attr.params.len() == 1 {
                    self.check_attribute_type(attr, ty);
                }
            }
        }
    }

    /// Whether nothing about the attributes needs checking.
    pub(crate) fn are_plain(attrs: &[Attr]) -> bool {
        attrs.iter().all(|attr| attr.params.is_empty() && !takes_one_argument(attr))
    }

    fn check_attribute_type(&mut self, attr: &Attr, ty: Option<TypeId>) {
        let (fits, wanted) = match (attr.name.as_str(), ty) {
            ("verified_under", Some(ty)) => (self.solver.unify(ty, TypeId::BOOL), "`bool`"),
            ("verified_under", None) => (false, "`bool`"),
            (_, ty) => {
                let ty = ty.map(|ty| self.solver.resolve(ty));
                let kind = ty.map(|ty| self.solver.types.kind(ty));
                let numeric = matches!(
                    kind,
                    Some(TypeKind::Int | TypeKind::Real | TypeKind::BitVector(_) | TypeKind::Error)
                );
                (numeric, "`int`, `real` or a bitvector type")
            }
        };
        if !fits {
            let message = format!("the argument of `:{}` must be of type {wanted}", attr.name);
            self.ill_typed(attr.span, message);
        }
    }

    /// Visits attributes that Boogie ignores, so that their expressions are numbered.
    pub(crate) fn ignored_attributes(&mut self, attrs: &'a [Attr]) {
        if !Self::are_plain(attrs) {
            self.silently(|checker| checker.attributes(attrs));
        }
    }
}

/// The items whose name an earlier item already has.
pub(crate) fn repeated<T>(items: &[T], name: impl Fn(&T) -> &Name) -> Vec<&T> {
    let mut seen = FxHashSet::default();
    items.iter().filter(|item| !seen.insert(name(item))).collect()
}

/// Whether an attribute must have exactly one argument.
fn takes_one_argument(attr: &Attr) -> bool {
    matches!(attr.name.as_str(), "verified_under" | "minimize" | "maximize")
}
