//! The result of a test, as data: the content of `result.json`.
//!
//! The same inputs give the same report, byte for byte, whatever the number of threads and however
//! often the test was interrupted. So it contains no times; those are measurements, which are
//! stored separately.

use mugie_core::{Edit, LanguageOptions, Outcome, Scope, Stage, Strength, Strengths, Symptom};
use mugie_stats::{Grade, Interval};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::calibration::Calibration;
use crate::cause::Groups;
use crate::controls::Controls;
use crate::known_findings::Known;
use crate::minimal::SearchEnding;
use crate::part::Part;

pub use mugie_core::{Answer, ReportedFailure, SeedPlace};

/// The format of reports that this release writes. A report names its format in the key `format`,
/// except for the first format: `book/src/formats.md` has the rules for when it changes.
pub const FORMAT: u64 = 1;

/// Why a text cannot be read as a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The text is not JSON, or cut off.
    #[error("it is not JSON: {0}")]
    NotJson(serde_json::Error),
    /// A newer release of mugie wrote the report.
    #[error("it has the format {found}, and this release of mugie knows formats up to {FORMAT}")]
    Newer {
        /// The report's format.
        found: u64,
    },
    /// The text is JSON, but not a report.
    #[error("it is not the result of a test: {0}")]
    Wrong(String),
}

/// Parses the content of a `result.json`. Unknown keys are ignored.
pub fn read(text: &str) -> Result<TestReport, ReadError> {
    let json: Value = serde_json::from_str(text).map_err(ReadError::NotJson)?;
    let format = json.get("format").map_or(Ok(1), |format| {
        let wrong =
            || ReadError::Wrong(format!("`format` must be a positive integer, not {format}"));
        format.as_u64().filter(|format| *format > 0).ok_or_else(wrong)
    })?;
    if format > FORMAT {
        return Err(ReadError::Newer { found: format });
    }
    serde_json::from_value(json).map_err(|error| ReadError::Wrong(error.to_string()))
}

/// The result of testing one or more seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestReport {
    /// The version of mugie.
    pub mugie: String,
    /// The machine.
    pub host: Host,
    /// The verifier.
    pub verifier: VerifierInfo,
    /// The settings of the test.
    pub settings: TestSettings,
    /// The seeds, in the order given.
    pub seeds: Vec<SeedReport>,
    /// The comparison with plain runs, if it was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cross_check: Option<CrossCheck>,
    /// The result of the level below, such as the queries to the solver, if both were tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<Box<TestReport>>,
    /// The part of the test that was run, if it was not all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// The comparison with a list of known findings, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<Known>,
}

impl TestReport {
    /// The seeds, and those of the level below.
    pub fn all_seeds(&self) -> impl Iterator<Item = &SeedReport> {
        let below = self.below.iter().flat_map(|below| &below.seeds);
        self.seeds.iter().chain(below)
    }
}

/// The comparison of verdicts from accelerated runs with those of plain runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrossCheck {
    /// The number of compared verdicts.
    pub compared: usize,
    /// The verdicts that differ. The verdict of the plain run counts.
    pub differences: Vec<VerdictDifference>,
}

/// A mutant whose verdict in an accelerated run differs from that of a plain run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictDifference {
    /// The mutant's file.
    pub file: String,
    /// The outcome in a shared process, or with a tapped solver.
    pub fast: Outcome,
    /// The outcome of the plain run.
    pub plain: Outcome,
}

/// The machine that a test ran on. Verdicts can depend on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// Operating system, with its version.
    pub system: String,
    /// The processor.
    pub processor: String,
    /// The number of concurrent runs that the machine supports.
    pub cores: usize,
}

/// The verifier of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifierInfo {
    /// The name of the verifier's definition.
    pub name: String,
    /// The name in messages: `Boogie 2.4.1 with Z3 4.8.12`.
    pub title: String,
    /// The path of the program.
    pub program: String,
    /// The version.
    pub version: Option<String>,
    /// The solver that the verifier uses, if there is a choice.
    pub solver: Option<SolverInfo>,
    /// The command line, with `{files}` where the files go.
    pub command: Vec<String>,
    /// A hash of all of these and of the programs' contents.
    pub identity: String,
    /// The options that differ from the defaults: with them, the verifier can be run again.
    #[serde(default, skip_serializing_if = "RecordedOptions::is_usual")]
    pub options: RecordedOptions,
}

