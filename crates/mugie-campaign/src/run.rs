//! Runs what a plan requires and is not in the store yet.
//!
//! All seeds are read first, because a seed is known by its content. Then there are rounds over all seeds:
//! each tool's baseline of each seed, the first few mutants of every batch, and the rest. So there are early
//! results of everything, and every verdict is in the store as soon as it is known. What takes a time limit
//! for each run comes late: the second run of a seed that timed out comes after the first few mutants of
//! all others, and the mutants of a seed that does not verify with a tool come last.

mod queue;
mod worker;

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use index_vec::{IndexVec, define_index_type};
use mugie_core::{Dropped, Mutant, Verdict};
use mugie_exec::pool::{self, Work as _};
use mugie_exec::{Executor, Settled};
use mugie_experiment::judge::Profile;
use mugie_experiment::seed::OpenSeed;
use mugie_experiment::sources::{Reading, Source, Unusable};
use mugie_results::result::Question;
use mugie_results::{Known, SolverWork};

use crate::ids::{BatchId, MutantId, SeedId, ToolId};
use crate::plan::Plan;
use crate::readings::ToolReading;
use crate::rows::{BatchRow, SeedRow};
use crate::store::{Store, StoreError};
use queue::Queue;
use worker::Worker;

/// Mutants of each batch in the first round of mutants. Raising it delays the early results.
const FIRST_ROUND: usize = 5;

define_index_type! {
    /// The index of a seed in [`Campaign::seeds`].
    pub struct PlanSeedIx = u32;
}

define_index_type! {
    /// The index of a batch in [`Plan::batches`].
    struct PlanBatchIx = u32;
}

define_index_type! {
    /// The index of a tool in [`Campaign::tools`].
    pub struct PlanToolIx = u32;
}

/// The known baselines of a seed, by tool.
type Bases = IndexVec<PlanToolIx, Option<Arc<Base>>>;

/// A seed of a campaign, before it is read.
#[derive(Debug)]
pub struct SeedSpec {
    /// The name, unique in the campaign.
    pub name: String,
    /// The files as in the plan; several if they are one program.
    pub files: Vec<String>,
    /// The seed's group.
    pub group: String,
    /// The source to read the seed from.
    pub source: Source,
}

/// The seeds of a campaign, in the order of the plan.
pub type SeedSpecs = IndexVec<PlanSeedIx, SeedSpec>;

/// The tools of a campaign, in the order of the plan.
pub type Tools<'a> = IndexVec<PlanToolIx, Tool<'a>>;

/// A tool that is ready to run.
pub struct Tool<'a> {
    /// The tool's id in the store.
    pub id: ToolId,
    /// The executor that runs the tool.
    pub executor: &'a dyn Executor,
    /// How the tool reads seeds.
    pub reading: Reading,
    /// Whether the tool names every goal that it verifies.
    pub names_goals: bool,
}

/// A part of a campaign, in the order of execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// The seeds are read.
    #[default]
    Reading,
    /// The seeds themselves are run.
    Seeds,
    /// The first mutants of every batch are run.
    First,
    /// The other mutants are run.
    Rest,
    /// What was put off is run: mutants of seeds that do not verify, or that time out.
    Last,
}

/// The progress of a campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CampaignProgress {
    /// What is under way.
    pub phase: Phase,
    /// How much of the phase is known: seeds, runs of seeds, or verdicts on mutants.
    pub in_phase: Known,
    /// How many verdicts on mutants are known, of those in the complete campaign: an upper bound until all
    /// mutants were drawn.
    pub all: Known,
    /// Verdicts from this run.
    pub new: usize,
    /// Verdicts that are flips, without those on mutants that are kept apart.
    pub flips: usize,
    /// Mutants that were drawn, whatever the number of tools.
    pub drawn: usize,
    /// Drawn mutants that are left out because they fail mugie's own check.
    pub dropped: usize,
    /// The run that has been under way for longest, and since when.
    pub longest: Option<(String, Duration)>,
}

/// Events of a running campaign.
#[derive(Debug)]
pub enum CampaignEvent {
    /// A seed that cannot be used. The campaign continues with the others.
    Unusable(Box<Unusable>),
    /// A seed that a tool cannot read. The campaign continues with the other tools.
    LeftOut(PlanToolIx, Box<Unusable>),
    /// A mutant that fails mugie's own check. The campaign continues with the others.
    Dropped {
        /// The mutant's seed.
        seed: Arc<OpenSeed>,
        /// The name of the mutant's batch.
        batch: String,
        /// The mutant.
        dropped: Box<Dropped>,
    },
    /// The progress, several times a second.
    Tick(Box<CampaignProgress>),
}

/// Why a campaign ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CampaignError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No thread could be started.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}

/// Everything that a campaign needs.
pub struct Campaign<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The store.
    pub store: &'a Store,
    /// The seeds.
    pub seeds: &'a SeedSpecs,
    /// The tools, in the order of the plan.
    pub tools: &'a Tools<'a>,
    /// The operators that are kept apart: their flips are not counted among others.
    pub apart: &'a [&'a str],
    /// Whether a batch of a seed ends at its first flip.
    pub until_failure: bool,
    /// Whether to repeat runs in which the tool failed.
    pub retry: bool,
}

/// A seed and its id in the store.
struct StoredSeed {
    index: PlanSeedIx,
    id: SeedId,
    seed: Arc<OpenSeed>,
    /// How each tool reads it.
    readings: IndexVec<PlanToolIx, ToolReading>,
}

