//! The paper's measures of robustness.
//!
//! A seed *passes* with a tool if its baseline is verified, and *fails* if its baseline is any
//! other evidence. A mutant is *judged* if the tool's outcome is evidence; it fails if the outcome
//! is not [`Outcome::Verified`]. Mutants that are not judged are in no share: either the tool
//! failed on them, or they have not been run yet; [`Coverage`] counts both. A seed is *brittle* if
//! it passes and one of its mutants fails.
//!
//! Shares of mutants are computed for each seed and then averaged over seeds, as in the paper;
//! seeds without a judged mutant are not in the mean. All of this is linear in the number of
//! mutants times tools. Nothing here knows how numbers are shown.

use std::collections::BTreeMap;

use index_vec::{IndexVec, index_vec};
use mugie_core::Outcome;
use mugie_stats::{Interval, clopper_pearson};

use crate::data::{BatchIx, Data, GroupIx, MutantIx, OperatorIx, SeedIx, ToolIx};
use crate::flip::verifies;

/// The confidence of all intervals.
pub const CONFIDENCE: f64 = 0.95;

/// The name of the batch that mixes operators.
pub const MIX: &str = "*";

/// The standing of a seed with a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// The seed is verified.
    Passes,
    /// The seed is not verified.
    Fails,
    /// The tool failed on the seed, which is no evidence.
    Trouble,
    /// The seed was not run yet.
    Unknown,
}

/// The kinds of failures of mutants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FailureKind {
    /// The time limit was exceeded.
    Timeout,
    /// The mutant was rejected before verification, although it is equivalent to an accepted seed:
    /// the paper's type errors.
    TypeError,
    /// The verifier reported that it cannot prove the mutant: failed or inconclusive.
    Verification,
    /// Another limit was exceeded: resources or memory. The paper has no such limits, so this is
    /// not one of its three kinds.
    OtherLimit,
}

impl FailureKind {
    /// All kinds, in the order of the paper.
    pub const ALL: [FailureKind; 4] = [
        FailureKind::Timeout,
        FailureKind::TypeError,
        FailureKind::Verification,
        FailureKind::OtherLimit,
    ];

    /// The kind of an outcome; `None` if the outcome is no failure, or no evidence.
    pub fn of(outcome: Outcome) -> Option<FailureKind> {
        match outcome {
            Outcome::Verified | Outcome::Crashed | Outcome::ToolError | Outcome::NotExpressible => {
                None
            }
            Outcome::TimedOut => Some(FailureKind::Timeout),
            Outcome::Rejected => Some(FailureKind::TypeError),
            Outcome::Failed | Outcome::Inconclusive => Some(FailureKind::Verification),
            Outcome::OutOfResource | Outcome::OutOfMemory => Some(FailureKind::OtherLimit),
        }
    }
}

/// A fraction of a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Share {
    /// The numerator.
    pub part: usize,
    /// The denominator.
    pub whole: usize,
}

impl Share {
    /// The share, from 0 to 1; `None` for an empty whole.
    #[expect(clippy::cast_precision_loss, reason = "counts of mutants are far below 2^53")]
    pub fn value(self) -> Option<f64> {
        (self.whole > 0).then(|| self.part as f64 / self.whole as f64)
    }

    /// The exact confidence interval of the share; `None` for an empty whole.
    pub fn interval(self) -> Option<Interval> {
        (self.whole > 0).then(|| clopper_pearson(self.part as u64, self.whole as u64, CONFIDENCE))
    }
}

/// The paper's measures of passing seeds, for a tool and a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Robustness {
    /// # pass: seeds that pass.
    pub passing: usize,
    /// # ∃fail: passing seeds with a failing mutant. Their share of the passing seeds is % ∃fail.
    pub brittle: usize,
    /// Mean % fail: the share of judged mutants that fail, averaged over passing seeds.
    pub mean_fail: Option<f64>,
    /// Mean % timeout: the share of judged mutants that time out, averaged over passing seeds.
    pub mean_timeout: Option<f64>,
    /// Mean % ∃fail: the share of judged mutants that fail, averaged over brittle seeds.
    pub mean_fail_of_brittle: Option<f64>,
}

