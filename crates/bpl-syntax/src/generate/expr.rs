//! Expressions of a given type.

use super::Generator;
use super::types::{Bindings, PolymorphicMap, Ty};
use crate::ast::{
    BinaryOp, Binder, Expr, ExprKind, Extract, FieldUpdate, Ident, IfExpr, Let, LetVar, List,
    Literal, LiteralKind, Name, NumericType, Store, UnaryOp,
};
use crate::dialect::Dialect;
use crate::span::Span;

/// Creates an expression without a source span.
pub(super) fn expr(kind: ExprKind) -> Expr {
    Expr { span: Span::default(), kind }
}

fn literal(kind: LiteralKind, text: impl Into<Name>) -> Expr {
    expr(ExprKind::Literal(Literal { kind, text: text.into() }))
}

pub(super) fn variable(name: Name) -> Expr {
    expr(ExprKind::Var(name))
}

pub(super) fn call(function: Name, args: List<Expr>) -> Expr {
    expr(ExprKind::Call { function, args })
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    expr(ExprKind::Binary(op, Box::new((left, right))))
}

fn unary(op: UnaryOp, operand: Expr) -> Expr {
    expr(ExprKind::Unary(op, Box::new(operand)))
}

/// A way to make an expression that is not a leaf.
#[derive(Clone, Debug)]
enum Production {
    If,
    Let,
    Old,
    Coerce,
    /// An element of a map.
    Select,
    /// An element of a polymorphic map, with this choice of its type variable.
    SelectPolymorphic(PolymorphicMap, Ty),
    /// A call of the function with this index.
    Call(usize, Bindings),
    /// A constructor of a datatype, with the types of its fields.
    Construct(Name, Vec<Ty>),
    /// The field of a datatype value.
    Field(Ty, Name),
    /// An update of a field of this type.
    Update(Name, Ty),
    Negate,
    /// Operands and result have the same type.
    Arithmetic(BinaryOp),
    /// `/` with operands that are integers or reals.
    Divide,
    Convert(NumericType),
    Not,
    Connective(BinaryOp),
    Equality(BinaryOp),
    Comparison(BinaryOp),
    Is,
    Quantifier(Binder),
    Code,
    Concatenate,
    Extract,
    Store,
    Lambda,
}

