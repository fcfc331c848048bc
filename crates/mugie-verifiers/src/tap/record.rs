//! The record of each query: one line of JSON, written before the verifier receives the answer.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::input;

/// Maximum size of the records of a run in bytes.
const MAX_SIZE: u64 = 1 << 30;

/// A satisfiability query, and its result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QueryRecord {
    /// The process id of the tap. A verifier that starts several solvers has a tap for each.
    pub process: u32,
    /// When the tap was started and when the query was answered, in microseconds of a clock that all
    /// processes of the machine have in common.
    #[serde(default)]
    pub between: (i64, i64),
    /// The number of the program in a shared process, as given by its [marker](super::Marker).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<usize>,
    /// The procedure that the query belongs to, as the verifier calls it when it talks to the
    /// solver.
    pub procedure: Option<String>,
    /// The goal that the query belongs to, as the verdict calls it, if that is certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// The number of the conversation among those about the goal, from 1. A goal has several if the
    /// verifier splits it in parts, or if it has several implementations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<u32>,
    /// The number of earlier queries in the same conversation: query 0 decides whether the
    /// procedure verifies, later ones look for more errors.
    pub number: u32,
    /// The query fingerprint: a hash of everything that the answer depends on. Queries with equal
    /// fingerprints are the same problem.
    pub fingerprint: String,
    /// `sat`, `unsat` or `unknown`, or whatever else the solver printed.
    pub answer: String,
    /// The reason-unknown of an `unknown` answer.
    pub reason: Option<String>,
    /// Wall-clock seconds that the solver took to read what was new to it and to answer.
    pub seconds: f64,
    /// Bytes in use by the solver after the query.
    pub memory: Option<u64>,
    /// The solver's resource count since the previous query of the same conversation; the same in
    /// every run.
    pub resources: Option<u64>,
    /// Whether the answer came from the cache. The measurements are then those of the original run.
    pub cached: bool,
}

impl QueryRecord {
    /// The file of this query in a folder of queries.
    pub fn file_in(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.smt2", self.fingerprint))
    }
}

/// Appends a record to a file.
#[cfg(target_os = "linux")]
pub(super) fn append(path: &Path, record: &QueryRecord) -> io::Result<()> {
    use std::io::Write as _;
    let mut line = serde_json::to_vec(record)?;
    line.push(b'\n');
    // A single write, so that lines of several processes do not mix.
    fs::File::options().create(true).append(true).open(path)?.write_all(&line)
}

/// The records of one program in the file of a shared process, or `None` if the file has records
/// that no [marker](super::Marker) assigns to a program.
pub fn records_of_program(path: &Path, program: usize) -> io::Result<Option<Vec<QueryRecord>>> {
    let mut records = records(path)?;
    if records.iter().any(|record| record.program.is_none()) {
        return Ok(None);
    }
    records.retain(|record| record.program == Some(program));
    Ok(Some(records))
}

/// Reads the records in a file. A missing file means that there were no queries; an incomplete line
/// is skipped.
pub fn records(path: &Path) -> io::Result<Vec<QueryRecord>> {
    // The file is in the folder of a run, where the verifier can write anything.
    let text = match input::read(path, MAX_SIZE) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let lines = text.split(|&byte| byte == b'\n');
    Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(procedure: &str) -> QueryRecord {
        QueryRecord {
            process: 7,
            between: (1, 2),
            program: None,
            procedure: Some(procedure.to_owned()),
            goal: None,
            part: None,
            number: 0,
            fingerprint: "ab".to_owned(),
            answer: "unsat".to_owned(),
            reason: None,
            seconds: 0.25,
            memory: Some(1),
            resources: Some(2),
            cached: true,
        }
    }

    #[test]
    fn records_survive_a_line_that_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("queries");
        assert_eq!(records(&path).unwrap(), []);
        let record = record("p");
        append(&path, &record).unwrap();
        append(&path, &record).unwrap();
        let text = fs::read(&path).unwrap();
        assert_eq!(records(&path).unwrap(), [record.clone(), record.clone()]);
        fs::write(&path, &text[..text.len() - 3]).unwrap();
        assert_eq!(records(&path).unwrap(), [record]);
    }

    #[test]
    fn records_belong_to_programs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("queries");
        let of = |program, procedure| QueryRecord { program: Some(program), ..record(procedure) };
        for record in [of(0, "p"), of(0, "q"), of(2, "p")] {
            append(&path, &record).unwrap();
        }
        let programs: Vec<_> =
            (0..3).map(|program| records_of_program(&path, program).unwrap().unwrap()).collect();
        assert_eq!(programs, [vec![of(0, "p"), of(0, "q")], vec![], vec![of(2, "p")]]);
        append(&path, &record("p")).unwrap();
        assert_eq!(records_of_program(&path, 0).unwrap(), None);
    }
}
