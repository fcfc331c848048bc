//! The interfaces between the parts of mugie.
//!
//! A [`Language`] reads a [`Seed`] and makes equivalent programs of it; a verifier gives a
//! [`Verdict`] on each. This crate has the traits that languages, front doors, levels and translators
//! implement, and the data that they exchange with the rest: edits, mutants, files, verdicts,
//! answers. It knows no language, no verifier and no file system.
//!
//! This crate is pure: no files, no clock, no processes, and no randomness except [`rng`].

mod answer;
mod diagnostic;
mod door;
mod edit;
mod files;
mod generate;
mod hash;
mod instances;
mod language;
mod level;
mod naming;
mod obligations;
mod operator;
mod place;
mod problem;
mod program;
pub mod reduce;
pub mod rng;
mod scope;
mod seed;
mod shown;
mod strength;
mod symptom;
mod translate;
mod verdict;
mod weights;

pub use answer::{Answer, Exit};
pub use diagnostic::{Diagnostic, Excerpt};
pub use door::{
    Back, DoorError, DoorRequest, FrontDoor, Opened, OwnError, OwnRun, RunTool, Same, ToolRun,
    VerifierNeeds, quoted_after,
};
pub use edit::{ApplyError, Edit, Place, Spot, Strength, UnitId};
pub use files::{FileText, Files, SourceFile, SourceText};
pub use generate::{Closure, Defect, Dropped, End, Generator, Mutant};
pub use hash::{Hash, hex};
pub use instances::Instances;
pub use language::{
    Checked, ChosenGoals, Language, LanguageOptions, Languages, OptionAbout, Rejected, UsualTest,
    View, Words,
};
pub use level::{Artifact, Level, LevelSeed};
pub use naming::{Naming, files_of, in_file_name, plain};
pub use obligations::{GoalRun, Obligation, ObligationBatch};
pub use operator::{About, Set, number_of, similar};
pub use place::{ReportedFailure, SeedPlace, bare_name};
pub use problem::ProblemDifference;
pub use program::{Applied, DRAWS, EditTrace, GoalNames, Program, Sharing};
pub use reduce::{Pair, PairError, PlainPair};
pub use scope::{EmptyScope, Focus, OwnUnits, Scope, UnitSet, matches};
pub use seed::{ReplayError, Seed, replay};
pub use shown::{escaped, escaped_json, is_visible, path_name, tame};
pub use strength::{NoStrength, Strengths};
pub use symptom::{Symptom, fails};
pub use translate::{ExpectedGoal, LineMap, NotExpressible, Translated, Translator};
pub use verdict::{Failure, FailureKind, Location, Message, Outcome, Procedure, Stage, Verdict};
pub use weights::{Weights, WeightsError};
