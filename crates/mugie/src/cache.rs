//! The user's cache: its location, and warnings if it cannot be used.

use std::path::{Path, PathBuf};

use mugie_exec::{Cache, cache_folder};

use crate::messages::Style;
use crate::output;

/// Opens the cache. `None`, with a warning, if it cannot be opened; `None` if `no_cache` is set.
pub(crate) fn open(style: &Style, folder: Option<&Path>, no_cache: bool) -> Option<Cache> {
    if no_cache {
        return None;
    }
    let Some(folder) = folder.map(Path::to_owned).or_else(usual_folder) else {
        let words = "verdicts are not cached, because HOME is not set; \
                     choose a folder with `--cache DIR`";
        output::talk(&style.warning(words));
        return None;
    };
    match Cache::open(&folder) {
        Ok(cache) => {
            if let Some(aside) = cache.damaged() {
                let words = format!(
                    "the cache was damaged; it was moved to {}, and a new one is started",
                    aside.display()
                );
                output::talk(&style.warning(&words));
            }
            Some(cache)
        }
        Err(error) => {
            let words = format!("verdicts are not cached: {error}");
            output::talk(&style.warning(&words));
            None
        }
    }
}

/// Warns about problems with the cache during a command.
pub(crate) fn report(style: &Style, cache: Option<&Cache>) {
    if cache.is_some_and(Cache::was_replaced) {
        output::talk(&style.warning("the cache was damaged; a new one was started"));
    }
    if cache.is_some_and(Cache::is_failing) {
        let words = "some verdicts could not be cached: is the disk full?";
        output::talk(&style.warning(words));
    }
}

/// The user's cache folder, if nobody else can write to it.
pub(crate) fn trusted_folder() -> Option<PathBuf> {
    cache_folder::trusted(&usual_folder()?).ok()
}

/// The user's cache folder, if nobody else can write to it; warns otherwise.
pub(crate) fn trusted_or_warned(style: &Style) -> Option<PathBuf> {
    cache_folder::trusted(&usual_folder()?)
        .inspect_err(|error| {
            output::talk(&style.warning(&format!("the cache is not used: {error}")));
        })
        .ok()
}

/// The default cache folder.
pub(crate) fn usual_folder() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(folder) = variable("MUGIE_CACHE") {
        return Some(folder.into());
    }
    let base = variable("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(PathBuf::from(variable("HOME")?).join(".cache")))?;
    Some(base.join("mugie"))
}
