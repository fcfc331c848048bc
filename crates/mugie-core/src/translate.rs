//! Translators: from the files of one language to those of another, for verifiers that read the
//! latter.

use std::fmt;

use crate::files::Files;
use crate::verdict::Location;

/// A translator.
pub trait Translator: Sync + fmt::Debug {
    /// The language that the translator reads.
    fn from(&self) -> &'static str;

    /// The language that the translator writes, as in `input` of a verifier's definition.
    fn to(&self) -> &'static str;

    /// The version, which changes whenever the same files would be translated differently. Cached
    /// verdicts depend on it.
    fn version(&self) -> &'static str;

    /// Translates the files.
    fn translate(&self, files: &Files) -> Result<Translated, NotExpressible>;
}

/// The output of a translator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Translated {
    /// The files.
    pub files: Files,
    /// The way back to the original lines.
    pub lines: LineMap,
    /// The goals that the verifier is expected to report on, in the order of the translated text. Empty if the goals
    /// of a verifier are not known before it runs.
    pub goals: Vec<ExpectedGoal>,
    /// What was weakened on the way, in words: only ever something that is assumed.
    pub notes: Vec<String>,
}

/// A goal of a translated program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedGoal {
    /// Its name in the output of the verifier.
    pub printed: String,
    /// The goal of the original program.
    pub goal: String,
}

/// Maps lines of translated files to places in the original files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineMap {
    /// For some lines of translated files (the number of the file, and the line from 1), in
    /// ascending order: the origin of this line and of those after it.
    entries: Vec<((usize, u32), Location)>,
}

impl LineMap {
    /// Adds the origin of a line. Lines must be added in ascending order.
    pub fn add(&mut self, file: usize, line: u32, origin: Location) {
        self.entries.push(((file, line), origin));
    }

    /// The origin of a line of a translated file.
    pub fn origin(&self, file: usize, line: u32) -> Option<&Location> {
        let after = self.entries.partition_point(|(at, _)| *at <= (file, line));
        let ((found, _), origin) = self.entries.get(after.checked_sub(1)?)?;
        (*found == file).then_some(origin)
    }
}

/// The program uses a construct that the other language does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not expressible in {language}: {what}")]
pub struct NotExpressible {
    /// The other language.
    pub language: &'static str,
    /// The construct.
    pub what: String,
    /// The place of the construct.
    pub place: Option<Location>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_comes_from_where_the_last_known_one_before_it_does() {
        let at = |line| Location { file: "a".to_owned(), line, column: 1 };
        let mut map = LineMap::default();
        map.add(0, 2, at(10));
        map.add(0, 5, at(20));
        map.add(1, 1, at(30));
        let found = |file, line| map.origin(file, line).map(|origin| origin.line);
        assert_eq!([found(0, 1), found(0, 2), found(0, 4)], [None, Some(10), Some(10)]);
        assert_eq!([found(0, 9), found(1, 1), found(2, 1)], [Some(20), Some(30), None]);
    }
}
