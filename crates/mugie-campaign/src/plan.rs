//! The plan of a campaign: a TOML file with the seeds, batches and tools.
//!
//! A plan is parsed and checked here, as far as possible without looking for its seeds and tools.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use mugie_core::{Generator, LanguageOptions, Languages, Scope, Weights};
use mugie_exec::Draw;
use mugie_results::data::Failing;
use mugie_verifiers::Limits;
use serde::Deserialize;

/// The preset that reproduces the paper's experiment.
const PAPER: &str = "paper";

/// The largest `scale` of a preset; raising it allows batches that nobody waits for.
const MAX_SCALE: f64 = 100.0;

/// The name of the rows of tables that are about all batches or groups.
const TOTALS: &str = "all";

/// A plan, completed by default values.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The campaign's name.
    pub name: String,
    /// The path of the store relative to the plan's own folder, if the plan has one.
    pub store: Option<String>,
    /// The random seed.
    pub random_seed: u64,
    /// Whether a batch ends at its first flip.
    pub until_failure: bool,
    /// Whether each mutant gets a process of its own.
    pub plain: bool,
    /// What happens to the mutants of seeds that do not verify.
    pub failing: Failing,
    /// The seeds.
    pub seeds: Seeds,
    /// The limits of a run.
    pub limits: Limits,
    /// The solver's resource limit.
    pub resource_limit: Option<u64>,
    /// The number of additional runs that must agree before a timeout counts.
    pub confirm: usize,
    /// The batches of mutants.
    pub batches: Vec<Batch>,
    /// The tools.
    pub tools: Vec<Tool>,
}

/// Which programs are seeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seeds {
    /// Files, folders and patterns relative to the plan's own folder; each file is a seed.
    pub paths: Vec<String>,
    /// Seeds of several files, relative to the plan's own folder; each list is a seed.
    pub programs: Vec<Vec<String>>,
    /// How seeds are grouped.
    pub group: Grouping,
    /// Groups by rule: the name of a group, and patterns for the paths of its seeds. A seed that
    /// matches no pattern is grouped by [`Seeds::group`].
    pub groups: BTreeMap<String, Vec<String>>,
    /// The options of languages for reading the seeds, where they differ from what the tools need.
    pub options: LanguageOptions,
}

/// The TOML table of seeds.
#[derive(Deserialize)]
struct SeedsFormat {
    #[serde(default)]
    paths: Vec<String>,
    #[serde(default)]
    programs: Vec<Vec<String>>,
    #[serde(default)]
    group: Grouping,
    #[serde(default)]
    groups: BTreeMap<String, Vec<String>>,
    /// Options of languages, whose names are not known here.
    #[serde(flatten)]
    options: BTreeMap<String, toml::Value>,
}

impl SeedsFormat {
    fn checked(self, text: &str, languages: Languages) -> Result<Seeds, PlanError> {
        let SeedsFormat { paths, programs, group, groups, options } = self;
        let mut known = LanguageOptions::default();
        for (key, value) in options {
            let name = key.replace('_', "-");
            let about = languages.0.iter().flat_map(|language| language.options());
            let about = about.filter(|about| about.name == name).collect::<Vec<_>>();
            let value = match value {
                toml::Value::String(text) => text,
                toml::Value::Boolean(is_on) => is_on.to_string(),
                toml::Value::Integer(number) => number.to_string(),
                other => other.type_str().to_owned(),
            };
            let is_allowed = about.iter().any(|about| match about.values {
                [] if about.value_name.is_some() => true,
                [] => ["true", "false"].contains(&value.as_str()),
                values => values.iter().any(|(allowed, _)| *allowed == value),
            });
            let problem = if about.is_empty() {
                format!("unknown field `{key}`")
            } else if is_allowed {
                known.set(name, value);
                continue;
            } else {
                format!("`{value}` is not a value of `{key}`")
            };
            return Err(PlanError::Syntax { line: line_of(text, &key), problem });
        }
        Ok(Seeds { paths, programs, group, groups, options: known })
    }
}

/// The line with the assignment to a key, from 1.
fn line_of(text: &str, key: &str) -> usize {
    let gives = |line: &str| {
        line.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    text.lines().position(gives).map_or(1, |line| line + 1)
}

/// How seeds are grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grouping {
    /// By the letter before the first `_` of the folder's name, as in the paper's data.
    #[default]
    Letter,
    /// By the name of the folder.
    Folder,
    /// A single group.
    None,
}

/// A batch of mutants of each seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The batch's name, unique in the plan.
    pub name: String,
    /// The selection of operators, as for `mugie mutate`.
    pub operators: String,
    /// The number of mutants of each seed.
    pub mutants: usize,
    /// The limit of draws for a seed.
    pub attempts: u64,
}