/// The options of a verifier.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedOptions {
    /// The file of the definition, if it was given by its path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// The profile of options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Additional arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// The solver's random seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solver_seed: Option<u64>,
    /// The time limit of each procedure in seconds, enforced by the verifier itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub procedure_seconds: Option<u64>,
}

impl RecordedOptions {
    /// Whether all options have their defaults.
    pub fn is_usual(&self) -> bool {
        *self == RecordedOptions::default()
    }
}

/// The solver that a verifier uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolverInfo {
    /// The name in the verifier's definition: `z3`.
    pub name: String,
    /// The path of the program.
    pub program: String,
    /// The version.
    pub version: Option<String>,
}

/// The settings of a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestSettings {
    /// The selection of operators, as on the command line.
    pub operators: String,
    /// The largest number of mutants of each seed.
    pub mutants: usize,
    /// Whether all mutants that the operators yield were requested.
    pub exhaustive: bool,
    /// At how many places operators were applied at once, if not with the usual strength of the language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strength: Option<Strengths>,
    /// The random seed.
    pub random_seed: u64,
    /// The limit of draws.
    pub max_attempts: u64,
    /// The time limit of a run, in seconds.
    pub time_limit: f64,
    /// The limit of processor time of a run, in seconds.
    pub cpu_limit: Option<f64>,
    /// The memory limit of a run, in bytes.
    pub memory_limit: Option<u64>,
    /// The limit of concurrent processes and threads of a run, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process_limit: Option<u32>,
    /// The solver's resource limit.
    pub resource_limit: Option<u64>,
    /// The number of additional runs that must agree before a timeout counts.
    pub confirm: usize,
    /// Whether to stop at the first failing mutant.
    pub until_failure: bool,
    /// The confidence of the sequential rule, if it was requested.
    pub confidence: Option<f64>,
    /// Whether seeds that do not verify were to be tested as well.
    pub failing: bool,
    /// The number of mutants that a seed gets if it does not verify and `failing` is off.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tries: usize,
    /// After how many mutants an operator that changes nothing for the solver was left out, if at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub park_after: Option<usize>,
    /// The names of the goals to check, with `*` for any characters; all goals if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub procedures: Vec<String>,
    /// The scope of change that was asked for, if any was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutate: Option<Scope>,
    /// How many times the work of the seed the solver may need for a mutant, if that was limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_effort: Option<f64>,
    /// How runs were accelerated. Verdicts do not depend on it.
    #[serde(default)]
    pub speed: Speed,
}

/// How runs were accelerated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Speed {
    /// Whether several mutants could share a process of the verifier.
    pub batches: bool,
    /// Whether the solver was tapped: its earlier answers to the same queries were reused.
    #[serde(default)]
    pub tap: bool,
    /// The share of verdicts to be compared with plain runs.
    pub cross_check: f64,
}

/// Declarations that the verifier sorts by a hash that differs from run to run, and what that does to
/// verdicts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chance {
    /// Describes the declarations.
    pub declarations: Vec<String>,
    /// The outcomes of fresh runs of the seed, if a mutant has another verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seed: Vec<Outcome>,
    /// The outcomes of fresh runs of the mutant to look at first, or of the seed in the other layout.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mutant: Vec<Outcome>,
    /// The outcomes of both if declarations stay in the order of the files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_file_order: Option<InFileOrder>,
}

/// The outcomes if declarations stay in the order of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InFileOrder {
    /// The outcome of the seed.
    pub seed: Outcome,
    /// The outcome of the mutant.
    pub mutant: Outcome,
}

/// The scope of change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeReport {
    /// The scope, as on the command line.
    pub mutate: Scope,
    /// The number of units in it; for `user`, those that the user wrote.
    pub units: usize,
    /// The number of all units of the seed.
    pub of: usize,
}

/// What a mutant must do to be a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// The seed verifies: does a mutant not verify?
    DoesAMutantFail,
    /// The seed does not verify: does a mutant verify?
    DoesAMutantPass,
}

