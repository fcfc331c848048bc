//! The counts behind the plots of a campaign.
//!
//! A mutant *fails* under a tool if the tool verifies the seed but not the mutant. For a seed that
//! a tool does not verify, the mutants that do verify are counted instead: both cases *differ*. A
//! run without evidence counts as neither. Mutants by operators that are kept apart count only for their
//! operators and in batches that have no others. Nothing here knows HTML.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use index_vec::index_vec;
use mugie_core::Outcome;
use mugie_results::data::{BaselineData, BatchIx, Data, OperatorIx, SeedIx, ToolIx};
use mugie_results::{Measures, flips, verifies};
use mugie_stats::{Interval, clopper_pearson};

/// The verdicts on some mutants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Mutants with a verdict.
    pub(super) judged: u32,
    /// Mutants whose verdict differs from their seed's.
    pub(super) differ: u32,
}

impl Tally {
    fn add(&mut self, differs: bool) {
        self.judged += 1;
        self.differ += u32::from(differs);
    }

    /// The sum of both.
    pub(super) fn and(self, other: Tally) -> Tally {
        Tally { judged: self.judged + other.judged, differ: self.differ + other.differ }
    }

    /// The share that differs, if there is any verdict.
    pub(super) fn share(self) -> Option<f64> {
        (self.judged > 0).then(|| f64::from(self.differ) / f64::from(self.judged))
    }
}

/// The outcomes of the mutants that differ, and of those without a verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds {
    /// Not proved.
    pub(super) failed: u32,
    /// Out of time, memory or resources.
    pub(super) out_of_limits: u32,
    /// Rejected before verification.
    pub(super) rejected: u32,
    /// Undecided, as the verifier reported.
    pub(super) inconclusive: u32,
    /// Verified, although the seed is not.
    pub(super) verified: u32,
    /// Without a verdict: the tool failed.
    pub(super) trouble: u32,
    /// Flaky: the runs do not agree.
    pub(super) unsteady: u32,
}

impl Kinds {
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Verified => self.verified += 1,
            Outcome::Inconclusive => self.inconclusive += 1,
            Outcome::OutOfResource | Outcome::OutOfMemory | Outcome::TimedOut => {
                self.out_of_limits += 1;
            }
            Outcome::Failed => self.failed += 1,
            Outcome::Rejected => self.rejected += 1,
            Outcome::Crashed | Outcome::ToolError | Outcome::NotExpressible => self.trouble += 1,
        }
    }

    /// The sum of both.
    pub(super) fn and(self, other: Kinds) -> Kinds {
        Kinds {
            failed: self.failed + other.failed,
            out_of_limits: self.out_of_limits + other.out_of_limits,
            rejected: self.rejected + other.rejected,
            inconclusive: self.inconclusive + other.inconclusive,
            verified: self.verified + other.verified,
            trouble: self.trouble + other.trouble,
            unsteady: self.unsteady + other.unsteady,
        }
    }
}

/// The times of the mutants of a seed relative to the time of the seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Times {
    /// The number of mutants.
    pub(super) mutants: usize,
    /// Minimum, quartiles and maximum.
    pub(super) five: [f64; 5],
}

/// The mutants that two tools judged, of seeds that both verify.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ToolComparison {
    /// The tools.
    pub(super) tools: (ToolIx, ToolIx),
    /// Mutants that fail under neither tool.
    pub(super) neither_fails: u32,
    /// Mutants that fail only under the first tool.
    pub(super) first_fails: u32,
    /// Mutants that fail only under the second tool.
    pub(super) second_fails: u32,
    /// Mutants that fail under both tools.
    pub(super) both_fail: u32,
}

impl ToolComparison {
    /// The number of mutants.
    pub(super) fn all(&self) -> u32 {
        self.neither_fails + self.first_fails + self.second_fails + self.both_fail
    }
}

