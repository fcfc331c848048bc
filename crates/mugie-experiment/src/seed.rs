//! A seed of an experiment: the program under a name, its files for a verifier, and requests for
//! verdicts on the program and its mutants.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mugie_core::{
    Back, Edit, Files, Mutant, Naming, Pair, PairError, Program, Same, Seed, Sharing, SourceFile,
    files_of, hex, plain,
};
use mugie_exec::{Draw, Made, Origin, Request};

use crate::baseline::Step;

/// A seed that was read, and its name.
#[derive(Debug)]
pub struct OpenSeed {
    name: String,
    seed: Arc<dyn Seed>,
    back: Arc<dyn Back>,
    /// The paths of the seed's files, where the names of the files are not enough.
    paths: Option<Vec<PathBuf>>,
    /// The options that make a command read the files in the same language.
    reading_words: Vec<String>,
}

impl OpenSeed {
    /// A seed that the user wrote.
    pub fn new(name: String, seed: Box<dyn Seed>) -> OpenSeed {
        OpenSeed::behind(name, seed, Arc::new(Same))
    }

    /// A seed that a front door made, with the way back to the user's source.
    pub fn behind(name: String, seed: Box<dyn Seed>, back: Arc<dyn Back>) -> OpenSeed {
        OpenSeed { name, seed: Arc::from(seed), back, paths: None, reading_words: Vec::new() }
    }

    /// The same seed, read from these paths.
    #[must_use]
    pub(crate) fn with_paths(self, paths: Vec<PathBuf>) -> OpenSeed {
        OpenSeed { paths: Some(paths), ..self }
    }

    /// The paths of the seed's files; `-` is standard input.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        let by_name = || self.sources().iter().map(|file| path(file.name).to_owned()).collect();
        self.paths.clone().unwrap_or_else(by_name)
    }

    /// The same seed, with the options that make a command read its files in the same language.
    #[must_use]
    pub(crate) fn with_reading_words(self, reading_words: Vec<String>) -> OpenSeed {
        OpenSeed { reading_words, ..self }
    }

    /// The options that make a command read the seed in the same way.
    pub(crate) fn reading_words(&self) -> Vec<String> {
        let mut words = self.reading_words.clone();
        words.extend(self.seed.needed_options().words());
        words
    }

    /// The seed's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The seed itself.
    pub fn seed(&self) -> &dyn Seed {
        &*self.seed
    }

    /// The seed, to share ownership of it.
    pub fn shared(&self) -> &Arc<dyn Seed> {
        &self.seed
    }

    /// The program in its canonical layout.
    pub fn program(&self) -> &Arc<dyn Program> {
        self.seed.program()
    }

    /// The way back to the user's source.
    pub fn back(&self) -> &dyn Back {
        &*self.back
    }

    /// The files as the author wrote them.
    pub(crate) fn sources(&self) -> Vec<SourceFile<'_>> {
        self.seed.sources()
    }

    /// The hash of the program in hexadecimal, as in records.
    pub fn hash(&self) -> String {
        hex(&self.program().hash())
    }

    /// The extension of the seed's files.
    pub fn extension(&self) -> &'static str {
        self.seed.language().extension()
    }

    /// The naming scheme of the seed's mutants, for numbers up to `number`.
    pub fn naming(&self, number: usize) -> Naming {
        Naming::new(path(&self.name), number, self.extension())
    }

    /// The pair of the seed and the mutant that the edits lead to.
    pub fn pair(&self, edits: &[Edit]) -> Result<Arc<dyn Pair>, PairError> {
        self.seed.pair(edits)
    }

    /// The seed's files as the user wrote them.
    pub fn original_files(&self) -> Files {
        let files = self.sources();
        let one = files.len() == 1;
        let name = |index: usize, name: &str| {
            let bare = Naming::new(path(name), 0, self.extension()).source().to_owned();
            let bare = if one { bare } else { format!("{}-{bare}", index + 1) };
            plain(&bare, self.extension())
        };
        let files = files.iter().enumerate();
        Files(files.map(|(index, file)| (name(index, file.name), file.text.to_owned())).collect())
    }

    /// The text of the program in its canonical layout.
    pub fn printed(&self) -> String {
        self.program().texts().into_iter().map(|file| file.text).collect()
    }

    /// The canonical layout under the name of the original, so that the two differ only in layout.
    pub(crate) fn printed_files(&self) -> Files {
        Files(vec![(self.naming(0).plain_source(), self.printed())])
    }

    fn request(&self, files: Files, made: Made, hash: String) -> Request {
        let origin = Origin { seed: self.hash(), made, hash };
        Request { origin: Some(origin), ..Request::new(self.seed.language().id(), files) }
    }

    /// The request for a verdict on the seed itself.
    pub fn baseline_request(&self, step: Step) -> Request {
        let (files, made) = match step {
            Step::Original { .. } => (self.original_files(), Made::Original),
            Step::Printed { .. } => (self.printed_files(), Made::Printed),
        };
        Request { repetition: step.repetition(), ..self.request(files, made, self.hash()) }
    }

    /// The request for a verdict on a mutant. Its sharing class is computed only if several programs
    /// may share a process.
    pub fn mutant_request(&self, draw: &Draw, mutant: &Mutant, is_shared: bool) -> Request {
        let Mutant { number, program, .. } = mutant;
        let sharing = if is_shared { program.sharing() } else { Sharing::default() };
        let request = self.program_request(draw, *number, &**program);
        Request { sharing, ..request }
    }

    /// The request for a second, independent verdict on a mutant.
    pub(crate) fn again_request(
        &self,
        draw: &Draw,
        number: usize,
        mutant: &dyn Program,
    ) -> Request {
        Request { repetition: 1, ..self.program_request(draw, number, mutant) }
    }

    fn program_request(&self, draw: &Draw, number: usize, mutant: &dyn Program) -> Request {
        let files = self.naming(draw.mutants).program(number, mutant);
        let made = Made::Mutant { draw: draw.clone(), number };
        self.request(files, made, hex(&mutant.hash()))
    }
}

/// The names of the two programs of a pair, without extension.
pub(crate) const SEED_FILE: &str = "seed";
pub(crate) const MUTANT_FILE: &str = "mutant";

/// The files of the seed and of the mutant of a pair, for a verifier.
pub fn pair_files(pair: &dyn Pair, extension: &str) -> (Files, Files) {
    (files_of(pair.seed(), SEED_FILE, extension), files_of(pair.mutant(), MUTANT_FILE, extension))
}

/// The path of a file, given its name in messages.
pub(crate) fn path(name: &str) -> &Path {
    Path::new(if name == "<stdin>" { "-" } else { name })
}
