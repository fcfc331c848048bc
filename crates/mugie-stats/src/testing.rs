//! Helpers for the tests of several modules.

/// Asserts that two numbers differ by no more than a tolerance.
#[track_caller]
pub(crate) fn assert_near(actual: f64, expected: f64, tolerance: f64) {
    assert!((actual - expected).abs() <= tolerance, "{actual} is not {expected}");
}
