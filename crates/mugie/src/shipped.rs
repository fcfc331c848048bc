//! The programs embedded in the binary: examples and seeds.

use std::path::Path;

/// The files, sorted by path, such as `seeds/A_gcd/gcd.bpl`.
pub(crate) const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

/// The Boogie programs among them.
pub(crate) fn programs() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    let is_program =
        |path: &str| Path::new(path).extension().is_some_and(|extension| extension == "bpl");
    FILES.iter().filter(move |(path, _)| is_program(path))
}

/// The description of a program: the first sentence of its first comment.
pub(crate) fn about(text: &str) -> String {
    let comment: Vec<_> = text.lines().map_while(|line| line.strip_prefix("//")).collect();
    let comment = comment.concat();
    let first = comment.split_once(". ").map_or(comment.as_str(), |(first, _)| first);
    first.trim().trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_says_what_it_is_about() {
        assert!(FILES.len() > 50);
        for (path, text) in programs() {
            assert!(!about(text).is_empty(), "{path}");
        }
    }

    #[test]
    fn sentence_may_go_over_lines() {
        assert_eq!(about("// One\n// two. Three\nconst c: int;"), "One two");
        assert_eq!(about("// One.\n"), "One");
    }
}
