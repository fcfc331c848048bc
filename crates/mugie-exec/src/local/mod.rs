//! Runs verifiers on this machine: again where one run proves little, several programs in one
//! process where that is sound.

mod shared;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mugie_core::{Artifact, Files, Outcome, Sharing, Translated, Translator, Verdict};
use mugie_verifiers::claim::Folder;
use mugie_verifiers::supervise::{SHARED, Supervisor};
use mugie_verifiers::tap::{self, Tap};
use mugie_verifiers::{Ending, Limits, Run, Verifier, input};

use crate::{Executor, Key, OnSettled, Request, Settled, TimeoutPolicy};

/// Bytes of what a solver is asked in a run, at most.
const MAX_PROBLEMS: u64 = 4 << 30;

/// Bytes kept of what a verifier printed about a program that it did not verify.
const MAX_OUTPUT: usize = 256 << 10;

/// A run with a lowered limit may take this many times as long as usual.
const PATIENCE: u32 = 4;

/// A run with a lowered limit may always take this long.
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
    /// Whether each program gets a process of its own, whatever the verifier can do.
    plain: bool,
    tap: Option<Tap>,
    scratch: Arc<Folder>,
    next: Arc<AtomicU64>,
}

/// Why the solver of a verifier cannot be tapped.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct TapError(#[from] io::Error);

/// What a run may use, and how often a timeout must come again.
#[derive(Clone, Copy)]
struct Bounds {
    limits: Limits,
    confirm: usize,
}

