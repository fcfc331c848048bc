//! The laws of the printer, on our own fixtures and on any programs found next to the workspace.

#![expect(clippy::disallowed_methods, reason = "the tests read files and run Boogie")]

mod common;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::{env, fs, thread};

use bpl_syntax::ast::{Decl, Program};
use bpl_syntax::lex::lex;
use bpl_syntax::print::{print_decl, write_with};
use bpl_syntax::token::TokenKind;
use bpl_syntax::{Dialect, PrintCache, parse, print, print_with};

use common::{fixtures, neighbourhood, parse_well, workspace};

/// Panics unless the printed text parses back to the program and prints as the same text again.
fn check_laws(program: &Program, what: &str) {
    let text = print(program);
    let again = parse_well(&text, program.dialect, what);
    for (one, other) in program.decls.iter().zip(&again.decls) {
        assert!(one == other, "{what}: reads back differently:\n{one}\n{other}");
    }
    assert!(program == &again, "{what}: reads back with other declarations");
    assert!(print(&again) == text, "{what}: prints differently the second time");
    assert!(print_with(program, &mut PrintCache::new()) == text, "{what}: cached differently");
    for line in text.lines() {
        assert!(!line.starts_with('#'), "{what}: starts a line with `#`: {line}");
        assert!(line == line.trim_end(), "{what}: blanks at the end of a line: {line:?}");
    }
}

#[test]
fn fixtures_obey_the_laws() {
    for (name, program) in fixtures() {
        check_laws(&program, &name);
    }
}

#[test]
fn fixtures_print_as_recorded() {
    for (name, program) in fixtures() {
        let text = print(&program);
        for line in text.lines() {
            assert!(line.len() <= 100, "{name}: longer than 100 columns: {line}");
        }
        let path = workspace().join("fixtures/printed").join(&name);
        if env::var("UPDATE").as_deref() == Ok("1") {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &text).unwrap();
        }
        let recorded = fs::read_to_string(&path).unwrap_or_default();
        for (line, (is, was)) in text.lines().zip(recorded.lines()).enumerate() {
            assert_eq!(is, was, "{name}: line {}; run `make update`", line + 1);
        }
        assert_eq!(text.len(), recorded.len(), "{name}: run `make update`");
    }
}

#[test]
fn programs_of_the_neighbourhood_obey_the_laws() {
    for (name, program) in neighbourhood("programs_of_the_neighbourhood_obey_the_laws") {
        check_laws(&program, &name);
    }
}

#[test]
fn boogie_accepts_the_fixtures_and_their_texts() {
    if Command::new("boogie").arg("/version").output().is_err() {
        eprintln!("SKIPPED: Boogie is not installed");
        return;
    }
    // Boogie's output, or nothing if it accepts the program.
    let complaints = |path: &Path| {
        let out = Command::new("boogie").args(["/nologo", "/noVerify"]).arg(path).output().unwrap();
        let out = String::from_utf8_lossy(&out.stdout).into_owned();
        if out.contains(" finished with 0 verified, 0 errors") { String::new() } else { out }
    };
    for (name, program) in fixtures() {
        if program.dialect == Dialect::Boogie2 {
            let text = Path::new(env!("CARGO_TARGET_TMPDIR")).join(&name);
            fs::write(&text, print(&program)).unwrap();
            assert_eq!(complaints(&workspace().join("fixtures/ok").join(&name)), "");
            assert_eq!(complaints(&text), "");
        }
    }
}

/// The pairs of parentheses of a text that could be left out without changing the tree.
fn spare_parens(decl: &Decl, dialect: Dialect) -> Vec<String> {
    let text = print_decl(decl);
    let tokens = lex(&text, 0, 0, dialect).tokens;
    let mut spare = Vec::new();
    let mut open = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::LeftParen => open.push(index),
            TokenKind::RightParen => {
                let Some(start) = open.pop() else { continue };
                let mut without = text.clone().into_bytes();
                without[tokens[start].start as usize] = b' ';
                without[token.start as usize] = b' ';
                let parsed = parse(&String::from_utf8_lossy(&without), dialect);
                let is_same = parsed.errors.is_empty()
                    && parsed.program.decls.len() == 1
                    && *parsed.program.decls[0] == *decl;
                // Parentheses around a conditional or a coercion are printed for readability.
                let inside = &tokens[start + 1..index];
                let mut depth = 0;
                let is_coercion = inside.iter().any(|token| {
                    match token.kind {
                        TokenKind::LeftParen | TokenKind::LeftBracket => depth += 1,
                        TokenKind::RightParen | TokenKind::RightBracket => depth -= 1,
                        _ => {}
                    }
                    depth == 0 && token.kind == TokenKind::Colon
                });
                let is_conditional = inside.first().is_some_and(|t| t.kind == TokenKind::If);
                if is_same && !is_coercion && !is_conditional {
                    let range = tokens[start].start as usize..token.end as usize;
                    spare.push(text[range].to_owned());
                }
            }
            _ => {}
        }
    }
    spare
}

