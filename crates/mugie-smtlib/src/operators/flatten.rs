//! Leaves out the scopes of a query with one check.

use mugie_core::About;

use super::{Choice, Operator, Sites, apart, scopes};
use crate::base::Base;

/// See [`Operator::about`].
#[derive(Debug)]
pub(crate) struct Flatten;

impl Operator for Flatten {
    fn about(&self) -> &'static About {
        apart! {
            /// Leaves out all scopes of a query with one check.
            ///
            /// ```smt2 before
            /// (push 1)
            /// (assert p)
            /// (check-sat)
            /// (pop 1)
            /// ```
            /// ```smt2 after
            /// (assert p)
            /// (check-sat)
            /// ```
            ///
            /// A scope makes Z3 use another solver inside, so this changes more than the text: it is drawn only
            /// if asked for by name, and without operators that keep scopes.
            ///
            /// ## Applies when
            /// The query has one check, scopes are opened before it, and nothing is forgotten before it.
            ///
            /// ## Sound because
            /// what was asserted before the only check is live at it, in a scope or not.
            "flatten"
        }
    }

    fn sites(&self, base: &Base) -> Sites {
        Sites::Whole(scopes::opened(base).is_some_and(|opened| !opened.is_empty()))
    }

    fn write(&self, base: &Base, _: &Choice, out: &mut Vec<u8>) {
        out.extend_from_slice(&scopes::flattened(&base.script));
    }

    fn order(&self, base: &Base, _: &Choice) -> Option<Vec<u32>> {
        let all = (0..).take(base.script.commands().len());
        Some(all.filter(|command| !scopes::is_scope(&base.script, *command)).collect())
    }

    fn changes_scopes(&self) -> bool {
        true
    }

    fn words(&self, _: &Base, _: &Choice) -> String {
        "leave out all scopes".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use crate::program::testing::mutants;

    #[test]
    fn scopes_go_if_nothing_was_forgotten() {
        let seed = "(push 1)(declare-const p Bool)(assert p)(push)(assert true)(check-sat)(pop 2)";
        let [flat] = &mutants(seed, "flatten", 3)[..] else { panic!("there is one way") };
        assert!(!flat.contains("push") && !flat.contains("pop"), "{flat}");
        for seed in [
            "(push 1)(assert false)(pop 1)(push 1)(check-sat)",
            "(push 1)(check-sat)(check-sat)",
            "(assert true)(check-sat)",
        ] {
            assert_eq!(mutants(seed, "flatten", 3).len(), 0, "{seed}");
        }
    }
}
