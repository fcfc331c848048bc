//! Bodies and statements.

use super::ty::Where;
use super::{Failed, Parsed, Parser, trimmed};
use crate::ast::{
    Assign, Attr, Block, Body, CallArm, CallStmt, Else, Expr, Goto, Guard, Ident, If, Lhs, LhsStep,
    List, LoopInvariant, LoopSpec, Measure, Predicate, Stmt, StmtKind, Unpack, VarDecl, While,
};
use crate::token::{Token, TokenKind as T};

impl Parser<'_> {
    /// `{ var …; … }`
    pub(super) fn body(&mut self) -> Parsed<Body> {
        let errors = self.errors.len();
        let start = self.expect(T::LeftBrace)?;
        let mut locals = Vec::new();
        while self.at(T::Var) {
            match self.var_decl() {
                Ok(local) => locals.push(local),
                Err(Failed) => self.skip_stmt(),
            }
        }
        let block = self.stmts()?;
        self.expect(T::RightBrace)?;
        let body = Body { span: self.span_from(start), locals: trimmed(locals), block };
        if self.errors.len() == errors {
            self.check_jumps(&body);
        }
        Ok(body)
    }

    /// `var x, y: T where e, z: U;`
    pub(super) fn var_decl(&mut self) -> Parsed<VarDecl> {
        let start = self.bump();
        let attrs = self.attrs()?;
        let groups = self.list(|p| p.group(false, Where::Allowed))?;
        self.expect(T::Semicolon)?;
        Ok(VarDecl { span: self.span_from(start), attrs, groups })
    }

    /// Parses statements up to the closing brace, or up to a token that shows that the brace is
    /// missing.
    fn stmts(&mut self) -> Parsed<Block> {
        let mut stmts = Vec::new();
        while !matches!(self.kind(), T::RightBrace | T::End) {
            let start = self.position;
            match self.stmt() {
                Ok(stmt) => stmts.push(stmt),
                Err(Failed) if self.gave_up() || self.at_missing_brace() => return Err(Failed),
                Err(Failed) if self.eat_stray_semicolon(start) => {}
                Err(Failed) => {
                    // A brace is skipped together with its partner.
                    if self.position == start && !self.at(T::LeftBrace) {
                        self.bump();
                    }
                    self.skip_stmt();
                }
            }
        }
        if self.at(T::End) {
            return self.fail("`}`");
        }
        Ok(trimmed(stmts))
    }

    /// After an error, skips a semicolon if the statement consists of nothing else.
    fn eat_stray_semicolon(&mut self, start: usize) -> bool {
        self.position == start && self.eat(T::Semicolon)
    }

    /// Whether the next token cannot occur in a statement, so that a closing brace must be missing.
    pub(super) fn at_missing_brace(&self) -> bool {
        matches!(
            self.kind(),
            T::End
                | T::Procedure
                | T::Implementation
                | T::Function
                | T::Axiom
                | T::Const
                | T::Type
                | T::Datatype
        )
    }

    /// Skips the rest of the statement after an error.
    fn skip_stmt(&mut self) {
        let mut braces = 0u32;
        let mut parens = 0u32;
        loop {
            match self.kind() {
                T::End | T::Procedure | T::Implementation | T::Function | T::Axiom | T::Const => {
                    return;
                }
                T::LeftBrace => braces += 1,
                T::RightBrace if braces == 0 => return,
                T::RightBrace => {
                    braces -= 1;
                    if braces == 0 {
                        self.bump();
                        return;
                    }
                }
                _ if braces > 0 => {}
                T::Semicolon if parens == 0 => {
                    self.bump();
                    return;
                }
                T::LeftParen => parens += 1,
                T::RightParen => parens = parens.saturating_sub(1),
                T::Assert | T::Assume | T::Havoc | T::Call | T::While | T::Goto | T::Return => {
                    return;
                }
                T::If | T::Ident if self.starts_stmt() => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Whether a word that can also occur in an expression looks like the start of a statement.
    fn starts_stmt(&self) -> bool {
        let next = if self.at(T::If) { T::LeftParen } else { T::Assign };
        self.kind_at(1) == next && self.starts_line(self.token())
    }

    fn stmt(&mut self) -> Parsed<Stmt> {
        let start = self.token();
        let kind = match self.kind() {
            T::Ident if self.kind_at(1) == T::Colon && !self.starts_hiding() => {
                let label = self.ident()?;
                self.bump();
                StmtKind::Label(label)
            }
            T::If => StmtKind::If(Box::new(self.if_stmt()?)),
            T::While => StmtKind::While(Box::new(self.while_stmt()?)),
            T::Break => {
                self.bump();
                let label = if self.at(T::Ident) { Some(self.ident()?) } else { None };
                self.expect(T::Semicolon)?;
                StmtKind::Break(label)
            }
            T::Goto => {
                self.bump();
                StmtKind::Goto(Box::new(self.goto()?))
            }
            T::Return => {
                self.bump();
                let attrs = self.new_attrs()?;
                self.expect(T::Semicolon)?;
                StmtKind::Return(attrs)
            }
            _ => return self.simple_stmt(),
        };
        Ok(Stmt { span: self.span_from(start), kind })
    }

    /// Parses attributes that Boogie 2 does not have.
    fn new_attrs(&mut self) -> Parsed<List<Attr>> {
        if self.is_new() { self.attrs() } else { Ok(List::new()) }
    }

    pub(super) fn goto(&mut self) -> Parsed<Goto> {
        let attrs = self.new_attrs()?;
        let targets = self.idents()?;
        self.expect(T::Semicolon)?;
        Ok(Goto { attrs, targets })
    }

    fn block(&mut self) -> Parsed<Block> {
        self.expect(T::LeftBrace)?;
        let stmts = self.nested(Self::stmts)?;
        self.expect(T::RightBrace)?;
        Ok(stmts)
    }

    fn guard(&mut self) -> Parsed<Guard> {
        self.expect(T::LeftParen)?;
        let guard = if self.eat(T::Star) { Guard::Star } else { Guard::Expr(self.expr()?) };
        self.expect(T::RightParen)?;
        Ok(guard)
    }

    fn if_stmt(&mut self) -> Parsed<If> {
        self.bump();
        let attrs = self.new_attrs()?;
        let guard = self.guard()?;
        let then_block = self.block()?;
        let else_branch = if !self.eat(T::Else) {
            None
        } else if self.at(T::If) {
            Some(Else::If(Box::new(self.nested(Self::if_stmt)?)))
        } else if self.at(T::LeftBrace) {
            Some(Else::Block(self.block()?))
        } else {
            return self.fail("`if` or `{`");
        };
        Ok(If { attrs, guard, then_block, else_branch })
    }

    fn while_stmt(&mut self) -> Parsed<While> {
        self.bump();
        let guard = self.guard()?;
        let mut specs = Vec::new();
        while !self.at(T::LeftBrace) {
            specs.push(self.loop_spec()?);
        }
        let block = self.block()?;
        Ok(While { guard, specs: trimmed(specs), block })
    }

    fn loop_spec(&mut self) -> Parsed<LoopSpec> {
        let start = self.token();
        let free = self.eat(T::Free);
        if self.at(T::Measure) && !free {
            return Ok(LoopSpec::Measure(self.measure(start, false)?));
        }
        if !self.eat(T::Invariant) {
            return self.fail("`invariant` or `{`");
        }
        let attrs = self.attrs()?;
        if self.is_new() && !free && self.at(T::Call) {
            let call = self.spec_call()?;
            return Ok(LoopSpec::Call { span: self.span_from(start), attrs, call });
        }
        let expr = self.expr()?;
        self.expect(T::Semicolon)?;
        let span = self.span_from(start);
        Ok(LoopSpec::Invariant(LoopInvariant { span, free, attrs, expr }))
    }

    /// `measure e, f;`
    pub(super) fn measure(&mut self, start: Token, free: bool) -> Parsed<Measure> {
        self.bump();
        let attrs = self.attrs()?;
        let exprs = self.exprs()?;
        self.expect(T::Semicolon)?;
        Ok(Measure { span: self.span_from(start), free, attrs, exprs })
    }

    /// `call i(x);` as the condition of a clause
    pub(super) fn spec_call(&mut self) -> Parsed<CallStmt> {
        self.expect(T::Call)?;
        let attrs = self.attrs()?;
        let arm = self.call_arm(attrs)?;
        self.expect(T::Semicolon)?;
        Ok(CallStmt { is_async: false, free: false, is_par: false, arms: vec![arm] })
    }

    /// Parses a statement that is also allowed in a code expression.
    pub(super) fn simple_stmt(&mut self) -> Parsed<Stmt> {
        let start = self.token();
        let kind = match self.kind() {
            T::Assert => {
                self.bump();
                StmtKind::Assert(Box::new(self.predicate()?))
            }
            T::Assume => {
                self.bump();
                StmtKind::Assume(Box::new(self.predicate()?))
            }
            T::Havoc => {
                self.bump();
                let names = self.idents()?;
                self.expect(T::Semicolon)?;
                StmtKind::Havoc(names)
            }
            T::Call | T::Async | T::Free => StmtKind::Call(Box::new(self.call_stmt()?)),
            T::Par => StmtKind::Call(Box::new(self.par_stmt()?)),
            T::Yield if !self.is_new() => {
                self.bump();
                self.expect(T::Semicolon)?;
                StmtKind::Yield
            }
            T::Measure => StmtKind::Measure(Box::new(self.measure(start, false)?)),
            T::Ident if self.starts_hiding() => self.hiding()?,
            // A keyword up to 3.5.5. A variable with this name is followed by `:=`, `[` or `,`.
            T::Ident
                if self.at_contextual("par")
                    && matches!(self.kind_at(1), T::Ident | T::LeftBrace) =>
            {
                StmtKind::Call(Box::new(self.par_stmt()?))
            }
            T::Ident if self.is_new() && self.kind_at(1) == T::LeftParen => {
                StmtKind::Unpack(Box::new(self.unpack()?))
            }
            T::Ident => StmtKind::Assign(Box::new(self.assign()?)),
            _ => return self.fail("a statement"),
        };
        Ok(Stmt { span: self.span_from(start), kind })
    }

    fn predicate(&mut self) -> Parsed<Predicate> {
        let attrs = self.attrs()?;
        let expr = self.expr()?;
        self.expect(T::Semicolon)?;
        Ok(Predicate { attrs, expr })
    }

    /// Whether the next identifier is one of the words that start a statement in Boogie 3.
    fn starts_hiding(&self) -> bool {
        self.is_new() && matches!(self.text(self.token()), "hide" | "reveal" | "push" | "pop")
    }

    fn hiding(&mut self) -> Parsed<StmtKind> {
        let word = self.bump();
        let word = self.text(word);
        let kind = match word {
            "push" => StmtKind::Push,
            "pop" => StmtKind::Pop,
            _ => {
                let target = if self.eat(T::Star) { None } else { Some(self.ident()?) };
                if word == "hide" { StmtKind::Hide(target) } else { StmtKind::Reveal(target) }
            }
        };
        self.expect(T::Semicolon)?;
        Ok(kind)
    }

    /// `async free call {:attr} x := p(e) | q();`
    fn call_stmt(&mut self) -> Parsed<CallStmt> {
        let is_async = self.eat(T::Async);
        let free = self.eat(T::Free);
        self.expect(T::Call)?;
        let attrs = self.attrs()?;
        let mut arms = vec![self.call_arm(attrs)?];
        while self.is_new() && !is_async && !free && self.eat(T::Bar) {
            let attrs = self.attrs()?;
            arms.push(self.call_arm(attrs)?);
        }
        self.expect(T::Semicolon)?;
        Ok(CallStmt { is_async, free, is_par: false, arms })
    }

    /// `par {:attr} x := p(e) | q();`
    fn par_stmt(&mut self) -> Parsed<CallStmt> {
        self.bump();
        let attrs = self.attrs()?;
        let mut arms = vec![self.call_arm(attrs)?];
        while self.eat(T::Bar) {
            let attrs = self.new_attrs()?;
            arms.push(self.call_arm(attrs)?);
        }
        self.expect(T::Semicolon)?;
        Ok(CallStmt { is_async: false, free: false, is_par: true, arms })
    }

    fn call_arm(&mut self, attrs: List<Attr>) -> Parsed<CallArm> {
        let start = self.token();
        let mut callee = self.ident()?;
        let mut outs = Vec::new();
        if !self.at(T::LeftParen) {
            outs.push(callee);
            while self.eat(T::Comma) {
                outs.push(self.ident()?);
            }
            if !self.eat(T::Assign) {
                let expected = if outs.len() == 1 { "`(` or `:=`" } else { "`:=`" };
                return self.fail(expected);
            }
            callee = self.ident()?;
        }
        self.expect(T::LeftParen)?;
        let args = self.args()?;
        Ok(CallArm { span: self.span_from(start), attrs, outs: outs.into(), callee, args })
    }

    fn unpack(&mut self) -> Parsed<Unpack> {
        let constructor = self.ident()?;
        self.bump();
        let vars = self.idents()?;
        self.expect(T::RightParen)?;
        self.expect(T::Assign)?;
        let attrs = self.attrs()?;
        let rhs = self.expr()?;
        self.expect(T::Semicolon)?;
        Ok(Unpack { constructor, vars, attrs, rhs })
    }

    fn assign(&mut self) -> Parsed<Assign> {
        let lhs = self.thin_list(Self::lhs)?;
        self.expect(T::Assign)?;
        let attrs = self.attrs()?;
        let rhs: List<Expr> = self.exprs()?;
        self.expect(T::Semicolon)?;
        Ok(Assign { lhs, attrs, rhs })
    }

    fn lhs(&mut self) -> Parsed<Lhs> {
        let base: Ident = self.ident()?;
        let mut steps = Vec::new();
        loop {
            if self.eat(T::LeftBracket) {
                let indices = self.thin_list_until(T::RightBracket, Self::expr)?;
                steps.push(LhsStep::Index(indices));
            } else if self.eat(T::Arrow) {
                steps.push(LhsStep::Field(self.ident()?));
            } else {
                return Ok(Lhs { base, steps: steps.into() });
            }
        }
    }
}
