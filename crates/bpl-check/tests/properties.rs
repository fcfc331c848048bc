//! Properties of the checker, on programs that are well-typed by construction.

#![expect(clippy::unwrap_used, reason = "only tests call these functions")]

use std::fmt;
use std::sync::Arc;

use bpl_check::check;
use bpl_syntax::ast::{Attr, Decl, Expr, ExprKind, Ident, Name, Program, StmtKind, Type, TypeKind};
use bpl_syntax::diagnostic::ErrorClass;
use bpl_syntax::visit::Visit;
use bpl_syntax::{Dialect, generate, print};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

fn dialect() -> impl Strategy<Value = Dialect> {
    prop_oneof![Just(Dialect::Boogie2), Just(Dialect::Boogie3)]
}

/// A program that a failing test shows as its text.
#[derive(Clone)]
struct Shown(Program);

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Boogie {}:\n{}", self.0.dialect, print(&self.0))
    }
}

fn program() -> impl Strategy<Value = Shown> {
    (vec(any::<u8>(), 0..2_500), dialect())
        .prop_map(|(bytes, dialect)| Shown(generate::program(&bytes, dialect)))
}

/// Fails with the checker's messages unless it accepts the program.
fn accept(program: &Program) -> Result<(), TestCaseError> {
    let Err(errors) = check(program) else { return Ok(()) };
    let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
    Err(TestCaseError::fail(messages.join("\n")))
}

/// The names of top-level declarations that a program uses. Variables are left out, since a local
/// variable may have the same name, except the constants that the generator adds when it needs a
/// value.
#[derive(Default)]
struct Uses {
    types: Vec<Name>,
    functions: Vec<Name>,
    constants: Vec<Name>,
}

impl<'ast> Visit<'ast> for Uses {
    /// Skipped, because Boogie does not check all attributes.
    fn visit_attr(&mut self, _: &'ast Attr) {}

    fn visit_type(&mut self, ty: &'ast Type) {
        if let TypeKind::Named { name, .. } = &ty.kind {
            self.types.push(name.clone());
        }
        self.walk_type(ty);
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        match &expr.kind {
            ExprKind::Call { function, .. } => self.functions.push(function.clone()),
            ExprKind::Var(name) if name.starts_with('k') => self.constants.push(name.clone()),
            _ => {}
        }
        self.walk_expr(expr);
    }

    fn visit_stmt(&mut self, stmt: &'ast bpl_syntax::ast::Stmt) {
        if let StmtKind::Call(call) = &stmt.kind {
            self.functions.extend(call.arms.iter().map(|arm| arm.callee.name.clone()));
        }
        self.walk_stmt(stmt);
    }

    fn visit_decl(&mut self, decl: &'ast Decl) {
        if let Decl::Implementation(implementation) = decl {
            self.functions.push(implementation.signature.name.name.clone());
        }
        self.walk_decl(decl);
    }
}

/// Whether the rest of the program still uses what the removed declaration declared.
fn is_missed(decl: &Decl, rest: &Program) -> bool {
    let mut uses = Uses::default();
    for decl in &rest.decls {
        uses.visit_decl(decl);
    }
    let has = |names: &[Name], ident: &Ident| names.contains(&ident.name);
    match decl {
        Decl::Type(decl) => decl.defs.iter().any(|def| has(&uses.types, &def.name)),
        Decl::Datatype(decl) => has(&uses.types, &decl.name),
        Decl::Const(decl) => decl.names.iter().any(|name| has(&uses.constants, name)),
        Decl::Function(decl) => has(&uses.functions, &decl.name),
        Decl::Procedure(decl) => has(&uses.functions, &decl.signature.name),
        _ => false,
    }
}

/// The same declarations in another order.
fn permuted(program: &Program, mut seed: u64) -> Program {
    let mut left: Vec<Arc<Decl>> = program.decls.clone();
    let mut decls = Vec::new();
    while !left.is_empty() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let index = usize::try_from(seed >> 33).unwrap() % left.len();
        decls.push(left.swap_remove(index));
    }
    Program { dialect: program.dialect, decls }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn generated_programs_are_well_typed(program in program()) {
        accept(&program.0)?;
    }

    #[test]
    fn order_of_declarations_does_not_matter(program in program(), seed in any::<u64>()) {
        accept(&permuted(&program.0, seed))?;
    }

    #[test]
    fn missing_declarations_are_missed(program in program(), which in any::<Index>()) {
        let mut rest = program.0;
        prop_assume!(!rest.decls.is_empty());
        let decl = rest.decls.remove(which.index(rest.decls.len()));
        match check(&rest) {
            Ok(_) => prop_assert!(!is_missed(&decl, &rest), "nobody misses\n{decl}"),
            Err(errors) => {
                prop_assert_eq!(errors[0].kind, ErrorClass::Resolution, "{}\nwithout\n{}", errors[0], decl);
            }
        }
    }
}
