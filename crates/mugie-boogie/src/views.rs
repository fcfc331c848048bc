//! Views of a program for people who work on mugie: tokens, tree, types.

use std::fmt::Write as _;

use bpl_check::{CheckOptions, Checked, check_with_types};
use bpl_syntax::Dialect;
use bpl_syntax::ast::{Expr, Program};
use bpl_syntax::lex::lex;
use bpl_syntax::source::{SourceFile, SourceMap};
use bpl_syntax::visit::Visit;

use crate::encoding;
use crate::layout::layout;

/// The view of types, which exists only for accepted programs.
pub(crate) const TYPES: &str = "types";

/// The views: name and description.
pub(crate) const ALL: &[(&str, &str)] = &[
    ("tokens", "Show the tokens, with the line, column, kind and text of each"),
    (
        "tree",
        "Show the syntax tree, with the byte range of each node; for a program with errors, a \
         partial tree",
    ),
    (TYPES, "Show the type of each expression of an accepted program"),
];

/// Renders a view of a program.
pub(crate) fn view(
    name: &str,
    sources: &SourceMap,
    program: &Program,
    options: CheckOptions,
) -> Option<String> {
    match name {
        "tokens" => Some(tokens(sources, program.dialect)),
        "tree" => Some(layout(&format!("{program:?}"))),
        TYPES => Some(types(sources, program, options)),
        _ => None,
    }
}

/// The largest indentation in columns.
const MAX_INDENT: usize = 40;

/// The largest number of characters shown of an expression.
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

/// A position that advances through a file. Unlike [`SourceFile::locate`] it does not count each
/// line from its start, which would take forever on a huge line.
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

fn types(sources: &SourceMap, program: &Program, options: CheckOptions) -> String {
    // The errors of the program, if any, have been reported already.
    let Ok(checked) = check_with_types(program, options) else {
        return String::new();
    };
    let Some(file) = sources.files().first() else { return String::new() };
    let place = Place { file, offset: 0, line: 1, column: 1 };
    let mut types = ShowTypes { checked, place, decl: 0, expr: 0, depth: 0, out: String::new() };
    for (index, decl) in program.decls.iter().enumerate() {
        (types.decl, types.expr) = (index, 0);
        types.visit_decl(decl);
    }
    types.out
}

/// Writes a line per expression: location, text and type, with subexpressions below the whole.
struct ShowTypes<'s> {
    checked: Checked,
    place: Place<'s>,
    /// The index of the current declaration.
    decl: usize,
    /// The number of the next expression in the declaration.
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

/// The beginning of a text, on one line.
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
