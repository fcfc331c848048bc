//! Prints expressions, with only the parentheses that are needed to read back the same tree.
//!
//! Two kinds of operands get parentheses that the grammar often does not require, because people
//! would misread them: `x + (if b then y else z)` and `(x: int) + y`.

use super::printer::Printer;
use crate::ast::{
    Annotation, BinaryOp, Binder, CodeBlock, CodeExpr, CodeTransfer, Expr, ExprKind, Extract,
    FieldUpdate, IfExpr, Let, LetVar, Literal, LiteralKind, NumericType, Quantifier, Store,
    Trigger, UnaryOp,
};
use crate::operator::{Associativity, Level, Side, level};
use crate::stack::deep;

/// The binding power of the outermost construct of an expression.
fn level_of(expr: &Expr) -> Level {
    match &expr.kind {
        ExprKind::Binary(op, _) => op.level(),
        // Its last part extends as far as possible.
        ExprKind::If(_) => level::WHOLE,
        ExprKind::Is(..) => level::IS,
        ExprKind::Unary(..) => level::UNARY,
        ExprKind::Coerce(..) => level::COERCION,
        ExprKind::Select(..)
        | ExprKind::Store(_)
        | ExprKind::Extract(_)
        | ExprKind::Field(..)
        | ExprKind::FieldUpdate(_) => level::POSTFIX,
        ExprKind::Literal(_)
        | ExprKind::Var(_)
        | ExprKind::Call { .. }
        | ExprKind::Old(_)
        | ExprKind::Convert(..)
        | ExprKind::Quantifier(_)
        | ExprKind::Let(_)
        | ExprKind::Code(_) => level::ATOM,
    }
}

/// Whether an operand needs parentheses in a position that requires at least the level `demand`.
fn needs_parens(expr: &Expr, demand: Level) -> bool {
    // The text after the type of a coercion could be read as part of the type.
    matches!(expr.kind, ExprKind::Coerce(..)) || level_of(expr) < demand
}

/// Whether an operand of an infix operator needs parentheses.
fn operand_needs_parens(outer: BinaryOp, side: Side, operand: &Expr) -> bool {
    match &operand.kind {
        ExprKind::Binary(inner, _) => !outer.admits(side, *inner),
        ExprKind::If(_) | ExprKind::Coerce(..) => true,
        _ => false,
    }
}

/// The operand of a postfix expression.
fn postfix_base(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Select(base, _) => Some(base),
        ExprKind::Field(field) => Some(&field.0),
        ExprKind::Store(store) => Some(&store.map),
        ExprKind::Extract(extract) => Some(&extract.vector),
        ExprKind::FieldUpdate(update) => Some(&update.record),
        _ => None,
    }
}

/// Whether a minus sign directly before the expression would be read as part of its first token, or
/// look like it: `-0x1.0e0f24e8` is a literal, and `--x` is hard to read.
fn clings_to_minus(mut expr: &Expr) -> bool {
    loop {
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Neg, _) => return true,
            ExprKind::Literal(Literal { kind: LiteralKind::Float, text }) => {
                return text.starts_with("0x") || text.starts_with('-');
            }
            _ => match postfix_base(expr) {
                Some(base) if !needs_parens(base, level::POSTFIX) => expr = base,
                _ => return false,
            },
        }
    }
}

impl Printer {
    /// Writes a complete expression: an argument, a clause, a body, ….
    pub(super) fn expr(&mut self, expr: &Expr) {
        if self.is_past_margin() {
            return;
        }
        deep(|| {
            if self.is_flat() {
                self.flat_expr(expr);
            } else if !self.fits(|p| p.flat_expr(expr)) {
                self.broken_expr(expr);
            }
        });
    }

    fn exprs(&mut self, exprs: &[Expr]) {
        self.list(exprs, Printer::expr);
    }

    /// Writes an operand, in parentheses if `parens` is set.
    fn operand(&mut self, operand: &Expr, parens: bool) {
        if parens {
            self.enclosed("(", ")", |p| p.expr(operand));
        } else {
            self.expr(operand);
        }
    }

    fn flat_expr(&mut self, expr: &Expr) {
        let Expr { span: _, kind } = expr;
        match kind {
            ExprKind::Binary(op, operands) => {
                let (left, right) = &**operands;
                self.operand(left, operand_needs_parens(*op, Side::Left, left));
                self.push(" ");
                self.push(op.text());
                self.push(" ");
                self.operand(right, operand_needs_parens(*op, Side::Right, right));
            }
            _ => match postfix_base(expr) {
                Some(base) => {
                    self.operand(base, needs_parens(base, level::POSTFIX));
                    self.postfix(expr);
                }
                None => self.other(expr),
            },
        }
    }

