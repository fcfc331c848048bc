//! What to show of a flip: how its text differs from the seed's, and how to see it again.

use std::fmt::Write as _;
use std::path::Path;

use mugie_operators::Subject;
use similar::TextDiff;

use crate::naming::Naming;

/// Lines around a change that are shown, too.
const CONTEXT: usize = 3;

/// The difference between the printed seed and a mutant, as a unified diff. A second file is
/// compared with nothing.
pub(crate) fn diff(seed: &Subject, mutant: &Subject, source: &str, files: &[String]) -> String {
    let printed: String = seed.files().into_iter().map(|file| file.text).collect();
    let mut diff = String::new();
    for (file, name) in mutant.files().into_iter().zip(files) {
        let (old_name, old) = match file.part {
            0 => (source, printed.as_str()),
            _ => ("/dev/null", ""),
        };
        let lines = TextDiff::from_lines(old, file.text.as_str());
        let unified =
            lines.unified_diff().context_radius(CONTEXT).header(old_name, name).to_string();
        diff.push_str(&unified);
    }
    diff
}

/// How mutants of a seed were made and verified, as words of command lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe<'a> {
    /// Arguments for `mugie mutate`.
    pub(crate) mutate: &'a [String],
    /// The verifier's command line, with `{files}` where the files go.
    pub(crate) verify: &'a [String],
    /// How many mutants were asked for.
    pub(crate) mutants: usize,
}

/// The command lines that make a mutant again and verify it.
pub(crate) fn commands(
    recipe: &Recipe<'_>,
    sources: &[&Path],
    number: usize,
    mutant: &Subject,
) -> Vec<String> {
    let mut mutate = String::new();
    // Several files are one program, just as if they were one file.
    let source = match sources {
        [source] => *source,
        sources => {
            let files: Vec<_> = sources.iter().map(|source| path(source)).collect();
            let _ = write!(mutate, "cat {} | ", files.join(" "));
            Path::new("-")
        }
    };
    let _ = write!(mutate, "mugie mutate {}", path(source));
    for word in recipe.mutate {
        let _ = write!(mutate, " {}", quoted(word));
    }
    let naming = Naming::new(source, recipe.mutants);
    let mut verify = String::new();
    for word in recipe.verify {
        if !verify.is_empty() {
            verify.push(' ');
        }
        if word == "{files}" {
            let files = naming.files(number, mutant).into_iter();
            let paths: Vec<_> =
                files.map(|file| path(&Path::new(&folder(&naming)).join(file))).collect();
            verify += &paths.join(" ");
        } else {
            verify += &quoted(word);
        }
    }
    vec![mutate, verify]
}

/// Where `mugie mutate` puts the mutants.
fn folder(naming: &Naming) -> String {
    format!("{}.mutants", naming.stem())
}

/// A path as a shell wants it, that no program takes for an option.
fn path(path: &Path) -> String {
    let text = path.display().to_string();
    let looks_like_option = text.starts_with('-') && text != "-";
    quoted(&if looks_like_option { format!("./{text}") } else { text })
}

/// The command line that runs a verifier on a file.
pub(crate) fn by_hand(command: &[String], file: &str) -> String {
    let words = command.iter().map(|word| quoted(if word == "{files}" { file } else { word }));
    words.collect::<Vec<_>>().join(" ")
}

/// A word as a shell wants it.
pub fn quoted(word: &str) -> String {
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
