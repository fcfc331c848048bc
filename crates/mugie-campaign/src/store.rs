//! The store of a campaign: one `SQLite` file with all that is known.
//!
//! Every verdict is on record as soon as it is there, so that a campaign goes on where it was after
//! any end. Mutants are kept as edit scripts. The schema is documented in `book/src/store.md`; its
//! version is the file's `user_version`. What an older release made is `migrate.rs`'s to read. Knows
//! no language, and counts nothing that [`flips`] can count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mugie_core::{Edit, Outcome, Verdict};
use mugie_results::work::Asked;
use mugie_results::{flips, verifies};
use rusqlite::backup::Backup;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, params};
use serde::de::IntoDeserializer as _;
use serde::de::value::Error as NameError;
use serde::{Deserialize, Serialize};

use crate::migrate;
use crate::rows::{
    BaselineRow, BaselineRun, BatchRow, CampaignRow, FlipKey, MutantRow, SeedRow, StoredFlip,
    ToolRow, ToolSettings, VerdictRow,
};

/// Tells a store from other `SQLite` files: "mugi" in ASCII.
const APPLICATION: i32 = 0x6d75_6769;

/// The version of the schema.
pub(super) const VERSION: i32 = 3;

/// How long to wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(30);

/// Pages to copy at a time: all, so that the copy is of one moment.
const PAGES: i32 = i32::MAX;

/// How long to wait before a copy is tried again that somebody who writes is in the way of.
const PAUSE: Duration = Duration::from_millis(50);

/// The table of seeds, without its name.
pub(super) const SEED: &str = "(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, files TEXT NOT NULL UNIQUE, grp TEXT NOT NULL,
  language TEXT NOT NULL, options TEXT NOT NULL, lines INTEGER NOT NULL, hash TEXT NOT NULL
) STRICT";

/// The table of mutants, without its name.
pub(super) const MUTANT: &str = "(
  id INTEGER PRIMARY KEY, seed INTEGER NOT NULL REFERENCES seed,
  batch INTEGER NOT NULL REFERENCES batch, number INTEGER NOT NULL, operators TEXT NOT NULL,
  edits TEXT NOT NULL, hash TEXT NOT NULL,
  UNIQUE (seed, batch, number)
) STRICT";

/// All other tables.
const SCHEMA: &str = "
CREATE TABLE campaign (
  name TEXT NOT NULL, mugie TEXT NOT NULL, plan TEXT NOT NULL, until_failure INTEGER NOT NULL
) STRICT;
CREATE TABLE batch (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, operators TEXT NOT NULL,
  wanted INTEGER NOT NULL, attempts INTEGER NOT NULL, random_seed INTEGER NOT NULL
) STRICT;
CREATE TABLE tool (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, title TEXT NOT NULL, identity TEXT NOT NULL,
  settings TEXT NOT NULL
) STRICT;
CREATE TABLE baseline (
  seed INTEGER NOT NULL REFERENCES seed, tool INTEGER NOT NULL REFERENCES tool,
  outcome TEXT NOT NULL, layout INTEGER NOT NULL, seconds REAL NOT NULL, reason TEXT,
  verdict TEXT NOT NULL, problem TEXT, asked TEXT,
  PRIMARY KEY (seed, tool)
) WITHOUT ROWID, STRICT;
CREATE TABLE baseline_run (
  seed INTEGER NOT NULL REFERENCES seed, tool INTEGER NOT NULL REFERENCES tool,
  step INTEGER NOT NULL, verdict TEXT NOT NULL, seconds REAL NOT NULL, asked TEXT,
  PRIMARY KEY (seed, tool, step)
) WITHOUT ROWID, STRICT;
CREATE TABLE verdict (
  mutant INTEGER NOT NULL REFERENCES mutant, tool INTEGER NOT NULL REFERENCES tool,
  outcome TEXT NOT NULL, unsteady INTEGER NOT NULL, seconds REAL, details TEXT,
  problem TEXT, effort REAL, asked TEXT,
  PRIMARY KEY (mutant, tool)
) WITHOUT ROWID, STRICT;
";

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file is something else.
    #[error("{0} is not the store of a campaign")]
    NoStore(PathBuf),
    /// The file was made by another release.
    #[error(
        "{file} has the schema {found}, and this release of mugie knows {VERSION}, and {} to bring \
         up to date: {}",
        migrate::FROM,
        if *.found > VERSION { "a later release made it" } else { "it is too old" }
    )]
    OtherVersion {
        /// The file.
        file: PathBuf,
        /// Its version.
        found: i32,
    },
    /// The plan does not go with what is in the store.
    #[error("{0}")]
    Changed(String),
    /// The file cannot be read or written.
    #[error("cannot use the store: {0}")]
    Sqlite(rusqlite::Error),
    /// What is in the store cannot be read.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// There are more operators than can be told apart.
    #[error("the mutants in the store were made by {0} operators, more than mugie can tell apart")]
    TooManyOperators(usize),
}

