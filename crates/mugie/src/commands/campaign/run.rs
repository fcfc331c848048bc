//! `mugie campaign run`: fills the store.

use std::fmt::Write as _;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use mugie_campaign::plan::Plan;
use mugie_campaign::rows::{SeedReading, ToolRow, ToolSettings};
use mugie_campaign::run::{
    Campaign, CampaignError, CampaignEvent, CampaignProgress, SeedSpec, Tool, Tools,
};
use mugie_campaign::store::Store;
use mugie_core::{Dropped, Exit};
use mugie_exec::{CrossChecks, StartedExecutor};
use mugie_experiment::sources::Source;
use mugie_results::{Data, Measures, Status};
use mugie_verifiers::{Verifier, input};

use super::dry_run;
use super::plan::LoadedPlan;
use super::{load, operators_apart, trouble};
use crate::args::{JobsArgs, SpeedArgs, TrustArgs};
use crate::defects::{DefectArgs, Defects};
use crate::dry_run::DryRunArgs;
use crate::messages::{Style, Trouble, plural};
use crate::output::{self, Broken};
use crate::progress::CampaignMeter;
use crate::session::{self, Running, Session};
use crate::{cache, first_run, host, parallel};

const EXAMPLES: &str = "\
Examples:
  mugie campaign run paper.toml               start, or resume
  mugie campaign run paper.toml --until-failure
                                              only find out which seeds are brittle
  mugie campaign run paper.toml --no-fail     only fill the store

Exit codes, the worst for any seed and tool, by operators that are not kept apart:
  0  robust: the store has everything that the plan asks for, and no mutant has a different
     verdict from its seed's
  1  a finding: a mutant, or a seed in another layout, has a different verdict
  2  no answer, or an incomplete one: the results so far are in the store. Also if a seed has no
     mutant with a verdict, or if more than 5 % of the mutants are left out because they fail
     mugie's own check
  3  a seed does not verify
With several seeds the order is 1, 2, 3, 0. With --no-fail, 1 and 3 become 0.";

/// What an interrupted run says.
const RESUMES: &str = "the same command resumes where it stopped";

/// Run what the plan asks for and the store does not have yet
///
/// Runs each tool on each seed first, then on some mutants of every batch, then on the rest, so
/// that there are early results for everything. What takes the whole time limit, such as mutants of
/// a seed that does not verify, comes last. Every verdict is stored as soon as it is known.
/// After Ctrl-C, a crash or a reboot, the same command resumes where it stopped. The file name of
/// the store is printed to standard output.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Run {
    /// The plan
    #[arg(value_name = "PLAN")]
    file: PathBuf,

    /// End a batch of a seed at its first mutant with a different verdict from the seed's
    #[arg(long)]
    until_failure: bool,

    /// Repeat runs that ended in a tool error
    #[arg(long)]
    retry: bool,

    /// Exit with 0 whatever the results, once the store has everything that the plan asks for
    #[arg(long)]
    no_fail: bool,

    #[command(flatten)]
    defects: DefectArgs,

    #[command(flatten)]
    trust: TrustArgs,

    #[command(flatten)]
    jobs: JobsArgs,

    #[command(flatten)]
    speed: SpeedArgs,

    #[command(flatten)]
    printing: DryRunArgs,
}

