//! From the file of a plan to what it names: seeds with their groups, verifiers, the store.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bpl_syntax::Dialect;
use glob::Pattern;
use mugie_campaign::campaign::plan::{Grouping, Plan, PlanDialect, PlanError, Seeds, Tool};
use mugie_campaign::campaign::run::SeedSpec;
use mugie_campaign::campaign::store::Store;
use mugie_verifiers::{Options, Registry, Verifier};

use super::trouble;
use crate::commands::verifiers::resolve_trouble;
use crate::load::{DialectChoice, Reading};
use crate::report::Trouble;
use crate::seeds;

/// The extension of plans.
const PLAN: &str = "toml";

/// The extension of stores.
const STORE: &str = "sqlite";

/// A plan and where it is.
pub(super) struct LoadedPlan {
    pub(super) plan: Plan,
    /// The text of the file.
    pub(super) text: String,
    /// The folder that the paths in the plan start from.
    pub(super) folder: PathBuf,
    pub(super) store: PathBuf,
    file: PathBuf,
}

impl LoadedPlan {
    /// Reads a plan.
    pub(super) fn read(file: &Path) -> Result<LoadedPlan, Trouble> {
        let shown = file.display();
        let text = fs::read_to_string(file).map_err(|error| {
            Trouble::new(format!("{shown}: cannot read the plan: {error}"))
                .help("`mugie campaign init` writes one to start from")
        })?;
        let plan = Plan::parse(&text).map_err(|error| {
            let trouble = match error {
                PlanError::Syntax { line, problem } => {
                    Trouble::new(format!("{shown}:{line}: {problem}"))
                }
                error => Trouble::new(format!("{shown}: {error}")),
            };
            trouble.help("`mugie campaign init` writes a plan that explains itself")
        })?;
        let folder = folder_of(file);
        let store = plan
            .store
            .as_ref()
            .map_or_else(|| file.with_extension(STORE), |store| folder.join(store));
        Ok(LoadedPlan { plan, text, folder, store, file: file.to_owned() })
    }

    /// The store, if there is one already.
    pub(super) fn existing_store(&self) -> Result<Option<Store>, Trouble> {
        if !self.store.exists() {
            return Ok(None);
        }
        Store::open(&self.store).map(Some).map_err(|error| trouble(&error))
    }

    /// The seeds, with the names that a store has for them.
    pub(super) fn specs(&self, store: Option<&Store>) -> Result<Vec<SeedSpec>, Trouble> {
        let paths: Vec<_> =
            self.plan.seeds.paths.iter().map(|path| self.folder.join(path)).collect();
        let files = seeds::find(&paths)?;
        let relative =
            |file: &PathBuf| file.strip_prefix(&self.folder).unwrap_or(file).display().to_string();
        let files: Vec<String> = files.iter().map(relative).collect();
        let known = match store {
            Some(store) => store.seed_names().map_err(|error| trouble(&error))?,
            None => BTreeMap::new(),
        };
        let rules = self.rules()?;
        let names = names(&files, &known);
        let specs = files.into_iter().zip(names).map(|(file, name)| {
            let group = group(&file, &self.plan.seeds, &rules);
            SeedSpec { name, file, group }
        });
        Ok(specs.collect())
    }

    /// The groups that are given by patterns.
    fn rules(&self) -> Result<Vec<(String, Pattern)>, Trouble> {
        let groups = self.plan.seeds.groups.iter();
        let patterns = groups.flat_map(|(name, all)| all.iter().map(move |it| (name, it)));
        let pattern = |(name, pattern): (&String, &String)| match Pattern::new(pattern) {
            Ok(pattern) => Ok((name.clone(), pattern)),
            Err(error) => Err(Trouble::new(format!(
                "{}: group `{name}`: {pattern}: {}",
                self.file.display(),
                error.msg
            ))
            .help("`*` stands for any characters in a name, `**` for any folders")),
        };
        patterns.map(pattern).collect()
    }

    /// The verifier of a tool.
    pub(super) fn verifier(&self, registry: &Registry, tool: &Tool) -> Result<Verifier, Trouble> {
        let (verifier, options) = options(&self.plan, &self.folder, tool);
        registry.resolve(&verifier, &options).map_err(|error| {
            let trouble = resolve_trouble(&error);
            Trouble { message: format!("tool `{}`: {}", tool.name, trouble.message), ..trouble }
        })
    }
}

/// The verifier of a tool by its name or the file of its definition, and what is wanted of it.
pub(super) fn options(plan: &Plan, folder: &Path, tool: &Tool) -> (String, Options) {
    // What looks like a path starts from the folder of the plan.
    let path = |text: &String| {
        if text.contains('/') { folder.join(text).display().to_string() } else { text.clone() }
    };
    let solver = tool.solver.as_ref().map(|solver| match solver.split_once('=') {
        Some((name, file)) => format!("{name}={}", path(&file.to_owned())),
        None => path(solver),
    });
    let options = Options {
        solver,
        program: tool.program.as_ref().map(|program| PathBuf::from(path(program))),
        arguments: tool.arguments.clone(),
        resource_limit: plan.resource_limit,
        random_seed: tool.solver_seed,
        ..Options::default()
    };
    (path(&tool.verifier), options)
}

