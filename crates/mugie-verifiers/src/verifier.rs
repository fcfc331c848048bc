//! A verifier on this machine, ready to be run.
//!
//! A [`Verifier`] knows its command line for any files, how to read its output, and a hash of all
//! that its verdicts depend on. It does not run anything. This module must not know which verifier
//! it has: everything specific to a verifier is in its definition and behind its [`Reader`].

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::command::{Blank, Piece, Values, Word};
use crate::definition::{
    BatchDefinition, BeginPattern, Definition, LocateDefinition, Origin, ProfileDefinition,
    SolverDefinition, WrittenFile,
};
use crate::find::{FoundProgram, PATIENCE};
use crate::input;
use crate::owners;
use crate::problems::{Problem, problems};
use crate::read::{Reader, no_error_is_printed, of_goals};
use crate::registry::verifier_title;
use crate::run::{CommandLine, Run};
use crate::smt::Style;
use crate::tap::{Marker, QueryRecord, Tap, Tapped, install};
use crate::trust::Foreign;
use crate::version::{Version, VersionRange};
use mugie_core::{ExpectedGoal, Outcome, Procedure, Sharing, Verdict};

/// The most runs of a tap to find out whether taps work. If something kills the tap, or the solver that it asks,
/// that shows nothing, so it is tried again; raising this tolerates more kills.
const MAX_TRIALS: u32 = 3;

/// Maximum number of bytes of a failing tap's standard error that a message quotes.
const MOST_WORDS: usize = 1000;

/// Maximum size of a file of details in bytes.
const MAX_DETAILS: u64 = 256 << 20;

/// The user's options for a verifier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct VerifierOptions {
    /// The solver: a name, a path, or both as `NAME=PATH`.
    pub solver: Option<String>,
    /// The path of the verifier's program, if it is not to be searched for.
    pub program: Option<PathBuf>,
    /// The name of a profile in the verifier's definition.
    pub profile: Option<String>,
    /// Arguments to put before the files.
    pub arguments: Vec<String>,
    /// The solver's limit in resource units.
    pub resource_limit: Option<u64>,
    /// The time limit of a procedure in seconds.
    pub procedure_seconds: Option<u64>,
    /// The random seed of the solver.
    pub random_seed: Option<u64>,
    /// Whether to switch off the verifier's own inference.
    pub without_inference: bool,
    /// Whether to keep declarations in the order of the files, if the verifier sorts them.
    pub file_order: bool,
    /// Whether to log the queries to the solver.
    pub log_problems: bool,
    /// Whether to log the queries in files of their own.
    pub log_goals: bool,
    /// The options that do not come from the user but from a file of somebody else.
    pub foreign: Option<Foreign>,
}

/// A solver on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solver {
    /// The name in the verifier's definition: `z3`.
    pub name: String,
    /// The name in messages: `Z3 4.8.12`.
    pub title: String,
    /// Its program.
    pub tool: FoundProgram,
}

/// A verifier on this machine, with its solver and all options.
#[derive(Clone, Debug)]
pub struct Verifier {
    /// The name of its definition.
    pub name: String,
    /// The name in messages: `Boogie 2.4.1 with Z3 4.8.12`.
    pub title: String,
    /// Its program.
    pub tool: FoundProgram,
    /// The solver, if the verifier has solvers to choose from.
    pub solver: Option<Solver>,
    /// The name of the chosen profile, if any.
    pub profile: Option<String>,
    /// Options for reading programs as the verifier does: its `dialect`, if known, and what its
    /// arguments imply.
    pub reading: mugie_core::LanguageOptions,
    input: String,
    reader: Arc<dyn Reader>,
    questions: &'static Style,
    /// The log of queries to the solver, in the directory of a run.
    problem_file: Option<String>,
    /// How characters in the names of goals are spelled in the names of files.
    spelled: BTreeMap<String, String>,
    goal_files: Option<String>,
    words: Vec<Word>,
    details: Option<Details>,
    /// The files that the verifier reads besides the program.
    own_files: Vec<NamedText>,
    locating: Option<Locating>,
    options: VerifierOptions,
    /// The name of the definition, or the path of its file.
    named: String,
    /// Environment variables of the verifier's process.
    environment: Vec<(OsString, OsString)>,
    batch: Option<SharedProcess>,
    sorts_declarations: bool,
    identity: [u8; 32],
    tapping: Option<Box<Tapping>>,
}

/// What is needed to put a tap in place of the solver.
#[derive(Clone, Debug)]
struct Tapping {
    definition: Definition,
    options: VerifierOptions,
    solver_identity: [u8; 32],
}

/// A file in which the verifier says more than it prints.
#[derive(Clone, Debug)]
struct Details {
    /// The words that ask for it. They go before all others, so that the user's take precedence.
    words: Vec<Word>,
    file: String,
}

