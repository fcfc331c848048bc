//! The `mugie` program: parses its arguments, runs one command, and returns an exit code.
//!
//! Only this crate parses the command line and writes to the terminal; remedies that name an option come from where
//! the trouble is known. The available languages, front doors,
//! levels, translators and executors are listed in [`Parts`]; the program `mugie` has the [built-in
//! ones](BUILT_IN), and nothing else here names one.

mod args;
mod asked;
mod cache;
mod calibration;
mod cli;
mod commands;
mod defects;
mod doors;
mod dry_run;
mod exhaustive;
mod first_run;
mod folder;
mod host;
mod interrupt;
mod known;
mod messages;
mod minimal_dir;
mod mutants;
mod output;
mod parallel;
mod parts;
mod procedures;
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
    // Two helper processes are mugie itself, under another first argument: the watchdog of a run,
    // and the proxy between a verifier and its solver.
    match std::env::args_os().nth(1) {
        Some(argument) if argument == supervise::KEEPER => return supervise::keep(),
        Some(argument) if argument == tap::TAP => return tap::tap(),
        _ => {}
    }
    parts::set(parts);
    ExitCode::from(cli::Cli::parse().run().code())
}
