//! The store of a campaign: one `SQLite` file with all results.
//!
//! Every verdict is recorded as soon as it is known, so that a campaign can continue after any
//! interruption. Mutants are stored as edit scripts. The schema is documented in `book/src/store.md`;
//! its version is the file's `user_version`. `migrate.rs` reads stores of older releases, and `planned.rs`
//! notes what the plan that was run last asks for. This module knows no language, and counts nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mugie_core::{Edit, Outcome, Verdict};
use mugie_results::work::SolverWork;
use mugie_verifiers::input;
use rusqlite::backup::Backup;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, params};
use serde::de::IntoDeserializer as _;
use serde::de::value::Error as NameError;
use serde::{Deserialize, Serialize};

use crate::ids::{BatchId, MutantId, SeedId, ToolId};
use crate::migrate;
use crate::planned::{DRAWN, PLANNED, SETTING, UNUSABLE, is_planned, place};
use crate::rows::{
    BaselineRow, BaselineRun, BatchRow, CampaignRow, DroppedRow, FlipKey, MutantRow, SeedReading,
    StoredFlip, ToolRow, ToolSettings, VerdictRow,
};

/// Distinguishes a store from other `SQLite` files: "mugi" in ASCII.
const APPLICATION: i32 = 0x6d75_6769;

/// The version of the schema.
pub(super) const VERSION: i32 = 3;

/// How long to wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(30);

/// Pages to copy at a time: all, so that the copy is a consistent snapshot.
const PAGES: i32 = i32::MAX;

/// How long to wait before retrying a copy that a writer blocked.
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

/// The table of mutants that were left out, without its name.
const DROPPED: &str = "(
  mutant INTEGER PRIMARY KEY REFERENCES mutant, operator TEXT NOT NULL, reason TEXT NOT NULL
) STRICT";

/// The tables that older stores of schema 3 do not have, and get when they are written to.
const LATER: [(&str, &str); 5] = [
    ("dropped", DROPPED),
    ("planned", PLANNED),
    ("setting", SETTING),
    ("drawn", DRAWN),
    ("unusable", UNUSABLE),
];

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file is not a store.
    #[error("{0} is not the store of a campaign")]
    NoStore(PathBuf),
    /// The file was made by another release.
    #[error(
        "{file} has the schema {found}, but this release of mugie reads {VERSION} and upgrades {}: \
         {}",
        migrate::FROM,
        if *.found > VERSION { "a newer release made it" } else { "it is too old" }
    )]
    OtherVersion {
        /// The file.
        file: PathBuf,
        /// The version of its schema.
        found: i32,
    },
    /// The plan contradicts the contents of the store.
    #[error("{0}")]
    Changed(String),
    /// Something other than a file is in the place of the store, or of a file that belongs to it.
    #[error("{}: {error}", file.display())]
    Unfit {
        /// The path.
        file: PathBuf,
        /// What is in its place.
        error: io::Error,
    },
    /// The file cannot be read or written.
    #[error("cannot use the store: {0}")]
    Sqlite(rusqlite::Error),
    /// The contents of the store cannot be read.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// There are more operators than mugie can distinguish.
    #[error("the mutants in the store were made by {0} operators, more than mugie can tell apart")]
    TooManyOperators(usize),
}

impl From<rusqlite::Error> for StoreError {
    /// A value of the wrong type is damage, not a problem with the file.
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

/// The state of a store's file.
enum Schema {
    /// Empty.
    New,
    /// A store of this release.
    Current,
    /// A store of the previous release.
    Old,
}

/// Opens a file that is a store, or empty.
fn open(file: &Path, flags: OpenFlags) -> Result<(Connection, Schema), StoreError> {
    let no_store = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::NoStore(file.to_owned()),
        _ => error.into(),
    };
    input::check_database(file).map_err(|(file, error)| StoreError::Unfit { file, error })?;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(PATIENCE)?;
    let pragma = |name: &str| {
        connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0)).map_err(no_store)
    };
    let (application, version) = (pragma("application_id")?, pragma("user_version")?);
    let tables = "SELECT COUNT(*) FROM sqlite_master";
    let is_new = connection.query_row(tables, [], |row| row.get::<_, i64>(0))? == 0;
    let state = match version {
        _ if is_new => Schema::New,
        _ if application != APPLICATION => return Err(StoreError::NoStore(file.to_owned())),
        VERSION => Schema::Current,
        migrate::FROM => Schema::Old,
        found => return Err(StoreError::OtherVersion { file: file.to_owned(), found }),
    };
    Ok((connection, state))
}

