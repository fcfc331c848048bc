//! The results of a campaign so far, in memory: the input of tables and reports.
//!
//! The parts refer to each other by typed indices. Nothing here knows where the data come from.

use std::collections::BTreeMap;

use index_vec::{IndexVec, define_index_type};
use mugie_core::{LanguageOptions, Outcome, ReportedFailure};
use serde::Deserialize;

use crate::asked::Asked;

define_index_type! {
    /// The index of a group in [`Data::groups`].
    pub struct GroupIx = u32;
    DISPLAY_FORMAT = "{}";
}

define_index_type! {
    /// The index of a seed in [`Data::seeds`].
    pub struct SeedIx = u32;
    DISPLAY_FORMAT = "{}";
}

define_index_type! {
    /// The index of a batch in [`Data::batches`].
    pub struct BatchIx = u32;
    DISPLAY_FORMAT = "{}";
}

define_index_type! {
    /// The index of a tool in [`Data::tools`].
    pub struct ToolIx = u32;
    DISPLAY_FORMAT = "{}";
}

define_index_type! {
    /// The index of an operator in [`Data::operators`].
    pub struct OperatorIx = u32;
    DISPLAY_FORMAT = "{}";
}

define_index_type! {
    /// The index of a mutant in [`Data::mutants`].
    pub struct MutantIx = u32;
    DISPLAY_FORMAT = "{}";
}

/// The most operators that the mutants of one campaign can use: the bits of
/// [`MutantData::operators`].
pub const MAX_OPERATORS: usize = u128::BITS as usize;

/// The results of a campaign so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Data {
    /// The campaign's name.
    pub name: String,
    /// Whether a batch of a seed ends at its first flip.
    pub until_failure: bool,
    /// Groups of seeds, in the order of their names.
    pub groups: IndexVec<GroupIx, String>,
    /// The seeds, by group and then by name.
    pub seeds: IndexVec<SeedIx, SeedData>,
    /// The batches, in the order of the plan.
    pub batches: IndexVec<BatchIx, BatchData>,
    /// The tools, in the order of the plan.
    pub tools: IndexVec<ToolIx, ToolData>,
    /// The codes or names of the operators: those that mugie knows in their order, then others. A
    /// bit in [`MutantData::operators`] has the number of an operator. There are at most
    /// [`MAX_OPERATORS`].
    pub operators: IndexVec<OperatorIx, String>,
    /// The verdict of each tool on each seed.
    pub baselines: Vec<BaselineData>,
    /// The mutants: by seed, batch and number.
    pub mutants: IndexVec<MutantIx, MutantData>,
    /// Mutants that were left out because they failed mugie's own check, and are not in `mutants`:
    /// by seed, batch and number.
    pub dropped: Vec<DroppedData>,
    /// The known verdicts of each tool on each mutant: by mutant and tool.
    pub verdicts: Vec<VerdictData>,
    /// A bit for each operator that is kept apart, because it changes how a solver works: the paper's G2.
    pub apart: u128,
    /// What happens to the mutants of seeds that do not verify.
    pub failing: Failing,
    /// How many mutants a seed has in a batch, those that were left out included, if all were drawn. There
    /// are fewer than wanted where the operators yield no others.
    pub drawn: BTreeMap<(SeedIx, BatchIx), usize>,
    /// Seeds whose runs do not agree, with the tool: their baseline is trouble.
    pub unstable: Vec<(SeedIx, ToolIx)>,
    /// Programs of the plan that cannot be used, which are not in `seeds`: the name, and why.
    pub unusable: Vec<(String, String)>,
    /// The solver's work on the mutants of a seed, where it is not known for each mutant.
    pub efforts: Vec<EffortData>,
    /// What was asked of the tools, and with what.
    pub asked: Asked,
}

/// What happens to the mutants of seeds that a tool does not verify.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failing {
    /// They are not run.
    Skip,
    /// They are run when all others have been.
    #[default]
    Last,
    /// Only they are run.
    Only,
}

impl Failing {
    /// The word in plans.
    pub fn word(self) -> &'static str {
        match self {
            Failing::Skip => "skip",
            Failing::Last => "last",
            Failing::Only => "only",
        }
    }
}

impl Data {
    /// Whether a mutant was made by an operator that is kept apart.
    pub fn is_apart(&self, mutant: &MutantData) -> bool {
        mutant.operators & self.apart != 0
    }

    /// The codes or names of the operators that are kept apart.
    pub fn names_apart(&self) -> impl Iterator<Item = &str> {
        let names = self.operators.iter().enumerate();
        let are_apart = names.filter(|(number, _)| self.apart >> number & 1 == 1);
        are_apart.map(|(_, name)| name.as_str())
    }

    /// The mean processor time of a run in seconds, of all tools or of one: of mutants, or of seeds if there
    /// are no mutants.
    pub fn mean_seconds(&self, tool: Option<ToolIx>) -> Option<f64> {
        let is_meant = |by: ToolIx| tool.is_none_or(|tool| tool == by);
        let mutants = self.verdicts.iter().filter(|it| is_meant(it.tool));
        let mut seconds: Vec<f64> =
            mutants.filter_map(|verdict| verdict.seconds.map(f64::from)).collect();
        if seconds.is_empty() {
            let seeds = self.baselines.iter().filter(|it| is_meant(it.tool));
            seconds.extend(seeds.map(|baseline| baseline.seconds));
        }
        #[expect(clippy::cast_precision_loss, reason = "few enough")]
        let number = seconds.len() as f64;
        (!seconds.is_empty()).then(|| seconds.iter().sum::<f64>() / number)
    }
}

