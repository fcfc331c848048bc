//! Making mutants: the paper's Algorithm 1, and the whole closure of some operators.
//!
//! Both are iterators, so that a caller can verify while mutants are made and stop at the first
//! failure. Both give the same mutants in the same order every time. A mutant is to be checked
//! before it is used, see [`Mutant::check`]: apart, so that it can be done in another thread.
//!
//! A mutant that is wrong is a bug of mugie. A generator that is [checked](Generator::checked_by) goes
//! on after one: it keeps its number, and no other mutant is made from it. Whether it is wrong does not
//! depend on who looks first, so neither do the mutants.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashSet;

use crate::edit::{ApplyError, Edit};
use crate::program::{Applied, EditTrace, Program};
use crate::rng::MutantRng;
use crate::seed::Seed;
use crate::weights::Weights;

/// A program equivalent to its seed.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Its number, from 1; 0 is the seed.
    pub number: usize,
    /// The number of the program it was made from.
    pub parent: usize,
    /// What leads from the seed to it.
    pub edits: Vec<Edit>,
    /// The program.
    pub program: Arc<dyn Program>,
    /// What the last edit changed.
    pub change: EditTrace,
    check: Check,
}

/// What is wrong with a mutant, if anything, once somebody has looked. The generator that made it
/// knows as well.
type Check = Arc<OnceLock<Option<Defect>>>;

impl Mutant {
    /// What somebody else than a generator made of a seed by these edits. `change` is of the last.
    pub fn made(edits: Vec<Edit>, program: Arc<dyn Program>, change: EditTrace) -> Mutant {
        Mutant { number: 1, parent: 0, edits, program, change, check: Check::default() }
    }

    /// Checks the mutant of a seed, unless that was done before.
    pub fn check(&self, seed: &dyn Seed) -> Result<(), Box<Dropped>> {
        match self.check.get_or_init(|| seed.validate(self).err()) {
            None => Ok(()),
            Some(defect) => Err(Box::new(Dropped {
                number: self.number,
                edits: self.edits.clone(),
                program: Some(Arc::clone(&self.program)),
                defect: defect.clone(),
            })),
        }
    }
}

/// A mutant that is left out because it is wrong, with what is needed to find out why.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{defect}")]
pub struct Dropped {
    /// Its number.
    pub number: usize,
    /// What leads from the seed to it; the last edit is to blame.
    pub edits: Vec<Edit>,
    /// The program, if it could be made.
    pub program: Option<Arc<dyn Program>>,
    /// What is wrong with it.
    pub defect: Defect,
}

impl Dropped {
    /// Of so many mutants one may be left out: of more, the others say nothing.
    const ONE_OF: usize = 20;

    /// Whether so many of all mutants are more than may be left out.
    pub fn are_too_many(dropped: usize, all: usize) -> bool {
        dropped.saturating_mul(Dropped::ONE_OF) > all
    }

    /// The operator that is to blame.
    pub fn operator(&self) -> &str {
        self.edits.last().map_or("", |edit| &edit.operator)
    }
}

/// A mutant that is wrong: a bug of mugie, never the fault of its user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Defect {
    /// The last edit, if the program could be made.
    pub edit: Option<Box<Edit>>,
    /// What is wrong.
    pub reason: String,
}

impl Defect {
    /// What is wrong with a program after an edit.
    pub fn after(edit: &Edit, what: impl std::fmt::Display) -> Defect {
        let reason = format!("after `{}: {}`, {what}", edit.operator, edit.words);
        Defect { edit: Some(Box::new(edit.clone())), reason }
    }

    /// An edit that cannot be done where its operator offered it.
    fn unmade(edit: &Edit, error: &ApplyError) -> Defect {
        Defect { edit: Some(Box::new(edit.clone())), reason: error.to_string() }
    }
}

/// Why no more mutants come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// As many as asked for.
    Reached,
    /// Too many attempts in a row of draws made nothing new.
    AttemptsSpent,
    /// There are no others: every operator was applied at every place of every program.
    Exhausted,
    /// A mutant could not be made: a bug of mugie. A generator that is checked goes on.
    Defect,
}

/// The programs made so far, the seed first.
#[derive(Debug)]
struct Pool {
    programs: Vec<Member>,
    /// The fingerprints of all of them.
    seen: FxHashSet<u128>,
    /// The operators whose places are counted.
    operators: Vec<usize>,
    /// What checks programs before others are made from them.
    checker: Option<Arc<dyn Seed>>,
}