/// A goal of a seed, for which a seed on a lower level stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalAbove {
    /// The name of the seed.
    pub seed: String,
    /// The goal, in the words of the user's source.
    pub goal: String,
}

/// The result of testing one seed. A *flip* is a mutant whose verdict differs from the seed's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedReport {
    /// The seed's name: the file, as given.
    pub name: String,
    /// The seed's files; several if they are one program.
    pub files: Vec<String>,
    /// The goal of another seed that this one stands for, if it is a query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<GoalAbove>,
    /// The language's word for a goal, if it is not `procedure`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// The hash of the program, if it could be read.
    pub hash: Option<String>,
    /// How the seed was read, where it differs from the defaults.
    #[serde(default, skip_serializing_if = "LanguageOptions::is_empty")]
    pub reading: LanguageOptions,
    /// The answer.
    pub answer: Answer,
    /// Why there is no better answer, as a lower-case fragment.
    pub reason: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// The user's files and the tool that made the seed of them, if the user did not write the seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<SeedOrigin>,
    /// Whether the verifier verifies the seed as the tool that made it does, if that was compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    /// The question of the test.
    pub question: Question,
    /// Whether the seed is a query to a solver, and not a program.
    #[serde(rename = "query", default, skip_serializing_if = "std::ops::Not::not")]
    pub is_query: bool,
    /// The verdict on the seed in its canonical layout, which mutants are compared with.
    pub baseline: Option<Baseline>,
    /// Procedures whose verdict changed when the seed was printed in the canonical layout.
    pub layout: Vec<LayoutChange>,
    /// The number of mutants by result.
    pub counts: Counts,
    /// The share of flips among the judged mutants.
    pub share: Option<Share>,
    /// The result of the sequential rule, if it was requested.
    pub grade: Option<Grade>,
    /// Flips by outcome, most first.
    pub by_kind: Vec<KindCount>,
    /// Flips by procedure of the seed, most first.
    pub by_procedure: Vec<ProcedureCount>,
    /// Mutants and flips by operator, in the order of the operators.
    pub by_operator: Vec<OperatorCount>,
    /// The mutants that are one edit of the seed, by operator and strength, if edits have several places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strata: Vec<StratumCount>,
    /// The scope of change, unless it was everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<ScopeReport>,
    /// What the verifier does by chance with the seed, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance: Option<Chance>,
    /// The runs that tell the finding from chance, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controls: Option<Controls>,
    /// The number of distinct solver problems of the mutants, if the solver was tapped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<ProblemCount>,
    /// The solver's work on each procedure of the seed, by name, if the solver was tapped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effort: Vec<Effort>,
    /// How many different things the solver did on the mutants, if its work on them is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searches: Option<Searches>,
    /// How many different texts the verifier got for the mutants, if they were translated for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts: Option<Texts>,
    /// Mutants on which the solver proves the opposite of what it proves on the seed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<String>,
    /// What other random seeds of the solver do to the seed, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub luck: Option<Luck>,
    /// The two declarations whose order alone decides which mutants flip, if there are such.
    pub rule: Option<OrderRule>,
    /// The flip to look at first: the one with the fewest edits.
    pub witness: Option<Witness>,
    /// The causes of the flips, if they were looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub causes: Option<Causes>,
    /// All flips, by number.
    pub flips: Vec<Flip>,
    /// Mutants without a verdict because the tool failed, by number.
    pub troubles: Vec<ToolTrouble>,
    /// Mutants that were left out because they failed mugie's own check, by number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<DroppedMutant>,
    /// Whether mutants could not share processes, because the solver received something else from a
    /// shared process than from a process of a mutant alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unshared: bool,
}

/// Where a seed that the user did not write comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeedOrigin {
    /// The user's files.
    pub files: Vec<String>,
    /// The tool that made the seed, with its version: `Dafny 4.11.0`.
    pub tool: String,
}

