//! What a verifier answered, whichever it was.
//!
//! Two rules hold everywhere. Nothing unknown counts as verified: a procedure that is missing
//! from the output, or an output that cannot be read, is trouble. And trouble with the tool
//! ([`Outcome::Crashed`], [`Outcome::ToolError`]) says nothing about the program.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How the verification of a procedure, or of a whole program, ended.
///
/// In the order of precedence: a program gets the greatest outcome among its procedures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Proved.
    Verified,
    /// The verifier could not decide by its own account, or could not build the problem.
    Inconclusive,
    /// The solver used up the resource units it was given.
    OutOfResource,
    /// The memory limit was reached.
    OutOfMemory,
    /// The time limit was reached.
    TimedOut,
    /// Some assertion could not be proved.
    Failed,
    /// The program was refused before verification: see [`Stage`].
    Rejected,
    /// The verifier or its solver died of itself.
    Crashed,
    /// The verifier could not be run, or what it printed makes no sense.
    ToolError,
    /// The program cannot be put in terms of what the verifier reads.
    NotExpressible,
}

impl Outcome {
    /// Every outcome, in the order of precedence.
    pub const ALL: [Outcome; 10] = [
        Outcome::Verified,
        Outcome::Inconclusive,
        Outcome::OutOfResource,
        Outcome::OutOfMemory,
        Outcome::TimedOut,
        Outcome::Failed,
        Outcome::Rejected,
        Outcome::Crashed,
        Outcome::ToolError,
        Outcome::NotExpressible,
    ];

    /// Whether the outcome says what the verifier thinks of the program.
    pub fn is_evidence(self) -> bool {
        !matches!(self, Outcome::Crashed | Outcome::ToolError | Outcome::NotExpressible)
    }

    /// Whether another run may well end in another way, because the tool had trouble.
    pub fn may_go_away(self) -> bool {
        matches!(self, Outcome::Crashed | Outcome::ToolError)
    }

    /// Whether the outcome depends on how fast the machine is, so that one run proves little.
    pub fn depends_on_machine(self) -> bool {
        matches!(self, Outcome::TimedOut | Outcome::OutOfMemory)
    }

    /// The outcome in words that go after a name: `timed out`.
    pub fn words(self) -> &'static str {
        match self {
            Outcome::Verified => "verified",
            Outcome::Inconclusive => "inconclusive",
            Outcome::OutOfResource => "out of resource",
            Outcome::OutOfMemory => "out of memory",
            Outcome::TimedOut => "timed out",
            Outcome::Failed => "failed",
            Outcome::Rejected => "rejected",
            Outcome::Crashed => "crashed",
            Outcome::ToolError => "tool error",
            Outcome::NotExpressible => "not expressible",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// What a verifier said of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Of the program as a whole.
    pub outcome: Outcome,
    /// Why it is not [`Outcome::Verified`], in a lower-case fragment for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Where a rejected program was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// The procedures the verifier spoke of, in its order. One with several implementations is
    /// here several times. Those it did not get to are not here.
    pub procedures: Vec<Procedure>,
    /// Errors that belong to no procedure: why the program was rejected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
}

impl Verdict {
    /// Whether some part of it depends on how fast the machine is, so that one run proves little.
    pub fn depends_on_machine(&self) -> bool {
        let mut outcomes = self.procedures.iter().map(|procedure| procedure.outcome);
        self.outcome.depends_on_machine() || outcomes.any(Outcome::depends_on_machine)
    }

    /// A verdict about the tool or the program as a whole.
    pub fn of_program(outcome: Outcome, reason: impl Into<String>) -> Verdict {
        Verdict {
            outcome,
            reason: Some(reason.into()),
            stage: None,
            procedures: Vec::new(),
            messages: Vec::new(),
        }
    }
}

/// The part of a verifier that refused a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// The parser.
    Syntax,
    /// Names.
    Resolution,
    /// Types, and what else is checked before verification.
    Type,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stage::Syntax => "syntax",
            Stage::Resolution => "resolution",
            Stage::Type => "type",
        })
    }
}

/// What a verifier said of one implementation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Procedure {
    /// Its name, as the verifier prints it.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What could not be proved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    /// How long it took, if the verifier says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// How many of the solver's resource units it took, if the verifier says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<u64>,
}

/// Something that could not be proved.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of thing it is.
    pub kind: FailureKind,
    /// The verifier's words.
    pub message: String,
    /// Where; a failure with a message of its own may come without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// The other place, such as the `ensures` clause that does not hold at a `return`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub related: Option<Location>,
}

/// The kinds of things that can fail to be proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// An `assert`.
    Assertion,
    /// A `requires` of a procedure that is called; `location` is the call.
    Precondition,
    /// An `ensures`; `location` is where the procedure returns.
    Postcondition,
    /// An `invariant`, when the loop is entered.
    InvariantEntry,
    /// An `invariant`, after a turn of the loop.
    InvariantMaintenance,
    /// Something else, or unknown.
    Other,
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FailureKind::Assertion => "assertion",
            FailureKind::Precondition => "precondition of a call",
            FailureKind::Postcondition => "postcondition",
            FailureKind::InvariantEntry => "invariant on entry",
            FailureKind::InvariantMaintenance => "invariant after a turn",
            FailureKind::Other => "something",
        })
    }
}

/// An error that belongs to no procedure.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Message {
    /// The verifier's words.
    pub text: String,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// A place in a file that a verifier was given.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Location {
    /// The file, as the verifier names it.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, whatever the verifier counts from.
    pub column: u32,
}
