//! Migrates the store of release 0.1.0, whose schema is 2, to the schema of this release.
//!
//! The meaning of a 0.1.0 store is spelled out here and never changes: whatever happens to
//! operators and languages, an old store is read as it was written.

use mugie_core::LanguageOptions;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use serde::Deserialize;

use crate::store::{MUTANT, SEED, StoreError, VERSION, to_json};

/// The schema that can be migrated: that of the previous release.
pub(super) const FROM: i32 = 2;

/// The operators of release 0.1.0. A mutant had a bit set for each operator among its edits; the
/// first operator has the lowest bit.
const OPERATORS: [&str; 24] = [
    "S1",
    "S2",
    "S3",
    "L1",
    "L2",
    "L3",
    "L4",
    "L5",
    "L6",
    "G1",
    "G2",
    "rename-global",
    "rename-local",
    "split-clause",
    "swap-operands",
    "mirror-comparison",
    "reorder-bound",
    "reorder-triggers",
    "add-unused",
    "remove-unused",
    "define-by-axiom",
    "desugar-control",
    "update-map-explicitly",
    "split-havoc",
];

/// The only language of release 0.1.0.
const LANGUAGE: &str = "boogie";

/// The part of a plan that determines how seeds are read.
#[derive(Default, Deserialize)]
struct OldPlan {
    #[serde(default)]
    seeds: Seeds,
}

#[derive(Default, Deserialize)]
struct Seeds {
    dialect: Option<String>,
    #[serde(default)]
    infer_modifies: bool,
}

/// Migrates a store in one transaction: other processes see either the old store or the new one.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    // Tables are replaced by others of the same name, so references must not be checked meanwhile.
    connection.pragma_update(None, "foreign_keys", false)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    // Another process may have migrated the store in the meantime.
    if version == FROM {
        migrate_seeds(&transaction)?;
        migrate_mutants(&transaction)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()?;
    Ok(connection.pragma_update(None, "foreign_keys", true)?)
}

/// Adds the language and reading options of seeds, and turns the single file into a list.
fn migrate_seeds(store: &Transaction<'_>) -> Result<(), StoreError> {
    let options = to_json(&options(store)?)?;
    store.execute_batch(&format!("CREATE TABLE new_seed {SEED}"))?;
    {
        let mut select = store.prepare("SELECT id, name, file, grp, lines, hash FROM seed")?;
        let mut insert = store.prepare(
            "INSERT INTO new_seed (id, name, files, grp, language, options, lines, hash)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let files = to_json(&[row.get::<_, String>(2)?])?;
            let (id, name, group): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(3)?);
            let (lines, hash): (i64, String) = (row.get(4)?, row.get(5)?);
            insert.execute(params![id, name, files, group, LANGUAGE, options, lines, hash])?;
        }
    }
    replace(store, "seed")
}

/// The reading options of the seeds, from the plan that was run last.
fn options(store: &Transaction<'_>) -> Result<LanguageOptions, StoreError> {
    let mut statement = store.prepare("SELECT plan FROM campaign")?;
    let mut rows = statement.query([])?;
    let Some(row) = rows.next()? else { return Ok(LanguageOptions::default()) };
    let OldPlan { seeds } = toml::from_str(&row.get::<_, String>(0)?)
        .map_err(|error| StoreError::Damaged(format!("its plan cannot be read: {error}")))?;
    let mut options = LanguageOptions::default();
    if let Some(dialect) = seeds.dialect {
        options.set("dialect", dialect);
    }
    if seeds.infer_modifies {
        options.set("infer-modifies", "true");
    }
    Ok(options)
}

/// Replaces the operators' bits by their names.
fn migrate_mutants(store: &Transaction<'_>) -> Result<(), StoreError> {
    store.execute_batch(&format!(
        "CREATE TABLE new_mutant {MUTANT};
         CREATE TEMP TABLE named (bits INTEGER PRIMARY KEY, operators TEXT NOT NULL)"
    ))?;
    {
        let mut select = store.prepare("SELECT DISTINCT operators FROM mutant")?;
        let mut insert = store.prepare("INSERT INTO named VALUES (?1, ?2)")?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let bits: i64 = row.get(0)?;
            insert.execute(params![bits, to_json(&names(bits.cast_unsigned())?)?])?;
        }
    }
    store.execute_batch(
        "INSERT INTO new_mutant (id, seed, batch, number, operators, edits, hash)
         SELECT id, seed, batch, number, named.operators, edits, hash
         FROM mutant JOIN named ON named.bits = mutant.operators;
         DROP TABLE named",
    )?;
    replace(store, "mutant")
}

/// The names of the operators in a bit set, sorted.
fn names(bits: u64) -> Result<Vec<&'static str>, StoreError> {
    if bits >> OPERATORS.len() != 0 {
        let problem = format!("release 0.1.0 has no operators {bits:#x}");
        return Err(StoreError::Damaged(problem));
    }
    let used = OPERATORS.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
    let mut names: Vec<&str> = used.map(|(_, name)| *name).collect();
    names.sort_unstable();
    Ok(names)
}