/// A second run, which finds the places of failures.
#[derive(Clone, Debug)]
struct Locating {
    /// The words before the files, and those after them.
    words: [Vec<Word>; 2],
    /// The pieces for each goal.
    each: Vec<Piece>,
    verifier_version: Option<Version>,
    solver_version: Option<Version>,
}

impl Locating {
    fn new(definition: &LocateDefinition, values: &Values<'_>) -> Locating {
        let fill = |pieces: &[Piece]| pieces.iter().flat_map(|piece| piece.fill(values)).collect();
        Locating {
            words: [fill(&definition.arguments), fill(&definition.after)],
            each: definition.each.clone(),
            verifier_version: values.verifier_version.cloned(),
            solver_version: values.solver_version.cloned(),
        }
    }
}

/// How a verifier verifies several programs, each in a file, in one process.
#[derive(Clone, Debug)]
pub struct SharedProcess {
    words: Vec<Word>,
    environment: Vec<(OsString, OsString)>,
    begins: BeginPattern,
    begins_goals: bool,
    file_line: Option<String>,
    marker: Option<&'static Marker>,
    without: Vec<String>,
    tapped: bool,
    stale_preludes: bool,
}

/// The name and text of a file.
type NamedText = (String, String);

impl SharedProcess {
    fn new(batch: &BatchDefinition, values: &Values<'_>) -> SharedProcess {
        SharedProcess {
            words: batch.arguments.iter().flat_map(|piece| piece.fill(values)).collect(),
            environment: batch.environment.iter().map(|(a, b)| (a.into(), b.into())).collect(),
            begins: batch.begins.clone(),
            begins_goals: batch.each_goal,
            file_line: batch.file_line.clone(),
            marker: batch.marker,
            without: batch.without.clone(),
            tapped: batch.tapped,
            stale_preludes: batch.stale_preludes,
        }
    }

    /// Whether sharing is sound only if the solver is tapped.
    pub fn needs_tap(&self) -> bool {
        self.tapped
    }

    /// Whether programs of this class can share such a process.
    pub fn is_for(&self, Sharing(features): &Sharing) -> bool {
        !self.without.iter().any(|feature| features.contains(feature.as_str()))
    }

    /// A program in one file, named like its first file. Messages about it name its original files
    /// and lines. `None` if that is impossible.
    pub fn in_one_file(&self, files: &[NamedText]) -> Option<NamedText> {
        let (first, _) = files.first()?;
        let Some(line) = &self.file_line else {
            return if let [file] = files { Some(file.clone()) } else { None };
        };
        let text = files.iter().flat_map(|(name, text)| {
            let end = if text.ends_with('\n') { "" } else { "\n" };
            [line.replace("{file}", name), "\n".to_owned(), text.clone(), end.to_owned()]
        });
        Some((first.clone(), text.collect()))
    }

    /// Whether messages about that file would be the same if it had another name.
    pub fn can_rename(&self) -> bool {
        self.file_line.is_some()
    }

    /// A program in one file with a [marker](Marker) of the given number, for a run with a tap.
    /// `None` if that is impossible.
    pub fn marked(&self, number: usize, files: &[NamedText]) -> Option<NamedText> {
        let marker = self.marker?;
        let (name, text) = self.in_one_file(files).filter(|_| self.can_rename())?;
        Some((name, format!("{}\n{text}", marker.line(number))))
    }

    /// Whether there is such a line for each goal of a program, so that there may be several, or none.
    pub fn begins_goals(&self) -> bool {
        self.begins_goals
    }

    /// The file of the program that the output is about from this line on, if the line begins one.
    pub fn file<'l>(&self, line: &'l str) -> Option<&'l str> {
        self.begins.file(line)
    }
}

