//! Markdown for the summary of a CI job: what is new first, with its smallest change and its commands; then what is
//! known, what was not tested, and all programs.
//!
//! Text from programs and verifiers is neither markup nor a link here.

use std::fmt::Write as _;

use mugie_core::Exit;
use mugie_results::result::{SeedReport, TestReport};

use crate::effort;
use crate::findings::Finding;
use crate::known::{about, exit, new_findings};
use crate::words::{answer, count, escaped, plain};

/// The most findings shown in full. More would exceed what servers take.
const MAX_FINDINGS: usize = 30;

/// The most rows of a table, and items of a list.
const MAX_ROWS: usize = 300;

/// The most lines shown of a diff.
const MAX_LINES: usize = 60;

/// The report as Markdown.
pub(crate) fn render(report: &TestReport) -> String {
    let new = new_findings(report);
    let mut text = format!("## {}\n\n", headline(report, new.len()));
    let programs = count(report.seeds.len(), "program");
    let mutants = report.all_seeds().map(|seed| seed.counts.judged).sum();
    let title = inline(&report.verifier.title);
    let _ = writeln!(text, "{programs}, {}, {title}.", count(mutants, "mutant"));
    for (seed, finding) in new.iter().take(MAX_FINDINGS) {
        write_finding(&mut text, seed, finding);
    }
    if new.len() > MAX_FINDINGS {
        let _ = writeln!(text, "\nAnd {} more.", new.len() - MAX_FINDINGS);
    }
    let bad = |exit: Exit| report.all_seeds().filter(move |seed| seed.answer.exit() == exit);
    let line = |seed: &SeedReport| format!("{}: {}", inline(&seed.name), inline(&answer(seed)));
    write_list(&mut text, "Does not verify", bad(Exit::SeedFails).map(line));
    write_list(&mut text, "Not tested to the end", bad(Exit::NoAnswer).map(line));
    if let Some(known) = &report.known {
        let entry = |entry| inline(&about(entry));
        write_list(&mut text, "Known", known.again.iter().map(entry));
        write_list(&mut text, "Found no more", known.gone.iter().map(entry));
        let heading = "Stale: found with another tool or other options";
        write_list(&mut text, heading, known.stale.iter().map(entry));
    }
    write_list(
        &mut text,
        "The solver's work",
        effort::lines(report.all_seeds()).into_iter().map(|line| inline(&line)),
    );
    write_table(&mut text, report);
    text
}

/// The answer in a line.
fn headline(report: &TestReport, new: usize) -> String {
    let is_new = if report.known.is_some() { "new " } else { "" };
    match (new, exit(report)) {
        (0, Exit::NoAnswer) => "No answer for all programs".to_owned(),
        (0, Exit::SeedFails) => "A program does not verify".to_owned(),
        (0, _) => format!("No {is_new}brittle proof"),
        (number, _) => count(number, &format!("{is_new}finding")),
    }
}

fn write_finding(text: &mut String, seed: &SeedReport, finding: &Finding<'_>) {
    let procedure = finding.procedure.map(|it| format!(", {}", inline(it))).unwrap_or_default();
    let place = finding.place.map(|it| format!(", line {}", it.line)).unwrap_or_default();
    let (title, name) = (finding.rule.title(), inline(finding.file));
    let _ = writeln!(text, "\n### {title}: {name}{procedure}{place}\n");
    let _ = writeln!(text, "{}", inline(&finding.message));
    let witness = seed.witness.as_ref();
    // The diff of a seed belongs to the finding whose details end with its commands.
    let is_shown = |it: &&mugie_results::result::Witness| {
        it.reproduce.last().is_some_and(|command| {
            finding.details.last().is_some_and(|line| line.trim_start() == escaped(command))
        })
    };
    let Some(witness) = witness.filter(is_shown) else { return };
    let diff: Vec<String> = witness.diff.lines().take(MAX_LINES).map(plain).collect();
    if !diff.is_empty() {
        write_code(text, "The change", "diff", &diff);
    }
    let commands: Vec<String> = witness.reproduce.iter().map(|it| escaped(it)).collect();
    write_code(text, "To reproduce it", "sh", &commands);
}

/// Writes a folded block of code, with a fence that no line of it contains.
fn write_code(text: &mut String, title: &str, language: &str, lines: &[String]) {
    let longest = lines.iter().flat_map(|line| line.split(|c| c != '`')).map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    let _ = writeln!(text, "\n<details><summary>{title}</summary>\n\n{fence}{language}");
    for line in lines {
        let _ = writeln!(text, "{line}");
    }
    let _ = writeln!(text, "{fence}\n\n</details>");
}

/// Writes a list, if it has items.
fn write_list(text: &mut String, heading: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.collect();
    if items.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n### {heading}\n");
    for item in items.iter().take(MAX_ROWS) {
        let _ = writeln!(text, "- {item}");
    }
    if items.len() > MAX_ROWS {
        let _ = writeln!(text, "- and {} more", items.len() - MAX_ROWS);
    }
}

/// Writes the table of all programs, folded.
fn write_table(text: &mut String, report: &TestReport) {
    if report.all_seeds().next().is_none() {
        return;
    }
    *text += "\n<details><summary>All programs</summary>\n\n";
    *text += "| program | answer | mutants | other verdict | solver's work |\n";
    *text += "|---|---|--:|--:|--:|\n";
    for seed in report.all_seeds().take(MAX_ROWS) {
        let most = effort::of_seed(seed).map(|strain| strain.times).max_by(f64::total_cmp);
        let most = most.map(|times| format!("{times:.2}")).unwrap_or_default();
        let (judged, flips) = (seed.counts.judged, seed.counts.flips);
        let name = inline(&seed.name);
        let _ = writeln!(text, "| {name} | {} | {judged} | {flips} | {most} |", seed.answer);
    }
    let hidden = report.all_seeds().count().saturating_sub(MAX_ROWS);
    if hidden > 0 {
        let _ = writeln!(text, "\nAnd {hidden} more.");
    }
    *text += "\n</details>\n";
}

/// Text in a line of Markdown: what could be markup is written as a reference to the character.
fn inline(text: &str) -> String {
    let mut shown = String::new();
    for character in plain(text).chars() {
        if character.is_ascii_punctuation() && !".,-()'/;%".contains(character) {
            let _ = write!(shown, "&#{};", u32::from(character));
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{brittle, hostile, report, robust, several};

    #[test]
    fn findings_lead() {
        insta::assert_snapshot!(render(&report(vec![robust("max.bpl"), brittle("bank.bpl")])));
    }

    #[test]
    fn every_answer_is_shown() {
        insta::assert_snapshot!(render(&several()));
        assert!(render(&report(Vec::new())).starts_with("## No brittle proof\n\n0 programs"));
    }

    #[test]
    fn hostile_text_is_no_markup() {
        let text = render(&hostile());
        let mut fence: Option<&str> = None;
        for line in text.lines() {
            assert!(!line.contains(|c: char| c.is_control()), "{line:?}");
            let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
            match fence {
                Some(open) if line == open => fence = None,
                Some(open) => assert!(!line.contains(open), "{line}"),
                None if ticks.len() >= 3 => fence = Some(ticks),
                None => {
                    let bare = line.strip_prefix("<details><summary>").unwrap_or(line);
                    let bare = bare.strip_suffix("</summary>").unwrap_or(bare);
                    let bare = bare.strip_prefix("</details>").unwrap_or(bare);
                    assert!(!bare.contains(['<', '>', '[', '*', '`', '_', '@']), "{line}");
                }
            }
        }
        assert_eq!(fence, None);
    }
}
