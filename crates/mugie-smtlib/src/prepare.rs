//! From the query as its author wrote it to the query that is run.
//!
//! Left out are commands that only print, `:status`, and limits of the query's own, which would beat
//! those of mugie: a limit in a file counts more than one on the command line. What would read or write
//! files is refused. A budget is set by the standard's `:reproducible-resource-limit`, which both Z3 and
//! cvc5 know, at the start and after each `(reset)`; after each check the solver is asked for its
//! resource count. None of this changes what the solver does with the rest.

use smt_syntax::lex::line_ends;
use smt_syntax::print::Printer;
use smt_syntax::{Class, Command, Declarations, Kind, Roles, Script, Symbols};

use crate::answers::Expected;
use crate::base::{hoisted, segments};

/// A query that cannot be tested: the command that is to blame, why, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The number of the command; `None` if it is the whole query.
    pub(crate) command: Option<usize>,
    pub(crate) reason: String,
    pub(crate) help: String,
}

/// A query that is ready to be run.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// In the layout of its author.
    pub(crate) original: Vec<u8>,
    /// In the layout of mutants: printed, with the declarations of each segment before its assertions.
    pub(crate) printed: Vec<u8>,
    /// For each command of the printed query, the number of the author's command.
    pub(crate) commands: Vec<Option<usize>>,
}

/// What becomes of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Stays,
    Goes,
}

/// Prepares a query.
pub(crate) fn prepare(script: &Script, expected: &Expected) -> Result<Prepared, Refused> {
    let commands = script.commands();
    let mut fates = Vec::with_capacity(commands.len());
    let mut is_over = false;
    for (number, command) in commands.iter().enumerate() {
        is_over |= script.is_exit(*command);
        let fate = if is_over { Fate::Goes } else { fate(script, number, *command)? };
        fates.push(fate);
    }
    let stays = |number: &usize| fates[*number] == Fate::Stays;
    let checks =
        (0..commands.len()).filter(stays).filter(|it| commands[*it].kind.is_check()).count();
    if checks == 0 {
        return Err(without_checks(script));
    }
    let kept: Vec<usize> = (0..commands.len()).filter(stays).collect();
    let order = order(script, &kept);
    let printed = printed(script, &order, expected);
    Ok(Prepared {
        original: original(script, &fates, expected),
        printed: printed.0,
        commands: printed.1,
    })
}

/// The order of commands in the layout of mutants.
fn order(script: &Script, kept: &[usize]) -> Vec<usize> {
    let (symbols, roles) = (Symbols::new(script), Roles::new(script));
    let declarations = Declarations::new(script, &symbols, &roles);
    let segments = segments(script, &declarations, kept);
    hoisted(script, &declarations, kept, &segments)
}

/// A query without checks, and what can be done about it.
fn without_checks(script: &Script) -> Refused {
    let mut commands = script.commands().iter();
    let output = commands
        .position(|command| command.kind.class() == Class::Output && command.kind != Kind::Echo);
    match output {
        Some(command) => Refused {
            command: Some(command),
            reason: "it asks for other things than whether it is satisfiable".to_owned(),
            help: "mugie compares the answers of `(check-sat)`, not models, cores or values: add \
                   `(check-sat)` where the solver shall answer"
                .to_owned(),
        },
        None => Refused {
            command: None,
            reason: "it never asks the solver: there is no `(check-sat)`".to_owned(),
            help: "add `(check-sat)` where the solver shall answer".to_owned(),
        },
    }
}

fn fate(script: &Script, number: usize, command: Command) -> Result<Fate, Refused> {
    let refused = |reason: &str, help: &str| {
        let (reason, help) = (reason.to_owned(), help.to_owned());
        Err(Refused { command: Some(number), reason, help })
    };
    if command.kind == Kind::Include {
        return refused("it reads another file", "put the text of that file here");
    }
    let mut parts = script.children(command.node).skip(1);
    let name = parts.next().map(|node| script.text(node).to_ascii_lowercase());
    let name = String::from_utf8_lossy(&name.unwrap_or_default()).replace('_', "-");
    match (command.kind.class(), command.kind) {
        (Class::Output, _) => Ok(Fate::Goes),
        (_, Kind::SetInfo) if name == ":status" => Ok(Fate::Goes),
        (_, Kind::SetOption) if LIMITS.contains(&name.as_str()) => Ok(Fate::Goes),
        (_, Kind::SetOption) if ["channel", "file", "trace"].iter().any(|it| name.contains(it)) => {
            refused("it makes the solver write a file", "leave this option out")
        }
        _ => Ok(Fate::Stays),
    }
}

/// Options that limit the solver.
const LIMITS: [&str; 8] = [
    ":rlimit",
    ":timeout",
    ":smt.rlimit",
    ":smt.timeout",
    ":reproducible-resource-limit",
    ":rlimit-per",
    ":tlimit",
    ":tlimit-per",
];

