//! Reads `programs.txt`.

use bpl_syntax::Dialect;

/// A row of the table.
pub(crate) struct Case {
    /// The fact that the program demonstrates.
    pub(crate) fact: String,
    /// The text of the program.
    pub(crate) program: String,
    /// The expected answer.
    pub(crate) expected: String,
    /// The dialects in which this answer is expected.
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
