//! Reads `programs.txt`.

use bpl_syntax::Dialect;

/// A program of the table.
pub(crate) struct Case {
    /// What it shows.
    pub(crate) fact: String,
    /// Its text.
    pub(crate) program: String,
    /// The answer to it.
    pub(crate) expected: String,
    /// The versions of the language that give this answer.
    pub(crate) dialects: Vec<Dialect>,
}

/// All programs of the table.
pub(crate) fn cases() -> Vec<Case> {
    include_str!("../programs.txt")
        .split("\n=== ")
        .skip(1)
        .map(|block| {
            let (header, program) = block.split_once('\n').expect("a header");
            let (answer, fact) = header.split_once(": ").expect("a fact");
            let (expected, dialects) = answer.split_once(' ').expect("dialects");
            let dialects = dialects
                .chars()
                .map(|c| if c == '2' { Dialect::Boogie2 } else { Dialect::Boogie3 })
                .collect();
            Case {
                fact: fact.to_owned(),
                program: program.to_owned(),
                expected: expected.to_owned(),
                dialects,
            }
        })
        .collect()
}
