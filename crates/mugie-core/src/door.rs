//! Front doors: from somebody's file to seeds of a language, by running that somebody's tool.
//!
//! A `.bpl` file is a seed as it is. A `.dfy` file becomes one when Dafny prints the Boogie program
//! that it would verify; a verdict on that program has then to be told in the words of the `.dfy`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::files::SourceText;
use crate::place::SeedPlace;
use crate::verdict::Verdict;

/// A front door.
pub trait FrontDoor: Sync + fmt::Debug {
    /// What records call it: `dafny`.
    fn id(&self) -> &'static str;

    /// The extensions of the files that it opens, without the dot.
    fn extensions(&self) -> &'static [&'static str];

    /// The seeds behind some files that are one program.
    fn open(&self, files: &[PathBuf], run: RunTool<'_>) -> Result<Vec<Opened>, DoorError>;
}

/// Runs a program with some arguments, supervised and with limits, and returns what it printed.
pub type RunTool<'r> = &'r dyn Fn(&Path, &[String]) -> Result<String, String>;

/// A seed behind a door.
#[derive(Clone, Debug)]
pub struct Opened {
    /// What to call it: the user's file, and a part of it where there are several.
    pub name: String,
    /// The identifier of its language.
    pub language: &'static str,
    /// Its files.
    pub files: Vec<SourceText>,
    /// Arguments for the verifier without which it is another problem than the tool's.
    pub arguments: Vec<String>,
    /// The profile of options that goes with it, if it has a name.
    pub profile: Option<&'static str>,
    /// The way back to what the user wrote.
    pub back: Arc<dyn Back>,
}

/// The way back from a seed to what a user wrote, and to the tool that made the seed.
pub trait Back: Send + Sync + fmt::Debug {
    /// Whether the seed is verified as that tool does it, from the verdict on the seed; what differs,
    /// in a lower-case fragment, if it is not.
    fn check(&self, verdict: &Verdict) -> Result<(), String> {
        let _ = verdict;
        Ok(())
    }

    /// What a goal of the seed is called there.
    fn goal(&self, name: &str) -> String {
        name.to_owned()
    }

    /// A place of the seed, there.
    fn place(&self, place: SeedPlace) -> SeedPlace {
        place
    }
}

/// What the user wrote is the seed.
#[derive(Debug)]
pub struct Same;

impl Back for Same {}

/// Why a door does not open.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct DoorError {
    /// What is wrong, in a lower-case fragment.
    pub reason: String,
    /// What to do about it.
    pub help: Option<String>,
}