/// All counts of a campaign.
#[derive(Debug)]
pub(super) struct Counts<'d> {
    /// The counted data.
    pub(super) data: &'d Data,
    /// The measures of the tables.
    pub(super) measures: Measures<'d>,
    baselines: Vec<Option<&'d BaselineData>>,
    kinds: Vec<Kinds>,
    apart: Vec<Tally>,
    by_batch: Vec<Tally>,
    by_operator: Vec<Tally>,
    times: Vec<Option<Times>>,
    /// The pairs of tools.
    pub(super) pairs: Vec<ToolComparison>,
    intervals: RefCell<BTreeMap<(u32, u32), Interval>>,
}

impl<'d> Counts<'d> {
    /// Counts everything.
    pub(super) fn new(data: &'d Data) -> Counts<'d> {
        let slots = data.seeds.len() * data.tools.len();
        let mut counts = Counts {
            data,
            measures: Measures::new(data),
            baselines: vec![None; slots],
            kinds: vec![Kinds::default(); slots],
            apart: vec![Tally::default(); slots],
            by_batch: vec![Tally::default(); slots * data.batches.len()],
            by_operator: vec![Tally::default(); slots * data.operators.len()],
            times: vec![None; slots],
            pairs: Vec::new(),
            intervals: RefCell::default(),
        };
        for baseline in &data.baselines {
            let slot = counts.slot(baseline.seed, baseline.tool);
            counts.baselines[slot] = Some(baseline);
        }
        counts.count_verdicts();
        counts.count_pairs();
        counts
    }

    fn slot(&self, seed: SeedIx, tool: ToolIx) -> usize {
        seed.index() * self.data.tools.len() + tool.index()
    }

    fn count_verdicts(&mut self) {
        let data = self.data;
        let mut ratios = vec![Vec::new(); self.baselines.len()];
        for verdict in &data.verdicts {
            let mutant = data.mutants[verdict.mutant];
            let slot = self.slot(mutant.seed, verdict.tool);
            let Some(baseline) = self.baselines[slot] else { continue };
            let is_apart = data.is_apart(&mutant);
            let Some(differs) = flips(baseline.outcome, verdict.outcome) else {
                self.kinds[slot].trouble += u32::from(!is_apart);
                continue;
            };
            if differs && !is_apart {
                self.kinds[slot].add(verdict.outcome);
            }
            self.kinds[slot].unsteady += u32::from(verdict.unsteady && !is_apart);
            if is_apart {
                self.apart[slot].add(differs);
            }
            if !is_apart || self.measures.is_apart(mutant.batch) {
                self.by_batch[slot * data.batches.len() + mutant.batch.index()].add(differs);
            }
            for operator in 0..data.operators.len() {
                if mutant.operators >> operator & 1 == 1 {
                    self.by_operator[slot * data.operators.len() + operator].add(differs);
                }
            }
            let Some(seconds) = verdict.seconds else { continue };
            let ratio = f64::from(seconds) / baseline.seconds;
            if ratio.is_finite() && ratio > 0.0 {
                ratios[slot].push(ratio);
            }
        }
        self.times = ratios.into_iter().map(times).collect();
    }

    fn count_pairs(&mut self) {
        for first in self.data.tools.indices() {
            for second in self.data.tools.indices().filter(|second| *second > first) {
                let tools = (first, second);
                self.pairs.push(ToolComparison {
                    tools,
                    neither_fails: 0,
                    first_fails: 0,
                    second_fails: 0,
                    both_fail: 0,
                });
            }
        }
        for verdicts in self.data.verdicts.chunk_by(|a, b| a.mutant == b.mutant) {
            let mut fails = index_vec![None; self.data.tools.len()];
            for verdict in verdicts {
                if self.data.is_apart(&self.data.mutants[verdict.mutant]) {
                    continue;
                }
                let seed = self.data.mutants[verdict.mutant].seed;
                let tool = verdict.tool;
                if let Some(baseline) = self.baseline(seed, tool)
                    && verifies(baseline.outcome) == Some(true)
                {
                    fails[tool] = flips(baseline.outcome, verdict.outcome);
                }
            }
            for pair in &mut self.pairs {
                match (fails[pair.tools.0], fails[pair.tools.1]) {
                    (Some(false), Some(false)) => pair.neither_fails += 1,
                    (Some(true), Some(false)) => pair.first_fails += 1,
                    (Some(false), Some(true)) => pair.second_fails += 1,
                    (Some(true), Some(true)) => pair.both_fail += 1,
                    (None, _) | (_, None) => {}
                }
            }
        }
    }

    /// A tool's verdict on a seed, if it was run.
    pub(super) fn baseline(&self, seed: SeedIx, tool: ToolIx) -> Option<&'d BaselineData> {
        self.baselines[self.slot(seed, tool)]
    }

