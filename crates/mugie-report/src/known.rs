//! What of a test is new, by a list of known findings, and how the test ends because of it.
//!
//! A known finding does not fail a test. It counts for the tool with which it was found; a program that was not tested
//! to the end is no success, whatever is known of it.

use std::fmt::Write as _;

use mugie_core::Exit;
use mugie_results::known_findings::{Entry, Known, Tool};
use mugie_results::result::{Answer, SeedReport, TestReport};

use crate::findings::{Finding, Rule, findings};
use crate::paint::Paint;
use crate::words::{capped, count, plain};

/// The findings of a seed for which a test fails.
fn failing(seed: &SeedReport) -> impl Iterator<Item = Finding<'_>> {
    let fails = |finding: &Finding<'_>| match finding.rule {
        Rule::BrittleProof | Rule::Nondeterministic | Rule::Disagreement | Rule::BeyondLimit => {
            true
        }
        Rule::Luck => seed.answer == Answer::BeyondLimit,
        // Such a seed is brittle to its circumstances alone, or they are a remark.
        Rule::BrittleLayout
        | Rule::BrittleFileName
        | Rule::BrittleFolder
        | Rule::BrittleLog
        | Rule::BrittleProxy => seed.answer == Answer::Brittle && seed.counts.flips == 0,
        Rule::SeedFails | Rule::ToolTrouble | Rule::LeftOut => false,
    };
    let is_finding = seed.answer.exit() == Exit::Finding;
    findings(seed).into_iter().filter(move |finding| is_finding && fails(finding))
}

/// Whether a finding is in the list of known ones.
pub(crate) fn is_known(report: &TestReport, seed: &SeedReport, finding: &Finding<'_>) -> bool {
    let known = report.known.as_ref();
    known.is_some_and(|known| known.has(&seed.name, finding.procedure, finding.rule.id()))
}

/// The findings that are not in the list of known ones.
pub(crate) fn new_findings(report: &TestReport) -> Vec<(&SeedReport, Finding<'_>)> {
    let all = report.all_seeds().flat_map(|seed| failing(seed).map(move |it| (seed, it)));
    all.filter(|(seed, finding)| !is_known(report, seed, finding)).collect()
}

/// What a list of known findings says about those of a seed; `None` if there is no list, or nothing was found.
pub(crate) fn of_seed(report: &TestReport, seed: &SeedReport) -> Option<String> {
    let known = report.known.as_ref()?;
    let found: Vec<Finding<'_>> = failing(seed).collect();
    let again = found.iter().filter(|finding| is_known(report, seed, finding)).count();
    let file = plain(&known.file);
    match (found.len(), again) {
        (0, _) => None,
        (all, 0) => Some(format!(
            "has {} that {} not in {file}",
            count(all, "finding"),
            if all == 1 { "is" } else { "are" }
        )),
        (all, again) if all == again => {
            Some(format!("has no new finding: {} in {file}", known_number(all)))
        }
        (all, again) => Some(format!(
            "has {}; {} in {file}",
            count(all - again, "new finding"),
            known_number(again)
        )),
    }
}

/// How a test ends: the worst of its seeds, not counting known findings.
pub fn exit(report: &TestReport) -> Exit {
    report.all_seeds().map(|seed| exit_of(report, seed)).max().unwrap_or(Exit::Fine)
}

fn exit_of(report: &TestReport, seed: &SeedReport) -> Exit {
    let mut found = failing(seed).peekable();
    if found.peek().is_none() || !found.all(|finding| is_known(report, seed, &finding)) {
        return seed.answer.exit();
    }
    // Nothing new was found, but perhaps only because the test ended early.
    if seed.counts.interrupted { Exit::NoAnswer } else { Exit::Fine }
}

/// An entry for each finding of a test.
fn entries(report: &TestReport) -> Vec<Entry> {
    let Tool { verifier, solver, command } = Tool::of(&report.verifier);
    let below = report.below.iter().flat_map(|below| entries(below));
    let entry = |seed: &SeedReport, finding: Finding<'_>| Entry {
        program: seed.name.clone(),
        procedure: finding.procedure.map(str::to_owned),
        kind: finding.rule.id().to_owned(),
        reason: finding.message,
        verifier: verifier.clone(),
        solver: solver.clone(),
        command: command.clone(),
    };
    let own = report.seeds.iter().flat_map(|seed| failing(seed).map(|it| entry(seed, it)));
    own.chain(below).collect()
}

