//! Loading a plan: its seeds and their groups, its verifiers, its store.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glob::Pattern;
use mugie_campaign::plan::{Grouping, Plan, PlanError, Seeds, Tool};
use mugie_campaign::rows::CampaignRow;
use mugie_campaign::run::SeedSpec;
use mugie_campaign::store::Store;
use mugie_core::path_name;
use mugie_experiment::sources::Source;
use mugie_verifiers::supervise::Supervisor;
use mugie_verifiers::{Verifier, VerifierOptions, input, trust};

use super::trouble;
use crate::doors::{self, Doors, ToolArgs};
use crate::messages::Trouble;
use crate::parts::languages;
use crate::seed_paths;
use crate::session::Session;
use crate::tool_spec::{Document, ToolSpec};

/// The file extension of plans.
const PLAN: &str = "toml";

/// The maximum size of a plan, in bytes; larger files are refused.
const MAX_PLAN: u64 = 16 << 20;

/// The file extension of stores.
const STORE: &str = "sqlite";

/// A plan and its location.
pub(super) struct LoadedPlan {
    pub(super) plan: Plan,
    /// The text of the file.
    pub(super) text: String,
    /// The folder that relative paths in the plan start from.
    pub(super) folder: PathBuf,
    pub(super) store: PathBuf,
    file: PathBuf,
}

