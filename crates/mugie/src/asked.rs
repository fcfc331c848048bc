//! Runs a verifier with a tap that keeps the text of every query.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use mugie_core::{Files, Instances, LanguageOptions, Outcome, Program, SourceText, hex};
use mugie_exec::{Executor, Local, Request, Settled, TapError};
use mugie_verifiers::supervise::{SHARED, Supervisor};
use mugie_verifiers::tap::{Form, Queries, QueryRecord, Tap};
use mugie_verifiers::{Limits, Problem, Verifier, input};

use crate::messages::Trouble;
use crate::parts;
use crate::recorded::MAX_RECORD;
use crate::session::Session;

/// An executor that keeps queries.
pub(crate) struct Asking {
    verifier: Arc<Verifier>,
    local: Local,
    folder: PathBuf,
}

/// Why queries cannot be kept.
pub(crate) enum NotAsking {
    /// No tap can take the place of the solver.
    Tap(TapError),
    /// Anything else.
    Trouble(Trouble),
}

/// What the verifier asked the solver about a program.
pub(crate) struct Asked {
    /// The result, by the names of goals.
    pub(crate) settled: Settled,
    /// The program, if it can be read.
    pub(crate) program: Option<Arc<dyn Program>>,
}

impl Asked {
    /// The instances in which goals of the program are reported.
    pub(crate) fn instances(&self) -> Instances {
        self.program.as_ref().map(|program| program.instances()).unwrap_or_default()
    }
}

impl Asking {
    /// An executor for a verifier, which keeps queries in the given form.
    pub(crate) fn new(
        session: &Session<'_>,
        verifier: &Arc<Verifier>,
        supervisor: Arc<Supervisor>,
        limits: Limits,
        form: Form,
    ) -> Result<Asking, NotAsking> {
        let local = Local::new(Arc::clone(verifier), supervisor, limits, 0, NonZeroUsize::MIN)
            .map_err(|error| {
                let words = format!("cannot create a temporary folder: {error}");
                NotAsking::Trouble(Trouble::new(words))
            })?;
        session.interrupts.remove_at_end(local.folder());
        let folder = local.folder().join(SHARED);
        let queries = Some(Queries { folder: folder.clone(), form });
        let tap = Tap { queries, ..Tap::this_program(None) };
        let local = local.with_translators(parts::parts().translators);
        let local = local.with_tap(tap).map_err(NotAsking::Tap)?;
        Ok(Asking { verifier: Arc::clone(verifier), local, folder })
    }

    /// Verifies a program. `None` if cancelled.
    pub(crate) fn ask(&self, language: &str, files: &Files) -> Option<Asked> {
        let executor: &dyn Executor = &self.local;
        let settled = executor.settle(Request::new(language, files.clone()))?;
        let program = read_program(language, files, &self.verifier.reading);
        let mut asked = Asked { settled, program };
        let instances = asked.instances();
        asked.settled = asked.settled.of_goals(&instances);
        Some(asked)
    }

    /// The text of a query.
    pub(crate) fn text(&self, query: &QueryRecord) -> io::Result<String> {
        input::read_to_string(&query.file_in(&self.folder), MAX_RECORD)
    }

    /// The problems of all goals. `None` if any of them cannot be read.
    pub(crate) fn problems(&self, asked: &Asked) -> Option<Vec<Problem>> {
        let deciding = asked.settled.queries.iter().filter(|query| query.number == 0);
        let problems = deciding.map(|query| {
            let problem = self.verifier.problems(&self.text(query).ok()?).into_iter().next()?;
            Some(problem.of_goal(query.goal.clone()))
        });
        problems.collect()
    }
}

/// What a verifier asks the solver about a program, from a log: the texts of the queries, and what came of them.
pub(crate) struct LoggedQueries {
    pub(crate) asked: Asked,
    /// The text of each query, by its fingerprint.
    pub(crate) texts: BTreeMap<String, String>,
}

impl LoggedQueries {
    /// Verifies a program with one executor, and has another one log the queries. `None` if cancelled.
    pub(crate) fn new(
        (executor, logging): (&dyn Executor, &dyn Executor),
        verifier: &Verifier,
        language: &str,
        files: &Files,
    ) -> Option<LoggedQueries> {
        let settled = executor.settle(Request::new(language, files.clone()))?;
        let left = logging.artifacts(language, files)?;
        let mut texts = BTreeMap::new();
        let mut queries = Vec::new();
        for artifact in left {
            let Some(problem) = verifier.problems(&artifact.text).into_iter().next() else {
                continue;
            };
            let fingerprint = hex(&problem.fingerprint());
            let goal = settled.verdict.procedures.iter();
            let goal = goal.clone().find(|goal| Some(&goal.name) == artifact.goal.as_ref());
            queries.push(QueryRecord {
                answer: goal.map_or("unknown", |goal| answer(goal.outcome)).to_owned(),
                resources: goal.and_then(|goal| goal.resources),
                goal: artifact.goal,
                fingerprint: fingerprint.clone(),
                ..QueryRecord::default()
            });
            texts.insert(fingerprint, artifact.text);
        }
        let program = read_program(language, files, &verifier.reading);
        let settled = Settled { queries, ..settled };
        Some(LoggedQueries { asked: Asked { settled, program }, texts })
    }
}

/// The answer of the solver behind the outcome of a goal: a verifier proves a goal by refuting its negation.
fn answer(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Verified => "unsat",
        _ => "unknown",
    }
}

/// The program in these files, if it can be read. A verifier may accept more than mugie does.
fn read_program(
    language: &str,
    files: &Files,
    options: &LanguageOptions,
) -> Option<Arc<dyn Program>> {
    let language = parts::languages().find(language)?;
    let files = files
        .0
        .iter()
        .map(|(name, text)| SourceText { name: name.clone(), bytes: text.clone().into_bytes() });
    let seed = language.read(files.collect(), options).ok()?;
    Some(Arc::clone(seed.program()))
}
