//! Campaigns: many seeds, batches of mutants and tools, for hours, and the store of all results.
//!
//! A [plan] says what to run, [`run`] runs what is not in the [store] yet, and [`details`] shows the
//! results. `mugie-experiment` defines the meaning of a verdict, and `mugie-results` the measures;
//! this crate stores the data in one `SQLite` file.

mod asked;
mod base;
mod confirm;
pub mod details;
pub mod ids;
mod load;
mod migrate;
pub mod plan;
mod planned;
mod readings;
pub mod rows;
pub mod run;
pub mod store;
