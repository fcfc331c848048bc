//! What a campaign has found so far, in memory: what tables and reports are made from.
//!
//! Everything refers to everything else by number. Nothing here knows where the data come from.

use mugie_core::{LanguageOptions, Outcome, ReportedFailure};

/// How many operators the mutants of one campaign can have been made by.
pub const MAX_OPERATORS: usize = u128::BITS as usize;

/// What a campaign has found so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Data {
    /// What the campaign is called.
    pub name: String,
    /// Whether a batch of a seed ends at its first mutant with another verdict than the seed.
    pub until_failure: bool,
    /// Groups of seeds, in the order of their names.
    pub groups: Vec<String>,
    /// The seeds, by group and then by name.
    pub seeds: Vec<SeedData>,
    /// The batches, in the order of the plan.
    pub batches: Vec<BatchData>,
    /// The tools, in the order of the plan.
    pub tools: Vec<ToolData>,
    /// The codes or names of the operators, those that mugie knows in their order, then others; a
    /// bit in [`MutantData::operators`] is the number of one. There are at most [`MAX_OPERATORS`].
    pub operators: Vec<String>,
    /// What each tool says of each seed.
    pub baselines: Vec<BaselineData>,
    /// The mutants: by seed, batch and number.
    pub mutants: Vec<MutantData>,
    /// Mutants that were left out because they failed mugie's own check, and are not among these: by
    /// seed, batch and number.
    pub dropped: Vec<DroppedData>,
    /// What each tool says of each mutant, as far as it is known: by mutant and tool.
    pub verdicts: Vec<VerdictData>,
}

impl Data {
    /// The mean processor time of a run: of mutants, or of seeds where there are none.
    pub fn mean_seconds(&self) -> Option<f64> {
        let mutants = self.verdicts.iter().filter_map(|verdict| verdict.seconds.map(f64::from));
        let mut seconds: Vec<f64> = mutants.collect();
        if seconds.is_empty() {
            seconds.extend(self.baselines.iter().map(|baseline| baseline.seconds));
        }
        #[expect(clippy::cast_precision_loss, reason = "few enough")]
        let number = seconds.len() as f64;
        (!seconds.is_empty()).then(|| seconds.iter().sum::<f64>() / number)
    }
}

/// A seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedData {
    /// Its name: unique in the campaign, short, for people.
    pub name: String,
    /// Its files, as the plan has them; several if they are one program.
    pub files: Vec<String>,
    /// The language that it is in: the identifier of one.
    pub language: String,
    /// How it was read, as far as that is on record.
    pub options: LanguageOptions,
    /// The number of its group.
    pub group: usize,
    /// Its lines that are neither blank nor comment.
    pub lines: usize,
}

impl SeedData {
    /// What its files are called together: `a.bpl`, or `a.bpl + b.bpl`.
    pub fn file(&self) -> String {
        self.files.join(" + ")
    }
}

/// A batch of mutants of each seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchData {
    /// Its name: `*` for the mix of operators, or the code of the one operator.
    pub name: String,
    /// The choice of operators.
    pub operators: String,
    /// How many mutants each seed was to have.
    pub wanted: usize,
}

/// A verifier with its solver and options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolData {
    /// Its name in the plan.
    pub name: String,
    /// What it is: `Boogie 2.4.1 with Z3 4.8.12`.
    pub title: String,
}

/// What a tool says of a seed.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineData {
    /// The number of the seed.
    pub seed: usize,
    /// The number of the tool.
    pub tool: usize,
    /// The verdict of the seed in its canonical layout: what mutants are compared with.
    pub outcome: Outcome,
    /// Whether the layout alone changes the verdict.
    pub layout: bool,
    /// Processor time of the run, in seconds.
    pub seconds: f64,
    /// Why it is not verified.
    pub reason: Option<String>,
}

/// A mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MutantData {
    /// The number of its seed.
    pub seed: u32,
    /// The number of its batch.
    pub batch: u32,
    /// Its number in the batch, from 1.
    pub number: u32,
    /// A bit for each operator among its edits.
    pub operators: u128,
    /// The number of its edits.
    pub edits: u32,
}

/// A mutant that was left out because it failed mugie's own check: a bug of mugie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedData {
    /// The number of its seed.
    pub seed: u32,
    /// The number of its batch.
    pub batch: u32,
    /// Its number in the batch, from 1.
    pub number: u32,
    /// The operator that made it wrong, by its code or name.
    pub operator: String,
    /// What is wrong with it.
    pub reason: String,
}

/// What a tool says of a mutant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerdictData {
    /// The number of the mutant.
    pub mutant: u32,
    /// The number of the tool.
    pub tool: u32,
    /// The verdict.
    pub outcome: Outcome,
    /// Whether its runs did not agree: a timeout that did not happen every time.
    pub unsteady: bool,
    /// Processor time of the run that decided, in seconds, if it ran for this mutant alone.
    pub seconds: Option<f32>,
    /// The name of what it puts to the solver, if that is known: those with equal ones are the same
    /// to it.
    pub problem: Option<u64>,
    /// How many times as much work as for the seed that is: of the procedure that grew most.
    pub effort: Option<f32>,
}

/// Failing mutants of a seed by cause, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CauseData {
    /// The number of the seed.
    pub seed: usize,
    /// The number of the tool.
    pub tool: usize,
    /// The change that makes the seed fail, in words; `None` for mutants whose cause is not known.
    pub words: Option<String>,
    /// The procedure that fails, and how, in words.
    pub symptom: String,
    /// How many mutants.
    pub mutants: usize,
}

/// A mutant whose verdict is not its seed's, in detail: for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    /// The number of the mutant.
    pub mutant: usize,
    /// The number of the tool.
    pub tool: usize,
    /// Its name.
    pub name: String,
    /// The procedures whose verdict changed, with what could not be proved and where in the seed.
    pub changes: Vec<DetailChange>,
    /// Its edits in words: `S1: swap axiom #1 with axiom #2`.
    pub edits: Vec<String>,
    /// The difference to the printed seed, as a unified diff. Empty if the seed is not at hand.
    pub diff: String,
    /// The commands that make the mutant again and verify it.
    pub reproduce: Vec<String>,
}

/// A procedure whose verdict changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DetailChange {
    /// Its name in the seed; `None` if the program as a whole is concerned.
    pub procedure: Option<String>,
    /// What became of it.
    pub outcome: Outcome,
    /// What could not be proved, or why the program was rejected.
    pub failures: Vec<ReportedFailure>,
}

/// What people want to know of the mutants whose verdict is not their seed's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// A few of each seed and tool: the first ones of each batch.
    pub mutants: Vec<Detail>,
    /// Failing mutants by cause, as far as mutants with one edit tell it.
    pub causes: Vec<CauseData>,
    /// Seeds that are not there any more, or not as they were: of their mutants, there are no
    /// texts.
    pub missing: Vec<usize>,
}
