//! Reads files that a user or a document names. They may be anything: a pipe that nobody writes to,
//! a device, a file that grows for ever.
//!
//! Only regular files are read, opening one never blocks, and at most slightly more is read than
//! the size of the file when it was opened. The exception are the streams that mugie was started
//! with: by their own names, such as `/dev/stdin`, they are read whatever they are. This module
//! must not know what the files are for.

use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Bytes by which a file may grow while it is read. Some file systems do not report exact sizes.
const SLACK: u64 = 1 << 20;

/// Suffixes of the files that `SQLite` keeps beside a database.
const BESIDE_DATABASE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Why an existing file is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// It is not a regular file but this.
    NotRegular(&'static str),
    /// It grows while it is read.
    Grows,
    /// It is larger than this number of bytes.
    TooLarge(u64),
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::NotRegular(kind) => write!(f, "this is {kind}, not a regular file"),
            Unfit::Grows => f.write_str("the file grows while it is read"),
            Unfit::TooLarge(limit) => write!(f, "the file is larger than {} MiB", limit >> 20),
        }
    }
}

impl std::error::Error for Unfit {}

impl From<Unfit> for io::Error {
    fn from(unfit: Unfit) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidInput, unfit)
    }
}

impl Unfit {
    /// The reason in an I/O error, if it has one.
    pub fn of(error: &io::Error) -> Option<Unfit> {
        error.get_ref()?.downcast_ref().copied()
    }
}

/// An open file. Reading fails if the file has grown much since it was opened.
#[derive(Debug)]
pub struct Input {
    file: File,
    /// The size when it was opened, which is only a hint.
    pub size: u64,
    /// Bytes that may still be read; `None` for a stream, which is not limited.
    left: Option<u64>,
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(buffer)?;
        if let Some(left) = &mut self.left {
            *left = left.checked_sub(length as u64).ok_or(Unfit::Grows)?;
        }
        Ok(length)
    }
}

/// Opens a regular file, or a stream that mugie was started with.
pub fn open(path: &Path) -> io::Result<Input> {
    if is_stream(path) {
        return Ok(Input { file: File::open(path)?, size: 0, left: None });
    }
    // Checked before, because opening a device can have effects, and after, because it may be
    // another file by then.
    check(&fs::metadata(path)?)?;
    let mut options = OpenOptions::new();
    options.read(true);
    set_patience(&mut options);
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    check(&metadata)?;
    let size = metadata.len();
    Ok(Input { file, size, left: Some(size.saturating_add(SLACK)) })
}

/// The content of a file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let input = open(path)?;
    let too_large = || io::Error::from(Unfit::TooLarge(limit));
    if input.size > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(input.size).unwrap_or_default());
    input.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

/// The text of a file of at most `limit` bytes.
pub fn read_to_string(path: &Path, limit: u64) -> io::Result<String> {
    let text = String::from_utf8(read(path, limit)?);
    text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not UTF-8"))
}

/// Checks that a path is a regular file or does not exist.
pub fn check_place(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        found => check(&found?),
    }
}

/// Checks the path of a database and of the files beside it, as [`check_place`] does. Returns the
/// path that is in the way.
pub fn check_database(file: &Path) -> Result<(), (PathBuf, io::Error)> {
    let beside = BESIDE_DATABASE.iter().map(|suffix| {
        let mut name = file.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    });
    for path in [file.to_owned()].into_iter().chain(beside) {
        check_place(&path).map_err(|error| (path, error))?;
    }
    Ok(())
}

/// Whether a path names a stream that mugie was started with: standard input, or what a shell makes
/// of `<(command)`.
pub fn is_stream(path: &Path) -> bool {
    let Some(path) = path.to_str() else { return false };
    let number = ["/dev/fd/", "/proc/self/fd/"].iter().find_map(|it| path.strip_prefix(it));
    path == "/dev/stdin"
        || number.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
}

fn check(file: &Metadata) -> io::Result<()> {
    if file.is_file() {
        Ok(())
    } else if file.is_dir() {
        Err(io::ErrorKind::IsADirectory.into())
    } else {
        Err(Unfit::NotRegular(kind(file)).into())
    }
}

#[cfg(unix)]
fn kind(file: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = file.file_type();
    if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn kind(_: &Metadata) -> &'static str {
    "something else"
}

/// Keeps `open` from blocking: opening a pipe would wait for a process at its other end.
#[cfg(unix)]
fn set_patience(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.custom_flags(nix::libc::O_NONBLOCK | nix::libc::O_NOCTTY);
}

#[cfg(not(unix))]
fn set_patience(_: &mut OpenOptions) {}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    use super::*;

    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        assert!(Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
        let _listener = UnixListener::bind(path("socket")).unwrap();
        std::os::unix::fs::symlink("pipe", path("link")).unwrap();
        let found = |path: &Path| Unfit::of(&read(path, 10).unwrap_err());
        assert_eq!(found(&path("pipe")), Some(Unfit::NotRegular("a named pipe")));
        assert_eq!(found(&path("link")), Some(Unfit::NotRegular("a named pipe")));
        assert_eq!(found(&path("socket")), Some(Unfit::NotRegular("a socket")));
        assert_eq!(found(Path::new("/dev/zero")), Some(Unfit::NotRegular("a device")));
        assert!(check_place(&path("pipe")).is_err() && check_place(&path("none")).is_ok());
        assert_eq!(read(folder.path(), 10).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        fs::write(path("file"), "0123456789").unwrap();
        assert_eq!(read(&path("file"), 10).unwrap(), b"0123456789");
        assert_eq!(found(&path("file").join(".")), None);
        assert_eq!(Unfit::of(&read(&path("file"), 9).unwrap_err()), Some(Unfit::TooLarge(9)));
    }

    #[test]
    fn what_is_beside_a_database_is_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store.sqlite");
        assert!(check_database(&file).is_ok());
        let journal = folder.path().join("store.sqlite-journal");
        assert!(Command::new("mkfifo").arg(&journal).status().unwrap().success());
        assert_eq!(check_database(&file).unwrap_err().0, journal);
    }

    #[test]
    fn a_file_that_grows_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "start").unwrap();
        let mut input = open(&path).unwrap();
        let mut writer = OpenOptions::new().append(true).open(&path).unwrap();
        let chunk = vec![b'x'; 64 << 10];
        let mut buffer = vec![0; 128 << 10];
        // The file never ends: it has grown each time it is read.
        let end = (0..1000).find_map(|_| {
            writer.write_all(&chunk).unwrap();
            input.read(&mut buffer).err()
        });
        assert_eq!(end.as_ref().and_then(Unfit::of), Some(Unfit::Grows));
    }

    #[test]
    fn streams_have_names() {
        for (path, is) in [
            ("/dev/stdin", true),
            ("/dev/fd/63", true),
            ("/proc/self/fd/0", true),
            ("/dev/fd/", false),
            ("/dev/fd/../sda", false),
            ("/dev/zero", false),
            ("stdin", false),
        ] {
            assert_eq!(is_stream(Path::new(path)), is, "{path}");
        }
    }
}
