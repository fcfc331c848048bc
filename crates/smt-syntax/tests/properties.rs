//! Properties of all texts: tokens are the text, printing is stable, and nothing panics.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use proptest::collection::vec;
use proptest::prelude::*;
use smt_syntax::lex::tokens;
use smt_syntax::{Declarations, Dialect, NodeId, Roles, Scopes, Script, Symbols, print};

/// Words that mean something somewhere, and white space.
const WORDS: [&str; 48] = [
    "(",
    "(",
    "(",
    "(",
    ")",
    ")",
    ")",
    ")",
    "assert",
    "declare-fun",
    "declare-datatypes",
    "define-fun",
    "push",
    "pop",
    "reset",
    "reset-assertions",
    "check-sat",
    "set-option",
    ":global-decls",
    "true",
    "exit",
    "forall",
    "let",
    "match",
    "!",
    "_",
    "as",
    "par",
    "is",
    ":pattern",
    ":named",
    "x",
    "|x|",
    "|a b|",
    "||",
    "1",
    "-1",
    "1.",
    "2",
    "#x1f",
    "#b0",
    "\"a\"\"b\"",
    ";\n",
    "; x\n",
    "\n",
    "é",
    "'",
    "is-x",
];

fn text() -> impl Strategy<Value = Vec<u8>> {
    let word = prop::sample::select(WORDS.to_vec());
    let part = (word, prop::bool::weighted(0.8));
    vec(part, 0..60).prop_map(|parts| {
        let separated = parts
            .into_iter()
            .map(|(word, space)| format!("{word}{}", if space { " " } else { "" }));
        separated.collect::<String>().into_bytes()
    })
}

/// A balanced script: lists are closed at the end of each command.
fn script() -> impl Strategy<Value = Vec<u8>> {
    let command = vec(prop::sample::select(WORDS[..45].to_vec()), 0..80);
    vec(command, 0..6).prop_map(|commands| {
        let mut text = String::new();
        for command in commands {
            let mut depth = 1;
            text.push('(');
            for word in command {
                if word == ")" && depth == 1 {
                    continue;
                }
                depth += i32::from(word == "(") - i32::from(word == ")");
                text.push_str(word);
                text.push(' ');
            }
            (0..depth).for_each(|_| text.push(')'));
        }
        text.into_bytes()
    })
}

/// The tree without layout: depth and text of each atom, in order, with empty lists.
fn shape(script: &Script) -> Vec<(usize, Vec<u8>)> {
    let mut ends: Vec<NodeId> = Vec::new();
    let mut shape = Vec::new();
    for (id, node) in (0..).zip(script.nodes()) {
        ends.retain(|&end| end > id);
        let text = if script.is_list(id) { b"(".to_vec() } else { script.text(id).to_vec() };
        shape.push((ends.len(), text));
        ends.push(node.skip);
    }
    shape
}

fn check(text: &[u8]) {
    let mut end = 0;
    for token in tokens(text) {
        assert_eq!(token.start, end);
        assert!(token.end > end);
        end = token.end;
    }
    assert_eq!(end, text.len());
    let Ok(script) = Script::parse(text) else { return };
    let printed = print::script(&script);
    let again = Script::parse(printed.as_slice()).unwrap();
    assert_eq!(shape(&again), shape(&script));
    assert_eq!(print::script(&again), printed);
    let symbols = Symbols::new(&script);
    let declarations = Declarations::new(&script, &symbols, &Roles::new(&script));
    for command in 0..script.commands().len() {
        for declared in declarations.of(command) {
            let number = u32::try_from(command).unwrap();
            assert!(declarations.declared_by(declared.symbol).contains(&number));
        }
    }
    for dialect in [Dialect::Z3, Dialect::Cvc5] {
        let scopes = Scopes::new(&script, dialect);
        for (check, &command) in scopes.checks().iter().enumerate() {
            let live = scopes.live(check);
            assert!(live.is_sorted_by(|one, other| one.command < other.command), "{live:?}");
            let open: u64 = live.iter().filter_map(|live| live.scopes).sum();
            assert_eq!(open, scopes.at(command).depth);
            assert_eq!(live.last().map(|live| live.command), Some(command));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn any_bytes_are_read_or_refused(text in vec(any::<u8>(), 0..80)) {
        check(&text);
    }

    #[test]
    fn any_words_are_read_or_refused(text in text()) {
        check(&text);
    }

    #[test]
    fn balanced_words_are_read(text in script()) {
        prop_assert!(Script::parse(text.as_slice()).is_ok());
        check(&text);
    }
}
