//! `mugie debug`: what mugie sees in a program. For people who work on mugie.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::slice;

use bpl_check::{Checked, Options, check_with_types};
use bpl_syntax::Dialect;
use bpl_syntax::ast::{Expr, Program};
use bpl_syntax::diagnostic::Kind;
use bpl_syntax::lex::lex;
use bpl_syntax::source::{SourceFile, SourceMap};
use bpl_syntax::visit::Visit;
use clap::{Args, Subcommand};

use crate::cli::{Exit, ReadingArgs};
use crate::encoding;
use crate::layout::layout;
use crate::load::{Reading, load};
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
  mugie debug types program.bpl
  echo 'axiom (forall x: int :: x == x);' | mugie debug tree -

Exit codes:
  0  fine
  2  the program has syntax errors (for types: any errors), the file cannot be read, or the usage is wrong";

#[derive(Debug, Subcommand)]
enum View {
    /// Show the tokens: line, column, kind and text of each
    #[command(after_help = "Examples:\n  mugie debug tokens program.bpl")]
    Tokens(Input),
    /// Show the syntax tree, with the byte range of each node; of a wrong program, what was read
    #[command(after_help = "Examples:\n  mugie debug tree program.bpl")]
    Tree(Input),
    /// Show the type of each expression of an accepted program
    #[command(after_help = "Examples:\n  mugie debug types program.bpl")]
    Types(Input),
}

#[derive(Args, Debug)]
struct Input {
    /// A Boogie program; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    reading: ReadingArgs,
}

impl Debug {
    /// Shows the view that was asked for.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        let input = match &self.view {
            View::Tokens(input) | View::Tree(input) | View::Types(input) => input,
        };
        let choice = Reading::from(&input.reading);
        let shown = parallel::alone(|| self.show(&input.file, choice, style))??;
        output::talk(&shown.talk);
        output::data(&shown.data)?;
        Ok(shown.exit)
    }

    fn show(&self, file: &PathBuf, choice: Reading, style: &Style) -> Result<Shown, Trouble> {
        let sources = read::read(slice::from_ref(file))?;
        let mut loaded = load(&sources, choice);
        encoding::explain(&sources, &mut loaded.errors);
        if !matches!(self.view, View::Types(_)) {
            loaded.errors.retain(|error| error.kind == Kind::Syntax);
        }
        let exit = if loaded.accepted() { Exit::Fine } else { Exit::CouldNot };
        let talk = style.errors(&sources, &loaded.errors, MAX_ERRORS);
        let data = match &self.view {
            View::Tokens(_) => tokens(&sources, loaded.program.dialect),
            View::Tree(_) => layout(&format!("{:?}", loaded.program)),
            View::Types(_) => types(&sources, &loaded.program),
        };
        Ok(Shown { exit, data, talk })
    }
}

struct Shown {
    exit: Exit,
    data: String,
    talk: String,
}

/// `mugie check` shows more.
const MAX_ERRORS: usize = 5;

/// No line is indented further than this.
const MAX_INDENT: usize = 40;

/// Characters shown of an expression, at most.
const EXCERPT: usize = 60;

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
        let passed = self.file.text.get(self.offset..offset);
        if let Some(passed) = passed.filter(|passed| !passed.contains(['\n', '\r'])) {
            self.column += u32::try_from(passed.chars().count()).unwrap_or(u32::MAX);
        } else {
            let location = self.file.locate(encoding::span_at(self.file, offset, 0).start);
            (self.line, self.column) = (location.line, location.column);
        }
        self.offset = offset;
    }
}

fn types(sources: &SourceMap, program: &Program) -> String {
    // Whoever asks for types has been told the errors already.
    let Ok(checked) = check_with_types(program, Options::default()) else { return String::new() };
    let Some(file) = sources.files().first() else { return String::new() };
    let place = Place { file, offset: 0, line: 1, column: 1 };
    let mut types = ShowTypes { checked, place, decl: 0, expr: 0, depth: 0, out: String::new() };
    for (index, decl) in program.decls.iter().enumerate() {
        (types.decl, types.expr) = (index, 0);
        types.visit_decl(decl);
    }
    types.out
}

/// Writes a line per expression: place, text and type, parts below the whole.
struct ShowTypes<'s> {
    checked: Checked,
    place: Place<'s>,
    /// The declaration at hand.
    decl: usize,
    /// The number of the next expression in it.
    expr: usize,
    depth: usize,
    out: String,
}

impl<'ast> Visit<'ast> for ShowTypes<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        let place = &mut self.place;
        let range = expr.span.start as usize..expr.span.end as usize;
        place.advance(range.start);
        let text = excerpt(place.file.text.get(range).unwrap_or_default());
        let at = format!("{}:{}", place.line, place.column);
        let indent = (2 * self.depth).min(MAX_INDENT);
        let _ = match self.checked.type_of(self.decl, self.expr) {
            Some(ty) => {
                let ty = self.checked.types().display(ty);
                writeln!(self.out, "{at:<8} {:indent$}{text}: {ty}", "")
            }
            None => writeln!(self.out, "{at:<8} {:indent$}{text}", ""),
        };
        self.expr += 1;
        self.depth += 1;
        self.walk_expr(expr);
        self.depth -= 1;
    }
}

/// The start of a text, in one line.
fn excerpt(text: &str) -> String {
    let mut excerpt = String::new();
    for word in text.split_whitespace() {
        if !excerpt.is_empty() {
            excerpt.push(' ');
        }
        for character in word.chars() {
            if excerpt.chars().count() >= EXCERPT {
                excerpt.push('…');
                return excerpt;
            }
            excerpt.push(character);
        }
    }
    excerpt
}