/// A seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedData {
    /// The seed's name: unique in the campaign, short, for people.
    pub name: String,
    /// The seed's files as in the plan; several if they are one program.
    pub files: Vec<String>,
    /// The identifier of the seed's language.
    pub language: String,
    /// The reading options, as far as they were recorded.
    pub options: LanguageOptions,
    /// The seed's group.
    pub group: GroupIx,
    /// The number of lines that are neither blank nor comments.
    pub lines: usize,
}

impl SeedData {
    /// The names of the files: `a.bpl`, or `a.bpl + b.bpl`.
    pub fn file(&self) -> String {
        self.files.join(" + ")
    }
}

/// A batch of mutants of each seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchData {
    /// The batch's name: `*` for the mix of operators, or the code of the only operator.
    pub name: String,
    /// The selection of operators.
    pub operators: String,
    /// The number of mutants that each seed should have.
    pub wanted: usize,
}

/// A verifier with its solver and options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolData {
    /// The tool's name in the plan.
    pub name: String,
    /// The tool's title: `Boogie 2.4.1 with Z3 4.8.12`.
    pub title: String,
}

/// A tool's verdict on a seed.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineData {
    /// The seed.
    pub seed: SeedIx,
    /// The tool.
    pub tool: ToolIx,
    /// The outcome of the seed in its canonical layout, which mutants are compared with.
    pub outcome: Outcome,
    /// Whether the layout alone changes the verdict.
    pub layout: bool,
    /// Processor time of the run, in seconds.
    pub seconds: f64,
    /// Why the seed is not verified.
    pub reason: Option<String>,
}

/// A mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MutantData {
    /// The mutant's seed.
    pub seed: SeedIx,
    /// The mutant's batch.
    pub batch: BatchIx,
    /// The number in the batch, from 1.
    pub number: u32,
    /// A bit for each operator among its edits.
    pub operators: u128,
    /// The number of edits.
    pub edits: u32,
}

/// A mutant that was left out because it failed mugie's own check: a bug in mugie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedData {
    /// The mutant's seed.
    pub seed: SeedIx,
    /// The mutant's batch.
    pub batch: BatchIx,
    /// The number in the batch, from 1.
    pub number: u32,
    /// The operator that made the mutant ill-formed, by its code or name.
    pub operator: String,
    /// What is wrong with the mutant.
    pub reason: String,
}

/// A tool's verdict on a mutant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerdictData {
    /// The mutant.
    pub mutant: MutantIx,
    /// The tool.
    pub tool: ToolIx,
    /// The outcome.
    pub outcome: Outcome,
    /// Whether the mutant is flaky: its runs did not agree, as with a timeout that did not happen
    /// every time.
    pub unsteady: bool,
    /// Processor time of the deciding run in seconds, if the mutant had a process of its own.
    pub seconds: Option<f32>,
    /// A hash of the solver problems, if the solver was tapped. Mutants with equal hashes pose the
    /// same problem.
    pub problem: Option<u64>,
    /// The ratio to the seed's solver work, for the procedure that grew most.
    pub effort: Option<f32>,
}

/// The solver's work on the mutants of a seed, as multiples of its work on the seed, for the procedure in
/// which it grows most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EffortData {
    /// The seed.
    pub seed: SeedIx,
    /// The tool.
    pub tool: ToolIx,
    /// The least work.
    pub least: f64,
    /// The median.
    pub median: f64,
    /// The most work.
    pub most: f64,
}

/// Failing mutants of a seed by cause, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CauseData {
    /// The seed.
    pub seed: SeedIx,
    /// The tool.
    pub tool: ToolIx,
    /// A description of the change that makes the seed fail; `None` for mutants with an unknown
    /// cause.
    pub words: Option<String>,
    /// A description of the procedure that fails, and how.
    pub symptom: String,
    /// The number of mutants.
    pub mutants: usize,
    /// Whether the change was minimised: without any part of it, the seed does not fail in this way.
    pub minimised: bool,
}

/// A mutant whose verdict differs from its seed's, in detail: for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    /// The mutant.
    pub mutant: MutantIx,
    /// The tool.
    pub tool: ToolIx,
    /// The mutant's name.
    pub name: String,
    /// The procedures whose verdict changed, with the failed proof obligations and their places in
    /// the seed.
    pub changes: Vec<DetailChange>,
    /// Descriptions of the edits: `S1: swap axiom #1 with axiom #2`.
    pub edits: Vec<String>,
    /// The difference to the printed seed, as a unified diff. Empty if the seed is not available.
    pub diff: String,
    /// The commands that make the mutant again and verify it.
    pub reproduce: Vec<String>,
}

/// A procedure whose verdict changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DetailChange {
    /// The procedure's name in the seed; `None` if the program as a whole is concerned.
    pub procedure: Option<String>,
    /// The outcome in the mutant.
    pub outcome: Outcome,
    /// The failed proof obligations, or why the program was rejected.
    pub failures: Vec<ReportedFailure>,
}

/// Details, for people, about mutants whose verdict differs from their seed's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// A few mutants of each seed and tool: the first ones of each batch.
    pub mutants: Vec<Detail>,
    /// Failing mutants by cause, as far as mutants with a single edit reveal it.
    pub causes: Vec<CauseData>,
    /// Seeds that no longer exist, or have changed: there are no texts of their mutants.
    pub missing: Vec<SeedIx>,
    /// What is to be known of some seeds besides failing mutants: other findings first, then why there is no
    /// answer.
    pub remarks: Vec<(SeedIx, String)>,
}
