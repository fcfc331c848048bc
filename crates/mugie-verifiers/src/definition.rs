//! The definition of a verifier: the content of a TOML file.
//!
//! A definition does not depend on the machine: nothing is searched for or run here. This module
//! must not know any verifier or language: readers, styles and markers have names, and lists of
//! their own. `book/src/verifiers.md` is the manual of the format.

mod batch;
mod locate;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use regex::Regex;
use serde::{Deserialize, Deserializer, Serialize, de};
use thiserror::Error;

use crate::command::{Blank, Piece, Template};
use crate::input;
use crate::read::{self, PatternRule, Patterns, READERS, Reader, regex};
use crate::smt::Style;
use crate::tap::Marker;
use crate::version::{Version, VersionRange};

pub(crate) use batch::{BatchDefinition, BeginPattern};
pub(crate) use locate::LocateDefinition;

/// Maximum size of a definition in bytes. The shipped ones have about 3,000.
const MAX_SIZE: u64 = 1 << 20;

/// The language that a verifier reads if its definition does not name one.
const INPUT: &str = "boogie";

/// The definition of a verifier.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The name: the stem of the file.
    pub name: String,
    /// Where the definition comes from.
    pub origin: Origin,
    /// The text of the definition.
    pub text: String,
    /// The name of the verifier in messages: `Boogie`. Without one, the name of its program is
    /// used.
    pub title: Option<String>,
    /// One line about it.
    pub about: String,
    /// How to find its program.
    pub program: ProgramDefinition,
    /// The pieces of the command line. Arguments of the solver and of the user go before the files.
    pub arguments: Vec<Piece>,
    /// The solvers to choose from, the default one first.
    pub solvers: Vec<SolverDefinition>,
    /// The language that the verifier reads.
    pub input: String,
    /// The versions of the verifier that read each dialect of the language.
    pub dialects: BTreeMap<String, VersionRange>,
    /// Arguments that say how programs are read, by option of the language.
    pub reading: BTreeMap<String, ReadingArgument>,
    /// The reader of its output.
    pub reader: Arc<dyn Reader>,
    /// The style in which it writes its queries to a solver.
    pub questions: &'static Style,
    /// Named sets of options to choose from.
    pub profiles: BTreeMap<String, ProfileDefinition>,
    /// How to verify several programs in one process. The first one that is for the command line
    /// and the version of the verifier is used.
    pub batches: Vec<BatchDefinition>,
    /// The file in which the verifier says more than it prints, if there is one.
    pub details: Option<WrittenFile>,
    /// How to tell the layers of the verifier apart.
    pub diagnose: DiagnoseDefinition,
    /// How to find the places of failures, if the verifier does not print them at once.
    pub locate: Option<LocateDefinition>,
}

/// A named set of options with which a verifier is used somewhere.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileDefinition {
    /// Arguments added to the command line, before the user's own arguments.
    #[serde(default)]
    pub arguments: Vec<Piece>,
    /// Environment variables of the verifier's process.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// The versions of the verifier that the profile is meant for.
    #[serde(default)]
    pub versions: VersionRange,
    /// The solver that the profile is for, which it chooses.
    pub solver: Option<String>,
    /// A sentence on where the options come from.
    pub source: String,
    /// The tool that uses the verifier with these options: `Dafny 4`.
    pub tool: Option<String>,
    /// How to get a program for the verifier from that tool: a command.
    pub emits: Option<String>,
    /// The time limit of a procedure in seconds, unless the user sets one.
    pub procedure_seconds: Option<u64>,
    /// How to recognise programs that the tool made.
    pub recognise: Option<Recognition>,
}

/// Patterns that all match the text of a program if, and only if, a certain tool made it.
#[derive(Clone, Debug)]
pub struct Recognition(Vec<Regex>);

impl Recognition {
    /// Whether the tool made a program with this text.
    pub fn matches(&self, text: &str) -> bool {
        self.0.iter().all(|pattern| pattern.is_match(text))
    }
}

