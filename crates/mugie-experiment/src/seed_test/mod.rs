//! The test of one seed as a state machine: what to run next, and what follows from the results.
//!
//! A seed test starts no runs and no threads. The caller asks for the next job and reports the
//! result; jobs may run concurrently and finish in any order. Results are used in the order of the
//! mutants, so that the report depends only on the verdicts.

mod finish;
mod parking;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use mugie_core::{
    Answer, Closure, Defect, Dropped, Edit, End, Focus, Generator, Mutant, Naming, Outcome,
    Program, Scope, Strength, Verdict, Weights, number_of,
};
use mugie_exec::{Draw, Executor, Pace, Request, Settled};
use mugie_results::Measurement;
use mugie_results::result::{LayoutChange, Question, TestSettings};
use mugie_results::{SolverWork, flips};
use mugie_stats::{Grade, Sequential};

pub(crate) use finish::parts;
pub use finish::{Finished, FlipArtifacts, SeedArtifacts};
pub(crate) use parking::search;

use crate::baseline::{Baseline, Conclusion, NOTHING_TO_VERIFY, Step, unstable_in_words};
use crate::controls::{Subject, Varied};
use crate::judge::{Judgement, Profile, judge, question};
use crate::order::{OrderRuleSearch, inversions};
use crate::recipe::Recipe;
use crate::seed::OpenSeed;
use crate::solver_work::solver_work;
use parking::{Parking, Search, Stratum, Trace, Turn, stratum};

/// The most mutants in one process if any of them may end the test: those after it are wasted.
/// Raising it saves start-up time and wastes more.
const MAX_PER_PROCESS_UNTIL_FLIP: usize = 4;

/// How many times the mutants to run are made at most, if some are left out. Raising it takes longer for
/// seeds whose mutants are nearly all left out.
const SPARE: usize = 3;

/// What to do if the scope of change has no units.
pub const SCOPE_HELP: &str =
    "give the name of a declaration, with `*` for any characters, or `all`, or `user`";

/// What to do about declarations that are sorted by chance.
pub(crate) const CHANCE_HELP: &str = "the verifier sorts axioms by a hash that differs from run to run if \
    they have numbers of more than 32 bits, floating-point numbers or rounding modes; keep the order of \
    the file with --arg /normalizeDeclarationOrder:0";

/// The test procedure for every seed.
#[derive(Clone, Debug)]
pub struct Protocol {
    /// The settings of the test.
    pub settings: TestSettings,
    /// How mutants are made and verified.
    pub recipe: Recipe,
    /// Whether the verifier names every goal that it verifies.
    pub names_goals: bool,
    /// Whether the verifier sorts declarations by a hash of their content.
    pub sorts_declarations: bool,
}

