//! Turns the output of a verifier into a [`Verdict`].
//!
//! Everything that depends on the output of a particular verifier is behind one trait, [`Reader`].
//! A new reader is a file here and a line in [`READERS`]. How a run ended is examined first, in one
//! place for all readers, because the output of a killed run is incomplete. A reader then judges
//! the text; it must not know how the run was started.

mod boogie;
mod patterns;
mod smt_lib;

pub use boogie::Boogie;
pub(crate) use patterns::regex;
pub use patterns::{PatternError, PatternRule, PatternScope, Patterns};
pub use smt_lib::SmtLib;

use std::fmt;
use std::sync::Arc;

use crate::run::{Ending, Limit, Run};
use mugie_core::{GoalRun, Outcome, Procedure, Verdict};

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

    /// Standard output without the lines that do not depend on the program.
    fn without_noise(&self, stdout: &str) -> String {
        stdout.to_owned()
    }
}

/// A constructor of a reader.
type MakeReader = fn() -> Arc<dyn Reader>;

/// The readers that definitions can name. [`Patterns`] have no name: a definition brings its own.
pub const READERS: [(&str, MakeReader); 2] =
    [("boogie", || Arc::new(Boogie)), ("smt-lib", || Arc::new(SmtLib))];

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
    fn quoted_text_is_cut_between_characters() {
        let text = "é".repeat(1000);
        assert_eq!(shortened(&text).chars().count(), QUOTED + 1);
        assert_eq!(first_line("\n  \n one \ntwo").unwrap(), "one");
        assert_eq!(first_line(" \n"), None);
    }
}
