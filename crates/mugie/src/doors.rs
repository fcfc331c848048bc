//! Opens files that are not seeds themselves by their front doors: has the tool that a file is for make seeds of it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{self, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use mugie_core::{DoorRequest, Opened, ToolRun, VerifierNeeds};
use mugie_experiment::sources::{Source, SourceOrigin, display_name, door_of};
use mugie_verifiers::claim::Folder;
use mugie_verifiers::supervise::{Keeper, Supervisor};
use mugie_verifiers::{CommandLine, Ending, Environment, Limits, input};

use crate::messages::{Trouble, shown};
use crate::parts::{languages, parts};

/// Time that the tool behind a door may take for all that it verifies.
const TIME: Duration = Duration::from_mins(30);

/// Bytes of a file that a tool leaves, at most.
const MAX_FILE: u64 = 1 << 30;

/// Which tool is behind a front door, and its arguments.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Other languages")]
pub(crate) struct ToolArgs {
    /// The tool that a file is for, such as the `dafny` of a `.dfy` file or the `carbon.jar` of a `.vpr` file, instead of
    /// the one on the PATH
    #[arg(long, value_name = "PATH", visible_alias = "dafny")]
    pub(crate) front_end: Option<PathBuf>,

    /// An extra argument for that tool, such as `--isolate-assertions`; may be repeated
    ///
    /// Options that change how the tool runs the verifier are passed on to the verifier as well.
    #[arg(long, value_name = "ARG", visible_alias = "dafny-arg", allow_hyphen_values = true)]
    pub(crate) front_end_arg: Vec<String>,
}

/// How to run the tool behind a front door.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Other languages")]
pub(crate) struct DoorArgs {
    #[command(flatten)]
    pub(crate) tool: ToolArgs,

    /// Do not compare with the tool's own run
    ///
    /// Without the comparison it is not known whether the verifier is run as the tool runs it, and places are those of
    /// statements.
    #[arg(long)]
    pub(crate) no_calibration: bool,
}

/// Opens front doors.
pub(crate) struct Doors<'d> {
    /// Runs the tools.
    pub(crate) supervisor: &'d Arc<Supervisor>,
    /// What the user says about the tools.
    pub(crate) arguments: &'d ToolArgs,
    /// The verifier's program, if the user names it.
    pub(crate) verifier: Option<&'d Path>,
    /// The solver that the user asks for.
    pub(crate) solver: Option<&'d str>,
}

impl Doors<'_> {
    /// The seeds of some sources. A source that is not a seed itself is opened by its front door.
    pub(crate) fn open(&self, sources: Vec<Source>) -> Result<Vec<Source>, Trouble> {
        let mut seeds = Vec::new();
        for source in sources {
            let Some(door) = door_of(parts().doors, source.paths()) else {
                seeds.push(source);
                continue;
            };
            // Each tool has words of its own for it.
            if let Some(missing) = source.paths().iter().find(|path| !path.exists()) {
                return Err(Trouble::new(format!("{}: there is no such file", shown(missing)))
                    .help(
                        "check the spelling, and that the path starts from the current directory",
                    ));
            }
            let opened = self.request(|request| door.open(source.paths(), request));
            let opened = opened.map_err(|error| Trouble {
                message: format!("{}: {}", source.name(), error.reason),
                help: error.help,
            })?;
            for Opened { tool, name, language, files, back, verifier } in opened {
                let language = languages().find(language).ok_or_else(|| {
                    Trouble::new(format!("the front door `{}` gives no seed", door.id()))
                })?;
                let made = Source::made(name, files, language, back).needing(verifier);
                seeds.push(made.behind(SourceOrigin { files: source.paths().to_vec(), tool }));
            }
        }
        Ok(seeds)
    }

    /// Calls a door with what it may use.
    pub(crate) fn request<T>(&self, call: impl FnOnce(&DoorRequest<'_>) -> T) -> T {
        let environment = Environment::of_process();
        let run =
            |program: &Path, arguments: &[String]| run_tool(self.supervisor, program, arguments);
        let find = |name: &str| find(&environment, name);
        let read =
            |path: &Path| input::read_to_string(path, MAX_FILE).map_err(|error| error.to_string());
        call(&DoorRequest {
            run: &run,
            find: &find,
            read: &read,
            program: self.arguments.front_end.as_deref(),
            verifier: self.verifier,
            solver: self.solver,
            arguments: &self.arguments.front_end_arg,
        })
    }
}

