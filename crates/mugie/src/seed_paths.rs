//! Finds seeds: expands the files, folders and patterns that the user gives.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use mugie_experiment::foreign;

use crate::messages::Trouble;
use crate::parts::{languages, parts};
use crate::{minimal_dir, mutants};

/// The files that identify folders written by mugie.
const OWN: [&str; 3] = [mutants::LIST, mutants::RESULT, minimal_dir::RECORD];

/// The extensions of files that are seeds or can be turned into seeds.
fn extensions() -> Vec<&'static str> {
    let languages = languages().0.iter().flat_map(|language| language.extensions());
    let doors = parts().doors.iter().flat_map(|door| door.extensions());
    languages.chain(doors).copied().collect()
}

/// Whether a file can be a seed, judging by its name.
fn is_program(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| extensions().contains(&extension))
}

/// The files meant by the arguments, in the order given; files of a folder or pattern are sorted by
/// name. Each file occurs once.
pub(crate) fn find(given: &[PathBuf]) -> Result<Vec<PathBuf>, Trouble> {
    let mut files = Vec::new();
    let mut seen = BTreeSet::new();
    for path in given {
        for file in expand(path)? {
            let file = plain(file);
            // Symbolic links and other spellings of a path lead to the same file.
            let identity = fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
            if seen.insert(identity) {
                files.push(file);
            }
        }
    }
    Ok(files)
}

/// Removes a leading `./`: CI systems show annotations only for paths as they are in the
/// repository.
pub(crate) fn plain(path: PathBuf) -> PathBuf {
    match path.strip_prefix(".") {
        // The rest would mean standard input.
        Ok(rest) if rest.as_os_str() != "-" => rest.to_owned(),
        _ => path,
    }
}

fn expand(path: &Path) -> Result<Vec<PathBuf>, Trouble> {
    if path.is_dir() {
        let files = in_folder(path)?;
        if files.is_empty() {
            if let Some(refused) = foreign_in(path) {
                return Err(refused);
            }
            let names = languages().0.iter().map(|language| language.words().program);
            let names: Vec<String> = names.map(|name| format!("{name}s")).collect();
            let words = format!("{}: no {} in this folder", path.display(), names.join(" or "));
            let endings: Vec<String> = extensions().iter().map(|it| format!("`.{it}`")).collect();
            let help = format!("they are files with the extension {}", endings.join(" or "));
            return Err(Trouble::new(words).help(help));
        }
        return Ok(files);
    }
    match path.to_str() {
        // The name of an existing file is not a pattern, whatever it looks like.
        Some(pattern) if !path.exists() && pattern.contains(['*', '?', '[']) => matches(pattern),
        _ => Ok(vec![path.to_owned()]),
    }
}

/// What to say of the first file in a folder or its subfolders that is of a language that mugie does not read.
fn foreign_in(folder: &Path) -> Option<Trouble> {
    let mut folders = vec![folder.to_owned()];
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        if !fs::canonicalize(&folder).is_ok_and(|real| seen.insert(real)) {
            continue;
        }
        for entry in fs::read_dir(&folder).ok()?.filter_map(Result::ok) {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found.iter().find_map(|path| foreign::refuse(path)).map(Trouble::from)
}

/// The programs in a folder and its subfolders, sorted by name. Subfolders with programs that mugie
/// wrote are left out.
fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, Trouble> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    let mut seen = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        // A project names its files itself.
        let projects = parts().doors.iter().flat_map(|door| door.file_names());
        let projects = projects.map(|name| folder.join(name)).filter(|project| project.is_file());
        let projects: Vec<PathBuf> = projects.collect();
        if !projects.is_empty() {
            files.extend(projects);
            continue;
        }
        let unreadable = |error: io::Error| {
            Trouble::new(format!("{}: cannot read the folder: {error}", folder.display()))
                .help("name the files in it that you may read")
        };
        // Symbolic links can form a loop.
        if !seen.insert(fs::canonicalize(&folder).map_err(unreadable)?) {
            continue;
        }
        for entry in fs::read_dir(&folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.is_dir() {
                if !OWN.iter().any(|marker| path.join(marker).exists()) {
                    folders.push(path);
                }
            } else if is_program(&path) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The programs that a pattern matches, and all programs in folders that it matches.
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
        return Err(Trouble::new(format!("{pattern}: no file matches"))
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
        // Mutants and other outputs of mugie are not seeds, unless they are named explicitly.
        for (name, marker) in [("in/made", "mutants.jsonl"), ("in/found", "result.json")] {
            fs::create_dir(path(name)).unwrap();
            fs::write(path(name).join(marker), "").unwrap();
            fs::write(path(name).join("m.bpl"), "").unwrap();
        }
        assert_eq!(found(&["in"]).unwrap(), ["in/c.bpl", "in/deep/d.bpl"]);
        assert_eq!(found(&["in/made"]).unwrap(), ["in/made/m.bpl"]);
        assert_eq!(plain("./in/a.bpl".into()), Path::new("in/a.bpl"));
        assert_eq!(plain("./-".into()), Path::new("./-"));
        // A missing file is reported later, when it is read.
        assert_eq!(found(&["missing.bpl"]).unwrap(), ["missing.bpl"]);
    }
}
