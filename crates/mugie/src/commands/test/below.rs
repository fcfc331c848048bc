//! Tests of other programs than the seeds themselves: the queries that runs of them yield, or the goals of a
//! seed, each by itself.

use std::sync::Arc;

use mugie_core::Level;
use mugie_experiment::levels::{self, Below, descend};
use mugie_experiment::sources::{Reading, Source};
use mugie_results::result::GoalAbove;
use mugie_verifiers::{Solver, Verifier, VerifierOptions};

use super::arguments::SeedArgs;
use super::{Test, Tested};
use crate::calibration::Calibrations;
use crate::messages::{Style, Trouble, there_are};
use crate::output::Broken;
use crate::parts::parts;
use crate::recorded;
use crate::session::{self, Running, Session};
use crate::tool_spec::ToolSpec;

/// The name of the seeds' own level.
const HERE: &str = "source";

/// The name of both levels.
const BOTH: &str = "both";

/// The level below the seeds, which `both` means.
const USUAL: &str = "query";

/// The levels to test.
#[derive(Clone, Copy)]
pub(super) struct Levels {
    /// The seeds themselves.
    pub(super) here: bool,
    /// What runs of them yield.
    pub(super) below: Option<&'static dyn Level>,
}

impl Levels {
    /// The levels by their name on the command line.
    pub(super) fn parse(name: Option<&str>) -> Result<Levels, Trouble> {
        let find = |name: &str| parts().levels.iter().copied().find(|level| level.id() == name);
        match name.unwrap_or(HERE) {
            HERE => return Ok(Levels { here: true, below: None }),
            BOTH => return Ok(Levels { here: true, below: find(USUAL) }),
            _ => {}
        }
        let name = name.unwrap_or_default();
        let level = find(name).ok_or_else(|| {
            let below = parts().levels.iter().map(|level| level.id());
            let names: Vec<&str> = [HERE].into_iter().chain(below).chain([BOTH]).collect();
            Trouble::new(format!("unknown level `{name}`")).help(there_are(&names))
        })?;
        Ok(Levels { here: false, below: Some(level) })
    }
}

/// The seeds, or the goals of each if that is asked for.
pub(super) fn split(
    style: &Style,
    asked: &SeedArgs,
    sources: Vec<Source>,
    reading: &Reading,
) -> Result<Vec<Source>, Trouble> {
    if !asked.split {
        return Ok(sources);
    }
    let mut goals = Vec::new();
    for source in &sources {
        let parts = levels::split(source, reading).ok_or_else(|| {
            Trouble::new(format!("{}: only SMT-LIB queries can be split", source.name()))
                .help("choose procedures of a program with --procedure")
        })?;
        let parts = parts.map_err(|unusable| recorded::trouble(style, *unusable))?;
        goals.extend(parts.into_iter().map(|part| part.source));
    }
    Ok(goals)
}

/// The verifier of a level: the solver of the verifier above, if it is known. The limits apply to both.
fn spec_below(
    session: &Session<'_>,
    level: &dyn Level,
    above: &ToolSpec,
    verifier: &Verifier,
) -> ToolSpec {
    let reads = |solver: &&Solver| {
        let definition = session.registry.get(&solver.name);
        definition.is_some_and(|definition| definition.input == level.to())
    };
    let solver = verifier.solver.as_ref().filter(reads);
    let name = solver.map_or(level.verifier(), |solver| &solver.name);
    let options = VerifierOptions {
        program: solver.map(|solver| solver.tool.path.clone()),
        random_seed: above.options.random_seed,
        foreign: above.options.foreign.clone(),
        ..VerifierOptions::default()
    };
    ToolSpec { verifier: name.to_owned(), options, ..above.clone() }
}

impl Test {
    /// Tests the programs of another level that runs of the seeds yield.
    pub(super) fn test_below(
        &self,
        session: &Session<'_>,
        level: &dyn Level,
        above_spec: &ToolSpec,
        sources: &[Source],
        reading: &Reading,
        above: &Running<'_, '_>,
    ) -> Result<Tested, Broken> {
        // The programs to test are the queries that the verifier logs for its solver.
        let by_goal = level.is_by_goal();
        let options = above_spec.options.clone();
        let logging = VerifierOptions { log_problems: !by_goal, log_goals: by_goal, ..options };
        let logging = above_spec.resolve_with(&session.registry, &logging).map(Arc::new)?;
        let supervisor = session.supervisor([&logging], self.speed.plain);
        let logged = Running { verifier: &logging, supervisor: &supervisor, ..above.clone() };
        let executor = session.plain_executor(&logged)?;
        let below = descend(level, sources, reading, &*executor)
            .map_err(|unusable| recorded::trouble(session.style, *unusable))?;
        if below.is_empty() && !session.interrupts.is_noted() {
            let message = format!("there is nothing on level `{}` below these seeds", level.id());
            let help =
                "it is for programs whose verifier asks a solver; a query is tested as it is";
            return Err(Trouble::new(message).help(help).into());
        }
        let spec = spec_below(session, level, above_spec, above.verifier);
        let verifier = session.verifier(&spec)?;
        let supervisor = session.supervisor([&verifier], self.speed.plain);
        let running = Running { verifier: &verifier, supervisor: &supervisor, ..above.clone() };
        let reading = session::reading(&self.seed_reading.reading.options, &verifier);
        let sources: Vec<Source> = below.iter().map(|below| below.source.clone()).collect();
        let none = Calibrations::new();
        let mut tested = self.test_all(session, &spec, &sources, &reading, &running, &none)?;
        for (below, report) in below.into_iter().zip(&mut tested.report.seeds) {
            let Below { above, files, goal, .. } = below;
            report.files = files;
            report.above = Some(GoalAbove { seed: above, goal });
        }
        Ok(tested)
    }
}
