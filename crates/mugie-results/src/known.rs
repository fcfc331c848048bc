//! How much of a campaign's plan is known, and what is known of mutants that are kept apart.
//!
//! Untested is not robust: a campaign has an answer for a seed only when every verdict that the plan
//! asks for is there. Nothing here knows how numbers are shown.

use mugie_core::{Answer, Outcome};

use crate::data::{BaselineData, BatchIx, Data, Failing, SeedIx, ToolIx};
use crate::flip::{MAX_TROUBLE, verifies};
use crate::measures::{Measures, Share, Standing};

/// How many verdicts are known, of those that the plan asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Those that are known.
    pub known: usize,
    /// All of them. This is an upper bound until all mutants were drawn, and all seeds were run.
    pub of: usize,
}

impl Known {
    /// Whether nothing is left.
    pub fn is_complete(self) -> bool {
        self.known == self.of
    }

    /// The sum of both.
    #[must_use]
    pub fn and(self, other: Known) -> Known {
        Known { known: self.known + other.known, of: self.of + other.of }
    }
}

/// What is known of the mutants of passing seeds by operators that are kept apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Apart {
    /// Seeds with a failing mutant, of those with a judged one.
    pub seeds: Share,
    /// Failing mutants, of judged ones.
    pub mutants: Share,
}

impl Measures<'_> {
    /// How many verdicts of a tool on the mutants of a seed in a batch are known.
    pub fn known(&self, tool: ToolIx, batch: BatchIx, seed: SeedIx) -> Known {
        let data = self.data();
        let is_asked = match self.standing(tool, seed) {
            Standing::Unknown => true,
            Standing::Passes => data.failing != Failing::Only,
            Standing::Fails => data.failing != Failing::Skip,
            Standing::Trouble => false,
        };
        if !is_asked {
            return Known::default();
        }
        self.known_if_asked(tool, batch, seed)
    }

    /// The same, whatever the verdict on the seed is.
    pub fn known_if_asked(&self, tool: ToolIx, batch: BatchIx, seed: SeedIx) -> Known {
        let data = self.data();
        let wanted = data.batches[batch].wanted;
        let mut most = data.drawn.get(&(seed, batch)).map_or(wanted, |drawn| wanted.min(*drawn));
        if let Some(first) = self.first_flip(tool, batch, seed).filter(|_| data.until_failure) {
            most = most.min(first as usize);
        }
        let from = data.dropped.partition_point(|it| (it.seed, it.batch) < (seed, batch));
        let of_batch = data.dropped[from..].iter();
        let of_batch = of_batch.take_while(|it| (it.seed, it.batch) == (seed, batch));
        let dropped = of_batch.filter(|it| it.number as usize <= most).count();
        Known { known: self.run(tool, batch, seed), of: most - dropped }
    }

    /// How many verdicts on mutants are known: of all tools and batches, or of one of them.
    pub fn progress(&self, tool: Option<ToolIx>, batch: Option<BatchIx>) -> Known {
        let data = self.data();
        let mut sum = Known::default();
        for of in data.tools.indices().filter(|it| tool.is_none_or(|tool| tool == *it)) {
            for batch in data.batches.indices().filter(|it| batch.is_none_or(|of| of == *it)) {
                for seed in data.seeds.indices() {
                    sum = sum.and(self.known(of, batch, seed));
                }
            }
        }
        sum
    }

    /// How many seeds have been run, with all tools or with one.
    pub fn seeds_run(&self, tool: Option<ToolIx>) -> Known {
        let data = self.data();
        let tools = data.tools.indices().filter(|it| tool.is_none_or(|tool| tool == *it));
        tools.fold(Known::default(), |sum, tool| {
            let unknown = self.standings(None, tool).unknown;
            let of = data.seeds.len();
            sum.and(Known { known: of - unknown, of })
        })
    }

    /// Whether everything that the plan asks for is known, and it asks for anything.
    pub fn is_complete(&self) -> bool {
        !self.data().seeds.is_empty()
            && self.seeds_run(None).is_complete()
            && self.progress(None, None).is_complete()
    }

    /// The passing seeds that have a judged mutant in any batch, and those of them with a failing one.
    pub fn brittle_in_any_batch(&self, tool: ToolIx) -> Share {
        let mut share = Share::default();
        for seed in self.standing_seeds(None, tool, Standing::Passes) {
            let mutants = self.all_failures(tool, seed);
            share.whole += usize::from(mutants.whole > 0);
            share.part += usize::from(mutants.part > 0);
        }
        share
    }

    /// The mutants that are kept apart.
    pub fn apart(&self, tool: ToolIx) -> Apart {
        let mut apart = Apart::default();
        for seed in self.standing_seeds(None, tool, Standing::Passes) {
            let mutants = self.failures_apart(tool, seed);
            apart.seeds.whole += usize::from(mutants.whole > 0);
            apart.seeds.part += usize::from(mutants.part > 0);
            apart.mutants.add(mutants);
        }
        apart
    }

    /// The answers of the campaign, by the rules of a test of a single seed: one for each tool and seed,
    /// and one for each program that cannot be used. They are about the operators that preserve meaning.
    pub fn answers(&self) -> Vec<Answer> {
        let data = self.data();
        let mut answers: Vec<Answer> = data.unusable.iter().map(|_| Answer::CouldNotRun).collect();
        for tool in data.tools.indices() {
            answers.extend(data.seeds.indices().filter_map(|seed| self.answer(tool, seed)));
        }
        answers
    }

    /// The answer for a seed and a tool; `None` if the plan does not ask for one.
    fn answer(&self, tool: ToolIx, seed: SeedIx) -> Option<Answer> {
        let data = self.data();
        let baseline = data.baselines.iter().find(|it| (it.seed, it.tool) == (seed, tool));
        let Some(baseline) = baseline else { return Some(Answer::Interrupted) };
        let mutants = self.all_failures(tool, seed);
        let standing = self.standing(tool, seed);
        let differ = match standing {
            Standing::Passes => mutants.part,
            Standing::Fails => mutants.whole - mutants.part,
            Standing::Trouble | Standing::Unknown => 0,
        };
        if baseline.layout || differ > 0 {
            return Some(Answer::Brittle);
        }
        let batches = data.batches.indices();
        let is_complete = batches.clone().all(|it| self.known(tool, it, seed).is_complete());
        let run: usize = batches.map(|batch| self.run(tool, batch, seed)).sum();
        Some(match standing {
            Standing::Trouble if baseline.outcome == Outcome::NotExpressible => {
                Answer::NotExpressible
            }
            Standing::Trouble | Standing::Unknown => Answer::CouldNotRun,
            Standing::Passes if data.failing == Failing::Only => return None,
            _ if !is_complete => Answer::Interrupted,
            Standing::Fails => Answer::SeedFails,
            Standing::Passes => {
                let trouble = Share { part: self.trouble(tool, seed), whole: run };
                let is_doubtful = trouble.value().is_some_and(|share| share > MAX_TROUBLE);
                if mutants.whole == 0 || is_doubtful { Answer::CouldNotRun } else { Answer::Robust }
            }
        })
    }
}

