//! `mugie print`

use std::fs;
use std::process::Stdio;

use crate::support::Sandbox;

const MESSY: &str = "var  x:int ; /* gone */ axiom {:a 1}((x))==(1+2) ;";
const NEAT: &str = "var x: int;\n\naxiom {:a 1} x == 1 + 2;\n";

#[test]
fn the_layout_is_canonical() {
    let sandbox = Sandbox::new(&[("messy.bpl", MESSY), ("neat.bpl", NEAT)]);
    for file in ["messy.bpl", "neat.bpl"] {
        let run = sandbox.run(&["print", file]);
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, NEAT, ""));
    }
}

#[test]
fn programs_are_printed_in_the_order_given() {
    let sandbox = Sandbox::new(&[("a.bpl", "type A;"), ("b.bpl", "type B;")]);
    let run = sandbox.run(&["print", "b.bpl", "a.bpl", "b.bpl"]);
    assert_eq!(run.stdout, "type B;\ntype A;\ntype B;\n");
}

#[test]
fn a_program_is_printed_in_its_own_dialect() {
    let text = "datatype D { C(x: int) }\n";
    let run = Sandbox::empty().run_with_stdin(&["print", "-"], text.as_bytes());
    assert_eq!((run.code, run.stdout.as_str()), (0, text));
}

#[test]
fn names_and_types_need_not_be_right() {
    let run = Sandbox::empty().run_with_stdin(&["print", "-"], b"axiom nothing+true;");
    assert_eq!((run.code, run.stdout.as_str()), (0, "axiom nothing + true;\n"));
}

#[test]
fn syntax_errors_are_refused_and_other_programs_printed() {
    let sandbox = Sandbox::new(&[("a.bpl", "axiom 1 + ;"), ("b.bpl", "type B;")]);
    let run = sandbox.run(&["print", "a.bpl", "b.bpl"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, "type B;\n"));
    assert!(run.stderr.contains("a.bpl:1:11"), "{}", run.stderr);
}

#[test]
fn out_replaces_the_file() {
    let sandbox = Sandbox::new(&[("a.bpl", MESSY)]);
    let run = sandbox.run(&["print", "a.bpl", "-o", "a.bpl"]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
    assert_eq!(fs::read_to_string(sandbox.path("a.bpl")).unwrap(), NEAT);
    assert_eq!(sandbox.names(), ["a.bpl"]);
}

#[test]
fn out_takes_files_together() {
    let sandbox = Sandbox::new(&[("a.bpl", "type A;"), ("b.bpl", "type B;")]);
    let run = sandbox.run(&["print", "--together", "a.bpl", "b.bpl", "--out", "c.bpl"]);
    assert_eq!(run.code, 0);
    let printed = fs::read_to_string(sandbox.path("c.bpl")).unwrap();
    assert_eq!(printed, sandbox.run(&["print", "--together", "a.bpl", "b.bpl"]).stdout);
    assert!(printed.contains("type A;") && printed.contains("type B;"));
}

#[test]
fn out_leaves_the_file_alone_when_the_program_is_refused() {
    let sandbox = Sandbox::new(&[("a.bpl", "axiom 1 + ;"), ("b.bpl", "precious")]);
    let run = sandbox.run(&["print", "a.bpl", "-o", "b.bpl"]);
    assert_eq!(run.code, 2);
    assert_eq!(fs::read_to_string(sandbox.path("b.bpl")).unwrap(), "precious");
    assert_eq!(sandbox.names(), ["a.bpl", "b.bpl"]);
}

#[test]
fn out_into_a_missing_directory_is_explained() {
    let sandbox = Sandbox::new(&[("a.bpl", "type A;")]);
    let run = sandbox.run(&["print", "a.bpl", "-o", "nowhere/b.bpl"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("create the directory first"), "{}", run.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn out_writes_to_devices() {
    let sandbox = Sandbox::new(&[("a.bpl", "type A;")]);
    assert_eq!(sandbox.run(&["print", "a.bpl", "-o", "/dev/null"]).code, 0);
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn a_broken_pipe_is_success() {
    let sandbox = Sandbox::new(&[("a.bpl", "axiom 1 + 2 == 3;\n".repeat(50_000))]);
    let mut command = sandbox.command();
    command.args(["print", "a.bpl"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[cfg(target_os = "linux")]
#[test]
fn interrupting_leaves_no_half_written_file() {
    let sandbox = Sandbox::new(&[("a.bpl", "axiom 1 + 2 == 3;\n".repeat(20_000))]);
    fs::write(sandbox.path("b.bpl"), "precious").unwrap();
    let whole = sandbox.run(&["print", "a.bpl"]).stdout;
    for milliseconds in [1, 5, 10, 20, 40, 80] {
        let mut command = sandbox.command();
        command.args(["print", "a.bpl", "-o", "b.bpl"]).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        let mut kill = std::process::Command::new("kill");
        let _ = kill.args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status();
        child.wait().unwrap();
        let text = fs::read_to_string(sandbox.path("b.bpl")).unwrap();
        assert!(text == "precious" || text == whole);
        assert_eq!(sandbox.names(), ["a.bpl", "b.bpl"]);
    }
}
