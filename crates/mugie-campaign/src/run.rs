//! Runs what a plan requires and is not in the store yet.
//!
//! There are three rounds over all seeds: first each tool's baseline of each seed, then the first few
//! mutants of every batch, then the rest. So there are early results of everything, and every verdict is
//! in the store as soon as it is known.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use index_vec::{IndexVec, define_index_type};
use mugie_core::{Dropped, Generator, Mutant, Outcome, Verdict, Weights, hex};
use mugie_exec::pool::{self, Next, Work};
use mugie_exec::{Draw, Executor, Pace, Settled};
use mugie_experiment::baseline::{Baseline, Conclusion, Step};
use mugie_experiment::judge::{Judgement, Profile, judge};
use mugie_experiment::seed::OpenSeed;
use mugie_experiment::solver_work::solver_work;
use mugie_experiment::sources::{Reading, Source, Unusable};
use mugie_results::result::Question;

use crate::base::{Base, in_short};
use crate::confirm::{Confirmation, Confirmed, confirm};
use crate::ids::{BatchId, MutantId, SeedId, ToolId};
use crate::plan::Plan;
use crate::readings::{SeedReadings, ToolReading};
use crate::rows::{
    BaselineRow, BaselineRun, BatchRow, DroppedRow, MutantRow, SeedRow, VerdictDetails, VerdictRow,
};
use crate::store::{Store, StoreError};

/// Mutants of each batch in the first round of mutants. Raising it delays the early results.
const FIRST_ROUND: usize = 5;

/// The most mutants in one process if a batch ends at its first flip: those after the flip are wasted.
const MAX_PER_PROCESS_UNTIL_FLIP: usize = 4;

/// The most jobs to look through for some that can share a process. Raising it fills processes better and
/// makes each search slower.
const MAX_LOOKAHEAD: usize = 512;

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

/// The progress of a campaign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CampaignProgress {
    /// An upper bound of the verdicts on mutants in the complete campaign.
    pub expected: usize,
    /// Verdicts that are known, from earlier runs or this one.
    pub known: usize,
    /// Verdicts from this run.
    pub new: usize,
    /// Verdicts that are flips.
    pub flips: usize,
    /// Mutants that were drawn, whatever the number of tools.
    pub drawn: usize,
    /// Drawn mutants that are left out because they fail mugie's own check.
    pub dropped: usize,
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
    Tick(CampaignProgress),
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

/// A verifier run.
struct Job {
    seed: Arc<StoredSeed>,
    tool: PlanToolIx,
    what: JobKind,
}

enum JobKind {
    Baseline,
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
            JobKind::Baseline => None,
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
    round: u8,
    seed: PlanSeedIx,
}

enum Task {
    /// Opens a portion, with the seed's baselines after the first round.
    Open(Portion, Bases),
    Run(Vec<Job>),
}

