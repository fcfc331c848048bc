//! What a verifier asks its solver: the verification problem of each procedure, as SMT-LIB, and how
//! two of them differ.
//!
//! Reads the log that a verifier writes. Names of files, lines and running numbers in it say nothing
//! about the problem: equal problems are those that a solver cannot tell apart.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The verification problem of one procedure: what the solver knows when it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The procedure, if the log names it.
    pub procedure: Option<String>,
    /// The commands up to the question, without what says nothing about the problem.
    pub commands: Vec<String>,
}

/// How two problems differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemDifference {
    /// Not at all: a solver cannot tell them apart.
    None,
    /// The same declarations and axioms, declarations in another order.
    DeclarationOrder,
    /// The same declarations and axioms, axioms in another order.
    AxiomOrder,
    /// Something that is in one is not in the other.
    Shape,
}

impl Problem {
    /// A hash: equal ones are equal problems.
    pub fn fingerprint(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        for command in &self.commands {
            hasher.update(command.as_bytes()).update(b"\n");
        }
        *hasher.finalize().as_bytes()
    }

    /// How another problem differs from it.
    pub fn difference(&self, other: &Problem) -> ProblemDifference {
        if self.commands == other.commands {
            return ProblemDifference::None;
        }
        let sorted = |problem: &Problem| {
            let mut commands = problem.commands.clone();
            commands.sort_unstable();
            commands
        };
        if sorted(self) != sorted(other) {
            return ProblemDifference::Shape;
        }
        let axioms = |command: &&String| command.starts_with("(assert");
        if self.commands.iter().filter(axioms).eq(other.commands.iter().filter(axioms)) {
            ProblemDifference::DeclarationOrder
        } else {
            ProblemDifference::AxiomOrder
        }
    }
}

/// The problems in a log, the first of each procedure.
pub fn problems(log: &str) -> Vec<Problem> {
    let mut problems: BTreeMap<Option<String>, Problem> = BTreeMap::new();
    let mut commands = Vec::new();
    let mut procedure = None;
    let mut is_asked = false;
    for command in Commands(log) {
        match command.as_str() {
            "(reset)" => {
                commands.clear();
                (procedure, is_asked) = (None, false);
            }
            // What comes after the first answer depends on the answer.
            "(check-sat)" if !is_asked => {
                is_asked = true;
                let commands = std::mem::take(&mut commands);
                let procedure = procedure.take();
                problems.entry(procedure.clone()).or_insert(Problem { procedure, commands });
            }
            _ if is_asked => {}
            command => {
                if let Some(name) = command.strip_prefix("(set-info :boogie-vc-id ") {
                    let name = name.trim_end_matches(')').trim();
                    procedure = Some(name.trim_matches('|').to_owned());
                } else if !command.starts_with("(set-info") && !command.starts_with("(get-info") {
                    commands.push(command.to_owned());
                }
            }
        }
    }
    problems.into_values().collect()
}

/// The commands of a text, each on one line and without names of places and running numbers.
struct Commands<'t>(&'t str);

impl Iterator for Commands<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let mut command = String::new();
        let mut depth = 0_usize;
        let mut tokens = Tokens(self.0);
        while let Some(token) = tokens.next() {
            self.0 = tokens.0;
            match token {
                ":qid" | ":skolemid" => {
                    // Its value goes with it.
                    tokens.next();
                    self.0 = tokens.0;
                    continue;
                }
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            let is_tight = token == ")" || command.is_empty() || command.ends_with('(');
            if !is_tight {
                command.push(' ');
            }
            command.push_str(token);
            if depth == 0 {
                return Some(command);
            }
        }
        // What is cut off in the middle is no command.
        None
    }
}

/// The tokens of a text: parentheses, atoms, strings, quoted names. Comments are no tokens.
struct Tokens<'t>(&'t str);

impl<'t> Iterator for Tokens<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        loop {
            self.0 = self.0.trim_start();
            let Some(rest) = self.0.strip_prefix(';') else { break };
            self.0 = rest.split_once('\n').map_or("", |(_, rest)| rest);
        }
        let text = self.0;
        let length = match text.chars().next()? {
            '(' | ')' => 1,
            quote @ ('"' | '|') => text[1..].find(quote).map_or(text.len(), |end| end + 2),
            _ => {
                text.find(|c: char| c.is_whitespace() || "();\"|".contains(c)).unwrap_or(text.len())
            }
        };
        let (token, rest) = text.split_at(length);
        self.0 = rest;
        Some(token)
    }
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

    #[test]
    fn a_log_has_a_problem_for_each_procedure() {
        let found = problems(LOG);
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
            ]
        );
        assert_eq!(found[1].commands, ["(declare-fun g () Int)", "(assert (not false))"]);
    }

    #[test]
    fn places_and_running_numbers_make_no_difference() {
        let other = LOG.replace("a.bpl.1:2", "b.bpl.7:8").replace("|3|", "|55|");
        let [one, two] = [LOG, &other].map(|log| problems(log).swap_remove(0));
        assert_eq!(one.fingerprint(), two.fingerprint());
        assert_eq!(one.difference(&two), ProblemDifference::None);
    }

    #[test]
    fn order_and_shape_are_told_apart() {
        let problem = |commands: &[&str]| Problem {
            procedure: None,
            commands: commands.iter().map(|&command| command.to_owned()).collect(),
        };
        let (a, b) = ("(assert a)", "(assert b)");
        let (f, g) = ("(declare-fun f () Int)", "(declare-fun g () Int)");
        let seed = problem(&[f, g, a, b]);
        assert_eq!(seed.difference(&problem(&[g, f, a, b])), ProblemDifference::DeclarationOrder);
        assert_eq!(seed.difference(&problem(&[f, g, b, a])), ProblemDifference::AxiomOrder);
        assert_eq!(seed.difference(&problem(&[f, g, a])), ProblemDifference::Shape);
    }

    #[test]
    fn garbage_is_no_reason_to_panic() {
        for text in ["", ")", "))(", "(", "\"", "|", "(a |", ";", "x (check-sat)", "(:qid"] {
            problems(text);
        }
    }
}
