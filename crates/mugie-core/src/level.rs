//! Levels: seeds of another language that a run of a seed yields, such as the queries that a
//! verifier puts to its solver.

use std::fmt;

use crate::files::SourceText;

/// A level below a seed language.
pub trait Level: Sync + fmt::Debug {
    /// What the command line calls it: `query`.
    fn id(&self) -> &'static str;

    /// The language of the seeds that are run.
    fn from(&self) -> &'static str;

    /// The language of the seeds that they yield.
    fn to(&self) -> &'static str;

    /// The verifier that verifies them, by the name of its definition.
    fn verifier(&self) -> &'static str;

    /// The seeds in what a run left behind, each with the goal that it is about.
    fn seeds(&self, left: &[Artifact]) -> Vec<LevelSeed>;
}

/// Something that a run of a verifier left behind: a file, or what it said to its solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// The goal that it is about, by its name in the seed, if that is known.
    pub goal: Option<String>,
    /// What to call it.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// A seed of a lower level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelSeed {
    /// The goal of the upper seed that it is about.
    pub goal: Option<String>,
    /// Its file.
    pub file: SourceText,
}
