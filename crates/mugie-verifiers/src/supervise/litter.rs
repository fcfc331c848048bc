//! Limits what a run writes into its directory, which may be a lot by mistake.
//!
//! Files elsewhere, and deleted files that are still open, are not counted. A system limit on file
//! sizes would count them, but the .NET runtime does not work under one.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Maximum number of bytes on disk.
const BYTES: u64 = 4 << 30;

/// Maximum number of files and directories.
const FILES: usize = 10_000;

/// Whether a directory holds more than a run may write.
pub(super) fn is_too_much(directory: &Path) -> bool {
    is_more(directory, BYTES, FILES)
}

fn is_more(directory: &Path, most_bytes: u64, most_files: usize) -> bool {
    let mut directories = vec![directory.to_owned()];
    let (mut bytes, mut files) = (0, 0);
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            // Does not follow links. A file that is gone by now is skipped.
            let Ok(metadata) = entry.metadata() else { continue };
            // Counts blocks, because a file may have holes.
            bytes += metadata.blocks() * 512;
            files += 1;
            if bytes > most_bytes || files > most_files {
                return true;
            }
            if metadata.is_dir() {
                directories.push(entry.path());
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn bytes_and_files_are_counted_wherever_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b");
        fs::create_dir_all(&deep).unwrap();
        let most = 1 << 20;
        assert!(!is_more(folder.path(), most, 2));
        assert!(is_more(folder.path(), most, 1));
        // Links are not followed, and a sparse file takes no space.
        symlink("/", deep.join("link")).unwrap();
        File::create(deep.join("hole")).unwrap().set_len(1 << 40).unwrap();
        assert!(!is_more(folder.path(), most, 4));
        fs::write(deep.join("file"), vec![1; 2 << 20]).unwrap();
        assert!(is_more(folder.path(), most, 100));
        assert!(!is_more(folder.path(), 4 << 20, 100));
    }

    #[test]
    fn a_directory_that_is_gone_has_nothing_in_it() {
        assert!(!is_too_much(Path::new("/no/such")));
    }
}
