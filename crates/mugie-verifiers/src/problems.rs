//! The verification problem of each procedure, as sent to the solver, and how two problems differ.
//!
//! Reads the log that a verifier writes in the same way as the [tap](crate::tap) reads the
//! verifier's commands: two problems are the same only if the tap would send the solver the same
//! text, word by word. Their difference is determined without the names of quantifiers, which
//! depend on where the program's text stands. This module must not know who wrote the log; what is
//! specific to a verifier is in a [`Style`].

use mugie_core::ProblemDifference;

use crate::smt::Style;
use crate::smt::conversation::{Conversation, Key, Meaning, meaning};
use crate::smt::lex::{Piece, Splitter, TokenKind, tokens, words};

/// The verification problem of one procedure: everything sent to the solver up to the first query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The procedure, if the log names it.
    pub procedure: Option<String>,
    /// The hash of its canonical form.
    form: Key,
    /// The commands up to and including the query, without the names of quantifiers and of the
    /// procedure.
    commands: Vec<String>,
}

impl Problem {
    /// The same problem, as that of a goal.
    #[must_use]
    pub fn of_goal(self, goal: Option<String>) -> Problem {
        Problem { procedure: goal, ..self }
    }

    /// The query fingerprint: problems with equal fingerprints are the same.
    pub fn fingerprint(&self) -> [u8; 32] {
        self.form
    }

    /// How another problem differs from this one.
    pub fn difference(&self, other: &Problem) -> ProblemDifference {
        if self.form == other.form {
            return ProblemDifference::None;
        }
        if self.commands == other.commands {
            return ProblemDifference::QuantifierNames;
        }
        let sorted = |problem: &Problem| {
            let mut commands = problem.commands.clone();
            commands.sort_unstable();
            commands
        };
        let axioms = |command: &&String| command.starts_with("(assert");
        if sorted(self) != sorted(other) {
            let count = |problem: &Problem| problem.commands.iter().filter(axioms).count();
            return if count(self) == count(other) {
                ProblemDifference::Shape
            } else {
                ProblemDifference::Axioms
            };
        }
        if self.commands.iter().filter(axioms).eq(other.commands.iter().filter(axioms)) {
            ProblemDifference::DeclarationOrder
        } else {
            ProblemDifference::AxiomOrder
        }
    }
}

/// The problems in a log, in order. Reading ends at the first thing that is not understood.
pub fn problems(log: &str, style: &'static Style) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut asking = Asking::new(style);
    let mut splitter = Splitter::default();
    splitter.push(log.as_bytes());
    while let Some(Piece::Command { text, .. }) = splitter.next() {
        problems.extend(asking.add(&text));
    }
    problems
}

/// The commands since the last reset, up to the first query.
struct Asking {
    style: &'static Style,
    conversation: Conversation,
    commands: Vec<String>,
    is_asked: bool,
}

impl Asking {
    fn new(style: &'static Style) -> Asking {
        // All problems of a log are for one solver, so its hash does not matter.
        let conversation = Conversation::new(style, Key::default(), false);
        let mut asking = Asking { style, conversation, commands: Vec::new(), is_asked: false };
        asking.restart();
        asking
    }

    /// Starts a new problem. A solver that was just started is in the same state as after a reset,
    /// and logs need not contain a reset at the beginning.
    fn restart(&mut self) {
        self.conversation.restart();
        self.conversation.add(0, b"(reset)", false);
        self.commands.clear();
        self.is_asked = false;
    }

    /// Adds a command. Returns the problem that the command completes, if any.
    fn add(&mut self, command: &[u8]) -> Option<Problem> {
        let meaning = meaning(command);
        if meaning == Meaning::Reset {
            self.restart();
            return None;
        }
        // The commands after the first answer depend on the answer.
        if self.is_asked {
            return None;
        }
        self.conversation.add(0, command, false);
        let [head, name] = words(command);
        if head != b"set-info" || !self.style.is_goal(name) {
            self.commands.push(unlabelled(command, self.style));
        }
        self.is_asked = meaning == Meaning::Check;
        self.is_asked.then(|| {
            let earlier = self.conversation.earlier_options();
            let earlier = earlier.map(|command| unlabelled(command, self.style));
            Problem {
                procedure: self.conversation.procedure().map(str::to_owned),
                form: self.conversation.key(),
                commands: earlier.chain(std::mem::take(&mut self.commands)).collect(),
            }
        })
    }
}

