//! Workflow commands that make GitHub annotate the files of a change.
//!
//! An error for each brittle procedure and each seed without a good answer, a warning for layout
//! and for runs without a verdict, and a notice for what is known, or if there is nothing to report.

use std::fmt::Write as _;

use mugie_results::result::{SeedReport, TestReport};

use crate::findings::{Finding, findings};
use crate::known::is_known;
use crate::words::{count, escaped};

/// A line break in the message of a command.
const LINE_END: &str = "%0A";

/// The report as workflow commands.
pub(crate) fn render(report: &TestReport) -> String {
    let mut commands = String::new();
    for seed in report.all_seeds() {
        for finding in findings(seed) {
            let is_known = is_known(report, seed, &finding);
            write_command(&mut commands, seed, &finding, is_known);
        }
    }
    if commands.is_empty() {
        let mutants = report.all_seeds().map(|seed| seed.counts.judged).sum();
        let message = format!(
            "no brittle proof in {}, after {}",
            count(report.seeds.len(), "program"),
            count(mutants, "mutant")
        );
        let _ = writeln!(commands, "::notice title=mugie::{}", data(&message));
    }
    commands
}

fn write_command(commands: &mut String, seed: &SeedReport, finding: &Finding, is_known: bool) {
    let level = match finding.severe {
        _ if is_known => "notice",
        true => "error",
        false => "warning",
    };
    let _ = write!(commands, "::{level} file={}", property(finding.file));
    if let Some(place) = finding.place {
        let _ = write!(commands, ",line={},col={}", place.line, place.column);
    }
    let known = if is_known { "Known: " } else { "" };
    let title = format!("{known}{}: {}", finding.rule.title(), seed.name);
    let lines: Vec<String> =
        std::iter::once(&finding.message).chain(&finding.details).map(|line| data(line)).collect();
    let _ = writeln!(commands, ",title={}::{}", property(&title), lines.join(LINE_END));
}

