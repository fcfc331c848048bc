//! What Why3 says of translated programs: right ones are verified, wrong ones are not, and Boogie says
//! the same.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::disallowed_methods, reason = "the tests read files and run verifiers")]

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use support::{Why3, programs, root, translate, translate_file, verdicts};

/// Programs in which the names of procedures say whether they are right or wrong.
fn fixtures() -> Vec<PathBuf> {
    programs(&root().join("fixtures/whyml"))
}

fn stem(path: &std::path::Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

/// Whether the name of a procedure says that it is right.
fn is_right(procedure: &str) -> bool {
    let right = procedure.starts_with("right_");
    assert!(right || procedure.starts_with("wrong_"), "{procedure}");
    right
}

#[test]
fn why3_verifies_what_is_right_and_nothing_wrong() {
    let Some(why3) = Why3::find() else { return };
    let paths = fixtures();
    let translated: Vec<_> = paths.iter().map(|path| translate_file(path).unwrap()).collect();
    let files: Vec<PathBuf> =
        paths.iter().zip(&translated).map(|(path, done)| why3.write(&stem(path), done)).collect();
    why3.accepts(&files);
    let (mut right, mut wrong, mut failures) = (0, 0, String::new());
    for ((path, done), goals) in paths.iter().zip(&translated).zip(why3.goals(&files)) {
        for (procedure, verified) in verdicts(done, &goals) {
            *if is_right(&procedure) { &mut right } else { &mut wrong } += 1;
            if verified != is_right(&procedure) {
                writeln!(failures, "{}: {procedure}: {verified}", path.display()).unwrap();
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(right >= 100 && wrong >= 100, "{right} right, {wrong} wrong");
}

/// Procedures of which Boogie says something else, and why.
const DIFFERENT: [(&str, &str); 2] = [
    ("right_$", "a function named `match` breaks the query that Boogie makes"),
    ("right_begin", "a function named `match` breaks the query that Boogie makes"),
];

#[test]
fn boogie_says_the_same() {
    if Command::new("boogie").arg("/nologo").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "boogie is missing; see `make tools`");
        eprintln!("SKIPPED: boogie is not installed");
        return;
    }
    let mut failures = String::new();
    // Programs with type parameters do not share a process: their types would get other numbers.
    let paths: Vec<PathBuf> =
        fixtures().into_iter().filter(|path| !stem(path).ends_with("boogie3")).collect();
    for path in paths {
        let mut command = Command::new("boogie");
        let output = command.args(["/nologo", "/noinfer", "/trace"]).arg(&path).output().unwrap();
        let said = outcomes(&String::from_utf8_lossy(&output.stdout));
        let expected = verdicts(&translate_file(&path).unwrap(), &BTreeMap::new());
        assert!(!expected.is_empty() && expected.len() == said.len(), "{}", path.display());
        for (procedure, verified) in said {
            let known = DIFFERENT.iter().any(|(name, _)| *name == procedure);
            if verified != is_right(&procedure) && !known {
                writeln!(failures, "{}: {procedure}: {verified}", path.display()).unwrap();
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// Whether Boogie verified each procedure, from what it prints with `/trace`.
fn outcomes(output: &str) -> BTreeMap<String, bool> {
    let mut outcomes = BTreeMap::new();
    let mut procedure = "";
    for line in output.lines() {
        if let Some(name) = line.strip_prefix("Verifying ") {
            procedure = name.trim_end_matches(" ...");
        } else if let Some((_, outcome)) =
            line.strip_prefix("  [").and_then(|l| l.split_once("]  "))
        {
            *outcomes.entry(procedure.to_owned()).or_insert(true) &= outcome == "verified";
        }
    }
    outcomes
}

#[test]
fn every_order_of_the_motivating_example_is_verified_and_few_texts_differ() {
    let Some(why3) = Why3::find() else { return };
    let declarations = [
        "function above(x: int) returns (int);",
        "axiom (forall x, y: int :: x > y ==> above(x) > y);",
        "const row: [int]int;",
        "axiom (forall i: int :: 0 <= i ==> row[i] < row[i + 1]);",
        "procedure pick(i: int) returns (o: int) requires i >= 0; ensures o > row[i]; { o := above(row[i + 1]); }",
    ];
    let mut texts = std::collections::BTreeSet::new();
    for order in orders(declarations.len()) {
        let program: Vec<&str> = order.iter().map(|&place| declarations[place]).collect();
        texts.insert(translate(&program.join("\n")).unwrap().files.0.remove(0).1);
    }
    // The order of the axioms, and that of the constant and the function.
    assert_eq!(texts.len(), 4);
    let first = translate(&declarations.join("\n")).unwrap();
    let files: Vec<PathBuf> = texts
        .into_iter()
        .enumerate()
        .map(|(number, text)| {
            let mut done = first.clone();
            done.files.0[0].1 = text;
            why3.write(&format!("order{number}"), &done)
        })
        .collect();
    for goals in why3.goals(&files) {
        assert_eq!(goals.get("i_pick'vc").map(String::as_str), Some("Valid"));
    }
}

/// All orders of `count` things.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        all = all
            .into_iter()
            .flat_map(|order: Vec<usize>| {
                let free: Vec<usize> = (0..count).filter(|place| !order.contains(place)).collect();
                free.into_iter().map(move |place| {
                    let mut order = order.clone();
                    order.push(place);
                    order
                })
            })
            .collect();
    }
    all
}

#[test]
fn every_shipped_seed_is_accepted_by_why3() {
    let Some(why3) = Why3::find() else { return };
    accepted(&why3, &programs(&root().join("seeds")));
}

#[test]
fn every_seed_of_the_paper_is_accepted_by_why3() {
    let Some(why3) = Why3::find() else { return };
    let folder = root().join("../shared/seeds/paper");
    if !folder.is_dir() {
        eprintln!("SKIPPED: seeds of the paper: there is no {}", folder.display());
        return;
    }
    let seeds = programs(&folder);
    assert!(seeds.len() >= 115);
    accepted(&why3, &seeds);
}

/// Fails if a program is not translated, or Why3 rejects its translation.
fn accepted(why3: &Why3, seeds: &[PathBuf]) {
    let mut files = Vec::new();
    for (number, path) in seeds.iter().enumerate() {
        let done =
            translate_file(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        files.push(why3.write(&format!("seed{number}"), &done));
    }
    why3.accepts(&files);
}
