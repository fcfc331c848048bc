//! How a mutant fails, and whether another one fails in the same way.

use mugie_operators::Subject;
use mugie_verifiers::{Outcome, Stage, Verdict};
use serde::{Deserialize, Serialize};

/// How a mutant fails.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Symptom {
    /// The procedure that fails, by its name in the seed; `None` if the program as a whole does.
    pub procedure: Option<String>,
    /// How it fails.
    pub outcome: Outcome,
    /// Where the program was rejected, if it was.
    pub stage: Option<Stage>,
    /// The start of the message with which it was rejected, up to the first name.
    pub message: Option<String>,
}

impl Symptom {
    /// How a mutant of a seed fails, by the verdict on it; `None` if it does not.
    ///
    /// If several procedures fail, it is the first that the verifier names among those that ended
    /// worst.
    pub fn new(verdict: &Verdict, mutant: &Subject, seed: &Subject) -> Option<Symptom> {
        if !fails(verdict) {
            return None;
        }
        let worst = verdict.procedures.iter().map(|procedure| procedure.outcome).max();
        let worst = worst.filter(|outcome| *outcome != Outcome::Verified && outcome.is_evidence());
        let procedure = worst.and_then(|worst| {
            let names = mutant.procedure_names(seed);
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

    /// Whether a mutant of a seed fails in this way, by the verdict on it.
    pub(super) fn shows(&self, verdict: &Verdict, mutant: &Subject, seed: &Subject) -> bool {
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
        let names = mutant.procedure_names(seed);
        verdict
            .procedures
            .iter()
            .any(|found| found.outcome == *outcome && names.in_seed(&found.name) == procedure)
    }

    /// Whether a seed verifies, and with it the procedure in question, by the verdict on it.
    pub(super) fn is_absent(&self, verdict: &Verdict) -> bool {
        let is_mentioned =
            |procedure: &String| verdict.procedures.iter().any(|found| found.name == *procedure);
        verdict.outcome == Outcome::Verified && self.procedure.as_ref().is_none_or(is_mentioned)
    }
}

/// Whether the verdict is one on the program, and not that it verifies.
pub(super) fn fails(verdict: &Verdict) -> bool {
    verdict.outcome.is_evidence() && verdict.outcome != Outcome::Verified
}

/// What the first message says before it gets to names and places.
fn message(verdict: &Verdict) -> Option<String> {
    let text = &verdict.messages.first()?.text;
    let end = text.find([':', '"', '\'', '`', '(']).unwrap_or(text.len());
    Some(text[..end].trim().to_owned())
}

#[cfg(test)]
mod tests {
    use bpl_syntax::{Dialect, parse};
    use mugie_verifiers::{Message, Procedure};

    use super::*;

    fn verdict(outcome: Outcome, procedures: &[(&str, Outcome)]) -> Verdict {
        let procedures = procedures.iter().map(|(name, outcome)| Procedure {
            name: (*name).to_owned(),
            outcome: *outcome,
            failures: Vec::new(),
            seconds: None,
            resources: None,
        });
        Verdict { procedures: procedures.collect(), ..Verdict::of_program(outcome, "so") }
    }

    fn rejected(text: &str) -> Verdict {
        let messages = vec![Message { text: text.to_owned(), location: None }];
        Verdict { messages, stage: Some(Stage::Type), ..verdict(Outcome::Rejected, &[]) }
    }

    use Outcome::{Crashed, Failed, TimedOut, Verified};

    #[test]
    fn the_same_procedure_must_fail_in_the_same_way() {
        let program = parse("procedure p(); procedure q();", Dialect::Boogie2).program;
        let seed = Subject::new(&program);
        let first = verdict(Failed, &[("p", TimedOut), ("q", Failed)]);
        let symptom = Symptom::new(&first, &seed, &seed).unwrap();
        assert_eq!(symptom.procedure.as_deref(), Some("q"));
        let shows = |verdict: &Verdict| symptom.shows(verdict, &seed, &seed);
        assert!(shows(&verdict(Failed, &[("q", Failed)])));
        assert!(!shows(&verdict(Failed, &[("p", Failed), ("q", Verified)])));
        assert!(!shows(&verdict(TimedOut, &[("q", TimedOut)])));
        assert!(!shows(&verdict(Crashed, &[("q", Failed)])));
        assert!(symptom.is_absent(&verdict(Verified, &[("q", Verified)])));
        assert!(!symptom.is_absent(&verdict(Verified, &[("p", Verified)])));
        for outcome in [Verified, Crashed] {
            assert_eq!(Symptom::new(&verdict(outcome, &[]), &seed, &seed), None);
        }
    }

    #[test]
    fn a_rejection_is_known_by_its_message_without_names() {
        let program = parse("procedure p();", Dialect::Boogie2).program;
        let seed = Subject::new(&program);
        let symptom = Symptom::new(&rejected("undeclared identifier: x"), &seed, &seed).unwrap();
        assert_eq!(symptom.procedure, None);
        assert!(symptom.shows(&rejected("undeclared identifier: y"), &seed, &seed));
        assert!(!symptom.shows(&rejected("wrong number of arguments: f"), &seed, &seed));
        assert!(!symptom.shows(&verdict(Failed, &[("p", Failed)]), &seed, &seed));
    }
}
