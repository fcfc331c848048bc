//! Progress display for long commands.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use mugie_experiment::minimise;
use mugie_report::duration;

use crate::messages::plural;
use crate::output;

/// How long a command runs before it shows progress; raising it keeps more commands silent.
const PATIENCE: Duration = Duration::from_secs(2);

/// The time between two progress lines if there is no terminal; raising it prints fewer lines.
const INTERVAL: Duration = Duration::from_secs(15);

/// A progress line on the terminal, redrawn in place. Silent if there is no terminal.
pub(crate) struct Progress {
    verb: &'static str,
    total: usize,
    start: Instant,
    visible: bool,
    terminal: bool,
}

impl Progress {
    /// Creates a progress line for `total` programs; `verb` is what is done to them.
    pub(crate) fn new(verb: &'static str, total: usize) -> Progress {
        let terminal = io::stderr().is_terminal();
        Progress { verb, total, start: Instant::now(), visible: false, terminal }
    }

    /// Draws the line, if the command has run long enough.
    pub(crate) fn show(&mut self, finished: usize) {
        let elapsed = self.start.elapsed();
        if self.terminal && elapsed >= PATIENCE {
            let Progress { verb, total, .. } = self;
            let seconds = elapsed.as_secs();
            redraw(&format!("{verb}: {finished} of {total} done, {seconds} s"));
            self.visible = true;
        }
    }

    /// Removes the line, so that something else can be written.
    pub(crate) fn hide(&mut self) {
        if std::mem::take(&mut self.visible) {
            output::talk("\r\x1b[K");
        }
    }
}

/// Draws a line over the last one. It is cut to the width of the terminal, because a line that
/// wraps could not be removed.
fn redraw(words: &str) {
    output::talk(&format!("\r\x1b[K\x1b[?7l{words}\x1b[?7h"));
}

/// The progress of a test: on a terminal a line that is redrawn in place, otherwise a new line
/// every [`INTERVAL`].
pub(crate) struct Meter {
    seeds: usize,
    /// The number of mutants of all seeds, if known in advance.
    mutants: Option<usize>,
    /// The word for mutants with a different verdict from their seed's.
    flip: &'static str,
    start: Instant,
    /// The time of the last line.
    last: Instant,
    visible: bool,
    terminal: bool,
}

impl Meter {
    /// Creates a meter for a number of seeds, each with a number of mutants if that is known;
    /// `flip` is the word for mutants with a different verdict.
    pub(crate) fn new(seeds: usize, mutants: Option<usize>, flip: &'static str) -> Meter {
        let (start, terminal) = (Instant::now(), io::stderr().is_terminal());
        let mutants = mutants.map(|mutants| mutants.saturating_mul(seeds));
        Meter { seeds, mutants, flip, start, last: start, visible: false, terminal }
    }

    /// Shows the progress, if a line is due.
    pub(crate) fn show(&mut self, seeds: usize, mutants: usize, flips: usize) {
        let words = self.words(self.start.elapsed(), seeds, mutants, flips);
        self.draw(|_, _| words);
    }

    /// Shows a text that depends on the time since the start, if a line is due.
    fn draw(&mut self, words: impl FnOnce(Duration, &str) -> String) {
        if self.start.elapsed() < PATIENCE || (!self.terminal && self.last.elapsed() < INTERVAL) {
            return;
        }
        self.last = Instant::now();
        let words = words(self.start.elapsed(), self.flip);
        if self.terminal {
            redraw(&words);
            self.visible = true;
        } else {
            output::talk(&format!("{words}\n"));
        }
    }

    /// Removes the line, so that something else can be written.
    pub(crate) fn hide(&mut self) {
        if std::mem::take(&mut self.visible) {
            output::talk("\r\x1b[K");
        }
    }

