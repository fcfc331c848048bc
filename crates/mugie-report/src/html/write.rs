//! A writer for HTML and SVG that cannot write unescaped text by accident.
//!
//! Markup is `&'static str`: it is in the source of this crate. Everything known only at run time
//! is text or the value of an attribute, and is escaped. The writer knows nothing about the
//! content.

use crate::words;

/// The attributes of an element: name and value.
pub(super) type Attributes<'a> = &'a [(&'static str, &'a str)];

/// A piece of a document.
#[derive(Debug, Default)]
pub(super) struct Html {
    text: String,
}

impl Html {
    /// Writes markup unchanged.
    pub(super) fn markup(&mut self, markup: &'static str) {
        self.text.push_str(markup);
    }

    /// Writes escaped text. Invisible characters except tabs are shown as escapes.
    pub(super) fn text(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '&' => self.text.push_str("&amp;"),
                '<' => self.text.push_str("&lt;"),
                '>' => self.text.push_str("&gt;"),
                '"' => self.text.push_str("&quot;"),
                '\'' => self.text.push_str("&#39;"),
                '\t' => self.text.push('\t'),
                _ if words::is_visible(character) => self.text.push(character),
                _ => self.text.extend(character.escape_default()),
            }
        }
    }

    /// Writes an element with the content that `content` writes.
    pub(super) fn element(
        &mut self,
        name: &'static str,
        attributes: Attributes,
        content: impl FnOnce(&mut Html),
    ) {
        self.start(name, attributes);
        self.text.push('>');
        content(self);
        self.text.push_str("</");
        self.text.push_str(name);
        self.text.push('>');
    }

    /// Writes an element with text in it.
    pub(super) fn leaf(&mut self, name: &'static str, attributes: Attributes, text: &str) {
        self.element(name, attributes, |html| html.text(text));
    }

    /// Writes an element without content: `<input>` in HTML, any in SVG.
    pub(super) fn empty(&mut self, name: &'static str, attributes: Attributes) {
        self.start(name, attributes);
        self.text.push_str("/>");
    }

    /// Appends another piece.
    pub(super) fn append(&mut self, piece: &Html) {
        self.text.push_str(&piece.text);
    }

    /// The length in bytes.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// The written document.
    pub(super) fn into_string(self) -> String {
        self.text
    }

    fn start(&mut self, name: &'static str, attributes: Attributes) {
        self.text.push('<');
        self.text.push_str(name);
        for (attribute, value) in attributes {
            self.text.push(' ');
            self.text.push_str(attribute);
            self.text.push_str("=\"");
            self.text(value);
            self.text.push('"');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_values_are_escaped() {
        let mut html = Html::default();
        html.element("a", &[("title", "\"x'><b>")], |html| {
            html.text("<script>&amp;]]><!--\u{202e}\0\n\t");
        });
        assert_eq!(
            html.into_string(),
            "<a title=\"&quot;x&#39;&gt;&lt;b&gt;\">\
             &lt;script&gt;&amp;amp;]]&gt;&lt;!--\\u{202e}\\u{0}\\n\t</a>"
        );
    }
}
