//! Checks whether the folder of a cache can be trusted.
//!
//! Its verdicts are believed and its images are run, so only the user may write to it. It also
//! contains programs of the user, so only the user may read it.

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use mugie_verifiers::claim::is_mine;

/// Prefix of the names of files of verdicts.
const VERDICTS: &str = "verdicts-";

/// Other folders in a cache: answers of solvers, and compiled programs for Mono.
const FOLDERS: [&str; 2] = ["answers", "images"];

/// Why the folder of a cache is not used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UntrustedFolder {
    /// It belongs to another user.
    #[error("{0} belongs to another user, who could make mugie run anything")]
    Foreign(PathBuf),
    /// Others may write to it.
    #[error(
        "others may write to {0}, and could make mugie run anything; remove it, or, if you are sure \
         of its content, take that right away: chmod -R go-w {0}"
    )]
    Writable(PathBuf),
}

/// The canonical path of a cache folder, if the folder belongs to the user and nobody else may
/// write to it or to what mugie keeps in it, or if it does not exist. Removes the right of others
/// to read it, or, if the folder also contains other things, to read what mugie keeps in it.
pub fn trusted(folder: &Path) -> Result<PathBuf, UntrustedFolder> {
    let Ok(folder) = fs::canonicalize(folder) else { return Ok(folder.to_owned()) };
    look_at(&folder)?;
    let entries = fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
    let names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    let (ours, others): (Vec<_>, Vec<_>) = names.iter().partition(|name| is_ours(name));
    let ours: Vec<PathBuf> = ours.into_iter().map(|name| folder.join(name)).collect();
    ours.iter().try_for_each(|path| look_at(path))?;
    if others.is_empty() {
        tighten(&folder);
    }
    for path in &ours {
        tighten(path);
    }
    Ok(folder)
}

fn is_ours(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(VERDICTS) || FOLDERS.contains(&name))
}

/// Checks the owner and the permissions of something in a cache. A missing file is fine.
fn look_at(path: &Path) -> Result<(), UntrustedFolder> {
    match fs::metadata(path) {
        Ok(found) if !is_trusted_user(&found) => Err(UntrustedFolder::Foreign(path.to_owned())),
        Ok(found) if system::is_writable_for_others(&found) => {
            Err(UntrustedFolder::Writable(path.to_owned()))
        }
        _ => Ok(()),
    }
}

fn is_trusted_user(found: &Metadata) -> bool {
    is_mine(found) || !cfg!(unix)
}

/// Removes all permissions of others. If that fails, the permissions stay as they are.
fn tighten(path: &Path) {
    // The target of a link is not ours.
    if let Ok(found) = fs::symlink_metadata(path)
        && !found.is_symlink()
    {
        system::tighten(path, &found);
    }
}

/// Creates a file that nobody else may read, unless it exists.
pub(crate) fn create_private_file(path: &Path) {
    system::create_private_file(path);
}

#[cfg(unix)]
mod system {
    use std::fs::{File, Permissions};
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};

    use super::{Metadata, Path, fs};

    pub(super) fn is_writable_for_others(found: &Metadata) -> bool {
        found.permissions().mode() & 0o022 != 0
    }

    pub(super) fn tighten(path: &Path, found: &Metadata) {
        let mode = found.permissions().mode();
        if mode & 0o077 != 0 {
            let _ = fs::set_permissions(path, Permissions::from_mode(mode & 0o700));
        }
    }

    pub(super) fn create_private_file(path: &Path) {
        // An error is reported when the file is opened.
        let _ = File::options().write(true).create_new(true).mode(0o600).open(path);
    }
}

#[cfg(not(unix))]
mod system {
    use super::{Metadata, Path};

    pub(super) fn is_writable_for_others(_: &Metadata) -> bool {
        false
    }

    pub(super) fn tighten(_: &Path, _: &Metadata) {}

    pub(super) fn create_private_file(_: &Path) {}
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;
    use crate::{Cache, CacheError};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_is_new_is_for_the_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("above/cache");
        drop(Cache::open(&cache).unwrap());
        assert_eq!(mode(&cache), 0o700);
        for entry in fs::read_dir(&cache).unwrap() {
            assert_eq!(mode(&entry.unwrap().path()), 0o600);
        }
    }

    #[test]
    fn what_others_could_read_they_cannot_read_any_more() {
        let folder = tempfile::tempdir().unwrap();
        let [cache, answers] = ["cache", "cache/answers"].map(|name| folder.path().join(name));
        drop(Cache::open(&cache).unwrap());
        fs::create_dir(&answers).unwrap();
        let file = cache.join("verdicts-2.sqlite");
        let loosen = || {
            set_mode(&cache, 0o755);
            set_mode(&answers, 0o755);
            set_mode(&file, 0o644);
        };
        loosen();
        drop(Cache::open(&cache).unwrap());
        assert_eq!([&cache, &answers, &file].map(|path| mode(path)), [0o700, 0o700, 0o600]);
        // A folder with foreign files in it is left alone.
        fs::write(cache.join("diary"), "").unwrap();
        loosen();
        drop(Cache::open(&cache).unwrap());
        assert_eq!([&cache, &answers, &file].map(|path| mode(path)), [0o755, 0o700, 0o600]);
    }

    #[test]
    fn what_others_may_write_to_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        drop(Cache::open(&cache).unwrap());
        let images = cache.join("images");
        fs::create_dir(&images).unwrap();
        for path in [&cache, &images] {
            for bad in [0o770, 0o702] {
                set_mode(path, bad);
                let refused = Cache::open(&cache).map(drop);
                assert!(
                    matches!(&refused, Err(CacheError::Untrusted(UntrustedFolder::Writable(it))) if it == path),
                    "{refused:?}"
                );
                assert_eq!(mode(path), bad);
            }
            set_mode(path, 0o700);
        }
        assert!(Cache::open(&cache).is_ok());
    }

    #[test]
    fn a_link_is_followed_and_what_it_leads_to_is_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let [link, cache] = ["link", "cache"].map(|name| folder.path().join(name));
        drop(Cache::open(&cache).unwrap());
        symlink(&cache, &link).unwrap();
        assert_eq!(Cache::open(&link).unwrap().folder(), fs::canonicalize(&cache).unwrap());
        set_mode(&cache, 0o777);
        assert!(Cache::open(&link).is_err());
    }

    #[test]
    fn the_cache_of_another_user_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        drop(Cache::open(&cache).unwrap());
        if std::os::unix::fs::chown(&cache, Some(65534), None).is_err() {
            eprintln!("SKIPPED: only root can give files away");
            return;
        }
        let refused = Cache::open(&cache).map(drop);
        assert!(
            matches!(refused, Err(CacheError::Untrusted(UntrustedFolder::Foreign(_)))),
            "{refused:?}"
        );
    }
}
