//! How to reproduce a mutant: its difference to the seed, and the commands that make and verify it.
//!
//! The only place outside the binary that knows the arguments of `mugie mutate`.

use std::fmt::Write as _;
use std::path::Path;

use mugie_core::{Edit, Naming, Outcome, Pair, Place, Program, Scope, escaped, is_visible};
use mugie_exec::Draw;
use serde::Serialize;
use similar::TextDiff;

use crate::seed::{OpenSeed, pair_files};

/// The most characters of edits in a command line.
const LONGEST_EDITS: usize = 1_000;

/// What stands for the translated files, which are all that a folder has of them.
const TRANSLATED: &str = "program*";

/// Unchanged lines shown before and after a change.
const CONTEXT: usize = 3;

/// The difference between the printed seed and a mutant, as a unified diff. The mutant's second file
/// is compared with the empty file.
pub fn diff(seed: &dyn Program, mutant: &dyn Program, source: &str, files: &[String]) -> String {
    let printed: String = seed.texts().into_iter().map(|file| file.text).collect();
    let mut diff = String::new();
    for (file, name) in mutant.texts().into_iter().zip(files) {
        let (old_name, old) = match file.part {
            0 => (source, printed.as_str()),
            _ => ("/dev/null", ""),
        };
        let lines = TextDiff::from_lines(old, file.text.as_str());
        // Escape line breaks: a name must stay on one line.
        let (old_name, name) = (escaped(old_name), escaped(name));
        let unified =
            lines.unified_diff().context_radius(CONTEXT).header(&old_name, &name).to_string();
        diff.push_str(&unified);
    }
    diff
}

/// The difference between the two programs of a pair.
pub fn pair_diff(pair: &dyn Pair, extension: &str) -> String {
    let (seed, mutant) = pair_files(pair, extension);
    let names = seed.names();
    diff(pair.seed(), pair.mutant(), names.first().map_or("seed", String::as_str), &mutant.names())
}

/// An edit as a command line has it.
#[derive(Serialize)]
struct Step<'e> {
    operator: &'e str,
    place: &'e Place,
}

impl Step<'_> {
    fn of(edit: &Edit) -> Step<'_> {
        Step { operator: &edit.operator, place: &edit.place }
    }
}

/// How mutants of a seed were made and verified.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// How the mutants were drawn.
    pub draw: Draw,
    /// The verifier's command line, for people, with `{files}` where the files go.
    pub command: Vec<String>,
    /// The arguments of `mugie translate` that write the program and the verifier's own files into a folder, in which the
    /// verifier is run, if it reads another language.
    pub translate: Option<Vec<String>>,
    /// The time limit of a run, in seconds.
    pub time_limit: f64,
}

impl Recipe {
    /// The same recipe for a program with this outcome: the verifier's command line has the time limit if that was
    /// reached.
    #[must_use]
    pub fn for_outcome(mut self, outcome: Outcome) -> Recipe {
        if outcome == Outcome::TimedOut {
            self.command.splice(0..0, ["timeout".to_owned(), self.time_limit.to_string()]);
        }
        self
    }

    /// The command lines that make the mutant again and verify it.
    pub fn commands(&self, seed: &OpenSeed, number: usize, mutant: &dyn Program) -> Vec<String> {
        let words = self.words(seed, number);
        self.commands_with(seed, &words, self.draw.mutants, number, mutant)
    }

    /// The command lines that make the only mutant that these edits lead to, and verify it; `None` if they are too long
    /// for people.
    pub fn commands_of_edits(
        &self,
        seed: &OpenSeed,
        edits: &[Edit],
        mutant: &dyn Program,
    ) -> Option<Vec<String>> {
        let edits = serde_json::to_string(&edits.iter().map(Step::of).collect::<Vec<_>>()).ok()?;
        if edits.len() > LONGEST_EDITS {
            return None;
        }
        let mut words = vec!["--force".to_owned(), "--edits".to_owned(), edits];
        words.extend(seed.reading_words());
        Some(self.commands_with(seed, &words, 1, 1, mutant))
    }

    /// The command lines with these arguments of `mugie mutate`, which makes `mutants` mutants.
    fn commands_with(
        &self,
        seed: &OpenSeed,
        words: &[String],
        mutants: usize,
        number: usize,
        mutant: &dyn Program,
    ) -> Vec<String> {
        let mut mutate = String::new();
        let paths = seed.paths();
        // Several files are one program. They are read together, because the meaning of a file may
        // depend on its position among them.
        let source = match paths.as_slice() {
            [path] => path.as_path(),
            paths => {
                let files: Vec<_> = paths.iter().map(|path| quoted_path(path)).collect();
                let _ = write!(mutate, "mugie print --together {}", files.join(" "));
                for word in seed.reading_words() {
                    let _ = write!(mutate, " {}", quoted(&word));
                }
                mutate.push_str(" | ");
                Path::new("-")
            }
        };
        let _ = write!(mutate, "mugie mutate {}", quoted_path(source));
        for word in words {
            let _ = write!(mutate, " {}", quoted(word));
        }
        let naming = Naming::new(source, mutants, seed.extension());
        let folder = format!("{}.mutants", naming.stem());
        let files = naming.files(number, mutant).into_iter();
        let files = files.map(|file| quoted_path(&Path::new(&folder).join(file))).collect();
        [vec![mutate], self.verify(files, naming.stem())].concat()
    }

