//! Front doors: turn a user's file into seeds of a language by running the tool that it is for.
//!
//! A `.bpl` file is a seed itself. A `.dfy` file becomes one when Dafny prints the Boogie program
//! that it would verify; a verdict on that program must then be translated back to the `.dfy` file.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::files::SourceText;
use crate::obligations::{GoalRun, Obligation};
use crate::place::SeedPlace;
use crate::verdict::{Location, Verdict};

/// A front door.
pub trait FrontDoor: Sync + fmt::Debug {
    /// The identifier in records: `dafny`.
    fn id(&self) -> &'static str;

    /// The name of the tool in messages: `Dafny`.
    fn title(&self) -> &'static str;

    /// The extensions of the files that the door opens, without the dot.
    fn extensions(&self) -> &'static [&'static str];

    /// The names of other files that the door opens, such as those of projects: `dfyconfig.toml`.
    fn file_names(&self) -> &'static [&'static str] {
        &[]
    }

    /// The paths that a file of the user mentions as parts of the same program, as written there; a path may be that of
    /// a folder, which stands for all files in it.
    fn included(&self, name: &str, text: &str) -> Vec<String> {
        let _ = (name, text);
        Vec::new()
    }

    /// The seeds behind the files of one program.
    fn open(&self, files: &[PathBuf], request: &DoorRequest<'_>) -> Result<Vec<Opened>, DoorError>;

    /// The detailed report of the tool's own run on the program, with one list for each of the seeds that
    /// [`FrontDoor::open`] returns, in the same order. `None` if the tool cannot report that.
    fn own_run(
        &self,
        files: &[PathBuf],
        request: &DoorRequest<'_>,
    ) -> Result<Option<OwnRun>, DoorError> {
        let _ = (files, request);
        Ok(None)
    }
}

/// What the user asks of a front door, and what a door may use.
pub struct DoorRequest<'r> {
    /// Runs a program.
    pub run: RunTool<'r>,
    /// Finds a program by its name, or checks that there is one with this path.
    pub find: &'r dyn Fn(&str) -> Option<PathBuf>,
    /// Reads a file; the error is a lower-case fragment.
    pub read: &'r dyn Fn(&Path) -> Result<String, String>,
    /// The tool's program, if the user names it.
    pub program: Option<&'r Path>,
    /// The verifier's program, if the user names it.
    pub verifier: Option<&'r Path>,
    /// The solver that the user asks for: its name, its path, or both as `NAME=PATH`.
    pub solver: Option<&'r str>,
    /// The arguments that the user gives the tool.
    pub arguments: &'r [String],
}

/// Runs a program with arguments in a folder of its own, supervised and with limits. `{folder}` in an argument stands
/// for that folder.
pub type RunTool<'r> = &'r dyn Fn(&Path, &[String]) -> Result<ToolRun, String>;

/// A run of a tool that ended by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolRun {
    /// The exit code.
    pub code: i32,
    /// The standard output.
    pub stdout: String,
    /// The standard error.
    pub stderr: String,
    /// The files that the run left in its folder, by name, sorted.
    pub files: BTreeMap<String, String>,
}

/// A seed behind a door.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The tool that made the seed, with its version: `Dafny 4.11.0`.
    pub tool: String,
    /// The seed's name: the user's file, and the part of it if there are several seeds.
    pub name: String,
    /// The identifier of the seed's language.
    pub language: &'static str,
    /// The seed's files.
    pub files: Vec<SourceText>,
    /// What the verifier needs to verify the same problem as the tool does.
    pub verifier: VerifierNeeds,
    /// The way back to the user's source.
    pub back: Arc<dyn Back>,
}

/// What a verifier needs to verify a seed made by a front door in the same way as the tool behind
/// the door does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifierNeeds {
    /// The profile of options, unless the user chooses another.
    pub profile: Option<&'static str>,
    /// Arguments that precede the user's.
    pub arguments: Vec<String>,
    /// The verifier's program, unless the user names another.
    pub program: Option<PathBuf>,
    /// The solver, unless the user chooses another.
    pub solver: Option<String>,
    /// The limit of a goal in seconds, unless the user sets one.
    pub procedure_seconds: Option<u64>,
    /// The limit of a goal in resource units, unless the user sets one.
    pub resource_limit: Option<u64>,
}

/// The tool's own run on the files of one program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnRun {
    /// The tool and its version: `Dafny 4.11.0`.
    pub tool: String,
    /// The goals of all seeds.
    pub goals: Vec<GoalRun>,
    /// The failures that the tool reports.
    pub errors: Vec<OwnError>,
}

/// A failure that the tool behind a door reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnError {
    /// Its place.
    pub place: Location,
    /// The tool's message.
    pub message: String,
    /// Related places, such as that of the postcondition.
    pub related: Vec<Location>,
}

/// The way back from a seed to the user's source, and to the tool that made the seed.
pub trait Back: Send + Sync + fmt::Debug {
    /// Checks, by the verdict on the seed, that the seed is verified as the tool verifies it.
    /// Otherwise returns the difference as a lower-case fragment.
    fn check(&self, verdict: &Verdict) -> Result<(), String> {
        let _ = verdict;
        Ok(())
    }

    /// The name of a goal in the user's source.
    fn goal(&self, name: &str) -> String {
        name.to_owned()
    }

    /// The place in the user's source.
    fn place(&self, place: SeedPlace) -> SeedPlace {
        place
    }

    /// What is to be proved at a place of the seed, in the words of the tool: `index in range`.
    fn description(&self, place: &SeedPlace) -> Option<String> {
        let _ = place;
        None
    }

    /// A place in the user's source as the tool writes it, if that is not `file:line:column`.
    fn shown(&self, place: &SeedPlace) -> Option<String> {
        let _ = place;
        None
    }

    /// The part of the user's source to which a line of the seed belongs, such as a method, or a part that the tool adds.
    fn part(&self, line: u32) -> Option<String> {
        let _ = line;
        None
    }

    /// Takes the places of proof obligations: in the seed, and the same in the user's source.
    fn learn(&self, obligations: Vec<(Location, Obligation)>) {
        let _ = obligations;
    }
}

/// The way back of a seed that the user wrote.
#[derive(Debug)]
pub struct Same;

impl Back for Same {}

/// Why a door does not open.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct DoorError {
    /// What is wrong, as a lower-case fragment.
    pub reason: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// The texts in quotation marks that follow a keyword: `include "a.dfy"`. A comment may hold some as well.
pub fn quoted_after(text: &str, keyword: &str) -> Vec<String> {
    let quoted = text.match_indices(keyword).filter_map(|(at, _)| {
        let after = text[at + keyword.len()..].trim_start();
        after.strip_prefix('"')?.split_once('"').map(|(path, _)| path.to_owned())
    });
    quoted.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_included_is_in_quotation_marks() {
        let text = "include \"a.dfy\"\ninclude\t\"../b c.dfy\" include x import \"d\" include \"";
        assert_eq!(quoted_after(text, "include"), ["a.dfy", "../b c.dfy"]);
    }
}
