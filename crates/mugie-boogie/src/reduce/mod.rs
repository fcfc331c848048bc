//! Reduces a program: removes whole declarations first, then clauses, statements and operands, as
//! long as the seed still verifies and the mutant still fails.

mod cut;
mod names;
mod number;
mod pair;
mod units;

use std::io;
use std::sync::Arc;

use bpl_syntax::ast::{Decl, Name};
use mugie_core::reduce::{CandidateCheck, Reducer, Round, Search, Sizes, remove_chunks};
use mugie_core::{Outcome, Pair};
use rustc_hash::{FxHashMap, FxHashSet};

use cut::{Cut, How, Unit};
use number::of_decl;
pub(crate) use pair::BoogiePair;

/// A chunk counts as large if it is at least 1/8 of its list. After a large chunk of axioms could
/// be removed, the search starts over with halves.
const LARGE_FRACTION: usize = 8;

/// The largest distance of an axiom from the failing procedure. Axioms farther away count as
/// unrelated to it.
const MAX_LEVEL: usize = 12;

/// The nesting depth up to which statements are tried; deeper ones stay.
const MAX_DEPTH: usize = 12;

/// Reduces Boogie programs.
#[derive(Debug)]
pub(crate) struct BoogieReducer;

impl Reducer for BoogieReducer {
    fn reduce(&self, search: &mut dyn Search) -> io::Result<()> {
        match best(search) {
            Some(_) => Reduction(search).run(),
            None => Ok(()),
        }
    }
}

/// The best pair of a search, if it consists of Boogie programs.
fn best(search: &dyn Search) -> Option<BoogiePair> {
    search.best().as_any().downcast_ref().cloned()
}

/// A search over ever smaller Boogie programs.
struct Reduction<'s>(&'s mut dyn Search);