impl Local {
    /// Runs with a folder of its own for files, plain ones. A timeout counts if `confirm` more runs
    /// time out, too.
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
            scratch,
            next: Arc::new(AtomicU64::new(0)),
        })
    }

    /// The same, for programs of all languages that these translators read.
    #[must_use]
    pub fn with_translators(self, translators: &'static [&'static dyn Translator]) -> Local {
        Local { translators, ..self }
    }

    /// The same with several programs in one process, where the verifier allows that. The verdicts
    /// are the same.
    #[must_use]
    pub fn with_shared_processes(self) -> Local {
        Local { plain: false, ..self }
    }

    /// The same with a tap in the place of the solver, where the verifier allows that. The verdicts
    /// are the same. Answers of the solver are kept in this folder, or with the files of the runs.
    pub fn with_answers(self, folder: Option<PathBuf>) -> Result<Local, TapError> {
        let folder = folder.unwrap_or_else(|| self.folder().join(SHARED));
        if !self.verifier.can_be_tapped() {
            return Ok(self);
        }
        self.with_tap(Tap::this_program(Some(folder)))
    }

    /// The same with this tap in the place of the solver.
    pub fn with_tap(self, tap: Tap) -> Result<Local, TapError> {
        self.verifier.try_tap(self.folder(), &tap)?;
        Ok(Local { tap: Some(tap), ..self })
    }

    /// The same with nothing that makes runs fast.
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

    /// The folder for the files of runs. It goes when this does.
    pub fn folder(&self) -> &Path {
        self.scratch.path()
    }

    /// The bounds for a request.
    fn bounds(&self, care: TimeoutPolicy) -> Bounds {
        let within = |usual, confirm| {
            let time = quick_limit(usual).min(self.limits.time);
            Bounds { limits: Limits { time, ..self.limits }, confirm }
        };
        match care {
            TimeoutPolicy::Quick(usual) => within(usual, 0),
            TimeoutPolicy::Lowered(usual) => within(usual, self.confirm),
            TimeoutPolicy::Usual | TimeoutPolicy::Fresh => {
                Bounds { limits: self.limits, confirm: self.confirm }
            }
        }
    }

    /// The tap for a request: what repeats a run to be sure has none.
    fn tap_for(&self, request: &Request) -> Option<&Tap> {
        self.tap.as_ref().filter(|_| request.is_usual())
    }

    /// What the verifier says of a program in runs of its own, or `None` if they were cancelled.
    fn settle_alone(&self, request: &Request) -> Option<Settled> {
        let bounds = self.bounds(request.care);
        let mut settled = self.run(request, &bounds)?;
        // Trouble with the tool may be gone the next time.
        if settled.verdict.outcome.may_go_away() {
            settled = self.run_again(request, &bounds, settled)?;
        }
        // A busy machine can make anything time out once: it counts if it happens every time.
        for _ in 0..bounds.confirm {
            if !settled.verdict.depends_on_machine() {
                break;
            }
            settled = self.run_again(request, &bounds, settled)?;
        }
        Some(settled)
    }

    fn run_again(&self, request: &Request, bounds: &Bounds, before: Settled) -> Option<Settled> {
        let mut settled = self.run(request, bounds)?;
        settled.usage.splice(0..0, before.usage);
        let timed_out = before.unsteady || before.verdict.depends_on_machine();
        settled.unsteady = timed_out && !settled.verdict.depends_on_machine();
        Some(settled)
    }

    fn run(&self, request: &Request, bounds: &Bounds) -> Option<Settled> {
        let tap = self.tap_for(request);
        self.run_then(&request.language, &request.files, bounds, tap, |_| {})
    }

    /// Runs the verifier, and looks at the folder of the run before it goes.
    fn run_then(
        &self,
        language: &str,
        files: &Files,
        bounds: &Bounds,
        tap: Option<&Tap>,
        then: impl FnOnce(&Path),
    ) -> Option<Settled> {
        let translated = match self.translated(language, files) {
            Ok(translated) => translated,
            Err(verdict) => return Some(Settled::of_run(verdict, String::new(), Vec::new())),
        };
        let input = translated.as_ref().map_or(files, |translated| &translated.files);
        let folder = self.next_folder();
        let written = fs::create_dir(&folder).and_then(|()| write(&folder, input));
        let settled = match written {
            Ok(paths) => self.run_in(&folder, &paths, bounds, tap),
            Err(error) => {
                let reason = format!("cannot write the program to {}: {error}", folder.display());
                let verdict = Verdict::of_program(Outcome::ToolError, reason);
                Some(Settled::of_run(verdict, String::new(), Vec::new()))
            }
        };
        then(&folder);
        let _ = fs::remove_dir_all(&folder);
        let mut settled = settled?;
        if let Some(translated) = &translated {
            map_back(&mut settled.verdict, translated);
        }
        Some(settled)
    }

    /// The program in the language that the verifier reads; `None` if it is in that already.
    fn translated(&self, language: &str, files: &Files) -> Result<Option<Translated>, Verdict> {
        let input = self.verifier.input();
        if language == input {
            return Ok(None);
        }
        let fits = |it: &&&'static dyn Translator| it.from() == language && it.to() == input;
        let Some(translator) = self.translators.iter().find(fits) else {
            let reason = format!(
                "{} reads programs of {input}, and this is one of {language}, for which there is no \
                 translation",
                self.verifier.title
            );
            return Err(Verdict::of_program(Outcome::NotExpressible, reason));
        };
        match translator.translate(files) {
            Ok(translated) => Ok(Some(translated)),
            Err(error) => Err(Verdict::of_program(Outcome::NotExpressible, error.to_string())),
        }
    }

    fn run_in(
        &self,
        folder: &Path,
        paths: &[PathBuf],
        bounds: &Bounds,
        tap: Option<&Tap>,
    ) -> Option<Settled> {
        let tapped = tap.and_then(|tap| {
            // Where there is no place for a tap, it does without.
            self.verifier.tapped_command_line(paths, folder, tap).ok()
        });
        let is_tapped = tapped.is_some();
        let command_line = tapped.unwrap_or_else(|| self.verifier.command_line(paths, folder));
        let run = self.supervisor.run(&command_line, &bounds.limits);
        if run.ending == Ending::Cancelled {
            return None;
        }
        let verdict = self.verifier.read(&run);
        let queries = is_tapped.then(|| tap::records(&tap::records_file(folder)));
        let output = self.output(&run, &verdict);
        Some(Settled {
            queries: queries.and_then(Result::ok).unwrap_or_default(),
            fast: is_tapped,
            ..Settled::of_run(verdict, output, vec![run.usage])
        })
    }

    /// A folder for one run, which is not there yet.
    fn next_folder(&self) -> PathBuf {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.scratch.path().join(number.to_string())
    }

    /// What is kept of what the verifier printed.
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

    /// A hash of all that a verdict depends on, without what makes runs fast.
    fn plain_key(&self, bounds: &Bounds, language: &str, repetition: u32, files: &Files) -> Key {
        // What the limit on processes ends has no verdict that could be kept.
        let Limits { time, cpu, memory, output, processes: _ } = bounds.limits;
        let mut hasher = blake3::Hasher::new_derive_key("mugie 1 verdict of a program");
        // Another release may read the same output in another way.
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
        // Which translation was used, if any was; all that are possible, if no program is given.
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
        let Request { language, files, repetition, care, .. } = request;
        let key = self.plain_key(&self.bounds(*care), language, *repetition, files);
        match self.tap_for(request) {
            None => key,
            // More is known of tapped runs.
            Some(_) => blake3::derive_key("mugie 1 verdict of a tapped run", &key),
        }
    }

    fn capacity(&self) -> usize {
        self.capacity.get()
    }

    fn can_share(&self) -> bool {
        !self.plain && self.verifier.batch().is_some()
    }

    fn verify(&self, requests: &[Request], each: OnSettled<'_>) {
        let mut classes: BTreeMap<Option<Sharing>, Vec<usize>> = BTreeMap::new();
        for (place, request) in requests.iter().enumerate() {
            let may_share =
                self.can_share() && request.is_usual() && request.language == self.verifier.input();
            classes.entry(may_share.then_some(request.sharing)).or_default().push(place);
        }
        for (class, places) in classes {
            let flow = match class {
                Some(_) if places.len() > 1 => self.settle_together(requests, &places, each),
                _ => places.iter().try_for_each(|&place| {
                    let settled = self.settle_alone(&requests[place]);
                    settled.map_or(ControlFlow::Break(()), |settled| each(place, settled))
                }),
            };
            if flow.is_break() {
                return;
            }
        }
    }

    fn artifacts(&self, language: &str, files: &Files) -> Option<Vec<Artifact>> {
        let bounds = Bounds { limits: self.limits, confirm: 0 };
        let mut left = Vec::new();
        self.run_then(language, files, &bounds, None, |folder| {
            let Some(name) = self.verifier.problem_file() else { return };
            // The verifier can put anything there.
            if let Ok(bytes) = input::read(&folder.join(name), MAX_PROBLEMS) {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                left.push(Artifact { goal: None, name: name.to_string(), text });
            }
        })?;
        Some(left)
    }

    fn cancel(&self) {
        self.supervisor.cancel();
    }

    fn is_cancelled(&self) -> bool {
        self.supervisor.is_cancelled()
    }
}