/// A verifier run.
#[derive(Debug)]
pub(crate) struct Job {
    seed: Arc<OpenSeed>,
    draw: Arc<Draw>,
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

impl JobKind {
    /// The program to verify.
    fn program<'j>(&'j self, seed: &'j OpenSeed) -> &'j dyn Program {
        match self {
            JobKind::Baseline(_) => &**seed.program(),
            JobKind::Mutant(mutant) => &*mutant.program,
            JobKind::Again { program, .. } => &**program,
        }
    }
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
        executor: &dyn Executor,
        take: &mut dyn FnMut(JobResult) -> ControlFlow<()>,
    ) {
        let several = jobs.len() > 1;
        let mut whats = Vec::new();
        let mut requests = Vec::new();
        for Job { seed, draw, what } in jobs {
            let instances = what.program(&seed).instances();
            match request(&seed, &what, &draw, several) {
                Ok(request) => {
                    whats.push(Some((what, instances)));
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
            Some((what, instances)) => {
                take(JobResult { what, settled: Ok(settled.of_goals(&instances)) })
            }
            None => ControlFlow::Continue(()),
        });
    }
}

/// The request for a job, unless its mutant is ill-formed.
fn request(
    seed: &OpenSeed,
    what: &JobKind,
    draw: &Draw,
    several: bool,
) -> Result<Request, Box<Dropped>> {
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
    fn new(
        seed: &OpenSeed,
        weights: &Weights,
        focus: Focus,
        settings: &TestSettings,
    ) -> MutantSource {
        let program = seed.program();
        if settings.exhaustive {
            let closure = Closure::new(program, weights, settings.mutants).within(focus);
            return MutantSource::All(Box::new(closure.checked_by(seed.shared())));
        }
        let generator = Generator::new(
            program,
            weights.clone(),
            settings.random_seed,
            // Some may be left out.
            settings.mutants.saturating_mul(if settings.park_after.is_some() { SPARE } else { 1 }),
            settings.max_attempts,
        );
        let generator = generator.with_strength(settings.strength);
        MutantSource::Drawn(Box::new(generator.within(focus).checked_by(seed.shared())))
    }

    fn next(&mut self) -> Option<Result<Mutant, Box<Dropped>>> {
        match self {
            MutantSource::Drawn(generator) => generator.next(),
            MutantSource::All(closure) => closure.next(),
            MutantSource::None => None,
        }
    }

    /// Whether these were all mutants that exist. Asks for one more, if nobody did.
    fn is_complete(&mut self) -> bool {
        let MutantSource::All(closure) = self else { return false };
        closure.next().is_none() && closure.end() == Some(End::Exhausted)
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
    /// The operator at one strength that made the mutant, if it is one edit of the seed.
    stratum: Option<Stratum>,
    /// What the mutant does to the solver, and what the solver did, as far as it is known.
    trace: Option<Trace>,
    search: Option<Search>,
    /// A hash of what the verifier read, if that is a translation.
    text: Option<String>,
    /// The program, dropped once the mutant's result was used.
    program: Option<Arc<dyn Program>>,
    /// Details of a flip.
    flip: Option<JudgedFlip>,
}

/// The size of a change: smaller ones are shown first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Size {
    edits: usize,
    /// The largest strength of an edit.
    strength: Strength,
    /// The number of inverted pairs of declarations.
    inversions: usize,
}

#[derive(Debug)]
struct JudgedFlip {
    size: Size,
    edits: Vec<Edit>,
    program: Arc<dyn Program>,
    verdict: Verdict,
    output: String,
}

/// How far the test is, with what belongs to that stage only.
#[derive(Debug)]
enum Stage {
    /// The seed is run. The steps that have not been handed out are taken from the end.
    Baseline { waiting: Vec<Step> },
    /// Mutants are made and run.
    Mutants,
    /// The flip to look at first is run once more.
    Witness { number: usize, is_started: bool },
    /// Nothing is left to run.
    Done(TestEnding),
}

/// How the test ended.
#[derive(Debug)]
enum TestEnding {
    /// Everything that the protocol asks for was run. `witness` is the number of the confirmed flip.
    Finished { witness: Option<usize> },
    /// The user interrupted it. `witness` is the number of the smallest flip so far, not confirmed.
    Interrupted { witness: Option<usize> },
    /// There is no answer from mutants.
    Failed { answer: Answer, reason: String, help: Option<String> },
}

impl TestEnding {
    /// The number of the flip to look at first.
    fn witness(&self) -> Option<usize> {
        match self {
            TestEnding::Finished { witness } | TestEnding::Interrupted { witness } => *witness,
            TestEnding::Failed { .. } => None,
        }
    }
}

/// The facts about the seed that mutants are compared with.
#[derive(Debug)]
struct SeedFacts {
    /// The solver work of the printed seed, if it is known.
    work: Option<SolverWork>,
    /// Differences that the layout alone makes.
    layout: Vec<LayoutChange>,
    question: Question,
    profile: Profile,
    /// Whether a shared process turned out not to be as if each mutant were alone.
    unshared: bool,
    /// A hash of what the verifier read for the printed seed, if that is a translation.
    text: Option<String>,
    /// The runs with different verdicts on the same bytes, and why there is no other answer.
    varied: Option<(Varied, String)>,
    /// Why the seed does not verify and what to do about it, if a few mutants of it are tried.
    failure: Option<(String, String)>,
}

impl SeedFacts {
    /// Whether the seed does not verify, and a few mutants are tried until one does.
    fn is_trial(&self) -> bool {
        self.failure.is_some()
    }
}

/// The mutants on their way to a verdict.
#[derive(Debug)]
struct Sampling {
    source: MutantSource,
    /// Whether the source has ended.
    is_dry: bool,
    /// The number of mutants made.
    made: usize,
    /// The number of mutants handed out.
    handed: usize,
    /// The most mutants to hand out.
    most: usize,
    /// A mutant that waits for results.
    held: Option<Box<Mutant>>,
    parking: Parking,
    pace: Pace,
    /// Whether every existing mutant has a verdict. An exhausted source does not suffice: whether it was
    /// asked before the test stopped depends on the number of threads.
    is_complete: bool,
    /// What became of mutants before it was known of earlier ones.
    early: BTreeMap<usize, Taken>,
    /// The mutants that were left out because nothing was to be learnt from them.
    left_out: usize,
}

impl Sampling {
    /// The next mutant, if there is one.
    fn draw(&mut self) -> Option<Result<Box<Mutant>, Box<Dropped>>> {
        let mutant = self.source.next()?;
        self.made += 1;
        Some(mutant.map(Box::new))
    }
}

/// What became of a mutant.
#[derive(Debug)]
enum Taken {
    Judged(Box<Judged>),
    Dropped(Box<Dropped>),
    LeftOut,
}

/// The rule that ends a test once the grade of the seed is certain.
#[derive(Debug)]
struct Grading {
    sequential: Option<Sequential>,
    grade: Option<Grade>,
}

impl Grading {
    fn new(confidence: Option<f64>) -> Grading {
        Grading { sequential: confidence.map(Sequential::new), grade: None }
    }

