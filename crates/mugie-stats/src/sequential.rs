//! A sequential stopping rule for drawing mutants, which takes one result at a time.

use crate::Grade;

/// The probability of wrongly calling a seed unstable, and of wrongly calling it not unstable.
/// Lowering it takes more mutants.
const RISK: f64 = 0.05;
/// A seed is unstable if at most this share of its mutants agrees with it.
const UNSTABLE_SHARE: f64 = 0.90;
/// Failures are rare if at least this share of the mutants agrees with the seed.
const RARE_SHARE: f64 = 0.99;
/// The largest number of mutants drawn from a seed with a failing mutant.
const CAP: u64 = 120;

/// The number of mutants without a failure that shows, with 95 % confidence, that at least the
/// share `confidence` of all mutants does not fail.
///
/// This is the smallest `n` with `confidence ^ n <= 0.05`: if a larger share than `1 - confidence`
/// failed, then `n` draws without a failure would have a probability of less than 5 %. No number of
/// mutants shows a share of 1 or more.
///
/// ```
/// assert_eq!(mugie_stats::trials_needed(0.95), 59);
/// ```
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the quotient of two negative numbers; a huge one becomes the greatest number"
)]
pub fn trials_needed(confidence: f64) -> u64 {
    if confidence <= 0.0 {
        1
    } else if confidence < 1.0 {
        (RISK.ln() / confidence.ln()).ceil().max(1.0) as u64
    } else {
        u64::MAX
    }
}

/// The sequential rule: it takes the results of mutants in order and decides when there are enough.
///
/// * Without a failure the seed is [`Grade::Stable`] after [`trials_needed`] mutants.
/// * From the first failure on, the sequential probability ratio test of Wald decides between the
///   hypotheses that a share `p1 = 0.99` and that a share `p0 = 0.90` of all mutants succeeds, with
///   a risk of 5 % on either side. Over all results so far, a success adds `ln(p1 / p0)` to the
///   logarithm of the likelihood ratio and a failure adds `ln((1 - p1) / (1 - p0))`. At
///   `-ln(0.95 / 0.05)` or less the seed is [`Grade::Unstable`], at `ln(0.95 / 0.05)` or more it is
///   [`Grade::BrittleRare`].
/// * A seed with a failure that is not decided after 120 mutants is [`Grade::BrittleRare`].
///
/// A. Wald: Sequential tests of statistical hypotheses. Annals of Mathematical Statistics 16
/// (1945), 117-186.
#[derive(Clone, Debug)]
pub struct Sequential {
    /// The number of mutants without a failure that is enough.
    tier: u64,
    successes: u64,
    failures: u64,
    decided: Option<Grade>,
}

impl Sequential {
    /// Creates a rule that calls a seed stable if at least the share `confidence` of its mutants
    /// does not fail.
    pub fn new(confidence: f64) -> Sequential {
        Sequential { tier: trials_needed(confidence), successes: 0, failures: 0, decided: None }
    }

    /// The largest number of results that the rule can require.
    pub fn cap(&self) -> u64 {
        self.tier.max(CAP)
    }

    /// Takes the next result. Returns the grade once it is decided; later results are ignored.
    pub fn step(&mut self, failed: bool) -> Option<Grade> {
        if self.decided.is_none() {
            if failed {
                self.failures += 1;
            } else {
                self.successes += 1;
            }
            self.decided = self.decide();
        }
        self.decided
    }

    /// The grade if there are no further results.
    pub fn finish(&self) -> Grade {
        self.decided.unwrap_or(if self.failures == 0 {
            Grade::Inconclusive
        } else {
            Grade::BrittleRare
        })
    }

