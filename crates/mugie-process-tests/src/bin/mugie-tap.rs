//! The solver proxy, for programs that cannot start themselves as a proxy.

fn main() -> std::process::ExitCode {
    mugie_verifiers::tap::tap()
}
