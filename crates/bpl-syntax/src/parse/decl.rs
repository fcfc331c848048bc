//! Declarations, except those of CIVL.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::ty::Where;
use super::{Failed, Parsed, Parser, trimmed};
use crate::ast::{
    Attr, AxiomDecl, Condition, ConditionKind, ConstDecl, ConstOrder, Constructor, DatatypeDecl,
    Decl, FunctionDecl, FunctionParam, Ident, Implementation, List, Modifies, OrderParent,
    Procedure, ProcedureKind, Signature, Spec, Type, TypeDecl, TypeDef, TypeKind,
};
use crate::token::{Token, TokenKind as T};

impl Parser<'_> {
    pub(super) fn program(&mut self, decls: &mut Vec<Arc<Decl>>) {
        while !self.at(T::End) && !self.gave_up() {
            let start = self.position;
            match self.decl() {
                Ok(decl) => decls.push(Arc::new(decl)),
                Err(Failed) => self.skip_decl(start),
            }
        }
    }

    /// Skips the rest of the declaration after an error.
    fn skip_decl(&mut self, start: usize) {
        let mut braces = 0u32;
        if self.position == start {
            self.bump();
        }
        loop {
            match self.kind() {
                T::End => return,
                T::Type
                | T::Const
                | T::Function
                | T::Axiom
                | T::Procedure
                | T::Implementation
                | T::Datatype
                | T::Action
                | T::Pure
                | T::Revealed
                | T::Hideable => return,
                T::Var | T::Yield | T::Async | T::Invariant if braces == 0 => return,
                T::LeftBrace => braces += 1,
                T::RightBrace => braces = braces.saturating_sub(1),
                _ => {}
            }
            self.bump();
        }
    }

    fn decl(&mut self) -> Parsed<Decl> {
        match self.kind() {
            T::Var => Ok(Decl::Var(self.var_decl()?)),
            T::Const => Ok(Decl::Const(self.const_decl()?)),
            T::Type => Ok(Decl::Type(self.type_decl()?)),
            T::Function | T::Revealed => Ok(Decl::Function(self.function_decl()?)),
            T::Axiom | T::Hideable => Ok(Decl::Axiom(self.axiom_decl()?)),
            T::Procedure => self.procedure(ProcedureKind::Plain),
            T::Implementation => Ok(Decl::Implementation(self.implementation()?)),
            T::Datatype => Ok(Decl::Datatype(self.datatype()?)),
            _ if self.is_new() => self.civl_decl(),
            _ => self.fail("a declaration"),
        }
    }

    fn const_decl(&mut self) -> Parsed<ConstDecl> {
        let start = self.bump();
        let attrs = self.attrs()?;
        let unique = self.eat(T::Unique);
        let names = self.idents()?;
        self.expect(T::Colon)?;
        let ty = self.ty()?;
        let order = if self.at(T::Extends) { Some(self.const_order()?) } else { None };
        let uses = if self.at(T::Uses) {
            Some(self.uses()?)
        } else {
            self.expect(T::Semicolon)?;
            None
        };
        Ok(ConstDecl { span: self.span_from(start), attrs, unique, names, ty, order, uses })
    }

    fn const_order(&mut self) -> Parsed<ConstOrder> {
        self.bump();
        let mut parents = Vec::new();
        if matches!(self.kind(), T::Unique | T::Ident) {
            parents = self.list(|p| {
                let unique = p.eat(T::Unique);
                Ok(OrderParent { unique, name: p.ident()? })
            })?;
        }
        Ok(ConstOrder { parents, complete: self.eat(T::Complete) })
    }

    /// `uses { axiom …; }`
    fn uses(&mut self) -> Parsed<Vec<AxiomDecl>> {
        self.bump();
        self.expect(T::LeftBrace)?;
        let mut axioms = Vec::new();
        while !self.eat(T::RightBrace) {
            if !matches!(self.kind(), T::Axiom | T::Hideable) {
                return self.fail("`axiom` or `}`");
            }
            axioms.push(self.axiom_decl()?);
        }
        Ok(axioms)
    }

    fn type_decl(&mut self) -> Parsed<TypeDecl> {
        let start = self.bump();
        let attrs = self.attrs()?;
        let defs = self.list(|p| {
            let name = p.ident()?;
            let mut params = Vec::new();
            while p.at(T::Ident) {
                params.push(p.ident()?);
            }
            let synonym = if p.eat(T::Equal) { Some(p.ty()?) } else { None };
            Ok(TypeDef { name, params: params.into(), synonym })
        })?;
        self.expect(T::Semicolon)?;
        Ok(TypeDecl { span: self.span_from(start), attrs, defs })
    }

    fn axiom_decl(&mut self) -> Parsed<AxiomDecl> {
        let start = self.token();
        let hideable = self.eat(T::Hideable);
        self.expect(T::Axiom)?;
        let attrs = self.attrs()?;
        let expr = self.expr()?;
        self.expect(T::Semicolon)?;
        Ok(AxiomDecl { span: self.span_from(start), hideable, attrs, expr })
    }

    fn function_decl(&mut self) -> Parsed<FunctionDecl> {
        let start = self.token();
        let revealed = self.eat(T::Revealed);
        self.expect(T::Function)?;
        let attrs = self.attrs()?;
        let name = self.ident()?;
        let type_params = self.type_params()?;
        self.expect(T::LeftParen)?;
        let args = self.list_until(T::RightParen, Self::function_arg)?;
        let params = self.function_params(args)?;
        let result = if self.eat(T::Returns) {
            self.expect(T::LeftParen)?;
            let arg = self.function_arg()?;
            self.expect(T::RightParen)?;
            arg.into_param()
        } else if self.eat(T::Colon) {
            FunctionParam { attrs: List::new(), name: None, ty: self.ty()? }
        } else {
            return self.fail("`returns` or `:` and a type");
        };
        let mut body = None;
        let mut uses = None;
        if self.eat(T::LeftBrace) {
            body = Some(self.expr()?);
            self.expect(T::RightBrace)?;
            if self.at(T::Uses) {
                uses = Some(self.uses()?);
            }
        } else if self.at(T::Uses) {
            uses = Some(self.uses()?);
        } else {
            self.expect(T::Semicolon)?;
        }
        let span = self.span_from(start);
        self.check_definition(&attrs, &name, &type_params, body.is_some());
        Ok(FunctionDecl { span, revealed, attrs, name, type_params, params, result, body, uses })
    }

    /// Checks the rules for `{:define}` that Boogie 3 checks while parsing.
    fn check_definition(&mut self, attrs: &[Attr], name: &Ident, params: &[Ident], body: bool) {
        let has = |name| attrs.iter().any(|attr| attr.name == name);
        if !self.is_new() || !body || !has("define") {
            return;
        }
        if has("inline") {
            self.error(name.span, "a function cannot be both `:inline` and `:define`");
        } else if !params.is_empty() {
            self.error(name.span, "a function with `:define` cannot have type parameters");
        }
    }

    /// `T` or `x: T`. Whether the former is a type or a name may depend on the following arguments.
    fn function_arg(&mut self) -> Parsed<FunctionArg> {
        let attrs = self.attrs()?;
        let first = self.ty()?;
        if !self.at(T::Colon) {
            return Ok(FunctionArg { attrs, first, ty: None });
        }
        if lone_name(&first).is_none() {
            self.error(first.span, "expected a name before `:`, found a type");
            return Err(Failed);
        }
        self.bump();
        let ty = Some(self.ty()?);
        Ok(FunctionArg { attrs, first, ty })
    }

    /// Determines which arguments are names. `f(int, bool)` consists of types only; in
    /// `f(x, y: int)`, an item without a type is a name that has the type of the next one.
    fn function_params(&mut self, args: Vec<FunctionArg>) -> Parsed<Vec<FunctionParam>> {
        if args.iter().all(|arg| arg.ty.is_none()) {
            return Ok(trimmed(args.into_iter().map(FunctionArg::into_param).collect()));
        }
        let mut params = Vec::with_capacity(args.len());
        let mut next: Option<Type> = None;
        for mut arg in args.into_iter().rev() {
            let missing = match (arg.ty.take(), &next) {
                (Some(ty), _) => {
                    next = Some(ty);
                    None
                }
                (None, None) => Some("the last argument has no type, but others have"),
                (None, Some(_)) if lone_name(&arg.first).is_none() => {
                    Some("expected a name as in the other arguments, found a type")
                }
                (None, Some(_)) => None,
            };
            if let Some(message) = missing {
                self.error(arg.first.span, message).help =
                    Some("name all arguments, `x: T`, or none of them".to_owned());
                return Err(Failed);
            }
            arg.ty.clone_from(&next);
            params.push(arg.into_param());
        }
        params.reverse();
        Ok(params)
    }

    pub(super) fn signature(
        &mut self,
        type_params: bool,
        attrs: bool,
        where_clause: Where,
    ) -> Parsed<Signature> {
        let name = self.ident()?;
        let type_params = if type_params { self.type_params()? } else { List::new() };
        self.expect(T::LeftParen)?;
        let params = self.groups(attrs, where_clause)?;
        let mut returns = Vec::new();
        if self.eat(T::Returns) {
            self.expect(T::LeftParen)?;
            returns = self.groups(attrs, where_clause)?;
        }
        Ok(Signature { name, type_params, params, returns })
    }

    pub(super) fn procedure(&mut self, kind: ProcedureKind) -> Parsed<Decl> {
        let start = self.bump();
        let attrs = self.attrs()?;
        let is_yield = matches!(kind, ProcedureKind::Yield(_));
        let signature = self.signature(!is_yield, true, Where::Allowed)?;
        let declared_only = self.eat(T::Semicolon);
        let mut specs = Vec::new();
        while self.at_spec() {
            specs.push(if is_yield { self.yield_spec()? } else { self.spec()? });
        }
        let body = if declared_only {
            None
        } else if self.at(T::LeftBrace) {
            Some(self.body()?)
        } else {
            return self.fail("a specification clause, `{` or `;`");
        };
        let span = self.span_from(start);
        Ok(Decl::Procedure(Procedure { span, kind, attrs, signature, specs: trimmed(specs), body }))
    }

    pub(super) fn at_spec(&self) -> bool {
        match self.kind() {
            T::Free | T::Requires | T::Ensures | T::Modifies => true,
            T::Measure | T::Refines | T::Preserves | T::Asserts => true,
            T::Ident => self.is_new() && matches!(self.text(self.token()), "creates"),
            _ => false,
        }
    }

    /// A clause of a plain procedure.
    fn spec(&mut self) -> Parsed<Spec> {
        let start = self.token();
        if self.at(T::Modifies) {
            return self.modifies();
        }
        let free = self.eat(T::Free);
        let kind = match self.kind() {
            T::Requires => ConditionKind::Requires,
            T::Ensures => ConditionKind::Ensures,
            T::Measure => return Ok(Spec::Measure(self.measure(start, free)?)),
            _ => return self.fail("`requires`, `ensures` or `modifies`"),
        };
        self.bump();
        self.condition(start, free, kind)
    }

    pub(super) fn modifies(&mut self) -> Parsed<Spec> {
        let start = self.bump();
        let names = if self.at(T::Semicolon) { List::new() } else { self.idents()? };
        self.expect(T::Semicolon)?;
        Ok(Spec::Modifies(Modifies { span: self.span_from(start), names }))
    }

    /// `{:attr} e;`
    pub(super) fn condition(
        &mut self,
        start: Token,
        free: bool,
        kind: ConditionKind,
    ) -> Parsed<Spec> {
        let attrs = self.attrs()?;
        let expr = self.expr()?;
        self.expect(T::Semicolon)?;
        let span = self.span_from(start);
        Ok(Spec::Condition(Condition { span, free, kind, attrs, expr }))
    }

    fn implementation(&mut self) -> Parsed<Implementation> {
        let start = self.bump();
        let attrs = self.attrs()?;
        let place = Where::Forbidden("parameters of an implementation");
        let signature = self.signature(true, self.is_new(), place)?;
        let body = self.body()?;
        Ok(Implementation { span: self.span_from(start), attrs, signature, body })
    }

    fn datatype(&mut self) -> Parsed<DatatypeDecl> {
        let start = self.bump();
        let attrs = self.attrs()?;
        let name = self.ident()?;
        let type_params = self.type_params()?;
        self.expect(T::LeftBrace)?;
        let constructors = self.list(|p| {
            let name = p.ident()?;
            p.expect(T::LeftParen)?;
            let fields = p.groups(true, Where::Forbidden("fields of a datatype"))?;
            Ok(Constructor { name, fields })
        })?;
        self.expect(T::RightBrace)?;
        let mut seen = FxHashSet::default();
        for constructor in &constructors {
            if !seen.insert(&constructor.name.name) {
                let message = format!("constructor `{}` declared twice", constructor.name.name);
                self.error(constructor.name.span, message);
            }
        }
        let span = self.span_from(start);
        Ok(DatatypeDecl { span, attrs, name, type_params, constructors })
    }
}

/// An argument of a function that has not been interpreted yet.
struct FunctionArg {
    attrs: List<Attr>,
    /// The type; or the name, if the type follows or is that of a later argument.
    first: Type,
    ty: Option<Type>,
}

impl FunctionArg {
    fn into_param(self) -> FunctionParam {
        let FunctionArg { attrs, first, ty } = self;
        match (ty, lone_name(&first)) {
            (Some(ty), Some(name)) => FunctionParam { attrs, name: Some(name), ty },
            _ => FunctionParam { attrs, name: None, ty: first },
        }
    }
}

/// Reinterprets a type as a plain name, if possible.
fn lone_name(ty: &Type) -> Option<Ident> {
    match &ty.kind {
        TypeKind::Named { name, args } if args.is_empty() => {
            Some(Ident { span: ty.span, name: name.clone() })
        }
        _ => None,
    }
}
