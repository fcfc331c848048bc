//! The baseline: the verdict on the seed itself, and whether mutants can be compared with it.
//!
//! The seed is verified twice as its author wrote it, and once in the canonical layout that its
//! mutants have. If the layout makes a difference, the printed seed is verified once more: the
//! layout is blamed only after as many runs as the original had.

use std::collections::BTreeMap;

use mugie_core::{Outcome, Verdict};
use mugie_results::result::LayoutChange;

use crate::judge::changes;

/// A run of the seed itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// The seed as its author wrote it.
    Original {
        /// The number of the run, from 0.
        repetition: u32,
    },
    /// The seed in its canonical layout.
    Printed {
        /// The number of the run, from 0.
        repetition: u32,
    },
}

impl Step {
    /// The runs that every seed gets, in the best order to start them.
    pub const FIRST: [Step; 3] = [
        Step::Original { repetition: 0 },
        Step::Printed { repetition: 0 },
        Step::Original { repetition: 1 },
    ];

    /// The run of the printed seed whose verdict mutants are compared with.
    pub const COMPARED: Step = Step::Printed { repetition: 0 };

    /// The run of the original without cached answers, whose time is that of a full verification.
    pub const TIMED: Step = Step::Original { repetition: 1 };

    /// The number of the run among those of the same layout.
    pub fn repetition(self) -> u32 {
        match self {
            Step::Original { repetition } | Step::Printed { repetition } => repetition,
        }
    }

    /// The step's number in a campaign's store.
    pub fn number(self) -> u32 {
        match self {
            Step::Original { repetition } => repetition,
            Step::Printed { repetition } => 2 + repetition,
        }
    }

    /// The step with a number in a campaign's store.
    pub fn numbered(number: u32) -> Step {
        match number.checked_sub(2) {
            None => Step::Original { repetition: number },
            Some(repetition) => Step::Printed { repetition },
        }
    }
}

/// The verdicts on the seed so far.
#[derive(Clone, Debug, Default)]
pub struct Baseline(BTreeMap<Step, Verdict>);

/// The conclusion from the verdicts on the seed.
#[derive(Clone, Debug, PartialEq)]
pub enum Conclusion {
    /// A run is missing.
    Missing(Step),
    /// The verifier crashed or had another problem on the seed.
    Trouble(Verdict),
    /// The seed has no stable verdict.
    Unstable {
        /// Whether the printed seed is unstable, rather than the original.
        is_printed: bool,
        /// The difference between two runs.
        change: LayoutChange,
    },
    /// There is nothing to verify.
    Empty,
    /// There is a verdict to compare mutants with.
    Known {
        /// The verdict on the printed seed.
        verdict: Verdict,
        /// The differences that the layout alone makes.
        layout: Vec<LayoutChange>,
    },
}

impl Baseline {
    /// Records a verdict.
    pub fn add(&mut self, step: Step, verdict: Verdict) {
        self.0.insert(step, verdict);
    }

    /// The verdict on the printed seed, if it is known.
    pub fn printed(&self) -> Option<&Verdict> {
        self.0.get(&Step::COMPARED)
    }

    /// Draws the conclusion from the verdicts. `names_goals` says whether the verifier names every
    /// goal that it verifies.
    pub fn conclude(&self, names_goals: bool) -> Conclusion {
        for step in Step::FIRST {
            if !self.0.contains_key(&step) {
                return Conclusion::Missing(step);
            }
        }
        if let Some(verdict) = self.0.values().find(|verdict| !verdict.outcome.is_evidence()) {
            return Conclusion::Trouble(verdict.clone());
        }
        let [first, printed, second] = Step::FIRST.map(|step| &self.0[&step]);
        if let Some(change) = changes(first, second).into_iter().next() {
            return Conclusion::Unstable { is_printed: false, change };
        }
        let layout = changes(first, printed);
        if !layout.is_empty() {
            let step = Step::Printed { repetition: 1 };
            let Some(again) = self.0.get(&step) else { return Conclusion::Missing(step) };
            if let Some(change) = changes(printed, again).into_iter().next() {
                return Conclusion::Unstable { is_printed: true, change };
            }
        }
        let verifies = printed.outcome == Outcome::Verified;
        if verifies && printed.procedures.is_empty() && names_goals {
            return Conclusion::Empty;
        }
        Conclusion::Known { verdict: printed.clone(), layout }
    }
}

/// Why a seed without goals cannot be tested, as a lower-case fragment.
pub const NOTHING_TO_VERIFY: &str = "there is nothing to verify in it";

/// Describes why a seed has no stable verdict, as a lower-case fragment.
pub fn unstable_in_words(is_printed: bool, change: &LayoutChange) -> String {
    let words = |outcome: Option<Outcome>| outcome.map_or("not mentioned", Outcome::words);
    let (one, next) = (words(change.original), words(change.printed));
    let layout = if is_printed { ", as it is printed," } else { "" };
    let what = match &change.procedure {
        Some(name) => format!("`{name}` is {one}"),
        None => one.to_owned(),
    };
    format!("the seed itself{layout} has no stable verdict: {what} in one run, {next} in the next")
}

#[cfg(test)]
mod tests {
    use super::*;

    use Outcome::{Crashed, Failed, Verified};

    fn conclude(outcomes: &[(Step, Outcome)]) -> Conclusion {
        let mut baseline = Baseline::default();
        for (step, outcome) in outcomes {
            baseline.add(*step, Verdict::of_program(*outcome, "as the test wants it"));
        }
        baseline.conclude(false)
    }

    #[test]
    fn layout_is_blamed_only_if_it_fails_twice() {
        let [original, printed, again] = Step::FIRST;
        let twice = Step::Printed { repetition: 1 };
        let mut runs = vec![(original, Verified), (printed, Failed), (again, Verified)];
        assert_eq!(conclude(&runs), Conclusion::Missing(twice));
        runs.push((twice, Failed));
        assert!(matches!(conclude(&runs), Conclusion::Known { layout, .. } if layout.len() == 1));
        runs[3].1 = Verified;
        assert!(matches!(conclude(&runs), Conclusion::Unstable { is_printed: true, .. }));
        runs[3].1 = Crashed;
        assert!(matches!(conclude(&runs), Conclusion::Trouble(_)));
    }

    #[test]
    fn a_seed_must_have_one_verdict() {
        let [original, printed, again] = Step::FIRST;
        let runs = [(original, Verified), (printed, Verified), (again, Failed)];
        assert!(matches!(conclude(&runs), Conclusion::Unstable { is_printed: false, .. }));
        assert_eq!(conclude(&runs[..2]), Conclusion::Missing(again));
        let same = [(original, Verified), (printed, Verified), (again, Verified)];
        assert!(matches!(conclude(&same), Conclusion::Known { layout, .. } if layout.is_empty()));
    }
}
