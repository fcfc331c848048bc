//! Runs seeds of languages in which a run says what to expect of a seed, and how much work to allow.

use mugie_experiment::baseline::Step;
use mugie_experiment::sources::{Reading, Source};

use crate::messages::Trouble;
use crate::parts::languages;
use crate::session::{Running, Session};

/// The share of the time limit after which the solver gives up on a goal by itself. Raising it gives the
/// solver more time, and less to end by itself.
const SHARE: f64 = 0.9;

/// The sources, with the options that runs of them determine.
pub(crate) fn measured(
    session: &Session<'_>,
    running: &Running<'_, '_>,
    reading: &Reading,
    sources: &[Source],
) -> Result<Vec<Source>, Trouble> {
    // The solver gives up before it is stopped, so that its work is known.
    let seconds = running.limits.time.as_secs_f64() * SHARE;
    let first = |source: &Source| {
        let language = source.language(languages(), &reading.usual)?;
        let options = reading.options.clone().of(language);
        Some((language, language.first_run(&options, seconds)?, options))
    };
    if sources.iter().all(|source| first(source).is_none()) {
        return Ok(sources.to_vec());
    }
    // How far the solver gets is not compared with anything: once is enough.
    let executor = session.plain_executor(&Running { confirm: 0, ..running.clone() })?;
    let mut measured = Vec::with_capacity(sources.len());
    for source in sources {
        let Some((language, for_first, options)) = first(source) else {
            measured.push(source.clone());
            continue;
        };
        // What is wrong with a seed is said when it is tested.
        let Ok(seed) = reading.open(&source.clone().reading(for_first)) else {
            measured.push(source.clone());
            continue;
        };
        let request = seed.baseline_request(Step::Original { repetition: 0 });
        let Some(settled) = executor.settle(request) else {
            return Err(Trouble::new("interrupted before there was an answer"));
        };
        measured.push(source.clone().reading(language.options_by_run(&settled.verdict, &options)));
    }
    Ok(measured)
}
