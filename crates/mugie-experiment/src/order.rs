//! Looks for two declarations whose order alone decides which mutants flip.
//!
//! Mutants are added one at a time, in any order, and none is kept. Until the first flip, the
//! search remembers the pairs of declarations that some mutant inverted without flipping. The
//! candidates are the pairs that the first flip inverts, except the remembered ones. Every later
//! mutant rules out some candidates. This module knows nothing of verifiers and verdicts.

use rustc_hash::{FxBuildHasher, FxHashSet};
use std::hash::BuildHasher;

use crate::seed::OpenSeed;
use mugie_results::result::OrderRule;

/// The most declarations of a seed that is searched. The set of remembered pairs takes up to 25 MB;
/// it grows quadratically.
const MAX_DECLARATIONS: usize = 20_000;

/// The most inverted pairs of a mutant; beyond it the search gives up. It takes many hundred swaps
/// in a large program to get that many. Raising it costs time and memory.
const MAX_PAIRS: usize = 5_000_000;

/// The least number of flips with different orders, and of other mutants, that a rule needs.
const MIN_EVIDENCE: usize = 5;

/// The largest acceptable number of pairs that look like a rule by chance.
const MAX_CHANCE: f64 = 0.01;

/// Two declarations of the seed, in the seed's order.
type UnitPair = (u32, u32);

/// Looks for the one pair of declarations that all flips invert and no other mutant does.
///
/// A mutant that lacks one of the two declarations is no evidence if it does not flip, and refutes
/// the pair if it does.
#[derive(Debug)]
pub(crate) struct OrderRuleSearch {
    declarations: usize,
    state: Candidates,
    /// Hashes of the orders seen, with whether the mutant flipped.
    seen: FxHashSet<(u64, bool)>,
    /// The number of flips with different orders.
    flips: usize,
    /// The number of other mutants with different orders, without the seed's order.
    others: usize,
}

#[derive(Debug)]
enum Candidates {
    /// Before the first flip: the pairs that some mutant inverted without flipping.
    Refuted(Pairs),
    /// The pairs that agree with all mutants so far.
    Left(Vec<UnitPair>),
    /// The search would take too much time or memory.
    GivenUp,
}

impl OrderRuleSearch {
    /// Starts a search among the given number of declarations.
    pub(crate) fn new(declarations: usize) -> OrderRuleSearch {
        let state = if declarations > MAX_DECLARATIONS {
            Candidates::GivenUp
        } else {
            Candidates::Refuted(Pairs::default())
        };
        OrderRuleSearch { declarations, state, seen: FxHashSet::default(), flips: 0, others: 0 }
    }

    /// Adds a mutant, given by its [`Program::unit_order`](mugie_core::Program::unit_order).
    pub(crate) fn add(&mut self, order: &[usize], flips: bool) {
        let in_seed = |&&index: &&usize| index < self.declarations;
        let order: Vec<u32> =
            order.iter().filter(in_seed).filter_map(|&index| u32::try_from(index).ok()).collect();
        if !self.seen.insert((FxBuildHasher.hash_one(&order), flips)) {
            return;
        }
        if flips {
            self.flips += 1;
        } else if !order.is_sorted() {
            self.others += 1;
        }
        match &mut self.state {
            Candidates::GivenUp => {}
            Candidates::Left(pairs) => {
                let mut positions = vec![None; self.declarations];
                for (position, &index) in order.iter().enumerate() {
                    positions[index as usize] = Some(position);
                }
                let is_inverted = |&(first, second): &UnitPair| {
                    let (first, second) = (positions[first as usize], positions[second as usize]);
                    first.is_some() && second.is_some() && first > second
                };
                pairs.retain(|pair| is_inverted(pair) == flips);
            }
            Candidates::Refuted(refuted) => {
                let mut left = Vec::new();
                let is_complete = for_each_inverted(order, |pair| {
                    if !flips {
                        refuted.insert(pair);
                    } else if !refuted.contains(pair) {
                        left.push(pair);
                    }
                });
                if !is_complete {
                    self.state = Candidates::GivenUp;
                } else if flips {
                    self.state = Candidates::Left(left);
                }
            }
        }
    }

    /// Ends the search without a result, because a mutant was added that should not have been.
    pub(crate) fn give_up(&mut self) {
        self.state = Candidates::GivenUp;
    }

