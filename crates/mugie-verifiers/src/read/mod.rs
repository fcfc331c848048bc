//! Turns the output of a verifier into a [`Verdict`].
//!
//! Everything that depends on the output of a particular verifier is behind one trait, [`Reader`].
//! A new reader is a file here and a line in [`READERS`]. How a run ended is examined first, in one
//! place for all readers, because the output of a killed run is incomplete. A reader then judges
//! the text; it must not know how the run was started.

mod boogie;
mod patterns;
mod smt_lib;
mod why3;

pub use boogie::Boogie;
pub(crate) use patterns::regex;
pub use patterns::{PatternError, PatternRule, PatternScope, Patterns};
pub use smt_lib::SmtLib;
pub use why3::Why3;

use std::fmt;
use std::sync::Arc;

use crate::run::{Ending, Limit, Run};
use mugie_core::{ExpectedGoal, GoalRun, Outcome, Procedure, Verdict};

/// A reader of the output of a verifier.
pub trait Reader: fmt::Debug + Send + Sync {
    /// Reads the verdict of a run.
    fn read(&self, run: &Run) -> Verdict;

    /// Whether the verifier names every goal that it verifies, so that a goal that it does not name
    /// is not verified.
    fn names_goals(&self) -> bool;

    /// Strings that identify the reader, as parts of the [identity](crate::Verifier::identity) of a
    /// verifier.
    fn identity(&self) -> Vec<String>;

    /// The verdict with what the verifier says in its file of details.
    fn with_details(&self, verdict: Verdict, _details: &str) -> Verdict {
        verdict
    }

    /// The goals in the verifier's file of details, with their proof obligations.
    fn goals(&self, _details: &str) -> Vec<GoalRun> {
        Vec::new()
    }

    /// Whether goals that the program has, and that the output of this run does not mention, are proved.
    fn proves_silently(&self, _run: &Run) -> bool {
        false
    }

    /// The verdict of a run in which each goal had this many resource units, for verifiers that do not say themselves
    /// that they were spent.
    fn within(&self, verdict: Verdict, _limit: u64) -> Verdict {
        verdict
    }

    /// Whether standard error has more than remarks about the program that change nothing.
    fn complains(&self, stderr: &str) -> bool {
        !stderr.is_empty()
    }

    /// Standard output without the lines that do not depend on the program.
    fn without_noise(&self, stdout: &str) -> String {
        stdout.to_owned()
    }
}

/// A constructor of a reader.
type MakeReader = fn() -> Arc<dyn Reader>;

/// The readers that definitions can name. [`Patterns`] have no name: a definition brings its own.
pub const READERS: [(&str, MakeReader); 3] = [
    ("boogie", || Arc::new(Boogie)),
    ("smt-lib", || Arc::new(SmtLib)),
    ("why3", || Arc::new(Why3)),
];

/// The reader with the given name.
pub fn find(name: &str) -> Option<Arc<dyn Reader>> {
    READERS.iter().find(|(known, _)| *known == name).map(|(_, make)| make())
}

/// Maximum number of characters of the verifier's output that a reason quotes.
const QUOTED: usize = 200;

/// How much the output of a run is worth, by the way the run ended.
enum Ended {
    /// The output is worthless.
    Worthless(Verdict),
    /// The output is incomplete. What it contains is valid; the rest of the program has this
    /// outcome, for this reason.
    Cut(Outcome, String),
    /// The output is complete; the exit code.
    Complete(i32),
}

impl Ended {
    fn of(run: &Run) -> Ended {
        let trouble = |reason: &str| {
            Ended::Worthless(Verdict::of_program(Outcome::ToolError, reason.to_string()))
        };
        match &run.ending {
            Ending::Lost(reason) => trouble(reason),
            Ending::Cancelled => trouble("the run was cancelled"),
            Ending::Limited(Limit::Overload) => {
                trouble("the machine is overloaded and did not give the run its time")
            }
            Ending::Limited(Limit::Output) => {
                trouble("the verifier printed more than the output limit")
            }
            Ending::Limited(Limit::Files) => {
                trouble("the verifier wrote too many files: the limit is 4 GiB, or 10,000 files")
            }
            Ending::Limited(Limit::Processes(most)) => {
                trouble(&format!("the verifier had more than {most} processes and threads"))
            }
            _ if run.stdout.truncated || run.stderr.truncated => {
                trouble("a part of the output is missing")
            }
            Ending::Limited(Limit::Time) => {
                Ended::Cut(Outcome::TimedOut, "the time limit was reached".to_string())
            }
            Ending::Limited(Limit::Cpu) => {
                Ended::Cut(Outcome::TimedOut, "the limit of processor time was reached".to_string())
            }
            Ending::Limited(Limit::Memory) => {
                Ended::Cut(Outcome::OutOfMemory, "the memory limit was reached".to_string())
            }
            Ending::Signaled(signal) => {
                Ended::Cut(Outcome::Crashed, format!("the verifier was ended by signal {signal}"))
            }
            Ending::Exited(code) => Ended::Complete(*code),
        }
    }
}

/// What is wrong if a procedure is said to have errors and none is printed. Boogie does so if its solver vanishes, and if
/// the solver's answer leads to no error: the output does not tell which.
pub(crate) fn no_error_is_printed(name: &str) -> String {
    format!("`{name}` is said to have errors, but none is printed")
}

/// The first line that is not blank, short enough to be shown.
fn first_line(text: &str) -> Option<String> {
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(shortened)
}

