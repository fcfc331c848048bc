//! A separate directory for each command, with its seeds, outputs, temporary files and cache.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::commands::{PLAN, Tested};
use crate::processes::{self, MARKER};

/// The time after which a command is considered to hang.
const PATIENCE: Duration = Duration::from_mins(2);

/// The directory in which a command runs.
pub(crate) struct Sandbox {
    tested: &'static Tested,
    folder: TempDir,
    marker: String,
}

/// A running command.
pub(crate) struct Run(Child);

/// The exit code, the output and the files of a command.
pub(crate) struct Snapshot {
    code: Option<i32>,
    /// The output of the second command.
    said: String,
    /// The files in the folder of the seeds, by name; without content if they contain measured times.
    files: BTreeMap<String, Vec<u8>>,
}

impl Sandbox {
    pub(crate) fn new(tested: &'static Tested) -> Sandbox {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let folder = tempfile::tempdir().unwrap();
        for name in ["work", "tmp", "home"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        let work = folder.path().join("work");
        for name in ["brittle.bpl", "max.bpl"] {
            fs::copy(examples.join(name), work.join(name)).unwrap();
        }
        fs::write(work.join("plan.toml"), PLAN).unwrap();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let marker = format!("{}-{number}", std::process::id());
        Sandbox { tested, folder, marker }
    }

    /// The marker in the environment of the command's processes.
    pub(crate) fn marker(&self) -> &str {
        &self.marker
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mugie"));
        command.args(arguments).current_dir(self.path("work"));
        command.env_remove("MUGIE_CACHE").env(MARKER, &self.marker);
        command.env("TMPDIR", self.path("tmp")).env("HOME", self.path("home"));
        for (variable, folder) in [
            ("XDG_CACHE_HOME", "home/cache"),
            ("XDG_CONFIG_HOME", "home/config"),
            ("XDG_DATA_HOME", "home/data"),
            ("XDG_STATE_HOME", "home/state"),
            ("XDG_RUNTIME_DIR", "home/run"),
        ] {
            command.env(variable, self.path(folder));
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Starts the command.
    pub(crate) fn start(&self) -> Run {
        Run(self.command(self.tested.arguments).spawn().unwrap())
    }

    /// Runs the command and returns its exit code.
    pub(crate) fn run_to_end(&self) -> Option<i32> {
        self.start().end()
    }

    /// Records the results of the command, which ended with this exit code.
    pub(crate) fn snapshot(&self, code: Option<i32>) -> Snapshot {
        let said = self.tested.then.map(|arguments| {
            let output = self.command(arguments).stdout(Stdio::piped()).output().unwrap();
            String::from_utf8_lossy(&output.stdout).into_owned()
        });
        let mut files = BTreeMap::new();
        for path in files_in(&self.path("work")) {
            let name = self.name(&path);
            let name = name.strip_prefix("work/").unwrap_or(&name);
            let is_measured = self.tested.measured.iter().any(|end| name.ends_with(end));
            let content = if is_measured { Vec::new() } else { fs::read(&path).unwrap() };
            files.insert(name.to_owned(), content);
        }
        Snapshot { code, said: said.unwrap_or_default(), files }
    }

    /// Files that should not exist after the command has ended by itself.
    pub(crate) fn leftovers(&self) -> Vec<String> {
        let all = files_in(self.folder.path()).into_iter().chain(folders_in(self.folder.path()));
        let mut left: Vec<String> =
            all.filter(|path| self.is_leftover(path)).map(|path| self.name(&path)).collect();
        left.sort();
        left
    }

    fn is_leftover(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap().to_string_lossy();
        let is_log = name.ends_with("-wal") || name.ends_with("-shm");
        let is_draft = name.starts_with(".mugie-") || name.contains("draft") || is_log;
        let temporary = self.path("tmp");
        (path.starts_with(&temporary) && path != temporary) || is_draft
    }

    fn name(&self, path: &Path) -> String {
        path.strip_prefix(self.folder.path()).unwrap().to_string_lossy().into_owned()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // Processes are left only if a test has failed.
        for process in processes::find(&self.marker) {
            process.kill();
        }
    }
}

impl Run {
    pub(crate) fn is_over(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }

    /// Waits for the command to end. Returns its exit code, or `None` if it was killed.
    pub(crate) fn end(mut self) -> Option<i32> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status.code();
            }
            if start.elapsed() > PATIENCE {
                self.0.kill().unwrap();
                self.0.wait().unwrap();
                panic!("it did not end");
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Snapshot {
    /// Describes the differences of another snapshot from this one.
    pub(crate) fn differences(&self, other: &Snapshot) -> Vec<String> {
        let mut found = Vec::new();
        if self.code != other.code {
            found.push(format!("exit code {:?}, not {:?}", other.code, self.code));
        }
        if self.said != other.said {
            found.push(format!("said {}", other.said));
        }
        for name in self.files.keys().chain(other.files.keys()) {
            if self.files.get(name) != other.files.get(name) {
                let is_there = |files: &BTreeMap<_, _>| files.contains_key(name);
                let (before, after) = (is_there(&self.files), is_there(&other.files));
                found.push(format!("{name} (there: {before}, {after})"));
            }
        }
        found.sort();
        found.dedup();
        found
    }
}

/// All files in a folder and its subfolders.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    entries_in(folder).into_iter().filter(|path| !path.is_dir()).collect()
}

/// All subfolders of a folder, at any depth.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    entries_in(folder).into_iter().filter(|path| path.is_dir()).collect()
}

fn entries_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        let path = entry.path();
        if entry.file_type().is_ok_and(|it| it.is_dir()) {
            found.extend(entries_in(&path));
        }
        found.push(path);
    }
    found
}
