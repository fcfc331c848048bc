//! The state folder: a file per finished round, and a folder per finding.
//!
//! A round is stored completely or not at all, even if the process is killed: its findings are written
//! first, and its file is renamed into place when it is complete.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::boogie::{Boogie, Release};
use crate::round::{Counts, Round};

/// A finished round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundRecord {
    /// The number of the round.
    pub round: u64,
    /// The release of Boogie.
    pub release: Release,
    /// The version that Boogie reports.
    #[serde(default)]
    pub boogie: String,
    /// The version of mugie that made the mutants.
    pub version: String,
    /// Wall-clock time in seconds.
    pub seconds: f64,
    /// The counts of the round.
    pub counts: Counts,
}

/// The finished rounds.
#[derive(Debug)]
pub struct StateDir {
    folder: PathBuf,
}

impl StateDir {
    /// Opens the state in a folder, which is created if necessary.
    pub fn open(folder: &Path) -> io::Result<StateDir> {
        fs::create_dir_all(folder.join("findings"))?;
        Ok(StateDir { folder: folder.to_owned() })
    }

    fn path(&self, round: u64, release: Release) -> PathBuf {
        self.folder.join(format!("round-{}-{round:06}.json", release.dialect()))
    }

    /// The first unfinished round of a release.
    pub fn next(&self, release: Release) -> u64 {
        let mut round = 0;
        while self.path(round, release).exists() {
            round += 1;
        }
        round
    }

    /// Stores a round.
    pub fn keep(
        &self,
        number: u64,
        boogie: &Boogie,
        version: &str,
        round: &Round,
    ) -> io::Result<()> {
        let release = boogie.release;
        for finding in &round.findings {
            let name = format!("{}-{}", release.dialect(), finding.name);
            let folder = self.folder.join("findings").join(name);
            fs::create_dir_all(&folder)?;
            for (name, text) in &finding.files {
                fs::write(folder.join(name), text)?;
            }
        }
        let record = RoundRecord {
            round: number,
            release,
            boogie: boogie.version.clone(),
            version: version.to_owned(),
            seconds: round.seconds,
            counts: round.counts.clone(),
        };
        let path = self.path(number, release);
        let part = path.with_extension("part");
        fs::write(&part, serde_json::to_vec_pretty(&record)?)?;
        fs::rename(part, path)
    }

    /// All finished rounds, by release and number.
    pub fn records(&self) -> io::Result<Vec<RoundRecord>> {
        let mut records: Vec<RoundRecord> = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                records.push(serde_json::from_slice(&fs::read(path)?)?);
            }
        }
        records.sort_by_key(|record| (record.release, record.round));
        Ok(records)
    }
}
