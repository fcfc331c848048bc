//! Folders that appear complete or not at all.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use mugie_verifiers::claim;

use crate::interrupt;
use crate::messages::Trouble;

/// A folder under construction. It gets its name when it is complete.
pub(crate) struct Folder {
    target: PathBuf,
    /// The file that identifies such a folder. It is written last.
    marker: &'static str,
    draft: claim::Folder,
}

impl Folder {
    /// Checks whether a folder can be created at a path. An existing one is replaced only with
    /// `force`, and only if it has the marker and so was written by mugie.
    pub(crate) fn check(target: &Path, marker: &'static str, force: bool) -> Result<(), Trouble> {
        let shown = target.display();
        if !target.exists() {
            return Ok(());
        }
        let entries = fs::read_dir(target).map_err(|_| {
            Trouble::new(format!("{shown} is not a directory"))
                .help("choose another one with `--out DIR`")
        })?;
        let is_empty = entries.count() == 0;
        if !is_empty && !target.join(marker).exists() {
            return Err(Trouble::new(format!("{shown} has other files in it and no `{marker}`"))
                .help("choose another directory with `--out DIR`"));
        }
        if !is_empty && !force {
            return Err(Trouble::new(format!("{shown} already exists"))
                .help("replace it with `--force`, or choose another with `--out DIR`"));
        }
        Ok(())
    }

    /// Starts a folder, if its path passes the [check](Folder::check).
    pub(crate) fn start(
        target: &Path,
        marker: &'static str,
        force: bool,
    ) -> Result<Folder, Trouble> {
        let parent = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        claim::sweep_once(parent, claim::DRAFT);
        Folder::check(target, marker, force)?;
        fs::create_dir_all(parent).map_err(|error| cannot_write(parent, &error))?;
        let draft = interrupt::at_rest(|rest| {
            let draft = claim::Folder::new_in(parent, claim::DRAFT, 0o777)?;
            rest.remove_at_end(draft.path());
            Ok(draft)
        })
        .map_err(|error| cannot_write(target, &error))?;
        Ok(Folder { target: target.to_owned(), marker, draft })
    }

    /// The temporary path of the folder, until it is complete.
    pub(crate) fn path(&self) -> &Path {
        self.draft.path()
    }

    /// Writes a file; its name may contain a subfolder.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<(), Trouble> {
        let path = self.draft.path().join(name);
        let trouble = |error: io::Error| cannot_write(&self.target.join(name), &error);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(trouble)?;
        }
        fs::write(&path, text).map_err(trouble)
    }

    /// Writes the marker with this text, and moves the folder to its final path.
    pub(crate) fn finish(self, text: &str) -> Result<(), Trouble> {
        let trouble = |error: io::Error| cannot_write(&self.target, &error);
        let marker = self.draft.path().join(self.marker);
        let mut file = fs::File::create(&marker).map_err(trouble)?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(trouble)?;
        let has_old = self.target.exists();
        let draft = self.draft.path().to_owned();
        let placed = interrupt::at_rest(|rest| {
            if has_old {
                self.draft.replace(&self.target)?;
            } else {
                self.draft.place(&self.target)?;
            }
            rest.keep(&draft);
            Ok(())
        });
        placed.map_err(|error| cannot_write(&self.target, &error))
    }
}

/// The error for a file or folder that cannot be written.
pub(crate) fn cannot_write(path: &Path, error: &io::Error) -> Trouble {
    let trouble = Trouble::new(format!("{}: cannot write: {error}", path.display()));
    match error.kind() {
        io::ErrorKind::StorageFull => trouble.help("the disk is full; nothing was left behind"),
        io::ErrorKind::PermissionDenied => trouble.help("choose a place that you may write to"),
        _ => trouble,
    }
}
