//! SMT-LIB as verifiers write it: one lexer, one canonical form, and one notion of what was sent to
//! a solver.
//!
//! The [tap](crate::tap) receives it from a running verifier, [`problems`](crate::problems) reads
//! it from a log. Both ask this module whether two queries are the same to a solver. What is
//! specific to a verifier is in a [`Style`]. This module must not know processes, files or
//! verdicts.

#![cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "the tap, which is for Linux only, needs more of it than logs do")
)]

pub(crate) mod canonical;
pub(crate) mod conversation;
pub(crate) mod lex;
mod normal;
mod style;

pub use normal::{NormalForm, QueryDifference};
pub(crate) use style::named_style;
pub use style::{STYLES, Style};
