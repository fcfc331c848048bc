//! What goes into the store of a campaign and comes out of it, as values.
//!
//! Knows nothing of `SQLite`; `store.rs` says how they are kept.

use mugie_core::{Edit, LanguageOptions, Outcome, Verdict};
use mugie_exec::Draw;
use mugie_results::work::SolverWork;
use mugie_verifiers::Limits;
use serde::{Deserialize, Serialize};

/// What a campaign is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CampaignRow {
    /// What it is called.
    pub name: String,
    /// The release of mugie that ran it last.
    pub mugie: String,
    /// The text of the plan.
    pub plan: String,
    /// Whether a batch of a seed ends at its first flip.
    pub until_failure: bool,
}

/// A seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedRow {
    /// Unique in the campaign.
    pub name: String,
    /// The files, as the plan has them; several if they are one program.
    pub files: Vec<String>,
    /// Its group.
    pub group: String,
    /// The identifier of its language.
    pub language: String,
    /// How it is read, with every choice made.
    pub options: LanguageOptions,
    /// Lines that are neither blank nor comment.
    pub lines: usize,
    /// The hash of the program.
    pub hash: String,
}

/// A batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchRow {
    /// Unique in the campaign.
    pub name: String,
    /// The choice of operators.
    pub operators: String,
    /// How many mutants each seed is to have.
    pub wanted: usize,
    /// How many draws may be spent.
    pub attempts: u64,
    /// The seed of the random numbers.
    pub random_seed: u64,
}

impl BatchRow {
    /// How its mutants are drawn.
    pub fn draw(&self) -> Draw {
        Draw {
            operators: self.operators.clone(),
            random_seed: self.random_seed,
            mutants: self.wanted,
            attempts: self.attempts,
            exhaustive: false,
        }
    }
}

/// A tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolRow {
    /// Unique in the campaign.
    pub name: String,
    /// What it is.
    pub title: String,
    /// What its verdicts depend on: the verifier's identity and all limits.
    pub identity: String,
    /// The same for people.
    pub settings: ToolSettings,
}

/// What a tool says of a seed.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineRow {
    /// The verdict of the printed seed; that of the original, if that is no evidence.
    pub verdict: Verdict,
    /// Whether the layout alone changes the verdict.
    pub layout: bool,
    /// Processor time in seconds.
    pub seconds: f64,
    /// What the printed seed puts to the solver, if that is known.
    pub work: Option<SolverWork>,
}

/// A run for a baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineRun {
    /// What the tool says.
    pub verdict: Verdict,
    /// Processor time in seconds.
    pub seconds: f64,
    /// What it puts to the solver, if that is known.
    pub work: Option<SolverWork>,
}

/// A mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MutantRow {
    /// Its number in the batch, from 1.
    pub number: usize,
    /// What leads from the seed to it.
    pub edits: Vec<Edit>,
    /// The hash of the program.
    pub hash: String,
}

/// A mutant that was left out because it failed mugie's own check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedRow {
    /// The mutant's id.
    pub mutant: i64,
    /// The operator that made it wrong.
    pub operator: String,
    /// What is wrong with it.
    pub reason: String,
}

/// What a tool says of a mutant.
#[derive(Clone, Debug, PartialEq)]
pub struct VerdictRow {
    /// The mutant's id.
    pub mutant: i64,
    /// The tool's id.
    pub tool: i64,
    /// The verdict.
    pub outcome: Outcome,
    /// Whether its runs did not agree.
    pub unsteady: bool,
    /// Processor time of the run that decided, in seconds, if it ran for this mutant alone.
    pub seconds: Option<f64>,
    /// More about a mutant that is not verified.
    pub details: Option<VerdictDetails>,
    /// What it puts to the solver, if that is known.
    pub work: Option<SolverWork>,
    /// How many times as much work as the seed's that is: see [`SolverWork::effort_over`].
    pub effort: Option<f64>,
}

/// How a tool was run, for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSettings {
    /// Its command line, with `{files}` where the files go.
    pub command: Vec<String>,
    /// What a run may use.
    pub limits: Limits,
    /// How many more runs must agree before a timeout counts.
    pub confirm: usize,
    /// Whether several mutants could share a process when the tool was first run.
    #[serde(default)]
    pub batches: bool,
    /// Whether its solver was tapped then.
    #[serde(default)]
    pub tap: bool,
}

/// Which verdict on which mutant, by names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlipKey<'a> {
    /// The seed.
    pub seed: &'a str,
    /// The batch.
    pub batch: &'a str,
    /// The mutant's number in the batch.
    pub number: u32,
    /// The tool.
    pub tool: &'a str,
}

/// A mutant and a verdict on it, as stored.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredFlip {
    /// What leads from the seed to it.
    pub edits: Vec<Edit>,
    /// The hash of the program.
    pub hash: String,
    /// What the tool said, unless it is verified.
    pub details: Option<VerdictDetails>,
}

/// More about a mutant that is not verified.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerdictDetails {
    /// What the verifier says.
    pub verdict: Verdict,
    /// What it printed.
    pub output: String,
}
