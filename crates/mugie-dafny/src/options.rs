//! Dafny's options: those that the user gives, those of the project, and what they mean for Boogie.

use std::path::{Path, PathBuf};

use mugie_core::{DoorError, DoorRequest, VerifierNeeds};
use toml::Table;

use crate::PROJECT;
use crate::tool::{CommandLine, Tool};

/// The longest chain of projects, each of which is based on the next.
const MAX_BASES: usize = 20;

/// The options of one program.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// The user's arguments, with absolute paths.
    pub(crate) arguments: Vec<String>,
    /// All options by name: those of the project file, and then the user's.
    named: Vec<(String, Option<String>)>,
}

impl Options {
    /// The options for some files.
    pub(crate) fn of(files: &[PathBuf], request: &DoorRequest<'_>) -> Result<Options, DoorError> {
        let mut named = Vec::new();
        for project in
            files.iter().filter(|file| file.file_name().is_some_and(|name| name == PROJECT))
        {
            named.extend(in_project(project, request, MAX_BASES)?);
        }
        let arguments: Vec<String> =
            request.arguments.iter().map(|it| with_absolute_path(it)).collect();
        named.extend(named_in(&arguments));
        Ok(Options { arguments, named })
    }

    /// The value of an option, the last one if it is given several times.
    fn value(&self, name: &str) -> Option<&str> {
        self.named.iter().rev().find(|(other, _)| other == name)?.1.as_deref()
    }

    /// All values of an option.
    fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.named
            .iter()
            .filter(move |(other, _)| other == name)
            .filter_map(|(_, value)| value.as_deref())
    }

    /// Whether a switch is on.
    fn is_on(&self, name: &str) -> bool {
        let last = self.named.iter().rev().find(|(other, _)| other == name);
        last.is_some_and(|(_, value)| value.as_deref() != Some("false"))
    }

    /// The solver: the user's, Dafny's own, or the one on the PATH.
    pub(crate) fn solver(&self, tool: &Tool, request: &DoorRequest<'_>) -> Option<PathBuf> {
        let asked = request.solver.map(|it| it.rsplit_once('=').map_or(it, |(_, path)| path));
        let dafnys = self.value("solver-path").or_else(|| self.value("z3exe"));
        let found =
            asked.or(dafnys).map(|name| (request.find)(name).unwrap_or_else(|| name.into()));
        found.or_else(|| tool.own_solver(request)).or_else(|| (request.find)("z3"))
    }

    /// The user's arguments without those that choose the solver.
    pub(crate) fn arguments_without_solver(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        let mut skip = false;
        for argument in &self.arguments {
            if std::mem::take(&mut skip) {
                continue;
            }
            skip = argument == "--solver-path";
            let joined = ["--solver-path=", "--solver-path:", "/z3exe:"];
            if !skip && !joined.iter().any(|start| argument.starts_with(start)) {
                arguments.push(argument.clone());
            }
        }
        arguments
    }

    /// What Boogie needs in addition to the profile to verify as Dafny does with these options.
    pub(crate) fn needs(&self, tool: &Tool, request: &DoorRequest<'_>) -> VerifierNeeds {
        let solver = self.solver(tool, request).map(|path| format!("z3={}", path.display()));
        let number = |name: &str| self.value(name).and_then(number);
        let mut needs = VerifierNeeds { solver, ..VerifierNeeds::default() };
        if tool.style() == CommandLine::Slashes {
            needs.arguments = self.arguments.iter().filter(|it| is_boogies(it)).cloned().collect();
            return needs;
        }
        let switches = [
            ("isolate-assertions", "/vcsSplitOnEveryAssert"),
            ("disable-nonlinear-arithmetic", "/proverOpt:O:smt.arith.nl=false"),
            ("analyze-proofs", "/trackVerificationCoverage"),
            ("warn-contradictory-assumptions", "/trackVerificationCoverage"),
            ("warn-redundant-assumptions", "/trackVerificationCoverage"),
            ("suggest-proof-refactoring", "/trackVerificationCoverage"),
        ];
        for (name, argument) in switches {
            if self.is_on(name) && !needs.arguments.iter().any(|it| it == argument) {
                needs.arguments.push(argument.to_owned());
            }
        }
        needs.arguments.extend(self.values("solver-option").map(|it| format!("/proverOpt:{it}")));
        let boogie = self.values("boogie").flat_map(str::split_whitespace);
        needs.arguments.extend(boogie.map(str::to_owned));
        if let Some(limit) = number("error-limit") {
            needs.arguments.push(format!("/errorLimit:{limit}"));
        }
        needs.procedure_seconds = number("verification-time-limit");
        needs.resource_limit = number("resource-limit");
        needs
    }
}

/// A number, which Dafny also reads as `20e6`.
fn number(text: &str) -> Option<u64> {
    let (digits, zeros) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    digits.parse::<u64>().ok()?.checked_mul(10_u64.checked_pow(zeros.parse().ok()?)?)
}

