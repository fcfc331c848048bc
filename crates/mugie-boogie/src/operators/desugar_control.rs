//! Replaces an `if` or a `while` by jumps.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use bpl_syntax::ast::{
    Block, Decl, Else, Expr, ExprKind, Goto, Guard, Ident, If, List, LoopInvariant, LoopSpec, Name,
    Predicate, Stmt, StmtKind, UnaryOp, While,
};
use bpl_syntax::span::Span;
use bpl_syntax::visit::VisitMut;
use rustc_hash::FxHashMap;

use crate::facts::Facts;
use crate::mentions::Mentions;
use crate::offers::{Change, Offers};
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::patch::Patch;
use crate::places::{each_block, quote};

operator! {
    /// Writes an `if` or a `while` statement with labels and `goto`.
    ///
    /// ```boogie before
    /// procedure p(n: int)
    /// {
    ///   var i: int;
    ///   i := 0;
    ///   while (i < n)
    ///     invariant 0 <= i;
    ///   {
    ///     i := i + 1;
    ///   }
    /// }
    /// ```
    /// ```boogie after
    /// procedure p(n: int)
    /// {
    ///   var i: int;
    ///   i := 0;
    ///   goto loop1_head;
    ///   loop1_head:
    ///   assert 0 <= i;
    ///   goto loop1_body, loop1_done;
    ///   loop1_body:
    ///   assume i < n;
    ///   i := i + 1;
    ///   goto loop1_head;
    ///   loop1_done:
    ///   assume !(i < n);
    /// }
    /// ```
    ///
    /// Statements inside keep their structure. A `break` out of the statement becomes a `goto` to
    /// the end of it.
    ///
    /// At many places, inner statements are desugared before those around them.
    ///
    /// ## Applies when
    /// the statement belongs to a statement list of a body and does not follow an `else`; a loop
    /// has no clauses other than invariants, and an `if` no attributes. CIVL procedures are left
    /// alone.
    ///
    /// ## Sound because
    /// these are the definitions of the two statements. The invariants are the first statements of
    /// the block to which the loop jumps back: an assertion there is checked on entry and after
    /// each iteration, an assumption (a `free` invariant) is only assumed. The labels are new to
    /// the body.
    DesugarControl = / "desugar-control" in Extended
}

impl Operator for DesugarControl {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Places("desugar `if` and `while`"))
    }

    fn in_decl<'d>(&self, decl: &'d Decl, facts: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        if facts.is_civl(decl) {
            return;
        }
        let labels = Rc::new(FreeLabels::new(decl));
        each_block(decl, |number, block| {
            for (index, stmt) in block.iter().enumerate() {
                let (keyword, guard) = match &stmt.kind {
                    StmtKind::If(conditional) if conditional.attrs.is_empty() => {
                        ("if", &conditional.guard)
                    }
                    StmtKind::While(repetition) if has_only_invariants(repetition) => {
                        ("while", &repetition.guard)
                    }
                    _ => continue,
                };
                offers.one(|| {
                    let words = match guard {
                        Guard::Star => format!("desugar `{keyword} (*)`"),
                        Guard::Expr(guard) => {
                            format!("desugar the `{keyword}` on {}", quote(guard))
                        }
                    };
                    let labels = Rc::clone(&labels);
                    let splice = move |block: &mut Block| {
                        let jumps = desugared(&block[index].kind, label(block, index), &labels);
                        block.splice(index..=index, jumps);
                    };
                    Change::new(words, Patch::block(number, splice))
                });
            }
        });
    }
}

fn has_only_invariants(repetition: &While) -> bool {
    repetition.specs.iter().all(|spec| matches!(spec, LoopSpec::Invariant(_)))
}

/// The label directly on a statement, which is the one that `break` can name.
fn label(block: &Block, index: usize) -> Option<&Name> {
    match &block[index.checked_sub(1)?].kind {
        StmtKind::Label(label) => Some(&label.name),
        _ => None,
    }
}

/// The equivalent statements with jumps.
fn desugared(kind: &StmtKind, label: Option<&Name>, free: &FreeLabels<'_>) -> Block {
    match kind {
        StmtKind::If(conditional) => desugared_if(conditional, label, &free.family("branch")),
        StmtKind::While(repetition) => desugared_while(repetition, label, &free.family("loop")),
        _ => Block::new(),
    }
}

fn desugared_if(conditional: &If, label: Option<&Name>, labels: &Labels) -> Block {
    let [on, off, after] = ["then", "else", "after"].map(|part| labels.part(part));
    let mut leave = Leave { label, innermost: false, to: &after, found: false };
    let mut then_block = conditional.then_block.clone();
    leave.visit_block(&mut then_block);
    let mut else_block = match &conditional.else_branch {
        None => Block::new(),
        Some(Else::Block(block)) => block.clone(),
        Some(Else::If(next)) => vec![stmt(StmtKind::If(next.clone()))],
    };
    leave.visit_block(&mut else_block);
    let jumps_behind = !ends_in_jump(&then_block);

    let mut jumps = vec![goto(&[&on, &off]), at(&on)];
    let (holds, fails) = assumptions(&conditional.guard);
    jumps.extend(holds);
    jumps.append(&mut then_block);
    if jumps_behind {
        jumps.push(goto(&[&after]));
    }
    jumps.push(at(&off));
    jumps.extend(fails);
    jumps.append(&mut else_block);
    if jumps_behind || leave.found {
        jumps.push(at(&after));
    }
    jumps
}

