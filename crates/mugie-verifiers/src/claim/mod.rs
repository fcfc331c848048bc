//! Files and folders that must not outlive the process that made them: drafts of files that are to
//! appear whole, and folders of runs.
//!
//! The process that makes one locks it, and the system releases the lock when the process ends,
//! however it ends. So anything that has one of our [names](ClaimKind), belongs to this user and is
//! not locked is abandoned: [`sweep`] removes it, and kills what is left of runs in it. Process ids
//! are not trusted, because they are reused.
//!
//! Between the creation and the lock there is a moment in which another process may sweep the
//! thing. Therefore the process that has the lock checks that the thing still exists, and otherwise
//! takes another name; and a sweeper holds the lock until the thing is gone.
//!
//! This module must not know what the things are for.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

#[cfg(target_os = "linux")]
mod processes;

/// Number of random letters and digits in a name.
const DRAWN: usize = 12;

/// Number of attempts to remove something that other processes still write to.
const ATTEMPTS: u32 = 20;

/// Pause between two attempts.
const PAUSE: Duration = Duration::from_millis(10);

/// The form of the names of one kind of file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClaimKind {
    prefix: &'static str,
    suffix: &'static str,
    /// Minimum number of letters and digits between prefix and suffix: earlier releases used fewer.
    least: usize,
}

/// The folder for the files of runs.
pub const RUN: ClaimKind = ClaimKind { prefix: "mugie-run-", suffix: "", least: DRAWN };

/// A file or folder that is renamed when it is complete.
pub const DRAFT: ClaimKind = ClaimKind { prefix: ".mugie-", suffix: ".tmp", least: 6 };

/// A folder in which images are made.
pub const IMAGES: ClaimKind = ClaimKind { prefix: "drafts-", suffix: "", least: 1 };

