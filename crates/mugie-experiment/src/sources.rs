//! Turns files into seeds: reads them, finds the language or the front door for them, and reads the
//! program in them.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mugie_core::{
    Answer, Back, Diagnostic, FrontDoor, Language, LanguageOptions, Languages, Same, SourceText,
    VerifierNeeds, path_name,
};
use mugie_verifiers::input::{self, Unfit};

use crate::foreign;
use crate::recipe::quoted_path;
use crate::seed::OpenSeed;

/// The largest program, in bytes: positions in a program have 32 bits.
const MAX_SIZE: u64 = u32::MAX as u64 - 1;

/// A file that could not be read, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The name of the file in messages.
    pub file: String,
    /// The reason, including the name of the file.
    pub reason: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// A seed that cannot be tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// The answer for this seed: it could not run, or it was interrupted.
    pub answer: Answer,
    /// The seed's name.
    pub name: String,
    /// The names of the seed's files.
    pub files: Vec<String>,
    /// The reason, as a lower-case fragment.
    pub reason: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The errors in the program, if it was rejected.
    pub errors: Vec<Diagnostic>,
}

impl Unusable {
    /// A seed that could not be run, for the given reason.
    pub fn new(source: &Source, reason: impl Into<String>) -> Unusable {
        Unusable {
            answer: Answer::CouldNotRun,
            name: source.name.clone(),
            files: source.file_names(),
            reason: reason.into(),
            help: None,
            errors: Vec::new(),
        }
    }
}

impl From<Unreadable> for Unusable {
    fn from(Unreadable { file, reason, help }: Unreadable) -> Unusable {
        let (answer, errors) = (Answer::CouldNotRun, Vec::new());
        Unusable { answer, name: file.clone(), files: vec![file], reason, help, errors }
    }
}

/// The files of one program, before they are read.
#[derive(Clone, Debug)]
pub struct Source {
    /// The name of the seed.
    name: String,
    /// The paths of the seed's files.
    paths: Vec<PathBuf>,
    /// The content, if it is already known: that of standard input, which is read early because a
    /// user may have to end the wait for it; or the output of a front door.
    content: Option<Result<Vec<SourceText>, Unreadable>>,
    /// The language, if it is known.
    language: Option<&'static dyn Language>,
    back: Arc<dyn Back>,
    /// What a verifier needs to verify the seed.
    verifier: VerifierNeeds,
    /// Where the seed comes from, if a front door made it.
    origin: Option<SourceOrigin>,
    /// The goals that are checked, if they were chosen.
    chosen: Option<Chosen>,
    /// Options for reading this program, which count more than those for all.
    options: LanguageOptions,
}

/// The goals of a seed that a user chose.
#[derive(Clone, Debug)]
struct Chosen {
    names: Vec<String>,
    /// What chose them: the options of commands.
    words: Vec<String>,
}

/// Where a seed that a front door made comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceOrigin {
    /// The user's files.
    pub files: Vec<PathBuf>,
    /// The tool that made the seed, with its version.
    pub tool: String,
}

impl Source {
    /// The program in some files, named after the first one. Standard input is read at once.
    pub fn new(paths: Vec<PathBuf>) -> Source {
        let name = paths.first().map(|path| display_name(path)).unwrap_or_default();
        Source::named(name, paths)
    }

    /// The program in some files, under the given name.
    pub fn named(name: String, paths: Vec<PathBuf>) -> Source {
        let content = paths.iter().any(|path| is_stdin(path)).then(|| read(&paths));
        Source {
            name,
            paths,
            content,
            language: None,
            back: Arc::new(Same),
            verifier: VerifierNeeds::default(),
            origin: None,
            chosen: None,
            options: LanguageOptions::default(),
        }
    }

    /// A program made by a front door or by a level.
    pub fn made(
        name: String,
        files: Vec<SourceText>,
        language: &'static dyn Language,
        back: Arc<dyn Back>,
    ) -> Source {
        let paths = files.iter().map(|file| PathBuf::from(&file.name)).collect();
        let (content, language) = (Some(Ok(files)), Some(language));
        Source { content, language, back, ..Source::named(name, paths) }
    }

    /// The same source, with what a verifier needs for it.
    #[must_use]
    pub fn needing(self, verifier: VerifierNeeds) -> Source {
        Source { verifier, ..self }
    }

    /// The same source, which a front door made.
    #[must_use]
    pub fn behind(self, origin: SourceOrigin) -> Source {
        Source { origin: Some(origin), ..self }
    }

    /// The same source with another content, in which only the goals with these names are checked:
    /// those that match one of the patterns.
    #[must_use]
    pub fn choosing(self, files: Vec<SourceText>, names: Vec<String>, globs: &[String]) -> Source {
        let words =
            globs.iter().flat_map(|glob| ["--procedure".to_owned(), glob.clone()]).collect();
        Source { content: Some(Ok(files)), chosen: Some(Chosen { names, words }), ..self }
    }

