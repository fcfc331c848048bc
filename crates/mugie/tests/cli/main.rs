//! mugie on the command line: its output, where the output goes, and its exit codes.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod batch;
mod boogie_3;
mod both_boogies;
mod campaign;
mod carried;
mod chance;
mod check;
mod ci;
mod dafny;
mod debug;
mod diagnose;
mod documents;
mod first_contact;
mod flipping;
mod help;
mod hostile;
mod irregular;
mod leftovers;
mod libraries;
mod long_lines;
mod malformed;
mod messages;
mod minimise;
mod mutate;
mod one_experiment;
mod page;
mod polymorphic;
mod print;
mod procedure;
mod promises;
mod query;
mod reproduced;
mod schemas;
mod scope;
mod seeds;
mod signals;
mod smtlib;
mod smtlib_minimise;
mod start;
mod strength;
mod support;
#[cfg(target_os = "linux")]
mod tap;
mod test;
mod together;
mod trust;
mod verifiers;
mod viper;
mod why3;
