//! The `mugie` program: reads its arguments, runs one command, and answers with an exit code.
//!
//! Only this crate touches files and the terminal. What a Boogie program is, and whether it is
//! well-formed, is the business of `bpl-syntax` and `bpl-check`.

mod cache;
mod cli;
mod commands;
mod encoding;
mod folder;
mod host;
mod interrupt;
mod kept;
mod layout;
mod load;
mod mutants;
mod output;
mod parallel;
mod progress;
mod read;
mod report;
mod scalable;
mod seeds;
mod shipped;
mod speed;
mod stored;
mod wanted;

use std::process::ExitCode;

use clap::Parser as _;
use mugie_verifiers::{supervise, tap};

/// Trees are many small allocations, made in one thread and often freed in another.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // A run of a verifier is watched by mugie in another process, and its solver tapped in a third.
    match std::env::args_os().nth(1) {
        Some(argument) if argument == supervise::KEEPER => return supervise::keep(),
        Some(argument) if argument == tap::TAP => return tap::tap(),
        _ => {}
    }
    cli::Cli::parse().run().into()
}
