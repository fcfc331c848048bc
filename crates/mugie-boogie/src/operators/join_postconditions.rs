//! L4: two postconditions become one.

use bpl_syntax::ast::{ConditionKind, Decl};

use super::join;
use crate::facts::Facts;
use crate::offers::Offers;
use mugie_core::About;

use crate::operator::{Operator, operator};

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
    /// ## Applies when
    /// both clauses are `free` or neither is, neither has an attribute, and neither is just
    /// `true`; CIVL gives the procedure no meaning of its own. No `ensures` with another attribute
    /// than `:msg`, `:subsumption` and `:id` stands between them: it may be an assumption for what
    /// comes after it (see `swap-clauses`). Neither mentions a constant with `:existential`, since
    /// Houdini drops a clause only if it has the form `b ==> e`.
    ///
    /// ## Sound because
    /// the postconditions of a procedure are checked, and assumed, all together, and expressions
    /// are total: `x div 0` has a value, so no conjunct protects another.
    JoinPostconditions = "L4" / "join-postconditions" in Paper
}

impl Operator for JoinPostconditions {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn in_decl(&self, decl: &Decl, facts: &Facts, offers: &mut Offers<Vec<Decl>>) {
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
