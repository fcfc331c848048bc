//! Mutants on disk: a folder with their files, and `mutants.jsonl` with a row for each.
//!
//! A row says all that is needed to make the mutant again from its seed, byte for byte, header
//! included. The folder appears whole or not at all.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use mugie_operators::{Edit, Hash, Mutant, Subject};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::output::set_usual_mode;
use crate::report::Trouble;

/// The name of the list of mutants in their folder.
pub(crate) const LIST: &str = "mutants.jsonl";

/// A row of `mutants.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    /// The mutant's name.
    pub(crate) name: String,
    /// The file name of the seed.
    pub(crate) source: String,
    /// The hash of the seed.
    pub(crate) seed: String,
    /// The mutant's files, in the order in which a verifier is to get them.
    pub(crate) files: Vec<String>,
    /// The name of the program that it was made from; the seed's is `source`.
    pub(crate) parent: String,
    /// What leads from the seed to it.
    pub(crate) edits: Vec<Edit>,
    /// The hash of the program.
    pub(crate) hash: String,
}

/// How mutants of a seed are called.
#[derive(Clone, Debug)]
pub(crate) struct Naming {
    stem: String,
    source: String,
    seed: String,
    width: usize,
}

impl Naming {
    /// Names for up to `number` mutants of the seed in a file.
    pub(crate) fn new(path: &Path, seed: &Subject, number: usize) -> Naming {
        let name = |part: Option<&std::ffi::OsStr>| {
            part.filter(|part| *part != "-")
                .map_or_else(|| "stdin".to_owned(), |part| part.to_string_lossy().into_owned())
        };
        Naming {
            stem: name(path.file_stem()),
            source: name(path.file_name()),
            seed: hex(&seed.hash()),
            width: number.max(1).ilog10().max(3) as usize + 1,
        }
    }

    /// The name of the seed without its extension.
    pub(crate) fn stem(&self) -> &str {
        &self.stem
    }

    fn name(&self, number: usize) -> String {
        match number {
            0 => self.source.clone(),
            number => format!("{}-{number:0width$}", self.stem, width = self.width),
        }
    }

    /// The row of a mutant.
    pub(crate) fn row(&self, mutant: &Mutant) -> Row {
        let Mutant { number, parent, edits, subject, .. } = mutant;
        let name = self.name(*number);
        let files = match subject.split() {
            None => vec![format!("{name}.bpl")],
            Some(_) => (1..=2).map(|file| format!("{name}-{file}.bpl")).collect(),
        };
        Row {
            files,
            source: self.source.clone(),
            seed: self.seed.clone(),
            parent: self.name(*parent),
            edits: edits.clone(),
            hash: hex(&subject.hash()),
            name,
        }
    }
}

