//! Minimising a failing mutant: the interface between a search and the reducer of a language.
//!
//! The search keeps the best pair so far, spends the budget and runs the verifier. A reducer knows what
//! can be removed from a program of its language, and the best order to try.

use std::any::Any;
use std::fmt;
use std::io;
use std::sync::Arc;

use crate::edit::{ApplyError, Edit};
use crate::generate::Defect;
use crate::language::LanguageOptions;
use crate::program::{GoalNames, Program};
use crate::verdict::{Outcome, Verdict};

/// A seed together with its mutant: the seed, and the edits that lead to the mutant.
///
/// The mutant is never stored by itself. Whatever is removed is removed from the seed, and the operators
/// make the mutant again, checking their side conditions. So by construction, each pair is a seed and a
/// mutant that mugie's operators make of it.
pub trait Pair: Send + Sync + fmt::Debug {
    /// The seed.
    fn seed(&self) -> &dyn Program;

    /// The mutant.
    fn mutant(&self) -> &dyn Program;

    /// The edits that lead from the seed to the mutant.
    fn edits(&self) -> Vec<Edit>;

    /// The same seed with other edits.
    fn with_edits(&self, edits: &[Edit]) -> Result<Arc<dyn Pair>, PairError>;

    /// The options with which the seed of this pair is read, given those of the pair that was minimised.
    fn options(&self, before: &LanguageOptions) -> LanguageOptions {
        before.clone()
    }

    /// The names that the goals of this pair have in the pair that was minimised, as far as they differ.
    fn goal_names(&self) -> GoalNames {
        GoalNames::default()
    }

    /// Whether the verdicts on a pair are evidence: a verifier that drops a part of a program says something
    /// about another one. `first` is the verdict on the seed of the pair that is minimised.
    fn is_evidence(&self, first: &Verdict, of_seed: &Verdict, of_mutant: &Verdict) -> bool {
        let _ = (first, of_seed, of_mutant);
        true
    }

    /// The neighbour with a number: both programs changed alike, in a way that says nothing about the failure,
    /// such as other names. A pair whose neighbours do not fail, fails by luck. `None` if the language knows
    /// none.
    fn neighbour(&self, number: usize) -> Option<Arc<dyn Pair>> {
        let _ = number;
        None
    }

    /// For the language itself, which can downcast it.
    fn as_any(&self) -> &dyn Any;
}

impl dyn Pair + '_ {
    /// Whether seed and mutant are the same program.
    pub fn is_equal(&self) -> bool {
        self.seed().hash() == self.mutant().hash()
    }

    /// The number of lines of the seed in its canonical layout, without blank lines.
    pub fn lines(&self) -> usize {
        let texts = self.seed().texts();
        let lines = texts.iter().flat_map(|file| file.text.lines());
        lines.filter(|line| !line.trim().is_empty()).count()
    }
}