impl From<rusqlite::Error> for StoreError {
    /// A value that is not what its column says is damage, not trouble with the file.
    fn from(error: rusqlite::Error) -> StoreError {
        use rusqlite::Error as E;
        match error {
            E::FromSqlConversionFailure(..)
            | E::IntegralValueOutOfRange(..)
            | E::InvalidColumnType(..)
            | E::Utf8Error(..) => StoreError::Damaged(error.to_string()),
            error => StoreError::Sqlite(error),
        }
    }
}

/// The store of a campaign.
#[derive(Debug)]
pub struct Store {
    connection: Mutex<Connection>,
}

/// What a file is.
enum State {
    /// Empty.
    New,
    /// A store of this release.
    Current,
    /// A store of the previous release.
    Old,
}

/// Opens a file that is a store, or empty.
fn open(file: &Path, flags: OpenFlags) -> Result<(Connection, State), StoreError> {
    let no_store = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::NoStore(file.to_owned()),
        _ => error.into(),
    };
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(PATIENCE)?;
    let pragma = |name: &str| {
        connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0)).map_err(no_store)
    };
    let (application, version) = (pragma("application_id")?, pragma("user_version")?);
    let tables = "SELECT COUNT(*) FROM sqlite_master";
    let is_new = connection.query_row(tables, [], |row| row.get::<_, i64>(0))? == 0;
    let state = match version {
        _ if is_new => State::New,
        _ if application != APPLICATION => return Err(StoreError::NoStore(file.to_owned())),
        VERSION => State::Current,
        migrate::FROM => State::Old,
        found => return Err(StoreError::OtherVersion { file: file.to_owned(), found }),
    };
    Ok((connection, state))
}

/// A crash of mugie loses nothing; a crash of the machine may lose the last verdicts.
fn set_journal(connection: &Connection) -> Result<(), StoreError> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    Ok(connection.pragma_update(None, "synchronous", "NORMAL")?)
}

/// A copy that nobody else sees. It is in memory, and in a temporary file where that is too small.
fn private_copy(connection: &Connection) -> Result<Connection, StoreError> {
    let mut copy = Connection::open("")?;
    Backup::new(connection, &mut copy)?.run_to_completion(PAGES, PAUSE, None)?;
    Ok(copy)
}

impl Store {
    /// Opens a store to write to, or makes one. One of the previous release is migrated.
    pub fn create(file: &Path) -> Result<Store, StoreError> {
        let (mut connection, state) = open(file, OpenFlags::default())?;
        set_journal(&connection)?;
        match state {
            State::Current => {}
            State::New => {
                let transaction = connection.unchecked_transaction()?;
                transaction.execute_batch(&format!(
                    "CREATE TABLE seed {SEED}; CREATE TABLE mutant {MUTANT}; {SCHEMA}"
                ))?;
                transaction.pragma_update(None, "application_id", APPLICATION)?;
                transaction.pragma_update(None, "user_version", VERSION)?;
                transaction.commit()?;
            }
            State::Old => migrate::migrate(&mut connection)?,
        }
        Ok(Store { connection: Mutex::new(connection) })
    }

    /// Opens a store that exists, to read from it. One of the previous release stays as it is: what
    /// is read is a copy that was migrated, which lasts as long as the [`Store`].
    pub fn open(file: &Path) -> Result<Store, StoreError> {
        let flags = OpenFlags::default() - OpenFlags::SQLITE_OPEN_CREATE;
        let (mut connection, state) = open(file, flags)?;
        match state {
            State::Current => set_journal(&connection)?,
            State::New => return Err(StoreError::NoStore(file.to_owned())),
            State::Old => {
                connection = private_copy(&connection)?;
                migrate::migrate(&mut connection)?;
            }
        }
        Ok(Store { connection: Mutex::new(connection) })
    }

    /// The connection, for one thread at a time.
    pub(super) fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what the campaign is about.
    pub fn set_campaign(&self, row: &CampaignRow) -> Result<(), StoreError> {
        let CampaignRow { name, mugie, plan, until_failure } = row;
        let connection = self.lock();
        let transaction = connection.unchecked_transaction()?;
        transaction.execute("DELETE FROM campaign", [])?;
        transaction.execute(
            "INSERT INTO campaign VALUES (?1, ?2, ?3, ?4)",
            params![name, mugie, plan, until_failure],
        )?;
        Ok(transaction.commit()?)
    }

    /// The text of the plan that was run last.
    pub fn plan(&self) -> Result<String, StoreError> {
        let connection = self.lock();
        let mut statement = connection.prepare("SELECT plan FROM campaign")?;
        let text = statement.query_map([], |row| row.get(0))?.next().transpose()?;
        Ok(text.unwrap_or_default())
    }

