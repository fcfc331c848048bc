//! Boogie as a seed language: programs, their semantics-preserving transformations, source
//! locations, and reduction.
//!
#![doc = include_str!("../README.md")]
//!
//! # Words
//!
//! An [`Operator`] knows the places of a program where it applies, what it changes there, and why
//! the result means the same. A [`Subject`] is a program under mutation; the rest of mugie sees it
//! as a [`Program`](mugie_core::Program).
//!
//! This crate is pure: it uses no files, no clock, no processes, and no randomness other than
//! [`mugie_core::rng`]. It knows the language, and nothing about verifiers except the form of
//! locations in their messages.

mod chance;
mod changed;
mod clauses;
mod edit;
mod encoding;
mod facts;
mod flow;
mod language;
mod layout;
mod load;
pub mod locate;
mod many;
mod mentions;
mod offers;
mod only;
mod operator;
pub mod operators;
mod origin;
mod patch;
mod places;
mod program;
mod reduce;
mod scope;
mod seed;
mod sharing;
mod subject;
mod validate;
mod views;

pub use edit::Applied;
pub use facts::Facts;
pub use language::{BOOGIE, Boogie};
pub use offers::{Change, Offers};
pub use operator::{AtMany, Operator};
pub use origin::original_name;
pub use patch::Patch;
pub use seed::BoogieSeed;
pub use subject::{Rearrangement, Split, Subject};
pub use validate::Validator;
