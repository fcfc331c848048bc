//! Minimises a failing mutant: fewer edits, and a smaller program.
//!
//! A search first removes edits, then has the language reduce the program, while the seed verifies
//! and the mutant fails in the same way. The language knows what can be removed, and an executor
//! knows the verdicts; nothing here starts a process or opens a file.

mod causes;
mod edits;
mod judge;
mod minimal;
mod search;

pub use minimal::{MinimiseError, Minimised, Start, cause, minimise, so_far};
pub use search::{Asking, SearchEvent, SearchProgress, SearchSettings};
