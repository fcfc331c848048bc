//! Runs real Boogies: programs in, the outcome of each implementation out.
//!
//! Programs share a process where that is sound; the caller repeats a comparison with a difference in
//! separate processes. Each process is supervised, so that one that hangs is ended by a limit.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mugie_core::{FileText, Outcome, Program, Sharing};
use mugie_verifiers::read::{self, Reader as _};
use mugie_verifiers::supervise::Supervisor;
use mugie_verifiers::{Captured, CommandLine, Ending, Limits, Run, Usage};
use serde::{Deserialize, Serialize};

/// The releases of Boogie that are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Release {
    /// 2.4.1, as Debian has it.
    Two,
    /// 3.5.5.
    Three,
}

impl Release {
    /// Both releases.
    pub const ALL: [Release; 2] = [Release::Two, Release::Three];

    /// The release's name.
    pub fn name(self) -> &'static str {
        match self {
            Release::Two => "Boogie 2",
            Release::Three => "Boogie 3",
        }
    }

    /// The version of the release's language, as an option of mugie.
    pub fn dialect(self) -> &'static str {
        match self {
            Release::Two => "2",
            Release::Three => "3",
        }
    }

    /// Whether programs like this one can share a process. In Boogie 3, programs with type parameters cannot:
    /// they break those that follow.
    pub fn may_share(self, program: &dyn Program) -> bool {
        self == Release::Two || program.sharing() == Sharing::default()
    }

    /// The environment variable with the path of the program.
    fn variable(self) -> &'static str {
        match self {
            Release::Two => "MUGIE_BOOGIE",
            Release::Three => "MUGIE_BOOGIE_3",
        }
    }
}

/// What Boogie does besides verifying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing.
    Plain,
    /// Inferring invariants, Boogie 2's default.
    Inference,
    /// Choosing among candidates (`:existential`).
    Houdini,
}

/// A Boogie on this machine.
#[derive(Clone, Debug)]
pub struct Boogie {
    /// The release.
    pub release: Release,
    /// The version that the program reports.
    pub version: String,
    mode: Mode,
    program: PathBuf,
    supervisor: Arc<Supervisor>,
    limits: Limits,
}

/// The answer for a program: the sorted outcomes of each implementation, by name; or only the outcome of the
/// program as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The outcome of the program as a whole, if it was rejected, crashed or the like.
    pub trouble: Option<Outcome>,
    /// The outcomes by name.
    pub outcomes: BTreeMap<String, Vec<Outcome>>,
    /// The output.
    pub output: String,
}

impl Said {
    /// Whether two answers agree in everything that must not change.
    pub fn agrees_with(&self, other: &Said) -> bool {
        self.trouble == other.trouble && self.outcomes == other.outcomes
    }

    /// The number of implementations, and of those that verify.
    pub fn counts(&self) -> (u64, u64) {
        let all = self.outcomes.values().flatten();
        let verified = all.clone().filter(|outcome| **outcome == Outcome::Verified).count();
        (all.count() as u64, verified as u64)
    }
}

/// A program to verify.
pub struct Submission<'q> {
    /// The texts of the files, in order.
    pub files: &'q [FileText],
    /// The sharing class: programs of the same class may share a process.
    pub class: Sharing,
    /// Maps a procedure's name to its name in the seed.
    pub original: &'q dyn Fn(&str) -> String,
}

/// The number of programs that share a process. Raising it saves start-up time.
const BATCH: usize = 50;

impl Boogie {
    /// The Boogie of a release, if it is installed. Its runs end with the supervisor.
    pub fn find(release: Release, supervisor: &Arc<Supervisor>) -> Option<Boogie> {
        let named = env::var_os(release.variable()).map(PathBuf::from);
        let program = named.or_else(|| match release {
            Release::Two => on_path("boogie"),
            Release::Three => {
                let home = PathBuf::from(env::var_os("HOME")?);
                Some(home.join(".cache/boogie-3/bin/boogie")).filter(|path| path.exists())
            }
        })?;
        let limits = Limits { time: Duration::from_mins(2), ..Limits::default() };
        let (mode, supervisor) = (Mode::Plain, Arc::clone(supervisor));
        let version = reported(&program, &supervisor, &limits)
            .unwrap_or_else(|| "a version that it does not tell".to_owned());
        Some(Boogie { release, version, mode, program, supervisor, limits })
    }

