//! Exact tests that compare two counts, and the correction for many tests at once.
//!
//! All tests are two-sided. A p-value is the probability of counts at least as far apart as the
//! observed ones, if only chance is at work.

use crate::special::{ln_gamma, regularised_incomplete_beta};

/// The exact test of `McNemar`: whether two tools that were given the same trials differ.
///
/// Only trials on which the tools disagree count: `first` of them failed only with the first tool,
/// `second` only with the second. If the tools are equally good, both cases are equally likely. So
/// with `n = first + second` and `k` the smaller of the two, `p = min(1, 2 * sum C(n, i) / 2^n)`
/// over `i = 0..=k`. Without disagreement, the p-value is 1.
///
/// Q. `McNemar`: Note on the sampling error of the difference between correlated proportions or
/// percentages. Psychometrika 12 (1947), 153-157; with the exact binomial distribution.
///
/// ```
/// assert!((mugie_stats::mcnemar(6, 0) - 0.03125).abs() < 1e-12);
/// ```
#[expect(clippy::cast_precision_loss, reason = "counts of runs are far below 2^53")]
pub fn mcnemar(first: u64, second: u64) -> f64 {
    let (fewer, more) = (first.min(second), first.max(second));
    if fewer == more {
        return 1.0;
    }
    // P(X <= k) = I_{1/2}(n - k, k + 1) for X binomial with n trials of probability 1/2.
    (2.0 * regularised_incomplete_beta(more as f64, fewer as f64 + 1.0, 0.5)).min(1.0)
}

/// Fisher's exact test: whether two groups differ in their share of failing trials.
///
/// Each row is a group: its failures and its successes. Given the sums of rows and columns, a table
/// with `x` failures in the first group has the hypergeometric probability
/// `C(r1, x) C(r2, c - x) / C(r1 + r2, c)`, where `r1` and `r2` are the sums of the rows and `c` is
/// the number of failures. The p-value is the sum over all tables that are at most as probable as
/// the observed one. If a row or column is empty, the p-value is 1.
///
/// R. A. Fisher: On the interpretation of χ² from contingency tables, and the calculation of P.
/// Journal of the Royal Statistical Society 85 (1922), 87-94; two-sided as in R's `fisher.test`.
///
/// ```
/// // 8 of 10 failures against none of 10.
/// let p = mugie_stats::fisher([[8, 2], [0, 10]]);
/// assert!((p - 90.0 / 125_970.0).abs() < 1e-12);
/// ```
pub fn fisher(table: [[u64; 2]; 2]) -> f64 {
    /// The relative tolerance for comparing probabilities: rounding may make equal ones differ a
    /// little.
    const TOLERANCE: f64 = 1e-7;
    let [[failures, successes], [other_failures, other_successes]] = table;
    let row = failures + successes;
    let other_row = other_failures + other_successes;
    let column = failures + other_failures;
    let all = ln_choose(row + other_row, column);
    let ln_probability =
        |failures: u64| ln_choose(row, failures) + ln_choose(other_row, column - failures) - all;
    let seen = ln_probability(failures) + TOLERANCE;
    let sum: f64 = (column.saturating_sub(other_row)..=row.min(column))
        .map(ln_probability)
        .filter(|probability| *probability <= seen)
        .map(f64::exp)
        .sum();
    sum.min(1.0)
}

/// Holm's correction: adjusts the p-values of many tests so that the probability of any false
/// positive among those at most `a` is at most `a`, whatever the dependence between the tests.
///
/// With `m` p-values in increasing order, the `i`-th, counted from 1, becomes the maximum of
/// `min(1, (m - j + 1) p_j)` over `j <= i`. The result is in the order of the argument.
///
/// S. Holm: A simple sequentially rejective multiple test procedure. Scandinavian Journal of
/// Statistics 6 (1979), 65-70.
///
/// ```
/// assert_eq!(mugie_stats::holm(&[0.5, 0.01]), [0.5, 0.02]);
/// ```
#[expect(clippy::cast_precision_loss, reason = "nobody makes 2^53 tests")]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut corrected = vec![0.0; p_values.len()];
    let mut greatest = 0.0_f64;
    for (place, &index) in order.iter().enumerate() {
        let factor = (p_values.len() - place) as f64;
        greatest = greatest.max((factor * p_values[index]).min(1.0));
        corrected[index] = greatest;
    }
    corrected
}

