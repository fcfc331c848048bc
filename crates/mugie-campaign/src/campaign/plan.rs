//! The plan of a campaign: a TOML file that says which seeds, batches and tools.
//!
//! A plan is read and checked here, as far as one can without looking for its seeds and tools.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use mugie_operators::{Generator, Weights, operators};
use mugie_verifiers::Limits;
use serde::Deserialize;

/// The preset that repeats the paper's experiment.
const PAPER: &str = "paper";

/// A plan, with all that it leaves out filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What the campaign is called.
    pub name: String,
    /// The store, if the plan names one: relative to the plan's own folder.
    pub store: Option<String>,
    /// The seed of the random numbers.
    pub random_seed: u64,
    /// Whether a batch ends at its first mutant with another verdict than its seed.
    pub until_failure: bool,
    /// Whether each mutant gets a process of its own.
    pub plain: bool,
    /// The seeds.
    pub seeds: Seeds,
    /// What a run may use.
    pub limits: Limits,
    /// The solver's limit in resource units.
    pub resource_limit: Option<u64>,
    /// How many more runs must agree before a timeout counts.
    pub confirm: usize,
    /// The batches of mutants.
    pub batches: Vec<Batch>,
    /// The tools.
    pub tools: Vec<Tool>,
}

/// Which programs are seeds.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seeds {
    /// Files, folders and patterns, relative to the plan's own folder.
    pub paths: Vec<String>,
    /// How seeds are put into groups.
    #[serde(default)]
    pub group: Grouping,
    /// Groups by rule: the name of a group, and patterns for the paths of its seeds. What matches
    /// none is grouped by [`Seeds::group`].
    #[serde(default)]
    pub groups: BTreeMap<String, Vec<String>>,
    /// The version of the language, if not what the first tool speaks.
    pub dialect: Option<PlanDialect>,
    /// Whether assignments need no `modifies` clause.
    #[serde(default)]
    pub infer_modifies: bool,
}

/// The version of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum PlanDialect {
    /// Boogie 2.4.
    #[serde(rename = "2")]
    Two,
    /// Boogie 3.5.
    #[serde(rename = "3")]
    Three,
}

/// How seeds are put into groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grouping {
    /// By the letter before the first `_` of the folder's name, as in the paper's data.
    #[default]
    Letter,
    /// By the name of the folder.
    Folder,
    /// All in one.
    None,
}

/// A batch of mutants of each seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Its name, unique in the plan.
    pub name: String,
    /// The choice of operators, as for `mugie mutate`.
    pub operators: String,
    /// How many mutants of each seed.
    pub mutants: usize,
    /// How many draws may be spent on a seed.
    pub attempts: u64,
}

/// A verifier with its solver and options.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its name, unique in the plan.
    pub name: String,
    /// The verifier: a name from `mugie verifiers`, or a file with a definition.
    #[serde(default = "boogie")]
    pub verifier: String,
    /// Its solver: a name, a path, or `NAME=PATH`.
    pub solver: Option<String>,
    /// Its program, if not the one on the PATH.
    pub program: Option<String>,
    /// Arguments for it.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Where the solver's own random numbers start.
    pub solver_seed: Option<u64>,
}

fn boogie() -> String {
    "boogie".to_owned()
}

/// Why a plan cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// Not TOML, or not the fields of a plan.
    #[error("line {line}: {problem}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// Something that makes no sense.
    #[error("{0}")]
    Invalid(String),
}

/// What the file looks like.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Format {
    name: String,
    preset: Option<String>,
    store: Option<String>,
    #[serde(default = "one")]
    random_seed: u64,
    #[serde(default)]
    until_failure: bool,
    #[serde(default)]
    plain: bool,
    seeds: Seeds,
    #[serde(default)]
    limits: LimitsFormat,
    #[serde(default, rename = "batch")]
    batches: Vec<BatchFormat>,
    #[serde(default, rename = "tool")]
    tools: Vec<Tool>,
}