#[test]
fn no_parentheses_are_spare() {
    let sample = neighbourhood("no_parentheses_are_spare").into_iter().step_by(29);
    for (name, program) in fixtures().into_iter().chain(sample) {
        for decl in &program.decls {
            // The text is parsed once per pair of parentheses, which is too slow for long texts.
            if print_decl(decl).len() < 1500 {
                assert_eq!(spare_parens(decl, program.dialect), [""; 0], "{name}: {decl}");
            }
        }
    }
}

/// The number of levels of the deep trees.
const DEPTH: usize = 4_000;

/// Checks the laws on a large stack, because the derived traits need a stack frame per level of
/// the tree.
fn check_deep(text: String) {
    on_large_stack(move || {
        let program = parse_well(&text, Dialect::Boogie2, "deep");
        check_laws(&program, "deep");
        let printed = print(&program).len();
        // Three lines per level, with limited indentation.
        assert!(printed < 3 * 100 * DEPTH, "{printed} bytes from {}", text.len());
    });
}

fn on_large_stack(work: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(256 << 20).spawn(work);
    thread.expect("a thread starts").join().expect("its work is done");
}

#[test]
fn deep_trees_print_in_linear_space() {
    let nested = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(DEPTH), close.repeat(DEPTH))
    };
    for expr in [
        nested("", "a", " && b"),
        nested("", "i", " + 1 - j"),
        nested("a ==> ", "b", ""),
        nested("!(a && ", "b", ")"),
        nested("(", "a", " ==> b)"),
        nested("-", "i", ""),
        nested("f(", "i", ")"),
        nested("m[", "i", "]"),
        nested("", "m", "[i := 1]"),
        nested("if a then b else ", "c", ""),
        nested("(if a then b else c && ", "c", ")"),
        nested("(forall x: int :: ", "a", ")"),
    ] {
        check_deep(format!("axiom {expr};"));
    }
    let stmt = nested("if (a) { x := 1; } else ", "{ x := 1; }", "");
    check_deep(format!("procedure p() {{ {stmt} }}"));
    check_deep(format!("procedure p() {{ {} }}", nested("if (a) { ", "", " }")));
    check_deep(format!("type T = {};", nested("[int]", "int", "")));
    check_deep(format!("type T = {};", nested("C (", "C int", ")")));
}

#[test]
fn deep_trees_print_on_a_small_stack() {
    let text = format!("axiom {}true{};", "!(a ==> ".repeat(3_000), ")".repeat(3_000));
    // Parsing and dropping the tree need a large stack; printing must not.
    on_large_stack(move || {
        let program = parse_well(&text, Dialect::Boogie2, "deep");
        thread::scope(|scope| {
            let printing = thread::Builder::new().stack_size(128 << 10);
            let printed = printing.spawn_scoped(scope, || print(&program)).unwrap().join().unwrap();
            assert!(printed.starts_with("axiom !(a"));
        });
    });
}

#[test]
fn cache_prints_shared_declarations_once() {
    let source = "const a: int; const b: int; axiom a == b; procedure p() { assert a == b; }";
    let program = parse_well(source, Dialect::Boogie2, "source");
    let mut cache = PrintCache::new();
    let text = print_with(&program, &mut cache);
    assert_eq!(cache.len(), 4);

    let mut mutant = program.clone();
    mutant.decls.swap(0, 2);
    let Decl::Const(decl) = mutant.decl_mut(1) else { panic!("not a constant") };
    decl.unique = true;
    let mut out = Vec::new();
    write_with(&mutant, &mut cache, &mut out).unwrap();
    assert_eq!(cache.len(), 5);
    assert_eq!(String::from_utf8(out).unwrap(), print(&mutant));
    assert_eq!(print_with(&program, &mut cache), text);
    let first = cache.decl(&program.decls[0]);
    assert!(Arc::ptr_eq(&first, &cache.decl(&program.decls[0])));
}

#[test]
fn cache_lets_go_of_declarations_that_nobody_holds() {
    let mut cache = PrintCache::new();
    let kept = parse_well("axiom true;", Dialect::Boogie2, "kept");
    print_with(&kept, &mut cache);
    for number in 0..10_000 {
        let text = format!("const c{number}: int;");
        print_with(&parse_well(&text, Dialect::Boogie2, "const"), &mut cache);
    }
    assert!(cache.len() < 3_000, "{} texts", cache.len());
    let before = cache.len();
    print_with(&kept, &mut cache);
    assert_eq!(cache.len(), before);
}

#[test]
fn caches_cross_threads() {
    fn is_send<T: Send + Sync + Clone>() {}
    is_send::<PrintCache>();
}