/// The first seeds with trouble, each once for each tool, and why.
pub(crate) fn troubles(data: &Data, tool: ToolIx) -> Vec<(String, String)> {
    let of_tool = data.baselines.iter().filter(|it| it.tool == tool);
    let troubled = of_tool.filter(|it| !it.outcome.is_evidence());
    troubled.map(|it| with_reason(data, it)).collect()
}

/// The seeds that a tool does not verify, and why.
pub(crate) fn not_verified(data: &Data, tool: ToolIx) -> Vec<(String, String)> {
    let of_tool = data.baselines.iter().filter(|it| it.tool == tool);
    let failing = of_tool.filter(|it| verifies(it.outcome) == Some(false));
    failing.map(|it| with_reason(data, it)).collect()
}

/// The name of a seed, and the reason of a verdict on it.
fn with_reason(data: &Data, verdict: &BaselineData) -> (String, String) {
    let reason = verdict.reason.clone().unwrap_or_else(|| verdict.outcome.to_string());
    (data.seeds[verdict.seed].name.clone(), reason)
}

#[cfg(test)]
mod tests {
    use mugie_core::Exit;

    use super::*;
    use crate::data::DroppedData;
    use crate::example;

    const OLD: ToolIx = ToolIx::from_usize_unchecked(0);
    const NEW: ToolIx = ToolIx::from_usize_unchecked(1);
    const MIXED: BatchIx = BatchIx::from_usize_unchecked(0);
    const S1: BatchIx = BatchIx::from_usize_unchecked(1);

    #[test]
    fn untested_is_not_robust() {
        let mut data = example::data();
        // Of the seeds that the old tool verifies, only a1 has been tested.
        let mutants = data.mutants.clone();
        data.verdicts.retain(|it| mutants[it.mutant].seed == 0 || it.tool == NEW);
        let measures = Measures::new(&data);
        let robustness = measures.robustness(None, OLD, MIXED);
        assert_eq!((robustness.passing, robustness.tested, robustness.brittle), (4, 1, 0));
        assert_eq!(robustness.brittle_share(), Share { part: 0, whole: 1 });
        assert_eq!(measures.brittle_in_any_batch(OLD), Share { part: 0, whole: 1 });
        let recovery = measures.recovery(None, OLD, MIXED);
        assert_eq!((recovery.failing, recovery.recovering_share().interval()), (1, None));
        assert_eq!(measures.progress(Some(OLD), None), Known { known: 8, of: 37 });
        assert!(measures.answers().contains(&Answer::Interrupted));
    }

