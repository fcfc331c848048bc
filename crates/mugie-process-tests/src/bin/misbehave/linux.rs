//! The ways to misbehave.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]
#![expect(clippy::zombie_processes, reason = "this is what it is for")]

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio, exit};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};
use std::{env, iter};

use mugie_verifiers::supervise::{Keeper, Supervisor};
use mugie_verifiers::{CommandLine, Limits};
use nix::sys::prctl::set_child_subreaper;
use nix::sys::signal::{SigSet, Signal, kill, raise};
use nix::sys::wait::wait;
use nix::time::{ClockId, clock_gettime};
use nix::unistd::{getppid, setsid};

/// How long a process lives if a test fails to end it.
const LONG: Duration = Duration::from_mins(5);

/// How long a process that attacks its keeper lives if a test fails to end it.
const BRIEFLY: Duration = Duration::from_secs(30);

#[expect(clippy::too_many_lines, reason = "a table with a row for each misdeed")]
pub(crate) fn misbehave() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (how, marker) = (arguments[0].as_str(), arguments[1].as_str());
    let more = &arguments[2..];
    match how {
        "exit" => exit(more[0].parse().unwrap()),
        "sleep" => rest(),
        "burn" => {
            let begin = Instant::now();
            while begin.elapsed() < LONG {
                black_box(0);
            }
        }
        "flood" => flood(more[0].parse().unwrap()),
        "say" => {
            io::stdout().write_all(b"to stdout\n").unwrap();
            io::stderr().write_all(b"to stderr\n").unwrap();
        }
        "garbage" => {
            let bytes: Vec<u8> = (0..=255).rev().cycle().take(100_000).collect();
            io::stdout().write_all(&bytes).unwrap();
            io::stderr().write_all(&bytes).unwrap();
        }
        "die" => {
            raise(Signal::SIGABRT).unwrap();
        }
        "allocate" => {
            let mut all = Vec::new();
            loop {
                all.push(black_box(vec![1_u8; 16 << 20]));
            }
        }
        "close-streams" => {
            let mut same = Command::new(env::current_exe().unwrap());
            same.args(["sleep", marker]).stdout(Stdio::null()).stderr(Stdio::null());
            panic!("{}", same.exec());
        }
        "burn-without-streams" => {
            let mut same = Command::new(env::current_exe().unwrap());
            same.args(["burn", marker]).stdout(Stdio::null()).stderr(Stdio::null());
            panic!("{}", same.exec());
        }
        "surroundings" => surroundings(),
        // Leaves a child that holds its standard streams open.
        "leave" => {
            start("sleep", marker, Stdio::inherit());
            exit(3);
        }
        // Leaves children that are hard to find and hard to end.
        "leave-escaped" => {
            (0..3).for_each(|_| start_escaped(marker));
            exit(4);
        }
        "wait-with-escaped" => {
            (0..3).for_each(|_| start_escaped(marker));
            File::create("ready").unwrap();
            rest();
        }
        // A child that blocks all signals that can be blocked, with a child of its own.
        "escaped" => {
            setsid().unwrap();
            SigSet::all().thread_block().unwrap();
            start("sleep", marker, Stdio::inherit());
            io::stdout().write_all(b"!\n").unwrap();
            rest();
        }
        // Runs away: forks all the time and exits in the parent.
        "flee" => {
            setsid().ok();
            start("flee", marker, Stdio::inherit());
        }
        // Lets a descendant do the work.
        "delegate" => {
            let deeper = if more[0] == "0" { "work" } else { "delegate" };
            let child = Command::new(env::current_exe().unwrap())
                .args([deeper, marker, "0"])
                .status()
                .unwrap();
            exit(child.code().unwrap());
        }
        // Uses half a second of processor time and 100 MiB of memory.
        "work" => {
            let memory = black_box(vec![1_u8; 100 << 20]);
            while Duration::from(clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).unwrap())
                < Duration::from_millis(500)
            {
                black_box(&memory);
            }
        }
        // Starts children that are hard to find, then sends a signal to its keeper once or for ever.
        "signal-keeper" => {
            let signal: Signal = more[0].parse().unwrap();
            (0..2).for_each(|_| start_escaped(marker));
            let keeper = getppid();
            File::create("ready").unwrap();
            kill(keeper, signal).unwrap();
            let begin = Instant::now();
            while begin.elapsed() < BRIEFLY {
                sleep(Duration::from_millis(1));
                if more.get(1).is_some_and(|how| how == "always") {
                    let _ = kill(keeper, signal);
                }
            }
        }
        // Doubles a given number of times, optionally in a new session each time.
        "double" | "double-escaped" => {
            if how == "double-escaped" {
                setsid().ok();
            }
            let depth: u32 = more[0].parse().unwrap();
            assert!(depth <= 7, "too many for a test");
            if depth > 0 {
                let deeper = (depth - 1).to_string();
                for _ in 0..2 {
                    let mut child = Command::new(env::current_exe().unwrap());
                    // A process that is never found must not hold the streams open.
                    child.stdout(Stdio::null()).stderr(Stdio::null());
                    child.args([how, marker, &deeper]).spawn().unwrap();
                }
            }
            sleep(Duration::from_secs(10));
        }
        "stop" => raise(Signal::SIGSTOP).unwrap(),
        // Creates many empty files.
        "litter" => {
            (0..10_100).for_each(|number| drop(File::create(number.to_string()).unwrap()));
            sleep(Duration::from_secs(10));
        }
        // Starts many threads.
        "threads" => {
            let number: u32 = more[0].parse().unwrap();
            assert!(number <= 100, "too many for a test");
            let nap = || sleep(Duration::from_secs(10));
            let threads: Vec<_> = (0..number).map(|_| thread::spawn(nap)).collect();
            for thread in threads {
                thread.join().unwrap();
            }
        }
        // Supervises a run of this program that misbehaves, and prints how many processes it left.
        "supervise" => {
            set_child_subreaper(true).unwrap();
            let keeper = Keeper {
                program: PathBuf::from(&more[0]),
                arguments: Vec::new(),
                environment: Vec::new(),
            };
            let arguments = [&[more[1].clone(), marker.to_owned()], &more[3..]].concat();
            let arguments = arguments.into_iter().map(Into::into).collect();
            let command = CommandLine {
                program: env::current_exe().unwrap(),
                arguments,
                directory: PathBuf::from(&more[2]),
                environment: Vec::new(),
            };
            let run = Supervisor::new(keeper).run(&command, &Limits::default());
            let left = iter::from_fn(|| wait().ok()).count();
            let text = format!("{:?}, {left} left", run.ending);
            io::stdout().write_all(text.as_bytes()).unwrap();
        }
        other => panic!("cannot misbehave like {other}"),
    }
}

