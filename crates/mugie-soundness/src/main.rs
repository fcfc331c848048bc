//! `mugie-soundness [STATE] [TABLE]`: runs rounds until it is stopped, then writes the table.
//! `mugie-soundness print RELEASE NUMBER`: prints a random program. `probe` adds false assertions at the
//! ends of bodies.
//!
//! Environment variables: `MINUTES`, after which no round starts; `ROUNDS`, the number of rounds;
//! `PROGRAMS`, the number of programs in a round (for tests; must be the same in all runs with one state);
//! `RELEASES`, `2`, `3` or `2,3`; `VERSION`, the name of the mugie under test.

#![expect(clippy::print_stderr, clippy::print_stdout, reason = "progress is told")]

use std::env;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use mugie_soundness::state::StateDir;
use mugie_soundness::{Boogie, Release, program, round, table};
use mugie_verifiers::supervise::{KEEPER, Keeper, Supervisor, keep};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

fn main() -> ExitCode {
    if env::args_os().nth(1).is_some_and(|argument| argument == KEEPER) {
        return keep();
    }
    if let Some(text) = wanted_program() {
        println!("{text}");
        return ExitCode::SUCCESS;
    }
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("mugie-soundness: {error}");
            ExitCode::from(2)
        }
    }
}

/// The text of a program, if one was requested: `print 3 17` is program 17 for Boogie 3, and `probe 3 17`
/// the same with false assertions.
fn wanted_program() -> Option<String> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [word, release, number] = arguments.as_slice() else { return None };
    let release = Release::ALL.into_iter().find(|r| r.dialect() == release)?;
    let generated = program::generate(number.parse().ok()?, release);
    match word.as_str() {
        "print" => Some(generated.text),
        "probe" => Some(generated.probe),
        _ => None,
    }
}

/// The value of an environment variable as a number.
fn number(name: &str) -> Option<u64> {
    env::var(name).ok()?.parse().ok()
}

/// The version of the mutants' origin: a given name, and a hash of this program.
fn version() -> io::Result<String> {
    let given = env::var("VERSION").unwrap_or_else(|_| env!("CARGO_PKG_VERSION").to_owned());
    let hash = blake3::hash(&fs::read("/proc/self/exe")?).to_hex();
    Ok(format!("{given} ({})", &hash[..8]))
}

/// Runs rounds until it is stopped. Returns whether there were no findings.
fn run() -> io::Result<bool> {
    let mut arguments = env::args_os().skip(1).map(PathBuf::from);
    let folder = arguments.next().unwrap_or_else(|| "target/soundness".into());
    let target = arguments.next();
    let state = StateDir::open(&folder)?;
    let version = version()?;
    let supervisor = Arc::new(Supervisor::new(Keeper::this_program()));
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let interrupted = Arc::clone(&supervisor);
    thread::spawn(move || {
        for _ in signals.forever() {
            if interrupted.is_cancelled() {
                std::process::exit(2);
            }
            interrupted.cancel();
        }
    });
    let wanted = env::var("RELEASES").unwrap_or_else(|_| "2,3".to_owned());
    let mut boogies = Vec::new();
    for release in Release::ALL.into_iter().filter(|r| wanted.contains(r.dialect())) {
        match Boogie::find(release, &supervisor) {
            Some(boogie) => boogies.push(boogie),
            None => eprintln!("NO {} HERE: it is skipped", release.name()),
        }
    }
    if boogies.is_empty() {
        return Err(io::Error::other("no Boogie to ask"));
    }
    let deadline =
        number("MINUTES").map(|minutes| Instant::now() + Duration::from_secs(60 * minutes));
    let mut left = number("ROUNDS").unwrap_or(u64::MAX);
    let size = number("PROGRAMS").unwrap_or(round::PROGRAMS);
    'rounds: while left > 0 && deadline.is_none_or(|deadline| Instant::now() < deadline) {
        for boogie in &boogies {
            let number = state.next(boogie.release);
            let programs = number * size..(number + 1) * size;
            let Some(round) = round::run(programs, boogie)? else { break 'rounds };
            let counts = &round.counts;
            eprintln!(
                "{} round {number}: {} programs, {} mutants, {:.0} s, {} of {} verify ({} vacuously); not explained {}, \
                 dropped {}, refused {}, shared only {}",
                boogie.release.name(),
                counts.seeds,
                counts.mutants(),
                round.seconds,
                counts.verified_goals,
                counts.goals,
                counts.vacuous_goals,
                counts.unexplained,
                counts.dropped,
                counts.refused_seeds,
                counts.shared_only,
            );
            state.keep(number, boogie, &version, &round)?;
        }
        left -= 1;
    }
    let records = state.records()?;
    let table = table::table(&records);
    fs::write(target.unwrap_or_else(|| folder.join("table.md")), table)?;
    Ok(records.iter().all(|record| record.counts.is_clean()))
}
