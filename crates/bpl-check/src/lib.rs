//! Resolves names and checks types of programs of the Boogie verification language.
//!
#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! [`check()`] gives the same answer as Boogie without verification: the program is accepted, or
//! rejected with resolution errors, or, if there are none, with type errors. A program is checked
//! in two steps, which are also available separately to check many variants of one program:
//!
//! 1. [`Env::new`] collects the signatures of all declarations;
//! 2. [`Env::check_decl`] checks one declaration against them.
//!
//! The checker never changes a tree; the types of expressions are stored in a separate table, see
//! [`Checked`].

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
pub use crate::library::{Edition, Libraries};
pub use crate::names::free_variables;
pub use crate::program::{Checked, check, check_with, check_with_types};
pub use crate::type_names::{NamedType, NamedTypeKind};
pub use crate::types::{MapShape, TypeId, TypeKind, Types};

/// The command-line options of Boogie that matter for checking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckOptions {
    /// The libraries given by `/lib` (Boogie 3). A program that uses CIVL gets `base`
    /// automatically.
    pub libraries: Libraries,
    /// Whether `modifies` clauses are inferred: `/doModSetAnalysis` (Boogie 2), `/inferModifies`
    /// (Boogie 3). In a Boogie 3 program that uses CIVL they always are.
    pub infer_modifies: bool,
}
