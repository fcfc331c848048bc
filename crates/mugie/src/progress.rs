//! Tells a waiting person how far a long run is. Silent unless standard error is a terminal.

use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use crate::output;

/// How long a run may take without a word.
const PATIENCE: Duration = Duration::from_secs(2);

/// A line on the terminal that is drawn again and again.
pub(crate) struct Progress {
    verb: &'static str,
    total: usize,
    start: Instant,
    visible: bool,
    terminal: bool,
}

impl Progress {
    /// Progress through `total` programs; `verb` says what is done to them.
    pub(crate) fn new(verb: &'static str, total: usize) -> Progress {
        let terminal = io::stderr().is_terminal();
        Progress { verb, total, start: Instant::now(), visible: false, terminal }
    }

    /// Draws the line, if the run has taken long enough to deserve one.
    pub(crate) fn show(&mut self, finished: usize) {
        let elapsed = self.start.elapsed();
        if self.terminal && elapsed >= PATIENCE {
            let Progress { verb, total, .. } = self;
            let seconds = elapsed.as_secs();
            output::talk(&format!("\r\x1b[K{verb}: {finished} of {total} done, {seconds} s"));
            self.visible = true;
        }
    }

    /// Takes the line away, so that something else can be written.
    pub(crate) fn hide(&mut self) {
        if std::mem::take(&mut self.visible) {
            output::talk("\r\x1b[K");
        }
    }
}
