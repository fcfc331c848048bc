//! All definitions, and the verifiers that they stand for on this machine.
//!
//! Definitions of the project take precedence over the user's, and these over the shipped ones. The
//! project may be anybody's: nothing that it asks for is run without [consent](crate::trust). The
//! results of a lookup are not kept, because a tool may be installed in the meantime.

mod consent;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

use crate::command::{Blank, Values};
use crate::definition::{Definition, DefinitionError, Origin, SolverDefinition};
use crate::find::{Environment, FoundProgram, PATIENCE, ProgramQuery, ToolError, ask, is_path};
use crate::trust::{self, TrustError, TrustState, Untrusted};
use crate::verifier::{Solver, Verifier, VerifierOptions};
use crate::version::VersionRange;

/// The definitions that are shipped with mugie.
const SHIPPED: [(&str, &str); 5] = [
    ("boogie", include_str!("../verifiers/boogie.toml")),
    ("command", include_str!("../verifiers/command.toml")),
    ("cvc5", include_str!("../verifiers/cvc5.toml")),
    ("why3", include_str!("../verifiers/why3.toml")),
    ("z3", include_str!("../verifiers/z3.toml")),
];

/// All definitions, by name.
#[derive(Clone, Debug)]
pub struct Registry {
    definitions: BTreeMap<String, Definition>,
    /// The shipped definitions and the user's own, even those that a project's definition replaces.
    own: Vec<Definition>,
    /// Whether the user trusts everything.
    trusts_everything: bool,
    environment: Environment,
    /// Time that a program may take to print its version.
    patience: Duration,
}

