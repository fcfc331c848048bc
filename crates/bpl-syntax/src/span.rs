//! Locations in source text.

use std::fmt;

/// A byte range in the source, or in a [`SourceMap`](crate::source::SourceMap) of several files.
///
/// A span is equal to every other span, so derived equality and hashing on trees mean "same program
/// up to layout", which is what round-trip tests and deduplication need. Tests of locations compare
/// `start` and `end`.
#[derive(Clone, Copy, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Creates the range from `start` up to, but excluding, `end`.
    pub fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The span from the start of this one to the end of `last`.
    #[must_use]
    pub fn to(self, last: Span) -> Span {
        Span { start: self.start, end: last.end }
    }
}

impl fmt::Debug for Span {
    /// Formats the span as a range, which is short: trees contain many spans.
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
