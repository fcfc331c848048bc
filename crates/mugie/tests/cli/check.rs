//! `mugie check`

use std::fmt::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Run, Sandbox};

/// A program that only Boogie 2 accepts: `is` is a name there.
const OLD: &str = "var is: int;\n";
/// A program that only Boogie 3 accepts.
const NEW: &str = "datatype D { C(x: int) }\n";
const BOTH: &str = "var x: int;\n";
const WRONG: &str = "var x: int\nvar y: bool;\n";

fn lines(run: &Run) -> Vec<Value> {
    run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn answers_come_in_the_order_given() {
    let mut files = Vec::new();
    for index in 0..30 {
        let size = if index % 3 == 0 { 3000 } else { 1 };
        files.push((format!("{index}.bpl"), "axiom 1 + 2 == 3;\n".repeat(size)));
    }
    let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text)).collect();
    let mut args = vec!["check", "-j", "4"];
    args.extend(files.iter().map(|(name, _)| *name));
    let run = Sandbox::new(&files).run(&args);
    let mut expected = String::new();
    for (name, _) in &files {
        let _ = writeln!(expected, "{name}: accepted (Boogie 2)");
    }
    assert_eq!((run.code, run.stdout, run.stderr), (0, expected, String::new()));
}

#[test]
fn a_rejected_program_is_explained_on_stderr() {
    let run = Sandbox::new(&[("a.bpl", BOTH), ("b.bpl", WRONG)]).run(&["check", "a.bpl", "b.bpl"]);
    assert_eq!(run.code, 2);
    assert_eq!(run.stdout, "a.bpl: accepted (Boogie 2)\nb.bpl: rejected (Boogie 2), 1 error\n");
    insta::assert_snapshot!(run.stderr, @r#"
        syntax error: expected `;`, found `var`
         --> b.bpl:1:11
          |
        1 | var x: int
          |           ^
    "#);
}

#[test]
fn json_has_one_object_per_program() {
    let sandbox = Sandbox::new(&[("a.bpl", NEW), ("b.bpl", WRONG)]);
    let run = sandbox.run(&["check", "--json", "a.bpl", "b.bpl", "missing.bpl"]);
    assert_eq!((run.code, run.stderr.as_str()), (2, ""));
    let lines = lines(&run);
    assert_eq!(lines[0], json!({"file": "a.bpl", "dialect": "3", "accepted": true, "errors": []}));
    let message = lines[1]["errors"][0]["message"].as_str().unwrap();
    assert_eq!(
        lines[1],
        json!({"file": "b.bpl", "dialect": "2", "accepted": false, "errors": [{
            "kind": "syntax", "file": "b.bpl", "line": 1, "column": 11,
            "message": message, "help": lines[1]["errors"][0]["help"],
        }]})
    );
    assert_eq!(lines[2]["dialect"], Value::Null);
    assert_eq!(lines[2]["accepted"], false);
    assert_eq!(lines[2]["errors"][0]["kind"], "file");
    assert_eq!(lines.len(), 3);
}

#[test]
fn json_tells_the_kinds_of_errors_apart() {
    let sandbox = Sandbox::new(&[
        ("syntax.bpl", "axiom 1 +;"),
        ("resolution.bpl", "axiom b;"),
        ("type.bpl", "axiom 1 + true == 2;"),
    ]);
    let run = sandbox.run(&["check", "--json", "syntax.bpl", "resolution.bpl", "type.bpl"]);
    let kinds: Vec<_> = lines(&run).iter().map(|line| line["errors"][0]["kind"].clone()).collect();
    assert_eq!(kinds, ["syntax", "resolution", "type"]);
}

#[test]
fn columns_count_characters_from_1() {
    let sandbox = Sandbox::new(&[("a.bpl", "// é\naxiom {:é \"é\"} true;")]);
    let error = lines(&sandbox.run(&["check", "--json", "a.bpl"]))[0]["errors"][0].clone();
    assert_eq!((&error["line"], &error["column"]), (&json!(2), &json!(9)));
}

#[test]
fn together_reads_one_program() {
    let sandbox =
        Sandbox::new(&[("a.bpl", "axiom f(1);\n"), ("b.bpl", "function f(x: int): bool;\n")]);
    let apart = sandbox.run(&["check", "--json", "a.bpl", "b.bpl"]);
    assert_eq!(apart.code, 2);
    let together = sandbox.run(&["check", "--json", "--together", "a.bpl", "b.bpl"]);
    assert_eq!(together.code, 0);
    assert_eq!(
        lines(&together),
        [json!({
            "file": "a.bpl", "files": ["a.bpl", "b.bpl"],
            "dialect": "2", "accepted": true, "errors": [],
        })]
    );
    let text = sandbox.run(&["check", "--together", "a.bpl", "b.bpl"]);
    assert_eq!(text.stdout, "a.bpl, b.bpl: accepted (Boogie 2)\n");
}

#[test]
fn together_names_the_file_of_an_error() {
    let sandbox = Sandbox::new(&[("a.bpl", BOTH), ("b.bpl", "\naxiom ;\n")]);
    let run = sandbox.run(&["check", "--json", "--together", "a.bpl", "b.bpl"]);
    let error = &lines(&run)[0]["errors"][0];
    assert_eq!((&error["file"], &error["line"]), (&json!("b.bpl"), &json!(2)));
}

#[test]
fn together_names_the_file_that_is_missing() {
    let sandbox = Sandbox::new(&[("a.bpl", BOTH)]);
    let run = sandbox.run(&["check", "--json", "--together", "a.bpl", "missing.bpl"]);
    assert_eq!(run.code, 2);
    let line = &lines(&run)[0];
    assert_eq!((&line["file"], &line["dialect"]), (&json!("a.bpl"), &Value::Null));
    assert_eq!(line["errors"][0]["file"], "missing.bpl");
}

#[test]
fn together_does_not_list_all_of_many_files() {
    let names: Vec<_> = (0..200).map(|index| format!("{index}.bpl")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), "// nothing")).collect();
    let args: Vec<_> =
        ["check", "--together"].into_iter().chain(names.iter().map(|n| &**n)).collect();
    let run = Sandbox::new(&files).run(&args);
    assert_eq!(run.stdout, "0.bpl, 1.bpl, 2.bpl and 197 more: accepted (Boogie 2)\n");
}

