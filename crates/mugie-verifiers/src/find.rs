//! Finds programs on this machine and asks for their versions.
//!
//! A program may be anything: it may print without end, hang, or start others. So it runs in a
//! process group of its own, with a time limit, and only the beginning of its output is read.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::{self, Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::definition::{Definition, ProgramDefinition, SolverDefinition, VersionQuery};
use crate::version::Version;

/// Time that a program may take to print its version; raising it delays the report of a program
/// that hangs. Boogie takes half a second, more on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Time between two looks at the interrupt flag; raising it saves CPU and delays the reaction to an
/// interrupt.
const TICK: Duration = Duration::from_millis(50);

/// Bytes of each stream that are searched for a version.
const MAX_ANSWER: u64 = 64 << 10;

/// Maximum number of characters of an answer that a message quotes.
const QUOTE: usize = 80;

/// The relevant part of the process's environment.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The variable `PATH`, where programs are searched for.
    pub path: Option<OsString>,
    /// The variables that begin with `MUGIE_`, with their values.
    pub variables: BTreeMap<String, OsString>,
    /// The directory of the user's settings: `$XDG_CONFIG_HOME` or `~/.config`.
    pub config: Option<PathBuf>,
    /// The directory for state that mugie keeps for the user: `$XDG_STATE_HOME` or
    /// `~/.local/state`.
    pub state: Option<PathBuf>,
    /// The directory with the project's definitions.
    pub directory: PathBuf,
    /// Set to interrupt the lookup: programs that are being asked for their versions are killed.
    pub interrupted: Arc<AtomicBool>,
}

impl Environment {
    /// The environment of this process.
    pub fn of_process() -> Environment {
        let absolute =
            |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let variables = env::vars_os().filter_map(|(name, value)| {
            let name = name.into_string().ok().filter(|name| name.starts_with("MUGIE_"))?;
            Some((name, value))
        });
        Environment {
            path: env::var_os("PATH"),
            variables: variables.collect(),
            config: absolute("XDG_CONFIG_HOME")
                .or_else(|| absolute("HOME").map(|home| home.join(".config"))),
            state: absolute("XDG_STATE_HOME")
                .or_else(|| absolute("HOME").map(|home| home.join(".local/state"))),
            directory: PathBuf::new(),
            interrupted: Arc::default(),
        }
    }

    /// The program with this path, or with this name on `PATH`. Relative directories on `PATH` are
    /// ignored, because what they contain depends on the current directory, which may be anybody's.
    pub fn program(&self, name: &OsStr) -> Option<PathBuf> {
        let found = if Path::new(name).components().count() > 1 || is_path(name) {
            Some(PathBuf::from(name)).filter(|path| is_program(path))
        } else {
            let directories = env::split_paths(self.path.as_ref()?);
            let directories = directories.filter(|directory| directory.is_absolute());
            directories.map(|directory| directory.join(name)).find(|path| is_program(path))
        };
        // Absolute, because runs happen in other directories.
        found.and_then(|path| path::absolute(path).ok())
    }
}

/// Whether a name is a path, so that it is not searched for on `PATH`.
pub(crate) fn is_path(name: &OsStr) -> bool {
    name.as_encoded_bytes().iter().any(|byte| path::is_separator(char::from(*byte)))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file())
}

/// A program on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundProgram {
    /// The absolute path; links are not followed.
    pub path: PathBuf,
    /// Its version, if there is a way to ask for it.
    pub version: Option<Version>,
    /// The line of output with the version, which contains more than the version.
    pub answer: Option<String>,
}

/// Why a program cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ToolError {
    /// It was not found.
    #[error("{title} is missing: {searched}")]
    Missing {
        /// The name in messages.
        title: String,
        /// Where it was searched for.
        searched: Searched,
        /// The variable that can be set to its path.
        variable: String,
        /// The command that installs it.
        install: Option<String>,
    },
    /// It is named by somebody else's definition, which the user has not trusted.
    #[error(
        "the definition of `{definition}` is not trusted, so its program is not run: {program}"
    )]
    Untrusted {
        /// Its path, or its name if it was not found.
        program: String,
        /// The name of the definition.
        definition: String,
    },
    /// It does not print its version, so its command line cannot be chosen.
    #[error("`{command}` does not print the version of {title}: {problem}")]
    NoVersion {
        /// The name in messages.
        title: String,
        /// The command that asks for the version.
        command: String,
        /// What happened.
        problem: String,
    },
}