/// Whether an argument of Dafny 2 or 3 is one of Boogie's that change verification.
fn is_boogies(argument: &str) -> bool {
    const STARTS: [&str; 9] = [
        "/vcs",
        "/proverOpt:",
        "/noinfer",
        "/infer:",
        "/timeLimit:",
        "/rlimit:",
        "/errorLimit:",
        "/z3opt:",
        "/arith",
    ];
    STARTS.iter().any(|start| argument.starts_with(start))
}

/// The options in the arguments, by name: `--name value`, `--name=value`, `--name:value` and `/name:value`.
fn named_in(arguments: &[String]) -> Vec<(String, Option<String>)> {
    let mut named = Vec::new();
    let mut arguments = arguments.iter().peekable();
    while let Some(argument) = arguments.next() {
        let Some(option) = argument.strip_prefix("--").or_else(|| argument.strip_prefix('/'))
        else {
            continue;
        };
        if let Some((name, value)) = option.split_once(['=', ':']) {
            named.push((name.to_owned(), Some(value.to_owned())));
            continue;
        }
        // Boogie's options are values that begin with a slash.
        let is_value = |next: &&String| {
            !next.starts_with('-') && (option == "boogie" || !next.starts_with('/'))
        };
        let value = arguments.next_if(|next| argument.starts_with("--") && is_value(next));
        named.push((option.to_owned(), value.cloned()));
    }
    named
}

/// The options of a project file, and of the one that it is based on.
fn in_project(
    project: &Path,
    request: &DoorRequest<'_>,
    bases: usize,
) -> Result<Vec<(String, Option<String>)>, DoorError> {
    let wrong = |reason: String| DoorError {
        reason: format!("{}: {reason}", project.display()),
        help: Some("see the chapter on project files in Dafny's reference manual".to_owned()),
    };
    let text = (request.read)(project).map_err(wrong)?;
    let table: Table = toml::from_str(&text).map_err(|error| wrong(error.message().to_owned()))?;
    let mut named = Vec::new();
    if let Some(base) = table.get("base").and_then(toml::Value::as_str) {
        let base = project.parent().unwrap_or(Path::new("")).join(base);
        let left = bases.checked_sub(1).ok_or_else(|| wrong("it is based on itself".to_owned()))?;
        named.extend(in_project(&base, request, left)?);
    }
    let options = table.get("options").and_then(toml::Value::as_table);
    for (name, value) in options.into_iter().flatten() {
        named.extend(texts(value).into_iter().map(|value| (name.clone(), Some(value))));
    }
    Ok(named)
}

/// The values of an option in a project file, as they would be on the command line.
fn texts(value: &toml::Value) -> Vec<String> {
    match value {
        toml::Value::String(text) => vec![text.clone()],
        toml::Value::Integer(number) => vec![number.to_string()],
        toml::Value::Float(number) => vec![number.to_string()],
        toml::Value::Boolean(is_on) => vec![is_on.to_string()],
        toml::Value::Array(values) => values.iter().flat_map(texts).collect(),
        toml::Value::Datetime(_) | toml::Value::Table(_) => Vec::new(),
    }
}

/// An argument with the path in it made absolute, since Dafny runs in another folder.
fn with_absolute_path(argument: &str) -> String {
    let (start, value) = match argument.find(['=', ':']) {
        Some(at) if argument.starts_with('-') => argument.split_at(at + 1),
        _ => ("", argument),
    };
    let is_path = !value.starts_with(['-', '/'])
        && value.contains(['/', '.'])
        && value.parse::<f64>().is_err();
    match std::path::absolute(value) {
        Ok(path) if is_path => format!("{start}{}", path.display()),
        _ => argument.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_found_however_they_are_written() {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        let named = named_in(&words(&[
            "--resource-limit=20e6",
            "--isolate-assertions",
            "--boogie",
            "/vcsLoad:2",
            "--verification-time-limit:7",
            "/timeLimit:3",
        ]));
        let options = Options { arguments: Vec::new(), named };
        assert_eq!(options.value("resource-limit").and_then(number), Some(20_000_000));
        assert!(options.is_on("isolate-assertions") && !options.is_on("analyze-proofs"));
        assert_eq!(options.value("boogie"), Some("/vcsLoad:2"));
        assert_eq!(options.value("verification-time-limit"), Some("7"));
        assert_eq!(options.value("timeLimit"), Some("3"));
        let arguments = words(&["--solver-path", "/z3", "--cores=1", "--solver-path=/y"]);
        let options = Options { arguments, named: Vec::new() };
        assert_eq!(options.arguments_without_solver(), ["--cores=1"]);
    }

    #[test]
    fn paths_are_made_absolute_and_nothing_else() {
        let there = std::path::absolute("lib/x.dfy").unwrap().display().to_string();
        assert_eq!(with_absolute_path("lib/x.dfy"), there);
        assert_eq!(with_absolute_path("--library=lib/x.dfy"), format!("--library={there}"));
        for same in [
            "--resource-limit=2.5",
            "/vcsLoad:2",
            "7",
            "--isolate-assertions",
            "--function-syntax:4",
        ] {
            assert_eq!(with_absolute_path(same), same);
        }
    }
}