/// The seeds of some sources, with no wish about verifiers.
pub(crate) fn open(sources: Vec<Source>, arguments: &ToolArgs) -> Result<Vec<Source>, Trouble> {
    if sources.iter().all(|source| door_of(parts().doors, source.paths()).is_none()) {
        return Ok(sources);
    }
    let supervisor = Arc::new(Supervisor::new(Keeper::this_program()));
    Doors { supervisor: &supervisor, arguments, verifier: None, solver: None }.open(sources)
}

/// The single source that a file is, or that its front door makes of it. If it makes several, `FILE:NAME` is one of
/// them.
pub(crate) fn source(file: &Path, arguments: &ToolArgs) -> Result<Source, Trouble> {
    let whole = whole_of(file);
    let chosen = whole.as_ref().map(|_| display_name(file));
    let file = whole.unwrap_or_else(|| file.to_owned());
    let mut sources = open(vec![Source::new(vec![file.clone()])], arguments)?;
    let names: Vec<String> = sources.iter().map(|source| source.name().to_owned()).collect();
    if let Some(name) = &chosen {
        sources.retain(|source| source.name() == name);
    }
    let list = format!("its programs are: {}", names.join(", "));
    match (sources.pop(), sources.is_empty(), chosen) {
        (Some(source), true, _) => Ok(source),
        (None, _, Some(name)) => {
            Err(Trouble::new(format!("{name}: there is no such program")).help(list))
        }
        _ => {
            let words = format!("{}: more than one program", file.display());
            Err(Trouble::new(words).help(format!("give the name of one of them; {list}")))
        }
    }
}

/// The file of a program that has the name of its file and one of its own: `file.dfy:Module`.
fn whole_of(path: &Path) -> Option<PathBuf> {
    let (file, _) = path.to_str().filter(|_| !path.exists())?.rsplit_once(':')?;
    let file = PathBuf::from(file);
    let has_parts = door_of(parts().doors, std::slice::from_ref(&file)).is_some();
    (has_parts && file.is_file()).then_some(file)
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

/// The program with a path, or with a name: that of the variable `MUGIE_NAME`, or the one on the PATH. The variable
/// may name a file that a program runs, such as a `.jar`.
fn find(environment: &Environment, name: &str) -> Option<PathBuf> {
    let variable = format!("MUGIE_{}", name.to_uppercase());
    let file = |value: &OsStr| path::absolute(value).ok().filter(|path| path.is_file());
    let named = environment
        .variables
        .get(&variable)
        .map(|value| environment.program(value).or_else(|| file(value)));
    named.unwrap_or_else(|| environment.program(OsStr::new(name)))
}

/// Runs a tool in a folder of its own, and collects what it leaves there.
pub(crate) fn run_tool(
    supervisor: &Supervisor,
    program: &Path,
    arguments: &[String],
) -> Result<ToolRun, String> {
    let trouble = |error: io::Error| format!("cannot create a temporary folder: {error}");
    let folder = Folder::for_runs().map_err(trouble)?;
    let directory = folder.path().join("0");
    fs::create_dir(&directory).map_err(trouble)?;
    let place = directory.display().to_string();
    let command = CommandLine {
        program: program.to_owned(),
        arguments: arguments.iter().map(|word| word.replace("{folder}", &place).into()).collect(),
        directory: directory.clone(),
        environment: Vec::new(),
    };
    let run = supervisor.run(&command, &Limits { time: TIME, ..Limits::default() });
    let code = match run.ending {
        Ending::Exited(code) => code,
        Ending::Cancelled => return Err("interrupted".to_owned()),
        ending => {
            let words = run.stderr.text.lines().next().unwrap_or_default();
            return Err(format!("{} ended with {ending:?}: {words}", program.display()));
        }
    };
    let files =
        left_in(&directory).map_err(|error| format!("cannot read what it left: {error}"))?;
    Ok(ToolRun { code, stdout: run.stdout.text, stderr: run.stderr.text, files })
}

/// The text files in a folder.
fn left_in(folder: &Path) -> io::Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if entry.file_type()?.is_file() {
            let bytes = input::read(&entry.path(), MAX_FILE)?;
            files.insert(name, String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    Ok(files)
}
