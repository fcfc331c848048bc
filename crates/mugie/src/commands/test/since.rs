//! `--since`: only programs that have changed since a revision of git, with what they include; of a program whose
//! language can tell, only the procedures that the change concerns.
//!
//! What git cannot tell counts as changed.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use mugie_core::{ChosenGoals, SourceText, ToolRun};
use mugie_experiment::sources::{Reading, Source, door_of, is_stdin};
use mugie_verifiers::supervise::Supervisor;
use mugie_verifiers::{Environment, input};

use crate::doors::run_tool;
use crate::messages::{Style, Trouble, plural};
use crate::output;
use crate::parts::parts;

/// The largest file that is looked through for the files that it includes, in bytes.
const MAX_FILE: u64 = 16 << 20;

/// The largest earlier version that is compared, in bytes; of more, a run keeps only the beginning and the end.
const MAX_OLD: usize = 1 << 20;

/// What has changed since a revision.
pub(super) struct Since<'s> {
    supervisor: &'s Supervisor,
    git: PathBuf,
    revision: String,
    /// By their top folders.
    repositories: BTreeMap<PathBuf, Repository>,
}

/// A repository of git.
struct Repository {
    /// The revision, as a commit.
    commit: String,
    /// The files that have changed since then, from the top folder.
    changed: BTreeSet<String>,
    /// Whether git knows a file, for those that were asked for.
    known: BTreeMap<String, bool>,
}

