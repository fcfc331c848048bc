//! The overhead of `mugie test` over the runs of the verifier, compared with `xargs` on the same
//! runs. Prints numbers without judging them.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The number of mutants to verify.
const MUTANTS: &str = "200";

/// The number of measurements of each, taken in turn.
const ROUNDS: usize = 3;

/// Without S3, whose mutants have two files: `xargs` starts a run for each file.
const OPERATORS: &str = "paper,S3=0";

#[expect(clippy::print_stdout, reason = "a bench prints its results")]
fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let large = root.join("../shared/seeds/paper/T_textbook_Bubble/Bubble.bpl");
    let seed = if large.exists() { large } else { root.join("examples/bank.bpl") };
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let mutants = scratch.path().join("mutants");
    let made = mugie()
        .args(["mutate", "-n", MUTANTS, "--operators", OPERATORS, "--out"])
        .args([&mutants, &seed])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(made.expect("mugie can be started").success());
    let list = scratch.path().join("list");
    let files: Vec<String> = fs::read_dir(&mutants)
        .expect("a folder of mutants")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bpl"))
        .map(|path| path.display().to_string())
        .collect();
    fs::write(&list, files.join("\n")).expect("a list can be written");
    println!("{}: {} mutants, two runs at a time", seed.display(), files.len());

    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let bare = time(
            Command::new("xargs")
                .args(["-a"])
                .arg(&list)
                .args(["-P2", "-n1", "boogie", "/nologo", "/trace"]),
        );
        let tested = time(
            mugie()
                .args([
                    "test",
                    "--no-cache",
                    "--plain",
                    "-j2",
                    "-n",
                    MUTANTS,
                    "--operators",
                    OPERATORS,
                ])
                .arg(&seed),
        );
        println!(
            "xargs {:.2} s, mugie test {:.2} s: ratio {:.3}",
            bare.as_secs_f64(),
            tested.as_secs_f64(),
            tested.as_secs_f64() / bare.as_secs_f64()
        );
        times.push((bare, tested));
    }
    let best = |which: fn(&(Duration, Duration)) -> Duration| times.iter().map(which).min();
    if let (Some(bare), Some(tested)) = (best(|times| times.0), best(|times| times.1)) {
        let ratio = tested.as_secs_f64() / bare.as_secs_f64();
        println!("best of {ROUNDS} each: ratio {ratio:.3}, seed and re-printed seed included");
    }
}

fn mugie() -> Command {
    Command::new(env!("CARGO_BIN_EXE_mugie"))
}

/// The duration of a command, which may exit with code 0, or 1 for a finding.
fn time(command: &mut Command) -> Duration {
    let start = Instant::now();
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(status.expect("the program can be started").code().is_some_and(|code| code < 2));
    start.elapsed()
}
