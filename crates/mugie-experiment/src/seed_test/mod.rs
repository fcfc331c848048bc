//! The test of one seed as a state machine: what to run next, and what follows from the results.
//!
//! A seed test starts no runs and no threads. The caller asks for the next job and reports the
//! result; jobs may run concurrently and finish in any order. Results are used in the order of the
//! mutants, so that the report depends only on the verdicts.

mod finish;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use mugie_core::{
    Answer, Closure, Dropped, Edit, End, Generator, Mutant, Naming, Outcome, Program, Verdict,
    Weights, number_of,
};
use mugie_exec::{Executor, Pace, Request, Settled};
use mugie_results::Measurement;
use mugie_results::SolverWork;
use mugie_results::result::{LayoutChange, Question, TestSettings};
use mugie_stats::{Grade, Sequential};

pub use finish::{Finished, FlipArtifacts, SeedArtifacts};

use crate::baseline::{Baseline, Conclusion, NOTHING_TO_VERIFY, Step, unstable_in_words};
use crate::judge::{Judgement, Profile, judge, question};
use crate::order::{OrderRuleSearch, inversions};
use crate::recipe::Recipe;
use crate::seed::OpenSeed;
use crate::solver_work::solver_work;

/// The most mutants in one process if any of them may end the test: those after it are wasted.
/// Raising it saves start-up time and wastes more.
const MAX_PER_PROCESS_UNTIL_FLIP: usize = 4;

/// The test procedure for every seed.
#[derive(Clone, Debug)]
pub struct Protocol {
    /// The settings of the test.
    pub settings: TestSettings,
    /// How mutants are made and verified.
    pub recipe: Recipe,
    /// Whether the verifier names every goal that it verifies.
    pub names_goals: bool,
}

/// A verifier run.
#[derive(Debug)]
pub(crate) struct Job {
    seed: Arc<OpenSeed>,
    what: JobKind,
}

#[derive(Debug)]
enum JobKind {
    /// The seed itself.
    Baseline(Step),
    Mutant(Box<Mutant>),
    /// A flip, for a second verdict.
    Again {
        number: usize,
        program: Arc<dyn Program>,
    },
}

/// The result of a job.
#[derive(Debug)]
pub(crate) struct JobResult {
    what: JobKind,
    /// The verdict; only a mutant can turn out to be ill-formed.
    settled: Result<Settled, Box<Dropped>>,
}

impl Job {
    /// Runs jobs of one seed; `take` gets each result as soon as it is known, and may end the
    /// remaining runs. Cancelled runs have no results. Several jobs may share a process.
    pub(crate) fn run(
        jobs: Vec<Job>,
        plan: &Protocol,
        executor: &dyn Executor,
        take: &mut dyn FnMut(JobResult) -> ControlFlow<()>,
    ) {
        let several = jobs.len() > 1;
        let mut whats = Vec::new();
        let mut requests = Vec::new();
        for Job { seed, what } in jobs {
            match request(&seed, &what, plan, several) {
                Ok(request) => {
                    whats.push(Some(what));
                    requests.push(request);
                }
                Err(dropped) => {
                    if take(JobResult { what, settled: Err(dropped) }).is_break() {
                        return;
                    }
                }
            }
        }
        executor.verify(&requests, &mut |place, settled| match whats
            .get_mut(place)
            .and_then(Option::take)
        {
            Some(what) => take(JobResult { what, settled: Ok(settled) }),
            None => ControlFlow::Continue(()),
        });
    }
}

/// The request for a job, unless its mutant is ill-formed.
fn request(
    seed: &OpenSeed,
    what: &JobKind,
    plan: &Protocol,
    several: bool,
) -> Result<Request, Box<Dropped>> {
    let draw = &plan.recipe.draw;
    match what {
        JobKind::Baseline(step) => Ok(seed.baseline_request(*step)),
        JobKind::Mutant(mutant) => {
            mutant.check(seed.seed())?;
            Ok(seed.mutant_request(draw, mutant, several))
        }
        JobKind::Again { number, program } => Ok(seed.again_request(draw, *number, &**program)),
    }
}

