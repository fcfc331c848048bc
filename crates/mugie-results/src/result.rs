//! What a test found, as data: the content of `result.json`.
//!
//! The same inputs give the same report, byte for byte, whatever the number of threads and
//! however often the test was interrupted. So there are no times in it; those are measurements,
//! and are kept apart.

use mugie_core::{Edit, LanguageOptions, Outcome, Stage};
use mugie_stats::{Grade, Interval};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cause::Groups;

pub use mugie_core::{Answer, ReportedFailure, SeedPlace};

/// The format of reports that this release writes. A report says its format in the key `format`,
/// unless that is the first one: `book/src/formats.md` has the rules for when it changes.
pub const FORMAT: u64 = 1;

/// Why a text is no report that can be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Not JSON at all, or cut off.
    #[error("it is not JSON: {0}")]
    NotJson(serde_json::Error),
    /// A later release of mugie wrote it.
    #[error("it has the format {found}, and this release of mugie knows formats up to {FORMAT}")]
    Newer {
        /// Its format.
        found: u64,
    },
    /// JSON of something else.
    #[error("it is not the result of a test: {0}")]
    Wrong(String),
}

/// Reads the content of a `result.json`. Keys that are not known are ignored.
pub fn read(text: &str) -> Result<TestReport, ReadError> {
    let json: Value = serde_json::from_str(text).map_err(ReadError::NotJson)?;
    let format = json.get("format").map_or(Ok(1), |format| {
        let wrong = || ReadError::Wrong(format!("`format` is no number of a format: {format}"));
        format.as_u64().filter(|format| *format > 0).ok_or_else(wrong)
    })?;
    if format > FORMAT {
        return Err(ReadError::Newer { found: format });
    }
    serde_json::from_value(json).map_err(|error| ReadError::Wrong(error.to_string()))
}

/// What a test of one or more seeds found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestReport {
    /// The version of mugie.
    pub mugie: String,
    /// The machine.
    pub host: Host,
    /// The verifier.
    pub verifier: VerifierInfo,
    /// What was asked for.
    pub settings: TestSettings,
    /// The seeds, in the order given.
    pub seeds: Vec<SeedReport>,
    /// What the comparison with plain runs brought, if it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cross_check: Option<CrossCheck>,
}

/// The comparison of verdicts from fast runs with those of plain ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrossCheck {
    /// How many verdicts were compared.
    pub compared: usize,
    /// Those that differ. The verdict of the plain run counts.
    pub differences: Vec<VerdictDifference>,
}

/// A mutant whose verdict in a fast run is not that of a plain run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictDifference {
    /// Its file.
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
    /// How many runs it can do at once.
    pub cores: usize,
}

/// The verifier that a test ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifierInfo {
    /// The name of its definition.
    pub name: String,
    /// What to call it in messages: `Boogie 2.4.1 with Z3 4.8.12`.
    pub title: String,
    /// The path of its program.
    pub program: String,
    /// Its version.
    pub version: Option<String>,
    /// The solver under it, if it has one to choose.
    pub solver: Option<SolverInfo>,
    /// The command line, with `{files}` where the files go.
    pub command: Vec<String>,
    /// A hash of all of these and of the programs' contents.
    pub identity: String,
    /// What was wanted of it, where that is not the usual: with these it can be run again.
    #[serde(default, skip_serializing_if = "RecordedOptions::is_usual")]
    pub options: RecordedOptions,
}

/// What was wanted of a verifier.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedOptions {
    /// The file of its definition, if it was given by that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// The profile of options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// More arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// Where the solver's own random numbers start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solver_seed: Option<u64>,
    /// Seconds for each procedure, watched by the verifier itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub procedure_seconds: Option<u64>,
}

impl RecordedOptions {
    /// Whether nothing but the usual was wanted.
    pub fn is_usual(&self) -> bool {
        *self == RecordedOptions::default()
    }
}

