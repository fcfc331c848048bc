//! Reads the output of any verifier by patterns from its definition.
//!
//! This module must not know any verifier. Output that no pattern matches is a tool error, and so
//! no evidence.

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Deserializer, Serialize, de};
use thiserror::Error;

use super::{Ended, Reader, first_line, shortened, who};
use crate::run::Run;
use mugie_core::{Outcome, Procedure, Verdict};

/// Maximum size of a compiled pattern in bytes: a pattern is a line in a file, not a program.
const PATTERN_SIZE: usize = 1 << 20;

/// The outcome that a pattern in the output stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatternRule {
    /// The outcome if the pattern is found.
    pub is: Outcome,
    /// A regular expression; `^` and `$` match at every line.
    #[serde(deserialize_with = "usable")]
    pub pattern: String,
    /// What the rule is about.
    #[serde(default)]
    pub scope: PatternScope,
}

/// What a rule is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PatternScope {
    /// The program. The first rule for programs whose pattern is found decides.
    #[default]
    Program,
    /// A procedure, or another kind of goal, whose name is the group `name` of the pattern. All
    /// matches count.
    #[serde(alias = "goal")]
    Procedure,
}

/// Why rules cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PatternError {
    /// There are no rules.
    #[error("no patterns are given")]
    None,
    /// It is not a regular expression, or too large.
    #[error("the pattern `{pattern}` cannot be used: {problem}")]
    Invalid {
        /// The pattern.
        pattern: String,
        /// What is wrong with it, on one line.
        problem: String,
    },
    /// It is for procedures but has no group for the name.
    #[error("the pattern `{pattern}` is for procedures and needs a group `(?<name>…)`")]
    NoName {
        /// The pattern.
        pattern: String,
    },
}

/// Compiled rules.
#[derive(Clone, Debug)]
pub struct Patterns {
    rules: Vec<PatternRule>,
    program: Vec<(Outcome, Regex)>,
    procedure: Vec<(Outcome, Regex)>,
}

impl Patterns {
    /// Compiles rules; their order matters.
    pub fn new(rules: &[PatternRule]) -> Result<Patterns, PatternError> {
        if rules.is_empty() {
            return Err(PatternError::None);
        }
        let (program, procedure) = (Vec::new(), Vec::new());
        let mut patterns = Patterns { rules: rules.to_vec(), program, procedure };
        for PatternRule { is, pattern, scope } in rules {
            let regex = regex(pattern)?;
            match scope {
                PatternScope::Program => patterns.program.push((*is, regex)),
                PatternScope::Procedure
                    if regex.capture_names().flatten().any(|name| name == "name") =>
                {
                    patterns.procedure.push((*is, regex));
                }
                PatternScope::Procedure => {
                    return Err(PatternError::NoName { pattern: pattern.clone() });
                }
            }
        }
        Ok(patterns)
    }

    /// All procedures, in the order of the output. Where the matches of two rules overlap, the
    /// first rule wins.
    fn procedures(&self, streams: &[&str]) -> Vec<Procedure> {
        let mut procedures = Vec::new();
        for text in streams {
            let mut found: Vec<(std::ops::Range<usize>, usize, Procedure)> = Vec::new();
            for (rank, (outcome, regex)) in self.procedure.iter().enumerate() {
                for captures in regex.captures_iter(text) {
                    let whole = captures.get_match();
                    let name = captures.name("name").unwrap_or(whole).as_str();
                    let procedure = Procedure {
                        name: shortened(name.trim()),
                        outcome: *outcome,
                        failures: Vec::new(),
                        seconds: None,
                        resources: None,
                    };
                    found.push((whole.range(), rank, procedure));
                }
            }
            procedures.extend(without_overlaps(found));
        }
        procedures
    }
}