/// The lowered limit. It is a power of two, so that what is in the cache is mostly found
/// even if earlier runs took another time.
fn quick_limit(usual: Duration) -> Duration {
    let wanted = usual.saturating_mul(PATIENCE).max(SHORTEST).as_secs();
    Duration::from_secs(wanted.checked_next_power_of_two().unwrap_or(u64::MAX))
}

/// Puts places in a verdict on translated files in terms of the files that they come from.
fn map_back(verdict: &mut Verdict, translated: &Translated) {
    let failures = verdict.procedures.iter_mut().flat_map(|procedure| &mut procedure.failures);
    let places = failures
        .flat_map(|failure| [&mut failure.location, &mut failure.related])
        .chain(verdict.messages.iter_mut().map(|message| &mut message.location));
    for place in places {
        let origin = place.as_ref().and_then(|location| {
            let name = mugie_core::bare_name(&location.file);
            let file = translated.files.0.iter().position(|(file, _)| file == name)?;
            translated.lines.origin(file, location.line).cloned()
        });
        *place = origin;
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_runs_have_limits_of_few_sizes() {
        let limit = |millis| quick_limit(Duration::from_millis(millis)).as_secs();
        assert_eq!([0, 1000, 2500, 7000, 60_000].map(limit), [4, 4, 16, 32, 256]);
    }
}