/// The result of a task.
enum Done {
    Unusable(PlanSeedIx, Box<Unusable>),
    /// A seed is left out for a tool.
    LeftOut(PlanToolIx, Box<Unusable>),
    /// A tool's baseline of a seed.
    Base(PlanSeedIx, PlanToolIx, Arc<Base>),
    /// Mutants of a batch were drawn, some of which are left out.
    Drawn {
        seed: Arc<OpenSeed>,
        batch: PlanBatchIx,
        drawn: usize,
        dropped: Vec<Dropped>,
    },
    /// Missing jobs, known flips, and the number of verdicts that will not exist.
    Jobs {
        jobs: Vec<Job>,
        flips: Vec<(Key, usize)>,
        fewer: usize,
    },
    /// A run of a seed.
    SeedRun(PlanSeedIx, PlanToolIx, Box<Settled>),
    /// A verdict on a mutant is in the store.
    Verdict {
        key: Key,
        number: usize,
        is_flip: bool,
        settled: Box<Settled>,
    },
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
        let (known, flips) = self.store.progress()?;
        let mutants: usize = self.plan.batches.iter().map(|batch| batch.mutants).sum();
        let expected = self.seeds.len() * self.tools.len() * mutants;
        let portions =
            (0..3).flat_map(|round| self.seeds.indices().map(move |seed| Portion { round, seed }));
        let threads = self.tools.iter().map(|tool| tool.executor.capacity()).max().unwrap_or(1);
        let queue = Queue {
            campaign: self,
            threads,
            portions: portions.collect(),
            jobs: VecDeque::new(),
            busy: 0,
            running: 0,
            bases: BTreeMap::new(),
            unusable: BTreeSet::new(),
            first_flips: BTreeMap::new(),
            paces: BTreeMap::new(),
            progress: CampaignProgress { expected, known, flips, ..CampaignProgress::default() },
            events: Vec::new(),
            failure: None,
        };
        let worker = Worker { campaign: self, batches, confirmed: Confirmed::default() };
        let perform = |task: Task, hand_over: &mut dyn FnMut(Done) -> ControlFlow<()>| {
            if let Err(error) = worker.perform(task, hand_over) {
                let _ = hand_over(Done::Failed(Box::new(error)));
            }
        };
        let queue = pool::run(queue, threads, perform, &mut each).map_err(CampaignError::Thread)?;
        queue.failure.map_or(Ok(queue.progress), |error| Err(*error))
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

/// The work queue, and the results so far.
struct Queue<'a> {
    campaign: &'a Campaign<'a>,
    threads: usize,
    portions: VecDeque<Portion>,
    jobs: VecDeque<Job>,
    /// Threads with a task, which may yield more work.
    busy: usize,
    /// Mutants that are running.
    running: usize,
    /// The known baselines, by seed and tool.
    bases: BTreeMap<(PlanSeedIx, PlanToolIx), Arc<Base>>,
    /// Seeds that cannot be used.
    unusable: BTreeSet<PlanSeedIx>,
    /// The first flip of each seed, batch and tool.
    first_flips: BTreeMap<Key, usize>,
    /// The measured pace, by seed and tool.
    paces: BTreeMap<(PlanSeedIx, PlanToolIx), Pace>,
    progress: CampaignProgress,
    events: Vec<CampaignEvent>,
    failure: Option<Box<CampaignError>>,
}

