//! Parses and prints programs of the Boogie verification language, without knowing about names,
//! types or files.
//!
#![doc = include_str!("../README.md")]
//!
//! Start with [`ast`], the syntax tree. [`parse()`] creates it from text, [`print()`] turns it back
//! into text, and [`visit`] traverses it.

pub mod ast;
pub mod diagnostic;
mod dialect;
#[cfg(feature = "generate")]
pub mod generate;
pub mod lex;
mod name;
pub mod operator;
pub mod parse;
pub mod print;
pub mod source;
pub mod span;
mod stack;
pub mod token;
pub mod visit;

pub use dialect::Dialect;
pub use parse::{Parse, parse, parse_files};
pub use print::{PrintCache, print, print_with};
