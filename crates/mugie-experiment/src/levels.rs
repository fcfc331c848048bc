//! Descends from seeds to seeds of the level below, such as the queries of a verifier to its
//! solver.

use std::sync::Arc;

use mugie_core::{Back, Level, SeedPlace, in_file_name};
use mugie_exec::Executor;

use crate::sources::{Reading, Source, Unusable};

/// Maps failures in a seed of a lower level back: all of them belong to one goal of the seed above.
#[derive(Debug)]
struct Above {
    goal: String,
}

impl Back for Above {
    fn goal(&self, _: &str) -> String {
        self.goal.clone()
    }

    fn place(&self, place: SeedPlace) -> SeedPlace {
        place
    }
}

/// The seeds on a level that runs of the given seeds yield. Empty if cancelled.
pub fn descend(
    level: &dyn Level,
    sources: &[Source],
    reading: &Reading,
    executor: &dyn Executor,
) -> Result<Vec<Source>, Box<Unusable>> {
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
        let names: Vec<String> =
            (0..program.unit_count()).flat_map(|unit| program.unit_names(unit)).collect();
        for seed in level.seeds(&left) {
            let goal = seed.goal.unwrap_or_else(|| seed.file.name.clone());
            let (goal, part) = meant(&goal, &names);
            let goal = format!("{}{part}", source.back().goal(goal));
            let name = format!("{}:{goal}", source.name());
            below.push(Source::made(name, vec![seed.file], to, Arc::new(Above { goal })));
        }
    }
    Ok(below)
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