impl<'de> Deserialize<'de> for Recognition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Recognition, D::Error> {
        let patterns = Vec::<String>::deserialize(deserializer)?;
        if patterns.is_empty() {
            return Err(de::Error::custom("a profile without a pattern would fit every program"));
        }
        let patterns = patterns.iter().map(|pattern| regex(pattern).map_err(de::Error::custom));
        Ok(Recognition(patterns.collect::<Result<_, _>>()?))
    }
}

/// How to tell the layers of a verifier apart, where its command line allows it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiagnoseDefinition {
    /// Arguments that switch off the verifier's own inference.
    #[serde(default)]
    pub without_inference: Vec<Piece>,
    /// Arguments that switch it on. Without inference they are dropped, whoever gave them.
    #[serde(default)]
    pub inference: Vec<DroppedArgument>,
    /// Arguments that keep declarations in the order of the files, for versions that sort them by a
    /// hash of their content.
    #[serde(default)]
    pub file_order: Vec<Piece>,
    /// The log of the queries to the solver, as SMT-LIB. A `*` in the name of the file stands for the goal, if each has a file
    /// of its own.
    pub problems: Option<WrittenFile>,
    /// How characters in the names of goals are spelled in the names of such files.
    #[serde(default)]
    pub spelled: BTreeMap<String, String>,
    /// The logs of the queries, one file for each batch of proof obligations. A `*` in the name of the file stands for
    /// the batch.
    pub goals: Option<WrittenFile>,
}

/// Arguments that a variation of the verifier does without.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DroppedArgument {
    /// The pattern that finds them.
    #[serde(deserialize_with = "argument_pattern")]
    pattern: Regex,
    /// The versions of the verifier for which they mean that.
    #[serde(default)]
    verifier: VersionRange,
}

impl DroppedArgument {
    /// Whether a version of the verifier does without this argument.
    pub fn is(&self, argument: &str, version: Option<&Version>) -> bool {
        let fits = self.verifier.is_everything()
            || version.is_some_and(|version| self.verifier.contains(version));
        fits && self.pattern.is_match(argument)
    }
}

/// Arguments of the verifier that give an option for reading programs a value.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct ReadingArgument(
    /// The pattern, with a group `value`.
    #[serde(deserialize_with = "argument_pattern")]
    Regex,
);

impl ReadingArgument {
    /// The value of the option, given the words of a command line: those of several arguments are
    /// separated by commas. `None` if there is no such argument.
    pub fn value<'w>(&self, words: impl Iterator<Item = &'w str>) -> Option<String> {
        let values = words.filter_map(|word| Some(self.0.captures(word)?.name("value")?.as_str()));
        let values: Vec<&str> = values.collect();
        (!values.is_empty()).then(|| values.join(","))
    }
}

fn argument_pattern<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Regex, D::Error> {
    regex(&String::deserialize(deserializer)?).map_err(de::Error::custom)
}

/// A file that the verifier writes if arguments ask for it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenFile {
    /// Arguments added to the command line.
    pub arguments: Vec<Piece>,
    /// The file, in the directory of the run.
    pub file: String,
}

/// Where a definition comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is shipped with mugie.
    Shipped,
    /// A file of the user.
    File(PathBuf),
    /// A file in the current directory, which may be anybody's.
    Project(PathBuf),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Shipped => f.write_str("shipped with mugie"),
            Origin::File(path) | Origin::Project(path) => write!(f, "{}", path.display()),
        }
    }
}

/// How to find a program and its version.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramDefinition {
    /// Names to look for on `PATH`, the best one first.
    #[serde(default)]
    pub names: Vec<String>,
    /// The command that installs it.
    pub install: Option<String>,
    /// How to ask for its version.
    pub version: Option<VersionQuery>,
}

/// How to ask a program for its version.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionQuery {
    /// The arguments to run it with. Its exit code does not matter.
    pub arguments: Vec<String>,
    /// The pattern that finds the version in the output.
    pub pattern: VersionPattern,
}

/// A regular expression with one group, which matches the version.
#[derive(Clone, Debug)]
pub struct VersionPattern(Regex);

