//! What an interrupt does to a long run: it ends the runs of verifiers, so that what is known can be
//! printed or kept. A second one ends mugie at once.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use mugie_verifiers::supervise::Supervisor;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::output;
use crate::report::Trouble;

/// Temporary folders that must not be left if mugie ends at once.
#[derive(Clone, Default)]
pub(crate) struct Leftovers(Arc<Mutex<Vec<PathBuf>>>);

impl Leftovers {
    /// Takes note of a folder.
    pub(crate) fn add(&self, folder: &Path) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(folder.to_owned());
    }

    fn remove(&self) {
        for folder in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            // It may be gone; what a run holds on to goes with its keeper.
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// Who watches for interrupts.
pub(crate) struct Watch {
    current: Arc<Mutex<Arc<Supervisor>>>,
    interrupted: Arc<AtomicBool>,
}

impl Watch {
    /// From here on an interrupt ends the runs of another supervisor. If there was one already,
    /// they end at once.
    pub(crate) fn turn_to(&self, supervisor: &Arc<Supervisor>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(supervisor);
        if self.interrupted.load(Ordering::SeqCst) {
            supervisor.cancel();
        }
    }
}

/// Lets an interrupt end the runs, with some words. A second one ends mugie.
pub(crate) fn watch(
    supervisor: &Arc<Supervisor>,
    leftovers: &Leftovers,
    words: String,
) -> Result<Watch, Trouble> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])
        .map_err(|error| Trouble::new(format!("cannot watch for signals: {error}")))?;
    let leftovers = leftovers.clone();
    let current = Arc::new(Mutex::new(Arc::clone(supervisor)));
    let interrupted = Arc::new(AtomicBool::new(false));
    let watch = Watch { current: Arc::clone(&current), interrupted: Arc::clone(&interrupted) };
    thread::spawn(move || {
        for _ in signals.forever() {
            if interrupted.swap(true, Ordering::SeqCst) {
                leftovers.remove();
                std::process::exit(2);
            }
            output::talk(&format!("\rinterrupted: {words}\n"));
            current.lock().unwrap_or_else(PoisonError::into_inner).cancel();
        }
    });
    Ok(watch)
}
