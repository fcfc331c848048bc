//! Places in source text.

use std::fmt;

/// A byte range in the source, or in a [`SourceMap`](crate::source::SourceMap) of several files.
///
/// Equal to every other span, so that derived equality and hashing on trees mean "same program
/// up to layout": what round-trip tests and deduplication need. Tests that care about places
/// compare `start` and `end`.
#[derive(Clone, Copy, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range from `start` to before `end`.
    pub fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// From the start of this one to the end of `last`.
    #[must_use]
    pub fn to(self, last: Span) -> Span {
        Span { start: self.start, end: last.end }
    }
}

impl fmt::Debug for Span {
    /// As a range: trees are full of spans.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Span) -> bool {
        true
    }
}

impl Eq for Span {}

impl std::hash::Hash for Span {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}
