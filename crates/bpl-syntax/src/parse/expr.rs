//! Expressions: atoms, postfix and prefix operators, and the table-driven infix operators.

use thin_vec::thin_vec;

use super::float::float_error;
use super::ty::Where;
use super::{MAX_HEIGHT, Parsed, Parser, trimmed};
use crate::ast::{
    Annotation, AttrParam, BinaryOp, Binder, CodeBlock, CodeExpr, CodeTransfer, Expr, ExprKind,
    Extract, FieldUpdate, IfExpr, Let, LetVar, List, Literal, LiteralKind, Name, NumericType,
    Quantifier, Store, Trigger, UnaryOp,
};
use crate::diagnostic::ErrorClass;
use crate::operator::{Associativity, Level, level};
use crate::token::{Token, TokenKind as T};

/// `8:0` in place of an expression.
#[derive(Debug)]
pub(super) struct Bounds {
    low: Name,
    /// The position of the next token.
    end: usize,
}

/// The infix operator of a token.
fn infix(kind: T) -> Option<BinaryOp> {
    Some(match kind {
        T::Iff => BinaryOp::Iff,
        T::Implies => BinaryOp::Implies,
        T::Explies => BinaryOp::Explies,
        T::AndAnd => BinaryOp::And,
        T::OrOr => BinaryOp::Or,
        T::EqualEqual => BinaryOp::Eq,
        T::NotEqual => BinaryOp::Ne,
        T::Less => BinaryOp::Lt,
        T::LessEqual => BinaryOp::Le,
        T::Greater => BinaryOp::Gt,
        T::GreaterEqual => BinaryOp::Ge,
        T::Subtype => BinaryOp::Subtype,
        T::PlusPlus => BinaryOp::Concat,
        T::Plus => BinaryOp::Add,
        T::Minus => BinaryOp::Sub,
        T::Star => BinaryOp::Mul,
        T::Slash => BinaryOp::RealDiv,
        T::Div => BinaryOp::Div,
        T::Mod => BinaryOp::Mod,
        T::StarStar => BinaryOp::Pow,
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|p| p.infix_expr(level::WHOLE))
    }

    /// `e, f`; sets the height to that of the highest.
    pub(super) fn exprs(&mut self) -> Parsed<List<Expr>> {
        let mut height = 0;
        let exprs = self.parts(&mut height)?;
        self.height = height;
        Ok(exprs)
    }

    /// `(e, f)`, starting after the opening parenthesis
    pub(super) fn args(&mut self) -> Parsed<List<Expr>> {
        let mut height = 0;
        let mut args = List::new();
        if !self.eat(T::RightParen) {
            args = self.parts(&mut height)?;
            self.expect(T::RightParen)?;
        }
        self.height = height;
        Ok(args)
    }

    /// Parses a child of a node; its height counts towards that of the node.
    fn part(&mut self, height: &mut u32) -> Parsed<Expr> {
        let expr = self.expr()?;
        *height = self.height.max(*height);
        Ok(expr)
    }

    /// Parses children separated by commas, into a vector without spare capacity: such lists take
    /// most of the memory of a tree.
    fn parts(&mut self, height: &mut u32) -> Parsed<List<Expr>> {
        let first = self.part(height)?;
        if !self.at(T::Comma) {
            return Ok(thin_vec![first]);
        }
        let start = self.scratch.len();
        self.scratch.push(first);
        while self.eat(T::Comma) {
            match self.part(height) {
                Ok(part) => self.scratch.push(part),
                Err(failed) => {
                    self.scratch.truncate(start);
                    return Err(failed);
                }
            }
        }
        Ok(self.scratch.drain(start..).collect())
    }

    /// Creates a node above children of the current height.
    fn node(&mut self, start: Token, kind: ExprKind) -> Parsed<Expr> {
        self.rise()?;
        Ok(Expr { span: self.span_from(start), kind })
    }

    fn rise(&mut self) -> Parsed<()> {
        if self.height >= MAX_HEIGHT {
            return self.too_deep();
        }
        self.height += 1;
        Ok(())
    }

    /// Parses infix operators that bind at least as tightly as `min`, by precedence climbing.
    fn infix_expr(&mut self, min: Level) -> Parsed<Expr> {
        let mut left = self.operand()?;
        let mut last: Option<BinaryOp> = None;
        while let Some(op) = infix(self.kind()) {
            let info = op.info();
            if info.level < min {
                break;
            }
            if let Some(last) = last
                && last.level() == info.level
                && (!info.mixes && last != op || info.associativity == Associativity::None)
            {
                return self.not_chainable(last, op);
            }
            left = match info.associativity {
                Associativity::Right => self.right_chain(left, op)?,
                _ => self.left_step(left, op)?,
            };
            last = Some(op);
        }
        Ok(left)
    }

    fn left_step(&mut self, left: Expr, op: BinaryOp) -> Parsed<Expr> {
        let height = self.height;
        self.bump();
        let right = self.infix_expr(op.level() + 1)?;
        self.height = self.height.max(height);
        self.binary(left, op, right)
    }

    /// `a ==> b ==> c`: parsed in a loop, built from the right.
    fn right_chain(&mut self, left: Expr, op: BinaryOp) -> Parsed<Expr> {
        let mut operands = vec![(left, self.height)];
        while infix(self.kind()) == Some(op) {
            self.bump();
            let operand = self.infix_expr(op.level() + 1)?;
            operands.push((operand, self.height));
        }
        let Some((mut right, mut height)) = operands.pop() else { return self.fail("an operand") };
        while let Some((left, left_height)) = operands.pop() {
            self.height = height.max(left_height);
            right = self.binary(left, op, right)?;
            height = self.height;
        }
        Ok(right)
    }

    fn binary(&mut self, left: Expr, op: BinaryOp, right: Expr) -> Parsed<Expr> {
        self.rise()?;
        let span = left.span.to(right.span);
        Ok(Expr { span, kind: ExprKind::Binary(op, Box::new((left, right))) })
    }

    /// Parses prefix operators, coercions and `is`: an operand of an infix operator.
    fn operand(&mut self) -> Parsed<Expr> {
        let start = self.token();
        let mut prefixes = Vec::new();
        loop {
            let op = match self.kind() {
                T::Not => UnaryOp::Not,
                T::Minus => UnaryOp::Neg,
                _ => break,
            };
            prefixes.push((op, self.bump()));
        }
        let mut expr = self.coercion()?;
        while let Some((op, token)) = prefixes.pop() {
            expr = self.node(token, ExprKind::Unary(op, Box::new(expr)))?;
        }
        if self.at(T::Is) {
            self.bump();
            let constructor = self.ident()?;
            expr = self.node(start, ExprKind::Is(Box::new((expr, constructor))))?;
        }
        Ok(expr)
    }

    /// `e: T`
    fn coercion(&mut self) -> Parsed<Expr> {
        let start = self.token();
        let mut expr = self.postfix()?;
        while self.at(T::Colon) {
            self.bump();
            if self.at(T::IntLiteral) {
                self.bounds(&expr)?;
                continue;
            }
            let ty = self.ty()?;
            expr = self.node(start, ExprKind::Coerce(Box::new(expr), Box::new(ty)))?;
        }
        Ok(expr)
    }

    /// `8:0`, starting at the colon. This is not an expression, but Boogie parses it as one, and
    /// rejects it during name resolution unless it is alone in brackets.
    #[cold]
    fn bounds(&mut self, high: &Expr) -> Parsed<()> {
        // The colon has been consumed already.
        let doubled = self.bounds.as_ref().is_some_and(|bounds| bounds.end + 1 == self.position);
        let low = self.bump();
        let span = high.span.to(low.span());
        let is_literal =
            matches!(high.kind, ExprKind::Literal(Literal { kind: LiteralKind::Int, .. }));
        let error = self.error(span, "bitvector bounds must stand alone in brackets");
        error.help = Some("bits are taken by `e[high:low]` with two integer literals".to_owned());
        if !is_literal || doubled {
            return Err(super::Failed);
        }
        error.kind = ErrorClass::Resolution;
        let low = self.name(self.text(low));
        self.bounds = Some(Bounds { low, end: self.position });
        Ok(())
    }

    /// If the last expression was a pair of bounds, removes its error and returns the lower bound.
    fn take_bounds(&mut self, expr: &Expr) -> Option<Name> {
        let ends_here = self.bounds.as_ref().is_some_and(|bounds| bounds.end == self.position);
        if !ends_here || !matches!(expr.kind, ExprKind::Literal(_)) {
            return None;
        }
        self.errors.pop();
        self.bounds.take().map(|bounds| bounds.low)
    }

    /// `m[i]`, `m[i := e]`, `b[8:0]`, `e->f`, `e->(f := v)`
    fn postfix(&mut self) -> Parsed<Expr> {
        let start = self.token();
        let mut expr = self.atom()?;
        loop {
            let kind = match self.kind() {
                T::LeftBracket => {
                    self.bump();
                    self.bracket(expr)?
                }
                T::Arrow => {
                    self.bump();
                    self.arrow(expr)?
                }
                _ => return Ok(expr),
            };
            expr = self.node(start, kind)?;
        }
    }

    fn bracket(&mut self, expr: Expr) -> Parsed<ExprKind> {
        let mut height = self.height;
        let mut indices = List::new();
        let mut low = None;
        if !matches!(self.kind(), T::RightBracket | T::Assign) {
            indices = self.thin_list(|p| {
                let index = p.part(&mut height)?;
                low = p.take_bounds(&index).or(low.take());
                Ok(index)
            })?;
        }
        let kind = if self.eat(T::Assign) {
            let value = self.part(&mut height)?;
            low = self.take_bounds(&value).or(low);
            ExprKind::Store(Box::new(Store { map: expr, indices, value }))
        } else {
            ExprKind::Select(Box::new(expr), indices)
        };
        self.expect(T::RightBracket)?;
        self.height = height;
        match low {
            None => Ok(kind),
            Some(low) => self.extract(kind, low),
        }
    }

    /// `b[8:0]`, which was parsed as a selection.
    #[cold]
    fn extract(&mut self, kind: ExprKind, low: Name) -> Parsed<ExprKind> {
        if let ExprKind::Select(vector, indices) = kind
            && let [Expr { kind: ExprKind::Literal(high), .. }] = indices.as_slice()
        {
            let extract = Extract { vector: *vector, high: high.text.clone(), low };
            return Ok(ExprKind::Extract(Box::new(extract)));
        }
        let span = self.tokens.get(self.position - 1).span();
        self.error(span, "bitvector bounds must stand alone in brackets").help =
            Some("bits are taken by `e[high:low]` with two integer literals".to_owned());
        Err(super::Failed)
    }

    fn arrow(&mut self, expr: Expr) -> Parsed<ExprKind> {
        if !self.eat(T::LeftParen) {
            let field = self.ident()?;
            return Ok(ExprKind::Field(Box::new((expr, field))));
        }
        let mut height = self.height;
        let field = self.ident()?;
        self.expect(T::Assign)?;
        let value = self.part(&mut height)?;
        self.expect(T::RightParen)?;
        self.height = height;
        Ok(ExprKind::FieldUpdate(Box::new(FieldUpdate { record: expr, field, value })))
    }

    fn atom(&mut self) -> Parsed<Expr> {
        let start = self.token();
        self.height = 0;
        let literal = match start.kind {
            T::Ident => {
                self.bump();
                let text = self.text(start);
                let name = self.name(text.strip_prefix('\\').unwrap_or(text));
                if !self.eat(T::LeftParen) {
                    return self.node(start, ExprKind::Var(name));
                }
                let args = self.args()?;
                return self.node(start, ExprKind::Call { function: name, args });
            }
            T::LeftParen => return self.parenthesized(),
            T::IntLiteral => LiteralKind::Int,
            T::True | T::False => LiteralKind::Bool,
            T::RealLiteral => LiteralKind::Real,
            T::BitVectorLiteral => LiteralKind::BitVector,
            T::FloatLiteral => {
                if let Some(message) = float_error(self.text(start)) {
                    self.error(start.span(), message);
                }
                LiteralKind::Float
            }
            T::Rne | T::Rna | T::Rtp | T::Rtn | T::Rtz => LiteralKind::RoundingMode,
            T::RoundNearestTiesToEven
            | T::RoundNearestTiesToAway
            | T::RoundTowardPositive
            | T::RoundTowardNegative
            | T::RoundTowardZero => LiteralKind::RoundingMode,
            T::StringLiteral if self.is_new() => {
                self.bump();
                let literal = Literal { kind: LiteralKind::Str, text: self.string_content(start) };
                return self.node(start, ExprKind::Literal(literal));
            }
            T::Old | T::Int | T::Real => {
                self.bump();
                self.expect(T::LeftParen)?;
                let expr = Box::new(self.expr()?);
                self.expect(T::RightParen)?;
                let kind = match start.kind {
                    T::Old => ExprKind::Old(expr),
                    T::Int => ExprKind::Convert(NumericType::Int, expr),
                    _ => ExprKind::Convert(NumericType::Real, expr),
                };
                return self.node(start, kind);
            }
            T::If => return self.if_expr(),
            T::LeftCode => return self.code_expr(),
            T::Forall | T::Exists | T::Lambda => {
                let word = start.kind.describe();
                self.error(start.span(), format!("{word} must stand in parentheses")).help =
                    Some(format!("write `({} …)`", word.trim_matches('`')));
                return Err(super::Failed);
            }
            _ => return self.fail("an expression"),
        };
        self.bump();
        let text = self.text(start);
        let literal = Literal { kind: literal, text: self.name(text) };
        self.node(start, ExprKind::Literal(literal))
    }

    /// `(e)`, `(forall …)`, `(var …)`
    fn parenthesized(&mut self) -> Parsed<Expr> {
        let start = self.bump();
        let kind = match self.kind() {
            T::Forall => self.nested(|p| p.quantifier(Binder::Forall))?,
            T::Exists => self.nested(|p| p.quantifier(Binder::Exists))?,
            T::Lambda => self.nested(|p| p.quantifier(Binder::Lambda))?,
            T::Var => self.nested(Self::let_expr)?,
            _ => {
                let mut expr = self.expr()?;
                if self.take_bounds(&expr).is_some() {
                    let message = "bitvector bounds may not stand in parentheses";
                    self.error(expr.span, message);
                }
                self.expect(T::RightParen)?;
                // An enclosing expression starts at the parenthesis.
                expr.span = self.span_from(start);
                return Ok(expr);
            }
        };
        self.expect(T::RightParen)?;
        self.node(start, kind)
    }

    fn quantifier(&mut self, binder: Binder) -> Parsed<ExprKind> {
        let mut height = 0;
        self.bump();
        let type_params = self.type_params()?;
        let mut bound = Vec::new();
        if type_params.is_empty() || !self.at(T::DoubleColon) {
            let place = Where::Forbidden("bound variables");
            bound = self.list(|p| p.group(true, place))?;
        }
        self.expect(T::DoubleColon)?;
        let mut annotations = Vec::new();
        while self.at(T::LeftBrace) {
            let annotation = self.annotation(&mut height)?;
            if binder == Binder::Lambda
                && let Annotation::Trigger(trigger) = &annotation
            {
                let span = trigger.span;
                self.error(span, "a lambda expression has no triggers");
            }
            annotations.push(annotation);
        }
        let body = self.part(&mut height)?;
        self.height = height;
        let annotations = trimmed(annotations);
        let quantifier = Quantifier { binder, type_params, bound, annotations, body };
        Ok(ExprKind::Quantifier(Box::new(quantifier)))
    }

    fn annotation(&mut self, height: &mut u32) -> Parsed<Annotation> {
        let start = self.token();
        if !self.at_attr() {
            self.bump();
            let terms = self.parts(height)?;
            self.expect(T::RightBrace)?;
            let span = self.span_from(start);
            return Ok(Annotation::Trigger(Trigger { span, negative: false, terms }));
        }
        let attr = self.attr()?;
        *height = self.height.max(*height);
        if attr.name != "nopats" {
            return Ok(Annotation::Attr(attr));
        }
        let span = attr.span;
        let mut params = attr.params;
        let (Some(AttrParam::Expr(term)), true) = (params.pop(), params.is_empty()) else {
            self.error(span, "`:nopats` takes exactly one expression");
            return Err(super::Failed);
        };
        Ok(Annotation::Trigger(Trigger { span, negative: true, terms: thin_vec![term] }))
    }

    fn let_expr(&mut self) -> Parsed<ExprKind> {
        let mut height = 0;
        self.bump();
        let vars = self.list(|p| {
            let attrs = p.attrs()?;
            Ok(LetVar { attrs, name: p.ident()? })
        })?;
        self.expect(T::Assign)?;
        let values = self.parts(&mut height)?;
        self.expect(T::Semicolon)?;
        let attrs = self.attrs()?;
        let body = self.part(&mut height)?;
        self.height = height;
        Ok(ExprKind::Let(Box::new(Let { vars, values, attrs, body })))
    }

    fn if_expr(&mut self) -> Parsed<Expr> {
        let mut height = 0;
        let start = self.bump();
        let cond = self.part(&mut height)?;
        self.expect(T::Then)?;
        let then_expr = self.part(&mut height)?;
        self.expect(T::Else)?;
        let else_expr = self.part(&mut height)?;
        self.height = height;
        self.node(start, ExprKind::If(Box::new(IfExpr { cond, then_expr, else_expr })))
    }

    /// `|{ var …; l: …; return e; }|`
    fn code_expr(&mut self) -> Parsed<Expr> {
        let start = self.bump();
        let mut locals = Vec::new();
        while self.at(T::Var) {
            locals.push(self.var_decl()?);
        }
        let mut blocks = vec![self.code_block()?];
        while self.at(T::Ident) {
            blocks.push(self.code_block()?);
        }
        self.expect(T::RightCode)?;
        // The statements inside count only as nesting: no operator chain extends through them.
        self.height = self.depth;
        self.node(start, ExprKind::Code(Box::new(CodeExpr { locals, blocks })))
    }

    fn code_block(&mut self) -> Parsed<CodeBlock> {
        if !self.at(T::Ident) {
            return self.fail("the label of a block");
        }
        let label = self.ident()?;
        self.expect(T::Colon)?;
        let mut stmts = Vec::new();
        loop {
            match self.kind() {
                T::Goto => {
                    self.bump();
                    let goto = self.goto()?;
                    let transfer = CodeTransfer::Goto(goto);
                    return Ok(CodeBlock { label, stmts, transfer });
                }
                T::Return => {
                    self.bump();
                    let attrs = if self.is_new() { self.attrs()? } else { List::new() };
                    let expr = self.expr()?;
                    self.expect(T::Semicolon)?;
                    let transfer = CodeTransfer::Return { attrs, expr };
                    return Ok(CodeBlock { label, stmts, transfer });
                }
                T::RightCode => return self.fail("a statement, `goto` or `return`"),
                _ => stmts.push(self.nested(Self::simple_stmt)?),
            }
        }
    }
}
