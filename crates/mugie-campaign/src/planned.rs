//! What the plan that was run last asks for, in the store: its seeds, batches and tools, and the number of
//! mutants that exist.
//!
//! A seed is known by its content, whatever its files are called. What is in the store but not in the plan
//! is kept and not counted.

use std::collections::BTreeMap;

use mugie_results::data::Failing;
use rusqlite::{Connection, Transaction, params};
use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use serde::de::value::{Error as NameError, StrDeserializer};

use crate::ids::{BatchId, SeedId};
use crate::rows::{PlannedRows, SeedRow};
use crate::store::{Store, StoreError, to_json};

/// The table of what the plan asks for, without its name. `kind` is the name of a table.
pub(super) const PLANNED: &str = "(
  kind TEXT NOT NULL, id INTEGER NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (kind, id)
) WITHOUT ROWID, STRICT";

/// The table of settings of the plan, without its name.
pub(super) const SETTING: &str = "(
  name TEXT PRIMARY KEY, value TEXT NOT NULL
) WITHOUT ROWID, STRICT";

/// The table of how many mutants a seed has in a batch, where these are fewer than wanted, without its
/// name.
pub(super) const DRAWN: &str = "(
  seed INTEGER NOT NULL REFERENCES seed, batch INTEGER NOT NULL REFERENCES batch,
  mutants INTEGER NOT NULL, PRIMARY KEY (seed, batch)
) WITHOUT ROWID, STRICT";

/// The table of programs that cannot be used, without its name.
pub(super) const UNUSABLE: &str = "(
  name TEXT NOT NULL, reason TEXT NOT NULL
) STRICT";

/// The setting of what happens to the mutants of failing seeds.
const FAILING: &str = "failing";

/// The condition that a row of a table is in the plan. Stores of older releases do not say what was
/// planned: there, everything is.
pub(super) fn is_planned(table: &str) -> String {
    format!(
        "({table}.id IN (SELECT id FROM planned WHERE kind = '{table}') OR NOT EXISTS (SELECT 1 \
         FROM planned))"
    )
}

/// The order of the rows of a table in the plan.
pub(super) fn place(table: &str) -> String {
    format!(
        "(SELECT place FROM planned WHERE kind = '{table}' AND planned.id = {table}.id), {table}.id"
    )
}

/// A seed in the store, as far as it is needed to know it again.
struct KnownSeed {
    id: SeedId,
    name: String,
    files: String,
    content: String,
}

impl Store {
    /// The ids and names of all seeds of a plan, which are added if they are new. A seed whose content is in
    /// the store is that seed, wherever its files are now: it keeps its name, and gets the files, the group
    /// and the reading options of the plan. Of several seeds with the same content, those with the same
    /// files, or else the same name, are the same. A new program in files that had another one is refused.
    pub fn seeds(&self, rows: &[SeedRow]) -> Result<Vec<(SeedId, String)>, StoreError> {
        let connection = self.lock();
        let transaction = connection.unchecked_transaction()?;
        let mut known = known_seeds(&transaction)?;
        let mut found: BTreeMap<usize, KnownSeed> = BTreeMap::new();
        let files: Vec<String> =
            rows.iter().map(|row| to_json(&row.files)).collect::<Result<_, _>>()?;
        let same: [fn(&KnownSeed, &SeedRow, &str) -> bool; 3] = [
            |known, _, files| known.files == files,
            |known, row, _| known.name == row.name,
            |_, _, _| true,
        ];
        for is_same in same {
            for (number, (row, files)) in rows.iter().zip(&files).enumerate() {
                let is_it =
                    |known: &KnownSeed| known.content == content(row) && is_same(known, row, files);
                if !found.contains_key(&number)
                    && let Some(place) = known.iter().position(is_it)
                {
                    found.insert(number, known.remove(place));
                }
            }
        }
        // The paths may have been exchanged, and no two seeds may have the same ones at any time.
        let away = "UPDATE seed SET files = '#' || id WHERE id = ?1";
        for seed in found.values() {
            transaction.execute(away, params![seed.id])?;
        }
        let mut ids = Vec::new();
        for (number, (row, files)) in rows.iter().zip(&files).enumerate() {
            let SeedRow { name, group, language, options, lines, hash, .. } = row;
            let options = to_json(options)?;
            if let Some(seed) = found.remove(&number) {
                transaction.execute(
                    "UPDATE seed SET files = ?2, grp = ?3, options = ?4 WHERE id = ?1",
                    params![seed.id, files, group, options],
                )?;
                ids.push((seed.id, seed.name));
                continue;
            }
            if let Some(other) = known.iter().find(|it| it.files == *files || it.name == *name) {
                return Err(StoreError::Changed(format!(
                    "the seed `{}` is not the one that is in the store: give it another name, or \
                     start with another store",
                    other.name
                )));
            }
            transaction.execute(
                "INSERT INTO seed (name, files, grp, language, options, lines, hash)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![name, files, group, language, options, lines, hash],
            )?;
            ids.push((SeedId(transaction.last_insert_rowid()), name.clone()));
        }
        transaction.commit()?;
        Ok(ids)
    }

