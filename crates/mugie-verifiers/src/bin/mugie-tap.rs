//! Taps a solver, for programs that cannot start themselves again to do so.

fn main() -> std::process::ExitCode {
    mugie_verifiers::tap::tap()
}
