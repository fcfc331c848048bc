//! The speed of making mutants, and of writing them compared with copying them: of a Boogie program, and of
//! an SMT-LIB query of a megabyte. Prints numbers without judging them.
//!
//! Reads a large program under `../shared/seeds`, beside the project, or a shipped example if
//! there is none. The query is made up.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mugie_boogie::BOOGIE;
use mugie_core::{Generator, LanguageOptions, SourceText, Weights};
use mugie_smtlib::SMTLIB;
use nix::sys::resource::{UsageWho, getrusage};

/// The number of times to write and to copy.
const ROUNDS: usize = 5;

/// The same allocator as in mugie itself.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    of_a_program();
    of_a_query();
}

#[expect(clippy::print_stdout, reason = "a bench prints its results")]
fn of_a_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let large = root.join("../shared/seeds/paper/D_vstte2012_Combinators/Combinators.bpl");
    let path = if large.exists() { large } else { root.join("examples/brittle.bpl") };
    let text = fs::read_to_string(&path).expect("the program can be read");
    let file = SourceText { name: path.display().to_string(), bytes: text.clone().into_bytes() };
    let seed =
        BOOGIE.read(vec![file], &LanguageOptions::default()).expect("the program is well-formed");
    let weights = Weights::parse("paper", BOOGIE.operators()).expect("a choice");
    println!("{}, {} lines", path.display(), text.lines().count());

    for number in [1_000, 10_000] {
        let start = Instant::now();
        let generator = Generator::new(seed.program(), weights.clone(), 1, number, 10_000_000);
        let made = generator.inspect(|mutant| assert!(mutant.is_ok())).count();
        let seconds = start.elapsed().as_secs_f64();
        let rate = per_second(made, seconds);
        println!("in memory: {made} mutants, {rate:.0} per second; peak {} so far", peak_memory());
    }
    let mutants: Vec<_> = Generator::new(seed.program(), weights, 1, 1_000, 10_000_000)
        .map(|mutant| mutant.expect("no defect"))
        .collect();
    let start = Instant::now();
    for mutant in &mutants {
        seed.validate(mutant).expect("a right mutant");
    }
    let rate = per_second(mutants.len(), start.elapsed().as_secs_f64());
    println!("validated: {rate:.0} per second in one thread");

    let scratch = tempfile::tempdir().expect("a temporary directory");
    let (made, copied) = (scratch.path().join("made"), scratch.path().join("copied"));
    let mut times: Vec<(Duration, Duration)> = (0..ROUNDS)
        .map(|_| {
            let mutate = run(Command::new(env!("CARGO_BIN_EXE_mugie"))
                .args(["mutate", "-n", "1000", "--out"])
                .args([&made, &path]));
            let copy = run(Command::new("cp").arg("-r").args([&made, &copied]));
            remove(&made);
            remove(&copied);
            (mutate, copy)
        })
        .collect();
    times.sort_by(|a, b| ratio(*a).total_cmp(&ratio(*b)));
    let (mutate, copy) = times[ROUNDS / 2];
    println!(
        "written: 1000 mutants in {:.2} s, copied with `cp -r` in {:.2} s: ratio {:.2} (median of \
         {ROUNDS})",
        mutate.as_secs_f64(),
        copy.as_secs_f64(),
        ratio((mutate, copy))
    );
}

/// The mutants of a query that each process writes.
const QUERIES: usize = 300;

/// A query of about a megabyte, of the shape that verifiers give them: declarations, quantified axioms with
/// patterns, and a goal inside a scope.
fn query() -> String {
    let mut text = String::from("(set-option :auto_config false)\n(declare-sort T 0)\n");
    for number in 0..2400 {
        let _ = writeln!(
            text,
            "(declare-fun f{number} (T Int) Int)\n(declare-const c{number} T)\n\
             (assert (forall ((t T) (i Int) (j Int)) (! (=> (and (<= 0 i) (< i j) (not (= t c{number}))) \
             (or (< (f{number} t i) (f{number} t j)) (= (+ (f{number} t i) j) (* 2 (f{number} c{number} i))))) \
             :qid |axiom {number}| :skolemid |{number}| :pattern ((f{number} t i) (f{number} t j)))))\n\
             (assert (and (> (f{number} c{number} {number}) 0) (or (= c{number} c0) (>= {number} 0))))"
        );
    }
    text + "(push 1)\n(assert (not (= (f0 c0 1) 1)))\n(check-sat)\n(pop 1)\n"
}