#[test]
fn auto_takes_the_dialect_that_accepts() {
    let sandbox = Sandbox::new(&[("old.bpl", OLD), ("new.bpl", NEW), ("both.bpl", BOTH)]);
    let run = sandbox.run(&["check", "old.bpl", "new.bpl", "both.bpl"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(
        run.stdout,
        "old.bpl: accepted (Boogie 2)\nnew.bpl: accepted (Boogie 3)\n\
         both.bpl: accepted (Boogie 2)\n"
    );
}

#[test]
fn auto_reports_the_dialect_that_got_further() {
    let sandbox = Sandbox::new(&[
        ("old.bpl", "var is: int;\naxiom 1 + ;"),
        ("new.bpl", "datatype D { C(x: int) }\naxiom 1 + ;"),
        ("tie.bpl", "axiom 1 + ;"),
        ("stage.bpl", "datatype D { C(x: int) }\naxiom nothing;"),
    ]);
    let run = sandbox.run(&["check", "--json", "old.bpl", "new.bpl", "tie.bpl", "stage.bpl"]);
    let dialects: Vec<_> = lines(&run).iter().map(|line| line["dialect"].clone()).collect();
    assert_eq!(dialects, ["2", "3", "2", "3"]);
}

#[test]
fn a_dialect_can_be_forced() {
    let sandbox = Sandbox::new(&[("old.bpl", OLD), ("new.bpl", NEW), ("both.bpl", BOTH)]);
    let two = sandbox.run(&["check", "--dialect", "2", "old.bpl", "new.bpl", "both.bpl"]);
    let three = sandbox.run(&["check", "--dialect=3", "old.bpl", "new.bpl", "both.bpl"]);
    let verdicts = |run: &Run| -> Vec<bool> {
        run.stdout.lines().map(|line| line.contains(": accepted")).collect()
    };
    assert_eq!(verdicts(&two), [true, false, true]);
    assert_eq!(verdicts(&three), [false, true, true]);
    assert!(three.stdout.contains("both.bpl: accepted (Boogie 3)"));
}

#[test]
fn standard_input_is_read() {
    let run = Sandbox::empty().run_with_stdin(&["check", "-"], BOTH.as_bytes());
    assert_eq!((run.code, run.stdout.as_str()), (0, "<stdin>: accepted (Boogie 2)\n"));
}

#[test]
fn standard_input_can_be_given_only_once() {
    let run = Sandbox::empty().run(&["check", "-", "-"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("only once"));
}

#[test]
fn the_number_of_errors_shown_is_bounded() {
    let sandbox = Sandbox::new(&[("a.bpl", "axiom ;\n".repeat(50))]);
    let shown = |args: &[&str]| sandbox.run(args).stderr.matches("syntax error:").count();
    assert_eq!(shown(&["check", "a.bpl"]), 20);
    assert_eq!(shown(&["check", "--max-errors", "3", "a.bpl"]), 3);
    assert_eq!(shown(&["check", "--max-errors", "0", "a.bpl"]), 50);
    let run = sandbox.run(&["check", "--max-errors", "3", "a.bpl"]);
    assert!(run.stderr.contains("47 more errors"), "{}", run.stderr);
}

#[test]
fn colours_are_for_terminals_or_on_demand() {
    let sandbox = Sandbox::new(&[("a.bpl", WRONG)]);
    assert!(!sandbox.run(&["check", "a.bpl"]).stderr.contains('\x1b'));
    assert!(sandbox.run(&["check", "--color", "always", "a.bpl"]).stderr.contains('\x1b'));
    assert!(!sandbox.run(&["check", "--color", "never", "a.bpl"]).stderr.contains('\x1b'));
}

#[test]
fn a_program_without_declarations_is_accepted_and_remarked_upon() {
    let sandbox = Sandbox::new(&[("comment.bpl", "// nothing\n")]);
    let run = sandbox.run(&["check", "comment.bpl"]);
    assert_eq!(run.code, 0);
    assert_eq!(run.stdout, "comment.bpl: accepted (Boogie 2)\n");
    assert!(run.stderr.contains("the program is empty"), "{}", run.stderr);
}

#[test]
fn a_broken_pipe_is_success() {
    let sandbox = Sandbox::new(&[("a.bpl", BOTH)]);
    let mut command = sandbox.command();
    command.arg("check").args(vec!["a.bpl"; 3000]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn a_closed_standard_error_does_not_matter() {
    let sandbox = Sandbox::new(&[("a.bpl", WRONG)]);
    let mut command = sandbox.command();
    command.args(["check", "a.bpl"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(2));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let sandbox = Sandbox::new(&[("a.bpl", BOTH)]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = sandbox.command();
    let output = command.args(["check", "a.bpl"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("cannot write to standard output"), "{stderr}");
}
