//! Set-up shared by all commands that run verifiers: interrupts, definitions, executors.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use mugie_core::{Language, LanguageOptions as ReadingOptions, escaped, hex};
use mugie_exec::{Cache, CrossChecks, Difference, Executor, ExecutorKind, Setup, StartedExecutor};
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

/// The default verifier, for a language that no verifier reads.
const USUAL_VERIFIER: &str = "boogie";

/// The folder with the solver's answers, inside a cache.
const ANSWERS: &str = "answers";

/// How long a command runs before images are made that let later runs start faster; raising it
/// spares short commands the work.
const WORTH_IT: Duration = Duration::from_secs(15);

/// The maximum number of differences that a message lists.
const NAMED: usize = 5;

/// The state of a command that runs verifiers.
pub(crate) struct Session<'s> {
    pub(crate) style: &'s Style,
    pub(crate) interrupts: Interrupts,
    pub(crate) registry: Registry,
    makers: Mutex<Vec<Maker>>,
}

/// A thread that makes Mono images in the background. Dropping it stops the thread and leaves no
/// incomplete image.
struct Maker {
    supervisor: Arc<Supervisor>,
    /// Dropped to stop the thread.
    goes_on: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Maker {
    /// Starts the thread, which waits for [`WORTH_IT`] before it makes images.
    fn start(images: Vec<Images>, supervisor: &Arc<Supervisor>) -> Maker {
        let (goes_on, end) = mpsc::channel();
        let making = Arc::clone(supervisor);
        let thread = thread::Builder::new().spawn(move || {
            if end.recv_timeout(WORTH_IT) == Err(RecvTimeoutError::Timeout) {
                // Images are optional: ignore failures.
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
            // The result of the thread is empty.
            let _ = thread.join();
        }
    }
}

/// Everything needed to run a verifier.
#[derive(Clone)]
pub(crate) struct Running<'r, 'c> {
    pub(crate) verifier: &'r Arc<Verifier>,
    pub(crate) supervisor: &'r Arc<Supervisor>,
    pub(crate) limits: Limits,
    pub(crate) confirm: usize,
    pub(crate) jobs: NonZeroUsize,
    pub(crate) cache: Option<&'c Cache>,
    /// The cache folder for the solver's answers, if they are to be reused by later commands.
    pub(crate) answers: Option<PathBuf>,
}

impl<'s> Session<'s> {
    /// Starts a session. From here on an interrupt ends the runs and prints `words`.
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

    /// Finds the verifier on this machine.
    pub(crate) fn verifier(&self, spec: &ToolSpec) -> Result<Arc<Verifier>, Trouble> {
        let verifier = spec.resolve(&self.registry)?;
        if let Some(file) = self.registry.borrowed(&spec.verifier) {
            let (file, program) = (file.display(), verifier.program().display());
            let words = format!("{} is defined by {file}: {program}", spec.verifier);
            output::talk(&format!("{}\n", escaped(&words)));
        }
        Ok(Arc::new(verifier))
    }

    /// The default verifier for a language: the one with the same name, or the first one that reads
    /// it.
    pub(crate) fn usual_verifier(&self, language: &dyn Language) -> String {
        let reads = |name: &&str| {
            let definition = self.registry.get(name);
            definition.is_some_and(|definition| definition.input == language.id())
        };
        let found = Some(language.usual_verifier())
            .filter(reads)
            .or_else(|| self.registry.names().find(reads));
        found.unwrap_or(USUAL_VERIFIER).to_owned()
    }

    /// The supervisor of verifier runs. Unless runs are to be `plain`, verifiers that run on Mono
    /// start faster: with images made earlier, or made in the background if the command takes long.
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

    /// Starts an executor with the speed-ups that the user allows. The solver's answers are cached
    /// next to the verdicts.
    pub(crate) fn executor<'c>(
        &self,
        running: &Running<'_, 'c>,
        speed: &SpeedArgs,
    ) -> Result<StartedExecutor<'c>, Trouble> {
        let kinds = parts().executors;
        let kind = match &speed.executor {
            None => kinds.first(),
            Some(name) => kinds.iter().find(|kind| kind.id() == name),
        };
        let kind = kind.ok_or_else(|| {
            let names: Vec<&str> = kinds.iter().map(|kind| kind.id()).collect();
            Trouble::new("unknown executor").help(there_are(&names))
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
                "cannot put a proxy in front of the solver: {error}; answers are not reused and \
                 the solver's work is not measured; set TMPDIR to a directory where programs may \
                 be executed"
            );
            output::talk(&self.style.warning(&words));
        }
        Ok(started)
    }

    /// Starts an executor without any speed-up.
    pub(crate) fn plain_executor<'c>(
        &self,
        running: &Running<'_, 'c>,
    ) -> Result<Box<dyn Executor + 'c>, Trouble> {
        Ok(self.begin(mugie_exec::LOCAL, setup(running))?.executor)
    }

    /// Starts an executor with the usual speed-ups on this machine, which knows no earlier answers.
    pub(crate) fn fresh_executor<'c>(
        &self,
        running: &Running<'_, 'c>,
    ) -> Result<Box<dyn Executor + 'c>, Trouble> {
        let setup = Setup { plain: false, ..setup(running) };
        Ok(self.begin(mugie_exec::LOCAL, setup)?.executor)
    }

    fn begin<'c>(
        &self,
        kind: &dyn ExecutorKind,
        setup: Setup<'c>,
    ) -> Result<StartedExecutor<'c>, Trouble> {
        let started = kind.start(setup).map_err(|error| {
            Trouble::new(format!("cannot create a folder for temporary files: {error}"))
                .help("set TMPDIR to a writable directory with free space")
        })?;
        self.interrupts.remove_at_end(&started.folder);
        Ok(started)
    }
}

