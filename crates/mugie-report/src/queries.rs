//! The solver queries of a program, as a list for people and for programs.

use std::fmt::Write as _;

use mugie_core::escaped_json;
use mugie_results::QueryRow;
use serde_json::json;

use crate::words::escaped;

/// The number of digits shown of a hash.
const MAX_DIGITS: usize = 12;

/// The queries as a table. `goal` is the language's word for a goal.
pub fn queries(rows: &[QueryRow], goal: &str) -> String {
    let names: Vec<String> = rows.iter().map(|row| escaped(name(row))).collect();
    let width =
        names.iter().map(|name| name.chars().count()).fold(goal.chars().count(), usize::max);
    // Most programs have no procedure in several parts.
    let has_parts = rows.iter().any(|row| row.part > Some(1));
    let cell = |text: &str| if has_parts { format!("  {text:>4}") } else { String::new() };
    let head = cell("part");
    let mut text = format!("{goal:width$}{head}  number  answer   {:>10}  hash\n", "work");
    for (row, name) in rows.iter().zip(&names) {
        let part = cell(&row.part.map(|part| part.to_string()).unwrap_or_default());
        let work = row.work.map_or_else(|| "-".to_owned(), |work| work.to_string());
        let hash: String = row.fingerprint.chars().take(MAX_DIGITS).collect();
        let (number, answer) = (row.number, escaped(&row.answer));
        let _ = writeln!(text, "{name:width$}{part}  {number:6}  {answer:7}  {work:>10}  {hash}");
    }
    text
}

/// The queries as lines of JSON.
pub fn queries_json(rows: &[QueryRow]) -> String {
    let mut text = String::new();
    for row in rows {
        let QueryRow { part, number, answer, reason, work, memory, seconds, fingerprint, .. } = row;
        let json = json!({
            "procedure": name(row),
            "part": part,
            "number": number,
            "answer": answer,
            "reason": reason,
            "work": work,
            "memory": memory,
            "seconds": seconds,
            "fingerprint": fingerprint,
        });
        let _ = writeln!(text, "{json}");
    }
    escaped_json(&text)
}

fn name(row: &QueryRow) -> &str {
    row.procedure.as_deref().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> [QueryRow; 2] {
        let row = QueryRow {
            procedure: Some("pick".to_owned()),
            number: 1,
            answer: "unsat".to_owned(),
            work: Some(40_321),
            seconds: 0.5,
            fingerprint: "0123456789abcdef".to_owned(),
            ..QueryRow::default()
        };
        let answer = "unknown".to_owned();
        [row.clone(), QueryRow { procedure: None, number: 2, answer, work: None, ..row }]
    }

    #[test]
    fn queries_are_a_table() {
        insta::assert_snapshot!(queries(&rows(), "procedure"), @r"
        procedure  number  answer         work  hash
        pick            1  unsat         40321  0123456789ab
                        2  unknown           -  0123456789ab
        ");
    }

    #[test]
    fn parts_of_procedures_are_numbered() {
        let part = |number| QueryRow { part: Some(number), ..rows()[0].clone() };
        insta::assert_snapshot!(queries(&[part(1), part(2), rows()[1].clone()], "procedure"), @r"
        procedure  part  number  answer         work  hash
        pick          1       1  unsat         40321  0123456789ab
        pick          2       1  unsat         40321  0123456789ab
                              2  unknown           -  0123456789ab
        ");
        let lines = queries_json(&[part(2)]);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&lines).unwrap()["part"], 2);
    }

    #[test]
    fn queries_are_lines_of_json() {
        let text = queries_json(&rows());
        let lines: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!((&lines[0]["procedure"], &lines[0]["work"]), (&json!("pick"), &json!(40_321)));
        assert_eq!((&lines[1]["procedure"], &lines[1]["work"]), (&json!(""), &json!(null)));
    }
}
