//! Finds seeds: expands the files, folders and patterns that the user gives, and opens files that
//! are not seeds themselves by their front doors.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mugie_core::Opened;
use mugie_experiment::sources::{Source, VerifierNeeds, door_of};
use mugie_verifiers::claim::Folder;
use mugie_verifiers::supervise::{Keeper, Supervisor};
use mugie_verifiers::{CommandLine, Ending, Limits};

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

/// The programs in a folder and its subfolders, sorted by name. Subfolders with programs that mugie
/// wrote are left out.
fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, Trouble> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    let mut seen = BTreeSet::new();
    while let Some(folder) = folders.pop() {
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

/// The single source that a file is, or that its front door makes of it.
pub(crate) fn source(file: &Path) -> Result<Source, Trouble> {
    let supervisor = Arc::new(Supervisor::new(Keeper::this_program()));
    let mut sources = opened(vec![Source::new(vec![file.to_owned()])], &supervisor)?;
    let names: Vec<String> = sources.iter().map(|source| source.name().to_owned()).collect();
    match (sources.pop(), sources.is_empty()) {
        (Some(source), true) => Ok(source),
        _ => Err(Trouble::new(format!("{}: more than one program", file.display()))
            .help(format!("its programs are: {}", names.join(", ")))),
    }
}

/// The seeds of some sources. A source that is not a seed itself is opened by its front door, which
/// runs its tool under supervision.
pub(crate) fn opened(
    sources: Vec<Source>,
    supervisor: &Arc<Supervisor>,
) -> Result<Vec<Source>, Trouble> {
    let mut seeds = Vec::new();
    for source in sources {
        let Some(door) = door_of(parts().doors, source.paths()) else {
            seeds.push(source);
            continue;
        };
        let run = |program: &Path, arguments: &[String]| run_tool(supervisor, program, arguments);
        let opened = door.open(source.paths(), &run).map_err(|error| Trouble {
            message: format!("{}: {}", source.name(), error.reason),
            help: error.help,
        })?;
        for Opened { name, language, files, back, arguments, profile } in opened {
            let language = languages().find(language).ok_or_else(|| {
                Trouble::new(format!("the front door `{}` gives no seed", door.id()))
            })?;
            let needs = VerifierNeeds { profile, arguments };
            seeds.push(Source::made(name, files, language, back).needing(needs));
        }
    }
    Ok(seeds)
}

/// The verifier options that all of some seeds need: there is one verifier for all of them.
pub(crate) fn needs<'s>(
    sources: impl IntoIterator<Item = &'s Source>,
) -> Result<VerifierNeeds, Trouble> {
    let mut sources = sources.into_iter();
    let Some(first) = sources.next() else { return Ok(VerifierNeeds::default()) };
    match sources.find(|source| source.verifier() != first.verifier()) {
        None => Ok(first.verifier().clone()),
        Some(other) => {
            let (one, other) = (first.name(), other.name());
            let words = format!("{other} needs other verifier options than {one}");
            Err(Trouble::new(words).help("test them one at a time"))
        }
    }
}

/// Runs a tool and returns its output.
fn run_tool(
    supervisor: &Supervisor,
    program: &Path,
    arguments: &[String],
) -> Result<String, String> {
    let trouble = |error: io::Error| format!("cannot create a temporary folder: {error}");
    let folder = Folder::for_runs().map_err(trouble)?;
    let directory = folder.path().join("0");
    fs::create_dir(&directory).map_err(trouble)?;
    let command = CommandLine {
        program: program.to_owned(),
        arguments: arguments.iter().map(Into::into).collect(),
        directory,
        environment: Vec::new(),
    };
    let run = supervisor.run(&command, &Limits::default());
    match run.ending {
        Ending::Exited(0) => Ok(run.stdout.text),
        ending => Err(format!("{} ended with {ending:?}: {}", program.display(), run.stderr.text)),
    }
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
