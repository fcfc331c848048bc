//! How a verifier verifies several programs in one process, and when it can.

use std::collections::BTreeMap;
use std::fmt;

use regex::Regex;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::check_variables;
use crate::command::Piece;
use crate::read::regex;
use crate::tap::Marker;
use crate::version::VersionRange;

/// How a verifier verifies several programs, each in a file, in one process.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchDefinition {
    /// The versions of the verifier that can do so.
    #[serde(default)]
    pub verifier: VersionRange,
    /// Patterns of arguments without which it cannot.
    #[serde(default)]
    given: Vec<ArgumentPattern>,
    /// Patterns of arguments with which it cannot.
    #[serde(default)]
    not_given: Vec<ArgumentPattern>,
    /// Features of programs that cannot share a process.
    #[serde(default)]
    pub without: Vec<String>,
    /// Whether that is sound only with a tap between verifier and solver.
    #[serde(default)]
    pub tapped: bool,
    /// Whether the verifier repeats what it told the solver about the first program of the process,
    /// from the second query about each later program on, so that a tap has to correct it.
    #[serde(default)]
    pub stale_preludes: bool,
    /// Arguments added to the command line, before the files.
    #[serde(default)]
    pub arguments: Vec<Piece>,
    /// Environment variables of such a process.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// The pattern of the line that begins the output about a program.
    pub begins: BeginPattern,
    /// Whether there is such a line for each goal instead, so that a program has several of them, or
    /// none.
    #[serde(default)]
    pub each_goal: bool,
    /// A line with `{file}` in it, after which the verifier attributes lines to that file. With it,
    /// a program of several files can be written to one file.
    pub file_line: Option<String>,
    /// The marker put before each program, which tells a tap whose queries follow. By default it is
    /// the marker for the language of the programs, if there is one.
    #[serde(default, deserialize_with = "crate::tap::named_marker")]
    pub marker: Option<&'static Marker>,
}

impl BatchDefinition {
    /// Whether this is for a command line with these arguments.
    pub(crate) fn is_for_arguments(&self, arguments: &[&str]) -> bool {
        let is_given = |pattern: &ArgumentPattern| {
            arguments.iter().any(|argument| pattern.0.is_match(argument))
        };
        self.given.iter().all(is_given) && !self.not_given.iter().any(is_given)
    }

    /// Checks what the types do not.
    pub(super) fn check(&self, input: &str) -> Result<(), String> {
        if self.arguments.iter().any(Piece::is_files) {
            return Err("the arguments of `[batch]` must not contain `{files}`".to_owned());
        }
        check_variables(&self.environment, "[batch]")?;
        if let Some(marker) = self.marker.filter(|marker| marker.input != input) {
            return Err(format!(
                "the marker `{}` is for programs in the language `{}`, not `{input}`",
                marker.name, marker.input
            ));
        }
        let is_odd = |line: &String| !line.contains("{file}") || line.contains('\n');
        if self.file_line.as_ref().is_some_and(is_odd) {
            return Err("`file_line` must be one line with `{file}` in it".to_owned());
        }
        if self.each_goal && (self.tapped || self.file_line.is_some()) {
            return Err("`each_goal` is for untapped programs in files of their own".to_owned());
        }
        if self.stale_preludes && !self.tapped {
            return Err("`stale_preludes` needs `tapped = true`: the tap corrects them".to_owned());
        }
        if self.tapped && (self.marker.is_none() || self.file_line.is_none()) {
            return Err("`tapped = true` needs a `file_line` and a `marker`".to_owned());
        }
        Ok(())
    }
}

/// A regular expression for an argument.
#[derive(Clone, Debug)]
struct ArgumentPattern(Regex);

impl<'de> Deserialize<'de> for ArgumentPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ArgumentPattern, D::Error> {
        regex(&String::deserialize(deserializer)?).map(ArgumentPattern).map_err(de::Error::custom)
    }
}

/// A regular expression for a line, with a group `file`: the program that the output is about from
/// that line on.
#[derive(Clone, Debug)]
pub struct BeginPattern(Regex);

impl BeginPattern {
    /// The file that a line names, if the line begins the output about a program.
    pub fn file<'l>(&self, line: &'l str) -> Option<&'l str> {
        Some(self.0.captures(line)?.name("file")?.as_str())
    }
}

impl<'de> Deserialize<'de> for BeginPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BeginPattern, D::Error> {
        let regex = regex(&String::deserialize(deserializer)?).map_err(de::Error::custom)?;
        if !regex.capture_names().flatten().any(|name| name == "file") {
            return Err(de::Error::custom(
                "the pattern of the line that begins a program needs a group `(?<file>…)`",
            ));
        }
        Ok(BeginPattern(regex))
    }
}

/// Deserialises a table, or an array of tables.
pub(super) fn one_or_several<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<BatchDefinition>, D::Error> {
    struct Tables;

    impl<'de> Visitor<'de> for Tables {
        type Value = Vec<BatchDefinition>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("`[batch]`, or several `[[batch]]`")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            Ok(vec![BatchDefinition::deserialize(MapAccessDeserializer::new(map))?])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut tables: A) -> Result<Self::Value, A::Error> {
            let mut batches = Vec::new();
            while let Some(batch) = tables.next_element()? {
                batches.push(batch);
            }
            Ok(batches)
        }
    }

    deserializer.deserialize_any(Tables)
}
