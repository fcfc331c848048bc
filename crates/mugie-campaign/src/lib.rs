//! Tests of seeds: mutants under a verifier, from the baseline to the answer.

pub mod report;
