//! The measures of the small example are those worked out by hand.

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
        Standings { passing: 4, failing: 1, trouble: 1, not_expressible: 0, unknown: 0 }
    );
    assert_eq!(
        measures.standings(ALL, NEW),
        Standings { passing: 3, failing: 2, trouble: 0, not_expressible: 0, unknown: 1 }
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
