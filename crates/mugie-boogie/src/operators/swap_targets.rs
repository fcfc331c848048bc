//! Swaps two targets of a jump.

use std::cell::LazyCell;

use bpl_syntax::ast::{Decl, Goto, Name, StmtKind};

use crate::facts::Facts;
use crate::flow::has_clear_loops;
use crate::offers::Offers;
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::patch::Patch;
use crate::places::each_stmt;

operator! {
    /// Swaps two labels of one `goto`.
    ///
    /// ```boogie before
    /// procedure p() returns (r: int)
    /// {
    ///   goto one, two;
    ///   one:
    ///   r := 1;
    ///   return;
    ///   two:
    ///   r := 2;
    /// }
    /// ```
    /// ```boogie after
    /// procedure p() returns (r: int)
    /// {
    ///   goto two, one;
    ///   one:
    ///   r := 1;
    ///   return;
    ///   two:
    ///   r := 2;
    /// }
    /// ```
    ///
    /// At many places, the labels of each `goto` are shuffled, or one in five of them.
    ///
    /// ## Applies when
    /// the `goto` names two different labels; at any depth, but not in code expressions. A `goto` with
    /// attributes (Boogie 3) is left alone, and so are CIVL procedures and programs that hide or
    /// reveal functions (Boogie 3): the language does not say what is hidden where paths join. Bodies
    /// with a loop that is entered at several places are left alone, too: nothing in the program says
    /// which of them is the head, where the invariants stand; Boogie 2 rejects them, Boogie 3 chooses.
    ///
    /// ## Sound because
    /// a `goto` jumps to any one of its labels, and a program is correct if all choices are. So the
    /// labels are a set. Which blocks are heads of loops depends on the jumps and not on their order.
    ///
    /// Boogie does not quite agree: if the head of a loop does nothing but jump to the head of an inner
    /// loop, the order decides which of the two Boogie treats first, and so whether it takes an
    /// invariant of the inner loop for one of the outer loop. A mutant that fails for that reason is
    /// equivalent, and a finding about Boogie.
    SwapTargets = / "swap-targets" in Extended
}

impl Operator for SwapTargets {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Lists("targets"))
    }

    fn in_decl<'d>(&self, decl: &'d Decl, facts: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        if facts.is_civl(decl) || facts.has_hiding() {
            return;
        }
        let has_clear_loops = LazyCell::new(|| has_clear_loops(decl));
        each_stmt(decl, |number, stmt| {
            let StmtKind::Goto(goto) = &stmt.kind else { return };
            let Goto { attrs, targets } = &**goto;
            if !attrs.is_empty() || targets.len() < 2 || !*has_clear_loops {
                return;
            }
            let names: Vec<&Name> = targets.iter().map(|target| &target.name).collect();
            let words = |i: usize, j: usize| {
                format!("swap targets `{}` and `{}` of a `goto`", names[i], names[j])
            };
            offers.distinct_pairs(&names, words, |swaps| {
                Patch::stmt(number, move |stmt| {
                    if let StmtKind::Goto(goto) = &mut stmt.kind {
                        for (i, j) in swaps {
                            goto.targets.swap(i, j);
                        }
                    }
                })
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, results, words};
    use super::*;

    fn body(jump: &str) -> String {
        format!("procedure p(a: bool) {{ {jump} l: return; m: assert a; n: }}")
    }

    #[test]
    fn each_pair_of_targets_is_a_place() {
        let to = ["goto m, l, n;", "goto n, m, l;", "goto l, n, m;"].map(body);
        check(&SwapTargets, &body("goto l, m, n;"), &to.each_ref().map(String::as_str));
        assert_eq!(
            words(&SwapTargets, &body("goto l, m;")),
            ["swap targets `l` and `m` of a `goto` in procedure `p`"]
        );
    }

    #[test]
    fn nested_jumps_and_implementations_are_reached() {
        let source = |jump: &str| {
            format!(
                "procedure p(a: bool); implementation p(a: bool) {{ if (a) {{ while (*) {{ {jump} \
                 l: }} }} m: }}"
            )
        };
        check(&SwapTargets, &source("goto l, m;"), &[&source("goto m, l;")]);
    }

    #[test]
    fn equal_targets_are_not_swapped() {
        assert!(results(&SwapTargets, &body("goto l;")).is_empty());
        assert!(results(&SwapTargets, &body("goto l, l;")).is_empty());
        let to = ["goto m, l, l;", "goto l, m, l;"].map(body);
        check(&SwapTargets, &body("goto l, l, m;"), &[&to[0], &to[1]]);
    }

    #[test]
    fn jumps_with_another_meaning_are_left_alone() {
        for source in [
            body("goto {:x} l, m;"),
            "procedure p() { goto k, l; k: goto l; l: goto k; }".into(),
            body("goto l, m;").replace("procedure p", "procedure {:yields} p"),
            format!("function f(): int; {}", body("hide f; goto l, m;")),
            "procedure p() { assert |{ A: goto B, C; B: return true; C: return true; }|; }".into(),
        ] {
            assert!(results(&SwapTargets, &source).is_empty(), "{source}");
        }
    }
}