/// Why a verifier cannot be run.
#[derive(Debug, Error)]
pub enum ResolveError {
    /// There is no definition of that name.
    #[error("there is no verifier `{name}`")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// The definition cannot be used.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// The verifier or its solver cannot be used.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The verifier has no such solver, and there is no program of that name either.
    #[error("{verifier} has no solver `{name}`")]
    UnknownSolver {
        /// The name of the verifier in messages.
        verifier: String,
        /// The name that was asked for.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// The solver is a program of an unknown kind.
    #[error("`{}` is not a solver that {verifier} knows: {problem}", path.display())]
    UnknownKind {
        /// The name of the verifier in messages.
        verifier: String,
        /// The program.
        path: PathBuf,
        /// Why its version is unknown.
        problem: String,
        /// The solvers that are known.
        known: Vec<String>,
    },
    /// The solver works only with other versions of the verifier.
    #[error("{verifier} cannot use {solver}: a version {range} is required")]
    Solver {
        /// The verifier and its version.
        verifier: String,
        /// The name of the solver in messages.
        solver: String,
        /// The versions of the verifier that can use the solver.
        range: VersionRange,
    },
    /// The verifier has no such profile.
    #[error("{verifier} has no profile `{name}`")]
    UnknownProfile {
        /// The name of the verifier in messages.
        verifier: String,
        /// The name that was asked for.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// The profile is meant for other versions of the verifier.
    #[error("the profile `{name}` is not for {verifier}: a version {range} is required")]
    Profile {
        /// The verifier and its version.
        verifier: String,
        /// The name that was asked for.
        name: String,
        /// The versions of the verifier that the profile is for.
        range: VersionRange,
        /// The names of the profiles for this version.
        known: Vec<String>,
    },
    /// The profile is meant for another solver.
    #[error("the profile `{name}` is for the solver `{wanted}`, not for `{solver}`")]
    ProfileSolver {
        /// The name of the profile.
        name: String,
        /// The solver that the profile is for.
        wanted: String,
        /// The solver that was asked for.
        solver: String,
    },
    /// An option was given that the command line has no place for.
    #[error("{verifier} has no {option}")]
    Option {
        /// The verifier with its solver, and their versions.
        verifier: String,
        /// The option that was asked for.
        option: &'static str,
    },
    /// A document of somebody else asks for something that the user has not trusted.
    #[error("{0}")]
    Untrusted(Box<Untrusted>),
    /// The list of what the user trusts cannot be read or written.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// A program cannot be read, so a change of it would go unnoticed.
    #[error("{}: cannot read the program: {error}", path.display())]
    Unreadable {
        /// The program.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
}

impl ResolveError {
    /// What to do about it, if there is anything.
    pub fn help(&self) -> Option<String> {
        match self {
            ResolveError::Unknown { known, .. } => Some(format!(
                "choose {}, or give the path of a `.toml` file; `mugie verifiers` describes \
                 them",
                listed(known)
            )),
            ResolveError::Tool(error) => Some(error.help()),
            ResolveError::Untrusted(untrusted) => Some(untrusted.help()),
            ResolveError::UnknownSolver { known, .. } if known.is_empty() => {
                Some("its definition names no solvers to choose from".to_owned())
            }
            ResolveError::UnknownSolver { known, .. } => {
                Some(format!("choose {}, or give the path of such a program", listed(known)))
            }
            ResolveError::UnknownKind { path, known, .. } => known
                .first()
                .map(|name| format!("say what kind of solver it is: `{name}={}`", path.display())),
            ResolveError::UnknownProfile { known, .. } if known.is_empty() => {
                Some("its definition has no profiles to choose from".to_owned())
            }
            ResolveError::Profile { known, .. } if known.is_empty() => {
                Some("its definition has no profile for this version".to_owned())
            }
            ResolveError::UnknownProfile { known, .. } | ResolveError::Profile { known, .. } => {
                Some(format!("choose {}, or leave it out", listed(known)))
            }
            ResolveError::Trust(TrustError::File { .. }) => Some(
                "remove the file if it is damaged; then everything needs consent again".to_owned(),
            ),
            ResolveError::Trust(TrustError::NoPlace)
            | ResolveError::Definition(_)
            | ResolveError::Solver { .. }
            | ResolveError::Option { .. }
            | ResolveError::ProfileSolver { .. }
            | ResolveError::Unreadable { .. } => None,
        }
    }
}

fn unreadable((path, error): (PathBuf, io::Error)) -> ResolveError {
    ResolveError::Unreadable { path, error }
}

/// Whether a verifier is given by the path of its definition, and not by its name.
fn is_file(name: &str) -> bool {
    is_path(name.as_ref()) || Path::new(name).extension() == Some(OsStr::new("toml"))
}

fn listed(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// What was found of a verifier on this machine.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// The name of the verifier in messages, with its version if known.
    pub title: String,
    /// Its program.
    pub program: Result<FoundProgram, ToolError>,
    /// Its solvers, the default one first.
    pub solvers: Vec<SolverInspection>,
    /// Its profiles, by name.
    pub profiles: Vec<ProfileInspection>,
    /// Whether the user trusts the definition, if it may be anybody's.
    pub consent: Option<Consent>,
}

/// Whether the user trusts a definition of somebody else.
#[derive(Clone, Debug)]
pub struct Consent {
    /// Whether everything that it names may be run.
    pub standing: TrustState,
    /// The value of the variable [`trust::VARIABLE`] that would trust it.
    pub fingerprint: String,
}

/// A profile, and whether it can be used on this machine.
#[derive(Clone, Debug)]
pub struct ProfileInspection {
    /// The name in the verifier's definition.
    pub name: String,
    /// Where its options come from.
    pub source: String,
    /// The tool that uses the verifier with these options, if it has a name.
    pub tool: Option<String>,
    /// The versions of the verifier that it is for.
    pub range: VersionRange,
    /// Whether the verifier was found, but its version is outside the range.
    pub unusable: bool,
}

/// What was found of a solver on this machine.
#[derive(Clone, Debug)]
pub struct SolverInspection {
    /// The name in the verifier's definition.
    pub name: String,
    /// The name in messages, with its version if known.
    pub title: String,
    /// Its program.
    pub program: Result<FoundProgram, ToolError>,
    /// The versions of the verifier that can use it.
    pub range: VersionRange,
    /// Whether the verifier was found, but its version is outside the range.
    pub unusable: bool,
}

impl Registry {
    /// Reads all definitions: the shipped ones, those in `mugie/verifiers` in the directory of the
    /// user's settings, and those in `verifiers` in the current directory.
    pub fn load() -> Result<Registry, DefinitionError> {
        Registry::load_in(Environment::of_process())
    }

    /// Reads all definitions as [`Registry::load`] does, in the given environment.
    pub fn load_in(environment: Environment) -> Result<Registry, DefinitionError> {
        Registry::load_with(environment, &[])
    }

    /// Reads all definitions as [`Registry::load_in`] does, with more shipped ones: their names and
    /// texts.
    pub fn load_with(
        environment: Environment,
        more: &[(&str, &str)],
    ) -> Result<Registry, DefinitionError> {
        let mut own = Vec::new();
        for (name, text) in SHIPPED.iter().chain(more) {
            own.push(Definition::parse(name, Origin::Shipped, (*text).to_owned())?);
        }
        let shipped = own.clone();
        let config = environment.config.as_ref().map(|config| config.join("mugie/verifiers"));
        for path in config.map_or(Ok(Vec::new()), |config| definitions_in(&config))? {
            own.push(Definition::read(&path)?);
        }
        let mut definitions: BTreeMap<String, Definition> =
            own.iter().map(|definition| (definition.name.clone(), definition.clone())).collect();
        for path in definitions_in(&environment.directory.join("verifiers"))? {
            let definition = Definition::read(&path)?;
            // A copy of a shipped definition counts as the shipped one.
            let same = shipped.iter().find(|own| own.name == definition.name);
            let same = same.filter(|own| own.content() == definition.content());
            let definition = match same {
                Some(own) => own.clone(),
                None => Definition { origin: Origin::Project(path), ..definition },
            };
            definitions.insert(definition.name.clone(), definition);
        }
        let trusts_everything = trust::everything(&environment);
        Ok(Registry { definitions, own, trusts_everything, environment, patience: PATIENCE })
    }

    /// Trusts everything, for as long as this registry is used.
    pub fn trust_everything(&mut self) {
        self.trusts_everything = true;
    }

    /// Sets the time that programs may take to print their versions.
    #[cfg(test)]
    pub(crate) fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// The names of all definitions, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.definitions.keys().map(String::as_str)
    }

    /// The definition with the given name.
    pub fn get(&self, name: &str) -> Option<&Definition> {
        self.definitions.get(name)
    }

    /// The definition that a name, or a path to a `.toml` file, stands for.
    pub fn find(&self, name: &str) -> Result<Definition, ResolveError> {
        if is_file(name) {
            return Ok(Definition::read(Path::new(name))?);
        }
        self.get(name).cloned().ok_or_else(|| ResolveError::Unknown {
            name: name.to_owned(),
            known: self.names().map(str::to_owned).collect(),
        })
    }

    /// The verifier that a name, or a path to a `.toml` file, stands for, ready to be run.
    pub fn resolve(&self, name: &str, options: &VerifierOptions) -> Result<Verifier, ResolveError> {
        let definition = self.find(name)?;
        let options = &as_program(&definition, options);
        self.check_consent(name, &definition, options.foreign.as_ref(), options)?;
        let wanted = ProgramQuery::program(&definition, options.program.as_deref());
        let tool = self.find_program(&wanted)?;
        if let Some(name) = &options.profile {
            check_profile(&definition, &tool, name)?;
        }
        let profile = options.profile.as_ref().and_then(|name| definition.profiles.get(name));
        let usual_seconds = profile.and_then(|profile| profile.procedure_seconds);
        let options = &VerifierOptions {
            procedure_seconds: options.procedure_seconds.or(usual_seconds),
            ..options.clone()
        };
        let of_profile = profile.and_then(|profile| profile.solver.as_deref());
        let asked = options.solver.as_deref().or(of_profile);
        let solver = self.solver(&definition, &tool, asked)?;
        if let (Some(wanted), Some(solver)) = (of_profile, &solver)
            && wanted != solver.name
        {
            return Err(ResolveError::ProfileSolver {
                name: options.profile.clone().unwrap_or_default(),
                wanted: wanted.to_owned(),
                solver: solver.name.clone(),
            });
        }
        let verifier = Verifier::new(&definition, tool, solver, options).map_err(unreadable)?;
        for (asked, blank, option) in [
            (options.resource_limit, Blank::ResourceLimit, "limit in resource units"),
            (options.procedure_seconds, Blank::ProcedureSeconds, "time limit for procedures"),
            (options.random_seed, Blank::RandomSeed, "random seed"),
        ] {
            if asked.is_some() && !verifier.used(&definition, options, blank) {
                return Err(ResolveError::Option { verifier: verifier.title, option });
            }
        }
        if options.without_inference && !verifier.lacks_inference(&definition, options) {
            let option = "inference to switch off";
            return Err(ResolveError::Option { verifier: verifier.title, option });
        }
        let values = Values { verifier_version: verifier.version(), ..Values::default() };
        let problems = definition.diagnose.problems.iter().flat_map(|problems| &problems.arguments);
        if options.log_problems && !problems.into_iter().any(|piece| piece.is_for(&values)) {
            let option = "log of the solver's problems";
            return Err(ResolveError::Option { verifier: verifier.title, option });
        }
        Ok(verifier)
    }

    /// Looks for the program of a verifier and for all of its solvers. Programs of an untrusted
    /// definition are not asked for their versions.
    pub fn inspect(&self, definition: &Definition) -> Result<Inspection, ResolveError> {
        let consent = self.consent(definition)?;
        let is_trusted = consent.as_ref().is_none_or(|it| it.standing == TrustState::Trusted);
        let look = |wanted: &ProgramQuery<'_>| {
            if is_trusted {
                return self.find_program(wanted);
            }
            let found = wanted.locate(&self.environment);
            let names = || wanted.definition.names.join(" or ");
            let program = found.map_or_else(|_| names(), |path| path.display().to_string());
            Err(ToolError::Untrusted { program, definition: definition.name.clone() })
        };
        let program = look(&ProgramQuery::program(definition, None));
        let version = program.as_ref().ok().and_then(|tool| tool.version.as_ref());
        let solvers = definition.solvers.iter().map(|solver| {
            let program = look(&ProgramQuery::solver(solver, None));
            SolverInspection {
                name: solver.name.clone(),
                title: titled(&solver.title, program.as_ref().ok()),
                program,
                range: solver.verifier.clone(),
                unusable: version.is_some_and(|version| !solver.verifier.contains(version)),
            }
        });
        let solvers = solvers.collect();
        let profiles = definition.profiles.iter().map(|(name, profile)| ProfileInspection {
            name: name.clone(),
            source: profile.source.clone(),
            tool: profile.tool.clone(),
            range: profile.versions.clone(),
            unusable: version.is_some_and(|version| !profile.versions.contains(version)),
        });
        let profiles = profiles.collect();
        let title = verifier_title(definition, program.as_ref().ok());
        Ok(Inspection { title, program, solvers, profiles, consent })
    }

    fn find_program(&self, wanted: &ProgramQuery<'_>) -> Result<FoundProgram, ToolError> {
        wanted.find(&self.environment, self.patience)
    }

    /// The solver that was asked for: by name, by path, or by both as `NAME=PATH`.
    fn solver(
        &self,
        definition: &Definition,
        verifier: &FoundProgram,
        asked: Option<&str>,
    ) -> Result<Option<Solver>, ResolveError> {
        let named = |name: &str| definition.solvers.iter().find(|solver| solver.name == name);
        let (solver, given) = match asked {
            None => match definition.solvers.first() {
                None => return Ok(None),
                Some(solver) => (solver, None),
            },
            Some(asked) => {
                let both = asked
                    .split_once('=')
                    .and_then(|(name, path)| Some((named(name)?, Some(PathBuf::from(path)))));
                if let Some(chosen) = named(asked).map(|solver| (solver, None)).or(both) {
                    chosen
                } else {
                    let (solver, path) = self.solver_at(definition, asked)?;
                    (solver, Some(path))
                }
            }
        };
        let fits = |version| solver.verifier.contains(version);
        if verifier.version.as_ref().is_some_and(|version| !fits(version)) {
            return Err(ResolveError::Solver {
                verifier: verifier_title(definition, Some(verifier)),
                solver: solver.title.clone(),
                range: solver.verifier.clone(),
            });
        }
        let tool = self.find_program(&ProgramQuery::solver(solver, given.as_deref()))?;
        Ok(Some(Solver {
            name: solver.name.clone(),
            title: titled(&solver.title, Some(&tool)),
            tool,
        }))
    }

    /// Finds out what kind of solver a program is, by asking it for its version.
    fn solver_at<'d>(
        &self,
        definition: &'d Definition,
        asked: &str,
    ) -> Result<(&'d SolverDefinition, PathBuf), ResolveError> {
        let verifier = || verifier_title(definition, None);
        let known = || definition.solvers.iter().map(|solver| solver.name.clone()).collect();
        let unknown = |name: &str| ResolveError::UnknownSolver {
            verifier: verifier(),
            name: name.to_owned(),
            known: known(),
        };
        if definition.solvers.is_empty() {
            return Err(unknown(asked));
        }
        let Some(path) = self.environment.program(asked.as_ref()) else {
            return Err(match asked.split_once('=') {
                Some((name, _)) if !is_path(name.as_ref()) => unknown(name),
                _ if is_path(asked.as_ref()) => ResolveError::UnknownKind {
                    verifier: verifier(),
                    path: asked.into(),
                    problem: "there is no such program".to_owned(),
                    known: Vec::new(),
                },
                _ => unknown(asked),
            });
        };
        let mut answers = BTreeMap::new();
        let mut problem = None;
        for solver in &definition.solvers {
            let Some(query) = &solver.program.version else { continue };
            // Most solvers take the same arguments, so each command is run once.
            let answer = answers.entry(&query.arguments).or_insert_with(|| {
                ask(&path, &query.arguments, self.patience, &self.environment.interrupted)
            });
            if query.pattern.find(&answer.text).is_some() {
                return Ok((solver, path));
            }
            problem.get_or_insert_with(|| answer.problem(self.patience));
        }
        Err(ResolveError::UnknownKind {
            verifier: verifier(),
            path,
            problem: problem.unwrap_or_else(|| {
                "the definition does not say how to ask a solver for its version".to_owned()
            }),
            known: known(),
        })
    }
}

