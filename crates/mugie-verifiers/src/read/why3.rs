//! Reads the output of `why3 prove`.
//!
//! For every goal that it sends to the prover, Why3 prints the file, the name and an answer. A goal that it
//! simplifies to true is not mentioned at all, so who knows the goals of a program has to ask
//! [whether](Reader::proves_silently) such a goal is proved. If goals were split, each part is an entry of its own, with
//! its place and what it is about: then a part that was not proved is a failure of the goal.
//!
//! The exit code is 0 if all answers are `Valid`, 2 if some are not, and 1 if the file was rejected or Why3 failed;
//! answers and code must agree. An answer that names a limit is an outcome of its own; a prover that was killed ran
//! into the limit of processor time, which Why3 reports as a failure of the prover now and then.

use std::sync::LazyLock;

use mugie_core::{Failure, FailureKind, Location, Message, Outcome, Procedure, Stage, Verdict};
use regex::Regex;

use super::{Ended, Reader, first_line, shortened, who};
use crate::run::{Ending, Run};

/// Reads the output of Why3.
#[derive(Clone, Copy, Debug)]
pub struct Why3;

/// The exit codes of a run that looked at all goals.
const ALL_VALID: i32 = 0;
const SOME_NOT_VALID: i32 = 2;

/// The signal with which processes over their limit are killed.
const KILLED: &str = "killed by signal 9";

impl Reader for Why3 {
    fn read(&self, run: &Run) -> Verdict {
        let (cut, code) = match Ended::of(run) {
            Ended::Worthless(verdict) => return verdict,
            Ended::Cut(outcome, reason) => (Some((outcome, reason)), None),
            Ended::Complete(code) => (None, Some(code)),
        };
        let entries = entries(&run.stdout.text);
        let all_valid = entries.iter().all(|entry| entry.outcome == Outcome::Verified);
        let procedures = goals(entries);
        if let Some((outcome, reason)) = cut {
            let reason = Some(reason);
            return Verdict { outcome, reason, stage: None, procedures, messages: Vec::new() };
        }
        let worst = procedures.iter().map(|goal| goal.outcome).max().unwrap_or(Outcome::Verified);
        let odd = |reason: String| {
            let verdict = Verdict::of_program(Outcome::ToolError, reason);
            Verdict { procedures: procedures.clone(), ..verdict }
        };
        match code {
            Some(ALL_VALID) if !all_valid => {
                odd("it claims that everything is proved, but its answers say otherwise".to_owned())
            }
            Some(SOME_NOT_VALID) if all_valid => {
                odd("it claims that something is not proved, but its answers say otherwise"
                    .to_owned())
            }
            Some(ALL_VALID | SOME_NOT_VALID) => {
                let reason =
                    (worst != Outcome::Verified).then(|| who(&procedures, worst)).flatten();
                Verdict { outcome: worst, reason, stage: None, procedures, messages: Vec::new() }
            }
            _ => refusal(&run.stderr.text, code.unwrap_or_default()),
        }
    }

    fn names_goals(&self) -> bool {
        true
    }

    fn proves_silently(&self, run: &Run) -> bool {
        [ALL_VALID, SOME_NOT_VALID].map(Ending::Exited).contains(&run.ending)
    }

    /// Z3 says the same whether it gave up or spent its steps, so only their number tells.
    fn within(&self, mut verdict: Verdict, limit: u64) -> Verdict {
        for goal in &mut verdict.procedures {
            if goal.outcome == Outcome::Failed && goal.resources.is_some_and(|it| it >= limit) {
                goal.outcome = Outcome::OutOfResource;
            }
        }
        if verdict.outcome == Outcome::Failed {
            let worst = verdict.procedures.iter().map(|goal| goal.outcome).max();
            verdict.outcome = worst.unwrap_or(Outcome::Failed);
            verdict.reason = who(&verdict.procedures, verdict.outcome);
        }
        verdict
    }

    fn identity(&self) -> Vec<String> {
        vec!["why3".to_owned(), "1".to_owned()]
    }

