//! The visitors reach every node, in textual order.

mod common;

use bpl_syntax::ast::{Attr, AttrParam, Expr, ExprKind, Name, Program};
use bpl_syntax::lex::lex;
use bpl_syntax::print;
use bpl_syntax::token::TokenKind;
use bpl_syntax::visit::{Namespace, Occurrence, Visit, VisitMut};

use common::{fixtures, neighbourhood, parse_well};

/// Words that are identifiers to the lexer, but not always to the parser.
const CONTEXTUAL: [&str; 10] =
    ["atomic", "both", "left", "right", "hide", "reveal", "push", "pop", "creates", "using"];

/// The identifiers that a visitor meets, in order, and the number of literals.
#[derive(Default, PartialEq, Debug)]
struct Met {
    names: Vec<Name>,
    literals: usize,
}

impl Met {
    fn name(&mut self, name: &Name) {
        if !CONTEXTUAL.contains(&name.as_str()) {
            self.names.push(name.clone());
        }
    }

    fn expr(&mut self, expr: &Expr) {
        self.literals += match &expr.kind {
            ExprKind::Literal(_) => 1,
            ExprKind::Extract(_) => 2,
            _ => 0,
        };
    }

    fn attr(&mut self, attr: &Attr) {
        let is_string = |param: &&AttrParam| matches!(param, AttrParam::Str(_));
        self.literals += attr.params.iter().filter(is_string).count();
    }
}

struct Reading(Met);

impl<'ast> Visit<'ast> for Reading {
    fn visit_name(&mut self, name: &'ast Name, _: Namespace, _: Occurrence) {
        self.0.name(name);
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        self.0.expr(expr);
        self.walk_expr(expr);
    }

    fn visit_attr(&mut self, attr: &'ast Attr) {
        self.0.attr(attr);
        self.walk_attr(attr);
    }
}

struct Rewriting(Met);

impl VisitMut for Rewriting {
    fn visit_name(&mut self, name: &mut Name, _: Namespace, _: Occurrence) {
        self.0.name(name);
        *name = Name::new(format!("{name}'"));
    }

    fn visit_expr(&mut self, expr: &mut Expr) {
        self.0.expr(expr);
        self.walk_expr(expr);
    }

    fn visit_attr(&mut self, attr: &mut Attr) {
        self.0.attr(attr);
        self.walk_attr(attr);
    }
}

fn read(program: &Program) -> Met {
    let mut visitor = Reading(Met::default());
    program.decls.iter().for_each(|decl| visitor.visit_decl(decl));
    visitor.0
}

/// The identifiers in the text of a program, except attribute names, and the number of its
/// literals.
fn tokens(program: &Program) -> Met {
    let text = print(program);
    let mut met = Met::default();
    let tokens = lex(&text, 0, 0, program.dialect).tokens;
    for (index, token) in tokens.iter().enumerate() {
        let spelling = &text[token.start as usize..token.end as usize];
        match token.kind {
            TokenKind::Ident => {
                let is_attr = index >= 2
                    && tokens[index - 1].kind == TokenKind::Colon
                    && tokens[index - 2].kind == TokenKind::LeftBrace;
                if !is_attr {
                    met.name(&Name::new(spelling.trim_start_matches('\\')));
                }
            }
            TokenKind::IntLiteral
            | TokenKind::RealLiteral
            | TokenKind::BitVectorLiteral
            | TokenKind::FloatLiteral
            | TokenKind::StringLiteral
            | TokenKind::True
            | TokenKind::False => met.literals += 1,
            kind => {
                let is_mode = spelling.starts_with("round") || spelling.starts_with('R');
                met.literals += usize::from(kind.is_word() && is_mode);
            }
        }
    }
    met
}

#[test]
fn all_names_and_literals_are_met_in_the_order_of_the_text() {
    for (name, program) in fixtures().into_iter().chain(
        neighbourhood("all_names_and_literals_are_met_in_the_order_of_the_text")
            .into_iter()
            .step_by(3),
    ) {
        let (met, tokens) = (read(&program), tokens(&program));
        for (index, (is, should_be)) in met.names.iter().zip(&tokens.names).enumerate() {
            assert_eq!(is, should_be, "{name}: identifier {index}");
        }
        assert!(met == tokens, "{name}");
    }
}

#[test]
fn rewriting_meets_what_reading_meets() {
    for (name, program) in fixtures() {
        let mut renamed = program.clone();
        let mut visitor = Rewriting(Met::default());
        for index in 0..renamed.decls.len() {
            visitor.visit_decl(renamed.decl_mut(index));
        }
        assert!(visitor.0 == read(&program), "{name}");
        assert!(read(&renamed).names.iter().all(|name| name.ends_with('\'')), "{name}");
        assert!(read(&program) == read(&parse_well(&print(&program), program.dialect, &name)));
    }
}

#[test]
fn variables_can_be_renamed_apart_from_everything_else() {
    struct Rename;
    impl VisitMut for Rename {
        fn visit_name(&mut self, name: &mut Name, namespace: Namespace, _: Occurrence) {
            if namespace == Namespace::Variable && name == "x" {
                *name = "y".into();
            }
        }
    }
    let source = "procedure x(x: x) { x: x := x(x, (lambda x: x :: {:x x} x)); goto x; }";
    let mut program = parse_well(source, bpl_syntax::Dialect::Boogie2, "source");
    Rename.visit_decl(program.decl_mut(0));
    let renamed =
        "procedure x(y: x)\n{\nx:\n  y := x(y, (lambda y: x :: {:x y} y));\n  goto x;\n}\n";
    assert_eq!(print(&program), renamed);
}

#[test]
fn bindings_and_uses_are_told_apart() {
    #[derive(Default)]
    struct Count(usize, usize);
    impl<'ast> Visit<'ast> for Count {
        fn visit_name(&mut self, _: &'ast Name, namespace: Namespace, occurrence: Occurrence) {
            if namespace == Namespace::Variable {
                match occurrence {
                    Occurrence::Binding => self.0 += 1,
                    Occurrence::Use => self.1 += 1,
                }
            }
        }
    }
    let source = "var a: int; procedure p(b: int) modifies a; { var c: int where c > b; havoc c; }";
    let program = parse_well(source, bpl_syntax::Dialect::Boogie2, "source");
    let mut count = Count::default();
    program.decls.iter().for_each(|decl| count.visit_decl(decl));
    assert_eq!((count.0, count.1), (3, 4));
}
