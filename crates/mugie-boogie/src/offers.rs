//! Places where an operator applies: counted without being listed, built one at a time.
//!
//! An operator has one function that visits the places where it applies and *offers* each of them.
//! The same function serves to count the places and to build the change at the chosen one: each
//! offer comes with a closure that runs only if the offer is chosen.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Collects the offers of an operator: counts them, or picks one.
#[derive(Debug)]
pub struct Offers<T> {
    /// The number of places offered so far.
    count: u64,
    /// The place to build; `None` while counting.
    wanted: Option<u64>,
    picked: Option<Change<T>>,
}

/// The change that an operator makes at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change<T> {
    /// A description for people: ``swap `requires` #1 and #3``.
    pub words: String,
    /// The result of the change.
    pub result: T,
}

impl<T> Change<T> {
    /// Creates a change with its description.
    pub fn new(words: impl Into<String>, result: T) -> Change<T> {
        Change { words: words.into(), result }
    }
}

impl<T> Offers<T> {
    /// Counts the offers.
    pub fn counting() -> Offers<T> {
        Offers { count: 0, wanted: None, picked: None }
    }

    /// Builds the offer with this number, counted from 0.
    pub fn picking(number: u64) -> Offers<T> {
        Offers { count: 0, wanted: Some(number), picked: None }
    }

    /// The number of places offered.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The change that was built, if the wanted place was offered.
    pub fn into_picked(self) -> Option<Change<T>> {
        self.picked
    }

    /// Offers one place.
    pub fn one(&mut self, build: impl FnOnce() -> Change<T>) {
        self.many(1, |_| build());
    }

    /// Offers `number` places at once, distinguished by an index from 0.
    pub fn many(&mut self, number: u64, build: impl FnOnce(u64) -> Change<T>) {
        if let Some(wanted) = self.wanted
            && (self.count..self.count + number).contains(&wanted)
        {
            self.picked = Some(build(wanted - self.count));
        }
        self.count += number;
    }

    /// Offers every pair `i < j` of `number` items.
    pub fn pairs(&mut self, number: usize, build: impl FnOnce(usize, usize) -> Change<T>) {
        self.many(pair_count(number), |index| {
            let (i, j) = pair(index);
            build(i, j)
        });
    }

    /// Offers every pair `i < j` of items that differ: swapping equal ones changes nothing.
    pub fn distinct_pairs<E: Eq + Hash>(
        &mut self,
        things: &[E],
        build: impl FnOnce(usize, usize) -> Change<T>,
    ) {
        if things.len() < 2 {
            return;
        }
        let differing = differing_before(things);
        let number: usize = differing.iter().sum();
        self.many(number as u64, |index| {
            let mut index = usize::try_from(index).unwrap_or(0);
            let mut j = 0;
            while index >= differing[j] {
                index -= differing[j];
                j += 1;
            }
            let i = (0..j).filter(|&i| things[i] != things[j]).nth(index);
            build(i.expect("`differing` counts these"), j)
        });
    }
}

/// For each item, the number of earlier items that differ from it.
fn differing_before<E: Eq + Hash>(things: &[E]) -> Vec<usize> {
    // Different trees differ early, so comparing a few is faster than hashing them.
    const FEW: usize = 16;
    let mut counts = FxHashMap::default();
    let equal_before = |(before, thing)| {
        if things.len() <= FEW {
            things[..before].iter().filter(|other| *other == thing).count()
        } else {
            let count = counts.entry(thing).or_insert(0);
            *count += 1;
            *count - 1
        }
    };
    let equal = things.iter().enumerate().map(equal_before);
    equal.enumerate().map(|(before, equal)| before - equal).collect()
}

/// The number of pairs of `number` items.
pub(crate) fn pair_count(number: usize) -> u64 {
    let number = number as u64;
    number * number.saturating_sub(1) / 2
}

/// The pair `i < j` with this index: `(0, 1), (0, 2), (1, 2), (0, 3), …`
pub(crate) fn pair(index: u64) -> (usize, usize) {
    // The largest j with j(j-1)/2 <= index. The estimate is off by at most one.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an estimate, corrected below"
    )]
    let mut j = ((2.0 * index as f64 + 0.25).sqrt() + 0.5) as u64;
    while j * j.saturating_sub(1) / 2 > index {
        j -= 1;
    }
    while (j + 1) * j / 2 <= index {
        j += 1;
    }
    let i = index - j * j.saturating_sub(1) / 2;
    (usize::try_from(i).unwrap_or(usize::MAX), usize::try_from(j).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_numbered_without_gaps() {
        let pairs: Vec<_> = (0..pair_count(5)).map(pair).collect();
        let expected: Vec<_> = (0..5).flat_map(|j| (0..j).map(move |i| (i, j))).collect();
        assert_eq!(pairs, expected);
        let (i, j) = pair(pair_count(1_000_000) - 1);
        assert_eq!((i, j), (999_998, 999_999));
    }

    #[test]
    fn equal_things_make_no_pair() {
        let things = ["a", "b", "a"];
        let offer = |offers: &mut Offers<(usize, usize)>| {
            offers.distinct_pairs(&things, |i, j| Change::new("", (i, j)));
        };
        let mut offers = Offers::counting();
        offer(&mut offers);
        assert_eq!(offers.count(), 2);
        let picked: Vec<_> = (0..2)
            .map(|number| {
                let mut offers = Offers::picking(number);
                offer(&mut offers);
                offers.into_picked().unwrap().result
            })
            .collect();
        assert_eq!(picked, [(0, 1), (1, 2)]);
    }
}