impl Verifier {
    /// Puts a verifier together. If a program cannot be read, returns its path and the error.
    pub(crate) fn new(
        definition: &Definition,
        tool: FoundProgram,
        solver: Option<Solver>,
        options: &VerifierOptions,
    ) -> Result<Verifier, (PathBuf, io::Error)> {
        let path = solver.as_ref().map(|solver| solver.tool.path.as_path());
        let words = words(definition, &tool, solver.as_ref(), path, options);
        let values = values(&tool, solver.as_ref(), path, options);
        let is_for = |range: &VersionRange| {
            range.is_everything()
                || tool.version.as_ref().is_some_and(|version| range.contains(version))
        };
        let given: Vec<_> = words.iter().filter_map(Word::text).collect();
        let arguments: Vec<&str> = given.iter().map(|word| &**word).collect();
        let batch = definition
            .batches
            .iter()
            .find(|batch| is_for(&batch.verifier) && batch.is_for_arguments(&arguments))
            .map(|batch| SharedProcess::new(batch, &values));
        let file_order = definition.diagnose.file_order.iter();
        let file_order: Vec<Word> = file_order.flat_map(|piece| piece.fill(&values)).collect();
        let is_given = |word: &Word| words.iter().any(|given| given.is_same_option(word));
        let sorts_declarations = !file_order.is_empty() && !file_order.iter().all(is_given);
        let details = definition.details.as_ref().map(|details| Details {
            words: details.arguments.iter().flat_map(|piece| piece.fill(&values)).collect(),
            file: details.file.clone(),
        });
        let details = details.filter(|details| !details.words.is_empty());
        let own_files = own_files(definition, solver.as_ref(), &values)?;
        let locating = definition.locate.as_ref().map(|locate| Locating::new(locate, &values));
        let dialect = definition.dialects.iter().find(|(_, range)| is_for(range));
        let reading = reading(definition, dialect.map(|(dialect, _)| dialect), &arguments);
        let title = title(definition, &tool, solver.as_ref(), options);
        let environment: Vec<(OsString, OsString)> = profile(definition, options)
            .into_iter()
            .flat_map(|profile| &profile.environment)
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        let asked: Vec<&Word> =
            details.iter().flat_map(|details| &details.words).chain(&words).collect();
        let (identity, solver_identity) =
            identity(definition, &tool, solver.as_ref(), &asked, (&environment, &own_files))?;
        let tappable =
            chosen(definition, solver.as_ref()).is_some_and(|chosen| chosen.tap.is_some());
        let tapping = tappable.then(|| {
            let (definition, options) = (definition.clone(), options.clone());
            Box::new(Tapping { definition, options, solver_identity })
        });
        Ok(Verifier {
            name: definition.name.clone(),
            title,
            tool,
            solver,
            profile: options.profile.clone(),
            reading,
            input: definition.input.clone(),
            reader: Arc::clone(&definition.reader),
            questions: definition.questions,
            goal_files: asked_for(definition.diagnose.goals.as_ref(), options.log_goals),
            problem_file: asked_for(definition.diagnose.problems.as_ref(), options.log_problems),
            spelled: definition.diagnose.spelled.clone(),
            words,
            details,
            own_files,
            locating,
            options: options.clone(),
            named: match &definition.origin {
                Origin::File(path) => path.display().to_string(),
                Origin::Shipped | Origin::Project(_) => definition.name.clone(),
            },
            environment,
            batch,
            sorts_declarations,
            identity,
            tapping,
        })
    }

    /// The path of its program.
    pub fn program(&self) -> &Path {
        &self.tool.path
    }

    /// Its version, if it is known.
    pub fn version(&self) -> Option<&Version> {
        self.tool.version.as_ref()
    }

    /// The options that it was made with.
    pub fn options(&self) -> &VerifierOptions {
        &self.options
    }

    /// The name by which it is found again: that of its definition, or the path of that.
    pub fn named(&self) -> &str {
        &self.named
    }

    /// The command line that verifies files, as one program, in a directory. A relative path is
    /// relative to that directory, and must not look like an option.
    pub fn command_line(&self, files: &[PathBuf], directory: &Path) -> CommandLine {
        self.command_line_of(&self.words, None, files, directory)
    }

    /// The command line of [`Verifier::command_line`] with a [tap](crate::tap) in place of the
    /// solver, which is installed in the directory. The verdicts are the same, and
    /// [`records_file`](crate::tap::records_file) lists all queries. Fails if a tap cannot be
    /// installed there, or cannot [take the place](Verifier::can_be_tapped) of the solver.
    pub fn tapped_command_line(
        &self,
        files: &[PathBuf],
        directory: &Path,
        tap: &Tap,
    ) -> io::Result<CommandLine> {
        let (words, _) = self.tapped_words(directory, tap, None)?;
        Ok(self.command_line_of(&words, None, files, directory))
    }

    /// The command line of [`Verifier::batch_command_line`] with a tap. Each program has a
    /// [marker](SharedProcess::marked).
    pub fn tapped_batch_command_line(
        &self,
        batch: &SharedProcess,
        files: &[PathBuf],
        directory: &Path,
        tap: &Tap,
    ) -> io::Result<CommandLine> {
        let (words, _) = self.tapped_words(directory, tap, Some(batch))?;
        Ok(self.command_line_of(&words, Some(batch), files, directory))
    }

    /// Installs a tap in a directory, asks it for the version of the solver, and removes it. Fails
    /// if taps do not work there.
    pub fn try_tap(&self, directory: &Path, tap: &Tap) -> io::Result<()> {
        let trial = directory.join("trial");
        fs::create_dir(&trial)?;
        let tried = self.try_tap_in(&trial, tap);
        fs::remove_dir_all(trial)?;
        tried
    }

