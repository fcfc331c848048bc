//! The cache of verdicts, with which a second test is immediate and an interrupted one continues
//! where it was.
//!
//! The key of an entry is a hash of everything that the verdict depends on: the text, the verifier,
//! its options, the limits. Verdicts about the tool instead of the program are never added. The
//! cache is one `SQLite` file, shared by all runs of mugie of one user; every entry is written as
//! soon as it is added, so that even `kill -9` loses nothing. An entry begins with a hash of its
//! key and content: a damaged entry counts as missing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mugie_verifiers::claim;
use mugie_verifiers::tap::QueryRecord;
use mugie_verifiers::{Usage, Verdict, input};
use rusqlite::{Connection, ErrorCode, OptionalExtension as _, Row, params};
use serde::{Deserialize, Serialize};

use crate::Key;
use crate::cache_folder::{self, UntrustedFolder};

/// Name of the file in the cache folder. Another layout gets another name, so that releases of
/// mugie can coexist.
const FILE: &str = "verdicts-2.sqlite";

/// Bytes that all entries may take together before the least recently used are evicted.
const CAPACITY: i64 = 512 << 20;

/// Time to wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(10);

/// The entry of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The verdict of the verifier.
    pub verdict: Verdict,
    /// The output of the verifier; empty if it verified the program.
    pub output: String,
    /// The resources used by the runs that led to the verdict.
    pub usage: Vec<Usage>,
    /// The queries to the solver, if it was tapped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<QueryRecord>,
    /// Whether it was run alone because a shared process could not be trusted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub distrusted: bool,
    /// A hash of what the verifier read, if that is a translation of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Why the cache cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The folder cannot be created.
    #[error("cannot create the folder {folder}: {error}")]
    Folder {
        /// The path.
        folder: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// Somebody else could change its content.
    #[error(transparent)]
    Untrusted(#[from] UntrustedFolder),
    /// Something other than a regular file is in its place.
    #[error("cannot use {file}: {error}")]
    Unfit {
        /// The path.
        file: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// The file cannot be opened.
    #[error("cannot use {file}: {error}")]
    File {
        /// The path.
        file: PathBuf,
        /// The cause.
        error: rusqlite::Error,
    },
}

/// The cache of a user.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    connection: Mutex<Connection>,
    /// The new path of a damaged file that was found at opening.
    damaged: Option<PathBuf>,
    /// Whether the file turned out to be damaged later, and a new one was started.
    was_replaced: AtomicBool,
    /// Whether reading or writing failed, for example because the disk is full.
    is_failing: AtomicBool,
}

impl Cache {
    /// Opens the cache in a folder, which is created if necessary and must be
    /// [trusted](cache_folder::trusted). A damaged file is moved aside.
    pub fn open(folder: &Path) -> Result<Cache, CacheError> {
        claim::create_private(folder)
            .map_err(|error| CacheError::Folder { folder: folder.to_owned(), error })?;
        let folder = &cache_folder::trusted(folder)?;
        let file = folder.join(FILE);
        input::check_database(&file).map_err(|(file, error)| CacheError::Unfit { file, error })?;
        let (connection, damaged) = match connect(&file) {
            Err(error) if is_damage(&error) => {
                let aside = put_aside(&file);
                (connect(&file), aside)
            }
            connection => (connection, None),
        };
        let connection = connection.map_err(|error| CacheError::File { file, error })?;
        Ok(Cache {
            folder: folder.clone(),
            connection: Mutex::new(connection),
            damaged,
            was_replaced: AtomicBool::new(false),
            is_failing: AtomicBool::new(false),
        })
    }

    /// The folder of the cache.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The new path of a damaged file that was found in place of the cache, if there was one.
    pub fn damaged(&self) -> Option<&Path> {
        self.damaged.as_deref()
    }

    /// Whether the file turned out to be damaged after it was opened, and a new one was started.
    pub fn was_replaced(&self) -> bool {
        self.was_replaced.load(Ordering::Relaxed)
    }

    /// Whether a verdict could not be stored or looked up.
    pub fn is_failing(&self) -> bool {
        self.is_failing.load(Ordering::Relaxed)
    }

    /// The entry of a key. An unreadable entry counts as missing.
    pub fn get(&self, key: &Key) -> Option<Entry> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let (text, day) = match find(&connection, key) {
            Ok(row) => row?,
            Err(error) => {
                self.mend(&mut connection, &error);
                return None;
            }
        };
        if day != today() {
            let update = "UPDATE verdict SET day = ?2 WHERE key = ?1";
            let _ = connection.execute(update, params![key, today()]);
        }
        let (hash, entry) = std::str::from_utf8(&text).ok()?.split_once('\n')?;
        (hash == seal(key, entry)).then(|| serde_json::from_str(entry).ok())?
    }

    /// Adds an entry.
    pub fn put(&self, key: &Key, entry: &Entry) {
        let Ok(entry) = serde_json::to_string(entry) else { return };
        let text = format!("{}\n{entry}", seal(key, &entry));
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = insert(&connection, key, &text)
            && self.mend(&mut connection, &error)
            && insert(&connection, key, &text).is_err()
        {
            self.is_failing.store(true, Ordering::Relaxed);
        }
    }

    /// Starts a new file if this one is damaged, or else records the failure. Returns whether there
    /// is a new file.
    fn mend(&self, connection: &mut Connection, error: &rusqlite::Error) -> bool {
        if is_damage(error)
            && !self.was_replaced()
            && let Ok(nothing) = Connection::open_in_memory()
        {
            // The old file has to be closed first, because closing removes files by their names.
            drop(std::mem::replace(connection, nothing));
            let file = self.folder.join(FILE);
            put_aside(&file);
            if let Ok(new) = connect(&file) {
                *connection = new;
                self.was_replaced.store(true, Ordering::Relaxed);
                return true;
            }
        }
        self.is_failing.store(true, Ordering::Relaxed);
        false
    }
}