impl Reduction<'_> {
    fn best(&self) -> BoogiePair {
        best(self.0).unwrap_or_else(|| unreachable!("a search keeps to one language"))
    }

    fn is_over(&self) -> bool {
        self.0.is_over()
    }

    /// The failing procedure.
    fn procedure(&self) -> Option<String> {
        self.0.goal().map(str::to_owned)
    }

    /// Removes as many elements of a list as possible.
    fn remove(
        &mut self,
        list: Vec<Unit>,
        sizes: Sizes,
        question: CandidateCheck,
    ) -> io::Result<()> {
        remove_chunks(self.0, list, sizes, question, |pair, units, _| without(pair, units))?;
        Ok(())
    }

    /// Cuts the program until a whole round changes nothing.
    fn run(&mut self) -> io::Result<()> {
        self.keep_needed()?;
        self.collect_garbage()?;
        if self.0.outcome() != Outcome::Rejected {
            // Most of the seed is needed only for proofs that have nothing to do with the failure,
            // so drop the proof obligations first.
            let list = self.obligations();
            let sizes =
                Sizes { smallest: list.len().div_ceil(LARGE_FRACTION), ..Sizes::all(list.len()) };
            self.remove(list, sizes, CandidateCheck::MutantFirst)?;
            self.keep_needed()?;
            self.collect_garbage()?;
        }
        let mut round = Round::Coarse;
        while !self.is_over() {
            let (lines_before, hash) = (lines(&self.best()), self.best().seed().hash());
            self.round(round)?;
            self.0.find_nearer_swap()?;
            let is_other = self.0.settle_time_limit();
            round = match round {
                // On a much smaller program, a cut that failed before may succeed.
                _ if is_other || lines(&self.best()) * 4 < lines_before * 3 => {
                    self.keep_needed()?;
                    Round::Coarse
                }
                Round::Coarse => Round::Fine,
                _ if self.best().seed().hash() == hash => break,
                _ => Round::Again,
            };
        }
        Ok(())
    }

    fn obligations(&self) -> Vec<Unit> {
        units::obligations(self.best().seed(), self.procedure().as_deref())
    }

    /// Tries to keep only what the failing procedure needs, under ever wider definitions of need.
    fn keep_needed(&mut self) -> io::Result<()> {
        let cuts = self.needed_cuts();
        self.cut_at_once(&cuts)?;
        Ok(())
    }

    /// Makes the first of these cuts after which the pair still fails, trying other edits if
    /// necessary.
    fn cut_at_once(&mut self, cuts: &[Cut]) -> io::Result<bool> {
        let base = self.best();
        let make = |index: usize| shared(smaller(&base, &cuts[index])?);
        self.0.first_with_luck(cuts.len(), &make)
    }

    /// Cuts that leave only what the failing procedure needs, the largest cut first.
    fn needed_cuts(&self) -> Vec<Cut> {
        let base = self.best();
        let scope = Scope::new(&base, self.procedure().as_deref());
        let mut cuts: Vec<Cut> = Vec::new();
        for keep in scope.choices() {
            let cut = scope.cut(&base, &keep);
            if cut != Cut::default() && !cuts.contains(&cut) {
                cuts.push(cut);
            }
        }
        cuts
    }

    /// Tries every list of elements once.
    fn round(&mut self, round: Round) -> io::Result<()> {
        let is_axiom = |_: usize, decl: &Decl| matches!(decl, Decl::Axiom(_));
        let is_procedure = |_: usize, decl: &Decl| {
            matches!(
                decl,
                Decl::Procedure(_) | Decl::Implementation(_) | Decl::Action(_) | Decl::Invariant(_)
            )
        };
        self.cut_declarations(round, is_procedure)?;
        if round == Round::Coarse {
            self.cut_large_parts_of_axioms()?;
        }
        self.cut_axioms(round)?;
        self.collect_garbage()?;
        for depth in 0..MAX_DEPTH {
            let statements = units::statements(self.best().seed(), depth);
            if statements.is_empty() {
                break;
            }
            self.cut(round, statements, CandidateCheck::SeedFirst)?;
            if round != Round::Coarse {
                self.cut_one_by_one(units::parts(self.best().seed(), depth))?;
            }
        }
        if round != Round::Coarse {
            let mut obligations = self.obligations();
            obligations.retain(|(_, how)| *how == How::Remove);
            self.cut(round, obligations, CandidateCheck::MutantFirst)?;
        }
        let assumptions = units::assumptions(self.best().seed(), self.procedure().as_deref());
        self.cut(round, assumptions, CandidateCheck::SeedFirst)?;
        self.collect_garbage()?;
        self.cut(round, units::function_bodies(self.best().seed()), CandidateCheck::SeedFirst)?;
        self.cut_declarations(round, |index, decl| {
            !is_axiom(index, decl) && !is_procedure(index, decl)
        })?;
        if round != Round::Coarse {
            self.cut_one_by_one(units::operands(self.best().seed()))?;
            self.collect_garbage()?;
        }
        Ok(())
    }

    /// Removes declarations of a kind, except those that the failure is about.
    fn cut_declarations(
        &mut self,
        round: Round,
        wanted: impl Fn(usize, &Decl) -> bool,
    ) -> io::Result<()> {
        let base = self.best();
        let scope = Scope::new(&base, self.procedure().as_deref());
        let list = units::declarations(base.seed(), |index, decl| {
            !scope.roots.contains(&index) && wanted(index, decl)
        });
        self.cut(round, list, CandidateCheck::SeedFirst)
    }

    /// Removes axioms, starting with those farthest from the failing procedure.
    fn cut_axioms(&mut self, round: Round) -> io::Result<()> {
        let list = self.axioms();
        self.cut(round, list, CandidateCheck::SeedFirst)
    }

    /// Removes large parts of the axioms, and then what the procedure does not need, repeatedly.
    ///
    /// A proof or its failure may depend on anything. Then it is a matter of chance whether
    /// removing some axioms preserves the failure, and their number hardly matters. So try several
    /// ways to remove a half or a quarter of them.
    fn cut_large_parts_of_axioms(&mut self) -> io::Result<()> {
        let mut parts = 2;
        while parts <= LARGE_FRACTION && !self.is_over() {
            let by_distance = self.axioms();
            let mut by_source = by_distance.clone();
            by_source.sort_unstable_by_key(|(number, _)| *number);
            let size = by_distance.len().div_ceil(parts).max(1);
            let alternating = (0..parts).map(|part| {
                by_distance.iter().copied().skip(part).step_by(parts).collect::<Vec<Unit>>()
            });
            let mut chunks: Vec<Vec<Unit>> =
                by_distance.chunks(size).rev().map(<[Unit]>::to_vec).collect();
            if parts < LARGE_FRACTION {
                chunks.extend(by_source.chunks(size).rev().map(<[Unit]>::to_vec));
                chunks.extend(alternating);
            }
            let cuts: Vec<Cut> =
                chunks.into_iter().map(|chunk| chunk.into_iter().collect()).collect();
            if self.cut_at_once(&cuts)? {
                self.keep_needed()?;
                self.collect_garbage()?;
                parts = 2;
            } else {
                parts *= 2;
            }
        }
        Ok(())
    }

    /// The axioms that may be removed, those farthest from the failing procedure last.
    fn axioms(&self) -> Vec<Unit> {
        let base = self.best();
        let scope = Scope::new(&base, self.procedure().as_deref());
        let levels = scope.levels();
        let is_free = |index: &usize| scope.is_axiom(*index) && !scope.roots.contains(index);
        let mut axioms: Vec<usize> = (0..base.seed().len()).filter(is_free).collect();
        axioms.sort_by_key(|index| levels.get(index).copied().unwrap_or(usize::MAX));
        let unit = |index: &usize| (of_decl(&base.seed().decl(*index)), How::Remove);
        axioms.iter().map(unit).collect()
    }

    /// Cuts as many elements of a list as possible, in chunks of the round's sizes.
    fn cut(&mut self, round: Round, list: Vec<Unit>, question: CandidateCheck) -> io::Result<()> {
        let sizes = round.sizes(list.len());
        self.remove(list, sizes, question)
    }

    /// Cuts the elements of a list one at a time, where possible.
    fn cut_one_by_one(&mut self, list: Vec<Unit>) -> io::Result<()> {
        self.remove(list, Sizes::single(), CandidateCheck::SeedFirst)
    }

    /// Removes what nothing uses: declarations, names in declarations, local variables.
    fn collect_garbage(&mut self) -> io::Result<()> {
        let base = self.best();
        let scope = Scope::new(&base, self.procedure().as_deref());
        let garbage = scope.garbage(&base);
        if garbage.is_empty() {
            return Ok(());
        }
        let sizes = Sizes { largest: garbage.len(), ..Round::Coarse.sizes(garbage.len()) };
        self.remove(garbage, sizes, CandidateCheck::MutantFirst)
    }
}