    fn broken_expr(&mut self, expr: &Expr) {
        let Expr { span: _, kind } = expr;
        match kind {
            ExprKind::Binary(op, operands) => {
                let (left, right) = &**operands;
                self.chain(*op, left, right);
            }
            _ if postfix_base(expr).is_some() => {
                let mut steps = vec![expr];
                let mut base = expr;
                while let Some(inner) = postfix_base(base)
                    && !needs_parens(inner, level::POSTFIX)
                {
                    base = inner;
                    steps.push(inner);
                }
                // The innermost expression is not a step but the start of the steps, unless its own
                // base is in parentheses.
                if let Some(inner) = postfix_base(base) {
                    self.operand(inner, true);
                } else {
                    steps.pop();
                    self.expr(base);
                }
                for step in steps.into_iter().rev() {
                    self.hanging("", |p| p.postfix(step));
                }
            }
            _ => self.other(expr),
        }
    }

    /// Writes `a && b && c` with each operator at the start of a new line.
    fn chain(&mut self, op: BinaryOp, left: &Expr, right: &Expr) {
        // The links from the end of the chain to its start. Each has the operator to the left of
        // its operand; the last one pushed has no operator.
        let mut links = Vec::new();
        let (mut op, mut left, mut right) = (op, left, right);
        let first;
        if op.associativity() == Associativity::Right {
            first = (left, operand_needs_parens(op, Side::Left, left));
            loop {
                let parens = operand_needs_parens(op, Side::Right, right);
                match &right.kind {
                    ExprKind::Binary(inner, operands) if !parens && inner.level() == op.level() => {
                        let middle = &operands.0;
                        links.push((op, middle, operand_needs_parens(*inner, Side::Left, middle)));
                        (op, right) = (*inner, &operands.1);
                    }
                    _ => {
                        links.push((op, right, parens));
                        break;
                    }
                }
            }
        } else {
            loop {
                links.push((op, right, operand_needs_parens(op, Side::Right, right)));
                let parens = operand_needs_parens(op, Side::Left, left);
                match &left.kind {
                    ExprKind::Binary(inner, operands) if !parens && inner.level() == op.level() => {
                        (op, left, right) = (*inner, &operands.0, &operands.1);
                    }
                    _ => {
                        first = (left, parens);
                        break;
                    }
                }
            }
            links.reverse();
        }
        if self.is_at_line_start() {
            self.links(first, &links);
        } else {
            self.indented(|p| p.links(first, &links));
        }
    }

    fn links(&mut self, first: (&Expr, bool), links: &[(BinaryOp, &Expr, bool)]) {
        let (operand, parens) = first;
        let is_chain = !parens && matches!(operand.kind, ExprKind::Binary(..));
        if is_chain && self.is_at_line_start() {
            // The operators of an inner chain must not line up with those of the outer one.
            self.indented(|p| p.expr(operand));
        } else {
            self.operand(operand, parens);
        }
        for (op, operand, parens) in links {
            self.line();
            self.push(op.text());
            self.push(" ");
            self.operand(operand, *parens);
        }
    }

