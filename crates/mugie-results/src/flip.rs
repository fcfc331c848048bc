//! The only definition of a *flip*: a verdict that differs.

use mugie_core::Outcome;

/// The largest share of a seed's mutants without a verdict. Beyond it, the others are no evidence that the
/// seed is robust.
pub const MAX_TROUBLE: f64 = 0.02;

/// Whether a program verifies; `None` if the outcome is no evidence, because the tool failed.
pub fn verifies(outcome: Outcome) -> Option<bool> {
    outcome.is_evidence().then_some(outcome == Outcome::Verified)
}

/// Whether a mutant's verdict differs from its seed's: one of the two verifies, and the other does
/// not. `None` if either outcome is no evidence.
pub fn flips(seed: Outcome, mutant: Outcome) -> Option<bool> {
    Some(verifies(seed)? != verifies(mutant)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Crashed, Failed, Rejected, TimedOut, ToolError, Verified};

    #[test]
    fn one_that_verifies_and_one_that_does_not_is_a_flip() {
        for other in [Failed, Rejected, TimedOut] {
            assert_eq!(flips(Verified, other), Some(true));
            assert_eq!(flips(other, Verified), Some(true));
            assert_eq!(flips(other, Failed), Some(false));
        }
        assert_eq!(flips(Verified, Verified), Some(false));
    }

    #[test]
    fn trouble_with_the_tool_says_nothing() {
        for trouble in [Crashed, ToolError] {
            assert_eq!(flips(trouble, Verified), None);
            assert_eq!(flips(Verified, trouble), None);
        }
    }
}
