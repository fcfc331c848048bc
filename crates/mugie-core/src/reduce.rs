//! Making a failing mutant small: what a search and the reducer of a language say to each other.
//!
//! The search keeps the best pair so far, spends the budget and asks the verifier. A reducer knows
//! what can be cut from a program of its language, and in which order it pays to try.

use std::any::Any;
use std::fmt;
use std::io;
use std::sync::Arc;

use crate::edit::{ApplyError, Edit};
use crate::generate::Defect;
use crate::program::Program;
use crate::verdict::Outcome;

/// A seed and its mutant as one thing: the seed, and edits that lead to the mutant.
///
/// The mutant has no life of its own. Whatever is cut from the pair is cut from the seed, and the
/// mutant is made anew by the operators, which look for themselves whether they apply. So each
/// pair is a seed and what mugie's operators make of it, by construction.
pub trait Pair: Send + Sync + fmt::Debug {
    /// The seed.
    fn seed(&self) -> &dyn Program;

    /// The mutant.
    fn mutant(&self) -> &dyn Program;

    /// What leads from the seed to the mutant.
    fn edits(&self) -> Vec<Edit>;

    /// The same seed with other edits.
    fn with_edits(&self, edits: &[Edit]) -> Result<Arc<dyn Pair>, PairError>;

    /// For the language itself, which knows what it is.
    fn as_any(&self) -> &dyn Any;
}

impl dyn Pair + '_ {
    /// Whether the two are the same program.
    pub fn is_equal(&self) -> bool {
        self.seed().hash() == self.mutant().hash()
    }

    /// The lines of the seed in its canonical layout, without blank ones.
    pub fn lines(&self) -> usize {
        let texts = self.seed().texts();
        let lines = texts.iter().flat_map(|file| file.text.lines());
        lines.filter(|line| !line.trim().is_empty()).count()
    }
}

/// Why a seed and some edits make no pair.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PairError {
    /// The seed is not well-formed.
    #[error("the seed is not well-formed: {0}")]
    IllFormed(String),
    /// An edit cannot be done.
    #[error(transparent)]
    NotApplicable(#[from] ApplyError),
    /// What comes of an edit is wrong: a bug of mugie.
    #[error(transparent)]
    Defect(#[from] Defect),
}

/// A pair of a language that cannot cut its programs: only edits can be left away.
#[derive(Debug)]
pub struct PlainPair {
    seed: Arc<dyn Program>,
    steps: Vec<(Edit, Arc<dyn Program>)>,
}

impl PlainPair {
    /// The pair of a seed and what some edits make of it.
    #[expect(clippy::new_ret_no_self, reason = "pairs are known by their trait")]
    pub fn new(seed: Arc<dyn Program>, edits: &[Edit]) -> Result<Arc<dyn Pair>, PairError> {
        PlainPair { seed, steps: Vec::new() }.with_edits(edits)
    }
}

impl Pair for PlainPair {
    fn seed(&self) -> &dyn Program {
        &*self.seed
    }

    fn mutant(&self) -> &dyn Program {
        self.steps.last().map_or(&*self.seed, |(_, program)| &**program)
    }

    fn edits(&self) -> Vec<Edit> {
        self.steps.iter().map(|(edit, _)| edit.clone()).collect()
    }

    fn with_edits(&self, edits: &[Edit]) -> Result<Arc<dyn Pair>, PairError> {
        let mut pair = PlainPair { seed: Arc::clone(&self.seed), steps: Vec::new() };
        for edit in edits {
            let applied = pair.mutant().apply(edit)?;
            pair.steps.push((applied.edit, applied.program));
        }
        Ok(Arc::new(pair))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// What a candidate is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateCheck {
    /// Only the mutant: the seed is one that verifies.
    Mutant,
    /// Both, the seed first: where less is known, it may not verify any more.
    SeedFirst,
    /// Both, the mutant first: where less is to be proved, it may not fail any more.
    MutantFirst,
}

/// Builds a candidate by its number; `None` is no candidate.
pub type Make<'m> = &'m (dyn Fn(usize) -> Option<Arc<dyn Pair>> + Sync);

/// A search under way, as a reducer sees it.
pub trait Search {
    /// The best pair so far.
    fn best(&self) -> Arc<dyn Pair>;

    /// The goal that fails, by its name in the seed; `None` if the program as a whole does.
    fn goal(&self) -> Option<&str>;

    /// How it fails.
    fn outcome(&self) -> Outcome;

    /// Whether there is nothing left to spend.
    fn is_over(&self) -> bool;

    /// Tries candidates in their order. The first one that shows the failure is the best pair from
    /// now on; returns its number.
    fn first(
        &mut self,
        number: usize,
        question: CandidateCheck,
        make: Make<'_>,
    ) -> io::Result<Option<usize>>;

    /// The same with [`CandidateCheck::SeedFirst`]. If no candidate shows the failure, tries other edits
    /// of the same things on those whose seed verifies. Returns whether the pair got smaller.
    ///
    /// Where a proof is a matter of luck, each edit is another draw. Where it is not, no draw
    /// helps, and soon none is tried any more.
    fn first_with_luck(&mut self, number: usize, make: Make<'_>) -> io::Result<bool>;

    /// If the only edit swaps two units, looks for two that are nearer to each other: what stands
    /// between them may matter, and one of the two may not.
    fn find_nearer_swap(&mut self) -> io::Result<()>;

    /// Makes sure that the best pair fails without a lowered time limit. If it does not, an earlier
    /// one is the best again. Returns whether that happened.
    fn settle_time_limit(&mut self) -> bool;
}

/// Cuts programs of one language.
pub trait Reducer: Sync {
    /// Cuts what it can from the best pair of a search.
    fn reduce(&self, search: &mut dyn Search) -> io::Result<()>;
}

/// The sizes of the chunks to try: from `largest`, each half of the one before, to `smallest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The size of the first chunks.
    pub largest: usize,
    /// The size of the last chunks.
    pub smallest: usize,
}

impl Sizes {
    /// All sizes for a number of things: from half of them down to one.
    pub fn all(number: usize) -> Sizes {
        Sizes { largest: number.div_ceil(2), smallest: 1 }
    }

    /// One thing at a time.
    pub fn single() -> Sizes {
        Sizes { largest: 1, smallest: 1 }
    }
}

/// Delta debugging: takes away as many of some things as it can, in chunks, large ones first, and
/// of these the last ones first. `make` builds the pair from the best one so far, what goes, and
/// what stays. Returns what stays.
pub fn remove_chunks<T: Clone + Sync>(
    search: &mut dyn Search,
    mut things: Vec<T>,
    sizes: Sizes,
    question: CandidateCheck,
    make: impl Fn(&dyn Pair, &[T], &[T]) -> Option<Arc<dyn Pair>> + Sync,
) -> io::Result<Vec<T>> {
    let mut size = sizes.largest.min(things.len());
    while size >= sizes.smallest.max(1) && !search.is_over() {
        // Things from `end` on have been tried in chunks of this size.
        let mut end = things.len();
        while end > 0 && !search.is_over() {
            let best = search.best();
            let chunk = |number: usize| {
                let end = end - number * size;
                end.saturating_sub(size)..end
            };
            let candidate = |number: usize| {
                let range = chunk(number);
                let mut rest = things[..range.start].to_vec();
                rest.extend_from_slice(&things[range.end..]);
                make(&*best, &things[range], &rest)
            };
            let Some(number) = search.first(end.div_ceil(size), question, &candidate)? else {
                break;
            };
            let range = chunk(number);
            end = range.start;
            things.drain(range);
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    Ok(things)
}
