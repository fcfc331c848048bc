//! Random choices that depend on nothing but their numbers, so that the choice at one place does not
//! depend on the others.

/// A stream of random numbers: `SplitMix64`.
#[derive(Clone, Debug)]
pub(crate) struct Stream(u64);

impl Stream {
    /// The stream of a place.
    pub(crate) fn of(random: u64, place: u64) -> Stream {
        let mut stream = Stream(random ^ place.wrapping_mul(0xd6e8_feb8_6659_fd93));
        // Streams with close numbers must not be alike.
        stream.next();
        stream
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below the bound, which must not be 0. Bounds are far below 2^32, so no number is
    /// noticeably preferred.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bound = bound.max(1) as u64;
        usize::try_from((u128::from(self.next()) * u128::from(bound)) >> 64).unwrap_or_default()
    }

    /// A random order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_orders_of_three_occur() {
        let mut seen = std::collections::BTreeSet::new();
        for place in 0..100 {
            let mut items = [0, 1, 2];
            Stream::of(7, place).shuffle(&mut items);
            seen.insert(items);
        }
        assert_eq!(seen.len(), 6);
    }
}