fn desugared_while(repetition: &While, label: Option<&Name>, labels: &Labels) -> Block {
    let [head, body, done, after] = ["head", "body", "done", "after"].map(|part| labels.part(part));
    let mut leave = Leave { label, innermost: true, to: &after, found: false };
    let mut block = repetition.block.clone();
    leave.visit_block(&mut block);
    let leads_back = !ends_in_jump(&block);

    let mut jumps = vec![goto(&[&head]), at(&head)];
    jumps.extend(repetition.specs.iter().filter_map(invariant));
    jumps.extend([goto(&[&body, &done]), at(&body)]);
    let (holds, fails) = assumptions(&repetition.guard);
    jumps.extend(holds);
    jumps.append(&mut block);
    if leads_back {
        jumps.push(goto(&[&head]));
    }
    jumps.push(at(&done));
    jumps.extend(fails);
    if leave.found {
        jumps.push(at(&after));
    }
    jumps
}

/// A family of labels that do not occur in the declaration.
struct Labels(String);

/// The labels that do not occur in a declaration.
struct FreeLabels<'d> {
    decl: &'d Decl,
    mentions: OnceCell<Mentions>,
    /// The number of the last family of each kind that was given away.
    last: RefCell<FxHashMap<&'static str, u64>>,
}

impl<'d> FreeLabels<'d> {
    fn new(decl: &'d Decl) -> FreeLabels<'d> {
        FreeLabels { decl, mentions: OnceCell::new(), last: RefCell::default() }
    }

    /// A family that was not given away before.
    fn family(&self, kind: &'static str) -> Labels {
        let mentions = self.mentions.get_or_init(|| Mentions::new(self.decl));
        let mut last = self.last.borrow_mut();
        let last = last.entry(kind).or_default();
        loop {
            *last += 1;
            let prefix = format!("{kind}{last}");
            let is_free = |part: &&str| !mentions.contains(&format!("{prefix}_{part}"));
            if Labels::PARTS.iter().all(is_free) {
                return Labels(prefix);
            }
        }
    }
}

impl Labels {
    const PARTS: [&str; 6] = ["then", "else", "head", "body", "done", "after"];

    fn part(&self, part: &str) -> Name {
        format!("{}_{part}", self.0).into()
    }
}

/// Turns each `break` out of a statement into a jump.
struct Leave<'l> {
    /// The label of the statement.
    label: Option<&'l Name>,
    /// Whether the statement is the innermost loop.
    innermost: bool,
    /// The target of the jumps.
    to: &'l Name,
    found: bool,
}

impl VisitMut for Leave<'_> {
    fn visit_stmt(&mut self, stmt: &mut Stmt) {
        let leaves = match &stmt.kind {
            StmtKind::Break(None) => self.innermost,
            StmtKind::Break(Some(label)) => Some(&label.name) == self.label,
            _ => false,
        };
        if leaves {
            stmt.kind = goto(&[self.to]).kind;
            self.found = true;
        } else if let StmtKind::While(_) = stmt.kind {
            let innermost = std::mem::replace(&mut self.innermost, false);
            self.walk_stmt(stmt);
            self.innermost = innermost;
        } else {
            self.walk_stmt(stmt);
        }
    }

    fn visit_expr(&mut self, _: &mut Expr) {}
}

fn ends_in_jump(block: &Block) -> bool {
    let last = block.last().map(|stmt| &stmt.kind);
    matches!(last, Some(StmtKind::Goto(_) | StmtKind::Return(_) | StmtKind::Break(_)))
}

/// The assumptions in the two branches: that the guard holds, and that it does not.
fn assumptions(guard: &Guard) -> (Option<Stmt>, Option<Stmt>) {
    let Guard::Expr(guard) = guard else { return (None, None) };
    let complement = match &guard.kind {
        ExprKind::Unary(UnaryOp::Not, inner) => (**inner).clone(),
        _ => Expr {
            span: Span::default(),
            kind: ExprKind::Unary(UnaryOp::Not, Box::new(guard.clone())),
        },
    };
    let assume =
        |expr: Expr| stmt(StmtKind::Assume(Box::new(Predicate { attrs: List::new(), expr })));
    (Some(assume(guard.clone())), Some(assume(complement)))
}

