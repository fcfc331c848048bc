//! `JUnit` XML, as Jenkins, GitLab and most others read it.
//!
//! A seed is a suite and each of its procedures a test, which fails if a mutant changes the verdict
//! of the procedure. A finding that concerns no single procedure is a test with its name in
//! parentheses, which exists only if something is wrong. One that is known is skipped. A seed that does not verify has failing
//! tests for the procedures in question; the others are skipped, as are mutants that were left out. A
//! run without a verdict is an error. There are no times.

use std::fmt::Write as _;

use mugie_results::result::{Answer, SeedReport, TestReport};

use crate::effort;
use crate::findings::{Finding, Rule, findings};
use crate::known::is_known;
use crate::words::{answer, escaped};

/// A test and its result.
struct Case<'r> {
    name: String,
    end: End<'r>,
}

enum End<'r> {
    Passed,
    Skipped,
    Wrong(Finding<'r>),
    /// Wrong, and known to be.
    Known(Finding<'r>),
}

/// The report as `JUnit` XML.
pub(crate) fn render(report: &TestReport) -> String {
    let suites: Vec<(&SeedReport, Vec<Case>)> =
        report.all_seeds().map(|seed| (seed, cases(report, seed))).collect();
    let all = Numbers::of(suites.iter().flat_map(|(_, cases)| cases));
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        xml,
        r#"<testsuites name="mugie test" tests="{}" failures="{}" errors="{}">"#,
        all.tests, all.failures, all.errors,
    );
    for (seed, cases) in &suites {
        let numbers = Numbers::of(cases.iter());
        let _ = writeln!(
            xml,
            r#"  <testsuite name="{}" tests="{}" failures="{}" errors="{}" skipped="{}">"#,
            xml_text(&seed.name),
            numbers.tests,
            numbers.failures,
            numbers.errors,
            numbers.skipped,
        );
        write_effort(&mut xml, seed);
        for case in cases {
            write_case(&mut xml, seed, case);
        }
        xml += "  </testsuite>\n";
    }
    xml + "</testsuites>\n"
}

/// The number of tests by result.
#[derive(Default)]
struct Numbers {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Numbers {
    fn of<'c, 'r: 'c>(cases: impl Iterator<Item = &'c Case<'r>>) -> Numbers {
        let mut numbers = Numbers::default();
        for case in cases {
            numbers.tests += 1;
            match &case.end {
                End::Passed => {}
                End::Skipped | End::Known(_) => numbers.skipped += 1,
                End::Wrong(finding) if finding.rule == Rule::LeftOut => numbers.skipped += 1,
                End::Wrong(finding) if finding.rule == Rule::ToolTrouble => numbers.errors += 1,
                End::Wrong(_) => numbers.failures += 1,
            }
        }
        numbers
    }
}

/// The tests of a seed: its procedures in order, then the rest.
fn cases<'r>(report: &TestReport, seed: &'r SeedReport) -> Vec<Case<'r>> {
    let end = |finding: Finding<'r>| {
        if is_known(report, seed, &finding) { End::Known(finding) } else { End::Wrong(finding) }
    };
    let mut findings = findings(seed);
    let mut cases = Vec::new();
    for procedure in seed.baseline.iter().flat_map(|baseline| &baseline.procedures) {
        let name = &procedure.procedure;
        let own = findings.iter().position(|finding| {
            finding.procedure == Some(name) && finding.rule != Rule::BrittleLayout
        });
        let result = match own {
            Some(index) => end(findings.remove(index)),
            None if was_tested(seed) => End::Passed,
            None => End::Skipped,
        };
        cases.push(Case { name: name.clone(), end: result });
    }
    cases.extend(findings.into_iter().map(|finding| {
        let name = match (finding.rule, finding.procedure) {
            (Rule::BrittleLayout, Some(procedure)) => format!("(layout of {procedure})"),
            (Rule::BrittleLayout, None) => "(layout)".to_owned(),
            (Rule::BeyondLimit, Some(procedure)) => format!("(solver's work on {procedure})"),
            (Rule::BrittleFileName, _) => "(file name)".to_owned(),
            (Rule::BrittleFolder, _) => "(folder)".to_owned(),
            (Rule::BrittleLog, _) => "(log)".to_owned(),
            (Rule::BrittleProxy, _) => "(proxy)".to_owned(),
            (Rule::Luck, _) => "(luck of the solver)".to_owned(),
            (Rule::LeftOut, _) => "(mutants left out)".to_owned(),
            (_, Some(procedure)) => procedure.to_owned(),
            (Rule::ToolTrouble, None) if !finding.severe => "(runs)".to_owned(),
            (_, None) => "(program)".to_owned(),
        };
        Case { name, end: end(finding) }
    }));
    if cases.is_empty() {
        // A suite without tests looks as if nothing had been run.
        cases.push(Case { name: "(program)".to_owned(), end: End::Passed });
    }
    cases
}

