//! Kills at random moments: run again, the same command has the same results and leaves nothing behind.
//!
//! The tests here make a few kills each. `make kills` makes `KILLS` of them over all commands and
//! victims and prints a table, which is why this is a test program of its own, apart from `cli`.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::print_stderr, reason = "a test says why it skips")]

mod commands;
mod processes;
mod sandbox;

use std::cell::Cell;
use std::fmt::Write as _;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use commands::{COMMANDS, Tested};
use processes::{Victim, of_run};
use sandbox::{Sandbox, Snapshot};

/// How long the processes of a run may outlive it; raising it tolerates a slower clean-up.
const GONE: Duration = Duration::from_secs(2);

/// The exit code of a command without an answer: a verifier may be killed before its version is known.
const NO_ANSWER: i32 = 2;

/// The effects of one kill.
#[derive(Clone, Debug, Default)]
struct Outcome {
    /// 1 if a victim was found and killed, else 0.
    hits: usize,
    /// Differences from an undisturbed run after the command was run again; also those after the
    /// disturbed run, unless mugie itself was killed or ended with [`NO_ANSWER`].
    differences: Vec<String>,
    /// Processes that still existed after [`GONE`].
    processes: Vec<String>,
    /// Files that the next run should have removed.
    files: Vec<String>,
}

/// A sum of outcomes.
#[derive(Default)]
struct Row {
    kills: usize,
    hits: usize,
    differences: usize,
    processes: usize,
    files: usize,
}

impl Row {
    fn add(&mut self, outcome: &Outcome) {
        self.kills += 1;
        self.hits += outcome.hits;
        self.differences += outcome.differences.len();
        self.processes += outcome.processes.len();
        self.files += outcome.files.len();
    }
}

/// A pseudo-random number generator with a fixed seed.
struct Numbers(u64);

impl Numbers {
    /// The next number from 0 to 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bits = u32::try_from((mixed ^ (mixed >> 31)) >> 32).unwrap();
        f64::from(bits) / f64::from(u32::MAX)
    }
}

/// The results, the files and the duration of a command that is not disturbed.
struct Undisturbed {
    tested: &'static Tested,
    snapshot: Snapshot,
    /// The shortest duration measured so far: the machine may have become less busy.
    time: Cell<Duration>,
}

impl Undisturbed {
    fn new(tested: &'static Tested) -> Undisturbed {
        let sandbox = Sandbox::new(tested);
        let start = Instant::now();
        let code = sandbox.run_to_end();
        let time = start.elapsed();
        assert_eq!(code, Some(tested.code), "{}", tested.name);
        assert_eq!(sandbox.leftovers(), [""; 0], "{}", tested.name);
        Undisturbed { tested, snapshot: sandbox.snapshot(code), time: Cell::new(time) }
    }

    /// Kills a victim after this share of the duration, or as soon after that as the victim exists.
    fn kill(&self, victim: Victim, share: f64) -> Outcome {
        let sandbox = Sandbox::new(self.tested);
        let mut outcome = Outcome::default();
        let mut run = sandbox.start();
        let start = Instant::now();
        let moment = start + self.time.get().mul_f64(share);
        thread::sleep(moment.saturating_duration_since(Instant::now()));
        while outcome.hits == 0 && !run.is_over() {
            let mut all = processes::find(sandbox.marker());
            all.retain(|process| process.is(victim));
            outcome.hits = usize::from(all.first().is_some_and(processes::Process::kill));
            if outcome.hits == 0 {
                thread::sleep(Duration::from_millis(1));
            }
        }
        let code = run.end();
        if outcome.hits == 0 {
            self.time.set(self.time.get().min(start.elapsed()));
        }
        outcome.processes = of_run(sandbox.marker(), GONE);
        if victim != Victim::Mugie && code != Some(NO_ANSWER) {
            let differences = self.snapshot.differences(&sandbox.snapshot(code));
            outcome.differences.extend(differences.iter().map(|it| format!("at once: {it}")));
        }
        let code = sandbox.run_to_end();
        outcome.processes.extend(of_run(sandbox.marker(), GONE));
        outcome.differences.extend(self.snapshot.differences(&sandbox.snapshot(code)));
        outcome.files = sandbox.leftovers();
        outcome
    }
}

/// Whether Boogie is installed. Prints a message if not; on CI, panics instead.
fn has_boogie() -> bool {
    let found = Command::new("boogie").arg("/nologo").output().is_ok();
    assert!(found || std::env::var_os("CI").is_none(), "boogie is missing; see `make test`");
    if !found {
        eprintln!("SKIPPED: boogie is not installed");
    }
    found
}

