//! Writes a query to a file of its own, to be given to a solver by hand.

use std::fs;
use std::io;
use std::path::Path;

use super::record::QueryRecord;
use crate::smt::conversation::{Meaning, meaning};
use crate::smt::lex::{Piece, Splitter};

/// Writes the file of a query: all commands of its conversation, except questions that matter only
/// to the verifier.
pub(super) fn write(folder: &Path, record: &QueryRecord, text: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let path = record.file_in(folder);
    let draft = path.with_extension(format!("{}.draft", record.process));
    fs::write(&draft, standalone(record, text))?;
    fs::rename(draft, path)
}

fn standalone(record: &QueryRecord, text: &[u8]) -> Vec<u8> {
    let procedure = record.procedure.as_deref().unwrap_or("?");
    let because = record.reason.as_deref().map(|reason| format!(", because: {}", one_line(reason)));
    let mut file = format!(
        "; procedure {}, query {}\n; answer {}{}",
        one_line(procedure),
        record.number + 1,
        one_line(&record.answer),
        because.unwrap_or_default()
    )
    .into_bytes();
    let mut splitter = Splitter::default();
    splitter.push(text);
    while let Some(Piece::Command { lines, text }) = splitter.next() {
        if meaning(&text) != Meaning::Answered {
            file.resize(file.len() + lines.clamp(1, 2), b'\n');
            file.extend_from_slice(&text);
        }
    }
    file.push(b'\n');
    file
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_of_the_verifier_are_left_out() {
        let record = QueryRecord {
            process: 1,
            between: (0, 0),
            program: None,
            procedure: Some("p\nq".to_owned()),
            goal: None,
            part: None,
            number: 1,
            fingerprint: "ab".to_owned(),
            answer: "unknown".to_owned(),
            reason: Some("(incomplete quantifiers)".to_owned()),
            seconds: 0.0,
            memory: None,
            resources: None,
            cached: false,
        };
        let text =
            b"\n(reset)\n\n\n\n(assert p)\n(get-info :name)\n(check-sat)(labels)\n(check-sat)";
        let file = "; procedure p q, query 2\n; answer unknown, because: (incomplete quantifiers)\n\
                    (reset)\n\n(assert p)\n(check-sat)\n(check-sat)\n";
        assert_eq!(String::from_utf8(standalone(&record, text)).unwrap(), file);
    }
}