/// Returns what remains of a pair after a cut, or `None` if the cut changes nothing.
fn smaller(pair: &BoogiePair, cut: &Cut) -> Option<BoogiePair> {
    let smaller = pair.after(cut)?;
    (smaller.seed().hash() != pair.seed().hash()).then_some(smaller)
}

/// Returns what remains of a pair after some elements are cut.
fn without(pair: &dyn Pair, units: &[Unit]) -> Option<Arc<dyn Pair>> {
    let pair = pair.as_any().downcast_ref()?;
    shared(smaller(pair, &units.iter().copied().collect())?)
}

/// Wraps a pair as a candidate of the search.
#[expect(clippy::unnecessary_wraps, reason = "what candidates are made of")]
fn shared(pair: BoogiePair) -> Option<Arc<dyn Pair>> {
    Some(Arc::new(pair))
}

/// The number of lines of the seed.
fn lines(pair: &BoogiePair) -> usize {
    (pair as &dyn Pair).lines()
}

/// The declarations that the failure is about, and the dependencies between declarations.
struct Scope<'p> {
    pair: &'p BoogiePair,
    /// The failing procedure, its implementations, and the declarations that the edits touch.
    roots: FxHashSet<usize>,
    /// The declarations that declare each name.
    declaring: FxHashMap<&'p Name, Vec<usize>>,
}

impl<'p> Scope<'p> {
    fn new(pair: &'p BoogiePair, procedure: Option<&str>) -> Scope<'p> {
        let mut roots = pair.touched();
        let mut declaring = FxHashMap::<_, Vec<usize>>::default();
        for (index, names) in pair.names().iter().enumerate() {
            if procedure.is_some() && names.procedure.as_deref() == procedure {
                roots.insert(index);
            }
            for name in &names.declared {
                declaring.entry(name).or_default().push(index);
            }
        }
        Scope { pair, roots, declaring }
    }

    /// These declarations and all that they need, directly or indirectly. The bodies of procedures
    /// that are not roots do not count.
    fn needed(&self, from: impl IntoIterator<Item = usize>) -> FxHashSet<usize> {
        let mut needed = FxHashSet::default();
        let mut left: Vec<usize> = from.into_iter().collect();
        while let Some(index) = left.pop() {
            if needed.insert(index) {
                left.extend(self.uses(index).flat_map(|name| &self.declaring[name]));
            }
        }
        needed
    }

    /// The top-level names that a declaration uses.
    fn uses(&self, index: usize) -> impl Iterator<Item = &'p Name> {
        let names = &self.pair.names()[index];
        let body = self.roots.contains(&index).then_some(&names.body);
        let used = names.face.iter().chain(body.into_iter().flatten());
        used.filter(|name| self.declaring.contains_key(*name))
    }

