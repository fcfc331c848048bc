//! Calibration: whether the verifier verifies a seed in the same way as the tool that made the seed does.

use serde::{Deserialize, Serialize};

use mugie_core::Outcome;

/// The comparison of the tool's own run with the verifier's run on the seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The tool and its version: `Dafny 4.11.0`.
    pub tool: String,
    /// The goals of the seed, in the order of the tool.
    pub goals: Vec<CalibratedGoal>,
}

/// The comparison of one goal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibratedGoal {
    /// The goal, by its name in the tool.
    pub name: String,
    /// The outcome by the tool itself.
    pub tool: Outcome,
    /// The outcome by the verifier on the seed, if it names the goal.
    pub verifier: Option<Outcome>,
    /// The solver's work by the tool's own run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_resources: Option<u64>,
    /// The solver's work by the verifier's run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verifier_resources: Option<u64>,
    /// How the queries compare.
    pub queries: QueryMatch,
    /// How they differ, in lower-case fragments: the causes of other resource counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<String>,
    /// Whether the verdicts differ again in a second run of both.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disagrees: bool,
}

/// How the queries of a goal compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueryMatch {
    /// They are the same up to generated names.
    Same,
    /// They are the same up to generated names, and the order, nesting and repetition of their parts.
    SameForm,
    /// They differ.
    Different,
    /// They were not compared.
    NotCompared,
}

impl CalibratedGoal {
    /// Whether the verifier verifies the goal as the tool does: the same question, the same outcome.
    pub fn is_same(&self) -> bool {
        self.verifier == Some(self.tool)
            && matches!(self.queries, QueryMatch::Same | QueryMatch::SameForm)
    }

    /// Whether the tool and the verifier have different verdicts.
    pub fn has_other_verdict(&self) -> bool {
        self.verifier.is_some_and(|verifier| {
            (verifier == Outcome::Verified) != (self.tool == Outcome::Verified)
        })
    }
}

impl Calibration {
    /// The goals that the verifier does not verify as the tool does.
    pub fn different(&self) -> impl Iterator<Item = &CalibratedGoal> {
        self.goals.iter().filter(|goal| !goal.is_same())
    }

    /// The goals on which tool and verifier disagree, in repeated runs.
    pub fn disagreements(&self) -> impl Iterator<Item = &CalibratedGoal> {
        self.goals.iter().filter(|goal| goal.disagrees)
    }
}
