//! The beta and gamma functions, from which the distributions of counts are computed.

/// `I_x(a, b)`, the distribution function of the beta distribution, for positive `a` and `b` and
/// `x` from 0 to 1.
///
/// Uses the continued fraction of DLMF 8.17.22, which converges fast for
/// `x < (a + 1) / (a + b + 2)`, and `I_x(a, b) = 1 - I_{1-x}(b, a)` for larger `x`.
pub(crate) fn regularised_incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let ln_front = a * x.ln() + b * (-x).ln_1p() - ln_beta(a, b);
    if x < (a + 1.0) / (a + b + 2.0) {
        ln_front.exp() / a * continued_fraction(a, b, x)
    } else {
        1.0 - ln_front.exp() / b * continued_fraction(b, a, 1.0 - x)
    }
}

/// The continued fraction `1 / (1 + d1 / (1 + d2 / ...))` of DLMF 8.17.22, by Lentz's method as
/// modified by Thompson and Barnett.
fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    /// Replaces a zero divisor.
    const TINY: f64 = 1e-300;
    /// The largest number of iterations. It is enough for counts of many millions: the number
    /// needed grows with their square root.
    const STEPS: u32 = 100_000;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };

    let mut numerator = 1.0;
    let mut denominator = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = denominator;
    for step in 1..=STEPS {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for coefficient in [even, odd] {
            denominator = 1.0 / away_from_zero(1.0 + coefficient * denominator);
            numerator = away_from_zero(1.0 + coefficient / numerator);
            change = denominator * numerator;
            fraction *= change;
        }
        if (change - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    fraction
}

/// The logarithm of the beta function.
fn ln_beta(a: f64, b: f64) -> f64 {
    ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b)
}

/// The logarithm of the gamma function for positive numbers.
///
/// Uses Stirling's series (DLMF 5.11.1), after `Γ(x + 1) = x Γ(x)` has made the argument large
/// enough for the first terms to suffice.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    const LARGE: f64 = 15.0;
    let mut product = 1.0;
    let mut x = x;
    while x < LARGE {
        product *= x;
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series = inverse
        * (1.0 / 12.0
            - square
                * (1.0 / 360.0
                    - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square / 1188.0))));
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - f64::ln(product)
}

#[cfg(test)]
mod tests {
    use statrs::function::{beta, gamma};

    use super::*;
    use crate::testing::assert_near;

    #[test]
    fn beta_and_gamma_agree_with_statrs() {
        for a in [0.5, 1.0, 2.0, 9.5, 60.0, 1234.0] {
            assert_near(ln_gamma(a), gamma::ln_gamma(a), 1e-10 * a.max(1.0));
            for b in [0.5, 1.0, 3.0, 61.0, 900.0] {
                for x in [0.0, 1e-6, 0.1, 0.5, 0.9, 1.0] {
                    let expected = beta::beta_reg(a, b, x);
                    assert_near(regularised_incomplete_beta(a, b, x), expected, 1e-11);
                }
            }
        }
    }
}