    fn try_tap_in(&self, directory: &Path, tap: &Tap) -> io::Result<()> {
        let (_, path) = self.tapped_words(directory, tap, None)?;
        let tapping = self.tapping.as_deref().ok_or(io::ErrorKind::Unsupported)?;
        let chosen = chosen(&tapping.definition, self.solver.as_ref());
        let query = chosen.and_then(|chosen| chosen.program.version.as_ref());
        let arguments = query.map(|query| query.arguments.as_slice()).unwrap_or_default();
        // Not a pipe, which another process could hold open.
        let complaints = directory.join("complaints");
        let mut status = try_once(&path, arguments, File::create(&complaints)?)?;
        for _ in 1..MAX_TRIALS {
            if status.success() {
                break;
            }
            status = try_once(&path, arguments, File::create(&complaints)?)?;
        }
        if status.success() {
            return Ok(());
        }
        let text = fs::read(complaints)?;
        let text = String::from_utf8_lossy(&text[..text.len().min(MOST_WORDS)]).trim().to_owned();
        Err(io::Error::other(if text.is_empty() { status.to_string() } else { text }))
    }

    /// Installs a tap in a directory. Returns the command line with it, and its path.
    fn tapped_words(
        &self,
        directory: &Path,
        tap: &Tap,
        batch: Option<&SharedProcess>,
    ) -> io::Result<(Vec<Word>, PathBuf)> {
        let unsupported = || io::Error::new(io::ErrorKind::Unsupported, "its solver has no tap");
        let tapping = self.tapping.as_deref().ok_or_else(unsupported)?;
        let Tapping { definition, options, solver_identity } = tapping;
        let solver = self.solver.as_ref().ok_or_else(unsupported)?;
        let chosen = chosen(definition, Some(solver)).ok_or_else(unsupported)?;
        let talk = chosen.tap.clone().ok_or_else(unsupported)?;
        let version = solver.tool.version.as_ref();
        let unknown = talk.unknown_options.iter().filter(|option| {
            option.solver.is_everything()
                || version.is_some_and(|version| option.solver.contains(version))
        });
        let tapped = Tapped {
            solver: &solver.tool.path,
            identity: blake3::Hash::from_bytes(*solver_identity).to_hex().to_string(),
            version_arguments: chosen.program.version.clone().map(|query| query.arguments),
            dropped_options: unknown.map(|option| option.name.clone()).collect(),
            style: definition.questions,
            shared: batch.and_then(|batch| Some((batch.marker?, batch.stale_preludes))),
            definition: talk.clone(),
        };
        let path = install(tap, tapped, directory)?;
        let words = words(definition, &self.tool, Some(solver), Some(&path), options);
        Ok((words, path))
    }

    /// Whether a [tap](crate::tap) can take the place of the solver.
    pub fn can_be_tapped(&self) -> bool {
        self.tapping.is_some()
    }

    /// Writes to each query of a run the goal of the verdict that it belongs to.
    pub fn assign_goals(&self, queries: &mut [QueryRecord], verdict: &Verdict) {
        owners::assign(queries, verdict, self.questions, |query| self.is_stopped(query));
    }

    /// The verdict, with the answers that the solver gave. A goal that is said to have errors of which none is printed
    /// fails if the solver did not prove it: otherwise it is not known why.
    pub fn with_answers(&self, mut verdict: Verdict, queries: &[QueryRecord]) -> Verdict {
        let of_reason = verdict.procedures.iter_mut().find(|goal| {
            goal.outcome == Outcome::ToolError
                && verdict.reason == Some(no_error_is_printed(&goal.name))
        });
        let Some(goal) = of_reason else { return verdict };
        let refutes = |query: &&QueryRecord| {
            query.goal.as_deref() == Some(&goal.name)
                && matches!(query.answer.as_str(), "sat" | "unknown")
                && !self.is_stopped(query)
        };
        if let Some(query) = queries.iter().find(refutes) {
            goal.outcome = Outcome::Failed;
            verdict.reason = Some(format!(
                "`{}` failed: no error is printed, but the solver's answer is `{}`",
                goal.name, query.answer
            ));
            let outcomes = verdict.procedures.iter().map(|goal| goal.outcome);
            verdict.outcome = outcomes.max().unwrap_or(verdict.outcome);
        }
        verdict
    }

    /// Whether the solver was stopped at a limit before it could answer a query.
    pub fn is_stopped(&self, query: &QueryRecord) -> bool {
        let definition = self.tapping.as_ref().map(|tapping| &tapping.definition);
        let chosen = definition.and_then(|definition| chosen(definition, self.solver.as_ref()));
        let tap = chosen.and_then(|chosen| chosen.tap.as_ref());
        let limits = tap.map(|tap| tap.limits.as_slice()).unwrap_or_default();
        let reason = query.reason.as_deref();
        reason.is_some_and(|reason| limits.iter().any(|limit| reason.contains(limit)))
    }