impl Robustness {
    /// % ∃fail.
    pub fn brittle_share(&self) -> Share {
        Share { part: self.brittle, whole: self.passing }
    }
}

/// The paper's measures of failing seeds, for a tool and a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Recovery {
    /// # fail: seeds that fail.
    pub failing: usize,
    /// # ∃pass: failing seeds with a verified mutant. Their share of the failing seeds is % ∃pass.
    pub recovering: usize,
    /// The share of judged mutants that are verified, averaged over failing seeds.
    pub mean_pass: Option<f64>,
    /// The same, averaged over failing seeds with a verified mutant.
    pub mean_pass_of_recovering: Option<f64>,
}

impl Recovery {
    /// % ∃pass.
    pub fn recovering_share(&self) -> Share {
        Share { part: self.recovering, whole: self.failing }
    }
}

/// Numbers of seeds and mutants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Seeds.
    pub seeds: usize,
    /// Mutants.
    pub mutants: usize,
}

/// Failing mutants of passing seeds by kind. A seed with failures of several kinds counts for each
/// of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// The counts by kind, in the order of [`FailureKind::ALL`].
    pub by_kind: [Count; FailureKind::ALL.len()],
    /// The counts of all kinds: brittle seeds and their failing mutants.
    pub total: Count,
}

impl Failures {
    /// The counts of a kind.
    pub fn of(&self, kind: FailureKind) -> Count {
        self.by_kind[kind as usize]
    }
}

/// The use of operators in failing mutants of passing seeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperatorUse {
    /// The number of failing mutants.
    pub failing: usize,
    /// For each operator, the failing mutants in which it was used at least once.
    pub using: IndexVec<OperatorIx, usize>,
}

impl OperatorUse {
    /// The share of failing mutants in which an operator was used.
    pub fn share(&self, operator: OperatorIx) -> Share {
        Share { part: self.using[operator], whole: self.failing }
    }
}

/// Brittle seeds that have failing mutants in exactly the same batches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intersection {
    /// The batches, in ascending order.
    pub batches: Vec<BatchIx>,
    /// The seeds, in ascending order.
    pub seeds: Vec<SeedIx>,
}

/// Sizes of seeds in lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sizes {
    /// The number of seeds.
    pub seeds: usize,
    /// The fewest lines.
    pub min: usize,
    /// The median; the mean of the two middle values for an even number.
    pub median: f64,
    /// The average.
    pub mean: f64,
    /// The most lines.
    pub max: usize,
    /// The total number of lines.
    pub total: usize,
}

/// How many mutants have a verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// All mutants.
    pub mutants: usize,
    /// Mutants with an outcome that is evidence.
    pub judged: usize,
    /// Mutants without a verdict because the tool failed.
    pub trouble: usize,
    /// Judged mutants that are flaky: their runs did not agree.
    pub unsteady: usize,
}

impl Coverage {
    /// The number of mutants that have not been run.
    pub fn pending(&self) -> usize {
        self.mutants - self.judged - self.trouble
    }
}

/// The number of seeds by standing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standings {
    /// Seeds that pass.
    pub passing: usize,
    /// Seeds that fail.
    pub failing: usize,
    /// Seeds without a verdict because the tool failed.
    pub trouble: usize,
    /// Seeds that were not run yet.
    pub unknown: usize,
}

/// The outcomes of a seed's mutants in a batch with a tool.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    mutants: usize,
    verified: usize,
    failing: [usize; FailureKind::ALL.len()],
    trouble: usize,
    unsteady: usize,
}

impl Tally {
    fn failures(&self) -> usize {
        self.failing.iter().sum()
    }

    fn judged(&self) -> usize {
        self.verified + self.failures()
    }

    fn share(&self, part: usize) -> Option<f64> {
        Share { part, whole: self.judged() }.value()
    }
}