/// Escapes the message of a command.
fn data(text: &str) -> String {
    escaped(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{brittle, hostile, passing, rare, report, robust, several};

    /// Parses a command into its level, its properties and its message, and unescapes them as
    /// GitHub does.
    fn read(line: &str) -> (&str, Vec<(String, String)>, String) {
        let (head, message) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
        let (level, properties) = head.split_once(' ').unwrap();
        let properties = properties
            .split(',')
            .map(|property| {
                let (key, value) = property.split_once('=').unwrap();
                let value = value.replace("%3A", ":").replace("%2C", ",");
                (key.to_owned(), unescaped(&value))
            })
            .collect();
        (level, properties, unescaped(message))
    }

    fn unescaped(text: &str) -> String {
        text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
    }

    #[test]
    fn commands_say_what_is_wrong_and_where() {
        insta::assert_snapshot!(render(&several()), @"
        ::error file=bank.bpl,line=13,col=3,title=Brittle proof%3A bank.bpl::procedure pick verifies, but not in 60 of 119 equivalent mutants; smallest change: swap axiom #1 with axiom #2; then failed: postcondition `ensures o > row[i];`%0Amutant brittle-0001:%0A  1. S1: swap axiom #1 with axiom #2%0Aprocedure pick: verified in the original, failed in the mutant%0A  postcondition `ensures o > row[i];` at bank.bpl:13:3%0Ato reproduce it:%0A  mugie mutate examples/brittle.bpl --out mutants%0A  boogie /nologo mutants/brittle-0001.bpl
        ::error file=files.bpl,title=Brittle proof%3A files.bpl::the program verifies, but not in 1 of 98 equivalent mutants; smallest change: move procedure pick to another file; then rejected: undeclared identifier: row%0Amutant brittle-0001:%0A  1. S3: move procedure pick to another file%0Athe program: rejected (resolution error): 1 name resolution error%0A  undeclared identifier: row at brittle-0003.bpl:3:1 of the mutant%0Ato reproduce it:%0A  mugie mutate examples/brittle.bpl --out mutants%0A  boogie /nologo mutants/brittle-0001.bpl
        ::warning file=files.bpl,title=Brittle to layout%3A files.bpl::procedure pick: verified as written, timed out as re-printed; brittle to layout alone
        ::warning file=files.bpl,title=Not tested%3A files.bpl::no verdict on 2 mutants: crashed: Z3 died (2)%0Abrittle-0007: crashed: Z3 died%0Abrittle-0008: crashed: Z3 died
        ::error file=bad.bpl,title=Does not verify%3A bad.bpl::procedure pick does not verify: failed%0A--failing asks whether a mutant verifies
        ::error file=garbage.bpl,title=Not tested%3A garbage.bpl::could not be tested: syntax error at 3:1%0Arun `mugie check` for details
        ::error file=slow.bpl,title=Not tested%3A slow.bpl::was not tested to the end
        ");
        insta::assert_snapshot!(render(&report(vec![passing("bad.bpl")])), @"
        ::error file=bad.bpl,title=Brittle proof%3A bad.bpl::procedure pick does not verify, but does in 1 of 8 equivalent mutants; smallest change: swap axiom #1 with axiom #2%0Amutant brittle-0001:%0A  1. S1: swap axiom #1 with axiom #2%0Aprocedure pick: timed out in the original, verified in the mutant%0Ato reproduce it:%0A  mugie mutate examples/brittle.bpl --out mutants%0A  boogie /nologo mutants/brittle-0001.bpl
        ");
    }

    #[test]
    fn rare_answers_are_annotations() {
        insta::assert_snapshot!(render(&rare()), @"
        ::error file=moody.bpl,title=Nondeterministic%3A moody.bpl::the same program gets different verdicts: because
        ::error file=hard.bpl,title=Beyond a limit%3A hard.bpl::exceeds a requested limit: because
        ::error file=unclear.bpl,title=Not tested%3A unclear.bpl::is undecided after all runs: because
        ::error file=foreign.bpl,title=Not tested%3A foreign.bpl::cannot be expressed in the verifier's input language: because
        ");
    }

    #[test]
    fn robust_seeds_are_noticed() {
        insta::assert_snapshot!(render(&report(vec![robust("a.bpl"), robust("b.bpl")])), @"
        ::notice title=mugie::no brittle proof in 2 programs, after 200 mutants
        ");
    }

    #[test]
    fn commands_can_be_read_back() {
        let mut seed = brittle("a,b:c%.bpl");
        seed.flips[0].edits[0].words = "100 % of a:b,c".to_owned();
        let commands = render(&report(vec![seed]));
        let (level, properties, message) = read(commands.trim_end());
        let expected = [
            ("file", "a,b:c%.bpl"),
            ("line", "13"),
            ("col", "3"),
            ("title", "Brittle proof: a,b:c%.bpl"),
        ];
        let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!((level, properties), ("error", expected.to_vec()));
        assert!(message.contains("smallest change: 100 % of a:b,c;"), "{message}");
    }

    #[test]
    fn hostile_text_makes_no_commands() {
        let report = hostile();
        let expected: Vec<_> = report
            .seeds
            .iter()
            .flat_map(|seed| findings(seed).into_iter().map(move |finding| (seed, finding)))
            .collect();
        let commands = render(&report);
        assert_eq!(commands.lines().count(), expected.len());
        for (line, (seed, finding)) in commands.lines().zip(expected) {
            assert!(!line.contains(char::is_control), "{line:?}");
            let (level, properties, message) = read(line);
            assert_eq!(level == "error", finding.severe);
            let lines: Vec<_> = message.lines().collect();
            assert_eq!(lines[0], finding.message);
            assert_eq!(lines[1..], finding.details);
            let (title, title_text) = properties.last().unwrap();
            assert_eq!(title, "title");
            assert_eq!(*title_text, format!("{}: {}", finding.rule.title(), escaped(&seed.name)));
        }
    }
}