impl Reader for Patterns {
    /// Reads the verdict of a run.
    ///
    /// A program gets the outcome of its rule or of its worst procedure, whichever is worse. It is
    /// verified only if the run exited with 0 and, where there are rules for programs, one of them
    /// matches; other outcomes are possible with any exit code.
    fn read(&self, run: &Run) -> Verdict {
        let (cut, code) = match Ended::of(run) {
            Ended::Worthless(verdict) => return verdict,
            Ended::Cut(outcome, reason) => (Some((outcome, reason)), 0),
            Ended::Complete(code) => (None, code),
        };
        let streams = [run.stdout.text.as_str(), run.stderr.text.as_str()];
        let procedures = self.procedures(&streams);
        let worst = procedures.iter().map(|procedure| procedure.outcome).max();

        let verdict = |outcome, reason| Verdict {
            outcome,
            reason,
            stage: None,
            procedures: procedures.clone(),
            messages: Vec::new(),
        };
        if let Some((outcome, reason)) = cut {
            return match worst {
                Some(worst) if worst > outcome => verdict(worst, who(&procedures, worst)),
                _ => verdict(outcome, Some(reason)),
            };
        }

        let rule = self.program.iter().find_map(|(outcome, regex)| {
            let found = streams.iter().find_map(|text| regex.find(text))?;
            Some((*outcome, found.as_str()))
        });
        let outcome = match (rule, worst) {
            (Some((outcome, _)), worst) => worst.map_or(outcome, |worst| worst.max(outcome)),
            (None, Some(worst)) if self.program.is_empty() || worst != Outcome::Verified => worst,
            (None, _) => {
                let reason = match streams.iter().find_map(|text| first_line(text)) {
                    Some(line) => format!("the output matches no pattern: `{line}`"),
                    None => format!("the verifier printed nothing and exited with code {code}"),
                };
                return verdict(Outcome::ToolError, Some(reason));
            }
        };
        if outcome == Outcome::Verified && code != 0 {
            let reason = format!("the output says verified, but the exit code is {code}");
            return verdict(Outcome::ToolError, Some(reason));
        }
        let reason = match rule {
            _ if outcome == Outcome::Verified => None,
            Some((said, text)) if said == outcome => {
                first_line(text).map(|line| format!("the output says `{line}`"))
            }
            _ => who(&procedures, outcome),
        };
        verdict(outcome, reason)
    }

    /// Nothing is known about goals that the rules do not match.
    fn names_goals(&self) -> bool {
        false
    }

    fn identity(&self) -> Vec<String> {
        let rules = self.rules.iter();
        rules.map(|rule| format!("{:?} {:?} {}", rule.is, rule.scope, rule.pattern)).collect()
    }
}

/// The matches in the order of their places; of overlapping ones, those with the lowest rank.
fn without_overlaps(
    mut found: Vec<(std::ops::Range<usize>, usize, Procedure)>,
) -> impl Iterator<Item = Procedure> {
    found.sort_by_key(|(range, rank, _)| (range.start, *rank));
    let mut kept: Vec<(std::ops::Range<usize>, usize, Procedure)> = Vec::new();
    for next in found {
        if let Some(last) = kept.last()
            && last.0.end > next.0.start
            && last.1 > next.1
        {
            kept.pop();
        }
        if kept.last().is_none_or(|last| last.0.end <= next.0.start) {
            kept.push(next);
        }
    }
    kept.into_iter().map(|(_, _, procedure)| procedure)
}

/// Compiles a pattern.
pub(crate) fn regex(pattern: &str) -> Result<Regex, PatternError> {
    let built = RegexBuilder::new(pattern).multi_line(true).size_limit(PATTERN_SIZE).build();
    built.map_err(|error| PatternError::Invalid {
        pattern: pattern.to_owned(),
        problem: problem(&error),
    })
}

/// Deserialises a pattern and checks it, so that an invalid one is reported with its place.
fn usable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let pattern = String::deserialize(deserializer)?;
    regex(&pattern).map_err(de::Error::custom)?;
    Ok(pattern)
}

