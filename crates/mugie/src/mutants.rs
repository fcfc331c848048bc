//! Mutants on disk: a folder with their files, and `mutants.jsonl` with a row for each.
//!
//! A row has everything needed to reproduce the mutant from its seed, byte for byte, header
//! included.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::sync::Mutex;

use mugie_core::{
    Edit, Language, LanguageOptions, Mutant, Naming, Program, Seed, escaped, escaped_json, hex,
};
use mugie_experiment::sources::Source;
use mugie_verifiers::input;
use serde::{Deserialize, Serialize};

use crate::folder::cannot_write;
use crate::messages::Trouble;

/// The file name of the list of mutants.
pub(crate) const LIST: &str = "mutants.jsonl";

/// The file that identifies a folder of results.
pub(crate) const RESULT: &str = "result.json";

/// The version of the format. Version 1 is not written to the file.
const FORMAT: u32 = 1;

/// A row of `mutants.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MutantRow {
    /// The version of the format, if it is not 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) format: Option<u32>,
    /// The mutant's name.
    pub(crate) name: String,
    /// The file name of the seed.
    pub(crate) source: String,
    /// The hash of the seed.
    pub(crate) seed: String,
    /// The options with which the seed is read, where they are not the defaults.
    #[serde(default, skip_serializing_if = "LanguageOptions::is_empty")]
    pub(crate) reading: LanguageOptions,
    /// The mutant's files, in the order for the verifier.
    pub(crate) files: Vec<String>,
    /// The name of the program that it was made from; for the seed, that is `source`.
    pub(crate) parent: String,
    /// The edits from the seed to this mutant.
    pub(crate) edits: Vec<Edit>,
    /// The hash of the program.
    pub(crate) hash: String,
}

/// Makes the rows of the mutants of a seed.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    naming: Naming,
    seed: String,
    reading: LanguageOptions,
    language: &'static dyn Language,
}

impl Rows {
    /// Rows for up to `number` mutants of a seed.
    pub(crate) fn new(source: &Source, seed: &dyn Seed, number: usize) -> Rows {
        let language = seed.language();
        let path = source.paths().first().map_or_else(|| Path::new("-"), |path| path.as_path());
        let extension = language.extension();
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
    pub(crate) fn row(&self, mutant: &Mutant) -> MutantRow {
        let Mutant { number, parent, edits, program, .. } = mutant;
        MutantRow {
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
        row: &MutantRow,
        program: &dyn Program,
        folder: &Path,
    ) -> Result<(), Trouble> {
        for (index, (name, file)) in row.files.iter().zip(program.texts()).enumerate() {
            let path = folder.join(name);
            let header = row.header(index, self.language);
            // A large text is not copied behind the header.
            create(&path)
                .and_then(|mut created| {
                    created.write_all(header.as_bytes())?;
                    created.write_all(file.text.as_bytes())
                })
                .map_err(|error| cannot_write(&path, &error))?;
        }
        Ok(())
    }
}

impl MutantRow {
    /// The row as a line of the list.
    pub(crate) fn to_line(&self) -> Result<String, Trouble> {
        let line = serde_json::to_string(self);
        let line = line.map_err(|error| Trouble::new(format!("cannot write JSON: {error}")))?;
        Ok(escaped_json(&line) + "\n")
    }

    /// The header comment of a file of the mutant.
    fn header(&self, file: usize, language: &dyn Language) -> String {
        let MutantRow { name, source, seed, files, parent, edits, .. } = self;
        let seed = &seed[..16.min(seed.len())];
        let it = language.comment();
        let mut header =
            format!("{it} mutant {name} of {source} (seed {seed}), made from {parent}");
        // Whatever characters a name contains, this stays a comment of one line.
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

/// Creates a file, in one thread at a time: threads that create files in one directory wait for
/// each other in the kernel anyway, spinning.
fn create(path: &Path) -> io::Result<fs::File> {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock();
    fs::File::create(path)
}

/// Reads a list of mutants.
pub(crate) fn read_list(path: &Path) -> Result<Vec<MutantRow>, Trouble> {
    let unreadable = |error: io::Error| {
        Trouble::new(format!("{}: cannot read the list of mutants: {error}", path.display()))
            .help(format!("give a `{LIST}` written by `mugie mutate`"))
    };
    let mut rows = Vec::new();
    for (number, line) in BufReader::new(input::open(path).map_err(unreadable)?).lines().enumerate()
    {
        let at = format!("{}:{}", path.display(), number + 1);
        let row: MutantRow = serde_json::from_str(&line.map_err(unreadable)?).map_err(|error| {
            Trouble::new(format!("{at}: not a row of a list of mutants: {error}"))
                .help(format!("give an unchanged `{LIST}` written by `mugie mutate`"))
        })?;
        if let Some(found) = row.format.filter(|found| *found > FORMAT) {
            let words = format!("{at}: format {found} is newer than this release of mugie");
            return Err(Trouble::new(words).help("use the release that wrote it, or a newer one"));
        }
        rows.push(row);
    }
    Ok(rows)
}
