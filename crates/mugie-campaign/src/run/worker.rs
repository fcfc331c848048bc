//! The tasks of a campaign: reading seeds, drawing mutants, running verifiers, and recording what they say.

use std::ops::ControlFlow;
use std::sync::Arc;

use index_vec::IndexVec;
use mugie_core::{Dropped, Generator, Outcome, Verdict, Weights, hex};
use mugie_exec::{Draw, Settled};
use mugie_experiment::baseline::{Baseline, Conclusion, Step};
use mugie_experiment::judge::{Judgement, Profile, judge};
use mugie_experiment::seed::OpenSeed;
use mugie_experiment::solver_work::solver_work;
use mugie_experiment::sources::Unusable;
use mugie_results::Known;

use super::{
    Bases, Campaign, CampaignError, Done, FIRST_ROUND, Job, JobKind, Key, Phase, PlanBatchIx,
    PlanSeedIx, PlanToolIx, Portion, RunMutant, SeedSpec, StoredSeed, Task,
};
use crate::base::{Base, in_short};
use crate::confirm::{Confirmation, Confirmed, confirm};
use crate::ids::{BatchId, MutantId, SeedId, ToolId};
use crate::readings::{SeedReadings, ToolReading};
use crate::rows::{
    BaselineRow, BaselineRun, DroppedRow, MutantRow, SeedRow, VerdictDetails, VerdictRow,
};
use crate::store::StoreError;

/// Performs tasks, independently of other threads.
pub(super) struct Worker<'a> {
    pub(super) campaign: &'a Campaign<'a>,
    /// The ids of the batches.
    pub(super) batches: IndexVec<PlanBatchIx, BatchId>,
    pub(super) confirmed: Confirmed,
}

/// Receives the results of a task.
pub(super) type HandOver<'h> = &'h mut dyn FnMut(Done) -> ControlFlow<()>;

