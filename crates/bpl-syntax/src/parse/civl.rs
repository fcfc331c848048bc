//! The declarations and clauses of CIVL, the layer for concurrent programs of Boogie 3.

use super::ty::Where;
use super::{Parsed, Parser};
use crate::ast::{
    ActionDecl, CallCondition, ConditionKind, Creates, Decl, InlineAction, InvariantClause,
    InvariantDecl, Mover, ProcedureKind, Refines, RefinesTarget, Spec,
};
use crate::token::TokenKind as T;

impl Parser<'_> {
    pub(super) fn civl_decl(&mut self) -> Parsed<Decl> {
        match self.kind() {
            T::Pure if self.kind_at(1) == T::Procedure => {
                self.bump();
                self.procedure(ProcedureKind::Pure)
            }
            T::Yield if self.kind_at(1) == T::Invariant => self.invariant_decl(),
            T::Invariant => self.invariant_decl(),
            T::Yield => {
                self.bump();
                let mover = self.mover();
                if !self.at(T::Procedure) {
                    return self.fail("`procedure` or `invariant`");
                }
                self.procedure(ProcedureKind::Yield(mover))
            }
            T::Pure | T::Async | T::Action => self.action_decl(),
            T::Ident if self.mover_ahead().is_some() && self.kind_at(1) == T::Action => {
                self.action_decl()
            }
            _ => self.fail("a declaration"),
        }
    }

    fn mover_ahead(&self) -> Option<Mover> {
        if !self.at(T::Ident) {
            return None;
        }
        match self.text(self.token()) {
            "atomic" => Some(Mover::Atomic),
            "both" => Some(Mover::Both),
            "left" => Some(Mover::Left),
            "right" => Some(Mover::Right),
            _ => None,
        }
    }

    fn mover(&mut self) -> Option<Mover> {
        let mover = self.mover_ahead();
        if mover.is_some() {
            self.bump();
        }
        mover
    }

    fn action_decl(&mut self) -> Parsed<Decl> {
        let start = self.token();
        let pure = self.eat(T::Pure);
        let is_async = self.eat(T::Async);
        let mover = self.mover();
        self.expect(T::Action)?;
        let attrs = self.attrs()?;
        let signature = self.signature(false, true, Where::Allowed)?;
        let declared_only = self.eat(T::Semicolon);
        let mut specs = Vec::new();
        while self.at_spec() {
            specs.push(self.action_spec()?);
        }
        let body = if declared_only { None } else { Some(self.body()?) };
        let span = self.span_from(start);
        Ok(Decl::Action(ActionDecl { span, pure, is_async, mover, attrs, signature, specs, body }))
    }

    fn invariant_decl(&mut self) -> Parsed<Decl> {
        let start = self.token();
        let is_yield = self.eat(T::Yield);
        self.expect(T::Invariant)?;
        let attrs = self.attrs()?;
        let signature = self.signature(false, true, Where::Allowed)?;
        self.expect(T::Semicolon)?;
        let mut clauses = Vec::new();
        // Before 3.5.6 the clauses started with `invariant`, like the declarations after them.
        while self.at(T::Preserves) || (self.at(T::Invariant) && !self.invariant_decl_ahead()) {
            let start = self.bump();
            let attrs = self.attrs()?;
            let expr = self.expr()?;
            self.expect(T::Semicolon)?;
            let span = self.span_from(start);
            let old_keyword = start.kind == T::Invariant;
            clauses.push(InvariantClause { span, old_keyword, attrs, expr });
        }
        let span = self.span_from(start);
        Ok(Decl::Invariant(InvariantDecl { span, is_yield, attrs, signature, clauses }))
    }

    /// Whether the next tokens are `invariant {:attr} name(x: T, …);` or `invariant name();`. A
    /// declaration has a colon after the first names in its parentheses, an expression never does.
    fn invariant_decl_ahead(&mut self) -> bool {
        let mut ahead = 1;
        let mut braces = 0u32;
        loop {
            match self.kind_far(ahead) {
                T::LeftBrace => braces += 1,
                T::RightBrace if braces > 0 => braces -= 1,
                T::End => return false,
                _ if braces == 0 => break,
                _ => {}
            }
            ahead += 1;
        }
        if self.kind_far(ahead) != T::Ident || self.kind_far(ahead + 1) != T::LeftParen {
            return false;
        }
        ahead += 2;
        if self.kind_far(ahead) == T::RightParen {
            return self.kind_far(ahead + 1) == T::Semicolon;
        }
        while matches!(self.kind_far(ahead), T::Ident | T::Comma) {
            ahead += 1;
        }
        matches!(self.kind_far(ahead), T::Colon | T::LeftBrace)
    }

    pub(super) fn yield_spec(&mut self) -> Parsed<Spec> {
        let start = self.token();
        match self.kind() {
            T::Modifies => self.modifies(),
            T::Measure => Ok(Spec::Measure(self.measure(start, false)?)),
            T::Refines => self.refines(true),
            T::Requires => self.condition_or_call(ConditionKind::Requires),
            T::Ensures => self.condition_or_call(ConditionKind::Ensures),
            T::Preserves => self.condition_or_call(ConditionKind::Preserves),
            _ => self.fail("a clause of a yielding procedure"),
        }
    }

    fn action_spec(&mut self) -> Parsed<Spec> {
        let start = self.token();
        match self.kind() {
            T::Modifies => self.modifies(),
            T::Refines => self.refines(false),
            T::Requires => self.condition_or_call(ConditionKind::Requires),
            T::Asserts => {
                self.bump();
                self.condition(start, false, ConditionKind::Asserts)
            }
            T::Ident => {
                self.bump();
                let names = self.idents()?;
                self.expect(T::Semicolon)?;
                Ok(Spec::Creates(Creates { span: self.span_from(start), names }))
            }
            _ => self.fail("a clause of an action"),
        }
    }

    fn condition_or_call(&mut self, kind: ConditionKind) -> Parsed<Spec> {
        let start = self.bump();
        if !self.at(T::Call) {
            return self.condition(start, false, kind);
        }
        let call = self.spec_call()?;
        Ok(Spec::CallCondition(CallCondition { span: self.span_from(start), kind, call }))
    }

    /// `refines a;` or, of a procedure, `refines left action a { … }`
    fn refines(&mut self, inline: bool) -> Parsed<Spec> {
        let start = self.bump();
        let attrs = self.attrs()?;
        let is_inline =
            self.at(T::Action) || (self.mover_ahead().is_some() && self.kind_at(1) == T::Action);
        let target = if inline && is_inline {
            let mover = self.mover();
            self.expect(T::Action)?;
            let attrs = self.attrs()?;
            let name = self.ident()?;
            let body = self.body()?;
            RefinesTarget::Inline(Box::new(InlineAction { mover, attrs, name, body }))
        } else {
            let action = self.ident()?;
            let using = if self.at_contextual("using") {
                self.bump();
                Some(self.ident()?)
            } else {
                None
            };
            self.expect(T::Semicolon)?;
            RefinesTarget::Named { action, using }
        };
        Ok(Spec::Refines(Refines { span: self.span_from(start), attrs, target }))
    }
}