    /// The command lines that verify a program in these files; `name` is part of the name of a folder.
    fn verify(&self, files: Vec<String>, name: &str) -> Vec<String> {
        let line = |files: Vec<String>| {
            let words = self.command.iter().flat_map(|word| match word.as_str() {
                "{files}" => files.clone(),
                word => vec![quoted(word)],
            });
            words.collect::<Vec<_>>().join(" ")
        };
        let Some(translate) = &self.translate else { return vec![line(files)] };
        let folder = quoted_path(Path::new(&format!("{name}.translated")));
        let mut words = vec!["mugie".to_owned(), "translate".to_owned()];
        words.extend((files.len() > 1).then(|| "--together".to_owned()));
        words.extend(files);
        words.extend(translate.iter().map(|word| quoted(word)));
        words.extend(["--out".to_owned(), folder.clone()]);
        vec![words.join(" "), format!("cd {folder} && {}", line(vec![TRANSLATED.to_owned()]))]
    }

    /// The arguments of `mugie mutate` that yield the same mutants, at least up to this number.
    fn words(&self, seed: &OpenSeed, number: usize) -> Vec<String> {
        let Draw { operators, random_seed, mutants, attempts, exhaustive, strength, scope } =
            &self.draw;
        // Replace the files of an earlier run of the command.
        let mut words =
            vec!["--force".to_owned(), "-n".to_owned(), mutants.max(&number).to_string()];
        words.extend(["--operators".to_owned(), operators.clone()]);
        if *exhaustive {
            words.push("--exhaustive".to_owned());
        } else {
            words.extend(["--seed".to_owned(), random_seed.to_string()]);
            words.extend(["--max-attempts".to_owned(), attempts.to_string()]);
        }
        if let Some(strength) = strength {
            words.extend(["--strength".to_owned(), strength.to_string()]);
        }
        if !scope.is_all() || *scope != Scope::usual(&**seed.program()) {
            words.extend(["--mutate".to_owned(), scope.to_string()]);
        }
        words.extend(seed.reading_words());
        words
    }

    /// The command line that runs the verifier on a seed as its author wrote it.
    pub fn by_hand(&self, seed: &OpenSeed) -> String {
        let files = seed.paths().iter().map(|path| quoted_path(path)).collect();
        let naming = seed.naming(1);
        self.verify(files, naming.stem()).join(" && ")
    }
}

/// Quotes a path for a shell, so that no program takes it for an option.
pub fn quoted_path(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let looks_like_option = bytes.starts_with(b"-") && bytes != b"-";
    let before: &[u8] = if looks_like_option { b"./" } else { b"" };
    quoted_bytes(&[before, bytes].concat())
}

/// Quotes a word for a shell.
pub fn quoted(word: &str) -> String {
    quoted_bytes(word.as_bytes())
}

/// Quotes bytes for a shell: not at all, in plain quotes, or, if they are not valid text or contain
/// characters that a terminal should not receive, in `$'…'` quotes with escapes. Those are in POSIX
/// since 2024, and have long been in bash, zsh and ksh.
fn quoted_bytes(bytes: &[u8]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,+@%".contains(c);
    match std::str::from_utf8(bytes) {
        Ok(word) if !word.is_empty() && word.chars().all(is_plain) => word.to_owned(),
        Ok(word) if word.chars().all(is_visible) => format!("'{}'", word.replace('\'', r"'\''")),
        _ => {
            let mut quoted = String::from("$'");
            for chunk in bytes.utf8_chunks() {
                for character in chunk.valid().chars() {
                    write_escaped(&mut quoted, character);
                }
                write_octal(&mut quoted, chunk.invalid());
            }
            quoted + "'"
        }
    }
}

/// Writes a character for `$'…'` quotes.
fn write_escaped(quoted: &mut String, character: char) {
    match character {
        '\n' => quoted.push_str(r"\n"),
        '\t' => quoted.push_str(r"\t"),
        '\\' | '\'' => quoted.extend(['\\', character]),
        _ if is_visible(character) => quoted.push(character),
        _ => write_octal(quoted, character.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

fn write_octal(quoted: &mut String, bytes: &[u8]) {
    for byte in bytes {
        let _ = write!(quoted, "\\{byte:03o}");
    }
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
        assert_eq!(quoted_path(Path::new("-n")), "./-n");
        assert_eq!(quoted("a\nb\x1b[2J\\'é\u{202e}"), r"$'a\nb\033[2J\\\'é\342\200\256'");
    }
}
