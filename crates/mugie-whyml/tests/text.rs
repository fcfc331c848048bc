//! The translated text: what it depends on, and what it says of the original.

#![expect(clippy::disallowed_methods, reason = "the tests read files")]

mod support;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use mugie_core::Files;
use mugie_whyml::WHYML;
use support::{programs, root, translate, translate_file, whyml};

/// Short programs, one for each part of the translation.
const RECORDED: [(&str, &str); 5] = [
    (
        "declarations",
        "type T; const unique a, b: T; const c: [int]T;\n\
         function f(x: int): int { x + 1 }\n\
         axiom (forall x: int :: {f(x)} f(x) > x);\n\
         var g: int where g >= 0;\n",
    ),
    (
        "procedures",
        "var g: int;\n\
         procedure p(n: int where n > 1) returns (r: int, s: bool);\n  requires n < 9;\n  modifies g;\n  ensures g == old(g) + r;\n\
         procedure q(n: int) returns (r: int)\n  modifies g;\n  ensures r >= 0;\n\
         { var b: bool where b; if (n > 3) { call r, b := p(n); } r := if b then 1 else 2; havoc b; }\n",
    ),
    (
        "loops",
        "procedure p(n: int) returns (i: int)\n  ensures i >= 0;\n\
         { i := 0; while (i < n) free invariant i < 9; invariant i >= 0; { i := i + 1; } }\n\
         procedure q() returns (i: int)\n{ i := 0; while (*) { if (i > 5) { i := 7; break; } i := i + 1; } assert i > 0; }\n",
    ),
    (
        "polymorphism",
        "type ref; type Field a; var H: <a>[ref, Field a]a; const k: Field int;\n\
         procedure p(r: ref)\n  modifies H;\n  ensures (forall<a> s: ref, f: Field a :: s != r ==> H[s, f] == old(H)[s, f]);\n\
         { H[r, k] := 3; }\n",
    ),
    (
        "lambdas",
        "procedure p(n: int) { var m: [int]int; m := (lambda i: int :: i + n); assert m[1] == n + 1; }\n",
    ),
];

#[test]
fn texts_are_as_recorded() {
    let folder = root().join("crates/mugie-whyml/tests/recorded");
    for (name, program) in RECORDED {
        let path = folder.join(format!("{name}.mlw"));
        let text = whyml(program);
        if std::env::var("UPDATE").as_deref() == Ok("1") {
            fs::write(&path, &text).unwrap();
        }
        let recorded = fs::read_to_string(&path).unwrap_or_default();
        assert!(text == recorded, "{name} is now\n{text}");
    }
}

#[test]
fn the_same_program_gives_the_same_text() {
    for path in programs(&root().join("fixtures/whyml")) {
        assert_eq!(translate_file(&path).unwrap(), translate_file(&path).unwrap());
    }
}

#[test]
fn a_procedure_and_its_split_give_the_same_text() {
    let together = "var g: int; procedure p<t>(n: int where n > 1, x: t) returns (r: t) modifies g; ensures n > 0; \
                    { r := x; g := n; } procedure q() { assert 1 == 2; }";
    let apart = "var g: int; procedure p<t>(n: int where n > 1, x: t) returns (r: t); modifies g; ensures n > 0; \
                 implementation p<t>(n: int, x: t) returns (r: t) { r := x; g := n; } \
                 procedure q(); implementation q() { assert 1 == 2; }";
    assert_eq!(whyml(together), whyml(apart));
}

#[test]
fn classes_are_in_order_and_keep_the_order_of_the_source() {
    let scattered = "procedure p() { call q(); } var g: int; axiom f(1) > 0; procedure q(); \
                     function f(x: int): int { x } type T; axiom c > 1; const c: int;";
    let sorted = "type T; function f(x: int): int { x } const c: int; var g: int; procedure q(); \
                  procedure p() { call q(); } axiom c > 1;";
    let text = whyml(scattered);
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("no {part} in {text}"));
    let parts = [
        "type t_T",
        "function f_f",
        "constant k_c",
        "axiom a1",
        "axiom a2",
        "axiom a3",
        "val v_g",
        "val p_q",
        "let i_p",
    ];
    assert!(parts.windows(2).all(|pair| place(pair[0]) < place(pair[1])), "{text}");
    // An explicit axiom and a definition keep their order.
    assert!(place("((f_f 1) > 0)") < place("forall x_x: int"));
    assert!(whyml(sorted).contains("type t_T"));
}

#[test]
fn an_unrelated_declaration_changes_no_other_line() {
    let program =
        "type T; const c: T; var g: int; procedure p() modifies g; { g := 1; assert g == 1; }";
    let before: BTreeSet<String> = whyml(program).lines().map(str::to_owned).collect();
    for extra in [
        "type U;",
        "const d: [T]bool;",
        "function h(x: T): int;",
        "var v: bool;",
        "procedure q(); procedure r() { call q(); assert (lambda i: int :: i)[2] == 2; }",
        "type D a; procedure s() { assert (forall<a> x: D a :: x == x); }",
    ] {
        for text in [format!("{program} {extra}"), format!("{extra} {program}")] {
            let after: BTreeSet<String> = whyml(&text).lines().map(str::to_owned).collect();
            assert!(before.is_subset(&after), "{extra}");
        }
    }
}

