//! `mugie test`: is a proof robust?

mod answer;
mod arguments;
mod below;
mod by_chance;
mod causes;
mod controls;
mod dry_run;
mod keep;
mod luck;
mod page;
mod part;
mod protocol;
mod shard;
mod since;

use std::path::PathBuf;

use mugie_core::{Answer, Exit};
use mugie_exec::{CrossChecks, Difference, Executor};
use mugie_experiment::causes::is_reducible;
use mugie_experiment::effort;
use mugie_experiment::scheduler::{TestEvent, TestProgress, test};
use mugie_experiment::seed_test::{Finished, Protocol, SeedArtifacts};
use mugie_experiment::sources::{Reading, Source};
use mugie_results::SeedReport;
use mugie_results::result::{CrossCheck, TestReport, VerdictDifference};

use crate::args;
use crate::calibration::{self, Calibrations, Calibrator};
use crate::doors::{self, Doors};
use crate::folder::Folder;
use crate::messages::{Style, Trouble};
use crate::mutants::RESULT;
use crate::output::{self, Broken};
use crate::parts;
use crate::progress::Meter;
use crate::session::{self, Running, Session};
use crate::tool_spec::ToolSpec;
use crate::{cache, first_run, host, parallel, seed_paths};

use answer::{Tested, heard};
pub(crate) use arguments::{FormatName, Test};
use below::Levels;

/// The maximum number of errors shown for a rejected seed.
const MAX_ERRORS: usize = 5;

/// The number of further runs that must time out before a timeout counts, as in the paper.
const PAPERS_CONFIRM: usize = 10;

impl Test {
    /// The files to test. Standard input is read at once.
    fn sources(&self) -> Result<Vec<Source>, Trouble> {
        let files = seed_paths::find(&self.seeds)?;
        let programs: Vec<Vec<PathBuf>> = if self.seed_reading.together {
            vec![files]
        } else {
            files.into_iter().map(|file| vec![file]).collect()
        };
        let sources = programs.into_iter().map(Source::new);
        let sources = sources.map(|it| it.in_language(self.seed_reading.reading.language));
        Ok(sources.collect())
    }

    /// Fails now rather than after the test if the results cannot be written.
    fn check_outputs(&self) -> Result<(), Trouble> {
        if let Some(out) = &self.out {
            drop(Folder::start(out, RESULT, self.force)?);
        }
        self.report.as_deref().map_or(Ok(()), page::check)
    }

