//! Expressions.

use std::sync::Arc;

use bpl_syntax::ast::{
    Annotation, Attr, BinaryOp, Binder, CodeBlock, CodeExpr, CodeTransfer, Expr, ExprKind, Extract,
    FieldUpdate, Ident, IfExpr, Let, Name, NumericType, Quantifier, Store, Trigger, Type, UnaryOp,
};
use bpl_syntax::diagnostic::{Diagnostic, ErrorClass};
use bpl_syntax::span::Span;
use rustc_hash::FxHashSet;

use crate::check::{Checker, States};
use crate::env::FunctionKind;
use crate::operators;
use crate::scope::LocalKind;
use crate::type_names::{count, parse_size, plural};
use crate::types::{MapShape, TypeId, TypeKind, deep};

impl<'a> Checker<'_, 'a> {
    /// Checks an expression and returns its type. If it is wrong, the error has been reported, and
    /// the result is the error type, which fits everywhere.
    pub(crate) fn expr(&mut self, expr: &'a Expr) -> TypeId {
        deep(|| {
            let number = self.begin_expr();
            let ty = self.expr_kind(expr.span, &expr.kind);
            self.end_expr(number, ty);
            ty
        })
    }

    fn exprs(&mut self, exprs: &'a [Expr]) -> Vec<TypeId> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    fn expr_kind(&mut self, span: Span, kind: &'a ExprKind) -> TypeId {
        match kind {
            ExprKind::Literal(literal) => operators::literal(&mut self.solver, literal)
                .unwrap_or_else(|| {
                    self.unresolved(span, format!("the size of `{}` is too large", literal.text));
                    TypeId::ERROR
                }),
            ExprKind::Var(name) => {
                self.variable(span, name).map_or(TypeId::ERROR, |variable| variable.ty)
            }
            ExprKind::Call { function, args } => self.application(span, function, args),
            ExprKind::Old(inner) => {
                if self.states != States::Two {
                    let error = Diagnostic::new(
                        ErrorClass::Resolution,
                        span,
                        "`old` may not be used here, where there is no earlier state",
                    )
                    .help("`old` belongs in ensures clauses and bodies");
                    self.report(error);
                }
                self.expr(inner)
            }
            ExprKind::Convert(target, inner) => self.conversion(*target, inner),
            ExprKind::Unary(op, operand) => self.unary(span, *op, operand),
            ExprKind::Binary(op, operands) => self.binary(span, *op, &operands.0, &operands.1),
            ExprKind::Is(is) => self.is_constructor(&is.0, &is.1),
            ExprKind::Coerce(inner, ty) => self.coercion(span, inner, ty),
            ExprKind::Select(map, indices) => {
                let map = self.expr(map);
                let indices = self.typed(indices);
                self.element(span, map, &indices, "map select")
            }
            ExprKind::Store(store) => self.store(span, store),
            ExprKind::Extract(extract) => self.extract(span, extract),
            ExprKind::Field(field) => {
                let (record, field) = &**field;
                let record = self.expr(record);
                self.field(record, field)
            }
            ExprKind::FieldUpdate(update) => self.field_update(update),
            ExprKind::If(conditional) => self.conditional(span, conditional),
            ExprKind::Quantifier(quantifier) => self.quantifier(span, quantifier),
            ExprKind::Let(binding) => self.let_expr(span, binding),
            ExprKind::Code(code) => self.code(code),
        }
    }

    /// The types of these expressions, with their spans.
    pub(crate) fn typed(&mut self, exprs: &'a [Expr]) -> Vec<(Span, TypeId)> {
        exprs.iter().map(|expr| (expr.span, self.expr(expr))).collect()
    }

    fn application(&mut self, span: Span, name: &Name, args: &'a [Expr]) -> TypeId {
        let Some(function) = self.env.functions.get(name) else {
            let mut error = Diagnostic::new(
                ErrorClass::Resolution,
                span,
                format!("undeclared function `{name}`"),
            );
            if self.env.procedures.contains_key(name) {
                error = error.help(format!("`{name}` is a procedure; use a call statement"));
            } else if let Some(near) =
                self.suggestion(name, self.env.functions.keys().map(Name::as_str))
            {
                error = error.help(format!("did you mean `{near}`?"));
            }
            self.report(error);
            self.exprs(args);
            return TypeId::ERROR;
        };
        let actual = self.typed(args);
        if actual.len() != function.params.len() {
            let wanted = count(function.params.len());
            let message = format!("function `{name}` takes {wanted}, not {}", actual.len());
            let error = Diagnostic::new(ErrorClass::Type, span, message)
                .related(function.span, "declared here");
            self.report(error);
            // The result type is as declared, unless it depends on the arguments.
            return if function.type_params == 0 { function.result } else { TypeId::ERROR };
        }
        let (params, result) = (Arc::clone(&function.params), function.result);
        if function.type_params == 0 {
            for (i, (&(span, actual), &formal)) in actual.iter().zip(params.iter()).enumerate() {
                self.check_argument(span, actual, formal, i, name);
            }
            return result;
        }
        let unknowns = self.solver.unknowns(function.type_params);
        for (i, (&(span, actual), &formal)) in actual.iter().zip(params.iter()).enumerate() {
            let formal = self.solver.types.instantiate(formal, &unknowns);
            self.check_argument(span, actual, formal, i, name);
        }
        self.solver.types.instantiate(result, &unknowns)
    }

    pub(crate) fn check_argument(
        &mut self,
        span: Span,
        actual: TypeId,
        formal: TypeId,
        position: usize,
        callee: &str,
    ) {
        if !self.solver.unify(actual, formal) {
            let (actual, formal) = (self.solver.display(actual), self.solver.display(formal));
            let position = position + 1;
            self.ill_typed(
                span,
                format!(
                    "argument {position} of `{callee}` must be of type `{formal}`, not `{actual}`"
                ),
            );
        }
    }

    fn conversion(&mut self, target: NumericType, inner: &'a Expr) -> TypeId {
        let ty = self.expr(inner);
        let (name, source, result) = match target {
            NumericType::Int => ("int", TypeId::REAL, TypeId::INT),
            NumericType::Real => ("real", TypeId::INT, TypeId::REAL),
        };
        if !self.solver.unify(ty, source) {
            let (ty, source) = (self.solver.display(ty), self.solver.display(source));
            self.ill_typed(
                inner.span,
                format!("the argument of `{name}` must be of type `{source}`, not `{ty}`"),
            );
        }
        result
    }

    fn unary(&mut self, span: Span, op: UnaryOp, operand: &'a Expr) -> TypeId {
        if self.in_trigger && op == UnaryOp::Not {
            self.not_in_triggers(span, "boolean operators");
        }
        let ty = self.expr(operand);
        operators::unary(&mut self.solver, op, ty).unwrap_or_else(|| {
            let ty = self.solver.display(ty);
            let symbol = if op == UnaryOp::Not { "!" } else { "-" };
            self.ill_typed(span, format!("`{symbol}` cannot be applied to type `{ty}`"));
            TypeId::ERROR
        })
    }

    fn binary(&mut self, span: Span, op: BinaryOp, left: &'a Expr, right: &'a Expr) -> TypeId {
        if self.in_trigger {
            match op {
                BinaryOp::Iff
                | BinaryOp::Implies
                | BinaryOp::Explies
                | BinaryOp::And
                | BinaryOp::Or => self.not_in_triggers(span, "boolean operators"),
                BinaryOp::Eq => self.not_in_triggers(span, "equality"),
                BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                    self.not_in_triggers(span, "comparisons");
                }
                _ => {}
            }
        }
        let (left, right) = (self.expr(left), self.expr(right));
        operators::binary(&mut self.solver, op, left, right).unwrap_or_else(|| {
            let (left, right) = (self.solver.display(left), self.solver.display(right));
            let symbol = operators::symbol(op);
            self.ill_typed(
                span,
                format!("`{symbol}` cannot be applied to types `{left}` and `{right}`"),
            );
            match op {
                BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::Div
                | BinaryOp::Mod
                | BinaryOp::RealDiv
                | BinaryOp::Pow
                | BinaryOp::Concat => TypeId::ERROR,
                _ => TypeId::BOOL,
            }
        })
    }

    pub(crate) fn not_in_triggers(&mut self, span: Span, what: &str) {
        self.unresolved(span, format!("{what} may not be used in triggers"));
    }

    fn coercion(&mut self, span: Span, inner: &'a Expr, ty: &'a Type) -> TypeId {
        let actual = self.expr(inner);
        let wanted = self.read_type(ty);
        if !self.solver.unify(actual, wanted) {
            let (actual, wanted) = (self.solver.display(actual), self.solver.display(wanted));
            self.ill_typed(span, format!("type `{actual}` is not `{wanted}`"));
        }
        wanted
    }

    /// The type of `m[i, j]`, given the types of `m`, `i` and `j`.
    pub(crate) fn element(
        &mut self,
        span: Span,
        map: TypeId,
        indices: &[(Span, TypeId)],
        what: &str,
    ) -> TypeId {
        let Some(shape) = self.map_shape(span, map, indices, what) else { return TypeId::ERROR };
        for (i, (&(span, actual), &formal)) in indices.iter().zip(shape.domain.iter()).enumerate() {
            if !self.solver.unify(actual, formal) {
                let (actual, formal) = (self.solver.display(actual), self.solver.display(formal));
                let position = i + 1;
                self.ill_typed(
                    span,
                    format!("index {position} must be of type `{formal}`, not `{actual}`"),
                );
            }
        }
        shape.range
    }

    /// The components of a map type, with unknowns for its type parameters.
    fn map_shape(
        &mut self,
        span: Span,
        map: TypeId,
        indices: &[(Span, TypeId)],
        what: &str,
    ) -> Option<Arc<MapShape>> {
        let map = self.solver.resolve(map);
        let shape = match self.solver.types.kind(map) {
            TypeKind::Map(shape) => Arc::clone(shape),
            TypeKind::Error => return None,
            &TypeKind::Unknown(number) => {
                let domain: Arc<[TypeId]> = indices.iter().map(|&(_, ty)| ty).collect();
                let range = self.solver.unknown();
                self.solver.demand_map(number, Arc::clone(&domain), range);
                return Some(Arc::new(MapShape { params: 0, domain, range }));
            }
            _ => {
                let ty = self.solver.display(map);
                self.ill_typed(span, format!("{what} applied to type `{ty}`, which is not a map"));
                return None;
            }
        };
        if shape.domain.len() != indices.len() {
            let (wanted, given) = (shape.domain.len(), indices.len());
            let plural = if wanted == 1 { "index" } else { "indices" };
            self.ill_typed(span, format!("the map takes {wanted} {plural}, not {given}"));
            return None;
        }
        if shape.params == 0 {
            return Some(shape);
        }
        let unknowns = self.solver.unknowns(shape.params);
        let types = &mut self.solver.types;
        let domain = shape.domain.iter().map(|&ty| types.instantiate(ty, &unknowns)).collect();
        let range = types.instantiate(shape.range, &unknowns);
        Some(Arc::new(MapShape { params: 0, domain, range }))
    }

    fn store(&mut self, span: Span, store: &'a Store) -> TypeId {
        let map = self.expr(&store.map);
        let indices = self.typed(&store.indices);
        let value = self.expr(&store.value);
        let range = self.element(span, map, &indices, "map store");
        if !self.solver.unify(value, range) {
            let (value, range) = (self.solver.display(value), self.solver.display(range));
            self.ill_typed(
                store.value.span,
                format!("the map has elements of type `{range}`, not `{value}`"),
            );
        }
        map
    }

    fn extract(&mut self, span: Span, extract: &'a Extract) -> TypeId {
        let vector = self.expr(&extract.vector);
        let bounds = (parse_size(&extract.high), parse_size(&extract.low));
        let (Some(high), Some(low)) = bounds else {
            self.ill_typed(span, "the bounds are too large");
            return TypeId::ERROR;
        };
        if low > high {
            self.ill_typed(span, format!("the bounds are the wrong way round: {low} > {high}"));
            return TypeId::ERROR;
        }
        let resolved = self.solver.resolve(vector);
        let fits = match self.solver.types.kind(resolved) {
            TypeKind::BitVector(width) => high <= *width,
            TypeKind::Unknown(_) | TypeKind::Error => true,
            _ => false,
        };
        if !fits {
            let ty = self.solver.display(vector);
            self.ill_typed(
                span,
                format!(
                    "bits can be taken from bitvectors of at least {high} bits, not from `{ty}`"
                ),
            );
        }
        self.solver.types.intern(TypeKind::BitVector(high - low))
    }

    /// If a type is a datatype, its name and arguments.
    fn datatype_of(&self, ty: TypeId) -> Option<(Name, Arc<[TypeId]>)> {
        match self.solver.types.kind(self.solver.resolve(ty)) {
            TypeKind::Constructed(name, args) if self.env.datatypes.contains_key(name) => {
                Some((name.clone(), Arc::clone(args)))
            }
            _ => None,
        }
    }

    /// The type of `r->f`, given the type of `r`.
    pub(crate) fn field(&mut self, record: TypeId, field: &Ident) -> TypeId {
        if self.solver.resolve(record) == TypeId::ERROR {
            return TypeId::ERROR;
        }
        let name = &field.name;
        let Some((datatype, args)) = self.datatype_of(record) else {
            let ty = self.solver.display(record);
            self.ill_typed(
                field.span,
                format!("field `{name}` of type `{ty}`, which is not a datatype"),
            );
            return TypeId::ERROR;
        };
        let env = self.env;
        let known = env.datatypes.get(&datatype);
        let Some(ty) = known.and_then(|datatype| datatype.field(name)) else {
            let message = format!("datatype `{datatype}` has no field `{name}`");
            let mut error = Diagnostic::new(ErrorClass::Type, field.span, message);
            let fields = known.iter().flat_map(|known| &known.fields);
            if let Some(near) = self.suggestion(name, fields.map(|(name, _)| name.as_str())) {
                error = error.help(format!("did you mean `{near}`?"));
            }
            self.report(error);
            return TypeId::ERROR;
        };
        self.solver.types.instantiate(ty, &args)
    }

    fn field_update(&mut self, update: &'a FieldUpdate) -> TypeId {
        let record = self.expr(&update.record);
        let value = self.expr(&update.value);
        let field = self.field(record, &update.field);
        if !self.solver.unify(value, field) {
            let (value, field) = (self.solver.display(value), self.solver.display(field));
            let name = &update.field.name;
            self.ill_typed(
                update.value.span,
                format!("field `{name}` is of type `{field}`, not `{value}`"),
            );
        }
        record
    }

    fn is_constructor(&mut self, inner: &'a Expr, constructor: &'a Ident) -> TypeId {
        let ty = self.expr(inner);
        let name = &constructor.name;
        if self.solver.resolve(ty) == TypeId::ERROR {
            return TypeId::BOOL;
        }
        let Some((datatype, _)) = self.datatype_of(ty) else {
            let ty = self.solver.display(ty);
            self.ill_typed(
                inner.span,
                format!("`is {name}` applied to type `{ty}`, which is not a datatype"),
            );
            return TypeId::BOOL;
        };
        let of_datatype = self.env.function(name).is_some_and(
            |function| matches!(&function.kind, FunctionKind::Constructor(other) if *other == datatype),
        );
        if !of_datatype {
            self.ill_typed(
                constructor.span,
                format!("datatype `{datatype}` has no constructor `{name}`"),
            );
        }
        TypeId::BOOL
    }

    fn conditional(&mut self, span: Span, conditional: &'a IfExpr) -> TypeId {
        let cond = self.expr(&conditional.cond);
        let then = self.expr(&conditional.then_expr);
        let otherwise = self.expr(&conditional.else_expr);
        if !self.solver.unify(cond, TypeId::BOOL) {
            let ty = self.solver.display(cond);
            self.ill_typed(
                conditional.cond.span,
                format!("the condition must be of type `bool`, not `{ty}`"),
            );
        }
        if self.solver.unify(then, otherwise) {
            return then;
        }
        let (then, otherwise) = (self.solver.display(then), self.solver.display(otherwise));
        self.ill_typed(span, format!("the branches are of types `{then}` and `{otherwise}`"));
        TypeId::ERROR
    }

    fn quantifier(&mut self, span: Span, quantifier: &'a Quantifier) -> TypeId {
        let Quantifier { binder, type_params, bound, annotations, body } = quantifier;
        if self.in_trigger {
            self.not_in_triggers(span, "quantifiers");
        }
        let vars_before = self.type_vars.len();
        let mark = self.scope.open();
        self.declare_type_params(type_params);
        let mut domain = Vec::new();
        for group in bound {
            self.ignored_attributes(&group.attrs);
            let ty = self.read_type(&group.ty);
            for name in &group.names {
                self.declare(name, ty, LocalKind::Bound);
                domain.push(ty);
            }
        }
        let open: Vec<&'a Ident> = type_params
            .iter()
            .filter(|param| !domain.iter().any(|&ty| self.solver.mentions(&param.name, ty)))
            .collect();
        let mut seen: Vec<(&'a Trigger, Vec<TypeId>)> = Vec::new();
        for annotation in annotations {
            match annotation {
                Annotation::Attr(attr) => self.attributes(std::slice::from_ref::<Attr>(attr)),
                Annotation::Trigger(trigger) => {
                    let types = self.trigger(bound, trigger, !open.is_empty());
                    if !trigger.negative {
                        seen.push((trigger, types));
                    }
                }
            }
        }
        let mut range = self.expr(body);
        if *binder == Binder::Lambda {
            for param in open {
                range = TypeId::ERROR;
                let message = format!(
                    "type variable `{}` does not occur in the types of the bound variables",
                    param.name
                );
                self.ill_typed(param.span, message);
            }
        } else {
            self.check_open_params(&open, &seen);
            if !self.solver.unify(range, TypeId::BOOL) {
                let ty = self.solver.display(range);
                self.ill_typed(
                    body.span,
                    format!("the body of a quantifier must be of type `bool`, not `{ty}`"),
                );
            }
        }
        self.scope.leave(mark);
        self.type_vars.truncate(vars_before);
        match binder {
            Binder::Forall | Binder::Exists => TypeId::BOOL,
            Binder::Lambda => self.lambda_type(type_params, &domain, range),
        }
    }

    fn lambda_type(&mut self, params: &[Ident], domain: &[TypeId], range: TypeId) -> TypeId {
        if params.is_empty() {
            return self.solver.types.map(0, domain.into(), range);
        }
        if range == TypeId::ERROR {
            return TypeId::ERROR;
        }
        let range = self.solver.resolve_fully(range);
        let mut parts: Vec<_> = domain
            .iter()
            .copied()
            .chain([range])
            .map(|ty| self.solver.types.bind_params(ty, params))
            .collect();
        self.solver.types.normalize_binder(&mut parts);
        let range = parts.pop().unwrap_or(TypeId::ERROR);
        let count = u32::try_from(params.len()).unwrap_or(u32::MAX);
        self.solver.types.map(count, parts.into(), range)
    }

    fn let_expr(&mut self, span: Span, binding: &'a Let) -> TypeId {
        for var in &binding.vars {
            self.ignored_attributes(&var.attrs);
        }
        let values = self.exprs(&binding.values);
        if values.len() != binding.vars.len() {
            let vars = plural(binding.vars.len(), "variable");
            let values = plural(values.len(), "value");
            self.unresolved(span, format!("{vars} for {values}"));
        }
        let mark = self.scope.open();
        for (i, var) in binding.vars.iter().enumerate() {
            let ty = values.get(i).copied().unwrap_or(TypeId::ERROR);
            self.declare(&var.name, ty, LocalKind::Bound);
        }
        self.attributes(&binding.attrs);
        let ty = self.expr(&binding.body);
        self.scope.leave(mark);
        ty
    }

    fn code(&mut self, code: &'a CodeExpr) -> TypeId {
        self.code_depth += 1;
        let mark = self.scope.open();
        let outer_labels = std::mem::take(&mut self.labels);
        self.locals(&code.locals);
        let known: FxHashSet<&str> =
            code.blocks.iter().map(|block| block.label.name.as_str()).collect();
        for CodeBlock { label, stmts, transfer } in &code.blocks {
            self.declare_label(label);
            self.block(stmts);
            match transfer {
                CodeTransfer::Goto(goto) => {
                    self.attributes(&goto.attrs);
                    for target in &goto.targets {
                        if !known.contains(target.name.as_str()) {
                            let name = &target.name;
                            self.unresolved(target.span, format!("unknown label `{name}`"));
                        }
                    }
                }
                CodeTransfer::Return { attrs, expr } => {
                    self.attributes(attrs);
                    self.condition(expr, "what a code expression returns");
                }
            }
        }
        self.labels = outer_labels;
        self.scope.leave(mark);
        self.code_depth -= 1;
        TypeId::BOOL
    }
}