/// A tool's baseline of a seed.
struct Base {
    question: Option<Question>,
    profile: Profile,
    verdict: Verdict,
    /// The seed's solver work, if it is known.
    work: Option<SolverWork>,
}

/// A verifier run.
struct Job {
    seed: Arc<StoredSeed>,
    tool: PlanToolIx,
    phase: Phase,
    what: JobKind,
}

enum JobKind {
    Baseline {
        /// Whether the rest of the runs is put off once one timed out.
        is_hasty: bool,
    },
    Mutant(RunMutant),
}

/// A mutant to run.
struct RunMutant {
    batch: PlanBatchIx,
    id: MutantId,
    mutant: Arc<Mutant>,
    base: Arc<Base>,
}

/// A batch of a seed with a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    seed: PlanSeedIx,
    batch: PlanBatchIx,
    tool: PlanToolIx,
}

impl Job {
    /// The seed and the tool.
    fn pair(&self) -> (PlanSeedIx, PlanToolIx) {
        (self.seed.index, self.tool)
    }

    fn key(&self) -> Option<(Key, usize)> {
        match &self.what {
            JobKind::Baseline { .. } => None,
            JobKind::Mutant(run) => {
                let key = Key { seed: self.seed.index, batch: run.batch, tool: self.tool };
                Some((key, run.mutant.number))
            }
        }
    }
}

/// A part of the work, in the order of execution.
#[derive(Clone, Copy)]
struct Portion {
    phase: Phase,
    seed: PlanSeedIx,
}

enum Task {
    /// Reads a seed.
    Read(PlanSeedIx),
    /// Opens a portion.
    Open {
        portion: Portion,
        id: SeedId,
        /// The hash of the seed, as it was read first.
        hash: String,
        /// The seed's baselines with the tools whose mutants are run in this portion.
        bases: Bases,
        /// Whether the mutants were not drawn before.
        is_new: bool,
    },
    /// Runs jobs, under a number for this run.
    Run(u64, Vec<Job>),
}

/// The result of a task.
enum Done {
    /// A seed was read.
    Read(PlanSeedIx, Box<SeedRow>),
    Unusable(PlanSeedIx, Box<Unusable>),
    /// A seed is left out for a tool.
    LeftOut(PlanToolIx, Box<Unusable>),
    /// A tool's baseline of a seed.
    Base(PlanSeedIx, PlanToolIx, Arc<Base>),
    /// A tool's baseline of a seed is missing.
    Seed(Job),
    /// The rest of a baseline is put off.
    Late(Job),
    /// Mutants of a batch were drawn, some of which are left out.
    Drawn {
        seed: Arc<OpenSeed>,
        batch: PlanBatchIx,
        drawn: usize,
        dropped: Vec<Dropped>,
    },
    /// A batch was opened: how many verdicts are known for each tool, the missing jobs, and known flips.
    Opened {
        phase: Phase,
        counts: Vec<(Key, Known)>,
        jobs: Vec<Job>,
        flips: Vec<(Key, usize)>,
    },
    /// A run of a seed.
    SeedRun(PlanSeedIx, PlanToolIx, Box<Settled>),
    /// A verdict on a mutant is in the store.
    Verdict {
        phase: Phase,
        key: Key,
        number: usize,
        is_flip: bool,
        /// Whether the mutant is kept apart.
        is_apart: bool,
        settled: Box<Settled>,
    },
    /// The run with this number has ended.
    Ended(u64),
    Failed(Box<CampaignError>),
}

impl Campaign<'_> {
    /// Runs everything that is missing.
    ///
    /// Cancelling the executors ends the campaign; all results so far are in the store.
    pub fn run(
        &self,
        mut each: impl FnMut(CampaignEvent),
    ) -> Result<CampaignProgress, CampaignError> {
        let batches = self.batches()?;
        let queue = Queue::new(self, batches.clone())?;
        let threads = queue.threads;
        let worker = Worker { campaign: self, batches };
        let perform = |task: Task, hand_over: &mut dyn FnMut(Done) -> ControlFlow<()>| {
            if let Err(error) = worker.perform(task, hand_over) {
                let _ = hand_over(Done::Failed(Box::new(error)));
            }
        };
        let queue = pool::run(queue, threads, perform, &mut each).map_err(CampaignError::Thread)?;
        queue.finish()
    }

    /// Reads all seeds, and notes in the store what the plan asks for, but runs nothing. With a
    /// [draft](Store::draft), this tells what [`Campaign::run`] would do.
    pub fn survey(&self) -> Result<(), CampaignError> {
        let batches = self.batches()?;
        let mut queue = Queue::new(self, batches.clone())?;
        let worker = Worker { campaign: self, batches };
        let read = || {
            for seed in self.seeds.indices() {
                let _ = worker.perform(Task::Read(seed), &mut |done| queue.take_up(done));
            }
            queue.finish().map(|_| ())
        };
        pool::alone(read).map_err(CampaignError::Thread)?
    }

    /// The ids of the batches.
    fn batches(&self) -> Result<IndexVec<PlanBatchIx, BatchId>, CampaignError> {
        let batches = self.plan.batches.iter().map(|batch| {
            let row = BatchRow {
                name: batch.name.clone(),
                operators: batch.operators.clone(),
                wanted: batch.mutants,
                attempts: batch.attempts,
                random_seed: self.plan.random_seed,
            };
            Ok(self.store.batch(&row)?)
        });
        batches.collect()
    }

    fn is_cancelled(&self) -> bool {
        self.tools.iter().any(|tool| tool.executor.is_cancelled())
    }
}
