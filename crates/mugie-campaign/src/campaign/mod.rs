//! Campaigns: many seeds, batches of mutants and tools, for hours, and what they add up to.

pub mod compare;
pub mod data;
pub mod details;
#[cfg(any(test, feature = "example"))]
pub mod example;
mod load;
pub mod measures;
pub mod plan;
pub mod rows;
pub mod run;
pub mod solver;
pub mod store;