    /// The two declarations by their numbers in the seed, in the seed's order.
    ///
    /// There must be exactly one such pair, and enough mutants to tell it from chance. If the order
    /// had nothing to do with flips, and a pair were inverted in a share *q* of the orders, it
    /// would agree with *f* flips and *n* others with probability *qᶠ(1-q)ⁿ*, which is largest for
    /// *q = f/(f+n)*. That probability times the number of pairs is the number of pairs expected to
    /// agree by chance, and must be below 0.01. Mutants are not independent, as they are made from
    /// each other, so there must also be five of either kind. Mutants with the same order count
    /// once, and those with the seed's order not at all.
    pub(crate) fn finish(self) -> Option<(usize, usize)> {
        let Candidates::Left(pairs) = &self.state else { return None };
        let &[(first, second)] = pairs.as_slice() else { return None };
        let has_evidence =
            self.flips.min(self.others) >= MIN_EVIDENCE && self.chance() < MAX_CHANCE;
        has_evidence.then_some((first as usize, second as usize))
    }

    /// An upper bound of the number of pairs that agree with all mutants by chance.
    fn chance(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "far from the limits of either type")]
        let [declarations, flips, others] =
            [self.declarations, self.flips, self.others].map(|number| number as f64);
        let all = flips + others;
        let agreement = flips * (flips / all).log2() + others * (others / all).log2();
        declarations * (declarations - 1.0) / 2.0 * agreement.exp2()
    }
}

/// A set of pairs as a bitmap, which grows as needed.
#[derive(Debug, Default)]
struct Pairs(Vec<u64>);

impl Pairs {
    fn bit((first, second): UnitPair) -> (usize, u64) {
        let (first, second) = (first as usize, second as usize);
        let number = second * (second - 1) / 2 + first;
        (number / 64, 1 << (number % 64))
    }

    fn insert(&mut self, pair: UnitPair) {
        let (word, bit) = Pairs::bit(pair);
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= bit;
    }

    fn contains(&self, pair: UnitPair) -> bool {
        let (word, bit) = Pairs::bit(pair);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
    }
}

/// Calls `each` with every inverted pair, and returns whether it reached the end of them. An
/// insertion sort exchanges exactly the inverted pairs, each once.
fn for_each_inverted(mut order: Vec<u32>, mut each: impl FnMut(UnitPair)) -> bool {
    let mut count = 0;
    for next in 1..order.len() {
        let mut place = next;
        while place > 0 && order[place - 1] > order[place] {
            count += 1;
            if count > MAX_PAIRS {
                return false;
            }
            each((order[place], order[place - 1]));
            order.swap(place - 1, place);
            place -= 1;
        }
    }
    true
}

/// The number of pairs of declarations in the opposite order than in the seed, at most `MAX_PAIRS`. It ranks flips
/// with equally many edits: a swap of neighbours is the smallest change that a reader can look at.
pub(crate) fn inversions(order: &[usize]) -> usize {
    let order = order.iter().filter_map(|&index| u32::try_from(index).ok()).collect();
    let mut count = 0;
    for_each_inverted(order, |_| count += 1);
    count
}

/// Describes the rule for the pair that [`OrderRuleSearch::finish`] found.
pub(crate) fn order_rule(seed: &OpenSeed, (earlier, later): (usize, usize)) -> OrderRule {
    OrderRule {
        first: seed.program().describe_fully(later),
        second: seed.program().describe_fully(earlier),
        first_line: seed.seed().unit_line(later),
        second_line: seed.seed().unit_line(earlier),
    }
}

#[cfg(test)]
mod tests {
    use mugie_core::{Closure, Weights};

    use super::*;
    use crate::testing::seed;

    /// All orders of the given number of declarations.
    fn orders(declarations: usize) -> Vec<Vec<usize>> {
        let mut orders = vec![Vec::new()];
        for next in 0..declarations {
            let with_next = |order: &Vec<usize>| {
                let order = order.clone();
                (0..=order.len()).map(move |place| {
                    let mut order = order.clone();
                    order.insert(place, next);
                    order
                })
            };
            orders = orders.iter().flat_map(with_next).collect();
        }
        orders
    }

    fn is_before(order: &[usize], first: usize, second: usize) -> bool {
        let position = |index| order.iter().position(|&other| other == index);
        position(first) < position(second)
    }

    /// The rule that is found if `flips` decides which orders flip.
    fn found(orders: &[Vec<usize>], flips: impl Fn(&[usize]) -> bool) -> Option<(usize, usize)> {
        let declarations = orders.iter().map(Vec::len).max().unwrap_or(0);
        let mut search = OrderRuleSearch::new(declarations);
        for order in orders {
            search.add(order, flips(order));
        }
        search.finish()
    }

