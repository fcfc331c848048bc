//! Mutants on disk: a folder with their files, and `mutants.jsonl` with a row for each.
//!
//! A row says all that is needed to make the mutant again from its seed, byte for byte, header
//! included.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::sync::Mutex;

use mugie_core::{
    Edit, Language, Mutant, Naming, Options, Program, Seed, escaped, escaped_json, hex,
};
use mugie_experiment::sources::Source;
use mugie_verifiers::input;
use serde::{Deserialize, Serialize};

use crate::folder::cannot_write;
use crate::messages::Trouble;

/// The name of the list of mutants in their folder.
pub(crate) const LIST: &str = "mutants.jsonl";

/// The file that tells a folder of results from others.
pub(crate) const RESULT: &str = "result.json";

/// The number of the format that is written. It is not written itself, because it is the first one.
const FORMAT: u32 = 1;

/// A row of `mutants.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// The number of the format, if it is not the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) format: Option<u32>,
    /// The mutant's name.
    pub(crate) name: String,
    /// The file name of the seed.
    pub(crate) source: String,
    /// The hash of the seed.
    pub(crate) seed: String,
    /// How the seed is read, where that is not the usual.
    #[serde(default, skip_serializing_if = "Options::is_empty")]
    pub(crate) reading: Options,
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
    reading: Options,
    language: &'static dyn Language,
}

impl Rows {
    /// Rows for up to `number` mutants of a seed.
    pub(crate) fn new(source: &Source, seed: &dyn Seed, number: usize) -> Rows {
        let language = seed.language();
        let path = source.paths().first().map_or_else(|| Path::new("-"), |path| path.as_path());
        let extension = language.extensions().first().copied().unwrap_or_default();
        Rows {
            naming: Naming::new(path, number, extension),
            seed: hex(&seed.program().hash()),
            reading: seed.needed_options(),
            language,
        }
    }

    /// The name of the seed without its extension.
    pub(crate) fn stem(&self) -> &str {
        self.naming.stem()
    }

    /// The name of a mutant.
    pub(crate) fn name(&self, number: usize) -> String {
        self.naming.name(number)
    }

    /// The row of a mutant.
    pub(crate) fn row(&self, mutant: &Mutant) -> Row {
        let Mutant { number, parent, edits, program, .. } = mutant;
        Row {
            format: None,
            name: self.naming.name(*number),
            files: self.naming.files(*number, &**program),
            source: self.naming.source().to_owned(),
            seed: self.seed.clone(),
            reading: self.reading.clone(),
            parent: self.naming.name(*parent),
            edits: edits.clone(),
            hash: hex(&program.hash()),
        }
    }

    /// Writes the files of a mutant into a folder.
    pub(crate) fn write(
        &self,
        row: &Row,
        program: &dyn Program,
        folder: &Path,
    ) -> Result<(), Trouble> {
        for (index, (name, file)) in row.files.iter().zip(program.texts()).enumerate() {
            let path = folder.join(name);
            let mut text = row.header(index, self.language);
            text.push_str(&file.text);
            create(&path)
                .and_then(|mut created| created.write_all(text.as_bytes()))
                .map_err(|error| cannot_write(&path, &error))?;
        }
        Ok(())
    }
}

impl Row {
    /// The row as a line of the list.
    pub(crate) fn to_line(&self) -> Result<String, Trouble> {
        let line = serde_json::to_string(self);
        let line = line.map_err(|error| Trouble::new(format!("cannot write JSON: {error}")))?;
        Ok(escaped_json(&line) + "\n")
    }

    /// What each file of the mutant starts with.
    fn header(&self, file: usize, language: &dyn Language) -> String {
        let Row { name, source, seed, files, parent, edits, .. } = self;
        let seed = &seed[..16.min(seed.len())];
        let it = language.comment();
        let mut header =
            format!("{it} mutant {name} of {source} (seed {seed}), made from {parent}");
        // Whatever a name holds, this is a comment of one line.
        header = escaped(&header) + "\n";
        if files.len() > 1 {
            let (file, number) = (file + 1, files.len());
            let _ = writeln!(header, "{it} file {file} of {number}, in the order for the verifier");
        }
        for (number, edit) in edits.iter().enumerate() {
            let words = format!("{}: {}", edit.operator, edit.words);
            let _ = writeln!(header, "{it} {}. {}", number + 1, escaped(&words));
        }
        header.push('\n');
        header
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
    for (number, line) in BufReader::new(input::open(path).map_err(unreadable)?).lines().enumerate()
    {
        let at = format!("{}:{}", path.display(), number + 1);
        let row: Row = serde_json::from_str(&line.map_err(unreadable)?).map_err(|error| {
            Trouble::new(format!("{at}: not a mutant: {error}"))
                .help(format!("give the `{LIST}` that `mugie mutate` wrote, unchanged"))
        })?;
        if let Some(found) = row.format.filter(|found| *found > FORMAT) {
            let words = format!("{at}: format {found} is newer than this release of mugie");
            return Err(Trouble::new(words).help("take the release that wrote it, or a newer one"));
        }
        rows.push(row);
    }
    Ok(rows)
}
