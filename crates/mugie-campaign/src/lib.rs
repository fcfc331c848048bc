//! Campaigns: many seeds, batches of mutants and tools, for hours, and all that is known of them.
//!
//! A [plan] says what to run, [`run`] runs what the [store] does not know yet, and [`details`] shows
//! what was found. What a verdict means is said by `mugie-experiment`, what it all adds up to by
//! `mugie-results`; this crate keeps it, in one `SQLite` file.

pub mod details;
mod load;
mod migrate;
pub mod plan;
pub mod rows;
pub mod run;
pub mod store;