/// The mutants of a seed test, drawn or enumerated.
#[derive(Debug)]
enum MutantSource {
    Drawn(Box<Generator>),
    All(Box<Closure>),
    None,
}

impl MutantSource {
    fn next(&mut self) -> Option<Result<Mutant, Box<Dropped>>> {
        match self {
            MutantSource::Drawn(generator) => generator.next(),
            MutantSource::All(closure) => closure.next(),
            MutantSource::None => None,
        }
    }

    fn is_complete(&self) -> bool {
        matches!(self, MutantSource::All(closure) if closure.end() == Some(End::Exhausted))
    }
}

/// A mutant with a verdict.
#[derive(Debug)]
struct Judged {
    number: usize,
    /// The numbers of the operators among the mutant's edits.
    operators: Vec<usize>,
    judgement: Judgement,
    /// The mutant's solver work, if it is known.
    work: Option<SolverWork>,
    /// The program, dropped once the mutant's result was used.
    program: Option<Arc<dyn Program>>,
    /// Details of a flip.
    flip: Option<JudgedFlip>,
}

#[derive(Debug)]
struct JudgedFlip {
    /// The number of edits, and the number of inverted pairs of declarations.
    size: (usize, usize),
    edits: Vec<Edit>,
    program: Arc<dyn Program>,
    verdict: Verdict,
    output: String,
}

#[derive(Debug, PartialEq, Eq)]
enum Stage {
    Baseline,
    Mutants,
    /// A second run of the flip to look at first.
    Witness {
        started: bool,
    },
    Done,
}

/// The test of one seed.
#[derive(Debug)]
pub(crate) struct SeedTest<'p> {
    plan: &'p Protocol,
    seed: Arc<OpenSeed>,
    naming: Naming,
    stage: Stage,
    /// Runs of the baseline that have not been started.
    waiting: Vec<Step>,
    baseline: Baseline,
    /// The printed seed's solver work, if it is known.
    work: Option<SolverWork>,
    layout: Vec<LayoutChange>,
    question: Question,
    profile: Profile,
    source: MutantSource,
    /// Whether no more mutants are to be generated.
    is_dry: bool,
    /// The number of mutants generated.
    made: usize,
    pace: Pace,
    /// Whether all possible mutants have a verdict. An exhausted generator is not enough: whether
    /// it is exhausted before the test stops depends on the number of threads.
    is_complete: bool,
    /// Results that arrived before those of earlier mutants.
    early: BTreeMap<usize, Result<Judged, Box<Dropped>>>,
    /// The verdicts of all mutants up to some number, without ill-formed ones.
    judged: Vec<Judged>,
    /// The ill-formed mutants up to that number.
    dropped: Vec<Dropped>,
    sequential: Option<Sequential>,
    grade: Option<Grade>,
    order: OrderRuleSearch,
    witness: Option<usize>,
    /// Measurements with their sort keys.
    measurements: Vec<((usize, u32), Measurement)>,
    /// Why there is no answer, and what to do about it.
    failure: Option<(Answer, String, Option<String>)>,
    is_interrupted: bool,
}

