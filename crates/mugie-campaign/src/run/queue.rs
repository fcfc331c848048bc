//! The work of a campaign: what is to be run next, and how far it is.
//!
//! This module starts nothing: threads take tasks from it and hand over the results.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use index_vec::IndexVec;
use mugie_exec::Pace;
use mugie_exec::pool::{Next, Work};
use mugie_results::data::{BatchIx, Failing, SeedIx, ToolIx};
use mugie_results::result::Question;
use mugie_results::{Known, Measures, flips};

use super::{
    Base, Bases, Campaign, CampaignError, CampaignEvent, CampaignProgress, Done, FIRST_ROUND, Job,
    JobKind, Key, Phase, PlanBatchIx, PlanSeedIx, PlanToolIx, Portion, Task,
};
use crate::ids::{BatchId, SeedId};
use crate::rows::{PlannedRows, SeedRow};

/// The most mutants in one process if a batch ends at its first flip: those after the flip are wasted.
const MAX_PER_PROCESS_UNTIL_FLIP: usize = 4;

/// The most jobs to look through for some that can share a process. Raising it fills processes better and
/// makes each search slower.
const MAX_LOOKAHEAD: usize = 512;

/// When the mutants of a seed are run with a tool.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// A few first, and then the others.
    Usual,
    /// After all others.
    Last,
    /// Not at all.
    Never,
}