/// Kills each victim once, each in a run of its own, and asserts that nothing differs or is left.
fn nothing_is_left(name: &str, victims: &[Victim], seed: u64) {
    let tested = COMMANDS.iter().find(|it| it.name == name).unwrap();
    if tested.needs_boogie && !has_boogie() {
        return;
    }
    let undisturbed = Undisturbed::new(tested);
    let mut numbers = Numbers(seed);
    for &victim in victims {
        let share = numbers.next();
        let Outcome { differences, processes, files, .. } = undisturbed.kill(victim, share);
        let when = format!("{name}: {victim:?} killed after {share:.3} of the time");
        assert!(differences.is_empty(), "{when}: {differences:#?}");
        assert!(processes.is_empty(), "{when}: {processes:#?}");
        assert!(files.is_empty(), "{when}: {files:#?}");
    }
}

#[test]
fn a_killed_test_leaves_nothing_and_says_the_same() {
    nothing_is_left("test", &[Victim::Mugie, Victim::Keeper, Victim::Tap, Victim::Solver], 1);
}

#[test]
fn a_killed_campaign_leaves_nothing_and_says_the_same() {
    nothing_is_left("campaign", &[Victim::Mugie, Victim::Keeper, Victim::Verifier], 2);
}

#[test]
fn a_killed_minimisation_leaves_nothing_and_finds_the_same() {
    nothing_is_left("minimise", &[Victim::Mugie, Victim::Mugie, Victim::Solver], 3);
}

#[test]
fn a_killed_mutate_leaves_nothing_and_makes_the_same() {
    nothing_is_left("mutate", &[Victim::Mugie, Victim::Mugie], 4);
}

#[test]
fn as_many_kills_as_are_asked_for() {
    let Some(kills) = number("KILLS").map(|it| usize::try_from(it).unwrap()) else {
        eprintln!("SKIPPED: `make kills` says how many there are to be, with KILLS");
        return;
    };
    let chosen = std::env::var("KILLS_OF").unwrap_or_default();
    let undisturbed: Vec<_> = COMMANDS
        .iter()
        .filter(|tested| chosen.is_empty() || chosen == tested.name)
        .map(Undisturbed::new)
        .collect();
    let cells: Vec<_> = undisturbed
        .iter()
        .flat_map(|it| it.tested.victims.iter().map(move |&victim| (it, victim)))
        .collect();
    let mut rows: Vec<_> = cells.iter().map(|_| Row::default()).collect();
    let mut numbers = Numbers(number("KILLS_SEED").unwrap_or(1));
    // A run may end before the moment of its kill, so try up to twice as often.
    let (mut hit, mut kill) = (0, 0);
    while hit < kills && kill < 2 * kills {
        let place = kill % cells.len();
        let (undisturbed, victim) = cells[place];
        let share = numbers.next();
        let outcome = undisturbed.kill(victim, share);
        rows[place].add(&outcome);
        hit += outcome.hits;
        kill += 1;
        let Outcome { hits, differences, processes, files } = outcome;
        let name = undisturbed.tested.name;
        println!("{kill:4} {name} {victim:?} at {share:.3}: {hits} hit");
        for (what, found) in
            [("difference", differences), ("process left", processes), ("file left", files)]
        {
            for it in found {
                println!("       {what}: {it}");
            }
        }
    }
    let mut table = format!(
        "\n{:<10} {:<9} {:>6} {:>6} {:>12} {:>15} {:>11}\n",
        "command", "victim", "kills", "hits", "differences", "processes left", "files left"
    );
    let mut all = Row::default();
    for ((undisturbed, victim), row) in cells.iter().zip(&rows) {
        write_row(&mut table, undisturbed.tested.name, &format!("{victim:?}"), row);
        all.kills += row.kills;
        all.hits += row.hits;
        all.differences += row.differences;
        all.processes += row.processes;
        all.files += row.files;
    }
    write_row(&mut table, "all", "", &all);
    println!("{table}");
    assert_eq!((all.differences, all.processes, all.files), (0, 0, 0));
}

fn write_row(table: &mut String, name: &str, victim: &str, row: &Row) {
    let Row { kills, hits, differences, processes, files } = row;
    let victim = victim.to_lowercase();
    writeln!(
        table,
        "{name:<10} {victim:<9} {kills:>6} {hits:>6} {differences:>12} {processes:>15} {files:>11}"
    )
    .unwrap();
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|value| value.parse().ok())
}
