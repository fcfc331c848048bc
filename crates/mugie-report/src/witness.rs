//! The mutant to look at first, for people at a terminal: its edits, its outcome, the diff and the commands.

use std::fmt::Write as _;

use mugie_core::Edit;
use mugie_results::result::{Flip, Question, ReducedWitness, SeedReport, Witness};

use crate::paint::Paint;
use crate::words::{changes, count, escaped, goal, plain, what_changed};

/// The most edits shown of a mutant.
const MAX_EDITS: usize = 20;

/// The most lines shown of a diff.
pub(crate) const MAX_DIFF_LINES: usize = 60;

/// Writes the flip to look at first, or what is left of it.
pub(crate) fn write(
    text: &mut String,
    seed: &SeedReport,
    flip: &Flip,
    witness: &Witness,
    paint: Paint,
) {
    let _ = writeln!(text, "\n{}", paint.heading(heading(seed, flip, witness)));
    let (edits, parts, diff) = match &witness.reduced {
        Some(reduced) => (&reduced.edits, &reduced.parts, &reduced.diff),
        None => (&flip.edits, &flip.parts, &witness.diff),
    };
    write_edits(text, edits, parts);
    text.push('\n');
    for line in what_changed(&shown(flip, witness), &goal(seed)) {
        let _ = writeln!(text, "  {line}");
    }
    if let Some(reduced) = &witness.reduced {
        let _ = writeln!(text, "  {}", origin(flip, reduced));
    }
    write_diff(text, diff, paint);
    let (of, commands) = match &witness.reduced {
        Some(reduced) if !reduced.reproduce.is_empty() => ("it", &reduced.reproduce),
        Some(_) => ("the mutant", &witness.reproduce),
        None => ("it", &witness.reproduce),
    };
    if !commands.is_empty() {
        let _ = writeln!(text, "\n{}", paint.heading(format!("To reproduce {of}")));
        for command in commands {
            let _ = writeln!(text, "  {}", escaped(command));
        }
    }
}

fn heading(seed: &SeedReport, flip: &Flip, witness: &Witness) -> String {
    let kind = match seed.question {
        Question::DoesAMutantFail => "failing",
        Question::DoesAMutantPass => "verifying",
    };
    let (name, edits) = (escaped(&flip.mutant), count(flip.edits.len(), "edit"));
    match &witness.reduced {
        Some(reduced) if reduced.is_smallest() => {
            format!("The smallest change that makes it fail, left of {name}")
        }
        Some(_) => format!("A change that makes it fail, left of {name}"),
        None if flip.is_divisible() => {
            format!("A {kind} mutant with the fewest edits: {name}, {edits}, not reduced")
        }
        None => format!("The {kind} mutant with the fewest edits: {name}, {edits}"),
    }
}

/// What was done to a mutant to get what is left of it.
fn origin(flip: &Flip, reduced: &ReducedWitness) -> String {
    let end = if reduced.is_smallest() { "" } else { "; --budget allows more" };
    let runs = count(reduced.runs, "run");
    format!("mutant {}: {}; reduced in {runs}{end}", plain(&flip.mutant), changes(flip))
}

/// The flip with those of its changes of verdicts that are known of what is left of it.
fn shown(flip: &Flip, witness: &Witness) -> Flip {
    let mut flip = flip.clone();
    if let Some(ReducedWitness { symptom, .. }) = &witness.reduced
        && let Some(procedure) = &symptom.procedure
        && flip.changes.iter().any(|change| change.procedure == *procedure)
    {
        flip.changes.retain(|change| change.procedure == *procedure);
    }
    flip
}

fn write_edits(text: &mut String, edits: &[Edit], parts: &[String]) {
    for (number, edit) in edits.iter().enumerate().take(MAX_EDITS) {
        let part = parts.get(number).filter(|part| !part.is_empty());
        let part = part.map(|part| format!(", in {}", plain(part)));
        let (operator, words) = (plain(&edit.operator), plain(&edit.words));
        let _ = writeln!(text, "  {}. {operator}: {words}{}", number + 1, part.unwrap_or_default());
    }
    if edits.len() > MAX_EDITS {
        let _ = writeln!(text, "  and {} more", edits.len() - MAX_EDITS);
    }
}