/// A hash of an entry and its key.
fn seal(key: &Key, entry: &str) -> String {
    blake3::keyed_hash(key, entry.as_bytes()).to_hex().to_string()
}

/// The text of an entry, and the day of its last use.
fn find(connection: &Connection, key: &Key) -> rusqlite::Result<Option<(Vec<u8>, i64)>> {
    let mut statement =
        connection.prepare_cached("SELECT entry, day FROM verdict WHERE key = ?1")?;
    // A damaged entry need not be text.
    let row = |row: &Row<'_>| Ok((row.get_ref(0)?.as_bytes()?.to_vec(), row.get(1)?));
    statement.query_row([key], row).optional()
}

fn insert(connection: &Connection, key: &Key, text: &str) -> rusqlite::Result<usize> {
    let insert = "INSERT OR REPLACE INTO verdict (key, entry, day) VALUES (?1, ?2, ?3)";
    connection.prepare_cached(insert)?.execute(params![key, text, today()])
}

/// Renames a damaged file and removes the files that belong to it. Returns the new path.
fn put_aside(file: &Path) -> Option<PathBuf> {
    let aside = file.with_extension("damaged");
    let moved = fs::rename(file, &aside).is_ok();
    for suffix in ["-wal", "-shm"] {
        let mut name = file.as_os_str().to_owned();
        name.push(suffix);
        let _ = fs::remove_file(name);
    }
    moved.then_some(aside)
}

fn connect(file: &Path) -> rusqlite::Result<Connection> {
    // SQLite gives its other files the same mode.
    cache_folder::create_private_file(file);
    let connection = Connection::open(file)?;
    connection.busy_timeout(PATIENCE)?;
    // With a write-ahead log, SQLite need not wait for the disk after each entry: a crash of the
    // machine may lose the last entries, a crash of mugie loses none.
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS verdict (
           key BLOB PRIMARY KEY,
           entry TEXT NOT NULL,
           day INTEGER NOT NULL
         ) WITHOUT ROWID, STRICT",
    )?;
    make_room(&connection, CAPACITY)?;
    Ok(connection)
}

/// Removes the least recently used entries until the rest is within the limit.
fn make_room(connection: &Connection, capacity: i64) -> rusqlite::Result<()> {
    // Computed from page counts, without reading the pages.
    let size = "SELECT (page_count - freelist_count) * page_size
                FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
    while connection.query_row(size, [], |row| row.get::<_, i64>(0))? > capacity {
        let oldest = "DELETE FROM verdict WHERE key IN
                      (SELECT key FROM verdict ORDER BY day LIMIT
                       (SELECT MAX(1, COUNT(*) / 4) FROM verdict))";
        connection.execute(oldest, [])?;
    }
    Ok(())
}

