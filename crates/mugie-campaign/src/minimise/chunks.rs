//! Takes things away in chunks, large ones first: delta debugging.

use std::io;

use super::pair::Pair;
use super::search::{Question, Search};

/// The sizes of the chunks to try: from `largest`, each half of the one before, to `smallest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) largest: usize,
    pub(super) smallest: usize,
}

impl Sizes {
    /// All sizes for so many things: from half of them down to one.
    pub(super) fn all(number: usize) -> Sizes {
        Sizes { largest: number.div_ceil(2), smallest: 1 }
    }
}

impl Search<'_> {
    /// Takes away as many of some things as it can, the last ones first. `make` builds the pair
    /// from the best one so far, what goes, and what stays. Returns what stays.
    pub(super) fn remove_chunks<T: Clone + Sync>(
        &mut self,
        mut things: Vec<T>,
        sizes: Sizes,
        question: Question,
        make: impl Fn(&Pair, &[T], &[T]) -> Option<Pair> + Sync,
    ) -> io::Result<Vec<T>> {
        let mut size = sizes.largest.min(things.len());
        while size >= sizes.smallest.max(1) && !self.is_over() {
            // Things from `end` on have been tried in chunks of this size.
            let mut end = things.len();
            while end > 0 && !self.is_over() {
                let best = self.best().clone();
                let chunk = |number: usize| {
                    let end = end - number * size;
                    end.saturating_sub(size)..end
                };
                let candidate = |number: usize| {
                    let range = chunk(number);
                    let mut rest = things[..range.start].to_vec();
                    rest.extend_from_slice(&things[range.end..]);
                    make(&best, &things[range], &rest)
                };
                let Some(number) = self.first(end.div_ceil(size), question, candidate)? else {
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
}
