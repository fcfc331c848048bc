//! `--shard K/N`: a share of the programs, for several machines.
//!
//! The shares depend on the files alone: all machines divide the same files in the same way. Large files are shared
//! out first, each to the share that has the least so far.

use std::fs;

use mugie_experiment::sources::Source;
use mugie_results::part::{Shard, Shared};

/// A share: its number, from 1, and the number of shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShardNumber {
    number: usize,
    of: usize,
}

/// Parses `K/N`.
pub(crate) fn shard_number(text: &str) -> Result<ShardNumber, String> {
    let words = "must be K/N, such as 1/4 for the first of four shares";
    let (number, of) = text.split_once('/').ok_or(words)?;
    match (number.parse(), of.parse()) {
        (Ok(number), Ok(of)) if (1..=of).contains(&number) => Ok(ShardNumber { number, of }),
        _ => Err(words.to_owned()),
    }
}

impl ShardNumber {
    /// The sources of this share, in their order, and who has the others.
    pub(super) fn choose(self, sources: Vec<Source>) -> (Vec<Source>, Shard) {
        let sizes: Vec<u64> = sources.iter().map(size).collect();
        let shares = shares(&sizes, self.of);
        let programs = sources.iter().zip(&shares);
        let programs = programs
            .map(|(source, share)| Shared { files: source.file_names(), shard: *share })
            .collect();
        let own = sources.into_iter().zip(&shares).filter(|(_, share)| **share == self.number);
        let shard = Shard { number: self.number, of: self.of, programs };
        (own.map(|(source, _)| source).collect(), shard)
    }
}

/// The size of a program, in bytes; at least one, so that many small files are divided as well.
fn size(source: &Source) -> u64 {
    let sizes = source.paths().iter().filter_map(|path| fs::metadata(path).ok());
    sizes.map(|it| it.len()).sum::<u64>().max(1)
}

/// The share of each program, from 1.
fn shares(sizes: &[u64], of: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|index| (std::cmp::Reverse(sizes[*index]), *index));
    let mut loads = vec![0_u64; of];
    let mut shares = vec![1; sizes.len()];
    for index in order {
        let least = (0..of).min_by_key(|share| loads[*share]).unwrap_or_default();
        loads[least] += sizes[index];
        shares[index] = least + 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_balanced() {
        assert_eq!(shares(&[1, 1, 6, 2, 2], 2), [2, 2, 1, 2, 2]);
        assert_eq!(shares(&[5; 6], 3), [1, 2, 3, 1, 2, 3]);
        assert_eq!(shares(&[5], 3), [1]);
    }

    #[test]
    fn numbers_count_from_one() {
        assert_eq!(shard_number("2/3"), Ok(ShardNumber { number: 2, of: 3 }));
        for wrong in ["0/3", "4/3", "1", "1/0", "a/b", "1/2/3"] {
            assert!(shard_number(wrong).is_err(), "{wrong}");
        }
    }
}