#[derive(Debug)]
struct Member {
    /// That of its parent, if it could not be made.
    program: Arc<dyn Program>,
    /// The program it was made from and how; `None` for the seed.
    origin: Option<(usize, Edit)>,
    check: Check,
}

impl Pool {
    fn new(seed: &Arc<dyn Program>, weights: &Weights) -> Pool {
        let (program, check) = (Arc::clone(seed), Check::default());
        Pool {
            operators: weights.active().collect(),
            programs: vec![Member { program, origin: None, check }],
            seen: FxHashSet::from_iter([seed.fingerprint()]),
            checker: None,
        }
    }

    /// Adds what came of an application, if it is new.
    fn add(&mut self, parent: usize, applied: Applied) -> Option<Mutant> {
        let Applied { program, edit, change } = applied;
        if !self.seen.insert(program.fingerprint()) {
            return None;
        }
        program.learn_from(&*self.programs[parent].program, &change, &self.operators);
        let number = self.programs.len();
        let (origin, check) = (Some((parent, edit)), Check::default());
        self.programs.push(Member {
            program: Arc::clone(&program),
            origin,
            check: Arc::clone(&check),
        });
        Some(Mutant { number, parent, edits: self.edits(number), program, change, check })
    }

    fn edits(&self, mut number: usize) -> Vec<Edit> {
        let mut edits = Vec::new();
        while let Some((parent, edit)) = &self.programs[number].origin {
            edits.push(edit.clone());
            number = *parent;
        }
        edits.reverse();
        edits
    }

    /// Whether others may be made from a program.
    fn is_right(&self, number: usize) -> bool {
        let Some(checker) = &self.checker else { return true };
        let Member { program, origin, check } = &self.programs[number];
        let Some((parent, edit)) = origin else { return true };
        let defect = check.get_or_init(|| {
            // What changed is not kept, because it may be large and few need it so late.
            let applied = match self.programs[*parent].program.apply(edit) {
                Ok(applied) => applied,
                Err(error) => return Some(Defect::unmade(edit, &error)),
            };
            let (edits, change) = (self.edits(number), applied.change);
            let (program, check) = (Arc::clone(program), Check::default());
            let mutant = Mutant { number, parent: *parent, edits, program, change, check };
            checker.validate(&mutant).err()
        });
        defect.is_none()
    }

    /// Applies an operator at one of its places in a program of the pool.
    fn apply(&mut self, program: usize, operator: usize, number: u64) -> Option<Item> {
        let parent = &self.programs[program].program;
        let place = parent.place(operator, number)?;
        match parent.apply_at(operator, place.clone()) {
            Ok(applied) => self.add(program, applied).map(Ok),
            Err(error) => {
                let id = parent.operators().get(operator).map_or("", |about| about.id());
                let edit = Edit::new(id, place, "cannot be done");
                Some(Err(Box::new(self.add_unmade(program, edit, &error))))
            }
        }
    }

    /// Adds a mutant that should be there and could not be made.
    fn add_unmade(&mut self, parent: usize, edit: Edit, error: &ApplyError) -> Dropped {
        let defect = Defect::unmade(&edit, error);
        let number = self.programs.len();
        let program = Arc::clone(&self.programs[parent].program);
        let check = Check::new(OnceLock::from(Some(defect.clone())));
        self.programs.push(Member { program, origin: Some((parent, edit)), check });
        Dropped { number, edits: self.edits(number), program: None, defect }
    }

    /// Whether a mutant that could not be made is the last one.
    fn ends_after(&self, item: &Item) -> bool {
        item.is_err() && self.checker.is_none()
    }
}

/// What a generator gives.
type Item = Result<Mutant, Box<Dropped>>;

/// The paper's Algorithm 1: draws a program from the pool, an operator, a place; adds what comes
/// of it to the pool if it is new.
#[derive(Debug)]
pub struct Generator {
    pool: Pool,
    rng: MutantRng,
    weights: Weights,
    wanted: usize,
    max_attempts: u64,
    attempts: u64,
    end: Option<End>,
}

