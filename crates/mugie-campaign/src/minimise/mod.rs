//! From a failing mutant to a small one: fewer edits, and a smaller program.
//!
//! A [`Pair`] is a seed and the edits that lead to its mutant. A search first leaves edits away,
//! then cuts the program, as long as the seed verifies and the mutant fails in the same way. The
//! verifier is known as an [`Oracle`] only, so nothing here starts a process or opens a file.

mod causes;
mod chunks;
mod cut;
mod edits;
mod minimal;
mod names;
mod number;
mod oracle;
mod pair;
mod program;
mod search;
mod symptom;
mod units;

pub(crate) use minimal::cause;
pub use minimal::{Minimal, MinimiseError, Minimised, Start, minimise};
pub use oracle::{Answer, Care, Oracle, Runners};
pub use pair::{Pair, PairError};
pub use search::{Ending, Event, Progress, Settings};
pub use symptom::Symptom;