    /// How the verifier verifies several programs in one process, if it can. This is not part of
    /// its [identity](Verifier::identity), because the verdict on a program must be the same.
    pub fn batch(&self) -> Option<&SharedProcess> {
        self.batch.as_ref()
    }

    /// The command line that verifies files as separate programs, one after the other. Paths are as
    /// for [`Verifier::command_line`].
    pub fn batch_command_line(
        &self,
        batch: &SharedProcess,
        files: &[PathBuf],
        directory: &Path,
    ) -> CommandLine {
        self.command_line_of(&self.words, Some(batch), files, directory)
    }

    /// The command line made of `words`, with the arguments of `batch` before the files.
    fn command_line_of(
        &self,
        words: &[Word],
        batch: Option<&SharedProcess>,
        files: &[PathBuf],
        directory: &Path,
    ) -> CommandLine {
        let mut arguments: Vec<OsString> = Vec::with_capacity(words.len() + files.len());
        // The programs of a shared process would have one file together.
        let details = self.details.iter().filter(|_| batch.is_none());
        for word in details.flat_map(|details| &details.words).chain(words) {
            match word {
                Word::Text(text) => arguments.push(text.clone()),
                Word::Files => {
                    let more = batch.iter().flat_map(|batch| &batch.words);
                    arguments.extend(more.filter_map(|word| match word {
                        Word::Text(text) => Some(text.clone()),
                        Word::Files => None,
                    }));
                    arguments.extend(files.iter().map(OsString::from));
                }
            }
        }
        CommandLine {
            program: self.tool.path.clone(),
            arguments,
            directory: directory.to_owned(),
            // The variables of the profile come last and take precedence.
            environment: batch
                .iter()
                .flat_map(|batch| &batch.environment)
                .chain(&self.environment)
                .cloned()
                .collect(),
        }
    }

    /// The environment variables that the profile sets.
    pub fn environment(&self) -> &[(OsString, OsString)] {
        &self.environment
    }

    /// The program and its arguments for display, with `{files}` in place of the files.
    pub fn command_words(&self) -> Vec<String> {
        let program = self.tool.path.to_string_lossy().into_owned();
        [program].into_iter().chain(self.words.iter().map(Word::to_text)).collect()
    }

    /// The files that the verifier reads besides the program, such as its configuration: names and texts. They have to be
    /// in the directory of a run.
    pub fn own_files(&self) -> &[(String, String)] {
        &self.own_files
    }

    /// Reads the verdict of a run.
    pub fn read(&self, run: &Run) -> Verdict {
        let verdict = self.reader.read(run);
        match self.options.resource_limit {
            Some(limit) => self.reader.within(verdict, limit),
            None => verdict,
        }
    }

    /// The verdict about the goals that the program is known to have, under their own names.
    pub fn of_goals(&self, verdict: Verdict, run: &Run, expected: &[ExpectedGoal]) -> Verdict {
        if !verdict.outcome.is_evidence() || verdict.outcome == Outcome::Rejected {
            return verdict;
        }
        of_goals(verdict, expected, self.reader.proves_silently(run))
    }

    /// Whether a run has something to say on standard error that makes its output worth less.
    pub fn complains(&self, run: &Run) -> bool {
        self.reader.complains(&run.stderr.text)
    }

    /// The command line of a second run, which finds the places of the failures of a verdict as it was read. `None` if the
    /// verifier has no such run, or nothing was left unproved.
    pub fn locating_command_line(
        &self,
        verdict: &Verdict,
        files: &[PathBuf],
        directory: &Path,
    ) -> Option<CommandLine> {
        let locating = self.locating.as_ref()?;
        let failed = verdict.procedures.iter().filter(|goal| goal.outcome == Outcome::Failed);
        let each = failed.flat_map(|goal| {
            let values = Values {
                verifier_version: locating.verifier_version.as_ref(),
                solver_version: locating.solver_version.as_ref(),
                goal: Some(&goal.name),
                ..Values::default()
            };
            locating.each.iter().flat_map(|piece| piece.fill(&values)).collect::<Vec<_>>()
        });
        let each: Vec<Word> = each.collect();
        if each.is_empty() {
            return None;
        }
        let [before, after] = &locating.words;
        let words = self.words.iter().flat_map(|word| match word {
            Word::Text(_) => vec![word.clone()],
            Word::Files => {
                before.iter().chain([word]).chain(after).chain(&each).cloned().collect::<Vec<_>>()
            }
        });
        let words: Vec<Word> = words.collect();
        Some(self.command_line_of(&words, None, files, directory))
    }

