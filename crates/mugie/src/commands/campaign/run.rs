//! `mugie campaign run`: fills the store.

use std::fmt::Write as _;
use std::fs::{File, TryLockError};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use clap::Args;
use mugie_campaign::campaign::rows::{CampaignRow, ToolRow, ToolSettings};
use mugie_campaign::campaign::run::{Campaign, CampaignError, Event, Progress, ToolRunner};
use mugie_campaign::campaign::store::Store;
use mugie_campaign::runs::{Batching, CrossChecks, Runner};
use mugie_verifiers::{Environment, Registry, Verifier};

use super::plan::{self, LoadedPlan};
use super::trouble;
use crate::cache;
use crate::cli::Exit;
use crate::commands::test::no_folder;
use crate::commands::verifiers::definition_trouble;
use crate::interrupt::{self, Leftovers};
use crate::output::{self, Broken};
use crate::progress::CampaignMeter;
use crate::report::{Style, Trouble, plural};
use crate::speed::{self, SpeedArgs};
use crate::{parallel, read, seeds};

const EXAMPLES: &str = "\
Examples:
  mugie campaign run paper.toml               from the start, or on from where it was
  mugie campaign run paper.toml --until-failure
                                              just: which seeds are brittle?

Exit codes:
  0  all that the plan asks for is in the store
  2  could not, or interrupted: what is known so far is in the store";

/// Run what the plan asks for and the store does not know yet
///
/// First each tool on each seed, then some mutants of every batch, then the rest: there are early
/// results of everything. Every verdict is in the store as soon as it is there. After Ctrl-C, a
/// crash or a reboot the same command goes on where it was. The name of the store is printed to
/// standard output.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Run {
    /// The plan
    #[arg(value_name = "PLAN")]
    file: PathBuf,

    /// End a batch of a seed at its first mutant with another verdict than the seed
    #[arg(long)]
    until_failure: bool,

    /// Run again what ended in trouble with the tool
    #[arg(long)]
    retry: bool,

    /// How many runs at once [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,

    #[command(flatten)]
    speed: SpeedArgs,
}