    /// Whether a goal is checked.
    pub fn checks(&self, goal: &str) -> bool {
        self.chosen.as_ref().is_none_or(|chosen| chosen.names.iter().any(|name| name == goal))
    }

    /// Where the seed comes from, if a front door made it.
    pub fn origin(&self) -> Option<&SourceOrigin> {
        self.origin.as_ref()
    }

    /// What a verifier needs to verify the seed.
    pub fn verifier(&self) -> &VerifierNeeds {
        &self.verifier
    }

    /// The way back to the user's source.
    pub fn back(&self) -> &Arc<dyn Back> {
        &self.back
    }

    /// The same source, read with these options.
    #[must_use]
    pub fn reading(self, options: LanguageOptions) -> Source {
        Source { options, ..self }
    }

    /// The same source in the given language, whatever the names of its files.
    #[must_use]
    pub fn in_language(self, language: Option<&'static dyn Language>) -> Source {
        Source { language: language.or(self.language), ..self }
    }

    /// The name of the seed.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The paths of the seed's files.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// The names of the files in messages.
    pub fn file_names(&self) -> Vec<String> {
        self.paths.iter().map(|path| display_name(path)).collect()
    }

    /// The paths, quoted for a shell.
    pub fn quoted_paths(&self) -> String {
        self.paths.iter().map(|path| quoted_path(path)).collect::<Vec<_>>().join(" ")
    }

    /// The files, if reading them does not use them up: what a stream has is gone after the first time.
    pub fn peek(&self) -> Option<Vec<SourceText>> {
        let is_lasting = self.content.is_some() || self.paths.iter().all(|path| path.is_file());
        if is_lasting { self.read().ok() } else { None }
    }

    /// Reads the files, unless their content is already known.
    pub fn read(&self) -> Result<Vec<SourceText>, Unreadable> {
        if let Some(content) = &self.content {
            return content.clone();
        }
        let foreign = || self.paths.iter().find_map(|path| foreign::refuse(path));
        match foreign().filter(|_| self.language.is_none()) {
            Some(refused) => Err(refused),
            None => read(&self.paths),
        }
    }

    /// The language of the files; by default the usual one, or else the first one.
    pub fn language(&self, languages: Languages, usual: &str) -> Option<&'static dyn Language> {
        let of_file = || self.paths.iter().find_map(|path| languages.of_file(path));
        let usual = || languages.find(usual).or_else(|| languages.0.first().copied());
        self.language.or_else(of_file).or_else(usual)
    }
}

/// How sources are read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// All languages.
    pub languages: Languages,
    /// The identifier of the language of files whose extension belongs to no language.
    pub usual: String,
    /// The options for reading programs.
    pub options: LanguageOptions,
}

impl Reading {
    /// The options that make a command read the source in this way.
    fn reading_words(&self, source: &Source, language: &dyn Language) -> Vec<String> {
        let told = source.paths.iter().find_map(|path| self.languages.of_file(path));
        let taken = told.or_else(|| self.languages.0.first().copied());
        let mut words = match taken {
            Some(taken) if taken.id() == language.id() => Vec::new(),
            _ => vec!["--language".to_owned(), language.id().to_owned()],
        };
        words.extend(source.chosen.iter().flat_map(|chosen| chosen.words.iter().cloned()));
        words
    }

    /// Reads the program of a source.
    pub fn open(&self, source: &Source) -> Result<OpenSeed, Box<Unusable>> {
        let unusable = |reason: String, help: Option<String>| Unusable {
            help,
            ..Unusable::new(source, reason)
        };
        let Some(language) = source.language(self.languages, &self.usual) else {
            let reason = format!("there is no language `{}`", self.usual);
            return Err(Box::new(unusable(reason, None)));
        };
        let files = source.read().map_err(|Unreadable { file, reason, help }| {
            // A program in a single file has the name of the file, so do not repeat it.
            let short = reason.strip_prefix(&format!("{file}: ")).map(str::to_owned);
            let reason = short.filter(|_| source.paths.len() == 1).unwrap_or(reason);
            Box::new(unusable(reason, help))
        })?;
        let options = source.options.clone().or(&self.options).of(language);
        match language.read(files, &options) {
            Ok(seed) => {
                let open = OpenSeed::behind(source.name.clone(), seed, Arc::clone(&source.back));
                let open = open.with_paths(source.paths.clone());
                Ok(open.with_reading_words(self.reading_words(source, language)))
            }
            Err(rejected) => {
                let help = format!("run `mugie check {}` for details", source.quoted_paths());
                let unusable = unusable(rejected.to_string(), Some(help));
                Err(Box::new(Unusable { errors: rejected.errors, ..unusable }))
            }
        }
    }
}

