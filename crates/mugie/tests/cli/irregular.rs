//! mugie reads only regular files. It never waits for pipes that nobody writes to, sockets, devices or
//! files that grow, wherever it finds them.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{Run, Sandbox, json, script};
use crate::test::ROBUST;

/// How long a run may take. These runs used to hang.
const PATIENCE: Duration = Duration::from_mins(1);

/// The answer of a verifier that verifies everything.
const VERIFIED: &str = "echo 'it finished with 1 verified, 0 errors'";

fn pipe(sandbox: &Sandbox, name: &str) {
    assert!(Command::new("mkfifo").arg(sandbox.path(name)).status().unwrap().success());
}

/// A process that is killed when a failing test drops it.
struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        // Usually the process has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs mugie, which must end by itself.
#[track_caller]
fn run(sandbox: &Sandbox, args: &[&str]) -> Run {
    let (out, err) = (sandbox.path(".out"), sandbox.path(".err"));
    let mut command = sandbox.command();
    command.args(args).stdin(Stdio::null()).env("MUGIE_CACHE", sandbox.path("cache"));
    command.stdout(fs::File::create(&out).unwrap()).stderr(fs::File::create(&err).unwrap());
    let mut child = Started(command.spawn().unwrap());
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.0.try_wait().unwrap() {
            break status;
        }
        assert!(start.elapsed() < PATIENCE, "{args:?} waits");
        thread::sleep(Duration::from_millis(10));
    };
    let read = |path| fs::read_to_string(path).unwrap();
    Run { code: status.code().expect("ended by itself"), stdout: read(out), stderr: read(err) }
}

#[track_caller]
fn refused(sandbox: &Sandbox, args: &[&str], words: &str) {
    let run = run(sandbox, args);
    assert_eq!(run.code, 2, "{args:?}: {run:?}");
    let said = format!("{}{}", run.stdout, run.stderr);
    assert!(said.contains(words), "{args:?}: {words}: {run:?}");
}

/// The options for a verifier that verifies everything.
const CONTENT: [&str; 4] = ["--verifier", "command", "--program", "./content"];

#[test]
fn a_pipe_a_socket_or_a_device_is_no_seed() {
    let sandbox = Sandbox::new(&[("max.bpl", ROBUST)]);
    script(&sandbox, "content", VERIFIED);
    pipe(&sandbox, "p.bpl");
    symlink("p.bpl", sandbox.path("link.bpl")).unwrap();
    let _socket = UnixListener::bind(sandbox.path("s.bpl")).unwrap();
    for (file, words) in [
        ("p.bpl", "this is a named pipe, not a regular file"),
        ("link.bpl", "this is a named pipe, not a regular file"),
        ("s.bpl", "this is a socket, not a regular file"),
        ("/dev/zero", "this is a device, not a regular file"),
        ("/dev/tty", "this is a device, not a regular file"),
    ] {
        for command in ["check", "print", "mutate"] {
            refused(&sandbox, &[command, file], words);
        }
        refused(&sandbox, &["debug", "tree", file], words);
        refused(&sandbox, &["query", file], words);
        refused(&sandbox, &["diagnose", "max.bpl", file], words);
        let test = ["test", file, "-n", "1", "--no-cache"];
        refused(&sandbox, &[&test[..], &CONTENT].concat(), words);
    }
    // The same as the second file of a program.
    refused(&sandbox, &["check", "--together", "max.bpl", "p.bpl"], "named pipe");
    refused(&sandbox, &["query", "max.bpl", "--with", "p.bpl"], "named pipe");
    let minimise = ["minimise", "p.bpl", "--mutant", "1", "--no-cache"];
    refused(&sandbox, &[&minimise[..], &CONTENT].concat(), "named pipe");
}

