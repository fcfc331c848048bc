//! The requests to an executor, and its results.

use std::collections::BTreeMap;
use std::time::Duration;

use mugie_core::{Files, Instances, Scope, Sharing, Strengths, Verdict};
use mugie_verifiers::Usage;
use mugie_verifiers::tap::QueryRecord;
use serde::{Deserialize, Serialize};

/// A hash of everything that a verdict depends on.
pub type Key = [u8; 32];

/// A program to verify, and how to treat timeouts.
///
/// A request can be serialised and carried out elsewhere: with its files, or, if it has an origin,
/// without them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The identifier of the program's language.
    pub language: String,
    /// How to make the program again, if it is part of an experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The program.
    #[serde(default)]
    pub files: Files,
    /// The number of the repetition. Each repetition is verified by runs of its own, which are
    /// plain, so that no earlier answer is reused.
    #[serde(default)]
    pub repetition: u32,
    /// How to treat a timeout.
    #[serde(default)]
    pub timeouts: TimeoutPolicy,
    /// The class of programs that may share a process with this one.
    #[serde(default)]
    pub sharing: Sharing,
    /// The name of the folder of the run, among those of the executor; by default each run has
    /// another one. No two runs at a time may have the same folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

impl Request {
    /// A request for the usual verdict on a program.
    pub fn new(language: impl Into<String>, files: Files) -> Request {
        Request {
            language: language.into(),
            origin: None,
            files,
            repetition: 0,
            timeouts: TimeoutPolicy::Usual,
            sharing: Sharing::default(),
            folder: None,
        }
    }

    /// The request without its files, if its origin tells how to make them again.
    #[must_use]
    pub fn without_files(self) -> Request {
        let files = if self.origin.is_some() { Files::default() } else { self.files };
        Request { files, ..self }
    }

    /// Whether a usual run is asked for, which may be accelerated.
    pub fn is_usual(&self) -> bool {
        self.repetition == 0 && self.timeouts == TimeoutPolicy::Usual
    }
}

/// Where a program comes from: enough to make it again on another machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Origin {
    /// The hash of the seed.
    pub seed: String,
    /// How it was made from the seed.
    pub made: Made,
    /// The hash of the program, to check that the same one was made again.
    pub hash: String,
}

/// How a program is made from a seed.
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
    /// The random seed.
    pub random_seed: u64,
    /// The maximum number of mutants.
    pub mutants: usize,
    /// The maximum number of draws.
    pub attempts: u64,
    /// Whether, instead of drawing, all mutants that the operators lead to are made, nearest first.
    pub exhaustive: bool,
    /// At how many places operators are applied at once, if that is not the usual strength of the language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strength: Option<Strengths>,
    /// Which units of the seed are changed.
    #[serde(default, skip_serializing_if = "Scope::is_all")]
    pub scope: Scope,
}

/// How a timeout is treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeoutPolicy {
    /// A timeout is a result, and must be confirmed.
    #[default]
    Usual,
    /// A program that takes much longer than this usual time is of no interest: the limit is
    /// lowered, and one run is enough.
    Quick(Duration),
    /// A timeout is what is looked for: the limit is lowered to a multiple of this usual time, and
    /// every confirming run must time out as well.
    Lowered(Duration),
    /// As usual, but by a fresh run, even if the verdict is cached.
    Fresh,
}

/// The result for a program, after as many runs as it took.
#[expect(clippy::struct_excessive_bools, reason = "facts that do not depend on each other")]
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// The verdict of the verifier.
    pub verdict: Verdict,
    /// The output of the verifier without noise; empty if it verified the program.
    pub output: String,
    /// The resources that each run used.
    pub usage: Vec<Usage>,
    /// Whether the result came from the cache.
    pub cached: bool,
    /// Whether the program is flaky: a run timed out at work or ran out of memory, and a later one did
    /// not.
    pub unsteady: bool,
    /// The queries to the solver in the last run, if it was tapped.
    pub queries: Vec<QueryRecord>,
    /// Whether the program shared a process with others.
    pub together: bool,
    /// Whether the run was accelerated, by a shared process or a tapped solver.
    pub fast: bool,
    /// The verdict of a shared process, before the program was run again alone.
    pub said: Option<Box<Verdict>>,
    /// Whether the program shared a process whose verdicts did not count, because the solver received
    /// something else from it than from a process of a program alone.
    pub distrusted: bool,
    /// A hash of what the verifier read, if that is a translation of the program. Programs with equal hashes are the
    /// same to the verifier.
    pub text: Option<String>,
}

impl Settled {
    /// The result of a plain run of a program alone.
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
            distrusted: false,
            text: None,
        }
    }

    /// The same result, about the goals of a program instead of their instances.
    #[must_use]
    pub fn of_goals(mut self, instances: &Instances) -> Settled {
        instances.in_verdict(&mut self.verdict);
        // The parts of all instances of a goal are counted together.
        let mut parts: BTreeMap<String, Vec<(String, Option<u32>)>> = BTreeMap::new();
        for query in &mut self.queries {
            let Some(reported) = query.goal.take() else { continue };
            let goal = instances.goal(&reported).to_owned();
            let known = parts.entry(goal.clone()).or_default();
            let part = (reported, query.part);
            let number = known.iter().position(|it| *it == part).unwrap_or_else(|| {
                known.push(part);
                known.len() - 1
            });
            query.part = u32::try_from(number + 1).ok();
            query.goal = Some(goal);
        }
        self
    }

    /// Seconds of processor time of the deciding run, which is the last.
    pub fn seconds(&self) -> f64 {
        self.usage.last().map_or(0.0, |usage| usage.cpu.as_secs_f64())
    }

    /// Processor time of the longest run.
    pub fn longest(&self) -> Duration {
        self.usage.iter().map(|usage| usage.cpu).max().unwrap_or_default()
    }

    /// Whether the processor time is that of a run of the program alone, without cached solver
    /// answers.
    pub fn is_timed(&self) -> bool {
        !self.together && !self.usage.is_empty() && self.queries.iter().all(|query| !query.cached)
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
            strength: Some(Strengths::Mixed),
            scope: Scope::User,
        };
        let made = Made::Mutant { draw, number: 3 };
        let origin = Origin { seed: "00".to_owned(), made, hash: "11".to_owned() };
        let timeouts = TimeoutPolicy::Lowered(Duration::from_millis(1500));
        let request =
            Request { origin: Some(origin), timeouts, ..Request::new("boogie", files.clone()) };
        let written = serde_json::to_string(&request).unwrap();
        assert_eq!(serde_json::from_str::<Request>(&written).unwrap(), request);
        let short = request.without_files();
        assert!(!serde_json::to_string(&short).unwrap().contains("var x"));
        // Without an origin the files are needed, so they are kept.
        assert_eq!(Request::new("boogie", files.clone()).without_files().files, files);
    }
}
