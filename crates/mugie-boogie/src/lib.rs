//! Boogie as a seed language: programs, changes to them that should not matter, places, reduction.
//!
#![doc = include_str!("../README.md")]
//!
//! # Words
//!
//! An [`Operator`] knows the places of a program where it applies and what it does there; it
//! says why the result means the same. A [`Subject`] is a program under mutation, which the rest of
//! mugie knows as a [`Program`](mugie_core::Program).
//!
//! This crate is pure: no files, no clock, no processes, and no randomness but that of
//! [`mugie_core::rng`]. It knows the language, and of verifiers nothing but what a place in their
//! messages looks like.

mod clauses;
mod edit;
mod encoding;
mod facts;
mod language;
mod layout;
mod load;
pub mod locate;
mod mentions;
mod offers;
mod operator;
pub mod operators;
mod origin;
mod places;
mod program;
mod reduce;
mod seed;
mod sharing;
mod subject;
mod validate;
mod views;

pub use edit::Applied;
pub use facts::Facts;
pub use language::{BOOGIE, Boogie};
pub use offers::{Change, Offers};
pub use operator::Operator;
pub use origin::original_name;
pub use seed::BoogieSeed;
pub use subject::{Rearrangement, Split, Subject};
pub use validate::Validator;
