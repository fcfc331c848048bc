//! Programs on one long line: memory is bounded by a multiple of the line, and time grows with it.
//!
//! Memory and processor time are as counted by the kernel, so a busy machine does not change them.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::Sandbox;

/// Bytes in the line whose memory is measured: large compared with the memory of mugie itself.
const LARGE: usize = 8 << 20;

/// Bytes in the shorter of the two lines whose times are compared; the longer has four times as many.
const SMALL: usize = 1 << 20;

/// Ticks of processor time in a second.
const SECOND: u64 = 100;

/// How long a run may take before the test fails.
const PATIENCE: Duration = Duration::from_mins(2);

/// A program of about this number of bytes.
type Shape = fn(usize) -> String;

fn repeated(start: &str, piece: &str, end: &str, size: usize) -> String {
    format!("{start}{}{end}", piece.repeat(size / piece.len()))
}

fn names(size: usize) -> impl Iterator<Item = String> {
    (0..size / 10).map(|number| format!("x{number}"))
}

fn joined(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

fn statements(size: usize) -> String {
    repeated("procedure p() { var x: int; ", "x := x + 1; ", "}", size)
}

fn assertions(size: usize) -> String {
    repeated("procedure p() { ", "assert true; ", "}", size)
}

fn axioms(size: usize) -> String {
    let sum = vec!["c"; 1000].join(" + ");
    repeated("const c: int; ", &format!("axiom {sum} == 1; "), "", size)
}

fn comment(size: usize) -> String {
    repeated("/* ", "a ", "*/ axiom true;", size)
}

fn string(size: usize) -> String {
    repeated("axiom {:a \"", "a ", "\"} true;", size)
}

fn name(size: usize) -> String {
    repeated("const ", "a", ": int;", size)
}

fn number(size: usize) -> String {
    repeated("axiom 0 < ", "7", ";", size)
}

fn parameters(size: usize) -> String {
    format!("procedure p({}) {{ }}", joined(names(size).map(|name| name + ": int")))
}

fn parallel_assignment(size: usize) -> String {
    let names = joined(names(size / 2));
    let values = joined(names.split(", ").map(|_| "0".to_owned()));
    format!("procedure p() {{ var {names}: int; {names} := {values}; }}")
}

fn constants(size: usize) -> String {
    joined(names(size).map(|name| format!("const {name}: int; "))).replace("; , ", "; ")
}

fn illegal_end(size: usize) -> String {
    statements(size).replace('}', "@ }")
}

fn ill_typed_end(size: usize) -> String {
    statements(size).replace('}', "x := true; }")
}

fn ill_typed(size: usize) -> String {
    repeated("procedure p() { var x: int; ", "x := true; ", "}", size)
}

fn undeclared(size: usize) -> String {
    repeated("procedure p() { ", "y := y; ", "}", size)
}

fn illegal(size: usize) -> String {
    repeated("", "@ ", "", size)
}

/// The resources that a run used, and how it ended.
#[derive(Clone, Copy, Debug)]
struct Cost {
    /// Peak memory in bytes.
    memory: u64,
    /// Processor time in ticks.
    time: u64,
    code: i32,
    talk: usize,
}

/// Runs mugie on a program and samples its resources every millisecond until it ends.
fn cost(arguments: &[&str], program: &str) -> Cost {
    let sandbox = Sandbox::new(&[("a.bpl", program)]);
    let mut command = sandbox.command();
    command.args(arguments).arg("a.bpl").stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(fs::File::create(sandbox.path("stderr")).unwrap());
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    let (mut memory, mut time) = (0, 0);
    let status = loop {
        (memory, time) = seen(&child).unwrap_or((memory, time));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > PATIENCE || time > 60 * SECOND {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{arguments:?} takes too long: {time} ticks");
        }
        thread::sleep(Duration::from_millis(1));
    };
    let talk = fs::read(sandbox.path("stderr")).unwrap().len();
    Cost { memory, time, code: status.code().unwrap(), talk }
}

/// The peak memory and the processor time so far of a running process.
fn seen(child: &Child) -> Option<(u64, u64)> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let peak: u64 = peak.trim().strip_suffix(" kB")?.parse().ok()?;
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    // The name in parentheses may contain anything; user and system time are the twelfth and
    // thirteenth field after it.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ').skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let kernel: u64 = fields.next()?.parse().ok()?;
    Some((peak * 1024, user + kernel))
}

/// Measures the memory of a command on a long line, as a multiple of the length of the line.
fn multiple(arguments: &[&str], shape: Shape) -> (u64, Cost) {
    let program = shape(LARGE);
    let nothing = cost(arguments, "axiom true;").memory;
    let cost = cost(arguments, &program);
    (cost.memory.saturating_sub(nothing) / program.len() as u64, cost)
}

/// The bound depends on the shape: a syntax tree with a node for every other byte takes more memory
/// than one with long names.
#[test]
fn memory_is_a_small_multiple_of_a_long_line() {
    let shapes: &[(&str, Shape, u64)] = &[
        ("a comment", comment, 3),
        ("a string", string, 5),
        ("a name", name, 5),
        ("a number", number, 5),
        ("assertions", assertions, 12),
        ("statements", statements, 28),
        ("sums", axioms, 28),
        ("an error at the end", illegal_end, 28),
        ("a wrong type at the end", ill_typed_end, 28),
        ("nothing legal", illegal, 3),
    ];
    for (words, shape, bound) in shapes {
        let (multiple, cost) = multiple(&["check"], *shape);
        eprintln!("{words}: {multiple} times the line, {cost:?}");
        assert!(multiple <= *bound, "{words}: {multiple} times the line");
        assert!(cost.talk < 10_000, "{words}: {} bytes of talk", cost.talk);
    }
}

/// Four times the length may take at most eight times as long; quadratic work would take sixteen times.
#[test]
fn time_grows_with_the_length_of_a_line() {
    let shapes: &[(&str, Shape, i32)] = &[
        ("statements", statements, 0),
        ("parameters", parameters, 0),
        ("a parallel assignment", parallel_assignment, 0),
        ("constants", constants, 0),
        ("wrong types", ill_typed, 2),
        ("undeclared names", undeclared, 2),
        ("nothing legal", illegal, 2),
    ];
    for (words, shape, code) in shapes {
        for arguments in [&["check"][..], &["print"], &["mutate", "-n", "1", "--force"]] {
            let [short, long] = [SMALL, 4 * SMALL].map(|size| cost(arguments, &shape(size)));
            eprintln!("{arguments:?}, {words}: {} and {} ticks", short.time, long.time);
            // A program can be printed even if it is not well-typed.
            assert!(long.code == *code || arguments == ["print"], "{words}: {long:?}");
            assert!(long.time < 8 * short.time + SECOND, "{words}: {short:?}, {long:?}");
            assert!(long.talk < 10_000, "{words}: {} bytes of talk", long.talk);
        }
    }
}