impl VersionPattern {
    /// The version in a text, and the line that contains it.
    pub fn find<'t>(&self, text: &'t str) -> Option<(Version, &'t str)> {
        self.0.captures_iter(text).find_map(|captures| {
            let group = captures.get(1)?;
            let version = group.as_str().parse().ok()?;
            let start = text[..group.start()].rfind('\n').map_or(0, |newline| newline + 1);
            let end = text[group.end()..].find('\n').map_or(text.len(), |at| group.end() + at);
            Some((version, text[start..end].trim()))
        })
    }
}

impl<'de> Deserialize<'de> for VersionPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<VersionPattern, D::Error> {
        let regex = regex(&String::deserialize(deserializer)?).map_err(de::Error::custom)?;
        match regex.captures_len() {
            2 => Ok(VersionPattern(regex)),
            _ => Err(de::Error::custom("the pattern of a version needs exactly one group `(…)`")),
        }
    }
}

/// A solver that a verifier can use.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolverDefinition {
    /// The name by which it is chosen.
    pub name: String,
    /// The name in messages: `Z3`.
    pub title: String,
    /// The versions of the verifier that can use it.
    #[serde(default)]
    pub verifier: VersionRange,
    /// How to find its program.
    pub program: ProgramDefinition,
    /// Arguments added to the verifier's command line, before the files.
    pub arguments: Vec<Piece>,
    /// Files that the verifier reads if it uses this solver, such as its configuration.
    #[serde(default)]
    pub file: Vec<OwnFile>,
    /// How a [tap](crate::tap) talks to the solver, if a tap can take its place.
    pub tap: Option<TapDefinition>,
}

/// A file that a verifier reads besides the program. It is written to the directory of the run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnFile {
    /// The name.
    pub name: String,
    /// The text.
    pub text: Template,
}

/// How a tap talks to a solver, in SMT-LIB.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TapDefinition {
    /// The argument with which the solver reads commands from its standard input.
    pub conversation: String,
    /// Options that the verifier sets but the solver does not know, and that make no difference.
    #[serde(default, skip_serializing)]
    pub unknown_options: Vec<UnknownOption>,
    /// The option for a query's time limit, in milliseconds.
    pub time_limit: Option<String>,
    /// Substrings of `(:reason-unknown …)` that mark a deterministic `unknown`, which may be
    /// cached.
    #[serde(default)]
    pub repeatable: Vec<String>,
    /// Substrings of `(:reason-unknown …)` that mark a limit at which the solver was stopped.
    #[serde(default)]
    pub limits: Vec<String>,
    /// The name of the resource count among the solver's statistics.
    pub resources: Option<String>,
    /// The name of the memory use, in MB, among the solver's statistics.
    pub memory: Option<String>,
}

/// An option that some versions of a solver do not know.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnknownOption {
    /// The name of the option, without a colon.
    pub name: String,
    /// The versions of the solver that do not know it.
    #[serde(default)]
    pub solver: VersionRange,
}

/// Why a definition cannot be used.
#[derive(Debug, Error)]
pub enum DefinitionError {
    /// The file, or its directory, cannot be read.
    #[error("{}: cannot read the definition of a verifier: {error}", path.display())]
    Unreadable {
        /// The file or directory.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// The name of the file cannot be the name of a verifier.
    #[error(
        "{}: the name of a definition must consist of letters, digits, `-` and `_`, and end in `.toml`",
        path.display()
    )]
    Name {
        /// The file.
        path: PathBuf,
    },
    /// The file violates the format at some place.
    #[error("{file}:{line}:{column}: {problem}")]
    Syntax {
        /// The file, or `boogie.toml` if it is a shipped one.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1, in characters.
        column: usize,
        /// The message.
        problem: String,
    },
    /// The parts of the definition do not fit together.
    #[error("{file}: {problem}")]
    Invalid {
        /// The file, or `boogie.toml` if it is a shipped one.
        file: String,
        /// The message.
        problem: String,
    },
}

