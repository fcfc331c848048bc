//! L3: joins two preconditions.

use bpl_syntax::ast::{ConditionKind, Decl};

use super::join;
use crate::facts::Facts;
use crate::offers::Offers;
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::patch::Patch;

operator! {
    /// Joins any two preconditions into a conjunctive one.
    ///
    /// ```boogie before
    /// procedure p(x: int);
    ///   requires x > 0;
    ///   requires x == 3 || x == 5;
    /// ```
    /// ```boogie after
    /// procedure p(x: int);
    ///   requires x > 0 && (x == 3 || x == 5);
    /// ```
    ///
    /// At many places, each precondition becomes a part of an earlier one or not, so that one can join
    /// several.
    ///
    /// ## Applies when
    /// both clauses are `free` or neither is, neither has an attribute, and neither is just `true`.
    /// No `requires` with an attribute other than `:msg`, `:subsumption` and `:id` stands between
    /// them, since it may be an assumption for the clauses after it (see `swap-clauses`). Neither
    /// mentions a constant with `:existential`, since Houdini drops a clause only if it has the
    /// form `b ==> e`. CIVL procedures are left alone.
    ///
    /// ## Sound because
    /// the preconditions of a procedure are all assumed together and all checked together, and
    /// expressions are total: `x div 0` has a value, so no conjunct guards another.
    JoinPreconditions = "L3" / "join-preconditions" in Paper
}

impl Operator for JoinPreconditions {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Places("join preconditions"))
    }

    fn in_decl<'d>(&self, decl: &'d Decl, facts: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        join::offer(decl, ConditionKind::Requires, facts, offers);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at_many, check, printed, results};
    use super::*;

    #[test]
    fn candidates_of_houdini_keep_their_form() {
        let source = |attr: &str| {
            format!(
                "const {attr} b: bool; procedure p(x: int); requires b ==> x > 0; requires x > 1;"
            )
        };
        assert_eq!(results(&JoinPreconditions, &source("")).len(), 1);
        assert!(results(&JoinPreconditions, &source("{:existential true}")).is_empty());
    }

    #[test]
    fn clauses_need_not_be_neighbours() {
        check(
            &JoinPreconditions,
            "procedure p(a: bool, b: bool, c: bool);
             requires a; ensures true; requires b; requires c;",
            &[
                "procedure p(a: bool, b: bool, c: bool); requires a && b; ensures true; requires c;",
                "procedure p(a: bool, b: bool, c: bool); requires a && c; ensures true; requires b;",
                "procedure p(a: bool, b: bool, c: bool); requires a; ensures true; requires b && c;",
            ],
        );
    }

    #[test]
    fn free_clauses_attributes_and_true_keep_apart() {
        check(
            &JoinPreconditions,
            "procedure p(a: bool, b: bool); requires a; free requires b; free requires a;
             requires true; requires {:msg \"m\"} b;",
            &["procedure p(a: bool, b: bool); requires a; free requires b && a;
               requires true; requires {:msg \"m\"} b;"],
        );
        for between in ["{:x} true", "{:InlineAssume} b", "{:always_assume} b"] {
            let source = format!(
                "procedure p(a: bool, b: bool); requires a; requires {between}; requires b;"
            );
            assert!(results(&JoinPreconditions, &source).is_empty(), "{between}");
        }
        let civl = "procedure {:yields} {:layer 1} p(a: bool); requires a; requires !a;";
        assert!(results(&JoinPreconditions, civl).is_empty());
    }

    #[test]
    fn many_are_joined_at_once() {
        let source = "procedure p(a: bool, b: bool); free requires a; requires b; requires a || b; \
                      free requires b || a; free requires a && b; requires a == b;";
        // The pairs of the three that are checked, then those of the others.
        for (places, expected) in [
            (
                &[2, 5][..],
                "free requires a; requires b; requires (a || b) && a == b; \
                 free requires (b || a) && (a && b);",
            ),
            (
                &[0, 1, 3, 4][..],
                "free requires a && (a && b) && (b || a); requires b && a == b && (a || b);",
            ),
            (
                &[0, 2, 3, 5][..],
                "free requires a && ((b || a) && (a && b)); \
                 requires b && ((a || b) && a == b);",
            ),
        ] {
            let expected = format!("procedure p(a: bool, b: bool); {expected}");
            assert_eq!(at_many(&JoinPreconditions, source, places), printed(&expected));
        }
    }
}
