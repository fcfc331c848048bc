//! Splits a `havoc` of several variables, or joins two.

use std::cell::OnceCell;
use std::rc::Rc;

use bpl_syntax::ast::{Block, Decl, Ident, Name, Stmt, StmtKind};
use bpl_syntax::span::Span;
use bpl_syntax::visit::Visit;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::Facts;
use crate::mentions::Variables;
use crate::offers::{Change, Offers};
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::patch::Patch;
use crate::places::each_block;

operator! {
    /// Splits a `havoc` of several variables in two, or joins two adjacent ones.
    ///
    /// ```boogie before
    /// procedure p()
    /// {
    ///   var x, y: int;
    ///   havoc x, y;
    /// }
    /// ```
    /// ```boogie after
    /// procedure p()
    /// {
    ///   var x, y: int;
    ///   havoc x;
    ///   havoc y;
    /// }
    /// ```
    ///
    /// At many places, a statement is split or joined only if the condition still holds after what was done
    /// behind it.
    ///
    /// ## Applies when
    /// no variable on one side has a `where` clause that mentions a variable on the other side, and
    /// no variable is on both sides. `where` clauses that are not visible from the body may mention
    /// anything: those of global variables, and in an `implementation` those of out-parameters. If
    /// the program has any of these, a variable that they might belong to is left alone. CIVL
    /// procedures are left alone.
    ///
    /// ## Sound because
    /// each variable gets an arbitrary value that its `where` clause admits. The clauses of the
    /// first statement do not mention the variables of the second, and the other way round.
    SplitHavoc = / "split-havoc" in Extended
}

impl Operator for SplitHavoc {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Places("split or join `havoc` statements"))
    }

    fn in_decl<'d>(&self, decl: &'d Decl, facts: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        if facts.is_civl(decl) {
            return;
        }
        let wheres: Rc<OnceCell<Wheres<'d>>> = Rc::default();
        each_block(decl, |number, block| {
            for (index, stmt) in block.iter().enumerate() {
                let StmtKind::Havoc(names) = &stmt.kind else { continue };
                let own = wheres.get_or_init(|| Wheres::new(decl, facts));
                for at in 1..names.len() {
                    let (left, right) = names.split_at(at);
                    if own.are_independent(left, right) {
                        offers.one(|| {
                            let wheres = Rc::clone(&wheres);
                            let split = move |block: &mut Block| {
                                split(block, index, at, wheres.get());
                            };
                            let words = format!("split {}", words(names));
                            Change::new(words, Patch::block(number, split))
                        });
                    }
                }
                if let Some(next) = variables(block, index + 1)
                    && own.are_independent(names, next)
                {
                    offers.one(|| {
                        let wheres = Rc::clone(&wheres);
                        let join = move |block: &mut Block| join(block, index, wheres.get());
                        let words = format!("join {} and {}", words(names), words(next));
                        Change::new(words, Patch::block(number, join))
                    });
                }
            }
        });
    }
}

/// The variables of a `havoc`, if the statement is one.
fn variables(block: &Block, index: usize) -> Option<&[Ident]> {
    match &block.get(index)?.kind {
        StmtKind::Havoc(names) => Some(names),
        _ => None,
    }
}

/// Splits a `havoc` behind this number of variables. It may have been joined with the next one since
/// it was looked at, so the condition is checked again.
fn split(block: &mut Block, index: usize, at: usize, wheres: Option<&Wheres<'_>>) {
    let Some((left, right)) = variables(block, index).and_then(|names| names.split_at_checked(at))
    else {
        return;
    };
    if !right.is_empty() && wheres.is_some_and(|wheres| wheres.are_independent(left, right)) {
        let parts = [havoc(left), havoc(right)];
        block.splice(index..=index, parts);
    }
}

/// Joins a `havoc` with the next one, which may not be the one that was looked at.
fn join(block: &mut Block, index: usize, wheres: Option<&Wheres<'_>>) {
    let (Some(left), Some(right)) = (variables(block, index), variables(block, index + 1)) else {
        return;
    };
    if wheres.is_some_and(|wheres| wheres.are_independent(left, right)) {
        let joined: Vec<Ident> = left.iter().chain(right).cloned().collect();
        block.splice(index..=index + 1, [havoc(&joined)]);
    }
}

fn havoc(names: &[Ident]) -> Stmt {
    Stmt { span: Span::default(), kind: StmtKind::Havoc(names.to_vec().into()) }
}

fn words(names: &[Ident]) -> String {
    let names: Vec<_> = names.iter().map(|ident| ident.name.as_str()).collect();
    format!("`havoc {};`", names.join(", "))
}

/// The names that the `where` clauses of a body's variables mention.
struct Wheres<'d> {
    /// For each variable whose declaration is visible, the names in its `where` clause.
    seen: FxHashMap<&'d Name, FxHashSet<&'d Name>>,
    /// Whether variables declared elsewhere are known to have no `where` clause.
    others_have_none: bool,
}

