//! The commands, each in a file or folder named after the word that the user types.

pub(crate) mod campaign;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod debug;
pub(crate) mod diagnose;
pub(crate) mod man;
pub(crate) mod merge;
pub(crate) mod minimise;
pub(crate) mod mutate;
pub(crate) mod operators;
pub(crate) mod print;
pub(crate) mod query;
pub(crate) mod seeds;
pub(crate) mod test;
pub(crate) mod translate;
pub(crate) mod verifiers;
