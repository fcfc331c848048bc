//! Mutants on disk: a folder with their files, and `mutants.jsonl` with a row for each.
//!
//! A row says all that is needed to make the mutant again from its seed, byte for byte, header
//! included.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::sync::Mutex;

use mugie_campaign::naming::Naming;
use mugie_operators::{Edit, Mutant, Subject, hex};
use serde::{Deserialize, Serialize};

use crate::folder::cannot_write;
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

/// Makes the rows of the mutants of a seed.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    naming: Naming,
    seed: String,
}

impl Rows {
    /// Rows for up to `number` mutants of the seed in a file.
    pub(crate) fn new(path: &Path, seed: &Subject, number: usize) -> Rows {
        Rows { naming: Naming::new(path, number), seed: hex(&seed.hash()) }
    }

    /// The name of the seed without its extension.
    pub(crate) fn stem(&self) -> &str {
        self.naming.stem()
    }

    /// The row of a mutant.
    pub(crate) fn row(&self, mutant: &Mutant) -> Row {
        let Mutant { number, parent, edits, subject, .. } = mutant;
        Row {
            name: self.naming.name(*number),
            files: self.naming.files(*number, subject),
            source: self.naming.source().to_owned(),
            seed: self.seed.clone(),
            parent: self.naming.name(*parent),
            edits: edits.clone(),
            hash: hex(&subject.hash()),
        }
    }
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
