//! The experiment: mutants of seeds under a verifier, from the baseline to the answer.
//!
//! What a campaign, a test, a search for a small mutant and a diagnosis have in common is in one
//! place each: what the verifier says of the seed ([`baseline`]), what counts as another verdict
//! ([`judge`]), what a verdict means in the seed ([`explain`]), how a mutant is made again
//! ([`recipe`]). [`test`](test::test) is the experiment of `mugie test`, [`minimise`] makes a failing
//! mutant small, [`diagnose`] says whose fault it is.
//!
//! This crate knows languages and executors by their traits only, and no database.

pub mod again;
pub mod baseline;
pub mod causes;
pub mod diagnose;
pub mod explain;
pub mod group;
pub mod judge;
pub mod levels;
pub mod minimise;
pub mod order;
pub mod recipe;
pub mod seed;
pub mod seed_test;
pub mod solver_work;
pub mod sources;
pub mod test;
#[cfg(test)]
mod testing;
