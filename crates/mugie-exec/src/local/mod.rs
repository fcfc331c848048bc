//! Runs verifiers on this machine: repeatedly where one run is not conclusive, and on several
//! programs in one process where that is sound.

mod program;
mod shared;
mod trust;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mugie_core::{Artifact, Files, Outcome, Sharing, Translator, Verdict};
use mugie_verifiers::claim::Folder;
use mugie_verifiers::supervise::{SHARED, Supervisor};
use mugie_verifiers::tap::{self, Tap};
use mugie_verifiers::{Ending, Limits, Run, Usage, Verifier, input};

use crate::{Executor, Key, OnSettled, Request, Settled, TimeoutPolicy};
use program::{Input, Program, Raw, Remembered};
use trust::{Trust, TrustState};

/// Maximum size of a log of solver queries in bytes.
const MAX_PROBLEMS: u64 = 4 << 30;

/// Bytes kept of the output about a program that did not verify.
const MAX_OUTPUT: usize = 256 << 10;

/// Multiple of the usual time that a run with a lowered limit may take; raising it makes runs
/// slower that time out.
const PATIENCE: u32 = 4;

/// Time that a run with a lowered limit may always take.
const SHORTEST: Duration = Duration::from_secs(4);

/// Runs one verifier on this machine.
#[derive(Clone)]
pub struct Local {
    verifier: Arc<Verifier>,
    identity: [u8; 32],
    supervisor: Arc<Supervisor>,
    limits: Limits,
    confirm: usize,
    capacity: NonZeroUsize,
    translators: &'static [&'static dyn Translator],
    /// Whether every program gets a process of its own, even if the verifier supports shared ones.
    plain: bool,
    tap: Option<Tap>,
    trust: Arc<Trust>,
    remembered: Arc<Remembered>,
    scratch: Arc<Folder>,
    next: Arc<AtomicU64>,
}

/// Why the solver of a verifier cannot be tapped.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct TapError(#[from] io::Error);

/// The limits of a run, and the number of further runs that must confirm a timeout.
#[derive(Clone, Copy)]
struct Bounds {
    limits: Limits,
    confirm: usize,
}

impl Local {
    /// An executor of plain runs, with a folder of its own for files. A timeout counts if `confirm`
    /// more runs time out as well.
    pub fn new(
        verifier: Arc<Verifier>,
        supervisor: Arc<Supervisor>,
        limits: Limits,
        confirm: usize,
        capacity: NonZeroUsize,
    ) -> io::Result<Local> {
        let scratch = Arc::new(Folder::for_runs()?);
        let identity = verifier.identity();
        Ok(Local {
            verifier,
            identity,
            supervisor,
            limits,
            confirm,
            capacity,
            translators: &[],
            plain: true,
            tap: None,
            trust: Arc::default(),
            remembered: Arc::default(),
            scratch,
            next: Arc::new(AtomicU64::new(0)),
        })
    }

