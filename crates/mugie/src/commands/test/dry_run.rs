//! `mugie test --dry-run`: the commands of a test.

use std::path::Path;

use mugie_experiment::sources::{Source, door_of};
use mugie_verifiers::Verifier;

use super::Test;
use crate::dry_run::{Commands, paths, placeholder};
use crate::messages::plural;
use crate::output::Broken;
use crate::parts::{self, parts};
use crate::tool_spec::ToolSpec;

/// The sources that are seeds themselves. What makes seeds of the others is said.
pub(super) fn without_doors(sources: Vec<Source>) -> Result<Vec<Source>, Broken> {
    let mut commands = Commands::default();
    let mut seeds = Vec::new();
    for source in sources {
        match door_of(parts().doors, source.paths()) {
            None => seeds.push(source),
            Some(door) => commands.note(&format!(
                "{}: {} makes the program, which is then tested",
                source.name(),
                door.title()
            )),
        }
    }
    commands.print()?;
    Ok(seeds)
}

impl Test {
    /// Prints the commands that the test would run.
    pub(super) fn print_commands(
        &self,
        spec: &ToolSpec,
        verifier: &Verifier,
        sources: &[Source],
    ) -> Result<(), Broken> {
        let mut commands = Commands::default();
        let mutants = self.protocol(spec, verifier, sources, false)?.settings.mutants;
        for source in sources {
            let written = paths(source.paths().iter().map(|path| -> &Path { path }));
            commands.add(verifier, &written, "as written, twice");
            let mutant = placeholder("MUTANT", parts::language_of(source).extension());
            let confirm = match spec.confirm {
                0 => String::new(),
                number => format!(", and {number} more of each that times out"),
            };
            let words =
                format!("its mutants: at most {mutants} {}{confirm}", plural(mutants, "run"));
            commands.add(verifier, &mutant, &words);
        }
        commands.print()
    }
}
