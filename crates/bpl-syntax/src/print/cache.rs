//! Printing programs that share declarations, each declaration once.

use std::io;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{is_separated, print_decl};
use crate::ast::{Decl, Program};

/// The texts of declarations printed before.
///
/// A program that shares most declarations with one printed before, as a mutant does with its
/// seed, then costs little more than copying text. Declarations are told apart by their address,
/// so equal ones that are not shared are printed each.
///
/// The cache keeps the declarations alive, so that an address is never reused, and lets go of
/// those that nobody else holds once they pile up. It is meant to be owned by one thread; a
/// clone copies pointers only, so workers can each start from one that knows the seed.
#[derive(Clone, Debug, Default)]
pub struct PrintCache {
    entries: FxHashMap<usize, Entry>,
    /// The number of entries at which unused ones are thrown away next.
    trim_at: usize,
}

#[derive(Clone, Debug)]
struct Entry {
    decl: Arc<Decl>,
    text: Arc<str>,
    is_short: bool,
}

/// Below this many declarations, throwing away is not worth looking for what to throw away.
const MIN_TRIM: usize = 1024;

impl PrintCache {
    /// An empty cache.
    pub fn new() -> PrintCache {
        PrintCache::default()
    }

    /// The number of declarations whose text is known.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no text is known.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The text of a declaration as [`print_decl`] gives it, printed at the first request only.
    pub fn decl(&mut self, decl: &Arc<Decl>) -> Arc<str> {
        Arc::clone(&self.entry(decl).text)
    }

    fn entry(&mut self, decl: &Arc<Decl>) -> &Entry {
        if self.entries.len() >= self.trim_at.max(MIN_TRIM) {
            self.entries.retain(|_, entry| Arc::strong_count(&entry.decl) > 1);
            self.trim_at = 2 * self.entries.len();
        }
        self.entries.entry(Arc::as_ptr(decl).addr()).or_insert_with(|| {
            let text = print_decl(decl);
            let is_short = text.trim_end().lines().nth(1).is_none();
            Entry { decl: Arc::clone(decl), text: text.into(), is_short }
        })
    }

    /// Hands the pieces of a program's text to `write`, in order.
    fn pieces<E>(
        &mut self,
        program: &Program,
        mut write: impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut previous: Option<(&str, bool)> = None;
        for decl in &program.decls {
            let entry = self.entry(decl);
            let current = (decl.keyword(), entry.is_short);
            if previous.is_some_and(|previous| is_separated(previous, current)) {
                write("\n")?;
            }
            write(&entry.text)?;
            previous = Some(current);
        }
        Ok(())
    }
}

/// Prints a program as [`print`](super::print()) does, taking the text of declarations that it
/// shares with earlier programs from the cache.
pub fn print_with(program: &Program, cache: &mut PrintCache) -> String {
    let mut out = String::new();
    let Ok(()) = cache.pieces::<std::convert::Infallible>(program, |text| {
        out.push_str(text);
        Ok(())
    });
    out
}

/// Writes what [`print_with`] returns.
pub fn write_with(
    program: &Program,
    cache: &mut PrintCache,
    out: &mut impl io::Write,
) -> io::Result<()> {
    cache.pieces(program, |text| out.write_all(text.as_bytes()))
}
