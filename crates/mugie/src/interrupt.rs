//! What an interrupt does: it ends the runs of verifiers, so that what is known can be printed or kept.
//! A command that does not come to its end soon, because it waits for a file or is at a huge program, is
//! ended. A second interrupt ends mugie at once.
//!
//! Whoever starts runs says so here, whenever that is: an interrupt that came before counts. So does
//! whoever makes a file or folder that is to get its name when it is complete.

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
use crate::output;

/// How long a command may take to end after an interrupt, if nothing is lost: programs that are asked
/// for their versions are ended meanwhile.
const SHORT: Duration = Duration::from_secs(2);

/// The same, if there is something to tell.
const LONG: Duration = Duration::from_secs(10);

/// There is one command in a process.
static WATCHED: OnceLock<Interrupts> = OnceLock::new();

/// Watches for interrupts from the start of a command on.
#[derive(Clone, Default)]
pub(crate) struct Interrupts {
    /// Set by the first one.
    noted: Arc<AtomicBool>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// What to say when it happens.
    words: String,
    /// How far the command is.
    stage: Stage,
    /// What is to end.
    supervisors: Vec<Arc<Supervisor>>,
    /// Temporary files and folders that must not be left if mugie ends at once.
    leftovers: Vec<PathBuf>,
}

/// How far a command is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// There is nothing to tell yet.
    #[default]
    Start,
    /// There is something to tell.
    Known,
    /// That is being told, which comes to an end by itself.
    End,
}

impl Interrupts {
    /// From here on an interrupt does not end mugie, but the runs that it knows of.
    pub(crate) fn watch(words: impl Into<String>) -> Result<Interrupts, Trouble> {
        let interrupts = watched()
            .map_err(|error| Trouble::new(format!("cannot watch for signals: {error}")))?;
        interrupts.lock().words = words.into();
        Ok(interrupts)
    }

    /// Whether there was an interrupt.
    pub(crate) fn is_noted(&self) -> bool {
        self.noted.load(Ordering::SeqCst)
    }

    /// The flag that an interrupt sets.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.noted)
    }

    /// Has an interrupt end the runs of a supervisor: at once, if there was one already.
    pub(crate) fn end_runs_of(&self, supervisor: &Arc<Supervisor>) {
        self.lock().supervisors.push(Arc::clone(supervisor));
        if self.is_noted() {
            supervisor.cancel();
        }
    }

    /// Has an end at once remove a folder.
    pub(crate) fn remove_at_end(&self, folder: &Path) {
        self.lock().leftovers.push(folder.to_owned());
    }

    /// From here on there is something to tell, so that more time is worth it.
    pub(crate) fn something_is_known(&self) {
        let mut state = self.lock();
        state.stage = state.stage.max(Stage::Known);
    }

    /// From here on the command tells what is known. That is not cut off by a first interrupt.
    pub(crate) fn is_ending(&self) {
        self.lock().stage = Stage::End;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
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
        // Beside us: nobody may read what is said, and a second interrupt must be heard.
        thread::spawn(move || output::talk(&words));
        let watcher = self.clone();
        thread::spawn(move || watcher.end_in_time());
    }

    /// Ends mugie if it does not end by itself.
    fn end_in_time(&self) {
        for (stage, time) in [(Stage::Start, SHORT), (Stage::Known, LONG.saturating_sub(SHORT))] {
            thread::sleep(time);
            if self.lock().stage == stage {
                self.end_at_once();
            }
        }
    }

    fn end_at_once(&self) -> ! {
        // Held until the end, so that no file is made or gets its name meanwhile.
        let state = self.lock();
        for path in &state.leftovers {
            // It may be gone; what a run holds on to goes with its keeper.
            let _ = fs::remove_dir_all(path).or_else(|_| fs::remove_file(path));
        }
        std::process::exit(2);
    }
}

/// The watch for interrupts, which is started if there is none.
fn watched() -> io::Result<Interrupts> {
    if let Some(interrupts) = WATCHED.get() {
        return Ok(interrupts.clone());
    }
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let interrupts = WATCHED.get_or_init(Interrupts::default).clone();
    "what is not complete is not kept".clone_into(&mut interrupts.lock().words);
    let watcher = interrupts.clone();
    thread::spawn(move || {
        for _ in signals.forever() {
            watcher.interrupt();
        }
    });
    Ok(interrupts)
}

/// A moment in which mugie does not end: something is made or gets its name, and that is noted.
pub(crate) fn at_rest<T>(work: impl FnOnce(&mut Rest<'_>) -> io::Result<T>) -> io::Result<T> {
    let interrupts = watched()?;
    let is_noted = interrupts.is_noted();
    let mut state = interrupts.lock();
    let is_cut_off = is_noted && state.stage == Stage::Start;
    work(&mut Rest { leftovers: &mut state.leftovers, is_cut_off })
}

/// What can be done in such a moment.
pub(crate) struct Rest<'s> {
    leftovers: &'s mut Vec<PathBuf>,
    /// Whether there was an interrupt, and nothing to tell.
    pub(crate) is_cut_off: bool,
}

impl Rest<'_> {
    /// Has an end at once remove a file or folder.
    pub(crate) fn remove_at_end(&mut self, path: &Path) {
        self.leftovers.push(path.to_owned());
    }

    /// A file or folder is there to stay, or gone.
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
        // A test must not end.
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
