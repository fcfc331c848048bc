//! Levels: seeds of another language that the run of a seed yields, such as the queries of a
//! verifier to its solver.

use std::fmt;

use crate::files::SourceText;

/// A level below a seed language.
pub trait Level: Sync + fmt::Debug {
    /// The identifier on the command line: `query`.
    fn id(&self) -> &'static str;

    /// The language of the seeds that are run.
    fn from(&self) -> &'static str;

    /// The language of the seeds that the runs yield.
    fn to(&self) -> &'static str;

    /// The verifier of these seeds, by the name of its definition.
    fn verifier(&self) -> &'static str;

    /// Whether it takes the logs of single goals, rather than one log of everything.
    fn is_by_goal(&self) -> bool {
        false
    }

    /// The seeds in the artifacts of a run, each with the goal that it belongs to.
    fn seeds(&self, left: &[Artifact]) -> Vec<LevelSeed>;
}

/// Something that a run of a verifier left behind: a file, or its dialogue with the solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// The goal that the artifact belongs to, by its name in the seed, if that is known.
    pub goal: Option<String>,
    /// The name of the artifact.
    pub name: String,
    /// The content.
    pub text: String,
}

/// A seed of a lower level, or a part of a seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelSeed {
    /// The goal of the upper seed that it belongs to.
    pub goal: Option<String>,
    /// The line of the goal in the only file of the upper seed, if it is known.
    pub line: Option<u32>,
    /// The seed's file.
    pub file: SourceText,
}
