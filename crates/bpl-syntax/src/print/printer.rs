//! The text being written, and the choice between one line and several.
//!
//! A construct is first written *flat*, on one line. If it runs past the margin, the attempt is
//! cut off at once and undone, and the construct is written *broken*, its parts again flat first.
//! So each line costs at most one margin's width of wasted text, however deep the tree is.

use crate::ast::{Attr, AttrParam, Ident};
use crate::token::is_reserved;

/// No line is longer than this if there is a place to break it.
const WIDTH: usize = 100;

/// No line starts further to the right than this, however deeply it is nested.
const MAX_INDENT: usize = 60;

/// No more room than this is left for closing brackets, however deeply something is nested.
const MAX_CLOSING: usize = 20;

/// Columns per level of nesting.
const STEP: usize = 2;

/// Writes constructs into one text.
pub(super) struct Printer {
    /// What is written so far.
    out: String,
    /// Where the current line starts in `out`.
    line_start: usize,
    /// The indentation of the current construct; lines that continue it stand one step deeper.
    indent: usize,
    /// The columns taken by what is bound to follow, such as closing brackets.
    closing: usize,
    /// Whether everything goes on one line.
    flat: bool,
    /// While flat: the length of `out` past which the attempt has failed.
    limit: usize,
}

impl Printer {
    /// A printer that breaks lines, adding to a text that is empty or ends with a line break.
    pub(super) fn new(out: String) -> Printer {
        let line_start = out.len();
        Printer { out, line_start, indent: 0, closing: 0, flat: false, limit: usize::MAX }
    }

    /// A printer that puts everything on one line.
    pub(super) fn flat() -> Printer {
        Printer { flat: true, ..Printer::new(String::new()) }
    }

    /// The text.
    pub(super) fn finish(self) -> String {
        self.out
    }

    /// The length of the text.
    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    /// Whether no line was started since the text had that length.
    pub(super) fn is_one_line(&self, start: usize) -> bool {
        self.line_start <= start
    }

    /// Whether the text goes on one line.
    pub(super) fn is_flat(&self) -> bool {
        self.flat
    }

    /// Whether the attempt to stay on one line has failed, so that what is written now will be
    /// thrown away.
    pub(super) fn is_past_margin(&self) -> bool {
        self.flat && self.out.len() > self.limit
    }

    /// Whether nothing stands on the current line yet.
    pub(super) fn is_at_line_start(&self) -> bool {
        self.out.len() - self.line_start <= self.indent.min(MAX_INDENT)
    }

    /// Writes a text as it is; it must not contain line breaks.
    #[inline]
    pub(super) fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Ends the text with a line break, whatever the mode.
    pub(super) fn end_line(&mut self) {
        self.out.push('\n');
        self.line_start = self.out.len();
    }

    /// Takes back the character at `position`, which is a line break before the current line.
    pub(super) fn remove_line_break(&mut self, position: usize) {
        self.out.remove(position);
        self.line_start = self.out.len();
    }

    /// Starts a new line, or writes a blank if all goes on one line.
    pub(super) fn line(&mut self) {
        if self.flat {
            self.out.push(' ');
        } else {
            self.hard_line();
        }
    }

    /// Starts a new line for a label, which stands out to the left of the statements.
    pub(super) fn label_line(&mut self, label: &str) {
        let indent = self.indent;
        self.indent = indent.saturating_sub(STEP);
        // A `#` in the first column would be a pragma.
        if self.indent == 0 && label.starts_with('#') {
            self.indent = 1;
        }
        self.line();
        self.indent = indent;
    }

    /// Starts a new line, whatever the mode.
    fn hard_line(&mut self) {
        const BLANKS: &str = "                                                            ";
        const { assert!(BLANKS.len() == MAX_INDENT) };
        self.out.truncate(self.out.trim_end_matches(' ').len());
        self.out.push('\n');
        self.line_start = self.out.len();
        self.out.push_str(&BLANKS[..self.indent.min(MAX_INDENT)]);
        if self.flat && self.limit != usize::MAX {
            self.limit = self.line_start + WIDTH;
        }
    }

    /// Writes something one step deeper.
    pub(super) fn indented(&mut self, write: impl FnOnce(&mut Printer)) {
        self.indent += STEP;
        write(self);
        self.indent -= STEP;
    }

    /// Writes something between brackets.
    pub(super) fn enclosed(&mut self, open: &str, close: &str, write: impl FnOnce(&mut Printer)) {
        self.push(open);
        self.before(close.len(), write);
        self.push(close);
    }

    /// Writes something, leaving room for what follows it on its last line.
    pub(super) fn before(&mut self, room: usize, write: impl FnOnce(&mut Printer)) {
        self.closing += room;
        write(self);
        self.closing -= room;
    }

    /// Tries to write something on the rest of the current line. If it does not fit, nothing is
    /// written.
    pub(super) fn fits(&mut self, write: impl FnOnce(&mut Printer)) -> bool {
        if self.flat {
            write(self);
            return true;
        }
        let (start, line_start) = (self.out.len(), self.line_start);
        self.flat = true;
        // A separator or a semicolon follows nearly always.
        self.limit = line_start + WIDTH - 1 - self.closing.min(MAX_CLOSING);
        write(self);
        let fits = self.out.len() <= self.limit;
        self.flat = false;
        self.limit = usize::MAX;
        if !fits {
            self.out.truncate(start);
            self.line_start = line_start;
        }
        fits
    }