/// Checks that a verifier has a profile and is of a version that the profile is for.
/// The options for a verifier that is a solver itself: `--solver PATH` names its program.
fn as_program(definition: &Definition, options: &VerifierOptions) -> VerifierOptions {
    let asked = options.solver.as_deref().filter(|_| definition.solvers.is_empty());
    let path = asked.and_then(|asked| match asked.split_once('=') {
        Some((name, path)) if name == definition.name => Some(PathBuf::from(path)),
        _ => {
            let path = Path::new(asked);
            let name = path.file_name()?.to_str()?;
            let is_it = definition.program.names.iter().any(|known| known == name);
            (is_it && is_path(path.as_os_str())).then(|| path.to_owned())
        }
    });
    match path {
        Some(path) => VerifierOptions {
            solver: None,
            program: options.program.clone().or(Some(path)),
            ..options.clone()
        },
        None => options.clone(),
    }
}

fn check_profile(
    definition: &Definition,
    tool: &FoundProgram,
    name: &str,
) -> Result<(), ResolveError> {
    let fits =
        |range: &VersionRange| tool.version.as_ref().is_none_or(|version| range.contains(version));
    let verifier = verifier_title(definition, Some(tool));
    let name = name.to_owned();
    let profiles = definition.profiles.iter();
    match definition.profiles.get(&name) {
        None => Err(ResolveError::UnknownProfile {
            verifier,
            name,
            known: profiles.map(|(name, _)| name.clone()).collect(),
        }),
        Some(profile) if !fits(&profile.versions) => Err(ResolveError::Profile {
            verifier,
            name,
            range: profile.versions.clone(),
            known: profiles
                .filter(|(_, profile)| fits(&profile.versions))
                .map(|(name, _)| name.clone())
                .collect(),
        }),
        Some(_) => Ok(()),
    }
}