/// The format of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Format {
    title: Option<String>,
    about: String,
    reader: Option<NamedReader>,
    arguments: Vec<Piece>,
    input: Option<String>,
    #[serde(default)]
    dialect: BTreeMap<String, VersionRange>,
    #[serde(default)]
    reading: BTreeMap<String, ReadingArgument>,
    #[serde(default = "Style::usual", deserialize_with = "crate::smt::named_style")]
    questions: &'static Style,
    #[serde(default)]
    profile: BTreeMap<String, ProfileDefinition>,
    #[serde(default)]
    program: ProgramDefinition,
    #[serde(default)]
    solver: Vec<SolverDefinition>,
    #[serde(default)]
    verdict: Vec<PatternRule>,
    details: Option<WrittenFile>,
    locate: Option<LocateDefinition>,
    #[serde(default)]
    diagnose: DiagnoseDefinition,
    #[serde(default, deserialize_with = "batch::one_or_several")]
    batch: Vec<BatchDefinition>,
}

/// A reader, selected by name.
struct NamedReader(Arc<dyn Reader>);

impl<'de> Deserialize<'de> for NamedReader {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<NamedReader, D::Error> {
        let name = String::deserialize(deserializer)?;
        read::find(&name).map(NamedReader).ok_or_else(|| {
            let known: Vec<_> = READERS.iter().map(|(name, _)| format!("`{name}`")).collect();
            let known = known.join(", ");
            de::Error::custom(format!("unknown reader `{name}`, expected one of {known}"))
        })
    }
}

impl Definition {
    /// Reads a definition from a file of the user.
    pub fn read(path: &Path) -> Result<Definition, DefinitionError> {
        let named = path.extension().is_some_and(|extension| extension == "toml");
        let name = path.file_stem().and_then(|stem| stem.to_str());
        let name = name
            .filter(|name| named && is_name(name))
            .ok_or_else(|| DefinitionError::Name { path: path.to_owned() })?;
        let text = input::read_to_string(path, MAX_SIZE)
            .map_err(|error| DefinitionError::Unreadable { path: path.to_owned(), error })?;
        Definition::parse(name, Origin::File(path.to_owned()), text)
    }

    /// Parses the text of a definition.
    pub fn parse(name: &str, origin: Origin, text: String) -> Result<Definition, DefinitionError> {
        let file = match &origin {
            Origin::Shipped => format!("{name}.toml"),
            Origin::File(path) | Origin::Project(path) => path.display().to_string(),
        };
        let format: Format = match toml::from_str(&text) {
            Ok(format) => format,
            Err(error) => return Err(syntax_error(file, &text, &error)),
        };
        let reader: Result<Arc<dyn Reader>, String> = match (format.reader, format.verdict) {
            (Some(NamedReader(reader)), rules) if rules.is_empty() => Ok(reader),
            (None, rules) if !rules.is_empty() => match Patterns::new(&rules) {
                Ok(patterns) => Ok(Arc::new(patterns)),
                Err(error) => Err(error.to_string()),
            },
            _ => {
                let known = READERS.iter().map(|(name, _)| format!("`reader = \"{name}\"`"));
                let known = known.collect::<Vec<_>>().join(", ");
                Err(format!("say how to read verdicts: either {known} or `[[verdict]]`"))
            }
        };
        let input = format.input.unwrap_or_else(|| INPUT.to_owned());
        let mut batches = format.batch;
        for batch in &mut batches {
            batch.marker = batch.marker.or_else(|| Marker::of_input(&input));
        }
        let definition = reader.map(|reader| Definition {
            name: name.to_owned(),
            origin,
            text,
            title: format.title,
            about: format.about,
            program: format.program,
            arguments: format.arguments,
            solvers: format.solver,
            input,
            dialects: format.dialect,
            reading: format.reading,
            reader,
            questions: format.questions,
            profiles: format.profile,
            details: format.details,
            diagnose: format.diagnose,
            locate: format.locate,
            batches,
        });
        definition
            .and_then(Definition::checked)
            .map_err(|problem| DefinitionError::Invalid { file, problem })
    }

    /// The content of the definition, without layout and comments.
    pub(crate) fn content(&self) -> Option<toml::Table> {
        toml::from_str(&self.text).ok()
    }

    /// The environment variable with the path of the verifier's program.
    pub fn variable(&self) -> String {
        variable(&self.name)
    }

