//! The decisions of the generator, read from a byte string.

/// A byte string as a source of decisions.
///
/// When the bytes run out, every decision is 0, which is always the decision for the simplest
/// alternative. So shorter strings and smaller bytes make smaller programs, and a property test can
/// shrink a program by shrinking bytes.
#[derive(Clone, Debug)]
pub struct Choices<'a> {
    bytes: &'a [u8],
}

impl<'a> Choices<'a> {
    /// Creates the decisions given by these bytes.
    pub fn new(bytes: &'a [u8]) -> Choices<'a> {
        Choices { bytes }
    }

    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        first
    }

    /// A number less than `count`, or 0 if `count` is 0. Nothing is read if there is only one
    /// choice.
    pub fn below(&mut self, count: usize) -> usize {
        match count {
            0 | 1 => 0,
            2..=256 => usize::from(self.byte()) % count,
            _ => (usize::from(self.byte()) << 8 | usize::from(self.byte())) % count,
        }
    }

    /// A number from `least` to `most`, inclusive.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most + 1 - least)
    }

    /// `true` in about `percent` of a hundred cases.
    pub fn chance(&mut self, percent: u16) -> bool {
        u16::from(self.byte()) * 100 >= 256 * (100 - percent)
    }

    /// One of the items, if there are any.
    pub fn pick<'i, T>(&mut self, items: &'i [T]) -> Option<&'i T> {
        items.get(self.below(items.len()))
    }

    /// One of several words.
    pub fn word(&mut self, words: &[&'static str]) -> &'static str {
        self.pick(words).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exhausted_choices_are_the_simplest() {
        let mut choices = Choices::new(&[7]);
        assert_eq!(choices.below(1), 0);
        assert_eq!(choices.below(5), 2);
        assert_eq!(choices.between(3, 9), 3);
        assert!(!choices.chance(99));
        assert_eq!(choices.word(&["a", "b"]), "a");
        assert_eq!(choices.pick::<u8>(&[]), None);
    }

    #[test]
    fn chances_are_as_given() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut choices = Choices::new(&bytes);
        let count = (0..256).filter(|_| choices.chance(25)).count();
        assert_eq!(count, 64);
    }
}
