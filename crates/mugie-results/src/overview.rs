//! A campaign in brief: its progress, and the meaning of its plan.

use std::collections::BTreeMap;

use crate::data::{Data, Failing};
use crate::known::{Apart, Known, not_verified, troubles};
use crate::measures::{Measures, Share, Standing};

/// The progress of a campaign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The campaign's name.
    pub name: String,
    /// Whether everything that the plan asks for is known.
    pub is_complete: bool,
    /// How many verdicts on mutants are known.
    pub known: Known,
    /// The same by batch, in the order of the plan.
    pub batches: Vec<(String, Known)>,
    /// The tools, in the order of the plan.
    pub tools: Vec<ToolStatus>,
    /// The operators of the mutants that are kept apart.
    pub apart: Vec<String>,
    /// What happens to the mutants of seeds that do not verify.
    pub failing: Failing,
    /// Mutants that were left out because they failed mugie's own check.
    pub dropped: usize,
    /// Programs of the plan that cannot be used: the name, and why.
    pub unusable: Vec<(String, String)>,
}

/// The progress of a campaign with one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolStatus {
    /// The tool's name in the plan.
    pub name: String,
    /// The tool's title: `Boogie 2.4.1 with Z3 4.8.12`.
    pub title: String,
    /// How many seeds were run.
    pub seeds: Known,
    /// Seeds that are verified.
    pub verified: usize,
    /// Verified seeds with a failing mutant in any batch, of those with a judged mutant. This is about the
    /// operators that preserve meaning.
    pub brittle: Share,
    /// Seeds that are not verified.
    pub not_verified: usize,
    /// Seeds that cannot be expressed in the tool's language. They are among `troubles` as well.
    pub not_expressible: usize,
    /// Those seeds, and why.
    pub failures: Vec<(String, String)>,
    /// Seeds whose runs do not agree.
    pub unstable: usize,
    /// Seeds without a verdict and why, those whose runs do not agree included.
    pub troubles: Vec<(String, String)>,
    /// How many verdicts on mutants are known, those without evidence included.
    pub mutants: Known,
    /// Mutants without a verdict, because the tool failed.
    pub mutants_with_trouble: usize,
    /// Judged mutants that are flaky: their runs did not agree.
    pub flaky: usize,
    /// The mutants by operators that are kept apart.
    pub apart: Apart,
}

impl Status {
    /// Counts the progress.
    pub fn new(data: &Data) -> Status {
        let measures = Measures::new(data);
        let tools = data.tools.iter_enumerated().map(|(number, tool)| {
            let of = |standing| measures.coverage(number, None, standing);
            let (passing, failing) = (of(Standing::Passes), of(Standing::Fails));
            let standings = measures.standings(None, number);
            ToolStatus {
                name: tool.name.clone(),
                title: tool.title.clone(),
                seeds: measures.seeds_run(Some(number)),
                verified: standings.passing,
                brittle: measures.brittle_in_any_batch(number),
                not_verified: standings.failing,
                not_expressible: standings.not_expressible,
                failures: not_verified(data, number),
                unstable: data.unstable.iter().filter(|(_, tool)| *tool == number).count(),
                troubles: troubles(data, number),
                mutants: measures.progress(Some(number), None),
                mutants_with_trouble: passing.trouble + failing.trouble,
                flaky: passing.unsteady + failing.unsteady,
                apart: measures.apart(number),
            }
        });
        let batches = data.batches.iter_enumerated().map(|(batch, of)| {
            let known = measures.progress(None, Some(batch));
            (of.name.clone(), known)
        });
        Status {
            name: data.name.clone(),
            is_complete: measures.is_complete(),
            known: measures.progress(None, None),
            batches: batches.collect(),
            tools: tools.collect(),
            apart: data.names_apart().map(str::to_owned).collect(),
            failing: data.failing,
            dropped: data.dropped.len(),
            unusable: data.unusable.clone(),
        }
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
    /// The verifier runs, without repetitions: an upper bound until all seeds were run and all mutants
    /// drawn.
    pub runs: usize,
    /// The number of runs whose result is already in the store.
    pub known: usize,
    /// Whether the store has everything that the plan asks for.
    pub is_complete: bool,
    /// Programs of the plan that cannot be used: the name, and why.
    pub unusable: Vec<(String, String)>,
    /// The mean duration of a run so far, in seconds; `None` if nothing was run.
    pub seconds_per_run: Option<f64>,
    /// The number of concurrent runs.
    pub jobs: usize,
}

/// A tool of a plan.
#[derive(Clone, Debug, PartialEq)]
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
    /// The tool with its versions: `Boogie 3.5.5 with Z3 4.8.12`.
    pub title: String,
    /// The number of runs that are left.
    pub left: usize,
    /// The mean duration of a run with this tool so far, in seconds; `None` if it was not run.
    pub seconds_per_run: Option<f64>,
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

