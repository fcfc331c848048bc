//! SMT-LIB 2 as a seed language: the queries that verifiers give to solvers.
//!
//! A query is prepared before it is run: what only prints is left out, and so are limits of
//! its own; after each check the solver is asked for its resource count. A mutant is its seed and one
//! choice of an operator; its text is made when it is needed, so that a mutant of a large
//! query takes little memory. What is moved never crosses a command that opens or closes a
//! scope, sets an option or asks the solver.
//!
//! The crate opens no files, starts no processes and prints nothing.

mod answers;
mod base;
mod equivalent;
mod language;
mod level;
mod operators;
mod prepare;
mod program;
mod random;
mod reduce;
mod seed;

pub use language::{SMTLIB, SmtLib};
pub use level::{QUERIES, Queries};