/// How programs are read for a verifier: options that are not given are the verifier's.
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

/// Loads all definitions of verifiers. An interrupt ends programs that are being asked for their
/// version.
pub(crate) fn registry(interrupts: &Interrupts) -> Result<Registry, Trouble> {
    let environment = Environment { interrupted: interrupts.flag(), ..Environment::of_process() };
    Ok(Registry::load_with(environment, parts().verifiers)?)
}

/// The record of a verifier, for `result.json`.
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

/// The arguments of `mugie translate` that make what a verifier reads, if that is no language of seeds.
pub(crate) fn translate_words(verifier: &Verifier) -> Option<Vec<String>> {
    if languages().find(verifier.input()).is_some() {
        return None;
    }
    let options = verifier.options();
    let program = options.program.as_ref().map(|program| program.display().to_string());
    let number = |number: Option<u64>| number.map(|number| number.to_string());
    let values = [
        ("--verifier", Some(verifier.named().to_owned())),
        ("--solver", options.solver.clone()),
        ("--program", program),
        ("--profile", options.profile.clone()),
        ("--solver-seed", number(options.random_seed)),
        ("--rlimit", number(options.resource_limit)),
        ("--procedure-time-limit", number(options.procedure_seconds)),
    ];
    let given = values.into_iter().filter_map(|(option, value)| Some([option.to_owned(), value?]));
    let more = options.arguments.iter().map(|argument| ["--arg".to_owned(), argument.clone()]);
    Some(given.chain(more).flatten().collect())
}

/// Warns of seeds whose mutants could not share processes.
pub(crate) fn report_unshared(style: &Style, seeds: usize) {
    if seeds > 0 {
        output::talk(&style.warning(&format!(
            "the mutants of {seeds} {} had processes of their own, because a process of several mutants \
             told the solver something else than a process of one",
            plural(seeds, "seed")
        )));
    }
}

/// Reports the comparison with plain runs. A difference is a bug in mugie.
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
        "{number} of {compared} {} DIFFER from those of plain runs; the plain ones count; please use \
         --plain and report this bug: {}",
        plural(*compared, "verdict"),
        words.join("; ")
    );
    output::talk(&style.warning(&words));
}
