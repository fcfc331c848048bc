//! What is told of each query: one line of JSON, on record before the verifier has its answer.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::MARKER;

/// A question to the solver whether assertions can be met, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueryRecord {
    /// The process of the tap. A verifier that runs several programs starts one for each.
    pub process: u32,
    /// The procedure that it is about, as the verifier calls it.
    pub procedure: Option<String>,
    /// How many queries there were before it in the same conversation: the first one decides
    /// whether the procedure verifies, others look for more errors.
    pub number: u32,
    /// A hash of all that the answer depends on. Equal ones are the same problem.
    pub fingerprint: String,
    /// `sat`, `unsat` or `unknown`, or whatever else the solver said.
    pub answer: String,
    /// Why it does not know.
    pub reason: Option<String>,
    /// What it took on the clock to come to the answer, and to read what was new for it.
    pub seconds: f64,
    /// Bytes in use by the solver after it.
    pub memory: Option<u64>,
    /// The solver's count of its work since the query before in the same conversation; the same in
    /// every run.
    pub resources: Option<u64>,
    /// Whether it was known already. Then the numbers are those of the time when it was not.
    pub cached: bool,
}

impl QueryRecord {
    /// The file of the query in a folder for queries.
    pub fn file_in(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.smt2", self.fingerprint))
    }

    /// Whether it is about a [marker](super::marker), and not about a program.
    pub fn is_marker(&self) -> bool {
        self.procedure.as_deref() == Some(MARKER)
    }
}

/// Adds a record to a file.
#[cfg(target_os = "linux")]
pub(super) fn append(path: &Path, record: &QueryRecord) -> io::Result<()> {
    use std::io::Write as _;
    let mut line = serde_json::to_vec(record)?;
    line.push(b'\n');
    // One write: lines of several processes do not mix.
    fs::File::options().create(true).append(true).open(path)?.write_all(&line)
}

/// The records in a file of a run of several programs: those of each program that was begun, if
/// there were markers between them.
pub fn records_by_program(path: &Path) -> io::Result<Vec<Vec<QueryRecord>>> {
    let mut programs = vec![Vec::new()];
    for record in records(path)? {
        if record.is_marker() {
            programs.push(Vec::new());
        } else if let Some(program) = programs.last_mut() {
            program.push(record);
        }
    }
    Ok(programs)
}

/// The records in a file. If there is no file, there were no queries; a line that is cut off is
/// left out.
pub fn records(path: &Path) -> io::Result<Vec<QueryRecord>> {
    let text = match fs::read(path) {
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
            procedure: Some(procedure.to_owned()),
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
    fn markers_part_the_programs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("queries");
        for procedure in ["p", "q", MARKER, MARKER, "p"] {
            append(&path, &record(procedure)).unwrap();
        }
        let programs = records_by_program(&path).unwrap();
        let expected = [vec![record("p"), record("q")], vec![], vec![record("p")]];
        assert_eq!(programs, expected);
    }
}
