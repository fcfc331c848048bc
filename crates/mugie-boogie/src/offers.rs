//! Places where an operator applies: counted without being listed, built one at a time.
//!
//! An operator has one function that visits the places where it applies and *offers* each of them.
//! The same function serves to count the places and to build the change at the chosen one: each
//! offer comes with a closure that runs only if the offer is chosen.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Collects the offers of an operator: counts them, builds those with some numbers, or lists what can
/// be drawn from.
#[derive(Debug)]
pub struct Offers<T> {
    /// The number of places offered so far.
    count: u64,
    /// The numbers of the places to build that are still to come, the next one last.
    wanted: Vec<u64>,
    picked: Vec<Change<T>>,
    /// The sites, if they are to be listed.
    sites: Option<Vec<Site>>,
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

/// Places that are offered together, from which many are drawn at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Site {
    /// Places that have nothing to do with each other.
    Places {
        /// The number of the first.
        first: u64,
        /// How many there are.
        number: u64,
    },
    /// The pairs of a list whose items may be in any order.
    List(Pairs),
    /// The pairs of a list of which any two can become one, in place of the first.
    Joins(Pairs),
}

/// The numbers of the pairs of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pairs {
    /// The number of the first pair.
    first: u64,
    /// The number of items.
    pub(crate) length: usize,
    /// Which items are equal, if some are.
    equal: Option<Equal>,
}

/// Which items of a list are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Equal {
    /// For each item, the first one that is equal to it.
    first: Vec<usize>,
    /// For each first one, all that are equal to it.
    places: FxHashMap<usize, Vec<usize>>,
    /// For each item, the number of pairs that end before it.
    pairs_before: Vec<u64>,
}

impl Equal {
    fn new<E: Eq + Hash>(things: &[E], differing: &[usize]) -> Equal {
        let mut firsts: FxHashMap<&E, usize> = FxHashMap::default();
        let mut places: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        let mut first = Vec::with_capacity(things.len());
        for (index, thing) in things.iter().enumerate() {
            let one = *firsts.entry(thing).or_insert(index);
            places.entry(one).or_default().push(index);
            first.push(one);
        }
        let mut sum = 0;
        let before = differing.iter().map(|number| {
            let before = sum;
            sum += *number as u64;
            before
        });
        Equal { pairs_before: before.collect(), first, places }
    }

    /// The pair of different items with this number.
    fn pair(&self, number: u64) -> (usize, usize) {
        let j = self.pairs_before.partition_point(|before| *before <= number).saturating_sub(1);
        let number = usize::try_from(number - self.pairs_before[j]).unwrap_or(usize::MAX);
        let like_j = &self.places[&self.first[j]];
        let i = like_j.iter().fold(number, |i, like_j| if *like_j <= i { i + 1 } else { i });
        (i, j)
    }
}

impl Pairs {
    /// The number of the pair `i < j`; `None` if the two are equal.
    pub(crate) fn number(&self, i: usize, j: usize) -> Option<u64> {
        let Some(equal) = &self.equal else {
            return Some(self.first + pair_count(j) + i as u64);
        };
        if equal.first[i] == equal.first[j] {
            return None;
        }
        let like_j = &equal.places[&equal.first[j]];
        let like_j_before = like_j.partition_point(|it| *it < i);
        Some(self.first + equal.pairs_before[j] + (i - like_j_before) as u64)
    }
}

impl<T> Offers<T> {
    /// Counts the offers.
    pub fn counting() -> Offers<T> {
        Offers { count: 0, wanted: Vec::new(), picked: Vec::new(), sites: None }
    }

    /// Builds the offer with this number, counted from 0.
    pub fn picking(number: u64) -> Offers<T> {
        Offers { wanted: vec![number], ..Offers::counting() }
    }

    /// Builds the offers with these numbers, in descending order.
    pub(crate) fn picking_all(wanted: Vec<u64>) -> Offers<T> {
        Offers { wanted, ..Offers::counting() }
    }

    /// Lists the sites.
    pub(crate) fn listing() -> Offers<T> {
        Offers { sites: Some(Vec::new()), ..Offers::counting() }
    }

    /// The number of places offered.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The change that was built, if the wanted place was offered.
    pub fn into_picked(self) -> Option<Change<T>> {
        self.picked.into_iter().next()
    }

    /// The changes that were built, the last place first; `None` if a wanted place was not offered.
    pub(crate) fn into_all_picked(mut self) -> Option<Vec<Change<T>>> {
        self.picked.reverse();
        self.wanted.is_empty().then_some(self.picked)
    }

    /// The sites.
    pub(crate) fn into_sites(self) -> Vec<Site> {
        self.sites.unwrap_or_default()
    }

    /// Offers one place.
    pub fn one(&mut self, build: impl FnOnce() -> Change<T>) {
        if self.wanted.last() == Some(&self.count) {
            self.wanted.pop();
            self.picked.push(build());
        }
        self.list(|first| Site::Places { first, number: 1 });
        self.count += 1;
    }

