//! A table for people at a terminal.

use unicode_width::UnicodeWidthStr;

use super::{Align, Table};
use crate::words::{escaped, plain};

/// The gap between columns.
const GAP: &str = "  ";

/// The longest line of a sentence, in characters.
const LINE: usize = 80;

/// The table as text.
pub(super) fn render(table: &Table) -> String {
    let heads: Vec<String> = table.columns.iter().map(|column| plain(&column.head)).collect();
    let rows: Vec<Vec<String>> = (0..table.rows.len()).map(|row| shown(table, row)).collect();
    let mut widths: Vec<usize> = heads.iter().map(|head| head.width()).collect();
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    let groups = table.column_groups();
    widen(&mut widths, &groups);

    let mut lines = vec![plain(&table.title), String::new()];
    if groups.iter().any(|(_, head)| head.is_some()) {
        let (mut line, mut rule) = (Vec::new(), Vec::new());
        let mut column = 0;
        for (number, head) in groups {
            let width = span(&widths[column..column + number]);
            column += number;
            line.push(pad(&head.map(plain).unwrap_or_default(), width, Align::Left));
            rule.push(if head.is_some() { "─" } else { " " }.repeat(width));
        }
        lines.extend([line.join(GAP), rule.join(GAP)]);
    }
    let rule = "─".repeat(span(&widths));
    let line = |cells: &[String]| {
        let cells = cells.iter().zip(&widths).zip(&table.columns);
        let cells: Vec<String> =
            cells.map(|((cell, &width), column)| pad(cell, width, column.align)).collect();
        cells.join(GAP)
    };
    lines.push(line(&heads));
    lines.push(rule.clone());
    for (number, row) in rows.iter().enumerate() {
        if table.has_rule_above(number) {
            lines.push(rule.clone());
        }
        lines.push(line(row));
    }
    lines.push(rule);
    for sentences in std::iter::once(&table.caption).chain(&table.notes) {
        lines.extend(wrapped(&escaped(sentences)));
    }
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    lines.join("\n") + "\n"
}

/// The cells of a row, without labels equal to those in the row above.
fn shown(table: &Table, row: usize) -> Vec<String> {
    let cells = table.rows[row].cells.iter().enumerate();
    cells
        .map(
            |(column, cell)| {
                if table.is_repeated(row, column) { String::new() } else { cell.words("-") }
            },
        )
        .collect()
}

/// Widens columns to fit the headings of their groups.
fn widen(widths: &mut [usize], groups: &[(usize, Option<&str>)]) {
    let mut column = 0;
    for (number, head) in groups {
        let columns = &mut widths[column..column + number];
        let wanted = head.map_or(0, |head| plain(head).width());
        let lacking = wanted.saturating_sub(span(columns));
        if let Some(last) = columns.last_mut() {
            *last += lacking;
        }
        column += number;
    }
}

/// The width of columns including the gaps between them.
fn span(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1)
}

fn pad(text: &str, width: usize, align: Align) -> String {
    let space = " ".repeat(width.saturating_sub(text.width()));
    match align {
        Align::Left => text.to_owned() + &space,
        Align::Right => space + text,
    }
}

/// Breaks a text into lines of limited length.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= LINE => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::{Cell, Column};
    use super::*;

    #[test]
    fn wide_characters_keep_columns_in_line() {
        let mut table =
            Table { columns: vec![Column::text("name"), Column::number("n")], ..Table::default() };
        table.push(vec![Cell::text("好好好"), Cell::Integer(1)]);
        table.push(vec![Cell::text("abcdef"), Cell::Integer(10)]);
        let text = render(&table);
        assert!(text.contains("好好好   1\nabcdef  10\n"), "{text}");
    }

    #[test]
    fn long_sentences_are_broken() {
        let lines = wrapped(&"word ".repeat(100));
        assert!(lines.len() > 5);
        assert!(lines.iter().all(|line| line.len() <= LINE));
        assert_eq!(wrapped(&"x".repeat(200)), ["x".repeat(200)]);
    }
}
