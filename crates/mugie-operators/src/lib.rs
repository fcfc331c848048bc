//! Changes to Boogie programs that should not matter, and the generator that draws from them.
//!
#![doc = include_str!("../README.md")]
//!
//! # Words
//!
//! An [`Operator`] knows the places of a program where it applies and what it does there; it
//! says why the result means the same. A [`Generator`] follows the paper's Algorithm 1; a
//! [`Closure`] goes through everything that some operators lead to. A [`Mutant`] is its seed and
//! a list of [`Edit`]s, and can be made again from these.
//!
//! This crate is pure: no files, no clock, no processes, and no randomness but [`rng`].

mod edit;
mod facts;
mod generate;
mod mentions;
mod offers;
mod operator;
pub mod operators;
mod origin;
mod places;
pub mod rng;
mod subject;
mod validate;
mod weights;

pub use edit::{Applied, ApplyError, Edit, Place};
pub use facts::Facts;
pub use generate::{Closure, End, Generator, Mutant};
pub use offers::{Change, Offers};
pub use operator::{About, Operator, Set};
pub use origin::{ProcedureNames, original_name};
pub use subject::{DeclId, FileText, Hash, Rearrangement, Split, Subject, hex};
pub use validate::{Defect, Validator};
pub use weights::{Weights, WeightsError};