fn one() -> u64 {
    1
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitsFormat {
    seconds: Option<f64>,
    cpu_seconds: Option<f64>,
    megabytes: Option<u64>,
    resource_units: Option<u64>,
    confirm: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BatchFormat {
    name: String,
    operators: Option<String>,
    mutants: usize,
    attempts: Option<u64>,
}

impl Plan {
    /// Reads a plan.
    pub fn parse(text: &str) -> Result<Plan, PlanError> {
        let format: Format = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            let before = text.get(..start).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            PlanError::Syntax { line, problem: error.message().trim_end().to_owned() }
        })?;
        let is_paper = match format.preset.as_deref() {
            None => false,
            Some(PAPER) => true,
            Some(other) => return invalid(format!("there is no preset `{other}`, only `{PAPER}`")),
        };
        let mut batches: Vec<Batch> = format.batches.into_iter().map(Batch::from).collect();
        if is_paper && batches.is_empty() {
            batches = papers_batches();
        }
        let limits = &format.limits;
        let usual = Limits::default();
        let plan = Plan {
            name: format.name,
            store: format.store,
            random_seed: format.random_seed,
            until_failure: format.until_failure,
            plain: format.plain,
            seeds: format.seeds,
            limits: Limits {
                time: duration("seconds", limits.seconds)?.unwrap_or(usual.time),
                cpu: duration("cpu_seconds", limits.cpu_seconds)?,
                memory: match limits.megabytes {
                    None => usual.memory,
                    Some(0) => None,
                    Some(megabytes) => Some(megabytes.saturating_mul(1 << 20)),
                },
                output: usual.output,
            },
            resource_limit: limits.resource_units,
            confirm: limits.confirm.unwrap_or(if is_paper { 10 } else { 2 }),
            batches,
            tools: format.tools,
        };
        plan.check()
    }

    fn check(self) -> Result<Plan, PlanError> {
        if self.seeds.paths.is_empty() {
            return invalid("`seeds.paths` is empty: name files, folders or patterns");
        }
        if self.batches.is_empty() {
            return invalid("there are no batches: add a `[[batch]]`, or `preset = \"paper\"`");
        }
        if self.tools.is_empty() {
            return invalid("there are no tools: add a `[[tool]]`");
        }
        unique("batch", self.batches.iter().map(|batch| &batch.name))?;
        unique("tool", self.tools.iter().map(|tool| &tool.name))?;
        for Batch { name, operators, mutants, .. } in &self.batches {
            if let Err(error) = Weights::parse(operators) {
                return invalid(format!("batch `{name}`: {error}"));
            }
            if *mutants == 0 {
                return invalid(format!("batch `{name}` has no mutants"));
            }
        }
        Ok(self)
    }
}

impl From<BatchFormat> for Batch {
    fn from(BatchFormat { name, operators, mutants, attempts }: BatchFormat) -> Batch {
        Batch {
            operators: operators.unwrap_or_else(|| match name.as_str() {
                "*" => PAPERS_MIX.to_owned(),
                name => name.to_owned(),
            }),
            attempts: attempts.unwrap_or_else(|| Generator::usual_attempts(mutants)),
            mutants,
            name,
        }
    }
}

/// What the batch `*` is made by in the paper: all its operators but G2.
const PAPERS_MIX: &str = "paper";

/// The paper's: a hundred mutants by all its operators but G2, and fifty by each alone.
fn papers_batches() -> Vec<Batch> {
    let batch = |name: &str, mutants| {
        let name = name.to_owned();
        Batch::from(BatchFormat { name, operators: None, mutants, attempts: None })
    };
    let codes = operators::ALL.iter().filter_map(|operator| operator.about().code);
    let mut batches = vec![batch("*", 100)];
    batches.extend(codes.map(|code| batch(code, 50)));
    batches
}

fn invalid<T>(words: impl Into<String>) -> Result<T, PlanError> {
    Err(PlanError::Invalid(words.into()))
}

fn unique<'n>(what: &str, names: impl Iterator<Item = &'n String>) -> Result<(), PlanError> {
    let mut seen = BTreeSet::new();
    for name in names {
        if name.is_empty() {
            return invalid(format!("a {what} has an empty name"));
        }
        if !seen.insert(name) {
            return invalid(format!("there are two {what} entries with the name `{name}`"));
        }
    }
    Ok(())
}

fn duration(field: &str, seconds: Option<f64>) -> Result<Option<Duration>, PlanError> {
    match seconds {
        None => Ok(None),
        Some(seconds) if seconds > 0.0 => match Duration::try_from_secs_f64(seconds) {
            Ok(duration) => Ok(Some(duration)),
            Err(error) => invalid(format!("`limits.{field}`: {error}")),
        },
        Some(_) => invalid(format!("`limits.{field}` must be more than 0")),
    }
}

