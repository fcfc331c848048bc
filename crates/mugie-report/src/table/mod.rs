//! Tables as data, and their formats: one module per format.
//!
//! A cell knows its kind, so each format can show it in its own way: rounded for people, with ten
//! digits for programs. Texts in cells may contain anything; every format escapes them. Nothing
//! here knows what the tables are about.

mod csv;
mod json;
mod latex;
mod markdown;
mod text;

use mugie_results::measures::Share;
use mugie_stats::Interval;

use crate::words::plain;

/// The most names of a list that people see.
const MAX_NAMES: usize = 5;

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The title, in a few words.
    pub title: String,
    /// A description, in sentences.
    pub caption: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, with a cell for each column.
    pub rows: Vec<Row>,
    /// Further remarks, in sentences.
    pub notes: Vec<String>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub head: String,
    /// A heading over this column and its neighbours with the same group.
    pub group: Option<String>,
    /// The alignment of the cells.
    pub align: Align,
    /// Whether its shares have an interval.
    pub interval: bool,
    /// Whether a text equal to the one in the row above is hidden from people.
    pub label: bool,
}

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Align {
    /// Left, for texts.
    Left,
    /// Right, for numbers.
    Right,
}

/// A row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The cells.
    pub cells: Vec<Cell>,
    /// The kind of row.
    pub kind: RowKind,
}

/// The kind of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// An ordinary row.
    Normal,
    /// A row about all others.
    Summary,
}

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Text.
    Text(String),
    /// Names, of which people see the first few.
    List(Vec<String>),
    /// A count.
    Integer(usize),
    /// A decimal number.
    Decimal(f64),
    /// A share, from 0 to 1, shown in percent.
    Percent {
        /// The share.
        share: f64,
        /// Its interval.
        interval: Option<Interval>,
        /// The number of decimals that people see.
        digits: usize,
    },
    /// The p-value of a test.
    PValue(f64),
    /// No value, such as a share of nothing.
    Missing,
}

/// The formats of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TableFormat {
    /// For people at a terminal.
    Text,
    /// A table in GitHub's Markdown.
    Markdown,
    /// Comma-separated values, with ten digits; intervals in columns of their own.
    Csv,
    /// The whole table, with ten digits.
    Json,
    /// A LaTeX `table` that needs the package `booktabs`.
    Latex,
}

impl TableFormat {
    /// All formats.
    pub const ALL: [TableFormat; 5] = [
        TableFormat::Text,
        TableFormat::Markdown,
        TableFormat::Csv,
        TableFormat::Json,
        TableFormat::Latex,
    ];

    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            TableFormat::Text => "text",
            TableFormat::Markdown => "markdown",
            TableFormat::Csv => "csv",
            TableFormat::Json => "json",
            TableFormat::Latex => "latex",
        }
    }
}

impl Table {
    /// Renders the table, with a line break at the end.
    pub fn render(&self, format: TableFormat) -> String {
        match format {
            TableFormat::Text => text::render(self),
            TableFormat::Markdown => markdown::render(self),
            TableFormat::Csv => csv::render(self),
            TableFormat::Json => json::render(self),
            TableFormat::Latex => latex::render(self),
        }
    }

    /// Adds an ordinary row.
    pub fn push(&mut self, cells: Vec<Cell>) {
        self.rows.push(Row { cells, kind: RowKind::Normal });
    }

    /// Adds a summary row.
    pub fn push_summary(&mut self, cells: Vec<Cell>) {
        self.rows.push(Row { cells, kind: RowKind::Summary });
    }

    /// The headings of all columns.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.columns.iter().map(|column| column.head.clone()).collect()
    }

    /// The headings over several columns: the number of columns, and the heading, which may be
    /// empty.
    pub(crate) fn head_groups(&self) -> Vec<(usize, String)> {
        let groups = self.column_groups().into_iter();
        groups.map(|(number, head)| (number, head.unwrap_or_default().to_owned())).collect()
    }

    /// All cells as people see them, row by row.
    pub(crate) fn words(&self) -> Vec<Vec<String>> {
        let row = |row: &Row| row.cells.iter().map(|cell| cell.words("–")).collect();
        self.rows.iter().map(row).collect()
    }

    /// The groups of columns in order: the number of columns, and the heading.
    fn column_groups(&self) -> Vec<(usize, Option<&str>)> {
        let mut groups: Vec<(usize, Option<&str>)> = Vec::new();
        for column in &self.columns {
            let head = column.group.as_deref();
            match groups.last_mut() {
                Some((number, last)) if *last == head => *number += 1,
                _ => groups.push((1, head)),
            }
        }
        groups
    }

    /// Whether a cell is a label equal to the one in the row above.
    fn is_repeated(&self, row: usize, column: usize) -> bool {
        let labels = |row: usize| &self.rows[row].cells[..=column];
        self.columns[..=column].iter().all(|column| column.label)
            && row > 0
            && self.rows[row - 1].kind == self.rows[row].kind
            && labels(row - 1) == labels(row)
    }

    /// Whether there is a rule above a row: above the first summary row, and where the first
    /// repeating label changes.
    fn has_rule_above(&self, row: usize) -> bool {
        if row == 0 {
            return false;
        }
        let kind = self.rows[row].kind;
        self.rows[row - 1].kind != kind
            || (kind == RowKind::Normal && !self.is_repeated(row, 0) && self.has_repeated_labels())
    }

    fn has_repeated_labels(&self) -> bool {
        (0..self.rows.len()).any(|row| self.is_repeated(row, 0))
    }
}

