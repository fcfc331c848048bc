//! Descends from seeds to seeds of the level below, such as the queries of a verifier to its
//! solver.

use std::sync::Arc;

use mugie_core::{Back, Level, SeedPlace};
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
        for seed in level.seeds(&left) {
            let goal = seed.goal.unwrap_or_else(|| seed.file.name.clone());
            let name = format!("{}:{goal}", source.name());
            below.push(Source::made(name, vec![seed.file], to, Arc::new(Above { goal })));
        }
    }
    Ok(below)
}