/// The data of a campaign, counted.
///
/// For a group, `None` stands for all seeds; for a batch, for all batches.
#[derive(Clone, Debug)]
pub struct Measures<'d> {
    data: &'d Data,
    /// The seeds of each group.
    members: IndexVec<GroupIx, Vec<SeedIx>>,
    everyone: Vec<SeedIx>,
    /// By tool and seed.
    standings: Vec<Standing>,
    /// By mutant and tool.
    outcomes: Vec<Option<Outcome>>,
    /// By tool, batch and seed.
    tallies: Vec<Tally>,
}

impl<'d> Measures<'d> {
    /// Counts the data.
    pub fn new(data: &'d Data) -> Measures<'d> {
        let (seeds, tools) = (data.seeds.len(), data.tools.len());
        let mut members = index_vec![Vec::new(); data.groups.len()];
        for (number, seed) in data.seeds.iter_enumerated() {
            members[seed.group].push(number);
        }
        let mut standings = vec![Standing::Unknown; tools * seeds];
        for baseline in &data.baselines {
            standings[baseline.tool.index() * seeds + baseline.seed.index()] =
                match verifies(baseline.outcome) {
                    Some(true) => Standing::Passes,
                    Some(false) => Standing::Fails,
                    None => Standing::Trouble,
                };
        }
        let mut measures = Measures {
            data,
            members,
            everyone: data.seeds.indices().collect(),
            standings,
            outcomes: vec![None; data.mutants.len() * tools],
            tallies: vec![Tally::default(); tools * data.batches.len() * seeds],
        };
        for mutant in &data.mutants {
            for tool in data.tools.indices() {
                let place = measures.place(tool, mutant.batch, mutant.seed);
                measures.tallies[place].mutants += 1;
            }
        }
        for verdict in &data.verdicts {
            let mutant = data.mutants[verdict.mutant];
            let place = measures.outcome_place(verdict.mutant, verdict.tool);
            measures.outcomes[place] = Some(verdict.outcome);
            let place = measures.place(verdict.tool, mutant.batch, mutant.seed);
            let tally = &mut measures.tallies[place];
            match (FailureKind::of(verdict.outcome), verifies(verdict.outcome)) {
                (Some(kind), _) => tally.failing[kind as usize] += 1,
                (None, Some(_)) => tally.verified += 1,
                (None, None) => tally.trouble += 1,
            }
            tally.unsteady += usize::from(verdict.unsteady && verdict.outcome.is_evidence());
        }
        measures
    }

    /// The data.
    pub fn data(&self) -> &'d Data {
        self.data
    }

    /// The batch that most measures cover: the one called [`MIX`], or else the first.
    pub fn main_batch(&self) -> Option<BatchIx> {
        let mix = self.data.batches.position(|batch| batch.name == MIX);
        mix.or_else(|| self.data.batches.indices().next())
    }

    /// The standing of a seed with a tool.
    pub fn standing(&self, tool: ToolIx, seed: SeedIx) -> Standing {
        self.standings[tool.index() * self.data.seeds.len() + seed.index()]
    }

    /// The outcome of a mutant, if it is known.
    pub fn outcome(&self, mutant: MutantIx, tool: ToolIx) -> Option<Outcome> {
        self.outcomes[self.outcome_place(mutant, tool)]
    }

    /// The failing mutants among the judged ones of a seed in a batch, whether the seed passes or
    /// not.
    pub fn seed_failures(&self, tool: ToolIx, batch: BatchIx, seed: SeedIx) -> Share {
        let tally = self.tally(tool, batch, seed);
        Share { part: tally.failures(), whole: tally.judged() }
    }

    /// The number of seeds by standing with a tool.
    pub fn standings(&self, group: Option<GroupIx>, tool: ToolIx) -> Standings {
        let mut standings = Standings::default();
        for &seed in self.seeds(group) {
            *match self.standing(tool, seed) {
                Standing::Passes => &mut standings.passing,
                Standing::Fails => &mut standings.failing,
                Standing::Trouble => &mut standings.trouble,
                Standing::Unknown => &mut standings.unknown,
            } += 1;
        }
        standings
    }

