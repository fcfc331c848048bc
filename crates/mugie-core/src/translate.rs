//! Translators: from the files of one language to those of another, for verifiers that read that.

use std::fmt;

use crate::files::Files;
use crate::verdict::Location;

/// A translator.
pub trait Translator: Sync + fmt::Debug {
    /// The language that it reads.
    fn from(&self) -> &'static str;

    /// The language that it writes, as definitions of verifiers name it in `input`.
    fn to(&self) -> &'static str;

    /// Changes whenever the same files would be translated in another way: part of what verdicts
    /// depend on.
    fn version(&self) -> &'static str;

    /// The files in the other language.
    fn translate(&self, files: &Files) -> Result<Translated, NotExpressible>;
}

/// What a translator wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Translated {
    /// The files.
    pub files: Files,
    /// The way back.
    pub lines: LineMap,
}

/// From lines of translated files to places in the files that they were made from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineMap {
    /// For some lines of a translated file (its number, and the line from 1), in ascending order:
    /// the place that this line and those after it come from.
    entries: Vec<((usize, u32), Location)>,
}

impl LineMap {
    /// Takes note of where a line comes from. Lines come in ascending order.
    pub fn add(&mut self, file: usize, line: u32, origin: Location) {
        self.entries.push(((file, line), origin));
    }

    /// Where a line of a translated file comes from.
    pub fn origin(&self, file: usize, line: u32) -> Option<&Location> {
        let after = self.entries.partition_point(|(at, _)| *at <= (file, line));
        let ((found, _), origin) = self.entries.get(after.checked_sub(1)?)?;
        (*found == file).then_some(origin)
    }
}

/// What a program says cannot be said in the other language.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not expressible in {language}: {what}")]
pub struct NotExpressible {
    /// The other language.
    pub language: &'static str,
    /// What cannot be said.
    pub what: String,
    /// Where it stands.
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
