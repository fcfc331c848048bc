//! mugie with a toy language in addition to Boogie.
//!
//! A program of the toy language has one sum per line (`early: 1 + 2 = 3`), and the order of lines
//! does not matter. This crate shows what must be written for a language, a front door, a level and
//! a translator, and that nothing else in mugie needs to know about them.

mod language;
mod seams;

use std::process::ExitCode;

use mugie::Parts;

static PARTS: Parts = Parts {
    languages: &[mugie_boogie::BOOGIE, &language::Toy],
    doors: &[&seams::Dictated],
    levels: &[&seams::Single],
    translators: &[&seams::ToTable, &seams::ToWhyml],
    executors: &[mugie_exec::LOCAL],
    verifiers: &[
        ("toy", include_str!("../verifiers/toy.toml")),
        ("toy-table", include_str!("../verifiers/toy-table.toml")),
    ],
};

fn main() -> ExitCode {
    mugie::main(&PARTS)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_toys_claim_nothing_of_others() {
        assert_eq!(super::PARTS.clashes(), Vec::<String>::new());
    }
}
