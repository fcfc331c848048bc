//! What an interrupt does to a long run: it ends the runs of verifiers, so that what is known can be
//! printed or kept. A second one ends mugie at once.

use std::fs;
use std::path::{Path, PathBuf};
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

/// Lets an interrupt end the runs, with some words. A second one ends mugie.
pub(crate) fn watch(
    supervisor: &Arc<Supervisor>,
    leftovers: &Leftovers,
    words: String,
) -> Result<(), Trouble> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])
        .map_err(|error| Trouble::new(format!("cannot watch for signals: {error}")))?;
    let (supervisor, leftovers) = (Arc::clone(supervisor), leftovers.clone());
    thread::spawn(move || {
        for _ in signals.forever() {
            if supervisor.is_cancelled() {
                leftovers.remove();
                std::process::exit(2);
            }
            output::talk(&format!("\rinterrupted: {words}\n"));
            supervisor.cancel();
        }
    });
    Ok(())
}
