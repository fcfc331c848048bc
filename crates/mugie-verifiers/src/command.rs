//! Command lines with placeholders ("blanks"), and how these are filled.
//!
//! A piece of a command line is omitted if a value that it mentions was not asked for, or if it is
//! for other versions. So one list of pieces serves all versions and options of a tool.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use serde::de::value::MapAccessDeserializer;
use serde::{Deserialize, Deserializer, de};

use crate::version::{Version, VersionRange};

/// Words that appear on a command line together or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The words.
    pub words: Vec<Template>,
    /// The versions of the verifier that it is for.
    pub verifier: VersionRange,
    /// The versions of the solver that it is for.
    pub solver: VersionRange,
}

/// A word with blanks, such as `/rlimit:{resource_limit}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    /// A blank, and what it is filled with if its value is not set.
    Blank(Blank, Option<String>),
}

/// A placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blank {
    /// The files to verify; must be a word of its own.
    Files,
    /// The path of the solver.
    Solver,
    /// The solver's limit in resource units.
    ResourceLimit,
    /// The time limit of a procedure in seconds.
    ProcedureSeconds,
    /// The time limit of a procedure in milliseconds.
    ProcedureMilliseconds,
    /// The seed of the solver's random numbers.
    RandomSeed,
    /// The goal that a command line is about.
    Goal,
}

const BLANKS: [(&str, Blank); 7] = [
    ("files", Blank::Files),
    ("solver", Blank::Solver),
    ("resource_limit", Blank::ResourceLimit),
    ("procedure_seconds", Blank::ProcedureSeconds),
    ("procedure_milliseconds", Blank::ProcedureMilliseconds),
    ("random_seed", Blank::RandomSeed),
    ("goal", Blank::Goal),
];

/// A word of a command line for any files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// A literal word.
    Text(OsString),
    /// The place of the files, each of which is a word of its own.
    Files,
}

impl Word {
    /// The word, unless it stands for the files.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Word::Text(text) => Some(text.to_string_lossy()),
            Word::Files => None,
        }
    }

    /// Whether two words are the same option, which may start with `/` or with `-`.
    pub fn is_same_option(&self, other: &Word) -> bool {
        let (Word::Text(one), Word::Text(other)) = (self, other) else { return self == other };
        let bare = |word: &OsString| {
            let bytes = word.as_encoded_bytes();
            bytes.strip_prefix(b"/").or_else(|| bytes.strip_prefix(b"-")).unwrap_or(bytes).to_vec()
        };
        bare(one) == bare(other)
    }
}

/// The values of placeholders, and the versions that select pieces.
#[derive(Clone, Copy, Debug, Default)]
pub struct Values<'a> {
    /// The version of the verifier, if it is known.
    pub verifier_version: Option<&'a Version>,
    /// The version of the solver, if it is known.
    pub solver_version: Option<&'a Version>,
    /// The path of the solver.
    pub solver: Option<&'a Path>,
    /// The solver's limit in resource units.
    pub resource_limit: Option<u64>,
    /// The time limit of a procedure in seconds.
    pub procedure_seconds: Option<u64>,
    /// The seed of the solver's random numbers.
    pub random_seed: Option<u64>,
    /// The goal that the command line is about, if it is about one.
    pub goal: Option<&'a str>,
}

impl Values<'_> {
    fn get(&self, blank: Blank) -> Option<OsString> {
        let number = |number: Option<u64>| number.map(|number| number.to_string().into());
        match blank {
            Blank::Files => None,
            Blank::Solver => self.solver.map(|path| path.as_os_str().to_owned()),
            Blank::ResourceLimit => number(self.resource_limit),
            Blank::ProcedureSeconds => number(self.procedure_seconds),
            Blank::ProcedureMilliseconds => {
                number(self.procedure_seconds.map(|seconds| seconds.saturating_mul(1000)))
            }
            Blank::RandomSeed => number(self.random_seed),
            Blank::Goal => self.goal.map(Into::into),
        }
    }
}

impl Piece {
    /// Whether the piece is the place of the files.
    pub fn is_files(&self) -> bool {
        matches!(self.words.as_slice(), [word] if word.is_files())
    }

    /// Whether the piece is for these versions.
    pub fn is_for(&self, values: &Values<'_>) -> bool {
        let fits = |range: &VersionRange, version: Option<&Version>| {
            range.is_everything() || version.is_some_and(|version| range.contains(version))
        };
        fits(&self.verifier, values.verifier_version) && fits(&self.solver, values.solver_version)
    }

    /// Whether the piece contains a placeholder.
    pub fn mentions(&self, blank: Blank) -> bool {
        self.words.iter().any(|word| word.mentions(blank))
    }

    /// The words of the piece with all placeholders filled; none if the piece is omitted.
    pub fn fill(&self, values: &Values<'_>) -> Vec<Word> {
        if !self.is_for(values) {
            return Vec::new();
        }
        self.words.iter().map(|word| word.fill(values)).collect::<Option<_>>().unwrap_or_default()
    }
}

