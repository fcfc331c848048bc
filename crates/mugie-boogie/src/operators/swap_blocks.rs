//! Swaps two blocks that are entered and left by jumps only.

use std::cell::LazyCell;
use std::ops::Range;

use bpl_syntax::ast::{Block, Decl, Name, Stmt, StmtKind};

use crate::facts::Facts;
use crate::flow::has_clear_loops;
use crate::offers::Offers;
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::patch::Patch;
use crate::places::each_block;

operator! {
    /// Swaps two blocks: parts of a statement list that start with a label and end with a jump.
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
    ///   return;
    /// }
    /// ```
    /// ```boogie after
    /// procedure p() returns (r: int)
    /// {
    ///   goto one, two;
    ///   two:
    ///   r := 2;
    ///   return;
    ///   one:
    ///   r := 1;
    ///   return;
    /// }
    /// ```
    ///
    /// A block reaches from a label behind a jump (`goto`, `return` or `break`) to the next jump of the
    /// same list. Labels into which the statements before them fall, and `if` and `while` statements,
    /// are moved together with the block they belong to.
    ///
    /// At many places, the blocks of each list are shuffled, or one in five of them.
    ///
    /// ## Applies when
    /// a statement list, of a body or nested, has two such blocks behind its first jump. What stands
    /// before the first jump stays the beginning, and what stands behind the last one stays the end.
    /// CIVL procedures are left alone, and so are programs that hide or reveal functions (Boogie 3):
    /// the language does not say what is hidden where paths join. Bodies with a loop that is entered
    /// at several places are left alone, too: nothing in the program says which of them is the head,
    /// where the invariants stand; Boogie 2 rejects them, Boogie 3 chooses.
    ///
    /// ## Sound because
    /// nothing falls into such a block, since a jump precedes it in both places, and it does not fall
    /// into what follows. So each statement keeps its successors: the graph of jumps is the same, with
    /// the same entry, and so are the loops and their heads. Labels are known in the whole body, and
    /// a label of a statement stays directly before it.
    ///
    /// Boogie does not quite agree: if the head of a loop does nothing but jump to the head of an inner
    /// loop, the order decides which of the two Boogie treats first, and so whether it takes an
    /// invariant of the inner loop for one of the outer loop. A mutant that fails for that reason is
    /// equivalent, and a finding about Boogie.
    SwapBlocks = / "swap-blocks" in Extended
}

impl Operator for SwapBlocks {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Lists("blocks"))
    }

    fn in_decl<'d>(&self, decl: &'d Decl, facts: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        if facts.is_civl(decl) || facts.has_hiding() {
            return;
        }
        let has_clear_loops = LazyCell::new(|| has_clear_loops(decl));
        each_block(decl, |number, list| {
            let blocks = movable_blocks(list);
            if blocks.len() < 2 || !*has_clear_loops {
                return;
            }
            let words = |i: usize, j: usize| {
                format!("swap block `{}` with block `{}`", blocks[i].0, blocks[j].0)
            };
            offers.pairs(blocks.len(), words, |swaps| {
                Patch::block(number, move |list| swap(list, &swaps))
            });
        });
    }
}

/// The blocks that may change places, each with its first label.
fn movable_blocks(list: &[Stmt]) -> Vec<(&Name, Range<usize>)> {
    let jumps = list.iter().enumerate().filter(|(_, stmt)| is_jump(stmt)).map(|(index, _)| index);
    let ends: Vec<usize> = jumps.map(|index| index + 1).collect();
    let behind_jumps = ends.windows(2).map(|pair| pair[0]..pair[1]);
    behind_jumps
        .filter_map(|range| match &list[range.start].kind {
            StmtKind::Label(label) => Some((&label.name, range)),
            _ => None,
        })
        .collect()
}

fn is_jump(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Goto(_) | StmtKind::Return(_) | StmtKind::Break(_))
}

