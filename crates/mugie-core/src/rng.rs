//! The only source of randomness. The meaning of a published random seed must not change with a
//! crate, a platform or a number of threads: the stream is `ChaCha8`, keyed by BLAKE3, and the
//! conversion of its words to a number below n is written here.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A stream of random numbers, determined by the user's random seed and the program to mutate.
#[derive(Clone, Debug)]
pub struct MutantRng(ChaCha8Rng);

impl MutantRng {
    /// The stream for a random seed and a program, given by its hash.
    pub fn new(seed: u64, program: &[u8]) -> MutantRng {
        MutantRng::derived("mugie mutants 1", seed, program)
    }

    /// Another stream for the same random seed and program: for strong edits that are drawn in turn with others.
    pub(crate) fn of_strong_edits(seed: u64, program: &[u8]) -> MutantRng {
        MutantRng::derived("mugie strong edits 1", seed, program)
    }

    fn derived(context: &str, seed: u64, program: &[u8]) -> MutantRng {
        let mut hasher = blake3::Hasher::new_derive_key(context);
        hasher.update(&seed.to_le_bytes());
        hasher.update(program);
        MutantRng(ChaCha8Rng::from_seed(*hasher.finalize().as_bytes()))
    }

    /// A uniformly distributed number below `bound`. Zero if `bound` is zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound <= 1 {
            return 0;
        }
        // The range from `excess` on is a multiple of the bound. Reject smaller numbers, which
        // would favour small remainders.
        let excess = (u64::MAX - bound + 1) % bound;
        loop {
            let word = self.0.next_u64();
            if word >= excess {
                return word % bound;
            }
        }
    }

    /// An index below `length`.
    pub fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::MutantRng;

    #[test]
    fn the_stream_of_a_seed_is_fixed() {
        let mut rng = MutantRng::new(1, b"program");
        let drawn: Vec<_> = (0..6).map(|_| rng.below(1000)).collect();
        assert_eq!(drawn, [889, 96, 286, 33, 416, 195]);
    }

    #[test]
    fn every_number_below_the_bound_is_drawn() {
        let mut rng = MutantRng::new(0, b"");
        let mut counts = [0u32; 7];
        for _ in 0..7000 {
            counts[rng.index(7)] += 1;
        }
        assert!(counts.iter().all(|&count| (850..1150).contains(&count)), "{counts:?}");
    }
}
