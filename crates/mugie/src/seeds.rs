//! From what the user names to seeds: files, folders, patterns, and how a seed is read.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bpl_syntax::Dialect;
use bpl_syntax::source::SourceMap;
use mugie_campaign::report::Answer;
use mugie_campaign::seed::Seed;
use mugie_campaign::test::Unusable;
use mugie_verifiers::Verifier;

use crate::commands::minimise;
use crate::commands::test as results;
use crate::load::{DialectChoice, Loaded, Reading, load};
use crate::read::Unreadable;
use crate::report::{Style, Trouble};
use crate::{encoding, mutants, output, read};

/// What tells folders that mugie wrote from others.
const OWN: [&str; 3] = [mutants::LIST, results::RESULT, minimise::RECORD];

/// The extension of Boogie programs.
const EXTENSION: &str = "bpl";

/// Errors shown of a seed that is rejected.
const MAX_ERRORS: usize = 5;

/// The files that are meant, in the order given, those of a folder or pattern by name. A file
/// that is meant twice is there once.
pub(crate) fn find(given: &[PathBuf]) -> Result<Vec<PathBuf>, Trouble> {
    let mut files = Vec::new();
    let mut seen = BTreeSet::new();
    for path in given {
        for file in expand(path)? {
            let file = plain(file);
            // Links and other spellings of the path lead to the same file.
            let identity = fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
            if seen.insert(identity) {
                files.push(file);
            }
        }
    }
    Ok(files)
}

/// The path without a `./` in front: annotations of a file are shown only if its path is that in
/// the repository.
fn plain(path: PathBuf) -> PathBuf {
    match path.strip_prefix(".") {
        // This would be standard input.
        Ok(rest) if rest.as_os_str() != "-" => rest.to_owned(),
        _ => path,
    }
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

/// The programs in a folder and those in it, by name. What mugie itself made of other seeds, in a
/// folder further down, is left out.
fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, Trouble> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    let mut seen = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        let unreadable = |error: io::Error| {
            Trouble::new(format!("{}: cannot read the folder: {error}", folder.display()))
                .help("name the files in it that you may read")
        };
        // Links can make a loop.
        if !seen.insert(fs::canonicalize(&folder).map_err(unreadable)?) {
            continue;
        }
        for entry in fs::read_dir(&folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.is_dir() {
                if !OWN.iter().any(|marker| path.join(marker).exists()) {
                    folders.push(path);
                }
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

/// How programs are read for a verifier: where nothing is said, as the verifier will take them.
pub(crate) fn reading_for(mut reading: Reading, verifier: &Verifier) -> Reading {
    if reading.dialect == DialectChoice::Auto {
        reading.dialect = match verifier.dialect {
            Some(mugie_verifiers::Dialect::Boogie2) => DialectChoice::Only(Dialect::Boogie2),
            Some(mugie_verifiers::Dialect::Boogie3) => DialectChoice::Only(Dialect::Boogie3),
            None => DialectChoice::Auto,
        };
    }
    reading
}

/// A seed that cannot be used, and why.
pub(crate) fn unusable(names: &[String], trouble: Trouble) -> Unusable {
    let name = names.first().cloned().unwrap_or_default();
    Unusable {
        answer: Answer::CouldNotRun,
        files: names.to_vec(),
        // The name of a file that is the whole program is said already.
        reason: match trouble.message.strip_prefix(&format!("{name}: ")) {
            Some(reason) if names.len() == 1 => reason.to_owned(),
            _ => trouble.message,
        },
        help: trouble.help,
        name,
    }
}

/// The seed in some files, which were read already. Its errors are told.
pub(crate) fn open(
    style: &Style,
    names: &[String],
    sources: Result<SourceMap, Unreadable>,
    reading: Reading,
) -> Result<Seed, Unusable> {
    let sources = sources.map_err(|unreadable| unusable(names, unreadable.trouble))?;
    let name = names.first().cloned().unwrap_or_default();
    let loaded = load_and_tell(style, &sources, reading);
    if loaded.accepted() {
        return Ok(Seed::new(name, &loaded.program, sources, loaded.options));
    }
    let mut reason = "it is not a well-formed program".to_owned();
    if let Some(error) = loaded.errors.first() {
        let _ = write!(reason, ": {} error: {}", error.kind, error.message);
        if let Some(place) = sources.locate(error.span) {
            let _ = write!(reason, " at {}:{}:{}", place.file.name, place.line, place.column);
        }
    }
    let trouble = Trouble::new(reason).help(format!("`mugie check {name}` says more"));
    Err(unusable(names, trouble))
}

/// The one program in a file, which must be well-formed. Its errors are told.
pub(crate) fn load_seed(style: &Style, path: &Path, reading: Reading) -> Result<Loaded, Trouble> {
    let sources = read::read(std::slice::from_ref(&path.to_owned()))?;
    let loaded = load_and_tell(style, &sources, reading);
    if loaded.accepted() {
        return Ok(loaded);
    }
    let name = read::name(path);
    Err(Trouble::new(format!("{name}: the seed is not a well-formed program"))
        .help(format!("`mugie check {name}` says more")))
}

/// Loads a seed and tells its errors.
fn load_and_tell(style: &Style, sources: &SourceMap, reading: Reading) -> Loaded {
    let mut loaded = load(sources, reading);
    if !loaded.accepted() {
        encoding::explain(sources, &mut loaded.errors);
        output::talk(&style.errors(sources, &loaded.errors, MAX_ERRORS));
    }
    loaded
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
        // What was made of seeds is no seed, unless it is asked for.
        for (name, marker) in [("in/made", "mutants.jsonl"), ("in/found", "result.json")] {
            fs::create_dir(path(name)).unwrap();
            fs::write(path(name).join(marker), "").unwrap();
            fs::write(path(name).join("m.bpl"), "").unwrap();
        }
        assert_eq!(found(&["in"]).unwrap(), ["in/c.bpl", "in/deep/d.bpl"]);
        assert_eq!(found(&["in/made"]).unwrap(), ["in/made/m.bpl"]);
        assert_eq!(plain("./in/a.bpl".into()), Path::new("in/a.bpl"));
        assert_eq!(plain("./-".into()), Path::new("./-"));
        // A missing file is left to whoever reads it.
        assert_eq!(found(&["missing.bpl"]).unwrap(), ["missing.bpl"]);
    }
}