impl Generator<'_> {
    /// Uses up one unit of fuel; returns whether more may be generated.
    pub(super) fn spend(&mut self) -> bool {
        let left = self.fuel > 0;
        self.fuel = self.fuel.saturating_sub(1);
        left
    }

    /// An expression of this type, which must have values here.
    pub(super) fn expr(&mut self, ty: &Ty, depth: u32) -> Expr {
        if depth == 0 || !self.spend() || !self.choices.chance(70) {
            return self.leaf(ty, depth);
        }
        let productions = self.productions(ty);
        let index = self.choices.below(productions.len());
        match productions.into_iter().nth(index) {
            Some(production) => self.produce(production, ty, depth - 1),
            None => self.leaf(ty, depth),
        }
    }

    /// A variable, a literal, or another small expression.
    fn leaf(&mut self, ty: &Ty, depth: u32) -> Expr {
        let count = self.visible().filter(|variable| variable.ty == *ty).count();
        if count > 0 && (self.choices.chance(70) || !ty.is_closed()) {
            let index = self.choices.below(count);
            let found = self.visible().filter(|variable| variable.ty == *ty).nth(index);
            if let Some(name) = found.map(|found| found.name.clone()) {
                return variable(name);
            }
        }
        match self.literal(ty) {
            Some(literal) => literal,
            None if ty.is_closed() => variable(self.witness(ty)),
            // Such a type is a map whose elements have values: every other open type has a
            // variable.
            None => self.lambda(ty, depth.saturating_sub(1)),
        }
    }

    /// A literal of this type, if there are any.
    pub(super) fn literal(&mut self, ty: &Ty) -> Option<Expr> {
        const MODES: [&str; 10] = [
            "RNE",
            "RNA",
            "RTP",
            "RTN",
            "RTZ",
            "roundNearestTiesToEven",
            "roundNearestTiesToAway",
            "roundTowardPositive",
            "roundTowardNegative",
            "roundTowardZero",
        ];
        const FLOATS: [&str; 7] = [
            "0x0.0e0f24e8",
            "0x1.8e0f24e8",
            "-0x1.8e-2f24e8",
            "0NaN24e8",
            "0nan24e8",
            "0+oo24e8",
            "0-oo24e8",
        ];
        let (kind, words): (LiteralKind, &[&str]) = match ty {
            Ty::Bool => (LiteralKind::Bool, &["true", "false"]),
            Ty::Int => {
                (LiteralKind::Int, &["0", "1", "2", "007", "123456789012345678901234567890"])
            }
            Ty::Real => (LiteralKind::Real, &["0.0", "1.5", "1.50", "2e3", "1.25e-2"]),
            Ty::Float => (LiteralKind::Float, &FLOATS),
            Ty::RoundingMode => (LiteralKind::RoundingMode, &MODES),
            Ty::Str => (LiteralKind::Str, &["", "text", "// \\\" #"]),
            Ty::BitVector(width) => {
                let value = self.choices.below(if *width == 0 { 1 } else { 2 });
                return Some(literal(LiteralKind::BitVector, format!("{value}bv{width}")));
            }
            _ => return None,
        };
        Some(literal(kind, self.choices.word(words)))
    }

    /// All ways to make an expression of this type here.
    fn productions(&mut self, ty: &Ty) -> Vec<Production> {
        use BinaryOp as Op;
        use Production as P;
        let mut ways = vec![P::Coerce, P::If, P::Let, P::Select];
        if self.scope.two_state {
            ways.push(P::Old);
        }
        let mut add = |more: &[Production]| ways.extend_from_slice(more);
        match ty {
            Ty::Int => {
                add(&[P::Negate, P::Convert(NumericType::Int)]);
                for op in [Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Mod] {
                    add(&[P::Arithmetic(op)]);
                }
            }
            Ty::Real => {
                add(&[P::Negate, P::Divide, P::Convert(NumericType::Real)]);
                for op in [Op::Add, Op::Sub, Op::Mul, Op::Pow] {
                    add(&[P::Arithmetic(op)]);
                }
            }
            Ty::Float => {
                for op in [Op::Add, Op::Sub, Op::Mul, Op::RealDiv] {
                    add(&[P::Arithmetic(op)]);
                }
            }
            Ty::Bool => {
                add(&[P::Not, P::Code, P::Quantifier(Binder::Forall)]);
                add(&[P::Quantifier(Binder::Forall), P::Quantifier(Binder::Exists)]);
                for op in [Op::And, Op::Or, Op::Implies, Op::Explies, Op::Iff] {
                    add(&[P::Connective(op)]);
                }
                for op in [Op::Lt, Op::Le, Op::Gt, Op::Ge] {
                    add(&[P::Comparison(op)]);
                }
                add(&[P::Equality(Op::Eq), P::Equality(Op::Ne)]);
                match self.dialect {
                    Dialect::Boogie2 => add(&[P::Equality(Op::Subtype)]),
                    Dialect::Boogie3 if self.world.datatypes.is_empty() => {}
                    Dialect::Boogie3 => add(&[P::Is]),
                }
            }
            Ty::BitVector(_) => add(&[P::Concatenate, P::Extract]),
            Ty::Map(domain, range) => {
                if self.has_values(range) && domain.iter().all(|ty| self.has_values(ty)) {
                    add(&[P::Store]);
                }
                if !domain.is_empty() && self.has_values(range) {
                    add(&[P::Lambda, P::Lambda]);
                }
            }
            Ty::Polymorphic(map) => {
                add(&[P::Store]);
                if map.constructor.is_none() {
                    add(&[P::Lambda]);
                }
            }
            Ty::Named(name, args) => self.datatype_productions(name, args, &mut ways),
            Ty::RoundingMode | Ty::Str | Ty::Variable(_) => {}
        }
        self.call_productions(ty, &mut ways);
        self.field_productions(ty, &mut ways);
        for map in &self.world.polymorphic_maps {
            if map.constructor.is_none() && *ty == Ty::Int {
                ways.push(P::SelectPolymorphic(map.clone(), Ty::Bool));
            } else if map.constructor.is_some() && ty.is_closed() {
                ways.push(P::SelectPolymorphic(map.clone(), ty.clone()));
            }
        }
        ways
    }

    fn datatype_productions(&self, name: &Name, args: &[Ty], ways: &mut Vec<Production>) {
        let Some(datatype) = self.world.datatypes.iter().find(|datatype| datatype.name == *name)
        else {
            return;
        };
        let bindings: Bindings =
            datatype.params.iter().cloned().zip(args.iter().cloned()).collect();
        for constructor in &datatype.constructors {
            let fields: Vec<Ty> =
                constructor.fields.iter().map(|field| field.ty.substitute(&bindings)).collect();
            for (field, ty) in constructor.fields.iter().zip(&fields) {
                if self.has_values(ty) {
                    ways.push(Production::Update(field.name.clone(), ty.clone()));
                }
            }
            if fields.iter().all(|ty| self.has_values(ty)) {
                ways.push(Production::Construct(constructor.name.clone(), fields));
            }
        }
    }

    fn call_productions(&mut self, ty: &Ty, ways: &mut Vec<Production>) {
        for index in 0..self.world.functions.len() {
            let mut bindings = Bindings::new();
            let function = &self.world.functions[index];
            if !function.result.matches(&function.type_params, ty, &mut bindings) {
                continue;
            }
            if function.type_params.len() > bindings.len() {
                let params = function.type_params.clone();
                self.complete(&params, &mut bindings);
            }
            let function = &self.world.functions[index];
            let mut params = function.params.iter().map(|(_, ty)| ty.substitute(&bindings));
            if params.all(|ty| self.has_values(&ty)) {
                ways.push(Production::Call(index, bindings));
            }
        }
    }

    fn field_productions(&mut self, ty: &Ty, ways: &mut Vec<Production>) {
        for datatype in &self.world.datatypes {
            for field in datatype.constructors.iter().flat_map(|constructor| &constructor.fields) {
                let mut bindings = Bindings::new();
                if !field.ty.matches(&datatype.params, ty, &mut bindings) {
                    continue;
                }
                let arg = |param: &Name| Ty::Variable(param.clone()).substitute(&bindings);
                let args: Vec<Ty> = datatype.params.iter().map(arg).collect();
                let record = Ty::Named(datatype.name.clone(), args);
                if self.has_values(&record) {
                    ways.push(Production::Field(record, field.name.clone()));
                }
            }
        }
    }

    #[expect(clippy::too_many_lines, reason = "a table with a row for each production")]
    fn produce(&mut self, production: Production, ty: &Ty, depth: u32) -> Expr {
        use Production as P;
        match production {
            P::If => {
                let cond = self.expr(&Ty::Bool, depth);
                let then_expr = self.expr(ty, depth);
                let else_expr = self.expr(ty, depth);
                expr(ExprKind::If(Box::new(IfExpr { cond, then_expr, else_expr })))
            }
            P::Let => self.let_expr(ty, depth),
            P::Old => expr(ExprKind::Old(Box::new(self.expr(ty, depth)))),
            P::Coerce => {
                let operand = self.expr(ty, depth);
                self.coerced(operand, ty)
            }
            P::Select => self.select(ty, depth),
            P::SelectPolymorphic(map, arg) => {
                let arg = if map.constructor.is_none() { self.inhabited_ty() } else { arg };
                let index_ty = map.instance(arg).0;
                let index = self.expr(&index_ty, depth);
                let map = self.expr(&Ty::Polymorphic(map), depth.min(1));
                expr(ExprKind::Select(Box::new(map), List::from([index])))
            }
            P::Call(index, bindings) => {
                let function = self.world.functions[index].clone();
                let types = function.params.iter().map(|(_, ty)| ty.substitute(&bindings));
                let args = types.map(|ty| self.expr(&ty, depth)).collect();
                call(function.name, args)
            }
            P::Construct(name, fields) => {
                let args: List<Expr> = fields.iter().map(|ty| self.expr(ty, depth)).collect();
                // The arguments need not determine the type parameters.
                self.coerced(call(name, args), ty)
            }
            P::Field(record, field) => {
                let record = self.expr(&record, depth);
                expr(ExprKind::Field(Box::new((record, Ident::new(field)))))
            }
            P::Update(field, field_ty) => {
                let record = self.expr(ty, depth);
                let value = self.expr(&field_ty, depth);
                let update = FieldUpdate { record, field: Ident::new(field), value };
                expr(ExprKind::FieldUpdate(Box::new(update)))
            }
            P::Negate => unary(UnaryOp::Neg, self.expr(ty, depth)),
            P::Not => unary(UnaryOp::Not, self.expr(ty, depth)),
            P::Arithmetic(op) | P::Connective(op) => self.operation(op, ty, depth),
            P::Divide => {
                let mut operand = || {
                    let ty = if self.choices.chance(50) { Ty::Int } else { Ty::Real };
                    self.expr(&ty, depth)
                };
                let left = operand();
                let right = operand();
                binary(BinaryOp::RealDiv, left, right)
            }
            P::Convert(NumericType::Int) => {
                let operand = self.expr(&Ty::Real, depth);
                expr(ExprKind::Convert(NumericType::Int, Box::new(operand)))
            }
            P::Convert(NumericType::Real) => {
                let operand = self.expr(&Ty::Int, depth);
                expr(ExprKind::Convert(NumericType::Real, Box::new(operand)))
            }
            P::Equality(op) => {
                let ty = self.inhabited_ty();
                self.operation(op, &ty, depth)
            }
            P::Comparison(op) => {
                let ty = [Ty::Int, Ty::Real, Ty::Float][self.choices.below(3)].clone();
                self.operation(op, &ty, depth)
            }
            P::Is => self.is(depth),
            P::Quantifier(binder) => self.quantifier(binder, depth),
            P::Code => self.code_expr(depth),
            P::Concatenate => {
                let Ty::BitVector(width) = *ty else { return self.leaf(ty, depth) };
                let left = [0, width, width / 2][self.choices.below(3)];
                let right = self.expr(&Ty::BitVector(width - left), depth);
                let left = self.expr(&Ty::BitVector(left), depth);
                // An empty extract gives the checker no width, so the operands must.
                binary(BinaryOp::Concat, left, right)
            }
            P::Extract => {
                let Ty::BitVector(width) = *ty else { return self.leaf(ty, depth) };
                let whole = width.max(8);
                let low = [0, whole - width][self.choices.below(2)];
                let vector = self.expr(&Ty::BitVector(whole), depth);
                let bound = |bound: u32| Name::new(bound.to_string());
                let (high, low) = (bound(low + width), bound(low));
                expr(ExprKind::Extract(Box::new(Extract { vector, high, low })))
            }
            P::Store => self.store(ty, depth),
            P::Lambda => self.lambda(ty, depth),
        }
    }

    fn operation(&mut self, op: BinaryOp, ty: &Ty, depth: u32) -> Expr {
        let left = self.expr(ty, depth);
        let right = self.expr(ty, depth);
        binary(op, left, right)
    }

    fn coerced(&mut self, operand: Expr, ty: &Ty) -> Expr {
        let ty = Box::new(self.spell(ty));
        expr(ExprKind::Coerce(Box::new(operand), ty))
    }

    fn select(&mut self, ty: &Ty, depth: u32) -> Expr {
        let arity = [1, 2, 0][self.choices.below(3)];
        let domain: Vec<Ty> = (0..arity).map(|_| self.inhabited_ty()).collect();
        let map_ty = Ty::Map(domain.clone(), Box::new(ty.clone()));
        if !self.has_values(&map_ty) {
            return self.leaf(ty, depth);
        }
        let map = self.expr(&map_ty, depth);
        let indices = domain.iter().map(|ty| self.expr(ty, depth)).collect();
        expr(ExprKind::Select(Box::new(map), indices))
    }

    fn store(&mut self, ty: &Ty, depth: u32) -> Expr {
        let (domain, range) = match ty {
            Ty::Map(domain, range) => (domain.clone(), (**range).clone()),
            Ty::Polymorphic(map) => {
                let arg = self.closed_ty(0);
                let (index, element) = map.instance(arg);
                (vec![index], element)
            }
            _ => return self.leaf(ty, depth),
        };
        let map = self.expr(ty, depth);
        let indices = domain.iter().map(|ty| self.expr(ty, depth)).collect();
        let value = self.expr(&range, depth);
        expr(ExprKind::Store(Box::new(Store { map, indices, value })))
    }

    fn is(&mut self, depth: u32) -> Expr {
        let index = self.choices.below(self.world.datatypes.len());
        let Some(datatype) = self.world.datatypes.get(index).cloned() else {
            return self.leaf(&Ty::Bool, depth);
        };
        let args = datatype.params.iter().map(|_| self.closed_ty(0)).collect();
        let index = self.choices.below(datatype.constructors.len());
        let constructor = Ident::new(datatype.constructors[index].name.clone());
        let record = self.expr(&Ty::Named(datatype.name, args), depth);
        expr(ExprKind::Is(Box::new((record, constructor))))
    }

    fn let_expr(&mut self, ty: &Ty, depth: u32) -> Expr {
        let types: Vec<Ty> = (0..self.choices.between(1, 2)).map(|_| self.inhabited_ty()).collect();
        let values = types.iter().map(|ty| self.expr(ty, depth)).collect();
        let outer = self.scope.locals.len();
        let vars = types
            .into_iter()
            .map(|ty| {
                let attrs = self.literal_attrs();
                LetVar { attrs, name: Ident::new(self.declare_local(ty)) }
            })
            .collect();
        let attrs = self.attrs();
        let body = self.expr(ty, depth);
        self.scope.locals.truncate(outer);
        expr(ExprKind::Let(Box::new(Let { vars, values, attrs, body })))
    }
}