/// The statements that make the tables of a new store.
fn schema() -> String {
    format!("CREATE TABLE seed {SEED}; CREATE TABLE mutant {MUTANT}; {SCHEMA}")
}

/// Sets the journal mode: a crash of mugie loses nothing; a crash of the machine may lose the last
/// verdicts.
fn set_journal(connection: &Connection) -> Result<(), StoreError> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    Ok(connection.pragma_update(None, "synchronous", "NORMAL")?)
}

/// A private copy, in memory or in a temporary file if it is too large.
fn private_copy(connection: &Connection) -> Result<Connection, StoreError> {
    let mut copy = Connection::open("")?;
    Backup::new(connection, &mut copy)?.run_to_completion(PAGES, PAUSE, None)?;
    Ok(copy)
}

impl Store {
    /// Opens or creates a store for writing. A store of the previous release is migrated.
    pub fn create(file: &Path) -> Result<Store, StoreError> {
        let (mut connection, state) = open(file, OpenFlags::default())?;
        set_journal(&connection)?;
        match state {
            Schema::Current => {}
            Schema::New => {
                let transaction = connection.unchecked_transaction()?;
                transaction.execute_batch(&schema())?;
                transaction.pragma_update(None, "application_id", APPLICATION)?;
                transaction.pragma_update(None, "user_version", VERSION)?;
                transaction.commit()?;
            }
            Schema::Old => migrate::migrate(&mut connection)?,
        }
        for (name, columns) in LATER {
            connection.execute_batch(&format!("CREATE TABLE IF NOT EXISTS {name} {columns}"))?;
        }
        Ok(Store { connection: Mutex::new(connection) })
    }

    /// Opens an existing store for reading. A store of the previous release is left unchanged: reads
    /// use a migrated copy, which lasts as long as the [`Store`].
    pub fn open(file: &Path) -> Result<Store, StoreError> {
        let flags = OpenFlags::default() - OpenFlags::SQLITE_OPEN_CREATE;
        let (mut connection, state) = open(file, flags)?;
        match state {
            Schema::Current => set_journal(&connection)?,
            Schema::New => return Err(StoreError::NoStore(file.to_owned())),
            Schema::Old => {
                connection = private_copy(&connection)?;
                migrate::migrate(&mut connection)?;
            }
        }
        // Who only reads changes nothing: missing tables exist for this connection alone.
        for (name, columns) in LATER {
            if !connection.table_exists(Some("main"), name)? {
                connection.execute_batch(&format!("CREATE TEMP TABLE {name} {columns}"))?;
            }
        }
        Ok(Store { connection: Mutex::new(connection) })
    }

    /// A private copy of a store, or an empty one, for finding out what a plan would mean to it. It lasts as
    /// long as the [`Store`], and leaves the file as it is.
    pub fn draft(file: &Path) -> Result<Store, StoreError> {
        let connection = if file.exists() {
            private_copy(&Store::open(file)?.lock())?
        } else {
            Connection::open("")?
        };
        if !connection.table_exists(None, "campaign")? {
            connection.execute_batch(&schema())?;
        }
        for (name, columns) in LATER {
            connection.execute_batch(&format!("CREATE TABLE IF NOT EXISTS {name} {columns}"))?;
        }
        Ok(Store { connection: Mutex::new(connection) })
    }

    /// The connection, for one thread at a time.
    pub(super) fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the description of the campaign.
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

    /// How the seeds were read.
    pub fn seed_readings(&self) -> Result<Vec<SeedReading>, StoreError> {
        let connection = self.lock();
        let mut statement = connection.prepare("SELECT name, files, options, hash FROM seed")?;
        let rows = statement.query_map([], |row| {
            let (name, files, options, hash) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            Ok((name, files, options, hash))
        })?;
        rows.map(|row| {
            let (name, files, options, hash): (String, String, String, String) = row?;
            let (files, options) = (from_json(&files)?, from_json(&options)?);
            Ok(SeedReading { name, files, options, hash })
        })
        .collect()
    }