impl Run {
    /// Runs the missing part of the campaign.
    pub(super) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        let loaded = LoadedPlan::read(&self.file)?;
        let plan = &loaded.plan;
        let session = Session::start(style, RESUMES, self.trust)?;
        if self.printing.dry_run {
            return dry_run::print(&loaded, &session);
        }
        let programs = loaded.programs(&session.supervisor([], true))?;
        let verifiers: Vec<Arc<Verifier>> = plan
            .tools
            .iter()
            .map(|tool| loaded.verifier(&session, tool, &programs))
            .collect::<Result<_, Trouble>>()?;
        let _lock = lock(&loaded.store)?;
        let store = Store::create(&loaded.store).map_err(|error| trouble(&error))?;
        let speed = SpeedArgs { plain: plan.plain || self.speed.plain, ..self.speed.clone() };
        let supervisor = session.supervisor(&verifiers, speed.plain);
        let specs = loaded.specs(programs, Some(&store))?;
        let until_failure = plan.until_failure || self.until_failure;
        store.set_campaign(&loaded.row(until_failure)).map_err(|error| trouble(&error))?;
        let mut started: Vec<StartedExecutor<'_>> = Vec::new();
        let answers = cache::trusted_or_warned(style);
        let runnings = verifiers.iter().map(|verifier| Running {
            verifier,
            supervisor: &supervisor,
            limits: plan.limits,
            confirm: plan.confirm,
            jobs: self.jobs.number(),
            cache: None,
            answers: answers.clone(),
        });
        let runnings: Vec<Running<'_, '_>> = runnings.collect();
        for running in &runnings {
            started.push(session.executor(running, &speed)?);
        }
        let tools = stored_tools(plan, &store, &verifiers, &started)?;
        let specs = measured(&session, &store, &tools, &runnings, specs)?;
        let campaign = Campaign {
            plan,
            store: &store,
            seeds: &specs.into(),
            tools: &tools,
            apart: &operators_apart(),
            until_failure,
            retry: self.retry,
        };
        session.interrupts.something_is_known();
        let mut defects = self.defects.collect();
        let (progress, unusable) = run(style, &campaign, &mut defects)?;
        session.interrupts.is_ending();
        let unshared = tools.iter().map(|tool| tool.executor.unshared_seeds()).max();
        session::report_unshared(style, unshared.unwrap_or_default());
        if self.speed.cross_check > 0.0 {
            session::report_checks(style, &cross_checks(&tools));
        }
        let progress = progress.map_err(in_words)?;
        if progress.new > 0 {
            let mugie = env!("CARGO_PKG_VERSION");
            store.ran(mugie, &host::host()).map_err(|error| trouble(&error))?;
        }
        let data = load(&store)?;
        tell(&data, &progress, unusable);
        output::path(&loaded.store)?;
        defects.tell(style);
        let CampaignProgress { drawn, dropped, .. } = progress;
        let is_whole = !Dropped::are_too_many(dropped, drawn) && !session.interrupts.is_noted();
        let measures = Measures::new(&data);
        Ok(if self.no_fail {
            let is_complete = is_whole && unusable == 0 && measures.is_complete();
            if is_complete { Exit::Fine } else { Exit::NoAnswer }
        } else {
            let least = if is_whole { Exit::Fine } else { Exit::NoAnswer };
            Exit::of(measures.answers()).max(least)
        })
    }
}

/// Tells what was run, and what is known now.
fn tell(data: &Data, progress: &CampaignProgress, unusable: usize) {
    let status = Status::new(data);
    let (known, flips) = (status.known.known, progress.flips);
    let mut words = format!(
        "{known} {} in the store, {} of them new; {} a different verdict from the seed's\n",
        plural(known, "verdict"),
        progress.new,
        if flips == 1 { "1 mutant has".to_owned() } else { format!("{flips} mutants have") },
    );
    if unusable > 0 {
        let _ = writeln!(words, "{unusable} {} left out", plural(unusable, "seed"));
    }
    output::talk(&(words + &mugie_report::status(&status)));
}

/// Why a campaign ended early.
pub(super) fn in_words(error: CampaignError) -> Trouble {
    match error {
        CampaignError::Store(error) => trouble(&error),
        CampaignError::Thread(error) => parallel::no_thread(&error),
        error => Trouble::new(error.to_string()),
    }
}

/// Has the seeds read as in the store, as far as their language needs it. Returns the places of those that
/// are not in the store.
pub(super) fn as_stored(
    store: &Store,
    tools: &Tools<'_>,
    specs: &mut [SeedSpec],
) -> Result<Vec<usize>, Trouble> {
    let stored = store.seed_readings().map_err(|error| trouble(&error))?;
    let file_name = |files: &[String]| {
        files.first().and_then(|file| file.rsplit('/').next()).unwrap_or_default().to_owned()
    };
    let mut new = Vec::new();
    for (index, spec) in specs.iter_mut().enumerate() {
        if !tools.iter().any(|tool| first_run::is_needed(&tool.reading, &spec.source)) {
            continue;
        }
        // A file may have been moved; one that was changed is a new seed.
        let may_be = |it: &&SeedReading| {
            it.name == spec.name || file_name(&it.files) == file_name(&spec.files)
        };
        let readings = stored.iter().filter(may_be);
        let mut sources = readings.map(|it| (spec.source.clone().reading(it.options.clone()), it));
        let is_same = |(source, it): &(Source, &SeedReading)| {
            let open = |tool: &Tool<'_>| tool.reading.open(source);
            tools.iter().any(|tool| open(tool).is_ok_and(|seed| seed.hash() == it.hash))
        };
        match sources.find(is_same) {
            Some((source, _)) => spec.source = source,
            None => new.push(index),
        }
    }
    Ok(new)
}

