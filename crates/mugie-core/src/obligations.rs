//! What a tool reports of a run in detail: its proof obligations in batches, each with an outcome, the solver's work
//! and the query. Two such reports on the same program, one by the user's tool and one by the verifier that mugie
//! runs, show whether they are the same verification.

use serde::{Deserialize, Serialize};

use crate::verdict::{Location, Outcome};

/// The detailed report on one goal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GoalRun {
    /// The name of the goal, as the tool prints it.
    pub name: String,
    /// The name by which logs of its queries are called, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// The batches in which its proof obligations were checked, in the order of their numbers.
    pub batches: Vec<ObligationBatch>,
}

impl GoalRun {
    /// The outcome of the goal: the worst of its batches.
    pub fn outcome(&self) -> Outcome {
        self.batches.iter().map(|batch| batch.outcome).max().unwrap_or(Outcome::Verified)
    }

    /// The solver's work on the goal, if it is known of every batch.
    pub fn resources(&self) -> Option<u64> {
        self.batches.iter().map(|batch| batch.resources).sum()
    }
}

/// Proof obligations that are one query to the solver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObligationBatch {
    /// The outcome.
    pub outcome: Outcome,
    /// The solver's resource count.
    pub resources: Option<u64>,
    /// The proof obligations, in the order of the tool.
    pub obligations: Vec<Obligation>,
    /// The query in SMT-LIB, if it was logged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
}

/// A proof obligation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obligation {
    /// Its place.
    pub place: Location,
    /// What is to be proved, in the words of the tool: `index in range`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}