/// The solver under a verifier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolverInfo {
    /// The name in the verifier's definition: `z3`.
    pub name: String,
    /// The path of its program.
    pub program: String,
    /// Its version.
    pub version: Option<String>,
}

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestSettings {
    /// The choice of operators, as on the command line.
    pub operators: String,
    /// How many mutants to make of each seed, at most.
    pub mutants: usize,
    /// Whether all mutants that the operators lead to were to be made.
    pub exhaustive: bool,
    /// The seed of the random numbers.
    pub random_seed: u64,
    /// How many draws may be spent.
    pub max_attempts: u64,
    /// The time limit of a run, in seconds.
    pub time_limit: f64,
    /// The limit on processor time, in seconds.
    pub cpu_limit: Option<f64>,
    /// The memory limit of a run, in bytes.
    pub memory_limit: Option<u64>,
    /// How many processes and threads a run may have at a time, if there was such a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process_limit: Option<u32>,
    /// The solver's limit in resource units.
    pub resource_limit: Option<u64>,
    /// How many more runs must agree before a timeout counts.
    pub confirm: usize,
    /// Whether to stop at the first failing mutant.
    pub until_failure: bool,
    /// The sequential rule's level, if it was asked for.
    pub confidence: Option<f64>,
    /// Whether seeds that do not verify were to be tested, too.
    pub failing: bool,
    /// How runs were made fast. Verdicts do not depend on it.
    #[serde(default)]
    pub speed: Speed,
}

/// How runs were made fast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Speed {
    /// Whether several mutants could share a process of the verifier.
    pub batches: bool,
    /// Whether the solver was tapped: answered from what it said before to the same question.
    #[serde(default)]
    pub tap: bool,
    /// The share of verdicts that were to be compared with plain runs.
    pub cross_check: f64,
}

/// What a mutant would have to do to be a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// The seed verifies: does a mutant not verify?
    DoesAMutantFail,
    /// The seed does not verify: does a mutant verify?
    DoesAMutantPass,
}

/// What a test found of one seed. A *flip* is a mutant with another verdict than the seed's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedReport {
    /// What the seed is called: the file, as given.
    pub name: String,
    /// Its files; several if they are one program.
    pub files: Vec<String>,
    /// What its language calls a goal that verifiers name, if not `procedure`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// The hash of the program, if it could be read.
    pub hash: Option<String>,
    /// How it was read, where that is not the usual.
    #[serde(default, skip_serializing_if = "LanguageOptions::is_empty")]
    pub reading: LanguageOptions,
    /// The answer.
    pub answer: Answer,
    /// Why there is no better answer, in a lower-case fragment.
    pub reason: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// What was asked.
    pub question: Question,
    /// What the verifier says of the seed in its canonical layout: what mutants are compared with.
    pub baseline: Option<Baseline>,
    /// Procedures whose verdict changed by printing the seed in the canonical layout alone.
    pub layout: Vec<LayoutChange>,
    /// How many mutants there were, and what became of them.
    pub counts: Counts,
    /// The share of flips among the mutants that were judged.
    pub share: Option<Share>,
    /// What the sequential rule says, if it was asked for.
    pub grade: Option<Grade>,
    /// Flips by outcome, most first.
    pub by_kind: Vec<KindCount>,
    /// Flips by procedure of the seed, most first.
    pub by_procedure: Vec<ProcedureCount>,
    /// Mutants and flips by operator, in the order of the operators.
    pub by_operator: Vec<OperatorCount>,
    /// How many different problems the mutants put to the solver, if it was tapped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<ProblemCount>,
    /// The solver's work on each procedure of the seed, if it was tapped, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effort: Vec<Effort>,
    /// The order of two declarations that decides alone which mutants flip, if there is one.
    pub rule: Option<OrderRule>,
    /// The flip to look at first: the one with the fewest edits.
    pub witness: Option<Witness>,
    /// The causes of the flips, if they were looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub causes: Option<Causes>,
    /// All flips, by number.
    pub flips: Vec<Flip>,
    /// Mutants about which nothing is known because the tool failed on them, by number.
    pub troubles: Vec<ToolTrouble>,
    /// Mutants that were left out because they failed mugie's own check, by number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<DroppedMutant>,
}

impl SeedReport {
    /// The report of a seed of which nothing else is known.
    pub fn new(name: String, files: Vec<String>, answer: Answer) -> SeedReport {
        SeedReport {
            name,
            files,
            goal: None,
            hash: None,
            reading: LanguageOptions::default(),
            answer,
            reason: None,
            help: None,
            question: Question::DoesAMutantFail,
            baseline: None,
            layout: Vec::new(),
            counts: Counts::default(),
            share: None,
            grade: None,
            by_kind: Vec::new(),
            by_procedure: Vec::new(),
            by_operator: Vec::new(),
            problems: None,
            effort: Vec::new(),
            rule: None,
            witness: None,
            causes: None,
            flips: Vec::new(),
            troubles: Vec::new(),
            dropped: Vec::new(),
        }
    }