/// A hash in digits.
pub(crate) fn hex(hash: &Hash) -> String {
    hash.iter().fold(String::with_capacity(2 * hash.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Row {
    /// The row as a line of the list.
    pub(crate) fn to_line(&self) -> Result<String, Trouble> {
        let line = serde_json::to_string(self);
        Ok(line.map_err(|error| Trouble::new(format!("cannot write JSON: {error}")))? + "\n")
    }

    /// What each file of the mutant starts with.
    fn header(&self, file: usize) -> String {
        let Row { name, source, seed, files, parent, edits, .. } = self;
        let seed = &seed[..16.min(seed.len())];
        let mut header =
            format!("// mutant {name} of {source} (seed {seed}), made from {parent}\n");
        if files.len() > 1 {
            let (file, number) = (file + 1, files.len());
            let _ = writeln!(header, "// file {file} of {number}, in the order for the verifier");
        }
        for (number, edit) in edits.iter().enumerate() {
            let _ = writeln!(header, "// {}. {}: {}", number + 1, edit.operator, edit.words);
        }
        header.push('\n');
        header
    }

    /// Writes the files of the mutant into a folder.
    pub(crate) fn write(&self, subject: &Subject, folder: &Path) -> Result<(), Trouble> {
        for (index, (name, file)) in self.files.iter().zip(subject.files()).enumerate() {
            let path = folder.join(name);
            let mut text = self.header(index);
            text.push_str(&file.text);
            create(&path)
                .and_then(|mut created| created.write_all(text.as_bytes()))
                .map_err(|error| cannot_write(&path, &error))?;
        }
        Ok(())
    }
}

/// Creates a file, one at a time: threads that create files in one directory wait for each other
/// anyway, in the kernel, where they burn time until it is their turn.
fn create(path: &Path) -> io::Result<fs::File> {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock();
    fs::File::create(path)
}

/// Reads a list of mutants.
pub(crate) fn read_list(path: &Path) -> Result<Vec<Row>, Trouble> {
    let unreadable = |error: io::Error| {
        Trouble::new(format!("{}: cannot read the list of mutants: {error}", path.display()))
            .help(format!("give the `{LIST}` that `mugie mutate` wrote"))
    };
    let mut rows = Vec::new();
    for (number, line) in
        BufReader::new(fs::File::open(path).map_err(unreadable)?).lines().enumerate()
    {
        let row = serde_json::from_str(&line.map_err(unreadable)?).map_err(|error| {
            Trouble::new(format!("{}:{}: not a mutant: {error}", path.display(), number + 1))
                .help(format!("give the `{LIST}` that `mugie mutate` wrote, unchanged"))
        })?;
        rows.push(row);
    }
    Ok(rows)
}

/// A folder in the making. It gets its name when it is complete.
pub(crate) struct Folder {
    target: PathBuf,
    draft: TempDir,
}

impl Folder {
    /// Starts a folder. An old one of that name is replaced only if `force` is given, and only
    /// if it holds nothing but mutants.
    pub(crate) fn start(target: &Path, force: bool) -> Result<Folder, Trouble> {
        let shown = target.display();
        if target.exists() {
            let entries = fs::read_dir(target).map_err(|_| {
                Trouble::new(format!("{shown} is not a directory"))
                    .help("choose another one with `--out DIR`")
            })?;
            let is_empty = entries.count() == 0;
            if !is_empty && !target.join(LIST).exists() {
                return Err(Trouble::new(format!("{shown} holds files that are not mutants"))
                    .help("choose another directory with `--out DIR`"));
            }
            if !is_empty && !force {
                return Err(Trouble::new(format!("{shown} exists already"))
                    .help("replace it with `--force`, or choose another with `--out DIR`"));
            }
        }
        let parent = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        fs::create_dir_all(parent).map_err(|error| cannot_write(parent, &error))?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".mugie-").suffix(".tmp");
        set_usual_mode(&mut builder, 0o777);
        let draft = builder.tempdir_in(parent).map_err(|error| cannot_write(target, &error))?;
        Ok(Folder { target: target.to_owned(), draft })
    }

    /// Where the files go until the folder is complete.
    pub(crate) fn path(&self) -> &Path {
        self.draft.path()
    }

    /// Adds the list, and puts the folder in its place.
    pub(crate) fn finish(self, rows: &str) -> Result<(), Trouble> {
        let trouble = |error: io::Error| cannot_write(&self.target, &error);
        let list = self.draft.path().join(LIST);
        let mut file = fs::File::create(&list).map_err(trouble)?;
        file.write_all(rows.as_bytes()).and_then(|()| file.sync_all()).map_err(trouble)?;
        if self.target.exists() {
            fs::remove_dir_all(&self.target).map_err(trouble)?;
        }
        fs::rename(self.draft.path(), &self.target).map_err(trouble)?;
        // It has another name now: there is nothing left to remove.
        let _ = self.draft.keep();
        Ok(())
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Trouble {
    let trouble = Trouble::new(format!("{}: cannot write: {error}", path.display()));
    match error.kind() {
        io::ErrorKind::StorageFull => trouble.help("the disk is full; nothing was left behind"),
        _ => trouble,
    }
}
