//! Reduces a query: other checks first, then assertions, declarations that nothing uses, and parts of terms, as long as
//! the seed has its answer and the mutant fails.
//!
//! Options, scopes, patterns and other attributes stay: they are part of the question. A cut need not be well-sorted: if
//! it is not, the solver complains, and the pair is no candidate ([`mugie_core::Pair::is_evidence`]).

mod again;
mod cut;
mod neighbours;
mod pair;
#[cfg(test)]
mod tests;
mod units;

use std::io;
use std::sync::Arc;

use mugie_core::reduce::{CandidateCheck, Reducer, Round, Search, Sizes, remove_chunks};
use mugie_core::{Outcome, Pair};

use cut::{Cut, Unit};
pub(crate) use pair::SmtPair;
use units::Terms;

/// The smallest part of all assertions that is tried as a large one is 1/`LARGE`.
const LARGE: usize = 8;

/// How deep arguments may be nested in each other to be tried; deeper ones go with those around them or stay.
const MAX_DEPTH: usize = 12;

/// Reduces queries.
#[derive(Debug)]
pub(crate) struct SmtReducer;

impl Reducer for SmtReducer {
    fn reduce(&self, search: &mut dyn Search) -> io::Result<()> {
        match best(search) {
            Some(pair) if pair.edit().is_some() => Reduction(search).run(),
            _ => Ok(()),
        }
    }
}

/// The best pair of a search, if it consists of queries.
fn best(search: &dyn Search) -> Option<SmtPair> {
    search.best().as_any().downcast_ref().cloned()
}

/// A search over ever smaller queries.
struct Reduction<'s>(&'s mut dyn Search);

