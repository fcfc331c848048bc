//! Errors in a program, as data. Rendering is left to the caller.

/// The longest source line, in bytes, that an excerpt keeps whole. Of a longer line only the
/// surroundings of the place are kept.
const MAX_LINE: usize = 4000;

/// Characters kept of a longer line on either side of the place. Raising it shows more context.
const NEIGHBOURHOOD: usize = 30;

/// One error at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The class of the error: `syntax`, `type`.
    pub kind: &'static str,
    /// What is wrong, as a lower-case fragment without a full stop.
    pub message: String,
    /// What to do about it, if that is known.
    pub help: Option<String>,
    /// The place to look at first.
    pub place: Option<Excerpt>,
    /// Further places that matter, such as the other declaration.
    pub related: Vec<(Option<Excerpt>, String)>,
}

/// A place in a source, with enough of the surrounding text to show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The line, or the surroundings of the place in a very long line.
    pub text: String,
    /// The place in `text`, in bytes.
    pub range: std::ops::Range<usize>,
    /// Whether `text` is only a part of the line.
    pub is_cut: bool,
}

impl Excerpt {
    /// The place of `length` bytes at a column of a line. A place that continues on the next line
    /// is shown up to the end of this line.
    pub fn new(file: &str, (line, column): (u32, u32), text: &str, length: usize) -> Excerpt {
        let skipped = (column as usize).saturating_sub(1);
        let from = text.char_indices().nth(skipped).map_or(text.len(), |(byte, _)| byte);
        Excerpt::at(file, (line, column), text, from..from.saturating_add(length))
    }

    /// The place at a column whose position in bytes is known as well, which saves counting. A
    /// place that continues on the next line is shown up to the end of this line.
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
        // A place that continues on the next lines.
        assert_eq!(shown(&Excerpt::new("a.bpl", (3, 10), line, 400)), "bool;");
        assert_eq!(shown(&Excerpt::new("a.bpl", (3, 10), line, usize::MAX)), "bool;");
        // A place at the very end of the line.
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
        // A place longer than its surroundings is cut.
        let long = Excerpt::new("a.bpl", (1, 5001), &line, 9000);
        assert_eq!(shown(&long), format!("here{after}"));
        // There is less context at either end of the line.
        let first = Excerpt::new("a.bpl", (1, 1), &line, 2);
        assert_eq!((first.text.as_str(), first.range), (before.as_str(), 0..2));
        let last = Excerpt::new("a.bpl", (1, 10_004), &line, 2);
        assert_eq!((shown(&last), last.text.chars().count()), ("\u{e8}", NEIGHBOURHOOD + 1));
    }
}
