//! Leaves out operators that change nothing for the solver.
//!
//! A *stratum* is an operator at one strength. If the solver does the same work on the first mutants of a
//! stratum, its other mutants hardly teach anything: the stratum is *parked*, and its mutants are left out,
//! except in one block of mutants in ten. It counts again once one of them differs.
//!
//! What is left out depends on results, but not on how many runs there are at a time: a mutant waits for
//! the results of all mutants of earlier blocks but the last.

use std::collections::BTreeMap;

use mugie_core::{Edit, Outcome, Strength, Verdict};

/// The number of mutants in a block. Raising it lets more runs go on at a time and parks later.
const BLOCK: usize = 12;

/// One block in this many has the mutants of parked strata, too.
const AGAIN: usize = 10;

/// An operator at one strength.
pub(crate) type Stratum = (String, Strength);

/// The stratum of a mutant with these edits, if it has one.
pub(crate) fn stratum(edits: &[Edit]) -> Option<Stratum> {
    match edits {
        [edit] => Some((edit.operator.clone(), edit.strength)),
        _ => None,
    }
}

/// What a solver did: the outcome of each goal, and the solver's work on it. Equal searches are almost
/// surely the same steps.
pub(crate) type Search = Vec<(Outcome, u64)>;

/// What the solver did, if its work is known.
pub(crate) fn search(verdict: &Verdict) -> Option<Search> {
    let goals = verdict.procedures.iter();
    let search: Option<Search> = goals.map(|goal| Some((goal.outcome, goal.resources?))).collect();
    search.filter(|search| !search.is_empty())
}

/// What is known about a stratum.
#[derive(Clone, Debug)]
struct Seen {
    search: Search,
    mutants: usize,
    differ: bool,
}

/// Which strata are parked.
#[derive(Clone, Debug)]
pub(crate) struct Parking {
    /// The number of mutants with the same search that park a stratum.
    same: usize,
    strata: BTreeMap<Stratum, Seen>,
    /// For each block, the strata that were parked after it.
    after: Vec<Vec<Stratum>>,
    /// The mutants whose results were used.
    used: usize,
}

/// What to do with the next mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    Run,
    LeaveOut,
    /// Results are missing.
    Wait,
}

impl Parking {
    /// A parking of strata with this many mutants of the same search.
    pub(crate) fn new(same: Option<usize>) -> Parking {
        let same = same.unwrap_or(usize::MAX);
        Parking { same, strata: BTreeMap::new(), after: Vec::new(), used: 0 }
    }

    /// Uses the result of the next mutant; `None` if it has none.
    pub(crate) fn add(&mut self, result: Option<(&Stratum, &Search)>) {
        if let Some((stratum, search)) = result {
            let first = || Seen { search: search.clone(), mutants: 0, differ: false };
            let seen = self.strata.entry(stratum.clone()).or_insert_with(first);
            seen.mutants += 1;
            seen.differ |= seen.search != *search;
        }
        self.used += 1;
        if self.used.is_multiple_of(BLOCK) {
            self.after.push(self.parked());
        }
    }

    /// What to do with a mutant, by its number from 1.
    pub(crate) fn turn(&self, number: usize, stratum: &Stratum) -> Turn {
        let block = number.saturating_sub(1) / BLOCK;
        // The results of the last block may be missing.
        let Some(known) = block.checked_sub(2) else { return Turn::Run };
        match self.after.get(known) {
            None => Turn::Wait,
            Some(parked) if parked.contains(stratum) && !block.is_multiple_of(AGAIN) => {
                Turn::LeaveOut
            }
            Some(_) => Turn::Run,
        }
    }

    /// The strata that are parked now.
    pub(crate) fn parked(&self) -> Vec<Stratum> {
        let is_parked = |seen: &Seen| seen.mutants >= self.same && !seen.differ;
        self.strata.iter().filter(|(_, seen)| is_parked(seen)).map(|(it, _)| it.clone()).collect()
    }

    /// Whether all strata with a mutant are parked.
    pub(crate) fn are_all_parked(&self) -> bool {
        !self.strata.is_empty() && self.parked().len() == self.strata.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stratum(name: &str) -> Stratum {
        (name.to_owned(), Strength::All)
    }

    /// The parking after a number of mutants of each stratum, in turn.
    fn parking(mutants: usize, search: impl Fn(&str, usize) -> u64) -> Parking {
        let mut parking = Parking::new(Some(3));
        for number in 0..mutants {
            let name = ["a", "b"][number % 2];
            parking.add(Some((&stratum(name), &vec![(Outcome::Verified, search(name, number))])));
        }
        parking
    }

    #[test]
    fn what_changes_nothing_is_left_out_after_its_block_and_the_next() {
        let parking = parking(12, |name, number| if name == "a" { 7 } else { number as u64 });
        for (number, turn) in [(24, Turn::Run), (25, Turn::LeaveOut), (36, Turn::LeaveOut)] {
            assert_eq!(parking.turn(number, &stratum("a")), turn, "{number}");
            assert_eq!(parking.turn(number, &stratum("b")), Turn::Run);
        }
        assert_eq!(parking.turn(37, &stratum("a")), Turn::Wait);
        assert_eq!(parking.parked(), [stratum("a")]);
    }

    #[test]
    fn a_parked_stratum_is_tried_again_and_may_come_back() {
        let mut parking = parking(120, |_, _| 7);
        assert!(parking.are_all_parked());
        assert_eq!(parking.turn(120, &stratum("a")), Turn::LeaveOut);
        assert_eq!(parking.turn(121, &stratum("a")), Turn::Run);
        parking.add(Some((&stratum("a"), &vec![(Outcome::Verified, 8)])));
        assert_eq!(parking.parked(), [stratum("b")]);
    }
}
