//! The mutants of a random program: single edits of every operator, at one place and at many, and chains of
//! edits.

use std::collections::BTreeSet;
use std::sync::Arc;

use mugie_core::{Applied, Edit, Mutant, Place, Program, Seed, Set, Strength};

use crate::Release;
use crate::random::Random;

/// The places of an operator to try in a program: if it has more than [`MANY`], and otherwise. So operators
/// that rarely apply get their share.
const SINGLES: (usize, usize) = (2, 6);

/// The largest number of places that is not many.
const MANY: u64 = 8;

/// One in this many edits of a chain is at many places, if its operator takes many.
const STRONG: usize = 4;

/// The number of chains of edits per program. Raising it takes more time.
const CHAINS: usize = 4;

/// The most mutants of a program that may need a process of their own, which takes a hundred times as long:
/// if the program itself can share a process, and otherwise.
const ALONE: (usize, usize) = (3, 14);

/// A mutant to verify.
#[derive(Clone, Debug)]
pub struct Made {
    /// The edits that lead from the seed to the mutant: one, or a chain.
    pub edits: Vec<Edit>,
    /// The program.
    pub program: Arc<dyn Program>,
}

/// A mutant that failed mugie's own check.
#[derive(Clone, Debug)]
pub struct Dropped {
    /// The edits; the last one is to blame.
    pub edits: Vec<Edit>,
    /// What is wrong.
    pub reason: String,
}

/// The mutants of a program.
#[derive(Clone, Debug, Default)]
pub struct Mutants {
    /// The mutants that passed mugie's own check.
    pub made: Vec<Made>,
    /// The mutants that failed it.
    pub dropped: Vec<Dropped>,
}

/// The operators that must preserve meaning and verdict, by their numbers: all except the one that removes
/// triggers.
pub fn operators(seed: &dyn Program) -> Vec<usize> {
    let all = seed.operators().iter().enumerate();
    all.filter(|(_, about)| about.set != Set::Apart).map(|(number, _)| number).collect()
}

/// The mutants of the seed with the given number, for a release of Boogie.
pub fn mutants(seed: &dyn Seed, number: u64, release: Release) -> Mutants {
    let mut random = Random::new(number, "mutants");
    let mut mutants = Mutants::default();
    let program = seed.program();
    let mut known = BTreeSet::from([program.fingerprint()]);
    let budget = if release.may_share(&**program) { ALONE.0 } else { ALONE.1 };
    let mut budget = Budget { release, alone: budget };
    let mut all = operators(&**program);
    // A random order decides which operators get the budget.
    random.shuffle(&mut all);
    for operator in &all {
        let operator = *operator;
        let places = program.places(operator);
        let mut tried = BTreeSet::new();
        for _ in 0..if places > MANY { SINGLES.0 } else { SINGLES.1 } {
            let place = random.below_u64(places);
            if places > 0 && tried.insert(place) {
                let mut chain = Chain::new(seed);
                chain.extend(operator, place, &budget, &mut mutants);
                chain.finish(&mut known, &mut budget, &mut mutants);
            }
        }
        if places > 1 && program.takes_many(operator) {
            for many in [Strength::Some, Strength::All] {
                let place = Place::Many { many, random: random.below_u64(1 << 32) };
                let mut chain = Chain::new(seed);
                chain.extend_at(operator, place, &budget, &mut mutants);
                chain.finish(&mut known, &mut budget, &mut mutants);
            }
        }
    }
    for _ in 0..CHAINS {
        let length = 5 + random.below(36);
        let mut chain = Chain::new(seed);
        // More draws than edits, because some draws hit an operator without a place.
        for _ in 0..3 * length {
            let operator = *random.pick(&all);
            let places = chain.program.places(operator);
            if places == 0 || chain.edits.len() >= length {
                continue;
            }
            if places > 1 && chain.program.takes_many(operator) && random.below(STRONG) == 0 {
                let many = if random.chance(50) { Strength::Some } else { Strength::All };
                let place = Place::Many { many, random: random.below_u64(1 << 32) };
                chain.extend_at(operator, place, &budget, &mut mutants);
            } else {
                let place = random.below_u64(places);
                chain.extend(operator, place, &budget, &mut mutants);
            }
        }
        chain.finish(&mut known, &mut budget, &mut mutants);
    }
    mutants
}

