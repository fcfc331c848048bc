//! Translates Boogie programs to WhyML, so that Why3 can verify them.
//!
//! A program becomes one file with one module `M`, and each implementation `p` a goal `i_p'vc`. See
//! [`WHYML`].

mod connect;
mod datatypes;
mod declare;
mod facts;
mod flow;
mod formula;
mod instances;
mod lambdas;
mod logic;
mod names;
mod print;
mod procedures;
mod quantifiers;
mod refusal;
mod source;
mod statements;
mod translate;
mod types;
mod world;

pub use crate::translate::WHYML;
