//! Splits a conjunctive clause in two.

use bpl_syntax::Dialect;
use bpl_syntax::ast::{
    Attr, AxiomDecl, BinaryOp, Condition, ConditionKind, Decl, Expr, ExprKind, LoopInvariant,
    LoopSpec, Predicate, Spec, Stmt, StmtKind,
};

use crate::facts::Facts;
use crate::offers::{Change, Offers};
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::patch::Patch;
use crate::places::{each_block, each_loop, quote};

operator! {
    /// Splits a clause, an axiom, an assertion or an assumption `a && b` into two.
    ///
    /// ```boogie before
    /// procedure p(x: int);
    ///   requires 0 <= x && x < 9;
    /// ```
    /// ```boogie after
    /// procedure p(x: int);
    ///   requires 0 <= x;
    ///   requires x < 9;
    /// ```
    ///
    /// This undoes `join-preconditions` and `join-postconditions`.
    ///
    /// At many places, a conjunction of more than two is split once: what is on both sides stays together.
    ///
    /// ## Applies when
    /// a `requires`, `ensures`, loop invariant, `assert`, `assume` or axiom is a conjunction, and
    /// has no attributes other than `:msg` and `:subsumption`, which both halves get. An `:id`
    /// cannot be given to both halves; other attributes may say something about their position.
    /// CIVL procedures and assertions in code expressions are left alone, and so are clauses that
    /// mention a constant with `:existential`: Houdini drops a clause only if it has the form
    /// `b ==> e`. Axioms of Boogie 3 are left alone, since its option `/prune` keeps or drops an
    /// axiom as a whole, by its triggers.
    ///
    /// ## Sound because
    /// all clauses of a kind hold together, and so do all axioms. `assert a; assert b;` passes
    /// exactly if both conditions hold in that state, and the same is assumed afterwards.
    SplitClause = / "split-clause" in Extended
}

impl Operator for SplitClause {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Places("split conjunctions"))
    }

    fn in_decl<'d>(&self, decl: &'d Decl, facts: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        if facts.is_civl(decl) {
            return;
        }
        match decl {
            Decl::Axiom(axiom) if facts.dialect == Dialect::Boogie2 => {
                offer_axiom(axiom, facts, offers);
            }
            Decl::Procedure(procedure) => offer_specs(&procedure.specs, facts, offers),
            _ => {}
        }
        each_loop(decl, |number, repetition| {
            for (index, spec) in repetition.specs.iter().enumerate() {
                let LoopSpec::Invariant(clause) = spec else { continue };
                let Some((left, right)) = halves(&clause.attrs, &clause.expr, facts) else {
                    continue;
                };
                let half = |expr: &Expr| {
                    LoopSpec::Invariant(LoopInvariant { expr: expr.clone(), ..clause.clone() })
                };
                offers.one(|| {
                    let split = Patch::repetition(number, move |repetition| {
                        repetition.specs.splice(index..=index, [half(left), half(right)]);
                    });
                    Change::new(words("invariant", &clause.expr), split)
                });
            }
        });
        each_block(decl, |number, block| {
            for (index, stmt) in block.iter().enumerate() {
                let (keyword, predicate) = match &stmt.kind {
                    StmtKind::Assert(predicate) => ("assert", predicate),
                    StmtKind::Assume(predicate) => ("assume", predicate),
                    _ => continue,
                };
                let Some((left, right)) = halves(&predicate.attrs, &predicate.expr, facts) else {
                    continue;
                };
                let half = move |expr: &Expr| {
                    let predicate =
                        Predicate { attrs: predicate.attrs.clone(), expr: expr.clone() };
                    let kind = match keyword {
                        "assert" => StmtKind::Assert(Box::new(predicate)),
                        _ => StmtKind::Assume(Box::new(predicate)),
                    };
                    Stmt { span: stmt.span, kind }
                };
                offers.one(|| {
                    let split = Patch::block(number, move |block| {
                        block.splice(index..=index, [half(left), half(right)]);
                    });
                    Change::new(words(keyword, &predicate.expr), split)
                });
            }
        });
    }
}

fn offer_axiom(axiom: &AxiomDecl, facts: &Facts, offers: &mut Offers<Patch<'_>>) {
    if let Some((left, right)) = halves(&axiom.attrs, &axiom.expr, facts) {
        let half = |expr: &Expr| Decl::Axiom(AxiomDecl { expr: expr.clone(), ..axiom.clone() });
        offers.one(|| {
            let halves = Patch::others(vec![half(left), half(right)]);
            Change::new(words("axiom", &axiom.expr), halves)
        });
    }
}