/// How the seeds of a plan are read.
pub(super) fn reading(seeds: &Seeds) -> Reading {
    let dialect = match seeds.dialect {
        None => DialectChoice::Auto,
        Some(PlanDialect::Two) => DialectChoice::Only(Dialect::Boogie2),
        Some(PlanDialect::Three) => DialectChoice::Only(Dialect::Boogie3),
    };
    Reading { dialect, infer_modifies: seeds.infer_modifies }
}

/// How the seeds of a plan are read, of which only the text is left.
pub(super) fn reading_in(text: &str) -> Reading {
    let usual = Reading { dialect: DialectChoice::Auto, infer_modifies: false };
    Plan::parse(text).map_or(usual, |plan| reading(&plan.seeds))
}

/// The store that is meant by a plan or by the name of the store itself, and the folder that the
/// paths in it start from.
pub(super) fn store_of(file: &Path) -> Result<(PathBuf, PathBuf), Trouble> {
    if file.extension().is_some_and(|extension| extension == PLAN) {
        let loaded = LoadedPlan::read(file)?;
        return Ok((loaded.store, loaded.folder));
    }
    Ok((file.to_owned(), folder_of(file)))
}

fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Names of seeds: those that are known, or else those of the files, with as many folders before
/// them as it takes to tell them apart.
fn names(files: &[String], known: &BTreeMap<String, String>) -> Vec<String> {
    let suffix = |file: &str, parts: usize| {
        let stem = file.strip_suffix(".bpl").unwrap_or(file);
        let start = stem.rmatch_indices('/').nth(parts - 1).map_or(0, |(slash, _)| slash + 1);
        stem[start..].to_owned()
    };
    let depth = |file: &str| file.matches('/').count() + 1;
    let mut by_suffix: BTreeMap<String, usize> = BTreeMap::new();
    for file in files {
        for parts in 1..=depth(file) {
            *by_suffix.entry(suffix(file, parts)).or_default() += 1;
        }
    }
    let taken = |name: &String, file: &str| known.iter().any(|(of, it)| it == name && of != file);
    let name = |file: &String| {
        known.get(file).cloned().unwrap_or_else(|| {
            let mut candidates = (1..=depth(file)).map(|parts| suffix(file, parts));
            let free = |name: &String| by_suffix.get(name) == Some(&1) && !taken(name, file);
            candidates.find(free).unwrap_or_else(|| file.clone())
        })
    };
    files.iter().map(name).collect()
}

fn group(file: &str, seeds: &Seeds, rules: &[(String, Pattern)]) -> String {
    if let Some((name, _)) = rules.iter().find(|(_, pattern)| pattern.matches(file)) {
        return name.clone();
    }
    let folder = Path::new(file).parent().and_then(Path::file_name);
    let folder = folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match seeds.group {
        Grouping::Letter => match folder.split_once('_') {
            Some((letter, _)) if letter.chars().count() == 1 => letter.to_owned(),
            _ => "-".to_owned(),
        },
        Grouping::Folder => folder,
        Grouping::None => "all".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_stay() {
        let files = ["s/A_x/a.bpl", "s/A_y/a.bpl", "s/B/b.bpl"].map(str::to_owned);
        assert_eq!(names(&files, &BTreeMap::new()), ["A_x/a", "A_y/a", "b"]);
        // A seed that comes later does not change the name of one that is there.
        let known = BTreeMap::from([("s/A_x/a.bpl".to_owned(), "a".to_owned())]);
        assert_eq!(names(&files, &known), ["a", "A_y/a", "b"]);
        assert_eq!(names(&files[1..], &known), ["A_y/a", "b"]);
    }

    #[test]
    fn groups_go_by_letter_folder_or_rule() {
        let seeds = |group| Seeds {
            paths: Vec::new(),
            group,
            groups: BTreeMap::new(),
            dialect: None,
            infer_modifies: false,
        };
        let rules = [("Z".to_owned(), Pattern::new("**/z*.bpl").unwrap())];
        let group = |file: &str, grouping| group(file, &seeds(grouping), &rules);
        assert_eq!(group("s/A_x/a.bpl", Grouping::Letter), "A");
        assert_eq!(group("s/other/a.bpl", Grouping::Letter), "-");
        assert_eq!(group("s/A_x/a.bpl", Grouping::Folder), "A_x");
        assert_eq!(group("a.bpl", Grouping::None), "all");
        assert_eq!(group("s/A_x/z1.bpl", Grouping::Letter), "Z");
    }
}