    /// Adds translators, for programs in all languages that they read.
    #[must_use]
    pub fn with_translators(self, translators: &'static [&'static dyn Translator]) -> Local {
        Local { translators, ..self }
    }

    /// Allows several programs in one process, where the verifier supports that. The verdicts are
    /// the same.
    #[must_use]
    pub fn with_shared_processes(self) -> Local {
        Local { plain: false, ..self }
    }

    /// Puts a tap in place of the solver, where the verifier supports that. The verdicts are the
    /// same. Answers of the solver are cached in `folder`, or by default beside the files of the
    /// runs.
    pub fn with_answers(self, folder: Option<PathBuf>) -> Result<Local, TapError> {
        let folder = folder.unwrap_or_else(|| self.folder().join(SHARED));
        if !self.verifier.can_be_tapped() {
            return Ok(self);
        }
        self.with_tap(Tap::this_program(Some(folder)))
    }

    /// Puts this tap in place of the solver.
    pub fn with_tap(self, tap: Tap) -> Result<Local, TapError> {
        self.verifier.try_tap(self.folder(), &tap)?;
        Ok(Local { tap: Some(tap), ..self })
    }

    /// The executor without anything that accelerates runs.
    #[must_use]
    pub fn plain(&self) -> Local {
        Local { plain: true, tap: None, ..self.clone() }
    }

    /// Whether the solver is tapped.
    pub fn is_tapped(&self) -> bool {
        self.tap.is_some()
    }

    /// The verifier.
    pub fn verifier(&self) -> &Arc<Verifier> {
        &self.verifier
    }

    /// The folder for the files of runs, which is removed when this is dropped.
    pub fn folder(&self) -> &Path {
        self.scratch.path()
    }

    /// The bounds for a request.
    fn bounds(&self, timeouts: TimeoutPolicy) -> Bounds {
        let within = |usual, confirm| {
            let time = quick_limit(usual).min(self.limits.time);
            Bounds { limits: Limits { time, ..self.limits }, confirm }
        };
        match timeouts {
            TimeoutPolicy::Quick(usual) => within(usual, 0),
            TimeoutPolicy::Lowered(usual) => within(usual, self.confirm),
            TimeoutPolicy::Usual | TimeoutPolicy::Fresh => {
                Bounds { limits: self.limits, confirm: self.confirm }
            }
        }
    }

    /// Whether a program may share a process with others of its class.
    fn may_share(&self, Program { request, input }: &Program<'_>) -> bool {
        self.can_share()
            && request.is_usual()
            && input.is_ok()
            && self.verifier.batch().is_some_and(|batch| batch.is_for(&request.sharing))
            && self.trust.state(request) != TrustState::Withdrawn
    }

    /// The tap for a request; confirming runs have none.
    fn tap_for(&self, request: &Request) -> Option<&Tap> {
        self.tap.as_ref().filter(|_| request.is_usual())
    }

    /// Settles the verdict on a program in runs of its own. `None` if they were cancelled.
    fn settle_alone(&self, program: &Program<'_>) -> Option<Settled> {
        if let Some(known) = self.known(program) {
            return Some(known);
        }
        let bounds = self.bounds(program.request.timeouts);
        let mut settled = self.run(program, &bounds)?;
        // A tool error may disappear in a second run.
        if settled.verdict.outcome.may_go_away() {
            settled = self.run_again(program, &bounds, settled)?;
        }
        // A busy machine can make anything time out once: a timeout counts if it is confirmed every
        // time.
        for _ in 0..bounds.confirm {
            if !settled.verdict.depends_on_machine() {
                break;
            }
            settled = self.run_again(program, &bounds, settled)?;
        }
        Some(settled)
    }

    fn run_again(
        &self,
        program: &Program<'_>,
        bounds: &Bounds,
        before: Settled,
    ) -> Option<Settled> {
        let mut settled = self.run(program, bounds)?;
        let last = before.usage.last().copied();
        settled.usage.splice(0..0, before.usage);
        settled.unsteady = is_flaky(before.unsteady, &before.verdict, last, &settled.verdict);
        Some(settled)
    }

    fn run(&self, program: &Program<'_>, bounds: &Bounds) -> Option<Settled> {
        let Program { request, input } = program;
        let input = match input {
            Ok(input) => input,
            Err(verdict) => {
                return Some(Settled::of_run(verdict.clone(), String::new(), Vec::new()));
            }
        };
        let tap = self.tap_for(request);
        let folder = match &request.folder {
            Some(name) => self.scratch.path().join(mugie_core::bare_name(name)),
            None => self.next_folder(),
        };
        let mut keep = |raw: &Raw| self.remember(program, raw);
        self.run_then(input, bounds, tap, &mut keep, (&folder, &mut |_| {}))
    }

    /// Runs the verifier in a new folder, and calls `then` on the folder before it is removed.
    fn run_then(
        &self,
        input: &Input<'_>,
        bounds: &Bounds,
        tap: Option<&Tap>,
        keep: &mut dyn FnMut(&Raw),
        (folder, then): (&Path, &mut dyn FnMut(&Path)),
    ) -> Option<Settled> {
        let written = fs::create_dir(folder).and_then(|()| self.write(folder, input.files()));
        let settled = match written {
            Ok(paths) => self.run_in(folder, &paths, input, bounds, tap, keep),
            Err(error) => {
                let reason = format!("cannot write the program to {}: {error}", folder.display());
                let verdict = Verdict::of_program(Outcome::ToolError, reason);
                Some(Settled::of_run(verdict, String::new(), Vec::new()))
            }
        };
        then(folder);
        let _ = fs::remove_dir_all(folder);
        settled
    }

    fn run_in(
        &self,
        folder: &Path,
        paths: &[PathBuf],
        input: &Input<'_>,
        bounds: &Bounds,
        tap: Option<&Tap>,
        keep: &mut dyn FnMut(&Raw),
    ) -> Option<Settled> {
        let tapped = tap.and_then(|tap| {
            // If no tap can be installed, runs without one.
            self.verifier.tapped_command_line(paths, folder, tap).ok()
        });
        let is_tapped = tapped.is_some();
        let command_line = tapped.unwrap_or_else(|| self.verifier.command_line(paths, folder));
        let run = self.supervisor.run(&command_line, &bounds.limits);
        if run.ending == Ending::Cancelled {
            return None;
        }
        let verdict = self.verifier.with_details(self.verifier.read(&run), folder);
        let queries = is_tapped.then(|| tap::records(&tap::records_file(folder)));
        let mut queries = queries.and_then(Result::ok).unwrap_or_default();
        self.verifier.assign_goals(&mut queries, &verdict);
        let verdict = self.verifier.with_answers(verdict, &queries);
        let verdict = self.with_places(verdict, &run, folder, paths, bounds)?;
        let raw = Raw::new(verdict, &run, String::new());
        let output = self.output(&run, &raw.verdict);
        let raw = Raw { output, ..raw };
        keep(&raw);
        let Raw { verdict, output, .. } = raw;
        let verdict = input.original(&self.verifier, &run, verdict);
        Some(Settled {
            queries,
            fast: is_tapped,
            text: input.text().map(str::to_owned),
            ..Settled::of_run(verdict, output, vec![run.usage])
        })
    }

    /// The verdict with the places of its failures, if it takes a second run to find them. That run may take as long as a
    /// program that was expected to take the time of the first one. `None` if it was cancelled.
    fn with_places(
        &self,
        verdict: Verdict,
        run: &Run,
        folder: &Path,
        paths: &[PathBuf],
        bounds: &Bounds,
    ) -> Option<Verdict> {
        if let Some(line) = self.verifier.locating_command_line(&verdict, paths, folder) {
            let time = quick_limit(run.usage.cpu).min(bounds.limits.time);
            let second = self.supervisor.run(&line, &Limits { time, ..bounds.limits });
            if second.ending == Ending::Cancelled {
                return None;
            }
            return Some(self.verifier.with_places(verdict, &second));
        }
        Some(verdict)
    }

    /// Writes a program into a folder, with the files that the verifier reads besides. Returns the paths of the program.
    fn write(&self, folder: &Path, files: &Files) -> io::Result<Vec<PathBuf>> {
        for (name, text) in self.verifier.own_files() {
            if files.0.iter().any(|(file, _)| file == name) {
                let words = format!("the verifier has a file `{name}` of its own");
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, words));
            }
            fs::write(folder.join(name), text)?;
        }
        write(folder, files)
    }

    /// The path of a new folder for one run, which does not exist yet.
    fn next_folder(&self) -> PathBuf {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.scratch.path().join(number.to_string())
    }

    /// The part of the output that is kept.
    fn output(&self, run: &Run, verdict: &Verdict) -> String {
        if verdict.outcome == Outcome::Verified {
            return String::new();
        }
        let mut output = self.verifier.without_noise(&run.stdout.text);
        if !run.stderr.text.is_empty() {
            output.push_str("--- standard error ---\n");
            output.push_str(&run.stderr.text);
        }
        output.truncate(output.floor_char_boundary(MAX_OUTPUT));
        output
    }

    /// A hash of everything that a verdict depends on, except for what accelerates runs.
    fn plain_key(&self, bounds: &Bounds, language: &str, repetition: u32, files: &Files) -> Key {
        // The limit on processes does not matter: a run that exceeds it has no verdict that could
        // be cached.
        let Limits { time, cpu, memory, output, processes: _ } = bounds.limits;
        let mut hasher = blake3::Hasher::new_derive_key("mugie 1 verdict of a program");
        // Another release may read the same output differently.
        let release = *blake3::hash(env!("CARGO_PKG_VERSION").as_bytes()).as_bytes();
        hasher.update(&release).update(&self.identity);
        let numbers = [
            time.as_nanos(),
            cpu.map_or(u128::MAX, |cpu| cpu.as_nanos()),
            memory.map_or(u128::MAX, u128::from),
            output.into(),
            bounds.confirm as u128,
            repetition.into(),
        ];
        for number in numbers {
            hasher.update(&number.to_le_bytes());
        }
        let input = self.verifier.input();
        // The translation that is used, if any; all possible ones, if there is no program.
        let used = |it: &&&'static dyn Translator| {
            it.to() == input && (it.from() == language || files.0.is_empty())
        };
        for translator in self.translators.iter().filter(used) {
            for part in [translator.from(), input, translator.version()] {
                hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
            }
        }
        for part in files.0.iter().flat_map(|(name, text)| [name, text]) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        *hasher.finalize().as_bytes()
    }
}