impl Generator {
    /// A generator of `wanted` mutants that gives up after `max_attempts` draws.
    pub fn new(
        seed: &Arc<dyn Program>,
        weights: Weights,
        random_seed: u64,
        wanted: usize,
        max_attempts: u64,
    ) -> Generator {
        Generator {
            rng: MutantRng::new(random_seed, &seed.hash()),
            pool: Pool::new(seed, &weights),
            weights,
            wanted,
            max_attempts,
            attempts: 0,
            end: None,
        }
    }

    /// The same, with a seed that checks each program before another one is made from it. It goes on
    /// after mutants that are wrong.
    #[must_use]
    pub fn checked_by(mut self, seed: &Arc<dyn Seed>) -> Generator {
        self.pool.checker = Some(Arc::clone(seed));
        self
    }

    /// How many draws to allow for so many mutants, where nobody says.
    pub fn usual_attempts(wanted: usize) -> u64 {
        (wanted as u64).saturating_mul(100).max(10_000)
    }

    /// The number of draws so far.
    pub fn attempts(&self) -> u64 {
        self.attempts
    }

    /// Why there are no more mutants; `None` while there are.
    pub fn end(&self) -> Option<End> {
        self.end
    }
}

impl Iterator for Generator {
    type Item = Item;

    fn next(&mut self) -> Option<Self::Item> {
        if self.end.is_some() {
            return None;
        }
        while self.pool.programs.len() <= self.wanted {
            if self.attempts >= self.max_attempts {
                self.end = Some(End::AttemptsSpent);
                return None;
            }
            self.attempts += 1;
            let program = self.rng.index(self.pool.programs.len());
            if !self.pool.is_right(program) {
                continue;
            }
            let operator = self.weights.draw(&mut self.rng);
            let places = self.pool.programs[program].program.places(operator);
            if places == 0 {
                continue;
            }
            let number = self.rng.below(places);
            if let Some(item) = self.pool.apply(program, operator, number) {
                if self.pool.ends_after(&item) {
                    self.end = Some(End::Defect);
                }
                return Some(item);
            }
        }
        self.end = Some(End::Reached);
        None
    }
}

/// Every program that some operators lead to, nearest to the seed first, up to a limit.
#[derive(Debug)]
pub struct Closure {
    pool: Pool,
    limit: usize,
    /// The application to try next: program, index in the pool's operators, place.
    next: (usize, usize, u64),
    end: Option<End>,
}

impl Closure {
    /// All mutants by the operators whose weight is not 0, but at most `limit`.
    pub fn new(seed: &Arc<dyn Program>, weights: &Weights, limit: usize) -> Closure {
        Closure { pool: Pool::new(seed, weights), limit, next: (0, 0, 0), end: None }
    }

    /// The same, with a seed that checks each program before another one is made from it. It goes on
    /// after mutants that are wrong.
    #[must_use]
    pub fn checked_by(mut self, seed: &Arc<dyn Seed>) -> Closure {
        self.pool.checker = Some(Arc::clone(seed));
        self
    }

    /// Why there are no more mutants; `None` while there are.
    pub fn end(&self) -> Option<End> {
        self.end
    }
}

impl Iterator for Closure {
    type Item = Item;

    fn next(&mut self) -> Option<Self::Item> {
        if self.end.is_some() {
            return None;
        }
        loop {
            if self.pool.programs.len() > self.limit {
                self.end = Some(End::Reached);
                return None;
            }
            let (program, index, number) = self.next;
            if program >= self.pool.programs.len() {
                self.end = Some(End::Exhausted);
                return None;
            }
            if self.next == (program, 0, 0) && !self.pool.is_right(program) {
                self.next = (program + 1, 0, 0);
                continue;
            }
            let Some(&operator) = self.pool.operators.get(index) else {
                self.next = (program + 1, 0, 0);
                continue;
            };
            if number >= self.pool.programs[program].program.places(operator) {
                self.next = (program, index + 1, 0);
                continue;
            }
            self.next.2 += 1;
            if let Some(item) = self.pool.apply(program, operator, number) {
                if self.pool.ends_after(&item) {
                    self.end = Some(End::Defect);
                }
                return Some(item);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Dropped;

    #[test]
    fn one_in_twenty_may_be_left_out() {
        assert!(!Dropped::are_too_many(0, 0));
        assert!(!Dropped::are_too_many(5, 100));
        assert!(Dropped::are_too_many(6, 100));
        assert!(Dropped::are_too_many(1, 19) && !Dropped::are_too_many(1, 20));
    }
}
