//! The `dafny` on this machine: its version, and the command lines that its versions understand.

use std::path::{Path, PathBuf};

use mugie_core::{DoorError, DoorRequest, ToolRun};
use regex::Regex;

use crate::PRINTED;
use crate::options::Options;

/// The name of the program.
const NAME: &str = "dafny";

/// The stem of the files with Dafny's queries.
pub(crate) const QUERY: &str = "mugie-query-";

/// The file with Dafny's report on all proof obligations.
pub(crate) const LOG: &str = "mugie-obligations.txt";

/// A Dafny on this machine.
#[derive(Debug)]
pub(crate) struct Tool {
    path: PathBuf,
    version: String,
    style: CommandLine,
}

/// The command lines of Dafny.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandLine {
    /// `dafny /compile:0 /print:F X.dfy`: Dafny 1 to 3.
    Slashes,
    /// `dafny verify --bprint F X.dfy`: Dafny 4.
    Verbs,
}

impl Tool {
    /// Finds Dafny, and asks for its version.
    pub(crate) fn find(request: &DoorRequest<'_>) -> Result<Tool, DoorError> {
        let named = request.program.map(Path::to_owned);
        let path = named.or_else(|| (request.find)(NAME)).ok_or_else(|| DoorError {
            reason: "Dafny was not found on the PATH".to_owned(),
            help: Some(
                "install it with `dotnet tool install --global dafny` or `apt-get install dafny`, or name it \
                 with `--dafny PATH` or the variable MUGIE_DAFNY"
                    .to_owned(),
            ),
        })?;
        for (style, argument, pattern) in [
            (CommandLine::Verbs, "--version", r"(?m)^(?:Dafny )?(\d+\.\d+\.\d+)"),
            (CommandLine::Slashes, "/version", r"(?m)^Dafny (\d+\.\d+\.\d+)"),
        ] {
            let run = (request.run)(&path, &[argument.to_owned()]);
            let run = run.map_err(|reason| DoorError { reason, help: None })?;
            let pattern = Regex::new(pattern).ok();
            let found =
                pattern.and_then(|pattern| Some(pattern.captures(&run.stdout)?[1].to_owned()));
            if let Some(version) = found {
                return Ok(Tool { path, version, style });
            }
        }
        Err(DoorError {
            reason: format!("{} prints no version of Dafny", path.display()),
            help: Some(
                "name another one with `--dafny PATH` or the variable MUGIE_DAFNY".to_owned(),
            ),
        })
    }

    /// `Dafny 4.11.0`.
    pub(crate) fn title(&self) -> String {
        format!("Dafny {}", self.version)
    }

    /// Which command line it has.
    pub(crate) fn style(&self) -> CommandLine {
        self.style
    }

    /// The profile with which Boogie verifies as this Dafny does. Before version 4, Boogie needs no options.
    pub(crate) fn profile(&self) -> Option<&'static str> {
        match self.style {
            CommandLine::Verbs => Some("dafny-4"),
            CommandLine::Slashes => None,
        }
    }

    /// The solver that this Dafny brings along, if it does.
    pub(crate) fn own_solver(&self, request: &DoorRequest<'_>) -> Option<PathBuf> {
        // Dafny looks for these in the folder of its program.
        let folder = self.path.parent()?;
        ["z3/bin/z3-4.12.1", "z3/bin/z3-4.16.0", "z3/bin/z3"]
            .iter()
            .find_map(|name| (request.find)(folder.join(name).to_str()?))
    }

    /// The Boogie that is installed beside this Dafny, if there is one.
    pub(crate) fn neighbour(&self, request: &DoorRequest<'_>) -> Option<PathBuf> {
        (request.find)(self.path.parent()?.join("boogie").to_str()?)
    }

    /// The command line that prints the Boogie programs and verifies nothing.
    pub(crate) fn print_arguments(&self, files: &[String], options: &Options) -> Vec<String> {
        let mut arguments = match self.style {
            CommandLine::Verbs => {
                let print = format!("{{folder}}/{PRINTED}.bpl");
                // A program is printed only if it is about to be verified, so nothing of it is selected.
                let words = [
                    "verify",
                    "--allow-warnings",
                    "--bprint",
                    &print,
                    "--boogie",
                    "/proc:mugie-nothing",
                ];
                words.map(str::to_owned).to_vec()
            }
            CommandLine::Slashes => {
                vec![
                    "/compile:0".to_owned(),
                    "/noVerify".to_owned(),
                    format!("/print:{{folder}}/{PRINTED}.bpl"),
                ]
            }
        };
        arguments.extend(options.arguments.iter().cloned());
        arguments.extend(files.iter().cloned());
        arguments
    }

    /// The command line that verifies, and writes all that can be known of it to files.
    pub(crate) fn verify_arguments(
        &self,
        files: &[String],
        options: &Options,
        solver: Option<&Path>,
    ) -> Vec<String> {
        let solver = solver.map(|path| path.display().to_string());
        let mut arguments: Vec<String> = match self.style {
            CommandLine::Verbs => {
                let mut words = vec![
                    "verify".to_owned(),
                    "--allow-warnings".to_owned(),
                    "--json-output".to_owned(),
                    // Several provers at a time would change nothing but the order.
                    "--cores".to_owned(),
                    "1".to_owned(),
                    "--bprint".to_owned(),
                    format!("{{folder}}/{PRINTED}.bpl"),
                    "--log-format".to_owned(),
                    format!("text;LogFileName={{folder}}/{LOG}"),
                    "--solver-log".to_owned(),
                    format!("{{folder}}/{QUERY}@PROC@.smt2"),
                ];
                words
                    .extend(solver.into_iter().flat_map(|path| ["--solver-path".to_owned(), path]));
                words
            }
            CommandLine::Slashes => {
                let mut words = vec![
                    "/compile:0".to_owned(),
                    "/trace".to_owned(),
                    format!("/print:{{folder}}/{PRINTED}.bpl"),
                    format!("/proverLog:{{folder}}/{QUERY}@PROC@.smt2"),
                ];
                words.extend(solver.map(|path| format!("/z3exe:{path}")));
                words
            }
        };
        arguments.extend(options.arguments_without_solver());
        arguments.extend(files.iter().cloned());
        arguments
    }

    /// Runs Dafny.
    pub(crate) fn run(
        &self,
        request: &DoorRequest<'_>,
        arguments: &[String],
    ) -> Result<ToolRun, DoorError> {
        (request.run)(&self.path, arguments).map_err(|reason| DoorError { reason, help: None })
    }

    /// What is wrong with a run that did not do what was asked.
    pub(crate) fn complaint(&self, run: &ToolRun, what: &str) -> DoorError {
        let lines = run.stdout.lines().chain(run.stderr.lines());
        let errors: Vec<&str> =
            lines.clone().filter(|line| line.contains("Error")).take(5).collect();
        let errors = if errors.is_empty() { lines.take(5).collect() } else { errors };
        DoorError {
            reason: format!("{what}: {}", errors.join("; ")),
            help: Some(format!(
                "Dafny must verify the program; this is {}, and --front-end names another one",
                self.title()
            )),
        }
    }
}
