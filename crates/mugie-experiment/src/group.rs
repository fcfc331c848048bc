//! Groups failing mutants by cause: those that fail in the same way because of the same small
//! change.
//!
//! A cause is a change that makes the seed fail by itself. It explains every mutant that fails in
//! the same way and has the change among its edits, or has the same two declarations in the same
//! order. So most mutants are explained without a run.

use mugie_core::{Edit, Place, Program, Symptom, UnitId};
use mugie_results::{Cause, Groups, Minimal};

/// A failing mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing {
    /// The edits that lead from the seed to the mutant.
    pub edits: Vec<Edit>,
    /// The mutant's declarations, by their numbers in the seed.
    pub order: Vec<usize>,
    /// How the mutant fails.
    pub symptom: Symptom,
}

/// The smallest change that makes a mutant fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// A description of the change.
    pub words: String,
    /// The edits that make the change.
    pub edits: Vec<Edit>,
    /// How the seed fails after the change.
    pub symptom: Symptom,
}

impl From<Minimal> for Found {
    fn from(Minimal { cause: words, edits, symptom, .. }: Minimal) -> Found {
        Found { words, edits, symptom }
    }
}

/// Groups the failing mutants of a seed. `minimise` finds the smallest change that makes a mutant
/// fail, given its number; `None` if there is no such change or no budget to look for it.
pub fn group(
    seed: &dyn Program,
    failing: &[Failing],
    mut minimise: impl FnMut(usize) -> Option<Found>,
) -> Groups {
    let mut groups = Groups::default();
    // Start with the simplest mutants: their causes may explain the others.
    let mut numbers: Vec<usize> = (0..failing.len()).collect();
    numbers.sort_by_key(|&number| {
        let Failing { edits, order, .. } = &failing[number];
        (edits.len(), disorder(order), number)
    });
    for number in numbers {
        let mutant = &failing[number];
        if let Some(cause) = groups.causes.iter_mut().find(|cause| explains(seed, cause, mutant)) {
            cause.mutants.push(number);
        } else if let Some(Found { words, edits, symptom }) = minimise(number) {
            // Two mutants can have the same cause even if their edits do not show it.
            let known = |it: &&mut Cause| it.edits == edits && it.symptom == symptom;
            match groups.causes.iter_mut().find(known) {
                Some(cause) => cause.mutants.push(number),
                None => {
                    groups.causes.push(Cause { words, edits, symptom, mutants: vec![number] });
                }
            }
        } else {
            groups.unexplained.push(number);
        }
    }
    for cause in &mut groups.causes {
        cause.mutants.sort_unstable();
    }
    groups.unexplained.sort_unstable();
    groups.causes.sort_by_key(|cause| std::cmp::Reverse(cause.mutants.len()));
    groups
}

/// The distance between an order and the seed's: the sum of how far each declaration has moved.
/// Inversions would do as well, but a swap of two distant declarations inverts every pair with a
/// declaration between them.
fn disorder(order: &[usize]) -> usize {
    order.iter().enumerate().map(|(place, number)| place.abs_diff(*number)).sum()
}

fn explains(seed: &dyn Program, cause: &Cause, mutant: &Failing) -> bool {
    cause.symptom == mutant.symptom
        && cause.edits.iter().all(|edit| match &edit.place {
            Place::Swap { swap: (first, second) } => is_exchanged(seed, mutant, first, second),
            place => {
                let same = |it: &Edit| it.operator == edit.operator && it.place == *place;
                mutant.edits.iter().any(same)
            }
        })
}

/// Whether two declarations of the seed are in the opposite order in a mutant.
fn is_exchanged(seed: &dyn Program, mutant: &Failing, first: &UnitId, second: &UnitId) -> bool {
    let in_seed = |id| seed.unit(id);
    let in_mutant = |number| mutant.order.iter().position(|it| *it == number);
    let Some((first, second)) = in_seed(first).zip(in_seed(second)) else { return false };
    let Some((now_first, now_second)) = in_mutant(first).zip(in_mutant(second)) else {
        return false;
    };
    (first < second) != (now_first < now_second)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mugie_core::Outcome;

    use super::*;

    fn seed() -> Arc<dyn Program> {
        let text = "const a: int; const b: int; const c: int; procedure p() { assert a == a; }";
        Arc::clone(crate::testing::seed("seed.bpl", text).program())
    }

    fn symptom(procedure: &str) -> Symptom {
        Symptom {
            procedure: Some(procedure.to_owned()),
            outcome: Outcome::Failed,
            stage: None,
            message: None,
        }
    }

    fn swap(first: usize, second: usize) -> Edit {
        let place = Place::Swap { swap: (UnitId::of_seed(first), UnitId::of_seed(second)) };
        Edit::new("S1", place, format!("swap {first} and {second}"))
    }

    fn add(at: u64) -> Edit {
        let place = Place::Inside { unit: UnitId::of_seed(3), at };
        Edit::new("G1", place, format!("add true at {at}"))
    }

    fn failing(edits: &[Edit], order: [usize; 4], procedure: &str) -> Failing {
        Failing { edits: edits.to_vec(), order: order.to_vec(), symptom: symptom(procedure) }
    }

    fn minimal(edit: Edit, procedure: &str) -> Found {
        Found { words: edit.words.clone(), symptom: symptom(procedure), edits: vec![edit] }
    }

    #[test]
    fn one_order_explains_all_that_have_it() {
        let mutants = [
            failing(&[swap(0, 2), swap(0, 1)], [2, 0, 1, 3], "p"),
            failing(&[swap(1, 2)], [0, 2, 1, 3], "p"),
            failing(&[swap(0, 3), swap(1, 2)], [3, 2, 1, 0], "p"),
        ];
        let mut asked = Vec::new();
        let groups = group(&*seed(), &mutants, |number| {
            asked.push(number);
            Some(minimal(swap(1, 2), "p"))
        });
        assert_eq!(asked, [1]);
        assert_eq!(groups.causes.len(), 1);
        assert_eq!(groups.causes[0].mutants, [0, 1, 2]);
    }

    #[test]
    fn edits_procedures_and_what_is_not_known_are_told_apart() {
        let still = [0, 1, 2, 3];
        let mutants = [
            failing(&[add(1)], still, "p"),
            failing(&[add(2), add(1)], still, "p"),
            failing(&[add(1)], still, "q"),
            failing(&[add(7), add(8)], still, "p"),
        ];
        let groups = group(&*seed(), &mutants, |number| match number {
            0 => Some(minimal(add(1), "p")),
            2 => Some(minimal(add(1), "q")),
            _ => None,
        });
        let found: Vec<_> = groups.causes.iter().map(|cause| cause.mutants.clone()).collect();
        assert_eq!(found, [vec![0, 1], vec![2]]);
        assert_eq!(groups.unexplained, [3]);
    }
}
