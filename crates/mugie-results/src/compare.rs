//! Comparisons: of tools on the same mutants, and of operators in batches of their own.
//!
//! Nothing here knows how numbers are shown.

use index_vec::index_vec;
use mugie_stats::{fisher, holm, mcnemar};

use crate::data::{BatchIx, GroupIx, OperatorIx, ToolIx};
use crate::flip::verifies;
use crate::measures::{MIX, Measures, Share, Standing};

/// Two tools on the same mutants: those that both judged, of seeds that pass with both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// Seeds with such mutants.
    pub seeds: usize,
    /// Mutants that both tools verify.
    pub both_verify: usize,
    /// Mutants that fail only with the first tool.
    pub only_first_fails: usize,
    /// Mutants that fail only with the second tool.
    pub only_second_fails: usize,
    /// Mutants that fail with both tools.
    pub both_fail: usize,
}

impl Pairs {
    /// The number of mutants.
    pub fn mutants(&self) -> usize {
        self.both_verify + self.only_first_fails + self.only_second_fails + self.both_fail
    }

    /// The p-value of `McNemar`'s exact test.
    pub fn p_value(&self) -> f64 {
        mcnemar(self.only_first_fails as u64, self.only_second_fails as u64)
    }
}

/// A comparison of a single-operator batch with all other such batches, for a tool: failing mutants
/// of passing seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OperatorComparison {
    /// The batch.
    pub batch: BatchIx,
    /// The batch's operator.
    pub operator: OperatorIx,
    /// The failing mutants among the judged ones of the batch.
    pub own: Share,
    /// The failing mutants among the judged ones of the other batches.
    pub others: Share,
    /// The p-value of Fisher's exact test.
    pub p_value: f64,
    /// The p-value after Holm's correction over the batches of the tool.
    pub corrected: f64,
}

