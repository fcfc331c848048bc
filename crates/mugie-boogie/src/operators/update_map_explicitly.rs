//! Turns an assignment to a map element into one to the map, or the other way round.

use bpl_syntax::ast::{Assign, Decl, Expr, ExprKind, Lhs, LhsStep, Stmt, StmtKind, Store};
use bpl_syntax::print::print_stmt;
use bpl_syntax::span::Span;

use crate::facts::Facts;
use crate::offers::{Change, Offers};
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::patch::Patch;
use crate::places::each_stmt;

operator! {
    /// Turns `m[i] := e` into `m := m[i := e]`, or the other way round.
    ///
    /// ```boogie before
    /// procedure p() returns (m: [int]bool)
    /// {
    ///   m[1] := true;
    /// }
    /// ```
    /// ```boogie after
    /// procedure p() returns (m: [int]bool)
    /// {
    ///   m := m[1 := true];
    /// }
    /// ```
    ///
    /// With several indices, the last one is moved: `m[i][j] := e` becomes `m[i] := m[i][j := e]`.
    ///
    /// ## Applies when
    /// the statement assigns to a single variable, with any number of indices; in the other
    /// direction, the updated map must be exactly the one that is assigned to. CIVL procedures are
    /// left alone.
    ///
    /// ## Sound because
    /// this is the definition of an assignment to a map element. All expressions are evaluated in
    /// the state before the assignment.
    UpdateMapExplicitly = / "update-map-explicitly" in Extended
}

impl Operator for UpdateMapExplicitly {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Places("rewrite assignments to map elements"))
    }

    fn in_decl<'d>(&self, decl: &'d Decl, facts: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        if facts.is_civl(decl) {
            return;
        }
        each_stmt(decl, |number, stmt| {
            let StmtKind::Assign(assign) = &stmt.kind else { return };
            let ([lhs], [rhs]) = (assign.lhs.as_slice(), assign.rhs.as_slice()) else { return };
            let mut offer = |rewrite: fn(&mut Assign)| {
                offers.one(|| {
                    let mut new = stmt.clone();
                    if let StmtKind::Assign(assign) = &mut new.kind {
                        rewrite(assign);
                    }
                    let words = format!("write `{}` as `{}`", short(stmt), short(&new));
                    let rewrite = move |stmt: &mut Stmt| {
                        if let StmtKind::Assign(assign) = &mut stmt.kind {
                            rewrite(assign);
                        }
                    };
                    Change::new(words, Patch::stmt(number, rewrite))
                });
            };
            if let Some(LhsStep::Index(_)) = lhs.steps.last() {
                offer(to_store);
            }
            if let ExprKind::Store(store) = &rhs.kind
                && store.map == read(lhs)
            {
                offer(from_store);
            }
        });
    }
}

/// Turns `m[i] := e` into `m := m[i := e]`.
fn to_store(assign: &mut Assign) {
    let ([lhs], [rhs]) = (assign.lhs.as_mut_slice(), assign.rhs.as_mut_slice()) else { return };
    if let Some(LhsStep::Index(indices)) = lhs.steps.pop() {
        let store = Store { map: read(lhs), indices, value: rhs.clone() };
        *rhs = expr(ExprKind::Store(Box::new(store)));
    }
}

/// Turns `m := m[i := e]` into `m[i] := e`.
fn from_store(assign: &mut Assign) {
    let ([lhs], [rhs]) = (assign.lhs.as_mut_slice(), assign.rhs.as_mut_slice()) else { return };
    if let ExprKind::Store(store) = &rhs.kind {
        lhs.steps.push(LhsStep::Index(store.indices.clone()));
        *rhs = store.value.clone();
    }
}

/// The expression that reads the assigned location.
fn read(lhs: &Lhs) -> Expr {
    let base = expr(ExprKind::Var(lhs.base.name.clone()));
    lhs.steps.iter().fold(base, |whole, step| {
        expr(match step {
            LhsStep::Index(indices) => ExprKind::Select(Box::new(whole), indices.clone()),
            LhsStep::Field(field) => ExprKind::Field(Box::new((whole, field.clone()))),
        })
    })
}

fn expr(kind: ExprKind) -> Expr {
    Expr { span: Span::default(), kind }
}

/// The text of a statement, shortened to fit on a line.
fn short(stmt: &Stmt) -> String {
    const LONGEST: usize = 40;
    let text = print_stmt(stmt);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at_many, check, printed, results, words};
    use super::*;

    fn body(statement: &str) -> String {
        format!("procedure p(i: int) {{ var m: [int][int]int; var n: []int; {statement} }}")
    }

    #[track_caller]
    fn writes(from: &str, to: &[&str]) {
        let expected: Vec<_> = to.iter().map(|to| body(to)).collect();
        let expected: Vec<_> = expected.iter().map(String::as_str).collect();
        check(&UpdateMapExplicitly, &body(from), &expected);
    }

    #[test]
    fn both_ways_one_index_at_a_time() {
        let nested = "m := {:a} m[i := m[i][2 := 3]];";
        let mixed = "m[i] := {:a} m[i][2 := 3];";
        let direct = "m[i][2] := {:a} 3;";
        writes(nested, &[mixed]);
        writes(mixed, &[nested, direct]);
        writes(direct, &[mixed]);
        writes("n[] := 1;", &["n := n[:= 1];"]);
    }

    #[test]
    fn other_maps_and_parallel_assignments_are_left_alone() {
        for statement in ["m := k[i := m[i]];", "m[1], i := n[], 2;", "m[i] := m[2][i := 3];"] {
            let results = results(&UpdateMapExplicitly, &body(statement));
            // In the last statement, the first index can still be moved.
            assert_eq!(results.len(), usize::from(statement.starts_with("m[i]")), "{statement}");
        }
    }

    #[test]
    fn words_show_both_forms() {
        assert_eq!(
            words(&UpdateMapExplicitly, &body("m[i][2] := 3;")),
            ["write `m[i][2] := 3;` as `m[i] := m[i][2 := 3];` in procedure `p`"]
        );
    }

    #[test]
    fn both_ways_at_once_lead_back() {
        let body = |text: &str| format!("procedure p() {{ var m: [int][int]int; {text} }}");
        let source = body("m[1] := m[1][2 := 3]; m[4][5] := 6;");
        assert_eq!(
            at_many(&UpdateMapExplicitly, &source, &[0, 1, 2]),
            printed(&body("m[1] := m[1][2 := 3]; m[4] := m[4][5 := 6];"))
        );
    }
}
