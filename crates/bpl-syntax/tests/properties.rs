//! Properties of the lexer, parser and printer, on programs generated from random bytes.

mod support;

use std::collections::BTreeSet;
use std::fmt;

use bpl_syntax::ast::{Decl, Expr, Program, Spec, Stmt};
use bpl_syntax::lex::lex;
use bpl_syntax::token::TokenKind;
use bpl_syntax::visit::Visit;
use bpl_syntax::{Dialect, generate, parse, print};
use proptest::collection::vec;
use proptest::prelude::*;

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

/// The tokens of a text, without the end-of-file token.
fn tokens(text: &str, dialect: Dialect) -> Vec<(TokenKind, &str)> {
    let lexed = lex(text, 0, 0, dialect);
    assert!(lexed.errors.is_empty(), "{}", lexed.errors[0]);
    let text_of = |start: u32, end: u32| &text[start as usize..end as usize];
    let all = lexed.tokens.iter().map(|token| (token.kind, text_of(token.start, token.end)));
    all.filter(|(kind, _)| *kind != TokenKind::End).collect()
}

/// Random mixtures of program fragments and arbitrary text.
fn soup() -> impl Strategy<Value = String> {
    let words = "var axiom procedure implementation function type const datatype if else while \
        invariant call assert forall lambda requires ensures returns old ( ) { } [ ] < > : ; , := \
        :: == ==> && || ! - + * |{ }| x y 0 7bv8 1.5 \"s\" {:a} is -> /* */ // \\";
    let word = prop::sample::select(words.split_whitespace().collect::<Vec<_>>());
    let word = prop_oneof![
        20 => word.prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => Just("\n#if FILE_0\n".to_owned()),
        1 => Just("\n#else\n".to_owned()),
        1 => Just("\n#endif\n".to_owned()),
        2 => Just("\n".to_owned()),
    ];
    vec(word, 0..80).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn programs_read_back_from_their_text(program in program()) {
        let text = print(&program.0);
        let parsed = parse(&text, program.0.dialect);
        prop_assert!(parsed.errors.is_empty(), "{}", parsed.errors[0]);
        for (one, other) in program.0.decls.iter().zip(&parsed.program.decls) {
            prop_assert!(one == other, "{one}\nreads back as\n{other}");
        }
        prop_assert!(program.0 == parsed.program);
        prop_assert_eq!(print(&parsed.program), text);
    }

    #[test]
    fn no_line_of_a_text_is_a_pragma(program in program()) {
        let text = print(&program.0);
        prop_assert!(text.lines().all(|line| !line.starts_with('#')));
    }

    #[test]
    fn tokens_and_blanks_are_all_of_a_text(program in program()) {
        let text = print(&program.0);
        let mut end = 0;
        for token in lex(&text, 0, 0, program.0.dialect).tokens {
            let (start, next) = (token.start as usize, token.end as usize);
            prop_assert!(end <= start && start <= next);
            prop_assert!(text[end..start].trim_matches([' ', '\n']).is_empty());
            end = next;
        }
        prop_assert_eq!(end, text.len());
    }

    #[test]
    fn layout_and_comments_mean_nothing(
        program in program(),
        gaps in vec(prop::sample::select(vec![
            " ", "\n ", "\r\n\t", " // é \" /*\n ", " /* /* */ \n // */ ", " /**/",
        ]), 1..50),
    ) {
        let text = print(&program.0);
        let before = tokens(&text, program.0.dialect);
        let pairs = before.iter().zip(gaps.iter().cycle());
        let laid_out: String = pairs.flat_map(|((_, token), gap)| [*gap, *token]).collect();
        prop_assert!(tokens(&laid_out, program.0.dialect) == before);
        prop_assert!(parse(&laid_out, program.0.dialect).program == program.0);
    }

    #[test]
    fn spans_lie_in_the_text_and_nest(program in program()) {
        let text = print(&program.0);
        let program = parse(&text, program.0.dialect).program;
        let mut spans = Spans { enclosing: (0, u32::MAX), bad: Vec::new() };
        for decl in &program.decls {
            spans.visit_decl(decl);
        }
        prop_assert!(spans.bad.is_empty(), "{:?}", spans.bad);
    }

    #[test]
    fn anything_is_read_without_panic(text in soup(), dialect in dialect()) {
        let parsed = parse(&text, dialect);
        for error in &parsed.errors {
            prop_assert!(error.span.start <= error.span.end);
            prop_assert!(text.get(error.span.start as usize..error.span.end as usize).is_some());
        }
        if parsed.errors.is_empty() {
            let again = parse(&print(&parsed.program), dialect);
            prop_assert!(again.program == parsed.program);
        }
    }
}