    /// Warnings, such as those about unused variables, are not complaints.
    fn complains(&self, stderr: &str) -> bool {
        complaint(stderr).is_some()
    }
}

/// What Why3 printed about a goal or a part of one.
#[derive(Debug)]
struct Entry {
    goal: String,
    /// What the part is about, if the goal was split.
    about: Option<String>,
    location: Option<Location>,
    answer: String,
    outcome: Outcome,
    seconds: Option<f64>,
    steps: Option<u64>,
}

/// A place: `File "a.mlw", line 3, characters 4-20:`.
static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"^File "(?<file>.*)", line (?<line>\d+), characters (?<column>\d+)-\d+:$"#).ok()
});

/// A goal, `Goal p'vc.`, or a part of one, `Sub-goal Assertion of goal p'vc.`.
static GOAL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(?:Goal|Sub-goal (?<about>.+) of goal) (?<goal>\S+)\.$").ok());

/// An answer: `Prover result is: Unknown (sat) (0.01s, 1491 steps).`.
static ANSWER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^Prover result is: (?<answer>.+?)(?: \((?<time>\d+\.\d+)s(?:, (?<steps>\d+) steps)?\))?[.,](?: (?<more>.*))?$",
    )
    .ok()
});

/// All that was printed about goals, in order.
fn entries(text: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut location = None;
    let mut goal: Option<(String, Option<String>)> = None;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("File ") {
            (location, goal) = (place(line), None);
        } else if let Some((about, name)) = goal_line(line) {
            goal = Some((name, about));
        } else if line.starts_with("Prover result is:")
            && let Some((goal, about)) = goal.take()
        {
            // An answer may go on: with the words of a prover that failed.
            let mut answer = line.to_owned();
            while let Some(more) = lines.next_if(|line| !line.starts_with("File ")) {
                answer.push(' ');
                answer.push_str(more.trim());
            }
            entries.push(entry(goal, about, location.take(), &answer));
        }
    }
    entries
}

fn place(line: &str) -> Option<Location> {
    let found = PLACE.as_ref()?.captures(line)?;
    let number = |name: &str| found[name].parse().ok();
    let column: u32 = number("column")?;
    Some(Location {
        file: found["file"].to_owned(),
        line: number("line")?,
        column: column.saturating_add(1),
    })
}

fn goal_line(line: &str) -> Option<(Option<String>, String)> {
    let found = GOAL.as_ref()?.captures(line)?;
    Some((found.name("about").map(|about| about.as_str().to_owned()), found["goal"].to_owned()))
}

fn entry(goal: String, about: Option<String>, location: Option<Location>, text: &str) -> Entry {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let found = ANSWER.as_ref().and_then(|pattern| pattern.captures(&text));
    let (answer, more, seconds, steps) = match &found {
        None => (text.as_str(), "", None, None),
        Some(found) => (
            &found["answer"],
            found.name("more").map_or("", |more| more.as_str()),
            found.name("time").and_then(|time| time.as_str().parse().ok()),
            found.name("steps").and_then(|steps| steps.as_str().parse().ok()),
        ),
    };
    let outcome = outcome(answer, more);
    let answer = match more {
        "" => answer.to_owned(),
        more => shortened(&format!("{answer}: {more}")),
    };
    Entry { goal, about, location, answer, outcome, seconds, steps }
}

/// The outcome that an answer stands for; `more` is what follows it.
fn outcome(answer: &str, more: &str) -> Outcome {
    let kind = answer.split_once(" (").map_or(answer, |(kind, _)| kind);
    match kind {
        "Valid" => Outcome::Verified,
        "Unknown" | "Invalid" => Outcome::Failed,
        "Timeout" => Outcome::TimedOut,
        "Step limit exceeded" => Outcome::OutOfResource,
        "Out Of Memory" | "Out of Memory" => Outcome::OutOfMemory,
        "High failure" if more.contains(KILLED) => Outcome::TimedOut,
        "High failure" if more.contains("killed by signal") => Outcome::Crashed,
        "High failure" => {
            let printed = more.split_once("prover output:").map_or("", |(_, printed)| printed);
            let exited = more.contains("exited with status 0");
            if exited && printed.split_whitespace().next() == Some("timeout") {
                Outcome::TimedOut
            } else {
                Outcome::ToolError
            }
        }
        _ => Outcome::ToolError,
    }
}

