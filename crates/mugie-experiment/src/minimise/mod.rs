//! From a failing mutant to a small one: fewer edits, and a smaller program.
//!
//! A search first leaves edits away, then has the language cut the program, as long as the seed
//! verifies and the mutant fails in the same way. What can be cut is known to the language, what a
//! verifier says to an executor; nothing here starts a process or opens a file.

mod causes;
mod edits;
mod minimal;
mod search;

pub use minimal::{MinimiseError, Minimised, Start, cause, minimise, so_far};
pub use search::{Asking, SearchEvent, SearchProgress, SearchSettings};
