//! Tests of seeds: mutants under a verifier, from the baseline to the answer.

pub mod order;
pub mod places;
pub mod report;
