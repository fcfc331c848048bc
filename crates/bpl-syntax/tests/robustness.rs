//! Texts with extremely deep nesting or long chains: each gets an answer, none overflows the stack.
//!
//! Except for trees exactly at the limit, the tests run on threads with Rust's default stack of
//! 2 MiB.

#![expect(clippy::unwrap_used, reason = "only tests call these functions")]
#![expect(clippy::disallowed_methods, reason = "a test measures time")]

use std::hash::{DefaultHasher, Hash, Hasher};
use std::thread;

use bpl_syntax::ast::Decl;
use bpl_syntax::parse::MAX_HEIGHT;
use bpl_syntax::{Dialect, parse, print};

/// A number of levels far above any limit.
const MANY: usize = 100_000;

/// The default stack size of a thread in bytes.
const STACK: usize = 2 * 1024 * 1024;

/// Parses a text and drops the tree on a default stack. Returns the first message, if any.
fn first_error(text: String) -> Option<String> {
    let run = move || {
        let parsed = parse(&text, Dialect::Boogie3);
        parsed.errors.first().map(|error| error.message.clone())
    };
    thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap()
}

fn assert_too_deep(text: String) {
    let head: String = text.chars().take(40).collect();
    let message = format!("nested more than {MAX_HEIGHT} levels deep");
    assert_eq!(first_error(text), Some(message), "{head}");
}

fn assert_accepted(text: String) {
    let head: String = text.chars().take(40).collect();
    assert_eq!(first_error(text), None, "{head}");
}

/// Wraps `inner` in `count` pairs of `open` and `close`.
fn nested(count: usize, open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(count), close.repeat(count))
}

/// Every way in which a text can nest, each with `count` levels.
fn nestings(count: usize) -> Vec<String> {
    let axioms = [
        nested(count, "(", "a", ")"),
        nested(count, "!", "a", ""),
        nested(count, "-", "a", ""),
        nested(count, "a[", "a", "]"),
        nested(count, "f(", "a", ")"),
        nested(count, "old(", "a", ")"),
        nested(count, "if a then a else ", "a", ""),
        nested(count, "if ", "a", " then a else a"),
        nested(count, "(forall x: int :: ", "a", ")"),
        nested(count, "(forall x: int :: {", "a", "} a)"),
        nested(count, "(forall x: int :: {:a ", "a", "} a)"),
        nested(count, "(lambda x: int :: ", "a", ")"),
        nested(count, "(var x := ", "a", "; a)"),
        nested(count, "(var x := a; ", "a", ")"),
        nested(count, "|{ A: return ", "a", "; }|"),
        nested(count, "|{ A: assume ", "a", "; return a; }|"),
        nested(count, "a + (", "a", ")"),
        nested(count, "a ==> (", "a", ")"),
        nested(count, "a->(f := ", "a", ")"),
        nested(count, "a[b := ", "a", "]"),
        nested(count, "(", "a", ": int)"),
        format!("a{}", "[a]".repeat(count)),
        format!("a{}", "->f".repeat(count)),
        format!("a{}", "[8:0]".repeat(count)),
        format!("a{}", ": int".repeat(count)),
        format!("a{}", " && a".repeat(count)),
        format!("a{}", " || a".repeat(count)),
        format!("a{}", " ==> a".repeat(count)),
        format!("a{}", " <== a".repeat(count)),
        format!("a{}", " <==> a".repeat(count)),
        format!("a{}", " + a".repeat(count)),
        format!("a{}", " ** a".repeat(count)),
    ];
    let types = [
        nested(count, "(", "int", ")"),
        nested(count, "[int]", "int", ""),
        nested(count, "[", "int", "]int"),
        nested(count, "C (", "int", ")"),
        nested(count, "<a>[a]", "int", ""),
        nested(count, "C [int]", "int", ""),
    ];
    let bodies = [
        nested(count, "if (*) {", "", "}"),
        nested(count, "while (*) {", "", "}"),
        nested(count, "if (*) {} else {", "", "}"),
        format!("if (*) {{}}{}", " else if (*) {}".repeat(count)),
        format!("a{} := b;", "[c]".repeat(count)),
    ];
    let axioms = axioms.into_iter().map(|axiom| format!("axiom {axiom};"));
    let types = types.into_iter().map(|ty| format!("type t = {ty};"));
    let bodies = bodies.into_iter().map(|body| format!("procedure p() {{ {body} }}"));
    axioms.chain(types).chain(bodies).collect()
}

