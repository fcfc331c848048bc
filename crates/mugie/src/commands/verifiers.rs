//! `mugie verifiers`: the verifiers that can be tested on this machine, and how to install the
//! others.

use std::fmt::Write as _;
use std::sync::Arc;

use clap::Args;
use mugie_core::{Exit, Language, escaped};
use mugie_exec::cache_folder;
use mugie_verifiers::images::Images;
use mugie_verifiers::registry::SolverInspection;
use mugie_verifiers::supervise::{Keeper, Supervisor};
use mugie_verifiers::trust::TrustState;
use mugie_verifiers::{Definition, FoundProgram, Inspection, Registry, ToolError};
use serde::Serialize;

use crate::interrupt::Interrupts;
use crate::messages::{Style, Trouble};
use crate::output::{self, Broken};
use crate::parts::{languages, parts};
use crate::{cache, session};

/// List the verifiers and their solvers, with versions, and how to install what is missing
///
/// A verifier is defined by a TOML file that says how to find it, how to run it, and how to read
/// its output. Some definitions are shipped with mugie. Put your own in `mugie/verifiers/` of your
/// settings directory, which is `~/.config` unless the variable `XDG_CONFIG_HOME` names another, or
/// in `verifiers/` of the current directory. A definition in the current directory overrides one of
/// the same name in your settings, and both override a shipped one. The current directory may come
/// from someone else: programs named by a definition in it are run only if you trust the
/// definition, with --trust, and only until it or one of its programs changes. A definition
/// identical to a shipped one is trusted.
///
/// The variable `MUGIE_` plus the name of a verifier or solver, such as `MUGIE_Z3`, names the
/// program to run instead of the one on the `PATH`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Verifiers {
    /// Only this verifier: its name, or the path of a definition
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// Print the definition, to be copied and changed
    #[arg(long, requires = "name", conflicts_with = "json")]
    show: bool,

    /// Trust the definition: it may run the programs it names, until it or one of them changes
    ///
    /// A definition in `verifiers/` of the current directory may come from someone else, so nothing
    /// is run without your trust. Look at it first, with --show.
    #[arg(long, requires = "name", conflicts_with = "show")]
    trust: bool,

    /// Print one JSON object per verifier
    #[arg(long)]
    json: bool,

    /// Halve the start-up time of verifiers that run on Mono
    ///
    /// Compiles them once, into the user's cache folder, instead of at every start. This also
    /// happens automatically during long tests.
    #[arg(long, conflicts_with_all = ["show", "json"])]
    prepare: bool,
}

const EXAMPLES: &str = "\
Examples:
  mugie verifiers
  mugie verifiers boogie --prepare
  mugie verifiers boogie --show > verifiers/my-boogie.toml
  mugie verifiers --trust my-boogie
  MUGIE_Z3=/opt/z3-4.8.5/bin/z3 mugie verifiers boogie
  mugie verifiers --json | jq -r 'select(.program) | .title'";

#[derive(Serialize)]
struct VerifierRow<'a> {
    name: &'a str,
    about: &'a str,
    title: &'a str,
    program: Option<String>,
    version: Option<String>,
    trouble: Option<String>,
    variable: String,
    install: Option<&'a str>,
    definition: String,
    trusted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<&'a str>,
    solvers: Vec<SolverRow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    profiles: Vec<ProfileRow<'a>>,
}

#[derive(Serialize)]
struct ProfileRow<'a> {
    name: &'a str,
    source: &'a str,
    usable: bool,
}

#[derive(Serialize)]
struct SolverRow<'a> {
    name: &'a str,
    title: &'a str,
    default: bool,
    usable: bool,
    program: Option<String>,
    version: Option<String>,
    trouble: Option<String>,
    variable: String,
    install: Option<&'a str>,
}