/// The work queue, and the results so far.
pub(super) struct Queue<'a> {
    campaign: &'a Campaign<'a>,
    pub(super) threads: usize,
    batches: IndexVec<PlanBatchIx, BatchId>,
    /// Seeds that no thread has read yet.
    unread: VecDeque<PlanSeedIx>,
    /// Seeds that were read.
    rows: BTreeMap<PlanSeedIx, Box<SeedRow>>,
    /// Seeds that cannot be used: the name, and why.
    unusable: BTreeMap<PlanSeedIx, (String, String)>,
    /// The ids of the seeds, once all were read.
    ids: Option<BTreeMap<PlanSeedIx, SeedId>>,
    portions: VecDeque<Portion>,
    jobs: VecDeque<Job>,
    /// Baselines that take long.
    late_jobs: VecDeque<Job>,
    /// Seeds and tools whose baseline takes long.
    late: BTreeSet<(PlanSeedIx, PlanToolIx)>,
    /// Threads with a task, which may yield more work.
    busy: usize,
    /// Mutants that are running.
    running: usize,
    /// The runs that are under way: what they are about, and since when.
    under_way: BTreeMap<u64, (String, Instant)>,
    /// The number of the next run.
    next_run: u64,
    /// The known baselines, by seed and tool.
    bases: BTreeMap<(PlanSeedIx, PlanToolIx), Arc<Base>>,
    /// The first flip of each seed, batch and tool.
    first_flips: BTreeMap<Key, usize>,
    /// The measured pace, by seed and tool.
    paces: BTreeMap<(PlanSeedIx, PlanToolIx), Pace>,
    /// What the store had at the start, if the seed's mutants were all to be run.
    stored: BTreeMap<Key, Known>,
    /// How many verdicts are known, by phase: estimates until a portion is opened.
    counts: BTreeMap<(Phase, Key), Known>,
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
        let task = self
            .unread
            .pop_front()
            .map(Task::Read)
            .or_else(|| self.run_next())
            .or_else(|| self.open_next(Phase::First))
            .or_else(|| {
                let job = self.late_jobs.pop_front()?;
                Some(self.run(vec![job]))
            })
            .or_else(|| self.open_next(Phase::Last));
        if let Some(task) = task {
            self.busy += 1;
            return Next::Task(task);
        }
        if self.busy == 0 { Next::End } else { Next::Wait }
    }

    fn take_up(&mut self, done: Done) -> ControlFlow<()> {
        match done {
            Done::Read(seed, row) => {
                self.rows.insert(seed, row);
                return self.note_read();
            }
            Done::Unusable(seed, unusable) => {
                let name = self.campaign.seeds[seed].name.clone();
                self.unusable.insert(seed, (name, unusable.reason.clone()));
                self.events.push(CampaignEvent::Unusable(unusable));
                return self.note_read();
            }
            Done::LeftOut(tool, unusable) => {
                self.events.push(CampaignEvent::LeftOut(tool, unusable));
            }
            Done::Base(seed, tool, base) => {
                self.bases.insert((seed, tool), base);
                self.count_anew(seed, tool);
            }
            Done::Seed(job) => self.jobs.push_back(job),
            Done::Late(job) => {
                let (seed, tool) = job.pair();
                self.late.insert((seed, tool));
                self.late_jobs.push_back(job);
                self.count_anew(seed, tool);
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
            Done::Opened { phase, counts, jobs, flips } => {
                self.counts.extend(counts.into_iter().map(|(key, known)| ((phase, key), known)));
                for (key, number) in flips {
                    self.note_flip(key, number);
                }
                self.jobs.extend(jobs);
            }
            Done::SeedRun(seed, tool, settled) => {
                self.paces.entry((seed, tool)).or_default().note_seed(&settled);
            }
            Done::Verdict { phase, key, number, is_flip, is_apart, settled } => {
                self.running -= 1;
                self.paces.entry((key.seed, key.tool)).or_default().note(&settled);
                self.counts.entry((phase, key)).or_default().known += 1;
                self.progress.new += 1;
                self.progress.flips += usize::from(is_flip && !is_apart);
                if is_flip {
                    self.note_flip(key, number);
                }
            }
            Done::Ended(run) => {
                self.under_way.remove(&run);
            }
            Done::Failed(error) => return self.fail(error),
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
        Some(CampaignEvent::Tick(Box::new(self.progress())))
    }

    fn give_up(&mut self) {
        for tool in self.campaign.tools {
            tool.executor.cancel();
        }
    }
}

impl<'a> Queue<'a> {
    /// The work of a campaign. Reading the seeds comes first.
    pub(super) fn new(
        campaign: &'a Campaign<'a>,
        batches: IndexVec<PlanBatchIx, BatchId>,
    ) -> Result<Queue<'a>, CampaignError> {
        let seeds = campaign.seeds;
        let phases = [Phase::Seeds, Phase::First, Phase::Rest, Phase::Last];
        let portions = phases
            .iter()
            .flat_map(|&phase| seeds.indices().map(move |seed| Portion { phase, seed }));
        let mut queue = Queue {
            campaign,
            threads: campaign.tools.iter().map(|tool| tool.executor.capacity()).max().unwrap_or(1),
            batches,
            unread: seeds.indices().collect(),
            rows: BTreeMap::new(),
            unusable: BTreeMap::new(),
            ids: None,
            portions: portions.collect(),
            jobs: VecDeque::new(),
            late_jobs: VecDeque::new(),
            late: BTreeSet::new(),
            busy: 0,
            running: 0,
            under_way: BTreeMap::new(),
            next_run: 0,
            bases: BTreeMap::new(),
            first_flips: BTreeMap::new(),
            paces: BTreeMap::new(),
            stored: BTreeMap::new(),
            counts: BTreeMap::new(),
            progress: CampaignProgress::default(),
            events: Vec::new(),
            failure: None,
        };
        if seeds.is_empty() {
            queue.register()?;
        }
        Ok(queue)
    }

    /// The progress in the end, or why the campaign failed.
    pub(super) fn finish(self) -> Result<CampaignProgress, CampaignError> {
        let progress = self.progress();
        self.failure.map_or(Ok(progress), |error| Err(*error))
    }

    fn fail(&mut self, error: Box<CampaignError>) -> ControlFlow<()> {
        self.failure.get_or_insert(error);
        self.give_up();
        ControlFlow::Break(())
    }

    /// Notes that a seed was read. The last one makes it known which seeds are in the store.
    fn note_read(&mut self) -> ControlFlow<()> {
        if self.rows.len() + self.unusable.len() < self.campaign.seeds.len() {
            return ControlFlow::Continue(());
        }
        match self.register() {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => self.fail(Box::new(error)),
        }
    }

    /// Finds the seeds in the store by their contents, and what is known of them.
    fn register(&mut self) -> Result<(), CampaignError> {
        let Campaign { plan, store, tools, .. } = self.campaign;
        let rows: Vec<SeedRow> = self.rows.values().map(|row| (**row).clone()).collect();
        let found = store.seeds(&rows)?;
        store.set_planned(&PlannedRows {
            seeds: found.iter().map(|(id, _)| *id).collect(),
            batches: self.batches.iter().copied().collect(),
            tools: tools.iter().map(|tool| tool.id).collect(),
            failing: plan.failing,
            unusable: self.unusable.values().cloned().collect(),
        })?;
        let data = store.load(&[], self.campaign.apart)?;
        let measures = Measures::new(&data);
        let by_name: BTreeMap<&str, SeedIx> = data
            .seeds
            .iter_enumerated()
            .map(|(number, seed)| (seed.name.as_str(), number))
            .collect();
        for (&seed, (_, name)) in self.rows.keys().zip(&found) {
            let Some(&known) = by_name.get(name.as_str()) else { continue };
            for (tool, batch) in tools
                .indices()
                .flat_map(|tool| self.batches.indices().map(move |batch| (tool, batch)))
            {
                let of = BatchIx::from(batch.index());
                let verdicts = measures.known_if_asked(ToolIx::from(tool.index()), of, known);
                self.stored.insert(Key { seed, batch, tool }, verdicts);
            }
        }
        let baselines: BTreeMap<_, _> =
            data.baselines.iter().map(|it| ((it.seed, it.tool), it.outcome)).collect();
        let is_flip = data.verdicts.iter().filter(|it| {
            let seed = baselines.get(&(data.mutants[it.mutant].seed, it.tool));
            let is_apart = data.is_apart(&data.mutants[it.mutant]);
            !is_apart && seed.is_some_and(|seed| flips(*seed, it.outcome) == Some(true))
        });
        self.progress.flips = is_flip.count();
        let seeds: Vec<PlanSeedIx> = self.rows.keys().copied().collect();
        for seed in seeds {
            for tool in tools.indices() {
                self.count_anew(seed, tool);
            }
        }
        self.ids = Some(self.rows.keys().copied().zip(found.iter().map(|(id, _)| *id)).collect());
        self.portions.retain(|portion| !self.unusable.contains_key(&portion.seed));
        Ok(())
    }

    /// When the mutants of a seed are run with a tool, as far as it is known.
    fn turn(&self, seed: PlanSeedIx, tool: PlanToolIx) -> Turn {
        let failing = self.campaign.plan.failing;
        let is_late = self.late.contains(&(seed, tool));
        match self.bases.get(&(seed, tool)).map(|base| base.question) {
            Some(None) => Turn::Never,
            Some(Some(Question::DoesAMutantPass)) if failing == Failing::Skip => Turn::Never,
            Some(Some(Question::DoesAMutantPass)) => Turn::Last,
            Some(Some(Question::DoesAMutantFail)) if failing == Failing::Only => Turn::Never,
            None if failing == Failing::Only => Turn::Last,
            Some(Some(Question::DoesAMutantFail)) | None if is_late => Turn::Last,
            Some(Some(Question::DoesAMutantFail)) | None => Turn::Usual,
        }
    }

    /// Estimates how many verdicts are known of a seed with a tool, before its portions are opened.
    fn count_anew(&mut self, seed: PlanSeedIx, tool: PlanToolIx) {
        let turn = self.turn(seed, tool);
        for batch in self.batches.indices() {
            let key = Key { seed, batch, tool };
            let all = self.stored.get(&key).copied().unwrap_or_default();
            let first = Known { known: all.known.min(FIRST_ROUND), of: all.of.min(FIRST_ROUND) };
            let rest = Known { known: all.known - first.known, of: all.of - first.of };
            let counts = match turn {
                Turn::Usual => [first, rest, Known::default()],
                Turn::Last => [Known::default(), Known::default(), all],
                Turn::Never => [Known::default(); 3],
            };
            for (phase, known) in [Phase::First, Phase::Rest, Phase::Last].into_iter().zip(counts) {
                self.counts.insert((phase, key), known);
            }
        }
    }

    /// How far the campaign is.
    fn progress(&self) -> CampaignProgress {
        let tools = self.campaign.tools.len();
        let seeds = self.campaign.seeds.len();
        let read = self.rows.len() + self.unusable.len();
        let mut phases = vec![(Phase::Reading, Known { known: read, of: seeds })];
        let of = self.rows.len() * tools;
        phases.push((Phase::Seeds, Known { known: self.bases.len(), of }));
        let mut all = Known::default();
        for phase in [Phase::First, Phase::Rest, Phase::Last] {
            let of_phase = self.counts.iter().filter(|((it, _), _)| *it == phase);
            let sum = of_phase.fold(Known::default(), |sum, (_, known)| sum.and(*known));
            phases.push((phase, sum));
            all = all.and(sum);
        }
        let current = phases.iter().find(|(_, known)| !known.is_complete()).or(phases.last());
        let (phase, in_phase) = current.copied().unwrap_or_default();
        let longest = self.under_way.values().min_by_key(|(_, since)| *since);
        let longest = longest.map(|(what, since)| (what.clone(), since.elapsed()));
        CampaignProgress { phase, in_phase, all, longest, ..self.progress.clone() }
    }

    /// Opens the next portion that is ready, up to a phase.
    fn open_next(&mut self, most: Phase) -> Option<Task> {
        loop {
            let place =
                self.portions.iter().position(|it| it.phase <= most && self.is_ready(*it))?;
            let portion = self.portions.remove(place)?;
            let Portion { phase, seed } = portion;
            let wanted = match phase {
                Phase::Last => Turn::Last,
                _ => Turn::Usual,
            };
            let tools = self.campaign.tools.indices();
            let turns: Vec<Turn> = tools.clone().map(|tool| self.turn(seed, tool)).collect();
            let base = |tool: PlanToolIx| {
                let is_run = turns[tool.index()] == wanted;
                self.bases.get(&(seed, tool)).filter(|_| is_run).map(Arc::clone)
            };
            let bases: Bases = tools.map(base).collect();
            let is_idle = phase != Phase::Seeds && bases.iter().all(Option::is_none);
            let id = self.ids.as_ref().and_then(|ids| ids.get(&seed)).copied();
            let hash = self.rows.get(&seed).map(|row| row.hash.clone());
            if let Some((id, hash)) = id.zip(hash).filter(|_| !is_idle) {
                let is_new = phase != Phase::Last || !turns.contains(&Turn::Usual);
                return Some(Task::Open { portion, id, hash, bases, is_new });
            }
        }
    }

    /// Runs the next job that still matters, with others that can share its process.
    fn run_next(&mut self) -> Option<Task> {
        let job = self.next_job()?;
        let jobs = self.with_others(job);
        self.running += jobs.iter().filter(|job| job.key().is_some()).count();
        Some(self.run(jobs))
    }

    fn run(&mut self, jobs: Vec<Job>) -> Task {
        let number = self.next_run;
        self.next_run += 1;
        if let Some(job) = jobs.first() {
            let seed = &self.campaign.seeds[job.seed.index].name;
            let tool = &self.campaign.plan.tools[job.tool.index()].name;
            let what = match (&job.what, jobs.len()) {
                (JobKind::Baseline { .. }, _) => "the seed".to_owned(),
                (JobKind::Mutant(_), 1) => "a mutant of".to_owned(),
                (JobKind::Mutant(_), mutants) => format!("{mutants} mutants of"),
            };
            self.under_way.insert(number, (format!("{what} {seed} with {tool}"), Instant::now()));
        }
        Task::Run(number, jobs)
    }

    /// The next job that still matters.
    fn next_job(&mut self) -> Option<Job> {
        while let Some(job) = self.jobs.pop_front() {
            if self.is_needed(&job) {
                return Some(job);
            }
            if let Some((key, _)) = job.key() {
                self.counts.entry((job.phase, key)).or_default().of -= 1;
            }
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
            JobKind::Baseline { .. } => false,
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
    fn is_ready(&self, Portion { phase, seed }: Portion) -> bool {
        let is_known = |pair| match phase {
            Phase::Reading | Phase::Seeds => true,
            Phase::First | Phase::Rest => {
                self.bases.contains_key(&pair) || self.late.contains(&pair)
            }
            Phase::Last => self.bases.contains_key(&pair),
        };
        self.ids.is_some() && self.campaign.tools.indices().all(|tool| is_known((seed, tool)))
    }

    /// Records a flip of a batch.
    fn note_flip(&mut self, key: Key, number: usize) {
        let first = self.first_flips.entry(key).or_insert(number);
        *first = (*first).min(number);
    }
}