impl<'d> Wheres<'d> {
    fn new(decl: &'d Decl, facts: &Facts) -> Wheres<'d> {
        let (outs, body) = match decl {
            Decl::Procedure(procedure) => {
                (procedure.signature.returns.as_slice(), procedure.body.as_ref())
            }
            Decl::Implementation(implementation) => (&[][..], Some(&implementation.body)),
            _ => (&[][..], None),
        };
        let locals = body.iter().flat_map(|body| &body.locals).flat_map(|local| &local.groups);
        let mut seen = FxHashMap::default();
        for group in outs.iter().chain(locals) {
            let mut mentioned = Variables::default();
            if let Some(expr) = &group.where_clause {
                mentioned.visit_expr(expr);
            }
            for ident in &group.names {
                seen.insert(&ident.name, mentioned.0.clone());
            }
        }
        // Facts that hold for all mutants cannot distinguish the out-parameters of an
        // implementation from global variables, since both may be renamed. They need not be
        // distinguished.
        let is_implementation = matches!(decl, Decl::Implementation(_));
        let others_have_some =
            facts.has_global_where() || is_implementation && facts.has_out_where();
        Wheres { seen, others_have_none: !others_have_some }
    }

    /// Whether the two sides have no variable in common and their `where` clauses mention no
    /// variable of the other side.
    fn are_independent(&self, left: &[Ident], right: &[Ident]) -> bool {
        let is_known = |ident: &Ident| self.others_have_none || self.seen.contains_key(&ident.name);
        let mentions = |one: &Ident, other: &Ident| {
            self.seen.get(&one.name).is_some_and(|names| names.contains(&other.name))
        };
        left.iter().chain(right).all(is_known)
            && left.iter().all(|l| {
                right.iter().all(|r| l.name != r.name && !mentions(l, r) && !mentions(r, l))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at_many, check, printed, results, words};
    use super::*;

    fn body(statements: &str) -> String {
        format!(
            "procedure p() returns (r: int, s: int where s > r) {{ \
             var a, b: int; var c: int where c > a; {statements} }}"
        )
    }

    #[track_caller]
    fn splits(from: &str, to: &[&str]) {
        let expected: Vec<_> = to.iter().map(|to| body(to)).collect();
        let expected: Vec<_> = expected.iter().map(String::as_str).collect();
        check(&SplitHavoc, &body(from), &expected);
    }

    #[test]
    fn variables_without_where_clauses_are_split_and_joined() {
        splits("havoc a, b, r;", &["havoc a; havoc b, r;", "havoc a, b; havoc r;"]);
        splits("havoc a; havoc b;", &["havoc a, b;"]);
        splits("havoc a; havoc b; l: havoc r;", &["havoc a, b; l: havoc r;"]);
    }

    #[test]
    fn a_where_clause_ties_its_variables_together() {
        splits("havoc a, c;", &[]);
        splits("havoc c; havoc a;", &[]);
        splits("havoc r, s;", &[]);
        splits("havoc a, b, c;", &[]);
        splits("havoc b, a, c;", &["havoc b; havoc a, c;"]);
        splits("havoc b, c;", &["havoc b; havoc c;"]);
        splits("havoc a; havoc a;", &[]);
    }

    #[test]
    fn unseen_clauses_may_say_anything() {
        let global = |clause: &str| {
            format!(
                "var g: int {clause}; var h: int; procedure p() modifies g, h; {{ havoc g, h; }}"
            )
        };
        assert_eq!(results(&SplitHavoc, &global("")).len(), 1);
        assert!(results(&SplitHavoc, &global("where g < h")).is_empty());
        let out = |clause: &str| {
            format!(
                "procedure p() returns (r: int {clause}, s: int);
                 implementation p() returns (r: int, s: int) {{ havoc r, s; }}"
            )
        };
        assert_eq!(words(&SplitHavoc, &out("")), ["split `havoc r, s;` in implementation `p`"]);
        assert!(results(&SplitHavoc, &out("where r < s")).is_empty());
    }

    #[test]
    fn statements_are_split_and_joined_at_once() {
        let body = |text: &str| format!("procedure p() {{ var x, y, z: int; {text} }}");
        assert_eq!(
            at_many(&SplitHavoc, &body("havoc x, y, z;"), &[0, 1]),
            printed(&body("havoc x; havoc y; havoc z;"))
        );
        // The last two are joined first, then all.
        assert_eq!(
            at_many(&SplitHavoc, &body("havoc x; havoc y; havoc z;"), &[0, 1]),
            printed(&body("havoc x, y, z;"))
        );
        // A join with a variable that is already in it is left out.
        assert_eq!(
            at_many(&SplitHavoc, &body("havoc x; havoc y; havoc x;"), &[0, 1]),
            printed(&body("havoc x; havoc y, x;"))
        );
    }
}