/// Whether the file is not a database, or a corrupt one.
fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}

fn today() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_secs() / (24 * 3600)).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use mugie_verifiers::Outcome;

    use super::*;

    fn entry(words: &str) -> Entry {
        let verdict = Verdict::of_program(Outcome::Failed, words);
        let (output, usage) = ("said".to_owned(), vec![Usage::default()]);
        Entry { verdict, output, usage, queries: Vec::new(), distrusted: false, text: None }
    }

    #[test]
    fn what_is_put_in_is_there_after_opening_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        assert_eq!(cache.get(&[1; 32]), None);
        cache.put(&[1; 32], &entry("one"));
        // The first handle is still open: another process sees the entry nevertheless.
        let other = Cache::open(folder.path()).unwrap();
        assert_eq!(other.get(&[1; 32]), Some(entry("one")));
        assert_eq!(other.get(&[2; 32]), None);
    }

    #[test]
    fn a_damaged_file_is_put_aside() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), "this is not a database at all".repeat(100)).unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        assert!(cache.damaged().unwrap().exists());
        cache.put(&[1; 32], &entry("one"));
        assert_eq!(cache.get(&[1; 32]), Some(entry("one")));
        assert!(!cache.is_failing());
    }

    #[test]
    fn damage_in_the_middle_is_noticed_and_mended() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        for number in 0..200 {
            cache.put(&[number; 32], &entry(&"long".repeat(500)));
        }
        drop(cache);
        let file = folder.path().join(FILE);
        let mut bytes = fs::read(&file).unwrap();
        bytes[8192..].fill(0xAA);
        fs::write(&file, bytes).unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        for number in 0..200 {
            assert_eq!(cache.get(&[number; 32]), None);
        }
        assert!(cache.damaged().is_some() || cache.was_replaced());
        assert!(!cache.is_failing() && file.with_extension("damaged").exists());
        cache.put(&[1; 32], &entry("one"));
        drop(cache);
        let cache = Cache::open(folder.path()).unwrap();
        assert_eq!(cache.get(&[1; 32]), Some(entry("one")));
        assert!(cache.damaged().is_none() && !cache.was_replaced());
    }

    #[test]
    fn no_damage_makes_another_verdict() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        cache.put(&[1; 32], &entry("one"));
        drop(cache);
        let file = folder.path().join(FILE);
        let good = fs::read(&file).unwrap();
        let mut noticed = 0;
        for index in (0..good.len()).filter(|&index| good[index] != 0) {
            let mut bad = good.clone();
            bad[index] ^= if index % 2 == 0 { 1 } else { 0xff };
            fs::write(&file, bad).unwrap();
            let Ok(cache) = Cache::open(folder.path()) else { continue };
            match cache.get(&[1; 32]) {
                None => noticed += 1,
                some => assert_eq!(some, Some(entry("one")), "byte {index}"),
            }
            cache.put(&[1; 32], &entry("two"));
            // If the file cannot be written, the cache reports that it is failing.
            let is_kept = cache.get(&[1; 32]) == Some(entry("two"));
            assert!(is_kept || cache.is_failing(), "byte {index}");
        }
        assert!(noticed > 100, "{noticed}");
    }

    #[test]
    fn an_entry_that_cannot_be_read_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        cache.put(&[1; 32], &entry("one"));
        let other = Connection::open(folder.path().join(FILE)).unwrap();
        other.execute("UPDATE verdict SET entry = '{}'", []).unwrap();
        assert_eq!(cache.get(&[1; 32]), None);
    }

    #[test]
    fn the_oldest_entries_go_first() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        for number in 0..8 {
            cache.put(&[number; 32], &entry(&"long".repeat(2000)));
        }
        let connection = cache.connection.lock().unwrap();
        let day = "UPDATE verdict SET day = ?2 WHERE key = ?1";
        connection.execute(day, params![[5_u8; 32], 1]).unwrap();
        connection.execute(day, params![[3_u8; 32], 2]).unwrap();
        make_room(&connection, 64_000).unwrap();
        drop(connection);
        let left: Vec<u8> = (0..8).filter(|number| cache.get(&[*number; 32]).is_some()).collect();
        assert_eq!(left, [0, 1, 2, 4, 6, 7]);
    }
}