    /// Takes a mutant into account, unless there is no verdict on it. Whether the grade is certain.
    fn add(&mut self, judgement: &Judgement) -> bool {
        if self.grade.is_none() && !matches!(judgement, Judgement::Trouble(..)) {
            let sequential = self.sequential.as_mut();
            self.grade = sequential.and_then(|it| it.step(*judgement == Judgement::Flip));
        }
        self.grade.is_some()
    }

    /// The grade; without certainty, the best one that `judged` mutants allow.
    fn finish(&self, judged: usize) -> Option<Grade> {
        let uncertain = || self.sequential.as_ref().filter(|_| judged > 0).map(Sequential::finish);
        self.grade.or_else(uncertain)
    }
}

/// The test of one seed.
#[derive(Debug)]
pub(crate) struct SeedTest<'p> {
    protocol: &'p Protocol,
    seed: Arc<OpenSeed>,
    /// How its mutants are drawn.
    draw: Arc<Draw>,
    /// The number of units in the scope of change, if it has bounds.
    scope_size: Option<usize>,
    /// Describes the declarations that the verifier sorts by chance.
    by_chance: Vec<String>,
    naming: Naming,
    stage: Stage,
    baseline: Baseline,
    facts: SeedFacts,
    sampling: Sampling,
    /// The mutants with a verdict, up to the first one without.
    judged: Vec<Judged>,
    /// The mutants among these that failed their check.
    dropped: Vec<Dropped>,
    grading: Grading,
    order: OrderRuleSearch,
    /// Measurements, with their sort keys.
    measurements: Vec<((usize, u32), Measurement)>,
}

