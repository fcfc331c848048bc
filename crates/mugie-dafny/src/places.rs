//! Places in Dafny's files, as Dafny writes them: `x.dfy(12,5)`.

use std::path::{Path, PathBuf};

use mugie_core::{Location, bare_name, path_name};

/// A place that begins a text, and the rest of the text. The file may have spaces in its name.
pub(crate) fn place_at_start(text: &str) -> Option<(Location, &str)> {
    let open = text.find(".dfy(")? + ".dfy".len();
    let (file, rest) = text.split_at(open);
    let close = rest.find(')')?;
    let (line, column) = rest[1..close].split_once(',')?;
    let place =
        Location { file: file.to_owned(), line: line.parse().ok()?, column: column.parse().ok()? };
    Some((place, &rest[close + 1..]))
}

/// The files of a program, by which names in Dafny's output are those of the user again.
#[derive(Debug, Default)]
pub(crate) struct FileNames {
    /// The absolute path, and the path as the user writes it.
    known: Vec<(PathBuf, String)>,
}

impl FileNames {
    /// The files that the user names, and those that Dafny mentions by their absolute paths.
    pub(crate) fn new<'p>(
        named: &[PathBuf],
        mentioned: impl IntoIterator<Item = &'p str>,
    ) -> FileNames {
        let mut known: Vec<(PathBuf, String)> = Vec::new();
        for path in named {
            let whole = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            known.push((whole, path_name(path)));
        }
        let here = std::path::absolute("x").ok().and_then(|path| Some(path.parent()?.to_owned()));
        for path in mentioned {
            let whole = Path::new(path);
            if whole.is_absolute() && !known.iter().any(|(other, _)| other == whole) {
                let inside = here.as_ref().and_then(|here| whole.strip_prefix(here).ok());
                known.push((whole.to_owned(), path_name(inside.unwrap_or(whole))));
            }
        }
        FileNames { known }
    }

    /// The user's name of a file that Dafny mentions by its path or by its bare name.
    pub(crate) fn of(&self, mentioned: &str) -> String {
        let same = |(whole, _): &&(PathBuf, String)| whole == Path::new(mentioned);
        let alike = |(whole, _): &&(PathBuf, String)| {
            whole.file_name().is_some_and(|name| *name == *bare_name(mentioned))
        };
        let found = self.known.iter().find(same).or_else(|| self.known.iter().find(alike));
        found.map_or_else(|| mentioned.to_owned(), |(_, name)| name.clone())
    }

    /// The place with the user's name of its file.
    pub(crate) fn in_user_words(&self, place: &Location) -> Location {
        Location { file: self.of(&place.file), ..place.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_and_files_named_as_by_the_user() {
        let (place, rest) = place_at_start("a b.dfy(12,5): index in range").unwrap();
        assert_eq!((place.file.as_str(), place.line, place.column), ("a b.dfy", 12, 5));
        assert_eq!(rest, ": index in range");
        assert_eq!(place_at_start("Outcome: Valid"), None);
        let names = FileNames::new(&[PathBuf::from("sub/x.dfy")], ["/elsewhere/y.dfy"]);
        assert_eq!(names.of("x.dfy"), "sub/x.dfy");
        assert_eq!(names.of("/elsewhere/y.dfy"), "/elsewhere/y.dfy");
        assert_eq!(names.of("y.dfy"), "/elsewhere/y.dfy");
        assert_eq!(names.of("z.dfy"), "z.dfy");
    }
}
