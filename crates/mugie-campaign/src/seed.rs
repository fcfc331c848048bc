//! A seed that was read and found well-formed: its program, and its files for a verifier.

use std::path::Path;
use std::sync::Arc;

use bpl_syntax::Dialect;
use bpl_syntax::ast::Program;
use bpl_syntax::lex::lex;
use bpl_syntax::source::SourceMap;
use bpl_syntax::token::TokenKind;
use mugie_operators::{Edit, Subject, Validator};

use crate::minimise::{Pair, PairError};
use crate::naming::{Naming, plain};
use crate::places::SeedSource;
use crate::runs::Files;

/// A seed that was read and found well-formed.
#[derive(Debug)]
pub struct Seed {
    name: String,
    source: SeedSource,
    options: bpl_check::Options,
    validator: Arc<Validator>,
}

impl Seed {
    /// A seed, with the name to call it by: its file, as given. The program was read from these
    /// sources and checked with these options.
    pub fn new(
        name: String,
        program: &Program,
        sources: SourceMap,
        options: bpl_check::Options,
    ) -> Seed {
        let validator = Arc::new(Validator::new(program, options));
        Seed { name, source: SeedSource::new(Subject::new(program), sources), options, validator }
    }

    /// The seed with a mutant of it, to be made small.
    pub fn pair(&self, edits: &[Edit]) -> Result<Pair, PairError> {
        Pair::new(&self.subject().program(), self.options, edits)
    }

    /// What to call it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The program.
    pub fn subject(&self) -> &Subject {
        self.source.subject()
    }

    /// The program and where it was read.
    pub(crate) fn source(&self) -> &SeedSource {
        &self.source
    }

    /// What checks its mutants.
    pub(crate) fn validator(&self) -> &Arc<Validator> {
        &self.validator
    }

    /// How its mutants are called, up to so many of them.
    pub(crate) fn naming(&self, number: usize) -> Naming {
        Naming::new(path(&self.name), number)
    }

    /// Its files as the user wrote them.
    pub(crate) fn original_files(&self) -> Files {
        let files = self.source.sources().files();
        let one = files.len() == 1;
        let name = |(index, name): (usize, &str)| {
            let bare = Naming::new(path(name), 0).source().to_owned();
            if one { plain(&bare) } else { plain(&format!("{}-{bare}", index + 1)) }
        };
        let files = files.iter().enumerate();
        Files(files.map(|(i, file)| (name((i, &file.name)), file.text.clone())).collect())
    }

    /// The canonical layout, under the name of the original: the layout is all that differs.
    pub(crate) fn printed_files(&self) -> Files {
        let text = self.subject().files().into_iter().map(|file| file.text).collect();
        Files(vec![(plain(self.naming(0).source()), text)])
    }

    /// The files of a mutant of it.
    pub fn files_of(&self, mutant: &Subject) -> Files {
        self.naming(1).program(1, mutant)
    }

    /// The lines of its files that are neither blank nor comment.
    pub(crate) fn code_lines(&self) -> usize {
        let files = self.source.sources().files().iter().enumerate();
        let dialect = self.subject().dialect();
        files.map(|(index, file)| code_lines(&file.text, index, dialect)).sum()
    }
}

/// The path of a file, by what it is called in messages.
pub(crate) fn path(name: &str) -> &Path {
    Path::new(if name == "<stdin>" { "-" } else { name })
}

/// The lines on which a token starts.
fn code_lines(text: &str, index: usize, dialect: Dialect) -> usize {
    let mut lines = 0;
    let mut next_line = 0;
    for token in lex(text, 0, index, dialect).tokens {
        let start = token.start as usize;
        if token.kind != TokenKind::End && start >= next_line {
            lines += 1;
            next_line = text[start..].find('\n').map_or(text.len(), |end| start + end + 1);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_and_comments_are_no_code() {
        let text = "// a\nvar x: int; var y: int;\n\n/* b\n c */ axiom true;\n\n  axiom\n false;";
        assert_eq!(code_lines(text, 0, Dialect::Boogie2), 4);
        assert_eq!(code_lines("", 0, Dialect::Boogie2), 0);
    }
}