/// A plan to start from, with comments. `preset` makes it the paper's.
pub fn template(is_paper: bool) -> String {
    let batches = if is_paper {
        "# The paper's batches: `*` with 100 mutants by all its operators but G2, and one batch of 50
# for each operator alone. Add `[[batch]]` tables to use others instead.
preset = \"paper\"
"
    } else {
        ""
    };
    let own_batches = if is_paper {
        ""
    } else {
        "
# Mutants of each seed. `operators` is a choice as for `mugie mutate`; without it, the batch is
# made by the operator that it is named after, and `*` by the paper's operators but G2.
[[batch]]
name = \"*\"
operators = \"paper\"
mutants = 20
# attempts = 10000     # draws that may be spent on a seed

[[batch]]
name = \"S1\"
mutants = 10

[[batch]]
name = \"L5\"
mutants = 10
"
    };
    let (seconds, confirm) = if is_paper { (20, 10) } else { (20, 2) };
    format!(
        "# A campaign of mugie. `mugie campaign plan FILE` says what it means, `run` runs it.

name = \"my campaign\"
# store = \"results/my.sqlite\"    # if not beside this file, under its name
{batches}
# The same seed gives the same mutants.
random_seed = 1

# Whether a batch of a seed ends at the first mutant with another verdict: much faster, if all you
# want to know is which seeds are brittle.
until_failure = false

# Whether each mutant gets a process of the verifier of its own: slower, with the same verdicts.
# plain = true

[seeds]
# Files, folders and patterns, relative to this file.
paths = [\"seeds\"]
# Groups: \"letter\" (before the first `_` of the folder's name), \"folder\", or \"none\".
group = \"letter\"
# Or by patterns; what matches none is grouped as above.
# groups = {{ D = [\"**/dafny/*.bpl\"] }}
# dialect = \"3\"        # of the language; without it, what the first tool speaks
# infer_modifies = true

[limits]
seconds = {seconds}         # for each run
megabytes = 4096     # for each run; 0 is no limit
confirm = {confirm}         # a timeout counts if so many more runs time out
# cpu_seconds = 60      # of processor time, for each run
# resource_units = 1000000
{own_batches}
# What verifies the mutants; several see the same ones. `mugie verifiers` lists what there is.
[[tool]]
name = \"boogie\"
verifier = \"boogie\"
solver = \"z3\"          # a name, a path, or NAME=PATH
arguments = []
# program = \"boogie-3/boogie\"   # if not the one on the PATH; relative to this file
# solver_seed = 7              # where the solver's own random numbers start
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_templates_are_plans() {
        let own = Plan::parse(&template(false)).unwrap();
        let names: Vec<_> = own.batches.iter().map(|batch| batch.name.as_str()).collect();
        assert_eq!((names, own.confirm), (vec!["*", "S1", "L5"], 2));
        assert_eq!(own.batches[1].operators, "S1");
        let paper = Plan::parse(&template(true)).unwrap();
        assert_eq!((paper.batches.len(), paper.confirm), (12, 10));
        assert_eq!(paper.batches[0].operators, own.batches[0].operators);
        assert_eq!((paper.batches[0].mutants, paper.batches[11].mutants), (100, 50));
        assert_eq!(paper.limits.time, Duration::from_secs(20));
        assert_eq!(paper.tools[0].solver.as_deref(), Some("z3"));
    }

    #[test]
    fn errors_say_what_and_where() {
        let error = |text: &str| Plan::parse(text).unwrap_err().to_string();
        let base = "name = 'x'\n[seeds]\npaths = ['a']\n";
        assert_eq!(
            error("name ="),
            "line 1: string values must be quoted, expected literal string"
        );
        let unknown = error(&format!("{base}grouping = 'letter'"));
        assert!(unknown.starts_with("line 4: unknown field `grouping`"), "{unknown}");
        assert!(error(base).contains("no batches"));
        let batch = "[[batch]]\nname = 'S1'\nmutants = 1\n";
        assert!(error(&format!("{base}{batch}")).contains("no tools"));
        let tool = "[[tool]]\nname = 't'\n";
        assert!(Plan::parse(&format!("{base}{batch}{tool}")).is_ok());
        let twice = error(&format!("{base}{batch}{batch}{tool}"));
        assert!(twice.contains("two batch entries with the name `S1`"), "{twice}");
        let operator = error(&format!("{base}{}{tool}", batch.replace("S1", "S9")));
        assert!(operator.starts_with("batch `S9`: "), "{operator}");
        let plain = Plan::parse(&format!("plain = true\n{base}{batch}{tool}")).unwrap();
        assert!(plain.plain);
        let limit = error(&format!("{base}{batch}{tool}[limits]\nseconds = 0"));
        assert_eq!(limit, "`limits.seconds` must be more than 0");
        assert!(
            error("preset = 'x'\nname = 'x'\n[seeds]\npaths = ['a']").contains("no preset `x`")
        );
    }
}
