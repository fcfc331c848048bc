//! Runs what a plan asks for and a store does not know yet.
//!
//! Three rounds over all seeds: first what each tool says of each seed, then the first few mutants
//! of every batch, then the rest. So there are early results of everything, and every verdict is
//! in the store as soon as it is there.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use mugie_operators::{Generator, Mutant, Weights, hex};
use mugie_verifiers::supervise::Supervisor;
use mugie_verifiers::{Outcome, Verdict};

use super::plan::Plan;
use super::rows::{
    BaselineRow, BaselineRun, BatchRow, MutantRow, SeedRow, VerdictDetails, VerdictRow,
};
use super::store::{Store, StoreError};
use crate::asked::Asked;
use crate::judge::{Judgement, Profile, changes, judge};
use crate::report::Question;
use crate::runs::{Files, Pace, Runner, Settled};
use crate::seed::Seed;
use crate::test::Unusable;
use crate::type_use::TypeUse;

/// Mutants of each batch in the first round.
const FIRST_ROUND: usize = 5;

/// Mutants in a process, at most, if a batch ends at its first flip.
const FEW: usize = 4;

/// Jobs that are passed over to find some that can share a process.
const SIGHT: usize = 512;

/// Stack of a worker: room for trees of the greatest height. Reserved only.
const STACK: usize = 256 << 20;

/// How often progress is reported.
const TICK: Duration = Duration::from_millis(200);

/// A seed of a campaign, before it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedSpec {
    /// Unique in the campaign.
    pub name: String,
    /// The file, as the plan has it.
    pub file: String,
    /// Its group.
    pub group: String,
}

/// A tool that is ready to run.
pub struct ToolRunner<'a> {
    /// Its id in the store.
    pub id: i64,
    /// What runs it.
    pub runner: Runner<'a>,
}

/// How far a campaign is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Verdicts of mutants that there will be, at most.
    pub expected: usize,
    /// Those that are known, from earlier or now.
    pub known: usize,
    /// Those that are new.
    pub new: usize,
    /// Those that are not their seed's.
    pub flips: usize,
}

/// What a campaign reports while it runs.
#[derive(Debug)]
pub enum Event {
    /// A seed that cannot be used. The others go on.
    Unusable(Unusable),
    /// How far it is.
    Tick(Progress),
}

/// Why a campaign ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CampaignError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No thread could be started.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
    /// A mutant turned out wrong.
    #[error("a mutant of {seed} went wrong: {defect}")]
    Defect {
        /// The seed.
        seed: String,
        /// What is wrong.
        defect: String,
    },
}

/// Everything that a campaign needs.
pub struct Campaign<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The store.
    pub store: &'a Store,
    /// The seeds.
    pub seeds: &'a [SeedSpec],
    /// The tools, in the order of the plan.
    pub tools: &'a [ToolRunner<'a>],
    /// What runs and ends processes.
    pub supervisor: &'a Supervisor,
    /// Whether a batch of a seed ends at its first flip.
    pub until_failure: bool,
    /// Whether to run again what ended in trouble with the tool.
    pub retry: bool,
}

/// A seed and its place in the store.
struct OpenSeed {
    index: usize,
    id: i64,
    seed: Seed,
}

/// What a tool says of a seed.
struct Base {
    question: Option<Question>,
    profile: Profile,
    /// What the seed puts to the solver, if that is known.
    asked: Option<Asked>,
}

struct Job {
    seed: Arc<OpenSeed>,
    tool: usize,
    what: What,
}

enum What {
    Baseline,
    Mutant { batch: usize, id: i64, mutant: Arc<Mutant> },
}

/// A mutant, on its way to a verdict.
struct RunMutant {
    seed: Arc<OpenSeed>,
    tool: usize,
    batch: usize,
    id: i64,
    mutant: Arc<Mutant>,
}

impl Job {
    /// Whether it is about a mutant, not about a seed.
    fn is_mutant(&self) -> bool {
        matches!(self.what, What::Mutant { .. })
    }
}

