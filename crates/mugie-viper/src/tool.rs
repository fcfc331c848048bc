//! The Carbon on this machine, with the Boogie and the solver that it runs, and its command lines.

use std::path::{Path, PathBuf};

use mugie_core::{DoorError, DoorRequest, ToolRun};

use crate::options::Options;

/// The name of the program.
const NAME: &str = "carbon";

/// The file to which Carbon prints the Boogie program.
pub(crate) const PRINTED: &str = "mugie-printed.bpl";

/// The stem of the files with the queries.
pub(crate) const QUERY: &str = "mugie-query-";

/// The file with Boogie's report on all proof obligations.
pub(crate) const DETAILS: &str = "mugie-details.xml";

/// The stack that Carbon needs for deep programs.
const STACK: &str = "-Xss32m";

/// A Carbon on this machine.
#[derive(Debug)]
pub(crate) struct Tool {
    /// What is started: Carbon, or Java.
    program: PathBuf,
    /// The words before Carbon's own arguments.
    start: Vec<String>,
    /// The Boogie that Carbon runs.
    pub(crate) boogie: PathBuf,
    /// The solver that Boogie runs.
    pub(crate) solver: PathBuf,
}

impl Tool {
    /// Finds Carbon, and what it runs.
    pub(crate) fn find(request: &DoorRequest<'_>, options: &Options) -> Result<Tool, DoorError> {
        let named = request.program.and_then(|path| std::path::absolute(path).ok());
        let carbon = named.or_else(|| (request.find)(NAME)).ok_or_else(|| DoorError {
            reason: "Viper's Carbon was not found on the PATH".to_owned(),
            help: Some(
                "name it with `--front-end PATH` or the variable MUGIE_CARBON: a `carbon.jar`, which is in the \
                 package nagini (`pip download nagini --no-deps`) as \
                 `nagini_translation/resources/backends/carbon.jar`"
                    .to_owned(),
            ),
        })?;
        let (program, start) = if carbon.extension().is_some_and(|it| it == "jar") {
            let java = (request.find)("java").ok_or_else(|| {
                missing("Java", "install it with `apt-get install default-jre-headless`")
            })?;
            let words = [STACK.to_owned(), "-jar".to_owned(), carbon.display().to_string()];
            (java, words.to_vec())
        } else {
            (carbon, Vec::new())
        };
        let find = |name: &str| (request.find)(name);
        let asked = request.solver.map(|it| it.rsplit_once('=').map_or(it, |(_, path)| path));
        let solver = asked.or(options.solver_path.as_deref()).unwrap_or("z3");
        let asked = request.verifier.and_then(Path::to_str);
        let boogie = asked.or(options.boogie_path.as_deref()).unwrap_or("boogie");
        Ok(Tool {
            program,
            start,
            boogie: find(boogie).ok_or_else(|| {
                let help = "name it with `--program PATH` or the variable MUGIE_BOOGIE";
                missing(&format!("the Boogie for Carbon, `{boogie}`,"), help)
            })?,
            solver: find(solver).ok_or_else(|| {
                let help =
                    "install Z3 with `apt-get install z3`, or name it with `--solver z3=PATH`";
                missing(&format!("the solver for Carbon, `{solver}`,"), help)
            })?,
        })
    }

    /// The command line that prints the Boogie program and verifies nothing.
    pub(crate) fn print_arguments(&self, file: &str, options: &Options) -> Vec<String> {
        self.arguments(file, options, &["/noVerify".to_owned()], &[])
    }

    /// The command line that verifies, and writes all that can be known of it to files.
    pub(crate) fn verify_arguments(&self, file: &str, options: &Options) -> Vec<String> {
        let queries = ["--proverLog".to_owned(), format!("{{folder}}/{QUERY}@PROC@.smt2")];
        self.arguments(file, options, &[format!("/xml:{{folder}}/{DETAILS}")], &queries)
    }

    /// Carbon has no way to print a program without running Boogie, and takes one `--boogieOpt`.
    fn arguments(
        &self,
        file: &str,
        options: &Options,
        boogie: &[String],
        carbon: &[String],
    ) -> Vec<String> {
        let mut words = self.start.clone();
        words.extend([
            "--boogieExe".to_owned(),
            self.boogie.display().to_string(),
            "--z3Exe".to_owned(),
            self.solver.display().to_string(),
            "--print".to_owned(),
            format!("{{folder}}/{PRINTED}"),
            "--boogieOpt".to_owned(),
            [options.boogie.as_slice(), boogie].concat().join(" "),
        ]);
        words.extend(carbon.iter().chain(&options.arguments).cloned());
        words.push(file.to_owned());
        words
    }

    /// Runs Carbon.
    pub(crate) fn run(
        &self,
        request: &DoorRequest<'_>,
        arguments: &[String],
    ) -> Result<ToolRun, DoorError> {
        (request.run)(&self.program, arguments).map_err(|reason| DoorError { reason, help: None })
    }

    /// What is wrong with a run that did not do what was asked.
    pub(crate) fn complaint(&self, run: &ToolRun, what: &str) -> DoorError {
        let lines = run.stdout.lines().chain(run.stderr.lines());
        // What Carbon lists, but not the traces of its stack.
        let is_error = |line: &&str| line.trim_start().starts_with('[');
        let errors: Vec<&str> = lines.clone().filter(is_error).map(str::trim).take(5).collect();
        let others = lines.map(str::trim).filter(|line| !line.starts_with("at "));
        let errors = if errors.is_empty() { others.take(5).collect() } else { errors };
        DoorError {
            reason: format!("{what}: {}", errors.join("; ")),
            help: Some(format!(
                "Carbon must accept the program; this is {} with {}",
                title(run),
                self.boogie.display()
            )),
        }
    }
}

/// The tool in the words of its first line, `carbon 1.0`: `Carbon 1.0`.
pub(crate) fn title(run: &ToolRun) -> String {
    let version = run.stdout.lines().find_map(|line| line.strip_prefix("carbon "));
    let version = version.and_then(|rest| rest.split_whitespace().next());
    version.map_or_else(|| "Carbon".to_owned(), |version| format!("Carbon {version}"))
}

fn missing(what: &str, help: &str) -> DoorError {
    DoorError { reason: format!("{what} was not found"), help: Some(help.to_owned()) }
}