    /// Checks that the parts of the definition are consistent with each other.
    fn checked(self) -> Result<Definition, String> {
        let places = self.arguments.iter().filter(|piece| piece.is_files()).count();
        if places != 1 {
            return Err(format!(
                "`arguments` must contain `\"{{files}}\"` exactly once, but has it {places} times"
            ));
        }
        if !is_name(&self.input) {
            return Err(format!(
                "the name of the language `{}` must consist of letters, digits, `-` and `_`",
                self.input
            ));
        }
        if self.diagnose_pieces().any(Piece::is_files) {
            return Err("the arguments in `[diagnose]` must not contain `{files}`".to_owned());
        }
        if self.details_pieces().any(Piece::is_files) {
            return Err("the arguments in `[details]` must not contain `{files}`".to_owned());
        }
        self.check_solvers()?;
        self.locate.as_ref().map_or(Ok(()), LocateDefinition::check)?;
        self.batches.iter().try_for_each(|batch| batch.check(&self.input))?;
        self.check_profiles()?;
        self.check_versions()?;
        Ok(self)
    }

    fn check_solvers(&self) -> Result<(), String> {
        for (place, solver) in self.solvers.iter().enumerate() {
            let name = &solver.name;
            if !is_name(name) {
                return Err(format!(
                    "the name of the solver `{name}` must consist of letters, digits, `-` and `_`"
                ));
            }
            if self.solvers[..place].iter().any(|other| other.name == *name) {
                return Err(format!("there are two solvers `{name}`"));
            }
            if solver.arguments.iter().any(Piece::is_files) {
                return Err(format!(
                    "the arguments of the solver `{name}` must not contain `{{files}}`"
                ));
            }
            let is_odd = |file: &&OwnFile| {
                file.name.is_empty()
                    || mugie_core::bare_name(&file.name) != file.name
                    || file.name.starts_with('.')
            };
            if let Some(file) = solver.file.iter().find(is_odd) {
                return Err(format!(
                    "the file `{}` of the solver `{name}` must be a name without a folder, and not \
                     start with `.`",
                    file.name
                ));
            }
            if solver.tap.is_some() && !solver.arguments.iter().any(|p| p.mentions(Blank::Solver)) {
                return Err(format!(
                    "a tap cannot take the place of the solver `{name}`: its arguments must contain \
                     `{{solver}}`"
                ));
            }
        }
        Ok(())
    }

    fn check_profiles(&self) -> Result<(), String> {
        for (name, profile) in &self.profiles {
            if !is_name(name) {
                return Err(format!(
                    "the name of the profile `{name}` must consist of letters, digits, `-` and `_`"
                ));
            }
            let is_known = |solver: &String| self.solvers.iter().any(|it| it.name == *solver);
            if let Some(solver) = profile.solver.as_ref().filter(|solver| !is_known(solver)) {
                return Err(format!(
                    "the profile `{name}` is for the solver `{solver}`, which is not defined"
                ));
            }
            if profile.source.trim().is_empty() {
                return Err(format!(
                    "say where the options of the profile `{name}` come from, in `source`"
                ));
            }
            if profile.arguments.iter().any(Piece::is_files) {
                return Err(format!(
                    "the arguments of the profile `{name}` must not contain `{{files}}`"
                ));
            }
            check_variables(&profile.environment, &format!("[profile.{name}]"))?;
        }
        Ok(())
    }

