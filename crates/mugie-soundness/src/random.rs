//! Random choices, determined by a number.

use mugie_core::rng::MutantRng;

/// A stream of random choices.
#[derive(Clone, Debug)]
pub(crate) struct Random(MutantRng);

impl Random {
    /// The stream for a number and a purpose.
    pub(crate) fn new(number: u64, purpose: &str) -> Random {
        Random(MutantRng::new(number, purpose.as_bytes()))
    }

    /// A number below a bound.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0.index(bound)
    }

    /// A number below a bound that may be large.
    pub(crate) fn below_u64(&mut self, bound: u64) -> u64 {
        self.0.below(bound)
    }

    /// True with a probability of `percent`.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several values, of which there must be at least one.
    pub(crate) fn pick<'t, T>(&mut self, things: &'t [T]) -> &'t T {
        &things[self.below(things.len())]
    }

    /// One of several words.
    pub(crate) fn word(&mut self, words: &[&'static str]) -> &'static str {
        words[self.below(words.len())]
    }

    /// Puts values into a random order.
    pub(crate) fn shuffle<T>(&mut self, things: &mut [T]) {
        for end in (1..things.len()).rev() {
            things.swap(end, self.below(end + 1));
        }
    }
}
