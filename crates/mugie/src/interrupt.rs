//! What an interrupt does to a long run: it ends the runs of verifiers, so that what is known can be
//! printed or kept. A second one ends mugie at once.
//!
//! Whoever starts runs says so here, whenever that is: an interrupt that came before counts.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use mugie_verifiers::supervise::Supervisor;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::messages::Trouble;
use crate::output;

/// Watches for interrupts from the start of a command on.
#[derive(Clone)]
pub(crate) struct Interrupts {
    /// Set by the first one.
    noted: Arc<AtomicBool>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// What to say when it happens.
    words: String,
    /// What is to end.
    supervisors: Vec<Arc<Supervisor>>,
    /// Temporary folders that must not be left if mugie ends at once.
    leftovers: Vec<PathBuf>,
}

impl Interrupts {
    /// From here on an interrupt does not end mugie, but the runs that it knows of.
    pub(crate) fn watch(words: impl Into<String>) -> Result<Interrupts, Trouble> {
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])
            .map_err(|error| Trouble::new(format!("cannot watch for signals: {error}")))?;
        let state = State { words: words.into(), ..State::default() };
        let interrupts = Interrupts {
            noted: Arc::new(AtomicBool::new(false)),
            state: Arc::new(Mutex::new(state)),
        };
        let watcher = interrupts.clone();
        thread::spawn(move || {
            for _ in signals.forever() {
                watcher.interrupt();
            }
        });
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

    /// Has a second interrupt remove a folder.
    pub(crate) fn remove_at_end(&self, folder: &Path) {
        self.lock().leftovers.push(folder.to_owned());
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn interrupt(&self) {
        let state = self.lock();
        if self.noted.swap(true, Ordering::SeqCst) {
            for folder in &state.leftovers {
                // It may be gone; what a run holds on to goes with its keeper.
                let _ = fs::remove_dir_all(folder);
            }
            std::process::exit(2);
        }
        output::talk(&format!("\rinterrupted: {}\n", state.words));
        for supervisor in &state.supervisors {
            supervisor.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use mugie_verifiers::supervise::Keeper;

    use super::*;

    #[test]
    fn an_interrupt_counts_for_what_starts_after_it() {
        let interrupts = Interrupts {
            noted: Arc::new(AtomicBool::new(false)),
            state: Arc::new(Mutex::new(State::default())),
        };
        let supervisor = || Arc::new(Supervisor::new(Keeper::this_program()));
        let (before, after) = (supervisor(), supervisor());
        interrupts.end_runs_of(&before);
        assert!(!before.is_cancelled());
        interrupts.interrupt();
        interrupts.end_runs_of(&after);
        assert!(before.is_cancelled() && after.is_cancelled() && interrupts.is_noted());
    }
}