    /// Whether a tool verifies a seed.
    pub(super) fn verifies(&self, seed: SeedIx, tool: ToolIx) -> bool {
        self.baseline(seed, tool).is_some_and(|it| verifies(it.outcome) == Some(true))
    }

    /// Whether a tool verifies a seed but not all of its mutants, in any batch.
    pub(super) fn is_brittle(&self, seed: SeedIx, tool: ToolIx) -> bool {
        self.verifies(seed, tool) && self.all(seed, tool).differ > 0
    }

    /// The seeds that are brittle under a tool.
    pub(super) fn brittle(&self, tool: ToolIx) -> Vec<SeedIx> {
        (self.data.seeds.indices()).filter(|&seed| self.is_brittle(seed, tool)).collect()
    }

    /// The outcomes of the mutants of a seed.
    pub(super) fn kinds(&self, seed: SeedIx, tool: ToolIx) -> Kinds {
        self.kinds[self.slot(seed, tool)]
    }

    /// The mutants of a seed in a batch.
    pub(super) fn by_batch(&self, seed: SeedIx, tool: ToolIx, batch: BatchIx) -> Tally {
        self.by_batch[self.slot(seed, tool) * self.data.batches.len() + batch.index()]
    }

    /// The mutants of a seed to which an operator contributed.
    pub(super) fn by_operator(&self, seed: SeedIx, tool: ToolIx, operator: OperatorIx) -> Tally {
        self.by_operator[self.slot(seed, tool) * self.data.operators.len() + operator.index()]
    }

    /// The mutants of a seed in all batches, without those that are kept apart.
    pub(super) fn all(&self, seed: SeedIx, tool: ToolIx) -> Tally {
        (self.data.batches.indices())
            .filter(|batch| !self.measures.is_apart(*batch))
            .map(|batch| self.by_batch(seed, tool, batch))
            .fold(Tally::default(), Tally::and)
    }

    /// The mutants of a seed that are kept apart.
    pub(super) fn apart(&self, seed: SeedIx, tool: ToolIx) -> Tally {
        self.apart[self.slot(seed, tool)]
    }

    /// The times of the mutants of a seed.
    pub(super) fn times(&self, seed: SeedIx, tool: ToolIx) -> Option<Times> {
        self.times[self.slot(seed, tool)]
    }

    /// The 95 % interval for the share that differs. There is none for a share of all mutants.
    pub(super) fn interval(&self, tally: Tally) -> Option<Interval> {
        if self.data.asked.exhaustive {
            return None;
        }
        let mut intervals = self.intervals.borrow_mut();
        Some(*intervals.entry((tally.differ, tally.judged)).or_insert_with(|| {
            clopper_pearson(u64::from(tally.differ), u64::from(tally.judged), 0.95)
        }))
    }

