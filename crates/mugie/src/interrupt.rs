//! Handling of interrupts. The first interrupt ends the runs of verifiers, so that the results so
//! far can be printed or kept. A command that does not end soon after that, because it waits for a
//! file or processes a huge program, is ended. A second interrupt ends mugie at once.
//!
//! Code that starts runs registers them here at any time: an earlier interrupt counts. So does code
//! that creates a file or folder that gets its name when it is complete.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use mugie_verifiers::supervise::Supervisor;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::messages::Trouble;
use crate::{output, parallel};

/// How long a command may take to end after an interrupt if it has no results yet; raising it
/// delays the end of a command that hangs. Programs that are being asked for their versions are
/// ended in this time.
const SHORT: Duration = Duration::from_secs(2);

/// How long a command may take to end after an interrupt if it has results to print.
const LONG: Duration = Duration::from_secs(10);

/// The one watch of this process.
static WATCHED: OnceLock<Interrupts> = OnceLock::new();

/// A watch for interrupts, from the start of a command.
#[derive(Clone, Default)]
pub(crate) struct Interrupts {
    /// Set by the first interrupt.
    noted: Arc<AtomicBool>,
    /// Set when the time that the user allows is over.
    over: Arc<AtomicBool>,
    state: Arc<Mutex<Watched>>,
}

#[derive(Default)]
struct Watched {
    /// The message to print on an interrupt.
    words: String,
    /// The stage of the command.
    stage: Phase,
    /// The supervisors whose runs to end.
    supervisors: Vec<Arc<Supervisor>>,
    /// Temporary files and folders to remove if mugie ends at once.
    leftovers: Vec<PathBuf>,
}

/// The stages of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// There are no results yet.
    #[default]
    Start,
    /// There are results to print.
    Known,
    /// The results are being printed, which ends by itself.
    End,
}

impl Interrupts {
    /// Starts the watch. From here on an interrupt ends the registered runs instead of mugie.
    pub(crate) fn watch(words: impl Into<String>) -> Result<Interrupts, Trouble> {
        let interrupts = watched()
            .map_err(|error| Trouble::new(format!("cannot watch for signals: {error}")))?;
        interrupts.lock().words = words.into();
        Ok(interrupts)
    }

    /// Whether an interrupt has happened, or the time is over.
    pub(crate) fn is_noted(&self) -> bool {
        self.noted.load(Ordering::SeqCst) || self.is_over()
    }

    /// Whether the time that the user allows is over.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    /// Ends the runs after some time, as an interrupt does, but leaves all the time that the command needs to print
    /// its results.
    pub(crate) fn end_after(&self, time: Duration) -> Result<(), Trouble> {
        let watcher = self.clone();
        let wait = move || {
            thread::sleep(time);
            let state = watcher.lock();
            if state.stage == Phase::End {
                return;
            }
            watcher.over.store(true, Ordering::SeqCst);
            for supervisor in &state.supervisors {
                supervisor.cancel();
            }
            drop(state);
            output::talk("\rthe time is over: the results so far follow\n");
        };
        thread::Builder::new().spawn(wait).map(drop).map_err(|error| parallel::no_thread(&error))
    }

    /// The flag that an interrupt sets.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.noted)
    }

    /// Registers a supervisor whose runs end with an interrupt: at once, if one has already
    /// happened.
    pub(crate) fn end_runs_of(&self, supervisor: &Arc<Supervisor>) {
        self.lock().supervisors.push(Arc::clone(supervisor));
        if self.is_noted() {
            supervisor.cancel();
        }
    }

    /// Registers a folder to remove if mugie ends at once.
    pub(crate) fn remove_at_end(&self, folder: &Path) {
        self.lock().leftovers.push(folder.to_owned());
    }

    /// Notes that there are results, so that an interrupted command gets more time.
    pub(crate) fn something_is_known(&self) {
        let mut state = self.lock();
        state.stage = state.stage.max(Phase::Known);
    }

    /// Notes that the command is printing its results, which a first interrupt does not cut off.
    pub(crate) fn is_ending(&self) {
        self.lock().stage = Phase::End;
    }

    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn interrupt(&self) {
        if self.noted.swap(true, Ordering::SeqCst) {
            self.end_at_once();
        }
        let state = self.lock();
        for supervisor in &state.supervisors {
            supervisor.cancel();
        }
        let words = format!("\rinterrupted: {}\n", state.words);
        drop(state);
        // In another thread: writing may block if nobody reads, and a second interrupt must still
        // be handled.
        thread::spawn(move || output::talk(&words));
        let watcher = self.clone();
        thread::spawn(move || watcher.end_in_time());
    }

    /// Ends mugie if it does not end by itself in time.
    fn end_in_time(&self) {
        for (stage, time) in [(Phase::Start, SHORT), (Phase::Known, LONG.saturating_sub(SHORT))] {
            thread::sleep(time);
            if self.lock().stage == stage {
                self.end_at_once();
            }
        }
    }

    fn end_at_once(&self) -> ! {
        // Held until the end, so that meanwhile no file is created or renamed.
        let state = self.lock();
        for path in &state.leftovers {
            // The path may be gone already; folders in use by a run are removed by its watchdog.
            let _ = fs::remove_dir_all(path).or_else(|_| fs::remove_file(path));
        }
        std::process::exit(2);
    }
}

/// The watch of this process, started if necessary.
fn watched() -> io::Result<Interrupts> {
    if let Some(interrupts) = WATCHED.get() {
        return Ok(interrupts.clone());
    }
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let interrupts = WATCHED.get_or_init(Interrupts::default).clone();
    "incomplete output is not kept".clone_into(&mut interrupts.lock().words);
    let watcher = interrupts.clone();
    thread::spawn(move || {
        for _ in signals.forever() {
            watcher.interrupt();
        }
    });
    Ok(interrupts)
}

/// Does some work during which an interrupt does not end mugie: a file or folder is created or
/// renamed, and registered.
pub(crate) fn at_rest<T>(work: impl FnOnce(&mut Rest<'_>) -> io::Result<T>) -> io::Result<T> {
    let interrupts = watched()?;
    let is_noted = interrupts.is_noted();
    let mut state = interrupts.lock();
    let is_cut_off = is_noted && state.stage == Phase::Start;
    work(&mut Rest { leftovers: &mut state.leftovers, is_cut_off })
}

/// The operations allowed during such work.
pub(crate) struct Rest<'s> {
    leftovers: &'s mut Vec<PathBuf>,
    /// Whether an interrupt has happened before there were results.
    pub(crate) is_cut_off: bool,
}

impl Rest<'_> {
    /// Registers a file or folder to remove if mugie ends at once.
    pub(crate) fn remove_at_end(&mut self, path: &Path) {
        self.leftovers.push(path.to_owned());
    }

    /// Unregisters a file or folder that is permanent or gone.
    pub(crate) fn keep(&mut self, path: &Path) {
        self.leftovers.retain(|other| other != path);
    }
}

#[cfg(test)]
mod tests {
    use mugie_verifiers::supervise::Keeper;

    use super::*;

    #[test]
    fn an_interrupt_counts_for_what_starts_after_it() {
        let interrupts = Interrupts::default();
        // In this phase an interrupt does not end the process, which here is the test.
        interrupts.is_ending();
        let supervisor = || Arc::new(Supervisor::new(Keeper::this_program()));
        let (before, after) = (supervisor(), supervisor());
        interrupts.end_runs_of(&before);
        assert!(!before.is_cancelled());
        interrupts.interrupt();
        interrupts.end_runs_of(&after);
        assert!(before.is_cancelled() && after.is_cancelled() && interrupts.is_noted());
    }
}