/// Replaces the old table by the new one.
fn replace(store: &Transaction<'_>, table: &str) -> Result<(), StoreError> {
    Ok(store
        .execute_batch(&format!("DROP TABLE {table}; ALTER TABLE new_{table} RENAME TO {table}"))?)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use mugie_report::table::TableFormat;
    use mugie_report::tables;
    use mugie_results::SolverWork;
    use mugie_results::data::Data;
    use tempfile::TempDir;

    use super::*;
    use crate::store::Store;

    /// A file made by release 0.1.0, as described in `fixtures/README.md`.
    fn fixture(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/stores").join(name)
    }

    /// A writable copy of a store of release 0.1.0.
    fn old_store() -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("old.sqlite");
        fs::copy(fixture("0.1.0.sqlite"), &file).unwrap();
        (folder, file)
    }

    fn version(file: &Path) -> i32 {
        let connection = Connection::open(file).unwrap();
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    }

    fn all_tables(data: &Data) -> String {
        let tables = tables::ALL.iter().map(|table| (table.make)(data).render(TableFormat::Text));
        tables.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn tables_of_an_old_store_are_those_that_its_release_printed() {
        let expected = fs::read_to_string(fixture("0.1.0.tables.txt")).unwrap();
        let (_folder, file) = old_store();
        let read = Store::open(&file).unwrap().load(&OPERATORS, &[]).unwrap();
        assert_eq!(all_tables(&read), expected);
        assert_eq!(version(&file), FROM, "who only reads changes nothing");
        let migrated = Store::create(&file).unwrap().load(&OPERATORS, &[]).unwrap();
        assert_eq!(migrated, read);
        assert_eq!(version(&file), VERSION);
        assert_eq!(Store::open(&file).unwrap().load(&OPERATORS, &[]).unwrap(), read);
    }

    #[test]
    fn seeds_get_their_language_and_the_options_of_the_plan() {
        let (_folder, file) = old_store();
        let data = Store::open(&file).unwrap().load(&OPERATORS, &[]).unwrap();
        for seed in &data.seeds {
            assert_eq!((seed.language.as_str(), seed.files.len()), (LANGUAGE, 1));
            let options: Vec<_> = seed.options.iter().collect();
            assert_eq!(options, [("dialect", "2"), ("infer-modifies", "true")]);
        }
    }

    #[test]
    fn a_migrated_store_is_whole() {
        let (_folder, file) = old_store();
        drop(Store::create(&file).unwrap());
        let store = Connection::open(&file).unwrap();
        let broken = "SELECT COUNT(*) FROM pragma_foreign_key_check";
        assert_eq!(store.query_row(broken, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
        let check: String =
            store.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(check, "ok");
        // The operator names agree with those in the edits.
        let wrong = "SELECT COUNT(*) FROM mutant WHERE operators <> (
            SELECT json_group_array(name) FROM (
              SELECT DISTINCT value ->> 'operator' AS name FROM json_each(edits) ORDER BY name))";
        assert_eq!(store.query_row(wrong, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
        // The migrated store has the tables and columns of a new store.
        let fresh = file.with_extension("fresh");
        drop(Store::create(&fresh).unwrap());
        let columns = |file: &Path| -> Vec<String> {
            let columns = "SELECT m.name || '.' || c.name || ' ' || c.type || ' ' || c.\"notnull\"
                FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'
                ORDER BY m.name, c.cid";
            let store = Connection::open(file).unwrap();
            let mut statement = store.prepare(columns).unwrap();
            let rows = statement.query_map([], |row| row.get(0)).unwrap();
            rows.map(Result::unwrap).collect()
        };
        assert_eq!(columns(&file), columns(&fresh));
    }

    #[test]
    fn names_of_problems_are_what_they_were() {
        let (_folder, file) = old_store();
        let store = Connection::open(&file).unwrap();
        let asked = "SELECT asked, problem FROM verdict WHERE asked IS NOT NULL";
        let mut statement = store.prepare(asked).unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        let rows: Vec<(String, String)> = rows.map(Result::unwrap).collect();
        assert!(!rows.is_empty());
        for (work, problem) in rows {
            assert_eq!(serde_json::from_str::<SolverWork>(&work).unwrap().problem(), Some(problem));
        }
    }

    #[test]
    fn damage_leaves_an_old_store_as_it_is() {
        let damages = [
            "UPDATE mutant SET operators = 1 << 24 WHERE id = 1",
            "UPDATE mutant SET operators = -1 WHERE id = 2",
            "UPDATE campaign SET plan = 'seeds = 7'",
        ];
        for damage in damages {
            let (_folder, file) = old_store();
            Connection::open(&file).unwrap().execute(damage, []).unwrap();
            for opened in [Store::create(&file), Store::open(&file)] {
                assert!(matches!(opened, Err(StoreError::Damaged(_))), "{damage}: {opened:?}");
            }
            assert_eq!(version(&file), FROM);
        }
    }
}
