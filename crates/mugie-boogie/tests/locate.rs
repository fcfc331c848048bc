//! mugie maps the places that the real Boogie reports in a mutant to places in the seed.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::disallowed_methods, reason = "the tests read files and run Boogie")]

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use bpl_syntax::source::SourceMap;
use bpl_syntax::{Dialect, parse_files};
use mugie_boogie::locate::{SeedSource, report_message};
use mugie_boogie::{BOOGIE, Subject, operators};
use mugie_core::{
    Closure, Failure, FailureKind, LanguageOptions, Location, Message, Program, ReportedFailure,
    Seed, SeedPlace, SourceText, Weights,
};
use support::has_boogie;

const SEED: &str = "\
// Each kind of thing that can fail, in a layout of its own.
procedure   q(x: int)  returns (r: int);  requires x > 0
   && x < 10; ensures r > 0;

procedure loops(n: int)
{ var i: int;
  i := 0;
  while (i < n)
    invariant i < 5; invariant  i <=
      9;
  { i := i + 1; }
  i := 9;
  while (i < n) invariant 10<i; {}
}

procedure ends(n: int) returns (y: int)
  /* why */ ensures y   == n;  ensures y >= 0;
{
  if (n > 7) { y := 8; return; } else { y := n; }
}

procedure asserts(n: int, m: int) {
  var r: int;
  if (m > 3)
  { assert  n == 7 ; }
  else
  { call r := q(n - 100); }
  assert {:a} n < m && n >
    0;
}
";

fn seed() -> Box<dyn Seed> {
    let file = SourceText { name: "dir/seed.bpl".to_owned(), bytes: SEED.into() };
    BOOGIE.read(vec![file], &LanguageOptions::default()).unwrap()
}

/// Splits `dir/f.bpl(1,2): text` into the location and the text.
fn located(line: &str) -> Option<(Location, &str)> {
    let (place, text) = line.split_once("): ")?;
    let (file, position) = place.rsplit_once('(')?;
    let (line, column) = position.split_once(',')?;
    let (line, column) = (line.parse().ok()?, column.parse().ok()?);
    Some((Location { file: file.to_owned(), line, column }, text))
}

/// The names of a program's files, and Boogie's output for them.
fn boogie(directory: &Path, subject: &dyn Program) -> (Vec<String>, String) {
    let mut names = Vec::new();
    let mut command = Command::new("boogie");
    command.args(["/nologo", "/errorLimit:20"]);
    for file in subject.texts() {
        let name = format!("mutant-{}.bpl", file.part);
        let path = directory.join(&name);
        fs::write(&path, file.text).unwrap();
        command.arg(path);
        names.push(name);
    }
    (names, String::from_utf8(command.output().unwrap().stdout).unwrap())
}

/// The names of a program's files, and the failures that Boogie reports in them.
fn failures(directory: &Path, subject: &dyn Program) -> (Vec<String>, Vec<Failure>) {
    let (names, output) = boogie(directory, subject);
    let mut failures: Vec<Failure> = Vec::new();
    for line in output.lines() {
        let Some((location, text)) = located(line) else { continue };
        if text.starts_with("Related location") {
            failures.last_mut().unwrap().related = Some(location);
        } else if let Some((code, message)) =
            text.strip_prefix("Error BP").and_then(|text| text.split_once(": "))
        {
            let kind = match code {
                "5001" => FailureKind::Assertion,
                "5002" => FailureKind::Precondition,
                "5003" => FailureKind::Postcondition,
                "5004" => FailureKind::InvariantEntry,
                "5005" => FailureKind::InvariantMaintenance,
                _ => panic!("{line}"),
            };
            let message = message.to_owned();
            failures.push(Failure { kind, message, location: Some(location), related: None });
        }
    }
    (names, failures)
}

/// The failures that Boogie reports in a program, with their places in the seed.
fn reports(seed: &dyn Seed, subject: &dyn Program) -> Vec<ReportedFailure> {
    let directory = tempfile::tempdir().unwrap();
    let (names, failures) = failures(directory.path(), subject);
    failures.iter().map(|failure| seed.locate_failure(subject, &names, failure)).collect()
}

/// The mutant that results from one application of an operator to the seed.
fn mutant(seed: &dyn Seed, operator: &str, words: &str) -> Arc<dyn Program> {
    let weights = Weights::parse(operator, operators::abouts()).unwrap();
    let mutants = Closure::new(seed.program(), &weights, 100);
    let mut mutants = mutants.map(Result::unwrap);
    let mutant = mutants.find(|mutant| mutant.edits[0].words == words);
    mutant.unwrap_or_else(|| panic!("no `{words}`")).program
}

/// The text of the seed from a place to the end of the line.
fn seed_text(place: &SeedPlace) -> &'static str {
    assert_eq!(place.file, "dir/seed.bpl");
    &SEED.lines().nth(place.line as usize - 1).unwrap()[place.column as usize - 1..]
}