/// Whether a procedure of the seed without a finding counts as passed.
fn was_tested(seed: &SeedReport) -> bool {
    match seed.answer {
        Answer::Robust | Answer::Brittle | Answer::Disagreement | Answer::BeyondLimit => true,
        Answer::Nondeterministic
        | Answer::SeedFails
        | Answer::CouldNotRun
        | Answer::Inconclusive
        | Answer::NotExpressible
        | Answer::Interrupted => false,
    }
}

/// Writes the solver's work on each procedure, if it is known: the most for a mutant, as a multiple of the seed's.
fn write_effort(xml: &mut String, seed: &SeedReport) {
    if seed.effort.is_empty() {
        return;
    }
    *xml += "    <properties>\n";
    for strain in effort::of_seed(seed) {
        let name = xml_text(&format!("solver-work {}", strain.effort.procedure));
        let _ = writeln!(
            xml,
            r#"      <property name="{}" value="{:.2}"/>"#,
            name.trim_end(),
            strain.times
        );
    }
    *xml += "    </properties>\n";
}

fn write_case(xml: &mut String, seed: &SeedReport, case: &Case) {
    let name = xml_text(&case.name);
    let class = xml_text(&seed.name);
    let _ = write!(xml, r#"    <testcase name="{name}" classname="{class}""#);
    match &case.end {
        End::Passed => *xml += "/>\n",
        End::Skipped => {
            let _ = writeln!(
                xml,
                ">\n      <skipped message=\"{}\"/>\n    </testcase>",
                xml_text(&answer(seed))
            );
        }
        End::Known(finding) => {
            let message = xml_text(&format!("known: {}", finding.message));
            let _ = writeln!(xml, ">\n      <skipped message=\"{message}\"/>\n    </testcase>");
        }
        End::Wrong(finding) => {
            if finding.rule == Rule::LeftOut {
                let message = xml_text(&finding.message);
                let _ = writeln!(xml, ">\n      <skipped message=\"{message}\"/>\n    </testcase>");
                return;
            }
            let element = if finding.rule == Rule::ToolTrouble { "error" } else { "failure" };
            let details: Vec<String> = finding.details.iter().map(|line| xml_text(line)).collect();
            let _ = writeln!(
                xml,
                ">\n      <{element} message=\"{}\" type=\"{}\">{}</{element}>\n    </testcase>",
                xml_text(&finding.message),
                finding.rule.id(),
                details.join("\n"),
            );
        }
    }
}

/// Escapes text for an element or an attribute. Characters that XML 1.0 forbids are escaped visibly
/// first.
fn xml_text(text: &str) -> String {
    let mut xml = String::with_capacity(text.len());
    for character in escaped(text).chars() {
        match character {
            '&' => xml += "&amp;",
            '<' => xml += "&lt;",
            '>' => xml += "&gt;",
            '"' => xml += "&quot;",
            _ => xml.push(character),
        }
    }
    xml
}

#[cfg(test)]
mod tests {
    use roxmltree::{Document, Node};

    use super::*;
    use crate::testing::{brittle, hostile, passing, rare, report, several};

    /// Checks a document against what the schemas of Jenkins and Ant have in common: which elements
    /// occur where, with which attributes, and that the totals are right.
    fn check(xml: &str) {
        let document = Document::parse(xml).unwrap();
        let suites = document.root_element();
        check_element(suites, "testsuites", &["name", "tests", "failures", "errors"], &[]);
        check_numbers(suites);
        for suite in elements(suites) {
            let attributes = ["name", "tests", "failures", "errors", "skipped"];
            check_element(suite, "testsuite", &attributes, &[]);
            check_numbers(suite);
            assert!(elements(suite).count() > 0, "a suite without tests");
            for case in elements(suite).filter(|it| !it.has_tag_name("properties")) {
                check_element(case, "testcase", &["name", "classname"], &[]);
                assert!(elements(case).count() <= 1, "a test with two ends");
                for end in elements(case) {
                    match end.tag_name().name() {
                        "skipped" => check_element(end, "skipped", &["message"], &[]),
                        name => {
                            assert!(["failure", "error"].contains(&name), "{name}");
                            check_element(end, name, &["message", "type"], &["text"]);
                        }
                    }
                }
            }
        }
    }

    fn elements<'a>(node: Node<'a, 'a>) -> impl Iterator<Item = Node<'a, 'a>> {
        node.children().filter(Node::is_element)
    }

    fn check_element(node: Node, name: &str, attributes: &[&str], content: &[&str]) {
        assert_eq!(node.tag_name().name(), name);
        let found: Vec<&str> = node.attributes().map(|attribute| attribute.name()).collect();
        assert_eq!(found, attributes);
        for child in node.children().filter(|child| !child.is_element()) {
            let blank = child.text().is_some_and(|text| text.trim().is_empty());
            assert!(blank || content == ["text"], "{child:?}");
        }
    }

    fn check_numbers(node: Node) {
        for (attribute, element) in [
            ("tests", "testcase"),
            ("failures", "failure"),
            ("errors", "error"),
            ("skipped", "skipped"),
        ] {
            if let Some(number) = node.attribute(attribute) {
                let found = node.descendants().filter(|n| n.has_tag_name(element)).count();
                assert_eq!(number, found.to_string(), "{attribute}");
            }
        }
    }

    #[test]
    fn procedures_are_tests() {
        insta::assert_snapshot!(render(&report(vec![brittle("bank.bpl")])), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="mugie test" tests="1" failures="1" errors="0">
          <testsuite name="bank.bpl" tests="1" failures="1" errors="0" skipped="0">
            <testcase name="pick" classname="bank.bpl">
              <failure message="procedure pick verifies, but not in 60 of 119 equivalent mutants; smallest change: swap axiom #1 with axiom #2; then failed: postcondition `ensures o &gt; row[i];`" type="brittle-proof">mutant brittle-0001:
          1. S1: swap axiom #1 with axiom #2
        procedure pick: verified in the original, failed in the mutant
          postcondition `ensures o &gt; row[i];` at bank.bpl:13:3
        to reproduce it:
          mugie mutate examples/brittle.bpl --out mutants
          boogie /nologo mutants/brittle-0001.bpl</failure>
            </testcase>
          </testsuite>
        </testsuites>
        "#);
    }

    #[test]
    fn documents_keep_to_the_schema() {
        let passing = report(vec![passing("bad.bpl")]);
        for report in [several(), rare(), hostile(), passing, report(Vec::new())] {
            check(&render(&report));
        }
    }

    #[test]
    fn other_readers_see_the_same() {
        let suites = junit_parser::from_reader(render(&several()).as_bytes()).unwrap();
        let seen: Vec<_> = suites
            .suites
            .iter()
            .map(|suite| (suite.name.as_str(), suite.tests, suite.failures, suite.errors))
            .collect();
        assert_eq!(
            seen,
            [
                ("max.bpl", 1, 0, 0),
                ("bank.bpl", 1, 1, 0),
                ("files.bpl", 4, 2, 1),
                ("bad.bpl", 2, 1, 0),
                ("garbage.bpl", 1, 0, 1),
                ("slow.bpl", 2, 0, 1),
            ]
        );
        assert!(suites.suites[3].cases[1].status.is_skipped());
        let failure = suites.suites[1].cases[0].status.failure_as_ref();
        assert_eq!(failure.failure_type, "brittle-proof");
        assert!(failure.message.contains("60 of 119 equivalent mutants"), "{}", failure.message);
    }

    #[test]
    fn what_was_not_tested_is_skipped() {
        let suites = junit_parser::from_reader(render(&rare()).as_bytes()).unwrap();
        let seen: Vec<_> = suites
            .suites
            .iter()
            .map(|suite| (suite.tests, suite.failures, suite.errors, suite.skipped))
            .collect();
        assert_eq!(seen, [(2, 1, 0, 1), (2, 1, 0, 0), (2, 0, 1, 1), (2, 0, 1, 1)]);
    }

    #[test]
    fn hostile_text_is_text() {
        let report = hostile();
        let xml = render(&report);
        assert!(!xml.contains(|c: char| c.is_control() && c != '\n'));
        let document = Document::parse(&xml).unwrap();
        for (suite, seed) in elements(document.root_element()).zip(&report.seeds) {
            assert_eq!(suite.attribute("name"), Some(escaped(&seed.name).as_str()));
        }
    }
}
