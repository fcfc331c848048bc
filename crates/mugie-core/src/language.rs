//! A seed language: everything that the rest of mugie needs to know about it.
//!
//! The rest of mugie uses languages as `&'static dyn Language` and never asks which one it has.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::diagnostic::Diagnostic;
use crate::files::SourceText;
use crate::level::LevelSeed;
use crate::operator::About;
use crate::reduce::Reducer;
use crate::seed::Seed;
use crate::verdict::Verdict;

/// A seed language.
pub trait Language: Sync + fmt::Debug {
    /// The identifier in records and definitions of verifiers: `boogie`.
    fn id(&self) -> &'static str;

    /// The name for people: `Boogie`.
    fn title(&self) -> &'static str;

    /// The file extensions without the dot, the usual one first.
    fn extensions(&self) -> &'static [&'static str];

    /// The extension of the files that mugie writes: the usual one.
    fn extension(&self) -> &'static str {
        self.extensions().first().copied().unwrap_or("txt")
    }

    /// The name of the verifier that takes its programs by default.
    fn usual_verifier(&self) -> &'static str {
        self.id()
    }

    /// The language's words for the parts of programs.
    fn words(&self) -> &'static Words;

    /// The language's operators. Their order is part of the meaning of a random seed; the number of
    /// an operator is its index in this list.
    fn operators(&self) -> &'static [&'static About];

    /// The operator whose places are [`Place::Swap`](crate::Place::Swap), if there is one:
    /// `minimise` uses it to try other orders of units.
    fn swap_operator(&self) -> Option<&'static About> {
        None
    }

    /// The options for reading programs.
    fn options(&self) -> &'static [OptionAbout] {
        &[]
    }

    /// Whether its programs are what solvers read: a program is its own query.
    fn is_query(&self) -> bool {
        false
    }

    /// Reads files as one program to be tested.
    fn read(
        &self,
        files: Vec<SourceText>,
        options: &LanguageOptions,
    ) -> Result<Box<dyn Seed>, Rejected>;

    /// The same program, changed so that a verifier checks only the goals that are chosen: `chooses`
    /// is asked with all names of each goal. Lines keep their numbers. `None` if the language cannot
    /// say so.
    fn only(
        &self,
        files: Vec<SourceText>,
        options: &LanguageOptions,
        chooses: &dyn Fn(&[&str]) -> bool,
    ) -> Option<Result<ChosenGoals, Rejected>> {
        let _ = (files, options, chooses);
        None
    }

    /// The goals whose proofs may depend on the difference between two versions of a program, by their names; `None`
    /// if that may be all of them, or the language cannot say so.
    fn changed(
        &self,
        old: Vec<SourceText>,
        new: Vec<SourceText>,
        options: &LanguageOptions,
    ) -> Option<Vec<String>> {
        let _ = (old, new, options);
        None
    }

    /// The goals of a program, each as a program of its own; `None` if the language cannot take them apart.
    fn split(&self, files: Vec<SourceText>) -> Option<Result<Vec<LevelSeed>, Rejected>> {
        let _ = files;
        None
    }

    /// The options for a first run of a seed, which determines how the seed is read
    /// ([`Language::options_by_run`]); `None` if the language needs none. The verifier is to give up
    /// by itself on a goal that takes `seconds`.
    fn first_run(&self, options: &LanguageOptions, seconds: f64) -> Option<LanguageOptions> {
        let _ = (options, seconds);
        None
    }

    /// The options of a seed that first runs of it determine, one with each verifier, added to those
    /// given: what to expect of it, and how much work to allow.
    fn options_by_run(&self, verdicts: &[Verdict], options: &LanguageOptions) -> LanguageOptions {
        let _ = verdicts;
        options.clone()
    }

    /// How seeds are tested unless the user asks for something else.
    fn usual_test(&self) -> UsualTest {
        UsualTest::default()
    }

    /// Reads files as one program and reports its errors.
    fn check(&self, files: Vec<SourceText>, options: &LanguageOptions) -> Checked {
        let errors = self.read(files, options).err().map_or_else(Vec::new, |it| it.errors);
        Checked { title: self.title().to_owned(), errors, ..Checked::default() }
    }

    /// Reads files as one program and prints it in the canonical layout, as one file. A language may
    /// also print programs with errors in names and types.
    fn print(
        &self,
        files: Vec<SourceText>,
        options: &LanguageOptions,
    ) -> Result<String, Vec<Diagnostic>> {
        let seed = self.read(files, options).map_err(|rejected| rejected.errors)?;
        Ok(seed.program().texts().into_iter().map(|file| file.text).collect())
    }

    /// The token that starts a comment up to the end of the line.
    fn comment(&self) -> &'static str;

    /// The reducer for programs; `None` if only edits can be removed.
    fn reducer(&self) -> Option<&'static dyn Reducer> {
        None
    }

    /// The usual budget of a search for a small pair, in runs of the verifier.
    fn search_budget(&self) -> usize {
        400
    }

    /// The debugging views of a program, for developers of mugie: name and meaning.
    fn views(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The view of a program with the given name.
    fn view(&self, name: &str, files: Vec<SourceText>, options: &LanguageOptions) -> Option<View> {
        let _ = (name, files, options);
        None
    }
}

