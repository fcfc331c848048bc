//! The runs before an accusation: what they need from the command line.

use std::sync::Arc;

use mugie_experiment::chance;
use mugie_experiment::controls::{self, Tools};
use mugie_experiment::seed_test::Finished;
use mugie_verifiers::VerifierOptions;

use super::arguments::FormatName;
use super::{Test, by_chance, heard};
use crate::messages::Trouble;
use crate::output::{self, Broken};
use crate::parallel;
use crate::progress::Progress;
use crate::session::{Running, Session};
use crate::tool_spec::ToolSpec;

impl Test {
    /// Makes the runs that decide about doubtful answers, and prints the lines that waited for them.
    pub(super) fn settle_doubts(
        &self,
        session: &Session<'_>,
        spec: &ToolSpec,
        running: &Running<'_, '_>,
        is_fast: bool,
        seeds: &mut [Finished],
    ) -> Result<(), Broken> {
        let is_late: Vec<bool> = seeds.iter().map(|seed| !is_certain(seed)).collect();
        by_chance::settle(session, spec, running, seeds)?;
        settle(session, spec, running, is_fast, seeds)?;
        if seeds.len() > 1 && self.format() == FormatName::Text {
            for (seed, _) in seeds.iter().zip(is_late).filter(|(_, is_late)| *is_late) {
                heard(print_line(session, seed))?;
            }
        }
        Ok(())
    }
}

/// Whether no further runs decide about the answer.
pub(super) fn is_certain(finished: &Finished) -> bool {
    !chance::is_doubtful(&finished.report) && !controls::are_needed(finished)
}

/// Prints the line about one seed of several.
pub(super) fn print_line(session: &Session<'_>, finished: &Finished) -> Result<(), Broken> {
    let line = mugie_report::seed_line(&finished.report, session.style.colors_data());
    output::data(&format!("{line}\n"))
}

/// Runs seeds again, and what is to accuse them. `is_fast` says whether mutants were judged by accelerated
/// runs. Nothing is taken from a cache.
fn settle(
    session: &Session<'_>,
    spec: &ToolSpec,
    running: &Running<'_, '_>,
    is_fast: bool,
    seeds: &mut [Finished],
) -> Result<(), Trouble> {
    let number = seeds.iter().filter(|seed| controls::are_needed(seed)).count();
    if number == 0 || session.interrupts.is_noted() {
        return Ok(());
    }
    let options = VerifierOptions { log_problems: true, ..spec.options.clone() };
    // Not every verifier can write a log.
    let logging = spec.resolve_with(&session.registry, &options).ok().map(Arc::new);
    let verifiers = [Some(running.verifier), logging.as_ref()];
    let supervisor = session.supervisor(verifiers.into_iter().flatten(), true);
    let plain = Running { supervisor: &supervisor, cache: None, answers: None, ..running.clone() };
    let once = Running { confirm: 0, ..plain.clone() };
    let with_log = logging.as_ref().map(|logging| Running { verifier: logging, ..plain.clone() });
    let logging = with_log.as_ref().map(|it| session.plain_executor(it)).transpose()?;
    let fresh = || session.fresh_executor(&plain).ok();
    let (once, plain) = (session.plain_executor(&once)?, session.plain_executor(&plain)?);
    let tools = Tools {
        plain: &*plain,
        once: &*once,
        logging: logging.as_deref(),
        fast: if is_fast { Some(&fresh) } else { None },
    };
    let mut progress = Progress::new("controls", number);
    for (done, seed) in seeds.iter_mut().filter(|seed| controls::are_needed(seed)).enumerate() {
        progress.show(done);
        parallel::alone(|| controls::settle(seed, tools))?;
    }
    progress.hide();
    Ok(())
}
