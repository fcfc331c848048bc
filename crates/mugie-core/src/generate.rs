//! Generates mutants: the paper's Algorithm 1, in turn with strong edits if asked for, and the closure of some operators.
//!
//! Both are iterators, so that a caller can verify while mutants are generated and stop at the first
//! failure. Both yield the same mutants in the same order every time. Call [`Mutant::check`] before
//! using a mutant: checking is separate, so that it can run in another thread.
//!
//! An ill-formed mutant is a bug in mugie. A [checked](Generator::checked_by) generator continues after
//! one: the mutant keeps its number, and no other mutant is made from it. The result of a check does
//! not depend on which thread checks first, so neither do the mutants.

use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::edit::{ApplyError, Edit, Place, Strength};
use crate::program::{Applied, EditTrace, Program};
use crate::rng::MutantRng;
use crate::scope::{Focus, UnitSet};
use crate::seed::Seed;
use crate::strength::Strengths;
use crate::weights::Weights;

/// A program equivalent to its seed.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The number of the mutant, from 1; 0 is the seed.
    pub number: usize,
    /// The number of the program that the mutant was made from.
    pub parent: usize,
    /// The edits that lead from the seed to the mutant.
    pub edits: Vec<Edit>,
    /// The program.
    pub program: Arc<dyn Program>,
    /// The change that the last edit made.
    pub change: EditTrace,
    check: Check,
}

/// The defect of a mutant, if any, once it was checked. Shared with the generator that made the mutant.
type Check = Arc<OnceLock<Option<Defect>>>;

impl Mutant {
    /// A mutant that was made without a generator, by these edits. `change` is that of the last edit.
    pub fn made(edits: Vec<Edit>, program: Arc<dyn Program>, change: EditTrace) -> Mutant {
        Mutant { number: 1, parent: 0, edits, program, change, check: Check::default() }
    }

    /// Checks the mutant of a seed, unless it was checked before.
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

/// A mutant that is left out because it is ill-formed, with what is needed to find out why.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{defect}")]
pub struct Dropped {
    /// The number of the mutant.
    pub number: usize,
    /// The edits that lead from the seed to the mutant; the last edit is to blame.
    pub edits: Vec<Edit>,
    /// The program, if it could be made.
    pub program: Option<Arc<dyn Program>>,
    /// What is wrong with the mutant.
    pub defect: Defect,
}

impl Dropped {
    /// At most 1/`ONE_OF` of the mutants may be left out: beyond it, the others are no evidence.
    /// Raising it tolerates fewer.
    const ONE_OF: usize = 20;

    /// Whether too many of all mutants were left out.
    pub fn are_too_many(dropped: usize, all: usize) -> bool {
        dropped.saturating_mul(Dropped::ONE_OF) > all
    }

    /// The operator that is to blame.
    pub fn operator(&self) -> &str {
        self.edits.last().map_or("", |edit| &edit.operator)
    }
}

/// The defect of an ill-formed mutant: a bug in mugie, never the user's fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Defect {
    /// The last edit, if it is known.
    pub edit: Option<Box<Edit>>,
    /// What is wrong.
    pub reason: String,
}

impl Defect {
    /// A defect of the program after an edit.
    pub fn after(edit: &Edit, what: impl std::fmt::Display) -> Defect {
        let reason = format!("after `{}: {}`, {what}", edit.operator, edit.words);
        Defect { edit: Some(Box::new(edit.clone())), reason }
    }

    /// An edit that cannot be applied although its operator offered the place.
    fn unmade(edit: &Edit, error: &ApplyError) -> Defect {
        Defect { edit: Some(Box::new(edit.clone())), reason: error.to_string() }
    }
}

/// Why there are no more mutants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// As many mutants as requested.
    Reached,
    /// The maximal number of draws.
    AttemptsSpent,
    /// There are no others: every operator was applied at every place of every program.
    Exhausted,
    /// A mutant could not be made: a bug in mugie. A checked generator continues.
    Defect,
}

/// The programs made so far, starting with the seed.
#[derive(Debug)]
struct Pool {
    programs: Vec<Member>,
    /// The fingerprints of all programs.
    seen: FxHashSet<u128>,
    /// The operators whose places are counted.
    operators: Vec<usize>,
    /// The seed that checks a program before others are made from it.
    checker: Option<Arc<dyn Seed>>,
}

