//! Reads the output of a solver on an SMT-LIB query.
//!
//! Every check of the query is a goal: `#1`, `#2`, ... A check is as it should be if its answer
//! is the expected one, `unsat` unless the query makes the solver print another (`mugie expects unknown
//! within 1000000`, with the budget in resource units). After each check the solver prints its resource
//! count, if it has one. A limit of time that ends a check before its budget is spent says nothing about
//! the query: the machine was slower than the budget allows for. Its complaints, `(error "...")`, are messages without the place, which is
//! another one in every mutant: Z3 goes on after an error with a weaker problem, so whoever compares two
//! verdicts must compare the messages as well.

use mugie_core::{Failure, FailureKind, Location, Message, Outcome, Procedure, Verdict};

use super::{Ended, Reader, first_line, who};
use crate::run::Run;

/// Reads the output of a solver.
#[derive(Clone, Copy, Debug)]
pub struct SmtLib;

impl Reader for SmtLib {
    fn read(&self, run: &Run) -> Verdict {
        let cut = match Ended::of(run) {
            Ended::Worthless(verdict) => return verdict,
            Ended::Cut(outcome, reason) => Some((outcome, reason)),
            Ended::Complete(_) => None,
        };
        let transcript = Transcript::read(&run.stdout.text);
        transcript.verdict(cut, &run.stderr.text)
    }

    fn names_goals(&self) -> bool {
        true
    }

    fn identity(&self) -> Vec<String> {
        vec!["smt-lib".to_owned(), "3".to_owned()]
    }
}

/// What is expected of a check.
#[derive(Debug)]
struct Expected {
    answer: String,
    budget: Option<u64>,
}

impl Default for Expected {
    fn default() -> Expected {
        Expected { answer: "unsat".to_owned(), budget: None }
    }
}

/// What a solver printed.
#[derive(Debug, Default)]
struct Transcript {
    checks: Vec<Procedure>,
    messages: Vec<Message>,
    /// The last count of the solver.
    count: u64,
    /// Whether a limit ended a command before the next check.
    is_stopped: bool,
    /// What is expected of the next check, and was expected of the last one.
    next: Option<Expected>,
    last: Expected,
}

impl Transcript {
    fn read(text: &str) -> Transcript {
        let mut transcript = Transcript::default();
        // An error message may have several lines.
        let mut open: Option<String> = None;
        for line in text.lines() {
            if let Some(message) = &mut open {
                message.push('\n');
                message.push_str(line);
                if ends(message) {
                    transcript.complain(&open.take().unwrap_or_default());
                }
                continue;
            }
            let line = line.trim();
            if line.starts_with("(error ") {
                if ends(line) {
                    transcript.complain(line);
                } else {
                    open = Some(line.to_owned());
                }
            } else {
                transcript.line(line);
            }
        }
        transcript
    }

    fn line(&mut self, line: &str) {
        // cvc5 prints the quotes of a string.
        let bare = line.trim_matches('"');
        if let Some(expected) = bare.strip_prefix("mugie expects ") {
            let (answer, budget) = match expected.split_once(" within ") {
                Some((answer, budget)) => (answer, budget.parse().ok()),
                None => (expected, None),
            };
            self.next = Some(Expected { answer: answer.to_owned(), budget });
        } else if matches!(line, "sat" | "unsat" | "unknown" | "timeout") {
            self.last = self.next.take().unwrap_or_default();
            let number = self.checks.len() + 1;
            let mut check = check(number, line, &self.last.answer);
            if std::mem::take(&mut self.is_stopped) && check.outcome == Outcome::Inconclusive {
                check.outcome = Outcome::OutOfResource;
            }
            self.checks.push(check);
        } else if let Some(count) = line.strip_prefix("(:rlimit ") {
            self.count(count.trim_end_matches(')'));
        } else if let Some(reason) = line.strip_prefix("(:reason-unknown ") {
            self.give_reason(reason);
        }
    }

    /// Takes the solver's reason for giving up. It is asked for only if time is limited, so a solver that
    /// was stopped was stopped by time.
    fn give_reason(&mut self, reason: &str) {
        if let Some(check) = self.checks.last_mut()
            && check.outcome == Outcome::Inconclusive
            && ["timeout", "canceled"].iter().any(|it| reason.contains(it))
        {
            check.outcome = Outcome::TimedOut;
        }
    }