/// The logarithm of the number of ways to choose `k` of `n`.
#[expect(clippy::cast_precision_loss, reason = "counts of runs are far below 2^53")]
fn ln_choose(n: u64, k: u64) -> f64 {
    if k == 0 || k == n {
        return 0.0;
    }
    ln_gamma(n as f64 + 1.0) - ln_gamma(k as f64 + 1.0) - ln_gamma((n - k) as f64 + 1.0)
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{Binomial, Discrete, DiscreteCDF, Hypergeometric};

    use super::*;
    use crate::testing::assert_near;

    #[test]
    fn mcnemar_has_the_values_worked_out_by_hand() {
        for (first, second, p) in [
            (0, 0, 1.0),
            (1, 0, 1.0),
            (2, 0, 0.5),
            (5, 0, 0.0625),
            (6, 0, 0.03125),
            (0, 6, 0.03125),
            (3, 3, 1.0),
            // 2 (1 + 7 + 21) / 2^7
            (5, 2, 0.453_125),
            // 2 (1 + 10) / 2^10
            (9, 1, 0.021_484_375),
        ] {
            assert_near(mcnemar(first, second), p, 1e-13);
        }
    }

    #[test]
    fn mcnemar_agrees_with_statrs() {
        for first in 0..60_u64 {
            for second in 0..60 {
                let binomial = Binomial::new(0.5, first + second).unwrap();
                let expected = (2.0 * binomial.cdf(first.min(second))).min(1.0);
                assert_near(mcnemar(first, second), expected, 1e-11);
            }
        }
    }

    #[test]
    fn mcnemar_of_many_pairs_is_a_probability() {
        let p = mcnemar(50_400, 49_600);
        // The normal approximation with correction: 2 Φ(-799 / sqrt(100000)).
        assert_near(p, 0.011_52, 1e-4);
        assert!((0.0..1e-300).contains(&mcnemar(100_000, 0)));
    }

    #[test]
    fn fisher_has_the_published_values() {
        for (table, p) in [
            // The lady tasting tea: (1 + 16 + 16 + 1) / 70.
            ([[3, 1], [1, 3]], 34.0 / 70.0),
            // Convictions of twins, from R's manual of fisher.test.
            ([[2, 10], [15, 3]], 0.000_536_7),
            // From SciPy's manual of fisher_exact.
            ([[8, 2], [1, 5]], 0.034_965_034_965),
            ([[8, 2], [0, 10]], 90.0 / 125_970.0),
            ([[0, 0], [3, 4]], 1.0),
            ([[0, 5], [0, 4]], 1.0),
            ([[0, 0], [0, 0]], 1.0),
        ] {
            assert_near(fisher(table), p, 1e-7);
            let [first, second] = table;
            assert_near(fisher([second, first]), p, 1e-7);
            let [[a, b], [c, d]] = table;
            assert_near(fisher([[a, c], [b, d]]), p, 1e-7);
        }
    }

    #[test]
    fn fisher_agrees_with_statrs() {
        for (row, other_row) in [(5_u64, 5_u64), (8, 5), (20, 7), (30, 90)] {
            for column in 0..=row + other_row {
                let distribution = Hypergeometric::new(row + other_row, row, column).unwrap();
                let range = column.saturating_sub(other_row)..=row.min(column);
                for failures in range.clone() {
                    let seen = distribution.pmf(failures) * (1.0 + 1e-7);
                    let expected: f64 =
                        range.clone().map(|x| distribution.pmf(x)).filter(|p| *p <= seen).sum();
                    let other = column - failures;
                    let table = [[failures, row - failures], [other, other_row - other]];
                    assert_near(fisher(table), expected, 1e-9);
                }
            }
        }
    }

    #[test]
    fn holm_has_the_values_worked_out_by_hand() {
        let corrected = holm(&[0.05, 0.01, 0.03, 0.02, 0.04]);
        for (actual, expected) in corrected.iter().zip([0.09, 0.05, 0.09, 0.08, 0.09]) {
            assert_near(*actual, expected, 1e-15);
        }
        assert_eq!(holm(&[0.7, 0.6]), [1.0, 1.0]);
        assert_eq!(holm(&[0.25]), [0.25]);
        assert!(holm(&[]).is_empty());
    }
}