    /// How many mutants of the seeds with the given standing have a verdict.
    pub fn coverage(&self, tool: ToolIx, batch: Option<BatchIx>, standing: Standing) -> Coverage {
        let mut coverage = Coverage::default();
        for seed in self.standing_seeds(None, tool, standing) {
            for batch in self.batches(batch) {
                let tally = self.tally(tool, batch, seed);
                coverage.mutants += tally.mutants;
                coverage.judged += tally.judged();
                coverage.trouble += tally.trouble;
                coverage.unsteady += tally.unsteady;
            }
        }
        coverage
    }

    /// The measures of passing seeds.
    pub fn robustness(&self, group: Option<GroupIx>, tool: ToolIx, batch: BatchIx) -> Robustness {
        let mut robustness = Robustness::default();
        let (mut fail, mut timeout, mut fail_of_brittle) =
            (Mean::default(), Mean::default(), Mean::default());
        for seed in self.standing_seeds(group, tool, Standing::Passes) {
            let tally = self.tally(tool, batch, seed);
            let failures = tally.failures();
            robustness.passing += 1;
            fail.add(tally.share(failures));
            timeout.add(tally.share(tally.failing[FailureKind::Timeout as usize]));
            if failures > 0 {
                robustness.brittle += 1;
                fail_of_brittle.add(tally.share(failures));
            }
        }
        robustness.mean_fail = fail.value();
        robustness.mean_timeout = timeout.value();
        robustness.mean_fail_of_brittle = fail_of_brittle.value();
        robustness
    }

    /// The measures of failing seeds.
    pub fn recovery(&self, group: Option<GroupIx>, tool: ToolIx, batch: BatchIx) -> Recovery {
        let mut recovery = Recovery::default();
        let (mut pass, mut pass_of_recovering) = (Mean::default(), Mean::default());
        for seed in self.standing_seeds(group, tool, Standing::Fails) {
            let tally = self.tally(tool, batch, seed);
            recovery.failing += 1;
            pass.add(tally.share(tally.verified));
            if tally.verified > 0 {
                recovery.recovering += 1;
                pass_of_recovering.add(tally.share(tally.verified));
            }
        }
        recovery.mean_pass = pass.value();
        recovery.mean_pass_of_recovering = pass_of_recovering.value();
        recovery
    }

    /// Failing mutants of passing seeds by kind.
    pub fn failures(
        &self,
        group: Option<GroupIx>,
        tool: ToolIx,
        batch: Option<BatchIx>,
    ) -> Failures {
        let mut failures = Failures::default();
        for seed in self.standing_seeds(group, tool, Standing::Passes) {
            let mut of_seed = [0; FailureKind::ALL.len()];
            for batch in self.batches(batch) {
                let tally = self.tally(tool, batch, seed);
                for (sum, number) in of_seed.iter_mut().zip(tally.failing) {
                    *sum += number;
                }
            }
            for (count, number) in failures.by_kind.iter_mut().zip(of_seed) {
                count.seeds += usize::from(number > 0);
                count.mutants += number;
            }
            let total: usize = of_seed.iter().sum();
            failures.total.seeds += usize::from(total > 0);
            failures.total.mutants += total;
        }
        failures
    }

    /// The use of each operator in failing mutants of passing seeds, by group, and finally over all
    /// groups.
    pub fn operator_use(&self, tool: ToolIx, batch: BatchIx) -> Vec<OperatorUse> {
        let unused = OperatorUse { failing: 0, using: index_vec![0; self.data.operators.len()] };
        let mut uses = vec![unused; self.data.groups.len() + 1];
        for (number, mutant) in self.data.mutants.iter_enumerated() {
            let fails = self.outcome(number, tool).and_then(FailureKind::of).is_some();
            if mutant.batch != batch
                || !fails
                || self.standing(tool, mutant.seed) != Standing::Passes
            {
                continue;
            }
            let group = self.data.seeds[mutant.seed].group;
            for group in [group.index(), self.data.groups.len()] {
                uses[group].failing += 1;
                for operator in bits(mutant.operators) {
                    uses[group].using[operator] += 1;
                }
            }
        }
        uses
    }

