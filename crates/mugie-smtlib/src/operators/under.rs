//! Puts the assertions of a query with one check into a scope.

use mugie_core::About;
use smt_syntax::Kind;

use super::{Choice, Operator, Sites, apart, scopes};
use crate::base::Base;

/// See [`Operator::about`].
#[derive(Debug)]
pub(crate) struct Under;

impl Operator for Under {
    fn about(&self) -> &'static About {
        apart! {
            /// Puts all assertions of a query with one check and no scopes into a scope.
            ///
            /// ```smt2 before
            /// (declare-const p Bool)
            /// (assert p)
            /// (check-sat)
            /// ```
            /// ```smt2 after
            /// (declare-const p Bool)
            /// (push 1)
            /// (assert p)
            /// (check-sat)
            /// ```
            ///
            /// A scope makes Z3 use another solver inside, so this changes more than the text: it is drawn only
            /// if asked for by name, and without operators that keep scopes.
            ///
            /// ## Applies when
            /// The query has one check, an assertion before it, and neither opens a scope nor forgets anything.
            ///
            /// ## Sound because
            /// what was asserted before the only check is live at it, in a scope or not.
            "under"
        }
    }

    fn sites(&self, base: &Base) -> Sites {
        let is_flat = scopes::opened(base).is_some_and(|opened| opened.is_empty());
        Sites::Whole(is_flat && first_assertion(base).is_some())
    }

    fn write(&self, base: &Base, _: &Choice, out: &mut Vec<u8>) {
        let commands = base.script.commands();
        let first = first_assertion(base).and_then(|it| commands.get(it as usize));
        let at = first.map_or(0, |it| base.script.node(it.node).start as usize);
        out.extend_from_slice(&base.text()[..at]);
        out.extend_from_slice(b"(push 1)\n");
        out.extend_from_slice(&base.text()[at..]);
    }

    fn order(&self, base: &Base, _: &Choice) -> Option<Vec<u32>> {
        let number = u32::try_from(base.script.commands().len()).ok()?;
        let first = first_assertion(base)?;
        // The new command has the first free number.
        Some((0..first).chain([number]).chain(first..number).collect())
    }

    fn changes_scopes(&self) -> bool {
        true
    }

    fn words(&self, _: &Base, _: &Choice) -> String {
        "put all assertions into a scope".to_owned()
    }
}

/// The first assertion before a check.
fn first_assertion(base: &Base) -> Option<u32> {
    let mut commands = (0u32..).zip(base.script.commands());
    let (number, command) =
        commands.find(|(_, it)| it.kind == Kind::Assert || it.kind.is_check())?;
    (command.kind == Kind::Assert).then_some(number)
}

#[cfg(test)]
mod tests {
    use crate::program::testing::mutants;

    #[test]
    fn a_flat_query_gets_one_scope() {
        let seed = "(declare-const p Bool)(assert p)(assert (not p))(check-sat)";
        let [under] = &mutants(seed, "under", 3)[..] else { panic!("there is one way") };
        assert!(under.contains("Bool)\n(push 1)\n(assert p)"), "{under}");
        for seed in ["(push 1)(assert true)(check-sat)", "(check-sat)", "(check-sat)(assert true)"]
        {
            assert_eq!(mutants(seed, "under", 3).len(), 0, "{seed}");
        }
    }
}