    /// The expected hours for the remaining runs: for each tool, as long as its runs took so far.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub fn hours(&self) -> f64 {
        let seconds = self.tools.iter().map(|tool| {
            tool.left as f64 * tool.seconds_per_run.unwrap_or_else(|| self.seconds_of_a_run())
        });
        seconds.sum::<f64>() / self.jobs.max(1) as f64 / 3600.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    #[test]
    fn status_is_that_counted_by_hand() {
        let status = Status::new(&example::data());
        assert_eq!((status.name.as_str(), status.is_complete), ("example", false));
        let [old, new] = status.tools.as_slice() else { panic!("{status:?}") };
        let known = |known, of| Known { known, of };
        assert_eq!((old.seeds, new.seeds), (known(6, 6), known(5, 6)));
        assert_eq!((old.verified, old.not_verified), (4, 1));
        assert_eq!(old.brittle, Share { part: 3, whole: 4 });
        assert_eq!((old.troubles.len(), new.troubles.len()), (1, 0));
        assert_eq!(old.troubles[0].0, "c1");
        assert_eq!((old.failures.len(), new.failures.len()), (1, 2));
        // All mutants but those of c1; one crashed.
        assert_eq!((old.mutants, old.mutants_with_trouble), (known(37, 37), 1));
        assert_eq!((new.mutants, status.known), (known(36, 45), known(73, 82)));
        let batches: Vec<_> =
            status.batches.iter().map(|(name, it)| (name.as_str(), *it)).collect();
        assert_eq!(batches, [("*", known(39, 44)), ("S1", known(20, 22)), ("L6", known(14, 16))]);
    }

    #[test]
    fn time_is_that_of_the_runs_that_are_left() {
        let tool = |left, seconds_per_run| PlannedTool {
            name: "t".to_owned(),
            verifier: "boogie".to_owned(),
            program: None,
            solver: None,
            options: Vec::new(),
            title: "T".to_owned(),
            left,
            seconds_per_run,
        };
        let plan = PlanOverview {
            name: "p".to_owned(),
            store: "p.sqlite".to_owned(),
            groups: [("A".to_owned(), 2), ("B".to_owned(), 1)].into(),
            batches: 1,
            mutants_per_seed: 10,
            // A slow tool takes longer.
            tools: vec![tool(1000, Some(10.0)), tool(2200, None)],
            runs: 3300,
            known: 100,
            is_complete: false,
            unusable: Vec::new(),
            seconds_per_run: Some(2.0),
            jobs: 4,
        };
        assert_eq!(plan.seeds(), 3);
        assert!((plan.hours() - 1.0).abs() < 1e-12);
        let unknown = PlanOverview { tools: vec![tool(7200, None)], seconds_per_run: None, ..plan };
        assert!((PlanOverview { jobs: 0, ..unknown }.hours() - 2.0).abs() < 1e-12);
    }
}
