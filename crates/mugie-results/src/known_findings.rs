//! Known findings: a list that a project keeps in a file of its own, so that a test fails only for what is new.
//!
//! An entry counts for one tool, with its version and options. The file is sorted and has one key on a line, so that a
//! change of it can be read as a diff. Must not know what is a finding, which the reports decide.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::result::VerifierInfo;

/// The format of files that this release writes.
pub const FORMAT: u64 = 1;

/// The first lines of a file.
const HEADER: &str = "\
# Known findings of mugie. `mugie test --baseline` does not fail for them; with --update-baseline it
# writes this file anew.
";

/// A known finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Entry {
    /// The name of the program, as given.
    pub program: String,
    /// The procedure, if the finding concerns one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub procedure: Option<String>,
    /// The kind of the finding, as in SARIF: `brittle-proof`.
    pub kind: String,
    /// What was found.
    pub reason: String,
    /// The verifier and its version: `Boogie 2.4.1`.
    pub verifier: String,
    /// The solver and its version, if there is a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solver: Option<String>,
    /// The command line, without the places of programs.
    pub command: String,
}

/// What identifies a tool on any machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// The verifier and its version.
    pub verifier: String,
    /// The solver and its version.
    pub solver: Option<String>,
    /// The command line, without the places of programs.
    pub command: String,
}

impl Tool {
    /// The tool of a test.
    pub fn of(info: &VerifierInfo) -> Tool {
        let versioned = |name: &str, version: &Option<String>| match version {
            Some(version) => format!("{name} {version}"),
            None => name.to_owned(),
        };
        let plain = |word: &String| match &info.solver {
            Some(solver) if !solver.program.is_empty() => {
                word.replace(&solver.program, &solver.name)
            }
            _ => word.clone(),
        };
        let arguments = info.command.iter().skip(1).map(plain);
        let words: Vec<String> = std::iter::once(info.name.clone()).chain(arguments).collect();
        Tool {
            verifier: versioned(&info.name, &info.version),
            solver: info.solver.as_ref().map(|it| versioned(&it.name, &it.version)),
            command: words.join(" "),
        }
    }

    /// Whether an entry is about this tool.
    pub fn is_of(&self, entry: &Entry) -> bool {
        (&self.verifier, &self.solver, &self.command)
            == (&entry.verifier, &entry.solver, &entry.command)
    }
}

impl Entry {
    /// Whether two entries are about the same thing, if perhaps with another tool.
    pub fn is_about(&self, program: &str, procedure: Option<&str>, kind: &str) -> bool {
        (self.program.as_str(), self.procedure.as_deref(), self.kind.as_str())
            == (program, procedure, kind)
    }
}

/// The findings of a test, compared with those that were known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// The file with the known findings.
    pub file: String,
    /// Known findings that were found again.
    pub again: Vec<Entry>,
    /// Known findings that were looked for and not found.
    pub gone: Vec<Entry>,
    /// Known findings of another tool about programs of this test: they do not count.
    pub stale: Vec<Entry>,
}

impl Known {
    /// Whether a finding is known.
    pub fn has(&self, program: &str, procedure: Option<&str>, kind: &str) -> bool {
        self.again.iter().any(|entry| entry.is_about(program, procedure, kind))
    }
}

/// Why a text is no list of known findings.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is not in the format.
    #[error("it is no list of known findings: {0}")]
    Wrong(String),
    /// A newer release of mugie wrote it.
    #[error("it has the format {0}, and this release of mugie knows formats up to {FORMAT}")]
    Newer(u64),
}

#[derive(Deserialize)]
struct Listing {
    format: u64,
    #[serde(default)]
    known: Vec<Entry>,
}

/// Reads a file of known findings.
pub fn read(text: &str) -> Result<Vec<Entry>, ReadError> {
    let list: Listing = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let line = text.get(..at).map_or(1, |before| before.matches('\n').count() + 1);
        ReadError::Wrong(format!("line {line}: {}", error.message()))
    })?;
    if list.format > FORMAT {
        return Err(ReadError::Newer(list.format));
    }
    Ok(list.known)
}

/// The file with these findings, sorted, each once.
pub fn write(mut entries: Vec<Entry>) -> String {
    entries.sort();
    entries.dedup();
    let mut text = format!("{HEADER}format = {FORMAT}\n");
    for entry in &entries {
        let Entry { program, procedure, kind, reason, verifier, solver, command } = entry;
        text += "\n[[known]]\n";
        let optional = |key, value: &Option<String>| value.clone().map(|value| (key, value));
        let lines = [
            Some(("program", program.clone())),
            optional("procedure", procedure),
            Some(("kind", kind.clone())),
            Some(("reason", reason.clone())),
            Some(("verifier", verifier.clone())),
            optional("solver", solver),
            Some(("command", command.clone())),
        ];
        for (key, value) in lines.into_iter().flatten() {
            let _ = writeln!(text, "{key} = {}", quoted(&value));
        }
    }
    text
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted += "\\\"",
            '\\' => quoted += "\\\\",
            it if it.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(it));
            }
            it => quoted.push(it),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(program: &str, procedure: Option<&str>) -> Entry {
        Entry {
            program: program.to_owned(),
            procedure: procedure.map(str::to_owned),
            kind: "brittle-proof".to_owned(),
            reason: "a \"quoted\" \\ \u{1b}[2J \u{7f} é\nreason".to_owned(),
            verifier: "boogie 2.4.1".to_owned(),
            solver: None,
            command: "boogie {files}".to_owned(),
        }
    }

    #[test]
    fn a_list_is_sorted_and_read_back() {
        let entries = vec![entry("b", None), entry("a", Some("p")), entry("a", Some("p"))];
        let text = write(entries.clone());
        assert_eq!(read(&text).unwrap(), [entries[1].clone(), entries[0].clone()]);
        assert_eq!(write(read(&text).unwrap()), text);
        assert!(text.lines().all(|line| !line.contains(char::is_control)), "{text}");
        assert_eq!(read(&write(Vec::new())).unwrap(), []);
    }

    #[test]
    fn what_cannot_be_read_is_told_apart() {
        assert!(matches!(read("format = 2"), Err(ReadError::Newer(2))));
        let error = read("format = 1\n[[known]]\nprogram = 1\n").unwrap_err().to_string();
        assert!(error.starts_with("it is no list of known findings: line 3"), "{error}");
        assert!(matches!(read("{}"), Err(ReadError::Wrong(_))));
    }
}