impl ToolError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            ToolError::Missing { variable, install, .. } => match install {
                Some(install) => {
                    format!("install it with `{install}`, or set {variable} to its path")
                }
                None => format!("set {variable} to its path"),
            },
            ToolError::Untrusted { definition, .. } => {
                format!(
                    "look at it with `mugie verifiers {definition} --show`; trust it with `mugie \
                     verifiers --trust {definition}`"
                )
            }
            ToolError::NoVersion { command, .. } => {
                format!("run `{command}` to see what is wrong with it")
            }
        }
    }
}

/// Where a program was searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Searched {
    /// On `PATH`, under these names.
    Names(Vec<String>),
    /// At the path in this variable.
    Variable(String, PathBuf),
    /// At the path that the user gave.
    Given(PathBuf),
}

impl fmt::Display for Searched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Searched::Names(names) if names.is_empty() => {
                f.write_str("its definition names no program")
            }
            Searched::Names(names) => {
                let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
                write!(f, "there is no program {} on PATH", names.join(" or "))
            }
            Searched::Variable(variable, path) => {
                write!(f, "{variable} is `{}`, which is not a program", path.display())
            }
            Searched::Given(path) => write!(f, "`{}` is not a program", path.display()),
        }
    }
}

/// A program to be found.
#[derive(Clone, Debug)]
pub(crate) struct ProgramQuery<'a> {
    /// The name in messages.
    pub(crate) title: &'a str,
    /// The variable that can be set to its path.
    pub(crate) variable: String,
    /// How to find it if that variable is not set.
    pub(crate) definition: &'a ProgramDefinition,
    /// The path that the user gave, if any.
    pub(crate) given: Option<&'a Path>,
}

impl<'a> ProgramQuery<'a> {
    /// The program of a verifier.
    pub(crate) fn program(definition: &'a Definition, given: Option<&'a Path>) -> ProgramQuery<'a> {
        ProgramQuery {
            title: definition.title.as_deref().unwrap_or("the program to run"),
            variable: definition.variable(),
            definition: &definition.program,
            given,
        }
    }

    /// The program of a solver.
    pub(crate) fn solver(
        solver: &'a SolverDefinition,
        given: Option<&'a Path>,
    ) -> ProgramQuery<'a> {
        ProgramQuery {
            title: &solver.title,
            variable: solver.variable(),
            definition: &solver.program,
            given,
        }
    }

    /// Finds the program and asks for its version.
    pub(crate) fn find(
        &self,
        environment: &Environment,
        patience: Duration,
    ) -> Result<FoundProgram, ToolError> {
        let path = self.locate(environment)?;
        let Some(query) = &self.definition.version else {
            return Ok(FoundProgram { path, version: None, answer: None });
        };
        let no_version = |problem| ToolError::NoVersion {
            title: self.title.to_owned(),
            command: command_text(&path, query),
            problem,
        };
        let answer = ask(&path, &query.arguments, patience, &environment.interrupted);
        match query.pattern.find(&answer.text) {
            Some((version, line)) => {
                let answer = Some(line.to_owned());
                Ok(FoundProgram { path, version: Some(version), answer })
            }
            None => Err(no_version(answer.problem(patience))),
        }
    }

    /// The path of the program. Nothing is run.
    pub(crate) fn locate(&self, environment: &Environment) -> Result<PathBuf, ToolError> {
        let missing = |searched| ToolError::Missing {
            title: self.title.to_owned(),
            searched,
            variable: self.variable.clone(),
            install: self.definition.install.clone(),
        };
        if let Some(given) = self.given {
            let found = environment.program(given.as_os_str());
            return found.ok_or_else(|| missing(Searched::Given(given.to_owned())));
        }
        let variable = environment.variables.get(&self.variable);
        if let Some(value) = variable.filter(|value| !value.is_empty()) {
            return environment
                .program(value)
                .ok_or_else(|| missing(Searched::Variable(self.variable.clone(), value.into())));
        }
        let names = &self.definition.names;
        names
            .iter()
            .find_map(|name| environment.program(name.as_ref()))
            .ok_or_else(|| missing(Searched::Names(names.clone())))
    }
}

fn command_text(path: &Path, query: &VersionQuery) -> String {
    let path = path.display().to_string();
    [&[path][..], &query.arguments].concat().join(" ")
}