    /// The names of the seeds, by their files.
    pub fn seed_names(&self) -> Result<BTreeMap<Vec<String>, String>, StoreError> {
        let connection = self.lock();
        let mut statement = connection.prepare("SELECT files, name FROM seed")?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?;
        rows.map(|row| {
            let (files, name) = row?;
            Ok((from_json(&files)?, name))
        })
        .collect()
    }

    /// The id of a seed, which is added if it is new. A seed of that name must be the same; how it
    /// is read is noted anew, because a store of an older release may not know it.
    pub fn seed(&self, row: &SeedRow) -> Result<i64, StoreError> {
        let SeedRow { name, files, group, language, options, lines, hash } = row;
        let (files, options) = (to_json(files)?, to_json(options)?);
        let id = self.add(
            ("seed", name),
            "SELECT id, language || ' ' || hash FROM seed WHERE name = ?1",
            &format!("{language} {hash}"),
            |transaction| {
                transaction.execute(
                    "INSERT INTO seed (name, files, grp, language, options, lines, hash)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                    params![name, files, group, language, options, lines, hash],
                )
            },
        )?;
        let update = "UPDATE seed SET options = ?2 WHERE id = ?1 AND options <> ?2";
        self.lock().execute(update, params![id, options])?;
        Ok(id)
    }

    /// The id of a batch, which is added if it is new. A batch of that name must draw the same
    /// mutants; how many of them is a matter of the plan.
    pub fn batch(&self, row: &BatchRow) -> Result<i64, StoreError> {
        let BatchRow { name, operators, wanted, attempts, random_seed } = row;
        let attempts = attempts.cast_signed();
        let id = self.add(
            ("batch", name),
            "SELECT id, operators || ' ' || random_seed FROM batch WHERE name = ?1",
            &format!("{operators} {}", random_seed.cast_signed()),
            |transaction| {
                transaction.execute(
                    "INSERT INTO batch (name, operators, wanted, attempts, random_seed)
                     VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![name, operators, wanted, attempts, random_seed.cast_signed()],
                )
            },
        )?;
        self.lock().execute(
            "UPDATE batch SET wanted = ?2, attempts = ?3 WHERE id = ?1",
            params![id, wanted, attempts],
        )?;
        Ok(id)
    }

    /// The id of a tool, which is added if it is new. A tool of that name must be the same.
    pub fn tool(&self, row: &ToolRow) -> Result<i64, StoreError> {
        let ToolRow { name, title, identity, settings } = row;
        let settings = to_json(settings)?;
        self.add(
            ("tool", name),
            "SELECT id, identity FROM tool WHERE name = ?1",
            identity,
            |transaction| {
                transaction.execute(
                    "INSERT INTO tool (name, title, identity, settings) VALUES (?1, ?2, ?3, ?4)",
                    params![name, title, identity, settings],
                )
            },
        )
    }