impl Verifiers {
    /// Prints the list.
    pub(crate) fn run(&self, _: &Style) -> Result<Exit, Broken> {
        // Programs that are being asked for their version must not outlive mugie.
        let interrupts = Interrupts::watch("there is no answer yet")?;
        let registry = session::registry(&interrupts)?;
        let definitions = match &self.name {
            None => registry.names().filter_map(|name| registry.get(name)).cloned().collect(),
            Some(name) => vec![registry.find(name)?],
        };
        if self.trust {
            for definition in &definitions {
                trust(&registry, definition)?;
            }
        }
        let mut text = String::new();
        let mut missing = Vec::new();
        for definition in &definitions {
            if self.show {
                text += &definition.text;
                continue;
            }
            let inspection = registry.inspect(definition)?;
            if self.prepare {
                prepare(&inspection, &interrupts)?;
            }
            if interrupts.is_noted() {
                return Err(Trouble::new("interrupted").into());
            }
            if self.json {
                let row = serde_json::to_string(&row(definition, &inspection))
                    .map_err(|error| Trouble::new(format!("cannot write JSON: {error}")))?;
                text += &row;
                text.push('\n');
            } else {
                text += &paragraph(definition, &inspection);
                text.push('\n');
                // Another verifier for the same language, or for translated programs, is a choice, not a need.
                let usual = languages().find(&definition.input).map(Language::usual_verifier);
                let is_of_translated =
                    parts().translators.iter().any(|it| it.to() == definition.input);
                let is_needed = usual.map_or(!is_of_translated, |usual| usual == definition.name);
                if is_needed || definitions.len() == 1 {
                    missing.extend(needed(definition, &inspection));
                }
            }
        }
        for command in joined(&missing) {
            let _ = writeln!(text, "Install what is missing:\n  {command}\n");
        }
        if !self.show && !self.json {
            text.pop();
        }
        output::data(&text)?;
        Ok(Exit::Fine)
    }
}

/// Trusts a definition permanently, and prints what that allows.
fn trust(registry: &Registry, definition: &Definition) -> Result<(), Trouble> {
    let name = &definition.name;
    let Some(demand) = registry.trust(definition)? else {
        output::talk(&format!("{name} is yours or shipped with mugie: it needs no trust\n"));
        return Ok(());
    };
    let mut words = format!("trusted: {}\n", escaped(&demand.document));
    for program in &demand.programs {
        let _ = writeln!(words, "  it may run {}", escaped(&program.path));
    }
    output::talk(&words);
    Ok(())
}

/// Whether a verifier was not run because its definition is not trusted.
fn is_untrusted(inspection: &Inspection) -> bool {
    inspection.consent.as_ref().is_some_and(|it| it.standing != TrustState::Trusted)
}

/// Makes Mono images of a verifier that runs on Mono.
fn prepare(inspection: &Inspection, interrupts: &Interrupts) -> Result<(), Trouble> {
    let program = match &inspection.program {
        Ok(program) => program,
        Err(error @ ToolError::Untrusted { .. }) => {
            return Err(Trouble::new(error.to_string()).help(error.help()));
        }
        Err(_) => return Ok(()),
    };
    let Some(cache) = cache::usual_folder() else {
        let words = "there is no cache folder: HOME is not set";
        return Err(Trouble::new(words).help("set MUGIE_CACHE to a folder"));
    };
    let cache = cache_folder::trusted(&cache)
        .map_err(|error| Trouble::new(error.to_string()).help("or set MUGIE_CACHE to a folder"))?;
    let Some(images) = Images::new(&program.path, &cache) else { return Ok(()) };
    let title = &inspection.title;
    if images.are_made() {
        output::talk(&format!("{title} is prepared already\n"));
        return Ok(());
    }
    output::talk(&format!("preparing {title}, which takes some seconds ...\n"));
    let supervisor = Arc::new(Supervisor::new(Keeper::this_program()));
    interrupts.end_runs_of(&supervisor);
    images.make(&supervisor).map_err(|error| {
        Trouble::new(format!("cannot prepare {title}: {error}"))
            .help("Mono needs `as` and `ld` for this: apt-get install binutils")
    })
}

/// A verifier with its solvers, as text.
fn paragraph(definition: &Definition, inspection: &Inspection) -> String {
    let mut lines = Vec::new();
    let name = &definition.name;
    let line = match &inspection.program {
        Ok(tool) => found(&inspection.title, tool, ""),
        Err(error) => not_found(error),
    };
    lines.push(format!("{name:9} {line}"));
    for (place, solver) in inspection.solvers.iter().enumerate() {
        let line = match &solver.program {
            Ok(tool) if solver.unusable => {
                let remark =
                    format!(" (only with {} {})", definition_title(definition), solver.range);
                found(&solver.title, tool, &remark)
            }
            Ok(tool) if place == 0 => found(&solver.title, tool, " (default)"),
            Ok(tool) => found(&solver.title, tool, ""),
            Err(error) => not_found(error),
        };
        lines.push(format!("  {:7} {line}", solver.name));
    }
    for profile in &inspection.profiles {
        let remark = if profile.unusable { " (not with this version)" } else { "" };
        // Where the options of a known tool come from is in the book and in --json.
        let words = profile.tool.as_ref().map(|tool| format!("as {tool} runs it"));
        let words = words.unwrap_or_else(|| profile.source.clone());
        lines.push(format!("  profile {}: {words}{remark}", profile.name));
    }
    lines.push(format!("  {}; {}", definition.about, definition.origin));
    if let Err(error @ ToolError::Untrusted { .. }) = &inspection.program {
        lines.push(format!("  not run: {}", error.help()));
    }
    // A definition from someone else must not send commands to the terminal.
    lines.iter().map(|line| escaped(line) + "\n").collect()
}

