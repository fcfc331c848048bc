//! The output text, and the choice between one line and several.
//!
//! A construct is first written *flat*, on one line. If it exceeds the margin, the attempt is
//! stopped at once and undone, and the construct is written *broken*, with each part again tried
//! flat first. So each line wastes at most one line width of text, however deep the tree is.

use crate::ast::{Attr, AttrParam, Ident};
use crate::token::is_reserved;

/// The largest line width in columns, wherever a line can be broken.
const WIDTH: usize = 100;

/// The largest indentation in columns, however deep the nesting.
const MAX_INDENT: usize = 60;

/// The largest number of columns reserved for closing brackets, however deep the nesting.
const MAX_CLOSING: usize = 20;

/// The indentation in columns per level of nesting.
const STEP: usize = 2;

/// Writes constructs into one text.
pub(super) struct Printer {
    /// The text so far.
    out: String,
    /// The offset of the current line in `out`.
    line_start: usize,
    /// The indentation of the current construct; continuation lines are indented one step more.
    indent: usize,
    /// The number of columns reserved for text that must follow, such as closing brackets.
    closing: usize,
    /// Whether everything goes on one line.
    flat: bool,
    /// In flat mode, the length of `out` at which the attempt has failed.
    limit: usize,
}

impl Printer {
    /// Creates a printer that breaks lines. It appends to a text that is empty or ends with a line
    /// break.
    pub(super) fn new(out: String) -> Printer {
        let line_start = out.len();
        Printer { out, line_start, indent: 0, closing: 0, flat: false, limit: usize::MAX }
    }

    /// Creates a printer that puts everything on one line.
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

    /// Whether no new line has been started since the text had this length.
    pub(super) fn is_one_line(&self, start: usize) -> bool {
        self.line_start <= start
    }

    /// Whether everything goes on one line.
    pub(super) fn is_flat(&self) -> bool {
        self.flat
    }

    /// Whether the attempt to stay on one line has failed, so that everything written now will be
    /// discarded.
    pub(super) fn is_past_margin(&self) -> bool {
        self.flat && self.out.len() > self.limit
    }

    /// Whether the current line is empty.
    pub(super) fn is_at_line_start(&self) -> bool {
        self.out.len() - self.line_start <= self.indent.min(MAX_INDENT)
    }

    /// Writes a text verbatim; it must not contain line breaks.
    #[inline]
    pub(super) fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Ends the text with a line break, in either mode.
    pub(super) fn end_line(&mut self) {
        self.out.push('\n');
        self.line_start = self.out.len();
    }

    /// Removes the character at `position`, which is a line break before the current line.
    pub(super) fn remove_line_break(&mut self, position: usize) {
        self.out.remove(position);
        self.line_start = self.out.len();
    }

    /// Starts a new line, or writes a blank in flat mode.
    pub(super) fn line(&mut self) {
        if self.flat {
            self.out.push(' ');
        } else {
            self.hard_line();
        }
    }

    /// Starts a new line for a label, which is indented less than the statements.
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

    /// Starts a new line, in either mode.
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

    /// Writes something, leaving `room` columns for the text after it on its last line.
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
        // Leave room for the separator or semicolon that nearly always follows.
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

    /// Writes something after a separator. It goes on a new line if it fits on one line only there,
    /// or if little of the current line is left.
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

    /// The number of columns that something takes on one line.
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

    /// Writes items separated by commas, as many per line as fit, with continuation lines one step
    /// deeper.
    pub(super) fn list<T>(&mut self, items: &[T], write: impl Fn(&mut Printer, &T)) {
        self.separated(items, false, write);
    }

    /// Writes a list between brackets. Even the first item may go on a new line.
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

    /// Writes items separated by blanks, as many per line as fit.
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

    /// Writes an identifier, with a backslash if it would be read as something else.
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
        // The string `"a\"` could extend to the next quote on the line.
        if text.ends_with('\\') {
            self.indented(Printer::hard_line);
        }
    }

    /// Writes attributes, each followed by a blank.
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

/// Whether an identifier would be read as something else without a backslash.
#[inline]
fn needs_escape(name: &str) -> bool {
    // The preprocessor recognises a directive by the start of its line, even if the line is
    // indented.
    let is_directive = || ["#if", "#els", "#end"].iter().any(|start| name.starts_with(start));
    is_reserved(name) || (name.starts_with('#') && is_directive())
}