impl Template {
    /// Whether the text contains a placeholder.
    pub fn mentions(&self, blank: Blank) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Blank(it, _) if *it == blank))
    }

    /// The text with all placeholders filled; `None` if a value is missing.
    pub fn text(&self, values: &Values<'_>) -> Option<OsString> {
        let mut text = OsString::new();
        for part in &self.parts {
            match part {
                Part::Text(plain) => text.push(plain),
                Part::Blank(blank, otherwise) => {
                    text.push(values.get(*blank).or_else(|| otherwise.clone().map(Into::into))?);
                }
            }
        }
        Some(text)
    }

    fn parse(text: &str) -> Result<Template, String> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain += &rest[..at];
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                plain += brace;
                rest = after;
                continue;
            }
            let blank =
                rest.split_once('}').filter(|_| brace == "{").and_then(|(inside, after)| {
                    let (name, otherwise) = match inside.split_once(':') {
                        Some((name, otherwise)) => (name, Some(otherwise.to_owned())),
                        None => (inside, None),
                    };
                    let (_, blank) = BLANKS.into_iter().find(|(known, _)| *known == name)?;
                    Some((Part::Blank(blank, otherwise), after))
                });
            let Some((blank, after)) = blank else { return Err(unknown_blank(text)) };
            if !plain.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut plain)));
            }
            parts.push(blank);
            rest = after;
        }
        plain += rest;
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        let template = Template { parts };
        if template.mentions(Blank::Files) && !template.is_files() {
            return Err(format!("`{{files}}` must be a word of its own, not part of `{text}`"));
        }
        Ok(template)
    }

    fn is_files(&self) -> bool {
        self.parts == [Part::Blank(Blank::Files, None)]
    }

    fn fill(&self, values: &Values<'_>) -> Option<Word> {
        if self.is_files() {
            return Some(Word::Files);
        }
        self.text(values).map(Word::Text)
    }
}

fn unknown_blank(text: &str) -> String {
    let known: Vec<_> = BLANKS.iter().map(|(name, _)| format!("`{{{name}}}`")).collect();
    format!(
        "`{text}` has an unknown placeholder, expected one of {}; a literal brace is doubled: `{{{{`",
        known.join(", ")
    )
}

impl Word {
    /// The word for display.
    pub fn to_text(&self) -> String {
        match self {
            Word::Text(text) => text.to_string_lossy().into_owned(),
            Word::Files => "{files}".to_owned(),
        }
    }

    /// The kind and content of the word, for hashing.
    pub(crate) fn as_bytes(&self) -> (u8, &[u8]) {
        match self {
            Word::Text(text) => (0, OsStr::as_encoded_bytes(text)),
            Word::Files => (1, &[]),
        }
    }
}

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Template, D::Error> {
        Template::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// A piece is written as a word, or as a table with conditions.
impl<'de> Deserialize<'de> for Piece {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Piece, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            words: Vec<Template>,
            #[serde(default)]
            verifier: VersionRange,
            #[serde(default)]
            solver: VersionRange,
        }

        struct Visitor;

        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Piece;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a word or a table with `words`")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Piece, E> {
                let word = Template::parse(text).map_err(E::custom)?;
                Ok(Piece {
                    words: vec![word],
                    verifier: VersionRange::default(),
                    solver: VersionRange::default(),
                })
            }

            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Piece, A::Error> {
                let Table { words, verifier, solver } =
                    Table::deserialize(MapAccessDeserializer::new(map))?;
                if words.iter().any(Template::is_files) {
                    return Err(de::Error::custom("`{files}` must be a piece of its own"));
                }
                Ok(Piece { words, verifier, solver })
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(template: &str, values: &Values<'_>) -> Option<String> {
        Template::parse(template).unwrap().fill(values).map(|word| word.to_text())
    }

    #[test]
    fn blanks_are_filled() {
        let values = Values {
            solver: Some(Path::new("/opt/z3")),
            procedure_seconds: Some(3),
            ..Values::default()
        };
        assert_eq!(fill("/z3exe:{solver}", &values).unwrap(), "/z3exe:/opt/z3");
        assert_eq!(fill("{procedure_milliseconds}ms", &values).unwrap(), "3000ms");
        assert_eq!(fill("{{x}}{solver}}}", &values).unwrap(), "{x}/opt/z3}");
        assert_eq!(fill("", &values).unwrap(), "");
        assert_eq!(fill("-t{procedure_seconds:0}", &values).unwrap(), "-t3");
        assert_eq!(fill("seed={random_seed:42}", &values).unwrap(), "seed=42");
        assert_eq!(fill("{random_seed:}", &values).unwrap(), "");
    }

    #[test]
    fn a_piece_is_left_out_as_a_whole_if_a_value_is_missing() {
        let words = ["-l", "{resource_limit}"].map(|word| Template::parse(word).unwrap());
        let piece = Piece {
            words: words.to_vec(),
            verifier: VersionRange::default(),
            solver: VersionRange::default(),
        };
        assert!(piece.fill(&Values::default()).is_empty());
        let values = Values { resource_limit: Some(7), ..Values::default() };
        assert_eq!(piece.fill(&values).len(), 2);
    }

    #[test]
    fn wrong_blanks_are_refused() {
        for text in [
            "{",
            "}",
            "{file}",
            "{solver",
            "a}b",
            "{ solver }",
            "x{files}",
            "{files}{files}",
            "{files:x}",
        ] {
            assert!(Template::parse(text).is_err(), "{text}");
        }
    }
}
