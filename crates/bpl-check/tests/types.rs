//! The types of expressions, the environment, and declarations checked one by one.

use std::fmt::Write as _;
use std::sync::Arc;

use bpl_check::{CheckOptions, Checked, Env, TypeKind, check, check_with_types};
use bpl_syntax::ast::{BinaryOp, Decl, Expr, ExprKind, LiteralKind, Program};
use bpl_syntax::diagnostic::ErrorClass;
use bpl_syntax::visit::Visit;
use bpl_syntax::{Dialect, parse};

fn program(text: &str, dialect: Dialect) -> Program {
    let parse = parse(text, dialect);
    assert!(parse.errors.is_empty(), "{:?}", parse.errors);
    parse.program
}

fn checked(program: &Program) -> Checked {
    check_with_types(program, CheckOptions::default()).expect("a well-formed program")
}

/// The expressions of a declaration in pre-order.
#[derive(Default)]
struct Exprs<'a>(Vec<&'a Expr>);

impl<'a> Visit<'a> for Exprs<'a> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        self.0.push(expr);
        self.walk_expr(expr);
    }
}

fn exprs(decl: &Decl) -> Vec<&Expr> {
    let mut exprs = Exprs::default();
    exprs.visit_decl(decl);
    exprs.0
}

const EVERYTHING: &str = r#"
datatype Pair<A, B> { Pair({:f 1} a: A, b: B) }
const {:c 1, "s"} unique c: int uses { axiom {:x 2} c == 1; }
function {:a x + 1} f({:p 3} x: int) returns ({:r 4} y: int) { x } uses { axiom f(1) == 1; }
var {:v c} g: [int]int where g[0] == 0, h: int where h == 5;
procedure {:q r} p<T>({:i 6} i: int where i > 7, t: T) returns ({:o 8} r: int where r > i);
  requires {:l 1} i > 9; ensures {:m i} old(g)[r] == 1; modifies g;
implementation {:z w} p<T>({:i 6} i: int, t: T) returns ({:o 8} r: int) {
  var {:n w} w: int where w == i; var q: Pair int bool; var b: bool;
  L: g[i], r := {:k 1} 2, if true then i else r;
  assert {:m 1, 2} (forall {:b 1} j: int :: {:a j} {f(j), g[j]} {:nopats f(1)} g[j := 3][j] == f(-j));
  assume (var {:l 1} u, v := 1, true; {:l 2} v || u == int(real(u)) || 5bv8[3:1] == 1bv2);
  Pair(w, b) := {:u 1} Pair(1, b)->(a := 2); q->a := if q is Pair then 1 else (2: int);
  while (b) invariant {:s 1} |{ var {:y 1} y: int where y == 2; A: y := 3; goto {:g 1} B; B: return {:h 2} y == 1; }|; { call {:t 1} r := p(w, t); }
  if {:j 1} (w == 1) { return {:e 1}; } else if (b) { goto {:d 2} L; } else { havoc w; }
}
"#;

#[test]
fn types_are_numbered_as_visitors_go() {
    // `is` binds a constructor to a datatype, so that one line is fixed up here.
    let text = EVERYTHING
        .replace("q->a := q->b is Pair: bool", "q->a := if q is Pair then 1 else (2: int)");
    let program = program(&text, Dialect::Boogie3);
    let checked = checked(&program);
    for (index, decl) in program.decls.iter().enumerate() {
        let exprs = exprs(decl);
        let types = checked.expr_types(index);
        assert_eq!(exprs.len(), types.len(), "declaration {index}");
        for (expr, &ty) in exprs.iter().zip(types) {
            let kind = checked.types().kind(ty);
            match &expr.kind {
                ExprKind::Literal(literal) => match literal.kind {
                    LiteralKind::Int => assert_eq!(kind, &TypeKind::Int),
                    LiteralKind::Bool => assert_eq!(kind, &TypeKind::Bool),
                    _ => {}
                },
                ExprKind::Binary(BinaryOp::Eq, _) | ExprKind::Quantifier(_) | ExprKind::Code(_) => {
                    assert_eq!(kind, &TypeKind::Bool);
                }
                _ => {}
            }
        }
    }
}

