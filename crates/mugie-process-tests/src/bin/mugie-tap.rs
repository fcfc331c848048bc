//! The proxy of a solver, for programs that cannot start themselves again as one.

fn main() -> std::process::ExitCode {
    mugie_verifiers::tap::tap()
}
