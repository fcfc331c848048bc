//! From what the user names to the files of seeds: files, folders, patterns.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::report::Trouble;

/// The extension of Boogie programs.
const EXTENSION: &str = "bpl";

/// The files that are meant, in the order given, those of a folder or pattern by name. A file
/// that is meant twice is there once.
pub(crate) fn find(given: &[PathBuf]) -> Result<Vec<PathBuf>, Trouble> {
    let mut files = Vec::new();
    let mut seen = BTreeSet::new();
    for path in given {
        for file in expand(path)? {
            // Links and other spellings of the path lead to the same file.
            let identity = fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
            if seen.insert(identity) {
                files.push(file);
            }
        }
    }
    Ok(files)
}

fn expand(path: &Path) -> Result<Vec<PathBuf>, Trouble> {
    if path.is_dir() {
        let files = in_folder(path)?;
        if files.is_empty() {
            let trouble = Trouble::new(format!("{}: no Boogie programs in here", path.display()));
            return Err(trouble.help(format!("they are files with the extension `.{EXTENSION}`")));
        }
        return Ok(files);
    }
    match path.to_str() {
        // The name of a file that exists is no pattern, whatever it looks like.
        Some(pattern) if !path.exists() && pattern.contains(['*', '?', '[']) => matches(pattern),
        _ => Ok(vec![path.to_owned()]),
    }
}

/// The programs in a folder and those in it, by name.
fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, Trouble> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    let mut seen = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        let unreadable = |error: io::Error| {
            Trouble::new(format!("{}: cannot read the folder: {error}", folder.display()))
        };
        // Links can make a loop.
        if !seen.insert(fs::canonicalize(&folder).map_err(unreadable)?) {
            continue;
        }
        for entry in fs::read_dir(&folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == EXTENSION) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// What a pattern matches: programs, and all programs in folders.
fn matches(pattern: &str) -> Result<Vec<PathBuf>, Trouble> {
    let paths = glob::glob(pattern).map_err(|error| {
        Trouble::new(format!("{pattern}: {}", error.msg))
            .help("`*` stands for any characters in a name, `**` for any folders")
    })?;
    let mut files = Vec::new();
    for path in paths {
        let path = path.map_err(|error| Trouble::new(error.to_string()))?;
        if path.is_dir() {
            files.extend(in_folder(&path)?);
        } else {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(Trouble::new(format!("{pattern}: no file has such a name"))
            .help("check the spelling, and that the path starts from the current directory"));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_file_is_one_seed_however_one_gets_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a.bpl"), "").unwrap();
        for link in ["loop", "other-loop"] {
            std::os::unix::fs::symlink(folder.path(), path(link)).unwrap();
        }
        let found = find(&[path("loop/a.bpl"), path("."), folder.path().to_owned()]);
        assert_eq!(found.map_err(|trouble| trouble.message), Ok(vec![path("loop/a.bpl")]));
    }

    #[test]
    fn files_folders_and_patterns_can_be_mixed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("in/deep")).unwrap();
        for name in ["b.bpl", "a.bpl", "in/c.bpl", "in/deep/d.bpl", "in/note.txt"] {
            fs::write(path(name), "").unwrap();
        }
        let found = |given: &[&str]| {
            let given: Vec<_> = given.iter().map(|name| path(name)).collect();
            let found = find(&given).map_err(|trouble| trouble.message)?;
            let short =
                |file: &PathBuf| file.strip_prefix(folder.path()).unwrap().display().to_string();
            Ok::<_, String>(found.iter().map(short).collect::<Vec<_>>())
        };
        assert_eq!(
            found(&["b.bpl", "."]).unwrap(),
            ["b.bpl", "a.bpl", "in/c.bpl", "in/deep/d.bpl"]
        );
        assert_eq!(found(&["*.bpl"]).unwrap(), ["a.bpl", "b.bpl"]);
        assert_eq!(found(&["in/**/*.bpl"]).unwrap(), ["in/c.bpl", "in/deep/d.bpl"]);
        assert!(found(&["x*.bpl"]).unwrap_err().contains("no file"));
        // A missing file is left to whoever reads it.
        assert_eq!(found(&["missing.bpl"]).unwrap(), ["missing.bpl"]);
    }
}
