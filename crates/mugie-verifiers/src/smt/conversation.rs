//! Everything sent to a solver since the last `(reset)`: all that its answers depend on.
//!
//! This module must not know what the solver answers, nor whether there is a solver.

use std::collections::BTreeMap;

use super::canonical::Names;
use super::lex::{line_ends, words};
use super::style::Style;
use crate::verifier::field;

/// The hash of a solver and of a conversation with it up to some point.
pub(crate) type Key = [u8; 32];

/// What a command does to the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Starts a new conversation.
    Reset,
    /// Has no answer, unless it is wrong.
    Silent,
    /// Asks whether the assertions are satisfiable.
    Check,
    /// May have an answer.
    Answered,
    /// Ends the solver.
    Exit,
}

/// Classifies a command. An unknown command may have an answer.
pub(crate) fn meaning(command: &[u8]) -> Meaning {
    let [head] = words(command);
    match head {
        b"reset" => Meaning::Reset,
        b"check-sat" | b"check-sat-assuming" => Meaning::Check,
        b"exit" => Meaning::Exit,
        b"assert" | b"declare-const" | b"declare-datatype" | b"declare-datatypes"
        | b"declare-fun" | b"declare-sort" | b"define-fun" | b"define-sort" | b"pop" | b"push"
        | b"set-info" | b"set-logic" | b"set-option" => Meaning::Silent,
        _ => Meaning::Answered,
    }
}

/// The content of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marked {
    /// The number of the program.
    pub(crate) program: usize,
    /// Its first skolem id.
    pub(crate) first_skolem: u64,
}

/// A conversation with a solver.
#[derive(Debug)]
pub(crate) struct Conversation {
    style: &'static Style,
    names: Names,
    hasher: blake3::Hasher,
    /// The hash of the solver, with which the hash of every conversation starts.
    solver: Key,
    /// All commands since the last reset, in canonical form, on as many lines as in the original.
    text: Vec<u8>,
    /// The same commands as the verifier sent them, if wanted.
    original: Option<Vec<u8>>,
    /// Options set before the last reset, with the commands that set them.
    earlier: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Options set since the last reset.
    options: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Whether a command came that is neither a reset nor sets an option or an info.
    is_under_way: bool,
    /// Whether a query came.
    is_asked: bool,
    procedure: Option<String>,
    program: Option<usize>,
}

impl Conversation {
    /// An empty conversation with a solver.
    pub(crate) fn new(style: &'static Style, solver: Key, keep_original: bool) -> Conversation {
        let mut conversation = Conversation {
            style,
            names: Names::new(style),
            hasher: blake3::Hasher::new(),
            solver,
            text: Vec::new(),
            original: keep_original.then(Vec::new),
            earlier: BTreeMap::new(),
            options: BTreeMap::new(),
            is_under_way: false,
            is_asked: false,
            procedure: None,
            program: None,
        };
        conversation.restart();
        conversation
    }

    /// Forgets everything except the options that were set.
    pub(crate) fn restart(&mut self) {
        self.names = Names::new(self.style);
        self.hasher = blake3::Hasher::new_derive_key("mugie 1 conversation with a solver");
        self.hasher.update(&self.solver);
        self.text.clear();
        if let Some(original) = &mut self.original {
            original.clear();
        }
        self.earlier.append(&mut self.options);
        self.is_under_way = false;
        self.is_asked = false;
        self.procedure = None;
        self.program = None;
    }

    /// Assigns the conversation to a program of a shared process. The marker itself is not part of
    /// the conversation.
    pub(crate) fn mark(&mut self, Marked { program, first_skolem }: Marked) {
        self.program = Some(program);
        self.names.count_skolem_ids_from(first_skolem);
    }

    /// Appends a command that starts `lines` lines after the previous one. A dropped command leaves
    /// only its line breaks, so that line numbers in solver messages stay right. Returns the offset
    /// of the appended text, which starts with the line breaks.
    pub(crate) fn add(&mut self, lines: usize, command: &[u8], drop: bool) -> usize {
        if drop {
            let start = self.text.len();
            self.text.resize(start + lines + line_ends(command), b'\n');
            return start;
        }
        if let Some(original) = &mut self.original {
            original.resize(original.len() + lines, b'\n');
            original.extend_from_slice(command);
        }
        let [head, name, value] = words(command);
        let is_reset = head == b"reset";
        if head == b"set-option" {
            self.options.insert(name.to_vec(), command.to_vec());
        } else if head != b"set-info" && !is_reset && !self.is_under_way {
            self.is_under_way = true;
            self.say_earlier_options();
        }
        if meaning(command) == Meaning::Check && !self.is_asked {
            self.is_asked = true;
            self.say_earlier_limits();
        }
        let canonical = if head == b"set-info" && self.style.is_goal(name) {
            self.procedure = Some(unquoted(value));
            [b"(set-info ", name, b" |query|)"].concat()
        } else {
            self.names.rewrite(command)
        };
        field(&mut self.hasher, &canonical);
        let start = self.text.len();
        self.text.resize(start + lines, b'\n');
        self.text.extend_from_slice(&canonical);
        start
    }