    fn decide(&self) -> Option<Grade> {
        let results = self.successes + self.failures;
        if self.failures == 0 {
            return (results >= self.tier).then_some(Grade::Stable);
        }
        let bound = ((1.0 - RISK) / RISK).ln();
        let evidence = self.log_likelihood_ratio();
        if evidence <= -bound {
            Some(Grade::Unstable)
        } else if evidence >= bound || results >= CAP {
            Some(Grade::BrittleRare)
        } else {
            None
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of runs are far below 2^53")]
    fn log_likelihood_ratio(&self) -> f64 {
        let of_success = (RARE_SHARE / UNSTABLE_SHARE).ln();
        let of_failure = ((1.0 - RARE_SHARE) / (1.0 - UNSTABLE_SHARE)).ln();
        self.successes as f64 * of_success + self.failures as f64 * of_failure
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds `results` results to the rule, of which those with the given numbers, counted from 1,
    /// are failures. Returns the grade and the number of the result that decided it.
    fn run(confidence: f64, failures: &[u64], results: u64) -> Option<(Grade, u64)> {
        let mut rule = Sequential::new(confidence);
        (1..=results)
            .find_map(|number| rule.step(failures.contains(&number)).map(|grade| (grade, number)))
    }

    #[test]
    fn tiers_are_those_of_the_exact_bound() {
        for (confidence, trials) in [
            (0.5, 5),
            (0.90, 29),
            (0.908, 32),
            (0.95, 59),
            (0.975, 119),
            (0.99, 299),
            (0.999, 2995),
        ] {
            assert_eq!(trials_needed(confidence), u64::from(trials), "{confidence}");
            let share_shown = |trials: u32| RISK.powf(1.0 / f64::from(trials));
            assert!(share_shown(trials) >= confidence);
            assert!(share_shown(trials - 1) < confidence);
        }
    }

    #[test]
    fn senseless_levels_have_a_tier_too() {
        assert_eq!(trials_needed(-1.0), 1);
        assert_eq!(trials_needed(0.0), 1);
        assert_eq!(trials_needed(1e-9), 1);
        assert_eq!(trials_needed(1.0), u64::MAX);
        assert_eq!(trials_needed(f64::NAN), u64::MAX);
    }

    #[test]
    fn no_failure_is_stable_at_the_tier() {
        assert_eq!(run(0.95, &[], 1000), Some((Grade::Stable, 59)));
        assert_eq!(run(0.99, &[], 1000), Some((Grade::Stable, 299)));
        assert_eq!(run(0.95, &[], 58), None);
    }

    #[test]
    fn failures_within_the_bounds_are_unstable() {
        for (failures, within) in [(2, 19), (3, 44), (4, 69), (5, 94), (6, 120)] {
            let rule =
                |successes| Sequential { tier: u64::MAX, successes, failures, decided: None };
            assert_eq!(rule(within - failures).decide(), Some(Grade::Unstable));
            assert_ne!(rule(within + 1 - failures).decide(), Some(Grade::Unstable));
        }
    }

    #[test]
    fn few_failures_are_rare_from_the_bounds_on() {
        for (failures, from) in [(1, 57), (2, 82), (3, 107)] {
            let rule =
                |successes| Sequential { tier: u64::MAX, successes, failures, decided: None };
            assert_eq!(rule(from - failures).decide(), Some(Grade::BrittleRare));
            assert_eq!(rule(from - 1 - failures).decide(), None);
        }
    }

    #[test]
    fn results_are_graded_as_they_come() {
        assert_eq!(run(0.95, &[1, 2], 120), Some((Grade::Unstable, 2)));
        assert_eq!(run(0.95, &[10, 19], 120), Some((Grade::Unstable, 19)));
        assert_eq!(run(0.95, &[10], 120), Some((Grade::BrittleRare, 57)));
        assert_eq!(run(0.95, &[10, 40], 120), Some((Grade::BrittleRare, 82)));
        // The first failure comes so late that the seed is graded as rarely brittle at once.
        assert_eq!(run(0.99, &[200], 500), Some((Grade::BrittleRare, 200)));
    }

    #[test]
    fn undecided_ends_at_the_cap() {
        let failures = [20, 45, 70, 95];
        assert_eq!(run(0.95, &failures, 500), Some((Grade::BrittleRare, CAP)));
        assert_eq!(Sequential::new(0.95).cap(), 120);
        assert_eq!(Sequential::new(0.99).cap(), 299);
    }

    #[test]
    fn decision_stands() {
        let mut rule = Sequential::new(0.5);
        for _ in 0..5 {
            rule.step(false);
        }
        assert_eq!(rule.step(true), Some(Grade::Stable));
        assert_eq!(rule.finish(), Grade::Stable);
    }

    #[test]
    fn too_few_results_are_inconclusive_without_a_failure() {
        let mut rule = Sequential::new(0.95);
        assert_eq!(rule.finish(), Grade::Inconclusive);
        rule.step(false);
        assert_eq!(rule.finish(), Grade::Inconclusive);
        rule.step(true);
        assert_eq!(rule.finish(), Grade::BrittleRare);
    }
}
