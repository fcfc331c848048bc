//! Prints programs that share declarations, each declaration only once.

use std::io;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{is_separated, print_decl};
use crate::ast::{Decl, Program};

/// The texts of declarations that were printed before.
///
/// A program that shares most declarations with an earlier one, as a mutant does with its seed,
/// then costs little more than copying text. Declarations are identified by address, so equal
/// declarations that are not shared are printed separately.
///
/// The cache keeps the declarations alive, so that an address is never reused. When it grows, it
/// drops the declarations that nothing else refers to. It should be owned by one thread; a clone
/// copies only pointers, so each worker can start from one that contains the seed.
#[derive(Clone, Debug, Default)]
pub struct PrintCache {
    entries: FxHashMap<usize, Entry>,
    /// The number of entries at which unused ones are dropped next.
    trim_at: usize,
}

#[derive(Clone, Debug)]
struct Entry {
    decl: Arc<Decl>,
    text: Arc<str>,
    is_short: bool,
}

/// The number of declarations below which searching for unused ones is not worth the time. Raising
/// it takes more memory and saves time.
const MIN_TRIM: usize = 1024;

impl PrintCache {
    /// Creates an empty cache.
    pub fn new() -> PrintCache {
        PrintCache::default()
    }

    /// The number of declarations in the cache.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the cache is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The text of a declaration as returned by [`print_decl`], printed on the first request only.
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

    /// Passes the pieces of a program's text to `write`, in order.
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

/// Prints a program as [`print`](super::print()) does, taking the text of declarations shared with
/// earlier programs from the cache.
pub fn print_with(program: &Program, cache: &mut PrintCache) -> String {
    let mut out = String::new();
    let Ok(()) = cache.pieces::<std::convert::Infallible>(program, |text| {
        out.push_str(text);
        Ok(())
    });
    out
}

/// Writes the text that [`print_with`] returns.
pub fn write_with(
    program: &Program,
    cache: &mut PrintCache,
    out: &mut impl io::Write,
) -> io::Result<()> {
    cache.pieces(program, |text| out.write_all(text.as_bytes()))
}