    /// The hash of everything sent.
    pub(crate) fn key(&self) -> Key {
        *self.hasher.finalize().as_bytes()
    }

    /// Everything sent, in canonical form.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Everything sent, as the verifier wrote it, if that is kept.
    pub(crate) fn original(&self) -> Option<&[u8]> {
        self.original.as_deref()
    }

    /// An answer with the original names put back.
    pub(crate) fn restore(&self, answer: &[u8]) -> Vec<u8> {
        self.names.restore(answer)
    }

    /// Whether anything was said but options and infos.
    pub(crate) fn is_under_way(&self) -> bool {
        self.is_under_way
    }

    /// The procedure that the conversation is about.
    pub(crate) fn procedure(&self) -> Option<&str> {
        self.procedure.as_deref()
    }

    /// The program of a shared process that the conversation is about, if a marker named one.
    pub(crate) fn program(&self) -> Option<usize> {
        self.program
    }

    /// The value of an option, set before or after the last reset. As for Z3, the case of its name
    /// does not matter.
    pub(crate) fn option(&self, name: &str) -> Option<&[u8]> {
        let mut options = self.options.iter().chain(&self.earlier);
        let (_, command) = options.find(|(keyword, _)| is_option(keyword, name))?;
        let [_, _, value] = words(command);
        Some(value)
    }

    /// The commands that set options before the last reset, without those that were set again
    /// since: options survive a reset.
    pub(crate) fn earlier_options(&self) -> impl Iterator<Item = &[u8]> {
        let left = self.earlier.iter().filter(|(name, _)| !self.options.contains_key(*name));
        left.map(|(_, command)| command.as_slice())
    }

    /// The commands among these that set limits of queries, or those that do not, one after the
    /// other.
    fn earlier_text(&self, limits: bool) -> Vec<u8> {
        let left = self.earlier.iter().filter(|(name, _)| {
            !self.options.contains_key(*name) && self.style.is_limit(name) == limits
        });
        left.flat_map(|(_, command)| command).copied().collect()
    }

    /// Inserts the earlier options before the reset, for a solver that did not receive them.
    fn say_earlier_options(&mut self) {
        let said = self.earlier_text(false);
        if !said.is_empty() {
            field(&mut self.hasher, &said);
            self.text.splice(0..0, said);
        }
    }

    /// Sets the limits that were set before the reset and that the verifier has not set again before
    /// its first query.
    fn say_earlier_limits(&mut self) {
        let said = self.earlier_text(true);
        if !said.is_empty() {
            field(&mut self.hasher, &said);
            self.text.extend_from_slice(&said);
        }
    }
}

/// Whether a keyword names an option, ignoring case.
pub(crate) fn is_option(keyword: &[u8], name: &str) -> bool {
    keyword.strip_prefix(b":").is_some_and(|option| option.eq_ignore_ascii_case(name.as_bytes()))
}

