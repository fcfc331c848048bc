//! The `mugie` program, with its built-in parts.

use std::process::ExitCode;

/// Syntax trees are many small allocations, made in one thread and often freed in another.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    mugie::main(&mugie::BUILT_IN)
}
