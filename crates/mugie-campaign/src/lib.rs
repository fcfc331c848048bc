//! Tests of seeds: mutants under a verifier, from the baseline to the answer.
//!
//! [`test`](test::test) gives the jobs of many [trials](trial) to threads, which [run](runs) them
//! and keep verdicts in a [cache]. [`minimise`] makes a failing mutant small. This crate is where mutants and verifiers meet; it writes
//! nothing but the cache and the files that a verifier reads.

pub mod asked;
pub mod cache;
pub mod campaign;
pub mod diagnose;
mod explain;
pub mod group;
mod judge;
pub mod minimise;
pub mod naming;
pub mod order;
pub mod places;
pub mod report;
pub mod runs;
pub mod seed;
pub mod test;
pub mod trial;
mod type_use;
mod witness;

pub use witness::quoted;