    /// The verdict with the places that the second run found. It changes no outcome.
    pub fn with_places(&self, mut verdict: Verdict, run: &Run) -> Verdict {
        let located = self.reader.read(run);
        for Procedure { name, outcome, failures, .. } in &mut verdict.procedures {
            let found = located.procedures.iter().find(|goal| goal.name == *name);
            if let Some(found) = found.filter(|found| !found.failures.is_empty())
                && *outcome == Outcome::Failed
            {
                failures.clone_from(&found.failures);
            }
        }
        verdict
    }

    /// The verdict of a run with the details that the verifier left in the directory of the run.
    /// Without them, or if they are incomplete, it is the verdict as it was read.
    pub fn with_details(&self, verdict: Verdict, directory: &Path) -> Verdict {
        let Some(details) = &self.details else { return verdict };
        match input::read_to_string(&directory.join(&details.file), MAX_DETAILS) {
            Ok(text) => self.reader.with_details(verdict, &text),
            Err(_) => verdict,
        }
    }

    /// Standard output without the lines that do not depend on the program.
    pub fn without_noise(&self, stdout: &str) -> String {
        self.reader.without_noise(stdout)
    }

    /// The name of the language that the verifier reads: `boogie`.
    pub fn input(&self) -> &str {
        &self.input
    }

    /// The log of queries to the solver in the directory of a run, if it was asked for.
    pub fn problem_file(&self) -> Option<&str> {
        self.problem_file.as_deref()
    }

    /// Whether a run leaves a file of this name that is worth keeping: a log that was asked for, or details that go with
    /// such logs.
    pub fn leaves(&self, name: &str) -> bool {
        let is_details = || self.details.as_ref().is_some_and(|details| details.file == name);
        self.problem_file() == Some(name)
            || self.goal_in_name(name).is_some()
            || self.batch_of(name).is_some()
            || (self.goal_files.is_some() && is_details())
    }

    /// The goal whose queries are in a file of this name, as the name spells it, if each goal has a log of its own.
    pub fn goal_in_name<'n>(&self, name: &'n str) -> Option<&'n str> {
        let (start, end) = self.problem_file.as_ref()?.split_once('*')?;
        name.strip_prefix(start)?.strip_suffix(end)
    }

    /// Whether each goal has a log of its own, if logs were asked for.
    pub fn logs_goals_apart(&self) -> bool {
        self.problem_file.as_ref().is_some_and(|file| file.contains('*'))
    }

    /// The name of a goal as the names of files spell it.
    pub fn spelled(&self, goal: &str) -> String {
        let all = self.spelled.iter();
        all.fold(goal.to_owned(), |name, (text, spelled)| name.replace(text.as_str(), spelled))
    }

    /// The batch of proof obligations whose queries are in a file of this name, if they were logged in files of their
    /// own.
    pub fn batch_of<'n>(&self, name: &'n str) -> Option<&'n str> {
        let (start, end) = self.goal_files.as_ref()?.split_once('*')?;
        name.strip_prefix(start)?.strip_suffix(end)
    }

    /// The detailed report on all goals, if the verifier left one among these files.
    pub fn goal_runs(&self, left: &[mugie_core::Artifact]) -> Vec<mugie_core::GoalRun> {
        let details = self.details.as_ref();
        let file = details.and_then(|details| left.iter().find(|file| file.name == details.file));
        file.map(|file| self.reader.goals(&file.text)).unwrap_or_default()
    }

    /// The problems in the text of that log, in order.
    pub fn problems(&self, log: &str) -> Vec<Problem> {
        problems(log, self.questions)
    }

    /// Whether the verifier names every goal that it verifies, so that a goal that it does not name
    /// is not verified.
    pub fn names_goals(&self) -> bool {
        self.reader.names_goals()
    }

    /// Whether the verifier sorts declarations by a hash of their content before the solver gets them.
    pub fn sorts_declarations(&self) -> bool {
        self.sorts_declarations
    }

    /// A hash of everything that the verdicts depend on: the command line, the variables of the
    /// profile, how the output is read, and the versions and contents of the programs. Verifiers
    /// with equal hashes are the same.
    pub fn identity(&self) -> [u8; 32] {
        self.identity
    }

    /// Whether the command line is another one because there is to be no inference.
    pub(crate) fn lacks_inference(
        &self,
        definition: &Definition,
        options: &VerifierOptions,
    ) -> bool {
        let usual = VerifierOptions { without_inference: false, ..options.clone() };
        let solver = self.solver.as_ref();
        let path = solver.map(|solver| solver.tool.path.as_path());
        words(definition, &self.tool, solver, path, &usual) != self.words
    }

    /// Whether the command line has a placeholder for a value, with these versions and this solver.
    pub(crate) fn used(
        &self,
        definition: &Definition,
        options: &VerifierOptions,
        blank: Blank,
    ) -> bool {
        let values = Values {
            verifier_version: self.version(),
            solver_version: self.solver.as_ref().and_then(|solver| solver.tool.version.as_ref()),
            ..Values::default()
        };
        let mentioned = |piece: &Piece| {
            let milliseconds =
                blank == Blank::ProcedureSeconds && piece.mentions(Blank::ProcedureMilliseconds);
            piece.is_for(&values) && (piece.mentions(blank) || milliseconds)
        };
        let solver = solver_arguments(definition, self.solver.as_ref());
        let profile = profile_arguments(definition, options);
        let mut files =
            chosen(definition, self.solver.as_ref()).into_iter().flat_map(|solver| &solver.file);
        definition.arguments.iter().chain(solver).chain(profile).any(mentioned)
            || files.any(|file| file.text.mentions(blank))
    }
}

