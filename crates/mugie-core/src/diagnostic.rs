//! What is wrong with a program, as data. Rendering is left to whoever shows it.

/// A source line of more bytes is not kept; its neighbourhood is.
const MAX_LINE: usize = 4000;

/// Characters kept of such a line, on either side of the place in question.
const NEIGHBOURHOOD: usize = 30;

/// One thing that is wrong, at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Which rule book was broken: `syntax`, `type`.
    pub kind: &'static str,
    /// What is wrong, in a lower-case fragment without a full stop.
    pub message: String,
    /// What to do about it, where that can be said.
    pub help: Option<String>,
    /// The place to look at first.
    pub place: Option<Excerpt>,
    /// Further places that matter: the other declaration, say.
    pub related: Vec<(Option<Excerpt>, String)>,
}

/// A place in a source, with enough of the text around it to show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The file.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    /// The line, or the neighbourhood of the place in a very long one.
    pub text: String,
    /// The place in the text, in bytes.
    pub range: std::ops::Range<usize>,
    /// Whether the text is only the neighbourhood of the place.
    pub is_cut: bool,
}

impl Excerpt {
    /// The place in a line that starts at a column and is `length` bytes long. What goes on behind
    /// the line is shown up to its end.
    pub fn new(file: &str, (line, column): (u32, u32), text: &str, length: usize) -> Excerpt {
        let skipped = (column as usize).saturating_sub(1);
        let from = text.char_indices().nth(skipped).map_or(text.len(), |(byte, _)| byte);
        Excerpt::at(file, (line, column), text, from..from.saturating_add(length))
    }

    /// The place in a line that is given in bytes, too, so that there is nothing to be counted.
    /// What goes on behind the line is shown up to its end.
    pub fn at(
        file: &str,
        (line, column): (u32, u32),
        text: &str,
        place: std::ops::Range<usize>,
    ) -> Excerpt {
        let from = text.floor_char_boundary(place.start.min(text.len()));
        let to = text.floor_char_boundary(place.end.min(text.len())).max(from);
        let file = file.to_owned();
        if text.len() <= MAX_LINE {
            let (text, range, is_cut) = (text.to_owned(), from..to, false);
            return Excerpt { file, line, column, text, range, is_cut };
        }
        let (before, after) = text.split_at(from);
        let start = before.char_indices().rev().nth(NEIGHBOURHOOD - 1).map_or(0, |(byte, _)| byte);
        let end = after.char_indices().nth(NEIGHBOURHOOD).map_or(after.len(), |(byte, _)| byte);
        let text = text[start..from + end].to_owned();
        let range = from - start..(to - start).min(text.len());
        Excerpt { file, line, column, text, range, is_cut: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(excerpt: &Excerpt) -> &str {
        &excerpt.text[excerpt.range.clone()]
    }

    #[test]
    fn a_place_is_shown_up_to_the_end_of_its_line() {
        let line = "const \u{e9}: bool;";
        let excerpt = Excerpt::new("a.bpl", (3, 10), line, 4);
        assert_eq!((excerpt.line, excerpt.column, shown(&excerpt)), (3, 10, "bool"));
        assert_eq!((excerpt.text.as_str(), excerpt.is_cut), (line, false));
        // The rest of it stands on lines below.
        assert_eq!(shown(&Excerpt::new("a.bpl", (3, 10), line, 400)), "bool;");
        assert_eq!(shown(&Excerpt::new("a.bpl", (3, 10), line, usize::MAX)), "bool;");
        // It is the end of the line itself.
        let end = Excerpt::new("a.bpl", (3, 15), line, 1);
        assert_eq!(end.range, line.len()..line.len());
        // Half of a character is not shown.
        assert_eq!(shown(&Excerpt::new("a.bpl", (3, 7), line, 1)), "");
    }

    #[test]
    fn of_a_very_long_line_only_the_neighbourhood_is_kept() {
        let line = format!("{}here{}", "\u{e9}".repeat(5000), "\u{e8}".repeat(5000));
        let excerpt = Excerpt::new("a.bpl", (1, 5001), &line, 4);
        assert!(excerpt.is_cut);
        assert_eq!((excerpt.column, shown(&excerpt)), (5001, "here"));
        let (before, after) = ("\u{e9}".repeat(NEIGHBOURHOOD), "\u{e8}".repeat(NEIGHBOURHOOD - 4));
        assert_eq!(excerpt.text, format!("{before}here{after}"));
        // What is longer than its neighbourhood is shown as far as that goes.
        let long = Excerpt::new("a.bpl", (1, 5001), &line, 9000);
        assert_eq!(shown(&long), format!("here{after}"));
        // There is less of it at either end.
        let first = Excerpt::new("a.bpl", (1, 1), &line, 2);
        assert_eq!((first.text.as_str(), first.range), (before.as_str(), 0..2));
        let last = Excerpt::new("a.bpl", (1, 10_004), &line, 2);
        assert_eq!((shown(&last), last.text.chars().count()), ("\u{e8}", NEIGHBOURHOOD + 1));
    }
}
