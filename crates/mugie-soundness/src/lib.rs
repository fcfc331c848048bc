//! Soundness by experiment: mutants of random programs have the verdicts of their seeds.
//!
//! A [program] is random, but its verdict is not a matter of luck: its proof obligations are
//! propositional, linear and small, or follow from one instance of an axiom that the solver cannot miss.
//! So if the outcome of a procedure in a [mutant](mutants) differs from that in the seed, then some
//! operator does not preserve meaning, or Boogie has a defect that the list of [explained] defects must
//! name.
//!
//! The comparison covers the outcome of each implementation, and of errors only whether there are any.
//! Their number and places may well differ between equivalent programs: two assertions that become one
//! clause are one error, an assertion that fails hides those that follow from it, and Boogie stops after
//! five.
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
