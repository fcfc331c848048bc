//! Descends from seeds to seeds of the level below, such as the queries of a verifier to its
//! solver.

use std::sync::Arc;

use mugie_core::{Back, Language, Level, LevelSeed, SeedPlace, SourceText, in_file_name};
use mugie_exec::Executor;

use crate::sources::{Reading, Source, Unusable, display_name};

/// Maps failures in a seed of a lower level back: all of them belong to one goal of the seed above.
#[derive(Debug)]
struct Above {
    goal: String,
    place: Option<SeedPlace>,
}

impl Back for Above {
    fn goal(&self, _: &str) -> String {
        self.goal.clone()
    }

    fn place(&self, place: SeedPlace) -> SeedPlace {
        self.place.clone().unwrap_or(place)
    }
}

/// A seed that belongs to a goal of another seed.
#[derive(Clone, Debug)]
pub struct Below {
    /// The name of the seed above.
    pub above: String,
    /// The user's files of the seed above.
    pub files: Vec<String>,
    /// The goal, in the words of the user's source.
    pub goal: String,
    /// The seed.
    pub source: Source,
}

/// The seeds on a level that runs of the given seeds yield. Empty if cancelled.
pub fn descend(
    level: &dyn Level,
    sources: &[Source],
    reading: &Reading,
    executor: &dyn Executor,
) -> Result<Vec<Below>, Box<Unusable>> {
    let mut below = Vec::new();
    for source in sources {
        let open = reading.open(source)?;
        let language = open.seed().language().id();
        if language != level.from() {
            continue;
        }
        let Some(left) = executor.artifacts(language, &open.printed_files()) else {
            return Ok(Vec::new());
        };
        let Some(to) = reading.languages.find(level.to()) else { continue };
        let program = open.seed().program();
        let units = (0..program.unit_count())
            .flat_map(|unit| program.unit_names(unit).into_iter().map(move |name| (name, unit)));
        let (names, units): (Vec<String>, Vec<usize>) = units.unzip();
        for LevelSeed { goal, line, file } in level.seeds(&left) {
            let goal = goal.unwrap_or_else(|| file.name.clone());
            let (goal, part) = meant(&goal, &names);
            let unit = names.iter().rposition(|name| name == goal).map(|index| units[index]);
            let line = line.or_else(|| open.seed().unit_line(unit?));
            let goal = format!("{}{part}", source.back().goal(goal));
            below.push(part_of(source, to, goal, line, file));
        }
    }
    Ok(below)
}

/// The goals of a seed, each as a seed of its own; `None` if its language cannot take it apart.
pub fn split(source: &Source, reading: &Reading) -> Option<Result<Vec<Below>, Box<Unusable>>> {
    let language = source.language(reading.languages, &reading.usual)?;
    // What is wrong with the files is said when they are read as a seed.
    let files = match source.read() {
        Ok(files) => files,
        Err(unreadable) => return Some(Err(Box::new(unreadable.into()))),
    };
    let parts = language.split(files)?.map_err(|rejected| {
        let unusable = Unusable::new(source, rejected.to_string());
        Box::new(Unusable { errors: rejected.errors, ..unusable })
    });
    let part = |LevelSeed { goal, line, file }: LevelSeed| {
        part_of(source, language, goal.unwrap_or_default(), line, file)
    };
    Some(parts.map(|parts| parts.into_iter().map(part).collect()))
}

/// The seed of a goal, which is on a line of the seed above.
fn part_of(
    source: &Source,
    language: &'static dyn Language,
    goal: String,
    line: Option<u32>,
    file: SourceText,
) -> Below {
    let above = source.name().to_owned();
    let separator = if goal.starts_with('#') { "" } else { ":" };
    let name = format!("{above}{separator}{goal}");
    let in_seed = |line: u32| SeedPlace { file: above.clone(), line, column: 1, exact: true };
    let place = line.map(|line| source.back().place(in_seed(line)));
    let back = Arc::new(Above { goal: goal.clone(), place });
    let files = match source.origin() {
        Some(origin) => origin.files.iter().map(|path| display_name(path)).collect(),
        None => source.file_names(),
    };
    Below { source: Source::made(name, vec![file], language, back), above, files, goal }
}

/// The goal that the name of a log means, if one of these names is it, and the part of it: a verifier replaces what cannot be
/// in the name of a file, and numbers the parts that it splits a goal into.
fn meant<'n>(log: &'n str, names: &'n [String]) -> (&'n str, String) {
    let (stem, part) = match log.rsplit_once("_split") {
        Some((stem, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
            (stem, format!(", part {number}"))
        }
        _ => (log, String::new()),
    };
    let found = names.iter().find(|name| *name == log || in_file_name(name) == stem);
    match found {
        Some(name) if name == log => (name, String::new()),
        Some(name) => (name, part),
        None => (log, String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_named_after_goals() {
        let names = ["Impl$$M.P".to_owned(), "a_split3".to_owned()];
        assert_eq!(meant("Impl__M.P", &names), ("Impl$$M.P", String::new()));
        assert_eq!(meant("Impl__M.P_split2", &names), ("Impl$$M.P", ", part 2".to_owned()));
        assert_eq!(meant("a_split3", &names), ("a_split3", String::new()));
        assert_eq!(meant("other", &names), ("other", String::new()));
    }
}
