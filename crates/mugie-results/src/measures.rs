//! The paper's measures of robustness.
//!
//! A seed *passes* with a tool if its baseline is verified, and *fails* if its baseline is any
//! other evidence. A mutant is *judged* if the tool's outcome is evidence; it fails if the outcome
//! is not [`Outcome::Verified`]. Mutants that are not judged are in no share: either the tool
//! failed on them, or they have not been run yet; [`Coverage`] counts both. A seed is *brittle* if
//! it passes and one of its mutants fails.
//!
//! Shares of mutants are computed for each seed and then averaged over seeds, as in the paper;
//! seeds without a judged mutant are in no mean and in no share: untested is not robust. All of this
//! is linear in the number of mutants times tools. Nothing here knows how numbers are shown.
//!
//! Mutants by operators that are [kept apart](Data::apart) are in no measure about all batches, and
//! in those of a batch only if the batch has no others; [`Measures::apart`] counts them.

use std::collections::{BTreeMap, BTreeSet};

use index_vec::{IndexVec, index_vec};
use mugie_core::Outcome;
use mugie_stats::{Interval, clopper_pearson};

use crate::data::{
    BatchIx, Data, GroupIx, MutantData, MutantIx, OperatorIx, SeedIx, ToolIx, VerdictData,
};
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

    /// Adds another share of another whole.
    pub(crate) fn add(&mut self, other: Share) {
        self.part += other.part;
        self.whole += other.whole;
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
    /// Passing seeds with a judged mutant.
    pub tested: usize,
    /// # ∃fail: passing seeds with a failing mutant. Their share of the tested seeds is % ∃fail.
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
        Share { part: self.brittle, whole: self.tested }
    }
}

/// The paper's measures of failing seeds, for a tool and a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Recovery {
    /// # fail: seeds that fail.
    pub failing: usize,
    /// Failing seeds with a judged mutant.
    pub tested: usize,
    /// # ∃pass: failing seeds with a verified mutant. Their share of the tested seeds is % ∃pass.
    pub recovering: usize,
    /// The share of judged mutants that are verified, averaged over failing seeds.
    pub mean_pass: Option<f64>,
    /// The same, averaged over failing seeds with a verified mutant.
    pub mean_pass_of_recovering: Option<f64>,
}

impl Recovery {
    /// % ∃pass.
    pub fn recovering_share(&self) -> Share {
        Share { part: self.recovering, whole: self.tested }
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
    /// Seeds that cannot be expressed in the tool's language.
    pub not_expressible: usize,
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
    /// The number of the first mutant whose verdict differs from its seed's.
    first_flip: Option<u32>,
}

impl Tally {
    fn note(&mut self, verdict: &VerdictData) {
        match (FailureKind::of(verdict.outcome), verifies(verdict.outcome)) {
            (Some(kind), _) => self.failing[kind as usize] += 1,
            (None, Some(_)) => self.verified += 1,
            (None, None) => self.trouble += 1,
        }
        self.unsteady += usize::from(verdict.unsteady && verdict.outcome.is_evidence());
    }

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
    /// By tool, batch and seed: the mutants that the measures of the batch are about.
    tallies: Vec<Tally>,
    /// By tool, batch and seed: the mutants that are kept apart from others of their batch.
    mixed_in: Vec<Tally>,
    /// Batches of which all mutants are kept apart.
    apart: IndexVec<BatchIx, bool>,
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
        let tallies = vec![Tally::default(); tools * data.batches.len() * seeds];
        let mut measures = Measures {
            data,
            members,
            everyone: data.seeds.indices().collect(),
            standings,
            outcomes: vec![None; data.mutants.len() * tools],
            mixed_in: tallies.clone(),
            tallies,
            apart: batches_apart(data),
        };
        for mutant in &data.mutants {
            for tool in data.tools.indices() {
                measures.tally_of(mutant, tool).mutants += 1;
            }
        }
        for verdict in &data.verdicts {
            let mutant = &data.mutants[verdict.mutant];
            let place = measures.outcome_place(verdict.mutant, verdict.tool);
            measures.outcomes[place] = Some(verdict.outcome);
            let flips = match measures.standing(verdict.tool, mutant.seed) {
                Standing::Passes => verifies(verdict.outcome) == Some(false),
                Standing::Fails => verifies(verdict.outcome) == Some(true),
                Standing::Trouble | Standing::Unknown => false,
            };
            let tally = measures.tally_of(mutant, verdict.tool);
            tally.note(verdict);
            if flips {
                tally.first_flip.get_or_insert(mutant.number);
            }
        }
        measures
    }