    /// Writes the last step of a postfix expression, without its operand.
    fn postfix(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Select(_, indices) => self.bracketed("[", indices, "]", Printer::expr),
            ExprKind::Store(store) => {
                let Store { map: _, indices, value } = &**store;
                self.enclosed("[", "]", |p| {
                    if !indices.is_empty() {
                        p.exprs(indices);
                        p.push(" ");
                    }
                    p.push(":=");
                    p.indented(|p| p.hanging(" ", |p| p.expr(value)));
                });
            }
            ExprKind::Extract(extract) => {
                let Extract { vector: _, high, low } = &**extract;
                self.push("[");
                self.push(high);
                self.push(":");
                self.push(low);
                self.push("]");
            }
            ExprKind::Field(field) => {
                let (_, field) = &**field;
                self.push("->");
                self.ident(field);
            }
            ExprKind::FieldUpdate(update) => {
                let FieldUpdate { record: _, field, value } = &**update;
                self.enclosed("->(", ")", |p| {
                    p.ident(field);
                    p.push(" := ");
                    p.expr(value);
                });
            }
            _ => {}
        }
    }

    /// Writes an expression that is neither infix nor postfix.
    fn other(&mut self, expr: &Expr) {
        let Expr { span: _, kind } = expr;
        match kind {
            ExprKind::Literal(literal) => self.literal(literal),
            ExprKind::Var(name) => self.name(name),
            ExprKind::Call { function, args } => {
                self.name(function);
                self.bracketed("(", args, ")", Printer::expr);
            }
            ExprKind::Old(inner) => self.enclosed("old(", ")", |p| p.expr(inner)),
            ExprKind::Convert(target, inner) => {
                let open = match target {
                    NumericType::Int => "int(",
                    NumericType::Real => "real(",
                };
                self.enclosed(open, ")", |p| p.expr(inner));
            }
            ExprKind::Unary(op, inner) => {
                self.push(op.text());
                if *op == UnaryOp::Neg && clings_to_minus(inner) {
                    self.push(" ");
                }
                self.operand(inner, needs_parens(inner, level::UNARY));
            }
            ExprKind::Is(is) => {
                let (inner, constructor) = &**is;
                self.operand(inner, needs_parens(inner, level::UNARY));
                self.push(" is ");
                self.ident(constructor);
            }
            ExprKind::Coerce(inner, ty) => {
                let parens = level_of(inner) < level::COERCION;
                if self.is_flat() {
                    self.operand(inner, parens);
                } else {
                    let room = ": ".len() + self.width(|p| p.ty(ty));
                    self.before(room, |p| p.operand(inner, parens));
                }
                self.push(": ");
                self.ty(ty);
            }
            ExprKind::If(if_expr) => self.if_expr(if_expr),
            ExprKind::Quantifier(quantifier) => self.quantifier(quantifier),
            ExprKind::Let(let_expr) => self.let_expr(let_expr),
            ExprKind::Code(code) => self.code(code),
            // Infix and postfix expressions have their own functions.
            ExprKind::Binary(..)
            | ExprKind::Select(..)
            | ExprKind::Store(_)
            | ExprKind::Extract(_)
            | ExprKind::Field(..)
            | ExprKind::FieldUpdate(_) => {}
        }
    }

    fn literal(&mut self, literal: &Literal) {
        let Literal { kind, text } = literal;
        match kind {
            LiteralKind::Str => self.string(text),
            LiteralKind::Bool
            | LiteralKind::Int
            | LiteralKind::Real
            | LiteralKind::BitVector
            | LiteralKind::Float
            | LiteralKind::RoundingMode => self.push(text),
        }
    }

    fn if_expr(&mut self, if_expr: &IfExpr) {
        self.indented(|p| {
            let mut if_expr = if_expr;
            loop {
                let IfExpr { cond, then_expr, else_expr } = if_expr;
                p.push("if ");
                p.expr(cond);
                p.line();
                p.push("then ");
                p.expr(then_expr);
                p.line();
                p.push("else ");
                match &else_expr.kind {
                    ExprKind::If(next) if !p.is_past_margin() => if_expr = next,
                    _ => break p.expr(else_expr),
                }
            }
        });
    }

    fn quantifier(&mut self, quantifier: &Quantifier) {
        let Quantifier { binder, type_params, bound, annotations, body } = quantifier;
        let open = match binder {
            Binder::Forall => "(forall",
            Binder::Exists => "(exists",
            Binder::Lambda => "(lambda",
        };
        self.enclosed(open, ")", |p| {
            p.type_params(type_params);
            if !bound.is_empty() {
                p.push(" ");
                p.before(" ::".len(), |p| p.list(bound, Printer::var_group));
            }
            p.push(" ::");
            p.indented(|p| {
                if !annotations.is_empty() {
                    p.line();
                    p.words(annotations, Printer::annotation);
                }
                p.line();
                p.expr(body);
            });
        });
    }

    fn annotation(&mut self, annotation: &Annotation) {
        match annotation {
            Annotation::Attr(attr) => self.attr(attr),
            Annotation::Trigger(Trigger { span: _, negative, terms }) => {
                let open = if *negative { "{:nopats " } else { "{" };
                self.bracketed(open, terms, "}", Printer::expr);
            }
        }
    }

    fn let_expr(&mut self, let_expr: &Let) {
        let Let { vars, values, attrs, body } = let_expr;
        self.enclosed("(var ", ")", |p| {
            p.list(vars, |p, LetVar { attrs, name }| {
                p.attrs(attrs);
                p.ident(name);
            });
            p.push(" := ");
            p.exprs(values);
            p.push(";");
            p.indented(|p| {
                p.line();
                p.attrs(attrs);
                p.expr(body);
            });
        });
    }

    fn code(&mut self, code: &CodeExpr) {
        let CodeExpr { locals, blocks } = code;
        self.push("|{");
        self.indented(|p| {
            for local in locals {
                p.line();
                p.var_decl(local);
            }
            for CodeBlock { label, stmts, transfer } in blocks {
                p.line();
                p.ident(label);
                p.push(":");
                p.indented(|p| {
                    for stmt in stmts {
                        p.line();
                        p.stmt(stmt);
                    }
                    p.line();
                    match transfer {
                        CodeTransfer::Goto(goto) => p.goto(goto),
                        CodeTransfer::Return { attrs, expr } => p.clause("return", attrs, expr),
                    }
                });
            }
        });
        self.line();
        self.push("}|");
    }
}
