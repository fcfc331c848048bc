//! The only table of answers: the possible results for a seed, and their exit codes.
//!
//! | answer | exit code |
//! |---|---|
//! | robust | 0 |
//! | a finding: brittle, brittle to layout, nondeterministic, beyond a requested limit, another verdict than its tool's | 1 |
//! | no answer: could not run, inconclusive, not expressible, no mutant was judged, interrupted | 2 |
//! | the seed does not verify | 3 |
//!
//! With several seeds the worst answer counts: 1, then 2, then 3, then 0.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The result of testing a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// Every mutant got the seed's verdict.
    Robust,
    /// Some mutant got another verdict, or the seed itself did in another layout, file or folder, each time.
    Brittle,
    /// The same program gets different verdicts.
    Nondeterministic,
    /// The tool that made the seed and the verifier have different verdicts on the same program.
    Disagreement,
    /// Effort, luck or instability exceeds a limit that the user asked for.
    BeyondLimit,
    /// The seed does not verify, so nothing was tested.
    SeedFails,
    /// The test could not be run, or too many of its runs failed or too many mutants were ill-formed.
    CouldNotRun,
    /// The runs do not decide the question.
    Inconclusive,
    /// The seed cannot be expressed in the verifier's input language.
    NotExpressible,
    /// The test was interrupted before it found anything.
    Interrupted,
}

/// How a run of mugie ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Exit {
    /// The command succeeded; everything that was tested is robust.
    Fine,
    /// A seed does not verify.
    SeedFails,
    /// There is no answer, and the reason was reported: usage, bad input, no verifier, inconclusive.
    NoAnswer,
    /// There is a finding.
    Finding,
}

impl Answer {
    /// Every answer, in the order of the table.
    pub const ALL: [Answer; 10] = [
        Answer::Robust,
        Answer::Brittle,
        Answer::Nondeterministic,
        Answer::Disagreement,
        Answer::BeyondLimit,
        Answer::CouldNotRun,
        Answer::Inconclusive,
        Answer::NotExpressible,
        Answer::Interrupted,
        Answer::SeedFails,
    ];

    /// How a run with this answer ends.
    pub fn exit(self) -> Exit {
        match self {
            Answer::Robust => Exit::Fine,
            Answer::Brittle
            | Answer::Nondeterministic
            | Answer::Disagreement
            | Answer::BeyondLimit => Exit::Finding,
            Answer::CouldNotRun
            | Answer::Inconclusive
            | Answer::NotExpressible
            | Answer::Interrupted => Exit::NoAnswer,
            Answer::SeedFails => Exit::SeedFails,
        }
    }

    /// The answer as it follows a name: `does not verify`.
    pub fn words(self) -> &'static str {
        match self {
            Answer::Robust => "robust",
            Answer::Brittle => "brittle",
            Answer::Nondeterministic => "nondeterministic",
            Answer::Disagreement => "disagreement",
            Answer::BeyondLimit => "beyond a limit",
            Answer::SeedFails => "does not verify",
            Answer::CouldNotRun => "could not run",
            Answer::Inconclusive => "inconclusive",
            Answer::NotExpressible => "not expressible",
            Answer::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

impl Exit {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Exit::Fine => 0,
            Exit::Finding => 1,
            Exit::NoAnswer => 2,
            Exit::SeedFails => 3,
        }
    }

    /// How a run with several answers ends: with the worst. A finding is worse than no answer, which is
    /// worse than a seed that does not verify.
    pub fn of(answers: impl IntoIterator<Item = Answer>) -> Exit {
        answers.into_iter().map(Answer::exit).max().unwrap_or(Exit::Fine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_counts_more_than_no_answer_and_that_more_than_a_failing_seed() {
        use Answer::{Brittle, CouldNotRun, Robust, SeedFails};
        assert_eq!(Exit::of([Robust, Brittle, CouldNotRun]), Exit::Finding);
        assert_eq!(Exit::of([SeedFails, CouldNotRun, Robust]), Exit::NoAnswer);
        assert_eq!(Exit::of([Robust, SeedFails]), Exit::SeedFails);
        assert_eq!(Exit::of([Robust]), Exit::Fine);
        assert_eq!(Exit::of([]), Exit::Fine);
    }

    #[test]
    fn every_answer_is_in_the_table() {
        let codes = Answer::ALL.map(|answer| answer.exit().code());
        assert_eq!(codes, [0, 1, 1, 1, 1, 2, 2, 2, 2, 3]);
        for (index, answer) in Answer::ALL.iter().enumerate() {
            assert_eq!(Answer::ALL.iter().position(|other| other == answer), Some(index));
        }
    }
}
