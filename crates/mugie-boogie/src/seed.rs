//! A Boogie program to be tested, with its source files.

use std::sync::Arc;

use bpl_syntax::Dialect;
use bpl_syntax::ast::Program as Tree;
use bpl_syntax::lex::lex;
use bpl_syntax::source::SourceMap;
use bpl_syntax::token::TokenKind;
use mugie_core::{
    Defect, Edit, Failure, Language, LanguageOptions, Message, Mutant, Pair, PairError, Program,
    ReportedFailure, Seed, SourceFile,
};

use crate::language::{BOOGIE, DIALECT};
use crate::locate::{SeedSource, report_failure, report_message};
use crate::program::Changed;
use crate::reduce::BoogiePair;
use crate::subject::Subject;
use crate::validate::Validator;

/// A well-formed Boogie program and its source files.
#[derive(Debug)]
pub struct BoogieSeed {
    program: Arc<dyn Program>,
    source: SeedSource,
    options: LanguageOptions,
    checked_with: bpl_check::CheckOptions,
    validator: Validator,
}

impl BoogieSeed {
    /// Creates a seed from a program, its sources, the options it was read with, and the options it
    /// was checked with.
    pub fn new(
        tree: &Tree,
        sources: SourceMap,
        options: LanguageOptions,
        checked_with: bpl_check::CheckOptions,
    ) -> BoogieSeed {
        let subject = Subject::new(tree);
        BoogieSeed {
            program: Arc::new(subject.clone()),
            source: SeedSource::new(subject, sources),
            options,
            checked_with,
            validator: Validator::new(tree, checked_with),
        }
    }
}

impl Seed for BoogieSeed {
    fn language(&self) -> &'static dyn Language {
        BOOGIE
    }

    fn options(&self) -> &LanguageOptions {
        &self.options
    }

    /// `--dialect 2` is left out: version 2 is the default wherever it accepts the program.
    fn needed_options(&self) -> LanguageOptions {
        let needed = |(name, value): &(&str, &str)| (*name, *value) != (DIALECT, "2");
        let options = self.options.iter().filter(needed);
        let options = options.map(|(name, value)| (name.to_owned(), value.to_owned()));
        options.collect()
    }

    fn sources(&self) -> Vec<SourceFile<'_>> {
        let files = self.source.sources().files().iter();
        files.map(|file| SourceFile { name: &file.name, text: &file.text }).collect()
    }

    fn program(&self) -> &Arc<dyn Program> {
        &self.program
    }

    fn validate(&self, mutant: &Mutant) -> Result<(), Defect> {
        let Mutant { program, change, edits, .. } = mutant;
        let (Some(edit), Some(subject), Some(Changed { decls, .. })) =
            (edits.last(), Subject::of(&**program), change.get())
        else {
            return Ok(());
        };
        self.validator.validate(subject, edit, decls)
    }

    fn code_lines(&self) -> usize {
        let files = self.source.sources().files().iter().enumerate();
        let dialect = self.source.subject().dialect();
        files.map(|(index, file)| code_lines(&file.text, index, dialect)).sum()
    }

    fn unit_line(&self, unit: usize) -> Option<u32> {
        self.source.location(unit).map(|location| location.line)
    }

    fn locate_failure(
        &self,
        mutant: &dyn Program,
        files: &[String],
        failure: &Failure,
    ) -> ReportedFailure {
        match Subject::of(mutant) {
            Some(mutant) => report_failure(&self.source, mutant, files, failure),
            None => failure.into(),
        }
    }

    fn locate_message(
        &self,
        mutant: &dyn Program,
        files: &[String],
        message: &Message,
    ) -> ReportedFailure {
        match Subject::of(mutant) {
            Some(mutant) => report_message(&self.source, mutant, files, message),
            None => message.into(),
        }
    }

    fn pair(&self, edits: &[Edit]) -> Result<Arc<dyn Pair>, PairError> {
        let tree = self.source.subject().program();
        Ok(Arc::new(BoogiePair::new(&tree, self.checked_with, edits)?))
    }
}

/// The number of lines on which a token starts.
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
