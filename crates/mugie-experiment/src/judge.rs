//! Decides whether a mutant's verdict differs from its seed's.
//!
//! Verdicts are compared procedure by procedure, under the names that procedures have in the seed,
//! in whatever order the verifier reports them.

use std::collections::{BTreeMap, BTreeSet};

use mugie_core::{Outcome, Procedure, Verdict};
use mugie_results::result::{LayoutChange, Question};
use mugie_results::{flips, verifies};

/// The outcomes of each procedure, by name: one for each implementation, in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile(BTreeMap<String, Vec<Outcome>>);

impl Profile {
    /// The profile of a verdict; `seed_name` maps a procedure's name to its name in the seed.
    pub fn new(verdict: &Verdict, seed_name: impl Fn(&str) -> String) -> Profile {
        let mut profile = BTreeMap::<_, Vec<_>>::new();
        for Procedure { name, outcome, .. } in &verdict.procedures {
            profile.entry(seed_name(name)).or_default().push(*outcome);
        }
        for outcomes in profile.values_mut() {
            outcomes.sort_unstable();
        }
        Profile(profile)
    }

    /// Whether there are no procedures.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The worst outcome of each procedure.
    pub fn worst(&self) -> impl Iterator<Item = (&str, Outcome)> {
        self.0.iter().filter_map(|(name, outcomes)| Some((name.as_str(), *outcomes.last()?)))
    }

    /// The worst outcome of a procedure, if the verifier reported one.
    pub fn of(&self, procedure: &str) -> Option<Outcome> {
        self.0.get(procedure)?.last().copied()
    }

    /// A procedure with fewer implementations in `self` than in `there`.
    fn missing<'p>(&self, there: &'p Profile) -> Option<&'p str> {
        let count = |name: &str| self.0.get(name).map_or(0, Vec::len);
        let missing = there.0.iter().find(|(name, outcomes)| count(name) < outcomes.len());
        missing.map(|(name, _)| name.as_str())
    }
}

/// How a mutant compares with its seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The same verdict.
    Same,
    /// Another verdict.
    Flip,
    /// No evidence: the outcome and the reason.
    Trouble(Outcome, String),
}

/// Compares a mutant with its seed.
pub fn judge(question: Question, seed: &Profile, mutant: &Profile, verdict: &Verdict) -> Judgement {
    let outcome = verdict.outcome;
    if !outcome.is_evidence() {
        let reason = verdict.reason.clone().unwrap_or_else(|| outcome.words().to_owned());
        return Judgement::Trouble(outcome, reason);
    }
    if outcome == Outcome::Verified {
        // A procedure that is not mentioned does not count as verified.
        if let Some(name) = mutant.missing(seed) {
            let reason = format!("the verifier does not speak of `{name}`");
            return Judgement::Trouble(Outcome::ToolError, reason);
        }
    }
    // The question determines whether the seed verifies.
    let of_seed = match question {
        Question::DoesAMutantFail => Outcome::Verified,
        Question::DoesAMutantPass => Outcome::Failed,
    };
    if flips(of_seed, outcome) == Some(true) { Judgement::Flip } else { Judgement::Same }
}

/// The question to ask about the mutants of a seed with this outcome; `None` if the outcome is no
/// evidence.
pub fn question(seed: Outcome) -> Option<Question> {
    Some(if verifies(seed)? { Question::DoesAMutantFail } else { Question::DoesAMutantPass })
}