/// A verifier with its solver and options.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// The tool's name, unique in the plan.
    pub name: String,
    /// The verifier: a name from `mugie verifiers`, or a file with a definition.
    #[serde(default = "boogie")]
    pub verifier: String,
    /// The solver: a name, a path, or `NAME=PATH`.
    pub solver: Option<String>,
    /// The verifier's program, if it is not the one on the PATH.
    pub program: Option<String>,
    /// The profile: a set of options with a name in the verifier's definition.
    pub profile: Option<String>,
    /// Additional arguments.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// The solver's random seed.
    pub solver_seed: Option<u64>,
}

fn boogie() -> String {
    "boogie".to_owned()
}

/// Why a plan cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The text is not TOML, or has wrong fields.
    #[error("line {line}: {problem}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// A value that makes no sense.
    #[error("{0}")]
    Invalid(String),
}

/// The TOML document.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Format {
    name: String,
    preset: Option<String>,
    scale: Option<f64>,
    failing: Option<Failing>,
    store: Option<String>,
    #[serde(default = "one")]
    random_seed: u64,
    #[serde(default)]
    until_failure: bool,
    #[serde(default)]
    plain: bool,
    seeds: SeedsFormat,
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
    processes: Option<u32>,
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
    /// Parses a plan for seeds of these languages.
    pub fn parse(text: &str, languages: Languages) -> Result<Plan, PlanError> {
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
        let has_own = !batches.is_empty();
        if is_paper && !has_own {
            batches = papers_batches(languages, scale(format.scale)?);
        } else if format.scale.is_some() {
            let why = "batches of your own have their own numbers";
            return invalid(format!("`scale` is for the batches of `preset = \"{PAPER}\"`: {why}"));
        }
        let limits = &format.limits;
        let usual = Limits::default();
        let plan = Plan {
            name: format.name,
            store: format.store,
            random_seed: format.random_seed,
            until_failure: format.until_failure,
            plain: format.plain,
            failing: format.failing.unwrap_or(if is_paper { Failing::Last } else { Failing::Skip }),
            seeds: format.seeds.checked(text, languages)?,
            limits: Limits {
                time: duration("seconds", limits.seconds)?.unwrap_or(usual.time),
                cpu: duration("cpu_seconds", limits.cpu_seconds)?,
                memory: match limits.megabytes {
                    None => usual.memory,
                    Some(0) => None,
                    Some(megabytes) => Some(megabytes.saturating_mul(1 << 20)),
                },
                output: usual.output,
                processes: limits.processes.unwrap_or(usual.processes),
            },
            resource_limit: limits.resource_units,
            confirm: limits.confirm.unwrap_or(if is_paper { 10 } else { 2 }),
            batches,
            tools: format.tools,
        };
        plan.check(languages)
    }

    fn check(self, languages: Languages) -> Result<Plan, PlanError> {
        if self.seeds.paths.is_empty() && self.seeds.programs.is_empty() {
            return invalid("`seeds.paths` is empty: name files, folders or patterns");
        }
        if self.batches.is_empty() {
            return invalid("there are no batches: add a `[[batch]]`, or `preset = \"paper\"`");
        }
        if self.tools.is_empty() {
            return invalid("there are no tools: add a `[[tool]]`");
        }
        if self.limits.processes == 0 {
            return invalid("`limits.processes` must be more than 0");
        }
        if let Some(what) = self.named_as_totals() {
            return invalid(format!(
                "a {what} cannot have the name `{TOTALS}`, which means all of them in tables"
            ));
        }
        unique("batch", self.batches.iter().map(|batch| &batch.name))?;
        unique("tool", self.tools.iter().map(|tool| &tool.name))?;
        for Batch { name, operators, mutants, .. } in &self.batches {
            // Seeds of languages without such operators have no mutants in the batch.
            let parsed = languages.0.iter().map(|it| Weights::parse(operators, it.operators()));
            let parsed: Vec<_> = parsed.collect();
            if let Some(Err(error)) = parsed.iter().find(|_| parsed.iter().all(Result::is_err)) {
                return invalid(format!("batch `{name}`: {error}"));
            }
            if *mutants == 0 {
                return invalid(format!("batch `{name}` has no mutants"));
            }
        }
        Ok(self)
    }
}

impl Plan {
    /// What has the name of the totals in tables, if anything has.
    fn named_as_totals(&self) -> Option<&'static str> {
        let is_batch = self.batches.iter().any(|batch| batch.name == TOTALS);
        let is_group = self.seeds.groups.contains_key(TOTALS);
        is_batch.then_some("batch").or(is_group.then_some("group"))
    }
}

