//! The result of minimisation, for people.

use std::fmt::Write as _;

use mugie_results::{Minimal, Neighbours, SearchEnding};

use crate::words::{count, escaped, plain};

/// The most lines shown of a diff.
const MAX_DIFF_LINES: usize = 40;

/// The result of minimising a mutant. `goal` is the language's word for a goal; `diff` is the
/// difference between the small seed and the small mutant, if the latter could be recreated.
pub fn minimal(mutant: &str, minimal: &Minimal, goal: &str, diff: Option<&str>) -> String {
    let Minimal { cause, symptom, edits, edits_before, lines, lines_before, runs, .. } = minimal;
    let number = match edits.len() {
        1 => "one change".to_owned(),
        number => format!("{number} changes"),
    };
    let (mutant, cause) = (escaped(mutant), escaped(cause));
    let mut text = format!("{mutant} fails because of {number}:\n  {cause}\n\n");
    let failure = match (&symptom.procedure, symptom.stage) {
        (Some(procedure), _) => format!("{goal} `{}` {}", plain(procedure), symptom.outcome),
        (None, Some(stage)) => format!("{} in its {stage} check", symptom.outcome),
        (None, None) => symptom.outcome.to_string(),
    };
    let _ = writeln!(text, "  failure   {failure}");
    let _ = writeln!(text, "  changes   {} of {edits_before}", edits.len());
    let percent = 100 * lines / (*lines_before).max(1);
    let _ = writeln!(text, "  program   {lines} of {} ({percent} %)", count(*lines_before, "line"));
    let ending = match minimal.ending {
        SearchEnding::Done => "nothing smaller was found",
        SearchEnding::BudgetSpent => "the budget is spent; raise --budget for more",
        SearchEnding::TimeSpent => {
            "the time is over; raise --max-time and run the same command again to continue"
        }
        SearchEnding::Interrupted => "interrupted; run the same command again to continue",
    };
    let _ = writeln!(text, "  search    {}: {ending}", count(*runs, "run"));
    let confirmed = if minimal.confirmed { "by two more runs of each program" } else { "not yet" };
    let _ = writeln!(text, "  confirmed {confirmed}");
    if let Some(Neighbours { failing, of, failing_before, of_before, asked }) = &minimal.neighbours
    {
        let _ = writeln!(
            text,
            "  neighbours {failing} of {of} fail as well (names, random seeds); of the original, \
             {failing_before} of {of_before}; asked for {asked} %"
        );
    }
    if let Some(diff) = diff {
        text.push('\n');
        for line in diff.lines().take(MAX_DIFF_LINES) {
            // Tabs belong to a program's layout and are harmless.
            let shown: Vec<String> = line.split('\t').map(escaped).collect();
            let _ = writeln!(text, "  {}", shown.join("\t"));
        }
        if let Some(hidden @ 1..) = diff.lines().count().checked_sub(MAX_DIFF_LINES) {
            let _ = writeln!(text, "  and {}", count(hidden, "more line"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use mugie_core::{Edit, Outcome, Place, Stage, Symptom};

    use super::*;

    fn found() -> Minimal {
        Minimal {
            cause: "axiom #2 before axiom #1".to_owned(),
            symptom: Symptom {
                procedure: Some("pick".to_owned()),
                outcome: Outcome::Failed,
                stage: None,
                message: None,
            },
            edits: vec![Edit::new("S1", Place::Program { at: 0 }, "swap")],
            edits_before: 7,
            lines: 12,
            lines_before: 48,
            runs: 1,
            ending: SearchEnding::Done,
            confirmed: true,
            neighbours: None,
        }
    }

    #[test]
    fn a_pair_is_told_with_its_cause_first() {
        insta::assert_snapshot!(minimal("max-0007", &found(), "procedure", Some("-a\n+\tb\u{7}\n")), @r"
        max-0007 fails because of one change:
          axiom #2 before axiom #1

          failure   procedure `pick` failed
          changes   1 of 7
          program   12 of 48 lines (25 %)
          search    1 run: nothing smaller was found
          confirmed by two more runs of each program

          -a
          +	b\u{7}
        ");
    }

    #[test]
    fn what_is_not_known_yet_is_said() {
        let mut found = found();
        found.symptom = Symptom {
            procedure: None,
            outcome: Outcome::Rejected,
            stage: Some(Stage::Type),
            message: None,
        };
        (found.ending, found.confirmed, found.runs) = (SearchEnding::Interrupted, false, 3);
        found.edits.clear();
        let text = minimal("m", &found, "procedure", Some(&"x\n".repeat(MAX_DIFF_LINES + 2)));
        for line in [
            "m fails because of 0 changes:",
            "  failure   rejected in its type check",
            "  search    3 runs: interrupted; run the same command again to continue",
            "  confirmed not yet",
            "  and 2 more lines",
        ] {
            assert!(text.lines().any(|it| it == line), "{line}: {text}");
        }
    }
}