/// Swaps movable blocks of a list, given by their numbers.
fn swap(list: &mut Block, swaps: &[(usize, usize)]) {
    let blocks: Vec<Range<usize>> =
        movable_blocks(list).into_iter().map(|(_, range)| range).collect();
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    for (i, j) in swaps {
        order.swap(*i, *j);
    }
    let mut stmts: Vec<Option<Stmt>> = std::mem::take(list).into_iter().map(Some).collect();
    let mut copied = 0;
    for (place, moved) in order.into_iter().enumerate() {
        let (place, moved) = (blocks[place].clone(), blocks[moved].clone());
        list.extend(stmts[copied..place.start].iter_mut().filter_map(Option::take));
        list.extend(stmts[moved].iter_mut().filter_map(Option::take));
        copied = place.end;
    }
    list.extend(stmts[copied..].iter_mut().filter_map(Option::take));
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at_many, check, printed, results, words};
    use super::*;

    fn body(statements: &str) -> String {
        format!("procedure p(a: bool) {{ var x: int; {statements} }}")
    }

    #[track_caller]
    fn swaps(from: &str, to: &[&str]) {
        let expected: Vec<_> = to.iter().map(|to| body(to)).collect();
        let expected: Vec<_> = expected.iter().map(String::as_str).collect();
        check(&SwapBlocks, &body(from), &expected);
    }

    #[test]
    fn each_pair_of_blocks_after_the_first_is_a_place() {
        swaps(
            "goto k; k: x := 1; goto l, m; l: goto m; m: x := 2; x := 3; return;",
            &[
                "goto k; l: goto m; k: x := 1; goto l, m; m: x := 2; x := 3; return;",
                "goto k; m: x := 2; x := 3; return; l: goto m; k: x := 1; goto l, m;",
                "goto k; k: x := 1; goto l, m; m: x := 2; x := 3; return; l: goto m;",
            ],
        );
        assert_eq!(
            words(&SwapBlocks, &body("return; l: goto m; m: return;")),
            ["swap block `l` with block `m` in procedure `p`"]
        );
    }

    #[test]
    fn what_belongs_together_moves_together() {
        swaps(
            "goto k, m; k: x := 1; l: if (a) { return; } while (a) { break; } goto k; m: n: \
             o: while (a) { break o; } return;",
            &["goto k, m; m: n: o: while (a) { break o; } return; \
               k: x := 1; l: if (a) { return; } while (a) { break; } goto k;"],
        );
    }

    #[test]
    fn the_beginning_and_the_end_stay() {
        for statements in [
            "k: goto l; l: return;",
            "k: goto l; l: goto k; m: x := 1;",
            "x := 1; k: l: return; m: return;",
            "goto k, l; k: x := 1; l: return;",
            "if (a) { return; } k: return; l: x := 1;",
        ] {
            swaps(statements, &[]);
        }
    }

    #[test]
    fn what_no_label_starts_stays() {
        swaps("return; x := 1; return; l: return;", &[]);
        swaps(
            "return; k: return; x := 1; return; l: goto k;",
            &["return; l: goto k; x := 1; return; k: return;"],
        );
    }

    #[test]
    fn nested_lists_are_reached() {
        let source = |blocks: &str| {
            format!(
                "procedure p(); implementation p() {{ while (*) {{ if (*) {{ goto k, l; {blocks} }} \
                 }} }}"
            )
        };
        check(&SwapBlocks, &source("k: break; l: return;"), &[&source("l: return; k: break;")]);
    }

    #[test]
    fn bodies_with_another_meaning_are_left_alone() {
        let blocks = "goto k, l; k: return; l: return;";
        assert_eq!(results(&SwapBlocks, &body(blocks)).len(), 1);
        for source in [
            body(blocks).replace("procedure p", "procedure {:yields} p"),
            body("goto k, l; k: goto l; l: goto k; m: return;"),
            format!("function f(): int; {}", body(&format!("hide f; {blocks}"))),
            "procedure p() { assert |{ A: goto B, C; B: goto D; C: goto D; D: return true; }|; }"
                .into(),
        ] {
            assert!(results(&SwapBlocks, &source).is_empty(), "{source}");
        }
    }

    #[test]
    fn blocks_of_different_lengths_are_shuffled_at_once() {
        let from =
            "goto k; k: x := 1; goto l, m; x := 9; return; l: goto m; m: x := 2; x := 3; return;";
        // `m` and `l` change places, then `l`, which is second now, and `k`.
        let to =
            "goto k; m: x := 2; x := 3; return; x := 9; return; k: x := 1; goto l, m; l: goto m;";
        assert_eq!(at_many(&SwapBlocks, &body(from), &[2, 0]), printed(&body(to)));
    }
}