    /// What a caption says of the intervals, if there are some.
    pub(super) fn with_interval(&self, words: &'static str) -> &'static str {
        if self.data.asked.exhaustive { "" } else { words }
    }

    /// A share with its interval, if it has one, in words: `24.0 % (13.1–38.2)`.
    pub(super) fn share_words(&self, tally: Tally) -> String {
        let Some(share) = tally.share() else { return "–".to_owned() };
        let mut words = format!("{:.1} %", share * 100.0);
        if let Some(Interval { low, high }) = self.interval(tally) {
            let _ = write!(words, " ({:.1}–{:.1})", low * 100.0, high * 100.0);
        }
        words
    }
}

/// Minimum, quartiles and maximum, if there are any numbers.
pub(super) fn times(mut ratios: Vec<f64>) -> Option<Times> {
    ratios.sort_unstable_by(f64::total_cmp);
    let last = ratios.len().checked_sub(1)?;
    // Interpolate if a quartile lies between two ratios.
    let five = [0_u8, 1, 2, 3, 4].map(|quarter| {
        let (below, rest) = (last * usize::from(quarter) / 4, last * usize::from(quarter) % 4);
        let above = ratios[(below + 1).min(last)];
        ratios[below] + (above - ratios[below]) * super::plot::number(rest) / 4.0
    });
    Some(Times { mutants: ratios.len(), five })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::testing::{self, seed, tool};

    #[test]
    fn failing_mutants_are_counted_by_batch_and_operator() {
        let data = testing::small();
        let counts = Counts::new(&data);
        assert_eq!(counts.all(seed(0), tool(0)), Tally { judged: 4, differ: 2 });
        assert_eq!(
            counts.by_batch(seed(0), tool(0), 0_usize.into()),
            Tally { judged: 2, differ: 2 }
        );
        assert_eq!(
            counts.by_operator(seed(0), tool(0), 0_usize.into()),
            Tally { judged: 3, differ: 2 }
        );
        assert_eq!(counts.kinds(seed(0), tool(0)).out_of_limits, 1);
        assert_eq!(counts.kinds(seed(0), tool(0)).failed, 1);
        assert_eq!(counts.kinds(seed(0), tool(1)).trouble, 1);
        assert_eq!(counts.brittle(tool(0)), [seed(0)]);
        assert_eq!(counts.brittle(tool(1)), [seed(0)]);
    }

    #[test]
    fn operators_that_are_kept_apart_make_no_seed_brittle() {
        // All mutants of the first seed that fail are by S1, and the first batch has no others.
        let data = Data { apart: 1, ..testing::small() };
        let counts = Counts::new(&data);
        assert!(counts.brittle(tool(0)).is_empty());
        assert_eq!(counts.kinds(seed(0), tool(0)), Kinds::default());
        assert_eq!(counts.apart(seed(0), tool(0)), Tally { judged: 3, differ: 2 });
        assert_eq!(counts.by_batch(seed(0), tool(0), 0_usize.into()).differ, 2);
        assert_eq!(counts.by_operator(seed(0), tool(0), 0_usize.into()).differ, 2);
    }

    #[test]
    fn verified_mutants_of_a_failing_seed_differ() {
        let data = testing::small();
        let counts = Counts::new(&data);
        assert!(!counts.verifies(seed(1), tool(0)));
        assert_eq!(counts.all(seed(1), tool(0)), Tally { judged: 1, differ: 1 });
        assert!(!counts.is_brittle(seed(1), tool(0)));
    }

    #[test]
    fn tools_are_compared_on_what_both_answered() {
        let data = testing::small();
        let pair = Counts::new(&data).pairs[0];
        assert_eq!((pair.neither_fails, pair.first_fails), (1, 1));
        assert_eq!((pair.second_fails, pair.both_fail), (0, 1));
    }

    #[test]
    fn times_are_relative_to_the_seed() {
        let data = testing::small();
        let times = Counts::new(&data).times(seed(0), tool(0)).unwrap();
        assert_eq!(times.mutants, 4);
        assert_eq!(
            times.five.map(|ratio| format!("{ratio:.3}")),
            ["0.500", "0.875", "1.500", "11.500", "40.000"]
        );
    }
}