impl Batch {
    /// How the batch's mutants are drawn.
    pub fn draw(&self, random_seed: u64) -> Draw {
        Draw {
            operators: self.operators.clone(),
            random_seed,
            mutants: self.mutants,
            attempts: self.attempts,
            exhaustive: false,
            scope: Scope::All,
        }
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

/// The operators of the batch `*` in the paper: all but G2.
const PAPERS_MIX: &str = "paper";

/// The paper's batches: a hundred mutants by all its operators but G2, and fifty by each alone; or a share
/// of these, but at least one.
fn papers_batches(languages: Languages, scale: f64) -> Vec<Batch> {
    let batch = |name: &str, mutants: f64| {
        let name = name.to_owned();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small number"
        )]
        let mutants = (mutants * scale).round().max(1.0) as usize;
        Batch::from(BatchFormat { name, operators: None, mutants, attempts: None })
    };
    let codes = languages.operators().filter_map(|about| about.code);
    let mut batches = vec![batch("*", 100.0)];
    batches.extend(codes.map(|code| batch(code, 50.0)));
    batches
}

/// The share of the preset's mutants.
fn scale(scale: Option<f64>) -> Result<f64, PlanError> {
    match scale {
        None => Ok(1.0),
        Some(scale) if scale > 0.0 && scale <= MAX_SCALE => Ok(scale),
        Some(_) => invalid(format!("`scale` must be more than 0, and at most {MAX_SCALE}")),
    }
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

/// A plan to start from, with comments; the paper's if `is_paper`.
pub fn template(is_paper: bool) -> String {
    let batches = if is_paper {
        "# The paper's batches: `*` with 100 mutants by all its operators but G2, and one batch of 50
# for each operator alone. Add `[[batch]]` tables to use others instead.
preset = \"paper\"
# A share of these numbers, for a first look. It can be raised later: what was run is not run again.
# scale = 0.1
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
    let failing = if is_paper { Failing::Last } else { Failing::Skip }.word();
    format!(
        "# A campaign of mugie. `mugie campaign plan FILE` shows what it means, `run` runs it.

name = \"my campaign\"
# store = \"results/my.sqlite\"    # by default beside this file, under its name
{batches}
# The same seed gives the same mutants.
random_seed = 1

# Whether a batch of a seed ends at the first mutant with another verdict: much faster, if all you
# want to know is which seeds are brittle.
until_failure = false

# Whether each mutant gets a verifier process of its own: slower, with the same verdicts.
# plain = true

# What happens to the mutants of seeds that a tool does not verify: \"skip\", \"last\", after all
# others, or \"only\" they are run.
failing = \"{failing}\"

[seeds]
# Files, folders and patterns, relative to this file.
paths = [\"seeds\"]
# Seeds of several files: each list is one seed.
# programs = [[\"main.bpl\", \"library.bpl\"]]
# Groups: \"letter\" (before the first `_` of the folder's name), \"folder\", or \"none\".
group = \"letter\"
# Or by patterns; a seed that matches none is grouped as above.
# groups = {{ D = [\"**/dafny/*.bpl\"] }}
# dialect = \"3\"        # of the language; by default each tool's
# infer_modifies = true

[limits]
seconds = {seconds}         # for each run
megabytes = 4096     # for each run; 0 is no limit
# processes = 500      # and threads, all together, for each run
confirm = {confirm}         # a timeout counts if this many more runs time out
# cpu_seconds = 60      # of processor time, for each run
# resource_units = 1000000
{own_batches}
# What verifies the mutants; all tools get the same ones. `mugie verifiers` lists the verifiers.
[[tool]]
name = \"boogie\"
verifier = \"boogie\"
solver = \"z3\"          # a name, a path, or NAME=PATH
arguments = []
# program = \"boogie-3/boogie\"   # if not the one on the PATH; relative to this file
# solver_seed = 7              # the solver's random seed
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const LANGUAGES: Languages = Languages(&[mugie_boogie::BOOGIE]);

    fn parse(text: &str) -> Result<Plan, PlanError> {
        Plan::parse(text, LANGUAGES)
    }

    #[test]
    fn the_templates_are_plans() {
        let own = parse(&template(false)).unwrap();
        let names: Vec<_> = own.batches.iter().map(|batch| batch.name.as_str()).collect();
        assert_eq!((names, own.confirm), (vec!["*", "S1", "L5"], 2));
        assert_eq!((own.batches[1].operators.as_str(), own.failing), ("S1", Failing::Skip));
        let paper = parse(&template(true)).unwrap();
        assert_eq!((paper.batches.len(), paper.confirm), (12, 10));
        assert_eq!(paper.batches[0].operators, own.batches[0].operators);
        assert_eq!((paper.batches[0].mutants, paper.batches[11].mutants), (100, 50));
        assert_eq!(paper.limits.time, Duration::from_secs(20));
        assert_eq!(paper.tools[0].solver.as_deref(), Some("z3"));
        assert_eq!(paper.failing, Failing::Last);
    }

    #[test]
    fn the_papers_batches_scale() {
        let rest = "name = 'x'\n[seeds]\npaths = ['a']\n[[tool]]\nname = 't'\n";
        let plan = |head: &str| parse(&format!("{head}\n{rest}"));
        let small = plan("preset = 'paper'\nscale = 0.1").unwrap();
        let numbers: Vec<usize> = small.batches.iter().map(|batch| batch.mutants).collect();
        assert_eq!((small.batches.len(), numbers[0], numbers[1]), (12, 10, 5));
        let least = plan("preset = 'paper'\nscale = 0.001").unwrap();
        assert!(least.batches.iter().all(|batch| batch.mutants == 1));
        for wrong in ["0", "-1", "1000", "nan"] {
            let error =
                plan(&format!("preset = 'paper'\nscale = {wrong}.0").replace("nan.0", "nan"));
            let error = error.unwrap_err().to_string();
            assert!(error.contains("`scale` must be more than 0"), "{error}");
        }
        let batch = "[[batch]]\nname = 'S1'\nmutants = 1\n";
        let own = parse(&format!("scale = 0.5\n{rest}{batch}")).unwrap_err().to_string();
        assert!(own.contains("`scale` is for the batches of"), "{own}");
    }

    #[test]
    fn a_plan_says_what_happens_to_failing_seeds() {
        let rest = "name = 'x'\n[seeds]\npaths = ['a']\n[[tool]]\nname = 't'\n\
                    [[batch]]\nname = 'S1'\nmutants = 1\n";
        for (words, failing) in [
            ("failing = 'skip'", Failing::Skip),
            ("failing = 'last'", Failing::Last),
            ("failing = 'only'", Failing::Only),
            ("", Failing::Skip),
            ("preset = 'paper'", Failing::Last),
        ] {
            assert_eq!(parse(&format!("{words}\n{rest}")).unwrap().failing, failing);
        }
        let error = parse(&format!("failing = 'never'\n{rest}")).unwrap_err().to_string();
        assert!(error.starts_with("line 1: unknown variant `never`"), "{error}");
    }

    #[test]
    fn errors_say_what_and_where() {
        let error = |text: &str| parse(text).unwrap_err().to_string();
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
        assert!(parse(&format!("{base}{batch}{tool}")).is_ok());
        let twice = error(&format!("{base}{batch}{batch}{tool}"));
        assert!(twice.contains("two batch entries with the name `S1`"), "{twice}");
        let total = error(&format!("{base}{}{tool}", batch.replace("S1", "all")));
        assert!(total.contains("a batch cannot have the name `all`"), "{total}");
        let group = error(&format!("{base}groups = {{ all = ['*'] }}\n{batch}{tool}"));
        assert!(group.contains("a group cannot have the name `all`"), "{group}");
        let operator = error(&format!("{base}{}{tool}", batch.replace("S1", "S9")));
        assert!(operator.starts_with("batch `S9`: "), "{operator}");
        let plain = parse(&format!("plain = true\n{base}{batch}{tool}")).unwrap();
        assert!(plain.plain);
        let limit = error(&format!("{base}{batch}{tool}[limits]\nseconds = 0"));
        assert_eq!(limit, "`limits.seconds` must be more than 0");
        let limit = error(&format!("{base}{batch}{tool}[limits]\nprocesses = 0"));
        assert_eq!(limit, "`limits.processes` must be more than 0");
        let few = parse(&format!("{base}{batch}{tool}[limits]\nprocesses = 7")).unwrap();
        assert_eq!(few.limits.processes, 7);
        assert!(
            error("preset = 'x'\nname = 'x'\n[seeds]\npaths = ['a']").contains("no preset `x`")
        );
    }

    #[test]
    fn options_of_languages_are_passed_on() {
        let plan = |seeds: &str| {
            let rest = "[[batch]]\nname = 'S1'\nmutants = 1\n[[tool]]\nname = 't'\n";
            parse(&format!("name = 'x'\n[seeds]\n{seeds}\n{rest}")).map(|plan| plan.seeds)
        };
        let seeds = plan("programs = [['a.bpl', 'b.bpl']]\ndialect = '3'\ninfer_modifies = true");
        let seeds = seeds.unwrap();
        assert_eq!(seeds.options.words(), ["--dialect", "3", "--infer-modifies"]);
        assert_eq!(seeds.programs, [["a.bpl", "b.bpl"]]);
        let error = plan("paths = ['a']\ndialect = '4'").unwrap_err().to_string();
        assert_eq!(error, "line 4: `4` is not a value of `dialect`");
    }
}
