//! Failures that a verifier reported, in terms of the seed as its author wrote it.

use serde::{Deserialize, Serialize};

use crate::verdict::{Failure, FailureKind, Location, Message};

/// A failed proof obligation of a mutant, and where it is in the seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedFailure {
    /// The kind of proof obligation.
    pub kind: Option<FailureKind>,
    /// The verifier's message.
    pub message: String,
    /// The place in the mutant: `file:line:column`.
    pub mutant_place: Option<String>,
    /// The text of the element, such as `ensures o > row[i];`, on one line.
    pub element: Option<String>,
    /// The place in the user's source as the user's tool writes it, if that is not `file:line:column`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_place: Option<String>,
    /// The same element in the seed, or the declaration around it, if one can be found.
    pub seed_place: Option<SeedPlace>,
}

/// A place in the seed as the user wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeedPlace {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// Whether the place is that of the same element, rather than of the declaration around it.
    pub exact: bool,
}

impl ReportedFailure {
    /// A failure of which only the verifier's message is known.
    pub fn new(kind: Option<FailureKind>, message: &str, at: Option<&Location>) -> ReportedFailure {
        ReportedFailure {
            kind,
            message: message.to_owned(),
            mutant_place: at.map(|Location { file, line, column }| {
                format!("{}:{line}:{column}", bare_name(file))
            }),
            element: None,
            tool_place: None,
            seed_place: None,
        }
    }
}

/// A path without its directories.
pub fn bare_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

impl From<&Failure> for ReportedFailure {
    fn from(failure: &Failure) -> ReportedFailure {
        let at = failure.location.as_ref();
        ReportedFailure::new(Some(failure.kind), &failure.message, at)
    }
}

impl From<&Message> for ReportedFailure {
    fn from(message: &Message) -> ReportedFailure {
        ReportedFailure::new(None, &message.text, message.location.as_ref())
    }
}
