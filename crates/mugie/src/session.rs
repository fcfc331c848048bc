//! The start of every command that runs verifiers: interrupts, definitions, executors.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use mugie_core::{Language, Options as ReadingOptions, escaped, hex};
use mugie_exec::{Cache, CrossChecks, Difference, Executor, Kind, Setup, Started};
use mugie_experiment::sources::Reading;
use mugie_results::result::{SolverInfo, VerifierInfo};
use mugie_verifiers::claim;
use mugie_verifiers::images::Images;
use mugie_verifiers::supervise::{Keeper, Supervisor};
use mugie_verifiers::{Environment, Limits, Registry, Verifier};

use crate::args::{SpeedArgs, TrustArgs};
use crate::interrupt::Interrupts;
use crate::messages::{Style, Trouble, plural, there_are};
use crate::parts::{languages, parts};
use crate::tool_spec::ToolSpec;
use crate::{cache, output};

/// The verifier that is meant if there is none for a language.
const USUAL_VERIFIER: &str = "boogie";

/// The folder of the solver's answers in a cache.
const ANSWERS: &str = "answers";

/// When runs take longer than this, it is worth to make later ones start quicker.
const WORTH_IT: Duration = Duration::from_secs(15);

/// Differences that are named.
const NAMED: usize = 5;

/// A command that runs verifiers.
pub(crate) struct Session<'s> {
    pub(crate) style: &'s Style,
    pub(crate) interrupts: Interrupts,
    pub(crate) registry: Registry,
    makers: Mutex<Vec<Maker>>,
}

/// Who makes images in the background. It ends when it is dropped, and leaves nothing half made.
struct Maker {
    supervisor: Arc<Supervisor>,
    /// Until the end.
    goes_on: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Maker {
    /// Begins when runs take so long that it is worth it.
    fn start(images: Vec<Images>, supervisor: &Arc<Supervisor>) -> Maker {
        let (goes_on, end) = mpsc::channel();
        let making = Arc::clone(supervisor);
        let thread = thread::Builder::new().spawn(move || {
            if end.recv_timeout(WORTH_IT) == Err(RecvTimeoutError::Timeout) {
                // What cannot be made is done without.
                let _ = images.iter().try_for_each(|images| images.make(&making));
            }
        });
        let supervisor = Arc::clone(supervisor);
        Maker { supervisor, goes_on: Some(goes_on), thread: thread.ok() }
    }
}

impl Drop for Maker {
    fn drop(&mut self) {
        drop(self.goes_on.take());
        self.supervisor.cancel();
        if let Some(thread) = self.thread.take() {
            // It has nothing to say.
            let _ = thread.join();
        }
    }
}

/// What runs of a verifier are made with.
#[derive(Clone)]
pub(crate) struct Running<'r, 'c> {
    pub(crate) verifier: &'r Arc<Verifier>,
    pub(crate) supervisor: &'r Arc<Supervisor>,
    pub(crate) limits: Limits,
    pub(crate) confirm: usize,
    pub(crate) jobs: NonZeroUsize,
    pub(crate) cache: Option<&'c Cache>,
    /// The folder of a cache for answers of the solver, if they are to outlive the runs.
    pub(crate) answers: Option<PathBuf>,
}

impl<'s> Session<'s> {
    /// Starts one. From here on an interrupt ends runs, with these words.
    pub(crate) fn start(
        style: &'s Style,
        words: &str,
        trust: TrustArgs,
    ) -> Result<Session<'s>, Trouble> {
        let interrupts = Interrupts::watch(words)?;
        let mut registry = registry(&interrupts)?;
        if trust.trust {
            registry.trust_everything();
        }
        Ok(Session { style, interrupts, registry, makers: Mutex::default() })
    }

    /// The verifier that is meant, on this machine.
    pub(crate) fn verifier(&self, spec: &ToolSpec) -> Result<Arc<Verifier>, Trouble> {
        let verifier = spec.resolve(&self.registry)?;
        if let Some(file) = self.registry.borrowed(&spec.verifier) {
            let (file, program) = (file.display(), verifier.program().display());
            let words = format!("{} is what {file} says: {program}", spec.verifier);
            output::talk(&format!("{}\n", escaped(&words)));
        }
        Ok(Arc::new(verifier))
    }

    /// The verifier that is meant for programs of a language if nothing is said: the one of the same
    /// name, or the first one that reads it.
    pub(crate) fn usual_verifier(&self, language: &dyn Language) -> String {
        let reads = |name: &&str| {
            let definition = self.registry.get(name);
            definition.is_some_and(|definition| definition.input == language.id())
        };
        let found = Some(language.id()).filter(reads).or_else(|| self.registry.names().find(reads));
        found.unwrap_or(USUAL_VERIFIER).to_owned()
    }

