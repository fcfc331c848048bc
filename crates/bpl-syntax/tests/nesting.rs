//! The printer on trees built by hand: each construct as each operand of every other construct.

use std::sync::Arc;

use bpl_syntax::ast::{
    AxiomDecl, BinaryOp, Binder, Decl, Expr, ExprKind, Extract, FieldUpdate, Ident, IfExpr, Let,
    LetVar, List, Literal, LiteralKind, NumericType, Program, Quantifier, Store, Type, TypeKind,
    UnaryOp, VarGroup,
};
use bpl_syntax::operator::OPERATORS;
use bpl_syntax::span::Span;
use bpl_syntax::{Dialect, parse, print};

fn expr(kind: ExprKind) -> Expr {
    Expr { span: Span::default(), kind }
}

fn var(name: &str) -> Expr {
    expr(ExprKind::Var(name.into()))
}

fn literal(kind: LiteralKind, text: &str) -> Expr {
    expr(ExprKind::Literal(Literal { kind, text: text.into() }))
}

fn named(name: &str, args: Vec<Type>) -> Type {
    Type { span: Span::default(), kind: TypeKind::Named { name: name.into(), args: args.into() } }
}

fn leaves() -> Vec<Expr> {
    vec![
        var("x"),
        var("if"),
        var("#if"),
        literal(LiteralKind::Int, "7"),
        literal(LiteralKind::Float, "0x1.8e0f24e8"),
        literal(LiteralKind::Float, "-0x1.8e0f24e8"),
        literal(LiteralKind::Float, "0+oo24e8"),
        literal(LiteralKind::Str, "ends with \\"),
        literal(LiteralKind::RoundingMode, "RNE"),
        expr(ExprKind::Call { function: "f".into(), args: List::from([]) }),
    ]
}

/// All ways to build an expression around another one.
fn wrap(inner: &Expr) -> Vec<Expr> {
    let boxed = || Box::new(inner.clone());
    let x = || var("x");
    let mut all: Vec<ExprKind> = Vec::new();
    for row in &OPERATORS {
        if row.op != BinaryOp::Subtype {
            all.push(ExprKind::Binary(row.op, Box::new((inner.clone(), x()))));
            all.push(ExprKind::Binary(row.op, Box::new((x(), inner.clone()))));
        }
    }
    all.push(ExprKind::Unary(UnaryOp::Neg, boxed()));
    all.push(ExprKind::Unary(UnaryOp::Not, boxed()));
    all.push(ExprKind::Is(Box::new((*boxed(), Ident::new("C")))));
    all.push(ExprKind::Coerce(boxed(), Box::new(named("C", vec![]))));
    let nested = named("C", vec![named("D", vec![named("E", vec![])]), named("F", vec![])]);
    all.push(ExprKind::Coerce(boxed(), Box::new(nested)));
    all.push(ExprKind::Select(boxed(), List::from([x()])));
    all.push(ExprKind::Select(boxed(), List::from([])));
    all.push(ExprKind::Select(Box::new(x()), List::from([inner.clone()])));
    all.push(ExprKind::Select(Box::new(x()), List::from([inner.clone(), x()])));
    for (map, indices, value) in [
        (inner.clone(), vec![], x()),
        (x(), vec![inner.clone()], x()),
        (x(), vec![x(), inner.clone()], x()),
        (x(), vec![], inner.clone()),
    ] {
        all.push(ExprKind::Store(Box::new(Store { map, indices: indices.into(), value })));
    }
    let extract = Extract { vector: inner.clone(), high: "8".into(), low: "0".into() };
    all.push(ExprKind::Extract(Box::new(extract)));
    all.push(ExprKind::Field(Box::new((*boxed(), Ident::new("l")))));
    for (record, value) in [(inner.clone(), x()), (x(), inner.clone())] {
        let update = FieldUpdate { record, field: Ident::new("l"), value };
        all.push(ExprKind::FieldUpdate(Box::new(update)));
    }
    for (cond, then_expr, else_expr) in
        [(inner.clone(), x(), x()), (x(), inner.clone(), x()), (x(), x(), inner.clone())]
    {
        all.push(ExprKind::If(Box::new(IfExpr { cond, then_expr, else_expr })));
    }
    all.push(ExprKind::Call { function: "f".into(), args: List::from([inner.clone(), x()]) });
    all.push(ExprKind::Old(boxed()));
    all.push(ExprKind::Convert(NumericType::Real, boxed()));
    all.push(ExprKind::Quantifier(Box::new(Quantifier {
        binder: Binder::Forall,
        type_params: List::from([]),
        bound: vec![VarGroup {
            span: Span::default(),
            attrs: List::from([]),
            names: List::from([Ident::new("x")]),
            ty: named("C", vec![]),
            where_clause: None,
        }],
        annotations: vec![],
        body: inner.clone(),
    })));
    let let_var = || vec![LetVar { attrs: List::from([]), name: Ident::new("x") }];
    for (values, body) in [(vec![inner.clone()], x()), (vec![x()], inner.clone())] {
        all.push(ExprKind::Let(Box::new(Let {
            vars: let_var(),
            values: values.into(),
            attrs: List::from([]),
            body,
        })));
    }
    all.into_iter().map(expr).collect()
}

fn check(exprs: Vec<Expr>) {
    let axiom =
        |expr| AxiomDecl { span: Span::default(), hideable: false, attrs: List::from([]), expr };
    let decls = exprs.into_iter().map(|expr| Arc::new(Decl::Axiom(axiom(expr)))).collect();
    let program = Program { dialect: Dialect::Boogie3, decls };
    let again = parse(&print(&program), program.dialect);
    assert!(again.errors.is_empty(), "{:?}", again.errors);
    assert_eq!(program.decls.len(), again.program.decls.len());
    for (one, other) in program.decls.iter().zip(&again.program.decls) {
        assert!(one == other, "reads back differently: {one}\n{one:?}\n{other:?}");
    }
}

#[test]
fn every_nesting_of_three_constructs_reads_back() {
    for leaf in leaves() {
        let once = wrap(&leaf);
        let twice: Vec<Expr> = once.iter().flat_map(wrap).collect();
        check(once);
        check(twice);
    }
    for pair in wrap(&var("x")).iter().flat_map(wrap) {
        check(wrap(&pair));
    }
}