impl Work for Queue<'_> {
    type Task = Task;
    type Outcome = Done;
    type Event = CampaignEvent;

    fn next(&mut self) -> Next<Task> {
        if self.failure.is_some() || self.campaign.is_cancelled() {
            return Next::End;
        }
        if let Some(job) = self.next_job() {
            self.busy += 1;
            let jobs = self.with_others(job);
            self.running += jobs.len();
            return Next::Task(Task::Run(jobs));
        }
        if let Some(place) = self.portions.iter().position(|portion| self.is_ready(*portion))
            && let Some(portion) = self.portions.remove(place)
        {
            self.busy += 1;
            let tools = self.campaign.tools.indices();
            let base = |tool| self.bases.get(&(portion.seed, tool)).map(Arc::clone);
            return Next::Task(Task::Open(portion, tools.map(base).collect()));
        }
        if self.busy == 0 { Next::End } else { Next::Wait }
    }

    fn take_up(&mut self, done: Done) -> ControlFlow<()> {
        match done {
            Done::Unusable(seed, unusable) => {
                self.unusable.insert(seed);
                let mutants: usize = self.campaign.plan.batches.iter().map(|it| it.mutants).sum();
                self.progress.expected -= self.campaign.tools.len() * mutants;
                self.events.push(CampaignEvent::Unusable(unusable));
            }
            Done::LeftOut(tool, unusable) => {
                self.events.push(CampaignEvent::LeftOut(tool, unusable));
            }
            Done::Base(seed, tool, base) => {
                self.bases.insert((seed, tool), base);
            }
            Done::Drawn { seed, batch, drawn, dropped } => {
                self.progress.drawn += drawn;
                self.progress.dropped += dropped.len();
                let batch = &self.campaign.plan.batches[batch.index()].name;
                self.events.extend(dropped.into_iter().map(|dropped| CampaignEvent::Dropped {
                    seed: Arc::clone(&seed),
                    batch: batch.clone(),
                    dropped: Box::new(dropped),
                }));
            }
            Done::Jobs { jobs, flips, fewer } => {
                self.progress.expected -= fewer;
                for (key, number) in flips {
                    self.note_flip(key, number);
                }
                self.jobs.extend(jobs);
            }
            Done::SeedRun(seed, tool, settled) => {
                self.paces.entry((seed, tool)).or_default().note_seed(&settled);
            }
            Done::Verdict { key, number, is_flip, settled } => {
                self.running -= 1;
                self.paces.entry((key.seed, key.tool)).or_default().note(&settled);
                self.progress.known += 1;
                self.progress.new += 1;
                self.progress.flips += usize::from(is_flip);
                if is_flip {
                    self.note_flip(key, number);
                }
            }
            Done::Failed(error) => {
                self.failure.get_or_insert(error);
                self.give_up();
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn task_done(&mut self) {
        self.busy -= 1;
        if self.busy == 0 {
            self.running = 0;
        }
    }

    fn events(&mut self) -> Vec<CampaignEvent> {
        std::mem::take(&mut self.events)
    }

    fn tick(&mut self) -> Option<CampaignEvent> {
        Some(CampaignEvent::Tick(self.progress))
    }

    fn give_up(&mut self) {
        for tool in self.campaign.tools {
            tool.executor.cancel();
        }
    }
}

impl Queue<'_> {
    /// The next job that still matters.
    fn next_job(&mut self) -> Option<Job> {
        while let Some(job) = self.jobs.pop_front() {
            if self.is_needed(&job) {
                return Some(job);
            }
            self.progress.expected -= 1;
        }
        None
    }

    /// Whether a job is needed: a batch may end at a flip before the mutant.
    fn is_needed(&self, job: &Job) -> bool {
        let Some((key, number)) = job.key() else { return true };
        let first = self.first_flips.get(&key);
        !(self.campaign.until_failure && first.is_some_and(|first| *first < number))
    }

    /// A job, and others that can share its process.
    fn with_others(&mut self, job: Job) -> Vec<Job> {
        let pair = job.pair();
        // The mutants of a failing seed fail as well, and failures in a shared process must be repeated.
        let can_share = match &job.what {
            JobKind::Baseline => false,
            JobKind::Mutant(run) => {
                self.campaign.tools[job.tool].executor.can_share()
                    && run.base.question == Some(Question::DoesAMutantFail)
            }
        };
        if !can_share {
            return vec![job];
        }
        let left = self.jobs.len() + 1;
        let pace = self.paces.entry(pair).or_default();
        let mut most = pace.programs(left, self.running, self.threads);
        if self.campaign.until_failure {
            most = most.min(MAX_PER_PROCESS_UNTIL_FLIP);
        }
        let mut jobs = vec![job];
        let mut others = Vec::new();
        while jobs.len() < most
            && others.len() < MAX_LOOKAHEAD
            && let Some(job) = self.next_job()
        {
            let is_alike = job.pair() == pair && job.key().is_some();
            if is_alike { jobs.push(job) } else { others.push(job) }
        }
        for job in others.into_iter().rev() {
            self.jobs.push_front(job);
        }
        jobs
    }

    /// Whether the baselines that a portion needs are known.
    fn is_ready(&self, portion: Portion) -> bool {
        let mut tools = self.campaign.tools.indices();
        portion.round == 0
            || self.unusable.contains(&portion.seed)
            || tools.all(|tool| self.bases.contains_key(&(portion.seed, tool)))
    }

    /// Records a flip of a batch.
    fn note_flip(&mut self, key: Key, number: usize) {
        let first = self.first_flips.entry(key).or_insert(number);
        *first = (*first).min(number);
    }
}

/// Performs tasks, independently of other threads.
struct Worker<'a> {
    campaign: &'a Campaign<'a>,
    /// The ids of the batches.
    batches: IndexVec<PlanBatchIx, BatchId>,
    confirmed: Confirmed,
}

/// Receives the results of a task.
type HandOver<'h> = &'h mut dyn FnMut(Done) -> ControlFlow<()>;

