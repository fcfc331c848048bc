//! `mugie debug`

use crate::support::Sandbox;

fn debug(view: &str, text: &str) -> String {
    let run = Sandbox::empty().run_with_stdin(&["debug", view, "-"], text.as_bytes());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    run.stdout
}

#[test]
fn tokens_have_place_kind_and_text() {
    insta::assert_snapshot!(debug("tokens", "// é\n/* é */ axiom\r\n  1 == 2bv8; "), @r#"
        2:9      Axiom            axiom
        3:3      IntLiteral       1
        3:5      EqualEqual       ==
        3:8      BitVectorLiteral 2bv8
        3:12     Semicolon        ;
        3:14     End
    "#);
}

#[test]
fn the_tree_has_byte_ranges() {
    insta::assert_snapshot!(debug("tree", "axiom {:a} 1 == 2;"), @r#"
        Program {
          dialect: Boogie2,
          decls: [
            Axiom(
              AxiomDecl {
                span: 0..18,
                hideable: false,
                attrs: [Attr { span: 6..10, name: "a", params: [] }],
                expr: Expr {
                  span: 11..17,
                  kind: Binary(
                    Eq,
                    (
                      Expr { span: 11..12, kind: Literal(Literal { kind: Int, text: "1" }) },
                      Expr { span: 16..17, kind: Literal(Literal { kind: Int, text: "2" }) }
                    )
                  )
                }
              }
            )
          ]
        }
    "#);
}

#[test]
fn types_are_shown_below_each_other() {
    let text = "axiom {:a 1.5} (forall m: [int]bool ::\n  {m[0]} m[0] == !m[1 +\n    1]);";
    insta::assert_snapshot!(debug("types", text), @r#"
        1:11     1.5: real
        1:16     (forall m: [int]bool :: {m[0]} m[0] == !m[1 + 1]): bool
        2:4        m[0]: bool
        2:4          m: [int]bool
        2:6          0: int
        2:10       m[0] == !m[1 + 1]: bool
        2:10         m[0]: bool
        2:10           m: [int]bool
        2:12           0: int
        2:18         !m[1 + 1]: bool
        2:19           m[1 + 1]: bool
        2:19             m: [int]bool
        2:21             1 + 1: int
        2:21               1: int
        3:5                1: int
    "#);
}

#[test]
fn a_wrong_program_shows_what_was_read() {
    let run = Sandbox::empty().run_with_stdin(&["debug", "tree", "-"], b"type T; axiom 1 + ;");
    assert_eq!(run.code, 2);
    assert!(run.stdout.contains("\"T\""), "{}", run.stdout);
    assert!(run.stderr.contains("<stdin>:1:19"), "{}", run.stderr);
}

#[test]
fn only_types_need_a_well_typed_program() {
    let sandbox = Sandbox::new(&[("a.bpl", "axiom nothing;")]);
    let code = |view| sandbox.run(&["debug", view, "a.bpl"]).code;
    assert_eq!((code("tokens"), code("tree"), code("types")), (0, 0, 2));
}

#[test]
fn a_missing_file_is_explained() {
    let run = Sandbox::empty().run(&["debug", "tokens", "nowhere.bpl"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("there is no such file"), "{}", run.stderr);
}
