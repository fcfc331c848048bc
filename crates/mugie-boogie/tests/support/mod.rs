//! Shared helpers of the tests that run Boogie.

#![expect(clippy::disallowed_methods, reason = "the tests run Boogie")]

use std::process::Command;

/// Whether Boogie is installed. If not, prints that the test is skipped, or fails where Boogie is
/// required.
#[expect(clippy::print_stderr, reason = "a test says why it skips")]
pub(crate) fn has_boogie() -> bool {
    let found = Command::new("boogie").arg("/nologo").output().is_ok();
    assert!(found || std::env::var_os("CI").is_none(), "boogie is missing; see `make tools`");
    if !found {
        eprintln!("SKIPPED: boogie is not installed");
    }
    found
}
