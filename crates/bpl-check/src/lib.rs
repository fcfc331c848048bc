//! Resolves names and checks types of programs of the Boogie verification language.
//!
#![doc = include_str!("../README.md")]
//!
//! # How it goes about it
//!
//! [`check()`] answers as Boogie itself would without verifying: accepted, or rejected with errors
//! of name resolution, or, if there are none of those, with errors of typing. A program is
//! checked in two steps, and both are open to callers who check many variants of one program:
//!
//! 1. [`Env::new`] collects the signatures of all declarations;
//! 2. [`Env::check_decl`] checks one declaration against them.
//!
//! The checker reads trees and never changes them; types of expressions live in a table beside
//! the tree, see [`Checked`].

mod attrs;
mod check;
mod collect;
mod cycle;
mod decl;
mod env;
mod expr;
mod library;
mod names;
mod operators;
mod procedure;
mod program;
mod scope;
mod stmt;
mod suggest;
mod trigger;
mod type_names;
mod types;
mod unify;

pub use crate::env::{Datatype, Env, Function, FunctionKind, Global, ProcedureHead, ProcedureSort};
pub use crate::library::Libraries;
pub use crate::names::free_variables;
pub use crate::program::{Checked, check, check_with, check_with_types};
pub use crate::type_names::{NamedType, NamedTypeKind};
pub use crate::types::{MapShape, TypeId, TypeKind, Types};

/// What Boogie can be told about a program on its command line, as far as it matters here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckOptions {
    /// The libraries given by `/lib` (Boogie 3). A program that uses CIVL has `base` by itself.
    pub libraries: Libraries,
    /// Whether `modifies` clauses are inferred: `/doModSetAnalysis` (Boogie 2), `/inferModifies`
    /// (Boogie 3). They always are in a Boogie 3 program that uses CIVL.
    pub infer_modifies: bool,
}