    /// Tests the seeds.
    pub(crate) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        args::forbid_second_stdin(&self.seeds)?;
        let known = self.known.read(self.stopping.until_failure)?;
        self.check_outputs()?;
        // Standard input is read before interrupts are caught.
        let sources = self.sources()?;
        let cache = self.cache.open(style);
        let again = if cache.is_some() { "; the same command resumes from here" } else { "" };
        let words = format!("the results so far follow{again}");
        let session = Session::start(style, &words, self.verifier.trust)?;
        self.part.limit(&session)?;
        let tools = session.supervisor([], true);
        let solver = self.verifier.solver.as_deref();
        let verifier = self.verifier.program.as_deref();
        let doors = Doors { supervisor: &tools, arguments: &self.doors.tool, verifier, solver };
        let first = sources.first().map(parts::language_of);
        let (sources, mut chosen) = self.part.choose(style, &tools, sources)?;
        let sources = if self.dry_run.dry_run {
            dry_run::without_doors(sources)?
        } else {
            doors.open(sources)?
        };
        let usual = sources.first().map(parts::language_of).or(first);
        let usual = usual.map(|it| session.usual_verifier(it));
        let mut spec = ToolSpec::new(&self.verifier, &self.limits, &usual.unwrap_or_default());
        spec = spec.needed(&doors::needs(&sources)?);
        spec = spec.recognising(&session, &sources.iter().collect::<Vec<_>>())?;
        if self.mutants.paper {
            spec.confirm = PAPERS_CONFIRM;
        }
        let verifier = session.verifier(&spec)?;
        if self.dry_run.dry_run {
            self.print_commands(&spec, &verifier, &sources)?;
            return Ok(Exit::Fine);
        }
        let supervisor = session.supervisor([&verifier], self.speed.plain);
        let running = Running {
            verifier: &verifier,
            supervisor: &supervisor,
            limits: spec.limits,
            confirm: spec.confirm,
            jobs: self.jobs.number(),
            cache: cache.as_ref(),
            answers: cache.as_ref().map(|cache| cache.folder().to_owned()),
        };
        let reading = session::reading(&self.seed_reading.reading.options, &verifier);
        let sources = below::split(style, &self.seed_reading, sources, &reading)?;
        let levels = Levels::parse(self.seed_reading.level.as_deref())?;
        let calibrations = if self.doors.no_calibration || !levels.here {
            Calibrations::new()
        } else {
            let plain = Running { cache: running.cache, ..running.clone() };
            let (session, doors, spec, reading) = (&session, &doors, &spec, &reading);
            Calibrator { session, doors, spec, running: &plain, reading }.calibrate(&sources)?
        };
        let sources = if self.procedures.globs().is_empty() {
            chosen.concerned(style, sources, &reading)?
        } else {
            self.procedures.choose(style, sources, &reading)?
        };
        let mut tested = Vec::new();
        if levels.here {
            let one =
                self.test_all(&session, &spec, &sources, &reading, &running, &calibrations)?;
            if levels.below.is_some() && self.format() == FormatName::Text {
                heard(output::data(&self.text(&session, &one.report)))?;
            }
            tested.push(one);
        }
        if let Some(level) = levels.below.filter(|_| !session.interrupts.is_noted()) {
            let below = self.test_below(&session, level, &spec, &sources, &reading, &running)?;
            tested.push(below);
        }
        let mut tested = Tested::joined(tested);
        tested.report.part = chosen.part;
        if session.interrupts.is_over() {
            self.part.explain(&mut tested.report);
        }
        self.known.settle(style, &mut tested.report, known)?;
        self.answer(&session, tested, &calibrations)
    }

    fn test_all(
        &self,
        session: &Session<'_>,
        spec: &ToolSpec,
        sources: &[Source],
        reading: &Reading,
        running: &Running<'_, '_>,
        calibrations: &Calibrations,
    ) -> Result<Tested, Broken> {
        let sources = &first_run::measured(session, &[(reading, running.clone())], sources)?;
        let started = session.executor(running, &self.speed)?;
        let protocol = self.protocol(spec, running.verifier, sources, started.is_tapped)?;
        self.check_exhaustive(sources, reading, &protocol)?;
        let executor = &*started.executor;
        let mut seeds = self.test(session, sources, reading, &protocol, executor, calibrations)?;
        let is_fast = !self.speed.plain && (started.is_tapped || executor.can_share());
        self.settle_doubts(session, spec, running, is_fast, &mut seeds)?;
        if let Some(number) = self.luck {
            luck::settle(session, spec, running, number, &mut seeds)?;
        }
        let are_reducible = || seeds.iter().any(|seed| is_reducible(&seed.report));
        if self.causes.minimise || self.causes.budget() > 0 && are_reducible() {
            // The supervisor of the test has been shut down.
            let supervisor = session.supervisor([running.verifier], self.speed.plain);
            let certain =
                session.plain_executor(&Running { supervisor: &supervisor, ..running.clone() })?;
            self.find_causes(&mut seeds, &protocol.recipe, &*certain)?;
        }
        cache::report(session.style, running.cache);
        session::report_unshared(session.style, executor.unshared_seeds());
        let checks = executor.cross_checks();
        if let Some(checks) = &checks {
            session::report_checks(session.style, checks);
        }
        let (reports, kept): (Vec<SeedReport>, Vec<SeedArtifacts>) =
            seeds.into_iter().map(|seed| (seed.report, seed.kept)).unzip();
        let report = TestReport {
            mugie: env!("CARGO_PKG_VERSION").to_owned(),
            host: host::host(),
            verifier: session::info(running.verifier, spec),
            settings: protocol.settings,
            seeds: reports,
            cross_check: checks.map(cross_check),
            below: None,
            part: None,
            known: None,
        };
        Ok(Tested { report, kept })
    }

    fn test(
        &self,
        session: &Session<'_>,
        sources: &[Source],
        reading: &Reading,
        protocol: &Protocol,
        executor: &dyn Executor,
        calibrations: &Calibrations,
    ) -> Result<Vec<Finished>, Broken> {
        let several = sources.len() > 1 && self.format() == FormatName::Text;
        // If the test may stop early, the number of mutants is only an upper bound.
        let settings = &protocol.settings;
        let is_open =
            settings.exhaustive || settings.until_failure || settings.confidence.is_some();
        let flip = if settings.failing { "with another verdict" } else { "failing" };
        let mutants = (!is_open).then_some(settings.mutants);
        let mut meter = Meter::new(sources.len(), mutants, flip);
        let mut all = Vec::new();
        let mut broken = Ok(());
        test(sources, reading, protocol, executor, |event| match event {
            TestEvent::Finished { mut finished, errors } => {
                meter.hide();
                calibration::add(&mut finished.report, sources, calibrations);
                if let Some(limit) = self.max_effort {
                    effort::settle(&mut finished.report, limit);
                }
                output::talk(&session.style.errors(&errors, MAX_ERRORS));
                session.interrupts.something_is_known();
                let is_certain = controls::is_certain(&finished);
                if several && broken.is_ok() && is_certain {
                    broken = controls::print_line(session, &finished);
                    if broken.is_err() {
                        executor.cancel();
                    }
                }
                let is_needed = self.out.is_some()
                    || !is_certain
                    || !finished.report.contradictions.is_empty()
                    || self.luck.is_some()
                    || (self.defects.are_kept() && finished.report.counts.dropped > 0)
                    || (self.causes.budget() > 0 && is_reducible(&finished.report))
                    || (self.causes.minimise && finished.report.answer == Answer::Brittle);
                let kept = if is_needed { finished.kept } else { SeedArtifacts::default() };
                all.push(Finished { kept, ..*finished });
            }
            TestEvent::Tick(TestProgress { seeds, mutants, flips }) => {
                if mutants > 0 {
                    session.interrupts.something_is_known();
                }
                meter.show(seeds, mutants, flips);
            }
        })
        .map_err(|error| parallel::no_thread(&error))?;
        meter.hide();
        heard(broken)?;
        Ok(all)
    }
}

/// The comparison with plain runs, for the report.
fn cross_check(CrossChecks { compared, differences }: CrossChecks) -> CrossCheck {
    let mut differences: Vec<VerdictDifference> = differences
        .into_iter()
        .map(|Difference { file, fast, plain }| VerdictDifference { file, fast, plain })
        .collect();
    differences.sort_by(|a, b| a.file.cmp(&b.file));
    CrossCheck { compared, differences }
}
