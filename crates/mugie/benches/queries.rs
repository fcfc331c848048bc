//! The cost of a mutant of a query with `mugie test --level query`: compared with the bare solver on the same files,
//! and with a mutant of the program with `mugie test --plain`. Prints ratios of processor time without judging them.
//!
//! Each number is the difference between a test of many mutants and one of few, so what is done once for a program
//! does not count. The runs of the solver are recorded first, by a script in its place.
//!
//! ```text
//! cargo bench --bench queries -- [SEED...]  # all if none is named
//! ```
//!
//! Some seeds are the paper's, under `../shared` beside the project; without them, only shipped ones are measured.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};

/// Programs, by their paths below the project.
const SEEDS: [&str; 10] = [
    "examples/brittle.bpl",
    "examples/bank.bpl",
    "examples/max.bpl",
    "examples/clauses.bpl",
    "../shared/seeds/paper/E_match-v1/match-v1.bpl",
    "../shared/seeds/paper/E_hash-v2/hash-v2.bpl",
    "../shared/seeds/paper/E_hash-v3/hash-v3.bpl",
    "../shared/seeds/paper/D_VerifyThis2015_Problem1/Problem1.bpl",
    "../shared/seeds/paper/D_VerifyThis2015_Problem3/Problem3.bpl",
    "../shared/seeds/paper/D_VSI-Benchmarks_b3/b3.bpl",
];

/// The numbers of mutants of each query.
const FEW: usize = 10;
const MANY: usize = 40;

/// The numbers of mutants of each program with `--plain`.
const FEW_PLAIN: usize = 1;
const MANY_PLAIN: usize = 5;

/// The number of measurements of each, taken in turn; the median counts.
const ROUNDS: usize = 3;

#[expect(clippy::print_stdout, reason = "a bench prints its results")]
fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let wanted: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with('-')).collect();
    println!(
        "processor time for each mutant of a query, in milliseconds, with the default options and -j1"
    );
    println!(
        "seed: runs of the solver; bare solver; mugie: ratio; mutant of the program with --plain: ratio"
    );
    for seed in SEEDS {
        let path = root.join(seed);
        let name = path.file_stem().map(|it| it.display().to_string()).unwrap_or_default();
        if !wanted.is_empty() && !wanted.contains(&name) {
            continue;
        }
        if path.exists() {
            println!("{name}: {}", measured(&path));
        } else {
            println!("{name}: SKIPPED, because {} is missing", path.display());
        }
    }
}

/// The results for a program in words.
fn measured(seed: &Path) -> String {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let few = Recorded::new(&scratch.path().join("few"), seed, FEW);
    let many = Recorded::new(&scratch.path().join("many"), seed, MANY);
    let more = many.files.len().saturating_sub(few.files.len()).max(1);
    let (mut bare, mut tested) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bare.push(many.cpu().saturating_sub(few.cpu()));
        let of = |mutants| cpu_of(&mut at_level(seed, mutants));
        tested.push(of(MANY).saturating_sub(of(FEW)));
    }
    let plain = |mutants: usize| {
        cpu_of(
            mugie()
                .args(["test", "--no-cache", "--plain", "-j1", "-n"])
                .arg(mutants.to_string())
                .arg(seed),
        )
    };
    let plain = plain(MANY_PLAIN).saturating_sub(plain(FEW_PLAIN));
    let each = |all: Duration, number: usize| {
        all.as_secs_f64() * 1000.0 / f64::from(u32::try_from(number).unwrap_or(u32::MAX))
    };
    let (bare, tested) = (each(median(bare), more), each(median(tested), more));
    let plain = each(plain, MANY_PLAIN - FEW_PLAIN);
    format!(
        "{more} runs; {bare:.1}; {tested:.1}: {:.2}; {plain:.0}: 1/{:.0}",
        tested / bare,
        plain / tested
    )
}

/// The runs of the solver in a test.
struct Recorded {
    /// The files that it was given.
    files: Vec<PathBuf>,
}

impl Recorded {
    /// Runs a test with a script as the solver, which keeps the files in a folder.
    fn new(folder: &Path, seed: &Path, mutants: usize) -> Recorded {
        fs::create_dir(folder).expect("a folder of our own");
        let script = folder.join("z3");
        // Queries are the only files that the solver is given: a verifier speaks with it through pipes.
        let text = format!(
            "#!/bin/sh\nfor last; do :; done\ncase $last in *.smt2) cp \"$last\" {}/$$.smt2;; esac\nexec z3 \"$@\"\n",
            folder.display()
        );
        fs::write(&script, text).expect("a script can be written");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it is ours");
        let mut command = at_level(seed, mutants);
        cpu_of(command.arg(format!("--solver=z3={}", script.display())));
        let entries = fs::read_dir(folder).expect("a folder of our own");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let files = paths.filter(|path| path.extension().is_some_and(|it| it == "smt2")).collect();
        Recorded { files }
    }

    /// The processor time of the bare solver.
    fn cpu(&self) -> Duration {
        let run = |file: &PathBuf| {
            cpu_of(Command::new("z3").args(["-smt2", "smt.random_seed=0"]).arg(file))
        };
        self.files.iter().map(run).sum()
    }
}

fn at_level(seed: &Path, mutants: usize) -> Command {
    let mut command = mugie();
    command.args(["test", "--level", "query", "--no-cache", "-j1", "-n"]);
    command.arg(mutants.to_string()).arg(seed);
    command
}

fn mugie() -> Command {
    Command::new(env!("CARGO_BIN_EXE_mugie"))
}

/// The processor time of a command and all that it started and waited for.
fn cpu_of(command: &mut Command) -> Duration {
    let start = cpu();
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.expect("the program can be started");
    cpu().saturating_sub(start)
}

/// The processor time of all processes that ended so far.
fn cpu() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system counts");
    let micros = |time: nix::sys::time::TimeVal| time.tv_sec() * 1_000_000 + time.tv_usec();
    let micros = micros(usage.user_time()) + micros(usage.system_time());
    Duration::from_micros(u64::try_from(micros).unwrap_or_default())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
