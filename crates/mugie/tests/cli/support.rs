//! Runs mugie in a directory of its own.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// A directory with files, in which mugie runs.
pub(crate) struct Sandbox {
    directory: TempDir,
    /// The Boogie that mugie takes, if not the one on the PATH.
    boogie: Option<PathBuf>,
}

/// The exit code and the output of a run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Sandbox {
    /// A directory with these files.
    pub(crate) fn new<T: AsRef<[u8]>>(files: &[(&str, T)]) -> Sandbox {
        let sandbox = Sandbox { directory: tempfile::tempdir().unwrap(), boogie: None };
        for (name, text) in files {
            fs::write(sandbox.path(name), text).unwrap();
        }
        sandbox
    }

    /// A directory with these files, in which Boogie is Boogie 3; `None` if that is not installed.
    pub(crate) fn with_boogie_3<T: AsRef<[u8]>>(files: &[(&str, T)]) -> Option<Sandbox> {
        let boogie = Some(boogie_3()?);
        Some(Sandbox { boogie, ..Sandbox::new(files) })
    }

    /// A directory without files.
    pub(crate) fn empty() -> Sandbox {
        Sandbox::new::<&str>(&[])
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The names of all files, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.directory.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The program, ready to be run in the directory.
    pub(crate) fn command(&self) -> Command {
        let mut command = command(self.directory.path());
        if let Some(boogie) = &self.boogie {
            command.env("MUGIE_BOOGIE", boogie);
        }
        command
    }

    pub(crate) fn run<T: AsRef<OsStr>>(&self, args: &[T]) -> Run {
        self.run_with_stdin(args, b"")
    }

    pub(crate) fn run_with_stdin<T: AsRef<OsStr>>(&self, args: &[T], stdin: &[u8]) -> Run {
        let mut command = self.command();
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A run that ends without reading its input is fine.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        let output = child.wait_with_output().unwrap();
        assert_no_defects(&output);
        Run {
            code: output.status.code().expect("ended by itself, not by a signal"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Asserts that mugie left out no mutant. A mutant that fails mugie's own check is a bug in mugie:
/// users can go on without it, but a test must fail.
#[track_caller]
pub(crate) fn assert_no_defects(output: &Output) {
    let talk = String::from_utf8_lossy(&output.stderr);
    assert!(!talk.contains("mugie's own check"), "{talk}");
}

/// The mugie command in a directory, with the same environment on every machine.
pub(crate) fn command(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mugie"));
    command.current_dir(directory).env("COLUMNS", "96");
    // Sandboxes hold our own files; `trust.rs` tests the consent needed for files of others.
    command.env("MUGIE_TRUST", "1");
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("CLICOLOR");
    command
}

/// The root of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Writes a verifier that is a shell script.
pub(crate) fn script(sandbox: &Sandbox, name: &str, body: &str) {
    let path = sandbox.path(name);
    fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The command lines of the processes with a marker among their arguments.
pub(crate) fn processes(marker: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(marker)).collect()
}

/// Waits until a condition holds; panics after a minute.
pub(crate) fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_mins(1), "waited in vain until {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The standard output of a run, parsed as JSON.
pub(crate) fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

/// The plain text of escaped HTML.
pub(crate) fn unescaped(html: &str) -> String {
    let html = html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    html.replace("&#39;", "'").replace("&amp;", "&")
}

/// Runs a command line in a shell with mugie on the PATH. The command must succeed.
pub(crate) fn shell(sandbox: &Sandbox, line: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_mugie")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args(["-c", line]).env("PATH", path).current_dir(sandbox.path("."));
    command.env("MUGIE_TRUST", "1");
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert_no_defects(&output);
    assert!(output.status.success(), "{line}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The `mugie` commands on a page, in their order.
pub(crate) fn commands(page: &str) -> Vec<String> {
    let code = page.split("<code>").skip(1).map(|rest| rest.split("</code>").next().unwrap());
    code.map(unescaped).filter(|line| line.contains("mugie ")).collect()
}

/// Whether a tool is installed. Prints a message if not; on CI, panics instead.
#[expect(clippy::print_stderr, reason = "a test says why it skips")]
pub(crate) fn has(tool: &str) -> bool {
    let found = Command::new(tool).arg("/nologo").output().is_ok();
    assert!(found || std::env::var_os("CI").is_none(), "{tool} is missing; see `make test`");
    if !found {
        eprintln!("SKIPPED: {tool} is not installed");
    }
    found
}

/// Whether a solver is installed. Prints a message if not; on CI, panics instead.
#[expect(clippy::print_stderr, reason = "a test says why it skips")]
pub(crate) fn has_program(solver: &str) -> bool {
    let found = Command::new(solver).arg("--version").output().is_ok();
    assert!(found || std::env::var_os("CI").is_none(), "{solver} is missing; see `make test`");
    if !found {
        eprintln!("SKIPPED: {solver} is not installed");
    }
    found
}

/// Boogie 3: the program in `MUGIE_BOOGIE_3`, or the one that `scripts/install-tools` unpacks. Prints
/// a message if there is none.
#[expect(clippy::print_stderr, reason = "a test says why it skips")]
pub(crate) fn boogie_3() -> Option<PathBuf> {
    let found = named_or_cached("MUGIE_BOOGIE_3", "boogie-3/bin/boogie");
    if found.is_none() {
        eprintln!("SKIPPED: Boogie 3 is not installed; MUGIE_BOOGIE_3 can name it");
    }
    found
}

/// The file that a variable names, or the one that `scripts/install-tools` put into the user's cache.
pub(crate) fn named_or_cached(variable: &str, cached: &str) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from);
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    named.or_else(|| Some(cache?.join(cached))).filter(|path| path.exists())
}

/// Removes the proxy from what was tried with a seed before an accusation: where no run was fast, there is none.
pub(crate) fn without_proxy(seed: &mut Value) {
    if let Some(tried) = seed.pointer_mut("/controls/tried").and_then(Value::as_array_mut) {
        tried.retain(|it| it != "proxy");
    }
}
