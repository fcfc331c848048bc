//! The specification of a verifier before it is looked up: from the command line, the plan of a
//! campaign, or the record of an earlier result.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mugie_core::{VerifierNeeds, escaped};
use mugie_experiment::sources::Source;
use mugie_results::result::{RecordedOptions, TestSettings, VerifierInfo};
use mugie_verifiers::{Definition, Foreign, Limits, Registry, Verifier, VerifierOptions};

use crate::args::{LimitArgs, VerifierArgs};
use crate::messages::Trouble;
use crate::output;
use crate::session::Session;

/// The name that selects no profile, even if the program's tool is recognised.
const NO_PROFILE: &str = "none";

/// A file that names programs to run and may come from someone else.
#[derive(Clone, Debug)]
pub(crate) struct Document<'d> {
    pub(crate) path: &'d Path,
    /// The hash of its text.
    pub(crate) hash: String,
}

impl Document<'_> {
    /// Options that this document asks for, marked as such.
    pub(crate) fn says(self, verifier: &str, options: VerifierOptions) -> VerifierOptions {
        let foreign = Foreign {
            document: self.path.to_owned(),
            hash: self.hash,
            verifier: Some(verifier.to_owned()),
            program: options.program.clone(),
            solver: options.solver.clone(),
            arguments: options.arguments.clone(),
        };
        VerifierOptions { foreign: Some(foreign), ..options }
    }
}

/// A verifier, its options and its limits.
#[derive(Clone, Debug)]
pub(crate) struct ToolSpec {
    /// The name of the verifier, or the file with its definition.
    pub(crate) verifier: String,
    /// Its options.
    pub(crate) options: VerifierOptions,
    /// The limits of a run.
    pub(crate) limits: Limits,
    /// The number of further runs that must time out before a timeout counts.
    pub(crate) confirm: usize,
}

impl ToolSpec {
    /// Takes the command line, with `usual` as the default verifier.
    pub(crate) fn new(verifier: &VerifierArgs, limits: &LimitArgs, usual: &str) -> ToolSpec {
        ToolSpec {
            verifier: verifier.verifier.clone().unwrap_or_else(|| usual.to_owned()),
            options: verifier.options(limits),
            limits: limits.limits(None),
            confirm: limits.confirm(None),
        }
    }

