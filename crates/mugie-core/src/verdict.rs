//! The verdicts of all verifiers, in one form.
//!
//! Two rules hold everywhere. Nothing unknown counts as verified: a procedure that is missing from
//! the output, or output that cannot be parsed, is a tool error. And a failure of the tool
//! ([`Outcome::Crashed`], [`Outcome::ToolError`]) is no evidence about the program.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The outcome of verifying a procedure or a whole program.
///
/// Variants are in the order of precedence: a program gets the greatest outcome of its procedures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Proved.
    Verified,
    /// The verifier reported that it could not decide, or could not generate the verification
    /// condition.
    Inconclusive,
    /// The solver exceeded its resource limit.
    OutOfResource,
    /// The memory limit was exceeded.
    OutOfMemory,
    /// The time limit was exceeded.
    TimedOut,
    /// Some proof obligation could not be discharged.
    Failed,
    /// The program was rejected before verification: see [`Stage`].
    Rejected,
    /// The verifier or its solver crashed.
    Crashed,
    /// The verifier could not be run, or its output makes no sense.
    ToolError,
    /// The program cannot be expressed in the verifier's input language.
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

    /// Whether the outcome is evidence about the program, rather than about the tool.
    pub fn is_evidence(self) -> bool {
        !matches!(self, Outcome::Crashed | Outcome::ToolError | Outcome::NotExpressible)
    }

    /// Whether another run may well have another outcome, because the tool itself failed.
    pub fn may_go_away(self) -> bool {
        matches!(self, Outcome::Crashed | Outcome::ToolError)
    }

    /// Whether the outcome depends on the speed or memory of the machine, so that a single run
    /// proves little.
    pub fn depends_on_machine(self) -> bool {
        matches!(self, Outcome::TimedOut | Outcome::OutOfMemory)
    }

    /// The outcome as it follows a name: `timed out`.
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

/// The verdict of a verifier on a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The outcome of the program as a whole.
    pub outcome: Outcome,
    /// Why the outcome is not [`Outcome::Verified`], as a lower-case fragment for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The stage that rejected the program, if it was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// The procedures that the verifier reported, in its order. A procedure with several
    /// implementations occurs several times; procedures that the verifier did not reach are
    /// missing.
    pub procedures: Vec<Procedure>,
    /// Errors that belong to no procedure, such as the reason of a rejection.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
}

impl Verdict {
    /// Whether any part of the verdict depends on the speed or memory of the machine, so that a
    /// single run proves little.
    pub fn depends_on_machine(&self) -> bool {
        let mut outcomes = self.procedures.iter().map(|procedure| procedure.outcome);
        self.outcome.depends_on_machine() || outcomes.any(Outcome::depends_on_machine)
    }

    /// A verdict on the tool or on the program as a whole.
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

/// The part of a verifier that rejected a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// The parser.
    Syntax,
    /// Name resolution.
    Resolution,
    /// Type checking, and other checks before verification.
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

/// The result for one implementation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Procedure {
    /// The name, as the verifier prints it.
    pub name: String,
    /// The outcome.
    pub outcome: Outcome,
    /// The proof obligations that could not be discharged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    /// The verification time in seconds, if the verifier reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The solver's resource count, if the verifier reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<u64>,
}

/// A proof obligation that could not be discharged.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Failure {
    /// The kind of proof obligation.
    pub kind: FailureKind,
    /// The verifier's message.
    pub message: String,
    /// The place, which may be missing if the failure has a message of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// The related place, such as the `ensures` clause that does not hold at a `return`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub related: Option<Location>,
}

/// The kinds of proof obligations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// An `assert`.
    Assertion,
    /// A `requires` of a called procedure; `location` is the call.
    Precondition,
    /// An `ensures`; `location` is where the procedure returns.
    Postcondition,
    /// An `invariant` that is not established when the loop is entered.
    InvariantEntry,
    /// An `invariant` that an iteration of the loop does not maintain.
    InvariantMaintenance,
    /// A solver that proves the opposite of what it is expected to prove.
    Contradiction,
    /// Any other kind, or unknown.
    Other,
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FailureKind::Assertion => "assertion",
            FailureKind::Precondition => "precondition of a call",
            FailureKind::Postcondition => "postcondition",
            FailureKind::InvariantEntry => "loop invariant not established",
            FailureKind::InvariantMaintenance => "loop invariant not maintained",
            FailureKind::Contradiction => "contradiction",
            FailureKind::Other => "proof obligation",
        })
    }
}

/// An error that belongs to no procedure.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Message {
    /// The verifier's message.
    pub text: String,
    /// The place, if the verifier reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// A place in a file that a verifier was given.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Location {
    /// The file, as the verifier names it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1 whatever the verifier counts from.
    pub column: u32,
}