    /// Takes the solver's count of its work so far.
    fn count(&mut self, count: &str) {
        let (Ok(count), Some(check)) = (count.parse::<u64>(), self.checks.last_mut()) else {
            return;
        };
        // `(reset)` starts the count again.
        let work = count.checked_sub(self.count).unwrap_or(count);
        self.count = count;
        check.resources = Some(work);
        let is_spent = self.last.budget.is_some_and(|budget| work >= budget);
        if is_spent && check.outcome == Outcome::Inconclusive {
            check.outcome = Outcome::OutOfResource;
        }
    }

    fn complain(&mut self, line: &str) {
        let text = line.trim_start_matches("(error ").trim_end_matches(')').trim_matches('"');
        // Without the place: `line 3 column 5: `, or `a.smt2:3.5: `.
        let text = match text.split_once(": ") {
            Some((place, rest)) if is_place(place) => rest,
            _ => text,
        };
        // A command that a limit ended, such as `push canceled`, is no mistake in the query.
        if text.ends_with(" canceled") || text.ends_with("resource limit exceeded") {
            self.is_stopped = true;
            return;
        }
        self.messages.push(Message { text: text.to_owned(), location: None });
    }

    fn verdict(self, cut: Option<(Outcome, String)>, stderr: &str) -> Verdict {
        let Transcript { checks: procedures, messages, next, .. } = self;
        if let Some((outcome, reason)) = cut {
            // What is expected is printed before the solver works on the check.
            let budget = next.and_then(|next| next.budget);
            let (outcome, reason) = match budget {
                Some(budget) if outcome == Outcome::TimedOut => (
                    Outcome::ToolError,
                    format!("{reason} before the budget of {budget} resource units was spent"),
                ),
                _ => (outcome, reason),
            };
            let reason = Some(reason);
            return Verdict { outcome, reason, stage: None, procedures, messages };
        }
        let worst = procedures.iter().map(|check| check.outcome).max();
        let Some(outcome) = worst else {
            let said = messages.first().map(|message| message.text.clone());
            let said = said.or_else(|| first_line(stderr));
            let reason = match said {
                Some(said) => format!("the solver gave no answer: {said}"),
                None => "the solver gave no answer".to_owned(),
            };
            let verdict = Verdict::of_program(Outcome::ToolError, reason);
            return Verdict { messages, ..verdict };
        };
        let reason = (outcome != Outcome::Verified).then(|| who(&procedures, outcome)).flatten();
        Verdict { outcome, reason, stage: None, procedures, messages }
    }
}

/// A check with its answer.
fn check(number: usize, answer: &str, expected: &str) -> Procedure {
    let outcome = match answer {
        answer if answer == expected => Outcome::Verified,
        "sat" | "unsat" => Outcome::Failed,
        "timeout" => Outcome::TimedOut,
        _ => Outcome::Inconclusive,
    };
    let line = u32::try_from(number).unwrap_or(u32::MAX);
    let is_opposite = matches!((answer, expected), ("sat", "unsat") | ("unsat", "sat"));
    let failure = Failure {
        kind: if is_opposite { FailureKind::Contradiction } else { FailureKind::Other },
        message: format!("answers {answer}"),
        // The number of the check, which the language knows where to find.
        location: Some(Location { file: String::new(), line, column: 1 }),
        related: None,
    };
    Procedure {
        name: format!("#{number}"),
        outcome,
        failures: if outcome == Outcome::Verified { Vec::new() } else { vec![failure] },
        seconds: None,
        resources: None,
    }
}

/// Whether an error message is complete: it ends with a quote that is not doubled.
fn ends(message: &str) -> bool {
    message.trim_end().ends_with("\")")
}

