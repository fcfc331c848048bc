//! A table for LaTeX, as part of a document that uses the package `booktabs`.
//!
//! It must compile whatever the texts, even with pdfLaTeX and its default font encoding, which
//! support few characters.

use std::fmt::Write as _;

use super::{Align, Table};
use crate::words::{escaped, plain};

/// Non-ASCII letters that pdfLaTeX can print without further packages.
const LETTERS: &str = "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿŁłŒœŠšŽž";

/// Tables with more columns than this are set in a smaller font, to fit on a page.
const MANY_COLUMNS: usize = 6;

/// The table as LaTeX.
pub(super) fn render(table: &Table) -> String {
    let mut text = String::from("% Needs \\usepackage{booktabs}.\n\\begin{table}\n\\centering\n");
    let title = literal(&plain(&table.title));
    let _ = writeln!(text, "\\caption[{{{title}}}]{{{title}. {}}}", sentences(&table.caption));
    if table.columns.len() > MANY_COLUMNS {
        text += "\\scriptsize\n\\setlength{\\tabcolsep}{2pt}\n";
    }
    let aligns: String = table
        .columns
        .iter()
        .map(|column| match column.align {
            Align::Left => 'l',
            Align::Right => 'r',
        })
        .collect();
    let _ = writeln!(text, "\\begin{{tabular}}{{{aligns}}}\n\\toprule");
    text += &group_heads(table);
    let heads: Vec<String> =
        table.columns.iter().map(|column| literal(&plain(&column.head))).collect();
    let _ = writeln!(text, "{} \\\\\n\\midrule", heads.join(" & "));
    for (number, row) in table.rows.iter().enumerate() {
        if table.has_rule_above(number) {
            text += "\\midrule\n";
        }
        let cells: Vec<String> = row
            .cells
            .iter()
            .enumerate()
            .map(|(column, cell)| {
                let words = if table.is_repeated(number, column) {
                    String::new()
                } else {
                    cell.words("–")
                };
                literal(&words)
            })
            .collect();
        let _ = writeln!(text, "{} \\\\", cells.join(" & "));
    }
    text += "\\bottomrule\n\\end{tabular}\n";
    if !table.notes.is_empty() {
        let notes: Vec<String> = table.notes.iter().map(|note| sentences(note)).collect();
        let _ = writeln!(text, "\n\\smallskip\n{{\\footnotesize {}\\par}}", notes.join("\n"));
    }
    text + "\\end{table}\n"
}

/// The headings of groups of columns, with rules below them.
fn group_heads(table: &Table) -> String {
    let groups = table.column_groups();
    if groups.iter().all(|(_, head)| head.is_none()) {
        return String::new();
    }
    let (mut heads, mut rules) = (Vec::new(), String::new());
    let mut column = 0;
    for (number, head) in groups {
        match head {
            Some(head) => {
                let head = literal(&plain(head));
                heads.push(format!("\\multicolumn{{{number}}}{{c}}{{{head}}}"));
                let _ = write!(rules, "\\cmidrule(lr){{{}-{}}}", column + 1, column + number);
            }
            None => heads.push("& ".repeat(number - 1).trim_end().to_owned()),
        }
        column += number;
    }
    format!("{} \\\\\n{rules}\n", heads.join(" & "))
}

fn sentences(text: &str) -> String {
    literal(&escaped(text))
}

/// Escapes all special characters.
fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => literal.push_str("\\textbackslash{}"),
            '~' => literal.push_str("\\textasciitilde{}"),
            '^' => literal.push_str("\\textasciicircum{}"),
            '<' => literal.push_str("\\textless{}"),
            '>' => literal.push_str("\\textgreater{}"),
            '|' => literal.push_str("\\textbar{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => literal.extend(['\\', character]),
            // These would be taken for an argument or the star of the preceding command, such as
            // the end of a row.
            '[' | ']' | '*' => literal.extend(['{', character, '}']),
            // Two of these in a row form a ligature, as do some of them before a backquote.
            '-' | '\'' | '`' | ',' | '!' | '?'
                if matches!(characters.peek(), Some('-' | '\'' | '`' | ',')) =>
            {
                literal.extend([character, '{', '}']);
            }
            '–' => literal.push_str("--"),
            '—' => literal.push_str("---"),
            '…' => literal.push_str("\\dots{}"),
            '∃' => literal.push_str("$\\exists$"),
            '≤' => literal.push_str("$\\leq$"),
            '≥' => literal.push_str("$\\geq$"),
            '×' => literal.push_str("$\\times$"),
            '∩' => literal.push_str("$\\cap$"),
            _ if character.is_ascii() || LETTERS.contains(character) => literal.push(character),
            _ => {
                let _ = write!(literal, "{{\\scriptsize U+{:04X}}}", u32::from(character));
            }
        }
    }
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_a_command() {
        assert_eq!(literal(r"\input{x}"), r"\textbackslash{}input\{x\}");
        assert_eq!(
            literal("a_b & 5 % #1 $x^2$ ~"),
            concat!(r"a\_b \& 5 \% \#1 \$x\textasciicircum{}2\$ ", r"\textasciitilde{}")
        );
        assert_eq!(literal("* [x]"), "{*} {[}x{]}");
        assert_eq!(literal("a--b ?`"), "a-{}-b ?{}`");
        assert_eq!(literal("größer 好 ∃"), r"größer {\scriptsize U+597D} $\exists$");
    }
}
