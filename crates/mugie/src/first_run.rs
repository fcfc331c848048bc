//! Runs seeds of languages in which a run says what to expect of a seed, and how much work to allow.

use std::num::NonZeroUsize;

use mugie_core::{Language, LanguageOptions};
use mugie_exec::Executor;
use mugie_exec::pool::InOrderEvent;
use mugie_experiment::baseline::Step;
use mugie_experiment::sources::{Reading, Source};

use crate::messages::Trouble;
use crate::parallel;
use crate::parts::languages;
use crate::progress::Progress;
use crate::session::{Running, Session};

/// The share of the time limit after which the solver gives up on a goal by itself. Raising it gives the
/// solver more time, and less to end by itself.
const SHARE: f64 = 0.9;

/// First runs with one or more verifiers.
struct FirstRun<'r> {
    /// How programs are read, and the executor of plain runs, for each verifier.
    tools: Vec<(&'r Reading, Box<dyn Executor + 'r>)>,
    /// After this time the solver is to give up by itself, so that its work is known.
    seconds: f64,
}

impl FirstRun<'_> {
    /// The source, with the options that runs of it determine; `None` if it was interrupted.
    fn measure(&self, source: &Source) -> Option<Source> {
        let mut verdicts = Vec::new();
        let mut found: Option<(&'static dyn Language, LanguageOptions)> = None;
        for (reading, executor) in &self.tools {
            let Some(language) = source.language(languages(), &reading.usual) else { continue };
            let options = reading.options.clone().of(language);
            let Some(first) = language.first_run(&options, self.seconds) else { continue };
            // What is wrong with a seed is said when it is tested.
            let Ok(seed) = reading.open(&source.clone().reading(first)) else { continue };
            let request = seed.baseline_request(Step::Original { repetition: 0 });
            verdicts.push(executor.settle(request)?.verdict);
            found.get_or_insert((language, options));
        }
        Some(match found {
            Some((language, options)) => {
                source.clone().reading(language.options_by_run(&verdicts, &options))
            }
            None => source.clone(),
        })
    }
}

/// Whether first runs determine how a source is read.
pub(crate) fn is_needed(reading: &Reading, source: &Source) -> bool {
    let language = source.language(languages(), &reading.usual);
    language.is_some_and(|it| it.first_run(&LanguageOptions::default(), 1.0).is_some())
}

/// The sources, with the options that runs of them with all tools determine.
pub(crate) fn measured<'r>(
    session: &Session<'_>,
    tools: &[(&'r Reading, Running<'r, 'r>)],
    sources: &[Source],
) -> Result<Vec<Source>, Trouble> {
    let is_any = |source: &Source| tools.iter().any(|(reading, _)| is_needed(reading, source));
    if !sources.iter().any(is_any) {
        return Ok(sources.to_vec());
    }
    let jobs = tools.first().map_or(NonZeroUsize::MIN, |(_, running)| running.jobs);
    let mut first = FirstRun { tools: Vec::new(), seconds: f64::MAX };
    for (reading, running) in tools {
        first.seconds = first.seconds.min(running.limits.time.as_secs_f64() * SHARE);
        // How far the solver gets is not compared with anything: once is enough.
        let once = Running { confirm: 0, ..running.clone() };
        first.tools.push((reading, session.plain_executor(&once)?));
    }
    let mut progress = Progress::new("first runs", sources.len());
    let mut measured = Vec::with_capacity(sources.len());
    parallel::in_order(
        sources,
        Some(jobs),
        |source| first.measure(source),
        |event| {
            if let InOrderEvent::Done(source) = event {
                let interrupted = || Trouble::new("interrupted before there was an answer");
                measured.push(source.ok_or_else(interrupted)?);
            }
            progress.show(measured.len());
            Ok::<(), Trouble>(())
        },
    )?;
    progress.hide();
    Ok(measured)
}
