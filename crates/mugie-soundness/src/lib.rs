//! Soundness by experiment: mutants of random programs have the verdicts of their seeds.
//!
//! A [program] is random, but its verdict is not a matter of luck: what has to be proved is
//! propositional, linear and small, or follows from one instance of an axiom that the solver cannot
//! miss. So if a real Boogie says of a procedure of a [mutant](mutants) what it does not say in the
//! seed, then some operator is no equivalence, or Boogie has a defect that the list of
//! [explained] ones has to name.
//!
//! What is compared is the outcome of each implementation, and for errors only whether there is one. How
//! many there are, and where, may well differ between equivalent programs: two assertions that become
//! one clause are one error, an assertion that fails hides those that follow from it, and Boogie stops
//! after five.
//!
//! This crate is not published. It knows Boogie, and nothing of `mugie`'s commands.

pub mod boogie;
pub mod compare;
pub mod explained;
pub mod mutants;
pub mod program;
mod random;
pub mod round;
pub mod state;
pub mod table;

pub use boogie::{Boogie, Release};
