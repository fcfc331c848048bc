//! The settings of a tap, and the file that holds them.
//!
//! A verifier takes the path of a solver, without arguments. So the tap is a script: its first line
//! names our program as the interpreter, and the rest are the settings.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::TAP;
use crate::definition::TapDefinition;

/// Maximum length in bytes of a `#!` line that every system accepts.
const MAX_FIRST_LINE: usize = 127;

/// The settings of a tap. Paths are absolute.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct TapSettings {
    /// The executable of the solver.
    pub(super) solver: OsString,
    /// A hash of the solver.
    pub(super) identity: String,
    /// Arguments with which the solver prints its version, and nothing else.
    pub(super) version_arguments: Option<Vec<String>>,
    /// The name of the style of the verifier's queries.
    pub(super) style: String,
    /// The name of the kind of marker that separates programs of a shared process, if it is one.
    pub(super) marker: Option<String>,
    /// Whether the verifier repeats the prelude of the first program of a shared process.
    pub(super) stale_preludes: bool,
    /// How to talk to the solver.
    pub(super) definition: TapDefinition,
    /// Options that the solver does not know and that are dropped without mention.
    pub(super) dropped_options: Vec<String>,
    /// The folder of cached answers.
    pub(super) cache: Option<OsString>,
    /// Bytes that cached answers may take.
    pub(super) capacity: u64,
    /// The file to append records to.
    pub(super) records: OsString,
    /// The folder to write queries to, if any.
    pub(super) queries: Option<OsString>,
    /// Whether queries are written as the verifier sent them, instead of in canonical form.
    pub(super) original: bool,
}

/// Writes a tap script that is interpreted by `program`.
pub(super) fn write(path: &Path, program: &Path, settings: &TapSettings) -> io::Result<()> {
    let invalid = |problem: String| Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
    let mut text = b"#!".to_vec();
    text.extend_from_slice(program.as_os_str().as_encoded_bytes());
    if text.iter().any(u8::is_ascii_whitespace) {
        return invalid(format!("{} has spaces in its path", program.display()));
    }
    text.extend_from_slice(format!(" {TAP}\n").as_bytes());
    if text.len() > MAX_FIRST_LINE {
        return invalid(format!("the path {} is too long", program.display()));
    }
    serde_json::to_writer(&mut text, settings)?;
    create_executable(path)?.write_all(&text)
}

#[cfg(unix)]
fn create_executable(path: &Path) -> io::Result<fs::File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    fs::File::options().write(true).create_new(true).mode(0o700).open(path)
}

#[cfg(not(unix))]
fn create_executable(path: &Path) -> io::Result<fs::File> {
    fs::File::options().write(true).create_new(true).open(path)
}

/// Reads the settings of a tap script.
#[cfg(target_os = "linux")]
pub(super) fn read(path: &Path) -> io::Result<TapSettings> {
    let text = fs::read(path)?;
    let settings = text.splitn(2, |&byte| byte == b'\n').nth(1).unwrap_or_default();
    Ok(serde_json::from_slice(settings)?)
}