/// The name of a file that is written if it is asked for.
fn asked_for(written: Option<&WrittenFile>, is_asked: bool) -> Option<String> {
    written.filter(|_| is_asked).map(|written| written.file.clone())
}

/// Options for reading programs as the verifier does, given its dialect and arguments.
fn reading(
    definition: &Definition,
    dialect: Option<&String>,
    arguments: &[&str],
) -> mugie_core::LanguageOptions {
    let dialect = dialect.map(|dialect| ("dialect".to_owned(), dialect.clone()));
    let mut reading: mugie_core::LanguageOptions = dialect.into_iter().collect();
    for (option, argument) in &definition.reading {
        if let Some(value) = argument.value(arguments.iter().copied()) {
            reading.set(option, value);
        }
    }
    reading
}

/// The values of placeholders, with this path of the solver.
fn values<'v>(
    tool: &'v FoundProgram,
    solver: Option<&'v Solver>,
    path: Option<&'v Path>,
    options: &VerifierOptions,
) -> Values<'v> {
    Values {
        verifier_version: tool.version.as_ref(),
        solver_version: solver.and_then(|solver| solver.tool.version.as_ref()),
        solver: path,
        resource_limit: options.resource_limit,
        procedure_seconds: options.procedure_seconds,
        random_seed: options.random_seed,
        goal: None,
    }
}

/// The command line for any files, with this path of the solver.
fn words(
    definition: &Definition,
    tool: &FoundProgram,
    solver: Option<&Solver>,
    path: Option<&Path>,
    options: &VerifierOptions,
) -> Vec<Word> {
    let values = values(tool, solver, path, options);
    let mut words = Vec::new();
    for piece in &definition.arguments {
        if piece.is_files() {
            for piece in solver_arguments(definition, solver) {
                words.extend(piece.fill(&values));
            }
            for piece in profile_arguments(definition, options) {
                words.extend(piece.fill(&values));
            }
            for piece in diagnose_arguments(definition, options) {
                words.extend(piece.fill(&values));
            }
            words.extend(options.arguments.iter().map(|word| Word::Text(word.into())));
        }
        words.extend(piece.fill(&values));
    }
    if options.without_inference {
        let inference = &definition.diagnose.inference;
        let asks_for_it = |word: &Word| match word {
            Word::Text(text) => {
                let text = text.to_string_lossy();
                inference.iter().any(|dropped| dropped.is(&text, values.verifier_version))
            }
            Word::Files => false,
        };
        words.retain(|word| !asks_for_it(word));
    }
    words
}

/// The name of a verifier in messages, with its solver and profile.
fn title(
    definition: &Definition,
    tool: &FoundProgram,
    solver: Option<&Solver>,
    options: &VerifierOptions,
) -> String {
    let mut title = verifier_title(definition, Some(tool));
    if let Some(solver) = solver {
        title = format!("{title} with {}", solver.title);
    }
    if let Some(profile) = &options.profile {
        title = format!("{title} and the profile {profile}");
    }
    title
}

/// The profile that the options ask for, if the definition has it.
fn profile<'d>(
    definition: &'d Definition,
    options: &VerifierOptions,
) -> Option<&'d ProfileDefinition> {
    definition.profiles.get(options.profile.as_ref()?)
}

/// The arguments that the profile adds to the command line.
fn profile_arguments<'d>(
    definition: &'d Definition,
    options: &VerifierOptions,
) -> impl Iterator<Item = &'d Piece> + use<'d> {
    profile(definition, options).into_iter().flat_map(|profile| &profile.arguments)
}

/// The arguments that are added to the command line to tell layers apart.
fn diagnose_arguments<'d>(
    definition: &'d Definition,
    options: &VerifierOptions,
) -> impl Iterator<Item = &'d Piece> {
    let diagnose = &definition.diagnose;
    let inference = diagnose.without_inference.iter().filter(|_| options.without_inference);
    let problems = diagnose.problems.iter().filter(|_| options.log_problems);
    let file_order = diagnose.file_order.iter().filter(|_| options.file_order);
    let goals = diagnose.goals.iter().filter(|_| options.log_goals);
    let written = problems.chain(goals).flat_map(|written| &written.arguments);
    inference.chain(file_order).chain(written)
}

