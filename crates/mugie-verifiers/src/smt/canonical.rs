//! The canonical form of commands, which does not depend on where the program's text stands.
//!
//! Boogie, for example, names each quantifier after its place, `:qid |file.line:column|`. Here
//! these names are numbered in the order of their first appearance, so that equal names stay equal
//! and different names stay different. Everything else is unchanged, in particular `:skolemid`, on
//! which the work of Z3 depends. In a shared process Boogie numbers skolem ids consecutively
//! through all programs: those of a later program are renumbered from its own first id, as if it
//! were alone.
//!
//! A [`Style`] names the attributes; this module must not know which verifier it belongs to.

use std::collections::BTreeMap;

use super::lex::{TokenKind, tokens};
use super::style::{Style, is};

/// The place names of a conversation.
#[derive(Debug)]
pub(crate) struct Names {
    style: &'static Style,
    /// The first skolem id of the program.
    first_skolem: u64,
    numbers: BTreeMap<Vec<u8>, usize>,
    /// The original names, indexed by their number.
    originals: Vec<Vec<u8>>,
}

impl Names {
    /// The names of an empty conversation.
    pub(crate) fn new(style: &'static Style) -> Names {
        Names { style, first_skolem: 0, numbers: BTreeMap::new(), originals: Vec::new() }
    }

    /// Numbers skolem ids relative to `first` from here on.
    pub(crate) fn count_skolem_ids_from(&mut self, first: u64) {
        self.first_skolem = first;
    }

    /// The canonical form of a command. It has as many lines as the command.
    pub(crate) fn rewrite(&mut self, command: &[u8]) -> Vec<u8> {
        let mut canonical = Vec::with_capacity(command.len());
        let mut keyword: &[u8] = b"";
        // Number of bytes examined, and number of bytes already copied to the canonical form.
        let (mut seen, mut copied) = (0, 0);
        for (kind, token) in tokens(command) {
            let start = seen;
            seen += token.len();
            if kind == TokenKind::Space {
                continue;
            }
            let canonical_token = if is(self.style.place, keyword) && is_place(token) {
                Some(format!("|q.{}:1|", self.number(token)))
            } else if is(self.style.number, keyword) {
                self.skolem(token).map(|id| format!("|{id}|"))
            } else {
                None
            };
            if let Some(new) = canonical_token {
                canonical.extend_from_slice(&command[copied..start]);
                canonical.extend_from_slice(new.as_bytes());
                copied = seen;
            }
            keyword = token;
        }
        canonical.extend_from_slice(&command[copied..]);
        canonical
    }

    /// An answer with the original names put back.
    pub(crate) fn restore(&self, answer: &[u8]) -> Vec<u8> {
        let mut restored = Vec::with_capacity(answer.len());
        for (_, token) in tokens(answer) {
            let number = token.strip_prefix(b"|q.").and_then(|rest| rest.strip_suffix(b":1|"));
            let original = number.and_then(number_of).and_then(|number| {
                usize::try_from(number).ok().and_then(|number| self.originals.get(number))
            });
            restored.extend_from_slice(original.map_or(token, Vec::as_slice));
        }
        restored
    }

    fn number(&mut self, name: &[u8]) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.originals.len();
        self.numbers.insert(name.to_vec(), number);
        self.originals.push(name.to_vec());
        number
    }

    fn skolem(&self, token: &[u8]) -> Option<u64> {
        skolem_id(token)?.checked_sub(self.first_skolem)
    }
}

/// The number in a skolem id `|7|`.
pub(crate) fn skolem_id(token: &[u8]) -> Option<u64> {
    number_of(token.strip_prefix(b"|")?.strip_suffix(b"|")?)
}

/// Whether a name is a place: `|nameext.12:34|`.
fn is_place(token: &[u8]) -> bool {
    let name = token.strip_prefix(b"|").and_then(|rest| rest.strip_suffix(b"|"));
    let parts = name.and_then(|name| {
        let colon = name.iter().rposition(|&byte| byte == b':')?;
        let dot = name[..colon].iter().rposition(|&byte| byte == b'.')?;
        Some((&name[..dot], &name[dot + 1..colon], &name[colon + 1..]))
    });
    parts.is_some_and(|(file, line, column)| {
        !file.contains(&b'\n') && number_of(line).is_some() && number_of(column).is_some()
    })
}

pub(crate) fn number_of(digits: &[u8]) -> Option<u64> {
    let plain = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    plain.then(|| std::str::from_utf8(digits).ok()?.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(first_skolem: u64, command: &str) -> String {
        let mut names = Names::new(Style::usual());
        names.count_skolem_ids_from(first_skolem);
        String::from_utf8(names.rewrite(command.as_bytes())).unwrap()
    }

    #[test]
    fn places_are_numbered_and_stay_apart() {
        let command = "(assert (and (! a\n :qid |abpl.3:15|\n :skolemid |2|\n) (! b :qid |a.4:1|)\n \
                       (! c :qid |abpl.3:15|)))";
        let canonical = "(assert (and (! a\n :qid |q.0:1|\n :skolemid |2|\n) (! b :qid |q.1:1|)\n \
                         (! c :qid |q.0:1|)))";
        assert_eq!(rewritten(0, command), canonical);
    }

    #[test]
    fn programs_that_differ_in_places_only_are_the_same() {
        let program = |name: &str, line: u32| {
            format!("(assert (forall ((x Int)) (! (p x) :qid |{name}bpl.{line}:9| :skolemid |0|)))")
        };
        assert_eq!(rewritten(0, &program("seed", 3)), rewritten(0, &program("other.v2", 77)));
    }

    #[test]
    fn what_is_not_understood_stays() {
        for command in [
            "(assert (! a :qid |mine|))",
            "(assert (! a :qid |a.b:1|))",
            "(assert (! a :qid |a.1:|))",
            "(assert (! a :qid a.1:2))",
            "(assert (! a :qid (|a.1:2|)))",
            "(assert (! a :skolemid |x|))",
            "(assert (! a :skolemid 3))",
            "(assert (= \":qid |a.1:2|\" |:qid \\| x.1:2|))",
            "(assert (! a :qid",
            "(assert |:skolemid| |3|)",
        ] {
            assert_eq!(rewritten(0, command), command);
        }
    }

    #[test]
    fn of_a_style_without_names_nothing_is_replaced() {
        let command = b"(assert (! (! a :skolemid |12|) :qid |abpl.3:15|))";
        let mut names = Names::new(Style::find("plain").unwrap());
        names.count_skolem_ids_from(7);
        assert_eq!(names.rewrite(command), command);
    }

    #[test]
    fn skolem_ids_start_with_the_program() {
        let command = "(assert (! (! a :skolemid |12|) :skolemid |7|))";
        assert_eq!(rewritten(7, command), "(assert (! (! a :skolemid |5|) :skolemid |0|))");
        assert_eq!(rewritten(8, command), "(assert (! (! a :skolemid |4|) :skolemid |7|))");
    }

    #[test]
    fn answers_have_the_original_names() {
        let mut names = Names::new(Style::usual());
        names.rewrite(b"(assert (! (! a :qid |abpl.3:15|) :qid |abpl.4:15|))");
        let answer = b"((proof (! |q.1:1| |q.7:1| \"|q.0:1|\"))\n ; |q.0:1|\n |q.0:1|)\n";
        let restored = b"((proof (! |abpl.4:15| |q.7:1| \"|q.0:1|\"))\n ; |q.0:1|\n |abpl.3:15|)\n";
        assert_eq!(names.restore(answer), restored);
        let odd = b"\xff |q. \"";
        assert_eq!(names.restore(odd), odd);
    }
}
