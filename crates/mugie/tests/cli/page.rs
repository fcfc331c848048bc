//! `mugie test --report`: the result of a test as an HTML page.

use std::fs;

use crate::support::{Run, Sandbox, commands, shell, unescaped};
use crate::test::{BRITTLE, ROBUST};

fn tested(sandbox: &Sandbox, args: &[&str]) -> Run {
    sandbox.run(&[&["test", "--cache", "cache"], args].concat())
}

/// The identifiers of the sections, in order.
fn sections(page: &str) -> Vec<&str> {
    page.split("<section id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

#[test]
fn a_test_over_a_folder_writes_a_page() {
    let sandbox = Sandbox::new(&[("a.bpl", BRITTLE), ("b.bpl", ROBUST)]);
    let args = [".", "-n", "6", "--operators", "L5", "--report", "page.html"];
    let run = tested(&sandbox, &args);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.contains("report in page.html\n"), "{run:?}");
    let page = fs::read_to_string(sandbox.path("page.html")).unwrap();
    assert_eq!(
        sections(&page),
        ["asked", "answer", "brittle", "pictures", "seeds", "tables", "detail"]
    );
    let words = unescaped(&page);
    for fact in [
        "verifies 2 of 2 seeds",
        "1 of these is brittle",
        "id=\"brittle-a.bpl\"",
        "A failing mutant: a-0001, 1 edit",
        "by L5",
        "2 more runs time out",
    ] {
        assert!(words.contains(fact), "{fact}: {words}");
    }
    assert!(!page.contains("Smallest change"), "nothing was minimised");
    // The commands reproduce the failure.
    let lines = commands(&page);
    let made = lines.iter().find(|line| line.starts_with("mugie mutate")).unwrap();
    shell(&sandbox, made);
    assert!(sandbox.path("a.mutants").exists(), "{made}");

    // The same results give the same page, with any number of threads.
    for jobs in ["1", "7"] {
        let run = sandbox.run(&[&["test", "--no-cache", "-j", jobs], &args[..]].concat());
        assert_eq!(run.code, 1, "{run:?}");
        assert_eq!(fs::read_to_string(sandbox.path("page.html")).unwrap(), page, "{jobs} jobs");
    }
}

#[test]
fn a_page_calls_a_minimised_change_the_smallest_and_has_the_queries() {
    let sandbox = Sandbox::new(&[("a.bpl", BRITTLE)]);
    let args = ["a.bpl", "-n", "4", "--operators", "L5", "--minimise", "--report", "page.html"];
    let run = tested(&sandbox, &args);
    assert_eq!(run.code, 1, "{run:?}");
    let page = fs::read_to_string(sandbox.path("page.html")).unwrap();
    assert!(page.contains("<h4>Smallest change that fails</h4>"), "{page}");
    // Two levels: programs and queries, each with a tool of its own.
    let args = ["a.bpl", "-n", "2", "--operators", "L5", "--level", "both", "--report", "two.html"];
    let mut args = args.to_vec();
    // The operators are those of programs.
    args.drain(3..5);
    let run = tested(&sandbox, &args);
    assert_ne!(run.code, 2, "{run:?}");
    let page = fs::read_to_string(sandbox.path("two.html")).unwrap();
    assert!(page.contains("queries (") && page.contains("z3"), "{page}");
}

#[test]
fn a_page_that_cannot_be_written_is_said_and_leaves_nothing() {
    let sandbox = Sandbox::new(&[("a.bpl", ROBUST)]);
    fs::create_dir(sandbox.path("folder")).unwrap();
    for (place, words) in [
        ("missing/page.html", "help: create the directory first"),
        ("a.bpl/page.html", "is not a directory"),
        ("folder", "folder: is a directory"),
    ] {
        let run = tested(&sandbox, &["a.bpl", "-n", "2", "--report", place]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "it is said before the test: {run:?}");
        assert!(run.stderr.contains(words), "{place}: {run:?}");
    }
    // A full disk shows only at the end: the answer is printed all the same.
    let run = tested(&sandbox, &["a.bpl", "-n", "2", "--report", "/dev/full"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stdout.starts_with("a.bpl is robust"), "{run:?}");
    assert!(run.stderr.contains("/dev/full: cannot write the file: No space left"), "{run:?}");
    assert_eq!(sandbox.names(), ["a.bpl", "cache", "folder"], "nothing is left behind");
}