/// What a program printed when it was asked for its version.
#[derive(Debug)]
pub(crate) struct VersionReply {
    /// Standard output, then standard error.
    pub(crate) text: String,
    /// Whether the program was still running at the end of its time.
    hangs: bool,
    /// Whether the wait was interrupted.
    interrupted: bool,
    /// The error if the program could not be run.
    broken: Option<io::Error>,
}

impl VersionReply {
    /// Explains why the reply contains no version.
    pub(crate) fn problem(&self, patience: Duration) -> String {
        if let Some(error) = &self.broken {
            return format!("it cannot be run: {error}");
        }
        if self.interrupted {
            return "it was interrupted".to_owned();
        }
        if self.hangs {
            return format!("it does not end within {} s", patience.as_secs_f64());
        }
        let line = self.text.lines().map(str::trim).find(|line| !line.is_empty());
        match line {
            None => "it prints nothing".to_owned(),
            Some(line) => {
                let quote: String = line.chars().take(QUOTE).collect();
                let dots = if quote.len() < line.len() { " …" } else { "" };
                format!("it prints `{quote}{dots}`")
            }
        }
    }
}

/// Runs a program and returns its output. Afterwards no process that it started is left.
pub(crate) fn ask(
    path: &Path,
    arguments: &[String],
    patience: Duration,
    interrupted: &AtomicBool,
) -> VersionReply {
    let deadline = Instant::now() + patience;
    let mut command = Command::new(path);
    command.args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    #[cfg(target_os = "linux")]
    crate::supervise::adopt_orphans();
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            let (text, broken) = (String::new(), Some(error));
            return VersionReply { text, hangs: false, interrupted: false, broken };
        }
    };
    let (done, ended) = mpsc::channel();
    let streams = [
        child.stdout.take().map(|stream| collect(stream, done.clone())).transpose(),
        child.stderr.take().map(|stream| collect(stream, done)).transpose(),
    ];
    // Waits for the ends of the streams, which come when all processes that hold them have ended,
    // and not for the program: until the program is reaped, its process id cannot be reused, and
    // killing it is safe.
    let is_interrupted = || interrupted.load(Ordering::Relaxed);
    let goes_on = || loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match ended.recv_timeout(left.min(TICK)) {
            Ok(()) => return false,
            Err(RecvTimeoutError::Timeout) if !left.is_zero() && !is_interrupted() => {}
            Err(_) => return true,
        }
    };
    let hangs = streams.iter().all(Result::is_ok) && (0..streams.len()).any(|_| goes_on());
    kill_group(&mut child);
    let mut broken = child.wait().err();
    #[cfg(target_os = "linux")]
    crate::supervise::end_adopted();
    let mut text = String::new();
    for stream in streams {
        let stream = stream.unwrap_or_else(|error| {
            broken = Some(error);
            None
        });
        let Some(stream) = stream else { continue };
        let bytes = stream.lock().unwrap_or_else(PoisonError::into_inner);
        text += &String::from_utf8_lossy(&bytes);
        text.push('\n');
    }
    VersionReply { text, hangs, interrupted: hangs && is_interrupted(), broken }
}

/// Reads the beginning of a stream in a thread, which signals `done` at the end.
fn collect(
    stream: impl Read + Send + 'static,
    done: Sender<()>,
) -> io::Result<Arc<Mutex<Vec<u8>>>> {
    let bytes = Arc::new(Mutex::new(Vec::new()));
    let collected = Arc::clone(&bytes);
    thread::Builder::new().spawn(move || {
        let mut stream = stream.take(MAX_ANSWER);
        let mut chunk = [0; 4096];
        while let Ok(length @ 1..) = stream.read(&mut chunk) {
            let mut bytes = bytes.lock().unwrap_or_else(PoisonError::into_inner);
            bytes.extend_from_slice(&chunk[..length]);
        }
        // The receiver may be gone.
        let _ = done.send(());
    })?;
    Ok(collected)
}