impl Column {
    /// A column of texts.
    pub fn text(head: impl Into<String>) -> Column {
        Column { head: head.into(), group: None, align: Align::Left, interval: false, label: false }
    }

    /// A column of labels, which identify the rows.
    pub fn label(head: impl Into<String>) -> Column {
        Column { label: true, ..Column::text(head) }
    }

    /// A column of numbers.
    pub fn number(head: impl Into<String>) -> Column {
        Column { align: Align::Right, ..Column::text(head) }
    }

    /// A column of shares with intervals.
    pub fn interval(head: impl Into<String>) -> Column {
        Column { interval: true, ..Column::number(head) }
    }

    /// The column under a group heading.
    #[must_use]
    pub fn under(self, group: impl Into<String>) -> Column {
        Column { group: Some(group.into()), ..self }
    }

    /// The heading with that of the group, for formats with a single line of headings.
    fn full_head(&self) -> String {
        match &self.group {
            Some(group) => format!("{group}: {}", self.head),
            None => self.head.clone(),
        }
    }
}

impl Cell {
    /// A text.
    pub fn text(text: impl Into<String>) -> Cell {
        Cell::Text(text.into())
    }

    /// A share with its interval.
    pub fn share(share: Share) -> Cell {
        Cell::share_to(share, 1)
    }

    /// A share with its interval, which people see in whole percent: for tables with many columns.
    pub fn rounded_share(share: Share) -> Cell {
        Cell::share_to(share, 0)
    }

    fn share_to(share: Share, digits: usize) -> Cell {
        match share.value() {
            Some(value) => Cell::Percent { share: value, interval: share.interval(), digits },
            None => Cell::Missing,
        }
    }

    /// A share without an interval, or a missing value.
    pub fn percent(share: Option<f64>) -> Cell {
        share.map_or(Cell::Missing, |share| Cell::Percent { share, interval: None, digits: 1 })
    }

    /// The cell as people see it, on one line.
    fn words(&self, dash: &str) -> String {
        match self {
            Cell::Text(text) => plain(text),
            Cell::List(names) => {
                let mut words: Vec<String> =
                    names.iter().take(MAX_NAMES).map(|name| plain(name)).collect();
                if names.len() > MAX_NAMES {
                    words.push(format!("and {} more", names.len() - MAX_NAMES));
                }
                words.join(", ")
            }
            Cell::Integer(number) => number.to_string(),
            Cell::Decimal(number) => format!("{number:.1}"),
            Cell::Percent { share, interval, digits } => {
                let percent = |share: f64| format!("{:.digits$}", share * 100.0);
                match interval {
                    Some(Interval { low, high }) => {
                        format!("{} ({}{dash}{})", percent(*share), percent(*low), percent(*high))
                    }
                    None => percent(*share),
                }
            }
            Cell::PValue(p) if *p < 0.001 => "< 0.001".to_owned(),
            Cell::PValue(p) => format!("{p:.3}"),
            Cell::Missing => dash.to_owned(),
        }
    }
}

/// A number rounded to ten significant digits: enough for programs, without rounding noise.
fn significant(number: f64) -> f64 {
    format!("{number:.9e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_get_ten_digits() {
        for (number, expected) in [
            (100.0 / 3.0, "33.33333333"),
            (2.500_000_000_000_01, "2.5"),
            (0.0, "0"),
            (1e-9, "0.000000001"),
        ] {
            assert_eq!(significant(number).to_string(), expected);
        }
    }

    #[test]
    fn cells_are_rounded_for_people() {
        let words = |cell: Cell| cell.words("-");
        assert_eq!(words(Cell::Decimal(62.666)), "62.7");
        assert_eq!(words(Cell::share(Share { part: 0, whole: 10 })), "0.0 (0.0-30.8)");
        assert_eq!(words(Cell::share(Share { part: 0, whole: 0 })), "-");
        assert_eq!(words(Cell::percent(Some(1.0 / 3.0))), "33.3");
        assert_eq!(words(Cell::rounded_share(Share { part: 2, whole: 3 })), "67 (9-99)");
        let names = ["a", "b", "c", "d", "e", "f", "g"].map(str::to_owned).to_vec();
        assert_eq!(words(Cell::List(names)), "a, b, c, d, e, and 2 more");
        assert_eq!(words(Cell::PValue(0.031_25)), "0.031");
        assert_eq!(words(Cell::PValue(0.000_99)), "< 0.001");
        assert_eq!(words(Cell::PValue(1.0)), "1.000");
        assert_eq!(words(Cell::text("two\nlines")), r"two\nlines");
    }
}