impl<'s> Since<'s> {
    /// Finds git.
    pub(super) fn new(supervisor: &'s Supervisor, revision: &str) -> Result<Since<'s>, Trouble> {
        let git = Environment::of_process().program(OsStr::new("git")).ok_or_else(|| {
            Trouble::new("`--since` needs git, which is not installed")
                .help("install git, or leave out --since to test everything")
        })?;
        let revision = revision.to_owned();
        Ok(Since { supervisor, git, revision, repositories: BTreeMap::new() })
    }

    /// The sources that have changed.
    pub(super) fn changed(
        &mut self,
        style: &Style,
        sources: Vec<Source>,
    ) -> Result<Vec<Source>, Trouble> {
        let all = sources.len();
        let mut kept = Vec::new();
        for source in sources {
            if self.has_changed(&source)? {
                kept.push(source);
            }
        }
        let (number, revision) = (kept.len(), &self.revision);
        let words = format!(
            "{number} of {all} {} changed since {revision}; the others are not tested",
            plural(all, "program")
        );
        output::talk(&style.note(&words));
        Ok(kept)
    }

    /// The commit that the revision means, if a repository was looked at.
    pub(super) fn commit(&self) -> Option<String> {
        self.repositories.values().next().map(|repository| repository.commit.clone())
    }

    /// Whether a source, or a file that it includes, has changed.
    fn has_changed(&mut self, source: &Source) -> Result<bool, Trouble> {
        let door = door_of(parts().doors, source.paths());
        let mut left: Vec<PathBuf> = source.paths().to_vec();
        let mut seen = BTreeSet::new();
        while let Some(path) = left.pop() {
            if is_stdin(&path) || self.file_has_changed(&path)? {
                return Ok(true);
            }
            if path.is_dir() || !seen.insert(fs::canonicalize(&path).unwrap_or(path.clone())) {
                continue;
            }
            let Some(door) = door else { continue };
            let name = path.file_name().map(|it| it.to_string_lossy()).unwrap_or_default();
            // What cannot be read cannot be seen to be unchanged.
            let Ok(text) = input::read_to_string(&path, MAX_FILE) else { return Ok(true) };
            let folder = path.parent().unwrap_or(Path::new(""));
            left.extend(door.included(&name, &text).into_iter().map(|it| folder.join(it)));
        }
        Ok(false)
    }

    /// Whether a file, or any file in a folder, has changed.
    fn file_has_changed(&mut self, path: &Path) -> Result<bool, Trouble> {
        let Ok(real) = fs::canonicalize(path) else { return Ok(true) };
        let (top, inside) = place(&real)?;
        let repository = self.repository(&top)?;
        if real.is_dir() {
            let prefix = if inside.is_empty() { inside } else { inside + "/" };
            return Ok(repository.changed.iter().any(|name| name.starts_with(&prefix)));
        }
        if repository.changed.contains(&inside) {
            return Ok(true);
        }
        if let Some(known) = repository.known.get(&inside) {
            return Ok(!known);
        }
        let words = ["ls-files", "--error-unmatch", "--", inside.as_str()];
        let known = self.git(&top, &words)?.code == 0;
        if let Some(repository) = self.repositories.get_mut(&top) {
            repository.known.insert(inside, known);
        }
        Ok(!known)
    }

    /// What has changed in a repository.
    fn repository(&mut self, top: &Path) -> Result<&Repository, Trouble> {
        if !self.repositories.contains_key(top) {
            let revision = format!("{}^{{commit}}", self.revision);
            let words = ["rev-parse", "--verify", "--end-of-options", revision.as_str()];
            let found = self.git(top, &words)?;
            if found.code != 0 {
                let words = format!("git does not know the revision `{}`", self.revision);
                return Err(trouble(words, &found).help(
                    "fetch it first: a CI job often has the last commit only, and \
                     `git fetch --unshallow` gets the others",
                ));
            }
            let commit = found.stdout.trim().to_owned();
            let words = [
                "diff",
                "--name-only",
                "--no-renames",
                "--no-ext-diff",
                "-z",
                "--output={folder}/changed",
                commit.as_str(),
                "--",
            ];
            let run = self.git(top, &words)?;
            let changed = run.files.get("changed").filter(|_| run.code == 0).ok_or_else(|| {
                trouble(format!("git cannot compare with `{}`", self.revision), &run)
            })?;
            let changed = changed.split('\0').filter(|it| !it.is_empty()).map(str::to_owned);
            let changed = changed.collect();
            let repository = Repository { commit, changed, known: BTreeMap::new() };
            self.repositories.insert(top.to_owned(), repository);
        }
        self.repositories.get(top).ok_or_else(|| Trouble::new("git gives no answer"))
    }

    fn git(&self, top: &Path, words: &[&str]) -> Result<ToolRun, Trouble> {
        let place = top.display().to_string();
        let start = ["-C", place.as_str()];
        let words = start.iter().chain(words).map(|&word| word.to_owned());
        let words: Vec<String> = words.collect();
        run_tool(self.supervisor, &self.git, &words)
            .map_err(|error| Trouble::new(format!("cannot run git: {error}")))
    }

    /// The sources, of which only the procedures are verified that a change concerns, where the language can tell.
    pub(super) fn procedures(
        &mut self,
        style: &Style,
        sources: Vec<Source>,
        reading: &Reading,
    ) -> Result<Vec<Source>, Trouble> {
        let mut kept = Vec::new();
        let (mut chosen, mut others) = (0, 0);
        for source in sources {
            match self.concerned(&source, reading)? {
                None => kept.push(source),
                Some((found, _)) if found.chosen.is_empty() => others += found.others.len(),
                Some((found, names)) => {
                    chosen += found.chosen.len();
                    others += found.others.len();
                    kept.push(source.choosing(found.files, found.chosen, &names));
                }
            }
        }
        if others > 0 {
            let all = chosen + others;
            let words = format!(
                "in programs of which only bodies changed, {chosen} of {all} {} {} verified",
                plural(all, "procedure"),
                if all == 1 { "is" } else { "are" }
            );
            output::talk(&style.note(&words));
        }
        Ok(kept)
    }

    /// The procedures of a source that a change concerns, and their names; `None` if that may be all.
    fn concerned(
        &mut self,
        source: &Source,
        reading: &Reading,
    ) -> Result<Option<(ChosenGoals, Vec<String>)>, Trouble> {
        if source.origin().is_some() || source.paths().iter().any(|path| is_stdin(path)) {
            return Ok(None);
        }
        let Some(language) = source.language(reading.languages, &reading.usual) else {
            return Ok(None);
        };
        let Ok(new) = source.read() else { return Ok(None) };
        let mut old = Vec::new();
        for (path, file) in source.paths().iter().zip(&new) {
            let Ok(real) = fs::canonicalize(path) else { return Ok(None) };
            let (top, inside) = place(&real)?;
            let commit = self.repository(&top)?.commit.clone();
            let object = format!("{commit}:{inside}");
            let run = self.git(&top, &["cat-file", "blob", &object])?;
            if run.code != 0 || run.stdout.len() > MAX_OLD {
                // It is new, or perhaps not all of it was read.
                return Ok(None);
            }
            old.push(SourceText { name: file.name.clone(), bytes: run.stdout.into_bytes() });
        }
        let options = reading.options.clone().of(language);
        let Some(names) = language.changed(old, new.clone(), &options) else { return Ok(None) };
        let chooses = |all: &[&str]| names.iter().any(|name| all.contains(&name.as_str()));
        Ok(language.only(new, &options, &chooses).and_then(Result::ok).map(|it| (it, names)))
    }
}

/// The top folder of the repository that a file is in, and the path from there.
fn place(real: &Path) -> Result<(PathBuf, String), Trouble> {
    let top = real.ancestors().find(|folder| folder.join(".git").exists());
    let top = top.ok_or_else(|| {
        Trouble::new(format!("{}: it is not in a repository of git", real.display()))
            .help("leave out --since to test everything")
    })?;
    let inside = real.strip_prefix(top).unwrap_or(real);
    Ok((top.to_owned(), inside.to_string_lossy().into_owned()))
}

/// The error for a git that fails, with what it says.
fn trouble(words: String, run: &ToolRun) -> Trouble {
    let said = run.stderr.lines().find(|line| !line.trim().is_empty());
    let said = said.map(|line| format!(": {}", line.trim())).unwrap_or_default();
    Trouble::new(words + &said).help("leave out --since to test everything")
}
