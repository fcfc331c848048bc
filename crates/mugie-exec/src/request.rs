//! What is asked of an executor, and what it answers.

use std::time::Duration;

use mugie_core::{Files, Sharing, Verdict};
use mugie_verifiers::Usage;
use mugie_verifiers::tap::QueryRecord;
use serde::{Deserialize, Serialize};

/// A hash of all that a verdict depends on.
pub type Key = [u8; 32];

/// A program to verify, and with how much care.
///
/// A request can be written down and carried out elsewhere: with its files, or, if it says where
/// the program comes from, without them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The identifier of the program's language.
    pub language: String,
    /// How the program is made again, if it is one of an experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The program.
    #[serde(default)]
    pub files: Files,
    /// Another repetition is another question: its answer is found out by other runs, which are
    /// plain ones so that nothing is just repeated.
    #[serde(default)]
    pub repetition: u32,
    /// What a timeout means.
    #[serde(default)]
    pub care: TimeoutPolicy,
    /// Which other programs may share its process.
    #[serde(default)]
    pub sharing: Sharing,
}

impl Request {
    /// A request for the usual verdict on a program.
    pub fn new(language: impl Into<String>, files: Files) -> Request {
        Request {
            language: language.into(),
            origin: None,
            files,
            repetition: 0,
            care: TimeoutPolicy::Usual,
            sharing: Sharing::default(),
        }
    }

    /// The same without its files, if it says how they are made again.
    #[must_use]
    pub fn without_files(self) -> Request {
        let files = if self.origin.is_some() { Files::default() } else { self.files };
        Request { files, ..self }
    }

    /// Whether the usual run is asked for, which may be made fast.
    pub fn is_usual(&self) -> bool {
        self.repetition == 0 && self.care == TimeoutPolicy::Usual
    }
}

/// Where a program comes from: enough to make it again on another machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Origin {
    /// The hash of the seed.
    pub seed: String,
    /// Which program it is.
    pub made: Made,
    /// The hash of the program, by which to see that it is the same.
    pub hash: String,
}

/// Which program of a seed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Made {
    /// The seed as its author wrote it.
    Original,
    /// The seed in its canonical layout.
    Printed,
    /// A mutant.
    Mutant {
        /// How mutants were drawn.
        draw: Draw,
        /// Its number among them.
        number: usize,
    },
}

/// How the mutants of a seed are drawn.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Draw {
    /// The choice of operators, as on the command line.
    pub operators: String,
    /// The seed of the random numbers.
    pub random_seed: u64,
    /// How many mutants there are to be, at most.
    pub mutants: usize,
    /// How many draws may be spent.
    pub attempts: u64,
    /// Whether all mutants that the operators lead to are made instead, nearest first.
    pub exhaustive: bool,
}

/// What a timeout means for whoever asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeoutPolicy {
    /// It is an answer, and must be sure.
    #[default]
    Usual,
    /// A program that takes much longer than this usual time is of no interest: the limit is
    /// lowered, and one run is enough.
    Quick(Duration),
    /// A timeout is what is looked for: the limit is lowered to a multiple of this usual time, and
    /// every confirming run must time out as well.
    Lowered(Duration),
    /// As usual, but found out by a fresh run, whatever is known already.
    Fresh,
}

/// What is known of a program after as many runs as it took.
#[expect(clippy::struct_excessive_bools, reason = "facts that do not depend on each other")]
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// What the verifier says.
    pub verdict: Verdict,
    /// What it printed, without noise, unless it verified the program.
    pub output: String,
    /// What each run used.
    pub usage: Vec<Usage>,
    /// Whether it was known already.
    pub cached: bool,
    /// Whether a run timed out, or ran out of memory, and a later one did not.
    pub unsteady: bool,
    /// What the solver was asked in the last run, if it was tapped.
    pub queries: Vec<QueryRecord>,
    /// Whether it was verified in a process with others.
    pub together: bool,
    /// Whether anything made the run fast: a shared process, a tapped solver.
    pub fast: bool,
    /// What a shared process said of the program before it was repeated alone.
    pub said: Option<Box<Verdict>>,
}

impl Settled {
    /// What one run of a program alone said.
    pub fn of_run(verdict: Verdict, output: String, usage: Vec<Usage>) -> Settled {
        Settled {
            verdict,
            output,
            usage,
            cached: false,
            unsteady: false,
            queries: Vec::new(),
            together: false,
            fast: false,
            said: None,
        }
    }

    /// Processor time of the run that decided.
    pub fn seconds(&self) -> f64 {
        self.usage.last().map_or(0.0, |usage| usage.cpu.as_secs_f64())
    }

    /// Processor time of the longest run.
    pub fn longest(&self) -> Duration {
        self.usage.iter().map(|usage| usage.cpu).max().unwrap_or_default()
    }

    /// Whether that time is what a run of the program alone takes.
    pub fn is_timed(&self) -> bool {
        !self.together && self.queries.iter().all(|query| !query.cached)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_can_be_written_down_without_its_files() {
        let files = Files(vec![("a.bpl".to_owned(), "var x: int;".to_owned())]);
        let draw = Draw {
            operators: "paper".to_owned(),
            random_seed: 1,
            mutants: 10,
            attempts: 100,
            exhaustive: false,
        };
        let made = Made::Mutant { draw, number: 3 };
        let origin = Origin { seed: "00".to_owned(), made, hash: "11".to_owned() };
        let care = TimeoutPolicy::Lowered(Duration::from_millis(1500));
        let request =
            Request { origin: Some(origin), care, ..Request::new("boogie", files.clone()) };
        let written = serde_json::to_string(&request).unwrap();
        assert_eq!(serde_json::from_str::<Request>(&written).unwrap(), request);
        let short = request.without_files();
        assert!(!serde_json::to_string(&short).unwrap().contains("var x"));
        // Without an origin they are needed.
        assert_eq!(Request::new("boogie", files.clone()).without_files().files, files);
    }
}
