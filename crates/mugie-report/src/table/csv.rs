//! A table as comma-separated values (RFC 4180), for spreadsheets and programs.
//!
//! Numbers have ten digits, shares are in percent as their headings say, an interval has two
//! columns of its own, and a missing value is empty.

use super::{Cell, Table, significant};
use crate::words::escaped;

/// The table as CSV.
pub(super) fn render(table: &Table) -> String {
    let mut heads = Vec::new();
    for column in &table.columns {
        let head = column.full_head();
        heads.push(text(&head));
        if column.interval {
            heads.extend([text(&format!("{head} low")), text(&format!("{head} high"))]);
        }
    }
    let mut lines = vec![heads.join(",")];
    for row in &table.rows {
        let mut fields = Vec::new();
        for (cell, column) in row.cells.iter().zip(&table.columns) {
            fields.push(field(cell));
            if column.interval {
                fields.extend(ends(cell));
            }
        }
        lines.push(fields.join(","));
    }
    lines.join("\n") + "\n"
}

fn field(cell: &Cell) -> String {
    match cell {
        Cell::Text(words) => text(words),
        Cell::List(names) => text(&names.join("; ")),
        Cell::Integer(number) => number.to_string(),
        Cell::Decimal(number) | Cell::PValue(number) => significant(*number).to_string(),
        Cell::Percent { share, .. } => significant(share * 100.0).to_string(),
        Cell::Missing => String::new(),
    }
}

/// The ends of the interval of a cell.
fn ends(cell: &Cell) -> [String; 2] {
    match cell {
        Cell::Percent { interval: Some(interval), .. } => {
            [interval.low, interval.high].map(|end| significant(end * 100.0).to_string())
        }
        _ => [String::new(), String::new()],
    }
}

/// A text that no spreadsheet takes for a formula: if it starts with one of the characters that
/// introduce formulas, an apostrophe precedes it.
fn text(words: &str) -> String {
    let mut words = escaped(words);
    if words.starts_with(['=', '+', '-', '@']) {
        words.insert(0, '\'');
    }
    if words.contains([',', '"']) || words.trim() != words {
        words = format!("\"{}\"", words.replace('"', "\"\""));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_one_field_and_no_formula() {
        assert_eq!(text("plain"), "plain");
        assert_eq!(text(r#"a,"b""#), r#""a,""b""""#);
        assert_eq!(text("=1+1"), "'=1+1");
        assert_eq!(text("@x,-y"), "\"'@x,-y\"");
        assert_eq!(text("two\r\nlines"), r"two\r\nlines");
        assert_eq!(text(" x"), "\" x\"");
    }
}
