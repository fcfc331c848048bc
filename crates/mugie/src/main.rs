//! The `mugie` program, with all that it can do by itself.

use std::process::ExitCode;

/// Trees are many small allocations, made in one thread and often freed in another.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    mugie::main(&mugie::BUILT_IN)
}
