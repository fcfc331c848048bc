//! The `mugie` program: reads its arguments, runs one command, and answers with an exit code.
//!
//! Only this crate touches files and the terminal. What a Boogie program is, and whether it is
//! well-formed, is the business of `bpl-syntax` and `bpl-check`.

mod cli;
mod commands;
mod encoding;
mod folder;
mod host;
mod interrupt;
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
mod speed;

use std::process::ExitCode;

use clap::Parser as _;
use mugie_verifiers::supervise;

/// Trees are many small allocations, made in one thread and often freed in another.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // A run of a verifier is watched by mugie in another process.
    if std::env::args_os().nth(1).is_some_and(|argument| argument == supervise::KEEPER) {
        return supervise::keep();
    }
    cli::Cli::parse().run().into()
}
