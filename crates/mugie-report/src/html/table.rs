//! Tables of text.

use super::HtmlTable;
use super::write::Html;

/// The longest word, in characters, that is never broken.
const SHORT: usize = 18;

/// Writes a table in a box of its own, which scrolls if the table is too wide. Each row has an address that
/// starts with the table's.
pub(super) fn write(html: &mut Html, address: &str, table: &HtmlTable) {
    if !table.caption.is_empty() {
        // Outside the table: a long caption would widen it, and scroll out of sight with it.
        html.leaf("p", &[("class", "caption")], &table.caption);
    }
    let attributes =
        [("class", "scroll"), ("role", "region"), ("tabindex", "0"), ("aria-label", &table.title)];
    html.element("div", &attributes, |html| {
        html.element("table", &[], |html| {
            let classes: Vec<_> =
                (0..table.head.len()).map(|column| class(table, column)).collect();
            html.element("thead", &[], |html| {
                write_groups(html, &table.groups);
                html.element("tr", &[], |html| {
                    for (head, class) in table.head.iter().zip(&classes) {
                        html.leaf("th", &[("scope", "col"), ("class", class)], head);
                    }
                });
            });
            html.element("tbody", &[], |html| {
                for (number, row) in (1..).zip(&table.rows) {
                    let address = format!("{address}:{number}");
                    html.element("tr", &[("id", &address)], |html| {
                        write_row(html, &address, row, &classes);
                    });
                }
            });
        });
    });
    for note in &table.notes {
        html.leaf("p", &[("class", "note")], note);
    }
}

/// Writes headings over several columns, if there are any.
fn write_groups(html: &mut Html, groups: &[(usize, String)]) {
    if groups.iter().all(|(_, head)| head.is_empty()) {
        return;
    }
    html.element("tr", &[("class", "groups")], |html| {
        for (columns, head) in groups {
            let columns = columns.to_string();
            if head.is_empty() {
                html.leaf("td", &[("colspan", &columns)], "");
            } else {
                html.leaf("th", &[("scope", "colgroup"), ("colspan", &columns)], head);
            }
        }
    });
}

/// Writes the link to a row itself, which shows its address. The style sheet gives it a sign.
pub(super) fn link(html: &mut Html, address: &str) {
    let target = format!("#{address}");
    html.leaf("a", &[("class", "at"), ("href", &target), ("aria-label", "Link to this row")], "");
}

fn write_row(html: &mut Html, address: &str, row: &[String], classes: &[&'static str]) {
    for (column, cell) in row.iter().enumerate() {
        let class = classes.get(column).copied().unwrap_or_default();
        if column == 0 {
            html.element("th", &[("scope", "row"), ("class", class)], |html| {
                html.text(cell);
                link(html, address);
            });
        } else if class.is_empty() {
            html.leaf("td", &[], cell);
        } else {
            html.leaf("td", &[("class", class)], cell);
        }
    }
}

/// The class of a column: numbers are aligned right. Numbers and short words are not broken.
fn class(table: &HtmlTable, column: usize) -> &'static str {
    let cells = || table.rows.iter().filter_map(|row| row.get(column));
    let is_number = |cell: &String| {
        cell.chars()
            .all(|character| character.is_ascii_digit() || " .,:%()–-−×<≤of".contains(character))
    };
    let is_short = |cell: &String| cell.chars().count() <= SHORT;
    if column > 0 && cells().next().is_some() && cells().all(is_number) {
        "number"
    } else if cells().all(is_short) {
        "short"
    } else {
        ""
    }
}
