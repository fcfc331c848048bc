//! From a program to a settled verdict: runs the verifier, again where one run proves little,
//! and looks up what is known already.
//!
//! Knows nothing of mutants: a program is some files.

mod batch;
mod pace;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mugie_verifiers::problems::{Problem, problems};
use mugie_verifiers::read::without_noise;
use mugie_verifiers::supervise::Supervisor;
use mugie_verifiers::tap::{self, QueryRecord, Tap};
use mugie_verifiers::{Ending, Limits, Outcome, Run, Usage, Verdict, Verifier};
use tempfile::TempDir;

pub use batch::{Batching, CrossChecks, Difference};
pub use pace::Pace;

use crate::cache::{Cache, Entry, Key};

/// Bytes kept of what a verifier printed about a program that it did not verify.
const MAX_OUTPUT: usize = 256 << 10;

/// A program as a verifier gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files(
    /// Name and text of each file, in order.
    pub Vec<(String, String)>,
);

/// What is known of a program after as many runs as it took.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// What the verifier says.
    pub verdict: Verdict,
    /// What it printed, without noise, unless it verified the program.
    pub output: String,
    /// What each run used.
    pub usage: Vec<Usage>,
    /// Whether it was known already.
    pub cached: bool,
    /// Whether a run timed out, or ran out of memory, and a later one did not.
    pub unsteady: bool,
    /// What the solver was asked in the last run, if it was tapped.
    pub queries: Vec<QueryRecord>,
    /// Whether it was verified in a process with others.
    pub together: bool,
}

impl Settled {
    /// Processor time of the run that decided.
    pub fn seconds(&self) -> f64 {
        self.usage.last().map_or(0.0, |usage| usage.cpu.as_secs_f64())
    }

    /// Whether that time is what a run of the program alone takes.
    pub fn is_timed(&self) -> bool {
        !self.together && self.queries.iter().all(|query| !query.cached)
    }
}

/// Runs programs through one verifier.
pub struct Runner<'a> {
    verifier: &'a Verifier,
    identity: [u8; 32],
    supervisor: &'a Supervisor,
    limits: Limits,
    confirm: usize,
    cache: Option<&'a Cache>,
    tap: Option<Tap>,
    scratch: Arc<TempDir>,
    next: Arc<AtomicU64>,
    batching: Batching,
    cross_checks: Arc<Mutex<CrossChecks>>,
}