/// Collects the nodes whose span is not within the span of the enclosing node.
struct Spans {
    enclosing: (u32, u32),
    bad: Vec<String>,
}

impl Spans {
    fn within(&mut self, span: bpl_syntax::span::Span, what: &str, walk: impl FnOnce(&mut Self)) {
        let (start, end) = self.enclosing;
        if span.start < start || span.end > end || span.start >= span.end {
            self.bad.push(format!("{what} at {}..{} in {start}..{end}", span.start, span.end));
        }
        self.enclosing = (span.start, span.end);
        walk(self);
        self.enclosing = (start, end);
    }
}

impl<'ast> Visit<'ast> for Spans {
    fn visit_decl(&mut self, decl: &'ast Decl) {
        self.within(decl.span(), decl.keyword(), |spans| spans.walk_decl(decl));
    }

    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        self.within(stmt.span, "a statement", |spans| spans.walk_stmt(stmt));
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        self.within(expr.span, "an expression", |spans| spans.walk_expr(expr));
    }
}

/// Collects the kinds of nodes that occur.
#[derive(Default)]
struct Kinds(BTreeSet<String>);

impl Kinds {
    /// Adds the name of an enum variant, taken from its `Debug` output.
    fn add(&mut self, kind: &dyn fmt::Debug) {
        let text = format!("{kind:?}");
        let end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
        self.0.insert(text[..end].to_owned());
    }
}

impl<'ast> Visit<'ast> for Kinds {
    fn visit_decl(&mut self, decl: &'ast Decl) {
        self.0.insert(decl.keyword().to_owned());
        self.walk_decl(decl);
    }

    fn visit_spec(&mut self, spec: &'ast Spec) {
        self.add(spec);
        self.walk_spec(spec);
    }

    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        self.add(&stmt.kind);
        self.walk_stmt(stmt);
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        self.add(&expr.kind);
        if let bpl_syntax::ast::ExprKind::Binary(op, _) = &expr.kind {
            self.add(op);
        }
        self.walk_expr(expr);
    }
}

#[test]
fn generated_programs_use_all_of_the_language_but_civl() {
    let mut kinds = Kinds::default();
    for number in 0..400 {
        for dialect in [Dialect::Boogie2, Dialect::Boogie3] {
            for decl in &support::generated(number, dialect).decls {
                kinds.visit_decl(decl);
            }
        }
    }
    let expected = "type const function axiom var procedure implementation datatype \
        Modifies Condition \
        Label Assert Assume Havoc Assign Unpack Call If While Break Goto Return Hide Reveal Push \
        Pop Literal Var Old Convert Unary Binary Is Coerce Select Store Extract Field FieldUpdate \
        Quantifier Let Code \
        Iff Implies Explies And Or Eq Ne Lt Le Gt Ge Subtype Concat Add Sub Mul RealDiv Div Mod \
        Pow";
    let missing: Vec<&str> =
        expected.split_whitespace().filter(|&kind| !kinds.0.contains(kind)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn no_bytes_make_the_smallest_program() {
    for dialect in [Dialect::Boogie2, Dialect::Boogie3] {
        assert!(generate::program(&[], dialect).decls.is_empty());
        assert!(generate::program(&[0; 100], dialect).decls.is_empty());
    }
}

#[test]
fn programs_are_of_bounded_size() {
    for seed in 0..20 {
        let bytes = support::Numbers::new(seed).bytes(100_000);
        assert!(print(&generate::program(&bytes, Dialect::Boogie3)).len() < 200_000);
    }
}