/// The author's text, without what goes.
fn original(script: &Script, fates: &[Fate], expected: &Expected) -> Vec<u8> {
    let source = script.source();
    let mut out = Vec::with_capacity(source.len() + 256);
    let mut copied = 0;
    let mut check = 0;
    if let Some(limit) = expected.limit() {
        // On the first line, so that lines keep their numbers.
        out.extend_from_slice(limit.as_bytes());
        out.push(b' ');
    }
    for (command, fate) in script.commands().iter().zip(fates) {
        let node = script.node(command.node);
        let (start, end) = (node.start as usize, node.end as usize);
        match fate {
            Fate::Goes => {
                out.extend_from_slice(&source[copied..start]);
                // Lines keep their numbers here as well.
                let lines = line_ends(&source[start..end]);
                out.resize(out.len() + lines, b'\n');
                copied = end;
            }
            Fate::Stays if command.kind.is_check() => {
                out.extend_from_slice(&source[copied..start]);
                if let Some(echo) = expected.echo(check) {
                    out.extend_from_slice(echo.as_bytes());
                    out.push(b' ');
                }
                out.extend_from_slice(&source[start..end]);
                out.push(b' ');
                out.extend_from_slice(expected.meter().as_bytes());
                copied = end;
                check += 1;
            }
            Fate::Stays if command.kind == Kind::Reset => {
                out.extend_from_slice(&source[copied..end]);
                if let Some(limit) = expected.limit() {
                    out.push(b' ');
                    out.extend_from_slice(limit.as_bytes());
                }
                copied = end;
            }
            Fate::Stays => {}
        }
    }
    let is_over = fates.last() == Some(&Fate::Goes);
    // After `(exit)` there may be text that is no script.
    if !(is_over && script.unread().is_some()) {
        out.extend_from_slice(&source[copied..]);
    }
    out
}

/// The commands in the given order, printed, with their numbers.
fn printed(script: &Script, order: &[usize], expected: &Expected) -> (Vec<u8>, Vec<Option<usize>>) {
    // Lines are indented: the text may grow a little, and moving it would take three times the memory.
    let length = script.source().len();
    let mut out = Vec::with_capacity(length + length / 4 + 256);
    let mut numbers = Vec::with_capacity(order.len());
    let mut printer = Printer::default();
    let mut check = 0;
    let line = |text: &str, out: &mut Vec<u8>, numbers: &mut Vec<Option<usize>>| {
        out.extend_from_slice(text.as_bytes());
        out.push(b'\n');
        numbers.push(None);
    };
    if let Some(limit) = expected.limit() {
        line(&limit, &mut out, &mut numbers);
    }
    for &number in order {
        let command = script.commands()[number];
        if command.kind.is_check()
            && let Some(echo) = expected.echo(check)
        {
            line(&echo, &mut out, &mut numbers);
        }
        printer.node(script, command.node, &mut out);
        out.push(b'\n');
        numbers.push(Some(number));
        if command.kind.is_check() {
            line(expected.meter(), &mut out, &mut numbers);
            check += 1;
        } else if command.kind == Kind::Reset
            && let Some(limit) = expected.limit()
        {
            line(&limit, &mut out, &mut numbers);
        }
    }
    (out, numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::Budget;

    fn prepared(text: &str, expected: &Expected) -> Result<Prepared, Refused> {
        prepare(&Script::parse(text.as_bytes()).unwrap(), expected)
    }

    fn both(text: &str, expected: &Expected) -> [String; 2] {
        let Prepared { original, printed, .. } = prepared(text, expected).unwrap();
        [original, printed].map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn what_only_prints_goes_and_work_is_counted() {
        let text = "(set-info :status unsat)\n(assert true) ; why\n(declare-const\n x Int)\n\
                    (check-sat)(get-model)\n(set-option :SMT.TIMEOUT 3)(reset)(check-sat)(exit)(assert";
        let [original, printed] = both(text, &Expected::default());
        assert_eq!(
            original,
            "\n(assert true) ; why\n(declare-const\n x Int)\n(check-sat) (get-info :rlimit)\n\
             (reset)(check-sat) (get-info :rlimit)"
        );
        assert_eq!(
            printed,
            "(declare-const x Int)\n(assert true)\n(check-sat)\n(get-info :rlimit)\n(reset)\n\
             (check-sat)\n(get-info :rlimit)\n"
        );
    }

    #[test]
    fn a_budget_and_answers_are_part_of_the_query() {
        let expected = Expected { answers: vec!["sat".to_owned()], budget: Some(Budget::Units(7)) };
        let [original, printed] = both("(check-sat)\n(reset)\n(check-sat)", &expected);
        let limit = "(set-option :reproducible-resource-limit 7)";
        assert_eq!(
            original,
            format!(
                "{limit} (echo \"mugie expects sat within 7\") (check-sat) (get-info :rlimit)\n\
                 (reset) {limit}\n\
                 (echo \"mugie expects unsat within 7\") (check-sat) (get-info :rlimit)"
            )
        );
        assert_eq!(printed.lines().count(), 9);
    }

    #[test]
    fn files_are_neither_read_nor_written() {
        for text in [
            "(include \"x\")(check-sat)",
            "(set-option :regular-output-channel \"x\")(check-sat)",
            "(set-option :trace_file_name \"x\")(check-sat)",
            "(assert true)",
            "(simplify (and true true))(echo \"a\")",
        ] {
            assert!(prepared(text, &Expected::default()).is_err(), "{text}");
        }
    }
}