/// Whether the test looked for what an entry is about, and would have found it.
fn looked_for(report: &TestReport, entry: &Entry) -> bool {
    let seed = report.all_seeds().find(|seed| seed.name == entry.program);
    seed.is_some_and(|seed| {
        let was_tested = matches!(
            seed.answer,
            Answer::Robust
                | Answer::Brittle
                | Answer::Nondeterministic
                | Answer::Disagreement
                | Answer::BeyondLimit
        );
        let mut goals = seed.baseline.iter().flat_map(|baseline| &baseline.procedures);
        // A procedure that does not exist any more is no finding any more, unless it was left out.
        let is_part = !report.settings.procedures.is_empty()
            || report.part.as_ref().is_some_and(|part| part.since.is_some());
        let is_there = entry.procedure.is_none()
            || goals.any(|goal| Some(&goal.procedure) == entry.procedure.as_ref());
        was_tested && !seed.counts.interrupted && (is_there || !is_part)
    })
}

/// The tools of a test: that of its seeds and that of the level below.
fn tools(report: &TestReport) -> Vec<Tool> {
    let below = report.below.iter().map(|below| Tool::of(&below.verifier));
    std::iter::once(Tool::of(&report.verifier)).chain(below).collect()
}

/// Compares the findings of a test with those that were known.
pub fn compare(report: &TestReport, file: String, known: &[Entry]) -> Known {
    let tools = tools(report);
    let found = entries(report);
    let mut compared = Known { file, ..Known::default() };
    for entry in known {
        if !report.all_seeds().any(|seed| seed.name == entry.program) {
            continue;
        }
        let is_about =
            |it: &Entry| it.is_about(&entry.program, entry.procedure.as_deref(), &entry.kind);
        let list = if !tools.iter().any(|tool| tool.is_of(entry)) {
            &mut compared.stale
        } else if found.iter().any(is_about) {
            &mut compared.again
        } else if looked_for(report, entry) {
            &mut compared.gone
        } else {
            continue;
        };
        list.push(entry.clone());
    }
    for list in [&mut compared.again, &mut compared.gone, &mut compared.stale] {
        list.sort();
        list.dedup();
    }
    compared
}

/// The known findings after a test: those of the test, and those that it says nothing about.
pub fn update(report: &TestReport, known: Vec<Entry>) -> Vec<Entry> {
    let mut all = entries(report);
    let found = all.clone();
    let is_again = |entry: &Entry| {
        found.iter().any(|it| it.is_about(&entry.program, entry.procedure.as_deref(), &entry.kind))
    };
    all.extend(known.into_iter().filter(|entry| !is_again(entry) && !looked_for(report, entry)));
    all
}

/// What a list of known findings says about a test, for people; empty without a list.
pub fn known(report: &TestReport, colour: bool) -> String {
    let Some(Known { file, again, gone, stale }) = &report.known else { return String::new() };
    let paint = Paint { colour };
    let new = new_findings(report);
    let mut text = String::new();
    let line = match new.len() {
        0 => {
            paint.good(format!("no new finding; {} in {}", known_number(again.len()), plain(file)))
        }
        number => paint.bad(format!(
            "{}; {} in {}",
            count(number, "new finding"),
            known_number(again.len()),
            plain(file)
        )),
    };
    let _ = writeln!(text, "\n{line}");
    let listed = |text: &mut String, entries: &[String]| {
        for entry in capped(entries.iter().cloned()) {
            let _ = writeln!(text, "  {entry}");
        }
    };
    let lines = |entries: &[Entry]| entries.iter().map(about).collect::<Vec<_>>();
    if !again.is_empty() && !new.is_empty() {
        let _ = writeln!(text, "new:");
        let names = new
            .iter()
            .map(|(seed, finding)| words(&seed.name, finding.procedure, finding.rule.title()));
        listed(&mut text, &names.collect::<Vec<_>>());
    }
    if !gone.is_empty() {
        let _ = writeln!(text, "found no more: remove them with --update-baseline");
        listed(&mut text, &lines(gone));
    }
    if !stale.is_empty() {
        let tools: Vec<String> = stale.iter().map(tool).collect();
        let mut named: Vec<String> = Vec::new();
        for tool in tools {
            if !named.contains(&tool) {
                named.push(tool);
            }
        }
        let tools = capped(named.into_iter()).join("; ");
        let _ = writeln!(
            text,
            "stale, and not counted, since they were found with another tool or other options ({tools}): \
             --update-baseline looks again"
        );
        listed(&mut text, &lines(stale));
    }
    text
}

