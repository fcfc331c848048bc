//! Progress display for long commands.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use mugie_campaign::run::{CampaignProgress, Phase};
use mugie_core::escaped;
use mugie_experiment::minimise;
use mugie_report::duration;
use mugie_results::Known;

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

/// How long a run takes before it is named; raising it names fewer runs.
const LONG: Duration = Duration::from_secs(10);

/// The time over which the pace of a campaign is measured; raising it makes estimates steadier, and slower to
/// learn.
const WINDOW: Duration = Duration::from_mins(2);

/// The speed and progress of a campaign: on a terminal a line that is redrawn in place, otherwise a
/// new line every [`INTERVAL`].
pub(crate) struct CampaignMeter {
    meter: Meter,
    /// When how many verdicts were new, within the [`WINDOW`].
    history: VecDeque<(Duration, usize)>,
}

impl CampaignMeter {
    /// A meter that starts now.
    pub(crate) fn new() -> CampaignMeter {
        CampaignMeter {
            meter: Meter::new(1, None, "with another verdict"),
            history: VecDeque::new(),
        }
    }

    /// Shows the progress, if a line is due.
    pub(crate) fn show(&mut self, progress: &CampaignProgress) {
        let history = &mut self.history;
        note(history, self.meter.start.elapsed(), progress.new);
        self.meter.draw(|elapsed, flip| campaign_words(history, elapsed, flip, progress));
    }

    /// Removes the line, so that something else can be written.
    pub(crate) fn hide(&mut self) {
        self.meter.hide();
    }
}

/// Notes the number of new verdicts, and forgets what is older than the window.
fn note(history: &mut VecDeque<(Duration, usize)>, now: Duration, new: usize) {
    if history.back().is_none_or(|(last, _)| now >= *last + Duration::from_secs(1)) {
        history.push_back((now, new));
    }
    while history.get(1).is_some_and(|(next, _)| *next + WINDOW <= now) {
        history.pop_front();
    }
}

/// The phase and how far it is, the pace of the last minutes, and what takes long.
fn campaign_words(
    history: &VecDeque<(Duration, usize)>,
    elapsed: Duration,
    flip: &str,
    progress: &CampaignProgress,
) -> String {
    let CampaignProgress { phase, in_phase: Known { known, of }, all, flips, .. } = progress;
    let mut words = match phase {
        Phase::Reading => format!("reading seeds: {known} of {of}"),
        Phase::Seeds => format!("running seeds: {known} of {of}"),
        Phase::First => format!("first mutants of each batch: {known} of {of} verdicts"),
        Phase::Rest => format!("other mutants: {known} of {of} verdicts"),
        Phase::Last => format!("what was put off: {known} of {of} verdicts"),
    };
    if *phase >= Phase::First {
        let _ = write!(words, ", {} of {} in all, {flips} {flip}", all.known, all.of);
    }
    let since = history.front().copied().unwrap_or_default();
    let (seconds, new) = (elapsed.saturating_sub(since.0).as_secs_f64(), progress.new - since.1);
    if new > 0 && seconds > 0.0 {
        words += &pace(new, Some(all.of - all.known), seconds);
    }
    if let Some((what, since)) = progress.longest.as_ref().filter(|(_, since)| *since >= LONG) {
        let _ = write!(words, "; {} for {}", escaped(what), duration(since.as_secs_f64()));
    }
    words
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

    #[test]
    fn a_campaign_names_its_phase_and_what_takes_long() {
        let mut history = VecDeque::new();
        let mut progress = CampaignProgress {
            phase: Phase::Seeds,
            in_phase: Known { known: 3, of: 8 },
            all: Known { known: 0, of: 400 },
            longest: Some(("the seed slow with z3".to_owned(), Duration::from_secs(40))),
            ..CampaignProgress::default()
        };
        let seconds = Duration::from_secs;
        let words = |history: &VecDeque<_>, at, progress: &CampaignProgress| {
            campaign_words(history, seconds(at), "with another verdict", progress)
        };
        assert_eq!(
            words(&history, 30, &progress),
            "running seeds: 3 of 8; the seed slow with z3 for 40 s"
        );
        progress.longest = None;
        progress.phase = Phase::First;
        progress.in_phase = Known { known: 10, of: 40 };
        progress.all.known = 10;
        progress.new = 10;
        note(&mut history, seconds(30), 0);
        note(&mut history, seconds(40), 10);
        assert_eq!(
            words(&history, 40, &progress),
            "first mutants of each batch: 10 of 40 verdicts, 10 of 400 in all, 0 with another verdict, \
             1.0 per second, about 6 min left"
        );
        // The estimate learns: it is about the last minutes.
        for at in 2..=20 {
            note(&mut history, seconds(at * 20), 10 + usize::try_from(at).unwrap() * 10);
        }
        progress.new = 210;
        progress.all.known = 210;
        progress.phase = Phase::Last;
        let text = words(&history, 400, &progress);
        assert!(text.ends_with(", 0.5 per second, about 6 min left"), "{text}");
        assert!(text.starts_with("what was put off: 10 of 40"), "{text}");
    }
}
