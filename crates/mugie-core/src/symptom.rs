//! How a mutant fails, and whether another mutant fails in the same way.

use serde::{Deserialize, Serialize};

use crate::program::Program;
use crate::verdict::{Outcome, Stage, Verdict};

/// How a mutant fails.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Symptom {
    /// The procedure that fails, by its name in the seed; `None` if the program as a whole fails.
    pub procedure: Option<String>,
    /// How the procedure or the program fails.
    pub outcome: Outcome,
    /// The stage that rejected the program, if it was rejected.
    pub stage: Option<Stage>,
    /// The start of the message of the rejection, up to the first name.
    pub message: Option<String>,
}

impl Symptom {
    /// The symptom of a verdict on a mutant; `None` if the mutant does not fail.
    ///
    /// If several procedures fail, it is the first with the worst outcome, in the verifier's order.
    pub fn new(verdict: &Verdict, mutant: &dyn Program, seed: &dyn Program) -> Option<Symptom> {
        if !fails(verdict) {
            return None;
        }
        let worst = verdict.procedures.iter().map(|procedure| procedure.outcome).max();
        let worst = worst.filter(|outcome| *outcome != Outcome::Verified && outcome.is_evidence());
        let procedure = worst.and_then(|worst| {
            let names = mutant.goal_names(seed);
            let found = verdict.procedures.iter().find(|procedure| procedure.outcome == worst)?;
            Some(names.in_seed(&found.name).to_owned())
        });
        let is_rejected = verdict.outcome == Outcome::Rejected;
        Some(Symptom {
            outcome: worst.filter(|_| !is_rejected).unwrap_or(verdict.outcome),
            procedure: procedure.filter(|_| !is_rejected),
            stage: verdict.stage,
            message: message(verdict),
        })
    }

    /// Whether a verdict on a mutant shows this symptom.
    pub fn shows(&self, verdict: &Verdict, mutant: &dyn Program, seed: &dyn Program) -> bool {
        let Symptom { procedure, outcome, stage, message: start } = self;
        if !verdict.outcome.is_evidence() {
            return false;
        }
        if *outcome == Outcome::Rejected {
            return verdict.outcome == Outcome::Rejected
                && verdict.stage == *stage
                && message(verdict) == *start;
        }
        let Some(procedure) = procedure else { return verdict.outcome == *outcome };
        let names = mutant.goal_names(seed);
        verdict
            .procedures
            .iter()
            .any(|found| found.outcome == *outcome && names.in_seed(&found.name) == procedure)
    }

    /// Whether, by the verdict on a seed, the seed verifies, including the procedure of this
    /// symptom.
    pub fn is_absent(&self, verdict: &Verdict) -> bool {
        let is_mentioned =
            |procedure: &String| verdict.procedures.iter().any(|found| found.name == *procedure);
        verdict.outcome == Outcome::Verified && self.procedure.as_ref().is_none_or(is_mentioned)
    }
}

/// Whether the program conclusively does not verify.
pub fn fails(verdict: &Verdict) -> bool {
    verdict.outcome.is_evidence() && verdict.outcome != Outcome::Verified
}

/// The start of the first message, up to the first name or place.
fn message(verdict: &Verdict) -> Option<String> {
    let text = &verdict.messages.first()?.text;
    let end = text.find([':', '"', '\'', '`', '(']).unwrap_or(text.len());
    Some(text[..end].trim().to_owned())
}