    /// The operators that any mutant of a batch used, whatever its outcome, in ascending order.
    pub fn operators_of(&self, batch: BatchIx) -> Vec<OperatorIx> {
        let of_batch = self.data.mutants.iter().filter(|mutant| mutant.batch == batch);
        bits(of_batch.fold(0, |all, mutant| all | mutant.operators)).collect()
    }

    /// The brittle seeds by the exact set of batches in which they have a failing mutant. The
    /// largest sets of seeds come first, then those of fewer batches.
    pub fn intersections(&self, tool: ToolIx) -> Vec<Intersection> {
        let mut sets: BTreeMap<Vec<BatchIx>, Vec<SeedIx>> = BTreeMap::new();
        for seed in self.standing_seeds(None, tool, Standing::Passes) {
            let batches: Vec<BatchIx> = self
                .batches(None)
                .filter(|&batch| self.tally(tool, batch, seed).failures() > 0)
                .collect();
            if !batches.is_empty() {
                sets.entry(batches).or_default().push(seed);
            }
        }
        let mut intersections: Vec<Intersection> =
            sets.into_iter().map(|(batches, seeds)| Intersection { batches, seeds }).collect();
        intersections.sort_by(|a, b| {
            b.seeds.len().cmp(&a.seeds.len()).then(a.batches.len().cmp(&b.batches.len()))
        });
        intersections
    }

    /// The sizes of seeds; `None` if there are none.
    pub fn sizes(&self, group: Option<GroupIx>) -> Option<Sizes> {
        let mut lines: Vec<usize> =
            self.seeds(group).iter().map(|&seed| self.data.seeds[seed].lines).collect();
        lines.sort_unstable();
        let (&min, &max) = (lines.first()?, lines.last()?);
        let total: usize = lines.iter().sum();
        let middle = lines[(lines.len() - 1) / 2] + lines[lines.len() / 2];
        Some(Sizes {
            seeds: lines.len(),
            min,
            median: Share { part: middle, whole: 2 }.value()?,
            mean: Share { part: total, whole: lines.len() }.value()?,
            max,
            total,
        })
    }

    fn seeds(&self, group: Option<GroupIx>) -> &[SeedIx] {
        group.map_or(&self.everyone, |group| &self.members[group])
    }

    pub(crate) fn standing_seeds(
        &self,
        group: Option<GroupIx>,
        tool: ToolIx,
        standing: Standing,
    ) -> impl Iterator<Item = SeedIx> + '_ {
        let seeds = self.seeds(group).iter().copied();
        seeds.filter(move |&seed| self.standing(tool, seed) == standing)
    }

    pub(crate) fn batches(&self, batch: Option<BatchIx>) -> impl Iterator<Item = BatchIx> + '_ {
        self.data.batches.indices().filter(move |each| batch.is_none_or(|batch| *each == batch))
    }

    fn place(&self, tool: ToolIx, batch: BatchIx, seed: SeedIx) -> usize {
        (tool.index() * self.data.batches.len() + batch.index()) * self.data.seeds.len()
            + seed.index()
    }

    fn outcome_place(&self, mutant: MutantIx, tool: ToolIx) -> usize {
        mutant.index() * self.data.tools.len() + tool.index()
    }

    fn tally(&self, tool: ToolIx, batch: BatchIx, seed: SeedIx) -> &Tally {
        &self.tallies[self.place(tool, batch, seed)]
    }
}

/// The mean of the known numbers.
#[derive(Default)]
pub(crate) struct Mean {
    sum: f64,
    number: u32,
}

impl Mean {
    pub(crate) fn add(&mut self, value: Option<f64>) {
        if let Some(value) = value {
            self.sum += value;
            self.number += 1;
        }
    }

    pub(crate) fn value(&self) -> Option<f64> {
        (self.number > 0).then(|| self.sum / f64::from(self.number))
    }
}

