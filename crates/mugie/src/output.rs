//! Output: standard output for data, standard error for messages, files written completely or not
//! at all.

use std::fs;
use std::io::{self, IsTerminal as _, Write};
use std::path::Path;

use mugie_experiment::sources::Unreadable;
use mugie_verifiers::ResolveError;
use mugie_verifiers::claim::{self, Draft};

use crate::interrupt;
use crate::messages::{Trouble, shown};

/// Why a command had to stop.
#[derive(Debug)]
pub(crate) enum Broken {
    /// The reader of standard output has gone.
    Pipe,
    /// A problem to report to the user.
    Trouble(Trouble),
}

impl From<Trouble> for Broken {
    fn from(trouble: Trouble) -> Broken {
        Broken::Trouble(trouble)
    }
}

impl From<Unreadable> for Broken {
    fn from(unreadable: Unreadable) -> Broken {
        Broken::Trouble(unreadable.into())
    }
}

impl From<ResolveError> for Broken {
    fn from(error: ResolveError) -> Broken {
        Broken::Trouble(error.into())
    }
}

/// Writes data to standard output and flushes it.
pub(crate) fn data(text: &str) -> Result<(), Broken> {
    bytes(text.as_bytes())
}

fn bytes(bytes: &[u8]) -> Result<(), Broken> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
    written.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Broken::Pipe,
        _ => Trouble::new(format!("cannot write to standard output: {error}")).into(),
    })
}

/// Writes the name of a file to standard output: unchanged for a program, with control characters
/// escaped for a terminal.
pub(crate) fn path(path: &Path) -> Result<(), Broken> {
    let name = if io::stdout().is_terminal() {
        shown(path).into_bytes()
    } else {
        path.as_os_str().as_encoded_bytes().to_vec()
    };
    bytes(&[&name, b"\n".as_slice()].concat())
}

/// Writes to standard error. Failures are ignored.
pub(crate) fn talk(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Writes a file completely or leaves it unchanged, even if mugie is interrupted. Follows a
/// symbolic link; writes directly to a device or pipe.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), Trouble> {
    let trouble = |error: io::Error| {
        let trouble = Trouble::new(format!("{}: cannot write the file: {error}", path.display()));
        match error.kind() {
            io::ErrorKind::NotFound => trouble.help("create the directory first"),
            io::ErrorKind::PermissionDenied => trouble.help("choose a place that you may write to"),
            io::ErrorKind::Interrupted => trouble.help("the file is as it was before"),
            _ => trouble,
        }
    };
    match fs::metadata(path) {
        Ok(old) if old.is_dir() => Err(trouble(io::ErrorKind::IsADirectory.into())),
        Ok(old) if !old.is_file() => fs::write(path, text).map_err(trouble),
        Ok(old) => {
            let path = fs::canonicalize(path).map_err(trouble)?;
            replace_file(&path, text, Some(old.permissions())).map_err(trouble)
        }
        Err(_) => replace_file(path, text, None).map_err(trouble),
    }
}

fn replace_file(path: &Path, text: &str, mode: Option<fs::Permissions>) -> io::Result<()> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    claim::sweep_once(directory, claim::DRAFT);
    let mut draft = interrupt::at_rest(|rest| {
        let draft = Draft::new_in(directory, claim::DRAFT, 0o666)?;
        rest.remove_at_end(draft.path());
        Ok(draft)
    })?;
    let file = draft.file();
    file.write_all(text.as_bytes())?;
    if let Some(mode) = mode {
        file.set_permissions(mode)?;
    }
    file.sync_all()?;
    interrupt::at_rest(|rest| {
        if rest.is_cut_off {
            return Err(io::ErrorKind::Interrupted.into());
        }
        rest.keep(draft.path());
        draft.place(path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_beside_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.bpl");
        fs::write(&path, "old").unwrap();
        replace(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    #[cfg(unix)]
    fn a_link_is_followed_and_permissions_are_kept() {
        use std::os::unix::fs::PermissionsExt as _;
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("a.bpl"), directory.path().join("b.bpl"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        replace(&link, "new").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn a_directory_is_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        assert!(replace(directory.path(), "new").is_err());
    }
}