    /// Offers `number` places at once, distinguished by an index from 0.
    pub fn many(&mut self, number: u64, build: impl Fn(u64) -> Change<T>) {
        while let Some(index) = self.wanted_below(number) {
            self.picked.push(build(index));
        }
        self.list(|first| Site::Places { first, number });
        self.count += number;
    }

    /// Offers every pair `i < j` of `number` items. What is built changes the order of the items by one
    /// swap after another.
    pub fn pairs(
        &mut self,
        number: usize,
        words: impl Fn(usize, usize) -> String,
        build: impl FnOnce(Vec<(usize, usize)>) -> T,
    ) {
        self.list(|first| Site::List(Pairs { first, length: number, equal: None }));
        self.offer_pairs(pair_count(number), pair, words, build);
    }

    /// Offers to join every pair `i < j` of `number` items: the later one becomes a part of the earlier
    /// one. What is built joins one pair after another, the last item first.
    pub fn joins(
        &mut self,
        number: usize,
        words: impl Fn(usize, usize) -> String,
        build: impl FnOnce(Vec<(usize, usize)>) -> T,
    ) {
        self.list(|first| Site::Joins(Pairs { first, length: number, equal: None }));
        self.offer_pairs(pair_count(number), pair, words, build);
    }

    /// Offers every pair `i < j` of items that differ: swapping equal ones changes nothing.
    pub fn distinct_pairs<E: Eq + Hash>(
        &mut self,
        things: &[E],
        words: impl Fn(usize, usize) -> String,
        build: impl FnOnce(Vec<(usize, usize)>) -> T,
    ) {
        if things.len() < 2 {
            return;
        }
        let differing = differing_before(things);
        let number: usize = differing.iter().sum();
        let number = number as u64;
        if number == pair_count(things.len()) {
            return self.pairs(things.len(), words, build);
        }
        let is_wanted = self.wanted.last().is_some_and(|wanted| *wanted < self.count + number);
        if !is_wanted && self.sites.is_none() {
            self.count += number;
            return;
        }
        let equal = Equal::new(things, &differing);
        let pair = |index: u64| equal.pair(index);
        self.list(|first| {
            Site::List(Pairs { first, length: things.len(), equal: Some(equal.clone()) })
        });
        self.offer_pairs(number, pair, words, build);
    }

    /// Offers the pairs of a list, those that are wanted as one change.
    fn offer_pairs(
        &mut self,
        number: u64,
        pair: impl Fn(u64) -> (usize, usize),
        words: impl Fn(usize, usize) -> String,
        build: impl FnOnce(Vec<(usize, usize)>) -> T,
    ) {
        let mut pairs = Vec::new();
        while let Some(index) = self.wanted_below(number) {
            pairs.push(pair(index));
        }
        pairs.reverse();
        if let Some((i, j)) = pairs.first() {
            self.picked.push(Change::new(words(*i, *j), build(pairs)));
        }
        self.count += number;
    }

    /// The next of the next `number` places that is wanted, by its index among them.
    fn wanted_below(&mut self, number: u64) -> Option<u64> {
        let wanted = *self.wanted.last()?;
        let is_here = (self.count..self.count + number).contains(&wanted);
        is_here.then(|| self.wanted.pop()).flatten().map(|wanted| wanted - self.count)
    }

    fn list(&mut self, site: impl FnOnce(u64) -> Site) {
        if let Some(sites) = &mut self.sites {
            sites.push(site(self.count));
        }
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
            offers.distinct_pairs(&things, |_, _| String::new(), |pairs| pairs[0]);
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

    #[test]
    fn pairs_have_numbers_and_numbers_have_pairs() {
        for things in ["a", "ab", "abab", "aabbc", "abcde", "aaaa", "abbbba"] {
            let things: Vec<char> = things.chars().collect();
            let offer = |offers: &mut Offers<Vec<(usize, usize)>>| {
                offers.one(|| Change::new("", Vec::new()));
                offers.distinct_pairs(&things, |_, _| String::new(), |pairs| pairs);
            };
            let mut listing = Offers::listing();
            offer(&mut listing);
            let count = listing.count();
            let mut all = Offers::picking_all((1..count).rev().collect());
            offer(&mut all);
            let changes = all.into_all_picked().unwrap();
            let picked: Vec<_> = changes.into_iter().flat_map(|change| change.result).collect();
            let numbers = |pairs: &Pairs| -> Vec<u64> {
                picked.iter().map(|(i, j)| pairs.number(*i, *j).unwrap()).collect()
            };
            let descending: Vec<u64> = (1..count).rev().collect();
            match listing.into_sites().as_slice() {
                [_, Site::List(pairs)] => assert_eq!(numbers(pairs), descending, "{things:?}"),
                sites => assert_eq!((sites.len(), count), (1, 1), "{things:?}"),
            }
        }
    }
}