#[test]
fn a_pipe_in_a_folder_is_told_and_the_rest_is_tested() {
    let sandbox = Sandbox::empty();
    script(&sandbox, "content", VERIFIED);
    fs::create_dir(sandbox.path("ff")).unwrap();
    fs::write(sandbox.path("ff/max.bpl"), ROBUST).unwrap();
    pipe(&sandbox, "ff/p.bpl");
    let test = ["test", "ff", "-n", "2", "--no-cache"];
    let found = run(&sandbox, &[&test[..], &CONTENT].concat());
    assert_eq!(found.code, 2, "{found:?}");
    assert!(found.stdout.contains("ff/max.bpl"), "{found:?}");
    assert!(found.stdout.contains("this is a named pipe"), "{found:?}");
    let report = json(&run(&sandbox, &[&test[..], &CONTENT, &["--json"]].concat()));
    let answers: Vec<_> = (0..2).map(|seed| &report["seeds"][seed]["answer"]).collect();
    assert_eq!(answers, ["robust", "could-not-run"], "{report:#}");
    let plan = "name = 'p'\n[seeds]\npaths = ['ff']\n[[batch]]\nname = '*'\nmutants = 1\n\
                [[tool]]\nname = 't'\nverifier = 'command'\nprogram = './content'\n";
    fs::write(sandbox.path("plan.toml"), plan).unwrap();
    refused(&sandbox, &["campaign", "run", "plan.toml", "--no-fail"], "this is a named pipe");
    let status = run(&sandbox, &["campaign", "status", "plan.toml"]);
    assert_eq!(status.code, 0, "{status:?}");
}

#[test]
fn a_pipe_is_no_definition_plan_store_or_record() {
    let sandbox = Sandbox::new(&[("max.bpl", ROBUST)]);
    script(&sandbox, "content", VERIFIED);
    for folder in ["verifiers", "found", "found/max", "made", "small"] {
        fs::create_dir(sandbox.path(folder)).unwrap();
    }
    pipe(&sandbox, "tool.toml");
    refused(&sandbox, &["test", "max.bpl", "--verifier", "tool.toml"], "named pipe");
    refused(&sandbox, &["campaign", "run", "tool.toml"], "named pipe");
    refused(&sandbox, &["campaign", "plan", "tool.toml"], "named pipe");
    pipe(&sandbox, "store.sqlite");
    for command in ["status", "report"] {
        refused(&sandbox, &["campaign", command, "store.sqlite"], "named pipe");
    }
    refused(&sandbox, &["campaign", "table", "store.sqlite", "fail"], "named pipe");
    refused(&sandbox, &["minimise", "m", "--campaign", "store.sqlite"], "named pipe");
    for name in ["found/result.json", "made/mutants.jsonl", "small/minimal.json"] {
        pipe(&sandbox, name);
    }
    for file in ["found/max/max-0001.bpl", "made/max-001.bpl"] {
        fs::write(sandbox.path(file), ROBUST).unwrap();
        refused(&sandbox, &["minimise", file], "named pipe");
        refused(&sandbox, &["diagnose", file], "named pipe");
    }
    refused(&sandbox, &["diagnose", "small"], "named pipe");
    refused(&sandbox, &["mutate", "max.bpl", "--replay", "made/mutants.jsonl"], "named pipe");
    pipe(&sandbox, "verifiers/pipe.toml");
    refused(&sandbox, &["verifiers"], "named pipe");
    refused(&sandbox, &["test", "max.bpl"], "named pipe");
}

#[test]
fn a_pipe_beside_a_store_is_not_waited_for() {
    let plan = "name = 'p'\n[seeds]\npaths = ['max.bpl']\n[[batch]]\nname = '*'\nmutants = 1\n\
                [[tool]]\nname = 't'\nverifier = 'command'\nprogram = './content'\n";
    let sandbox = Sandbox::new(&[("max.bpl", ROBUST), ("plan.toml", plan)]);
    script(&sandbox, "content", VERIFIED);
    for name in [".lock", "-journal", "-wal"].map(|end| format!("plan.sqlite{end}")) {
        pipe(&sandbox, &name);
        refused(&sandbox, &["campaign", "run", "plan.toml", "--no-fail"], "named pipe");
        fs::remove_file(sandbox.path(&name)).unwrap();
    }
    let done = run(&sandbox, &["campaign", "run", "plan.toml", "--no-fail"]);
    assert_eq!(done.code, 0, "{done:?}");
}