    fn words(&self, elapsed: Duration, seeds: usize, mutants: usize, flips: usize) -> String {
        let seconds = elapsed.as_secs_f64();
        if self.seeds == 1 && mutants == 0 {
            return format!("verifying the program as it is, {} so far", duration(seconds));
        }
        let mut words = String::new();
        if self.seeds > 1 {
            let _ = write!(words, "{seeds} of {} {}, ", self.seeds, plural(self.seeds, "program"));
        }
        let of_all = self.mutants.map_or_else(String::new, |all| format!(" of {all}"));
        let noun = plural(self.mutants.unwrap_or(mutants), "mutant");
        let _ = write!(words, "{mutants}{of_all} {noun}, {flips} {}", self.flip);
        if mutants == 0 {
            return words + &format!(", {} so far", duration(seconds));
        }
        // Seeds may have fewer mutants than asked for, so this estimate errs on the long side.
        let left = self.mutants.map(|all| all.saturating_sub(mutants));
        words + &pace(mutants, left, seconds)
    }
}

/// The speed and progress of a campaign: on a terminal a line that is redrawn in place, otherwise a
/// new line every [`INTERVAL`].
pub(crate) struct CampaignMeter(Meter);

impl CampaignMeter {
    /// A meter that starts now.
    pub(crate) fn new() -> CampaignMeter {
        CampaignMeter(Meter::new(1, None, "with another verdict"))
    }

    /// Shows the number of known, expected and new verdicts and of flips, if a line is due.
    pub(crate) fn show(&mut self, known: usize, expected: usize, new: usize, flips: usize) {
        let words = |elapsed: Duration, flip: &str| {
            let seconds = elapsed.as_secs_f64();
            let mut words =
                format!("{known} of {expected} {}, {flips} {flip}", plural(expected, "verdict"));
            if new > 0 {
                words += &pace(new, Some(expected.saturating_sub(known)), seconds);
            }
            words
        };
        self.0.draw(words);
    }

    /// Removes the line, so that something else can be written.
    pub(crate) fn hide(&mut self) {
        self.0.hide();
    }
}

/// The progress of minimisation: on a terminal a line that is redrawn in place, otherwise a new
/// line every [`INTERVAL`].
pub(crate) struct MinimiseMeter(Meter);

impl MinimiseMeter {
    /// A meter that starts now.
    pub(crate) fn new() -> MinimiseMeter {
        MinimiseMeter(Meter::new(1, None, ""))
    }

    /// Shows the progress of the search, if a line is due.
    pub(crate) fn show(&mut self, progress: &minimise::SearchProgress) {
        let minimise::SearchProgress { edits_before, edits, lines_before, lines, runs } = progress;
        self.0.draw(|elapsed, _| {
            let elapsed = duration(elapsed.as_secs_f64());
            format!(
                "{edits} of {edits_before} {}, {lines} of {lines_before} {}, {runs} {}, {elapsed} so far",
                plural(*edits_before, "edit"),
                plural(*lines_before, "line"),
                plural(*runs, "run")
            )
        });
    }

    /// Removes the line, so that something else can be written.
    pub(crate) fn hide(&mut self) {
        self.0.hide();
    }
}

/// The rate per second, and the estimated time left.
fn pace(done: usize, left: Option<usize>, seconds: f64) -> String {
    let rate = number(done) / seconds;
    let mut words = format!(", {rate:.1} per second");
    if let Some(left) = left {
        let _ = write!(words, ", about {} left", duration(number(left) / rate));
    }
    words
}

#[expect(clippy::cast_precision_loss, reason = "a rough number will do")]
fn number(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_meter_says_how_long_it_will_take() {
        let meter = Meter::new(2, Some(100), "failing");
        let words = meter.words(Duration::from_secs(10), 0, 50, 3);
        assert_eq!(
            words,
            "0 of 2 programs, 50 of 200 mutants, 3 failing, 5.0 per second, about 30 s left"
        );
        let words = Meter::new(2, None, "failing").words(Duration::from_secs(700), 0, 0, 0);
        assert_eq!(words, "0 of 2 programs, 0 mutants, 0 failing, 12 min so far");
        let words = Meter::new(1, None, "failing").words(Duration::from_secs(7), 0, 0, 0);
        assert_eq!(words, "verifying the program as it is, 7 s so far");
    }
}
