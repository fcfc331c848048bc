//! The contents of a campaign's store, as values.
//!
//! This module knows nothing of `SQLite`; `store.rs` defines the tables.

use mugie_core::{Edit, LanguageOptions, Outcome, Scope, Strengths, Verdict};
use mugie_exec::Draw;
use mugie_results::data::Failing;
use mugie_results::work::SolverWork;
use mugie_verifiers::Limits;
use serde::{Deserialize, Serialize};

use crate::ids::{BatchId, MutantId, SeedId, ToolId};

/// The description of a campaign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CampaignRow {
    /// The campaign's name.
    pub name: String,
    /// The release of mugie that ran the campaign last.
    pub mugie: String,
    /// The text of the plan.
    pub plan: String,
    /// Whether a batch of a seed ends at its first flip.
    pub until_failure: bool,
}

/// A seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedRow {
    /// The name, unique in the campaign.
    pub name: String,
    /// The files as in the plan; several if they are one program.
    pub files: Vec<String>,
    /// The seed's group.
    pub group: String,
    /// The identifier of the seed's language.
    pub language: String,
    /// The reading options, with every choice made explicit.
    pub options: LanguageOptions,
    /// Lines that are neither blank nor comments.
    pub lines: usize,
    /// The hash of the program.
    pub hash: String,
}

/// How a seed was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedReading {
    /// The seed's name.
    pub name: String,
    /// Its files, as in the plan.
    pub files: Vec<String>,
    /// The reading options.
    pub options: LanguageOptions,
    /// The hash of the program.
    pub hash: String,
}

/// What a plan asks for. Everything else in the store is kept, and not counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlannedRows {
    /// The seeds.
    pub seeds: Vec<SeedId>,
    /// The batches, in the order of the plan.
    pub batches: Vec<BatchId>,
    /// The tools, in the order of the plan.
    pub tools: Vec<ToolId>,
    /// What happens to the mutants of seeds that do not verify.
    pub failing: Failing,
    /// Programs that cannot be used: the name, and why.
    pub unusable: Vec<(String, String)>,
}

/// A batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchRow {
    /// The name, unique in the campaign.
    pub name: String,
    /// The selection of operators.
    pub operators: String,
    /// The number of mutants that each seed should have.
    pub wanted: usize,
    /// The limit of draws.
    pub attempts: u64,
    /// The random seed.
    pub random_seed: u64,
    /// At how many places operators are applied at once, if that is not the usual strength.
    pub strength: Option<Strengths>,
}

/// What separates operators from a strength in a store.
const STRENGTH: &str = " --strength ";

impl BatchRow {
    /// How the batch's mutants are drawn.
    pub fn draw(&self) -> Draw {
        Draw {
            operators: self.operators.clone(),
            random_seed: self.random_seed,
            mutants: self.wanted,
            attempts: self.attempts,
            exhaustive: false,
            strength: self.strength,
            scope: Scope::All,
        }
    }

    /// The operators and the strength as a store has them, in one column.
    pub(crate) fn choice(&self) -> String {
        let strength = self.strength.map(|it| format!("{STRENGTH}{it}")).unwrap_or_default();
        format!("{}{strength}", self.operators)
    }

    /// The operators and the strength in a column of a store.
    pub(crate) fn parse_choice(choice: &str) -> (String, Option<Strengths>) {
        let both = choice.split_once(STRENGTH);
        let both = both.and_then(|(operators, strength)| Some((operators, strength.parse().ok()?)));
        match both {
            Some((operators, strength)) => (operators.to_owned(), Some(strength)),
            None => (choice.to_owned(), None),
        }
    }
}

/// A tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolRow {
    /// The name, unique in the campaign.
    pub name: String,
    /// The tool's title, with versions.
    pub title: String,
    /// A hash of everything that its verdicts depend on: the verifier's identity and all limits.
    pub identity: String,
    /// The same settings for people.
    pub settings: ToolSettings,
}

/// A tool's verdict on a seed.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineRow {
    /// The verdict on the printed seed, or on the original if that is no evidence.
    pub verdict: Verdict,
    /// Whether the layout alone changes the verdict.
    pub layout: bool,
    /// Processor time in seconds.
    pub seconds: f64,
    /// The solver work of the printed seed, if it is known.
    pub work: Option<SolverWork>,
}

/// A run of the baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineRun {
    /// The tool's verdict.
    pub verdict: Verdict,
    /// Processor time in seconds.
    pub seconds: f64,
    /// The solver work, if it is known.
    pub work: Option<SolverWork>,
}

/// A mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MutantRow {
    /// The number in the batch, from 1.
    pub number: usize,
    /// The edits that lead from the seed to the mutant.
    pub edits: Vec<Edit>,
    /// The hash of the program.
    pub hash: String,
}

/// A mutant that was left out because it failed mugie's own check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedRow {
    /// The mutant's id.
    pub mutant: MutantId,
    /// The operator that made the mutant ill-formed.
    pub operator: String,
    /// What is wrong with the mutant.
    pub reason: String,
}

/// A tool's verdict on a mutant.
#[derive(Clone, Debug, PartialEq)]
pub struct VerdictRow {
    /// The mutant's id.
    pub mutant: MutantId,
    /// The tool's id.
    pub tool: ToolId,
    /// The outcome.
    pub outcome: Outcome,
    /// Whether the mutant is flaky: its runs did not agree.
    pub unsteady: bool,
    /// Processor time of the deciding run in seconds, if the mutant had a process of its own.
    pub seconds: Option<f64>,
    /// Details of a mutant that is not verified.
    pub details: Option<VerdictDetails>,
    /// The solver work, if it is known.
    pub work: Option<SolverWork>,
    /// The ratio to the seed's solver work: see [`SolverWork::effort_over`].
    pub effort: Option<f64>,
}

/// How a tool was run, for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSettings {
    /// The command line, with `{files}` where the files go.
    pub command: Vec<String>,
    /// The arguments of `mugie translate` that make what the tool reads, if it reads another language than that of the
    /// seeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translate: Option<Vec<String>>,
    /// The limits of a run.
    pub limits: Limits,
    /// The number of additional runs that must agree before a timeout counts.
    pub confirm: usize,
    /// Whether several mutants could share a process when the tool was first run.
    #[serde(default)]
    pub batches: bool,
    /// Whether the solver was tapped when the tool was first run.
    #[serde(default)]
    pub tap: bool,
}

/// Identifies a verdict on a mutant, by names.
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
    /// The edits that lead from the seed to the mutant.
    pub edits: Vec<Edit>,
    /// The hash of the program.
    pub hash: String,
    /// The details of the verdict, unless the mutant is verified.
    pub details: Option<VerdictDetails>,
}

/// Details of a mutant that is not verified.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerdictDetails {
    /// The verifier's verdict.
    pub verdict: Verdict,
    /// The verifier's output.
    pub output: String,
}
