//! What is told of each query: one line of JSON, on record before the verifier has its answer.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::input;

/// Bytes of the records of a run, at most.
const MAX_SIZE: u64 = 1 << 30;

/// A question to the solver whether assertions can be met, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QueryRecord {
    /// The process of the tap. A verifier that runs several programs starts one for each.
    pub process: u32,
    /// The number of the program in a run of several, as its [marker](super::Marker) has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<usize>,
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

/// The records of one program in a file of a run of several. `None` if there are some that no
/// [marker](super::Marker) gives to a program.
pub fn records_of_program(path: &Path, program: usize) -> io::Result<Option<Vec<QueryRecord>>> {
    let mut records = records(path)?;
    if records.iter().any(|record| record.program.is_none()) {
        return Ok(None);
    }
    records.retain(|record| record.program == Some(program));
    Ok(Some(records))
}

/// The records in a file. If there is no file, there were no queries; a line that is cut off is
/// left out.
pub fn records(path: &Path) -> io::Result<Vec<QueryRecord>> {
    // It is in the folder of a run, where the verifier can put anything.
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
            program: None,
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