#[cfg(unix)]
fn kill_group(child: &mut Child) {
    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;
    if let Ok(group) = i32::try_from(child.id()) {
        // An error means that no process is left.
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
}

#[cfg(not(unix))]
fn kill_group(child: &mut Child) {
    let _ = child.kill();
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::tests::script;

    #[test]
    #[cfg(target_os = "linux")]
    fn what_escapes_from_a_question_is_ended() {
        let directory = tempfile::tempdir().unwrap();
        let body = "setsid sh -c 'echo $$ > $0.pid; sleep 20' $0 < /dev/null > /dev/null 2>&1 &\n\
                    until [ -s $0.pid ]; do sleep 0.01; done; echo version 1";
        let path = script(&directory.path().join("tool"), body);
        let answer = ask(&path, &[], Duration::from_secs(20), &AtomicBool::new(false));
        assert_eq!(answer.text.trim(), "version 1");
        let escaped = fs::read_to_string(directory.path().join("tool.pid")).unwrap();
        assert!(!Path::new("/proc").join(escaped.trim()).exists());
    }

    fn ask_script(body: &str, patience: Duration) -> VersionReply {
        let directory = tempfile::tempdir().unwrap();
        let path = script(&directory.path().join("tool"), body);
        ask(&path, &["--version".to_owned()], patience, &AtomicBool::new(false))
    }

    #[test]
    fn both_streams_are_read() {
        let answer = ask_script("echo \"out $1\"; echo err >&2; exit 3", PATIENCE);
        assert_eq!(answer.text, "out --version\n\nerr\n\n");
        assert!(!answer.hangs);
    }

    #[test]
    fn a_program_that_hangs_is_ended_with_all_it_started() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("pid");
        let body =
            format!("sleep 1000 & echo $! >'{0}.new'; mv '{0}.new' '{0}'; wait", file.display());
        let answer = ask_script(&body, Duration::from_secs(2));
        assert!(answer.hangs, "{answer:?}");
        assert!(answer.problem(Duration::from_secs(2)).contains("does not end within 2 s"));
        let sleeper = fs::read_to_string(file).unwrap();
        let status = format!("/proc/{}/stat", sleeper.trim());
        let alive = || fs::read_to_string(&status).is_ok_and(|stat| !stat.contains(") Z "));
        let patience = Instant::now() + PATIENCE;
        while alive() && Instant::now() < patience {
            thread::sleep(Duration::from_millis(10));
        }
        assert!(!alive(), "sleep {sleeper} goes on");
    }

    #[test]
    fn an_interrupt_ends_a_program_that_hangs() {
        let directory = tempfile::tempdir().unwrap();
        let path = script(&directory.path().join("tool"), "sleep 1000");
        let interrupted = AtomicBool::new(true);
        let answer = ask(&path, &[], Duration::from_secs(1000), &interrupted);
        assert_eq!(answer.problem(PATIENCE), "it was interrupted");
    }

    #[test]
    fn a_flood_is_cut_off() {
        let answer = ask_script("exec yes", PATIENCE);
        assert!(answer.text.len() as u64 <= 2 * MAX_ANSWER + 2);
    }

    #[test]
    fn what_cannot_be_run_is_said() {
        let answer = ask(Path::new("/nonexistent/tool"), &[], PATIENCE, &AtomicBool::new(false));
        assert!(answer.problem(PATIENCE).contains("cannot be run"));
        let answer = ask_script("exit 0", PATIENCE);
        assert_eq!(answer.problem(PATIENCE), "it prints nothing");
    }

    #[test]
    fn programs_are_found_on_path_in_order() {
        let directory = tempfile::tempdir().unwrap();
        let [first, second] = ["first", "second"].map(|name| directory.path().join(name));
        for place in [&first, &second] {
            fs::create_dir(place).unwrap();
        }
        fs::write(first.join("tool"), "not executable").unwrap();
        let tool = script(&second.join("tool"), "");
        fs::create_dir(first.join("folder")).unwrap();
        let environment = Environment {
            path: Some(env::join_paths([&first, &second]).unwrap()),
            ..Environment::default()
        };
        assert_eq!(environment.program("tool".as_ref()), Some(tool.clone()));
        assert_eq!(environment.program(tool.as_os_str()), Some(tool));
        assert_eq!(environment.program("folder".as_ref()), None);
        let up = "../".repeat(env::current_dir().unwrap().components().count() - 1);
        let relative = PathBuf::from(up).join(second.strip_prefix("/").unwrap());
        assert!(is_program(&relative.join("tool")));
        let environment = Environment { path: Some(relative.into()), ..Environment::default() };
        assert_eq!(environment.program("tool".as_ref()), None);
        assert_eq!(environment.program("./tool".as_ref()), None);
        assert_eq!(Environment::default().program("tool".as_ref()), None);
    }
}