impl<'a> Runner<'a> {
    /// A runner with a folder of its own for files. A timeout counts if `confirm` more runs time
    /// out, too.
    pub fn new(
        verifier: &'a Verifier,
        supervisor: &'a Supervisor,
        limits: Limits,
        confirm: usize,
        cache: Option<&'a Cache>,
    ) -> io::Result<Runner<'a>> {
        let scratch = Arc::new(tempfile::Builder::new().prefix("mugie-").tempdir()?);
        let identity = verifier.identity();
        Ok(Runner {
            verifier,
            identity,
            supervisor,
            limits,
            confirm,
            cache,
            tap: None,
            scratch,
            next: Arc::new(AtomicU64::new(0)),
            batching: Batching::default(),
            cross_checks: Arc::default(),
        })
    }

    /// The runner, with another way to share processes.
    #[must_use]
    pub fn with_batching(self, batching: Batching) -> Runner<'a> {
        Runner { batching, ..self }
    }

    /// The same with a tap in the place of the solver, where the verifier allows that. The
    /// verdicts are the same.
    #[must_use]
    pub fn with_tap(self, tap: Tap) -> Runner<'a> {
        let tap = self.verifier.can_be_tapped().then_some(tap);
        Runner { tap, ..self }
    }

    /// Whether the solver is tapped.
    pub fn is_tapped(&self) -> bool {
        self.tap.is_some()
    }

    /// A runner of the same verifier in the same folder, with other limits or another cache.
    #[must_use]
    pub fn with(&self, limits: Limits, confirm: usize, cache: Option<&'a Cache>) -> Runner<'a> {
        let (scratch, next) = (Arc::clone(&self.scratch), Arc::clone(&self.next));
        let (tap, cross_checks) = (self.tap.clone(), Arc::clone(&self.cross_checks));
        Runner { limits, confirm, cache, tap, scratch, next, cross_checks, ..*self }
    }

    /// The verifier.
    pub fn verifier(&self) -> &'a Verifier {
        self.verifier
    }

    /// What verdicts depend on but for the program, as text.
    pub fn identity(&self) -> String {
        blake3::Hash::from_bytes(self.key(&Files(Vec::new()), 0)).to_hex().to_string()
    }

    /// The folder for the files of runs. It goes when the runner does.
    pub fn folder(&self) -> &Path {
        self.scratch.path()
    }

    /// What the verifier says of a program, or `None` if the run was cancelled. Another
    /// `repetition` is another question: its answer is found out by other runs, which are plain ones
    /// so that nothing is just repeated.
    pub fn settle(&self, files: &Files, repetition: u32) -> Option<Settled> {
        if repetition > 0 && self.is_tapped() {
            return self.plain(self.cache).settle(files, repetition);
        }
        let key = self.cache_key(files, repetition);
        if let Some(known) = self.known(&key) {
            return Some(known);
        }
        let mut settled = self.run(files)?;
        // Trouble with the tool may be gone the next time.
        if !settled.verdict.outcome.is_evidence() {
            settled = self.run_again(files, settled)?;
        }
        // A busy machine can make anything time out once: it counts if it happens every time.
        for _ in 0..self.confirm {
            if !settled.verdict.depends_on_machine() {
                break;
            }
            settled = self.run_again(files, settled)?;
        }
        if self.is_tapped() && self.is_to_be_compared(&key) {
            settled = self.cross_check(files, settled)?;
        }
        self.keep(&key, &settled);
        Some(settled)
    }

    /// The same without a tap, with this cache.
    fn plain(&self, cache: Option<&'a Cache>) -> Runner<'a> {
        Runner { tap: None, ..self.with(self.limits, self.confirm, cache) }
    }

    /// What the cache knows.
    fn known(&self, key: &Key) -> Option<Settled> {
        let Entry { verdict, output, usage, queries } = self.cache?.get(key)?;
        let (cached, unsteady, together) = (true, false, false);
        Some(Settled { verdict, output, usage, cached, unsteady, queries, together })
    }

    /// Adds to the cache what says something about the program.
    fn keep(&self, key: &Key, settled: &Settled) {
        if let Some(cache) = self.cache
            && settled.verdict.outcome.is_evidence()
        {
            let Settled { verdict, output, usage, queries, .. } = settled.clone();
            cache.put(key, &Entry { verdict, output, usage, queries });
        }
    }

    fn lock_cross_checks(&self) -> MutexGuard<'_, CrossChecks> {
        self.cross_checks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the verifier asks its solver about a program, procedure by procedure: what it writes
    /// down in one run. Empty if it wrote nothing; `None` if the run was cancelled.
    pub fn problems(&self, files: &Files) -> Option<Vec<Problem>> {
        let mut log = String::new();
        self.run_then(files, |folder| {
            let file = self.verifier.problem_file().map(|name| folder.join(name));
            let bytes = file.and_then(|file| fs::read(file).ok()).unwrap_or_default();
            log = String::from_utf8_lossy(&bytes).into_owned();
        })?;
        Some(problems(&log))
    }

    fn run_again(&self, files: &Files, before: Settled) -> Option<Settled> {
        let mut settled = self.run(files)?;
        settled.usage.splice(0..0, before.usage);
        let timed_out = before.unsteady || before.verdict.depends_on_machine();
        settled.unsteady = timed_out && !settled.verdict.depends_on_machine();
        Some(settled)
    }

    fn run(&self, files: &Files) -> Option<Settled> {
        self.run_then(files, |_| {})
    }

    /// Runs the verifier, and looks at the folder of the run before it goes.
    fn run_then(&self, files: &Files, then: impl FnOnce(&Path)) -> Option<Settled> {
        let folder = self.next_folder();
        let written = fs::create_dir(&folder).and_then(|()| write(&folder, files));
        let settled = match written {
            Ok(paths) => self.run_in(&folder, &paths),
            Err(error) => {
                let reason = format!("cannot write the program to {}: {error}", folder.display());
                let verdict = Verdict::of_program(Outcome::ToolError, reason);
                Some(Settled {
                    verdict,
                    output: String::new(),
                    usage: Vec::new(),
                    cached: false,
                    unsteady: false,
                    queries: Vec::new(),
                    together: false,
                })
            }
        };
        then(&folder);
        let _ = fs::remove_dir_all(&folder);
        settled
    }

    fn run_in(&self, folder: &Path, paths: &[PathBuf]) -> Option<Settled> {
        let tapped = self.tap.as_ref().and_then(|tap| {
            // Where there is no place for a tap, it does without.
            self.verifier.tapped_command_line(paths, folder, tap).ok()
        });
        let is_tapped = tapped.is_some();
        let command_line = tapped.unwrap_or_else(|| self.verifier.command_line(paths, folder));
        let run = self.supervisor.run(&command_line, &self.limits);
        if run.ending == Ending::Cancelled {
            return None;
        }
        let verdict = self.verifier.read(&run);
        let queries = is_tapped.then(|| tap::records(&tap::records_file(folder)));
        Some(Settled {
            output: output(&run, &verdict),
            verdict,
            usage: vec![run.usage],
            cached: false,
            unsteady: false,
            queries: queries.and_then(Result::ok).unwrap_or_default(),
            together: false,
        })
    }

    /// A folder for one run, which is not there yet.
    fn next_folder(&self) -> PathBuf {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.scratch.path().join(number.to_string())
    }

    /// The key of a program in the cache. Verdicts of tapped runs have keys of their own, for more
    /// is known of them.
    fn cache_key(&self, files: &Files, repetition: u32) -> Key {
        let key = self.key(files, repetition);
        match self.tap {
            None => key,
            Some(_) => blake3::derive_key("mugie 1 verdict of a tapped run", &key),
        }
    }

    /// A hash of all that the verdict depends on.
    fn key(&self, Files(files): &Files, repetition: u32) -> Key {
        let Limits { time, cpu, memory, output } = self.limits;
        let mut hasher = blake3::Hasher::new_derive_key("mugie 1 verdict of a program");
        // Another release may read the same output in another way.
        let release = *blake3::hash(env!("CARGO_PKG_VERSION").as_bytes()).as_bytes();
        hasher.update(&release).update(&self.identity);
        let numbers = [
            time.as_nanos(),
            cpu.map_or(u128::MAX, |cpu| cpu.as_nanos()),
            memory.map_or(u128::MAX, u128::from),
            output.into(),
            self.confirm as u128,
            repetition.into(),
        ];
        for number in numbers {
            hasher.update(&number.to_le_bytes());
        }
        for part in files.iter().flat_map(|(name, text)| [name, text]) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        *hasher.finalize().as_bytes()
    }
}

/// What is kept of what the verifier printed.
fn output(run: &Run, verdict: &Verdict) -> String {
    if verdict.outcome == Outcome::Verified {
        return String::new();
    }
    let mut output = without_noise(&run.stdout.text);
    if !run.stderr.text.is_empty() {
        output.push_str("--- standard error ---\n");
        output.push_str(&run.stderr.text);
    }
    output.truncate(output.floor_char_boundary(MAX_OUTPUT));
    output
}

/// Writes the files into a folder. Returns their paths, which are relative to it: so a
/// verifier's messages do not depend on where the folder is.
fn write(folder: &Path, Files(files): &Files) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::with_capacity(files.len());
    for (name, text) in files {
        fs::write(folder.join(name), text)?;
        paths.push(PathBuf::from(name));
    }
    Ok(paths)
}