/// The main message of an error of the `regex` crate, which is a drawing of many lines.
fn problem(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(_) => "it is too large".to_string(),
        error => {
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default();
            last.trim().trim_start_matches("error: ").to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Captured, Ending, Limit, Usage};

    fn rule(is: Outcome, pattern: &str, scope: PatternScope) -> PatternRule {
        PatternRule { is, pattern: pattern.to_string(), scope }
    }

    fn patterns() -> Patterns {
        Patterns::new(&[
            rule(Outcome::Failed, "^FAIL", PatternScope::Program),
            rule(Outcome::Verified, "^all good$", PatternScope::Program),
            rule(Outcome::Failed, r"^(?<name>\w+) fails$", PatternScope::Procedure),
            rule(Outcome::Verified, r"^(?<name>\w+) \w+$", PatternScope::Procedure),
        ])
        .unwrap()
    }

    fn run(ending: Ending, stdout: &str, stderr: &str) -> Run {
        let captured = |text: &str| Captured { text: text.to_string(), truncated: false };
        let (stdout, stderr) = (captured(stdout), captured(stderr));
        Run { ending, usage: Usage::default(), stdout, stderr }
    }

    fn read(stdout: &str, stderr: &str, code: i32) -> (Outcome, String) {
        let verdict = patterns().read(&run(Ending::Exited(code), stdout, stderr));
        (verdict.outcome, verdict.reason.unwrap_or_default())
    }

    #[test]
    fn the_first_rule_that_is_found_counts() {
        assert_eq!(read("all good\n", "", 0), (Outcome::Verified, String::new()));
        let failed = (Outcome::Failed, "the output says `FAIL`".to_string());
        assert_eq!(read("all good\nFAIL\n", "", 0), failed);
        assert_eq!(read("all good\n", "FAIL: x\n", 1), failed);
    }

    #[test]
    fn procedures_are_read_in_order_and_the_worst_decides() {
        let verdict = patterns().read(&run(Ending::Exited(1), "p passes\nq fails\nall good\n", ""));
        let names: Vec<(&str, Outcome)> = verdict
            .procedures
            .iter()
            .map(|procedure| (procedure.name.as_str(), procedure.outcome))
            .collect();
        let expected =
            [("p", Outcome::Verified), ("q", Outcome::Failed), ("all", Outcome::Verified)];
        assert_eq!(names, expected);
        assert_eq!(verdict.outcome, Outcome::Failed);
        assert_eq!(verdict.reason.unwrap(), "`q` failed");
    }

    #[test]
    fn what_no_rule_finds_is_a_tool_error() {
        let no_pattern =
            |line: &str| (Outcome::ToolError, format!("the output matches no pattern: `{line}`"));
        assert_eq!(read("\n what? \nno.\n", "", 0), no_pattern("what?"));
        assert_eq!(read("", "oh\n", 2), no_pattern("oh"));
        assert_eq!(read("p passes\n", "", 0), no_pattern("p passes"));
        let nothing = "the verifier printed nothing and exited with code 2".to_string();
        assert_eq!(read("", "", 2), (Outcome::ToolError, nothing));
    }

    #[test]
    fn verified_needs_exit_code_0() {
        let (outcome, reason) = read("all good\n", "", 1);
        assert_eq!(outcome, Outcome::ToolError);
        assert_eq!(reason, "the output says verified, but the exit code is 1");
    }

    #[test]
    fn rules_for_procedures_alone_suffice() {
        let only = [rule(Outcome::Verified, "^(?<name>.*) passes$", PatternScope::Procedure)];
        let only = Patterns::new(&only).unwrap();
        let outcome = |text| only.read(&run(Ending::Exited(0), text, "")).outcome;
        assert_eq!(outcome("p passes\n"), Outcome::Verified);
        assert_eq!(outcome("p fails\n"), Outcome::ToolError);
    }

    #[test]
    fn the_ending_overrides_the_text() {
        let outcome = |ending, text| patterns().read(&run(ending, text, "")).outcome;
        assert_eq!(outcome(Ending::Limited(Limit::Time), "all good\n"), Outcome::TimedOut);
        assert_eq!(outcome(Ending::Limited(Limit::Memory), "all good\n"), Outcome::OutOfMemory);
        assert_eq!(outcome(Ending::Limited(Limit::Time), "q fails\n"), Outcome::Failed);
        assert_eq!(outcome(Ending::Signaled(9), "FAIL\n"), Outcome::Crashed);
        assert_eq!(outcome(Ending::Cancelled, "all good\n"), Outcome::ToolError);
        assert_eq!(outcome(Ending::Limited(Limit::Output), "all good\n"), Outcome::ToolError);
    }

    #[test]
    fn of_overlapping_finds_the_first_rule_counts() {
        let rules = [
            rule(Outcome::Failed, r"bad (?<name>\w+)", PatternScope::Procedure),
            rule(Outcome::Verified, r"(?<name>\w+) bad \w+", PatternScope::Procedure),
        ];
        let verdict =
            Patterns::new(&rules).unwrap().read(&run(Ending::Exited(0), "too bad indeed", ""));
        assert_eq!(verdict.procedures.len(), 1);
        assert_eq!(verdict.outcome, Outcome::Failed);
    }

    #[test]
    fn rules_that_cannot_be_used_are_refused() {
        let error = |rules: &[PatternRule]| Patterns::new(rules).unwrap_err().to_string();
        assert_eq!(error(&[]), "no patterns are given");
        assert_eq!(
            error(&[rule(Outcome::Failed, "(", PatternScope::Program)]),
            "the pattern `(` cannot be used: unclosed group"
        );
        assert_eq!(
            error(&[rule(Outcome::Failed, r"\w{1000}{1000}", PatternScope::Program)]),
            r"the pattern `\w{1000}{1000}` cannot be used: it is too large"
        );
        assert_eq!(
            error(&[rule(Outcome::Failed, "(.*)", PatternScope::Procedure)]),
            "the pattern `(.*)` is for procedures and needs a group `(?<name>…)`"
        );
    }
}