    #[test]
    fn a_campaign_says_how_much_of_its_plan_is_known() {
        let data = example::data();
        let measures = Measures::new(&data);
        assert_eq!(measures.progress(Some(OLD), None), Known { known: 37, of: 37 });
        // b1 lacks a verdict, and c1 was not run.
        assert_eq!(measures.progress(Some(NEW), None), Known { known: 36, of: 45 });
        assert_eq!(measures.progress(Some(NEW), Some(MIXED)), Known { known: 19, of: 24 });
        assert_eq!(measures.seeds_run(Some(NEW)), Known { known: 5, of: 6 });
        assert!(!measures.is_complete());

        // What is left out is not expected, nor are the mutants of failing seeds.
        let (seed, batch) = (SeedIx::from(5_usize), MIXED);
        let dropped = DroppedData {
            seed,
            batch,
            number: 4,
            operator: "S1".to_owned(),
            reason: "ill-formed".to_owned(),
        };
        let data = Data { failing: Failing::Skip, dropped: vec![dropped], ..example::data() };
        let skipped = Measures::new(&data);
        assert_eq!(skipped.known(NEW, MIXED, seed), Known { known: 0, of: 3 });
        assert_eq!(skipped.known(NEW, MIXED, SeedIx::from(4_usize)), Known::default());
        // Until the first failure: the second mutant of a2 fails with the old tool.
        let data = Data { until_failure: true, ..example::data() };
        let of = Measures::new(&data).known(OLD, MIXED, SeedIx::from(1_usize)).of;
        assert_eq!(of, 2);
    }

    #[test]
    fn operators_that_are_kept_apart_are_in_no_headline() {
        // L6 is kept apart: its batch is, and so are three of four mutants of the mix.
        let data = Data { apart: 2, ..example::data() };
        let measures = Measures::new(&data);
        assert!(!measures.is_apart(MIXED) && measures.is_apart(BatchIx::from(2_usize)));
        // With the old tool, b1 fails by S1 alone in the mix, and a2 and a3 in the batch S1.
        assert_eq!(measures.robustness(None, OLD, MIXED).brittle, 1);
        assert_eq!(measures.failures(None, OLD, None).total.seeds, 3);
        assert_eq!(measures.brittle_in_any_batch(OLD), Share { part: 3, whole: 4 });
        // With the new tool a1 and a2 fail only by L6, b1 also by others.
        assert_eq!(measures.brittle_in_any_batch(NEW), Share { part: 1, whole: 3 });
        assert_eq!(measures.apart(NEW).seeds, Share { part: 3, whole: 3 });
        let sets = measures.intersections(NEW);
        assert_eq!(sets.iter().map(|set| set.seeds.len()).sum::<usize>(), 1);
        assert_eq!(measures.pairs(None, OLD, NEW, None).mutants(), 9);
        // Its own batch keeps its numbers.
        assert_eq!(measures.robustness(None, OLD, BatchIx::from(2_usize)).brittle, 1);
        let all = measures.compare_operators(OLD);
        assert_eq!((all[0].others, all[1].others), (Share::default(), all[0].own));
        // Nothing of the progress is lost.
        assert_eq!(measures.progress(Some(OLD), None), Known { known: 37, of: 37 });
    }

    #[test]
    fn a_campaign_ends_as_a_test_of_its_seeds() {
        let exit = |data: &Data| Exit::of(Measures::new(data).answers());
        let data = example::data();
        assert_eq!(exit(&data), Exit::Finding);
        // Without the brittle seeds and those without a verdict: a1, and b2, which does not verify.
        let keep = |seed: SeedIx| [0, 4].contains(&seed.index());
        let chosen = |keep: &dyn Fn(SeedIx) -> bool, tool: ToolIx| {
            let mut data = example::data();
            data.baselines.retain(|it| keep(it.seed) && it.tool == tool);
            let mutants = data.mutants.clone();
            data.verdicts.retain(|it| keep(mutants[it.mutant].seed) && it.tool == tool);
            data
        };
        let answers = |data: &Data, seed: usize, tool| {
            Measures::new(data).answer(tool, SeedIx::from(seed)).unwrap()
        };
        let data = chosen(&keep, OLD);
        assert_eq!(answers(&data, 0, OLD), Answer::Robust);
        // A mutant of b2 verifies.
        assert_eq!(answers(&data, 4, OLD), Answer::Brittle);
        let mut skipping = Data { failing: Failing::Skip, ..data.clone() };
        skipping.verdicts.retain(|it| data.mutants[it.mutant].seed == 0);
        assert_eq!(answers(&skipping, 4, OLD), Answer::SeedFails);
        let waiting = Data { failing: Failing::Last, ..skipping };
        assert_eq!(answers(&waiting, 4, OLD), Answer::Interrupted);
        assert_eq!(answers(&data, 1, OLD), Answer::Interrupted);
        assert_eq!(answers(&example::data(), 5, OLD), Answer::CouldNotRun);
        let mut layout = data.clone();
        let first: &mut BaselineData = &mut layout.baselines[0];
        first.layout = true;
        assert_eq!(answers(&layout, 0, OLD), Answer::Brittle);
        let unusable = vec![("x".to_owned(), "not well-formed".to_owned())];
        let data = Data { unusable, ..Data::default() };
        assert_eq!(exit(&data), Exit::NoAnswer);
        let data = chosen(&|_| true, NEW);
        assert_eq!(answers(&data, 2, NEW), Answer::Brittle);
        assert_eq!(Measures::new(&data).seed_failures(NEW, S1, 2_usize.into()).whole, 2);
    }
}
