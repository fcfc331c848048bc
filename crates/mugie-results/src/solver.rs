//! Measures of the solver's work: the number of distinct problems, and the amount of work.
//!
//! They cover mutants of passing seeds whose solver was tapped, or whose verifier reports the work.
//! Mutants with the same problem count once; rejected mutants have no problem. Nothing here knows how
//! numbers are shown.

use std::collections::BTreeMap;

use crate::data::{BatchIx, GroupIx, SeedIx, ToolIx};
use crate::flip::verifies;
use crate::measures::{Mean, Measures, Share, Standing};

/// The number of distinct problems of the mutants in a batch, for a tool's solver.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Problems {
    /// Passing seeds with mutants whose problems are known.
    pub seeds: usize,
    /// Mutants whose problems are known.
    pub mutants: usize,
    /// Their distinct problems, each counted once per seed.
    pub distinct: usize,
    /// The distinct problems that belong to a failing mutant.
    pub failing: usize,
    /// The share of these mutants that fail, averaged over the seeds.
    pub mean_fail_of_mutants: Option<f64>,
    /// The share of the distinct problems that fail, averaged over the seeds.
    pub mean_fail_of_problems: Option<f64>,
}

/// The solver's work on the verified mutants in a batch, relative to their seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Efforts {
    /// Passing seeds with verified mutants whose work is known.
    pub seeds: usize,
    /// Verified mutants whose work is known.
    pub mutants: usize,
    /// The median of the ratios to the seed's work; the lower of two.
    pub median: Option<f64>,
    /// The largest ratio.
    pub most: Option<f64>,
    /// Mutants with more than twice the seed's work, and seeds with such mutants.
    pub above_2: (usize, usize),
    /// Mutants with more than ten times the seed's work, and seeds with such mutants.
    pub above_10: (usize, usize),
}

/// The known data on the mutants of one seed.
#[derive(Clone, Debug, Default)]
struct OfSeed {
    mutants: usize,
    failing: usize,
    /// The distinct problems, and whether a mutant with the problem fails.
    problems: BTreeMap<u64, bool>,
    efforts: Vec<f32>,
}

/// The solver measures of a batch.
#[derive(Clone, Debug)]
pub struct SolverMeasures<'m, 'd> {
    measures: &'m Measures<'d>,
    /// By tool and seed.
    of_seeds: BTreeMap<(ToolIx, SeedIx), OfSeed>,
}

impl<'m, 'd> SolverMeasures<'m, 'd> {
    /// Computes the measures of a batch.
    pub fn new(measures: &'m Measures<'d>, batch: BatchIx) -> SolverMeasures<'m, 'd> {
        let data = measures.data();
        let mut of_seeds: BTreeMap<_, OfSeed> = BTreeMap::new();
        for verdict in &data.verdicts {
            let mutant = data.mutants[verdict.mutant];
            if !measures.is_counted(&mutant, Some(batch)) {
                continue;
            }
            let verified = verifies(verdict.outcome);
            let effort = verdict.effort.filter(|_| verified == Some(true));
            let Some(verified) = verified else { continue };
            if verdict.problem.is_none() && effort.is_none() {
                continue;
            }
            let of_seed = of_seeds.entry((verdict.tool, mutant.seed)).or_default();
            of_seed.efforts.extend(effort);
            if let Some(problem) = verdict.problem {
                let fails = !verified;
                of_seed.mutants += 1;
                of_seed.failing += usize::from(fails);
                *of_seed.problems.entry(problem).or_default() |= fails;
            }
        }
        SolverMeasures { measures, of_seeds }
    }

    /// Whether anything is known.
    pub fn is_empty(&self) -> bool {
        self.of_seeds.is_empty()
    }

    /// The passing seeds of a group with known data.
    fn seeds(&self, group: Option<GroupIx>, tool: ToolIx) -> impl Iterator<Item = &OfSeed> {
        let passing = self.measures.standing_seeds(group, tool, Standing::Passes);
        passing.filter_map(move |seed| self.of_seeds.get(&(tool, seed)))
    }

    /// The number of distinct problems.
    pub fn problems(&self, group: Option<GroupIx>, tool: ToolIx) -> Problems {
        let mut problems = Problems::default();
        let (mut of_mutants, mut of_problems) = (Mean::default(), Mean::default());
        for of_seed in self.seeds(group, tool).filter(|of_seed| of_seed.mutants > 0) {
            let distinct = of_seed.problems.len();
            let failing = of_seed.problems.values().filter(|fails| **fails).count();
            problems.seeds += 1;
            problems.mutants += of_seed.mutants;
            problems.distinct += distinct;
            problems.failing += failing;
            of_mutants.add(Share { part: of_seed.failing, whole: of_seed.mutants }.value());
            of_problems.add(Share { part: failing, whole: distinct }.value());
        }
        problems.mean_fail_of_mutants = of_mutants.value();
        problems.mean_fail_of_problems = of_problems.value();
        problems
    }