impl Executor for Local {
    fn identity(&self) -> String {
        let bounds = Bounds { limits: self.limits, confirm: self.confirm };
        let key = self.plain_key(&bounds, self.verifier.input(), 0, &Files::default());
        mugie_core::hex(&key)
    }

    fn key(&self, request: &Request) -> Key {
        let Request { language, files, repetition, timeouts, .. } = request;
        let key = self.plain_key(&self.bounds(*timeouts), language, *repetition, files);
        match self.tap_for(request) {
            None => key,
            // Entries of tapped runs also contain queries.
            Some(_) => blake3::derive_key("mugie 1 verdict of a tapped run", &key),
        }
    }

    fn capacity(&self) -> usize {
        self.capacity.get()
    }

    fn can_share(&self) -> bool {
        let batch = self.verifier.batch();
        !self.plain && batch.is_some_and(|batch| self.tap.is_some() || !batch.needs_tap())
    }

    fn verify(&self, requests: &[Request], each: OnSettled<'_>) {
        let programs: Vec<Program<'_>> =
            requests.iter().map(|request| self.program(request)).collect();
        let mut classes: BTreeMap<Option<&Sharing>, Vec<usize>> = BTreeMap::new();
        // Programs with the text of another one wait for its result.
        let mut texts = BTreeSet::new();
        let mut later = Vec::new();
        for (place, program) in programs.iter().enumerate() {
            let text = program.input.as_ref().ok().and_then(Input::text);
            if program.request.is_usual() && text.is_some_and(|text| !texts.insert(text)) {
                later.push(place);
                continue;
            }
            if let Some(known) = self.known(program) {
                if each(place, known).is_break() {
                    return;
                }
                continue;
            }
            let class = self.may_share(program).then_some(&program.request.sharing);
            classes.entry(class).or_default().push(place);
        }
        let alone = |places: &[usize], each: OnSettled<'_>| {
            places.iter().try_for_each(|&place| {
                let settled = self.settle_alone(&programs[place]);
                settled.map_or(ControlFlow::Break(()), |settled| each(place, settled))
            })
        };
        for (class, places) in classes {
            let flow = match class {
                Some(_) if places.len() > 1 => self.settle_together(&programs, &places, each),
                _ => alone(&places, each),
            };
            if flow.is_break() {
                return;
            }
        }
        // A break does not matter, since these are the last.
        let _ = alone(&later, each);
    }

    fn artifacts(&self, language: &str, files: &Files) -> Option<Vec<Artifact>> {
        let bounds = Bounds { limits: self.limits, confirm: 0 };
        let mut left = Vec::new();
        let Ok(program) = self.input(language, files) else { return Some(left) };
        let mut collect = |folder: &Path| {
            let Ok(entries) = fs::read_dir(folder) else { return };
            for entry in entries.flatten() {
                let Ok(name) = entry.file_name().into_string() else { continue };
                if !self.verifier.leaves(&name) {
                    continue;
                }
                // The verifier may have written anything there.
                if let Ok(bytes) = input::read(&entry.path(), MAX_PROBLEMS) {
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    let goal = self.verifier.batch_of(&name).map(str::to_owned);
                    let of_name = self.verifier.goal_in_name(&name);
                    let goal = goal.or_else(|| Some(program.goal(&self.verifier, of_name?)));
                    left.push(Artifact { goal, name, text });
                }
            }
            left.sort_by(|one: &Artifact, other| one.name.cmp(&other.name));
        };
        let folder = self.next_folder();
        self.run_then(&program, &bounds, None, &mut |_| {}, (&folder, &mut collect))?;
        Some(left)
    }

    fn unshared_seeds(&self) -> usize {
        self.trust.withdrawn()
    }

    fn cancel(&self) {
        self.supervisor.cancel();
    }

    fn is_cancelled(&self) -> bool {
        self.supervisor.is_cancelled()
    }
}

