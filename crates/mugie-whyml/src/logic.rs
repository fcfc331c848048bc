//! Expressions: from Boogie to the logic of WhyML.
//!
//! Every translated expression is in parentheses or a single word, so it fits anywhere. Types are
//! those of the checker; a polymorphic symbol is written as its instance, with the tags of its type
//! arguments before its arguments. This module knows no declarations and no statements.

use std::rc::Rc;

use bpl_syntax::ast::{
    BinaryOp, Binder, Expr, ExprKind, FieldUpdate, Ident, IfExpr, Let, Literal, LiteralKind, Name,
    NumericType, Store, UnaryOp,
};
use bpl_syntax::span::Span;
use rustc_hash::FxHashMap;

use crate::datatypes;
use crate::names;
use crate::refusal::{Result, refuse};
use crate::source::{Special, is_inline};
use crate::types::{MapTy, Ty};
use crate::world::{Need, Scope, Variable, World};

/// What becomes of a formula. It decides at which types a type quantifier is written: one that is
/// proved must be proved for all types, and one that is used may be used at any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It is assumed.
    Used,
    /// It is proved.
    Proved,
    /// Both, or it is part of a term.
    Both,
}

impl Role {
    /// The role of the parts on the left of an implication.
    pub(crate) fn flipped(self) -> Role {
        match self {
            Role::Used => Role::Proved,
            Role::Proved => Role::Used,
            Role::Both => Role::Both,
        }
    }
}

/// The largest nesting of inline functions. A recursive one would never end.
const MAX_INLINE: u32 = 200;

/// Runs a recursive step with enough stack for a tree of any height.
pub(crate) fn deep<R>(step: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, step)
}