    /// What its language calls a goal that verifiers name.
    pub fn goal(&self) -> &str {
        self.goal.as_deref().unwrap_or("procedure")
    }
}

/// How many problems mutants put to the solver that differ in more than the names of places.
/// Mutants that are the same to the solver count once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemCount {
    /// Judged mutants that put any problem to the solver: all but rejected ones.
    pub mutants: usize,
    /// Those of them that put the seed's own problem.
    pub as_seed: usize,
    /// Different problems of these mutants.
    pub distinct: usize,
    /// Those of them that are a flip's.
    pub flips: usize,
}

/// The solver's work on a procedure, in its own units, in mutants that agree with the seed. It is
/// the same in every run, so that a mutant which takes much more shows a proof about to break.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effort {
    /// Its name in the seed.
    pub procedure: String,
    /// In the seed.
    pub seed: u64,
    /// The least of any mutant.
    pub least: u64,
    /// The median over the mutants; the lower of two.
    pub median: u64,
    /// The most of any mutant.
    pub most: u64,
    /// Mutants that take more than twice as much as the seed.
    pub above_2: Vec<String>,
    /// Mutants that take more than ten times as much as the seed; they are above, too.
    pub above_10: Vec<String>,
}

/// Failing mutants by cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Causes {
    /// The causes and their mutants, by their places in [`SeedReport::flips`].
    #[serde(flatten)]
    pub groups: Groups,
    /// How many problems the failing mutants put to the solver that differ in more than names of
    /// places, if that is known.
    pub distinct_problems: Option<usize>,
}

/// What the verifier says of the seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Baseline {
    /// Of the program as a whole.
    pub outcome: Outcome,
    /// Why, where it is not verified.
    pub reason: Option<String>,
    /// Of each procedure, by name.
    pub procedures: Vec<ProcedureOutcome>,
}

/// A procedure and what the verifier says of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcedureOutcome {
    /// Its name in the seed.
    pub procedure: String,
    /// The worst outcome of its implementations.
    pub outcome: Outcome,
    /// What could not be proved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<ReportedFailure>,
}

/// A procedure whose verdict depends on the layout of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayoutChange {
    /// Its name; `None` if the program as a whole is concerned, such as when it is rejected.
    pub procedure: Option<String>,
    /// As the user wrote the program; `None` if the procedure is missing.
    pub original: Option<Outcome>,
    /// As mugie prints it; `None` if the procedure is missing.
    pub printed: Option<Outcome>,
}

/// How many mutants there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Mutants whose verdict is known: `flips` and those that agree with the seed.
    pub judged: usize,
    /// Mutants with another verdict than the seed's.
    pub flips: usize,
    /// Mutants about which nothing is known because the tool failed.
    pub troubles: usize,
    /// Mutants that were left out because they failed mugie's own check: a bug of mugie.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: usize,
    /// Whether there are no other mutants by these operators: then the share is no estimate.
    pub complete: bool,
    /// Whether the test ended before its time.
    pub interrupted: bool,
}

/// A share and what is known of the true one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// Of the mutants that were judged.
    pub share: f64,
    /// The interval for mutants drawn in this way, with 95 % confidence; `None` if the mutants
    /// are all there are.
    pub interval: Option<Interval>,
}

/// How many flips ended in some way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindCount {
    /// The outcome of the mutant.
    pub outcome: Outcome,
    /// How many.
    pub flips: usize,
}

/// How many flips concern a procedure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcedureCount {
    /// Its name in the seed.
    pub procedure: String,
    /// How many.
    pub flips: usize,
}

/// How many mutants, and flips, used an operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorCount {
    /// The operator's code or name.
    pub operator: String,
    /// Its name, if it has a code, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Judged mutants with the operator among their edits.
    pub mutants: usize,
    /// Flips among these.
    pub flips: usize,
}

/// All flips have `first` before `second`, and all other mutants and the seed the other way round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderRule {
    /// A declaration of the seed, in words.
    pub first: String,
    /// Another.
    pub second: String,
    /// Where they are in the seed, as lines of the file.
    pub first_line: Option<u32>,
    /// Likewise.
    pub second_line: Option<u32>,
}