/// The text, short enough to be shown.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// The verdict about the goals that the program is expected to have, under their own names. Goals that the output does not
/// mention are proved if `is_silent`. Otherwise, or if there are others, the output makes no sense.
pub(crate) fn of_goals(verdict: Verdict, expected: &[ExpectedGoal], is_silent: bool) -> Verdict {
    let Verdict { outcome, mut reason, procedures, stage, messages } = verdict;
    let is_known = |goal: &&Procedure| expected.iter().all(|it| it.printed != goal.name);
    let odd = procedures.iter().find(is_known).map(|goal| {
        format!("it speaks of a goal `{}`, which the program does not have", goal.name)
    });
    let mut goals = Vec::with_capacity(expected.len());
    let mut missing = None;
    for ExpectedGoal { printed, goal } in expected {
        let reported = procedures.iter().find(|it| it.name == *printed);
        match reported {
            Some(reported) => goals.push(Procedure { name: goal.clone(), ..reported.clone() }),
            None if is_silent => goals.push(Procedure {
                name: goal.clone(),
                outcome: Outcome::Verified,
                failures: Vec::new(),
                seconds: None,
                resources: None,
            }),
            None => missing = missing.or(Some(goal)),
        }
    }
    let missing = missing.filter(|_| outcome == Outcome::Verified);
    let odd = odd.or_else(|| missing.map(|goal| format!("it does not speak of `{goal}`")));
    if let Some(odd) = odd {
        let verdict = Verdict::of_program(Outcome::ToolError, odd);
        return Verdict { procedures: goals, messages, ..verdict };
    }
    // The reason may have the names that were printed.
    if procedures.iter().any(|goal| goal.outcome == outcome) {
        reason = who(&goals, outcome).or(reason).filter(|_| outcome != Outcome::Verified);
    }
    Verdict { outcome, reason, stage, procedures: goals, messages }
}

/// Describes the procedures that have an outcome: `` `p`, `q` and 3 more timed out ``.
fn who(procedures: &[Procedure], outcome: Outcome) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for procedure in procedures.iter().filter(|procedure| procedure.outcome == outcome) {
        if names.last() != Some(&procedure.name.as_str()) {
            names.push(&procedure.name);
        }
    }
    let quoted: Vec<String> = names.iter().take(3).map(|name| format!("`{name}`")).collect();
    let list = match (quoted.as_slice(), names.len()) {
        ([], _) => return None,
        ([one], _) => one.clone(),
        ([first, second], _) => format!("{first} and {second}"),
        ([first, second, third], 3) => format!("{first}, {second} and {third}"),
        ([first, second, ..], count) => format!("{first}, {second} and {} more", count - 2),
    };
    let is = match outcome {
        Outcome::Failed | Outcome::TimedOut | Outcome::Crashed => "",
        Outcome::Verified | Outcome::Rejected if names.len() == 1 => "was ",
        Outcome::Verified | Outcome::Rejected => "were ",
        Outcome::ToolError if names.len() == 1 => "has a ",
        Outcome::ToolError => "have a ",
        _ if names.len() == 1 => "is ",
        _ => "are ",
    };
    Some(format!("{list} {is}{outcome}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn procedure(name: &str, outcome: Outcome) -> Procedure {
        let name = name.to_string();
        Procedure { name, outcome, failures: Vec::new(), seconds: None, resources: None }
    }

    #[test]
    fn long_lists_of_procedures_are_shortened() {
        let all: Vec<Procedure> =
            ["a", "b", "c", "d"].map(|name| procedure(name, Outcome::Failed)).into();
        assert_eq!(who(&all, Outcome::Verified), None);
        assert_eq!(who(&all[..1], Outcome::Failed).unwrap(), "`a` failed");
        assert_eq!(who(&all[..2], Outcome::Failed).unwrap(), "`a` and `b` failed");
        assert_eq!(who(&all[..3], Outcome::Failed).unwrap(), "`a`, `b` and `c` failed");
        assert_eq!(who(&all, Outcome::Failed).unwrap(), "`a`, `b` and 2 more failed");
    }

    #[test]
    fn goals_that_are_not_mentioned_are_proved_if_the_reader_says_so() {
        let expected = ["p", "q", "r"]
            .map(|goal| ExpectedGoal { printed: format!("i_{goal}'vc"), goal: goal.to_owned() });
        let verdict = |outcome, procedures: Vec<Procedure>| {
            let reason = who(&procedures, outcome).unwrap_or_default();
            Verdict { procedures, ..Verdict::of_program(outcome, reason) }
        };
        let failed = vec![procedure("i_q'vc", Outcome::Failed)];
        let found = of_goals(verdict(Outcome::Failed, failed.clone()), &expected, true);
        let goals: Vec<_> =
            found.procedures.iter().map(|goal| (goal.name.as_str(), goal.outcome)).collect();
        let (verified, bad) = (Outcome::Verified, Outcome::Failed);
        assert_eq!(goals, [("p", verified), ("q", bad), ("r", verified)]);
        assert_eq!(found.reason.as_deref(), Some("`q` failed"));
        // A run that was cut off says nothing about the others.
        let cut = of_goals(verdict(Outcome::TimedOut, failed), &expected, false);
        assert_eq!((cut.outcome, cut.procedures.len()), (Outcome::TimedOut, 1));
        let silent = of_goals(verdict(Outcome::Verified, Vec::new()), &expected, false);
        assert_eq!(silent.reason.as_deref(), Some("it does not speak of `p`"));
        let other = vec![procedure("i_x'vc", Outcome::Verified)];
        let other = of_goals(verdict(Outcome::Verified, other), &expected, true);
        assert_eq!(other.outcome, Outcome::ToolError);
    }

    #[test]
    fn quoted_text_is_cut_between_characters() {
        let text = "é".repeat(1000);
        assert_eq!(shortened(&text).chars().count(), QUOTED + 1);
        assert_eq!(first_line("\n  \n one \ntwo").unwrap(), "one");
        assert_eq!(first_line(" \n"), None);
    }
}