/// All single edits of every operator.
pub fn all_singles(seed: &dyn Seed, release: Release) -> Mutants {
    singles(seed, &operators(&**seed.program()), release)
}

/// All single edits of some operators, given by their numbers. Of edits with the same result, only the first
/// counts.
pub fn singles(seed: &dyn Seed, operators: &[usize], release: Release) -> Mutants {
    let mut mutants = Mutants::default();
    let program = seed.program();
    let mut known = BTreeSet::from([program.fingerprint()]);
    let mut budget = Budget { release, alone: usize::MAX };
    for operator in operators {
        for place in 0..program.places(*operator) {
            let mut chain = Chain::new(seed);
            chain.extend(*operator, place, &budget, &mut mutants);
            chain.finish(&mut known, &mut budget, &mut mutants);
        }
    }
    mutants
}

/// Edits at some places, and as many at all, for each of some operators that takes many and has two places
/// or more.
pub fn strong(seed: &dyn Seed, operators: &[usize], release: Release, draws: u64) -> Mutants {
    let mut mutants = Mutants::default();
    let program = seed.program();
    let mut known = BTreeSet::from([program.fingerprint()]);
    let mut budget = Budget { release, alone: usize::MAX };
    for operator in operators {
        if !program.takes_many(*operator) || program.places(*operator) < 2 {
            continue;
        }
        for random in 0..draws {
            for many in [Strength::Some, Strength::All] {
                let mut chain = Chain::new(seed);
                let place = Place::Many { many, random };
                chain.extend_at(*operator, place, &budget, &mut mutants);
                chain.finish(&mut known, &mut budget, &mut mutants);
            }
        }
    }
    mutants
}

/// The number of mutants that may still be verified alone.
struct Budget {
    release: Release,
    alone: usize,
}

impl Budget {
    fn allows(&self, program: &dyn Program) -> bool {
        self.alone > 0 || self.release.may_share(program)
    }

    fn pay(&mut self, program: &dyn Program) {
        self.alone -= usize::from(self.alone > 0 && !self.release.may_share(program));
    }
}

/// A sequence of edits.
struct Chain<'s> {
    seed: &'s dyn Seed,
    edits: Vec<Edit>,
    program: Arc<dyn Program>,
}

impl<'s> Chain<'s> {
    fn new(seed: &'s dyn Seed) -> Chain<'s> {
        Chain { seed, edits: Vec::new(), program: Arc::clone(seed.program()) }
    }

    /// Adds an edit at the place with a number, unless its result is ill-formed or exceeds the budget.
    fn extend(&mut self, operator: usize, number: u64, budget: &Budget, mutants: &mut Mutants) {
        if let Some(place) = self.program.place(operator, number) {
            self.extend_at(operator, place, budget, mutants);
        }
    }

    /// Adds an edit at a place, unless its result is ill-formed or exceeds the budget.
    fn extend_at(&mut self, operator: usize, place: Place, budget: &Budget, mutants: &mut Mutants) {
        let Applied { program, edit, change } = match self.program.apply_at(operator, place) {
            Ok(applied) => applied,
            Err(error) => {
                let reason = error.to_string();
                return mutants.dropped.push(Dropped { edits: self.edits.clone(), reason });
            }
        };
        if !budget.allows(&*program) {
            return;
        }
        let mut edits = self.edits.clone();
        edits.push(edit);
        let mutant = Mutant::made(edits, program, change);
        match self.seed.validate(&mutant) {
            Ok(()) => {
                self.edits = mutant.edits;
                self.program = mutant.program;
            }
            Err(defect) => {
                mutants.dropped.push(Dropped { edits: mutant.edits, reason: defect.reason });
            }
        }
    }

    fn finish(self, known: &mut BTreeSet<u128>, budget: &mut Budget, mutants: &mut Mutants) {
        if !self.edits.is_empty() && known.insert(self.program.fingerprint()) {
            budget.pay(&*self.program);
            mutants.made.push(Made { edits: self.edits, program: self.program });
        }
    }
}
