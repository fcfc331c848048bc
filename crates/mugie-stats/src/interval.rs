//! Exact confidence intervals for the share of successes in independent trials.

use crate::Interval;
use crate::special::regularised_incomplete_beta;

/// The exact confidence interval of Clopper and Pearson for the true share of successes in
/// independent trials.
///
/// It covers the true share with at least the given confidence, whatever the share is. With
/// `a = 1 - confidence`, `k` successes in `n` trials and `B(q; x, y)` the quantile of the beta
/// distribution, it ranges from `B(a/2; k, n - k + 1)` to `B(1 - a/2; k + 1, n - k)`; its ends are
/// 0 for `k = 0` and 1 for `k = n`. Without trials, the interval is from 0 to 1.
///
/// C. J. Clopper and E. S. Pearson: The use of confidence or fiducial limits illustrated in the
/// case of the binomial. Biometrika 26 (1934), 404-413.
///
/// ```
/// // The "rule of three": no failure in 100 trials still allows a few in a hundred.
/// let failures = mugie_stats::clopper_pearson(0, 100, 0.95);
/// assert_eq!(failures.low, 0.0);
/// assert!((failures.high - 0.0362).abs() < 0.0001);
/// ```
///
/// # Panics
///
/// If there are more successes than trials, or the confidence is not between 0 and 1.
pub fn clopper_pearson(successes: u64, trials: u64, confidence: f64) -> Interval {
    assert!(successes <= trials, "{successes} successes in {trials} trials");
    assert!((0.0..=1.0).contains(&confidence), "confidence {confidence}");
    let tail = (1.0 - confidence) / 2.0;
    Interval {
        low: lower_end(successes, trials, tail),
        // By symmetry, with failures in place of successes.
        high: 1.0 - lower_end(trials - successes, trials, tail),
    }
}

/// The share for which the probability of at least `successes` in `trials` is `tail`.
#[expect(clippy::cast_precision_loss, reason = "counts of runs are far below 2^53")]
fn lower_end(successes: u64, trials: u64, tail: f64) -> f64 {
    if successes == 0 {
        return 0.0;
    }
    let a = successes as f64;
    let b = (trials - successes) as f64 + 1.0;
    // The probability increases with the share, so bisection works. It ends when there is no
    // floating-point number between the two.
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return middle;
        }
        if regularised_incomplete_beta(a, b, middle) < tail {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// The largest share of failures that none in `trials` is compatible with: if more of all failed, to see none
/// would have a probability below 1 − `confidence`. This bound is one-sided, like the one of
/// [`trials_needed`](crate::trials_needed).
///
/// # Panics
///
/// If `trials` is 0, or `confidence` is not between 0 and 1.
pub fn bound_of_none(trials: u64, confidence: f64) -> f64 {
    assert!(trials > 0 && confidence > 0.0 && confidence < 1.0, "no bound of nothing");
    #[expect(clippy::cast_precision_loss, reason = "a number of runs")]
    let share = 1.0 - (1.0 - confidence).powf(1.0 / trials as f64);
    share
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{Beta, ContinuousCDF};

    use super::*;
    use crate::testing::assert_near;

    #[test]
    fn interval_has_the_published_values() {
        // Four digits, as in published tables of exact limits.
        for (successes, trials, low, high) in [
            (0, 10, 0.0, 0.3085),
            (1, 10, 0.0025, 0.4450),
            (5, 10, 0.1871, 0.8129),
            (10, 10, 0.6915, 1.0),
            (4, 20, 0.0573, 0.4366),
            (50, 100, 0.3983, 0.6017),
        ] {
            let interval = clopper_pearson(successes, trials, 0.95);
            assert_near(interval.low, low, 5e-5);
            assert_near(interval.high, high, 5e-5);
        }
    }

    #[test]
    fn interval_of_extreme_counts_has_its_closed_form() {
        for trials in [1_u32, 2, 59, 100, 10_000] {
            let limit = 0.025_f64.powf(1.0 / f64::from(trials));
            let none = clopper_pearson(0, trials.into(), 0.95);
            assert_eq!(none.low.to_bits(), 0.0_f64.to_bits());
            assert_near(none.high, 1.0 - limit, 1e-13);
            let all = clopper_pearson(trials.into(), trials.into(), 0.95);
            assert_near(all.low, limit, 1e-13);
            assert_eq!(all.high.to_bits(), 1.0_f64.to_bits());
        }
    }

    #[test]
    fn no_trials_say_nothing() {
        assert_eq!(clopper_pearson(0, 0, 0.95), Interval { low: 0.0, high: 1.0 });
    }

    #[test]
    fn interval_agrees_with_statrs() {
        for trials in [1_u32, 2, 3, 7, 20, 119, 120, 1000] {
            for successes in 0..=trials {
                for confidence in [0.5, 0.9, 0.95, 0.99] {
                    let interval = clopper_pearson(successes.into(), trials.into(), confidence);
                    let (k, n) = (f64::from(successes), f64::from(trials));
                    let tail = (1.0 - confidence) / 2.0;
                    if successes > 0 {
                        let at_low = Beta::new(k, n - k + 1.0).unwrap().cdf(interval.low);
                        assert_near(at_low, tail, 1e-9);
                    }
                    if successes < trials {
                        let at_high = Beta::new(k + 1.0, n - k).unwrap().cdf(interval.high);
                        assert_near(at_high, 1.0 - tail, 1e-9);
                    }
                }
            }
        }
    }

    #[test]
    fn interval_of_a_million_trials_is_narrow() {
        let interval = clopper_pearson(500_000, 1_000_000, 0.95);
        assert_near(interval.low, 0.499_019_5, 1e-6);
        assert_near(interval.high, 0.500_980_5, 1e-6);
    }

    #[test]
    fn the_bound_of_none_is_that_of_the_stopping_rule() {
        use super::bound_of_none;
        for share in [0.5, 0.9, 0.95, 0.975, 0.99] {
            let trials = crate::trials_needed(share);
            assert!(bound_of_none(trials, 0.95) <= 1.0 - share);
            assert!(bound_of_none(trials - 1, 0.95) > 1.0 - share);
        }
        assert!((bound_of_none(1, 0.95) - 0.95).abs() < 1e-12);
    }
}
