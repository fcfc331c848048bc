//! The user's cache: where it is, and what is said if there is none.

use std::path::{Path, PathBuf};

use mugie_exec::{Cache, cache_folder};

use crate::messages::Style;
use crate::output;

/// The cache, unless there can be none or is to be none.
pub(crate) fn open(style: &Style, folder: Option<&Path>, no_cache: bool) -> Option<Cache> {
    if no_cache {
        return None;
    }
    let Some(folder) = folder.map(Path::to_owned).or_else(usual_folder) else {
        let words = "there is no cache, so that nothing is kept: HOME is not set; \
                     choose a folder with `--cache DIR`";
        output::talk(&style.warning(words));
        return None;
    };
    match Cache::open(&folder) {
        Ok(cache) => {
            if let Some(aside) = cache.damaged() {
                let words = format!(
                    "the cache was damaged: it is {} now, and a new one is started",
                    aside.display()
                );
                output::talk(&style.warning(&words));
            }
            Some(cache)
        }
        Err(error) => {
            let words = format!("there is no cache, so that nothing is kept: {error}");
            output::talk(&style.warning(&words));
            None
        }
    }
}

/// Says what went wrong with the cache during a command.
pub(crate) fn report(style: &Style, cache: Option<&Cache>) {
    if cache.is_some_and(Cache::was_replaced) {
        output::talk(&style.warning("the cache was damaged: a new one was started"));
    }
    if cache.is_some_and(Cache::is_failing) {
        let words = "some verdicts could not be kept in the cache: is the disk full?";
        output::talk(&style.warning(words));
    }
}

/// The cache folder of the user, if nobody else can say what is in it. Otherwise it is done without.
pub(crate) fn trusted_folder() -> Option<PathBuf> {
    cache_folder::trusted(&usual_folder()?).ok()
}

/// The same; says why if it is done without.
pub(crate) fn trusted_or_warned(style: &Style) -> Option<PathBuf> {
    cache_folder::trusted(&usual_folder()?)
        .inspect_err(|error| {
            output::talk(&style.warning(&format!("there is no cache: {error}")));
        })
        .ok()
}

/// The cache folder of the user.
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
