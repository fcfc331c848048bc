//! A verifier that misbehaves, for the tests of supervision: `misbehave HOW MARKER [MORE...]`.
//!
//! The marker has no meaning; all processes of a run carry it, so that tests can find them.

#[cfg(target_os = "linux")]
mod linux;

fn main() {
    #[cfg(target_os = "linux")]
    linux::misbehave();
}