    #[test]
    fn the_axioms_decide_about_the_brittle_example() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/brittle.bpl");
        let seed = seed("brittle.bpl", &std::fs::read_to_string(path).unwrap());
        let mut search = OrderRuleSearch::new(seed.program().unit_count());
        let weights = Weights::parse("S1", seed.program().operators()).unwrap();
        let mut mutants = 0;
        for mutant in Closure::new(seed.program(), &weights, 1000) {
            let order = mutant.unwrap().program.unit_order();
            search.add(&order, !is_before(&order, 1, 3));
            mutants += 1;
        }
        assert_eq!(mutants, 119);
        let rule = order_rule(&seed, search.finish().unwrap());
        assert_eq!(rule.first, "axiom #2 about `row`");
        assert_eq!(rule.second, "axiom #1 about `above`");
        assert_eq!((rule.first_line, rule.second_line), (Some(9), Some(5)));
    }

    #[test]
    fn mutants_come_in_any_order() {
        let mut orders = orders(5);
        let flips = |order: &[usize]| is_before(order, 4, 2);
        assert_eq!(found(&orders, flips), Some((2, 4)));
        orders.reverse();
        assert_eq!(found(&orders, flips), Some((2, 4)));
        orders.sort_by_key(|order| flips(order));
        assert_eq!(found(&orders, flips), Some((2, 4)));
        orders.reverse();
        assert_eq!(found(&orders, flips), Some((2, 4)));
    }

    #[test]
    fn two_conditions_are_no_rule() {
        let orders = orders(5);
        assert_eq!(found(&orders, |o| is_before(o, 4, 2) && is_before(o, 1, 0)), None);
        assert_eq!(found(&orders, |o| is_before(o, 4, 2) || is_before(o, 1, 0)), None);
        assert_eq!(found(&orders, |_| true), None);
        assert_eq!(found(&orders, |_| false), None);
        // The seed must be on the side that does not flip.
        assert_eq!(found(&orders, |o| is_before(o, 2, 4)), None);
    }

    #[test]
    fn pairs_that_always_change_together_are_no_rule() {
        let orders: Vec<_> = orders(5).into_iter().filter(|o| is_before(o, 0, 1)).collect();
        let moved = |o: &[usize]| is_before(o, 3, 0);
        let together: Vec<_> =
            orders.into_iter().filter(|o| moved(o) == is_before(o, 3, 1)).collect();
        assert_eq!(found(&together, moved), None);
    }

    #[test]
    fn little_evidence_is_no_rule() {
        let orders = orders(4);
        let flips = |order: &[usize]| is_before(order, 3, 2);
        let (yes, no): (Vec<_>, Vec<_>) = orders.into_iter().partition(|order| flips(order));
        let some = |flips: usize, others: usize| [&yes[..flips], &no[..others]].concat();
        assert_eq!(found(&some(12, 12), flips), Some((2, 3)));
        assert_eq!(found(&some(12, 4), flips), None);
        assert_eq!(found(&some(4, 12), flips), None);
        // Repeating an order adds no evidence.
        let again = [some(4, 4), some(4, 4), some(4, 4)].concat();
        assert_eq!(found(&again, flips), None);
    }

    #[test]
    fn large_programs_need_more_evidence() {
        let search = |declarations| OrderRuleSearch {
            flips: 5,
            others: 5,
            state: Candidates::Left(vec![(0, 1)]),
            ..OrderRuleSearch::new(declarations)
        };
        assert_eq!(search(4).finish(), Some((0, 1)));
        assert_eq!(search(6).finish(), None);
    }

    #[test]
    fn declarations_that_are_missing_or_new_are_passed_over() {
        let mut search = OrderRuleSearch::new(5);
        for order in orders(5) {
            let flips = is_before(&order, 4, 2);
            let without_0: Vec<_> = order.iter().copied().filter(|&index| index != 0).collect();
            search.add(&[&without_0[..], &[17]].concat(), flips);
            search.add(&order, flips);
            if !flips {
                let without_2: Vec<_> = order.into_iter().filter(|&index| index != 2).collect();
                search.add(&without_2, false);
            }
        }
        assert_eq!(search.finish(), Some((2, 4)));
    }

    #[test]
    fn too_many_pairs_end_the_search() {
        let reversed: Vec<usize> = (0..4000).rev().collect();
        let mut search = OrderRuleSearch::new(4000);
        search.add(&reversed, true);
        assert!(matches!(search.state, Candidates::GivenUp));
        assert_eq!(search.finish(), None);
        let mut search = OrderRuleSearch::new(MAX_DECLARATIONS + 1);
        search.add(&[1, 0], true);
        assert_eq!(search.finish(), None);
    }
}