    /// The amount of work.
    pub fn efforts(&self, group: Option<GroupIx>, tool: ToolIx) -> Efforts {
        let mut efforts = Efforts::default();
        let mut all = Vec::new();
        for OfSeed { efforts: of_seed, .. } in self.seeds(group, tool) {
            let above = |limit: f32| of_seed.iter().filter(|effort| **effort > limit).count();
            for (counts, limit) in [(&mut efforts.above_2, 2.0), (&mut efforts.above_10, 10.0)] {
                let mutants = above(limit);
                *counts = (counts.0 + mutants, counts.1 + usize::from(mutants > 0));
            }
            efforts.seeds += usize::from(!of_seed.is_empty());
            all.extend_from_slice(of_seed);
        }
        all.sort_unstable_by(f32::total_cmp);
        efforts.mutants = all.len();
        efforts.median = all.get(all.len().saturating_sub(1) / 2).map(|effort| f64::from(*effort));
        efforts.most = all.last().map(|effort| f64::from(*effort));
        efforts
    }
}

#[cfg(test)]
mod tests {
    use index_vec::index_vec;
    use mugie_core::{LanguageOptions, Outcome};

    use super::*;
    use crate::data::{BaselineData, BatchData, Data, MutantData, SeedData, ToolData, VerdictData};

    const BATCH: BatchIx = BatchIx::from_usize_unchecked(0);
    const TOOL: ToolIx = ToolIx::from_usize_unchecked(0);

    /// The outcome, the solver problem and the effort of a mutant.
    type OfMutant = (Outcome, Option<u64>, Option<f32>);

    /// Two passing seeds and a failing one, with their mutants.
    fn data(seeds: [&[OfMutant]; 3]) -> Data {
        let mut data = Data {
            groups: index_vec!["A".to_owned()],
            batches: index_vec![BatchData {
                name: "*".to_owned(),
                operators: "paper".to_owned(),
                wanted: 9,
            }],
            tools: index_vec![ToolData { name: "t".to_owned(), title: "T".to_owned() }],
            ..Data::default()
        };
        for (seed, mutants) in seeds.into_iter().enumerate() {
            let name = format!("s{seed}");
            data.seeds.push(SeedData {
                files: vec![name.clone()],
                name,
                language: "boogie".to_owned(),
                options: LanguageOptions::default(),
                group: 0_usize.into(),
                lines: 1,
            });
            data.baselines.push(BaselineData {
                seed: seed.into(),
                tool: 0_usize.into(),
                outcome: if seed == 2 { Outcome::Failed } else { Outcome::Verified },
                layout: false,
                seconds: 1.0,
                reason: None,
            });
            for (number, &(outcome, problem, effort)) in (1..).zip(mutants) {
                let (seed, batch) = (seed.into(), 0_usize.into());
                let mutant =
                    data.mutants.push(MutantData { seed, batch, number, operators: 1, edits: 1 });
                let (tool, unsteady, seconds) = (0_usize.into(), false, None);
                data.verdicts.push(VerdictData {
                    mutant,
                    tool,
                    outcome,
                    unsteady,
                    seconds,
                    problem,
                    effort,
                });
            }
        }
        data
    }

    use Outcome::{Failed, Rejected, Verified};

    #[test]
    fn mutants_that_are_the_same_to_the_solver_count_once() {
        let one = [
            (Verified, Some(1), None),
            (Verified, Some(1), None),
            (Failed, Some(2), None),
            (Failed, Some(2), None),
            (Rejected, None, None),
        ];
        // The same problems, but of another seed.
        let two = [(Verified, Some(1), None)];
        let data = data([&one, &two, &[(Failed, Some(3), None)]]);
        let measures = Measures::new(&data);
        let problems = SolverMeasures::new(&measures, BATCH).problems(None, TOOL);
        let expected = Problems {
            seeds: 2,
            mutants: 5,
            distinct: 3,
            failing: 1,
            mean_fail_of_mutants: Some(0.25),
            mean_fail_of_problems: Some(0.25),
        };
        assert_eq!(problems, expected);
    }

    #[test]
    fn work_is_that_of_verified_mutants() {
        let one = [
            (Verified, Some(1), Some(1.0)),
            (Verified, Some(2), Some(2.0)),
            (Verified, Some(3), Some(2.5)),
            (Failed, Some(4), Some(99.0)),
        ];
        let two = [(Verified, Some(1), Some(11.0))];
        let data = data([&one, &two, &[(Verified, Some(3), Some(50.0))]]);
        let measures = Measures::new(&data);
        let efforts = SolverMeasures::new(&measures, BATCH).efforts(None, TOOL);
        let expected = Efforts {
            seeds: 2,
            mutants: 4,
            median: Some(2.0),
            most: Some(11.0),
            above_2: (2, 2),
            above_10: (1, 1),
        };
        assert_eq!(efforts, expected);
    }

    #[test]
    fn nothing_known_is_nothing() {
        let data = data([&[(Verified, None, None)], &[], &[]]);
        let measures = Measures::new(&data);
        let solver = SolverMeasures::new(&measures, BATCH);
        assert!(solver.is_empty());
        assert_eq!(solver.problems(None, TOOL), Problems::default());
        assert_eq!(solver.efforts(None, TOOL), Efforts::default());
    }
}
