//! The addresses of seeds in the page. They are made of names, so that a link still leads to the same seed
//! when the campaign has grown.

use std::collections::BTreeSet;

use index_vec::IndexVec;
use mugie_results::data::{Data, SeedIx};

/// The longest address, in characters, before a number is added.
const LONGEST: usize = 80;

/// The addresses of all seeds.
#[derive(Debug)]
pub(super) struct Anchors(IndexVec<SeedIx, String>);

impl Anchors {
    /// Makes the addresses.
    pub(super) fn new(data: &Data) -> Anchors {
        let mut taken = BTreeSet::new();
        let addresses = data.seeds.iter().map(|seed| {
            let name = slug(&seed.name);
            let mut address = name.clone();
            let mut number = 2;
            while !taken.insert(address.clone()) {
                address = format!("{name}-{number}");
                number += 1;
            }
            address
        });
        Anchors(addresses.collect())
    }

    /// The section of a seed.
    pub(super) fn section(&self, seed: SeedIx) -> String {
        format!("seed-{}", self.0[seed])
    }

    /// The row of a seed in the table of all seeds.
    pub(super) fn row(&self, seed: SeedIx) -> String {
        format!("row-{}", self.0[seed])
    }

    /// A brittle seed among the others.
    pub(super) fn brittle(&self, seed: SeedIx) -> String {
        format!("brittle-{}", self.0[seed])
    }
}

/// A text as a part of an address: letters, digits and a few other characters, which no browser changes.
pub(super) fn slug(text: &str) -> String {
    let is_plain =
        |character: &char| character.is_ascii_alphanumeric() || "-_.".contains(*character);
    let characters = text.chars().take(LONGEST);
    characters.map(|character| if is_plain(&character) { character } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::testing;

    #[test]
    fn addresses_are_plain_and_differ() {
        let mut data = testing::small();
        data.seeds[0].name = "a/b c.bpl".to_owned();
        data.seeds[1].name = "a/b<c.bpl".to_owned();
        let anchors = Anchors::new(&data);
        assert_eq!(anchors.section(testing::seed(0)), "seed-a-b-c.bpl");
        assert_eq!(anchors.row(testing::seed(1)), "row-a-b-c.bpl-2");
    }
}
