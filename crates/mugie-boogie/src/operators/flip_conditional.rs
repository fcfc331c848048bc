//! L6: negates a condition and swaps its branches.

use bpl_syntax::ast::{Block, Decl, Else, Expr, ExprKind, Guard, If, Stmt, StmtKind, UnaryOp};
use bpl_syntax::span::Span;

use crate::facts::Facts;
use crate::offers::{Change, Offers};
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::patch::Patch;
use crate::places::{each_if, quote};

operator! {
    /// Complements an `if` condition and switches its `then` and `else` branches.
    ///
    /// ```boogie before
    /// procedure max(x: int, y: int) returns (m: int)
    /// {
    ///   if (x < y) { m := y; } else { m := x; }
    /// }
    /// ```
    /// ```boogie after
    /// procedure max(x: int, y: int) returns (m: int)
    /// {
    ///   if (!(x < y)) { m := x; } else { m := y; }
    /// }
    /// ```
    ///
    /// A missing `else` is treated as an empty branch; `else if` becomes a branch with one
    /// statement, and the other way round. The complement of `!c` is `c`, so flipping twice gives
    /// the original. `if (*)` has no condition, so only its branches are switched.
    ///
    /// ## Applies when
    /// the result differs; at any depth, including an `if` after an `else`. CIVL procedures are
    /// left alone.
    ///
    /// ## Sound because
    /// exactly one branch is executed, and `!c` holds exactly if `c` does not. A label on the
    /// statement stays on it, so `break` and `goto` have the same targets.
    FlipConditional = "L6" / "flip-conditional" in Paper
}

impl Operator for FlipConditional {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Places("flip the conditionals"))
    }

    fn in_decl<'d>(&self, decl: &'d Decl, facts: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        if facts.is_civl(decl) {
            return;
        }
        each_if(decl, |number, conditional| {
            if is_symmetric(conditional) {
                return;
            }
            offers.one(|| {
                let words = match &conditional.guard {
                    Guard::Star => "flip `if (*)`".to_owned(),
                    Guard::Expr(guard) => format!("flip the `if` on {}", quote(guard)),
                };
                Change::new(words, Patch::conditional(number, flip))
            });
        });
    }
}

/// Whether flipping changes nothing.
fn is_symmetric(conditional: &If) -> bool {
    matches!(conditional.guard, Guard::Star)
        && match &conditional.else_branch {
            None => conditional.then_block.is_empty(),
            Some(Else::Block(block)) => *block == conditional.then_block,
            Some(Else::If(_)) => false,
        }
}

fn flip(conditional: &mut If) {
    let old_then = std::mem::take(&mut conditional.then_block);
    conditional.then_block = match conditional.else_branch.take() {
        None => Block::new(),
        Some(Else::Block(block)) => block,
        Some(Else::If(next)) => vec![Stmt { span: Span::default(), kind: StmtKind::If(next) }],
    };
    conditional.else_branch = into_else(old_then);
    if let Guard::Expr(guard) = &mut conditional.guard {
        complement(guard);
    }
}

/// The shortest `else` that is equivalent to a block.
fn into_else(mut block: Block) -> Option<Else> {
    match block.as_slice() {
        [] => None,
        [Stmt { kind: StmtKind::If(_), .. }] => match block.pop()?.kind {
            StmtKind::If(conditional) => Some(Else::If(conditional)),
            _ => None,
        },
        _ => Some(Else::Block(block)),
    }
}

fn complement(guard: &mut Expr) {
    let old = std::mem::replace(&mut guard.kind, ExprKind::Var("".into()));
    guard.kind = match old {
        ExprKind::Unary(UnaryOp::Not, inner) => inner.kind,
        kind => ExprKind::Unary(UnaryOp::Not, Box::new(Expr { span: guard.span, kind })),
    };
}

#[cfg(test)]
mod tests {
    use super::super::testing::{all, at_many, check, printed, results, subject};
    use super::*;

    fn body(statements: &str) -> String {
        format!("procedure p(a: bool, b: bool) {{ var x: int; {statements} }}")
    }

    #[track_caller]
    fn flips(from: &str, to: &[&str]) {
        let expected: Vec<_> = to.iter().map(|to| body(to)).collect();
        let expected: Vec<_> = expected.iter().map(String::as_str).collect();
        check(&FlipConditional, &body(from), &expected);
    }

    #[test]
    fn a_missing_else_is_an_empty_branch() {
        flips("if (a) { x := 1; }", &["if (!a) { } else { x := 1; }"]);
        flips("if (a) { } else { x := 1; }", &["if (!a) { x := 1; }"]);
        flips("if (a) { }", &["if (!a) { }"]);
    }

    #[test]
    fn a_chain_can_be_flipped_at_each_link() {
        flips(
            "if (a) { x := 1; } else if (b) { x := 2; } else { x := 3; }",
            &[
                "if (!a) { if (b) { x := 2; } else { x := 3; } } else { x := 1; }",
                "if (a) { x := 1; } else if (!b) { x := 3; } else { x := 2; }",
            ],
        );
    }

    #[test]
    fn a_choice_is_flipped_unless_its_branches_are_equal() {
        flips("if (*) { x := 1; }", &["if (*) { } else { x := 1; }"]);
        flips("if (*) { x := 1; } else { x := 1; }", &[]);
        flips("if (*) { }", &[]);
    }

    #[test]
    fn nested_conditionals_are_reached() {
        let source = body("while (a) { if (a) { x := 1; if (b) { x := 2; } } }");
        assert_eq!(results(&FlipConditional, &source).len(), 2);
    }

    #[test]
    fn flipping_twice_leads_back() {
        for statements in [
            "if (a) { x := 1; }",
            "if (!a) { x := 1; } else { x := 2; }",
            "if (a) { x := 1; } else if (b) { x := 2; }",
            "if (*) { x := 1; } else { x := 2; }",
            "if (a) { if (b) { x := 1; } } else { x := 2; }",
        ] {
            let seed = subject(&body(statements));
            let once = &all(&FlipConditional, &seed)[0].subject;
            let twice = &all(&FlipConditional, once)[0].subject;
            assert_eq!(seed.hash(), twice.hash(), "{statements}");
        }
    }

    #[test]
    fn nested_conditionals_are_flipped_with_those_around_them() {
        let body = |text: &str| format!("procedure p(a: bool, b: bool) {{ var x: int; {text} }}");
        let source =
            body("if (a) { x := 1; if (b) { x := 2; } } else if (b) { x := 3; } else { x := 4; }");
        assert_eq!(
            at_many(&FlipConditional, &source, &[0, 1, 2]),
            printed(&body(
                "if (!a) { if (!b) { x := 4; } else { x := 3; } } \
                 else { x := 1; if (!b) { } else { x := 2; } }"
            ))
        );
    }
}