fn rest() {
    sleep(LONG);
}

fn start(how: &str, marker: &str, stdout: Stdio) -> Child {
    Command::new(env::current_exe().unwrap()).args([how, marker]).stdout(stdout).spawn().unwrap()
}

/// Starts a child and waits until it has escaped into its own session.
fn start_escaped(marker: &str) {
    let mut child = start("escaped", marker, Stdio::piped());
    child.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
}

fn flood(bytes: u64) {
    let line = b"0123456789012345678901234567890123456789012345678901234567890123456789\n";
    let block = line.repeat(1000);
    let mut stdout = io::stdout().lock();
    let mut rest = bytes;
    while rest > 0 {
        let length = rest.min(block.len() as u64);
        stdout.write_all(&block[..usize::try_from(length).unwrap()]).unwrap();
        rest -= length;
    }
}

/// Prints the environment that the process inherited.
fn surroundings() {
    use std::fmt::Write as _;

    let mut text = format!("directory {}\n", env::current_dir().unwrap().display());
    writeln!(text, "TMPDIR {}", env::var("TMPDIR").unwrap()).unwrap();
    for line in fs::read_to_string("/proc/self/status").unwrap().lines() {
        if line.starts_with("SigBlk") || line.starts_with("SigIgn") {
            writeln!(text, "{}", line.replace('\t', " ")).unwrap();
        }
    }
    let limits = fs::read_to_string("/proc/self/limits").unwrap();
    let core = limits.lines().find(|line| line.starts_with("Max core")).unwrap();
    writeln!(text, "core {}", core.split_ascii_whitespace().nth(4).unwrap()).unwrap();
    for name in fs::read_dir("/proc/self/fd").unwrap() {
        let path = name.unwrap().path();
        if let Ok(target) = fs::read_link(&path) {
            let number = path.file_name().unwrap();
            writeln!(text, "file {} {}", number.display(), target.display()).unwrap();
        }
    }
    io::stdout().write_all(text.as_bytes()).unwrap();
    // Long enough for other runs to start in parallel.
    sleep(Duration::from_millis(100));
}