    /// Takes the command line, with the recorded settings as defaults. If the command line names
    /// another verifier than the recorded one, the record is ignored.
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
        let VerifierOptions { solver, program, profile, arguments, .. } = given.options;
        // Settings repeated on the command line come from the user.
        let foreign = record.options.foreign.map(|foreign| Foreign {
            verifier: foreign.verifier.filter(|_| verifier.verifier.is_none()),
            program: foreign.program.filter(|_| program.is_none()),
            solver: foreign.solver.filter(|_| solver.is_none()),
            arguments: if arguments.is_empty() { foreign.arguments } else { Vec::new() },
            ..foreign
        });
        ToolSpec {
            verifier: record.verifier,
            options: VerifierOptions {
                solver: solver.or(record.options.solver),
                program: program.or(record.options.program),
                profile: profile.or(record.options.profile),
                arguments: if arguments.is_empty() { record.options.arguments } else { arguments },
                resource_limit: limits.rlimit.or(record.options.resource_limit),
                procedure_seconds: limits.procedure_time_limit.or(record.options.procedure_seconds),
                random_seed: verifier.solver_seed.or(record.options.random_seed),
                foreign,
                ..VerifierOptions::default()
            },
            limits: limits.limits(Some(record.limits)),
            confirm: limits.confirm(Some(record.confirm)),
        }
    }

    /// The verifier of an earlier result, as recorded in a document.
    pub(crate) fn recorded(
        info: &VerifierInfo,
        settings: Option<&TestSettings>,
        document: Document<'_>,
    ) -> ToolSpec {
        let RecordedOptions { definition, profile, arguments, solver_seed, procedure_seconds } =
            &info.options;
        // A program that was moved is looked up by name.
        let there = |path: &str| Path::new(path).exists().then(|| path.to_owned());
        let solver = info.solver.as_ref().map(|solver| match there(&solver.program) {
            Some(path) => format!("{}={path}", solver.name),
            None => solver.name.clone(),
        });
        let usual = Limits::default();
        let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds).ok();
        let verifier = definition.clone().unwrap_or_else(|| info.name.clone());
        let options = VerifierOptions {
            solver,
            program: there(&info.program).map(PathBuf::from),
            profile: profile.clone(),
            arguments: arguments.clone(),
            resource_limit: settings.and_then(|settings| settings.resource_limit),
            procedure_seconds: *procedure_seconds,
            random_seed: *solver_seed,
            ..VerifierOptions::default()
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

    /// Adds the profile of the tool that made the seeds, if the verifier's definition recognises them and no profile
    /// was chosen. Prints what was recognised.
    pub(crate) fn recognising(
        mut self,
        session: &Session<'_>,
        sources: &[&Source],
    ) -> Result<ToolSpec, Trouble> {
        let definition = session.registry.find(&self.verifier)?;
        let made: Vec<Option<Made>> =
            sources.iter().map(|source| Made::find(&definition, source)).collect();
        let Some((at, found)) =
            made.iter().enumerate().find_map(|(at, it)| Some((at, it.as_ref()?)))
        else {
            return Ok(self);
        };
        let (name, tool, profile) = (sources[at].name(), &found.tool, &found.profile);
        if let Some(chosen) = &self.options.profile {
            if chosen != profile {
                let words = format!(
                    "{name} was made by {tool}, but is not tested as {tool} runs it; `--profile {profile}` \
                     does that"
                );
                output::talk(&session.style.warning(&words));
            }
            return Ok(self);
        }
        if let Some(other) = made.iter().position(|it| it.as_ref() != Some(found)) {
            let words = format!("{name} was made by {tool}, and {} was not", sources[other].name());
            let help = format!(
                "test them apart, since one set of options serves all programs of a test; or choose \
                 `--profile {profile}` or `--profile {NO_PROFILE}` for all of them"
            );
            return Err(Trouble::new(words).help(help));
        }
        self.options.profile = Some(profile.clone());
        if let Err(trouble) = self.resolve(&session.registry) {
            let help = format!(
                "name the Boogie that {tool} runs with `--program PATH`, or test the program without the \
                 options of {tool} with `--profile {NO_PROFILE}`"
            );
            let is_unfit = trouble.message.contains("the profile");
            return Err(if is_unfit { trouble.help(help) } else { trouble });
        }
        let words = format!(
            "{name} was made by {tool}: tested with the profile {profile}, which has the options that {tool} \
             passes; `--profile {NO_PROFILE}` leaves them out"
        );
        output::talk(&format!("{}\n", escaped(&words)));
        Ok(self)
    }

    /// Adds what seeds made by a front door need.
    #[must_use]
    pub(crate) fn needed(mut self, needs: &VerifierNeeds) -> ToolSpec {
        self.options.arguments.splice(0..0, needs.arguments.iter().cloned());
        let options = &mut self.options;
        options.profile = options.profile.take().or_else(|| needs.profile.map(str::to_owned));
        options.program = options.program.take().or_else(|| needs.program.clone());
        options.solver = options.solver.take().or_else(|| needs.solver.clone());
        options.procedure_seconds = options.procedure_seconds.or(needs.procedure_seconds);
        options.resource_limit = options.resource_limit.or(needs.resource_limit);
        self
    }

    /// The options to record, so that the verifier can be run the same way again.
    pub(crate) fn to_record(&self) -> RecordedOptions {
        let is_file = Path::new(&self.verifier).extension().is_some_and(|it| it == "toml");
        RecordedOptions {
            definition: is_file.then(|| self.verifier.clone()),
            profile: self.options.profile.clone(),
            arguments: self.options.arguments.clone(),
            solver_seed: self.options.random_seed,
            procedure_seconds: self.options.procedure_seconds,
        }
    }

    /// Finds the verifier on this machine.
    pub(crate) fn resolve(&self, registry: &Registry) -> Result<Verifier, Trouble> {
        self.resolve_with(registry, &self.options)
    }

    /// Finds the verifier on this machine, with other options.
    pub(crate) fn resolve_with(
        &self,
        registry: &Registry,
        options: &VerifierOptions,
    ) -> Result<Verifier, Trouble> {
        let profile = options.profile.clone().filter(|name| name != NO_PROFILE);
        Ok(registry.resolve(&self.verifier, &VerifierOptions { profile, ..options.clone() })?)
    }
}

/// The tool that made a program, and the profile that goes with it.
#[derive(Debug, PartialEq, Eq)]
struct Made {
    profile: String,
    tool: String,
}

impl Made {
    /// The tool that made a source, if the definition has a profile that recognises it. A source that cannot be read
    /// is reported later.
    fn find(definition: &Definition, source: &Source) -> Option<Made> {
        let recognisable = definition
            .profiles
            .iter()
            .filter_map(|(name, it)| Some((name, it, it.recognise.as_ref()?)));
        let files = source.peek()?;
        let texts: Vec<_> = files.iter().map(|file| String::from_utf8_lossy(&file.bytes)).collect();
        recognisable
            .filter(|(_, _, recognition)| texts.iter().any(|text| recognition.matches(text)))
            .map(|(name, profile, _)| Made {
                profile: name.clone(),
                tool: profile.tool.clone().unwrap_or_else(|| name.clone()),
            })
            .next()
    }
}
