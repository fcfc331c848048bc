//! Minimises the edits: which of them are to blame?

use std::io;
use std::sync::Arc;

use mugie_core::reduce::{CandidateCheck, Search as _, Sizes, remove_chunks};
use mugie_core::{Edit, Pair};

use super::search::PairSearch;

impl PairSearch<'_> {
    /// Removes edits until every one that is left is needed. A selection is no candidate if one of
    /// its edits depends on a removed one, so that it cannot be applied, or if it leads back to the
    /// seed.
    pub(super) fn minimise_edits(&mut self) -> io::Result<()> {
        let edits = self.best().edits();
        if edits.len() < 2 {
            return Ok(());
        }
        // Mostly, a single edit is to blame.
        let base = Arc::clone(self.best());
        let alone = |index: usize| with_edits(&*base, std::slice::from_ref(&edits[index]));
        if self.first(edits.len(), CandidateCheck::Mutant, &alone)?.is_some() {
            return Ok(());
        }
        let mut left = edits;
        let mut sizes = Sizes::all(left.len());
        while !self.is_over() {
            let before = left.len();
            let make = |best: &dyn Pair, _: &[Edit], rest: &[Edit]| with_edits(best, rest);
            left = remove_chunks(self, left, sizes, CandidateCheck::Mutant, make)?;
            if left.len() == before {
                break;
            }
            sizes = Sizes::single();
        }
        Ok(())
    }
}

/// The pair's seed with other edits, if they can be applied and change anything.
pub(super) fn with_edits(pair: &dyn Pair, edits: &[Edit]) -> Option<Arc<dyn Pair>> {
    let pair = pair.with_edits(edits).ok()?;
    (!edits.is_empty() && !pair.is_equal()).then_some(pair)
}
