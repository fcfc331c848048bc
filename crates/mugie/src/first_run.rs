//! Runs seeds of languages in which a run says what to expect of a seed, and how much work to allow.

use mugie_experiment::baseline::Step;
use mugie_experiment::sources::{Reading, Source};

use crate::messages::Trouble;
use crate::parts::languages;
use crate::session::{Running, Session};

/// The sources, with the options that runs of them determine.
pub(crate) fn measured(
    session: &Session<'_>,
    running: &Running<'_, '_>,
    reading: &Reading,
    sources: &[Source],
) -> Result<Vec<Source>, Trouble> {
    let runs_first = |source: &Source| {
        source.language(languages(), &reading.usual).filter(|language| language.is_run_first())
    };
    if sources.iter().all(|source| runs_first(source).is_none()) {
        return Ok(sources.to_vec());
    }
    let executor = session.plain_executor(running)?;
    let mut measured = Vec::with_capacity(sources.len());
    for source in sources {
        // What is wrong with a seed is said when it is tested.
        let (Some(language), Ok(seed)) = (runs_first(source), reading.open(source)) else {
            measured.push(source.clone());
            continue;
        };
        let request = seed.baseline_request(Step::Original { repetition: 0 });
        let Some(settled) = executor.settle(request) else {
            return Err(Trouble::new("interrupted before there was an answer"));
        };
        let options = reading.options.clone().of(language);
        measured.push(source.clone().reading(language.options_by_run(&settled.verdict, &options)));
    }
    Ok(measured)
}
