//! `mugie campaign run --dry-run`: the commands of a plan.

use std::path::{Path, PathBuf};

use mugie_core::Exit;
use mugie_experiment::sources::{Source, door_of};
use mugie_report::duration;

use super::plan::LoadedPlan;
use crate::dry_run::{Commands, paths, placeholder};
use crate::messages::{Trouble, plural};
use crate::output::Broken;
use crate::parts::{self, parts};
use crate::seed_paths;
use crate::session::Session;

/// Prints the commands that the plan asks for.
pub(super) fn print(loaded: &LoadedPlan, session: &Session<'_>) -> Result<Exit, Broken> {
    let (plan, folder) = (&loaded.plan, &loaded.folder);
    let given: Vec<PathBuf> = plan.seeds.paths.iter().map(|path| folder.join(path)).collect();
    let files = if given.is_empty() { Vec::new() } else { seed_paths::find(&given)? };
    let mut programs: Vec<Vec<PathBuf>> = files.into_iter().map(|file| vec![file]).collect();
    programs.extend(
        plan.seeds.programs.iter().map(|program| {
            program.iter().map(|file| seed_paths::plain(folder.join(file))).collect()
        }),
    );
    let mut commands = Commands::default();
    commands.note(&format!(
        "each run ends after {}; what the store has already is not run again",
        duration(plan.limits.time.as_secs_f64())
    ));
    let verifiers = plan
        .tools
        .iter()
        .map(|tool| Ok::<_, Trouble>((tool, loaded.verifier(session, tool, &[])?)));
    let verifiers = verifiers.collect::<Result<Vec<_>, _>>()?;
    let number: usize = plan.batches.iter().map(|batch| batch.mutants).sum();
    for (tool, verifier) in &verifiers {
        commands.note(&format!("tool {}", tool.name));
        for program in &programs {
            let source = Source::new(program.clone());
            if let Some(door) = door_of(parts().doors, program) {
                let words = format!("{}: {} makes the program", source.name(), door.title());
                commands.note(&words);
                continue;
            }
            let written = paths(program.iter().map(|path| -> &Path { path }));
            commands.add(verifier, &written, "as written, twice");
            let mutant = placeholder("MUTANT", parts::language_of(&source).extension());
            let words = format!("its mutants: at most {number} {}", plural(number, "run"));
            commands.add(verifier, &mutant, &words);
        }
    }
    commands.print()?;
    Ok(Exit::Fine)
}