    /// The id of a batch, which is added if it is new. An existing batch with that name must draw the
    /// same mutants; their number may differ.
    pub fn batch(&self, row: &BatchRow) -> Result<BatchId, StoreError> {
        let BatchRow { name, wanted, attempts, random_seed, .. } = row;
        let choice = row.choice();
        let attempts = attempts.cast_signed();
        let id = self.add(
            "batch",
            name,
            "SELECT id, operators || ' ' || random_seed FROM batch WHERE name = ?1",
            &format!("{choice} {}", random_seed.cast_signed()),
            |transaction| {
                transaction.execute(
                    "INSERT INTO batch (name, operators, wanted, attempts, random_seed)
                     VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![name, choice, wanted, attempts, random_seed.cast_signed()],
                )
            },
        )?;
        let connection = self.lock();
        // With more attempts, there may be mutants that were not found before.
        connection.execute(
            "DELETE FROM drawn WHERE batch = ?1
             AND ?2 > (SELECT attempts FROM batch WHERE id = ?1)",
            params![id, attempts],
        )?;
        connection.execute(
            "UPDATE batch SET wanted = ?2, attempts = ?3 WHERE id = ?1",
            params![id, wanted, attempts],
        )?;
        Ok(BatchId(id))
    }

    /// The id of a tool, which is added if it is new. An existing tool with that name must be the
    /// same.
    pub fn tool(&self, row: &ToolRow) -> Result<ToolId, StoreError> {
        let ToolRow { name, title, identity, settings } = row;
        let settings = to_json(settings)?;
        let id = self.add(
            "tool",
            name,
            "SELECT id, identity FROM tool WHERE name = ?1",
            identity,
            |transaction| {
                transaction.execute(
                    "INSERT INTO tool (name, title, identity, settings) VALUES (?1, ?2, ?3, ?4)",
                    params![name, title, identity, settings],
                )
            },
        )?;
        Ok(ToolId(id))
    }