impl SeedReport {
    /// The report of a seed of which nothing else is known.
    pub fn new(name: String, files: Vec<String>, answer: Answer) -> SeedReport {
        SeedReport {
            name,
            files,
            above: None,
            goal: None,
            hash: None,
            reading: LanguageOptions::default(),
            answer,
            reason: None,
            help: None,
            origin: None,
            calibration: None,
            question: Question::DoesAMutantFail,
            is_query: false,
            baseline: None,
            layout: Vec::new(),
            counts: Counts::default(),
            share: None,
            grade: None,
            by_kind: Vec::new(),
            by_procedure: Vec::new(),
            by_operator: Vec::new(),
            strata: Vec::new(),
            scope: None,
            chance: None,
            controls: None,
            problems: None,
            effort: Vec::new(),
            searches: None,
            texts: None,
            contradictions: Vec::new(),
            luck: None,
            rule: None,
            witness: None,
            causes: None,
            flips: Vec::new(),
            troubles: Vec::new(),
            dropped: Vec::new(),
            unshared: false,
        }
    }

    /// The language's word for a goal.
    pub fn goal(&self) -> &str {
        self.goal.as_deref().unwrap_or("procedure")
    }
}

/// The number of distinct solver problems, which differ in more than the names of places. Mutants
/// with the same problem count once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemCount {
    /// Judged mutants with a solver problem: all but rejected ones.
    pub mutants: usize,
    /// Mutants with the seed's own problem.
    pub as_seed: usize,
    /// Distinct problems of the mutants.
    pub distinct: usize,
    /// Distinct problems that belong to a flip.
    pub flips: usize,
    /// Operators whose first mutants all have the seed's own problem: they were drawn less.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inert: Vec<Inert>,
    /// Mutants of such operators that were not run.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

/// The solver's resource counts for a procedure, in mutants that agree with the seed. They are the
/// same in every run, so a mutant that takes much more shows a proof that is about to break.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effort {
    /// The procedure's name in the seed.
    pub procedure: String,
    /// The count in the seed.
    pub seed: u64,
    /// The lowest count of any mutant.
    pub least: u64,
    /// The median over the mutants; the lower of two.
    pub median: u64,
    /// The highest count of any mutant.
    pub most: u64,
    /// The first mutant with the highest count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_in: Option<String>,
    /// Whether the highest count is beyond the limit that was asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub beyond: bool,
    /// Mutants with more than twice the seed's count.
    pub above_2: Vec<String>,
    /// Mutants with more than ten times the seed's count; they are in `above_2` as well.
    pub above_10: Vec<String>,
}

impl Effort {
    /// The highest count as a multiple of the seed's.
    #[expect(clippy::cast_precision_loss, reason = "for people")]
    pub fn times(&self) -> f64 {
        self.most as f64 / self.seed.max(1) as f64
    }
}

/// What the verifier read instead of the mutants, which were translated for it. Two mutants with one text are the same to
/// the verifier, so they say nothing about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Texts {
    /// The number of mutants that were translated.
    pub mutants: usize,
    /// Mutants with the text of the seed.
    pub as_seed: usize,
    /// The number of different texts.
    pub distinct: usize,
}

/// What the solver did on the mutants. Two mutants with the same answers and resource counts are one
/// *search*: almost surely the solver took the same steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Searches {
    /// The number of mutants whose search is known.
    pub mutants: usize,
    /// Mutants with the search of the seed.
    pub as_seed: usize,
    /// The number of different searches.
    pub distinct: usize,
    /// Operators all of whose mutants had one search.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inert: Vec<Inert>,
    /// Whether all operators were inert: the test says little.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all_inert: bool,
    /// Mutants of inert operators that were not run.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

/// Runs of the seed itself with other random seeds of the solver. They say nothing about changes of the
/// program, so they are no part of the share of mutants.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Luck {
    /// The number of random seeds with a verdict.
    pub judged: usize,
    /// The random seeds with another verdict than the default one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flips: Vec<u64>,
    /// The number of different searches, if the solver's work is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searches: Option<usize>,
}

/// An operator at one strength that changes nothing for the solver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inert {
    /// The operator.
    pub operator: String,
    /// At how many places it was applied.
    #[serde(default, skip_serializing_if = "Strength::is_one")]
    pub strength: Strength,
}