impl Worker<'_> {
    fn perform(&self, task: Task, hand_over: HandOver<'_>) -> Result<(), CampaignError> {
        match task {
            Task::Open(portion, bases) => self.open(portion, &bases, hand_over),
            Task::Run(mut jobs) => match jobs.first().map(|job| &job.what) {
                Some(JobKind::Baseline) => {
                    jobs.iter().try_for_each(|job| self.run_baseline(job, hand_over))
                }
                Some(JobKind::Mutant(_)) => self.run_mutants(std::mem::take(&mut jobs), hand_over),
                None => Ok(()),
            },
        }
    }

    fn open(
        &self,
        Portion { round, seed: index }: Portion,
        bases: &Bases,
        hand_over: HandOver<'_>,
    ) -> Result<(), CampaignError> {
        // An unusable seed was reported in the first round.
        if round > 0 && bases.iter().all(Option::is_none) {
            return Ok(());
        }
        let SeedSpec { name, files, group, source } = &self.campaign.seeds[index];
        let readings = self.campaign.tools.iter().map(|tool| &tool.reading);
        let SeedReadings { drawn: seed, tools: readings } =
            match SeedReadings::open(source, readings) {
                Ok(read) => read,
                Err(unusable) => {
                    let nobody = || Box::new(Unusable::new(source, "there is no tool"));
                    let unusable = unusable.unwrap_or_else(nobody);
                    let _ = hand_over(Done::Unusable(index, unusable));
                    return Ok(());
                }
            };
        let id = self.campaign.store.seed(&SeedRow {
            name: name.clone(),
            files: files.clone(),
            group: group.clone(),
            language: seed.seed().language().id().to_owned(),
            options: seed.seed().options().clone(),
            lines: seed.seed().code_lines(),
            hash: seed.hash(),
        })?;
        let seed = Arc::new(StoredSeed { index, id, seed, readings });
        if round == 0 {
            return self.open_baselines(&seed, hand_over);
        }
        for batch in self.batches.indices() {
            self.open_batch(&seed, batch, round, bases, hand_over)?;
        }
        Ok(())
    }

    fn open_baselines(
        &self,
        seed: &Arc<StoredSeed>,
        hand_over: HandOver<'_>,
    ) -> Result<(), CampaignError> {
        for (number, tool) in self.campaign.tools.iter_enumerated() {
            let known = self.campaign.store.baseline(seed.id, tool.id)?;
            let known =
                known.filter(|row| row.verdict.outcome.is_evidence() || !self.campaign.retry);
            if let ToolReading::LeftOut(unusable) = &seed.readings[number] {
                let _ = hand_over(Done::LeftOut(number, unusable.clone()));
            }
            let left_out = || self.left_out(seed, number);
            let known = known.map_or_else(left_out, |row| Ok(Some(row)))?;
            let done = if let Some(row) = known {
                Done::Base(seed.index, number, Arc::new(Base::new(&row)))
            } else {
                let job = Job { seed: Arc::clone(seed), tool: number, what: JobKind::Baseline };
                Done::Jobs { jobs: vec![job], flips: Vec::new(), fewer: 0 }
            };
            let _ = hand_over(done);
        }
        Ok(())
    }

    /// Records that a tool cannot read a seed, if that is so.
    fn left_out(
        &self,
        seed: &StoredSeed,
        tool: PlanToolIx,
    ) -> Result<Option<BaselineRow>, CampaignError> {
        let ToolReading::LeftOut(unusable) = &seed.readings[tool] else { return Ok(None) };
        let verdict = Verdict::of_program(Outcome::NotExpressible, &unusable.reason);
        let row = BaselineRow { verdict, layout: false, seconds: 0.0, work: None };
        self.campaign.store.add_baseline(seed.id, self.campaign.tools[tool].id, &row)?;
        Ok(Some(row))
    }

    /// Records that a mutant is none for a tool, which reads another version of the language.
    fn note_foreign(&self, mutant: MutantId, tool: ToolId) -> Result<(), CampaignError> {
        let outcome = Outcome::NotExpressible;
        let reason = "one of its operators does not apply in the tool's version of the language";
        let verdict = Verdict::of_program(outcome, reason);
        Ok(self.campaign.store.add_verdicts(&[VerdictRow {
            mutant,
            tool,
            outcome,
            unsteady: false,
            seconds: None,
            details: Some(VerdictDetails { verdict, output: String::new() }),
            work: None,
            effort: None,
        }])?)
    }

    /// Lists the missing jobs of a batch of a seed.
    fn open_batch(
        &self,
        seed: &Arc<StoredSeed>,
        batch: PlanBatchIx,
        round: u8,
        bases: &Bases,
        hand_over: HandOver<'_>,
    ) -> Result<(), CampaignError> {
        let plan = &self.campaign.plan.batches[batch.index()];
        let is_last = round == 2;
        let asked = |base: &Option<Arc<Base>>| base.as_ref().and_then(|base| base.question);
        let program = seed.seed.program();
        // A language without such operators has no mutants in the batch.
        let weights = Weights::parse(&plan.operators, program.operators()).ok();
        let Some(weights) = weights.filter(|_| bases.iter().any(|base| asked(base).is_some()))
        else {
            let fewer = if is_last { plan.mutants * self.campaign.tools.len() } else { 0 };
            let _ = hand_over(Done::Jobs { jobs: Vec::new(), flips: Vec::new(), fewer });
            return Ok(());
        };
        let random_seed = self.campaign.plan.random_seed;
        let generator = Generator::new(program, weights, random_seed, plan.mutants, plan.attempts);
        let generator = generator.checked_by(seed.seed.shared());
        let (skip, take) = if is_last { (FIRST_ROUND, usize::MAX) } else { (0, FIRST_ROUND) };
        let (mut mutants, mut dropped) = (Vec::new(), Vec::new());
        for mutant in generator.skip(skip).take(take) {
            match mutant.and_then(|it| it.check(seed.seed.seed()).map(|()| it)) {
                Ok(mutant) => mutants.push(Arc::new(mutant)),
                Err(wrong) => dropped.push(*wrong),
            }
        }
        let drawn = mutants.len() + dropped.len();
        let batch_id = self.batches[batch];
        let rows: Vec<MutantRow> = mutants
            .iter()
            .map(|mutant| MutantRow {
                number: mutant.number,
                edits: mutant.edits.clone(),
                hash: hex(&mutant.program.hash()),
            })
            .collect();
        let ids = self.campaign.store.mutants(seed.id, batch_id, &rows)?;
        self.note_dropped(seed.id, batch_id, &dropped)?;
        let left_out = dropped.len();
        let open = Arc::clone(&seed.seed);
        let _ = hand_over(Done::Drawn { seed: open, batch, drawn, dropped });
        let all = if is_last { FIRST_ROUND.min(plan.mutants) + drawn } else { 0 };
        let (mut missing, mut flipped, mut fewer) = (Vec::new(), Vec::new(), 0);
        for (number, tool) in self.campaign.tools.iter_enumerated() {
            let base = bases[number].as_ref().filter(|base| base.question.is_some());
            if is_last {
                let made = if base.is_some() { all } else { 0 };
                fewer += plan.mutants.saturating_sub(made);
            }
            let Some(base) = base else { continue };
            fewer += left_out;
            let known = self.campaign.store.known(seed.id, batch_id, tool.id)?;
            for (mutant, id) in mutants.iter().zip(&ids) {
                let known = known.get(id).copied();
                match known.filter(|outcome| outcome.is_evidence() || !self.campaign.retry) {
                    Some(outcome) if base.is_flip(outcome) => {
                        let key = Key { seed: seed.index, batch, tool: number };
                        flipped.push((key, mutant.number));
                        self.confirmed.add(seed.index, number);
                    }
                    Some(_) => {}
                    None if !seed.readings[number].has(mutant) => {
                        self.note_foreign(*id, tool.id)?;
                        fewer += 1;
                    }
                    None => {
                        let (mutant, base) = (Arc::clone(mutant), Arc::clone(base));
                        missing.push((number, RunMutant { batch, id: *id, mutant, base }));
                    }
                }
            }
        }
        // All tools run the same mutants at about the same time.
        missing.sort_by_key(|(tool, run)| (run.mutant.number, *tool));
        let jobs = missing.into_iter().map(|(tool, run)| Job {
            seed: Arc::clone(seed),
            tool,
            what: JobKind::Mutant(run),
        });
        let _ = hand_over(Done::Jobs { jobs: jobs.collect(), flips: flipped, fewer });
        Ok(())
    }

    /// Records mutants that are left out.
    fn note_dropped(
        &self,
        seed: SeedId,
        batch: BatchId,
        dropped: &[Dropped],
    ) -> Result<(), CampaignError> {
        let hash = |dropped: &Dropped| dropped.program.as_ref().map(|it| hex(&it.hash()));
        let rows = dropped.iter().map(|dropped| MutantRow {
            number: dropped.number,
            edits: dropped.edits.clone(),
            hash: hash(dropped).unwrap_or_default(),
        });
        let ids = self.campaign.store.mutants(seed, batch, &rows.collect::<Vec<_>>())?;
        let rows = ids.into_iter().zip(dropped).map(|(mutant, dropped)| DroppedRow {
            mutant,
            operator: dropped.operator().to_owned(),
            reason: dropped.to_string(),
        });
        Ok(self.campaign.store.add_dropped(&rows.collect::<Vec<_>>())?)
    }

    fn run_baseline(&self, job: &Job, hand_over: HandOver<'_>) -> Result<(), CampaignError> {
        let Job { seed, tool: number, .. } = job;
        let tool = &self.campaign.tools[*number];
        let mut baseline = Baseline::default();
        let (mut seconds, mut work) = (0.0, None);
        let verdict = loop {
            let step = match baseline.conclude(tool.names_goals) {
                Conclusion::Missing(step) => step,
                conclusion => break conclusion,
            };
            // Repeat a run in which the tool failed: the failure may not recur.
            let known = self.campaign.store.baseline_run(seed.id, tool.id, step.number())?;
            let known = known.filter(|run| run.verdict.outcome.is_evidence());
            let run = if let Some(known) = known {
                known
            } else {
                let request = seed.seed.baseline_request(step);
                let Some(settled) = tool.executor.settle(request) else { return Ok(()) };
                let settled = settled.of_goals(&seed.seed.program().instances());
                let run = BaselineRun {
                    seconds: settled.seconds(),
                    work: solver_work(&settled.verdict, &settled.queries, |name| name),
                    verdict: settled.verdict.clone(),
                };
                self.campaign.store.add_baseline_run(seed.id, tool.id, step.number(), &run)?;
                let _ = hand_over(Done::SeedRun(seed.index, *number, Box::new(settled)));
                run
            };
            if step == Step::TIMED {
                seconds = run.seconds;
            }
            if step == Step::COMPARED {
                work = run.work;
            }
            baseline.add(step, run.verdict);
        };
        let (mut verdict, layout) = in_short(verdict);
        if let (true, Err(difference)) =
            (verdict.outcome.is_evidence(), seed.seed.back().check(&verdict))
        {
            let reason = format!("the seed is not verified as its own tool does it: {difference}");
            verdict = Verdict::of_program(Outcome::ToolError, reason);
        }
        let row = BaselineRow { verdict, layout, seconds, work };
        self.campaign.store.add_baseline(seed.id, tool.id, &row)?;
        let _ = hand_over(Done::Base(seed.index, *number, Arc::new(Base::new(&row))));
        Ok(())
    }

    /// Runs mutants of one seed with one tool.
    fn run_mutants(&self, jobs: Vec<Job>, hand_over: HandOver<'_>) -> Result<(), CampaignError> {
        let several = jobs.len() > 1;
        let mut runs = Vec::new();
        let mut requests = Vec::new();
        for Job { seed, tool, what } in jobs {
            let JobKind::Mutant(run) = what else { continue };
            let draw = self.draw(run.batch);
            requests.push(seed.seed.mutant_request(&draw, &run.mutant, several));
            runs.push((seed, tool, run));
        }
        let Some((_, tool, _)) = runs.first() else { return Ok(()) };
        let executor = self.campaign.tools[*tool].executor;
        let mut result = Ok(());
        let mut doubtful = Vec::new();
        executor.verify(&requests, &mut |place, settled| {
            let (seed, tool, run) = &runs[place];
            let is_flip = run.base.is_flip(settled.verdict.outcome);
            if is_flip && !self.confirmed.has(seed.index, *tool) {
                doubtful.push((place, settled));
                return ControlFlow::Continue(());
            }
            match self.take_up(seed, *tool, run, settled, None) {
                Ok(done) => hand_over(done),
                Err(error) => {
                    result = Err(error);
                    ControlFlow::Break(())
                }
            }
        });
        result?;
        for (place, settled) in doubtful {
            let (seed, tool, run) = &runs[place];
            let doubt = if self.confirmed.has(seed.index, *tool) {
                Confirmation::Sure
            } else {
                let of_seed = seed.seed.baseline_request(Step::COMPARED);
                let of_seed = (&of_seed, run.base.verdict.outcome);
                confirm(executor, of_seed, (&requests[place], settled.verdict.outcome))
            };
            let doubt = match doubt {
                // The mutant is run again when the campaign goes on.
                Confirmation::Cancelled => return Ok(()),
                Confirmation::Sure => {
                    self.confirmed.add(seed.index, *tool);
                    None
                }
                Confirmation::Varies(reason) => Some(reason),
            };
            let _ = hand_over(self.take_up(seed, *tool, run, settled, doubt)?);
        }
        Ok(())
    }

    /// Records the result of a mutant, of which there is no verdict if there is a `doubt`.
    fn take_up(
        &self,
        seed: &StoredSeed,
        tool: PlanToolIx,
        RunMutant { batch, id, mutant, base }: &RunMutant,
        settled: Settled,
        doubt: Option<String>,
    ) -> Result<Done, CampaignError> {
        let settled = settled.of_goals(&mutant.program.instances());
        let names = mutant.program.goal_names(&**seed.seed.program());
        let profile = Profile::new(&settled.verdict, |name| names.in_seed(name).to_owned());
        let can_compare = if settled.verdict.outcome.is_evidence() {
            seed.seed.seed().can_compare(&*mutant.program, &base.verdict, &settled.verdict)
        } else {
            Ok(())
        };
        let is_doubtful = doubt.is_some();
        let judgement = match (base.question, doubt.map_or(can_compare, Err)) {
            (_, Err(reason)) => Judgement::Trouble(Outcome::ToolError, reason),
            (Some(question), _) => judge(question, &base.profile, &profile, &settled.verdict),
            (None, _) => Judgement::Same,
        };
        // A run in a shared process, or with cached solver answers, is cheaper than a run alone, so its
        // time is not comparable with the seed's.
        let seconds = settled.is_timed().then(|| settled.seconds());
        let work = solver_work(&settled.verdict, &settled.queries, |name| names.in_seed(name));
        let effort = base.work.as_ref().zip(work.as_ref());
        let effort = effort.and_then(|(seed, work)| work.effort_over(seed));
        let mut verdict = settled.verdict.clone();
        if let Judgement::Trouble(outcome, reason) = &judgement {
            (verdict.outcome, verdict.reason) = (*outcome, Some(reason.clone()));
        }
        let outcome = verdict.outcome;
        let output = settled.output.clone();
        self.campaign.store.add_verdicts(&[VerdictRow {
            mutant: *id,
            tool: self.campaign.tools[tool].id,
            outcome,
            unsteady: settled.unsteady || is_doubtful,
            seconds,
            details: (outcome != Outcome::Verified).then_some(VerdictDetails { verdict, output }),
            work,
            effort,
        }])?;
        Ok(Done::Verdict {
            key: Key { seed: seed.index, batch: *batch, tool },
            number: mutant.number,
            is_flip: judgement == Judgement::Flip,
            settled: Box::new(settled),
        })
    }

    /// How the mutants of a batch are drawn.
    fn draw(&self, batch: PlanBatchIx) -> Draw {
        let plan = &self.campaign.plan;
        plan.batches[batch.index()].draw(plan.random_seed)
    }
}