    /// What watches runs of verifiers. Unless runs are to be `plain`, those that Mono runs start
    /// quicker: with images that were made beforehand, or are made now if the runs take long.
    pub(crate) fn supervisor<'v>(
        &self,
        verifiers: impl IntoIterator<Item = &'v Arc<Verifier>>,
        plain: bool,
    ) -> Arc<Supervisor> {
        let cache = cache::trusted_folder().filter(|_| !plain);
        cache.as_deref().inspect(|folder| Images::sweep(folder));
        let images = |it: &Arc<Verifier>| Images::new(it.program(), cache.as_deref()?);
        let mut images: Vec<Images> = verifiers.into_iter().filter_map(images).collect();
        images.dedup();
        let environment = Images::environment(&images).into_iter().collect();
        let keeper = Keeper { environment, ..Keeper::this_program() };
        let supervisor = Arc::new(Supervisor::new(keeper));
        self.interrupts.end_runs_of(&supervisor);
        if !images.iter().all(Images::are_made) {
            let mut makers = self.makers.lock().unwrap_or_else(PoisonError::into_inner);
            makers.push(Maker::start(images, &supervisor));
        }
        supervisor
    }

    /// Runs that are made fast, as far as is wanted. Answers of the solver are kept with verdicts.
    pub(crate) fn executor<'c>(
        &self,
        running: &Running<'_, 'c>,
        speed: &SpeedArgs,
    ) -> Result<Started<'c>, Trouble> {
        let kinds = parts().executors;
        let kind = match &speed.executor {
            None => kinds.first(),
            Some(name) => kinds.iter().find(|kind| kind.id() == name),
        };
        let kind = kind.ok_or_else(|| {
            let names: Vec<&str> = kinds.iter().map(|kind| kind.id()).collect();
            Trouble::new("there is no such executor").help(there_are(&names))
        })?;
        let answers = running.answers.as_ref().map(|folder| folder.join(ANSWERS));
        if let Some(answers) = &answers {
            claim::sweep_once(answers, claim::DRAFT);
        }
        let setup =
            Setup { answers, plain: speed.plain, cross_check: speed.cross_check, ..setup(running) };
        let started = self.begin(*kind, setup)?;
        if let Some(error) = &started.trouble {
            let words = format!(
                "the solver is asked everything anew, and its work is not told, as it cannot be \
                 tapped: {error}; set TMPDIR to a directory that may have programs in it"
            );
            output::talk(&self.style.warning(&words));
        }
        Ok(started)
    }

    /// Plain runs.
    pub(crate) fn plain_executor<'c>(
        &self,
        running: &Running<'_, 'c>,
    ) -> Result<Box<dyn Executor + 'c>, Trouble> {
        Ok(self.begin(mugie_exec::LOCAL, setup(running))?.executor)
    }

    fn begin<'c>(&self, kind: &dyn Kind, setup: Setup<'c>) -> Result<Started<'c>, Trouble> {
        let started = kind.start(setup).map_err(|error| {
            Trouble::new(format!("cannot make a folder for temporary files: {error}"))
                .help("set TMPDIR to a directory with room for some files")
        })?;
        self.interrupts.remove_at_end(&started.folder);
        Ok(started)
    }
}

/// How programs are read for a verifier: where nothing is said, as the verifier will take them.
pub(crate) fn reading(options: &ReadingOptions, verifier: &Verifier) -> Reading {
    let options = options.clone().or(&verifier.reading);
    Reading { languages: languages(), usual: verifier.input().to_owned(), options }
}

fn setup<'c>(running: &Running<'_, 'c>) -> Setup<'c> {
    Setup {
        verifier: Arc::clone(running.verifier),
        supervisor: Arc::clone(running.supervisor),
        limits: running.limits,
        confirm: running.confirm,
        capacity: running.jobs,
        translators: parts().translators,
        plain: true,
        cross_check: 0.0,
        answers: None,
        cache: running.cache,
    }
}

/// All definitions of verifiers. Programs that are asked for their versions end with an interrupt.
pub(crate) fn registry(interrupts: &Interrupts) -> Result<Registry, Trouble> {
    let environment = Environment { interrupted: interrupts.flag(), ..Environment::of_process() };
    Ok(Registry::load_with(environment, parts().verifiers)?)
}

/// What the record says of a verifier.
pub(crate) fn info(verifier: &Verifier, spec: &ToolSpec) -> VerifierInfo {
    VerifierInfo {
        name: verifier.name.clone(),
        title: verifier.title.clone(),
        program: verifier.program().display().to_string(),
        version: verifier.version().map(ToString::to_string),
        solver: verifier.solver.as_ref().map(|solver| SolverInfo {
            name: solver.name.clone(),
            program: solver.tool.path.display().to_string(),
            version: solver.tool.version.as_ref().map(ToString::to_string),
        }),
        command: verifier.command_words(),
        identity: hex(&verifier.identity()),
        options: spec.to_record(),
    }
}

/// Says what the comparison with plain runs brought. A difference is a defect.
pub(crate) fn report_checks(style: &Style, checks: &CrossChecks) {
    let CrossChecks { compared, differences } = checks;
    let number = differences.len();
    if number == 0 {
        output::talk(&format!(
            "{compared} {} compared with plain runs: no difference\n",
            plural(*compared, "verdict")
        ));
        return;
    }
    let named = differences.iter().take(NAMED).map(|Difference { file, fast, plain }| {
        format!("{file} is {fast} in a fast run, {plain} in a plain one")
    });
    let mut words: Vec<String> = named.collect();
    if number > NAMED {
        words.push(format!("{} more", number - NAMED));
    }
    let words = format!(
        "{number} of {compared} {} compared with plain runs DIFFER; those of plain runs count, but \
         use --plain and report this: {}",
        plural(*compared, "verdict"),
        words.join("; ")
    );
    output::talk(&style.warning(&words));
}