/// Mutants of a query, written in one process to a file system in memory if there is one.
#[expect(clippy::print_stdout, reason = "a bench prints its results")]
fn of_a_query() {
    let text = query();
    let size = text.len();
    let file = SourceText { name: "query.smt2".to_owned(), bytes: text.clone().into_bytes() };
    let seed = SMTLIB.read(vec![file], &LanguageOptions::default()).expect("a query");
    let weights = Weights::parse("paper", SMTLIB.operators()).expect("a choice");
    println!("a query of {size} bytes");
    let shared = Path::new("/dev/shm");
    let scratch = if shared.is_dir() { tempfile::tempdir_in(shared) } else { tempfile::tempdir() };
    let scratch = scratch.expect("a temporary directory");
    let (made, copied) = (scratch.path().join("made"), scratch.path().join("copied"));
    let mut times: Vec<(Duration, Duration)> = (0..ROUNDS)
        .map(|_| {
            fs::create_dir(&made).expect("a folder of our own");
            let start = cpu(UsageWho::RUSAGE_SELF);
            let mutants = Generator::new(seed.program(), weights.clone(), 1, QUERIES, 1_000_000);
            for mutant in mutants {
                let mutant = mutant.expect("no defect");
                let text = mutant.program.texts().remove(0).text;
                fs::write(made.join(format!("{}.smt2", mutant.number)), text).expect("it is ours");
            }
            let write = cpu(UsageWho::RUSAGE_SELF).saturating_sub(start);
            let start = cpu(UsageWho::RUSAGE_CHILDREN);
            run(Command::new("cp").arg("-r").args([&made, &copied]));
            let copy = cpu(UsageWho::RUSAGE_CHILDREN).saturating_sub(start);
            remove(&made);
            remove(&copied);
            (write, copy)
        })
        .collect();
    times.sort_by(|a, b| ratio(*a).total_cmp(&ratio(*b)));
    let (write, copy) = times[ROUNDS / 2];
    println!(
        "made and written: {:.0} mutants per CPU second, {:.2} times the CPU of `cp -r` (median of {ROUNDS})",
        per_second(QUERIES, write.as_secs_f64()),
        ratio((write, copy))
    );
    let mutants: Vec<_> = Generator::new(seed.program(), weights, 1, QUERIES, 1_000_000)
        .map(|mutant| mutant.expect("no defect"))
        .collect();
    let start = Instant::now();
    for mutant in &mutants {
        seed.validate(mutant).expect("a right mutant");
    }
    let rate = per_second(mutants.len(), start.elapsed().as_secs_f64());
    println!("validated: {rate:.0} per second in one thread");
}

fn ratio((mutate, copy): (Duration, Duration)) -> f64 {
    mutate.as_secs_f64() / copy.as_secs_f64()
}

fn run(command: &mut Command) -> Duration {
    let start = Instant::now();
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(status.expect("the program can be started").success(), "{command:?} failed");
    start.elapsed()
}

fn remove(folder: &Path) {
    fs::remove_dir_all(folder).expect("a folder of our own can be removed");
}

#[expect(clippy::cast_precision_loss, reason = "few enough")]
fn per_second(number: usize, seconds: f64) -> f64 {
    number as f64 / seconds
}

/// The processor time of this process, or of those that it started and waited for.
fn cpu(who: UsageWho) -> Duration {
    let usage = getrusage(who).expect("the system counts");
    let micros = |time: nix::sys::time::TimeVal| time.tv_sec() * 1_000_000 + time.tv_usec();
    let micros = micros(usage.user_time()) + micros(usage.system_time());
    Duration::from_micros(u64::try_from(micros).unwrap_or_default())
}

/// The peak memory of this process as reported by Linux.
fn peak_memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |line| line.trim().to_owned())
}