fn known_number(number: usize) -> String {
    if number == 1 { "1 is known".to_owned() } else { format!("{number} are known") }
}

/// A known finding on one line.
pub(crate) fn about(entry: &Entry) -> String {
    let title = Rule::ALL.into_iter().find(|rule| rule.id() == entry.kind);
    let title = title.map_or_else(|| plain(&entry.kind), |rule| rule.title().to_owned());
    words(&entry.program, entry.procedure.as_deref(), &title)
}

fn words(program: &str, procedure: Option<&str>, title: &str) -> String {
    let procedure = procedure.map(|name| format!(", {}", plain(name))).unwrap_or_default();
    format!("{}{procedure}: {}", plain(program), title.to_lowercase())
}

/// The tool of a known finding.
fn tool(entry: &Entry) -> String {
    let solver = entry.solver.as_ref().map(|solver| format!(" with {}", plain(solver)));
    format!("{}{}", plain(&entry.verifier), solver.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use mugie_results::result::{Counts, RecordedOptions};

    use super::*;
    use crate::testing::{brittle, interrupted, report, robust};

    fn with_known(seeds: Vec<SeedReport>, known: &[Entry]) -> TestReport {
        let mut report = report(seeds);
        report.known = Some(compare(&report, "known.toml".to_owned(), known));
        report
    }

    fn of_bank() -> Vec<Entry> {
        entries(&report(vec![brittle("bank.bpl")]))
    }

    #[test]
    fn only_what_is_new_fails() {
        let found = || vec![brittle("bank.bpl"), robust("max.bpl")];
        assert_eq!(exit(&report(found())), Exit::Finding);
        let known = with_known(found(), &of_bank());
        assert_eq!(exit(&known), Exit::Fine);
        assert_eq!(self::known(&known, false), "\nno new finding; 1 is known in known.toml\n");
        let other = with_known(vec![brittle("other.bpl"), brittle("bank.bpl")], &of_bank());
        assert_eq!(exit(&other), Exit::Finding);
        insta::assert_snapshot!(self::known(&other, false), @"

        1 new finding; 1 is known in known.toml
        new:
          other.bpl, pick: brittle proof
        ");
    }

    #[test]
    fn what_was_not_tested_is_no_success() {
        let mut early = brittle("bank.bpl");
        early.counts = Counts { interrupted: true, ..early.counts };
        assert_eq!(exit(&with_known(vec![early], &of_bank())), Exit::NoAnswer);
        let stopped = with_known(vec![interrupted("bank.bpl")], &of_bank());
        assert_eq!(exit(&stopped), Exit::NoAnswer);
        assert_eq!(stopped.known.as_ref().map(|known| known.gone.len()), Some(0));
    }

    #[test]
    fn what_is_found_no_more_is_said() {
        let report = with_known(vec![robust("bank.bpl")], &of_bank());
        assert_eq!(exit(&report), Exit::Fine);
        insta::assert_snapshot!(known(&report, false), @"

        no new finding; 0 are known in known.toml
        found no more: remove them with --update-baseline
          bank.bpl, pick: brittle proof
        ");
        assert_eq!(update(&report, of_bank()), []);
    }

    #[test]
    fn another_tool_makes_an_entry_stale() {
        let mut other = report(vec![brittle("bank.bpl")]);
        other.verifier.version = Some("3.5.5".to_owned());
        other.verifier.options = RecordedOptions::default();
        other.known = Some(compare(&other, "known.toml".to_owned(), &of_bank()));
        assert_eq!(exit(&other), Exit::Finding);
        insta::assert_snapshot!(known(&other, false), @"

        1 new finding; 0 are known in known.toml
        stale, and not counted, since they were found with another tool or other options (boogie 2.4.1): --update-baseline looks again
          bank.bpl, pick: brittle proof
        ");
        let updated = update(&other, of_bank());
        assert_eq!(updated.len(), 1);
        assert_eq!(updated[0].verifier, "boogie 3.5.5");
    }

    #[test]
    fn programs_that_were_not_tested_stay_known() {
        let report = with_known(vec![robust("max.bpl")], &of_bank());
        assert_eq!(report.known.as_ref().map(|it| it.again.len() + it.gone.len()), Some(0));
        assert_eq!(update(&report, of_bank()), of_bank());
    }
}
