//! The tap: a program between a verifier and its solver, which answers what was asked before and
//! takes down every query.
//!
//! The verifier starts it in the place of the solver. To the solver it is the verifier. It hands
//! on what it hears in a canonical form, so that programs which differ only in where
//! things stand are the same problem, and the answer of the one is the answer of the other.
//!
//! A program that taps acts as the tap itself: its `main` calls [`tap`] if its first argument is
//! [`TAP`], before it does anything else.
//!
//! This module knows SMT-LIB, in the [style](crate::smt::Style) of any verifier, and what
//! [markers](Marker) there are. It must not know what verdicts are, nor which verifier it serves.

use std::path::{Path, PathBuf};
use std::{io, path, process};

#[cfg(target_os = "linux")]
mod answers;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
mod marker;
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

/// The most that answers may take together, in bytes, before those go that were not used for long.
pub const CAPACITY: u64 = 1 << 30;

/// The files of a tap in the directory of its run.
const FILE: &str = ".mugie-tap";
const RECORDS: &str = ".mugie-queries.jsonl";

/// How to tap a solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tap {
    /// A program that calls [`tap`] when its first argument is [`TAP`].
    pub program: PathBuf,
    /// The folder of answers that are known already. Without one the solver answers everything.
    pub answers: Option<PathBuf>,
    /// Bytes that answers may take, about.
    pub capacity: u64,
    /// Where to put the queries themselves.
    pub queries: Option<Queries>,
}

/// Where to put queries as files for a solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queries {
    /// The folder; [`QueryRecord::file_in`] is the name of a file in it.
    pub folder: PathBuf,
    /// How they are written.
    pub form: Form,
}

/// How a query is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As the verifier said it.
    Original,
    /// As the solver heard it.
    Canonical,
}

impl Tap {
    /// The running program, started again with the argument [`TAP`]. It must run as long as the
    /// verifier.
    pub fn this_program(answers: Option<PathBuf>) -> Tap {
        // Not its path: another version may have been installed there in the meantime.
        let program = PathBuf::from(format!("/proc/{}/exe", process::id()));
        Tap { program, answers, capacity: CAPACITY, queries: None }
    }
}

/// What a tap must know of the solver.
pub(crate) struct Tapped<'a> {
    pub(crate) solver: &'a Path,
    pub(crate) identity: String,
    pub(crate) version_arguments: Option<Vec<String>>,
    pub(crate) style: &'static Style,
    pub(crate) marker: Option<&'static Marker>,
    pub(crate) definition: TapDefinition,
    pub(crate) dropped_options: Vec<String>,
}

/// Puts a tap into the directory of a run. Returns its path.
pub(crate) fn install(tap: &Tap, tapped: Tapped<'_>, directory: &Path) -> io::Result<PathBuf> {
    let absolute = |path: &Path| path::absolute(path).map(PathBuf::into_os_string);
    let directory = path::absolute(directory)?;
    let folder = tap.queries.as_ref().map(|queries| absolute(&queries.folder));
    let settings = TapSettings {
        solver: absolute(tapped.solver)?,
        identity: tapped.identity,
        version_arguments: tapped.version_arguments,
        style: tapped.style.name.to_owned(),
        marker: tapped.marker.map(|marker| marker.name.to_owned()),
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

/// The records of a run in a directory: see [`records`].
pub fn records_file(directory: &Path) -> PathBuf {
    directory.join(RECORDS)
}
