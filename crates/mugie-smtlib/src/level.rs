//! The queries of a verifier to its solver, as seeds: the level below a program.

use mugie_core::{Artifact, Level, LevelSeed, SourceText};
use smt_syntax::print::Printer;
use smt_syntax::{Dialect, Kind, NodeId, Scopes, Script};

/// The queries of Boogie to its solver.
pub const QUERIES: &dyn Level = &Queries;

/// The queries of Boogie to its solver. Each check of a log is a seed of its own, with the commands that are
/// live at it; scopes stay, because the solver works differently inside of one.
#[derive(Debug)]
pub struct Queries;

/// The note by which Boogie names the procedure that a query is about.
const NOTE: &[u8] = b":boogie-vc-id";

impl Level for Queries {
    fn id(&self) -> &'static str {
        "query"
    }

    fn from(&self) -> &'static str {
        "boogie"
    }

    fn to(&self) -> &'static str {
        "smtlib"
    }

    fn verifier(&self) -> &'static str {
        "z3"
    }

    fn is_by_goal(&self) -> bool {
        true
    }

    fn seeds(&self, left: &[Artifact]) -> Vec<LevelSeed> {
        left.iter().flat_map(queries).collect()
    }
}

/// The queries of a log.
fn queries(log: &Artifact) -> Vec<LevelSeed> {
    let Some(stem) = &log.goal else { return Vec::new() };
    let Ok(script) = Script::parse(log.text.as_bytes()) else { return Vec::new() };
    let scopes = Scopes::new(&script, Dialect::Z3);
    let checks = scopes.checks().len();
    let seed = |check: usize| {
        let goal = named(&script, &scopes, check).unwrap_or_else(|| stem.clone());
        let number = if checks > 1 { format!(" {}", check + 1) } else { String::new() };
        let name = format!("{stem}{number}.smt2");
        let file = SourceText { name, bytes: written(&script, &scopes, check) };
        LevelSeed { goal: Some(format!("{goal}{number}")), line: None, file }
    };
    (0..checks).map(seed).collect()
}

/// The checks of a script, each with what is live at it. `line` gives the line of a node.
pub(crate) fn split(script: &Script, name: &str, line: impl Fn(NodeId) -> u32) -> Vec<LevelSeed> {
    let scopes = Scopes::new(script, Dialect::Z3);
    let checks = scopes.checks().iter().enumerate();
    checks
        .map(|(check, command)| {
            let file = SourceText { name: name.to_owned(), bytes: written(script, &scopes, check) };
            let goal = Some(format!("#{}", check + 1));
            LevelSeed { goal, line: Some(line(script.commands()[*command].node)), file }
        })
        .collect()
}

/// The script of a check.
fn written(script: &Script, scopes: &Scopes, check: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut printer = Printer::default();
    for live in scopes.live(check) {
        match live.scopes {
            Some(number) => out.extend_from_slice(format!("(push {number})").as_bytes()),
            None => printer.node(script, script.commands()[live.command].node, &mut out),
        }
        out.push(b'\n');
    }
    out
}

/// The procedure that a check is about: the last note before it.
fn named(script: &Script, scopes: &Scopes, check: usize) -> Option<String> {
    let last = *scopes.checks().get(check)?;
    let before = script.commands()[..last].iter().rev();
    let before = before.take_while(|command| !command.kind.is_check());
    let mut notes = before.filter(|command| command.kind == Kind::SetInfo).filter_map(|command| {
        let mut parts = script.children(command.node).skip(1);
        (script.text(parts.next()?) == NOTE).then(|| parts.next()).flatten()
    });
    let name = script.symbol(notes.next()?)?;
    Some(String::from_utf8_lossy(name).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_check_has_what_is_live_at_it() {
        let text = "(set-option :a 1)(declare-const x Int)\n(push 1)(set-info :boogie-vc-id |p q|)\
                    (assert (= x 1))(check-sat)(get-info :rlimit)(pop 1)\n\
                    (push 1)(set-info :boogie-vc-id r)(assert (= x 2))(check-sat)(pop 1)";
        let log = |goal: Option<&str>| Artifact {
            goal: goal.map(str::to_owned),
            name: "log".to_owned(),
            text: text.to_owned(),
        };
        assert_eq!(Queries.seeds(&[log(None)]), []);
        let seeds = Queries.seeds(&[log(Some("all"))]);
        let goals: Vec<&str> = seeds.iter().filter_map(|seed| seed.goal.as_deref()).collect();
        assert_eq!(goals, ["p q 1", "r 2"]);
        let second = String::from_utf8_lossy(&seeds[1].file.bytes).into_owned();
        assert_eq!(
            second,
            "(set-option :a 1)\n(declare-const x Int)\n(push 1)\n(set-info :boogie-vc-id r)\n(assert (= x 2))\n(check-sat)\n"
        );
    }
}