fn found(title: &str, tool: &FoundProgram, remark: &str) -> String {
    format!("{title:14} {}{remark}", tool.path.display())
}

fn not_found(error: &ToolError) -> String {
    match error {
        ToolError::Missing { variable, install, .. } => match install {
            Some(install) => format!("not found      {install}, or set {variable}"),
            None => format!("not found      set {variable} to its path"),
        },
        ToolError::Untrusted { program, .. } => format!("not trusted    {program}"),
        ToolError::NoVersion { .. } => format!("not usable     {error}"),
    }
}

fn definition_title(definition: &Definition) -> &str {
    definition.title.as_deref().unwrap_or(&definition.name)
}

/// The commands that install what a verifier needs: its program and a first solver.
fn needed<'d>(definition: &'d Definition, inspection: &Inspection) -> Vec<&'d str> {
    let is_missing =
        |tool: &Result<FoundProgram, ToolError>| matches!(tool, Err(ToolError::Missing { .. }));
    let program = is_missing(&inspection.program).then_some(&definition.program);
    let solver = definition.solvers.first().zip(inspection.solvers.first());
    let solver = solver.filter(|(_, found)| is_missing(&found.program));
    let programs = program.into_iter().chain(solver.map(|(solver, _)| &solver.program));
    programs.filter_map(|program| program.install.as_deref()).collect()
}

/// Merges commands that differ only in the last word.
fn joined(commands: &[&str]) -> Vec<String> {
    let mut joined: Vec<(&str, Vec<&str>)> = Vec::new();
    for command in commands {
        let (start, last) = command.rsplit_once(' ').unwrap_or((command, ""));
        match joined.iter_mut().find(|(other, _)| *other == start) {
            Some((_, words)) if words.contains(&last) => {}
            Some((_, words)) => words.push(last),
            None => joined.push((start, vec![last])),
        }
    }
    let command = |(start, words): (&str, Vec<&str>)| format!("{start} {}", words.join(" "));
    joined.into_iter().map(command).map(|command| command.trim_end().to_owned()).collect()
}

fn row<'a>(definition: &'a Definition, inspection: &'a Inspection) -> VerifierRow<'a> {
    let Inspection { title, program, solvers, profiles, consent } = inspection;
    let trusted = !is_untrusted(inspection);
    VerifierRow {
        name: &definition.name,
        about: &definition.about,
        title,
        program: path(program),
        version: version(program),
        trouble: program.as_ref().err().map(ToString::to_string),
        variable: definition.variable(),
        // The command of an untrusted definition is not shown, not even to be copied.
        install: definition.program.install.as_deref().filter(|_| trusted),
        definition: definition.origin.to_string(),
        trusted,
        fingerprint: consent.as_ref().map(|consent| consent.fingerprint.as_str()),
        solvers: solver_rows(definition, solvers, trusted),
        profiles: profiles
            .iter()
            .map(|profile| ProfileRow {
                name: &profile.name,
                source: &profile.source,
                usable: !profile.unusable,
            })
            .collect(),
    }
}

fn solver_rows<'a>(
    definition: &'a Definition,
    solvers: &'a [SolverInspection],
    trusted: bool,
) -> Vec<SolverRow<'a>> {
    let rows = definition.solvers.iter().zip(solvers).enumerate();
    let rows = rows.map(|(place, (definition, solver))| SolverRow {
        name: &solver.name,
        title: &solver.title,
        default: place == 0,
        usable: solver.program.is_ok() && !solver.unusable,
        program: path(&solver.program),
        version: version(&solver.program),
        trouble: solver.program.as_ref().err().map(ToString::to_string),
        variable: definition.variable(),
        install: definition.program.install.as_deref().filter(|_| trusted),
    });
    rows.collect()
}

fn path(tool: &Result<FoundProgram, ToolError>) -> Option<String> {
    tool.as_ref().ok().map(|tool| tool.path.display().to_string())
}

fn version(tool: &Result<FoundProgram, ToolError>) -> Option<String> {
    tool.as_ref().ok().and_then(|tool| tool.version.as_ref()).map(ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_joined_if_only_the_last_word_differs() {
        let commands =
            ["apt-get install boogie", "apt-get install z3", "make", "apt-get install z3"];
        assert_eq!(joined(&commands), ["apt-get install boogie z3", "make"]);
    }
}