impl<'p> SeedTest<'p> {
    pub(crate) fn new(seed: OpenSeed, protocol: &'p Protocol) -> SeedTest<'p> {
        let settings = &protocol.settings;
        let scope = settings.mutate.clone();
        let scope = scope.unwrap_or_else(|| Scope::usual(&**seed.program()));
        let weights = Weights::parse(&settings.operators, seed.program().operators());
        let focus = Focus::new(&**seed.program(), &scope);
        let scope_size = focus.as_ref().ok().and_then(Focus::size);
        let by_chance = protocol.sorts_declarations.then(|| seed.program().sorted_by_chance());
        let failed = |reason: String, help: &str| {
            let help = Some(help.to_owned());
            Stage::Done(TestEnding::Failed { answer: Answer::CouldNotRun, reason, help })
        };
        let (stage, source) = match (weights, focus) {
            (Ok(weights), Ok(focus)) => {
                // Handed out from the end.
                let waiting = Step::FIRST.iter().rev().copied().collect();
                let source = MutantSource::new(&seed, &weights, focus, settings);
                (Stage::Baseline { waiting }, source)
            }
            (Err(error), _) => {
                (failed(error.to_string(), "`mugie operators` lists them"), MutantSource::None)
            }
            (_, Err(error)) => (failed(error.to_string(), SCOPE_HELP), MutantSource::None),
        };
        SeedTest {
            draw: Arc::new(Draw { scope, ..protocol.recipe.draw.clone() }),
            scope_size,
            by_chance: by_chance.unwrap_or_default(),
            naming: seed.naming(settings.mutants),
            order: OrderRuleSearch::new(seed.program().unit_count()),
            protocol,
            seed: Arc::new(seed),
            stage,
            baseline: Baseline::default(),
            facts: SeedFacts {
                work: None,
                layout: Vec::new(),
                question: Question::DoesAMutantFail,
                profile: Profile::default(),
                unshared: false,
                text: None,
                varied: None,
                failure: None,
            },
            sampling: Sampling {
                source,
                is_dry: false,
                made: 0,
                handed: 0,
                most: settings.mutants,
                held: None,
                parking: Parking::new(settings.park_after),
                pace: Pace::default(),
                is_complete: false,
                early: BTreeMap::new(),
                left_out: 0,
            },
            judged: Vec::new(),
            dropped: Vec::new(),
            grading: Grading::new(settings.confidence),
            measurements: Vec::new(),
        }
    }

    /// Whether there is nothing left to run or to wait for.
    pub(crate) fn is_done(&self) -> bool {
        matches!(self.stage, Stage::Done(_))
    }

    /// The number of mutants with a verdict, and of flips among them.
    pub(crate) fn progress(&self) -> (usize, usize) {
        let flips = self.judged.iter().filter(|judged| judged.judgement == Judgement::Flip);
        (self.done(), flips.count())
    }

    fn done(&self) -> usize {
        self.taken_up() + self.sampling.early.len()
    }

    /// The number of the last mutant whose result was used.
    fn taken_up(&self) -> usize {
        self.judged.len() + self.dropped.len() + self.sampling.left_out
    }

    /// The next job, if there is one.
    pub(crate) fn next_job(&mut self) -> Option<Job> {
        match &mut self.stage {
            Stage::Baseline { waiting } => {
                let step = waiting.pop()?;
                Some(self.job(JobKind::Baseline(step)))
            }
            Stage::Mutants => self.next_mutant(),
            Stage::Witness { number, is_started: is_started @ false } => {
                *is_started = true;
                let number = *number;
                let program = Arc::clone(&self.flip(number)?.program);
                Some(self.job(JobKind::Again { number, program }))
            }
            Stage::Witness { is_started: true, .. } | Stage::Done(_) => None,
        }
    }

    fn job(&self, what: JobKind) -> Job {
        Job { seed: Arc::clone(&self.seed), draw: Arc::clone(&self.draw), what }
    }

    /// The next jobs for one of `threads` threads: several only if they can share a process.
    pub(crate) fn next_jobs(&mut self, threads: usize, can_share: bool) -> Vec<Job> {
        let mut jobs: Vec<Job> = self.next_job().into_iter().collect();
        let most = match jobs.first() {
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
        let settings = &self.protocol.settings;
        // The mutants of a failing seed fail as well, and failures in a shared process must be
        // repeated.
        if self.facts.question != Question::DoesAMutantFail {
            return 1;
        }
        let left = settings.mutants.saturating_sub(self.sampling.handed) + 1;
        let running = self.sampling.made.saturating_sub(1 + self.done());
        let most = self.sampling.pace.programs(left, running, threads);
        if settings.until_failure || settings.confidence.is_some() {
            most.min(MAX_PER_PROCESS_UNTIL_FLIP)
        } else {
            most
        }
    }

    fn next_mutant(&mut self) -> Option<Job> {
        while matches!(self.stage, Stage::Mutants) {
            let sampling = &mut self.sampling;
            if sampling.is_dry {
                return None;
            }
            if sampling.handed >= sampling.most {
                return self.end_of_mutants();
            }
            let held = sampling.held.take().map(Ok);
            let mutant = match held.or_else(|| sampling.draw()) {
                None => return self.end_of_mutants(),
                Some(Ok(mutant)) => mutant,
                Some(Err(dropped)) => {
                    self.take(dropped.number, Taken::Dropped(dropped));
                    continue;
                }
            };
            match self.turn(&mutant) {
                Turn::Run => {
                    self.sampling.handed += 1;
                    return Some(self.job(JobKind::Mutant(mutant)));
                }
                Turn::LeaveOut => self.take(mutant.number, Taken::LeftOut),
                Turn::Wait => {
                    self.sampling.held = Some(mutant);
                    return None;
                }
            }
        }
        // Results that waited for the mutant that was left out may have ended this stage.
        self.next_job()
    }

    /// Whether a mutant is worth a run.
    fn turn(&self, mutant: &Mutant) -> Turn {
        match stratum(&mutant.edits) {
            Some(stratum) if self.protocol.settings.park_after.is_some() => {
                self.sampling.parking.turn(mutant.number, &stratum)
            }
            _ => Turn::Run,
        }
    }

    /// Takes down what became of a mutant. It is used when its turn comes; the test may end before that.
    fn take(&mut self, number: usize, taken: Taken) {
        self.sampling.early.insert(number, taken);
        self.advance();
    }

    fn end_of_mutants(&mut self) -> Option<Job> {
        self.sampling.is_dry = true;
        self.advance();
        // The second run of the witness may be next.
        if matches!(self.stage, Stage::Mutants) { None } else { self.next_job() }
    }

    /// Records the result of a job.
    pub(crate) fn complete(&mut self, JobResult { what, settled }: JobResult) {
        if self.is_done() {
            return;
        }
        let settled = match settled {
            Ok(settled) => settled,
            Err(dropped) => return self.take(dropped.number, Taken::Dropped(dropped)),
        };
        self.measure(&what, &settled);
        match &what {
            JobKind::Baseline(_) => self.sampling.pace.note_seed(&settled),
            JobKind::Mutant(_) => {
                self.sampling.pace.note(&settled);
                self.facts.unshared |= settled.distrusted;
            }
            JobKind::Again { .. } => {}
        }
        match what {
            JobKind::Baseline(step) => {
                if step == Step::COMPARED {
                    self.facts.text.clone_from(&settled.text);
                    self.facts.work = solver_work(&settled.verdict, &settled.queries, |name| name);
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
        for taken in std::mem::take(&mut self.sampling.early).into_values() {
            self.push(taken);
        }
        self.stage = Stage::Done(TestEnding::Interrupted { witness: self.smallest_flip() });
    }

    fn fail(&mut self, answer: Answer, reason: impl Into<String>, help: Option<&str>) {
        let (reason, help) = (reason.into(), help.map(str::to_owned));
        self.stage = Stage::Done(TestEnding::Failed { answer, reason, help });
    }

    /// How the mutants are made and verified.
    fn recipe(&self) -> Recipe {
        Recipe { draw: Draw::clone(&self.draw), ..self.protocol.recipe.clone() }
    }

    /// Ends the test: the same bytes get different verdicts. `witness` is the number of the mutant that
    /// does, if it is not the seed.
    fn varies(&mut self, varied: Varied, reason: String, witness: Option<usize>) {
        self.facts.varied = Some((varied, reason));
        self.stage = Stage::Done(TestEnding::Finished { witness });
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
        let (verdict, layout) = match self.baseline.conclude(self.protocol.names_goals) {
            Conclusion::Missing(step) => {
                // The first steps have been started or are waiting already.
                if step.repetition() == 1
                    && matches!(step, Step::Printed { .. })
                    && let Stage::Baseline { waiting } = &mut self.stage
                {
                    waiting.push(step);
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
                let command = self.recipe().by_hand(&self.seed);
                let help = format!("run the verifier by hand to see more: {command}");
                return self.fail(Answer::CouldNotRun, reason, Some(&help));
            }
            Conclusion::Unstable { is_printed, change } => {
                let reason = unstable_in_words(is_printed, &change);
                let subject = if is_printed { Subject::Printed } else { Subject::Original };
                let outcomes = [change.original, change.printed];
                return self.varies(Varied { subject, outcomes }, reason, None);
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
        if !self.seed.seed().language().is_query()
            && let Some(trace) = Trace::of(self.facts.work.as_ref(), &verdict)
        {
            self.sampling.parking.compare_with(trace);
        }
        self.facts.layout = layout;
        self.facts.profile = Profile::new(&verdict, str::to_owned);
        if let Some(question) = question(verdict.outcome) {
            self.facts.question = question;
        }
        if self.facts.question == Question::DoesAMutantPass && !self.protocol.settings.failing {
            if !self.facts.layout.is_empty() {
                // The layout alone is the finding; there is no baseline for mutants.
                self.stage = Stage::Done(TestEnding::Finished { witness: None });
                return;
            }
            let reason = verdict.reason.clone().unwrap_or_else(|| verdict.outcome.to_string());
            let limit = self.protocol.settings.time_limit;
            let more_time = format!("it had {limit} s: give it more time with --time-limit");
            let help = match verdict.outcome {
                Outcome::TimedOut => more_time.as_str(),
                Outcome::OutOfMemory => "give it more memory with --memory-limit",
                Outcome::OutOfResource => "give the solver more with --rlimit",
                Outcome::Verified
                | Outcome::Failed
                | Outcome::Inconclusive
                | Outcome::Rejected
                | Outcome::Crashed
                | Outcome::ToolError
                | Outcome::NotExpressible => {
                    "make it verify first, or ask with --failing whether a mutant does"
                }
            };
            if self.protocol.settings.tries == 0 {
                return self.fail(Answer::SeedFails, reason, Some(help));
            }
            self.sampling.most = self.sampling.most.min(self.protocol.settings.tries);
            self.facts.failure = Some((reason, help.to_owned()));
        }
        self.stage = Stage::Mutants;
    }

    /// Judges a mutant; the result is used when its turn comes.
    fn take_up(&mut self, mutant: Mutant, settled: Settled) {
        let Settled { verdict, output, queries, text, .. } = settled;
        if verdict.outcome == Outcome::NotExpressible {
            // The seed could be translated, so this is no property of the program.
            let reason = verdict.reason.unwrap_or_default();
            let defect = unlike_the_seed(&mutant.edits, &reason);
            let Mutant { number, edits, program, .. } = mutant;
            let dropped = Dropped { number, edits, program: Some(program), defect };
            return self.take(number, Taken::Dropped(Box::new(dropped)));
        }
        let names = mutant.program.goal_names(&**self.seed.program());
        let work = solver_work(&verdict, &queries, |name| names.in_seed(name));
        let profile = Profile::new(&verdict, |name| names.in_seed(name).to_owned());
        let of_seed = self.baseline.printed().filter(|_| verdict.outcome.is_evidence());
        let can_compare = of_seed.map_or(Ok(()), |of_seed| {
            self.seed.seed().can_compare(&*mutant.program, of_seed, &verdict)
        });
        let judgement = match can_compare {
            Ok(()) => judge(self.facts.question, &self.facts.profile, &profile, &verdict),
            Err(reason) => Judgement::Trouble(Outcome::ToolError, reason),
        };
        let Mutant { number, edits, program, .. } = mutant;
        let (stratum, search) = (stratum(&edits), search(&verdict));
        let trace = Trace::of(work.as_ref(), &verdict);
        let known = program.operators();
        let mut operators: Vec<usize> =
            edits.iter().filter_map(|edit| number_of(known, &edit.operator)).collect();
        operators.sort_unstable();
        operators.dedup();
        let flip = (judgement == Judgement::Flip).then(|| JudgedFlip {
            size: Size {
                edits: edits.len(),
                strength: edits.iter().map(|edit| edit.strength).max().unwrap_or_default(),
                inversions: inversions(&program.unit_order()),
            },
            edits,
            program: Arc::clone(&program),
            verdict,
            output,
        });
        let program = Some(program);
        let judged = Judged {
            number,
            operators,
            judgement,
            work,
            stratum,
            trace,
            search,
            text,
            program,
            flip,
        };
        self.take(number, Taken::Judged(Box::new(judged)));
    }

    /// Uses the results that arrived, in the order of the mutants.
    fn advance(&mut self) {
        while matches!(self.stage, Stage::Mutants)
            && let Some(taken) = self.sampling.early.remove(&(self.taken_up() + 1))
        {
            let Some(judgement) = self.push(taken) else { continue };
            let is_flip = judgement == Judgement::Flip;
            if is_flip && (self.protocol.settings.until_failure || self.facts.is_trial()) {
                return self.look_for_witness();
            }
            if self.grading.add(&judgement) {
                return self.look_for_witness();
            }
        }
        let is_over = self.sampling.is_dry && self.taken_up() == self.sampling.made;
        if matches!(self.stage, Stage::Mutants) && is_over {
            self.sampling.is_complete = self.sampling.source.is_complete();
            self.look_for_witness();
        }
    }

    /// Uses what became of the next mutant: how it was judged.
    fn push(&mut self, taken: Taken) -> Option<Judgement> {
        let mut judged = match taken {
            Taken::Judged(judged) => *judged,
            Taken::Dropped(dropped) => {
                self.dropped.push(*dropped);
                self.sampling.parking.add(None);
                return None;
            }
            Taken::LeftOut => {
                self.sampling.left_out += 1;
                self.sampling.parking.add(None);
                return None;
            }
        };
        let is_judged = !matches!(judged.judgement, Judgement::Trouble(..));
        if let Some(program) = judged.program.take()
            && is_judged
        {
            self.order.add(&program.unit_order(), judged.judgement == Judgement::Flip);
        }
        let found = judged.stratum.as_ref().zip(judged.trace.as_ref()).filter(|_| is_judged);
        self.sampling.parking.add(found);
        let judgement = judged.judgement.clone();
        self.judged.push(judged);
        Some(judgement)
    }

    /// Chooses the flip with the smallest change, if there is a flip, for a second run.
    fn look_for_witness(&mut self) {
        self.stage = match self.smallest_flip() {
            Some(number) => Stage::Witness { number, is_started: false },
            None => Stage::Done(TestEnding::Finished { witness: None }),
        };
    }

    /// The number of the flip with the smallest change.
    fn smallest_flip(&self) -> Option<usize> {
        self.judged
            .iter()
            .filter_map(|judged| Some((judged.flip.as_ref()?, judged.number)))
            .min_by_key(|(flip, number)| (flip.size, *number))
            .map(|(_, number)| number)
    }

    /// Compares the second verdict on the witness with the first.
    fn confirm(&mut self, number: usize, again: &Verdict) {
        let first = self.flip(number).map(|flip| flip.verdict.outcome);
        // Two ways of not being verified are one finding.
        match first.map(|first| flips(first, again.outcome)) {
            Some(Some(false)) => {
                self.stage = Stage::Done(TestEnding::Finished { witness: Some(number) });
                return;
            }
            Some(Some(true)) => {
                let words = first.map_or("another", Outcome::words);
                let name = self.naming.name(number);
                let reason = format!("{name} is {words} in one run, {} in the next", again.outcome);
                let outcomes = [first, Some(again.outcome)];
                let varied = Varied { subject: Subject::Mutant, outcomes };
                return self.varies(varied, reason, Some(number));
            }
            Some(None) | None => {}
        }
        // The tool failed: do not count the flip, and look for another witness.
        if let Ok(index) = self.index(number) {
            let judged = &mut self.judged[index];
            let words = first.map_or("another", Outcome::words);
            let reason = format!(
                "it could not be confirmed: {words} in one run, {again} in the next",
                again = again.outcome
            );
            judged.judgement = Judgement::Trouble(Outcome::ToolError, reason);
            judged.flip = None;
            self.order.give_up();
        }
        // This flip may be what stopped the test.
        self.grading = Grading::new(self.protocol.settings.confidence);
        if self.judged.iter().any(|judged| self.grading.add(&judged.judgement)) {
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

/// The defect of a mutant that cannot be translated although its seed can.
fn unlike_the_seed(edits: &[Edit], reason: &str) -> Defect {
    let what = format!("it is {reason}, although the seed can be expressed");
    edits.last().map_or_else(
        || Defect { edit: None, reason: what.clone() },
        |edit| Defect::after(edit, &what),
    )
}

#[cfg(test)]
pub(crate) mod tests;