impl Worker<'_> {
    pub(super) fn perform(&self, task: Task, hand_over: HandOver<'_>) -> Result<(), CampaignError> {
        match task {
            Task::Read(seed) => {
                let done = match self.read(seed) {
                    Ok(SeedReadings { drawn, .. }) => {
                        let row = self.row(seed, &drawn);
                        Done::Read(seed, Box::new(row))
                    }
                    Err(unusable) => Done::Unusable(seed, unusable),
                };
                let _ = hand_over(done);
                Ok(())
            }
            Task::Open { portion, id, hash, bases, is_new } => {
                self.open(portion, (id, &hash), &bases, is_new, hand_over)
            }
            Task::Run(number, jobs) => {
                let result = self.run(jobs, hand_over);
                let _ = hand_over(Done::Ended(number));
                result
            }
        }
    }

    fn run(&self, jobs: Vec<Job>, hand_over: HandOver<'_>) -> Result<(), CampaignError> {
        match jobs.first().map(|job| &job.what) {
            Some(JobKind::Baseline { .. }) => {
                jobs.into_iter().try_for_each(|job| self.run_baseline(job, hand_over))
            }
            Some(JobKind::Mutant(_)) => self.run_mutants(jobs, hand_over),
            None => Ok(()),
        }
    }

    /// Reads a seed for all tools.
    fn read(&self, seed: PlanSeedIx) -> Result<SeedReadings, Box<Unusable>> {
        let source = &self.campaign.seeds[seed].source;
        let readings = self.campaign.tools.iter().map(|tool| &tool.reading);
        let nobody = || Box::new(Unusable::new(source, "there is no tool"));
        SeedReadings::open(source, readings).map_err(|unusable| unusable.unwrap_or_else(nobody))
    }

    /// A seed, for the store.
    fn row(&self, index: PlanSeedIx, seed: &OpenSeed) -> SeedRow {
        let SeedSpec { name, files, group, .. } = &self.campaign.seeds[index];
        SeedRow {
            name: name.clone(),
            files: files.clone(),
            group: group.clone(),
            language: seed.seed().language().id().to_owned(),
            options: seed.seed().options().clone(),
            lines: seed.seed().code_lines(),
            hash: seed.hash(),
        }
    }

    fn open(
        &self,
        Portion { phase, seed: index }: Portion,
        (id, hash): (SeedId, &str),
        bases: &Bases,
        is_new: bool,
        hand_over: HandOver<'_>,
    ) -> Result<(), CampaignError> {
        let SeedReadings { drawn: seed, tools: readings } = match self.read(index) {
            Ok(read) => read,
            // The file was changed since it was read first.
            Err(unusable) => {
                let changed = format!("{}: {}", unusable.name, unusable.reason);
                return Err(StoreError::Changed(changed).into());
            }
        };
        if seed.hash() != hash {
            let name = &self.campaign.seeds[index].name;
            let changed = format!("the seed `{name}` was changed while the campaign ran");
            return Err(StoreError::Changed(changed).into());
        }
        let seed = Arc::new(StoredSeed { index, id, seed, readings });
        if phase == Phase::Seeds {
            return self.open_baselines(&seed, hand_over);
        }
        for batch in self.batches.indices() {
            self.open_batch(&seed, (phase, batch), bases, is_new, hand_over)?;
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
                let (seed, tool, phase) = (Arc::clone(seed), number, Phase::Seeds);
                Done::Seed(Job { seed, tool, phase, what: JobKind::Baseline { is_hasty: true } })
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

    /// Lists the missing jobs of a batch of a seed, with the tools that have a baseline here.
    fn open_batch(
        &self,
        seed: &Arc<StoredSeed>,
        (phase, batch): (Phase, PlanBatchIx),
        bases: &Bases,
        is_new: bool,
        hand_over: HandOver<'_>,
    ) -> Result<(), CampaignError> {
        let plan = &self.campaign.plan.batches[batch.index()];
        let (store, batch_id) = (self.campaign.store, self.batches[batch]);
        let program = seed.seed.program();
        let key = |tool| Key { seed: seed.index, batch, tool };
        let mut counts: Vec<(Key, Known)> = Vec::new();
        // A language without such operators has no mutants in the batch.
        let Ok(weights) = Weights::parse(&plan.operators, program.operators()) else {
            store.set_drawn(seed.id, batch_id, Some(0))?;
            counts.extend(bases.indices().map(|tool| (key(tool), Known::default())));
            let _ = hand_over(Done::Opened { phase, counts, jobs: Vec::new(), flips: Vec::new() });
            return Ok(());
        };
        let random_seed = self.campaign.plan.random_seed;
        let generator = Generator::new(program, weights, random_seed, plan.mutants, plan.attempts);
        let generator = generator.with_strength(plan.strength).checked_by(seed.seed.shared());
        let (skip, take) = match phase {
            Phase::Rest => (FIRST_ROUND, usize::MAX),
            Phase::Last => (0, usize::MAX),
            Phase::Reading | Phase::Seeds | Phase::First => (0, FIRST_ROUND),
        };
        let (mut mutants, mut dropped, mut made) = (Vec::new(), Vec::new(), 0);
        for mutant in generator.inspect(|_| made += 1).skip(skip).take(take) {
            match mutant.and_then(|it| it.check(seed.seed.seed()).map(|()| it)) {
                Ok(mutant) => mutants.push(Arc::new(mutant)),
                Err(wrong) => dropped.push(*wrong),
            }
        }
        let asked = plan.mutants.min(skip.saturating_add(take));
        if made < asked || asked == plan.mutants {
            store.set_drawn(seed.id, batch_id, (made < asked).then_some(made))?;
        }
        let rows: Vec<MutantRow> = mutants
            .iter()
            .map(|mutant| MutantRow {
                number: mutant.number,
                edits: mutant.edits.clone(),
                hash: hex(&mutant.program.hash()),
            })
            .collect();
        let ids = store.mutants(seed.id, batch_id, &rows)?;
        self.note_dropped(seed.id, batch_id, &dropped)?;
        if is_new {
            let (open, drawn) = (Arc::clone(&seed.seed), mutants.len() + dropped.len());
            let _ = hand_over(Done::Drawn { seed: open, batch, drawn, dropped });
        }
        let (mut missing, mut flipped) = (Vec::new(), Vec::new());
        for (number, tool) in self.campaign.tools.iter_enumerated() {
            let Some(base) = &bases[number] else { continue };
            let mut count = Known { known: 0, of: mutants.len() };
            let known = store.known(seed.id, batch_id, tool.id)?;
            for (mutant, id) in mutants.iter().zip(&ids) {
                let known = known.get(id).copied();
                let known = known.filter(|outcome| outcome.is_evidence() || !self.campaign.retry);
                if known.is_none() && seed.readings[number].has(mutant) {
                    let (mutant, base) = (Arc::clone(mutant), Arc::clone(base));
                    missing.push((number, RunMutant { batch, id: *id, mutant, base }));
                    continue;
                }
                count.known += 1;
                match known {
                    Some(outcome) if base.is_flip(outcome) => {
                        flipped.push((key(number), mutant.number));
                        self.confirmed.add(seed.index, number);
                    }
                    Some(_) => {}
                    None => self.note_foreign(*id, tool.id)?,
                }
            }
            counts.push((key(number), count));
        }
        // All tools run the same mutants at about the same time.
        missing.sort_by_key(|(tool, run)| (run.mutant.number, *tool));
        let jobs = missing.into_iter().map(|(tool, run)| Job {
            seed: Arc::clone(seed),
            tool,
            phase,
            what: JobKind::Mutant(run),
        });
        let _ = hand_over(Done::Opened { phase, counts, jobs: jobs.collect(), flips: flipped });
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

    fn run_baseline(&self, job: Job, hand_over: HandOver<'_>) -> Result<(), CampaignError> {
        let Job { seed, tool: number, what, .. } = &job;
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
            let timed_out = run.verdict.outcome == Outcome::TimedOut;
            baseline.add(step, run.verdict);
            let is_open = matches!(baseline.conclude(tool.names_goals), Conclusion::Missing(_));
            if timed_out && is_open && matches!(what, JobKind::Baseline { is_hasty: true }) {
                let what = JobKind::Baseline { is_hasty: false };
                let _ = hand_over(Done::Late(Job { what, ..job }));
                return Ok(());
            }
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
        for Job { seed, tool, what, phase } in jobs {
            let JobKind::Mutant(run) = what else { continue };
            let draw = self.draw(run.batch);
            requests.push(seed.seed.mutant_request(&draw, &run.mutant, several));
            runs.push((seed, tool, phase, run));
        }
        let Some((_, tool, ..)) = runs.first() else { return Ok(()) };
        let executor = self.campaign.tools[*tool].executor;
        let mut result = Ok(());
        let mut doubtful = Vec::new();
        executor.verify(&requests, &mut |place, settled| {
            let (seed, tool, phase, run) = &runs[place];
            let is_flip = run.base.is_flip(settled.verdict.outcome);
            if is_flip && !self.confirmed.has(seed.index, *tool) {
                doubtful.push((place, settled));
                return ControlFlow::Continue(());
            }
            match self.take_up((seed, *phase), *tool, run, settled, None) {
                Ok(done) => hand_over(done),
                Err(error) => {
                    result = Err(error);
                    ControlFlow::Break(())
                }
            }
        });
        result?;
        for (place, settled) in doubtful {
            let (seed, tool, phase, run) = &runs[place];
            let doubt = self.confirmed.confirm((seed.index, *tool), || {
                let of_seed = seed.seed.baseline_request(Step::COMPARED);
                let of_seed = (&of_seed, run.base.verdict.outcome);
                confirm(executor, of_seed, (&requests[place], settled.verdict.outcome))
            });
            let doubt = match doubt {
                // The mutant is run again when the campaign goes on.
                Confirmation::Cancelled => return Ok(()),
                Confirmation::Sure => None,
                Confirmation::Varies(reason) => Some(reason),
            };
            let _ = hand_over(self.take_up((seed, *phase), *tool, run, settled, doubt)?);
        }
        Ok(())
    }

    /// Records the result of a mutant, of which there is no verdict if there is a `doubt`.
    fn take_up(
        &self,
        (seed, phase): (&StoredSeed, Phase),
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
            phase,
            key: Key { seed: seed.index, batch: *batch, tool },
            number: mutant.number,
            is_flip: judgement == Judgement::Flip,
            is_apart: mutant
                .edits
                .iter()
                .any(|edit| self.campaign.apart.iter().any(|operator| *operator == edit.operator)),
            settled: Box::new(settled),
        })
    }

    /// How the mutants of a batch are drawn.
    fn draw(&self, batch: PlanBatchIx) -> Draw {
        let plan = &self.campaign.plan;
        plan.batches[batch.index()].draw(plan.random_seed)
    }
}