#[test]
fn a_cache_that_is_a_pipe_is_done_without() {
    let sandbox = Sandbox::new(&[("max.bpl", ROBUST)]);
    script(&sandbox, "content", VERIFIED);
    fs::create_dir(sandbox.path("cache")).unwrap();
    pipe(&sandbox, "cache/verdicts-2.sqlite");
    let test = ["test", "max.bpl", "-n", "1", "--cache", "cache"];
    let found = run(&sandbox, &[&test[..], &CONTENT].concat());
    assert_eq!(found.code, 0, "{found:?}");
    assert!(found.stderr.contains("this is a named pipe"), "{found:?}");
}

#[test]
fn a_verifier_that_leaves_a_pipe_is_not_waited_for() {
    let definition = "about = 'x'\narguments = ['{files}']\n[program]\nnames = ['./logs']\n\
                      [[verdict]]\nis = 'failed'\npattern = 'bad'\n\
                      [[verdict]]\nis = 'verified'\npattern = 'good'\n\
                      [diagnose.problems]\narguments = ['--log']\nfile = 'problems.smt2'\n";
    let sandbox = Sandbox::new(&[("a.bpl", ROBUST), ("tool.toml", definition)]);
    fs::write(sandbox.path("b.bpl"), format!("{ROBUST}// other\n")).unwrap();
    script(
        &sandbox,
        "logs",
        "mkfifo problems.smt2; case $* in *mutant*) echo bad;; *) echo good;; esac",
    );
    let args = ["diagnose", "a.bpl", "b.bpl", "--verifier", "tool.toml", "--random-seeds", "0"];
    let found = run(&sandbox, &args);
    assert_eq!(found.code, 0, "{found:?}");
}

#[test]
fn a_file_that_grows_is_given_up() {
    let sandbox = Sandbox::new(&[("seed.bpl", "// ")]);
    let is_over = Arc::new(AtomicBool::new(false));
    let mut file = fs::File::options().append(true).open(sandbox.path("seed.bpl")).unwrap();
    let writer = thread::spawn({
        let is_over = Arc::clone(&is_over);
        move || {
            // At most 256 MiB.
            for _ in 0..256 {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                file.write_all(&vec![b'x'; 1 << 20]).unwrap();
            }
        }
    });
    // Either mugie noticed that the file grows, or it read the file at some moment, as a comment.
    let found = run(&sandbox, &["check", "seed.bpl"]);
    is_over.store(true, Ordering::Relaxed);
    writer.join().unwrap();
    let said = format!("{}{}", found.stdout, found.stderr);
    assert!(said.contains("grows while it is read") || found.code == 0, "{}", found.code);
}

#[test]
fn streams_that_the_shell_hands_over_are_read() {
    let sandbox = Sandbox::empty();
    for file in ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"] {
        for command in ["check", "print"] {
            let run = sandbox.run_with_stdin(&[command, file], ROBUST.as_bytes());
            assert_eq!(run.code, 0, "{command} {file}: {run:?}");
        }
        script(&sandbox, "content", VERIFIED);
        let args = [&["test", file, "-n", "1", "--no-cache"][..], &CONTENT].concat();
        let run = sandbox.run_with_stdin(&args, ROBUST.as_bytes());
        assert_eq!(run.code, 0, "{file}: {run:?}");
    }
    let mut shell = Command::new("bash");
    shell.args(["-c", "\"$MUGIE\" check <(cat)"]).env("MUGIE", env!("CARGO_BIN_EXE_mugie"));
    let mut shell = shell.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    shell.stdin.take().unwrap().write_all(ROBUST.as_bytes()).unwrap();
    assert!(shell.wait().unwrap().success());
}