/// A command on one line, without the parts that depend on where the program's text stands.
fn unlabelled(command: &[u8], style: &Style) -> String {
    let mut text = String::with_capacity(command.len());
    let mut tokens = tokens(command).filter(|(kind, _)| *kind != TokenKind::Space);
    while let Some((_, token)) = tokens.next() {
        if style.is_label(token) {
            // Skip the value of the label, too.
            tokens.next();
            continue;
        }
        if token != b")" && !text.is_empty() && !text.ends_with('(') {
            text.push(' ');
        }
        text.push_str(&String::from_utf8_lossy(token));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "
(set-option :print-success false)
; a comment ( that is (not closed
(declare-fun f (Int) Int)
(assert (forall ((x Int)) (! (> (f x) x) :qid |a.bpl.1:2| :skolemid |3|)))
(assert (= (f 1) |a ) b|))
(push 1)
(set-info :boogie-vc-id p)
(assert (not true))
(check-sat)
(get-model)
(pop 1)
(reset)
(declare-fun g () Int)
(set-info :boogie-vc-id |q|)
(assert (not false))
(check-sat)
(check-sat)
(assert (cut";

    fn found(log: &str) -> Vec<Problem> {
        problems(log, Style::usual())
    }

    fn first(log: &str) -> Problem {
        found(log).swap_remove(0)
    }

    #[test]
    fn a_log_has_a_problem_for_each_procedure() {
        let found = found(LOG);
        let names: Vec<_> = found.iter().filter_map(|it| it.procedure.as_deref()).collect();
        assert_eq!(names, ["p", "q"]);
        assert_eq!(
            found[0].commands,
            [
                "(set-option :print-success false)",
                "(declare-fun f (Int) Int)",
                "(assert (forall ((x Int)) (! (> (f x) x))))",
                "(assert (= (f 1) |a ) b|))",
                "(push 1)",
                "(assert (not true))",
                "(check-sat)",
            ]
        );
        assert_eq!(
            found[1].commands,
            [
                "(set-option :print-success false)",
                "(declare-fun g () Int)",
                "(assert (not false))",
                "(check-sat)",
            ]
        );
    }

    #[test]
    fn places_make_no_difference() {
        let other = LOG.replace("a.bpl.1:2", "b.bpl.7:8");
        let (one, two) = (first(LOG), first(&other));
        assert_eq!(one.fingerprint(), two.fingerprint());
        assert_eq!(one.difference(&two), ProblemDifference::None);
    }

    #[test]
    fn names_of_skolem_functions_are_a_difference_of_their_own() {
        let (one, two) = (first(LOG), first(&LOG.replace("|3|", "|55|")));
        assert_ne!(one.fingerprint(), two.fingerprint());
        assert_eq!(one.difference(&two), ProblemDifference::QuantifierNames);
    }

    #[test]
    fn names_of_skolem_functions_do_not_hide_another_difference() {
        let axiom = |name: &str, id: u32| {
            format!("(assert (forall ((x Int)) (! ({name} x) :qid |a.{id}:2| :skolemid |{id}|)))\n")
        };
        let ordered =
            |one: &str, two: &str| first(&format!("{}{}(check-sat)", axiom(one, 0), axiom(two, 1)));
        let seed = ordered("p", "q");
        assert_eq!(seed.difference(&ordered("q", "p")), ProblemDifference::AxiomOrder);
        assert_eq!(seed.difference(&ordered("p", "r")), ProblemDifference::Shape);
    }

    #[test]
    fn a_problem_is_the_same_wherever_it_is_in_a_log() {
        let log = LOG.replace("(set-option :print-success false)", "");
        let (one, two) = log.split_once("(reset)").unwrap();
        let two = two.trim_end_matches("(assert (cut");
        let swapped = format!("{two}(reset){one}");
        let mut found_there = found(&swapped);
        found_there.reverse();
        assert_eq!(found_there, found(&format!("{one}(reset){two}")));
    }

    #[test]
    fn order_and_shape_are_told_apart() {
        let problem = |commands: &[&str]| first(&format!("{}(check-sat)", commands.join("\n")));
        let (a, b) = ("(assert a)", "(assert b)");
        let (f, g) = ("(declare-fun f () Int)", "(declare-fun g () Int)");
        let seed = problem(&[f, g, a, b]);
        assert_eq!(seed.difference(&problem(&[g, f, a, b])), ProblemDifference::DeclarationOrder);
        assert_eq!(seed.difference(&problem(&[f, g, b, a])), ProblemDifference::AxiomOrder);
        assert_eq!(seed.difference(&problem(&[f, g, a])), ProblemDifference::Axioms);
        assert_eq!(seed.difference(&problem(&[f, g, a, a])), ProblemDifference::Shape);
    }

    #[test]
    fn a_greater_difference_says_more() {
        use ProblemDifference::{
            AxiomOrder, Axioms, DeclarationOrder, None, QuantifierNames, Shape,
        };
        let all = [None, QuantifierNames, DeclarationOrder, AxiomOrder, Shape, Axioms];
        assert!(all.is_sorted());
        assert!(all.is_sorted_by_key(|it| *it as u8));
    }

    #[test]
    fn in_a_plain_style_every_name_counts() {
        let problem = |log: &str| problems(log, Style::find("plain").unwrap()).swap_remove(0);
        let other = LOG.replace("a.bpl.1:2", "b.bpl.7:8");
        assert_eq!(problem(LOG).difference(&problem(&other)), ProblemDifference::Shape);
        assert_eq!(problem(LOG).procedure, None);
    }

    #[test]
    fn garbage_is_no_reason_to_panic() {
        for text in ["", ")", "))(", "(", "\"", "|", "(a |", ";", "x (check-sat)", "(:qid)", "()"] {
            found(text);
        }
    }
}
