//! From paths to source text. Knows nothing of Boogie but the size of a program.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bpl_syntax::source::{MAX_SIZE, SourceMap};

use crate::report::Trouble;

/// A file that could not be read, and why.
#[derive(Debug)]
pub(crate) struct Unreadable {
    /// What the file is called in messages.
    pub(crate) file: String,
    /// The reason, which names the file too.
    pub(crate) trouble: Trouble,
}

impl From<Unreadable> for Trouble {
    fn from(unreadable: Unreadable) -> Trouble {
        unreadable.trouble
    }
}

/// Reads the files of one program; `-` is standard input.
pub(crate) fn read(files: &[PathBuf]) -> Result<SourceMap, Unreadable> {
    let mut sources = SourceMap::new();
    for path in files {
        let added = read_bytes(path)
            .and_then(|bytes| sources.add(name(path), bytes).map_err(|_| too_large(path)));
        if let Err(trouble) = added {
            return Err(Unreadable { file: name(path), trouble });
        }
    }
    Ok(sources)
}

/// What to call a file in messages.
pub(crate) fn name(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// Standard input can be read only once: says so if it is given more often.
pub(crate) fn forbid_second_stdin(files: &[PathBuf]) -> Result<(), Trouble> {
    if files.iter().filter(|path| is_stdin(path)).count() > 1 {
        return Err(Trouble::new("`-` is given twice, but standard input can be read only once")
            .help("give the other program as a file"));
    }
    Ok(())
}

/// Whether standard input is meant.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, Trouble> {
    let mut bytes = Vec::new();
    let result = if is_stdin(path) {
        read_bounded(io::stdin().lock(), &mut bytes)
    } else {
        open(path).and_then(|(file, size)| {
            if size > MAX_SIZE as u64 {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            // A device may claim any size, so it is a hint and no more.
            bytes.reserve(usize::try_from(size).unwrap_or_default());
            read_bounded(file, &mut bytes)
        })
    };
    result.map_err(|error| unreadable(path, &error))?;
    // Boogie accepts it, but it is a mistake: a download or a generator that failed.
    if bytes.is_empty() {
        return Err(Trouble::new(format!("{}: the file is empty", name(path)))
            .help("look at what was to write it; a comment is enough for an empty program"));
    }
    if let [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] = bytes[..] {
        return Err(Trouble::new(format!("{}: the text is UTF-16, not UTF-8", name(path)))
            .help("convert it first: `iconv -f UTF-16 -t UTF-8 OLD.bpl > NEW.bpl`"));
    }
    Ok(bytes)
}

fn open(path: &Path) -> io::Result<(File, u64)> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok((file, metadata.len()))
}

/// Reads to the end, but never more than a program can hold.
fn read_bounded(source: impl Read, bytes: &mut Vec<u8>) -> io::Result<()> {
    let read = source.take(MAX_SIZE as u64 + 1).read_to_end(bytes)?;
    if read > MAX_SIZE { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(()) }
}

fn unreadable(path: &Path, error: &io::Error) -> Trouble {
    let name = name(path);
    match error.kind() {
        io::ErrorKind::NotFound => Trouble::new(format!("{name}: there is no such file"))
            .help("check the spelling, and that the path starts from the current directory"),
        io::ErrorKind::IsADirectory => Trouble::new(format!("{name}: this is a directory"))
            .help(format!("name the files in it: `{}`", path.join("*.bpl").display())),
        io::ErrorKind::PermissionDenied => {
            Trouble::new(format!("{name}: no permission to read the file"))
                .help(format!("allow it with `chmod +r {name}`"))
        }
        io::ErrorKind::FileTooLarge => too_large(path),
        _ => Trouble::new(format!("{name}: cannot read the file: {error}")),
    }
}

fn too_large(path: &Path) -> Trouble {
    Trouble::new(format!("{}: the program is larger than 4 GiB", name(path)))
        .help("split it into several programs")
}
