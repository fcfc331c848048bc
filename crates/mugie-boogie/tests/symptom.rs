//! When two mutants count as failing in the same way.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use Outcome::{Crashed, Failed, TimedOut, Verified};
use mugie_boogie::BOOGIE;
use mugie_core::{
    LanguageOptions, Message, Outcome, Procedure, Program, SourceText, Stage, Symptom, Verdict,
};

fn seed(text: &str) -> Arc<dyn Program> {
    let file = SourceText { name: "a.bpl".to_owned(), bytes: text.into() };
    let seed = BOOGIE.read(vec![file], &LanguageOptions::default()).unwrap();
    Arc::clone(seed.program())
}

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

#[test]
fn the_same_procedure_must_fail_in_the_same_way() {
    let seed = &*seed("procedure p(); procedure q();");
    let first = verdict(Failed, &[("p", TimedOut), ("q", Failed)]);
    let symptom = Symptom::new(&first, seed, seed).unwrap();
    assert_eq!(symptom.procedure.as_deref(), Some("q"));
    let shows = |verdict: &Verdict| symptom.shows(verdict, seed, seed);
    assert!(shows(&verdict(Failed, &[("q", Failed)])));
    assert!(!shows(&verdict(Failed, &[("p", Failed), ("q", Verified)])));
    assert!(!shows(&verdict(TimedOut, &[("q", TimedOut)])));
    assert!(!shows(&verdict(Crashed, &[("q", Failed)])));
    assert!(symptom.is_absent(&verdict(Verified, &[("q", Verified)])));
    assert!(!symptom.is_absent(&verdict(Verified, &[("p", Verified)])));
    for outcome in [Verified, Crashed] {
        assert_eq!(Symptom::new(&verdict(outcome, &[]), seed, seed), None);
    }
}

#[test]
fn a_rejection_is_known_by_its_message_without_names() {
    let seed = &*seed("procedure p();");
    let symptom = Symptom::new(&rejected("undeclared identifier: x"), seed, seed).unwrap();
    assert_eq!(symptom.procedure, None);
    assert!(symptom.shows(&rejected("undeclared identifier: y"), seed, seed));
    assert!(!symptom.shows(&rejected("wrong number of arguments: f"), seed, seed));
    assert!(!symptom.shows(&verdict(Failed, &[("p", Failed)]), seed, seed));
}