    /// Checks that where a version matters, the definition says how to ask for it.
    fn check_versions(&self) -> Result<(), String> {
        let batch_pieces = || self.batches.iter().flat_map(|batch| &batch.arguments);
        let profile_pieces = || self.profiles.values().flat_map(|profile| &profile.arguments);
        if self.program.version.is_none() {
            let solver_pieces = self.solvers.iter().flat_map(|solver| &solver.arguments);
            let pieces = self.arguments.iter().chain(solver_pieces).chain(batch_pieces());
            let pieces = pieces.chain(self.diagnose_pieces()).chain(profile_pieces());
            let pieces = pieces.chain(self.details_pieces());
            let pieces = pieces.chain(self.locate.iter().flat_map(LocateDefinition::pieces));
            let mut ranges = pieces
                .map(|piece| &piece.verifier)
                .chain(self.solvers.iter().map(|solver| &solver.verifier))
                .chain(self.batches.iter().map(|batch| &batch.verifier))
                .chain(self.profiles.values().map(|profile| &profile.versions))
                .chain(self.diagnose.inference.iter().map(|dropped| &dropped.verifier))
                .chain(self.dialects.values());
            if let Some(range) = ranges.find(|range| !range.is_everything()) {
                return Err(format!(
                    "`{range}` depends on the version of the verifier: say how to ask for it, in \
                     `[program.version]`"
                ));
            }
        }
        for solver in self.solvers.iter().filter(|solver| solver.program.version.is_none()) {
            let pieces = solver.arguments.iter().chain(&self.arguments).chain(batch_pieces());
            let mut ranges = pieces.chain(profile_pieces()).map(|piece| &piece.solver);
            if let Some(range) = ranges.find(|range| !range.is_everything()) {
                let name = &solver.name;
                return Err(format!(
                    "`{range}` depends on the version of the solver `{name}`: say how to ask for \
                     it, in `[solver.program.version]`"
                ));
            }
        }
        Ok(())
    }

    /// The arguments that ask for details.
    fn details_pieces(&self) -> impl Iterator<Item = &Piece> {
        self.details.iter().flat_map(|details| &details.arguments)
    }

    /// The arguments of variations for a diagnosis.
    fn diagnose_pieces(&self) -> impl Iterator<Item = &Piece> {
        let diagnose = &self.diagnose;
        let files = diagnose.problems.iter().chain(&diagnose.goals);
        let problems = files.flat_map(|written| &written.arguments);
        diagnose.without_inference.iter().chain(&diagnose.file_order).chain(problems)
    }
}

impl SolverDefinition {
    /// The environment variable with the path of the solver's program.
    pub fn variable(&self) -> String {
        variable(&self.name)
    }
}

/// Checks that a process can have these variables.
fn check_variables(variables: &BTreeMap<String, String>, place: &str) -> Result<(), String> {
    let is_odd = |text: &str, odd: &[char]| text.contains(odd);
    let odd = variables.iter().find(|(name, value)| {
        name.is_empty() || is_odd(name, &['=', '\0']) || is_odd(value, &['\0'])
    });
    odd.map_or(Ok(()), |(name, _)| {
        Err(format!("`{name}` in the environment of `{place}` cannot be a variable"))
    })
}

fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !name.is_empty() && name.bytes().all(fits)
}

fn variable(name: &str) -> String {
    format!("MUGIE_{}", name.to_ascii_uppercase().replace('-', "_"))
}