#[test]
fn too_deep_texts_are_rejected() {
    for text in nestings(MANY) {
        // The tree of an assignment is flat, however many indices its left-hand side has.
        if !text.contains(":= b;") && !text.contains(" (int") {
            assert_too_deep(text);
        }
    }
}

#[test]
fn truncated_deep_texts_get_an_answer() {
    for text in nestings(MANY / 4) {
        let half = text.len() / 2;
        assert!(first_error(text[..half].to_owned()).is_some());
    }
}

#[test]
fn texts_below_the_limit_are_accepted() {
    for text in nestings(MAX_HEIGHT as usize / 3) {
        assert_accepted(text);
    }
}

/// Without optimization, dropping a tree at the limit takes more stack than a thread has by
/// default; see [`MAX_HEIGHT`].
#[test]
fn trees_at_the_limit_can_be_used() {
    const LEVELS: usize = MAX_HEIGHT as usize - 2;
    let body = nested(LEVELS, "if (*) {", "", "}");
    let texts = [
        format!("axiom {};", nested(LEVELS, "!", "a", "")),
        format!("axiom {};", nested(LEVELS, "f(", "a", ")")),
        format!("axiom a{};", " ==> a".repeat(LEVELS)),
        format!("axiom {};", nested(LEVELS / 2, "|{ A: assume ", "a", "; return a; }|")),
        format!("type t = {};", nested(LEVELS, "C (", "int", ")")),
        format!("procedure p() {{ {body} }}"),
        format!("procedure p() {{ if (*) {{}}{} }}", " else if (*) {}".repeat(LEVELS)),
    ];
    let run = move || {
        for text in &texts {
            let parsed = parse(text, Dialect::Boogie2);
            assert!(parsed.errors.is_empty(), "{}", &text[..40]);
            let hash = |decl: &Decl| {
                let mut hasher = DefaultHasher::new();
                decl.hash(&mut hasher);
                hasher.finish()
            };
            let decl = &parsed.program.decls[0];
            let copy = Decl::clone(decl);
            assert!(copy == **decl);
            assert_eq!(hash(&copy), hash(decl));
            let printed = print(&parsed.program);
            assert!(parse(&printed, Dialect::Boogie2).program == parsed.program);
        }
    };
    thread::Builder::new().stack_size(2 * STACK).spawn(run).unwrap().join().unwrap();
}

#[test]
fn lists_have_no_limit() {
    let axioms = ["f(a{})", "m[a{}]", "(forall x: int :: {a{}} a)", "(var x := a{}; a)"];
    for axiom in axioms {
        assert_accepted(format!("axiom {};", axiom.replace("{}", &", a".repeat(MANY))));
    }
    assert_accepted(format!("procedure p() {{ {} }}", "x := 1; ".repeat(MANY)));
    assert_accepted(format!("procedure p() {{ {} }}", "A: ".repeat(MANY)));
    assert_accepted(format!("axiom {} a;", "{:a} ".repeat(MANY)));
    assert_accepted(format!("type t; type u = t{};", " t".repeat(MANY)));
    assert_accepted("axiom a; ".repeat(MANY));
}

#[test]
fn comments_and_directives_nest_without_limit() {
    assert_accepted(format!("{} axiom a;", nested(MANY, "/*", "", "*/")));
    assert_accepted("/*".repeat(MANY));
    assert_accepted(format!("{}axiom a;", nested(MANY, "#if X\n", "?\n", "#endif\n")));
    let open = "#if !X\n".repeat(MANY);
    assert_eq!(first_error(open).as_deref(), Some("`#if` without `#endif`"));
}

#[test]
fn long_words_are_read() {
    assert_accepted(format!("axiom {} == {};", "x".repeat(MANY), "9".repeat(MANY)));
    assert_accepted(format!("axiom {{:a \"{}\"}} a;", "\\\"".repeat(MANY)));
    let errors = parse(&format!("axiom {};", "9e".repeat(MANY)), Dialect::Boogie2).errors;
    assert!(!errors.is_empty());
}

#[test]
fn errors_without_end_end() {
    for text in ["(", ")", "{", "}", "axiom ", "procedure p() {", "@", "var x: ", "\" ", "if "] {
        let text = text.repeat(MANY);
        let start = std::time::Instant::now();
        assert!(first_error(text.clone()).is_some());
        assert!(first_error(format!("procedure p() {{ {text}")).is_some());
        assert!(start.elapsed().as_secs() < 20, "{}", &text[..10]);
    }
}
