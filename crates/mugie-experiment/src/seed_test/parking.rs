//! Leaves out operators that change nothing for the solver.
//!
//! A *stratum* is an operator at one strength. If the first mutants of a stratum leave the same trace in the
//! solver, its other mutants hardly teach anything: the stratum is *parked*, and its mutants are left out,
//! except in one block of mutants in ten. It counts again once one of them differs.
//!
//! The trace of a program is the problem that it poses to the solver, and mutants of a parked stratum pose the
//! seed's own. Queries are their own problems, and mutants of a parked stratum all cause the same search.
//!
//! What is left out depends on results, but not on how many runs there are at a time: a mutant waits for
//! the results of all mutants of earlier blocks but the last.

use std::collections::BTreeMap;

use mugie_core::{Edit, Outcome, Strength, Verdict};
use mugie_results::SolverWork;

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

/// What a mutant does to the solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trace {
    /// The problem that it poses.
    Problem(String),
    /// The search that it causes.
    Search(Search),
}

impl Trace {
    /// The trace of a program, if it is known.
    pub(crate) fn of(work: Option<&SolverWork>, verdict: &Verdict) -> Option<Trace> {
        let problem = work.and_then(SolverWork::problem).map(Trace::Problem);
        problem.or_else(|| search(verdict).map(Trace::Search))
    }
}

/// What is known about a stratum.
#[derive(Clone, Debug)]
struct Seen {
    trace: Trace,
    mutants: usize,
    differ: bool,
}

/// Which strata are parked.
#[derive(Clone, Debug)]
pub(crate) struct Parking {
    /// The number of mutants with the same search that park a stratum.
    same: usize,
    /// The trace of the seed, if mutants are compared with it rather than with each other.
    of_seed: Option<Trace>,
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
    /// A parking of strata with this many mutants of the same trace.
    pub(crate) fn new(same: Option<usize>) -> Parking {
        let same = same.unwrap_or(usize::MAX);
        Parking { same, of_seed: None, strata: BTreeMap::new(), after: Vec::new(), used: 0 }
    }

    /// Compares mutants with this trace of the seed.
    pub(crate) fn compare_with(&mut self, of_seed: Trace) {
        self.of_seed = Some(of_seed);
    }

    /// Uses the result of the next mutant; `None` if it has none.
    pub(crate) fn add(&mut self, result: Option<(&Stratum, &Trace)>) {
        if let Some((stratum, trace)) = result {
            let first = self.of_seed.as_ref().unwrap_or(trace);
            let first = || Seen { trace: first.clone(), mutants: 0, differ: false };
            let seen = self.strata.entry(stratum.clone()).or_insert_with(first);
            seen.mutants += 1;
            seen.differ |= seen.trace != *trace;
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

    fn trace(units: u64) -> Trace {
        Trace::Search(vec![(Outcome::Verified, units)])
    }

    #[test]
    fn mutants_of_programs_are_compared_with_the_seed() {
        let mut parking = Parking::new(Some(3));
        parking.compare_with(trace(1));
        for number in 0..12 {
            let (name, units) = [("a", 1), ("b", 2)][number % 2];
            parking.add(Some((&stratum(name), &trace(units))));
        }
        assert_eq!(parking.parked(), [stratum("a")]);
    }

    /// The parking after a number of mutants of each stratum, in turn.
    fn parking(mutants: usize, search: impl Fn(&str, usize) -> u64) -> Parking {
        let mut parking = Parking::new(Some(3));
        for number in 0..mutants {
            let name = ["a", "b"][number % 2];
            parking.add(Some((&stratum(name), &trace(search(name, number)))));
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
        parking.add(Some((&stratum("a"), &trace(8))));
        assert_eq!(parking.parked(), [stratum("b")]);
    }
}
