//! The cache of answers: a folder of small files.
//!
//! Each file holds one conversation and is named after the hash of everything sent before the first
//! answer. It is written under another name and renamed, and it begins with a hash of its content,
//! so a truncated or damaged file counts as missing. Any number of processes may use the folder at
//! the same time, and may be killed at any moment.
//!
//! Which answers may be cached is decided elsewhere.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::claim::{self, Draft};
use crate::input;
use crate::smt::conversation::Key;

/// Maximum size of a file in bytes; larger ones are not worth keeping.
const MAX_FILE: usize = 16 << 20;

/// Bytes that a file is assumed to take on disk in addition to its content.
const OVERHEAD: u64 = 4096;

/// Minimum age of a file's modification time before a use updates it; raising it saves writes and
/// makes eviction less precise.
const FRESH: Duration = Duration::from_hours(12);

/// Number of folders that the files are spread over: one for each value of a byte.
const SHARDS: u64 = 256;

/// One write in this many checks whether its folder is too full; raising it saves time and lets
/// folders grow further beyond their share.
const SELDOM: u8 = 8;

/// A solver's reply to a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SolverReply {
    /// The exact output.
    pub(super) text: String,
    /// The measurements, if the command was a query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) measured: Option<Measured>,
}

/// What the solver reported about a query, and how long it took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Measured {
    pub(super) reason: Option<String>,
    pub(super) seconds: f64,
    pub(super) memory: Option<u64>,
    pub(super) resources: Option<u64>,
}

/// The answers of one conversation, keyed by the hash of everything sent up to each of them.
pub(super) type Answers = BTreeMap<String, SolverReply>;

/// The cache folder.
#[derive(Debug)]
pub(super) struct Cache {
    folder: PathBuf,
    /// Bytes that all files may take, approximately.
    capacity: u64,
}

impl Cache {
    /// A cache in `folder`, which need not exist yet.
    pub(super) fn new(folder: PathBuf, capacity: u64) -> Cache {
        Cache { folder, capacity }
    }

    /// The cached answers of a conversation.
    pub(super) fn get(&self, first: &Key) -> Answers {
        self.read(first).unwrap_or_default()
    }

    fn read(&self, first: &Key) -> Option<Answers> {
        let path = self.path(first);
        let text = input::read_to_string(&path, MAX_FILE as u64).ok()?;
        let (hash, content) = text.split_once('\n')?;
        if hash != blake3::hash(content.as_bytes()).to_hex().as_str() {
            return None;
        }
        let now = SystemTime::now();
        let used = fs::metadata(&path).ok()?.modified().ok()?;
        if now.duration_since(used).is_ok_and(|age| age > FRESH) {
            // If this fails, the file is evicted sooner than it should be.
            let _ = File::options().append(true).open(&path).map(|file| file.set_modified(now));
        }
        serde_json::from_str(content).ok()
    }

    /// Stores the answers of a conversation.
    pub(super) fn put(&self, first: &Key, answers: &Answers) -> io::Result<()> {
        let content = serde_json::to_string(answers)?;
        if content.len() > MAX_FILE / 2 {
            return Ok(());
        }
        let text = format!("{}\n{content}", blake3::hash(content.as_bytes()).to_hex());
        let path = self.path(first);
        if let Some(shard) = path.parent() {
            claim::create_private(shard)?;
        }
        // Not in the shard, so that everything a killed process leaves behind is in one folder.
        let mut draft = Draft::new_in(&self.folder, claim::DRAFT, 0o600)?;
        io::Write::write_all(draft.file(), text.as_bytes())?;
        draft.place(&path)?;
        if first[1].is_multiple_of(SELDOM)
            && let Some(shard) = path.parent()
        {
            make_room(shard, self.capacity / SHARDS)?;
        }
        Ok(())
    }

    fn path(&self, first: &Key) -> PathBuf {
        let name = blake3::Hash::from_bytes(*first).to_hex();
        let (shard, name) = name.split_at(2);
        self.folder.join(shard).join(name)
    }
}

/// If the files of a shard exceed `capacity`, removes the least recently used ones until the rest
/// takes at most three quarters of it.
fn make_room(shard: &Path, capacity: u64) -> io::Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(shard)? {
        let entry = entry?;
        // Another process may have removed it.
        let Ok(metadata) = entry.metadata() else { continue };
        let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        files.push((used, metadata.len() + OVERHEAD, entry.path()));
    }
    let mut size: u64 = files.iter().map(|(_, size, _)| size).sum();
    if size <= capacity {
        return Ok(());
    }
    files.sort();
    for (_, length, path) in files {
        if size <= capacity / 4 * 3 {
            break;
        }
        let _ = fs::remove_file(path);
        size -= length;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(text: &str) -> Answers {
        let measured = Measured { resources: Some(5), ..Measured::default() };
        let query = SolverReply { text: text.to_owned(), measured: Some(measured) };
        [("a".to_owned(), query)].into()
    }

    #[test]
    fn what_is_put_in_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("new"), 1 << 20);
        assert!(cache.get(&[1; 32]).is_empty());
        cache.put(&[1; 32], &answers("unsat\n")).unwrap();
        cache.put(&[1; 32], &answers("sat\n")).unwrap();
        assert_eq!(cache.get(&[1; 32]), answers("sat\n"));
        assert!(cache.get(&[2; 32]).is_empty());
    }

    #[test]
    fn damage_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().to_owned(), 1 << 20);
        cache.put(&[1; 32], &answers("unsat\n")).unwrap();
        let path = cache.path(&[1; 32]);
        let good = fs::read(&path).unwrap();
        for length in 0..good.len() {
            fs::write(&path, &good[..length]).unwrap();
            assert!(cache.get(&[1; 32]).is_empty(), "{length}");
        }
        for index in 0..good.len() {
            let mut bad = good.clone();
            bad[index] ^= 1;
            fs::write(&path, bad).unwrap();
            assert!(cache.get(&[1; 32]).is_empty(), "{index}");
        }
        cache.put(&[1; 32], &answers("unsat\n")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), good);
    }

    #[test]
    fn what_was_not_used_for_long_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        let size = OVERHEAD + 200;
        let cache = Cache::new(folder.path().to_owned(), 4 * size * SHARDS);
        let now = SystemTime::now();
        for number in [3, 1, 4, 2] {
            let key = [[0, 1].as_slice(), &[number; 30]].concat().try_into().unwrap();
            cache.put(&key, &answers("unsat\n")).unwrap();
            let file = File::options().append(true).open(cache.path(&key)).unwrap();
            file.set_modified(now - Duration::from_hours(24) * number.into()).unwrap();
        }
        let key = |number: u8| {
            let last: [u8; 30] = [number; 30];
            let mut key = [0; 32];
            key[1] = u8::from(number != 9);
            key[2..].copy_from_slice(&last);
            key
        };
        assert_eq!(cache.get(&key(4)), answers("unsat\n"));
        // This write finds that the folder is full.
        cache.put(&key(9), &answers("unsat\n")).unwrap();
        let left: Vec<u8> = [1, 2, 3, 4, 9]
            .into_iter()
            .filter(|&number| !cache.get(&key(number)).is_empty())
            .collect();
        assert_eq!(left, [1, 4, 9]);
    }
}
