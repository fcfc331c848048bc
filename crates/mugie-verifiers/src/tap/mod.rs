//! The tap: a proxy between a verifier and its solver, which answers known queries from a cache and
//! records every query.
//!
//! The verifier starts the tap in place of the solver; to the solver, the tap is the verifier. It
//! forwards commands in a canonical form, so that programs that differ only in where things stand
//! are the same problem, and an answer to one of them is an answer to all.
//!
//! A program that taps solvers also acts as the tap: its `main` calls [`tap`] if its first argument
//! is [`TAP`], before it does anything else.
//!
//! This module knows SMT-LIB, in the [style](crate::smt::Style) of any verifier, and the kinds of
//! [markers](Marker). It must not know verdicts, nor which verifier it serves.

use std::path::{Path, PathBuf};
use std::{io, path, process};

#[cfg(target_os = "linux")]
mod answers;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
mod marker;
#[cfg(target_os = "linux")]
mod prelude;
#[cfg(target_os = "linux")]
mod query;
mod record;
#[cfg(target_os = "linux")]
mod serve;
mod settings;
#[cfg(target_os = "linux")]
mod solver;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::tap;
pub(crate) use marker::named_marker;
pub use marker::{MARKERS, Marker};
pub use record::{QueryRecord, records, records_of_program};
#[cfg(target_os = "linux")]
pub use serve::tap;

use crate::definition::TapDefinition;
use crate::smt::Style;
use settings::TapSettings;

/// The first argument of a program that is to act as a tap.
pub const TAP: &str = "--tap-a-solver";

/// Bytes that all cached answers may take together before the least recently used are evicted.
pub const CAPACITY: u64 = 1 << 30;

/// Names of the tap's files in the directory of its run.
const FILE: &str = ".mugie-tap";
const RECORDS: &str = ".mugie-queries.jsonl";

/// How to tap a solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tap {
    /// A program that calls [`tap`] when its first argument is [`TAP`].
    pub program: PathBuf,
    /// The folder of cached answers. Without one, the solver answers everything.
    pub answers: Option<PathBuf>,
    /// Bytes that cached answers may take, approximately.
    pub capacity: u64,
    /// Where to write the queries themselves, if anywhere.
    pub queries: Option<Queries>,
}

/// Where to write queries as files for a solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queries {
    /// The folder; [`QueryRecord::file_in`] is the name of a file in it.
    pub folder: PathBuf,
    /// The form in which they are written.
    pub form: Form,
}

/// The form in which a query is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As the verifier sent it.
    Original,
    /// As the solver received it.
    Canonical,
}

impl Tap {
    /// A tap that is the running program, started again with the argument [`TAP`]. The running
    /// program must not end before the verifier does.
    pub fn this_program(answers: Option<PathBuf>) -> Tap {
        // Not the path of the program: another version may have been installed there since it
        // started.
        let program = PathBuf::from(format!("/proc/{}/exe", process::id()));
        Tap { program, answers, capacity: CAPACITY, queries: None }
    }
}

/// What a tap needs to know about the solver.
pub(crate) struct Tapped<'a> {
    pub(crate) solver: &'a Path,
    pub(crate) identity: String,
    pub(crate) version_arguments: Option<Vec<String>>,
    pub(crate) style: &'static Style,
    /// For a shared process: its markers, and whether the verifier repeats stale preludes.
    pub(crate) shared: Option<(&'static Marker, bool)>,
    pub(crate) definition: TapDefinition,
    pub(crate) dropped_options: Vec<String>,
}

/// Installs a tap in the directory of a run and returns its path.
pub(crate) fn install(tap: &Tap, tapped: Tapped<'_>, directory: &Path) -> io::Result<PathBuf> {
    let absolute = |path: &Path| path::absolute(path).map(PathBuf::into_os_string);
    let directory = path::absolute(directory)?;
    let folder = tap.queries.as_ref().map(|queries| absolute(&queries.folder));
    let settings = TapSettings {
        solver: absolute(tapped.solver)?,
        identity: tapped.identity,
        version_arguments: tapped.version_arguments,
        style: tapped.style.name.to_owned(),
        marker: tapped.shared.map(|(marker, _)| marker.name.to_owned()),
        stale_preludes: tapped.shared.is_some_and(|(_, is_stale)| is_stale),
        definition: tapped.definition,
        dropped_options: tapped.dropped_options,
        cache: tap.answers.as_deref().map(absolute).transpose()?,
        capacity: tap.capacity,
        records: records_file(&directory).into(),
        queries: folder.transpose()?,
        original: tap.queries.as_ref().is_some_and(|queries| queries.form == Form::Original),
    };
    let path = directory.join(FILE);
    settings::write(&path, &tap.program, &settings)?;
    Ok(path)
}

/// The file with the records of a run in `directory`: see [`records`].
pub fn records_file(directory: &Path) -> PathBuf {
    directory.join(RECORDS)
}
