//! Stack space for recursion on deep trees: generated programs nest thousands of levels.

/// Runs one level of a recursion, on a new stack segment if the current one is nearly used up.
#[inline]
pub(crate) fn deep<R>(level: impl FnOnce() -> R) -> R {
    const RED_ZONE: usize = 64 * 1024;
    const PIECE: usize = 4 * 1024 * 1024;
    stacker::maybe_grow(RED_ZONE, PIECE, level)
}