impl ClaimKind {
    /// Whether a name has this form.
    fn has(&self, name: &OsStr) -> bool {
        let drawn = name
            .to_str()
            .and_then(|name| name.strip_prefix(self.prefix))
            .and_then(|name| name.strip_suffix(self.suffix));
        drawn.is_some_and(|drawn| {
            drawn.len() >= self.least && drawn.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    }
}

/// A file or folder that is removed when dropped, unless it was renamed to its final name.
#[derive(Debug)]
struct Leftover {
    path: PathBuf,
    is_placed: bool,
}

impl Leftover {
    /// Renames it to its final name.
    fn place(&mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.is_placed = true;
        Ok(())
    }
}

impl Drop for Leftover {
    fn drop(&mut self) {
        if !self.is_placed {
            // Whatever cannot be removed now is swept after the end of this process.
            let _ = remove(&self.path);
        }
    }
}

/// A folder of this process. Dropping it removes it with everything in it, unless it is placed.
#[derive(Debug)]
pub struct Folder {
    // Declared before the lock, so that it is removed before the lock is released.
    leftover: Leftover,
    _lock: Option<File>,
}

impl Folder {
    /// Creates one in `parent`, with this mode as far as the user's umask allows.
    pub fn new_in(parent: &Path, kind: ClaimKind, mode: u32) -> io::Result<Folder> {
        let (lock, leftover) = make(parent, kind, |path| {
            system::create_folder(path, mode)?;
            system::open_folder(path).inspect_err(|_| drop(fs::remove_dir(path))).map_err(|error| {
                match error.kind() {
                    // A sweeper was faster.
                    io::ErrorKind::NotFound => io::ErrorKind::AlreadyExists.into(),
                    _ => error,
                }
            })
        })?;
        Ok(Folder { leftover, _lock: lock })
    }

    /// Makes a folder for the files of runs in the directory of temporary files, which only this
    /// user can read. Removes the folders of processes that are gone.
    pub fn for_runs() -> io::Result<Folder> {
        let parent = env::temp_dir();
        sweep_once(&parent, RUN);
        Folder::new_in(&parent, RUN, 0o700)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.leftover.path
    }

    /// Renames it to its final name.
    pub fn place(mut self, target: &Path) -> io::Result<()> {
        self.leftover.place(target)
    }

    /// Puts it in place of another folder, which is removed.
    pub fn replace(mut self, target: &Path) -> io::Result<()> {
        if system::exchange(&self.leftover.path, target).is_ok() {
            // The old folder has the name of the draft now, and is removed.
            return Ok(());
        }
        // The file system does not support an exchange.
        self.replace_in_steps(target)
    }

    /// Replaces the target with two renames, between which neither folder is in place. The old
    /// folder is removed only when the new one is in its place.
    fn replace_in_steps(&mut self, target: &Path) -> io::Result<()> {
        let mut name = self.leftover.path.file_stem().unwrap_or_default().to_owned();
        name.push("old");
        name.push(DRAFT.suffix);
        let old = self.leftover.path.with_file_name(name);
        // Locked, so that no sweeper removes it in the meantime.
        let _lock = system::open_folder(target).ok().flatten().filter(|old| old.try_lock().is_ok());
        fs::rename(target, &old)?;
        self.leftover.place(target).inspect_err(|_| drop(fs::rename(&old, target)))?;
        remove(&old)
    }
}

/// A file of this process. Dropping it removes it, unless it is placed.
#[derive(Debug)]
pub struct Draft {
    // Declared before the lock, so that it is removed before the lock is released.
    leftover: Leftover,
    file: File,
}

impl Draft {
    /// Creates one in `parent`, with this mode as far as the user's umask allows.
    pub fn new_in(parent: &Path, kind: ClaimKind, mode: u32) -> io::Result<Draft> {
        let (file, leftover) =
            make(parent, kind, |path| system::create_file(path, mode).map(Some))?;
        let file = file.ok_or(io::ErrorKind::Unsupported)?;
        Ok(Draft { leftover, file })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.leftover.path
    }

    /// The file itself.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Renames it to its final name. A file of that name is replaced.
    pub fn place(mut self, target: &Path) -> io::Result<()> {
        self.leftover.place(target)
    }
}

/// Creates something under an unused name, and locks it.
fn make(
    parent: &Path,
    kind: ClaimKind,
    create: impl Fn(&Path) -> io::Result<Option<File>>,
) -> io::Result<(Option<File>, Leftover)> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(kind.prefix).suffix(kind.suffix).rand_bytes(DRAWN).disable_cleanup(true);
    let made = builder.make_in(parent, |path| match create(path)? {
        Some(file) => lock(file, path).map(Some),
        None => Ok(None),
    })?;
    let (file, path) = made.into_parts();
    Ok((file, Leftover { path: path.to_path_buf(), is_placed: false }))
}

/// Locks something that was just created. If a sweeper was faster, reports the name as taken, so
/// that another one is tried.
fn lock(file: File, path: &Path) -> io::Result<File> {
    match file.try_lock() {
        Ok(()) if system::is_at(&file, path) => Ok(file),
        Ok(()) | Err(TryLockError::WouldBlock) => Err(io::ErrorKind::AlreadyExists.into()),
        // The file system has no locks, so no sweeper gets one either.
        Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// Removes everything abandoned: all things of a kind in a folder that belong to this user and are
/// not locked. Kills what is left of runs in them.
pub fn sweep(parent: &Path, kind: ClaimKind) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    let names = entries.filter_map(Result::ok).map(|entry| entry.file_name());
    let paths = names.filter(|name| kind.has(name)).map(|name| parent.join(name));
    let taken: Vec<(PathBuf, File)> =
        paths.filter_map(|path| take(&path).map(|lock| (path, lock))).collect();
    if taken.is_empty() {
        return;
    }
    #[cfg(target_os = "linux")]
    processes::end_runs(&taken.iter().filter_map(|(path, _)| path.file_name()).collect());
    for (path, lock) in taken {
        // If this fails, the next sweep tries again.
        let _ = remove(&path);
        drop(lock);
    }
}

/// Calls [`sweep`], unless this process has done so before.
pub fn sweep_once(parent: &Path, kind: ClaimKind) {
    static SWEPT: Mutex<BTreeSet<(PathBuf, ClaimKind)>> = Mutex::new(BTreeSet::new());
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if swept.insert((parent.to_owned(), kind)) {
        sweep(parent, kind);
    }
}

/// Creates a folder that other users cannot read, and its missing parents.
pub fn create_private(folder: &Path) -> io::Result<()> {
    system::create_folders(folder, 0o700)
}

/// Whether something belongs to the user of this process.
pub fn is_mine(found: &Metadata) -> bool {
    system::is_mine(found)
}

/// Locks something abandoned. `None` if it is not abandoned.
fn take(path: &Path) -> Option<File> {
    let found = fs::symlink_metadata(path).ok()?;
    if !(found.is_file() || found.is_dir()) || !system::is_mine(&found) {
        return None;
    }
    let file = system::open_as_it_is(path).ok()?;
    // Without locks, it may be in use.
    file.try_lock().ok()?;
    system::is_at(&file, path).then_some(file)
}

/// Removes a file, or a folder with everything in it. Links are removed, not followed.
fn remove(path: &Path) -> io::Result<()> {
    let mut attempt = 0;
    loop {
        attempt += 1;
        let removed = match fs::symlink_metadata(path) {
            Ok(found) if found.is_dir() => fs::remove_dir_all(path),
            Ok(_) => fs::remove_file(path),
            Err(error) => Err(error),
        };
        match removed {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(_) if attempt < ATTEMPTS => {
                open_up(path);
                thread::sleep(PAUSE);
            }
            removed => return removed,
        }
    }
}

/// Changes the permissions of a folder and its subfolders so that their content can be removed.
fn open_up(path: &Path) {
    if !fs::symlink_metadata(path).is_ok_and(|found| found.is_dir() && system::is_mine(&found)) {
        return;
    }
    system::allow_all(path);
    let Ok(entries) = fs::read_dir(path) else { return };
    entries.filter_map(Result::ok).for_each(|entry| open_up(&entry.path()));
}

/// The parts that depend on the operating system.
#[cfg(unix)]
mod system {
    use std::fs::{DirBuilder, Permissions};
    use std::os::unix::fs::{
        DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
    };

    use nix::fcntl::OFlag;
    use nix::unistd::geteuid;

    use super::{File, Metadata, Path, fs, io};

    pub(super) fn create_folder(path: &Path, mode: u32) -> io::Result<()> {
        DirBuilder::new().mode(mode).create(path)
    }

    pub(super) fn create_folders(path: &Path, mode: u32) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(mode).create(path)
    }

    pub(super) fn create_file(path: &Path, mode: u32) -> io::Result<File> {
        File::options().read(true).write(true).create_new(true).mode(mode).open(path)
    }

    pub(super) fn open_folder(path: &Path) -> io::Result<Option<File>> {
        let flags = OFlag::O_NOFOLLOW | OFlag::O_DIRECTORY;
        File::options().read(true).custom_flags(flags.bits()).open(path).map(Some)
    }

    /// Opens a file or folder without following links or blocking.
    pub(super) fn open_as_it_is(path: &Path) -> io::Result<File> {
        let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
        File::options().read(true).custom_flags(flags.bits()).open(path)
    }

    /// Whether a path leads to this file.
    pub(super) fn is_at(file: &File, path: &Path) -> bool {
        let place = |found: Metadata| (found.dev(), found.ino());
        match (file.metadata(), fs::symlink_metadata(path)) {
            (Ok(open), Ok(found)) => place(open) == place(found),
            _ => false,
        }
    }

    pub(super) fn is_mine(found: &Metadata) -> bool {
        found.uid() == geteuid().as_raw()
    }

    pub(super) fn allow_all(folder: &Path) {
        let _ = fs::set_permissions(folder, Permissions::from_mode(0o700));
    }

    /// Atomically exchanges the names of two folders.
    #[cfg(target_os = "linux")]
    pub(super) fn exchange(one: &Path, other: &Path) -> io::Result<()> {
        use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
        renameat2(AT_FDCWD, one, AT_FDCWD, other, RenameFlags::RENAME_EXCHANGE)
            .map_err(io::Error::from)
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn exchange(_: &Path, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// On other systems the owner is unknown, so nothing is swept.
#[cfg(not(unix))]
mod system {
    use super::{File, Metadata, Path, fs, io};

    pub(super) fn create_folder(path: &Path, _: u32) -> io::Result<()> {
        fs::create_dir(path)
    }

    pub(super) fn create_folders(path: &Path, _: u32) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    pub(super) fn create_file(path: &Path, _: u32) -> io::Result<File> {
        File::options().read(true).write(true).create_new(true).open(path)
    }

    pub(super) fn open_folder(_: &Path) -> io::Result<Option<File>> {
        Ok(None)
    }

    pub(super) fn open_as_it_is(path: &Path) -> io::Result<File> {
        File::open(path)
    }

    pub(super) fn is_at(_: &File, path: &Path) -> bool {
        path.exists()
    }

    pub(super) fn is_mine(_: &Metadata) -> bool {
        false
    }

    pub(super) fn allow_all(_: &Path) {}

    pub(super) fn exchange(_: &Path, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
