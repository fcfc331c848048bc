//! The files of a program: as a user wrote them, and as a verifier gets them.

use serde::{Deserialize, Serialize};

/// A file that was read, before it is parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// The name in messages, usually the path.
    pub name: String,
    /// The content.
    pub bytes: Vec<u8>,
}

/// A file of a seed as its author wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceFile<'s> {
    /// The name in messages, usually the path.
    pub name: &'s str,
    /// The text.
    pub text: &'s str,
}

/// The text of one file of a program under mutation, which has no name yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileText {
    /// The number of the file, whatever the order in which a verifier gets the files; the main file
    /// is 0.
    pub part: usize,
    /// The text.
    pub text: String,
}

/// A program for a verifier: the name and the text of each file, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Files(
    /// Name and text of each file.
    pub Vec<(String, String)>,
);

impl Files {
    /// The names of the files.
    pub fn names(&self) -> Vec<String> {
        self.0.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The same texts under names that do not depend on the program: `program.mlw`, `program-2.mlw`. So a verifier says
    /// the same of the same text, and no name is too long or odd for it.
    #[must_use]
    pub fn named_alike(mut self) -> Files {
        for (number, (name, _)) in (1..).zip(&mut self.0) {
            let extension = name.rsplit_once('.').map_or("txt", |(_, extension)| extension);
            *name = match number {
                1 => format!("program.{extension}"),
                number => format!("program-{number}.{extension}"),
            };
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_alike_are_different_in_one_program() {
        let files = ["a b.mlw", "c.mlw", "d"].map(|name| (name.to_owned(), String::new()));
        let names = Files(files.into()).named_alike().names();
        assert_eq!(names, ["program.mlw", "program-2.mlw", "program-3.txt"]);
    }
}
