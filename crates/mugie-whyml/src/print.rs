//! The text under construction, and where its lines come from.

use bpl_syntax::span::Span;

/// The text of a module.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) text: String,
    /// The number of lines so far.
    lines: u32,
    /// For some lines, counted from 1, the origin of this line and those after it.
    pub(crate) origins: Vec<(u32, Span)>,
    indent: usize,
}

impl Page {
    /// Appends a line.
    pub(crate) fn line(&mut self, text: &str) {
        for _ in 0..self.indent.min(40) {
            self.text.push_str("  ");
        }
        self.text.push_str(text);
        self.text.push('\n');
        self.lines += 1;
    }

    /// Appends a line that comes from a place in the program.
    pub(crate) fn line_from(&mut self, span: Span, text: &str) {
        self.origins.push((self.lines + 1, span));
        self.line(text);
    }

    /// Appends a line that may come from a place in the program.
    pub(crate) fn line_maybe_from(&mut self, span: Option<Span>, text: &str) {
        match span {
            Some(span) => self.line_from(span, text),
            None => self.line(text),
        }
    }

    /// Appends a line, and indents those after it.
    pub(crate) fn open(&mut self, text: &str) {
        self.line(text);
        self.indent += 1;
    }

    /// Ends an indentation, and appends a line.
    pub(crate) fn close(&mut self, text: &str) {
        self.indent = self.indent.saturating_sub(1);
        self.line(text);
    }

    /// Ends an indentation, appends a line, and indents again.
    pub(crate) fn divide(&mut self, text: &str) {
        self.close(text);
        self.indent += 1;
    }

    /// Appends another text.
    pub(crate) fn append(&mut self, other: &Page) {
        let before = self.lines;
        self.origins.extend(other.origins.iter().map(|&(line, span)| (line + before, span)));
        self.text.push_str(&other.text);
        self.lines += other.lines;
    }
}