fn write_diff(text: &mut String, diff: &str, paint: Paint) {
    if diff.is_empty() {
        return;
    }
    text.push('\n');
    let lines: Vec<&str> = diff.lines().collect();
    for line in lines.iter().take(MAX_DIFF_LINES) {
        // Tabs belong to a program's layout and are harmless.
        let shown: Vec<String> = line.split('\t').map(plain).collect();
        let _ = writeln!(text, "  {}", paint.diff_line(line, shown.join("\t")));
    }
    if lines.len() > MAX_DIFF_LINES {
        let more = count(lines.len() - MAX_DIFF_LINES, "more line");
        let _ = writeln!(text, "  {}", paint.label(format!("and {more}")));
    }
}

#[cfg(test)]
mod tests {
    use mugie_core::{Outcome, Place, Strength, Symptom};
    use mugie_results::SearchEnding;

    use crate::testing::{brittle, report};

    use super::*;

    /// A brittle seed with a witness by a shuffle, which may be reduced to a swap.
    fn shuffled(ending: Option<SearchEnding>) -> SeedReport {
        let mut seed = brittle("a.bpl");
        let place = Place::Many { many: Strength::All, random: 7 };
        let swap = seed.flips[0].edits.clone();
        seed.flips[0].edits = vec![Edit::new("S1", place, "shuffle all 7 declarations")];
        let witness = seed.witness.as_mut().unwrap();
        let procedure = Some(seed.flips[0].changes[0].procedure.clone());
        witness.reduced = ending.map(|ending| ReducedWitness {
            cause: "axiom #2 before axiom #1".to_owned(),
            symptom: Symptom { procedure, outcome: Outcome::Failed, stage: None, message: None },
            edits: swap,
            parts: Vec::new(),
            diff: "--- seed\n+++ smaller\n".to_owned(),
            reproduce: vec!["mugie mutate a.bpl --force --edits '[]'".to_owned()],
            runs: 21,
            ending,
        });
        seed
    }

    fn text(seed: SeedReport) -> String {
        crate::text::render(&report(vec![seed]), false)
    }

    #[test]
    fn what_is_left_of_a_mutant_is_shown_with_its_commands() {
        let shown = text(shuffled(Some(SearchEnding::Done)));
        let (_, shown) = shown.split_once("The smallest change that makes it fail").unwrap();
        insta::assert_snapshot!(shown, @"
        , left of brittle-0001
          1. S1: swap axiom #1 with axiom #2

          procedure pick: verified in the original, failed in the mutant
            postcondition `ensures o > row[i];` at a.bpl:13:3
          mutant brittle-0001: shuffle all 7 declarations; reduced in 21 runs

          --- seed
          +++ smaller

        To reproduce it
          mugie mutate a.bpl --force --edits '[]'
        ");
    }

    #[test]
    fn a_change_is_called_smallest_only_if_nothing_can_be_left_out() {
        let shown = text(shuffled(Some(SearchEnding::BudgetSpent)));
        assert!(shown.contains("\nA change that makes it fail, left of brittle-0001\n"), "{shown}");
        assert!(shown.contains("reduced in 21 runs; --budget allows more"), "{shown}");
        let shown = text(shuffled(None));
        assert!(shown.contains("\nA failing mutant with the fewest edits: "), "{shown}");
        assert!(shown.contains(", 1 edit, not reduced\n"), "{shown}");
        for (ending, heading) in
            [(Some(SearchEnding::Done), "The smallest change"), (None, "A change")]
        {
            let all = vec![shuffled(ending), brittle("b.bpl")];
            let summary = crate::text::summary(&report(all), false);
            assert!(
                summary.contains(&format!("\n{heading} that breaks each program\n")),
                "{summary}"
            );
        }
    }
}
