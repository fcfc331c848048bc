//! The `mugie` program: reads its arguments, runs one command, and answers with an exit code.
//!
//! Only this crate knows the command line and the terminal. What languages, front doors, levels,
//! translators and executors there are is said by [`Parts`]; the program `mugie` has the
//! [built-in ones](BUILT_IN), and nothing else here names one.

mod args;
mod cache;
mod cli;
mod commands;
mod defects;
mod folder;
mod host;
mod interrupt;
mod kept;
mod messages;
mod mutants;
mod output;
mod parallel;
mod parts;
mod progress;
mod recorded;
mod scalable;
mod seed_paths;
mod session;
mod shipped;
mod tool_spec;

use std::process::ExitCode;

use clap::Parser as _;
use mugie_verifiers::{supervise, tap};

pub use parts::{BUILT_IN, Parts};

/// Runs mugie with these parts, on the arguments of the process.
pub fn main(parts: &'static Parts) -> ExitCode {
    // A run of a verifier is watched by mugie in another process, and its solver tapped in a third.
    match std::env::args_os().nth(1) {
        Some(argument) if argument == supervise::KEEPER => return supervise::keep(),
        Some(argument) if argument == tap::TAP => return tap::tap(),
        _ => {}
    }
    parts::set(parts);
    ExitCode::from(cli::Cli::parse().run().code())
}
