//! A table in GitHub's Markdown.

use super::{Align, RowKind, Table};
use crate::words::{escaped, plain};

/// The table as Markdown.
pub(super) fn render(table: &Table) -> String {
    let mut lines = vec![format!("### {}", literal(&plain(&table.title))), String::new()];
    let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
    let heads: Vec<String> =
        table.columns.iter().map(|column| literal(&plain(&column.full_head()))).collect();
    lines.push(line(&heads));
    let rules: Vec<String> = table.columns.iter().map(|column| rule(column.align)).collect();
    lines.push(line(&rules));
    for row in &table.rows {
        let cells = row.cells.iter().map(|cell| literal(&cell.words("–")));
        let cells: Vec<String> = match row.kind {
            RowKind::Normal => cells.collect(),
            RowKind::Summary => cells.map(bold).collect(),
        };
        lines.push(line(&cells));
    }
    for sentences in std::iter::once(&table.caption).chain(&table.notes) {
        if !sentences.is_empty() {
            lines.extend([String::new(), literal(&escaped(sentences))]);
        }
    }
    lines.join("\n") + "\n"
}

fn rule(align: Align) -> String {
    match align {
        Align::Left => ":---",
        Align::Right => "---:",
    }
    .to_owned()
}

fn bold(text: String) -> String {
    if text.trim().is_empty() { text } else { format!("**{}**", text.trim()) }
}

/// Escapes all special characters.
fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            // These are special in HTML as well, where a backslash does not always help.
            '<' => literal.push_str("&lt;"),
            '>' => literal.push_str("&gt;"),
            '&' => literal.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' | '!' => {
                literal.extend(['\\', character]);
            }
            _ => literal.push(character),
        }
    }
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup() {
        assert_eq!(literal("a|b*c_d`e`"), r"a\|b\*c\_d\`e\`");
        assert_eq!(literal(r"\|"), r"\\\|");
        assert_eq!(literal("<script>&amp;"), "&lt;script&gt;&amp;amp;");
        assert_eq!(literal("[x](http://y)"), r"\[x\](http://y)");
    }
}