/// The lowered limit. It is a power of two of seconds, so that cached verdicts are mostly found
/// even if earlier runs took a different time.
fn quick_limit(usual: Duration) -> Duration {
    let wanted = usual.saturating_mul(PATIENCE).max(SHORTEST).as_secs();
    Duration::from_secs(wanted.checked_next_power_of_two().unwrap_or(u64::MAX))
}

/// Writes the files into a folder. Returns their paths relative to the folder, so that messages of
/// the verifier do not depend on where it is.
fn write(folder: &Path, Files(files): &Files) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::with_capacity(files.len());
    for (name, text) in files {
        fs::write(folder.join(name), text)?;
        paths.push(PathBuf::from(name));
    }
    Ok(paths)
}

/// A run that used less than this share of its wall-clock time was waiting, not working.
const IDLE: f64 = 0.1;

/// Whether a program is flaky: it was so before, or a run ran out of time or memory and the next one did not. A
/// run that timed out without working says nothing about the program: Boogie waits for ever if something kills its
/// solver.
fn is_flaky(was_flaky: bool, first: &Verdict, used: Option<Usage>, second: &Verdict) -> bool {
    let was_idle = first.outcome == Outcome::TimedOut
        && used.is_some_and(|used| used.cpu < used.wall.mul_f64(IDLE));
    let ran_out = was_flaky || (first.depends_on_machine() && !was_idle);
    ran_out && !second.depends_on_machine()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_counts_as_flaky_only_if_the_run_was_working() {
        let of = |outcome| Verdict::of_program(outcome, "");
        let (verified, timed_out) = (of(Outcome::Verified), of(Outcome::TimedOut));
        let used = |cpu| {
            let (wall, cpu) = (Duration::from_secs(20), Duration::from_secs(cpu));
            Some(Usage { wall, cpu, memory: 0 })
        };
        assert!(is_flaky(false, &timed_out, used(19), &verified));
        assert!(is_flaky(false, &of(Outcome::OutOfMemory), used(1), &verified));
        assert!(!is_flaky(false, &timed_out, used(1), &verified), "it was waiting");
        assert!(!is_flaky(false, &timed_out, used(19), &timed_out), "it times out every time");
        assert!(is_flaky(true, &verified, used(1), &verified), "it stays flaky");
    }

    #[test]
    fn quick_runs_have_limits_of_few_sizes() {
        let limit = |millis| quick_limit(Duration::from_millis(millis)).as_secs();
        assert_eq!([0, 1000, 2500, 7000, 60_000].map(limit), [4, 4, 16, 32, 256]);
    }
}