impl<'p> SeedTest<'p> {
    pub(crate) fn new(seed: OpenSeed, plan: &'p Protocol) -> SeedTest<'p> {
        let settings = &plan.settings;
        let program = seed.program();
        let weights = Weights::parse(&settings.operators, program.operators());
        let source = match &weights {
            Ok(weights) if settings.exhaustive => {
                let closure = Closure::new(program, weights, settings.mutants);
                MutantSource::All(Box::new(closure.checked_by(seed.shared())))
            }
            Ok(weights) => {
                let generator = Generator::new(
                    program,
                    weights.clone(),
                    settings.random_seed,
                    settings.mutants,
                    settings.max_attempts,
                );
                MutantSource::Drawn(Box::new(generator.checked_by(seed.shared())))
            }
            Err(_) => MutantSource::None,
        };
        // Popped from the end.
        let mut waiting = Step::FIRST.to_vec();
        waiting.reverse();
        let mut seed_test = SeedTest {
            naming: seed.naming(settings.mutants),
            order: OrderRuleSearch::new(program.unit_count()),
            sequential: settings.confidence.map(Sequential::new),
            plan,
            seed: Arc::new(seed),
            stage: Stage::Baseline,
            waiting,
            baseline: Baseline::default(),
            work: None,
            layout: Vec::new(),
            question: Question::DoesAMutantFail,
            profile: Profile::default(),
            source,
            is_dry: false,
            made: 0,
            pace: Pace::default(),
            is_complete: false,
            early: BTreeMap::new(),
            judged: Vec::new(),
            dropped: Vec::new(),
            grade: None,
            witness: None,
            measurements: Vec::new(),
            failure: None,
            is_interrupted: false,
        };
        if let Err(error) = weights {
            let help = "`mugie operators` lists them";
            seed_test.fail(Answer::CouldNotRun, error.to_string(), Some(help));
        }
        seed_test
    }

    /// Whether there is nothing left to run or to wait for.
    pub(crate) fn is_done(&self) -> bool {
        self.stage == Stage::Done
    }

    /// The number of mutants with a verdict, and of flips among them.
    pub(crate) fn progress(&self) -> (usize, usize) {
        let flips = self.judged.iter().filter(|judged| judged.judgement == Judgement::Flip);
        (self.done(), flips.count())
    }

    fn done(&self) -> usize {
        self.taken_up() + self.early.len()
    }

    /// The number of the last mutant whose result was used.
    fn taken_up(&self) -> usize {
        self.judged.len() + self.dropped.len()
    }

    /// The next job, if there is one.
    pub(crate) fn next_job(&mut self) -> Option<Job> {
        match &mut self.stage {
            Stage::Baseline => {
                let step = self.waiting.pop()?;
                Some(self.job(JobKind::Baseline(step)))
            }
            Stage::Mutants => self.next_mutant(),
            Stage::Witness { started: started @ false } => {
                *started = true;
                let number = self.witness?;
                let program = Arc::clone(&self.flip(number)?.program);
                Some(self.job(JobKind::Again { number, program }))
            }
            Stage::Witness { started: true } | Stage::Done => None,
        }
    }

    fn job(&self, what: JobKind) -> Job {
        Job { seed: Arc::clone(&self.seed), what }
    }

    /// The next jobs for one of `threads` threads: several only if they can share a process.
    pub(crate) fn next_jobs(&mut self, threads: usize, can_share: bool) -> Vec<Job> {
        let mut jobs: Vec<Job> = self.next_job().into_iter().collect();
        let most = match jobs.first() {
            // The printed seed is next. With a thread for each, separate runs are faster. Several
            // source files may mean something else when joined: `#if FILE_1`.
            Some(Job { what: JobKind::Baseline(Step::Original { repetition: 0 }), .. })
                if can_share && threads < Step::FIRST.len() && self.seed.sources().len() == 1 =>
            {
                2
            }
            Some(Job { what: JobKind::Mutant(_), .. }) if can_share => {
                self.mutants_in_a_process(threads)
            }
            _ => jobs.len(),
        };
        while jobs.len() < most
            && let Some(job) = self.next_job()
        {
            jobs.push(job);
        }
        jobs
    }

    /// The number of mutants for the next process, including the one generated last.
    fn mutants_in_a_process(&self, threads: usize) -> usize {
        let settings = &self.plan.settings;
        // The mutants of a failing seed fail as well, and failures in a shared process must be
        // repeated.
        if self.question != Question::DoesAMutantFail {
            return 1;
        }
        let left = settings.mutants.saturating_sub(self.made) + 1;
        let running = self.made.saturating_sub(1 + self.done());
        let most = self.pace.programs(left, running, threads);
        if settings.until_failure || settings.confidence.is_some() {
            most.min(MAX_PER_PROCESS_UNTIL_FLIP)
        } else {
            most
        }
    }

    fn next_mutant(&mut self) -> Option<Job> {
        while self.stage == Stage::Mutants {
            if self.is_dry {
                return None;
            }
            let Some(mutant) = self.source.next() else { return self.end_of_mutants() };
            self.made += 1;
            match mutant {
                Ok(mutant) => return Some(self.job(JobKind::Mutant(Box::new(mutant)))),
                Err(dropped) => self.drop_mutant(dropped),
            }
        }
        // Results that waited for the ill-formed mutant may have ended this stage.
        self.next_job()
    }

    /// Leaves out an ill-formed mutant when its turn comes; the test may end before that.
    fn drop_mutant(&mut self, dropped: Box<Dropped>) {
        self.early.insert(dropped.number, Err(dropped));
        self.advance();
    }

    fn end_of_mutants(&mut self) -> Option<Job> {
        self.is_dry = true;
        self.advance();
        // The second run of the witness may be next.
        if self.stage == Stage::Mutants { None } else { self.next_job() }
    }

    /// Records the result of a job.
    pub(crate) fn complete(&mut self, JobResult { what, settled }: JobResult) {
        if self.is_done() {
            return;
        }
        let settled = match settled {
            Ok(settled) => settled,
            Err(dropped) => return self.drop_mutant(dropped),
        };
        self.measure(&what, &settled);
        match &what {
            JobKind::Baseline(_) => self.pace.note_seed(&settled),
            JobKind::Mutant(_) => self.pace.note(&settled),
            JobKind::Again { .. } => {}
        }
        match what {
            JobKind::Baseline(step) => {
                if step == Step::COMPARED {
                    self.work = solver_work(&settled.queries, |name| name);
                }
                self.baseline.add(step, settled.verdict);
                self.conclude_baseline();
            }
            JobKind::Mutant(mutant) => self.take_up(*mutant, settled),
            JobKind::Again { number, .. } => self.confirm(number, &settled.verdict),
        }
    }

    /// Ends the test with the results so far.
    pub(crate) fn interrupt(&mut self) {
        if self.is_done() {
            return;
        }
        self.is_interrupted = true;
        for judged in std::mem::take(&mut self.early).into_values() {
            match judged {
                Ok(judged) => self.push(judged),
                Err(dropped) => self.dropped.push(*dropped),
            }
        }
        self.look_for_witness();
        self.stage = Stage::Done;
    }

    fn fail(&mut self, answer: Answer, reason: impl Into<String>, help: Option<&str>) {
        self.failure = Some((answer, reason.into(), help.map(str::to_owned)));
        self.stage = Stage::Done;
    }

    fn measure(&mut self, what: &JobKind, settled: &Settled) {
        let (order, program) = match what {
            JobKind::Baseline(Step::Original { repetition }) => {
                ((0, *repetition), self.seed.name().to_owned())
            }
            JobKind::Baseline(Step::Printed { repetition }) => {
                ((0, 1 << 16 | *repetition), format!("{} as printed", self.seed.name()))
            }
            JobKind::Mutant(mutant) => ((mutant.number, 0), self.naming.name(mutant.number)),
            JobKind::Again { number, .. } => ((*number, 1), self.naming.name(*number)),
        };
        let measurement = Measurement {
            program,
            outcome: settled.verdict.outcome,
            cached: settled.cached,
            runs: settled.usage.iter().map(finish::measured).collect(),
        };
        self.measurements.push((order, measurement));
    }

    /// Decides how to continue once the seed was run often enough.
    fn conclude_baseline(&mut self) {
        let (verdict, layout) = match self.baseline.conclude(self.plan.names_goals) {
            Conclusion::Missing(step) => {
                // The first steps have been started or are waiting already.
                if step.repetition() == 1 && matches!(step, Step::Printed { .. }) {
                    self.waiting.push(step);
                }
                return;
            }
            Conclusion::Trouble(verdict) => {
                let reason = verdict.reason.clone().unwrap_or_default();
                if verdict.outcome == Outcome::NotExpressible {
                    let help = "choose another one with --verifier; `mugie verifiers` lists them";
                    return self.fail(Answer::NotExpressible, reason, Some(help));
                }
                let reason = format!("{} on the seed: {reason}", verdict.outcome);
                let command = self.plan.recipe.by_hand(&self.seed);
                let help = format!("run the verifier by hand to see more: {command}");
                return self.fail(Answer::CouldNotRun, reason, Some(&help));
            }
            Conclusion::Unstable { is_printed, change } => {
                let reason = unstable_in_words(is_printed, &change);
                let help = "raise --time-limit, or limit the solver's resources with --rlimit";
                return self.fail(Answer::CouldNotRun, reason, Some(help));
            }
            Conclusion::Empty => {
                let help = "a seed needs a procedure with a body, or an implementation";
                return self.fail(Answer::SeedFails, NOTHING_TO_VERIFY, Some(help));
            }
            Conclusion::Known { verdict, layout } => (verdict, layout),
        };
        if let Err(difference) = self.seed.back().check(&verdict) {
            let reason = format!("the seed is not verified as its own tool does it: {difference}");
            return self.fail(Answer::CouldNotRun, reason, None);
        }
        self.layout = layout;
        self.profile = Profile::new(&verdict, str::to_owned);
        if let Some(question) = question(verdict.outcome) {
            self.question = question;
        }
        if self.question == Question::DoesAMutantPass && !self.plan.settings.failing {
            if !self.layout.is_empty() {
                // The layout alone is the finding; there is no baseline for mutants.
                self.stage = Stage::Done;
                return;
            }
            let reason = verdict.reason.clone().unwrap_or_else(|| verdict.outcome.to_string());
            let help = match verdict.outcome {
                Outcome::TimedOut => "give it more time with --time-limit",
                Outcome::OutOfMemory => "give it more memory with --memory-limit",
                Outcome::OutOfResource => "give the solver more with --rlimit",
                _ => "make it verify first, or ask with --failing whether a mutant does",
            };
            return self.fail(Answer::SeedFails, reason, Some(help));
        }
        self.stage = Stage::Mutants;
    }

    /// Judges a mutant; the result is used when its turn comes.
    fn take_up(&mut self, mutant: Mutant, settled: Settled) {
        let Settled { verdict, output, queries, .. } = settled;
        let names = mutant.program.goal_names(&**self.seed.program());
        let work = solver_work(&queries, |name| names.in_seed(name));
        let profile = Profile::new(&verdict, |name| names.in_seed(name).to_owned());
        let judgement = judge(self.question, &self.profile, &profile, &verdict);
        let Mutant { number, edits, program, .. } = mutant;
        let known = program.operators();
        let mut operators: Vec<usize> =
            edits.iter().filter_map(|edit| number_of(known, &edit.operator)).collect();
        operators.sort_unstable();
        operators.dedup();
        let flip = (judgement == Judgement::Flip).then(|| JudgedFlip {
            size: (edits.len(), inversions(&program.unit_order())),
            edits,
            program: Arc::clone(&program),
            verdict,
            output,
        });
        let judged = Judged { number, operators, judgement, work, program: Some(program), flip };
        self.early.insert(number, Ok(judged));
        self.advance();
    }

    /// Uses the results that arrived, in the order of the mutants.
    fn advance(&mut self) {
        while self.stage == Stage::Mutants
            && let Some(judged) = self.early.remove(&(self.taken_up() + 1))
        {
            let judged = match judged {
                Ok(judged) => judged,
                Err(dropped) => {
                    self.dropped.push(*dropped);
                    continue;
                }
            };
            let judgement = judged.judgement.clone();
            self.push(judged);
            if judgement == Judgement::Flip && self.plan.settings.until_failure {
                return self.look_for_witness();
            }
            self.grade = step(&mut self.sequential, &judgement);
            if self.grade.is_some() {
                return self.look_for_witness();
            }
        }
        if self.stage == Stage::Mutants && self.is_dry && self.taken_up() == self.made {
            self.is_complete = self.source.is_complete();
            self.look_for_witness();
        }
    }

    fn push(&mut self, mut judged: Judged) {
        if let Some(program) = judged.program.take()
            && !matches!(judged.judgement, Judgement::Trouble(..))
        {
            self.order.add(&program.unit_order(), judged.judgement == Judgement::Flip);
        }
        self.judged.push(judged);
    }

    /// Chooses the flip with the smallest change, if there is a flip, for a second run.
    fn look_for_witness(&mut self) {
        self.witness = self
            .judged
            .iter()
            .filter_map(|judged| Some((judged.flip.as_ref()?, judged.number)))
            .min_by_key(|(flip, number)| (flip.size, *number))
            .map(|(_, number)| number);
        self.stage = match self.witness {
            Some(_) => Stage::Witness { started: false },
            None => Stage::Done,
        };
    }

    /// Compares the second verdict on the witness with the first.
    fn confirm(&mut self, number: usize, again: &Verdict) {
        let first = self.flip(number).map(|flip| flip.verdict.outcome);
        if first == Some(again.outcome) {
            self.stage = Stage::Done;
            return;
        }
        // The flip is flaky: do not count it, and look for another witness.
        if let Ok(index) = self.index(number) {
            let judged = &mut self.judged[index];
            let words = first.map_or("another", Outcome::words);
            let reason = format!(
                "no stable verdict: {words} in one run, {again} in the next",
                again = again.outcome
            );
            judged.judgement = Judgement::Trouble(Outcome::ToolError, reason);
            judged.flip = None;
            self.order.give_up();
        }
        // This flip may be what stopped the test.
        self.sequential = self.plan.settings.confidence.map(Sequential::new);
        self.grade = None;
        for judged in &self.judged {
            self.grade = self.grade.or_else(|| step(&mut self.sequential, &judged.judgement));
        }
        if self.grade.is_some() {
            self.look_for_witness();
        } else {
            self.stage = Stage::Mutants;
            self.advance();
        }
    }

    fn flip(&self, number: usize) -> Option<&JudgedFlip> {
        self.judged[self.index(number).ok()?].flip.as_ref()
    }

    /// The index of a mutant in `judged`.
    fn index(&self, number: usize) -> Result<usize, usize> {
        self.judged.binary_search_by_key(&number, |judged| judged.number)
    }
}

/// Adds a mutant to the sequential rule, if it has a verdict.
fn step(sequential: &mut Option<Sequential>, judgement: &Judgement) -> Option<Grade> {
    match judgement {
        Judgement::Trouble(..) => None,
        judgement => sequential.as_mut()?.step(*judgement == Judgement::Flip),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use mugie_core::Procedure;
    use mugie_exec::Draw;
    use mugie_results::result::{SeedReport, Speed};

    use super::*;

    pub(crate) fn seed() -> OpenSeed {
        let text = "const a: int; const b: int; const c: int; procedure p() { assert true; }";
        crate::testing::seed("seed.bpl", text)
    }

    /// A test of all orders of the declarations.
    pub(crate) fn plan() -> Protocol {
        let settings = TestSettings {
            operators: "S1".to_owned(),
            mutants: 1000,
            exhaustive: true,
            random_seed: 1,
            max_attempts: 10_000,
            time_limit: 20.0,
            cpu_limit: None,
            memory_limit: None,
            process_limit: None,
            resource_limit: None,
            confirm: 0,
            until_failure: false,
            confidence: None,
            failing: false,
            speed: Speed::default(),
        };
        let draw = Draw {
            operators: settings.operators.clone(),
            random_seed: 1,
            mutants: 1000,
            attempts: 10_000,
            exhaustive: true,
        };
        let recipe = Recipe { draw, command: Vec::new() };
        Protocol { settings, recipe, names_goals: true }
    }

    fn verdict(outcome: Outcome) -> Verdict {
        let procedure = Procedure {
            name: "p".to_owned(),
            outcome,
            failures: Vec::new(),
            seconds: None,
            resources: None,
        };
        Verdict { procedures: vec![procedure], ..Verdict::of_program(outcome, "so it is") }
    }

    /// Runs a seed test with `at_once` jobs at a time, of which the last one started ends first.
    /// The outcome of a mutant depends on its number and the repetition; the seed has number 0.
    fn run(plan: &Protocol, at_once: usize, outcome: impl Fn(usize, u32) -> Outcome) -> SeedReport {
        let mut seed_test = SeedTest::new(seed(), plan);
        let mut jobs = Vec::new();
        while !seed_test.is_done() {
            while jobs.len() < at_once
                && let Some(job) = seed_test.next_job()
            {
                jobs.push(job);
            }
            let Some(job) = jobs.pop() else { break };
            let (number, repetition) = match &job.what {
                JobKind::Baseline(Step::Original { repetition }) => (0, *repetition),
                JobKind::Baseline(Step::Printed { repetition }) => (0, 10 + *repetition),
                JobKind::Mutant(mutant) => (mutant.number, 0),
                JobKind::Again { number, .. } => (*number, 1),
            };
            let verdict = verdict(outcome(number, repetition));
            let settled = Settled::of_run(verdict, String::new(), Vec::new());
            seed_test.complete(JobResult { what: job.what, settled: Ok(settled) });
        }
        assert!(seed_test.is_done(), "the trial has no job left and is not done");
        let report = seed_test.finish().report;
        assert_eq!(report.dropped, [], "a mutant of a Boogie program is wrong");
        report
    }

    use Outcome::{Failed, Verified};

    #[test]
    fn a_report_does_not_depend_on_how_many_jobs_run_at_once() {
        let mut plan = plan();
        let all = run(&plan, 1, |_, _| Verified);
        assert!(all.counts.complete && all.counts.judged == 23, "{:?}", all.counts);
        for until_failure in [false, true] {
            plan.settings.until_failure = until_failure;
            for flip in [1, 5, 22, 23] {
                let outcome = |number, _| if number >= flip { Failed } else { Verified };
                let one = run(&plan, 1, outcome);
                for at_once in [2, 7, 100] {
                    let other = run(&plan, at_once, outcome);
                    assert_eq!(format!("{one:#?}"), format!("{other:#?}"));
                }
            }
        }
    }

    #[test]
    fn a_flip_that_is_not_confirmed_has_no_part_in_the_grade() {
        let mut plan = plan();
        plan.settings.operators = "paper".to_owned();
        plan.settings.exhaustive = false;
        plan.settings.confidence = Some(0.9);
        // Two flips at the beginning would decide.
        let report = run(&plan, 2, |number, repetition| {
            if (1..=2).contains(&number) && repetition == 0 { Failed } else { Verified }
        });
        assert_eq!((report.grade, report.counts.flips), (Some(Grade::Stable), 0));
        assert!(report.counts.judged >= 29 && report.counts.troubles == 2, "{:?}", report.counts);
    }

    #[test]
    fn layout_is_blamed_only_if_it_fails_twice() {
        let plan = plan();
        let report =
            run(&plan, 2, |_, repetition| if repetition >= 10 { Failed } else { Verified });
        assert_eq!((report.answer, report.layout.len()), (Answer::Brittle, 1));
        let report =
            run(&plan, 2, |_, repetition| if repetition == 10 { Failed } else { Verified });
        assert_eq!((report.answer, report.layout.len()), (Answer::CouldNotRun, 0));
        assert!(report.reason.unwrap().contains("as it is printed"));
    }
}
