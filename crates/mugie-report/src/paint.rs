//! Terminal colours.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

/// Colours text, or leaves it unchanged.
#[derive(Clone, Copy)]
pub(crate) struct Paint {
    /// Whether to colour.
    pub(crate) colour: bool,
}

impl Paint {
    /// Something wrong.
    pub(crate) fn bad(self, text: impl Display) -> String {
        self.with(AnsiColor::Red.on_default().bold(), text)
    }

    /// A good result.
    pub(crate) fn good(self, text: impl Display) -> String {
        self.with(AnsiColor::Green.on_default().bold(), text)
    }

    /// No result.
    pub(crate) fn unknown(self, text: impl Display) -> String {
        self.with(AnsiColor::Yellow.on_default().bold(), text)
    }

    /// A heading.
    pub(crate) fn heading(self, text: impl Display) -> String {
        self.with(Style::new().bold(), text)
    }

    /// Less important text.
    pub(crate) fn label(self, text: impl Display) -> String {
        self.with(Style::new().dimmed(), text)
    }

    /// A line of a unified diff.
    pub(crate) fn diff_line(self, line: &str, shown: impl Display) -> String {
        if line.starts_with("+++") || line.starts_with("---") {
            self.heading(shown)
        } else if line.starts_with('+') {
            self.with(AnsiColor::Green.on_default(), shown)
        } else if line.starts_with('-') {
            self.with(AnsiColor::Red.on_default(), shown)
        } else if line.starts_with("@@") {
            self.with(AnsiColor::Cyan.on_default(), shown)
        } else {
            shown.to_string()
        }
    }

    fn with(self, style: Style, text: impl Display) -> String {
        if self.colour { format!("{style}{text}{style:#}") } else { text.to_string() }
    }
}
