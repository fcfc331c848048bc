//! A stub of the tap for systems on which no verifier can be run.

use std::process::ExitCode;

/// The main function of a tap, which always fails on this system.
pub fn tap() -> ExitCode {
    ExitCode::FAILURE
}