/// Kinds of failures and their places in the seed, without repetitions.
fn places(reports: &[ReportedFailure]) -> Vec<(String, &'static str)> {
    let place = |report: &ReportedFailure| {
        let place = report.seed_place.as_ref().unwrap();
        assert!(place.exact, "{report:?}");
        (report.kind.unwrap().to_string(), seed_text(place))
    };
    let mut places: Vec<_> = reports.iter().map(place).collect();
    places.sort_unstable();
    places.dedup();
    places
}

#[test]
fn each_kind_of_failure_is_found_in_the_source() {
    if !has_boogie() {
        return;
    }
    let seed = seed();
    let reports = reports(&*seed, &**seed.program());
    let found: Vec<_> = reports
        .iter()
        .map(|report| {
            let place = report.seed_place.as_ref().unwrap();
            assert!(place.exact);
            (report.kind.unwrap(), report.element.as_deref().unwrap(), seed_text(place))
        })
        .collect();
    let expected = [
        (FailureKind::InvariantMaintenance, "invariant i < 5;", "invariant i < 5; invariant  i <="),
        (FailureKind::InvariantEntry, "invariant 10 < i;", "invariant 10<i; {}"),
        (FailureKind::Postcondition, "ensures y == n;", "ensures y   == n;  ensures y >= 0;"),
        (FailureKind::Postcondition, "ensures y >= 0;", "ensures y >= 0;"),
        (FailureKind::Assertion, "assert n == 7;", "assert  n == 7 ; }"),
        (
            FailureKind::Precondition,
            "call r := q(n - 100); // requires x > 0 && x < 10;",
            "call r := q(n - 100); }",
        ),
        (FailureKind::Assertion, "assert n < m && n > 0;", "assert {:a} n < m && n >"),
    ];
    assert_eq!(found, expected);
    assert_eq!(reports[2].mutant_place.as_deref(), Some("mutant-0.bpl:23:3"));
}

#[test]
fn mutants_fail_where_the_seed_would() {
    if !has_boogie() {
        return;
    }
    let seed = seed();
    let expected = places(&reports(&*seed, &**seed.program()));
    for (operator, words) in [
        ("S1", "swap procedure `q` with procedure `asserts`"),
        ("S2", "split off the implementation in procedure `ends`"),
        ("S3", "move procedure `loops` to a second file, given first"),
        ("L5", "swap ensures `y == n` with `y >= 0` in procedure `ends`"),
        ("L6", "flip the `if` on `m > 3` in procedure `asserts`"),
        ("rename-global", "rename procedure `q` to `q_r1`"),
        ("rename-local", "rename local `i` to `i_r1` in procedure `loops`"),
        ("split-clause", "split requires `x > 0 && x < 10` in procedure `q`"),
        ("swap-operands", "swap the operands of `n == 7` in procedure `asserts`"),
        ("desugar-control", "desugar the `while` on `i < n` in procedure `loops`"),
    ] {
        let mutant = mutant(&*seed, operator, words);
        assert_eq!(places(&reports(&*seed, &*mutant)), expected, "{words}");
    }
}

#[test]
fn clauses_that_are_joined_are_in_their_declaration() {
    if !has_boogie() {
        return;
    }
    let seed = seed();
    let mutant = mutant(&*seed, "L4", "join `y == n` and `y >= 0` in procedure `ends`");
    let reports = reports(&*seed, &*mutant);
    let is_joined =
        |report: &&ReportedFailure| report.element.as_deref() == Some("ensures y == n && y >= 0;");
    let place = reports.iter().find(is_joined).unwrap().seed_place.as_ref().unwrap();
    assert!(!place.exact);
    assert_eq!(seed_text(place), "procedure ends(n: int) returns (y: int)");
}

#[test]
fn rejections_are_found_in_the_source() {
    if !has_boogie() {
        return;
    }
    let text = "axiom   nowhere > 0;\nprocedure p() ensures missing;\n{ var x: absent;\n
                if (true) { call  gone(); } }\nprocedure p();";
    let sources = SourceMap::single("bad.bpl", text).unwrap();
    let subject = Subject::new(&parse_files(&sources, Dialect::Boogie2).program);
    let seed = SeedSource::new(subject, sources);
    let directory = tempfile::tempdir().unwrap();
    let (names, output) = boogie(directory.path(), seed.subject());
    let found: Vec<_> = output
        .lines()
        .filter_map(located)
        .map(|(mut location, text)| {
            // Boogie counts columns from 0 here.
            location.column += 1;
            let message = Message { text: text.to_owned(), location: Some(location) };
            let report = report_message(&seed, seed.subject(), &names, &message);
            assert_eq!(report.kind, None);
            let place = report.seed_place.unwrap();
            assert!(place.exact);
            (report.element.unwrap(), place.line, place.column)
        })
        .collect();
    let expected = [
        ("procedure p()", 6, 1),
        ("axiom nowhere > 0;", 1, 1),
        ("ensures missing;", 2, 15),
        ("var x: absent;", 3, 3),
        ("call gone();", 5, 29),
    ];
    assert_eq!(found, expected.map(|(element, line, column)| (element.to_owned(), line, column)));
}