/// Why a seed and some edits are not a pair.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PairError {
    /// The seed is not well-formed.
    #[error("the seed is not well-formed: {0}")]
    IllFormed(String),
    /// An edit cannot be applied.
    #[error(transparent)]
    NotApplicable(#[from] ApplyError),
    /// The result of an edit is ill-formed: a bug in mugie.
    #[error(transparent)]
    Defect(#[from] Defect),
}

/// A pair of a language without a reducer: only edits can be removed.
#[derive(Debug)]
pub struct PlainPair {
    seed: Arc<dyn Program>,
    steps: Vec<(Edit, Arc<dyn Program>)>,
}

impl PlainPair {
    /// The pair of a seed and the mutant that the edits lead to.
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

/// Which programs of a candidate to verify.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateCheck {
    /// Only the mutant: the seed is known to verify.
    Mutant,
    /// Both, the seed first: with fewer assumptions, it may no longer verify.
    SeedFirst,
    /// Both, the mutant first: with fewer proof obligations, it may no longer fail.
    MutantFirst,
}

/// Builds the candidate with the given number; `None` if there is no such candidate.
pub type Make<'m> = &'m (dyn Fn(usize) -> Option<Arc<dyn Pair>> + Sync);

/// A running search, as a reducer sees it.
pub trait Search {
    /// The best pair so far.
    fn best(&self) -> Arc<dyn Pair>;

    /// The goal that fails, by its name in the seed; `None` if the program as a whole fails.
    fn goal(&self) -> Option<&str>;

    /// How the mutant fails.
    fn outcome(&self) -> Outcome;

    /// The verifier's work on the goals of the best pair's seed in resource units, the largest, if it is known.
    fn work(&self) -> Option<u64>;

    /// Whether the budget is spent or the search was interrupted.
    fn is_over(&self) -> bool;

    /// Tries candidates in order. The first one that shows the failure becomes the best pair; returns
    /// its number.
    fn first(
        &mut self,
        number: usize,
        question: CandidateCheck,
        make: Make<'_>,
    ) -> io::Result<Option<usize>>;

    /// The same with [`CandidateCheck::SeedFirst`]. If no candidate shows the failure, replaces the edit
    /// in the candidates whose seed verifies. Returns whether the pair got smaller.
    ///
    /// If the proof is a matter of luck, every other edit is another chance. If it is not, replacing the
    /// edit does not help, and the search soon stops trying.
    fn first_with_luck(&mut self, number: usize, make: Make<'_>) -> io::Result<bool>;

    /// If the only edit swaps two units, looks for a swap of two that are closer together: a unit
    /// between the two may matter, and one of the two may not.
    fn find_nearer_swap(&mut self) -> io::Result<()>;

    /// Makes sure that the best pair also fails without a lowered time limit. If it does not, goes back
    /// to an earlier pair. Returns whether that happened.
    fn settle_time_limit(&mut self) -> bool;
}

/// Reduces programs of one language.
pub trait Reducer: Sync {
    /// Removes as much as possible from the best pair of a search.
    fn reduce(&self, search: &mut dyn Search) -> io::Result<()>;
}

/// The sizes of the chunks to try: from `largest` to `smallest`, each half of the previous size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The size of the first chunks.
    pub largest: usize,
    /// The size of the last chunks.
    pub smallest: usize,
}

impl Sizes {
    /// All sizes for a list of `number` elements: from half of it down to one element.
    pub fn all(number: usize) -> Sizes {
        Sizes { largest: number.div_ceil(2), smallest: 1 }
    }

    /// Single elements.
    pub fn single() -> Sizes {
        Sizes { largest: 1, smallest: 1 }
    }
}

/// The largest number of chunks into which the first round divides a list. Raising it makes the first round
/// slower and more thorough; finer chunks have to wait until every list has had its turn.
const COARSE: usize = 16;

/// The largest number of elements in a chunk from the third round on: larger chunks were tried before.
const LATER: usize = 4;

/// The thoroughness of a round over all lists of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// Large chunks.
    Coarse,
    /// All smaller ones.
    Fine,
    /// Small ones again, because something else was removed since.
    Again,
}

impl Round {
    /// The sizes of chunks of a list with a number of elements.
    pub fn sizes(self, number: usize) -> Sizes {
        let all = Sizes::all(number);
        match self {
            Round::Coarse => Sizes { smallest: number.div_ceil(COARSE), ..all },
            Round::Fine => Sizes { largest: number.div_ceil(COARSE), ..all },
            Round::Again => Sizes { largest: all.largest.min(LATER), ..all },
        }
    }
}

/// Delta debugging: removes as many of the elements as possible, in chunks, large chunks first, and from
/// the end of the list to its start. `make` builds a candidate from the best pair, the elements to
/// remove and the elements to keep. Returns the elements that are left.
pub fn remove_chunks<T: Clone + Sync>(
    search: &mut dyn Search,
    mut things: Vec<T>,
    sizes: Sizes,
    question: CandidateCheck,
    make: impl Fn(&dyn Pair, &[T], &[T]) -> Option<Arc<dyn Pair>> + Sync,
) -> io::Result<Vec<T>> {
    let mut size = sizes.largest.min(things.len());
    while size >= sizes.smallest.max(1) && !search.is_over() {
        // Elements from `end` on have been tried in chunks of this size.
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