impl RunMutant {
    fn key(&self) -> (usize, usize, usize) {
        (self.seed.index, self.batch, self.tool)
    }
}

/// A part of the work, in the order in which it is done.
struct Portion {
    round: u8,
    seed: usize,
}

enum Task {
    Open(Portion),
    Run(Vec<Job>),
}

struct State {
    portions: VecDeque<Portion>,
    jobs: VecDeque<Job>,
    /// Threads that are at work and may bring more of it.
    busy: usize,
    /// Jobs that they are at.
    running: usize,
    /// By seed and tool.
    bases: BTreeMap<(usize, usize), Arc<Base>>,
    /// Seeds that cannot be used.
    unusable: Vec<usize>,
    /// The first flip of each seed, batch and tool.
    first_flips: BTreeMap<(usize, usize, usize), usize>,
    /// By seed and tool.
    paces: BTreeMap<(usize, usize), Pace>,
    progress: Progress,
    failure: Option<CampaignError>,
}

impl Campaign<'_> {
    /// Runs what is missing, in up to `jobs` threads. `open` reads a seed.
    ///
    /// Cancelling the supervisor ends the campaign; what is known by then is in the store.
    pub fn run(
        &self,
        open: impl Fn(usize) -> Result<Seed, Unusable> + Sync,
        jobs: NonZeroUsize,
        mut each: impl FnMut(Event),
    ) -> Result<Progress, CampaignError> {
        let batches = self.batches()?;
        let (known, flips) = self.store.progress()?;
        let mutants: usize = self.plan.batches.iter().map(|batch| batch.mutants).sum();
        let expected = self.seeds.len() * self.tools.len() * mutants;
        let portions =
            (0..3).flat_map(|round| (0..self.seeds.len()).map(move |seed| Portion { round, seed }));
        let state = State {
            portions: portions.collect(),
            jobs: VecDeque::new(),
            busy: 0,
            running: 0,
            bases: BTreeMap::new(),
            unusable: Vec::new(),
            first_flips: BTreeMap::new(),
            paces: BTreeMap::new(),
            progress: Progress { expected, known, new: 0, flips },
            failure: None,
        };
        let desk = Desk {
            campaign: self,
            batches,
            threads: jobs.get(),
            state: Mutex::new(state),
            changed: Condvar::new(),
        };
        let (sender, events) = mpsc::channel();
        thread::scope(|scope| {
            for _ in 0..jobs.get() {
                let sender = sender.clone();
                let (desk, open) = (&desk, &open);
                let worker = move || {
                    while let Some(task) = desk.next() {
                        if let Some(unusable) = desk.work(task, open) {
                            let _ = sender.send(unusable);
                        }
                    }
                };
                let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker);
                if let Err(error) = worker {
                    desk.fail(CampaignError::Thread(error));
                    break;
                }
            }
            drop(sender);
            loop {
                match events.recv_timeout(TICK) {
                    Ok(unusable) => each(Event::Unusable(unusable)),
                    Err(mpsc::RecvTimeoutError::Timeout) => each(Event::Tick(desk.lock().progress)),
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                }
            }
        });
        let state = desk.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.failure.map_or(Ok(state.progress), Err)
    }

    /// The ids of the batches, with their weights.
    fn batches(&self) -> Result<Vec<(i64, Weights)>, CampaignError> {
        let batches = self.plan.batches.iter().map(|batch| {
            let row = BatchRow {
                name: batch.name.clone(),
                operators: batch.operators.clone(),
                wanted: batch.mutants,
                attempts: batch.attempts,
                random_seed: self.plan.random_seed,
            };
            let weights = Weights::parse(&batch.operators)
                .map_err(|error| StoreError::Changed(error.to_string()))?;
            Ok((self.store.batch(&row)?, weights))
        });
        batches.collect()
    }
}

/// Where threads get their tasks.
struct Desk<'a> {
    campaign: &'a Campaign<'a>,
    batches: Vec<(i64, Weights)>,
    threads: usize,
    state: Mutex<State>,
    changed: Condvar,
}

