//! Fewer edits: which of them are to blame?

use std::io;
use std::sync::Arc;

use mugie_core::reduce::{CandidateCheck, Search as _, Sizes, remove_chunks};
use mugie_core::{Edit, Pair};

use super::search::PairSearch;

impl PairSearch<'_> {
    /// Leaves edits away until none can go. Edits that depend on one that is left away cannot be
    /// done, so such a choice is no candidate; nor is one that leads back to the seed.
    pub(super) fn minimise_edits(&mut self) -> io::Result<()> {
        let edits = self.best().edits();
        if edits.len() < 2 {
            return Ok(());
        }
        // One edit is mostly to blame alone.
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

/// The seed of a pair with other edits, if they can be done and change anything.
pub(super) fn with_edits(pair: &dyn Pair, edits: &[Edit]) -> Option<Arc<dyn Pair>> {
    let pair = pair.with_edits(edits).ok()?;
    (!edits.is_empty() && !pair.is_equal()).then_some(pair)
}