    /// The same Boogie in another mode.
    #[must_use]
    pub fn with(&self, mode: Mode) -> Boogie {
        Boogie { mode, ..self.clone() }
    }

    fn command(&self, files: Vec<PathBuf>, directory: &Path, are_many: bool) -> CommandLine {
        let options: &[&str] = match self.release {
            Release::Two => &["/nologo", "/trace"],
            // Without pruning, programs in one process see each other's axioms.
            Release::Three => &["/trace", "/prune:1"],
        };
        let mode: &[&str] = match (self.release, self.mode) {
            (Release::Two, Mode::Plain) => &["/noinfer"],
            (Release::Two, Mode::Inference) | (Release::Three, Mode::Plain) => &[],
            (Release::Three, Mode::Inference) => &["/infer:j"],
            (Release::Two, Mode::Houdini) => &["/noinfer", "/contractInfer", "/printAssignment"],
            (Release::Three, Mode::Houdini) => &["/contractInfer", "/printAssignment"],
        };
        let mut arguments: Vec<_> = options.iter().chain(mode).map(Into::into).collect();
        if self.release == Release::Three
            && let Some(solver) = on_path("z3")
        {
            arguments.push(format!("/proverOpt:PROVER_PATH={}", solver.display()).into());
        }
        if are_many {
            arguments.push("/verifySeparately".into());
        }
        arguments.extend(files.into_iter().map(PathBuf::into_os_string));
        let environment = match self.release {
            // Avoids Mono's slow culture-sensitive string comparison.
            Release::Two => vec![("MONO_DISABLE_MANAGED_COLLATION".into(), "yes".into())],
            // Turns off profiling for later recompilation.
            Release::Three => vec![("DOTNET_TieredPGO".into(), "0".into())],
        };
        CommandLine {
            program: self.program.clone(),
            arguments,
            directory: directory.to_owned(),
            environment,
        }
    }