impl Measures<'_> {
    /// Compares two tools on the same mutants.
    pub fn pairs(
        &self,
        group: Option<GroupIx>,
        first: ToolIx,
        second: ToolIx,
        batch: Option<BatchIx>,
    ) -> Pairs {
        let mut pairs = Pairs::default();
        let mut counted = index_vec![false; self.data().seeds.len()];
        for (number, mutant) in self.data().mutants.iter_enumerated() {
            let seed = mutant.seed;
            if !self.is_counted(mutant, batch)
                || group.is_some_and(|group| self.data().seeds[seed].group != group)
                || [first, second].iter().any(|&tool| self.standing(tool, seed) != Standing::Passes)
            {
                continue;
            }
            let verified = |tool| self.outcome(number, tool).and_then(verifies);
            let (Some(by_first), Some(by_second)) = (verified(first), verified(second)) else {
                continue;
            };
            *match (by_first, by_second) {
                (true, true) => &mut pairs.both_verify,
                (false, true) => &mut pairs.only_first_fails,
                (true, false) => &mut pairs.only_second_fails,
                (false, false) => &mut pairs.both_fail,
            } += 1;
            counted[seed] = true;
        }
        pairs.seeds = counted.into_iter().filter(|counted| *counted).count();
        pairs
    }

    /// The batches whose mutants were all made by a single operator, with that operator. The mix is
    /// never among them.
    pub fn batches_by_one_operator(&self) -> Vec<(BatchIx, OperatorIx)> {
        let one = |batch: BatchIx| match self.operators_of(batch).as_slice() {
            &[operator] if self.data().batches[batch].name != MIX => Some((batch, operator)),
            _ => None,
        };
        self.data().batches.indices().filter_map(one).collect()
    }

    /// Compares each single-operator batch with all others, for a tool. A batch that is kept apart is
    /// compared with the others, which are not compared with it.
    pub fn compare_operators(&self, tool: ToolIx) -> Vec<OperatorComparison> {
        let batches = self.batches_by_one_operator();
        let mut shares = vec![Share::default(); batches.len()];
        let mut all = Share::default();
        for seed in self.standing_seeds(None, tool, Standing::Passes) {
            for (&(batch, _), share) in batches.iter().zip(&mut shares) {
                let of_seed = self.seed_failures(tool, batch, seed);
                share.add(of_seed);
                if !self.is_apart(batch) {
                    all.add(of_seed);
                }
            }
        }
        let row = |share: Share| [share.part as u64, (share.whole - share.part) as u64];
        let others = |batch: BatchIx, own: Share| {
            let own = if self.is_apart(batch) { Share::default() } else { own };
            Share { part: all.part - own.part, whole: all.whole - own.whole }
        };
        let with_own = batches.iter().zip(&shares);
        let p_values: Vec<f64> = with_own
            .map(|(&(batch, _), &own)| fisher([row(own), row(others(batch, own))]))
            .collect();
        let corrected = holm(&p_values);
        let tests = p_values.into_iter().zip(corrected);
        batches
            .into_iter()
            .zip(shares)
            .zip(tests)
            .map(|(((batch, operator), own), (p_value, corrected))| OperatorComparison {
                batch,
                operator,
                own,
                others: others(batch, own),
                p_value,
                corrected,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use mugie_core::{LanguageOptions, Outcome};

    use super::*;
    use crate::data::{BaselineData, BatchData, Data, MutantData, SeedData, ToolData, VerdictData};
    use crate::example;

    const OLD: ToolIx = ToolIx::from_usize_unchecked(0);
    const NEW: ToolIx = ToolIx::from_usize_unchecked(1);
    const B: Option<GroupIx> = Some(GroupIx::from_usize_unchecked(1));
    const MIXED: BatchIx = BatchIx::from_usize_unchecked(0);
    const S1: BatchIx = BatchIx::from_usize_unchecked(1);
    const L6: BatchIx = BatchIx::from_usize_unchecked(2);

    #[track_caller]
    fn assert_near(actual: f64, expected: f64) {
        assert!((actual - expected).abs() < 1e-12, "{actual} is not {expected}");
    }

    #[test]
    fn pairs_are_of_mutants_that_both_tools_judged() {
        let data = example::data();
        let measures = Measures::new(&data);
        // a1, a2 and b1 pass with both. The last mutant of b1 is judged by neither.
        let pairs = measures.pairs(None, OLD, NEW, Some(MIXED));
        let expected = Pairs {
            seeds: 3,
            both_verify: 6,
            only_first_fails: 2,
            only_second_fails: 0,
            both_fail: 3,
        };
        assert_eq!(pairs, expected);
        assert_eq!(pairs.mutants(), 11);
        assert_near(pairs.p_value(), 0.5);

        let pairs = measures.pairs(None, OLD, NEW, None);
        let expected = Pairs {
            seeds: 3,
            both_verify: 11,
            only_first_fails: 5,
            only_second_fails: 2,
            both_fail: 3,
        };
        assert_eq!(pairs, expected);
        // 2 (1 + 7 + 21) / 2^7
        assert_near(pairs.p_value(), 0.453_125);

        let swapped = measures.pairs(None, NEW, OLD, None);
        assert_eq!((swapped.only_first_fails, swapped.only_second_fails), (2, 5));
        let of_b = measures.pairs(B, OLD, NEW, Some(MIXED));
        assert_eq!((of_b.seeds, of_b.both_verify, of_b.both_fail), (1, 1, 2));
    }

    #[test]
    fn operators_are_compared_in_batches_of_their_own() {
        let data = example::data();
        let measures = Measures::new(&data);
        assert_eq!(
            measures.batches_by_one_operator(),
            [(S1, OperatorIx::from(0_usize)), (L6, OperatorIx::from(1_usize))]
        );
        // With the old tool 2 of 8 mutants by S1 fail and 2 of 5 by L6. With 4 failures, x of them
        // among the 8 have weight 5, 80, 280, 280, 70 for x from 0: none is likelier than 2.
        let of_old = measures.compare_operators(OLD);
        assert_eq!(of_old[0].own, Share { part: 2, whole: 8 });
        assert_eq!(of_old[0].others, Share { part: 2, whole: 5 });
        assert_near(of_old[0].p_value, 1.0);
        let of_new = measures.compare_operators(NEW);
        assert_eq!(of_new[1].own, Share { part: 1, whole: 4 });
        assert_eq!(of_new[1].others, Share { part: 1, whole: 6 });
    }

    #[test]
    fn comparison_of_operators_is_corrected() {
        // 8 of 10 mutants fail in the first batch and none of 10 in the others: 90 in 125970 for
        // two batches.
        let verdicts = |failing: usize| (0..10).map(move |number| number < failing);
        let data = uniform(&[verdicts(8).collect(), verdicts(0).collect()]);
        let comparison = Measures::new(&data).compare_operators(OLD);
        let p = 90.0 / 125_970.0;
        for operator in comparison {
            assert!((operator.p_value - p).abs() < 1e-12);
            assert!((operator.corrected - 2.0 * p).abs() < 1e-12);
        }
    }

    #[test]
    fn nothing_has_no_batches_by_one_operator() {
        let data = Data::default();
        assert!(Measures::new(&data).batches_by_one_operator().is_empty());
    }

    /// One seed that passes with one tool, a batch for each operator, and whether mutants fail.
    fn uniform(fails: &[Vec<bool>]) -> Data {
        let operators: Vec<String> = (1..=fails.len()).map(|number| format!("S{number}")).collect();
        let mut data = Data {
            groups: index_vec!["A".to_owned()],
            seeds: index_vec![SeedData {
                name: "a".to_owned(),
                files: vec!["a.bpl".to_owned()],
                language: "boogie".to_owned(),
                options: LanguageOptions::default(),
                group: 0_usize.into(),
                lines: 1,
            }],
            batches: operators
                .iter()
                .map(|name| BatchData { name: name.clone(), operators: name.clone(), wanted: 10 })
                .collect(),
            tools: index_vec![ToolData { name: "tool".to_owned(), title: "Tool".to_owned() }],
            operators: operators.into(),
            baselines: vec![BaselineData {
                seed: 0_usize.into(),
                tool: 0_usize.into(),
                outcome: Outcome::Verified,
                layout: false,
                seconds: 1.0,
                reason: None,
            }],
            ..Data::default()
        };
        for (batch, fails) in fails.iter().enumerate() {
            for (number, fails) in (1_u32..).zip(fails) {
                let mutant = data.mutants.push(MutantData {
                    seed: 0_usize.into(),
                    batch: batch.into(),
                    number,
                    operators: 1 << batch,
                    edits: 1,
                });
                data.verdicts.push(VerdictData {
                    mutant,
                    tool: 0_usize.into(),
                    outcome: if *fails { Outcome::Failed } else { Outcome::Verified },
                    unsteady: false,
                    seconds: Some(1.0),
                    problem: None,
                    effort: None,
                });
            }
        }
        data
    }
}