#[test]
fn inferred_types_are_final() {
    let text = "type List _; function nil<a>(): List a; function f<a>(l: List a, x: a): bool; axiom f(nil(), 1);";
    let program = program(text, Dialect::Boogie2);
    let checked = checked(&program);
    let types: Vec<_> =
        checked.expr_types(3).iter().map(|&ty| checked.types().display(ty).to_string()).collect();
    assert_eq!(types, ["bool", "List int", "int"]);
}

#[test]
fn comparisons_of_floats_can_be_told() {
    let program = program(
        "procedure p(x: float24e8, i: int) { assert x < x; assert i < i; }",
        Dialect::Boogie2,
    );
    let checked = checked(&program);
    let operands: Vec<_> = exprs(&program.decls[0])
        .iter()
        .enumerate()
        .filter(|(_, expr)| matches!(expr.kind, ExprKind::Binary(BinaryOp::Lt, _)))
        .filter_map(|(number, _)| checked.type_of(0, number + 1))
        .map(|ty| matches!(checked.types().kind(ty), TypeKind::Float { .. }))
        .collect();
    assert_eq!(operands, [true, false]);
}

#[test]
fn the_environment_knows_signatures_and_frames() {
    let text = "var g, h: int; procedure p(x: int) returns (y: bool); modifies g; modifies h; const c: real;";
    let env = Env::new(&program(text, Dialect::Boogie2));
    let procedure = env.procedure("p").unwrap();
    assert_eq!(procedure.modifies, ["g", "h"]);
    assert_eq!(env.types().display(procedure.returns[0]).to_string(), "bool");
    assert!(env.global("c").unwrap().constant);
    assert!(env.function("p").is_none());
}

#[test]
fn a_variant_is_checked_by_its_changed_declaration_alone() {
    let seed = program(
        "var g: int; procedure q(); modifies g; procedure p() modifies g; { call q(); g := 1; }",
        Dialect::Boogie2,
    );
    let env = Env::new(&seed);
    assert!(env.diagnostics().is_empty());
    for (index, decl) in seed.decls.iter().enumerate() {
        assert!(env.check_decl(index, decl).is_empty());
    }
    let good = program("procedure p() modifies g; { g := 1; call q(); }", Dialect::Boogie2);
    assert!(env.check_decl(2, &good.decls[0]).is_empty());
    let bad = program("procedure p() modifies g; { g := true; }", Dialect::Boogie2);
    assert_eq!(env.check_decl(2, &bad.decls[0])[0].kind, ErrorClass::Type);
}

#[test]
fn an_environment_can_be_shared_between_threads() {
    fn assert_shareable<T: Send + Sync>() {}
    assert_shareable::<Env>();
    assert_shareable::<Checked>();
}

#[test]
fn the_order_of_declarations_does_not_matter() {
    let text = "axiom f(c) == 1; implementation p(x: T) { call p(x); } const c: T; type T = S int; \
                procedure p(x: S int); function f(x: T): int; type S _;";
    let mut program = program(text, Dialect::Boogie2);
    for _ in 0..program.decls.len() {
        program.decls.rotate_left(1);
        assert!(check(&program).is_ok());
    }
}

#[test]
fn deep_trees_are_no_problem() {
    let levels = 9_900;
    let wide = format!("axiom {}true;", "true && ".repeat(levels));
    let nested = format!("axiom {}true{};", "!(".repeat(levels), ")".repeat(levels));
    let bad = format!("axiom {}1{};", "!(".repeat(levels), ")".repeat(levels));
    let types = format!("const c: {}int;", "[int]".repeat(levels));
    let blocks =
        format!("procedure p() {{ {} {} }}", "if (*) { ".repeat(2_000), "} ".repeat(2_000));
    let chain = format!("procedure p() {{ if (*) {{ }} {} }}", "else if (*) { } ".repeat(levels));
    let mut alias = format!("type T{levels}; const c: T0; const d: T0; axiom c == d;");
    for i in 0..levels {
        let _ = write!(alias, "type T{i} = [int]T{};", i + 1);
    }
    for text in [wide, nested, types, blocks, chain, alias] {
        assert!(check(&program(&text, Dialect::Boogie2)).is_ok());
    }
    assert_eq!(check(&program(&bad, Dialect::Boogie2)).unwrap_err().len(), 1);
}

#[test]
fn shared_declarations_stay_shared() {
    let program = program("const c: int; axiom c == 1;", Dialect::Boogie2);
    let copy = program.clone();
    assert!(check(&program).is_ok());
    assert!(Arc::ptr_eq(&program.decls[0], &copy.decls[0]));
}