/// The goals of the entries. A goal that was split is as good as its worst part.
fn goals(entries: Vec<Entry>) -> Vec<Procedure> {
    let mut goals: Vec<Procedure> = Vec::new();
    for entry in entries {
        let failure = (entry.outcome != Outcome::Verified).then(|| Failure {
            kind: kind(entry.about.as_deref()),
            message: match &entry.about {
                Some(about) => format!("{about}: {}", entry.answer),
                None => entry.answer,
            },
            location: entry.location,
            related: None,
        });
        let known = goals.iter_mut().find(|goal| goal.name == entry.goal);
        if let Some(goal) = known {
            goal.outcome = goal.outcome.max(entry.outcome);
            goal.failures.extend(failure);
            goal.seconds = goal.seconds.zip(entry.seconds).map(|(one, other)| one + other);
            goal.resources =
                goal.resources.zip(entry.steps).and_then(|(one, other)| one.checked_add(other));
            continue;
        }
        goals.push(Procedure {
            name: entry.goal,
            outcome: entry.outcome,
            failures: failure.into_iter().collect(),
            seconds: entry.seconds,
            resources: entry.steps,
        });
    }
    goals
}

/// The kind of a part of a goal, by what Why3 says that it is about.
fn kind(about: Option<&str>) -> FailureKind {
    match about.map(str::to_ascii_lowercase).as_deref() {
        Some("assertion" | "check") => FailureKind::Assertion,
        Some("precondition") => FailureKind::Precondition,
        Some("postcondition") => FailureKind::Postcondition,
        Some("loop invariant init") => FailureKind::InvariantEntry,
        Some("loop invariant preservation") => FailureKind::InvariantMaintenance,
        _ => FailureKind::Other,
    }
}

/// The verdict if Why3 did not look at the goals: it rejected a file, or something is wrong with it.
fn refusal(stderr: &str, code: i32) -> Verdict {
    let Some((location, text)) = complaint(stderr) else {
        let reason = format!("it ended with exit code {code} without saying why");
        return Verdict::of_program(Outcome::ToolError, reason);
    };
    let Some(location) = location else {
        return Verdict::of_program(Outcome::ToolError, text);
    };
    let stage = if text.contains("syntax error") {
        Stage::Syntax
    } else if text.contains("unbound") || text.contains("not found") {
        Stage::Resolution
    } else {
        Stage::Type
    };
    let reason = format!("{stage} error: {text}");
    let messages = vec![Message { text, location: Some(location) }];
    Verdict { stage: Some(stage), messages, ..Verdict::of_program(Outcome::Rejected, reason) }
}

/// The first thing on standard error that is no warning, with its place.
fn complaint(stderr: &str) -> Option<(Option<Location>, String)> {
    let mut location = None;
    let mut is_warning = false;
    let mut text = String::new();
    for line in stderr.lines() {
        if let Some(found) = place(line) {
            if !text.is_empty() {
                break;
            }
            (location, is_warning) = (Some(found), false);
        } else if line.starts_with("warning: ") {
            is_warning = true;
        } else if is_trouble(line) {
            if text.is_empty() {
                (location, is_warning) = (None, false);
                text.push_str(line.trim());
            }
        } else if !is_warning && !line.trim().is_empty() {
            // A message may have several lines.
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(line.trim());
        }
    }
    first_line(&text).map(|text| (location, text))
}