/// The differences between two verdicts on the seed, in one layout or in two.
///
/// How far a verifier gets before it is stopped depends on the machine. So a procedure that one run
/// did not reach is no difference, nor is the procedure in which the run was stopped if both were
/// stopped.
pub fn changes(original: &Verdict, printed: &Verdict) -> Vec<LayoutChange> {
    let whole = LayoutChange {
        procedure: None,
        original: Some(original.outcome),
        printed: Some(printed.outcome),
    };
    if original.outcome != printed.outcome
        && [original.outcome, printed.outcome].contains(&Outcome::Rejected)
    {
        return vec![whole];
    }
    let stopped = [original, printed].map(Verdict::depends_on_machine);
    let profiles = [original, printed].map(|verdict| Profile::new(verdict, str::to_owned));
    let names: BTreeSet<&String> = profiles.iter().flat_map(|profile| profile.0.keys()).collect();
    let mut changes = Vec::new();
    for name in names {
        let [before, after] = profiles.each_ref().map(|profile| profile.of(name));
        let same = profiles[0].0.get(name) == profiles[1].0.get(name);
        let not_reached = (stopped[0] && before.is_none()) || (stopped[1] && after.is_none());
        let fewer = stopped.contains(&true) && before == after;
        let busy = stopped == [true; 2]
            && [before, after].into_iter().flatten().any(Outcome::depends_on_machine);
        if !(same || not_reached || fewer || busy) {
            changes.push(LayoutChange {
                procedure: Some(name.clone()),
                original: before,
                printed: after,
            });
        }
    }
    if changes.is_empty() && original.outcome != printed.outcome && stopped != [true; 2] {
        changes.push(whole);
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(outcome: Outcome, procedures: &[(&str, Outcome)]) -> Verdict {
        let procedures = procedures.iter().map(|(name, outcome)| Procedure {
            name: (*name).to_owned(),
            outcome: *outcome,
            failures: Vec::new(),
            seconds: None,
            resources: None,
        });
        Verdict {
            procedures: procedures.collect(),
            ..Verdict::of_program(outcome, "as the test wants it")
        }
    }

    fn ask(question: Question, seed: &Verdict, mutant: &Verdict) -> Judgement {
        let profile = |verdict| Profile::new(verdict, str::to_owned);
        judge(question, &profile(seed), &profile(mutant), mutant)
    }

    use Outcome::{Crashed, Failed, TimedOut, Verified};

    #[test]
    fn the_order_of_procedures_does_not_matter() {
        let seed = verdict(Verified, &[("p", Verified), ("q", Verified)]);
        let mutant = verdict(Verified, &[("q", Verified), ("p", Verified)]);
        assert_eq!(ask(Question::DoesAMutantFail, &seed, &mutant), Judgement::Same);
        assert_eq!(ask(Question::DoesAMutantPass, &seed, &mutant), Judgement::Flip);
    }

    #[test]
    fn what_is_not_verified_is_a_flip() {
        let seed = verdict(Verified, &[("p", Verified), ("q", Verified)]);
        for outcome in [Failed, TimedOut, Outcome::Rejected, Outcome::OutOfResource] {
            let mutant = verdict(outcome, &[("p", Verified)]);
            assert_eq!(ask(Question::DoesAMutantFail, &seed, &mutant), Judgement::Flip);
            assert_eq!(ask(Question::DoesAMutantPass, &seed, &mutant), Judgement::Same);
        }
    }

    #[test]
    fn a_procedure_that_vanished_is_not_verified() {
        let seed = verdict(Verified, &[("p", Verified), ("q", Verified), ("q", Verified)]);
        let mutant = verdict(Verified, &[("p", Verified), ("q", Verified)]);
        for question in [Question::DoesAMutantFail, Question::DoesAMutantPass] {
            let judgement = ask(question, &seed, &mutant);
            assert!(matches!(judgement, Judgement::Trouble(_, reason) if reason.contains("`q`")));
        }
    }

    #[test]
    fn trouble_with_the_tool_says_nothing() {
        let seed = verdict(Verified, &[("p", Verified)]);
        let mutant = verdict(Crashed, &[("p", Failed)]);
        let judgement = ask(Question::DoesAMutantFail, &seed, &mutant);
        assert!(matches!(judgement, Judgement::Trouble(Crashed, _)));
    }

    #[test]
    fn layout_is_compared_by_procedure() {
        let original = verdict(Verified, &[("p", Verified), ("q", Verified)]);
        let printed = verdict(Failed, &[("q", Failed), ("p", Verified)]);
        let expected = LayoutChange {
            procedure: Some("q".to_owned()),
            original: Some(Verified),
            printed: Some(Failed),
        };
        assert_eq!(changes(&original, &printed), [expected]);
        assert_eq!(changes(&original, &original), []);
    }

    #[test]
    fn how_far_a_stopped_verifier_got_is_no_difference() {
        let far = verdict(TimedOut, &[("p", Verified), ("q", Verified), ("r", TimedOut)]);
        let near = verdict(TimedOut, &[("p", Verified), ("q", TimedOut)]);
        let failed = verdict(Failed, &[("p", Verified), ("q", Failed), ("r", TimedOut)]);
        for (one, other) in [(&far, &near), (&near, &far), (&near, &failed), (&failed, &near)] {
            assert_eq!(changes(one, other), []);
        }
        // A different outcome of a procedure that both runs reached is a difference.
        let found: Vec<_> = changes(&far, &failed).into_iter().map(|it| it.procedure).collect();
        assert_eq!(found, [Some("q".to_owned())]);
    }

    #[test]
    fn a_layout_that_times_out_is_a_difference() {
        let original = verdict(Verified, &[("p", Verified), ("q", Verified)]);
        let printed = verdict(TimedOut, &[("p", TimedOut)]);
        let found: Vec<_> =
            changes(&original, &printed).into_iter().map(|it| it.procedure).collect();
        assert_eq!(found, [Some("p".to_owned())]);
        let printed = verdict(TimedOut, &[]);
        assert_eq!(changes(&original, &printed)[0].procedure, None);
    }
}
