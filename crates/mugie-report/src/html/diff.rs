//! A unified diff, side by side.
//!
//! Text that is not a unified diff is shown line by line. A replaced line is next to its
//! replacement, and the part in which they differ is highlighted.

use super::write::Html;

/// The most rows shown of a diff. The commands of the mutant reproduce the rest.
const MAX_ROWS: usize = 120;

/// A line of text and its number in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line<'t> {
    number: usize,
    text: &'t str,
}

/// A row of the two columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DiffRow<'t> {
    /// The name of a file, a gap between lines, or a remark.
    Remark(&'t str),
    /// A line that is the same on both sides.
    Same(Line<'t>, Line<'t>),
    /// A line on one side only, or a replaced line.
    Changed(Option<Line<'t>>, Option<Line<'t>>),
}

/// Writes a diff as a table with the seed on the left and the mutant on the right.
pub(super) fn write(html: &mut Html, diff: &str) {
    let rows = rows(diff);
    html.element("table", &[("class", "diff")], |html| {
        html.markup(
            "<caption class=\"unseen\">The seed and the mutant side by side</caption>\
             <thead><tr><th scope=\"col\">Seed</th><th scope=\"col\">Mutant</th></tr></thead>",
        );
        html.element("tbody", &[], |html| {
            for row in rows.iter().take(MAX_ROWS) {
                html.element("tr", &[], |html| write_row(html, *row));
            }
            if rows.len() > MAX_ROWS {
                let more = format!("and {} more rows", rows.len() - MAX_ROWS);
                html.element("tr", &[], |html| write_row(html, DiffRow::Remark(&more)));
            }
        });
    });
}

fn write_row(html: &mut Html, row: DiffRow) {
    match row {
        DiffRow::Remark(text) => {
            html.leaf("td", &[("colspan", "2"), ("class", "remark")], text);
        }
        DiffRow::Same(old, new) => {
            cell(html, "", Some(old), None);
            cell(html, "twin", Some(new), None);
        }
        DiffRow::Changed(old, new) => {
            cell(html, "old", old, new);
            cell(html, "new", new, old);
        }
    }
}

/// Writes one side, with the part that is not in `other` highlighted.
fn cell(html: &mut Html, class: &'static str, line: Option<Line>, other: Option<Line>) {
    let Some(line) = line else {
        html.leaf("td", &[("class", "none")], "");
        return;
    };
    let number = line.number.to_string();
    let attributes = [("data-line", number.as_str()), ("class", class)];
    let attributes = if class.is_empty() { &attributes[..1] } else { &attributes[..] };
    html.element("td", attributes, |html| match other {
        Some(other) => {
            let (start, end) = different(line.text, other.text);
            html.text(&line.text[..start]);
            if start < end {
                html.leaf("mark", &[], &line.text[start..end]);
            }
            html.text(&line.text[end..]);
        }
        None => html.text(line.text),
    });
}

/// The range of a text between its common prefix and its common suffix with another text.
fn different(text: &str, other: &str) -> (usize, usize) {
    let pairs = text.chars().zip(other.chars());
    let start: usize = pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let pairs = text[start..].chars().rev().zip(other[start..].chars().rev());
    let tail: usize = pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    (start, text.len() - tail)
}

fn rows(diff: &str) -> Vec<DiffRow<'_>> {
    let mut rows = Vec::new();
    let mut hunk = Hunk::default();
    for line in diff.lines() {
        // Not every line that looks like a header is one: the hunk's own header gives its length.
        if hunk.old_left + hunk.new_left == 0 {
            hunk.flush(&mut rows);
            if let Some(next) = Hunk::parse(line) {
                if rows.iter().any(|row| !matches!(row, DiffRow::Remark(_))) {
                    rows.push(DiffRow::Remark("⋯"));
                }
                hunk = next;
            } else if let Some(name) = line.strip_prefix("+++ ") {
                rows.push(DiffRow::Remark(name));
            } else if !line.starts_with("--- ") {
                rows.push(DiffRow::Remark(line.strip_prefix("\\ ").unwrap_or(line)));
            }
            continue;
        }
        match line.bytes().next() {
            Some(b'-') => hunk.old(&line[1..], &mut rows),
            Some(b'+') => hunk.new_line(&line[1..]),
            Some(b' ') => hunk.same(&line[1..], &mut rows),
            // Some programs drop the space of an empty line.
            None => hunk.same("", &mut rows),
            Some(_) => {
                hunk.flush(&mut rows);
                rows.push(DiffRow::Remark(line.strip_prefix("\\ ").unwrap_or(line)));
            }
        }
    }
    hunk.flush(&mut rows);
    rows
}

