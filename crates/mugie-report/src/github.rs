//! Workflow commands that make GitHub annotate the files of a change.
//!
//! An error for each brittle procedure and each seed without a good answer, a warning for layout
//! and for runs without a verdict, and a notice if there is none of these.

use std::fmt::Write as _;

use mugie_campaign::report::{SeedReport, TestReport};

use crate::findings::{Finding, findings};
use crate::words::{count, escaped};

/// The report as workflow commands.
pub(crate) fn render(report: &TestReport) -> String {
    let mut commands = String::new();
    for seed in &report.seeds {
        for finding in findings(seed) {
            write_command(&mut commands, seed, &finding);
        }
    }
    if commands.is_empty() {
        let mutants = report.seeds.iter().map(|seed| seed.counts.judged).sum();
        let message = format!(
            "no brittle proof in {}, after {}",
            count(report.seeds.len(), "seed"),
            count(mutants, "mutant")
        );
        let _ = writeln!(commands, "::notice title=mugie::{}", data(&message));
    }
    commands
}

fn write_command(commands: &mut String, seed: &SeedReport, finding: &Finding) {
    let level = if finding.severe { "error" } else { "warning" };
    let _ = write!(commands, "::{level} file={}", property(finding.file));
    if let Some(place) = finding.place {
        let _ = write!(commands, ",line={},col={}", place.line, place.column);
    }
    let title = format!("{}: {}", finding.rule.title(), seed.name);
    let _ = writeln!(commands, ",title={}::{}", property(&title), data(&finding.message));
}

/// The message of a command.
fn data(text: &str) -> String {
    escaped(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{brittle, hostile, passing, report, robust, several};

    /// A command: its level, its properties and its message, unescaped as GitHub does.
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
        ::error file=bank.bpl,line=13,col=3,title=Brittle proof%3A bank.bpl::procedure pick verifies, but not in 60 of 119 mutants; smallest change: swap axiom #1 with axiom #2; then failed: postcondition `ensures o > row[i];`
        ::error file=files.bpl,title=Brittle proof%3A files.bpl::the program verifies, but not in 1 of 98 mutants; smallest change: move procedure pick to another file; then rejected: undeclared identifier: row
        ::warning file=files.bpl,title=Brittle to layout%3A files.bpl::procedure pick: verified as written, timed out as re-printed; brittle to layout alone
        ::warning file=files.bpl,title=Not tested%3A files.bpl::nothing is known of 2 mutants: crashed: Z3 died (2)
        ::error file=bad.bpl,title=Does not verify%3A bad.bpl::procedure pick does not verify: failed
        ::error file=garbage.bpl,title=Not tested%3A garbage.bpl::could not be tested: syntax error at 3:1
        ::error file=slow.bpl,title=Not tested%3A slow.bpl::was not tested to the end
        ");
        insta::assert_snapshot!(render(&report(vec![passing("bad.bpl")])), @"
        ::error file=bad.bpl,title=Brittle proof%3A bad.bpl::procedure pick does not verify, but does in 1 of 8 mutants; smallest change: swap axiom #1 with axiom #2
        ");
    }

    #[test]
    fn robust_seeds_are_noticed() {
        insta::assert_snapshot!(render(&report(vec![robust("a.bpl"), robust("b.bpl")])), @"
        ::notice title=mugie::no brittle proof in 2 seeds, after 200 mutants
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
            assert_eq!(message, finding.message);
            let (title, title_text) = properties.last().unwrap();
            assert_eq!(title, "title");
            assert_eq!(*title_text, format!("{}: {}", finding.rule.title(), escaped(&seed.name)));
        }
    }
}
