//! Supervised runs in consecutive parts: limits and measurements apply to each part separately.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failed test should panic")]

use std::ops::ControlFlow;
use std::time::Duration;

use mugie_verifiers::supervise::{Keeper, Supervisor};
use mugie_verifiers::{CommandLine, Ending, Limit, Limits, Part, Run};

const MUGIE_KEEPER: &str = env!("CARGO_BIN_EXE_mugie-keeper");

/// Runs a script in which each line `part N` of the output begins a part. Stops after `enough` parts.
fn run(script: &str, limits: &Limits, enough: usize) -> (Vec<Part>, Run) {
    let directory = tempfile::tempdir().unwrap();
    let command = CommandLine {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), script.into()],
        directory: directory.path().into(),
        environment: Vec::new(),
    };
    let keeper =
        Keeper { program: MUGIE_KEEPER.into(), arguments: Vec::new(), environment: Vec::new() };
    let mut parts = Vec::new();
    let run = Supervisor::new(keeper).run_in_parts(
        &command,
        limits,
        &mut |line| line.starts_with("part "),
        &mut |part| {
            parts.push(part);
            if parts.len() == enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    );
    (parts, run)
}

fn texts(parts: &[Part]) -> Vec<&str> {
    parts.iter().map(|part| part.stdout.text.as_str()).collect()
}

fn limits(seconds: f64) -> Limits {
    Limits { time: Duration::from_secs_f64(seconds), ..Limits::default() }
}

const NEVER: usize = usize::MAX;

#[test]
fn output_is_split_at_lines_that_begin_a_part() {
    let script = "echo hello; printf 'pa'; sleep 0.2; echo 'rt 1'; echo one; echo two; \
                  printf 'part 2\\r\\n no part 3\\npart'";
    let (parts, run) = run(script, &limits(60.0), NEVER);
    assert_eq!(texts(&parts), ["hello\n", "part 1\none\ntwo\n"]);
    assert_eq!(run.stdout.text, "part 2\r\n no part 3\npart");
    assert_eq!(run.ending, Ending::Exited(0));
}

#[test]
fn without_a_line_that_begins_a_part_the_run_is_whole() {
    let (parts, run) = run("echo a; echo b >&2; exit 3", &limits(60.0), NEVER);
    assert_eq!(parts, []);
    assert_eq!((run.stdout.text.as_str(), run.stderr.text.as_str()), ("a\n", "b\n"));
    assert_eq!(run.ending, Ending::Exited(3));
}

#[test]
fn a_line_that_is_too_long_begins_no_part() {
    let script = "printf 'part '; head -c 200000 /dev/zero | tr '\\0' x; echo; echo end";
    let (parts, run) = run(script, &limits(60.0), NEVER);
    assert_eq!(parts, []);
    assert_eq!(run.stdout.text.len(), 200_000 + "part \nend\n".len());
}

#[test]
fn the_time_limit_is_that_of_each_part() {
    let script = "for i in 1 2 3; do echo part $i; sleep 1; done; echo part 4; sleep 100";
    let (parts, run) = run(script, &limits(2.5), NEVER);
    assert_eq!(texts(&parts), ["", "part 1\n", "part 2\n", "part 3\n"]);
    assert_eq!(run.ending, Ending::Limited(Limit::Time));
    assert_eq!(run.stdout.text, "part 4\n");
    for part in &parts[1..] {
        assert!(part.usage.wall >= Duration::from_millis(900), "{:?}", part.usage);
    }
}

#[test]
fn the_output_limit_is_that_of_each_part() {
    let script = "for i in 1 2 3; do echo part $i; head -c 60000 /dev/zero | tr '\\0' x; echo; \
                  sleep 0.2; done; echo part 4; yes";
    let (parts, run) = run(script, &Limits { output: 100_000, ..limits(60.0) }, NEVER);
    assert_eq!(parts.len(), 4);
    assert_eq!(run.ending, Ending::Limited(Limit::Output));
}

#[test]
fn processor_time_is_that_of_each_part() {
    let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
    let script = format!("echo part 1; {busy}; echo part 2; sleep 0.5; echo part 3; sleep 0.3");
    let (parts, run) = run(&script, &limits(60.0), NEVER);
    let [_, first, second] = &parts[..] else { panic!("{} parts", parts.len()) };
    assert!(first.usage.cpu > 4 * second.usage.cpu, "{:?} {:?}", first.usage, second.usage);
    assert!(first.usage.cpu > 4 * run.usage.cpu, "{:?} {:?}", first.usage, run.usage);
}

#[test]
fn when_it_is_enough_the_run_ends() {
    let script = "for i in 1 2 3; do echo part $i; done; sleep 1000";
    let (parts, run) = run(script, &limits(60.0), 2);
    assert_eq!(texts(&parts), ["", "part 1\n"]);
    assert_eq!(run.ending, Ending::Cancelled);
}

#[test]
fn the_end_of_the_run_leaves_no_part_out() {
    let script = "for i in 1 2 3 4 5 6 7 8 9; do echo part $i; done";
    let (parts, run) = run(script, &limits(60.0), NEVER);
    assert_eq!(parts.len(), 9);
    assert_eq!(run.stdout.text, "part 9\n");
}