/// The front door for some files, if they are not seeds themselves.
pub fn door_of(
    doors: &'static [&'static dyn FrontDoor],
    paths: &[PathBuf],
) -> Option<&'static dyn FrontDoor> {
    let opens = |door: &&'static dyn FrontDoor| {
        paths.iter().any(|path| {
            let extension = path.extension().and_then(|extension| extension.to_str());
            let name = path.file_name().and_then(|name| name.to_str());
            extension.is_some_and(|extension| door.extensions().contains(&extension))
                || name.is_some_and(|name| door.file_names().contains(&name))
        })
    };
    doors.iter().copied().find(opens)
}

/// Reads files; `-` is standard input.
pub fn read(paths: &[PathBuf]) -> Result<Vec<SourceText>, Unreadable> {
    paths.iter().map(|path| read_file(path)).collect()
}

/// The name of a file in messages and records.
pub fn display_name(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".to_owned() } else { path_name(path) }
}

/// The path of the file with this name in a folder. An escape `\xNN` may stand for a byte that is
/// not valid text.
pub fn path_called(folder: &Path, name: &str) -> PathBuf {
    let plain = folder.join(name);
    if !name.contains("\\x") || plain.exists() {
        return plain;
    }
    let other = unescaped(name).map(|name| folder.join(name));
    other.filter(|path| path.exists()).unwrap_or(plain)
}

/// Replaces the escapes in a name by bytes.
#[cfg(unix)]
fn unescaped(name: &str) -> Option<std::ffi::OsString> {
    use std::os::unix::ffi::OsStringExt as _;
    let mut parts = name.split("\\x");
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    Some(std::ffi::OsString::from_vec(bytes))
}

#[cfg(not(unix))]
fn unescaped(_: &str) -> Option<std::ffi::OsString> {
    None
}

/// Whether the path stands for standard input.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn read_file(path: &Path) -> Result<SourceText, Unreadable> {
    let mut bytes = Vec::new();
    let result = if is_stdin(path) {
        read_bounded(io::stdin().lock(), &mut bytes)
    } else {
        input::open(path).and_then(|input| {
            if input.size > MAX_SIZE {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            bytes.reserve(usize::try_from(input.size).unwrap_or_default());
            read_bounded(input, &mut bytes)
        })
    };
    let name = display_name(path);
    let unreadable = |reason: String, help: Option<&str>| Unreadable {
        file: name.clone(),
        reason: format!("{name}: {reason}"),
        help: help.map(str::to_owned),
    };
    if let Err(error) = result {
        if let Some(unfit) = Unfit::of(&error) {
            let help = match unfit {
                Unfit::Grows => "wait until the program is complete",
                _ => "copy its content to a file; `-` stands for standard input",
            };
            return Err(unreadable(unfit.to_string(), Some(help)));
        }
        return Err(match error.kind() {
            io::ErrorKind::NotFound => unreadable(
                "there is no such file".to_owned(),
                Some("check the spelling, and that the path starts from the current directory"),
            ),
            io::ErrorKind::IsADirectory => {
                unreadable("this is a directory".to_owned(), Some("name the files in it"))
            }
            io::ErrorKind::PermissionDenied => {
                let help = format!("allow it with `chmod +r {name}`");
                unreadable("no permission to read the file".to_owned(), Some(&help))
            }
            io::ErrorKind::FileTooLarge => unreadable(
                "the program is larger than 4 GiB".to_owned(),
                Some("split it into several programs"),
            ),
            _ => unreadable(format!("cannot read the file: {error}"), None),
        });
    }
    // A language may accept an empty program, but it is a mistake: a failed download or generator.
    if bytes.is_empty() {
        let help =
            "check the program that should have written it; an empty program needs a comment";
        return Err(unreadable("the file is empty".to_owned(), Some(help)));
    }
    if let [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] = bytes[..] {
        let extension = path.extension().and_then(|it| it.to_str()).unwrap_or("txt");
        let help = format!(
            "convert it first: `iconv -f UTF-16 -t UTF-8 OLD.{extension} > NEW.{extension}`"
        );
        return Err(unreadable("the text is UTF-16, not UTF-8".to_owned(), Some(&help)));
    }
    Ok(SourceText { name, bytes })
}

/// Reads to the end, but no more than the largest program.
fn read_bounded(source: impl Read, bytes: &mut Vec<u8>) -> io::Result<()> {
    let read = source.take(MAX_SIZE + 1).read_to_end(bytes)?;
    if read as u64 > MAX_SIZE { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(()) }
}