    /// Writes something after a separator; on a line of its own if only there it stays whole, or
    /// if little of the current line is left.
    pub(super) fn hanging(&mut self, separator: &str, write: impl Fn(&mut Printer)) {
        let whole = self.fits(|p| {
            p.push(separator);
            write(p);
        });
        if whole {
            return;
        }
        let (start, line_start) = (self.out.len(), self.line_start);
        self.indent += STEP;
        self.hard_line();
        let whole = self.fits(&write);
        if !whole && start - line_start > WIDTH / 2 {
            write(self);
        }
        self.indent -= STEP;
        if !whole && start - line_start <= WIDTH / 2 {
            self.out.truncate(start);
            self.line_start = line_start;
            self.push(separator);
            write(self);
        }
    }

    /// The columns that something takes on one line.
    pub(super) fn width(&mut self, write: impl FnOnce(&mut Printer)) -> usize {
        let (start, line_start, flat, limit) =
            (self.out.len(), self.line_start, self.flat, self.limit);
        (self.flat, self.limit) = (true, usize::MAX);
        write(self);
        let width = self.out.len() - start;
        self.out.truncate(start);
        (self.line_start, self.flat, self.limit) = (line_start, flat, limit);
        width
    }

    /// Writes items separated by commas, as many to a line as fit, further lines one step deeper.
    pub(super) fn list<T>(&mut self, items: &[T], write: impl Fn(&mut Printer, &T)) {
        self.separated(items, false, write);
    }

    /// Writes a list between brackets; not even the first item need stand on the current line.
    pub(super) fn bracketed<T>(
        &mut self,
        open: &str,
        items: &[T],
        close: &str,
        write: impl Fn(&mut Printer, &T),
    ) {
        self.enclosed(open, close, |p| p.separated(items, true, write));
    }

    fn separated<T>(
        &mut self,
        items: &[T],
        may_break_before_first: bool,
        write: impl Fn(&mut Printer, &T),
    ) {
        if self.flat {
            for (i, item) in items.iter().enumerate() {
                if self.is_past_margin() {
                    return;
                }
                if i > 0 {
                    self.out.push_str(", ");
                }
                write(self, item);
            }
            return;
        }
        if let [item] = items
            && !may_break_before_first
        {
            return write(self, item);
        }
        self.indented(|p| {
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    p.out.push(',');
                }
                let fits = p.fits(|p| {
                    if i > 0 {
                        p.out.push(' ');
                    }
                    write(p, item);
                });
                if !fits {
                    if i > 0 || may_break_before_first {
                        p.hard_line();
                    }
                    write(p, item);
                }
            }
        });
    }

    /// Writes items separated by blanks, as many to a line as fit.
    pub(super) fn words<T>(&mut self, items: &[T], write: impl Fn(&mut Printer, &T)) {
        for (i, item) in items.iter().enumerate() {
            let fits = self.fits(|p| {
                if i > 0 {
                    p.out.push(' ');
                }
                write(p, item);
            });
            if !fits {
                if !self.is_at_line_start() {
                    self.hard_line();
                }
                write(self, item);
            }
        }
    }

    /// Writes an identifier, with a backslash where it would be read as something else.
    #[inline]
    pub(super) fn name(&mut self, name: &str) {
        if needs_escape(name) {
            self.out.push('\\');
        }
        self.out.push_str(name);
    }

    /// Writes an identifier with a backslash.
    pub(super) fn escaped_name(&mut self, name: &str) {
        self.out.push('\\');
        self.out.push_str(name);
    }

    /// Writes an identifier.
    #[inline]
    pub(super) fn ident(&mut self, ident: &Ident) {
        let Ident { span: _, name } = ident;
        self.name(name);
    }

    /// Writes identifiers separated by commas.
    pub(super) fn idents(&mut self, idents: &[Ident]) {
        self.list(idents, Printer::ident);
    }

    /// Writes type parameters between angle brackets, or nothing if there are none.
    pub(super) fn type_params(&mut self, params: &[Ident]) {
        if !params.is_empty() {
            self.enclosed("<", ">", |p| p.idents(params));
        }
    }

    /// Writes a string with its quotes.
    pub(super) fn string(&mut self, text: &str) {
        self.out.push('"');
        self.out.push_str(text);
        self.out.push('"');
        // `"a\"` could be read on to the next quote of the line.
        if text.ends_with('\\') {
            self.indented(Printer::hard_line);
        }
    }

    /// Writes attributes, each with a blank after it.
    pub(super) fn attrs(&mut self, attrs: &[Attr]) {
        for attr in attrs {
            if !self.fits(|p| p.attr(attr)) {
                self.indented(|p| {
                    if !p.is_at_line_start() {
                        p.hard_line();
                    }
                    p.attr(attr);
                });
            }
            self.out.push(' ');
        }
    }

    /// Writes an attribute.
    pub(super) fn attr(&mut self, attr: &Attr) {
        let Attr { span: _, name, params } = attr;
        self.enclosed("{:", "}", |p| {
            p.push(name);
            if !params.is_empty() {
                p.push(" ");
                p.list(params, |p, param| match param {
                    AttrParam::Str(text) => p.string(text),
                    AttrParam::Expr(expr) => p.expr(expr),
                });
            }
        });
    }
}

/// Whether an identifier needs a backslash in order not to be read as something else.
#[inline]
fn needs_escape(name: &str) -> bool {
    // The preprocessor takes a line for a directive by how it starts, even when indented.
    let is_directive = || ["#if", "#els", "#end"].iter().any(|start| name.starts_with(start));
    is_reserved(name) || (name.starts_with('#') && is_directive())
}
