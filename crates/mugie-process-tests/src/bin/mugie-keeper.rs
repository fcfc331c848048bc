//! The watchdog of one run of a verifier, for programs that cannot start themselves as a watchdog.

fn main() -> std::process::ExitCode {
    mugie_verifiers::supervise::keep()
}
