//! The experiment: mutants of seeds under a verifier, from the baseline to the answer.
//!
//! What campaigns, tests, minimisation and diagnosis have in common is in one place each: the verdict
//! on the seed itself ([`baseline`]), what counts as a flip ([`judge`]), what a verdict means for the
//! seed ([`explain`]), and how a mutant is reproduced ([`recipe`]). [`test`](scheduler::test) is the
//! experiment of `mugie test`, [`minimise`] makes a failing mutant small, and [`diagnose`] finds the
//! responsible layer of the verifier.
//!
//! This crate knows languages and executors only by their traits, and no database.

pub mod again;
pub mod baseline;
pub mod calibrate;
pub mod causes;
pub mod chance;
pub mod controls;
pub mod diagnose;
pub mod effort;
pub mod explain;
pub mod foreign;
pub mod group;
pub mod judge;
pub mod levels;
pub mod luck;
pub mod minimise;
mod order;
pub mod recipe;
pub mod scheduler;
pub mod seed;
pub mod seed_test;
pub mod solver_work;
pub mod sources;
#[cfg(test)]
mod testing;