impl<'a> World<'_, 'a> {
    /// Translates an expression into a text of its own.
    pub(crate) fn text(&mut self, expr: &'a Expr, scope: &mut Scope, role: Role) -> Result<String> {
        let mut out = String::new();
        self.expr(expr, scope, role, &mut out)?;
        Ok(out)
    }

    /// Translates an expression.
    pub(crate) fn expr(
        &mut self,
        expr: &'a Expr,
        scope: &mut Scope,
        role: Role,
        out: &mut String,
    ) -> Result<()> {
        self.step(1)?;
        let done = deep(|| self.expr_inner(expr, scope, role, out));
        done.map_err(|refusal| refusal.at(expr.span))
    }

    fn expr_inner(
        &mut self,
        expr: &'a Expr,
        scope: &mut Scope,
        role: Role,
        out: &mut String,
    ) -> Result<()> {
        match &expr.kind {
            ExprKind::Literal(value) => self.literal(value, out)?,
            ExprKind::Var(name) => {
                let text = self.variable(name, scope)?.0;
                self.step(text.len())?;
                out.push_str(&text);
            }
            ExprKind::Call { function, args } => {
                self.call(expr, function, args, scope, role, out)?;
            }
            ExprKind::Old(inner) => {
                let outer = std::mem::replace(&mut scope.old, true);
                let done = self.expr(inner, scope, role, out);
                scope.old = outer;
                done?;
            }
            ExprKind::Convert(target, inner) => self.convert(*target, inner, scope, out)?,
            ExprKind::Unary(UnaryOp::Not, inner) => {
                self.broken = true;
                out.push_str("(not ");
                self.expr(inner, scope, role.flipped(), out)?;
                out.push(')');
            }
            ExprKind::Unary(UnaryOp::Neg, inner) => {
                let real = self.type_of(inner, &scope.types)? == Ty::Real;
                out.push_str(if real { "(-. " } else { "(- " });
                self.reals |= real;
                self.expr(inner, scope, Role::Both, out)?;
                out.push(')');
            }
            ExprKind::Binary(op, operands) => {
                self.binary(*op, &operands.0, &operands.1, scope, role, out)?;
            }
            ExprKind::Is(parts) => {
                let ty = self.type_of(&parts.0, &scope.types)?;
                self.sort(&ty);
                let tester = datatypes::tester(&parts.1.name, &ty);
                self.application(&tester, [&parts.0], scope, out)?;
            }
            ExprKind::Coerce(inner, _) => self.expr(inner, scope, role, out)?,
            ExprKind::Select(map, indices) => {
                let element = self.type_of(expr, &scope.types)?;
                let ty = self.type_of(map, &scope.types)?;
                let name = self.map_symbol("select", &ty, indices, &element, scope)?;
                self.application(&name, std::iter::once(&**map).chain(indices), scope, out)?;
            }
            ExprKind::Store(store) => self.store(store, scope, out)?,
            ExprKind::Field(parts) => {
                let (record, field) = &**parts;
                let ty = self.type_of(record, &scope.types)?;
                let text = self.text(record, scope, Role::Both)?;
                out.push_str(&self.field(&ty, &text, &field.name)?);
            }
            ExprKind::FieldUpdate(update) => self.field_update(update, scope, out)?,
            ExprKind::If(conditional) => self.if_expr(conditional, scope, role, out)?,
            ExprKind::Quantifier(quantifier) => {
                self.broken |= quantifier.binder != Binder::Lambda;
                self.quantifier(quantifier, scope, role, out)?;
            }
            ExprKind::Let(binding) => self.let_expr(binding, scope, role, out)?,
            ExprKind::Extract(_) => return refuse("a bitvector"),
            ExprKind::Code(_) => return refuse("a code expression"),
        }
        Ok(())
    }

    fn field_update(
        &mut self,
        update: &'a FieldUpdate,
        scope: &mut Scope,
        out: &mut String,
    ) -> Result<()> {
        let FieldUpdate { record, field, value } = update;
        let ty = self.type_of(record, &scope.types)?;
        let record = self.text(record, scope, Role::Both)?;
        let value = self.text(value, scope, Role::Both)?;
        out.push_str(&self.updated(&ty, &record, &field.name, &value)?);
        Ok(())
    }

    fn if_expr(
        &mut self,
        conditional: &'a IfExpr,
        scope: &mut Scope,
        role: Role,
        out: &mut String,
    ) -> Result<()> {
        self.broken = true;
        let IfExpr { cond, then_expr, else_expr } = conditional;
        let parts =
            [("(if ", cond, Role::Both), (" then ", then_expr, role), (" else ", else_expr, role)];
        for (before, part, role) in parts {
            out.push_str(before);
            self.expr(part, scope, role, out)?;
        }
        out.push(')');
        Ok(())
    }

    fn literal(&mut self, literal: &Literal, out: &mut String) -> Result<()> {
        match literal.kind {
            LiteralKind::Bool => out.push_str(&literal.text),
            LiteralKind::Int => {
                let digits = literal.text.trim_start_matches('0');
                out.push_str(if digits.is_empty() { "0" } else { digits });
            }
            LiteralKind::Real => {
                self.reals = true;
                let digits = literal.text.trim_start_matches('0');
                out.push_str(if digits.starts_with(|c: char| c.is_ascii_digit()) {
                    digits
                } else {
                    &literal.text[literal.text.len() - digits.len() - 1..]
                });
            }
            LiteralKind::BitVector => return refuse("a bitvector"),
            LiteralKind::Float => return refuse("a float"),
            LiteralKind::RoundingMode => return refuse("a rounding mode"),
            LiteralKind::Str => return refuse("a string"),
        }
        Ok(())
    }

    /// A variable or a constant, and its type.
    fn variable(&mut self, name: &Name, scope: &Scope) -> Result<(Rc<str>, Ty)> {
        if let Some(variable) = scope.variable(name) {
            let text = if scope.old { &variable.before } else { &variable.now };
            return Ok((Rc::clone(text), variable.ty.clone()));
        }
        match self.source.checked.env().global(name) {
            Some(global) if global.constant && global.decl.is_some() => {
                let ty = self.read_id(global.ty, &[])?;
                Ok((names::name("k_", name).into(), ty))
            }
            _ => refuse(format!("the variable `{name}` here")),
        }
    }

    fn call(
        &mut self,
        expr: &'a Expr,
        function: &Name,
        args: &'a [Expr],
        scope: &mut Scope,
        role: Role,
        out: &mut String,
    ) -> Result<()> {
        match self.source.special(function) {
            None => {}
            Some(Special::Constructor) => {
                let ty = self.type_of(expr, &scope.types)?;
                self.sort(&ty);
                let name = datatypes::constructor(function, &ty);
                return self.application(&name, args, scope, out);
            }
            Some(Special::Selector { datatype, constructor, field }) => {
                let ty = Ty::Constructed(datatype.clone(), [].into());
                let name = datatypes::selector(constructor, *field, &ty);
                self.sort(&ty);
                return self.application(&name, args, scope, out);
            }
            Some(Special::Tester { datatype, constructor }) => {
                let ty = Ty::Constructed(datatype.clone(), [].into());
                let name = datatypes::tester(constructor, &ty);
                self.sort(&ty);
                return self.application(&name, args, scope, out);
            }
        }
        let Some(decl) = self.source.function(function) else {
            return refuse(format!("the function `{function}` of a library"));
        };
        let type_args = self.type_args(expr, function, args, scope)?;
        if is_inline(decl)
            && let Some(body) = &decl.body
        {
            if scope.level >= MAX_INLINE {
                return refuse(format!("the recursive inline function `{function}`"));
            }
            let mut frame = FxHashMap::default();
            for (param, arg) in decl.params.iter().zip(args) {
                let Some(name) = &param.name else { continue };
                let ty = self.type_of(arg, &scope.types)?;
                let text = self.text(arg, scope, Role::Both)?;
                frame.insert(name.name.clone(), Variable::fixed(ty, text));
            }
            // The checker numbers type parameters by declaration.
            let types = decl.type_params.iter().zip(type_args);
            let mut inner = Scope {
                frame: Rc::new(frame),
                bound: Vec::new(),
                types: types.map(|(param, ty)| (param.name.clone(), ty)).collect(),
                level: scope.level + 1,
                old: false,
            };
            return self.expr(body, &mut inner, role, out);
        }
        let name = self.function_symbol(function, &type_args);
        self.application(&name, args, scope, out)
    }

    /// The type arguments of a call of a function.
    fn type_args(
        &mut self,
        expr: &Expr,
        function: &Name,
        args: &[Expr],
        scope: &Scope,
    ) -> Result<Vec<Ty>> {
        let source = self.source;
        let Some(signature) = source.checked.env().function(function) else {
            return Ok(Vec::new());
        };
        if signature.type_params == 0 {
            return Ok(Vec::new());
        }
        let mut found = vec![None; signature.type_params as usize];
        for (&formal, actual) in signature.params.iter().zip(args) {
            let actual = self.type_of(actual, &scope.types)?;
            self.read_id(formal, &[])?.solve_bound(&actual, 0, &mut found);
        }
        let result = self.type_of(expr, &scope.types)?;
        self.read_id(signature.result, &[])?.solve_bound(&result, 0, &mut found);
        // Boogie takes `int` for a type argument that nothing determines.
        Ok(found.into_iter().map(|ty| ty.unwrap_or(Ty::Int)).collect())
    }

    /// An instance of a function, applied to its tags.
    fn function_symbol(&mut self, function: &Name, type_args: &[Ty]) -> String {
        let shapes: Vec<Ty> = type_args.iter().map(Ty::shape).collect();
        let mut text = names::instance(&names::name("f_", function), &shapes);
        for tag in type_args.iter().flat_map(Ty::tags) {
            text.push(' ');
            text.push_str(&tag);
        }
        self.need(Need::Function(function.clone(), shapes));
        text
    }

    /// Applies a function, which may have tags already.
    fn application(
        &mut self,
        name: &str,
        args: impl IntoIterator<Item = &'a Expr>,
        scope: &mut Scope,
        out: &mut String,
    ) -> Result<()> {
        let start = out.len();
        out.push('(');
        out.push_str(name);
        let bare = out.len();
        for arg in args {
            out.push(' ');
            self.expr(arg, scope, Role::Both, out)?;
        }
        if out.len() == bare && !name.contains(' ') {
            // A constant.
            out.truncate(start);
            out.push_str(name);
        } else {
            out.push(')');
        }
        Ok(())
    }

    fn convert(
        &mut self,
        target: NumericType,
        inner: &'a Expr,
        scope: &mut Scope,
        out: &mut String,
    ) -> Result<()> {
        let from = self.type_of(inner, &scope.types)?;
        self.reals = true;
        let function = match (target, from) {
            (NumericType::Real, Ty::Int) => "from_int",
            (NumericType::Int, Ty::Real) => "floor",
            _ => return refuse("this conversion"),
        };
        self.application(function, [inner], scope, out)
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: &'a Expr,
        right: &'a Expr,
        scope: &mut Scope,
        role: Role,
        out: &mut String,
    ) -> Result<()> {
        let (mut left, mut right) = (left, right);
        let (mut left_role, mut right_role) = (Role::Both, Role::Both);
        let symbol = match op {
            BinaryOp::Eq => return self.equal(left, right, true, scope, out),
            BinaryOp::Ne => return self.equal(left, right, false, scope, out),
            BinaryOp::Iff => "<->",
            BinaryOp::Implies | BinaryOp::Explies => {
                if op == BinaryOp::Explies {
                    std::mem::swap(&mut left, &mut right);
                }
                (left_role, right_role) = (role.flipped(), role);
                "->"
            }
            BinaryOp::And => {
                (left_role, right_role) = (role, role);
                "/\\"
            }
            BinaryOp::Or => {
                (left_role, right_role) = (role, role);
                "\\/"
            }
            BinaryOp::Subtype => {
                let ty = self.type_of(left, &scope.types)?.shape();
                let po = names::of_type("po_", &ty);
                self.need(Need::Order(ty));
                return self.application(&po, [left, right], scope, out);
            }
            BinaryOp::Concat => return refuse("a bitvector"),
            BinaryOp::Pow => return refuse("the operator `**`"),
            BinaryOp::RealDiv => return self.real_division(left, right, scope, out),
            BinaryOp::Div | BinaryOp::Mod => {
                self.division = true;
                let function = if op == BinaryOp::Div { "div" } else { "mod" };
                return self.application(function, [left, right], scope, out);
            }
            BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
            | BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul => self.arithmetic(op, left, scope)?,
        };
        self.broken |= !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul);
        out.push('(');
        self.expr(left, scope, left_role, out)?;
        out.push(' ');
        out.push_str(symbol);
        out.push(' ');
        self.expr(right, scope, right_role, out)?;
        out.push(')');
        Ok(())
    }

    fn arithmetic(&mut self, op: BinaryOp, left: &Expr, scope: &Scope) -> Result<&'static str> {
        let real = match self.type_of(left, &scope.types)? {
            Ty::Int => false,
            Ty::Real => true,
            _ => return refuse("arithmetic on this type"),
        };
        self.reals |= real;
        Ok(match (op, real) {
            (BinaryOp::Lt, false) => "<",
            (BinaryOp::Le, false) => "<=",
            (BinaryOp::Gt, false) => ">",
            (BinaryOp::Ge, false) => ">=",
            (BinaryOp::Add, false) => "+",
            (BinaryOp::Sub, false) => "-",
            (BinaryOp::Mul, false) => "*",
            (BinaryOp::Lt, true) => "<.",
            (BinaryOp::Le, true) => "<=.",
            (BinaryOp::Gt, true) => ">.",
            (BinaryOp::Ge, true) => ">=.",
            (BinaryOp::Add, true) => "+.",
            (BinaryOp::Sub, true) => "-.",
            (BinaryOp::Mul, true) => "*.",
            _ => return refuse("this operator"),
        })
    }

    fn real_division(
        &mut self,
        left: &'a Expr,
        right: &'a Expr,
        scope: &mut Scope,
        out: &mut String,
    ) -> Result<()> {
        self.reals = true;
        for (before, operand, after) in [("(", left, " /. "), ("", right, ")")] {
            out.push_str(before);
            match self.type_of(operand, &scope.types)? {
                Ty::Real => self.expr(operand, scope, Role::Both, out)?,
                Ty::Int => {
                    out.push_str("(from_int ");
                    self.expr(operand, scope, Role::Both, out)?;
                    out.push(')');
                }
                _ => return refuse("a float"),
            }
            out.push_str(after);
        }
        Ok(())
    }

    /// `left == right`, or `left != right`. Values of different types are different; of two types
    /// that tags decide, it is left open whether they are.
    fn equal(
        &mut self,
        left: &'a Expr,
        right: &'a Expr,
        positive: bool,
        scope: &mut Scope,
        out: &mut String,
    ) -> Result<()> {
        self.broken = true;
        let shapes =
            (self.type_of(left, &scope.types)?.shape(), self.type_of(right, &scope.types)?.shape());
        if shapes.0 != shapes.1 && !shapes.0.may_equal(&shapes.1) {
            out.push_str(if positive { "false" } else { "true" });
            return Ok(());
        }
        let left = self.text(left, scope, Role::Both)?;
        let right = self.text(right, scope, Role::Both)?;
        let equal = self.same(&shapes.0, &left, &shapes.1, &right);
        if positive {
            out.push_str(&equal);
        } else {
            for part in ["(not ", &*equal, ")"] {
                out.push_str(part);
            }
        }
        Ok(())
    }

    /// The condition that two values are equal. Their shapes are equal, or tags decide whether the
    /// types are.
    pub(crate) fn same(&mut self, a: &Ty, left: &str, b: &Ty, right: &str) -> String {
        if a == b {
            return match a {
                Ty::Bool => format!("({left} <-> {right})"),
                _ => format!("({left} = {right})"),
            };
        }
        self.sort(a);
        self.sort(b);
        if a.is_instance_of(b) {
            self.need(Need::Inject(a.clone(), b.clone()));
            return format!("({} {left} = {right})", inject(a, b));
        }
        if b.is_instance_of(a) {
            return self.same(b, right, a, left);
        }
        if a > b {
            return self.same(b, right, a, left);
        }
        self.need(Need::Same(a.clone(), b.clone()));
        format!("({} {left} {right})", names::instance("same", &[a.clone(), b.clone()]))
    }

    /// The symbol for selecting from a map or updating it, applied to its tags.
    fn map_symbol(
        &mut self,
        what: &str,
        map: &Ty,
        indices: &[Expr],
        element: &Ty,
        scope: &Scope,
    ) -> Result<String> {
        let mut types = Vec::new();
        for index in indices {
            types.push(self.type_of(index, &scope.types)?);
        }
        Ok(self.map_access(what, map, &types, element)?.0)
    }

    /// As [`World::map_symbol`], with the types of the indices; and the type of the elements.
    pub(crate) fn map_access(
        &mut self,
        what: &str,
        map: &Ty,
        indices: &[Ty],
        element: &Ty,
    ) -> Result<(String, Ty)> {
        let Ty::Map(shape) = map else { return refuse("a map of unknown type") };
        let args = map_args(shape, indices, element);
        let element =
            if shape.params > 0 { shape.range.instantiate(&args) } else { shape.range.clone() };
        let shapes: Vec<Ty> = args.iter().map(Ty::shape).collect();
        let mut name = map_symbol(what, &map.shape(), &shapes);
        for tag in map.tags().into_iter().chain(args.iter().flat_map(Ty::tags)) {
            name.push(' ');
            name.push_str(&tag);
        }
        self.sort(map);
        self.need(match what {
            "store" => Need::Store(map.shape(), shapes),
            _ => Need::Select(map.shape(), shapes),
        });
        Ok((name, element))
    }

    fn store(&mut self, store: &'a Store, scope: &mut Scope, out: &mut String) -> Result<()> {
        let Store { map, indices, value } = store;
        let ty = self.type_of(map, &scope.types)?;
        let element = self.type_of(value, &scope.types)?;
        let name = self.map_symbol("store", &ty, indices, &element, scope)?;
        let parts = std::iter::once(map).chain(indices).chain([value]);
        self.application(&name, parts, scope, out)
    }

    fn let_expr(
        &mut self,
        binding: &'a Let,
        scope: &mut Scope,
        role: Role,
        out: &mut String,
    ) -> Result<()> {
        self.broken = true;
        let Let { vars, values, attrs: _, body } = binding;
        let prefix = scope.prefix('x');
        // A value may mention an outer variable that is called like one of these (in Boogie 3), so several values
        // are named in a way of their own before the variables are.
        let several = vars.len() > 1;
        let mut bound = Vec::new();
        let mut second = String::new();
        out.push('(');
        for (number, (var, value)) in vars.iter().zip(values).enumerate() {
            let ty = self.type_of(value, &scope.types)?;
            let text = names::name(&prefix, &var.name.name);
            let first = if several { format!("w{number}") } else { text.clone() };
            for part in ["let ", &*first, " = "] {
                out.push_str(part);
            }
            self.expr(value, scope, Role::Both, out)?;
            out.push_str(" in ");
            if several {
                for part in ["let ", &*text, " = ", &*first, " in "] {
                    second.push_str(part);
                }
            }
            bound.push((var.name.name.clone(), Variable::fixed(ty, text)));
        }
        out.push_str(&second);
        let mark = scope.bound.len();
        scope.bound.extend(bound);
        let done = self.expr(body, scope, role, out);
        scope.bound.truncate(mark);
        out.push(')');
        done
    }

    /// The type of an element, when an assignment goes through a map.
    pub(crate) fn element_type(
        &mut self,
        map: &Ty,
        indices: &'a [Expr],
        scope: &Scope,
    ) -> Result<(Vec<Ty>, Ty)> {
        let Ty::Map(shape) = map else { return refuse("a map of unknown type") };
        let mut types = Vec::new();
        for index in indices {
            types.push(self.type_of(index, &scope.types)?);
        }
        let args = map_args(shape, &types, &Ty::Int);
        let element =
            if shape.params > 0 { shape.range.instantiate(&args) } else { shape.range.clone() };
        Ok((types, element))
    }

    /// The field of a datatype that an assignment goes through.
    pub(crate) fn field_of(&mut self, ty: &Ty, record: &str, field: &Ident) -> Result<String> {
        let text = self.field(ty, record, &field.name);
        text.map_err(|refusal| refusal.at(field.span))
    }

    /// A condition, as a text of its own.
    pub(crate) fn condition(
        &mut self,
        expr: &'a Expr,
        scope: &mut Scope,
        role: Role,
        span: Span,
    ) -> Result<String> {
        self.text(expr, scope, role).map_err(|refusal| refusal.at(span))
    }
}

/// The arguments of a map's type parameters.
fn map_args(map: &MapTy, indices: &[Ty], element: &Ty) -> Vec<Ty> {
    if map.params == 0 {
        return Vec::new();
    }
    let mut found = vec![None; map.params as usize];
    for (formal, actual) in map.domain.iter().zip(indices) {
        formal.solve_bound(actual, 0, &mut found);
    }
    map.range.solve_bound(element, 0, &mut found);
    found.into_iter().map(|ty| ty.unwrap_or(Ty::Int)).collect()
}

/// The name of an instance of `select` or `store`.
pub(crate) fn map_symbol(what: &str, map: &Ty, args: &[Ty]) -> String {
    let mut name = names::of_type(&format!("{what}_"), map);
    if !args.is_empty() {
        name.push_str("_4");
        names::codes(args, &mut name);
    }
    name
}

/// The name of an injection.
pub(crate) fn inject(from: &Ty, to: &Ty) -> String {
    names::instance("inject", &[from.clone(), to.clone()])
}
