//! The names of mutants and their files.

use std::path::Path;

use crate::files::Files;
use crate::program::Program;
use crate::shown::{path_name, tame};

/// The naming scheme for the mutants of a seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    stem: String,
    source: String,
    extension: &'static str,
    width: usize,
}

impl Naming {
    /// Names for up to `number` mutants of the seed at a path; `-` and `<stdin>` are standard input.
    /// The files have the given extension, and no invisible characters in their names.
    pub fn new(path: &Path, number: usize, extension: &'static str) -> Naming {
        let name = |part: Option<&std::ffi::OsStr>| {
            part.filter(|part| *part != "-" && *part != "<stdin>")
                .map_or_else(|| "stdin".to_owned(), |part| path_name(Path::new(part)))
        };
        Naming {
            stem: tame(&name(path.file_stem())),
            source: name(path.file_name()),
            extension,
            width: number.max(1).ilog10().max(3) as usize + 1,
        }
    }

    /// The name of the seed's file without its extension.
    pub fn stem(&self) -> &str {
        &self.stem
    }

    /// The name of the seed's file.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The name of a mutant; number 0 is the seed.
    pub fn name(&self, number: usize) -> String {
        match number {
            0 => self.source.clone(),
            number => format!("{}-{number:0width$}", self.stem, width = self.width),
        }
    }

    /// The names of a mutant's files, in the order in which a verifier gets them.
    pub fn files(&self, number: usize, program: &dyn Program) -> Vec<String> {
        numbered_files(&self.name(number), program.file_count(), self.extension)
    }

    /// The files of a mutant for a verifier.
    pub fn program(&self, number: usize, program: &dyn Program) -> Files {
        let texts = program.texts().into_iter().map(|file| file.text);
        Files(self.plain_files(number, program).into_iter().zip(texts).collect())
    }

    /// The names of a mutant's files for a verifier.
    pub fn plain_files(&self, number: usize, program: &dyn Program) -> Vec<String> {
        self.files(number, program).iter().map(|name| plain(name, self.extension)).collect()
    }

    /// The name of the seed's file for a verifier.
    pub fn plain_source(&self) -> String {
        plain(&self.source, self.extension)
    }
}

/// The files of a program, named after `stem`.
pub fn files_of(program: &dyn Program, stem: &str, extension: &str) -> Files {
    let names = numbered_files(stem, program.file_count(), extension);
    Files(names.into_iter().zip(program.texts().into_iter().map(|file| file.text)).collect())
}

fn numbered_files(stem: &str, number: usize, extension: &str) -> Vec<String> {
    match number {
        1 => vec![format!("{stem}.{extension}")],
        number => (1..=number).map(|file| format!("{stem}-{file}.{extension}")).collect(),
    }
}

/// A file name that no verifier takes for an option, a list of files or standard input, and that
/// needs no quotes in a shell.
pub fn plain(name: &str, extension: &str) -> String {
    let stem = name.strip_suffix(extension).and_then(|stem| stem.strip_suffix('.'));
    let stem = stem.unwrap_or(name);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let mut plain: String = stem.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    if plain.is_empty() || plain.starts_with(['-', '.']) || plain == "stdin" {
        plain.insert(0, '_');
    }
    format!("{plain}.{extension}")
}

/// The name of a goal in the name of a file, as Boogie writes it for `@PROC@`.
pub fn in_file_name(goal: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' };
    goal.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutants_are_called_after_their_seed() {
        let naming = Naming::new(Path::new("dir/max.bpl"), 100, "bpl");
        assert_eq!((naming.name(0), naming.name(7)), ("max.bpl".to_owned(), "max-0007".to_owned()));
        assert_eq!(Naming::new(Path::new("-"), 20_000, "bpl").name(7), "stdin-00007");
        let naming = Naming::new(Path::new("a\nb\x1b.bpl"), 1, "bpl");
        assert_eq!((naming.name(0), naming.name(1)), ("a\nb\x1b.bpl".into(), "a_b_-0001".into()));
    }

    #[test]
    fn files_for_verifiers_have_plain_names() {
        let plain = |name| plain(name, "bpl");
        assert_eq!(plain("max-0007.bpl"), "max-0007.bpl");
        assert_eq!(plain("stdin.bpl"), "_stdin.bpl");
        assert_eq!(plain("-x y/ü.bpl"), "_-x_y__.bpl");
        assert_eq!(plain(".."), "_...bpl");
        assert_eq!(plain(""), "_.bpl");
    }
}
