//! Tells a waiting person how far a long run is.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use mugie_experiment::minimise;
use mugie_report::duration;

use crate::output;

/// How long a run may take without a word.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often a test says how far it is, where there is no terminal.
const INTERVAL: Duration = Duration::from_secs(15);

/// A line on the terminal that is drawn again and again. Silent where there is no terminal.
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
            redraw(&format!("{verb}: {finished} of {total} done, {seconds} s"));
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

/// Draws a line over the last one. What does not fit on the terminal is cut: a line that wraps
/// could not be taken away.
fn redraw(words: &str) {
    output::talk(&format!("\r\x1b[K\x1b[?7l{words}\x1b[?7h"));
}

/// How far a test is: on a terminal a line that is drawn again and again, elsewhere a line now
/// and then.
pub(crate) struct Meter {
    seeds: usize,
    /// Mutants of all seeds together, if one can tell.
    mutants: Option<usize>,
    /// What mutants with another verdict than their seed do.
    flip: &'static str,
    start: Instant,
    /// When the last line was written.
    last: Instant,
    visible: bool,
    terminal: bool,
}

impl Meter {
    /// A meter for so many seeds with so many mutants each, if one can tell; `flip` says what
    /// mutants with another verdict do.
    pub(crate) fn new(seeds: usize, mutants: Option<usize>, flip: &'static str) -> Meter {
        let (start, terminal) = (Instant::now(), io::stderr().is_terminal());
        let mutants = mutants.map(|mutants| mutants.saturating_mul(seeds));
        Meter { seeds, mutants, flip, start, last: start, visible: false, terminal }
    }

    /// Shows what is done, if it is time.
    pub(crate) fn show(&mut self, seeds: usize, mutants: usize, flips: usize) {
        let words = self.words(self.start.elapsed(), seeds, mutants, flips);
        self.draw(|_, _| words);
    }

    /// Shows some words about the time since the start, if it is time.
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

    /// Takes the line away, so that something else can be written.
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
            let _ = write!(words, "{seeds} of {} programs, ", self.seeds);
        }
        let of_all = self.mutants.map_or_else(String::new, |all| format!(" of {all}"));
        let _ = write!(words, "{mutants}{of_all} mutants, {flips} {}", self.flip);
        if mutants == 0 {
            return words + &format!(", {} so far", duration(seconds));
        }
        // Seeds may have fewer mutants than asked for, so this errs on the long side.
        let left = self.mutants.map(|all| all.saturating_sub(mutants));
        words + &pace(mutants, left, seconds)
    }
}

/// How fast a campaign goes, and how far it is: on a terminal a line that is drawn again and again,
/// elsewhere a line now and then.
pub(crate) struct CampaignMeter(Meter);

impl CampaignMeter {
    /// A meter that starts now.
    pub(crate) fn new() -> CampaignMeter {
        CampaignMeter(Meter::new(1, None, "with another verdict"))
    }

    /// Shows what is done, if it is time: verdicts that are known, expected and new, and flips.
    pub(crate) fn show(&mut self, known: usize, expected: usize, new: usize, flips: usize) {
        let words = |elapsed: Duration, flip: &str| {
            let seconds = elapsed.as_secs_f64();
            let mut words = format!("{known} of {expected} verdicts, {flips} {flip}");
            if new > 0 {
                words += &pace(new, Some(expected.saturating_sub(known)), seconds);
            }
            words
        };
        self.0.draw(words);
    }

    /// Takes the line away, so that something else can be written.
    pub(crate) fn hide(&mut self) {
        self.0.hide();
    }
}

/// How small a mutant has become: on a terminal a line that is drawn again and again, elsewhere a
/// line now and then.
pub(crate) struct MinimiseMeter(Meter);

impl MinimiseMeter {
    /// A meter that starts now.
    pub(crate) fn new() -> MinimiseMeter {
        MinimiseMeter(Meter::new(1, None, ""))
    }

    /// Shows how far the search is, if it is time.
    pub(crate) fn show(&mut self, progress: &minimise::Progress) {
        let minimise::Progress { edits_before, edits, lines_before, lines, runs } = progress;
        self.0.draw(|elapsed, _| {
            let elapsed = duration(elapsed.as_secs_f64());
            format!(
                "{edits} of {edits_before} edits, {lines} of {lines_before} lines, {runs} runs, \
                 {elapsed} so far"
            )
        });
    }

    /// Takes the line away, so that something else can be written.
    pub(crate) fn hide(&mut self) {
        self.0.hide();
    }
}

/// How many per second, and how long the rest will take.
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