/// The name of a verifier in messages, with its version.
pub(crate) fn verifier_title(definition: &Definition, tool: Option<&FoundProgram>) -> String {
    let program = || tool.and_then(|tool| tool.path.file_name());
    let title = match (&definition.title, program()) {
        (Some(title), _) => title.clone(),
        (None, Some(program)) => program.to_string_lossy().into_owned(),
        (None, None) => definition.name.clone(),
    };
    titled(&title, tool)
}

fn titled(title: &str, tool: Option<&FoundProgram>) -> String {
    match tool.and_then(|tool| tool.version.as_ref()) {
        Some(version) => format!("{title} {version}"),
        None => title.to_owned(),
    }
}

/// The definitions in a directory, sorted; none if the directory does not exist.
fn definitions_in(directory: &Path) -> Result<Vec<PathBuf>, DefinitionError> {
    let unreadable = |error| DefinitionError::Unreadable { path: directory.to_owned(), error };
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) => {
            return match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(Vec::new()),
                _ => Err(unreadable(error)),
            };
        }
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(unreadable)?.path();
        let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes()[0] == b'.');
        // For `mugie verifiers boogie --show >boogie.toml`, the shell creates an empty file first.
        let empty = fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() == 0);
        if path.extension() == Some(OsStr::new("toml")) && !hidden && !empty {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}