/// Whether a text is a place in a file.
fn is_place(text: &str) -> bool {
    text.starts_with("line ") && text.contains(" column ")
        || text.rsplit_once(':').is_some_and(|(_, place)| {
            !place.is_empty() && place.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Verdict {
        Transcript::read(text).verdict(None, "")
    }

    fn checks(verdict: &Verdict) -> Vec<(Outcome, Option<u64>)> {
        verdict.procedures.iter().map(|check| (check.outcome, check.resources)).collect()
    }

    #[test]
    fn a_command_that_a_limit_ended_is_no_complaint() {
        for words in ["push canceled", "max. resource limit exceeded"] {
            let text =
                format!("(error \"line 3 column 5: {words}\")\nunknown\n(:rlimit 7)\nunknown\n");
            let verdict = read(&text);
            assert_eq!(verdict.messages, []);
            let outcomes: Vec<Outcome> = verdict.procedures.iter().map(|it| it.outcome).collect();
            assert_eq!(outcomes, [Outcome::OutOfResource, Outcome::Inconclusive]);
        }
    }

    #[test]
    fn a_check_that_time_ended_is_told_from_one_that_was_given_up() {
        for (reason, outcome) in [
            ("timeout", Outcome::TimedOut),
            ("canceled", Outcome::TimedOut),
            ("(incomplete quantifiers)", Outcome::Inconclusive),
        ] {
            let verdict = read(&format!("unknown\n(:rlimit 7)\n(:reason-unknown \"{reason}\")\n"));
            assert_eq!(verdict.procedures[0].outcome, outcome);
        }
    }

    #[test]
    fn answers_are_compared_with_those_expected() {
        let verdict = read(
            "unsat\n(:rlimit 10)\nmugie expects sat within 5\nsat\n(:rlimit 12)\n\"mugie expects unknown\"\n\
             unsat\nunsupported\n",
        );
        assert_eq!(
            checks(&verdict),
            [(Outcome::Verified, Some(10)), (Outcome::Verified, Some(2)), (Outcome::Failed, None)]
        );
        assert_eq!(verdict.reason.as_deref(), Some("`#3` failed"));
        assert_eq!(verdict.procedures[2].failures[0].message, "answers unsat");
    }

    #[test]
    fn a_spent_budget_is_told_from_giving_up() {
        let spent = read("mugie expects unsat within 100\nunknown\n(:rlimit 103)\n");
        assert_eq!(checks(&spent), [(Outcome::OutOfResource, Some(103))]);
        let tired = read("mugie expects unsat within 100\nunknown\n(:rlimit 20)\n");
        assert_eq!(checks(&tired), [(Outcome::Inconclusive, Some(20))]);
        // The count starts again after a reset.
        let again = read("unsat\n(:rlimit 103)\nunsat\n(:rlimit 7)\n");
        assert_eq!(checks(&again)[1], (Outcome::Verified, Some(7)));
    }

    #[test]
    fn a_run_that_ends_before_its_budget_is_no_evidence() {
        let cut = || Some((Outcome::TimedOut, "the time limit was reached".to_owned()));
        let of = |text: &str| Transcript::read(text).verdict(cut(), "");
        let early = of("unsat\n(:rlimit 10)\nmugie expects unsat within 100\n");
        assert_eq!(early.outcome, Outcome::ToolError);
        let reason = "the time limit was reached before the budget of 100 resource units was spent";
        assert_eq!(early.reason.as_deref(), Some(reason));
        // If time is what is limited, it is one.
        assert_eq!(of("mugie expects sat\n").outcome, Outcome::TimedOut);
        assert_eq!(of("").outcome, Outcome::TimedOut);
    }

    #[test]
    fn complaints_have_no_places() {
        let verdict = read(
            "(error \"line 3 column 5: unknown constant x\")\n(error \"line 4 column 1: two\nlines\")\nsat\n\
             (error \"a.smt2:1.2: odd\")\n",
        );
        let texts: Vec<&str> = verdict.messages.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(texts, ["unknown constant x", "two\nlines", "odd"]);
        assert_eq!(verdict.outcome, Outcome::Failed);
    }

    #[test]
    fn no_answer_is_no_evidence() {
        assert_eq!(read("").outcome, Outcome::ToolError);
        let verdict = read("(error \"line 1 column 2: broken\")\n");
        assert_eq!(verdict.reason.as_deref(), Some("the solver gave no answer: broken"));
    }
}