    fn is_axiom(&self, index: usize) -> bool {
        matches!(*self.pair.seed().decl(index), Decl::Axiom(_))
    }

    fn is_type(&self, index: usize) -> bool {
        matches!(*self.pair.seed().decl(index), Decl::Type(_))
    }

    /// The sets of declarations to keep, the smallest first: what the roots need; that and the
    /// axioms that may apply to it, with what those axioms need, level by level; everything but
    /// unneeded procedures; and finally everything.
    fn choices(&self) -> Vec<FxHashSet<usize>> {
        let number = self.pair.seed().len();
        let levels = self.levels();
        let deepest = levels.values().max().copied().unwrap_or_default();
        let least = self.needed(self.roots.iter().copied());
        let mut choices = vec![least.clone()];
        for level in 1..=deepest {
            let axioms = levels.iter().filter(|(_, at)| **at <= level).map(|(index, _)| *index);
            choices.push(self.needed(self.roots.iter().copied().chain(axioms)));
        }
        let is_procedure = |index: usize| self.pair.names()[index].procedure.is_some();
        let mut keep = least;
        keep.extend((0..number).filter(|index| !is_procedure(*index)));
        choices.push(keep);
        choices.push((0..number).collect());
        choices
    }

    /// The distance of axioms from the roots. A solver instantiates an axiom once the functions of
    /// one of its triggers occur; the functions in the axiom then occur as well. Axioms that are
    /// never reached in this way are missing from the result.
    fn levels(&self) -> FxHashMap<usize, usize> {
        let names = self.pair.names();
        let in_all = |all: FxHashSet<usize>| all.into_iter().flat_map(|index| self.uses(index));
        let mut met: FxHashSet<&Name> = in_all(self.needed(self.roots.iter().copied())).collect();
        let mut left: Vec<usize> = (0..names.len()).filter(|index| self.is_axiom(*index)).collect();
        let mut levels = FxHashMap::default();
        for level in 1..=MAX_LEVEL {
            let is_met = |&index: &usize| {
                let triggers = &names[index].triggers;
                if triggers.is_empty() {
                    let is_thing = |name: &Name| {
                        !self.declaring[name].iter().all(|index| self.is_type(*index))
                    };
                    return self.uses(index).any(|name| met.contains(name) && is_thing(name));
                }
                triggers.iter().any(|trigger| trigger.iter().all(|name| met.contains(name)))
            };
            let (new, rest): (Vec<usize>, Vec<usize>) = left.into_iter().partition(is_met);
            left = rest;
            if new.is_empty() {
                break;
            }
            met.extend(in_all(self.needed(new.iter().copied())));
            levels.extend(new.into_iter().map(|index| (index, level)));
        }
        levels
    }

    /// The cut that keeps these declarations, but not the bodies of procedures that are not roots.
    fn cut(&self, pair: &BoogiePair, keep: &FxHashSet<usize>) -> Cut {
        let unit = |index: usize| {
            let decl = pair.seed().decl(index);
            let number = of_decl(&decl);
            if self.roots.contains(&index) {
                return None;
            }
            if !keep.contains(&index) {
                return Some((number, How::Remove));
            }
            match &*decl {
                Decl::Implementation(_) => Some((number, How::Remove)),
                Decl::Procedure(procedure) if procedure.body.is_some() => Some((number, How::Body)),
                _ => None,
            }
        };
        (0..pair.seed().len()).filter_map(unit).collect()
    }

    /// The declarations and names that nothing uses.
    fn garbage(&self, pair: &BoogiePair) -> Vec<Unit> {
        let number = pair.seed().len();
        let has_body = |index: usize| match &*pair.seed().decl(index) {
            Decl::Procedure(procedure) => procedure.body.is_some(),
            Decl::Implementation(_) => true,
            _ => false,
        };
        let starts = (0..number).filter(|&index| {
            self.roots.contains(&index) || self.is_axiom(index) || has_body(index)
        });
        let starts: Vec<usize> = starts.collect();
        let bodies = starts.iter().flat_map(|&index| &pair.names()[index].body);
        let in_bodies = bodies.filter_map(|name| self.declaring.get(name)).flatten().copied();
        let live = self.needed(starts.iter().copied().chain(in_bodies));
        let mut garbage = units::declarations(pair.seed(), |index, _| !live.contains(&index));
        let all = live.iter().map(|index| &pair.names()[*index]);
        let used = all.flat_map(|names| names.face.iter().chain(&names.body)).cloned().collect();
        garbage.extend(units::unused_names(pair.seed(), &used));
        garbage
    }
}
