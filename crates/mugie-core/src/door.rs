//! Front doors: turn a user's file into seeds of a language by running the tool that it is for.
//!
//! A `.bpl` file is a seed itself. A `.dfy` file becomes one when Dafny prints the Boogie program
//! that it would verify; a verdict on that program must then be translated back to the `.dfy` file.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::files::SourceText;
use crate::place::SeedPlace;
use crate::verdict::Verdict;

/// A front door.
pub trait FrontDoor: Sync + fmt::Debug {
    /// The identifier in records: `dafny`.
    fn id(&self) -> &'static str;

    /// The extensions of the files that the door opens, without the dot.
    fn extensions(&self) -> &'static [&'static str];

    /// The seeds behind the files of one program.
    fn open(&self, files: &[PathBuf], run: RunTool<'_>) -> Result<Vec<Opened>, DoorError>;
}

/// Runs a program with arguments, supervised and with limits, and returns its output.
pub type RunTool<'r> = &'r dyn Fn(&Path, &[String]) -> Result<String, String>;

/// A seed behind a door.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The seed's name: the user's file, and the part of it if there are several seeds.
    pub name: String,
    /// The identifier of the seed's language.
    pub language: &'static str,
    /// The seed's files.
    pub files: Vec<SourceText>,
    /// Arguments that the verifier needs to verify the same problem as the tool does.
    pub arguments: Vec<String>,
    /// The profile of options that goes with the seed, if it has a name.
    pub profile: Option<&'static str>,
    /// The way back to the user's source.
    pub back: Arc<dyn Back>,
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