fn offer_specs<'d>(specs: &'d [Spec], facts: &Facts, offers: &mut Offers<Patch<'d>>) {
    for (index, spec) in specs.iter().enumerate() {
        let Spec::Condition(clause) = spec else { continue };
        let keyword = match clause.kind {
            ConditionKind::Requires => "requires",
            ConditionKind::Ensures => "ensures",
            ConditionKind::Preserves | ConditionKind::Asserts => continue,
        };
        let Some((left, right)) = halves(&clause.attrs, &clause.expr, facts) else { continue };
        let half =
            |expr: &Expr| Spec::Condition(Condition { expr: expr.clone(), ..clause.clone() });
        offers.one(|| {
            let split = Patch::decl(move |copy| {
                if let Decl::Procedure(procedure) = copy {
                    procedure.specs.splice(index..=index, [half(left), half(right)]);
                }
            });
            Change::new(words(keyword, &clause.expr), split)
        });
    }
}

/// The two sides of a conjunction, if both may get its attributes and its form has no meaning.
fn halves<'e>(attrs: &[Attr], expr: &'e Expr, facts: &Facts) -> Option<(&'e Expr, &'e Expr)> {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::And, sides)
            if attrs.iter().all(|attr| matches!(attr.name.as_str(), "msg" | "subsumption"))
                && !facts.has_candidate(expr) =>
        {
            Some((&sides.0, &sides.1))
        }
        _ => None,
    }
}

fn words(keyword: &str, expr: &Expr) -> String {
    format!("split {keyword} {}", quote(expr))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at_many, check, printed, results, words};
    use super::*;

    #[test]
    fn clauses_keep_what_goes_with_them() {
        check(
            &SplitClause,
            "procedure p(a: bool, b: bool); free requires a && b; ensures {:msg \"m\"} a && b && a;",
            &[
                "procedure p(a: bool, b: bool); free requires a; free requires b; \
                 ensures {:msg \"m\"} a && b && a;",
                "procedure p(a: bool, b: bool); free requires a && b; \
                 ensures {:msg \"m\"} a && b; ensures {:msg \"m\"} a;",
            ],
        );
    }

    #[test]
    fn statements_and_invariants_are_split_at_every_depth() {
        check(
            &SplitClause,
            "procedure p(a: bool); implementation p(a: bool) {
               while (a) free invariant a && a; { if (a) { assert a && a; assume a && a; } } }",
            &[
                "procedure p(a: bool); implementation p(a: bool) {
                   while (a) free invariant a; free invariant a;
                   { if (a) { assert a && a; assume a && a; } } }",
                "procedure p(a: bool); implementation p(a: bool) {
                   while (a) free invariant a && a;
                   { if (a) { assert a; assert a; assume a && a; } } }",
                "procedure p(a: bool); implementation p(a: bool) {
                   while (a) free invariant a && a;
                   { if (a) { assert a && a; assume a; assume a; } } }",
            ],
        );
    }

    #[test]
    fn axioms_are_split() {
        let source = "const a: bool; axiom a && (a || a);";
        check(&SplitClause, source, &["const a: bool; axiom a; axiom a || a;"]);
        assert_eq!(words(&SplitClause, source), ["split axiom `a && (a || a)` in axiom #1"]);
    }

    #[test]
    fn names_places_and_other_operators_stay_whole() {
        for source in [
            "procedure p(a: bool) { assert {:id \"x\"} a && a; assume {:split_here} a && a; }",
            "const a: bool; axiom {:name \"x\"} a && a; axiom a || a; axiom !(a && a);",
            "procedure {:yields} p(a: bool) { assert a && a; }",
            "const {:existential true} b: bool; procedure p(x: int); requires b && x > 0;",
            "const a: bool; axiom a && a; datatype D { C() }",
        ] {
            assert!(results(&SplitClause, source).is_empty(), "{source}");
        }
    }

    #[test]
    fn clauses_are_split_at_once() {
        let body = |text: &str| format!("procedure p(a: bool, b: bool, c: bool) {text}");
        assert_eq!(
            at_many(
                &SplitClause,
                &body("requires a && b; requires b && c; { assert a && b; assert c && b; }"),
                &[0, 1, 2, 3]
            ),
            printed(&body(
                "requires a; requires b; requires b; requires c; \
                 { assert a; assert b; assert c; assert b; }"
            ))
        );
    }
}