/// The classes that Mariposa sorts queries into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Nearly all mutants succeed.
    Stable,
    /// Some succeed, and too many do not.
    Unstable,
    /// None succeeds.
    Unsolvable,
    /// The runs do not decide it.
    Inconclusive,
}

impl Class {
    /// The class of a query by the result of its test; `None` if the seed is no query, or there is no
    /// result.
    pub fn of(seed: &SeedReport) -> Option<Class> {
        seed.searches.as_ref().filter(|_| seed.is_query)?;
        match (seed.answer, seed.grade) {
            (Answer::Robust, Some(Grade::Stable)) => Some(Class::Stable),
            (Answer::Brittle, Some(Grade::Unstable)) => Some(Class::Unstable),
            // A seed that does not verify, and a mutant that does.
            (Answer::Brittle, _) if seed.question == Question::DoesAMutantPass => {
                Some(Class::Unstable)
            }
            (Answer::SeedFails, _) => Some(Class::Unsolvable),
            (Answer::Robust | Answer::Brittle | Answer::Inconclusive, _) => {
                Some(Class::Inconclusive)
            }
            _ => None,
        }
    }

    /// Mariposa's word for the class.
    pub fn word(self) -> &'static str {
        match self {
            Class::Stable => "stable",
            Class::Unstable => "unstable",
            Class::Unsolvable => "unsolvable",
            Class::Inconclusive => "inconclusive",
        }
    }
}

/// Failing mutants by cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Causes {
    /// The causes and their mutants, by their indices in [`SeedReport::flips`].
    #[serde(flatten)]
    pub groups: Groups,
    /// The number of distinct solver problems of the failing mutants, which differ in more than
    /// names of places, if that is known.
    pub distinct_problems: Option<usize>,
}

/// The verdict on the seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Baseline {
    /// The outcome of the program as a whole.
    pub outcome: Outcome,
    /// Why the program is not verified.
    pub reason: Option<String>,
    /// The outcome of each procedure, by name.
    pub procedures: Vec<ProcedureOutcome>,
}

/// A procedure and its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcedureOutcome {
    /// The procedure's name in the seed.
    pub procedure: String,
    /// The worst outcome of its implementations.
    pub outcome: Outcome,
    /// The proof obligations that could not be discharged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<ReportedFailure>,
}

/// A procedure whose verdict depends on the layout of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayoutChange {
    /// The procedure's name; `None` if the program as a whole is concerned, such as when it is
    /// rejected.
    pub procedure: Option<String>,
    /// The outcome as the user wrote the program; `None` if the procedure is missing.
    pub original: Option<Outcome>,
    /// The outcome as mugie prints it; `None` if the procedure is missing.
    pub printed: Option<Outcome>,
}

/// The number of mutants by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Mutants with a verdict: `flips` and those that agree with the seed.
    pub judged: usize,
    /// Mutants whose verdict differs from the seed's.
    pub flips: usize,
    /// Mutants without a verdict because the tool failed.
    pub troubles: usize,
    /// Mutants that were left out because they failed mugie's own check: a bug in mugie.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: usize,
    /// Whether these are all mutants that the operators yield: then the share is not an estimate.
    pub complete: bool,
    /// Whether the test was interrupted.
    pub interrupted: bool,
}

/// A share and its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The share of the judged mutants.
    pub share: f64,
    /// The 95 % confidence interval for mutants drawn in this way; `None` if these are all mutants.
    pub interval: Option<Interval>,
}

/// The number of flips with an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindCount {
    /// The outcome of the mutant.
    pub outcome: Outcome,
    /// The number of flips.
    pub flips: usize,
}

/// The number of flips that concern a procedure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcedureCount {
    /// The procedure's name in the seed.
    pub procedure: String,
    /// The number of flips.
    pub flips: usize,
}

/// The number of mutants and flips that an operator contributed to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorCount {
    /// The operator's code or name.
    pub operator: String,
    /// The operator's name, if it has a code as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Judged mutants with the operator among their edits.
    pub mutants: usize,
    /// Flips with the operator among their edits.
    pub flips: usize,
}