#[derive(Debug)]
struct Member {
    /// The program; if it could not be made, that of its parent.
    program: Arc<dyn Program>,
    /// The number of the parent, and the edit; `None` for the seed.
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

    /// Adds the result of an application, if it is new.
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

    /// Whether other programs may be made from a program.
    fn is_right(&self, number: usize) -> bool {
        let Some(checker) = &self.checker else { return true };
        let Member { program, origin, check } = &self.programs[number];
        let Some((parent, edit)) = origin else { return true };
        let defect = check.get_or_init(|| {
            // Apply the edit again: its trace was not kept, because it may be large and is rarely
            // needed this late.
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

    /// Applies an operator at a place in a program of the pool.
    fn apply(&mut self, program: usize, operator: usize, place: Place) -> Option<Item> {
        let parent = &self.programs[program].program;
        match parent.apply_at(operator, place.clone()) {
            Ok(applied) => self.add(program, applied).map(Ok),
            // Operators offer lists of places as a whole. Whether a part of one, cut to a scope, can be done is theirs
            // to say.
            Err(_) if place.listed() > 0 => None,
            Err(error) => {
                let id = parent.operators().get(operator).map_or("", |about| about.id());
                let edit = Edit::new(id, place, "cannot be done");
                Some(Err(Box::new(self.add_unmade(program, edit, &error))))
            }
        }
    }

    /// Adds a mutant that could not be made, to keep its number.
    fn add_unmade(&mut self, parent: usize, edit: Edit, error: &ApplyError) -> Dropped {
        let defect = Defect::unmade(&edit, error);
        let number = self.programs.len();
        let program = Arc::clone(&self.programs[parent].program);
        let check = Check::new(OnceLock::from(Some(defect.clone())));
        self.programs.push(Member { program, origin: Some((parent, edit)), check });
        Dropped { number, edits: self.edits(number), program: None, defect }
    }

    /// Whether the generator ends after this item.
    fn ends_after(&self, item: &Item) -> bool {
        item.is_err() && self.checker.is_none()
    }
}

/// An item of a generator.
type Item = Result<Mutant, Box<Dropped>>;

/// Draws mutants at random: the paper's Algorithm 1 and, for [`Strengths::Mixed`], strong edits in turn with it.
#[derive(Debug)]
pub struct Generator {
    /// The ways of drawing, which take turns.
    ways: Vec<Way>,
    /// The numbers of all programs by their fingerprints, if there are several ways.
    seen: FxHashMap<u128, usize>,
    random_seed: u64,
    made: usize,
    wanted: usize,
    max_attempts: u64,
    end: Option<End>,
}

/// One of the ways of drawing of a generator.
#[derive(Debug)]
struct Way {
    draws: Draws,
    /// For each of its programs, the number among those of all ways.
    numbers: Vec<usize>,
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
        let rng = MutantRng::new(random_seed, &seed.hash());
        let draws = Draws::new(seed, weights, rng, max_attempts);
        Generator {
            ways: vec![Way { draws, numbers: vec![0] }],
            seen: FxHashMap::default(),
            random_seed,
            made: 0,
            wanted,
            max_attempts,
            end: None,
        }
    }

    /// The same generator, with edits of this strength; without one, with the usual strength of the language.
    ///
    /// With [`Strengths::Mixed`], mutants with odd numbers are those that the paper's operators at one place yield (all
    /// operators, if none of the paper's is chosen), and those with even numbers are made by edits of all strengths. So
    /// what the paper's way finds with some number of mutants takes less than twice as many.
    #[must_use]
    pub fn with_strength(mut self, strengths: Option<Strengths>) -> Generator {
        let (Some(strengths), [first]) = (strengths, &mut self.ways[..]) else { return self };
        if strengths != Strengths::Mixed || first.draws.is_alone {
            first.draws.set_strengths(strengths);
            return self;
        }
        let seed = Arc::clone(first.draws.seed());
        let rng = MutantRng::of_strong_edits(self.random_seed, &seed.hash());
        let attempts = self.max_attempts / 2;
        let mut strong = Draws::new(&seed, first.draws.weights.clone(), rng, attempts);
        strong.set_strengths(strengths);
        strong.focus.clone_from(&first.draws.focus);
        strong.pool.checker.clone_from(&first.draws.pool.checker);
        first.draws.set_strengths(Strengths::One);
        first.draws.weights.keep_papers(seed.operators());
        first.draws.max_attempts = self.max_attempts - attempts;
        self.seen.insert(seed.fingerprint(), 0);
        self.ways.push(Way { draws: strong, numbers: vec![0] });
        self
    }

    /// The same generator, which draws places from certain units of the seed.
    #[must_use]
    pub fn within(mut self, focus: Focus) -> Generator {
        if let Some((last, others)) = self.ways.split_last_mut() {
            for way in others {
                way.draws.focus.clone_from(&focus);
            }
            last.draws.focus = focus;
        }
        self
    }

    /// The same generator, with a seed that checks each program before others are made from it. The
    /// generator continues after ill-formed mutants.
    #[must_use]
    pub fn checked_by(mut self, seed: &Arc<dyn Seed>) -> Generator {
        for way in &mut self.ways {
            way.draws.pool.checker = Some(Arc::clone(seed));
        }
        self
    }

    /// The default limit of draws for the given number of mutants.
    pub fn usual_attempts(wanted: usize) -> u64 {
        (wanted as u64).saturating_mul(100).max(10_000)
    }

    /// The number of draws so far.
    pub fn attempts(&self) -> u64 {
        self.ways.iter().map(|way| way.draws.attempts).sum()
    }

    /// Why there are no more mutants; `None` while there may be more.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// The next mutant of a way that no way has yielded before, with its number among those of all ways.
    fn next_of(&mut self, turn: usize) -> Option<Item> {
        let several = self.ways.len() > 1;
        let way = &mut self.ways[turn];
        loop {
            let mut item = way.draws.next()?;
            let number = self.made + 1;
            if several && let Ok(mutant) = &item {
                let fingerprint = mutant.program.fingerprint();
                let known = *self.seen.entry(fingerprint).or_insert(number);
                way.numbers.push(known);
                if known != number {
                    continue;
                }
            } else {
                way.numbers.push(number);
            }
            self.made = number;
            match &mut item {
                Ok(mutant) => {
                    (mutant.number, mutant.parent) = (number, way.numbers[mutant.parent]);
                }
                Err(dropped) => dropped.number = number,
            }
            return Some(item);
        }
    }
}

impl Iterator for Generator {
    type Item = Item;

    fn next(&mut self) -> Option<Self::Item> {
        if self.end.is_some() {
            return None;
        }
        if self.made >= self.wanted {
            self.end = Some(End::Reached);
            return None;
        }
        // If one way has no more mutants, the others have its turns.
        let ways = self.ways.len();
        let item = (0..ways).find_map(|skipped| self.next_of((self.made + skipped) % ways));
        match &item {
            None => self.end = Some(End::AttemptsSpent),
            Some(item) if self.ways[0].draws.pool.ends_after(item) => self.end = Some(End::Defect),
            Some(_) => {}
        }
        item
    }
}

/// The paper's Algorithm 1: draws a program from the pool, an operator and a place, and adds the result
/// to the pool if it is new.
#[derive(Debug)]
struct Draws {
    pool: Pool,
    rng: MutantRng,
    weights: Weights,
    max_attempts: u64,
    attempts: u64,
    /// Where places are drawn from, and the attempts since the last mutant.
    focus: Focus,
    failed: u64,
    strengths: Strengths,
    /// Whether every mutant is made from the seed, and whether that is so as long as the seed has new ones only.
    is_alone: bool,
    is_alone_at_first: bool,
}

/// Draws that may fail in a row before mutants are made of mutants as well. Raising it makes more mutants of small
/// programs from the seed itself, and takes longer.
const SEED_IS_DRY: u64 = 200;

impl Draws {
    fn new(seed: &Arc<dyn Program>, weights: Weights, rng: MutantRng, max_attempts: u64) -> Draws {
        Draws {
            pool: Pool::new(seed, &weights),
            rng,
            weights,
            max_attempts,
            attempts: 0,
            focus: Focus::default(),
            failed: 0,
            strengths: if seed.is_alone() { Strengths::Mixed } else { Strengths::One },
            is_alone: seed.is_alone(),
            is_alone_at_first: false,
        }
    }

    fn seed(&self) -> &Arc<dyn Program> {
        &self.pool.programs[0].program
    }

    /// Sets the strength of edits.
    ///
    /// Edits at many places are edits of the seed, as long as it has new mutants: their effects would otherwise be
    /// mixed up, and a mutant of one that fails would fail for the same reason.
    fn set_strengths(&mut self, strengths: Strengths) {
        self.strengths = strengths;
        self.is_alone_at_first = !self.is_alone && strengths != Strengths::One;
    }

    /// Draws a place of an operator in a program of the pool, or many of its places.
    fn place(&mut self, program: usize, operator: usize) -> Option<Place> {
        let number = self.pool.programs.len();
        let program = &*self.pool.programs[program].program;
        let rng = &mut self.rng;
        let units = self.focus.units(number, self.failed);
        let places = program.places(operator);
        if self.strengths != Strengths::One && places > 1 && program.takes_many(operator) {
            let many = self.strengths.draw(rng);
            if many != Strength::One {
                let random = rng.below(1 << 32);
                let Some(units) = units else { return Some(Place::Many { many, random }) };
                if let Some(within) = program.many_within(operator, many, random, units) {
                    return Some(within.as_single().unwrap_or(within));
                }
            }
        }
        match units {
            Some(units) => program.place_within(operator, units, &mut |bound| rng.below(bound)),
            None => (places > 0)
                .then(|| rng.below(places))
                .and_then(|place| program.place(operator, place)),
        }
    }

    /// The number of the program that the next mutant is made from.
    fn parent(&mut self) -> usize {
        let pool = self.pool.programs.len();
        self.is_alone_at_first &= self.failed < SEED_IS_DRY;
        if self.is_alone || self.is_alone_at_first { 0 } else { self.rng.index(pool) }
    }

    /// The next mutant; `None` once all draws are spent.
    fn next(&mut self) -> Option<Item> {
        while self.attempts < self.max_attempts {
            self.attempts += 1;
            self.failed += 1;
            let program = self.parent();
            if !self.pool.is_right(program) {
                continue;
            }
            let operator = self.weights.draw(&mut self.rng);
            let Some(place) = self.place(program, operator) else { continue };
            if let Some(item) = self.pool.apply(program, operator, place) {
                self.failed = 0;
                return Some(item);
            }
        }
        None
    }
}

/// Every program that the operators lead to, nearest to the seed first, up to a limit.
#[derive(Debug)]
pub struct Closure {
    pool: Pool,
    limit: usize,
    /// The application to try next: program, index in the pool's operators, place.
    next: (usize, usize, u64),
    focus: Focus,
    end: Option<End>,
}

impl Closure {
    /// All mutants by the operators with a positive weight, at most `limit`.
    pub fn new(seed: &Arc<dyn Program>, weights: &Weights, limit: usize) -> Closure {
        let (pool, focus) = (Pool::new(seed, weights), Focus::default());
        Closure { pool, limit, next: (0, 0, 0), focus, end: None }
    }

    /// The same closure, of places in certain units of the seed only.
    #[must_use]
    pub fn within(mut self, focus: Focus) -> Closure {
        self.focus = focus;
        self
    }

    /// The place with a number in a program of the pool, if it is in the focus.
    fn place(&self, program: usize, operator: usize, number: u64) -> Option<Place> {
        let program = &self.pool.programs[program].program;
        let place = program.place(operator, number)?;
        let is_within = |units: &UnitSet| program.is_within(operator, &place, units);
        self.focus.all_units().is_none_or(is_within).then_some(place)
    }

    /// The same closure, with a seed that checks each program before others are made from it. It
    /// continues after ill-formed mutants.
    #[must_use]
    pub fn checked_by(mut self, seed: &Arc<dyn Seed>) -> Closure {
        self.pool.checker = Some(Arc::clone(seed));
        self
    }

    /// Why there are no more mutants; `None` while there may be more.
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
        // With all that are wanted, it remains to be seen whether there is another one.
        let is_full = self.pool.programs.len() > self.limit;
        loop {
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
            let Some(place) = self.place(program, operator, number) else { continue };
            if let Some(item) = self.pool.apply(program, operator, place) {
                if is_full {
                    self.end = Some(End::Reached);
                    return None;
                }
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
