//! Malformed input of every kind gets a clear answer quickly.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;

use crate::support::{Run, Sandbox};

/// Runs `mugie check` on a file with these bytes.
fn check(bytes: impl AsRef<[u8]>) -> Run {
    Sandbox::new(&[("a.bpl", bytes)]).run(&["check", "a.bpl"])
}

/// Asserts that the program is rejected with a short message that contains this text.
fn assert_refused(run: &Run, message: &str) {
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains(message), "{}", run.stderr);
    assert!(run.stderr.len() < 20_000, "{} bytes of message", run.stderr.len());
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
}

#[test]
fn deep_nesting() {
    let n = 100_000;
    for (open, close) in
        [("(", ")"), ("-", ""), ("(if true then 1 else ", ")"), ("m[", "]"), ("f(", ")")]
    {
        let text = format!("axiom {}1{} == 1;", open.repeat(n), close.repeat(n));
        assert_refused(&check(text), "nest");
    }
    assert_refused(&check(format!("procedure p() {{ {}", "if (*) { ".repeat(n))), "nest");
    assert_refused(&check(format!("var x: {}int;", "[int]".repeat(n))), "nest");
    assert_refused(&check(format!("var x: {}", "(".repeat(n))), "nest");
}

#[test]
fn deep_nesting_within_the_limit_is_fine() {
    let n = 2_000;
    let text = format!("axiom {}1{} == 1;", "(-".repeat(n), ")".repeat(n));
    let sandbox = Sandbox::new(&[("a.bpl", text)]);
    for args in [&["check"][..], &["print"], &["debug", "tree"], &["debug", "types"]] {
        let run = sandbox.run(&[args, &["a.bpl"]].concat());
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
    }
}

#[test]
fn binary_file() {
    let bytes: Vec<u8> = (0..10_000_u32).map(|i| (i * i / 7).to_le_bytes()[0]).collect();
    let run = check([&b"\x7fELF\x02\x01\x01\0"[..], &bytes].concat());
    assert_refused(&run, "this is a binary file: byte 7 is zero");
    assert_eq!(run.stdout, "a.bpl: rejected (Boogie 2), 1 error\n");
}

#[test]
fn bytes_that_are_not_utf_8() {
    let run = check(b"type T;\nvar x\xff: int;\n");
    assert_refused(&run, "the byte at offset 13 is not UTF-8");
    assert!(run.stderr.contains("a.bpl:2:6"), "{}", run.stderr);
    assert!(run.stderr.contains("save the file as UTF-8"), "{}", run.stderr);
}

#[test]
fn comments_may_hold_any_bytes() {
    let run = check(b"// caf\xe9\ntype T; /* \x80 */\n");
    assert_eq!((run.code, run.stdout.as_str()), (0, "a.bpl: accepted (Boogie 2)\n"));
    assert!(run.stderr.contains("the byte at offset 6, in line 1, is not UTF-8"));
}

#[test]
fn utf_16() {
    let text: Vec<u8> = "\u{FEFF}type T;".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let run = check(text);
    assert_refused(&run, "UTF-16");
    assert!(run.stderr.contains("iconv -f UTF-16 -t UTF-8"));
}

#[test]
fn empty_file() {
    assert_refused(&check(""), "the file is empty");
}

#[test]
fn missing_file() {
    let run = Sandbox::empty().run(&["check", "nowhere.bpl"]);
    assert_refused(&run, "nowhere.bpl: there is no such file");
    assert_eq!(run.stdout, "nowhere.bpl: unreadable\n");
}

#[test]
fn a_missing_file_does_not_stop_the_others() {
    let sandbox = Sandbox::new(&[("a.bpl", "type T;")]);
    let run = sandbox.run(&["check", "nowhere.bpl", "a.bpl"]);
    assert_eq!(run.code, 2);
    assert_eq!(run.stdout, "nowhere.bpl: unreadable\na.bpl: accepted (Boogie 2)\n");
}

#[test]
fn directory() {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.path("programs")).unwrap();
    let run = sandbox.run(&["check", "programs"]);
    assert_refused(&run, "programs: this is a directory");
    assert!(run.stderr.contains("programs/*.bpl"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn unreadable_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new(&[("a.bpl", "type T;")]);
    let path = sandbox.path("a.bpl");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).unwrap();
    if fs::read(&path).is_ok() {
        eprintln!("SKIPPED: root may read everything");
        return;
    }
    assert_refused(&sandbox.run(&["check", "a.bpl"]), "no permission to read");
}

#[test]
fn a_name_that_commands_the_terminal_is_escaped() {
    let run = Sandbox::empty().run(&["check", "\x1b[2J.bpl"]);
    assert_refused(&run, "\\u{1b}[2J.bpl");
    assert!(!run.stdout.contains('\x1b') && !run.stderr.contains('\x1b'));
}

/// A single test, because each case takes up to two gigabytes of memory for a while.
#[test]
fn fifty_megabytes() {
    fifty_megabytes_of_declarations();
    fifty_megabytes_in_one_line();
    fifty_megabytes_in_one_name();
    fifty_megabytes_of_errors();
}

fn fifty_megabytes_of_declarations() {
    let sandbox = Sandbox::empty();
    let mut text = String::new();
    let mut index = 0;
    while text.len() < 50_000_000 {
        index += 1;
        let _ = write!(
            text,
            "function f{index}(x: int, y: [int]bool): bool {{ y[x] && (x > {index} || x == 2) }}\n\
             axiom (forall x: int :: {{ f{index}(x, m) }} f{index}(x, m) ==> x < {index} + 1);\n"
        );
    }
    text += "const m: [int]bool;\n";
    fs::write(sandbox.path("a.bpl"), &text).unwrap();
    let run = sandbox.run(&["check", "a.bpl"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "a.bpl: accepted (Boogie 2)\n"));

    let mut file = fs::OpenOptions::new().append(true).open(sandbox.path("a.bpl")).unwrap();
    file.write_all(b"axiom 1 + ;").unwrap();
    assert_refused(&sandbox.run(&["check", "a.bpl"]), &format!("a.bpl:{}:11", 2 * index + 2));
}

fn fifty_megabytes_in_one_line() {
    let mut text = "axiom 1 < 2; ".repeat(4_000_000);
    assert_eq!(check(&text).code, 0);
    text += "axiom 1 + ;";
    assert_refused(&check(&text), "a.bpl:1:52000011");
}

fn fifty_megabytes_in_one_name() {
    let text = format!("var {}: int int;", "x".repeat(50_000_000));
    assert_refused(&check(text), "the line is very long");
}

fn fifty_megabytes_of_errors() {
    assert_refused(&check("axiom ; ".repeat(6_000_000)), "the line is very long");
    assert_refused(&check(") } ".repeat(12_000_000)), "the line is very long");
}