    /// The id of a thing, which is added if it is new. Its content must be what it was.
    fn add(
        &self,
        (what, name): (&str, &str),
        query: &str,
        content: &str,
        insert: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<usize>,
    ) -> Result<i64, StoreError> {
        let connection = self.lock();
        let transaction = connection.unchecked_transaction()?;
        let known = transaction
            .prepare_cached(query)?
            .query_map([name], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?
            .next()
            .transpose()?;
        if let Some((id, known)) = known {
            if known == content {
                return Ok(id);
            }
            return Err(StoreError::Changed(format!(
                "the {what} `{name}` is not the one that is in the store: give it another name, or \
                 start with another store"
            )));
        }
        insert(&transaction)?;
        let id = transaction.last_insert_rowid();
        transaction.commit()?;
        Ok(id)
    }

    /// What a tool says of a seed, if it is known.
    pub fn baseline(&self, seed: i64, tool: i64) -> Result<Option<BaselineRow>, StoreError> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached(
            "SELECT verdict, layout, seconds, asked FROM baseline WHERE seed = ?1 AND tool = ?2",
        )?;
        let row = statement
            .query_map([seed, tool], |row| {
                let asked = row.get::<_, Option<String>>(3)?;
                Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?, asked))
            })?
            .next()
            .transpose()?;
        let Some((verdict, layout, seconds, asked)) = row else { return Ok(None) };
        let asked = asked.as_deref().map(from_json).transpose()?;
        Ok(Some(BaselineRow { verdict: from_json(&verdict)?, layout, seconds, asked }))
    }

    /// A run for the baseline, if it was done already.
    pub fn baseline_run(
        &self,
        (seed, tool): (i64, i64),
        step: u32,
    ) -> Result<Option<BaselineRun>, StoreError> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached(
            "SELECT verdict, seconds, asked FROM baseline_run
             WHERE seed = ?1 AND tool = ?2 AND step = ?3",
        )?;
        let row = statement
            .query_map(params![seed, tool, step], |row| {
                Ok((row.get::<_, String>(0)?, row.get(1)?, row.get::<_, Option<String>>(2)?))
            })?
            .next()
            .transpose()?;
        let Some((verdict, seconds, asked)) = row else { return Ok(None) };
        let asked = asked.as_deref().map(from_json).transpose()?;
        Ok(Some(BaselineRun { verdict: from_json(&verdict)?, seconds, asked }))
    }

    /// Notes a run for the baseline.
    pub fn add_baseline_run(
        &self,
        (seed, tool): (i64, i64),
        step: u32,
        run: &BaselineRun,
    ) -> Result<(), StoreError> {
        let BaselineRun { verdict, seconds, asked } = run;
        let asked = asked.as_ref().map(to_json).transpose()?;
        self.lock().execute(
            "INSERT OR REPLACE INTO baseline_run VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![seed, tool, step, to_json(verdict)?, seconds, asked],
        )?;
        Ok(())
    }

    /// Notes what a tool says of a seed.
    pub fn add_baseline(
        &self,
        (seed, tool): (i64, i64),
        row: &BaselineRow,
    ) -> Result<(), StoreError> {
        let BaselineRow { verdict, layout, seconds, asked } = row;
        self.lock().execute(
            "INSERT OR REPLACE INTO baseline VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            params![
                seed,
                tool,
                outcome_name(verdict.outcome),
                layout,
                seconds,
                verdict.reason,
                to_json(verdict)?,
                asked.as_ref().map(Asked::problem),
                asked.as_ref().map(to_json).transpose()?,
            ],
        )?;
        Ok(())
    }

    /// The ids of a batch's mutants of a seed, which are added if they are new.
    pub fn mutants(
        &self,
        (seed, batch): (i64, i64),
        rows: &[MutantRow],
    ) -> Result<Vec<i64>, StoreError> {
        let connection = self.lock();
        let transaction = connection.unchecked_transaction()?;
        let mut ids = Vec::with_capacity(rows.len());
        {
            let mut known = BTreeMap::new();
            let mut select = transaction.prepare_cached(
                "SELECT number, id, hash FROM mutant WHERE seed = ?1 AND batch = ?2",
            )?;
            let found = select.query_map([seed, batch], |row| {
                Ok((row.get::<_, usize>(0)?, (row.get::<_, i64>(1)?, row.get::<_, String>(2)?)))
            })?;
            for row in found {
                let (number, mutant) = row?;
                known.insert(number, mutant);
            }
            let mut insert = transaction.prepare_cached(
                "INSERT INTO mutant (seed, batch, number, operators, edits, hash)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?;
            for MutantRow { number, edits, hash } in rows {
                match known.get(number) {
                    Some((id, known)) if known == hash => ids.push(*id),
                    Some(_) => {
                        return Err(StoreError::Changed(format!(
                            "mutant {number} of a seed comes out different now: the store was made by \
                             a release of mugie with other rules"
                        )));
                    }
                    None => {
                        let (operators, edits) = (operators_text(edits)?, to_json(edits)?);
                        insert.execute(params![seed, batch, number, operators, edits, hash])?;
                        ids.push(transaction.last_insert_rowid());
                    }
                }
            }
        }
        transaction.commit()?;
        Ok(ids)
    }

    /// The verdicts of a tool that are known for a batch of a seed: the mutant's id and outcome.
    pub fn known(
        &self,
        (seed, batch, tool): (i64, i64, i64),
    ) -> Result<BTreeMap<i64, Outcome>, StoreError> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached(
            "SELECT verdict.mutant, verdict.outcome FROM mutant
             JOIN verdict ON verdict.mutant = mutant.id
             WHERE mutant.seed = ?1 AND mutant.batch = ?2 AND verdict.tool = ?3",
        )?;
        let rows = statement.query_map([seed, batch, tool], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
        })?;
        rows.map(|row| {
            let (mutant, outcome) = row?;
            Ok((mutant, outcome_of(&outcome)?))
        })
        .collect()
    }

    /// Notes verdicts, all or none.
    pub fn add_verdicts(&self, rows: &[VerdictRow]) -> Result<(), StoreError> {
        let connection = self.lock();
        let transaction = connection.unchecked_transaction()?;
        {
            let mut insert = transaction.prepare_cached(
                "INSERT OR REPLACE INTO verdict VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?;
            for row in rows {
                let VerdictRow { outcome, unsteady, seconds, details, asked, effort, .. } = row;
                insert.execute(params![
                    row.mutant,
                    row.tool,
                    outcome_name(*outcome),
                    unsteady,
                    seconds,
                    details.as_ref().map(to_json).transpose()?,
                    asked.as_ref().map(Asked::problem),
                    effort,
                    asked.as_ref().map(to_json).transpose()?,
                ])?;
            }
        }
        Ok(transaction.commit()?)
    }

    /// How many verdicts are known, and how many of them are not their seed's.
    pub fn progress(&self) -> Result<(usize, usize), StoreError> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached(
            "SELECT baseline.outcome, verdict.outcome, COUNT(*)
             FROM verdict JOIN mutant ON mutant.id = verdict.mutant
             JOIN baseline ON baseline.seed = mutant.seed AND baseline.tool = verdict.tool
             GROUP BY 1, 2",
        )?;
        let rows = statement.query_map([], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, usize>(2)?))
        })?;
        let (mut known, mut flipped) = (0, 0);
        for row in rows {
            let (seed, mutant, number) = row?;
            let (seed, mutant) = (outcome_of(&seed)?, outcome_of(&mutant)?);
            known += if verifies(mutant).is_some() { number } else { 0 };
            flipped += if flips(seed, mutant) == Some(true) { number } else { 0 };
        }
        Ok((known, flipped))
    }

    /// The command line of each tool, in the order of their ids, with `{files}` where files go.
    pub fn commands(&self) -> Result<Vec<Vec<String>>, StoreError> {
        let connection = self.lock();
        let mut statement = connection.prepare("SELECT settings FROM tool ORDER BY id")?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        rows.map(|settings| Ok(from_json::<ToolSettings>(&settings?)?.command)).collect()
    }

    /// The recipe of each batch, in the order of their ids.
    pub fn batches(&self) -> Result<Vec<BatchRow>, StoreError> {
        let connection = self.lock();
        let mut statement = connection.prepare(
            "SELECT name, operators, wanted, attempts, random_seed FROM batch ORDER BY id",
        )?;
        let rows = statement.query_map([], |row| {
            Ok(BatchRow {
                name: row.get(0)?,
                operators: row.get(1)?,
                wanted: row.get(2)?,
                attempts: row.get::<_, i64>(3)?.cast_unsigned(),
                random_seed: row.get::<_, i64>(4)?.cast_unsigned(),
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The hash of a seed, and the whole verdict of each tool on it.
    pub fn seed_verdicts(
        &self,
        name: &str,
    ) -> Result<(String, BTreeMap<String, Verdict>), StoreError> {
        let connection = self.lock();
        let hash =
            connection
                .query_row("SELECT hash FROM seed WHERE name = ?1", [name], |row| row.get(0))?;
        let mut statement = connection.prepare_cached(
            "SELECT tool.name, baseline.verdict FROM baseline JOIN tool ON tool.id = baseline.tool
             JOIN seed ON seed.id = baseline.seed WHERE seed.name = ?1",
        )?;
        let rows = statement
            .query_map([name], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?
            .collect::<rusqlite::Result<Vec<(String, String)>>>()?;
        let verdicts = rows.into_iter().map(|(tool, verdict)| Ok((tool, from_json(&verdict)?)));
        Ok((hash, verdicts.collect::<Result<_, StoreError>>()?))
    }

    /// The edits of a mutant, its hash, and what a tool said of it.
    pub fn flip(&self, key: &FlipKey<'_>) -> Result<StoredFlip, StoreError> {
        let FlipKey { seed, batch, number, tool } = key;
        let connection = self.lock();
        let mut statement = connection.prepare_cached(
            "SELECT mutant.edits, mutant.hash, verdict.details FROM mutant
             JOIN seed ON seed.id = mutant.seed JOIN batch ON batch.id = mutant.batch
             JOIN verdict ON verdict.mutant = mutant.id JOIN tool ON tool.id = verdict.tool
             WHERE seed.name = ?1 AND batch.name = ?2 AND mutant.number = ?3 AND tool.name = ?4",
        )?;
        let (edits, hash, details) = statement
            .query_row(params![seed, batch, number, tool], |row| {
                Ok((row.get::<_, String>(0)?, row.get(1)?, row.get::<_, Option<String>>(2)?))
            })?;
        let details = details.map(|details| from_json(&details)).transpose()?;
        Ok(StoredFlip { edits: from_json(&edits)?, hash, details })
    }
}

/// The operators among some edits as the store keeps them: their names in order, as JSON, so that
/// equal sets are equal texts.
fn operators_text(edits: &[Edit]) -> Result<String, StoreError> {
    let operators: BTreeSet<&str> = edits.iter().map(|edit| edit.operator.as_str()).collect();
    to_json(&operators)
}

/// The name of an outcome in the store.
fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Verified => "verified",
        Outcome::Inconclusive => "inconclusive",
        Outcome::OutOfResource => "out-of-resource",
        Outcome::OutOfMemory => "out-of-memory",
        Outcome::TimedOut => "timed-out",
        Outcome::Failed => "failed",
        Outcome::Rejected => "rejected",
        Outcome::Crashed => "crashed",
        Outcome::ToolError => "tool-error",
        Outcome::NotExpressible => "not-expressible",
    }
}

/// The outcome of a name in the store.
pub(super) fn outcome_of(name: &str) -> Result<Outcome, StoreError> {
    let name: serde::de::value::StrDeserializer<'_, NameError> = name.into_deserializer();
    Outcome::deserialize(name).map_err(|error| StoreError::Damaged(error.to_string()))
}

pub(super) fn to_json(value: &(impl Serialize + ?Sized)) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Damaged(error.to_string()))
}

pub(super) fn from_json<T: for<'de> Deserialize<'de>>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Damaged(error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use mugie_core::{Options, Place};
    use mugie_results::work::Task;
    use mugie_verifiers::Limits;

    use super::*;

    const KNOWN: [&str; 2] = ["S1", "G2"];

    fn campaign(until_failure: bool) -> CampaignRow {
        let [name, mugie, plan] = ["c", "0.1", "plan"].map(str::to_owned);
        CampaignRow { name, mugie, plan, until_failure }
    }

    fn seed(name: &str, hash: &str) -> SeedRow {
        SeedRow {
            name: name.to_owned(),
            files: vec![format!("A_{name}/{name}.bpl"), "b.bpl".to_owned()],
            group: "A".to_owned(),
            language: "boogie".to_owned(),
            options: [("dialect".to_owned(), "2".to_owned())].into_iter().collect(),
            lines: 7,
            hash: hash.to_owned(),
        }
    }

    fn batch(wanted: usize) -> BatchRow {
        let (name, operators) = ("*".to_owned(), "paper".to_owned());
        BatchRow { name, operators, wanted, attempts: 100, random_seed: u64::MAX }
    }

    fn tool(identity: &str) -> ToolRow {
        let [name, title] = ["t", "Tool 1"].map(str::to_owned);
        let (command, limits) = (Vec::new(), Limits::default());
        let settings = ToolSettings { command, limits, confirm: 2, batches: true, tap: false };
        ToolRow { name, title, identity: identity.to_owned(), settings }
    }

    fn mutant(number: usize, operator: &str) -> MutantRow {
        let edit = Edit::new(operator, Place::Program { at: 1 }, "do");
        MutantRow { number, edits: vec![edit.clone(), edit], hash: format!("{number:x}") }
    }

    fn verdict(mutant: i64, tool: i64, outcome: Outcome) -> VerdictRow {
        VerdictRow {
            mutant,
            tool,
            outcome,
            unsteady: false,
            seconds: Some(0.5),
            details: None,
            asked: None,
            effort: None,
        }
    }

    #[test]
    fn what_is_added_is_there_after_opening_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store.sqlite");
        let store = Store::create(&file).unwrap();
        store.set_campaign(&campaign(false)).unwrap();
        let (b, a) = (store.seed(&seed("b", "1")).unwrap(), store.seed(&seed("a", "2")).unwrap());
        let (batch, tool) = (store.batch(&batch(3)).unwrap(), store.tool(&tool("x")).unwrap());
        let task = Task { problem: "00000000000000ab".to_owned(), effort: Some(7) };
        let asked = Asked([("p".to_owned(), task)].into());
        let row = BaselineRow {
            verdict: Verdict::of_program(Outcome::Verified, ""),
            layout: false,
            seconds: 1.5,
            asked: Some(asked.clone()),
        };
        store.add_baseline((a, tool), &row).unwrap();
        let ids = store.mutants((a, batch), &[mutant(1, "S1"), mutant(2, "G2")]).unwrap();
        let more = store.mutants((b, batch), &[mutant(1, "S1")]).unwrap();
        store
            .add_verdicts(&[
                verdict(ids[1], tool, Outcome::TimedOut),
                VerdictRow {
                    asked: Some(asked.clone()),
                    effort: Some(1.5),
                    ..verdict(more[0], tool, Outcome::Verified)
                },
            ])
            .unwrap();
        drop(store);

        let store = Store::open(&file).unwrap();
        assert_eq!(store.baseline(a, tool).unwrap(), Some(row));
        assert_eq!(store.baseline(b, tool).unwrap(), None);
        // The same again is the same.
        assert_eq!(store.seed(&seed("a", "2")).unwrap(), a);
        assert_eq!(store.mutants((a, batch), &[mutant(2, "G2")]).unwrap(), [ids[1]]);
        let known = store.known((a, batch, tool)).unwrap();
        assert_eq!(known, BTreeMap::from([(ids[1], Outcome::TimedOut)]));
        let data = store.load(&KNOWN).unwrap();
        let names: Vec<_> = data.seeds.iter().map(|seed| seed.name.as_str()).collect();
        assert_eq!((data.name.as_str(), names), ("c", vec!["a", "b"]));
        assert_eq!(data.mutants.len(), 3);
        assert_eq!((data.mutants[0].seed, data.mutants[0].edits), (0, 2));
        assert_eq!(data.operators, KNOWN);
        let bits: Vec<u128> = data.mutants.iter().map(|mutant| mutant.operators).collect();
        assert_eq!(bits, [1, 2, 1]);
        let seed = &data.seeds[0];
        assert_eq!(seed.files, ["A_a/a.bpl", "b.bpl"]);
        assert_eq!((seed.language.as_str(), seed.options.get("dialect")), ("boogie", Some("2")));
        let verdicts: Vec<_> = data.verdicts.iter().map(|it| (it.mutant, it.outcome)).collect();
        assert_eq!(verdicts, [(1, Outcome::TimedOut), (2, Outcome::Verified)]);
        let problem = u64::from_str_radix(&asked.problem(), 16).ok();
        let solver: Vec<_> = data.verdicts.iter().map(|it| (it.problem, it.effort)).collect();
        assert_eq!(solver, [(None, None), (problem, Some(1.5))]);
    }

    #[test]
    fn a_batch_can_grow_and_shrink() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::create(&folder.path().join("store.sqlite")).unwrap();
        let a = store.seed(&seed("a", "1")).unwrap();
        let id = store.batch(&batch(2)).unwrap();
        store.mutants((a, id), &[mutant(1, "S1"), mutant(2, "S1")]).unwrap();
        assert_eq!(store.batch(&batch(1)).unwrap(), id);
        assert_eq!(store.load(&KNOWN).unwrap().mutants.len(), 1);
        assert_eq!(store.batch(&batch(3)).unwrap(), id);
        assert_eq!(store.load(&KNOWN).unwrap().mutants.len(), 2);
    }

    #[test]
    fn what_was_run_beyond_the_first_flip_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::create(&folder.path().join("store.sqlite")).unwrap();
        let a = store.seed(&seed("a", "1")).unwrap();
        let (batch, tool) = (store.batch(&batch(9)).unwrap(), store.tool(&tool("x")).unwrap());
        let verified = Verdict::of_program(Outcome::Verified, "");
        let row = BaselineRow { verdict: verified, layout: false, seconds: 0.1, asked: None };
        store.add_baseline((a, tool), &row).unwrap();
        let ids = store.mutants((a, batch), &[1, 2, 3, 4].map(|number| mutant(number, "S1")));
        let outcomes = [Outcome::Verified, Outcome::Failed, Outcome::Verified, Outcome::Failed];
        let rows: Vec<_> = ids
            .unwrap()
            .into_iter()
            .zip(outcomes)
            .map(|(id, outcome)| verdict(id, tool, outcome))
            .collect();
        store.add_verdicts(&rows).unwrap();
        assert_eq!(store.progress().unwrap(), (4, 2));
        for (until_failure, known) in [(false, 4), (true, 2)] {
            store.set_campaign(&campaign(until_failure)).unwrap();
            assert_eq!(store.load(&KNOWN).unwrap().verdicts.len(), known);
        }
    }

    #[test]
    fn what_changed_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::create(&folder.path().join("store.sqlite")).unwrap();
        let a = store.seed(&seed("a", "1")).unwrap();
        let batch_id = store.batch(&batch(3)).unwrap();
        store.tool(&tool("x")).unwrap();
        store.mutants((a, batch_id), &[mutant(1, "S1")]).unwrap();
        let refused = |result: Result<i64, StoreError>| result.unwrap_err().to_string();
        assert!(refused(store.seed(&seed("a", "2"))).contains("the seed `a` is not the one"));
        let other = BatchRow { random_seed: 2, ..batch(3) };
        assert!(refused(store.batch(&other)).contains("the batch `*` is not the one"));
        assert!(refused(store.tool(&tool("y"))).contains("the tool `t` is not the one"));
        let other = MutantRow { hash: "other".to_owned(), ..mutant(1, "S1") };
        let error = store.mutants((a, batch_id), &[other]).unwrap_err().to_string();
        assert!(error.contains("comes out different"), "{error}");
    }

    #[test]
    fn other_files_are_no_stores() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("other");
        assert!(Store::open(&file).is_err());
        fs::write(&file, "not a database".repeat(1000)).unwrap();
        assert!(matches!(Store::create(&file), Err(StoreError::NoStore(_))));
        let file = folder.path().join("foreign");
        Connection::open(&file).unwrap().execute("CREATE TABLE t (x)", []).unwrap();
        assert!(matches!(Store::create(&file), Err(StoreError::NoStore(_))));
        let file = folder.path().join("newer");
        drop(Store::create(&file).unwrap());
        Connection::open(&file).unwrap().pragma_update(None, "user_version", 9).unwrap();
        let error = Store::create(&file).unwrap_err().to_string();
        assert!(error.ends_with("a later release made it"), "{error}");
        Connection::open(&file).unwrap().pragma_update(None, "user_version", 1).unwrap();
        let error = Store::open(&file).unwrap_err();
        assert!(matches!(error, StoreError::OtherVersion { found: 1, .. }));
        assert!(error.to_string().ends_with("it is too old"), "{error}");
    }

    #[test]
    fn outcomes_have_the_names_that_serde_gives_them() {
        for outcome in [
            Outcome::Verified,
            Outcome::Inconclusive,
            Outcome::OutOfResource,
            Outcome::OutOfMemory,
            Outcome::TimedOut,
            Outcome::Failed,
            Outcome::Rejected,
            Outcome::Crashed,
            Outcome::ToolError,
        ] {
            assert_eq!(outcome_of(outcome_name(outcome)).unwrap(), outcome);
        }
        assert!(matches!(outcome_of("fine"), Err(StoreError::Damaged(_))));
    }

    #[test]
    fn how_a_seed_is_read_is_noted_anew() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::create(&folder.path().join("store.sqlite")).unwrap();
        let id = store.seed(&seed("a", "1")).unwrap();
        let options: Options = [("dialect".to_owned(), "3".to_owned())].into_iter().collect();
        let again = SeedRow { options: options.clone(), ..seed("a", "1") };
        assert_eq!(store.seed(&again).unwrap(), id);
        assert_eq!(store.load(&KNOWN).unwrap().seeds[0].options, options);
        let other = SeedRow { language: "smt-lib".to_owned(), ..seed("a", "1") };
        assert!(store.seed(&other).is_err());
    }

    #[test]
    fn four_runs_can_make_a_baseline() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::create(&folder.path().join("store.sqlite")).unwrap();
        let key = (store.seed(&seed("a", "1")).unwrap(), store.tool(&tool("x")).unwrap());
        let verdict = Verdict::of_program(Outcome::Verified, "");
        let run = BaselineRun { verdict, seconds: 0.5, asked: None };
        for step in 0..4 {
            store.add_baseline_run(key, step, &run).unwrap();
            assert_eq!(store.baseline_run(key, step).unwrap().as_ref(), Some(&run));
        }
    }

    #[test]
    fn damage_is_told_and_nothing_else_taken_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store.sqlite");
        let store = Store::create(&file).unwrap();
        let a = store.seed(&seed("a", "1")).unwrap();
        let (batch, tool) = (store.batch(&batch(9)).unwrap(), store.tool(&tool("x")).unwrap());
        let verified = Verdict::of_program(Outcome::Verified, "");
        let row = BaselineRow { verdict: verified, layout: false, seconds: 0.1, asked: None };
        store.add_baseline((a, tool), &row).unwrap();
        let ids = store.mutants((a, batch), &[mutant(1, "S1")]).unwrap();
        store.add_verdicts(&[verdict(ids[0], tool, Outcome::Failed)]).unwrap();
        assert!(store.load(&KNOWN).is_ok());
        for (table, column, value, right) in [
            ("verdict", "outcome", "'fine'", "'failed'"),
            ("verdict", "problem", "'no number'", "NULL"),
            ("baseline", "outcome", "''", "'verified'"),
            ("mutant", "operators", "'S1'", "'[\"S1\"]'"),
            ("mutant", "number", "-1", "1"),
            ("seed", "lines", "-7", "7"),
            ("seed", "options", "'[]'", "'{}'"),
            ("batch", "wanted", "-1", "9"),
        ] {
            let set = |value| {
                store.lock().execute(&format!("UPDATE {table} SET {column} = {value}"), []).unwrap()
            };
            set(value);
            let error = store.load(&KNOWN).unwrap_err();
            assert!(matches!(error, StoreError::Damaged(_)), "{table}.{column}: {error:?}");
            set(right);
            assert!(store.load(&KNOWN).is_ok(), "{table}.{column}");
        }
    }

    #[test]
    fn operators_of_other_releases_come_last() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::create(&folder.path().join("store.sqlite")).unwrap();
        let a = store.seed(&seed("a", "1")).unwrap();
        let batch = store.batch(&batch(999)).unwrap();
        let names = ["z", "G2", "S1", "a"];
        let rows: Vec<_> = (1..).zip(names).map(|(number, name)| mutant(number, name)).collect();
        store.mutants((a, batch), &rows).unwrap();
        let data = store.load(&KNOWN).unwrap();
        assert_eq!(data.operators, ["S1", "G2", "a", "z"]);
        let bits: Vec<u128> = data.mutants.iter().map(|mutant| mutant.operators).collect();
        assert_eq!(bits, [8, 2, 1, 4]);

        let many: Vec<_> = (5..140).map(|number| mutant(number, &format!("o{number}"))).collect();
        store.mutants((a, batch), &many).unwrap();
        assert!(matches!(store.load(&KNOWN), Err(StoreError::TooManyOperators(139))));
    }
}