/// The indices of the set bits, in ascending order.
fn bits(mut set: u128) -> impl Iterator<Item = OperatorIx> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let lowest = set.trailing_zeros();
            set &= set - 1;
            OperatorIx::from(lowest as usize)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    const OLD: ToolIx = ToolIx::from_usize_unchecked(0);
    const NEW: ToolIx = ToolIx::from_usize_unchecked(1);
    const A: Option<GroupIx> = Some(GroupIx::from_usize_unchecked(0));
    const B: Option<GroupIx> = Some(GroupIx::from_usize_unchecked(1));
    const C: Option<GroupIx> = Some(GroupIx::from_usize_unchecked(2));
    const ALL: Option<GroupIx> = None;
    const MIXED: BatchIx = BatchIx::from_usize_unchecked(0);
    const S1: BatchIx = BatchIx::from_usize_unchecked(1);
    const L6: BatchIx = BatchIx::from_usize_unchecked(2);

    #[track_caller]
    fn assert_near(actual: Option<f64>, expected: Option<f64>) {
        match (actual, expected) {
            (Some(actual), Some(expected)) => {
                assert!((actual - expected).abs() < 1e-12, "{actual} is not {expected}");
            }
            _ => assert_eq!(actual, expected),
        }
    }

    #[test]
    fn robustness_is_that_worked_out_by_hand() {
        let data = example::data();
        let measures = Measures::new(&data);
        // a2 has 3 of 4 with the old tool and 1 of 4 with the new; b1 has 2 of 3 with both. The old
        // tool passes a1, a2, a3 and b1, the new one a1, a2 and b1.
        let (quarter, third) = (0.25, 2.0 / 3.0);
        for (group, tool, passing, brittle, fail, timeout, of_brittle) in [
            (A, OLD, 3, 1, Some(0.25), Some(0.25 / 3.0), Some(0.75)),
            (A, NEW, 2, 1, Some(0.125), Some(0.125), Some(quarter)),
            (B, OLD, 1, 1, Some(third), Some(0.0), Some(third)),
            (B, NEW, 1, 1, Some(third), Some(0.0), Some(third)),
            (C, OLD, 0, 0, None, None, None),
            (C, NEW, 0, 0, None, None, None),
            (
                ALL,
                OLD,
                4,
                2,
                Some((0.75 + third) / 4.0),
                Some(0.0625),
                Some(f64::midpoint(0.75, third)),
            ),
            (
                ALL,
                NEW,
                3,
                2,
                Some((quarter + third) / 3.0),
                Some(0.25 / 3.0),
                Some(f64::midpoint(quarter, third)),
            ),
        ] {
            let robustness = measures.robustness(group, tool, MIXED);
            assert_eq!((robustness.passing, robustness.brittle), (passing, brittle));
            assert_near(robustness.mean_fail, fail);
            assert_near(robustness.mean_timeout, timeout);
            assert_near(robustness.mean_fail_of_brittle, of_brittle);
        }
        let share = measures.robustness(ALL, OLD, MIXED).brittle_share();
        assert_near(share.value(), Some(0.5));
        assert_eq!(share.interval(), Some(clopper_pearson(2, 4, 0.95)));
    }

    #[test]
    fn seed_without_mutants_passes_but_is_in_no_mean() {
        let data = example::data();
        let measures = Measures::new(&data);
        // b1 has no mutants by L6: shares are 0 of 2 for a1, 2 of 2 for a2, 0 of 1 for a3.
        let robustness = measures.robustness(ALL, OLD, L6);
        assert_eq!((robustness.passing, robustness.brittle), (4, 1));
        assert_near(robustness.mean_fail, Some(1.0 / 3.0));
        assert_eq!(measures.robustness(B, OLD, L6).mean_fail, None);
        assert_eq!(measures.robustness(ALL, OLD, S1).brittle, 2);
        assert_eq!(measures.robustness(ALL, NEW, S1).brittle, 1);
        assert_eq!(measures.robustness(ALL, NEW, L6).brittle, 1);
    }

    #[test]
    fn recovery_is_that_worked_out_by_hand() {
        let data = example::data();
        let measures = Measures::new(&data);
        // The old tool fails on b2 (1 of 4 mutants pass), the new one on a3 (1 of 4) and b2 (none).
        for (group, tool, failing, recovering, pass, of_recovering) in [
            (A, OLD, 0, 0, None, None),
            (B, OLD, 1, 1, Some(0.25), Some(0.25)),
            (C, OLD, 0, 0, None, None),
            (ALL, OLD, 1, 1, Some(0.25), Some(0.25)),
            (A, NEW, 1, 1, Some(0.25), Some(0.25)),
            (B, NEW, 1, 0, Some(0.0), None),
            (ALL, NEW, 2, 1, Some(0.125), Some(0.25)),
        ] {
            let recovery = measures.recovery(group, tool, MIXED);
            assert_eq!((recovery.failing, recovery.recovering), (failing, recovering));
            assert_near(recovery.mean_pass, pass);
            assert_near(recovery.mean_pass_of_recovering, of_recovering);
        }
        let share = measures.recovery(ALL, NEW, MIXED).recovering_share();
        assert_eq!(share, Share { part: 1, whole: 2 });
    }

    #[test]
    fn kinds_of_failures_are_those_counted_by_hand() {
        let data = example::data();
        let measures = Measures::new(&data);
        // Seeds and mutants: timeouts, type errors, verification failures, other limits, all.
        for (tool, batch, expected) in [
            (OLD, Some(MIXED), [(1, 1), (1, 2), (1, 2), (0, 0), (2, 5)]),
            (NEW, Some(MIXED), [(1, 1), (1, 2), (0, 0), (0, 0), (2, 3)]),
            (OLD, Some(S1), [(1, 1), (0, 0), (1, 1), (0, 0), (2, 2)]),
            (NEW, Some(S1), [(0, 0), (0, 0), (1, 1), (0, 0), (1, 1)]),
            (OLD, Some(L6), [(0, 0), (0, 0), (1, 2), (0, 0), (1, 2)]),
            (NEW, Some(L6), [(0, 0), (0, 0), (0, 0), (1, 1), (1, 1)]),
            // With the old tool, a2 has 2 timeouts and 4 verification failures, a3 has 1 and b1 has
            // 2 type errors.
            (OLD, None, [(1, 2), (1, 2), (2, 5), (0, 0), (3, 9)]),
            (NEW, None, [(1, 1), (1, 2), (1, 1), (1, 1), (3, 5)]),
        ] {
            let failures = measures.failures(ALL, tool, batch);
            let mut actual = FailureKind::ALL.map(|kind| failures.of(kind)).to_vec();
            actual.push(failures.total);
            let actual: Vec<_> =
                actual.iter().map(|count: &Count| (count.seeds, count.mutants)).collect();
            assert_eq!(actual, expected, "tool {tool:?}, batch {batch:?}");
        }
        assert_eq!(
            measures.failures(B, OLD, Some(MIXED)).total,
            Count { seeds: 1, mutants: 2 },
            "of one group"
        );
    }

    #[test]
    fn operators_of_failing_mutants_are_those_counted_by_hand() {
        let data = example::data();
        let measures = Measures::new(&data);
        // Mutants 1 to 4 use S1; S1 and L6; L6; L6. With the old tool 2, 3 and 4 of a2 fail, and 1
        // and 2 of b1. With the new one, 3 of a2, and 1 and 2 of b1.
        let of = |tool| {
            let uses = measures.operator_use(tool, MIXED);
            uses.into_iter().map(|of| (of.failing, of.using.raw)).collect::<Vec<_>>()
        };
        assert_eq!(
            of(OLD),
            [(3, vec![1, 3, 0]), (2, vec![2, 1, 0]), (0, vec![0, 0, 0]), (5, vec![3, 4, 0])]
        );
        assert_eq!(
            of(NEW),
            [(1, vec![0, 1, 0]), (2, vec![2, 1, 0]), (0, vec![0, 0, 0]), (3, vec![2, 2, 0])]
        );
        let all = &measures.operator_use(OLD, MIXED)[3];
        assert_eq!(all.share(OperatorIx::from(1_usize)), Share { part: 4, whole: 5 });
        assert_eq!(measures.operators_of(MIXED), [0_usize, 1], "G1 is in no mutant");
    }

    #[test]
    fn every_brittle_seed_is_in_one_intersection() {
        let data = example::data();
        let measures = Measures::new(&data);
        let of = |tool| {
            let sets = measures.intersections(tool).into_iter();
            sets.map(|set| (set.batches, set.seeds)).collect::<Vec<_>>()
        };
        let [a1, a2, a3, b1] = [0, 1, 2, 3].map(|seed: usize| SeedIx::from(seed));
        assert_eq!(
            of(OLD),
            [(vec![MIXED], vec![b1]), (vec![S1], vec![a3]), (vec![MIXED, S1, L6], vec![a2])]
        );
        assert_eq!(
            of(NEW),
            [(vec![MIXED], vec![a2]), (vec![L6], vec![a1]), (vec![MIXED, S1], vec![b1])]
        );
    }

    #[test]
    fn sizes_are_those_worked_out_by_hand() {
        let data = example::data();
        let measures = Measures::new(&data);
        for (group, seeds, min, median, mean, max, total) in [
            (A, 3, 10, 20.0, 70.0 / 3.0, 40, 70),
            (B, 2, 100, 150.5, 150.5, 201, 301),
            (C, 1, 5, 5.0, 5.0, 5, 5),
            (ALL, 6, 5, 30.0, 376.0 / 6.0, 201, 376),
        ] {
            let expected = Sizes { seeds, min, median, mean, max, total };
            assert_eq!(measures.sizes(group), Some(expected));
        }
        assert_eq!(Measures::new(&Data::default()).sizes(None), None);
    }

    #[test]
    fn what_is_not_judged_is_counted() {
        let data = example::data();
        let measures = Measures::new(&data);
        let coverage = measures.coverage(OLD, Some(MIXED), Standing::Passes);
        assert_eq!(coverage, Coverage { mutants: 16, judged: 15, trouble: 1, unsteady: 0 });
        assert_eq!(coverage.pending(), 0);
        let coverage = measures.coverage(NEW, Some(MIXED), Standing::Passes);
        assert_eq!(coverage, Coverage { mutants: 12, judged: 11, trouble: 0, unsteady: 0 });
        assert_eq!(coverage.pending(), 1);
        // 8 mutants of a1 and of a2, 7 of a3 and 6 of b1; the timeout of a2 by S1 is flaky.
        let coverage = measures.coverage(OLD, None, Standing::Passes);
        assert_eq!(coverage, Coverage { mutants: 29, judged: 28, trouble: 1, unsteady: 1 });
        assert_eq!(
            measures.standings(ALL, OLD),
            Standings { passing: 4, failing: 1, trouble: 1, unknown: 0 }
        );
        assert_eq!(
            measures.standings(ALL, NEW),
            Standings { passing: 3, failing: 2, trouble: 0, unknown: 1 }
        );
        assert_eq!(
            measures.seed_failures(OLD, MIXED, SeedIx::from(3_usize)),
            Share { part: 2, whole: 3 }
        );
    }

    #[test]
    fn order_of_the_data_does_not_matter() {
        let data = example::data();
        let mut reversed = data.clone();
        reversed.verdicts.reverse();
        reversed.baselines.reverse();
        let (measures, others) = (Measures::new(&data), Measures::new(&reversed));
        for tool in [OLD, NEW] {
            let all = [None, A, B, C];
            for group in all {
                for batch in [MIXED, S1, L6] {
                    let of = |measures: &Measures<'_>| {
                        format!(
                            "{:?} {:?} {:?}",
                            measures.robustness(group, tool, batch),
                            measures.recovery(group, tool, batch),
                            measures.pairs(group, OLD, NEW, Some(batch)),
                        )
                    };
                    assert_eq!(of(&measures), of(&others));
                }
            }
        }
    }

    #[test]
    fn nothing_gives_no_numbers() {
        let data = Data::default();
        let measures = Measures::new(&data);
        assert_eq!(measures.main_batch(), None);
        assert_eq!(measures.standings(None, OLD), Standings::default());
        assert_eq!(Share::default().value(), None);
        assert_eq!(Share::default().interval(), None);
    }
}