impl Desk<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self, error: CampaignError) {
        self.lock().failure.get_or_insert(error);
        self.campaign.supervisor.cancel();
        self.changed.notify_all();
    }

    /// The next task, once there is one; `None` if there will be none.
    fn next(&self) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if self.campaign.supervisor.is_cancelled() {
                return None;
            }
            if let Some(job) = state.jobs.pop_front() {
                state.busy += 1;
                let jobs = self.with_others(job, &mut state);
                state.running += jobs.len();
                return Some(Task::Run(jobs));
            }
            let ready = |portion: &Portion| portion.round == 0 || self.is_ready(&state, portion);
            if let Some(place) = state.portions.iter().position(ready) {
                state.busy += 1;
                return state.portions.remove(place).map(Task::Open);
            }
            if state.busy == 0 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A job, and others that can share a process with it.
    fn with_others(&self, job: Job, state: &mut State) -> Vec<Job> {
        let key = (job.seed.index, job.tool);
        // The mutants of a seed that fails do so as well, and have to be repeated.
        let question = state.bases.get(&key).and_then(|base| base.question);
        let can_share = self.campaign.tools[job.tool].runner.is_batching()
            && job.is_mutant()
            && question == Some(Question::DoesAMutantFail);
        if !can_share {
            return vec![job];
        }
        let left = state.jobs.len() + 1;
        let pace = state.paces.entry(key).or_default();
        let mut most = pace.programs(left, state.running, self.threads);
        if self.campaign.until_failure {
            most = most.min(FEW);
        }
        let mut jobs = vec![job];
        let mut others = Vec::new();
        while jobs.len() < most
            && others.len() < SIGHT
            && let Some(job) = state.jobs.pop_front()
        {
            let is_alike = (job.seed.index, job.tool) == key && job.is_mutant();
            if is_alike { jobs.push(job) } else { others.push(job) }
        }
        for job in others.into_iter().rev() {
            state.jobs.push_front(job);
        }
        jobs
    }

    /// Whether it is known what all tools say of the seed.
    fn is_ready(&self, state: &State, portion: &Portion) -> bool {
        let tools = 0..self.campaign.tools.len();
        state.unusable.contains(&portion.seed)
            || tools.into_iter().all(|tool| state.bases.contains_key(&(portion.seed, tool)))
    }

    fn work(
        &self,
        task: Task,
        open: &(impl Fn(usize) -> Result<Seed, Unusable> + Sync),
    ) -> Option<Unusable> {
        let (result, jobs) = match task {
            Task::Open(portion) => (self.open(&portion, open), 0),
            Task::Run(jobs) => {
                let number = jobs.len();
                (self.run(jobs).map(|()| None), number)
            }
        };
        let mut state = self.lock();
        state.busy -= 1;
        state.running -= jobs;
        drop(state);
        self.changed.notify_all();
        match result {
            Ok(unusable) => unusable,
            Err(error) => {
                self.fail(error);
                None
            }
        }
    }

    fn open(
        &self,
        portion: &Portion,
        open: &(impl Fn(usize) -> Result<Seed, Unusable> + Sync),
    ) -> Result<Option<Unusable>, CampaignError> {
        let index = portion.seed;
        if self.lock().unusable.contains(&index) {
            return Ok(None);
        }
        let seed = match open(index) {
            Ok(seed) => seed,
            Err(unusable) => {
                let mut state = self.lock();
                state.unusable.push(index);
                for batch in &self.campaign.plan.batches {
                    state.progress.expected -= self.campaign.tools.len() * batch.mutants;
                }
                return Ok(Some(unusable));
            }
        };
        let SeedSpec { name, file, group } = &self.campaign.seeds[index];
        let id = self.campaign.store.seed(&SeedRow {
            name: name.clone(),
            file: file.clone(),
            group: group.clone(),
            lines: seed.code_lines(),
            hash: hex(&seed.subject().hash()),
        })?;
        let seed = Arc::new(OpenSeed { index, id, seed });
        match portion.round {
            0 => self.open_baselines(&seed)?,
            round => {
                for batch in 0..self.batches.len() {
                    self.open_batch(&seed, batch, round)?;
                }
            }
        }
        Ok(None)
    }

    fn open_baselines(&self, seed: &Arc<OpenSeed>) -> Result<(), CampaignError> {
        for (tool, ToolRunner { id, .. }) in self.campaign.tools.iter().enumerate() {
            let known = self.campaign.store.baseline(seed.id, *id)?;
            let known =
                known.filter(|row| row.verdict.outcome.is_evidence() || !self.campaign.retry);
            let mut state = self.lock();
            if let Some(row) = known {
                state.bases.insert((seed.index, tool), Arc::new(Base::new(&row)));
            } else {
                let seed = Arc::clone(seed);
                state.jobs.push_back(Job { seed, tool, what: What::Baseline });
            }
        }
        Ok(())
    }

    /// Lists what is missing of a batch of a seed.
    fn open_batch(
        &self,
        seed: &Arc<OpenSeed>,
        batch: usize,
        round: u8,
    ) -> Result<(), CampaignError> {
        let plan = &self.campaign.plan.batches[batch];
        let tools = 0..self.campaign.tools.len();
        let questions: Vec<Option<Question>> = {
            let state = self.lock();
            let base = |tool| state.bases.get(&(seed.index, tool));
            tools.map(|tool| base(tool).and_then(|base| base.question)).collect()
        };
        if questions.iter().all(Option::is_none) {
            if round == 2 {
                self.lock().progress.expected -= plan.mutants * self.campaign.tools.len();
            }
            return Ok(());
        }
        let (batch_id, weights) = &self.batches[batch];
        let random_seed = self.campaign.plan.random_seed;
        let generator = Generator::new(
            seed.seed.subject(),
            weights.clone(),
            random_seed,
            plan.mutants,
            plan.attempts,
        );
        let (skip, take) = match round {
            1 => (0, FIRST_ROUND),
            _ => (FIRST_ROUND, usize::MAX),
        };
        let mut mutants = Vec::new();
        for mutant in generator.skip(skip).take(take) {
            let mutant = mutant.map_err(|defect| self.defect(seed, &defect.to_string()))?;
            mutants.push(Arc::new(mutant));
        }
        let rows: Vec<MutantRow> = mutants
            .iter()
            .map(|mutant| MutantRow {
                number: mutant.number,
                edits: mutant.edits.clone(),
                hash: hex(&mutant.subject.hash()),
            })
            .collect();
        let ids = self.campaign.store.mutants((seed.id, *batch_id), &rows)?;
        let is_last = round == 2;
        let all = if is_last { FIRST_ROUND.min(plan.mutants) + mutants.len() } else { 0 };
        let mut missing = Vec::new();
        for (tool, ToolRunner { id: tool_id, .. }) in self.campaign.tools.iter().enumerate() {
            let question = questions[tool];
            if is_last {
                let made = if question.is_some() { all } else { 0 };
                self.lock().progress.expected -= plan.mutants.saturating_sub(made);
            }
            let Some(question) = question else { continue };
            let known = self.campaign.store.known((seed.id, *batch_id, *tool_id))?;
            for (mutant, id) in mutants.iter().zip(&ids) {
                let known = known.get(id).copied();
                match known.filter(|outcome| outcome.is_evidence() || !self.campaign.retry) {
                    Some(outcome) if is_flip(question, outcome) => {
                        self.note_flip((seed.index, batch, tool), mutant.number);
                    }
                    Some(_) => {}
                    None => missing.push((mutant.number, tool, *id, Arc::clone(mutant))),
                }
            }
        }
        // All tools are at the same mutant.
        missing.sort_by_key(|(number, tool, ..)| (*number, *tool));
        let jobs = missing.into_iter().map(|(_, tool, id, mutant)| Job {
            seed: Arc::clone(seed),
            tool,
            what: What::Mutant { batch, id, mutant },
        });
        self.lock().jobs.extend(jobs);
        Ok(())
    }

    /// Does jobs that are all about one seed and one tool.
    fn run(&self, jobs: Vec<Job>) -> Result<(), CampaignError> {
        let mut alike: BTreeMap<TypeUse, (Vec<RunMutant>, Vec<Files>)> = BTreeMap::new();
        for Job { seed, tool, what } in jobs {
            match what {
                What::Baseline => self.run_baseline(&seed, tool)?,
                What::Mutant { batch, id, mutant } => {
                    let run = RunMutant { seed, tool, batch, id, mutant };
                    if let Some(files) = self.prepare(&run)? {
                        let (runs, programs) =
                            alike.entry(TypeUse::of(&run.mutant.subject)).or_default();
                        runs.push(run);
                        programs.push(files);
                    }
                }
            }
        }
        let mut result = Ok(());
        for (runs, programs) in alike.into_values() {
            let Some(RunMutant { tool, .. }) = runs.first() else { continue };
            let ToolRunner { runner, .. } = &self.campaign.tools[*tool];
            let take = |place: usize, settled: Settled| {
                let more = runs.get(place).map_or(Ok(()), |run| self.take_up(run, settled));
                match more {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => {
                        result = Err(error);
                        ControlFlow::Break(())
                    }
                }
            };
            runner.settle_together(&programs, take);
            if result.is_err() {
                break;
            }
        }
        result
    }

    fn run_baseline(&self, seed: &OpenSeed, tool: usize) -> Result<(), CampaignError> {
        let ToolRunner { id, runner } = &self.campaign.tools[tool];
        let (original, printed) = (seed.seed.original_files(), seed.seed.printed_files());
        let mut steps = Vec::new();
        for (step, (files, repetition)) in
            (0..).zip([(&original, 0), (&original, 1), (&printed, 0)])
        {
            let key = (seed.id, *id);
            let known = self.campaign.store.baseline_run(key, step)?;
            // What was trouble may be gone the next time.
            let known = known.filter(|run| run.verdict.outcome.is_evidence());
            if let Some(known) = known {
                steps.push(known);
                continue;
            }
            let Some(settled) = runner.settle(files, repetition) else { return Ok(()) };
            self.lock().paces.entry((seed.index, tool)).or_default().note_seed(&settled);
            let run = BaselineRun {
                seconds: settled.seconds(),
                asked: Asked::new(&settled.queries, |name| name),
                verdict: settled.verdict,
            };
            self.campaign.store.add_baseline_run(key, step, &run)?;
            steps.push(run);
        }
        let row = baseline(&steps, runner.verifier().names_procedures());
        self.campaign.store.add_baseline((seed.id, *id), &row)?;
        let base = Arc::new(Base::new(&row));
        self.lock().bases.insert((seed.index, tool), base);
        Ok(())
    }

    /// The files of a mutant, if it is to be run.
    fn prepare(&self, run: &RunMutant) -> Result<Option<Files>, CampaignError> {
        let RunMutant { seed, batch, mutant, .. } = run;
        {
            let mut state = self.lock();
            let first = state.first_flips.get(&run.key()).copied();
            if self.campaign.until_failure && first.is_some_and(|first| first < mutant.number) {
                state.progress.expected -= 1;
                return Ok(None);
            }
        }
        seed.seed
            .validator()
            .validate(mutant)
            .map_err(|defect| self.defect(seed, &defect.to_string()))?;
        let naming = seed.seed.naming(self.campaign.plan.batches[*batch].mutants);
        Ok(Some(naming.program(mutant.number, &mutant.subject)))
    }

    /// Puts what came of a mutant into the store.
    fn take_up(&self, run: &RunMutant, settled: Settled) -> Result<(), CampaignError> {
        let RunMutant { seed, tool, batch: _, id: mutant_id, mutant } = run;
        let base = {
            let mut state = self.lock();
            state.paces.entry((seed.index, *tool)).or_default().note(&settled);
            state.bases.get(&(seed.index, *tool)).map(Arc::clone)
        };
        let Some(base) = base else { return Ok(()) };
        let Some(question) = base.question else { return Ok(()) };
        let names = mutant.subject.procedure_names(seed.seed.subject());
        let profile = Profile::new(&settled.verdict, |name| names.in_seed(name).to_owned());
        let judgement = judge(question, &base.profile, &profile, &settled.verdict);
        // Without what a process of its own and all of the solver's work cost, it cannot be compared
        // with the seed's.
        let seconds = settled.is_timed().then(|| settled.seconds());
        let asked = Asked::new(&settled.queries, |name| names.in_seed(name));
        let effort = base.asked.as_ref().zip(asked.as_ref());
        let effort = effort.and_then(|(seed, asked)| asked.effort_over(seed));
        let Settled { mut verdict, output, unsteady, .. } = settled;
        if let Judgement::Trouble(outcome, reason) = &judgement {
            (verdict.outcome, verdict.reason) = (*outcome, Some(reason.clone()));
        }
        let outcome = verdict.outcome;
        self.campaign.store.add_verdicts(&[VerdictRow {
            mutant: *mutant_id,
            tool: self.campaign.tools[*tool].id,
            outcome,
            unsteady,
            seconds,
            details: (outcome != Outcome::Verified).then_some(VerdictDetails { verdict, output }),
            asked,
            effort,
        }])?;
        {
            let mut state = self.lock();
            state.progress.known += 1;
            state.progress.new += 1;
            state.progress.flips += usize::from(judgement == Judgement::Flip);
        }
        if judgement == Judgement::Flip {
            self.note_flip(run.key(), mutant.number);
        }
        Ok(())
    }

    /// Takes note of where a batch of a seed has a flip.
    fn note_flip(&self, key: (usize, usize, usize), number: usize) {
        let mut state = self.lock();
        let first = state.first_flips.entry(key).or_insert(number);
        *first = (*first).min(number);
    }

    fn defect(&self, seed: &OpenSeed, defect: &str) -> CampaignError {
        let seed = self.campaign.seeds[seed.index].name.clone();
        CampaignError::Defect { seed, defect: defect.to_owned() }
    }
}