/// Turns an invariant into a statement at the head of the loop.
fn invariant(spec: &LoopSpec) -> Option<Stmt> {
    let LoopSpec::Invariant(LoopInvariant { free, attrs, expr, .. }) = spec else { return None };
    let predicate = Predicate { attrs: attrs.clone(), expr: expr.clone() };
    Some(stmt(if *free {
        StmtKind::Assume(Box::new(predicate))
    } else {
        StmtKind::Assert(Box::new(predicate))
    }))
}

fn at(label: &Name) -> Stmt {
    stmt(StmtKind::Label(Ident::new(label.clone())))
}

fn goto(targets: &[&Name]) -> Stmt {
    let targets = targets.iter().map(|target| Ident::new((*target).clone())).collect();
    stmt(StmtKind::Goto(Box::new(Goto { attrs: List::new(), targets })))
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { span: Span::default(), kind }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at_many, check, printed, results, words};
    use super::*;

    fn body(statements: &str) -> String {
        format!("procedure p(a: bool, b: bool) {{ var x: int; {statements} }}")
    }

    #[track_caller]
    fn desugars(from: &str, to: &[&str]) {
        let expected: Vec<_> = to.iter().map(|to| body(to)).collect();
        let expected: Vec<_> = expected.iter().map(String::as_str).collect();
        check(&DesugarControl, &body(from), &expected);
    }

    #[test]
    fn conditionals_become_two_branches() {
        desugars(
            "if (a) { x := 1; }",
            &["goto branch1_then, branch1_else; branch1_then: assume a; x := 1; \
               goto branch1_after; branch1_else: assume !a; branch1_after:"],
        );
        desugars(
            "if (*) { return; } else { x := 1; } x := 2;",
            &["goto branch1_then, branch1_else; branch1_then: return; branch1_else: x := 1; \
               x := 2;"],
        );
        desugars(
            "l: if (!a) { break l; } else if (b) { x := 2; break l; }",
            &["l: goto branch1_then, branch1_else; branch1_then: assume !a; goto branch1_after; \
               branch1_else: assume a; if (b) { x := 2; goto branch1_after; } branch1_after:"],
        );
    }

    #[test]
    fn loops_keep_their_invariants_at_the_head() {
        desugars(
            "loop1_done: while (*) free invariant a; invariant {:msg \"m\"} b; { x := 1; }",
            &["loop1_done: goto loop2_head; loop2_head: assume a; assert {:msg \"m\"} b; \
               goto loop2_body, loop2_done; loop2_body: x := 1; goto loop2_head; loop2_done:"],
        );
    }

    #[test]
    fn breaks_are_redirected_if_they_leave_the_statement() {
        let results = results(
            &DesugarControl,
            &body("o: while (a) { if (b) { break; } i: while (b) { if (a) { break o; } break; } }"),
        );
        let expected = body(
            "o: goto loop1_head; loop1_head: goto loop1_body, loop1_done; loop1_body: assume a; \
             if (b) { goto loop1_after; } \
             i: while (b) { if (a) { goto loop1_after; } break; } goto loop1_head; \
             loop1_done: assume !a; loop1_after:",
        );
        assert_eq!(results.len(), 4);
        assert_eq!(results[0], printed(&expected));
        let inner = body(
            "o: while (a) { if (b) { break; } \
             i: goto loop1_head; loop1_head: goto loop1_body, loop1_done; loop1_body: assume b; \
             if (a) { break o; } goto loop1_after; loop1_done: assume !b; loop1_after: }",
        );
        assert_eq!(results[2], printed(&inner));
    }

    #[test]
    fn a_jump_inside_an_if_to_a_loop_around_it_stays() {
        desugars(
            "while (a) { if (b) { break; } }",
            &[
                "goto loop1_head; loop1_head: goto loop1_body, loop1_done; loop1_body: assume a; \
                 if (b) { goto loop1_after; } goto loop1_head; loop1_done: assume !a; loop1_after:",
                "while (a) { goto branch1_then, branch1_else; branch1_then: assume b; break; \
                 branch1_else: assume !b; }",
            ],
        );
    }

    #[test]
    fn what_has_more_than_jumps_to_it_is_left_alone() {
        for source in [
            "procedure p(a: bool) { if {:x} (a) { } }",
            "procedure p(a: int) { while (a > 0) measure a; { } }",
            "procedure {:yields} p(a: bool) { if (a) { } }",
        ] {
            assert!(results(&DesugarControl, source).is_empty(), "{source}");
        }
        assert_eq!(
            words(&DesugarControl, &body("if (a) { } while (*) { }")),
            ["desugar the `if` on `a` in procedure `p`", "desugar `while (*)` in procedure `p`"]
        );
    }

    #[test]
    fn inner_statements_are_desugared_first() {
        let source = "procedure p(a: bool) { while (a) { if (a) { break; } } }";
        let both = at_many(&DesugarControl, source, &[0, 1]);
        let inner = at_many(&DesugarControl, source, &[1]);
        assert_eq!(both, at_many(&DesugarControl, &inner, &[0]));
        assert!(
            !both.contains("while") && !both.contains("if ") && !both.contains("break"),
            "{both}"
        );
    }
}
