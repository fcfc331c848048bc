//! Dafny's report on all proof obligations: the file of `--log-format text`.

use mugie_core::{GoalRun, Obligation, ObligationBatch, Outcome};

use crate::places::place_at_start;

/// The goals of the report, in its order, with places as the report has them: files without their folders, and
/// columns from 1.
pub(crate) fn read(text: &str) -> Vec<GoalRun> {
    let mut goals: Vec<GoalRun> = Vec::new();
    let mut numbers: Vec<Vec<(u32, ObligationBatch)>> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("Results for ") {
            goals.push(GoalRun {
                name: name.trim_end().to_owned(),
                log: None,
                batches: Vec::new(),
            });
            numbers.push(Vec::new());
            continue;
        }
        let Some(batches) = numbers.last_mut() else { continue };
        let words = line.trim();
        if let Some(number) =
            words.strip_prefix("Assertion batch ").and_then(|it| it.strip_suffix(':'))
        {
            let number = number.parse().unwrap_or(u32::MAX);
            let (outcome, obligations) = (Outcome::ToolError, Vec::new());
            batches.push((
                number,
                ObligationBatch { outcome, resources: None, obligations, query: None },
            ));
            continue;
        }
        let Some((_, batch)) = batches.last_mut() else { continue };
        if let Some(word) = words.strip_prefix("Outcome: ") {
            batch.outcome = outcome(word);
        } else if let Some(count) = words.strip_prefix("Resource count: ") {
            batch.resources = count.parse().ok();
        } else if let Some((place, rest)) = place_at_start(words) {
            let description = rest.strip_prefix(": ").map(str::to_owned);
            batch.obligations.push(Obligation { place, description });
        }
    }
    for (goal, mut batches) in goals.iter_mut().zip(numbers) {
        batches.sort_by_key(|(number, _)| *number);
        goal.batches = batches.into_iter().map(|(_, batch)| batch).collect();
    }
    goals
}

/// The outcome that a word stands for.
fn outcome(word: &str) -> Outcome {
    match word {
        "Valid" => Outcome::Verified,
        "Invalid" => Outcome::Failed,
        "TimeOut" => Outcome::TimedOut,
        "OutOfResource" => Outcome::OutOfResource,
        "OutOfMemory" => Outcome::OutOfMemory,
        "Undetermined" | "Bounded" => Outcome::Inconclusive,
        _ => Outcome::ToolError,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
Results for M.Iso (correctness)
  Overall outcome: Errors
  Overall time: 00:00:00.0785300
  Overall resource count: 5799
  Maximum assertion batch time: 00:00:00.0785300

  Assertion batch 2:
    Outcome: Invalid
    Duration: 00:00:00.0785300
    Resource count: 2986

    Assertions:
      e.dfy(2,64): this postcondition holds

  Assertion batch 1:
    Outcome: Valid
    Duration: 00:00:00.0085300
    Resource count: 2813

    Assertions:
      e.dfy(4,9): assertion always holds
      a b.dfy(5,1): divisor is always non-zero.
";

    #[test]
    fn batches_are_in_the_order_of_their_numbers() {
        let goals = read(TEXT);
        let [goal] = &goals[..] else { panic!("{goals:?}") };
        assert_eq!((goal.name.as_str(), goal.outcome()), ("M.Iso (correctness)", Outcome::Failed));
        assert_eq!(goal.resources(), Some(5799));
        assert_eq!(goal.batches[0].resources, Some(2813));
        let [first, second] = &goal.batches[0].obligations[..] else { panic!("{goal:?}") };
        assert_eq!((first.place.line, first.place.column), (4, 9));
        assert_eq!(first.description.as_deref(), Some("assertion always holds"));
        assert_eq!((second.place.file.as_str(), second.place.column), ("a b.dfy", 1));
    }
}