    /// Verifies programs, and returns the answers in their order. `None` if interrupted.
    pub fn ask(&self, questions: &[Submission<'_>]) -> io::Result<Option<Vec<Said>>> {
        let mut answers: Vec<Option<Said>> = vec![None; questions.len()];
        let mut classes: BTreeMap<&Sharing, Vec<usize>> = BTreeMap::new();
        for (index, question) in questions.iter().enumerate() {
            classes.entry(&question.class).or_default().push(index);
        }
        for (class, members) in classes {
            // See `may_share`.
            let size = if self.release == Release::Three && *class != Sharing::default() {
                1
            } else {
                BATCH
            };
            for batch in members.chunks(size) {
                let mut waiting = batch;
                while !waiting.is_empty() {
                    let said = self.ask_together(questions, waiting)?;
                    if self.supervisor.is_cancelled() {
                        return Ok(None);
                    }
                    let count = said.len().max(1);
                    for (index, said) in waiting.iter().zip(said) {
                        answers[*index] = Some(said);
                    }
                    waiting = &waiting[count.min(waiting.len())..];
                }
            }
        }
        Ok(answers.into_iter().collect())
    }

    /// Verifies one program in a process of its own. `None` if interrupted.
    pub fn ask_alone(&self, question: &Submission<'_>) -> io::Result<Option<Said>> {
        let said = self.ask_together(std::slice::from_ref(question), &[0])?.pop();
        Ok(said.filter(|_| !self.supervisor.is_cancelled()))
    }

    /// Runs one process, and returns the answers for the programs that it reached: at least the first.
    fn ask_together(&self, questions: &[Submission<'_>], which: &[usize]) -> io::Result<Vec<Said>> {
        let around = tempfile::tempdir()?;
        let directory = around.path().join("run");
        fs::create_dir(&directory)?;
        let mut paths = Vec::new();
        let mut write = |name: String, text: &str| {
            fs::write(directory.join(&name), text).map(|()| paths.push(PathBuf::from(name)))
        };
        if let [index] = which {
            for (number, file) in questions[*index].files.iter().enumerate() {
                write(format!("p{number}.bpl"), &file.text)?;
            }
        } else {
            for index in which {
                write(format!("p{index}.bpl"), &in_one_file(questions[*index].files))?;
            }
        }
        let command = self.command(paths, &directory, which.len() > 1);
        let mut texts: Vec<(String, String)> = Vec::new();
        let mut last = self.supervisor.run_in_parts(
            &command,
            &self.limits,
            &mut |line| line.starts_with("Parsing "),
            &mut |part| {
                texts.push((part.stdout.text, part.stderr.text));
                ControlFlow::Continue(())
            },
        );
        // The output before the first program is not an answer.
        if !texts.is_empty() {
            texts.remove(0);
        }
        // The files of one program have one answer.
        if let [_] = which {
            let before: String = texts.drain(..).map(|(stdout, _)| stdout).collect();
            last.stdout.text.insert_str(0, &before);
        }
        texts.truncate(which.len() - 1);
        let ended = |(stdout, stderr): (String, String)| Run {
            ending: Ending::Exited(0),
            usage: Usage::default(),
            stdout: Captured { text: stdout, truncated: false },
            stderr: Captured { text: stderr, truncated: false },
        };
        let runs = texts.into_iter().map(ended).chain([last]);
        let read = |run: &Run, original: &dyn Fn(&str) -> String| match self.mode {
            Mode::Plain | Mode::Inference => said(run, original),
            Mode::Houdini => said_by_houdini(run),
        };
        Ok(which.iter().zip(runs).map(|(i, run)| read(&run, questions[*i].original)).collect())
    }
}

/// The version that a program reports.
fn reported(program: &Path, supervisor: &Supervisor, limits: &Limits) -> Option<String> {
    // A separate folder: the limits restrict the number of files in the folder of a run, whoever made them.
    let folder = tempfile::tempdir().ok()?;
    let command = CommandLine {
        program: program.to_owned(),
        arguments: vec!["/version".into()],
        directory: folder.path().to_owned(),
        environment: Vec::new(),
    };
    let output = supervisor.run(&command, limits).stdout.text;
    let line = output.lines().find(|line| line.contains("version"))?;
    let words = line.split(|c: char| c.is_whitespace() || c == ',');
    words.skip_while(|word| *word != "version").nth(1).map(str::to_owned)
}

/// The answer of a run.
fn said(run: &Run, original: &dyn Fn(&str) -> String) -> Said {
    let verdict = read::Boogie.read(run);
    let mut outcomes: BTreeMap<String, Vec<Outcome>> = BTreeMap::new();
    for procedure in &verdict.procedures {
        outcomes.entry(original(&procedure.name)).or_default().push(procedure.outcome);
    }
    for outcomes in outcomes.values_mut() {
        outcomes.sort_unstable();
    }
    let known = outcomes.values().flatten().max().copied();
    let trouble = (known != Some(verdict.outcome)
        && !(known.is_none() && verdict.outcome == Outcome::Verified))
        .then_some(verdict.outcome);
    let mut output = read::Boogie.without_noise(&run.stdout.text);
    output.push_str(&run.stderr.text);
    Said { trouble, outcomes, output }
}

/// The answer of a run with candidates: which candidates are true, how many implementations verify, and
/// whether one does not. Implementations are not named.
fn said_by_houdini(run: &Run) -> Said {
    let mut outcomes: BTreeMap<String, Vec<Outcome>> = BTreeMap::new();
    let mut trouble = Some(Outcome::ToolError);
    for line in run.stdout.text.lines() {
        if let Some((name, value)) = line.split_once(" = ")
            && let Some(outcome) = match value {
                "True" => Some(Outcome::Verified),
                "False" => Some(Outcome::Failed),
                _ => None,
            }
        {
            outcomes.entry(name.to_owned()).or_default().push(outcome);
        }
        if let Some(sum) = line.strip_prefix("Boogie program verifier finished with ")
            && let Some((verified, errors)) = sum.split_once(" verified, ")
            && let Ok(verified) = verified.parse()
        {
            let mut all = vec![Outcome::Verified; verified];
            all.extend((errors != "0 errors").then_some(Outcome::Failed));
            outcomes.insert(String::new(), all);
            trouble = None;
        }
    }
    Said { trouble, outcomes, output: read::Boogie.without_noise(&run.stdout.text) }
}

/// Joins the files of a program.
pub fn in_one_file(files: &[FileText]) -> String {
    files.iter().map(|file| file.text.as_str()).collect::<Vec<_>>().join("\n")
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file())
}