    /// The id of a row, which is added if it is new. An existing row must have the same contents.
    fn add(
        &self,
        what: &str,
        name: &str,
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

    /// A tool's verdict on a seed, if it is known.
    pub fn baseline(&self, seed: SeedId, tool: ToolId) -> Result<Option<BaselineRow>, StoreError> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached(
            "SELECT verdict, layout, seconds, asked FROM baseline WHERE seed = ?1 AND tool = ?2",
        )?;
        let row = statement
            .query_map(params![seed, tool], |row| {
                let work = row.get::<_, Option<String>>(3)?;
                Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?, work))
            })?
            .next()
            .transpose()?;
        let Some((verdict, layout, seconds, work)) = row else { return Ok(None) };
        let work = work.as_deref().map(from_json).transpose()?;
        Ok(Some(BaselineRow { verdict: from_json(&verdict)?, layout, seconds, work }))
    }

    /// A run of the baseline, if it was recorded.
    pub fn baseline_run(
        &self,
        seed: SeedId,
        tool: ToolId,
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
        let Some((verdict, seconds, work)) = row else { return Ok(None) };
        let work = work.as_deref().map(from_json).transpose()?;
        Ok(Some(BaselineRun { verdict: from_json(&verdict)?, seconds, work }))
    }

    /// Records a run of the baseline.
    pub fn add_baseline_run(
        &self,
        seed: SeedId,
        tool: ToolId,
        step: u32,
        run: &BaselineRun,
    ) -> Result<(), StoreError> {
        let BaselineRun { verdict, seconds, work } = run;
        let work = work.as_ref().map(to_json).transpose()?;
        self.lock().execute(
            "INSERT OR REPLACE INTO baseline_run VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![seed, tool, step, to_json(verdict)?, seconds, work],
        )?;
        Ok(())
    }

    /// Records a tool's verdict on a seed.
    pub fn add_baseline(
        &self,
        seed: SeedId,
        tool: ToolId,
        row: &BaselineRow,
    ) -> Result<(), StoreError> {
        let BaselineRow { verdict, layout, seconds, work } = row;
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
                work.as_ref().and_then(SolverWork::problem),
                work.as_ref().map(to_json).transpose()?,
            ],
        )?;
        Ok(())
    }

    /// The ids of a batch's mutants of a seed, which are added if they are new.
    pub fn mutants(
        &self,
        seed: SeedId,
        batch: BatchId,
        rows: &[MutantRow],
    ) -> Result<Vec<MutantId>, StoreError> {
        let connection = self.lock();
        let transaction = connection.unchecked_transaction()?;
        let mut ids = Vec::with_capacity(rows.len());
        {
            let mut known = BTreeMap::new();
            let mut select = transaction.prepare_cached(
                "SELECT number, id, hash FROM mutant WHERE seed = ?1 AND batch = ?2",
            )?;
            let found = select.query_map(params![seed, batch], |row| {
                Ok((
                    row.get::<_, usize>(0)?,
                    (row.get::<_, MutantId>(1)?, row.get::<_, String>(2)?),
                ))
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
                        ids.push(MutantId(transaction.last_insert_rowid()));
                    }
                }
            }
        }
        transaction.commit()?;
        Ok(ids)
    }

    /// A tool's known verdicts for a batch of a seed: the mutant's id and outcome.
    pub fn known(
        &self,
        seed: SeedId,
        batch: BatchId,
        tool: ToolId,
    ) -> Result<BTreeMap<MutantId, Outcome>, StoreError> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached(
            "SELECT verdict.mutant, verdict.outcome FROM mutant
             JOIN verdict ON verdict.mutant = mutant.id
             WHERE mutant.seed = ?1 AND mutant.batch = ?2 AND verdict.tool = ?3",
        )?;
        let rows = statement.query_map(params![seed, batch, tool], |row| {
            Ok((row.get::<_, MutantId>(0)?, row.get::<_, String>(1)?))
        })?;
        rows.map(|row| {
            let (mutant, outcome) = row?;
            Ok((mutant, outcome_of(&outcome)?))
        })
        .collect()
    }

    /// Records verdicts, all or none.
    pub fn add_verdicts(&self, rows: &[VerdictRow]) -> Result<(), StoreError> {
        let connection = self.lock();
        let transaction = connection.unchecked_transaction()?;
        {
            let mut insert = transaction.prepare_cached(
                "INSERT OR REPLACE INTO verdict VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?;
            for row in rows {
                let VerdictRow { outcome, unsteady, seconds, details, work, effort, .. } = row;
                insert.execute(params![
                    row.mutant,
                    row.tool,
                    outcome_name(*outcome),
                    unsteady,
                    seconds,
                    details.as_ref().map(to_json).transpose()?,
                    work.as_ref().and_then(SolverWork::problem),
                    effort,
                    work.as_ref().map(to_json).transpose()?,
                ])?;
            }
        }
        Ok(transaction.commit()?)
    }

    /// Records mutants that are left out, all or none.
    pub fn add_dropped(&self, rows: &[DroppedRow]) -> Result<(), StoreError> {
        let connection = self.lock();
        let transaction = connection.unchecked_transaction()?;
        for DroppedRow { mutant, operator, reason } in rows {
            transaction
                .prepare_cached("INSERT OR REPLACE INTO dropped VALUES (?1, ?2, ?3)")?
                .execute(params![mutant, operator, reason])?;
        }
        Ok(transaction.commit()?)
    }

    /// The settings of each tool of the plan, in its order.
    pub fn tool_settings(&self) -> Result<Vec<ToolSettings>, StoreError> {
        let connection = self.lock();
        let (is_planned, place) = (is_planned("tool"), place("tool"));
        let select = format!("SELECT settings FROM tool WHERE {is_planned} ORDER BY {place}");
        let mut statement = connection.prepare(&select)?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        rows.map(|settings| from_json::<ToolSettings>(&settings?)).collect()
    }

    /// The recipe of each batch of the plan, in its order.
    pub fn batches(&self) -> Result<Vec<BatchRow>, StoreError> {
        let connection = self.lock();
        let mut statement = connection.prepare(&format!(
            "SELECT name, operators, wanted, attempts, random_seed FROM batch WHERE {} ORDER BY {}",
            is_planned("batch"),
            place("batch"),
        ))?;
        let rows = statement.query_map([], |row| {
            let (operators, strength) = BatchRow::parse_choice(row.get_ref(1)?.as_str()?);
            Ok(BatchRow {
                name: row.get(0)?,
                operators,
                strength,
                wanted: row.get(2)?,
                attempts: row.get::<_, i64>(3)?.cast_unsigned(),
                random_seed: row.get::<_, i64>(4)?.cast_unsigned(),
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The hash of a seed, and the full verdict of each tool on it.
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

    /// The edits of a mutant, its hash, and a tool's verdict on it.
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

/// The operators among the edits, as stored: their sorted names as JSON, so that equal sets are equal
/// texts.
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

/// The outcome with a name in the store.
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
mod tests;