impl Run {
    /// Runs what is missing.
    pub(super) fn run(&self, style: &Style) -> Result<Exit, Broken> {
        let loaded = LoadedPlan::read(&self.file)?;
        let plan = &loaded.plan;
        let verifiers = verifiers(&loaded)?;
        let _lock = lock(&loaded.store)?;
        let store = Store::create(&loaded.store).map_err(|error| trouble(&error))?;
        let specs = loaded.specs(Some(&store))?;
        let until_failure = plan.until_failure || self.until_failure;
        let row = CampaignRow {
            name: plan.name.clone(),
            mugie: env!("CARGO_PKG_VERSION").to_owned(),
            plan: loaded.text.clone(),
            until_failure,
        };
        store.set_campaign(&row).map_err(|error| trouble(&error))?;
        let supervisor = speed::supervisor(&verifiers, plan.plain || self.speed.plain);
        let leftovers = Leftovers::default();
        let words = "the same command goes on where it was".to_owned();
        interrupt::watch(&supervisor, &leftovers, words)?;
        let batching = Batching { plain: plan.plain || self.speed.plain, ..self.speed.into() };
        let cache = cache::usual_folder();
        let mut tools = Vec::new();
        for (tool, verifier) in plan.tools.iter().zip(&verifiers) {
            let runner = Runner::new(verifier, &supervisor, plan.limits, plan.confirm, None)
                .map_err(|error| no_folder(&error))?
                .with_batching(batching);
            let runner = speed::tapped(style, runner, batching.plain, cache.as_deref());
            leftovers.add(runner.folder());
            let row = ToolRow {
                name: tool.name.clone(),
                title: verifier.title.clone(),
                identity: runner.identity(),
                settings: ToolSettings {
                    command: verifier.command_words(),
                    limits: plan.limits,
                    confirm: plan.confirm,
                    batches: runner.is_batching(),
                    tap: runner.is_tapped(),
                },
            };
            let id = store.tool(&row).map_err(|error| trouble(&error))?;
            tools.push(ToolRunner { id, runner });
        }
        let campaign = Campaign {
            plan,
            store: &store,
            seeds: &specs,
            tools: &tools,
            supervisor: &supervisor,
            until_failure,
            retry: self.retry,
        };
        let reading = seeds::reading_for(plan::reading(&plan.seeds), &verifiers[0]);
        let open = |index: usize| {
            let name = &specs[index].file;
            let sources = read::read(std::slice::from_ref(&loaded.folder.join(name)));
            seeds::open(style, std::slice::from_ref(name), sources, reading)
        };
        let mut meter = CampaignMeter::new();
        let mut unusable = 0;
        let progress = campaign.run(open, parallel::threads(self.jobs), |event| match event {
            Event::Unusable(seed) => {
                meter.hide();
                unusable += 1;
                output::talk(&style.warning(&format!("{}: {}", seed.name, seed.reason)));
            }
            Event::Tick(Progress { expected, known, new, flips }) => {
                meter.show(known, expected, new, flips);
            }
        });
        meter.hide();
        if batching.cross_check > 0.0 {
            let mut checks = CrossChecks::default();
            for tool in &tools {
                let CrossChecks { compared, differences } = tool.runner.cross_checks();
                checks.compared += compared;
                checks.differences.extend(differences);
            }
            speed::report(style, &checks);
        }
        let Progress { known, new, flips, .. } = progress.map_err(|error| match error {
            CampaignError::Store(error) => trouble(&error),
            CampaignError::Thread(error) => parallel::no_thread(&error),
            error => Trouble::new(error.to_string()),
        })?;
        let mut words = format!(
            "{known} {} known, {new} of them new; {} another verdict than the seed\n",
            plural(known, "verdict"),
            if flips == 1 { "1 mutant has".to_owned() } else { format!("{flips} mutants have") },
        );
        if unusable > 0 {
            let _ = writeln!(words, "{unusable} {} left out", plural(unusable, "seed"));
        }
        output::talk(&words);
        output::data(&format!("{}\n", loaded.store.display()))?;
        let is_complete = unusable == 0 && !supervisor.is_cancelled();
        Ok(if is_complete { Exit::Fine } else { Exit::CouldNot })
    }
}

/// The verifiers of the tools, in order.
fn verifiers(loaded: &LoadedPlan) -> Result<Vec<Verifier>, Trouble> {
    // Programs that are asked for their versions must not outlive mugie.
    let interrupted = output::note_interrupts()?;
    let environment =
        Environment { interrupted: Arc::clone(&interrupted), ..Environment::of_process() };
    let registry = Registry::load_in(environment).map_err(|error| definition_trouble(&error))?;
    let verifiers: Result<_, _> =
        loaded.plan.tools.iter().map(|tool| loaded.verifier(&registry, tool)).collect();
    if interrupted.load(Ordering::Relaxed) {
        return Err(Trouble::new("interrupted before anything was run")
            .help("the same command starts again"));
    }
    verifiers
}

/// Makes sure that nobody else runs the campaign: everything would be done twice. The lock goes
/// when mugie does, however it ends.
fn lock(store: &Path) -> Result<File, Trouble> {
    let path = store.with_added_extension("lock");
    let shown = path.display();
    let file = File::create(&path).map_err(|error| {
        Trouble::new(format!("{shown}: cannot make the lock of the store: {error}"))
            .help("create the directory first, or choose another one with `store` in the plan")
    })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(Trouble::new(format!("{}: another mugie runs this campaign", store.display()))
                .help("`mugie campaign status` says how far it is"))
        }
        Err(TryLockError::Error(error)) => {
            Err(Trouble::new(format!("{shown}: cannot lock the store: {error}"))
                .help("choose a directory on another file system with `store` in the plan"))
        }
    }
}
