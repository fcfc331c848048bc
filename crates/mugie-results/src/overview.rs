//! A campaign in brief: its progress, and the meaning of its plan.

use std::collections::BTreeMap;

use crate::data::Data;
use crate::measures::{Measures, Standing};

/// The progress of a campaign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The campaign's name.
    pub name: String,
    /// The tools, in the order of the plan.
    pub tools: Vec<ToolStatus>,
    /// Mutants that were left out because they failed mugie's own check.
    pub dropped: usize,
}

/// The progress of a campaign with one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolStatus {
    /// The tool's name in the plan.
    pub name: String,
    /// The tool's title: `Boogie 2.4.1 with Z3 4.8.12`.
    pub title: String,
    /// Seeds that were run.
    pub seeds: usize,
    /// All seeds.
    pub of_seeds: usize,
    /// Seeds that are verified.
    pub verified: usize,
    /// Verified seeds with a failing mutant.
    pub brittle: usize,
    /// Seeds that are not verified.
    pub not_verified: usize,
    /// Seeds without a verdict, because the tool failed.
    pub seeds_with_trouble: usize,
    /// Mutants that were run.
    pub mutants: usize,
    /// All mutants generated so far.
    pub of_mutants: usize,
    /// Mutants without a verdict, because the tool failed.
    pub mutants_with_trouble: usize,
}

impl Status {
    /// Counts the progress.
    pub fn new(data: &Data) -> Status {
        let measures = Measures::new(data);
        let tools = data.tools.iter_enumerated().map(|(number, tool)| {
            let of = |standing| measures.coverage(number, None, standing);
            let (passing, failing) = (of(Standing::Passes), of(Standing::Fails));
            let trouble = passing.trouble + failing.trouble;
            let standings = measures.standings(None, number);
            let brittle = measures.intersections(number);
            ToolStatus {
                name: tool.name.clone(),
                title: tool.title.clone(),
                seeds: data.baselines.iter().filter(|baseline| baseline.tool == number).count(),
                of_seeds: data.seeds.len(),
                verified: standings.passing,
                brittle: brittle.iter().map(|set| set.seeds.len()).sum(),
                not_verified: standings.failing,
                seeds_with_trouble: standings.trouble,
                mutants: passing.judged + failing.judged + trouble,
                of_mutants: passing.mutants + failing.mutants,
                mutants_with_trouble: trouble,
            }
        });
        Status { name: data.name.clone(), tools: tools.collect(), dropped: data.dropped.len() }
    }
}

/// The meaning of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanOverview {
    /// The campaign's name.
    pub name: String,
    /// The file of the store.
    pub store: String,
    /// The number of seeds in each group.
    pub groups: BTreeMap<String, usize>,
    /// The number of batches.
    pub batches: usize,
    /// The number of mutants of each seed in all batches together.
    pub mutants_per_seed: usize,
    /// The tools.
    pub tools: Vec<PlannedTool>,
    /// An upper bound of the verifier runs, without repetitions.
    pub runs: usize,
    /// The number of runs whose result is already in the store.
    pub known: usize,
    /// The mean duration of a run so far, in seconds; `None` if nothing was run.
    pub seconds_per_run: Option<f64>,
    /// The number of concurrent runs.
    pub jobs: usize,
}

/// A tool of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedTool {
    /// The tool's name.
    pub name: String,
    /// The verifier.
    pub verifier: String,
    /// Its program, if the plan names one.
    pub program: Option<String>,
    /// Its solver, if the plan names one.
    pub solver: Option<String>,
    /// Its profile and arguments in the plan.
    pub options: Vec<String>,
    /// The tool with its versions, as it was run last: `Boogie 3.5.5 with Z3 4.8.12`.
    pub title: Option<String>,
}

impl PlanOverview {
    /// The number of seeds.
    pub fn seeds(&self) -> usize {
        self.groups.values().sum()
    }

    /// The expected duration of a run, in seconds: the mean so far, or 1 if nothing was run.
    pub fn seconds_of_a_run(&self) -> f64 {
        self.seconds_per_run.unwrap_or(1.0)
    }

    /// The expected hours for the remaining runs.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub fn hours(&self) -> f64 {
        let runs = self.runs.saturating_sub(self.known) as f64;
        runs * self.seconds_of_a_run() / self.jobs.max(1) as f64 / 3600.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    #[test]
    fn status_is_that_counted_by_hand() {
        let status = Status::new(&example::data());
        assert_eq!(status.name, "example");
        let [old, new] = status.tools.as_slice() else { panic!("{status:?}") };
        assert_eq!((old.seeds, new.seeds, old.of_seeds), (6, 5, 6));
        assert_eq!((old.verified, old.brittle, old.not_verified), (4, 3, 1));
        assert_eq!((old.seeds_with_trouble, new.seeds_with_trouble), (1, 0));
        // All mutants but those of c1; one crashed.
        assert_eq!((old.mutants, old.of_mutants, old.mutants_with_trouble), (37, 37, 1));
        assert_eq!((new.mutants, new.of_mutants), (36, 37));
    }

    #[test]
    fn time_is_that_of_the_runs_that_are_left() {
        let plan = PlanOverview {
            name: "p".to_owned(),
            store: "p.sqlite".to_owned(),
            groups: [("A".to_owned(), 2), ("B".to_owned(), 1)].into(),
            batches: 1,
            mutants_per_seed: 10,
            tools: Vec::new(),
            runs: 7300,
            known: 100,
            seconds_per_run: Some(2.0),
            jobs: 4,
        };
        assert_eq!(plan.seeds(), 3);
        assert!((plan.hours() - 1.0).abs() < 1e-12);
        let unknown = PlanOverview { seconds_per_run: None, jobs: 0, ..plan };
        assert!((unknown.hours() - 2.0).abs() < 1e-12);
    }
}
