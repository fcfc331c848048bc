//! Tables of text.

use super::HtmlTable;
use super::write::Html;

/// Writes a table in a box of its own, which scrolls if the table is too wide.
pub(super) fn write(html: &mut Html, table: &HtmlTable) {
    let attributes =
        [("class", "scroll"), ("role", "region"), ("tabindex", "0"), ("aria-label", &table.title)];
    html.element("div", &attributes, |html| {
        html.element("table", &[], |html| {
            if !table.caption.is_empty() {
                html.leaf("caption", &[], &table.caption);
            }
            let classes: Vec<_> =
                (0..table.head.len()).map(|column| class(table, column)).collect();
            html.element("thead", &[], |html| {
                html.element("tr", &[], |html| {
                    for (head, class) in table.head.iter().zip(&classes) {
                        html.leaf("th", &[("scope", "col"), ("class", class)], head);
                    }
                });
            });
            html.element("tbody", &[], |html| {
                for row in &table.rows {
                    html.element("tr", &[], |html| write_row(html, row, &classes));
                }
            });
        });
    });
    for note in &table.notes {
        html.leaf("p", &[("class", "note")], note);
    }
}

fn write_row(html: &mut Html, row: &[String], classes: &[&'static str]) {
    for (column, cell) in row.iter().enumerate() {
        let class = classes.get(column).copied().unwrap_or_default();
        if column == 0 {
            html.leaf("th", &[("scope", "row"), ("class", class)], cell);
        } else if class.is_empty() {
            html.leaf("td", &[], cell);
        } else {
            html.leaf("td", &[("class", class)], cell);
        }
    }
}

/// Columns of numbers are aligned at the right.
fn class(table: &HtmlTable, column: usize) -> &'static str {
    let mut cells = table.rows.iter().filter_map(|row| row.get(column)).peekable();
    let is_number = |cell: &String| {
        cell.chars()
            .all(|character| character.is_ascii_digit() || " .,%()–-−×<≤of".contains(character))
    };
    if column > 0 && cells.peek().is_some() && cells.all(is_number) { "number" } else { "" }
}
