//! Dafny's own run: its verdicts, resource counts and queries, goal by goal.

use std::path::PathBuf;
use std::sync::LazyLock;

use mugie_core::{
    DoorError, GoalRun, Location, Obligation, ObligationBatch, Outcome, OwnError, OwnRun, ToolRun,
    in_file_name,
};
use regex::Regex;
use serde::Deserialize;

use crate::implementations::{Implementation, implementations};
use crate::places::FileNames;
use crate::tool::{CommandLine, LOG, QUERY, Tool};
use crate::{log, printed};

/// A line of `--json-output`.
#[derive(Deserialize)]
struct JsonLine {
    value: serde_json::Value,
}

#[derive(Deserialize)]
struct JsonDiagnostic {
    location: JsonLocation,
    severity: u32,
    #[serde(rename = "defaultFormatMessage")]
    message: String,
    #[serde(rename = "relatedInformation", default)]
    related: Vec<JsonRelated>,
}

#[derive(Deserialize)]
struct JsonRelated {
    location: JsonLocation,
}

#[derive(Deserialize)]
struct JsonLocation {
    #[serde(rename = "filePath")]
    path: String,
    range: JsonRange,
}

#[derive(Deserialize)]
struct JsonRange {
    start: JsonPosition,
}

#[derive(Deserialize)]
struct JsonPosition {
    line: u32,
    /// From 0.
    character: u32,
}

/// The severity of an error.
const ERROR: u32 = 1;

/// Reads what a verifying run left.
pub(crate) fn read(tool: &Tool, run: &ToolRun, files: &[PathBuf]) -> Result<OwnRun, DoorError> {
    let printed = printed(run);
    if printed.is_empty() {
        return Err(tool.complaint(run, "Dafny does not verify the program"));
    }
    let all: Vec<Implementation> =
        printed.iter().flat_map(|(_, text)| implementations(text)).collect();
    let (goals, mut errors) = match tool.style() {
        CommandLine::Verbs => {
            let log =
                run.files.get(LOG).ok_or_else(|| tool.complaint(run, "Dafny writes no report"))?;
            (log::read(log), errors(&run.stdout))
        }
        CommandLine::Slashes => (traced(&run.stdout, &all), Vec::new()),
    };
    let mentioned: Vec<String> =
        errors.iter().map(|error: &OwnError| error.place.file.clone()).collect();
    let names = FileNames::new(files, mentioned.iter().map(String::as_str));
    for error in &mut errors {
        error.place = names.in_user_words(&error.place);
        for place in &mut error.related {
            *place = names.in_user_words(place);
        }
    }
    let goals = goals.into_iter().map(|goal| with_queries(goal, &all, run)).collect();
    Ok(OwnRun { tool: tool.title(), goals, errors })
}

/// The errors in the output of `--json-output`.
fn errors(stdout: &str) -> Vec<OwnError> {
    let lines = stdout.lines().filter_map(|line| serde_json::from_str::<JsonLine>(line).ok());
    let diagnostics =
        lines.filter_map(|line| serde_json::from_value::<JsonDiagnostic>(line.value).ok());
    let place = |location: JsonLocation| Location {
        file: location.path,
        line: location.range.start.line,
        column: location.range.start.character + 1,
    };
    let errors = diagnostics.filter(|it| it.severity == ERROR).map(|it| OwnError {
        place: place(it.location),
        message: it.message,
        related: it.related.into_iter().map(|related| place(related.location)).collect(),
    });
    errors.collect()
}

/// `Verifying Impl$$M.P ...`, and the line with the outcome.
static TRACED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)^Verifying (\S+) \.\.\.\s+(?:.*\n)*?\s*\[[^\]\n]*\]\s+(\S[^\n]*?)\s*$").ok()
});

/// The goals in the output of `/trace`, which has neither places nor resource counts.
fn traced(stdout: &str, all: &[Implementation]) -> Vec<GoalRun> {
    let found = TRACED.iter().flat_map(|pattern| pattern.captures_iter(stdout));
    let goal = |name: &str, word: &str| {
        let outcome = match word {
            "verified" => Outcome::Verified,
            "error" | "errors" => Outcome::Failed,
            "timed out" => Outcome::TimedOut,
            "out of memory" => Outcome::OutOfMemory,
            _ => Outcome::Inconclusive,
        };
        let title =
            all.iter().find(|it| it.name == name).map_or(name, Implementation::printed_name);
        let (resources, obligations) = (None, Vec::<Obligation>::new());
        let batches = vec![ObligationBatch { outcome, resources, obligations, query: None }];
        GoalRun { name: title.to_owned(), log: None, batches }
    };
    found.map(|captures| goal(&captures[1], &captures[2])).collect()
}

/// The goal with the queries that Dafny logged for it. A file that may belong to two goals belongs to none.
fn with_queries(mut goal: GoalRun, all: &[Implementation], run: &ToolRun) -> GoalRun {
    let mut named = all.iter().filter(|it| it.printed_name() == goal.name);
    let (Some(implementation), None) = (named.next(), named.next()) else { return goal };
    let stem = in_file_name(&implementation.name);
    if all.iter().filter(|it| in_file_name(&it.name) == stem).count() > 1 {
        return goal;
    }
    let is_alone = goal.batches.len() == 1;
    goal.log = Some(stem.clone());
    for (number, batch) in goal.batches.iter_mut().enumerate() {
        let split = run.files.get(&format!("{QUERY}{stem}_split{number}.smt2"));
        let whole = run.files.get(&format!("{QUERY}{stem}.smt2")).filter(|_| is_alone);
        batch.query = split.or(whole).cloned();
    }
    goal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_read_with_columns_from_1() {
        let line = r#"{"type":"diagnostic","value":{"location":{"filename":"i.dfy","filePath":"/d/i.dfy","uri":"file:///d/i.dfy","range":{"start":{"pos":92,"line":2,"character":40},"end":{"pos":93,"line":2,"character":41}}},"severity":1,"arguments":[],"defaultFormatMessage":"not proved","relatedInformation":[{"location":{"filePath":"/d/i.dfy","range":{"start":{"line":1,"character":0}}}}]}}"#;
        let text = format!("{line}\n{{\"type\":\"status\",\"value\":\"\\nfinished\"}}\n");
        let found = errors(&text);
        let [error] = &found[..] else { panic!("{found:?}") };
        assert_eq!((error.place.line, error.place.column), (2, 41));
        assert_eq!((error.related[0].line, error.related[0].column), (1, 1));
        assert_eq!(error.message, "not proved");
    }

    #[test]
    fn outcomes_are_read_from_a_trace() {
        let text = "Verifying Impl$$M.P ...\nsome noise\n  [0.1 s, 3 proof obligations]  verified\n\n\
                    Verifying Impl$$M.Q ...\n  [0.1 s, 1 proof obligation]  timed out\n";
        let goals = traced(text, &[]);
        let rows: Vec<_> = goals.iter().map(|goal| (goal.name.as_str(), goal.outcome())).collect();
        assert_eq!(rows, [("Impl$$M.P", Outcome::Verified), ("Impl$$M.Q", Outcome::TimedOut)]);
    }
}
