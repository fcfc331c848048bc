//! Helpers for the tests of operators, and the tests that every operator must pass.

use bpl_syntax::{Dialect, parse, print};

use mugie_core::{Place, Spot};

use super::ALL;
use crate::edit::Applied;
use crate::operator::Operator;
use crate::subject::{Subject, number_of};

/// Parses and checks a source, which must be well-formed in one of the dialects.
pub(crate) fn subject(source: &str) -> Subject {
    let mut parsed = parse(source, Dialect::Boogie2);
    if !parsed.errors.is_empty() {
        parsed = parse(source, Dialect::Boogie3);
    }
    assert!(parsed.errors.is_empty(), "{source}\n{:?}", parsed.errors);
    Subject::new(&parsed.program)
}

/// The results of an operator at all of its places.
pub(crate) fn all(operator: &dyn Operator, subject: &Subject) -> Vec<Applied> {
    let number = number_of(operator).unwrap();
    (0..subject.count(number))
        .map(|place| {
            let place = subject.place(number, place).unwrap();
            subject.apply_at(number, place).unwrap()
        })
        .collect()
}

fn text(subject: &Subject) -> String {
    let files: Vec<_> = subject.files().into_iter().map(|file| file.text).collect();
    files.join("// the second file\n")
}

/// Prints a source in the layout of the results.
pub(crate) fn printed(source: &str) -> String {
    text(&subject(source))
}

/// The texts of an operator's results at all of its places.
pub(crate) fn results(operator: &dyn Operator, source: &str) -> Vec<String> {
    all(operator, &subject(source)).iter().map(|applied| text(&applied.subject)).collect()
}

/// The text of an operator's result at many places of the first declaration that has any.
#[track_caller]
pub(crate) fn at_many(operator: &dyn Operator, source: &str, places: &[u64]) -> String {
    let subject = subject(source);
    let number = number_of(operator).unwrap();
    let index = (0..subject.len()).find(|index| subject.count_in(number, *index) > 0).unwrap();
    let unit = Some(subject.nodes[index].id.clone());
    let spot = |at: &u64| Spot { unit: unit.clone(), at: *at, how: None };
    let place = Place::Several { several: places.iter().map(spot).collect() };
    text(&subject.apply_at(number, place).unwrap().subject)
}

/// Asserts that an operator makes exactly these programs from a source.
#[track_caller]
pub(crate) fn check(operator: &dyn Operator, source: &str, expected: &[&str]) {
    let expected: Vec<_> = expected.iter().map(|source| text(&subject(source))).collect();
    assert_eq!(results(operator, source), expected);
}

/// The description of the change at each place.
pub(crate) fn words(operator: &dyn Operator, source: &str) -> Vec<String> {
    all(operator, &subject(source)).into_iter().map(|applied| applied.edit.words).collect()
}

/// The text of a code block in a manual page.
fn example<'d>(doc: &'d str, tag: &str) -> &'d str {
    let (_, rest) = doc.split_once(&format!("```boogie {tag}\n")).unwrap_or_else(|| {
        panic!("no example `{tag}` in\n{doc}");
    });
    rest.split_once("```").unwrap().0
}

#[test]
fn every_manual_page_has_its_parts() {
    for operator in ALL {
        let about = operator.about();
        for heading in ["## Applies when", "## Sound because"] {
            assert!(about.doc.contains(heading), "{} lacks {heading}", about.name);
        }
        assert!(about.summary().ends_with('.'), "{}", about.name);
    }
}

#[test]
fn every_example_is_what_the_operator_does() {
    for operator in ALL {
        let doc = operator.about().manual();
        let (before, after) = (example(&doc, "before"), example(&doc, "after"));
        let results = results(*operator, before);
        let after = match after.split_once("// the second file\n") {
            None => text(&subject(after)),
            Some((main, second)) => {
                let (main, second) = (text(&subject(main)), text(&subject(second)));
                format!("{main}// the second file\n{second}")
            }
        };
        assert!(
            results.contains(&after),
            "{}: {after}\nnot in {results:#?}",
            operator.about().name
        );
    }
}

#[test]
fn names_and_codes_are_told_apart() {
    let mut names: Vec<_> = ALL
        .iter()
        .flat_map(|operator| operator.about().code.into_iter().chain([operator.about().name]))
        .collect();
    names.sort_unstable();
    let number = names.len();
    names.dedup();
    assert_eq!(names.len(), number);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the files are those of the crate itself")]
fn every_file_is_in_the_list() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/operators");
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !matches!(name.as_str(), "mod.rs" | "testing.rs" | "join.rs"));
    let mut files: Vec<_> =
        files.map(|name| name.trim_end_matches(".rs").replace('_', "-")).collect();
    let mut names: Vec<_> = ALL.iter().map(|operator| operator.about().name.to_owned()).collect();
    files.sort_unstable();
    names.sort_unstable();
    assert_eq!(files, names);
}

#[test]
fn an_unsplit_subject_prints_as_the_program() {
    let source = "const a: int; const b: int;\naxiom a == b; procedure p() { assert a == b; }";
    let program = parse(source, Dialect::Boogie2).program;
    assert_eq!(Subject::new(&program).files()[0].text, print(&program));
}