impl LoadedPlan {
    /// Reads a plan.
    pub(super) fn read(file: &Path) -> Result<LoadedPlan, Trouble> {
        let shown = file.display();
        let text = input::read_to_string(file, MAX_PLAN).map_err(|error| {
            Trouble::new(format!("{shown}: cannot read the plan: {error}"))
                .help("`mugie campaign init` writes one to start from")
        })?;
        let plan = Plan::parse(&text, languages()).map_err(|error| {
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

    /// The description of the campaign, for its store.
    pub(super) fn row(&self, until_failure: bool) -> CampaignRow {
        CampaignRow {
            name: self.plan.name.clone(),
            mugie: env!("CARGO_PKG_VERSION").to_owned(),
            plan: self.text.clone(),
            until_failure,
        }
    }

    /// The programs that are seeds. Files that are not seeds themselves are opened by their front
    /// door, which runs its tool under supervision.
    pub(super) fn programs(&self, supervisor: &Arc<Supervisor>) -> Result<Vec<Program>, Trouble> {
        let seeds = &self.plan.seeds;
        let paths: Vec<_> = seeds.paths.iter().map(|path| self.folder.join(path)).collect();
        let files = if paths.is_empty() { Vec::new() } else { seed_paths::find(&paths)? };
        let mut programs: Vec<Vec<PathBuf>> = files.into_iter().map(|file| vec![file]).collect();
        for program in &seeds.programs {
            let files = program.iter().map(|file| seed_paths::plain(self.folder.join(file)));
            programs.push(files.collect());
        }
        let relative = |file: &PathBuf| path_name(file.strip_prefix(&self.folder).unwrap_or(file));
        let mut found = Vec::new();
        for program in programs {
            let paths: Vec<String> = program.iter().map(relative).collect();
            let name = paths.first().cloned().unwrap_or_default();
            let sources = {
                let arguments = ToolArgs::default();
                let doors =
                    Doors { supervisor, arguments: &arguments, verifier: None, solver: None };
                doors.open(vec![Source::named(name, program)])?
            };
            let several = sources.len() > 1;
            for source in sources {
                let files = if several { vec![source.name().to_owned()] } else { paths.clone() };
                found.push(Program { paths: paths.clone(), files, source });
            }
        }
        Ok(found)
    }

    /// The seeds, with their names in the store.
    pub(super) fn specs(
        &self,
        programs: Vec<Program>,
        store: Option<&Store>,
    ) -> Result<Vec<SeedSpec>, Trouble> {
        let known = match store {
            Some(store) => store.seed_names().map_err(|error| trouble(&error))?,
            None => BTreeMap::new(),
        };
        let rules = self.rules()?;
        let files: Vec<Vec<String>> = programs.iter().map(|it| it.files.clone()).collect();
        let names = names(&files, &known);
        let specs = programs.into_iter().zip(names).map(|(program, name)| {
            let Program { paths, files, source } = program;
            let first = paths.first().map_or("", String::as_str);
            SeedSpec { name, group: group(first, &self.plan.seeds, &rules), files, source }
        });
        Ok(specs.collect())
    }

    /// The groups that the plan gives by patterns.
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

    /// The verifier of a tool, for some programs.
    pub(super) fn verifier(
        &self,
        session: &Session<'_>,
        tool: &Tool,
        programs: &[Program],
    ) -> Result<Arc<Verifier>, Trouble> {
        let document = Document { path: &self.file, hash: trust::hash(&self.text) };
        let (verifier, options) = options(&self.plan, &self.folder, tool, document);
        let (limits, confirm) = (self.plan.limits, self.plan.confirm);
        let spec = ToolSpec { verifier, options, limits, confirm };
        let needs = doors::needs(programs.iter().map(|program| &program.source))?;
        session.verifier(&spec.needed(&needs)).map_err(|trouble| Trouble {
            message: format!("tool `{}`: {}", tool.name, trouble.message),
            ..trouble
        })
    }
}

/// A seed of the plan.
pub(super) struct Program {
    /// The files that the plan names.
    paths: Vec<String>,
    /// Its identity in the store: its files, or a part of what a front door made of them.
    files: Vec<String>,
    source: Source,
}

/// The verifier of a tool, by name or by the file of its definition, with its options. All of it
/// comes from a document: the plan, or the store that contains the plan.
pub(super) fn options(
    plan: &Plan,
    folder: &Path,
    tool: &Tool,
    document: Document<'_>,
) -> (String, VerifierOptions) {
    // Relative paths start from the folder of the plan.
    let path = |text: &String| {
        if text.contains('/') { folder.join(text).display().to_string() } else { text.clone() }
    };
    let solver = tool.solver.as_ref().map(|solver| match solver.split_once('=') {
        Some((name, file)) => format!("{name}={}", path(&file.to_owned())),
        None => path(solver),
    });
    let options = VerifierOptions {
        solver,
        program: tool.program.as_ref().map(|program| PathBuf::from(path(program))),
        profile: tool.profile.clone(),
        arguments: tool.arguments.clone(),
        resource_limit: plan.resource_limit,
        random_seed: tool.solver_seed,
        ..VerifierOptions::default()
    };
    let verifier = path(&tool.verifier);
    let options = document.says(&verifier, options);
    (verifier, options)
}

/// The store of a plan, or the store itself if its name is given, and the folder that relative
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

/// The names of seeds: those in the store, or else those of their files, with as many parent
/// folders as needed to tell them apart.
fn names(programs: &[Vec<String>], known: &BTreeMap<Vec<String>, String>) -> Vec<String> {
    let extensions = languages().0.iter().flat_map(|language| language.extensions());
    let endings: Vec<String> = extensions.map(|extension| format!(".{extension}")).collect();
    let suffix = |file: &str, parts: usize| {
        let stem = endings.iter().find_map(|ending| file.strip_suffix(ending)).unwrap_or(file);
        let start = stem.rmatch_indices('/').nth(parts - 1).map_or(0, |(slash, _)| slash + 1);
        stem[start..].to_owned()
    };
    let depth = |file: &str| file.matches('/').count() + 1;
    let first = |program: &[String]| program.first().cloned().unwrap_or_default();
    let mut by_suffix: BTreeMap<String, usize> = BTreeMap::new();
    for program in programs {
        let file = first(program);
        for parts in 1..=depth(&file) {
            *by_suffix.entry(suffix(&file, parts)).or_default() += 1;
        }
    }
    let taken = |name: &String, program: &Vec<String>| {
        known.iter().any(|(of, it)| it == name && of != program)
    };
    let name = |program: &Vec<String>| {
        known.get(program).cloned().unwrap_or_else(|| {
            let file = first(program);
            let mut candidates = (1..=depth(&file)).map(|parts| suffix(&file, parts));
            let free = |name: &String| by_suffix.get(name) == Some(&1) && !taken(name, program);
            candidates.find(free).unwrap_or_else(|| program.join(" + "))
        })
    };
    programs.iter().map(name).collect()
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
        let files = ["s/A_x/a.bpl", "s/A_y/a.bpl", "s/B/b.bpl"].map(|file| vec![file.to_owned()]);
        assert_eq!(names(&files, &BTreeMap::new()), ["A_x/a", "A_y/a", "b"]);
        // A seed that is added later does not change the name of a known seed.
        let known = BTreeMap::from([(files[0].clone(), "a".to_owned())]);
        assert_eq!(names(&files, &known), ["a", "A_y/a", "b"]);
        assert_eq!(names(&files[1..], &known), ["A_y/a", "b"]);
        // A seed that shares its first file with another is named after all its files.
        let both = [vec!["a.bpl".to_owned()], vec!["a.bpl".to_owned(), "b.bpl".to_owned()]];
        assert_eq!(names(&both, &BTreeMap::new()), ["a.bpl", "a.bpl + b.bpl"]);
    }

    #[test]
    fn groups_go_by_letter_folder_or_rule() {
        let seeds = |group| Seeds { group, ..Seeds::default() };
        let rules = [("Z".to_owned(), Pattern::new("**/z*.bpl").unwrap())];
        let group = |file: &str, grouping| group(file, &seeds(grouping), &rules);
        assert_eq!(group("s/A_x/a.bpl", Grouping::Letter), "A");
        assert_eq!(group("s/other/a.bpl", Grouping::Letter), "-");
        assert_eq!(group("s/A_x/a.bpl", Grouping::Folder), "A_x");
        assert_eq!(group("a.bpl", Grouping::None), "all");
        assert_eq!(group("s/A_x/z1.bpl", Grouping::Letter), "Z");
    }
}