/// A mutant with another verdict than the seed's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flip {
    /// Its name: the seed's and a number.
    pub mutant: String,
    /// Its number.
    pub number: usize,
    /// The hash of the program.
    pub hash: String,
    /// What leads from the seed to it.
    pub edits: Vec<Edit>,
    /// The names of its files, in the order for the verifier.
    pub files: Vec<String>,
    /// The verdict of the program as a whole.
    pub outcome: Outcome,
    /// Why.
    pub reason: Option<String>,
    /// Where it was rejected, if it was.
    pub stage: Option<Stage>,
    /// The procedures whose verdict changed.
    pub changes: Vec<ProcedureChange>,
    /// Errors that belong to no procedure.
    pub messages: Vec<ReportedFailure>,
}

/// A procedure whose verdict is not that in the seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcedureChange {
    /// Its name in the seed.
    pub procedure: String,
    /// In the seed.
    pub seed: Outcome,
    /// In the mutant.
    pub mutant: Outcome,
    /// What could not be proved.
    pub failures: Vec<ReportedFailure>,
}

/// The flip to look at first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Witness {
    /// Its name.
    pub mutant: String,
    /// The difference between the printed seed and the mutant, as a unified diff.
    pub diff: String,
    /// The command lines that make the mutant again and show its verdict.
    pub reproduce: Vec<String>,
}

/// A mutant about which nothing is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolTrouble {
    /// Its name.
    pub mutant: String,
    /// Crashed or tool error.
    pub outcome: Outcome,
    /// What happened.
    pub reason: String,
}

/// A mutant that was left out because it failed mugie's own check: a bug of mugie.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedMutant {
    /// Its name.
    pub mutant: String,
    /// Its number.
    pub number: usize,
    /// The operator that made it wrong, by its code or name.
    pub operator: String,
    /// What is wrong with it.
    pub reason: String,
    /// What leads from the seed to it.
    pub edits: Vec<Edit>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> TestReport {
        let [name, text] = ["boogie", "-"].map(str::to_owned);
        TestReport {
            mugie: "0.1.0".to_owned(),
            host: Host {
                name: text.clone(),
                system: text.clone(),
                processor: text.clone(),
                cores: 2,
            },
            verifier: VerifierInfo {
                name,
                title: text.clone(),
                program: text.clone(),
                version: None,
                solver: None,
                command: Vec::new(),
                identity: text,
                options: RecordedOptions::default(),
            },
            settings: TestSettings {
                operators: "paper".to_owned(),
                mutants: 5,
                exhaustive: false,
                random_seed: 1,
                max_attempts: 100,
                time_limit: 10.0,
                cpu_limit: None,
                memory_limit: None,
                process_limit: None,
                resource_limit: None,
                confirm: 2,
                until_failure: false,
                confidence: None,
                failing: false,
                speed: Speed::default(),
            },
            seeds: vec![SeedReport::new("a".to_owned(), Vec::new(), Answer::Nondeterministic)],
            cross_check: None,
        }
    }

    #[test]
    fn a_report_is_read_back_whatever_else_is_in_it() {
        let mut json = serde_json::to_value(report()).unwrap();
        assert_eq!(json.get("format"), None, "the first format has no number");
        assert_eq!(read(&json.to_string()).unwrap(), report());
        json["format"] = 1.into();
        json["seeds"][0]["unheard_of"] = "x".into();
        assert_eq!(read(&json.to_string()).unwrap(), report());
    }

    #[test]
    fn what_cannot_be_read_is_told_apart() {
        let mut json = serde_json::to_value(report()).unwrap();
        assert!(matches!(read("{\"seeds\": ["), Err(ReadError::NotJson(_))));
        json["format"] = 2.into();
        assert!(matches!(read(&json.to_string()), Err(ReadError::Newer { found: 2 })));
        // A later format need not have anything else in common.
        assert!(matches!(read("{\"format\": 7}"), Err(ReadError::Newer { found: 7 })));
        for format in [0.into(), "1".into(), Value::Null] {
            json["format"] = format;
            assert!(matches!(read(&json.to_string()), Err(ReadError::Wrong(_))), "{json}");
        }
        let error = read("{\"mugie\": 3}").unwrap_err().to_string();
        assert!(error.starts_with("it is not the result of a test: "), "{error}");
    }
}
