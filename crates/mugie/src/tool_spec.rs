//! A verifier as somebody wants it: by the command line, by the plan of a campaign, or as it was
//! when something was found.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mugie_experiment::sources::VerifierNeeds;
use mugie_results::result::{Settings, VerifierInfo, VerifierOptions};
use mugie_verifiers::{Foreign, Limits, Options, Registry, Verifier};

use crate::args::{LimitArgs, VerifierArgs};
use crate::messages::Trouble;

/// A file that says what is to be run, and that may be anybody's.
#[derive(Clone, Debug)]
pub(crate) struct Document<'d> {
    pub(crate) path: &'d Path,
    /// The hash of its text.
    pub(crate) hash: String,
}

impl Document<'_> {
    /// What is wanted of a verifier, by the word of this document.
    pub(crate) fn says(self, verifier: &str, options: Options) -> Options {
        let foreign = Foreign {
            document: self.path.to_owned(),
            hash: self.hash,
            verifier: Some(verifier.to_owned()),
            program: options.program.clone(),
            solver: options.solver.clone(),
            arguments: options.arguments.clone(),
        };
        Options { foreign: Some(foreign), ..options }
    }
}

/// A verifier that is wanted, and what its runs may use.
#[derive(Clone, Debug)]
pub(crate) struct ToolSpec {
    /// The name of the verifier, or the file with its definition.
    pub(crate) verifier: String,
    /// What is wanted of it.
    pub(crate) options: Options,
    /// What a run may use.
    pub(crate) limits: Limits,
    /// How many more runs must time out before a timeout counts.
    pub(crate) confirm: usize,
}

impl ToolSpec {
    /// What the command line says, and where it says nothing, the usual verifier.
    pub(crate) fn new(verifier: &VerifierArgs, limits: &LimitArgs, usual: &str) -> ToolSpec {
        ToolSpec {
            verifier: verifier.verifier.clone().unwrap_or_else(|| usual.to_owned()),
            options: verifier.options(limits),
            limits: limits.limits(None),
            confirm: limits.confirm(None),
        }
    }

    /// What the command line says, and where it says nothing, what was recorded. Another verifier
    /// than the recorded one has nothing to do with the record.
    pub(crate) fn from_record(
        record: Option<ToolSpec>,
        verifier: &VerifierArgs,
        limits: &LimitArgs,
        usual: &str,
    ) -> ToolSpec {
        let given = ToolSpec::new(verifier, limits, usual);
        let Some(record) = record else { return given };
        if verifier.verifier.as_ref().is_some_and(|name| *name != record.verifier) {
            return given;
        }
        let Options { solver, program, profile, arguments, .. } = given.options;
        // What is on the command line, too, is the user's own word.
        let foreign = record.options.foreign.map(|foreign| Foreign {
            verifier: foreign.verifier.filter(|_| verifier.verifier.is_none()),
            program: foreign.program.filter(|_| program.is_none()),
            solver: foreign.solver.filter(|_| solver.is_none()),
            arguments: if arguments.is_empty() { foreign.arguments } else { Vec::new() },
            ..foreign
        });
        ToolSpec {
            verifier: record.verifier,
            options: Options {
                solver: solver.or(record.options.solver),
                program: program.or(record.options.program),
                profile: profile.or(record.options.profile),
                arguments: if arguments.is_empty() { record.options.arguments } else { arguments },
                resource_limit: limits.rlimit.or(record.options.resource_limit),
                procedure_seconds: limits.procedure_time_limit.or(record.options.procedure_seconds),
                random_seed: verifier.solver_seed.or(record.options.random_seed),
                foreign,
                ..Options::default()
            },
            limits: limits.limits(Some(record.limits)),
            confirm: limits.confirm(Some(record.confirm)),
        }
    }

    /// The verifier that something was found with, by the word of a document.
    pub(crate) fn recorded(
        info: &VerifierInfo,
        settings: Option<&Settings>,
        document: Document<'_>,
    ) -> ToolSpec {
        let VerifierOptions { definition, profile, arguments, solver_seed, procedure_seconds } =
            &info.options;
        // A program that is gone may have come back somewhere else.
        let there = |path: &str| Path::new(path).exists().then(|| path.to_owned());
        let solver = info.solver.as_ref().map(|solver| match there(&solver.program) {
            Some(path) => format!("{}={path}", solver.name),
            None => solver.name.clone(),
        });
        let usual = Limits::default();
        let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds).ok();
        let verifier = definition.clone().unwrap_or_else(|| info.name.clone());
        let options = Options {
            solver,
            program: there(&info.program).map(PathBuf::from),
            profile: profile.clone(),
            arguments: arguments.clone(),
            resource_limit: settings.and_then(|settings| settings.resource_limit),
            procedure_seconds: *procedure_seconds,
            random_seed: *solver_seed,
            ..Options::default()
        };
        ToolSpec {
            options: document.says(&verifier, options),
            verifier,
            limits: settings.map_or(usual, |settings| Limits {
                time: seconds(settings.time_limit).unwrap_or(usual.time),
                cpu: settings.cpu_limit.and_then(seconds),
                memory: settings.memory_limit,
                output: usual.output,
                processes: settings.process_limit.unwrap_or(usual.processes),
            }),
            confirm: settings.map_or(2, |settings| settings.confirm),
        }
    }

    /// The same, as seeds need it that a front door made.
    #[must_use]
    pub(crate) fn needed(mut self, needs: &VerifierNeeds) -> ToolSpec {
        self.options.arguments.splice(0..0, needs.arguments.iter().cloned());
        self.options.profile = self.options.profile.or_else(|| needs.profile.map(str::to_owned));
        self
    }

    /// What a record has to know to run it again.
    pub(crate) fn to_record(&self) -> VerifierOptions {
        let is_file = Path::new(&self.verifier).extension().is_some_and(|it| it == "toml");
        VerifierOptions {
            definition: is_file.then(|| self.verifier.clone()),
            profile: self.options.profile.clone(),
            arguments: self.options.arguments.clone(),
            solver_seed: self.options.random_seed,
            procedure_seconds: self.options.procedure_seconds,
        }
    }

    /// The verifier on this machine.
    pub(crate) fn resolve(&self, registry: &Registry) -> Result<Verifier, Trouble> {
        self.resolve_with(registry, &self.options)
    }

    /// The verifier with other options.
    pub(crate) fn resolve_with(
        &self,
        registry: &Registry,
        options: &Options,
    ) -> Result<Verifier, Trouble> {
        Ok(registry.resolve(&self.verifier, options)?)
    }
}
