//! What to show of a flip: how its text differs from the seed's, and how to see it again.

use std::fmt::Write as _;

use mugie_operators::Subject;
use similar::TextDiff;

use crate::naming::Naming;
use crate::trial::Plan;

/// Lines around a change that are shown, too.
const CONTEXT: usize = 3;

/// The difference between the printed seed and a mutant, as a unified diff. A second file is
/// compared with nothing.
pub(crate) fn diff(seed: &Subject, mutant: &Subject, naming: &Naming, files: &[String]) -> String {
    let printed: String = seed.files().into_iter().map(|file| file.text).collect();
    let mut diff = String::new();
    for (file, name) in mutant.files().into_iter().zip(files) {
        let (old_name, old) = match file.part {
            0 => (naming.source(), printed.as_str()),
            _ => ("/dev/null", ""),
        };
        let lines = TextDiff::from_lines(old, file.text.as_str());
        let unified =
            lines.unified_diff().context_radius(CONTEXT).header(old_name, name).to_string();
        diff.push_str(&unified);
    }
    diff
}

/// The command lines that make a mutant again and verify it.
pub(crate) fn commands(plan: &Plan, seed: &str, naming: &Naming, files: &[String]) -> Vec<String> {
    let folder = format!("{}.mutants", naming.stem());
    let mut mutate = "mugie mutate".to_owned();
    let is_stdin = seed == "<stdin>";
    let seed = if is_stdin { "-" } else { seed };
    for word in std::iter::once(seed).chain(plan.mutate.iter().map(String::as_str)) {
        let _ = write!(mutate, " {}", quoted(word));
    }
    if is_stdin {
        mutate += " < THE-PROGRAM";
    }
    let mut verify = String::new();
    for word in &plan.command {
        if !verify.is_empty() {
            verify.push(' ');
        }
        if word == "{files}" {
            let paths: Vec<_> =
                files.iter().map(|file| quoted(&format!("{folder}/{file}"))).collect();
            verify += &paths.join(" ");
        } else {
            verify += &quoted(word);
        }
    }
    vec![mutate, verify]
}

/// A word as a shell wants it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(quoted("/proverOpt:O:smt.random_seed=3"), "/proverOpt:O:smt.random_seed=3");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("$(x)"), "'$(x)'");
        assert_eq!(quoted(""), "''");
    }
}