#[test]
fn lines_come_from_the_right_file_and_line() {
    let first = "var g: int;\nprocedure p()\n  modifies g;\n  ensures g > 0;\n";
    let second = "{\n  assert\n    g == g;\n  while (*)\n    invariant true;\n    invariant g > 1;\n  { }\n}\n";
    let files = Files(vec![
        ("one.bpl".to_owned(), first.to_owned()),
        ("two.bpl".to_owned(), "procedure q();\n".to_owned()),
    ]);
    assert!(WHYML.translate(&files).is_err(), "the first file ends before a body");
    let whole = format!("{first}{second}");
    let files = Files(vec![
        ("one.bpl".to_owned(), "procedure q();\n  requires 1 > 2;\n".to_owned()),
        ("two.bpl".to_owned(), format!("procedure r() {{ call q(); }}\n{whole}")),
    ]);
    let done = WHYML.translate(&files).unwrap();
    let text = &done.files.0[0].1;
    let origin = |part: &str| {
        let line = text.lines().position(|line| line.contains(part)).unwrap() + 1;
        let origin = done.lines.origin(0, u32::try_from(line).unwrap()).unwrap();
        (origin.file.as_str(), origin.line)
    };
    assert_eq!(origin("requires { (1 > 2) }"), ("one.bpl", 2));
    assert_eq!(origin("(p_q ())"), ("two.bpl", 1));
    assert_eq!(origin("ensures { (v_g.c_int > 0) }"), ("two.bpl", 5));
    assert_eq!(origin("assert { (v_g.c_int = v_g.c_int) }"), ("two.bpl", 7));
    assert_eq!(origin("invariant { (v_g.c_int > 1) }"), ("two.bpl", 11));
}

#[test]
fn goals_are_the_implementations_that_are_verified() {
    let done = translate(
        "procedure p(); implementation p() { } implementation p() { } procedure q'$() { } \
         procedure {:verify false} r() { } procedure s();",
    )
    .unwrap();
    let goals: Vec<(&str, &str)> =
        done.goals.iter().map(|goal| (goal.printed.as_str(), goal.goal.as_str())).collect();
    assert_eq!(goals, [("i_p'vc", "p"), ("i_p_1'vc", "p"), ("i_q_q_d'vc", "q'$")]);
}

#[test]
fn what_cannot_be_expressed_is_refused_at_its_place() {
    let cases = [
        ("procedure p(x: bv8) { }", "the type `bv8`", (1, 16)),
        ("const c: real; axiom c ** c == c;", "the operator `**`", (1, 22)),
        (
            "procedure p() {\n  L: goto M, N; M: N: goto M, N; }",
            "a loop that is entered at several places",
            (1, 11),
        ),
        ("procedure {:inline 1} p() { }", "inlines", (1, 23)),
        ("function {:inline} f(x: int): int { f(x) } axiom f(1) == 1;", "recursive", (1, 37)),
        ("function {:bvbuiltin \"bvadd\"} f(x: int): int;", ":bvbuiltin", (1, 10)),
        ("var {:assumption} a: bool;", ":assumption", (1, 5)),
        ("procedure p() { assert |{ A: return true; }|; }", "a code expression", (1, 24)),
        ("procedure p(); procedure q() { free call p(); }", "a free call", (1, 42)),
        (
            "datatype D { A(x: int), B() } procedure p(d: D) { var i: int; A(i) := d; }",
            "several constructors",
            (1, 63),
        ),
        ("procedure p() { assert 1; }", "Boogie rejects", (1, 24)),
    ];
    for (program, what, place) in cases {
        let error = translate(program).expect_err(program);
        assert!(error.to_string().starts_with("not expressible in WhyML: "), "{error}");
        assert!(error.what.contains(what), "{program}: {error}");
        let found = error.place.map(|place| (place.line, place.column));
        assert_eq!(found, Some(place), "{program}: {}", error.what);
    }
}

#[test]
fn a_weakened_assumption_is_noted() {
    let done = translate("const c: int extends unique d; const d: int;").unwrap();
    assert_eq!(
        done.notes,
        ["that `unique` children in the order `<:` have nothing in common was left out"]
    );
    let done = translate("procedure p() { assert 1 == 1; }").unwrap();
    assert!(done.notes.is_empty());
}

#[test]
fn deep_programs_are_translated_without_overflow() {
    let sum = vec!["x"; 9_000].join(" + ");
    let nested = format!("{}x{}", "f(".repeat(4_000), ")".repeat(4_000));
    let blocks = format!("{}{}", "if (*) { ".repeat(3_000), "}".repeat(3_000));
    let program = format!(
        "function f(x: int): int; procedure p(x: int) {{ assert {sum} == {nested}; {blocks} goto A; A: {blocks} }}"
    );
    assert!(translate(&program).is_ok());
    let chain: Vec<String> = (0..5_000).map(|n| format!("L{n}: goto L{}; ", n + 1)).collect();
    let chain = chain.concat();
    assert!(translate(&format!("procedure p() {{ {chain} L5000: return; }}")).is_ok());
}

#[test]
fn a_program_that_would_grow_without_bound_is_refused() {
    let mut program = "function {:inline} f0(x: int): int { x + x }\n".to_owned();
    for n in 1..60 {
        let f = format!("f{}", n - 1);
        writeln!(program, "function {{:inline}} f{n}(x: int): int {{ {f}({f}(x)) + {f}(x) }}")
            .unwrap();
    }
    program.push_str("axiom f59(1) == 1;");
    assert!(translate(&program).unwrap_err().what.contains("this large"));
    let mut program = "type T0 = [int]int;\n".to_owned();
    for n in 1..50 {
        writeln!(program, "type T{n} = [T{0}]T{0};", n - 1).unwrap();
    }
    program.push_str("const c: T49;");
    assert!(translate(&program).unwrap_err().what.contains("a type of this size"));
}