/// A symbol without the bars around it.
fn unquoted(symbol: &[u8]) -> String {
    let inner = symbol.strip_prefix(b"|").and_then(|rest| rest.strip_suffix(b"|"));
    String::from_utf8_lossy(inner.unwrap_or(symbol)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversation() -> Conversation {
        Conversation::new(Style::usual(), [7; 32], false)
    }

    fn say(conversation: &mut Conversation, commands: &[&str]) -> Key {
        for command in commands {
            if meaning(command.as_bytes()) == Meaning::Reset {
                conversation.restart();
            }
            conversation.add(1, command.as_bytes(), false);
        }
        conversation.key()
    }

    #[test]
    fn only_what_was_said_since_the_reset_counts() {
        let query = ["(reset)", "(set-option :a 1)", "(assert p)", "(check-sat)"];
        let alone = say(&mut conversation(), &query);
        let mut long = conversation();
        say(&mut long, &query[..3]);
        say(&mut long, &["(assert q)", "(check-sat)"]);
        assert_eq!(say(&mut long, &query), alone);
        assert_eq!(long.text(), b"\n(reset)\n(set-option :a 1)\n(assert p)\n(check-sat)");
    }

    #[test]
    fn everything_that_was_said_counts() {
        let key = say(&mut conversation(), &["(reset)", "(assert p)", "(check-sat)"]);
        for other in [
            &["(reset)", "(assert q)", "(check-sat)"][..],
            &["(reset)", "(assert p)"],
            &["(assert p)", "(check-sat)"],
            &["(reset)", "(assert p)", "(check-sat)", "(check-sat)"],
            &["(reset)", "(set-option :a 1)", "(assert p)", "(check-sat)"],
            &["(reset)", "(assert p)", "(get-model)", "(check-sat)"],
            &["(reset)", "(assert  p)", "(check-sat)"],
        ] {
            assert_ne!(say(&mut conversation(), other), key, "{other:?}");
        }
        let mut elsewhere = Conversation::new(Style::usual(), [8; 32], false);
        assert_ne!(say(&mut elsewhere, &["(reset)", "(assert p)", "(check-sat)"]), key);
    }

    #[test]
    fn options_that_outlive_a_reset_count() {
        let query = ["(reset)", "(set-option :a 1)", "(assert p)", "(check-sat)"];
        let alone = say(&mut conversation(), &query);
        let mut later = conversation();
        say(&mut later, &["(set-option :a 2)", "(set-option :b 3)"]);
        assert_ne!(say(&mut later, &query), alone);
        let text = b"(set-option :b 3)\n(reset)\n(set-option :a 1)\n(assert p)\n(check-sat)";
        assert_eq!(later.text(), text);
        assert_eq!(later.option("B"), Some(&b"3"[..]));
        assert_eq!(later.option("a"), Some(&b"1"[..]));
        assert_eq!(later.option("c"), None);

        let mut set_again = conversation();
        say(&mut set_again, &["(set-option :a 2)"]);
        assert_eq!(say(&mut set_again, &query), alone);
        let mut set_too_late = conversation();
        say(&mut set_too_late, &["(set-option :a 2)", "(reset)", "(assert p)"]);
        let mut never_before = conversation();
        let late = ["(set-option :a 1)", "(check-sat)"];
        say(&mut never_before, &["(reset)", "(assert p)"]);
        assert_ne!(say(&mut set_too_late, &late), say(&mut never_before, &late));
    }

    #[test]
    fn limits_that_are_set_anew_before_a_query_do_not_count() {
        let query = ["(reset)", "(assert p)", "(set-option :timeout 5)", "(check-sat)"];
        let alone = say(&mut conversation(), &query);
        let mut later = conversation();
        say(&mut later, &["(set-option :timeout 9)", "(assert q)"]);
        assert_eq!(say(&mut later, &query), alone);
        let mut limited = conversation();
        say(&mut limited, &["(set-option :rlimit 9)"]);
        assert_ne!(say(&mut limited, &query), alone);
        let text =
            b"\n(reset)\n(assert p)\n(set-option :timeout 5)(set-option :rlimit 9)\n(check-sat)";
        assert_eq!(limited.text(), text);
    }

    #[test]
    fn the_name_of_the_procedure_does_not_count() {
        let query = |name: &str| {
            let mut conversation = conversation();
            let info = format!("(set-info :boogie-vc-id {name})");
            let key = say(&mut conversation, &["(reset)", &info, "(check-sat)"]);
            (key, conversation.procedure().map(str::to_owned))
        };
        let ((one, first), (two, second)) = (query("p"), query("|q r|"));
        assert_eq!(one, two);
        assert_eq!((first.as_deref(), second.as_deref()), (Some("p"), Some("q r")));
    }

    #[test]
    fn what_is_dropped_leaves_its_lines() {
        let mut conversation = conversation();
        conversation.add(1, b"(set-option\n:x 1)", true);
        conversation.add(2, b"(check-sat)", false);
        assert_eq!(conversation.text(), b"\n\n\n\n(check-sat)");
        assert_eq!(conversation.add(1, b"(get-model)", false), 15);
        assert_eq!(conversation.option("x"), None);
    }

    #[test]
    fn programs_that_are_marked_are_as_if_they_were_alone() {
        let said = |marked: Option<Marked>| {
            let first = marked.map_or(0, |marked| marked.first_skolem);
            let assert = format!("(assert (forall ((x Int)) (! p :skolemid |{}|)))", first + 3);
            let mut conversation = conversation();
            say(&mut conversation, &["(reset)"]);
            if let Some(marked) = marked {
                conversation.mark(marked);
            }
            let key = say(&mut conversation, &[&assert, "(check-sat)"]);
            (key, conversation.program())
        };
        let (alone, together) = (said(None), said(Some(Marked { program: 5, first_skolem: 77 })));
        assert_eq!(alone.0, together.0);
        assert_eq!((alone.1, together.1), (None, Some(5)));
    }
}