    /// Records what the plan asks for.
    pub fn set_planned(&self, rows: &PlannedRows) -> Result<(), StoreError> {
        let PlannedRows { seeds, batches, tools, failing, unusable } = rows;
        let connection = self.lock();
        let transaction = connection.unchecked_transaction()?;
        transaction.execute_batch("DELETE FROM planned; DELETE FROM unusable")?;
        let ids = [
            ("seed", seeds.iter().map(|it| it.0).collect::<Vec<_>>()),
            ("batch", batches.iter().map(|it| it.0).collect()),
            ("tool", tools.iter().map(|it| it.0).collect()),
        ];
        for (kind, ids) in ids {
            for (place, id) in ids.into_iter().enumerate() {
                transaction
                    .prepare_cached("INSERT INTO planned VALUES (?1, ?2, ?3)")?
                    .execute(params![kind, id, place])?;
            }
        }
        for (name, reason) in unusable {
            transaction.execute("INSERT INTO unusable VALUES (?1, ?2)", params![name, reason])?;
        }
        transaction.execute(
            "INSERT OR REPLACE INTO setting VALUES (?1, ?2)",
            params![FAILING, failing.word()],
        )?;
        Ok(transaction.commit()?)
    }

    /// Records that all mutants of a seed in a batch were drawn: how many there are, if there are fewer than
    /// were asked for.
    pub fn set_drawn(
        &self,
        seed: SeedId,
        batch: BatchId,
        fewer: Option<usize>,
    ) -> Result<(), StoreError> {
        let connection = self.lock();
        match fewer {
            Some(mutants) => connection.execute(
                "INSERT OR REPLACE INTO drawn VALUES (?1, ?2, ?3)",
                params![seed, batch, mutants],
            )?,
            None => connection.execute(
                "DELETE FROM drawn WHERE seed = ?1 AND batch = ?2",
                params![seed, batch],
            )?,
        };
        Ok(())
    }
}

/// What makes a seed the same.
fn content(row: &SeedRow) -> String {
    format!("{} {}", row.language, row.hash)
}

fn known_seeds(store: &Transaction<'_>) -> Result<Vec<KnownSeed>, StoreError> {
    let select = "SELECT id, name, files, language || ' ' || hash FROM seed ORDER BY id";
    let mut statement = store.prepare(select)?;
    let rows = statement.query_map([], |row| {
        let (id, name) = (row.get(0)?, row.get(1)?);
        Ok(KnownSeed { id, name, files: row.get(2)?, content: row.get(3)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// What happens to the mutants of failing seeds. Older stores do not say: there they were run.
pub(super) fn failing(store: &Connection) -> Result<Failing, StoreError> {
    let mut statement = store.prepare("SELECT value FROM setting WHERE name = ?1")?;
    let word = statement.query_map([FAILING], |row| row.get::<_, String>(0))?.next().transpose()?;
    let Some(word) = word else { return Ok(Failing::default()) };
    let word: StrDeserializer<'_, NameError> = word.as_str().into_deserializer();
    Failing::deserialize(word).map_err(|error| StoreError::Damaged(error.to_string()))
}
