//! SMT-LIB as verifiers write it: one lexer, one canonical form, one notion of what a solver was
//! told.
//!
//! The [tap](crate::tap) hears it from a verifier at work, [`problems`](crate::problems) reads it
//! from a log. Both ask here whether two questions are the same to a solver. What is a verifier's
//! own in its questions stands in a [`Style`]. This module must not know processes, files or
//! verdicts.

#![cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "the tap, which is for Linux only, needs more of it than logs do")
)]

pub(crate) mod canonical;
pub(crate) mod conversation;
pub(crate) mod lex;
mod style;

pub(crate) use style::named_style;
pub use style::{STYLES, Style};
