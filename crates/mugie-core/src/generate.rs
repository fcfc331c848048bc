//! Making mutants: the paper's Algorithm 1, and the whole closure of some operators.
//!
//! Both are iterators, so that a caller can verify while mutants are made and stop at the first
//! failure. Both give the same mutants in the same order every time. A mutant is to be validated
//! before it is used, see [`Seed::validate`](crate::Seed::validate): apart, so that it can be done in
//! another thread.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::edit::{ApplyError, Edit};
use crate::program::{Applied, Change, Program};
use crate::rng::MutantRng;
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
    pub change: Change,
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
}

impl From<ApplyError> for Defect {
    fn from(error: ApplyError) -> Defect {
        Defect { edit: None, reason: error.to_string() }
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
    /// A mutant turned out wrong: a bug of mugie.
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
}

#[derive(Debug)]
struct Member {
    program: Arc<dyn Program>,
    /// The program it was made from and how; `None` for the seed.
    origin: Option<(usize, Edit)>,
}

impl Pool {
    fn new(seed: &Arc<dyn Program>, weights: &Weights) -> Pool {
        Pool {
            operators: weights.active().collect(),
            programs: vec![Member { program: Arc::clone(seed), origin: None }],
            seen: FxHashSet::from_iter([seed.fingerprint()]),
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
        self.programs.push(Member { program: Arc::clone(&program), origin: Some((parent, edit)) });
        Some(Mutant { number, parent, edits: self.edits(number), program, change })
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

    /// Applies an operator at one of its places in a program of the pool.
    fn apply(
        &mut self,
        program: usize,
        operator: usize,
        number: u64,
    ) -> Option<Result<Mutant, Defect>> {
        let parent = &self.programs[program].program;
        let place = parent.place(operator, number)?;
        match parent.apply_at(operator, place) {
            Ok(applied) => self.add(program, applied).map(Ok),
            Err(error) => Some(Err(error.into())),
        }
    }
}

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
    type Item = Result<Mutant, Defect>;

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
            let operator = self.weights.draw(&mut self.rng);
            let places = self.pool.programs[program].program.places(operator);
            if places == 0 {
                continue;
            }
            let number = self.rng.below(places);
            if let Some(result) = self.pool.apply(program, operator, number) {
                if result.is_err() {
                    self.end = Some(End::Defect);
                }
                return Some(result);
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

    /// Why there are no more mutants; `None` while there are.
    pub fn end(&self) -> Option<End> {
        self.end
    }
}

impl Iterator for Closure {
    type Item = Result<Mutant, Defect>;

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
            let Some(&operator) = self.pool.operators.get(index) else {
                self.next = (program + 1, 0, 0);
                continue;
            };
            if number >= self.pool.programs[program].program.places(operator) {
                self.next = (program, index + 1, 0);
                continue;
            }
            self.next.2 += 1;
            if let Some(result) = self.pool.apply(program, operator, number) {
                if result.is_err() {
                    self.end = Some(End::Defect);
                }
                return Some(result);
            }
        }
    }
}