/// How seeds of a language are tested unless the user asks for something else.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UsualTest {
    /// The operators to draw from, with weights; `None` for all that preserve what a verifier can do, alike.
    pub operators: Option<&'static str>,
    /// The test stops as soon as the answer has this confidence; `None` for a fixed number of mutants.
    pub confidence: Option<f64>,
    /// The number of mutants of a seed that does not verify: does one of them?
    pub tries: usize,
    /// An operator is left out after this many mutants that change nothing for the verifier, if at all.
    pub park_after: Option<usize>,
}

/// A program in which only some goals are checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChosenGoals {
    /// The program.
    pub files: Vec<SourceText>,
    /// The names of the goals that are checked.
    pub chosen: Vec<String>,
    /// The names of the goals that are not checked any more.
    pub others: Vec<String>,
}

/// A language's words for the parts of programs, in the singular.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// A program: `Boogie program`.
    pub program: &'static str,
    /// A unit that operators move: `declaration`.
    pub unit: &'static str,
    /// A goal that verifiers name: `procedure`.
    pub goal: &'static str,
}

/// An option of a language. Its name must differ from the options of all commands, and from those of
/// other languages unless it means the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionAbout {
    /// The name: `dialect`, on the command line `--dialect`.
    pub name: &'static str,
    /// The name of the value in the manual; `None` for a switch.
    pub value_name: Option<&'static str>,
    /// The possible values and their meanings.
    pub values: &'static [(&'static str, &'static str)],
    /// The default value.
    pub default: Option<&'static str>,
    /// The manual: a summary line, and further paragraphs after a blank line.
    pub help: &'static str,
}

/// How programs are read, in terms of their language. Missing options have their default values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LanguageOptions(BTreeMap<String, String>);

impl LanguageOptions {
    /// The value of an option, if it was given.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Whether a switch is on.
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name) == Some("true")
    }

    /// Sets an option.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.insert(name.into(), value.into());
    }

    /// These options, completed by `others` where they are missing.
    #[must_use]
    pub fn or(mut self, others: &LanguageOptions) -> LanguageOptions {
        for (name, value) in &others.0 {
            self.0.entry(name.clone()).or_insert_with(|| value.clone());
        }
        self
    }

    /// Only the options that the language has.
    #[must_use]
    pub fn of(mut self, language: &dyn Language) -> LanguageOptions {
        let known = language.options();
        self.0.retain(|name, _| known.iter().any(|about| about.name == name));
        self
    }

    /// Whether all options have their default values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The options as command-line arguments.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        for (name, value) in self.iter() {
            match value {
                "false" => {}
                "true" => words.push(format!("--{name}")),
                value => words.extend([format!("--{name}"), value.to_owned()]),
            }
        }
        words
    }
}

impl FromIterator<(String, String)> for LanguageOptions {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(options: I) -> LanguageOptions {
        LanguageOptions(options.into_iter().collect())
    }
}

/// The result of checking a program.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The version of the language, if it has several: `2`.
    pub dialect: Option<String>,
    /// The language and its version, for people: `Boogie 3, with its libraries`.
    pub title: String,
    /// The errors in the order of the source. A program without errors is accepted.
    pub errors: Vec<Diagnostic>,
    /// Possible mistakes in an accepted program.
    pub warnings: Vec<String>,
}

/// A program that cannot be a seed.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The errors in the order of the source.
    pub errors: Vec<Diagnostic>,
}

impl fmt::Display for Rejected {
    /// Writes the first error as a lower-case fragment, with its place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it is not a well-formed program")?;
        let Some(error) = self.errors.first() else { return Ok(()) };
        write!(f, ": {} error: {}", error.kind, error.message)?;
        match &error.place {
            Some(place) => write!(f, " at {}:{}:{}", place.file, place.line, place.column),
            None => Ok(()),
        }
    }
}

/// A debugging view of a program.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The text of the view.
    pub data: String,
    /// The errors in the program.
    pub errors: Vec<Diagnostic>,
}

/// All languages.
#[derive(Clone, Copy, Debug)]
pub struct Languages(
    /// The list; the first language is the default.
    pub &'static [&'static dyn Language],
);

impl Languages {
    /// The language with the given identifier.
    pub fn find(self, id: &str) -> Option<&'static dyn Language> {
        self.0.iter().copied().find(|language| language.id() == id)
    }

    /// The language of a file, by its extension.
    pub fn of_file(self, path: &Path) -> Option<&'static dyn Language> {
        let extension = path.extension()?.to_str()?;
        self.0.iter().copied().find(|language| language.extensions().contains(&extension))
    }

    /// The operators of all languages, in the order of the languages.
    pub fn operators(self) -> impl Iterator<Item = &'static About> {
        self.0.iter().flat_map(|language| language.operators().iter().copied())
    }
}