/// Whether a line says that Why3 itself failed.
fn is_trouble(line: &str) -> bool {
    ["anomaly: ", "Fatal error", "why3 prove: ", "No prover in "]
        .iter()
        .any(|start| line.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Captured, Limit, Usage};

    fn run(ending: Ending, stdout: &str, stderr: &str) -> Run {
        let captured = |text: &str| Captured { text: text.to_owned(), truncated: false };
        let (stdout, stderr) = (captured(stdout), captured(stderr));
        Run { ending, usage: Usage::default(), stdout, stderr }
    }

    fn read(code: i32, stdout: &str, stderr: &str) -> Verdict {
        Why3.read(&run(Ending::Exited(code), stdout, stderr))
    }

    fn answers(verdict: &Verdict) -> Vec<(&str, Outcome, Option<u64>)> {
        let goals = verdict.procedures.iter();
        goals.map(|goal| (goal.name.as_str(), goal.outcome, goal.resources)).collect()
    }

    /// An answer about the goal `i_p'vc`.
    fn of_answer(answer: &str) -> Verdict {
        let code = if answer.starts_with("Valid") { 0 } else { 2 };
        read(code, &format!("File a.mlw:\nGoal i_p'vc.\nProver result is: {answer}\n\n"), "")
    }

    const TWO: &str = "\
File two.mlw:
Goal i_p'vc.
Prover result is: Valid (0.00s, 3250 steps).

File \"two.mlw\", line 26, characters 12-21:
Goal i_q'vc.
Prover result is: Unknown (sat) (0.01s, 1491 steps).

";

    #[test]
    fn every_goal_has_its_answer_and_its_steps() {
        let verdict = read(2, TWO, "");
        assert_eq!(verdict.outcome, Outcome::Failed);
        assert_eq!(verdict.reason.as_deref(), Some("`i_q'vc` failed"));
        assert_eq!(
            answers(&verdict),
            [("i_p'vc", Outcome::Verified, Some(3250)), ("i_q'vc", Outcome::Failed, Some(1491))]
        );
        let failure = &verdict.procedures[1].failures[0];
        assert_eq!(failure.message, "Unknown (sat)");
        let at = failure.location.as_ref().unwrap();
        assert_eq!((at.file.as_str(), at.line, at.column), ("two.mlw", 26, 13));
    }

    #[test]
    fn every_answer_has_the_outcome_of_the_table() {
        for (answer, outcome) in [
            ("Valid (0.02s).", Outcome::Verified),
            ("Unknown (unknown + incomplete) (0.02s, 7 steps).", Outcome::Failed),
            ("Invalid (0.02s).", Outcome::Failed),
            ("Timeout (1.00s).", Outcome::TimedOut),
            ("Step limit exceeded (1.00s).", Outcome::OutOfResource),
            ("Out Of Memory (1.00s).", Outcome::OutOfMemory),
            ("Failure (no such logic) (0.00s).", Outcome::ToolError),
            ("Something new (0.00s).", Outcome::ToolError),
            (
                "High failure (2.58s),\n  Prover exit status: killed by signal 9\n  prover output:\n  \n  .",
                Outcome::TimedOut,
            ),
            (
                "High failure (0.00s),\n  Prover exit status: killed by signal 11\n  prover output:\n  \n  .",
                Outcome::Crashed,
            ),
            (
                "High failure (0.00s),\n  Prover exit status: exited with status 0\n  prover\n  output:\n  timeout\n\n  .",
                Outcome::TimedOut,
            ),
            (
                "High failure (0.00s),\n  Prover exit status: exited with status 1\n  prover output:\n  timeout\n  .",
                Outcome::ToolError,
            ),
            (
                "High failure (0.00s),\n  Prover exit status: exited with status 0\n  prover output:\n  hello\n\n  .",
                Outcome::ToolError,
            ),
        ] {
            assert_eq!(of_answer(answer).outcome, outcome, "{answer}");
        }
        let failed = of_answer(
            "High failure (0.00s),\n  Prover exit status: exited with status 0\n  prover output:\n  hello\n\n  .",
        );
        assert!(failed.procedures[0].failures[0].message.contains("hello"), "{failed:?}");
    }

    #[test]
    fn an_answer_may_be_broken_into_lines() {
        let verdict = of_answer("Unknown (unknown +\n  incomplete) (0.02s,\n  7 steps).");
        assert_eq!(answers(&verdict), [("i_p'vc", Outcome::Failed, Some(7))]);
    }

    #[test]
    fn the_parts_of_a_goal_are_its_failures() {
        let verdict = read(
            2,
            "File \"a.mlw\", line 3, characters 4-9:\nSub-goal Loop invariant init of goal p'vc.\n\
             Prover result is: Valid (0.00s, 5 steps).\n\n\
             File \"a.mlw\", line 9, characters 4-9:\nSub-goal Postcondition of goal p'vc.\n\
             Prover result is: Unknown (sat) (0.00s, 6 steps).\n\n",
            "",
        );
        assert_eq!(answers(&verdict), [("p'vc", Outcome::Failed, Some(11))]);
        let failures: Vec<_> =
            verdict.procedures[0].failures.iter().map(|it| (it.kind, &*it.message)).collect();
        assert_eq!(failures, [(FailureKind::Postcondition, "Postcondition: Unknown (sat)")]);
    }

    #[test]
    fn a_goal_that_is_not_mentioned_is_proved_only_if_all_goals_were_looked_at() {
        let of = |ending| Why3.proves_silently(&run(ending, "", ""));
        assert!(of(Ending::Exited(0)) && of(Ending::Exited(2)));
        for ending in [
            Ending::Exited(1),
            Ending::Exited(127),
            Ending::Signaled(9),
            Ending::Limited(Limit::Time),
        ] {
            assert!(!of(ending));
        }
    }

    #[test]
    fn an_exit_code_that_contradicts_the_answers_is_no_evidence() {
        assert_eq!(read(0, TWO, "").outcome, Outcome::ToolError);
        assert_eq!(read(2, "", "").outcome, Outcome::ToolError);
        assert_eq!(read(0, "", "").outcome, Outcome::Verified);
        assert_eq!(read(127, "", "").outcome, Outcome::ToolError);
    }

    #[test]
    fn what_is_wrong_with_a_file_is_told_from_what_is_wrong_with_why3() {
        let place = "File \"bad.mlw\", line 1, characters 17-20:\n";
        let warning = "File \"bad.mlw\", line 7, characters 2-3:\nwarning: unused variable y\n";
        for (text, stage) in [
            ("syntax error", Stage::Syntax),
            ("unbound function or predicate symbol 'y'", Stage::Resolution),
            ("This expression has type bool, but is expected to have type int", Stage::Type),
        ] {
            let verdict = read(1, "", &format!("{warning}{place}{text}\n"));
            assert_eq!((verdict.outcome, verdict.stage), (Outcome::Rejected, Some(stage)));
            assert_eq!(verdict.messages[0].text, text);
            assert_eq!(verdict.messages[0].location.as_ref().unwrap().line, 1);
        }
        for text in [
            "anomaly: Unix.Unix_error(Unix.EAGAIN, \"create_process\", \"why3server\")",
            "Fatal error while loading driver file 'z3_479.drv': ",
            "No prover in why3.conf corresponds to \"nosuch\"",
            "",
        ] {
            let verdict = read(1, "", &format!("{warning}{text}\n"));
            assert_eq!(verdict.outcome, Outcome::ToolError, "{text}");
            assert!(text.is_empty() || verdict.reason.as_deref() == Some(text.trim()));
        }
        assert!(
            !Why3.complains(warning) && Why3.complains(&format!("{warning}anomaly: Not_found\n"))
        );
    }

    #[test]
    fn a_goal_that_spent_its_steps_is_out_of_resource() {
        let verdict = Why3.within(read(2, TWO, ""), 1491);
        assert_eq!(verdict.outcome, Outcome::OutOfResource);
        assert_eq!(verdict.reason.as_deref(), Some("`i_q'vc` is out of resource"));
        assert_eq!(Why3.within(read(2, TWO, ""), 1492).outcome, Outcome::Failed);
        // A proof is a proof, however long it took.
        assert_eq!(answers(&verdict)[0].1, Outcome::Verified);
    }

    #[test]
    fn a_run_that_was_cut_off_keeps_what_it_said() {
        let verdict = Why3.read(&run(Ending::Limited(Limit::Time), TWO, ""));
        assert_eq!((verdict.outcome, verdict.procedures.len()), (Outcome::TimedOut, 2));
    }
}
