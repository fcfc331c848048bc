//! L4: joins two postconditions.

use bpl_syntax::ast::{ConditionKind, Decl};

use super::join;
use crate::facts::Facts;
use crate::offers::Offers;
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::patch::Patch;

operator! {
    /// Joins any two postconditions into a conjunctive one.
    ///
    /// ```boogie before
    /// procedure p() returns (x: int);
    ///   ensures x > 0;
    ///   ensures x < 9 ==> x < 5;
    /// ```
    /// ```boogie after
    /// procedure p() returns (x: int);
    ///   ensures x > 0 && (x < 9 ==> x < 5);
    /// ```
    ///
    /// At many places, each postcondition becomes a part of an earlier one or not, so that one can join
    /// several.
    ///
    /// ## Applies when
    /// both clauses are `free` or neither is, neither has an attribute, and neither is just `true`.
    /// No `ensures` with an attribute other than `:msg`, `:subsumption` and `:id` stands between
    /// them, since it may be an assumption for the clauses after it (see `swap-clauses`). Neither
    /// mentions a constant with `:existential`, since Houdini drops a clause only if it has the
    /// form `b ==> e`. CIVL procedures are left alone.
    ///
    /// ## Sound because
    /// the postconditions of a procedure are all checked together and all assumed together, and
    /// expressions are total: `x div 0` has a value, so no conjunct guards another.
    JoinPostconditions = "L4" / "join-postconditions" in Paper
}

impl Operator for JoinPostconditions {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Places("join postconditions"))
    }

    fn in_decl<'d>(&self, decl: &'d Decl, facts: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        join::offer(decl, ConditionKind::Ensures, facts, offers);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, words};
    use super::*;

    #[test]
    fn preconditions_are_left_alone() {
        let source = "procedure p(a: bool); requires a; ensures a; requires !a; ensures !a;";
        let joined = "procedure p(a: bool); requires a; ensures a && !a; requires !a;";
        check(&JoinPostconditions, source, &[joined]);
        assert_eq!(words(&JoinPostconditions, source), ["join `a` and `!a` in procedure `p`"]);
    }
}