/// The hunk that is being read.
#[derive(Debug, Default)]
struct Hunk<'t> {
    old_line: usize,
    old_left: usize,
    new_line: usize,
    new_left: usize,
    removed: Vec<Line<'t>>,
    added: Vec<Line<'t>>,
}

impl<'t> Hunk<'t> {
    /// Parses the header of a hunk: `@@ -1,3 +1,4 @@`.
    fn parse(line: &str) -> Option<Hunk<'t>> {
        let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        let range = |text: &str| {
            let (line, count) = text.split_once(',').unwrap_or((text, "1"));
            Some((line.parse::<usize>().ok()?, count.parse::<usize>().ok()?))
        };
        let ((old_line, old_left), (new_line, new_left)) = (range(old)?, range(new)?);
        Some(Hunk { old_line, old_left, new_line, new_left, ..Hunk::default() })
    }

    fn take_old(&mut self, text: &'t str) -> Line<'t> {
        let line = Line { number: self.old_line, text };
        self.old_line = self.old_line.saturating_add(1);
        self.old_left = self.old_left.saturating_sub(1);
        line
    }

    fn take_new(&mut self, text: &'t str) -> Line<'t> {
        let line = Line { number: self.new_line, text };
        self.new_line = self.new_line.saturating_add(1);
        self.new_left = self.new_left.saturating_sub(1);
        line
    }

    fn old(&mut self, text: &'t str, rows: &mut Vec<DiffRow<'t>>) {
        if !self.added.is_empty() {
            self.flush(rows);
        }
        let line = self.take_old(text);
        self.removed.push(line);
    }

    fn new_line(&mut self, text: &'t str) {
        let line = self.take_new(text);
        self.added.push(line);
    }

    fn same(&mut self, text: &'t str, rows: &mut Vec<DiffRow<'t>>) {
        self.flush(rows);
        let (old, new) = (self.take_old(text), self.take_new(text));
        rows.push(DiffRow::Same(old, new));
    }

    /// Puts removed lines next to added ones.
    fn flush(&mut self, rows: &mut Vec<DiffRow<'t>>) {
        for row in 0..self.removed.len().max(self.added.len()) {
            let at = |lines: &[Line<'t>]| lines.get(row).copied();
            rows.push(DiffRow::Changed(at(&self.removed), at(&self.added)));
        }
        self.removed.clear();
        self.added.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: usize, text: &str) -> Line<'_> {
        Line { number, text }
    }

    #[test]
    fn replaced_lines_stand_side_by_side() {
        let diff = "--- a\n+++ b\n@@ -3,4 +3,3 @@\n x\n--- p\n-q\n+r\n y\n@@ -9 +8 @@\n-s\n+t\n";
        assert_eq!(
            rows(diff),
            [
                DiffRow::Remark("b"),
                DiffRow::Same(line(3, "x"), line(3, "x")),
                DiffRow::Changed(Some(line(4, "-- p")), Some(line(4, "r"))),
                DiffRow::Changed(Some(line(5, "q")), None),
                DiffRow::Same(line(6, "y"), line(5, "y")),
                DiffRow::Remark("⋯"),
                DiffRow::Changed(Some(line(9, "s")), Some(line(8, "t"))),
            ]
        );
    }

    #[test]
    fn the_different_part_is_between_the_common_ends() {
        assert_eq!(different("x := 好 + 1;", "x := 坏 + 1;"), (5, 8));
        assert_eq!(different("aa", "aaa"), (2, 2));
        assert_eq!(different("aba", "aa"), (1, 2));
        assert_eq!(different("same", "same"), (4, 4));
    }

    #[test]
    fn what_is_no_diff_is_shown_as_it_is() {
        let garbage = "@@ -x +y @@\nhello\n@@ -1,99999999999999999999999 +1 @@\n\\ no newline\n";
        assert_eq!(rows(garbage).len(), 4);
        assert_eq!(rows("@@ -1,2 +1,2 @@\nß?\n-a").len(), 2);
        assert_eq!(rows(""), []);
    }

    #[test]
    fn long_diffs_are_cut() {
        let mut diff = "@@ -0,0 +1,500 @@\n".to_owned();
        diff.push_str(&"+x\n".repeat(500));
        let mut html = Html::default();
        write(&mut html, &diff);
        let text = html.into_string();
        assert!(text.contains("and 380 more rows"), "{text}");
        assert_eq!(text.matches("<tr>").count(), MAX_ROWS + 2);
    }
}