/// The definition of the chosen solver.
fn chosen<'d>(definition: &'d Definition, solver: Option<&Solver>) -> Option<&'d SolverDefinition> {
    let name = &solver?.name;
    definition.solvers.iter().find(|solver| solver.name == *name)
}

/// The arguments that the chosen solver adds to the command line.
fn solver_arguments<'d>(
    definition: &'d Definition,
    solver: Option<&Solver>,
) -> impl Iterator<Item = &'d Piece> {
    chosen(definition, solver).into_iter().flat_map(|solver| &solver.arguments)
}

/// The hash of a verifier, and the hash of its solver alone.
fn identity(
    definition: &Definition,
    tool: &FoundProgram,
    solver: Option<&Solver>,
    words: &[&Word],
    (environment, own_files): (&[(OsString, OsString)], &[NamedText]),
) -> Result<([u8; 32], [u8; 32]), (PathBuf, io::Error)> {
    let mut hasher = blake3::Hasher::new();
    let mut solver_hasher = blake3::Hasher::new();
    field(&mut hasher, definition.name.as_bytes());
    for part in definition.reader.identity() {
        field(&mut hasher, part.as_bytes());
    }
    for (is_solver, tool) in [Some(tool), solver.map(|solver| &solver.tool)].into_iter().enumerate()
    {
        let Some(tool) = tool else { continue };
        let content = content(&tool.path).map_err(|error| (tool.path.clone(), error))?;
        let path = tool.path.as_os_str().as_encoded_bytes();
        for bytes in
            [path, tool.answer.as_deref().unwrap_or_default().as_bytes(), content.as_bytes()]
        {
            field(&mut hasher, bytes);
            if is_solver == 1 {
                field(&mut solver_hasher, bytes);
            }
        }
    }
    for word in words {
        let (kind, bytes) = word.as_bytes();
        hasher.update(&[kind]);
        field(&mut hasher, bytes);
    }
    for (name, value) in environment {
        // A solver inherits them from the verifier.
        for hasher in [&mut hasher, &mut solver_hasher] {
            hasher.update(&[VARIABLE]);
            field(hasher, name.as_encoded_bytes());
            field(hasher, value.as_encoded_bytes());
        }
    }
    for (name, text) in own_files {
        hasher.update(&[OWN_FILE]);
        field(&mut hasher, name.as_bytes());
        field(&mut hasher, text.as_bytes());
    }
    Ok((hasher.finalize().into(), solver_hasher.finalize().into()))
}

/// The verifier's own files for the chosen solver. A file that mentions a value which is not set is left out.
fn own_files(
    definition: &Definition,
    solver: Option<&Solver>,
    values: &Values<'_>,
) -> Result<Vec<NamedText>, (PathBuf, io::Error)> {
    let files = chosen(definition, solver).into_iter().flat_map(|solver| &solver.file);
    let texts = files.filter_map(|file| Some((&file.name, file.text.text(values)?)));
    let path = || solver.map(|solver| solver.tool.path.clone()).unwrap_or_default();
    texts
        .map(|(name, text)| match text.into_string() {
            Ok(text) if !is_awkward(&path()) => Ok((name.clone(), text)),
            _ => {
                let words = "its path has quotes, spaces, `%`, `\\` or other characters that do not \
                             fit into the configuration of the verifier";
                Err((path(), io::Error::new(io::ErrorKind::InvalidInput, words)))
            }
        })
        .collect()
}

/// Whether a path cannot stand in any configuration file as it is.
fn is_awkward(path: &Path) -> bool {
    path.to_str().is_none_or(|path| {
        let is_odd = |c: char| {
            c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '\\' | '%' | '$' | '`')
        };
        path.chars().any(is_odd)
    })
}

/// The tag of a file of the verifier's own in its hash.
const OWN_FILE: u8 = 3;

/// The tag that distinguishes a variable from [words](Word::as_bytes) in the hash of a verifier.
const VARIABLE: u8 = 2;

/// Hashes bytes after their length, so that no two different lists of fields are hashed alike.
pub(crate) fn field(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

/// The hash of the content of a program's file.
pub(crate) fn content(path: &Path) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(input::open(path)?)?;
    Ok(hasher.finalize())
}

/// Runs an installed tap once. One that does not end in time is killed.
fn try_once(path: &Path, arguments: &[String], complaints: File) -> io::Result<ExitStatus> {
    let mut trial = Command::new(path)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(complaints)
        .spawn()?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        match trial.try_wait()? {
            Some(status) => return Ok(status),
            None if Instant::now() < deadline => sleep(Duration::from_millis(5)),
            None => {
                trial.kill()?;
                trial.wait()?;
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
    }
}
