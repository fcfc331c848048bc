//! What the operators that change scopes share: they are the inverse of each other.

use smt_syntax::{Kind, Script};

use crate::base::Base;

/// Where scopes are opened before the only check of a query; `None` if there is another number of checks, or
/// if something is forgotten before it.
pub(super) fn opened(base: &Base) -> Option<Vec<u32>> {
    let commands = base.script.commands();
    let mut checks = (0..commands.len()).filter(|it| commands[*it].kind.is_check());
    let (check, None) = (checks.next()?, checks.next()) else { return None };
    let before = &commands[..check];
    let forgets = |kind: Kind| matches!(kind, Kind::Pop | Kind::Reset | Kind::ResetAssertions);
    if before.iter().any(|command| forgets(command.kind)) {
        return None;
    }
    let opens = (0u32..).zip(before).filter(|(_, command)| command.kind == Kind::Push);
    Some(opens.map(|(number, _)| number).collect())
}

/// Whether a command opens or closes a scope.
pub(super) fn is_scope(script: &Script, command: u32) -> bool {
    let command = script.commands().get(command as usize);
    command.is_some_and(|command| matches!(command.kind, Kind::Push | Kind::Pop))
}

/// The text of a query without the commands that open and close scopes.
pub(crate) fn flattened(script: &Script) -> Vec<u8> {
    let mut out = Vec::with_capacity(script.source().len());
    for (number, command) in (0u32..).zip(script.commands()) {
        if !is_scope(script, number) {
            out.extend_from_slice(script.text(command.node));
            out.push(b'\n');
        }
    }
    out
}