impl Reduction<'_> {
    fn best(&self) -> SmtPair {
        best(self.0).unwrap_or_else(|| unreachable!("a search keeps to one language"))
    }

    /// Cuts the query until a whole round changes nothing.
    fn run(&mut self) -> io::Result<()> {
        self.keep_one_check()?;
        self.keep_near_assertions()?;
        self.cut_large_parts()?;
        let mut round = Round::Coarse;
        while !self.0.is_over() {
            let (size, hash) = (size_of(&self.best()), Pair::seed(&self.best()).hash());
            self.round(round)?;
            self.0.find_nearer_swap()?;
            let is_other = self.0.settle_time_limit();
            round = match round {
                // On a much smaller query, a cut that failed before may succeed.
                _ if is_other || size_of(&self.best()) * 4 < size * 3 => Round::Coarse,
                Round::Coarse => Round::Fine,
                _ if Pair::seed(&self.best()).hash() == hash => break,
                _ => Round::Again,
            };
        }
        Ok(())
    }

    /// Leaves only the check that fails.
    fn keep_one_check(&mut self) -> io::Result<()> {
        let base = self.best();
        let number = |name: &str| name.strip_prefix('#')?.parse::<usize>().ok()?.checked_sub(1);
        let check = self.0.goal().and_then(number);
        let check = check.and_then(|it| base.checks.iter().position(|first| *first == it));
        let choices = units::other_checks(&base, check);
        self.first(&base, &choices)
    }

    /// Leaves the assertions that are near to that before the check, the fewest first.
    fn keep_near_assertions(&mut self) -> io::Result<()> {
        let base = self.best();
        let assertions = units::assertions(&base);
        let farthest = assertions.last().map_or(0, |(distance, _)| *distance);
        let far = |distance: usize| {
            let far = assertions.iter().filter(|(it, _)| *it > distance);
            far.map(|(_, unit)| *unit).collect::<Vec<Unit>>()
        };
        let choices: Vec<Vec<Unit>> = (0..farthest).map(far).collect();
        self.first(&base, &choices)
    }

    /// Removes large parts of the assertions, repeatedly.
    ///
    /// A proof or its failure may depend on anything. Then it is a matter of chance whether removing some assertions
    /// preserves the failure, and their number hardly matters. So try several ways to remove a half or a quarter of them.
    fn cut_large_parts(&mut self) -> io::Result<()> {
        let mut parts = 2;
        while parts <= LARGE && !self.0.is_over() {
            let base = self.best();
            let near_first: Vec<Unit> =
                units::assertions(&base).into_iter().map(|(_, unit)| unit).collect();
            let mut in_order = near_first.clone();
            in_order.sort_unstable_by_key(|(origin, _)| *origin);
            let size = near_first.len().div_ceil(parts).max(1);
            let alternating = (0..parts).map(|part| {
                in_order.iter().copied().skip(part).step_by(parts).collect::<Vec<Unit>>()
            });
            let mut choices: Vec<Vec<Unit>> =
                near_first.chunks(size).rev().map(<[Unit]>::to_vec).collect();
            choices.extend(in_order.chunks(size).rev().map(<[Unit]>::to_vec));
            choices.extend(alternating);
            let before = size_of(&base);
            self.first(&base, &choices)?;
            let is_smaller = size_of(&self.best()) < before;
            parts = if is_smaller { 2 } else { parts * 2 };
            if is_smaller {
                self.lower_budget()?;
            }
        }
        Ok(())
    }

    /// Lowers the budget if the seed takes much less work by now: a mutant that runs out of it takes all of it.
    fn lower_budget(&mut self) -> io::Result<()> {
        let is_spent = self.0.outcome() == Outcome::OutOfResource;
        let (base, work) = (self.best(), self.0.work().filter(|_| is_spent));
        let make = |_: usize| {
            let pair = base.with_budget_for(work?)?;
            Some(Arc::new(pair) as Arc<dyn Pair>)
        };
        self.0.first(usize::from(work.is_some()), CandidateCheck::SeedFirst, &make)?;
        Ok(())
    }

    /// Makes the first of these cuts after which the pair still fails.
    fn first(&mut self, base: &SmtPair, choices: &[Vec<Unit>]) -> io::Result<()> {
        let make = |index: usize| without(base, &choices[index]);
        self.0.first(choices.len(), CandidateCheck::SeedFirst, &make)?;
        Ok(())
    }

    /// Tries every list of elements once.
    fn round(&mut self, round: Round) -> io::Result<()> {
        self.lower_budget()?;
        let assertions = units::assertions(&self.best()).into_iter().map(|(_, unit)| unit);
        self.cut(round, assertions.collect())?;
        self.remove_unused()?;
        for depth in 0..MAX_DEPTH {
            let mut terms = Terms::of(&self.best());
            if depth >= terms.arguments.len() {
                break;
            }
            self.cut(round, std::mem::take(&mut terms.arguments[depth]))?;
        }
        self.remove_unused()?;
        if round != Round::Coarse {
            let replaced = Terms::of(&self.best()).replaced;
            self.remove(replaced, Sizes::single())?;
            self.remove_unused()?;
        }
        Ok(())
    }

    /// Cuts as many elements of a list as possible, in chunks of the round's sizes.
    fn cut(&mut self, round: Round, list: Vec<Unit>) -> io::Result<()> {
        let sizes = round.sizes(list.len());
        self.remove(list, sizes)
    }

    /// Removes declarations, bindings and variables that nothing uses.
    fn remove_unused(&mut self) -> io::Result<()> {
        let mut list = units::unused(&self.best());
        list.extend(Terms::of(&self.best()).unused);
        let sizes = Sizes { largest: list.len(), ..Round::Coarse.sizes(list.len()) };
        self.remove(list, sizes)
    }

    fn remove(&mut self, list: Vec<Unit>, sizes: Sizes) -> io::Result<()> {
        let question = CandidateCheck::SeedFirst;
        remove_chunks(self.0, list, sizes, question, |pair, units, _| {
            without(pair.as_any().downcast_ref()?, units)
        })?;
        Ok(())
    }
}

/// What remains of a pair after some cuts; `None` if that is no pair, or the same.
fn without(pair: &SmtPair, units: &[Unit]) -> Option<Arc<dyn Pair>> {
    let smaller = pair.after(&units.iter().copied().collect::<Cut>())?;
    let is_other = Pair::seed(&smaller).hash() != Pair::seed(pair).hash();
    let small: Arc<dyn Pair> = Arc::new(smaller);
    (is_other && !small.is_equal()).then_some(small)
}

/// The number of nodes of the seed.
fn size_of(pair: &SmtPair) -> usize {
    pair.base().script.nodes().len()
}