/// The number of mutants and flips by an operator at one strength.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StratumCount {
    /// The operator's code or name.
    pub operator: String,
    /// At how many places it was applied.
    pub strength: Strength,
    /// Judged mutants.
    pub mutants: usize,
    /// Flips among them.
    pub flips: usize,
    /// Those with the seed's own solver problem, if that is known.
    pub as_seed: Option<usize>,
}

/// All flips have `first` before `second`; the seed and all other mutants have the opposite order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderRule {
    /// A description of one declaration of the seed.
    pub first: String,
    /// A description of the other declaration.
    pub second: String,
    /// The line of the first declaration in the seed's file.
    pub first_line: Option<u32>,
    /// The line of the second declaration in the seed's file.
    pub second_line: Option<u32>,
}

/// A mutant whose verdict differs from the seed's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flip {
    /// The mutant's name: the seed's and a number.
    pub mutant: String,
    /// The mutant's number.
    pub number: usize,
    /// The hash of the program.
    pub hash: String,
    /// The edits that lead from the seed to the mutant.
    pub edits: Vec<Edit>,
    /// The part of the user's source that each edit is in, if a tool made the seed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    /// The names of the files, in the order in which a verifier gets them.
    pub files: Vec<String>,
    /// The outcome of the program as a whole.
    pub outcome: Outcome,
    /// The reason of the outcome.
    pub reason: Option<String>,
    /// The stage that rejected the program, if it was rejected.
    pub stage: Option<Stage>,
    /// The procedures whose verdict changed.
    pub changes: Vec<ProcedureChange>,
    /// Errors that belong to no procedure.
    pub messages: Vec<ReportedFailure>,
}

impl Flip {
    /// Whether parts of its change can be left out: it has several edits, or one at many places.
    pub fn is_divisible(&self) -> bool {
        self.edits.len() > 1 || self.edits.iter().any(|edit| !edit.strength.is_one())
    }
}

/// A procedure whose outcome differs from the one in the seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcedureChange {
    /// The procedure's name in the seed.
    pub procedure: String,
    /// The outcome in the seed.
    pub seed: Outcome,
    /// The outcome in the mutant.
    pub mutant: Outcome,
    /// The proof obligations that could not be discharged.
    pub failures: Vec<ReportedFailure>,
}

/// The flip to look at first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Witness {
    /// The mutant's name.
    pub mutant: String,
    /// The difference between the printed seed and the mutant, as a unified diff.
    pub diff: String,
    /// The command lines that make the mutant again and show its verdict.
    pub reproduce: Vec<String>,
    /// What is left of the mutant without the changes that the failure does not need, if it was taken apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduced: Option<ReducedWitness>,
}

/// The part of a mutant's changes that a failure needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReducedWitness {
    /// A description of the cause: the change to the seed, or the order of two declarations.
    pub cause: String,
    /// How the smaller mutant fails: as the mutant does.
    pub symptom: Symptom,
    /// The edits that lead from the seed to the smaller mutant.
    pub edits: Vec<Edit>,
    /// The part of the user's source that each edit is in, if a tool made the seed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    /// The difference between the printed seed and the smaller mutant, as a unified diff.
    pub diff: String,
    /// The command lines that make it and show its verdict; empty if its edits are too long for them.
    pub reproduce: Vec<String>,
    /// Verifier runs spent on it.
    pub runs: usize,
    /// Why nothing smaller was found.
    pub ending: SearchEnding,
}

impl ReducedWitness {
    /// Whether no part of it can be left out.
    pub fn is_smallest(&self) -> bool {
        self.ending == SearchEnding::Done
    }
}

/// A mutant without a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolTrouble {
    /// The mutant's name.
    pub mutant: String,
    /// The outcome: crashed or tool error.
    pub outcome: Outcome,
    /// The reason of the outcome.
    pub reason: String,
}

/// A mutant that was left out because it failed mugie's own check: a bug in mugie.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedMutant {
    /// The mutant's name.
    pub mutant: String,
    /// The mutant's number.
    pub number: usize,
    /// The operator that made the mutant ill-formed, by its code or name.
    pub operator: String,
    /// What is wrong with the mutant.
    pub reason: String,
    /// The edits that lead from the seed to the mutant.
    pub edits: Vec<Edit>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[cfg(test)]
pub(crate) mod tests;