    /// The data.
    pub fn data(&self) -> &'d Data {
        self.data
    }

    /// The batch that most measures cover: the one called [`MIX`], or else the first one that is not
    /// kept apart, or else the first.
    pub fn main_batch(&self) -> Option<BatchIx> {
        let mix = self.data.batches.position(|batch| batch.name == MIX);
        mix.or_else(|| self.batches(None).next()).or_else(|| self.data.batches.indices().next())
    }

    /// Whether all mutants of a batch are kept apart.
    pub fn is_apart(&self, batch: BatchIx) -> bool {
        self.apart[batch]
    }

    /// Whether the measures of a batch, or of all batches, are about a mutant.
    pub(crate) fn is_counted(&self, mutant: &MutantData, batch: Option<BatchIx>) -> bool {
        batch.is_none_or(|batch| mutant.batch == batch)
            && (!self.data.is_apart(mutant) || batch.is_some_and(|batch| self.apart[batch]))
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

    /// The failing mutants among the judged ones of a seed in all batches, without those that are kept
    /// apart.
    pub fn all_failures(&self, tool: ToolIx, seed: SeedIx) -> Share {
        self.batches(None).fold(Share::default(), |mut sum, batch| {
            sum.add(self.seed_failures(tool, batch, seed));
            sum
        })
    }

    /// The same, of the mutants that are kept apart.
    pub(crate) fn failures_apart(&self, tool: ToolIx, seed: SeedIx) -> Share {
        let mut sum = Share::default();
        for batch in self.data.batches.indices() {
            let [own, mixed_in] = self.both(tool, batch, seed);
            let tally = if self.apart[batch] { own } else { mixed_in };
            sum.add(Share { part: tally.failures(), whole: tally.judged() });
        }
        sum
    }

    /// The number of mutants of a seed in a batch that were run.
    pub(crate) fn run(&self, tool: ToolIx, batch: BatchIx, seed: SeedIx) -> usize {
        let both = self.both(tool, batch, seed);
        both.iter().map(|tally| tally.judged() + tally.trouble).sum()
    }

    /// The number of mutants of a seed without a verdict because the tool failed.
    pub(crate) fn trouble(&self, tool: ToolIx, seed: SeedIx) -> usize {
        let batches = self.data.batches.indices();
        batches.flat_map(|batch| self.both(tool, batch, seed)).map(|tally| tally.trouble).sum()
    }

    /// The number of the first mutant in a batch whose verdict differs from its seed's.
    pub(crate) fn first_flip(&self, tool: ToolIx, batch: BatchIx, seed: SeedIx) -> Option<u32> {
        self.both(tool, batch, seed).iter().filter_map(|tally| tally.first_flip).min()
    }

    /// The number of seeds by standing with a tool.
    pub fn standings(&self, group: Option<GroupIx>, tool: ToolIx) -> Standings {
        let foreign = self
            .data
            .baselines
            .iter()
            .filter(|it| it.tool == tool && it.outcome == Outcome::NotExpressible);
        let foreign: BTreeSet<SeedIx> = foreign.map(|it| it.seed).collect();
        let mut standings = Standings::default();
        for &seed in self.seeds(group) {
            *match self.standing(tool, seed) {
                Standing::Passes => &mut standings.passing,
                Standing::Fails => &mut standings.failing,
                Standing::Trouble if foreign.contains(&seed) => &mut standings.not_expressible,
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
            for batch in self.data.batches.indices().filter(|it| batch.is_none_or(|of| of == *it)) {
                for tally in self.both(tool, batch, seed) {
                    coverage.mutants += tally.mutants;
                    coverage.judged += tally.judged();
                    coverage.trouble += tally.trouble;
                    coverage.unsteady += tally.unsteady;
                }
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
            robustness.tested += usize::from(tally.judged() > 0);
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
            recovery.tested += usize::from(tally.judged() > 0);
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
            if !self.is_counted(mutant, Some(batch))
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

    /// The batch, or all that are not kept apart.
    pub(crate) fn batches(&self, batch: Option<BatchIx>) -> impl Iterator<Item = BatchIx> + '_ {
        let is_meant = move |each: &BatchIx| match batch {
            Some(batch) => *each == batch,
            None => !self.apart[*each],
        };
        self.data.batches.indices().filter(is_meant)
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

    /// The mutants that the measures of a batch are about, and those that are kept apart from them.
    fn both(&self, tool: ToolIx, batch: BatchIx, seed: SeedIx) -> [&Tally; 2] {
        let place = self.place(tool, batch, seed);
        [&self.tallies[place], &self.mixed_in[place]]
    }

    /// The tally in which a mutant is counted.
    fn tally_of(&mut self, mutant: &MutantData, tool: ToolIx) -> &mut Tally {
        let place = self.place(tool, mutant.batch, mutant.seed);
        let is_mixed_in = self.data.is_apart(mutant) && !self.apart[mutant.batch];
        if is_mixed_in { &mut self.mixed_in[place] } else { &mut self.tallies[place] }
    }
}

/// The batches that have mutants, all of which are kept apart.
fn batches_apart(data: &Data) -> IndexVec<BatchIx, bool> {
    let mut seen = index_vec![(false, true); data.batches.len()];
    for mutant in &data.mutants {
        let (has_any, are_apart) = &mut seen[mutant.batch];
        *has_any = true;
        *are_apart &= data.is_apart(mutant);
    }
    seen.into_iter().map(|(has_any, are_apart)| has_any && are_apart).collect()
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
mod tests;