/// The seeds, read as in the store, or as first runs of them with all tools say.
fn measured(
    session: &Session<'_>,
    store: &Store,
    tools: &Tools<'_>,
    runnings: &[Running<'_, '_>],
    mut specs: Vec<SeedSpec>,
) -> Result<Vec<SeedSpec>, Trouble> {
    let new = as_stored(store, tools, &mut specs)?;
    let readings = tools.iter().map(|tool| &tool.reading);
    let readings: Vec<_> = readings.zip(runnings.iter().cloned()).collect();
    let sources: Vec<Source> = new.iter().map(|index| specs[*index].source.clone()).collect();
    let sources = first_run::measured(session, &readings, &sources)?;
    for (index, source) in new.into_iter().zip(sources) {
        specs[index].source = source;
    }
    Ok(specs)
}

/// The tools of a plan with their executors, recorded in the store.
pub(super) fn stored_tools<'a>(
    plan: &Plan,
    store: &Store,
    verifiers: &[Arc<Verifier>],
    started: &'a [StartedExecutor<'a>],
) -> Result<Tools<'a>, Trouble> {
    let mut tools = Tools::new();
    for ((tool, verifier), started) in plan.tools.iter().zip(verifiers).zip(started) {
        let row = ToolRow {
            name: tool.name.clone(),
            title: verifier.title.clone(),
            identity: started.executor.identity(),
            settings: ToolSettings {
                command: verifier.command_words(),
                translate: session::translate_words(verifier),
                limits: plan.limits,
                confirm: plan.confirm,
                batches: started.executor.can_share(),
                tap: started.is_tapped,
            },
        };
        let id = store.tool(&row).map_err(|error| trouble(&error))?;
        let reading = session::reading(&plan.seeds.options, verifier);
        let names_goals = verifier.names_goals();
        tools.push(Tool { id, executor: &*started.executor, reading, names_goals });
    }
    Ok(tools)
}

/// The comparisons with plain runs, of all tools together.
fn cross_checks(tools: &Tools<'_>) -> CrossChecks {
    let mut checks = CrossChecks::default();
    for found in tools.iter().filter_map(|tool| tool.executor.cross_checks()) {
        checks.compared += found.compared;
        checks.differences.extend(found.differences);
    }
    checks
}

/// The maximum number of errors shown for a rejected seed.
const MAX_ERRORS: usize = 5;

/// Runs a campaign and shows its progress. Returns the progress made, and the number of unusable
/// seeds.
fn run(
    style: &Style,
    campaign: &Campaign<'_>,
    defects: &mut Defects<'_>,
) -> Result<(Result<CampaignProgress, CampaignError>, usize), Trouble> {
    let mut meter = CampaignMeter::new();
    let mut unusable = 0;
    let mut kept = Ok(());
    let progress = campaign.run(|event| match event {
        CampaignEvent::Unusable(seed) => {
            meter.hide();
            unusable += 1;
            output::talk(&style.errors(&seed.errors, MAX_ERRORS));
            output::talk(&style.warning(&format!("{}: {}", seed.name, seed.reason)));
        }
        CampaignEvent::LeftOut(tool, seed) => {
            meter.hide();
            let tool = &campaign.plan.tools[tool.index()].name;
            let words = format!("{}: left out for tool `{tool}`: {}", seed.name, seed.reason);
            output::talk(&style.warning(&words));
        }
        CampaignEvent::Dropped { seed, batch, dropped } => {
            let most = campaign.plan.batches.iter().map(|batch| batch.mutants).max();
            let name = seed.naming(most.unwrap_or_default()).name(dropped.number);
            let added = defects.add(&seed, Some(&batch), &name, &dropped);
            kept = std::mem::replace(&mut kept, Ok(())).and(added);
        }
        CampaignEvent::Tick(progress) => meter.show(&progress),
    });
    meter.hide();
    kept?;
    Ok((progress, unusable))
}

/// Locks the campaign, so that no other mugie runs it and repeats all work. The lock is released
/// when mugie ends, in whatever way.
fn lock(store: &Path) -> Result<File, Trouble> {
    let path = store.with_added_extension("lock");
    let shown = path.display();
    let made = input::check_place(&path).and_then(|()| File::create(&path));
    let file = made.map_err(|error| {
        Trouble::new(format!("{shown}: cannot create the lock file of the store: {error}"))
            .help("create the directory first, or choose another one with `store` in the plan")
    })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Trouble::new(format!(
            "{}: another mugie is running this campaign",
            store.display()
        ))
        .help("`mugie campaign status` shows its progress")),
        Err(TryLockError::Error(error)) => {
            Err(Trouble::new(format!("{shown}: cannot lock the store: {error}"))
                .help("choose a directory on another file system with `store` in the plan"))
        }
    }
}