fn syntax_error(file: String, text: &str, error: &toml::de::Error) -> DefinitionError {
    let problem = error.message().trim_end().to_owned();
    let Some(Range { start, .. }) = error.span() else {
        return DefinitionError::Invalid { file, problem };
    };
    let before = text.get(..start).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    DefinitionError::Syntax {
        file,
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        problem,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const SMALL: &str = "\
about = \"a tool\"
arguments = [\"{files}\"]
reader = \"boogie\"
";

    fn parse(text: &str) -> Result<Definition, DefinitionError> {
        Definition::parse("tool", Origin::File("some/tool.toml".into()), text.to_owned())
    }

    fn problem(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn a_small_definition_is_enough() {
        let definition = parse(SMALL).unwrap();
        assert_eq!(
            (definition.name.as_str(), definition.variable().as_str()),
            ("tool", "MUGIE_TOOL")
        );
        assert!(definition.reader.names_goals());
        assert_eq!((definition.input.as_str(), definition.questions.name), ("boogie", "boogie"));
        assert!(definition.profiles.is_empty());
    }

    #[test]
    fn errors_have_a_place_and_name_what_is_wrong() {
        for (line, at, words) in [
            ("about = 3", "1:9", "expected a string"),
            ("about = \"x", "1:11", ""),
            ("arguments = [\"a{file}\"]", "1:14", "`a{file}` has an unknown placeholder"),
            (
                "arguments = [{ words = [\"/x\"], verifer = \"<2\" }]",
                "1:32",
                "unknown field `verifer`",
            ),
            (
                "arguments = [{ words = [\"/x\"], verifier = \"2\" }]",
                "1:43",
                "`2` is not a version range",
            ),
            (
                "program = { version = { arguments = [], pattern = 'v(' } }",
                "1:51",
                "unclosed group",
            ),
            (
                "program = { version = { arguments = [], pattern = 'v' } }",
                "1:51",
                "exactly one group",
            ),
            ("verdict = [{ is = \"fine\", pattern = \"x\" }]", "1:19", "unknown variant `fine`"),
            (
                "verdict = [{ is = \"verified\", pattern = \"[\" }]",
                "1:41",
                "cannot be used: unclosed",
            ),
            ("commands = []", "1:1", "unknown field `commands`"),
            ("reader = \"corral\"", "1:10", "unknown reader `corral`, expected one of `boogie`"),
            ("questions = \"corral\"", "1:13", "expected one of `boogie`, `plain`"),
            (
                "batch = { begins = '(?<file>.)', marker = 'x' }",
                "1:43",
                "unknown marker `x`, expected one of `boogie-axiom`",
            ),
            ("profile = { fast = { arguments = [] } }", "1:20", "missing field `source`"),
            ("diagnose = { inference = [{ pattern = '(' }] }", "1:39", "unclosed group"),
        ] {
            let error = problem(line);
            let expected = format!("some/tool.toml:{at}: ");
            assert!(error.starts_with(&expected), "{line}: {error}");
            assert!(error.contains(words), "{line}: {error}");
        }
        assert!(problem("about = \"x\"").contains("missing field `arguments`"));
    }

    #[test]
    fn lines_and_columns_are_counted_in_characters() {
        let error = problem("# ä\n\"ä\" = 1");
        assert!(error.starts_with("some/tool.toml:2:1: unknown field"), "{error}");
    }

    #[test]
    fn parts_must_fit_together() {
        let with = |more: &str| problem(&format!("{SMALL}{more}"));
        assert!(with("[[verdict]]\nis = \"failed\"\npattern = 'x'").contains("either `reader"));
        assert!(problem("about = ''\narguments = ['{files}']").contains("say how to read"));
        let no_files = problem("about = ''\narguments = ['/x']\nreader = 'boogie'");
        assert!(no_files.contains("exactly once, but has it 0 times"), "{no_files}");
        assert!(with("dialect = { 2 = '<3' }").contains("depends on the version of the verifier"));
        let solver = "[[solver]]\nname = 's'\ntitle = 'S'\nprogram = {}\n";
        let with_solver = |more: &str| with(&format!("{solver}{more}"));
        let twice = with_solver(&format!("arguments = []\n{solver}arguments = []"));
        assert!(twice.contains("two solvers `s`"), "{twice}");
        assert!(with_solver("arguments = ['{files}']").contains("must not contain"));
        let version = with_solver("arguments = [{ words = ['a'], solver = '<3' }]");
        assert!(version.contains("version of the solver `s`"), "{version}");
        let rule =
            "about = ''\narguments = ['{files}']\n[[verdict]]\nis = 'failed'\npattern = 'x'\n";
        assert!(problem(&format!("{rule}scope = 'procedure'")).contains("(?<name>…)"));
        let batch = |more: &str| with(&format!("[batch]\n{more}"));
        assert!(batch("begins = '^at '").contains("(?<file>…)"));
        let begins = "begins = '^at (?<file>.*)$'";
        assert!(
            batch(&format!("{begins}\narguments = ['{{files}}']")).contains("`[batch]` must not")
        );
        assert!(batch(&format!("{begins}\nverifier = '<3'")).contains("version of the verifier"));
        assert!(batch(&format!("{begins}\nfile_line = 'at x'")).contains("with `{file}` in it"));
        let other =
            problem(&format!("input = 'other'\n{SMALL}[batch]\n{begins}\nmarker = 'boogie-axiom'"));
        assert!(other.contains("language `boogie`, not `other`"), "{other}");
        assert!(problem(&format!("input = 'a b'\n{SMALL}")).contains("the language `a b` must"));
        let profile = |more: &str| with(&format!("[profile.fast]\n{more}"));
        assert!(profile("source = ' '").contains("say where the options of the profile `fast`"));
        let files = profile("source = 'x'\narguments = ['{files}']");
        assert!(files.contains("the profile `fast` must not contain `{files}`"), "{files}");
        let versions = profile("source = 'x'\nversions = '<3'");
        assert!(versions.contains("depends on the version of the verifier"), "{versions}");
        let other = profile("source = 'x'\nsolver = 's'");
        assert!(other.contains("for the solver `s`, which is not defined"), "{other}");
        let file = |name: &str| {
            with_solver(&format!("arguments = []\n[[solver.file]]\nname = '{name}'\ntext = ''"))
        };
        for name in ["", "a/b", ".hidden"] {
            assert!(file(name).contains("must be a name without a folder"), "{name}");
        }
        let located = with("[locate]\nafter = ['{files}']");
        assert!(located.contains("`[locate]` must not contain `{files}`"), "{located}");
        let goals = batch(&format!("{begins}\neach_goal = true\nfile_line = '{{file}}'"));
        assert!(goals.contains("`each_goal` is for untapped programs"), "{goals}");
        let variable = profile("source = 'x'\nenvironment = { '' = 'x' }");
        assert!(variable.contains("`[profile.fast]` cannot be a variable"), "{variable}");
        let dropped = with("[diagnose]\ninference = [{ pattern = 'x', verifier = '<3' }]");
        assert!(dropped.contains("depends on the version of the verifier"), "{dropped}");
        assert!(with("[profile.'a b']\nsource = 'x'").contains("the profile `a b` must consist"));
        let stale = batch(&format!("{begins}\nstale_preludes = true"));
        assert!(stale.contains("`stale_preludes` needs `tapped = true`"), "{stale}");
        let tapped = batch(&format!("{begins}\ntapped = true"));
        assert!(tapped.contains("needs a `file_line` and a `marker`"), "{tapped}");
        for variable in ["'' = 'x'", "'A=B' = 'x'", "A = \"\\u0000\""] {
            let environment = format!("{begins}\nenvironment = {{ {variable} }}");
            assert!(batch(&environment).contains("cannot be a variable"), "{variable}");
        }
    }

    #[test]
    fn the_line_that_begins_a_program_names_its_file() {
        let definition = parse(&format!("{SMALL}[batch]\nbegins = '^at (?<file>.+)$'")).unwrap();
        let begins = definition.batches[0].begins.clone();
        assert_eq!(begins.file("at a b.bpl"), Some("a b.bpl"));
        assert_eq!(begins.file(" at a.bpl"), None);
    }

    #[test]
    fn files_that_are_no_definitions_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let error = |name: &str, text: &[u8]| {
            fs::write(path(name), text).unwrap();
            Definition::read(&path(name)).unwrap_err().to_string()
        };
        assert!(error("bytes.toml", b"about = \"\xff\"").contains("not UTF-8"));
        assert!(error("huge.toml", &vec![b'#'; 2 << 20]).contains("larger than 1 MiB"));
        assert!(error("a b.toml", b"").contains("must consist of letters"));
        assert!(error("tool.txt", b"").contains("end in `.toml`"));
        fs::create_dir(path("folder.toml")).unwrap();
        assert!(Definition::read(&path("folder.toml")).is_err());
        assert!(Definition::read(&path("missing.toml")).is_err());
    }

    #[test]
    fn a_version_is_found_with_its_line() {
        let query: VersionQuery =
            toml::from_str("arguments = []\npattern = 'version (\\d+\\.\\d+\\.\\d+)'").unwrap();
        let text = "noise\nBoogie program verifier version 2.4.1.10503, Copyright\nError\n";
        let (version, line) = query.pattern.find(text).unwrap();
        assert_eq!(version.to_string(), "2.4.1");
        assert_eq!(line, "Boogie program verifier version 2.4.1.10503, Copyright");
        assert!(query.pattern.find("version two").is_none());
    }
}