impl Base {
    fn new(BaselineRow { verdict, asked, .. }: &BaselineRow) -> Base {
        let question = match verdict.outcome {
            Outcome::Verified => Some(Question::DoesAMutantFail),
            outcome if outcome.is_evidence() => Some(Question::DoesAMutantPass),
            _ => None,
        };
        let profile = Profile::new(verdict, str::to_owned);
        Base { question, profile, asked: asked.clone() }
    }
}

/// What a tool says of a seed, after three runs: of the original, once more, and of the seed in
/// its canonical layout.
fn baseline(steps: &[BaselineRun], names_procedures: bool) -> BaselineRow {
    // The second run is a plain one, in which everything was to be done.
    let seconds = steps.get(1).map_or(0.0, |run| run.seconds);
    let asked = steps.get(2).and_then(|run| run.asked.clone());
    let row = |verdict, layout| BaselineRow { verdict, layout, seconds, asked: asked.clone() };
    let trouble = |reason| Verdict::of_program(Outcome::ToolError, reason);
    let verdicts: Vec<&Verdict> = steps.iter().map(|run| &run.verdict).collect();
    if let Some(verdict) = verdicts.iter().find(|verdict| !verdict.outcome.is_evidence()) {
        return row((*verdict).clone(), false);
    }
    let [original, again, printed] = verdicts[..] else {
        return row(trouble("the seed was not run"), false);
    };
    if !changes(original, again).is_empty() {
        return row(trouble("the seed has no stable verdict"), false);
    }
    if printed.outcome == Outcome::Verified && printed.procedures.is_empty() && names_procedures {
        return row(trouble("there is nothing to verify in the seed"), false);
    }
    row(printed.clone(), !changes(original, printed).is_empty())
}

fn is_flip(question: Question, outcome: Outcome) -> bool {
    outcome.is_evidence()
        && (outcome == Outcome::Verified) == (question == Question::DoesAMutantPass)
}
