//! The test of one seed, step by step: what to run next, and what follows from what was run.
//!
//! A trial starts no runs and no threads. It is asked for the next job and told the result; jobs
//! may be done in any order and number at once. Results are taken up in the order of the mutants,
//! so that the report depends on nothing but the verdicts.

mod finish;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use mugie_operators::{
    Closure, Defect, Edit, End, Generator, Mutant, Subject, Validator, Weights, operators,
};
use mugie_stats::{Grade, Sequential};
use mugie_verifiers::{Outcome, Verdict};

pub use finish::{Finished, Kept, KeptFlip, Measurement, RunMeasurement};

use crate::asked::Asked;
use crate::judge::{Judgement, Profile, changes, judge};
use crate::naming::Naming;
use crate::order::{OrderRuleSearch, inversions};
use crate::report::{Answer, LayoutChange, Question, Settings};
use crate::runs::{Files, Pace, Settled};
use crate::seed::Seed;
use crate::type_use::TypeUse;
use crate::witness::{self, Recipe};

/// Mutants in a process, at most, if the test may end at any of them.
const FEW: usize = 4;

/// Runs of a seed before its mutants.
const BASELINE: usize = 3;

/// What to do with every seed.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The operators to draw from.
    pub weights: Weights,
    /// Everything else.
    pub settings: Settings,
    /// The verifier's command line, for people, with `{files}` where the files go.
    pub command: Vec<String>,
    /// Whether the verifier names every procedure that it verifies.
    pub names_procedures: bool,
    /// Arguments that `mugie mutate` needs to make the same mutants, for people.
    pub mutate: Vec<String>,
}

impl Plan {
    fn recipe(&self) -> Recipe<'_> {
        let Plan { mutate, command, settings, .. } = self;
        Recipe { mutate, verify: command, mutants: settings.mutants }
    }
}

/// Something to run.
#[derive(Debug)]
pub(crate) struct Job {
    what: What,
    validator: Option<Arc<Validator>>,
    files: Files,
}

#[derive(Debug)]
enum What {
    /// The seed as the user wrote it.
    Original {
        repetition: u32,
    },
    /// The seed in its canonical layout.
    Printed {
        repetition: u32,
    },
    Mutant(Box<Mutant>),
    /// A flip, once more.
    Again {
        number: usize,
    },
}

/// Jobs whose programs may share a process.
#[derive(Default)]
struct Alike {
    /// Until there is a result.
    whats: Vec<Option<What>>,
    programs: Vec<Files>,
}

/// What came of a job.
#[derive(Debug)]
pub(crate) struct JobResult {
    what: What,
    settled: Result<Settled, Defect>,
}

impl Job {
    /// Does the job; `None` if it was cancelled.
    pub(crate) fn run(
        self,
        settle: impl FnOnce(&Files, u32) -> Option<Settled>,
    ) -> Option<JobResult> {
        let Job { what, files, .. } = match self.validated() {
            Ok(job) => job,
            Err(result) => return Some(*result),
        };
        let repetition = match &what {
            What::Original { repetition } | What::Printed { repetition } => *repetition,
            What::Again { .. } => 1,
            What::Mutant(_) => 0,
        };
        let settled = settle(&files, repetition)?;
        Some(JobResult { what, settled: Ok(settled) })
    }

    /// Does several jobs; `take` gets each result as soon as it is there, and may end it all.
    /// Results of what was cancelled do not come. Programs that `settle` gets in one call may share
    /// a process.
    pub(crate) fn run_together(
        jobs: Vec<Job>,
        mut settle: impl FnMut(&[Files], &mut dyn FnMut(usize, Settled) -> ControlFlow<()>),
        mut take: impl FnMut(JobResult) -> ControlFlow<()>,
    ) {
        let mut alike: BTreeMap<TypeUse, Alike> = BTreeMap::new();
        for job in jobs {
            let Job { what, files, .. } = match job.validated() {
                Ok(job) => job,
                Err(result) => {
                    if take(*result).is_break() {
                        return;
                    }
                    continue;
                }
            };
            let type_use = match &what {
                What::Mutant(mutant) => TypeUse::of(&mutant.subject),
                // They are the same program.
                _ => TypeUse::default(),
            };
            let alike = alike.entry(type_use).or_default();
            alike.whats.push(Some(what));
            alike.programs.push(files);
        }
        let mut flow = ControlFlow::Continue(());
        for Alike { mut whats, programs } in alike.into_values() {
            settle(&programs, &mut |place, settled| {
                if let Some(what) = whats.get_mut(place).and_then(Option::take) {
                    flow = take(JobResult { what, settled: Ok(settled) });
                }
                flow
            });
            if flow.is_break() {
                return;
            }
        }
    }

    /// The job, unless its mutant turns out wrong.
    fn validated(self) -> Result<Job, Box<JobResult>> {
        if let (What::Mutant(mutant), Some(validator)) = (&self.what, &self.validator)
            && let Err(defect) = validator.validate(mutant)
        {
            return Err(Box::new(JobResult { what: self.what, settled: Err(defect) }));
        }
        Ok(self)
    }
}

/// The mutants of a trial, drawn or listed.
#[derive(Debug)]
enum Source {
    Drawn(Box<Generator>),
    All(Box<Closure>),
}

impl Source {
    fn next(&mut self) -> Option<Result<Mutant, Defect>> {
        match self {
            Source::Drawn(generator) => generator.next(),
            Source::All(closure) => closure.next(),
        }
    }

    fn is_complete(&self) -> bool {
        matches!(self, Source::All(closure) if closure.end() == Some(End::Exhausted))
    }
}

/// A mutant whose verdict is known.
#[derive(Debug)]
struct Judged {
    number: usize,
    /// A bit for each operator among its edits.
    operators: u64,
    judgement: Judgement,
    /// What it put to the solver, if that is known.
    asked: Option<Asked>,
    /// Let go once the mutant's turn has come, unless it is a flip.
    subject: Option<Arc<Subject>>,
    /// Kept of flips only.
    flip: Option<JudgedFlip>,
}

#[derive(Debug)]
struct JudgedFlip {
    /// The number of edits, and how far declarations are from their places.
    size: (usize, usize),
    edits: Vec<Edit>,
    subject: Arc<Subject>,
    verdict: Verdict,
    output: String,
}

#[derive(Debug, PartialEq, Eq)]
enum Stage {
    Baseline,
    Mutants,
    /// The flip to look at first is run once more.
    Witness {
        started: bool,
    },
    Done,
}

/// The test of one seed.
#[derive(Debug)]
pub(crate) struct Trial<'p> {
    plan: &'p Plan,
    seed: Seed,
    naming: Naming,
    stage: Stage,
    /// Jobs of the baseline that were not given out yet.
    waiting: Vec<What>,
    originals: BTreeMap<u32, Verdict>,
    printed: BTreeMap<u32, Verdict>,
    /// What the printed seed put to the solver, if that is known.
    asked: Option<Asked>,
    layout: Vec<LayoutChange>,
    question: Question,
    profile: Profile,
    source: Source,
    /// Whether no more mutants are to be made.
    is_dry: bool,
    /// Mutants given out.
    made: usize,
    pace: Pace,
    /// Whether all mutants there are have a verdict. That no more could be made is not enough:
    /// whether that was tried before the test stopped depends on the number of threads.
    is_complete: bool,
    /// Verdicts that came before those of earlier mutants, and mutants that went wrong.
    early: BTreeMap<usize, Result<Judged, Defect>>,
    /// Verdicts of all mutants up to some number.
    judged: Vec<Judged>,
    sequential: Option<Sequential>,
    grade: Option<Grade>,
    order: OrderRuleSearch,
    witness: Option<usize>,
    /// With what they are sorted by.
    measurements: Vec<((usize, u32), Measurement)>,
    /// Why there is no answer, and a remedy.
    failure: Option<(Answer, String, Option<String>)>,
    is_interrupted: bool,
}

impl<'p> Trial<'p> {
    pub(crate) fn new(seed: Seed, plan: &'p Plan) -> Trial<'p> {
        let settings = &plan.settings;
        let subject = seed.subject();
        let weights = plan.weights.clone();
        let source = if settings.exhaustive {
            Source::All(Box::new(Closure::new(subject, &weights, settings.mutants)))
        } else {
            Source::Drawn(Box::new(Generator::new(
                subject,
                weights,
                settings.random_seed,
                settings.mutants,
                settings.max_attempts,
            )))
        };
        // Handed out from the end.
        let waiting = vec![
            What::Original { repetition: 1 },
            What::Printed { repetition: 0 },
            What::Original { repetition: 0 },
        ];
        Trial {
            naming: seed.naming(settings.mutants),
            order: OrderRuleSearch::new(subject.len()),
            sequential: settings.confidence.map(Sequential::new),
            plan,
            seed,
            stage: Stage::Baseline,
            waiting,
            originals: BTreeMap::new(),
            printed: BTreeMap::new(),
            asked: None,
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
            grade: None,
            witness: None,
            measurements: Vec::new(),
            failure: None,
            is_interrupted: false,
        }
    }

    /// Whether there is nothing left to do or to wait for.
    pub(crate) fn is_done(&self) -> bool {
        self.stage == Stage::Done
    }

    /// The number of mutants with a verdict, and of flips among them.
    pub(crate) fn progress(&self) -> (usize, usize) {
        let flips = self.judged.iter().filter(|judged| judged.judgement == Judgement::Flip);
        (self.done(), flips.count())
    }

    fn done(&self) -> usize {
        self.judged.len() + self.early.len()
    }

    /// Something to run now, if there is anything.
    pub(crate) fn next_job(&mut self) -> Option<Job> {
        match &mut self.stage {
            Stage::Baseline => {
                let what = self.waiting.pop()?;
                let files = match what {
                    What::Printed { .. } => self.seed.printed_files(),
                    _ => self.seed.original_files(),
                };
                Some(Job { what, validator: None, files })
            }
            Stage::Mutants => self.next_mutant(),
            Stage::Witness { started: started @ false } => {
                *started = true;
                let number = self.witness?;
                let flip = self.flip(number)?;
                let files = self.naming.program(number, &flip.subject);
                Some(Job { what: What::Again { number }, validator: None, files })
            }
            Stage::Witness { started: true } | Stage::Done => None,
        }
    }

    /// Things to run now by one thread of so many: several only if they can share a process.
    pub(crate) fn next_jobs(&mut self, threads: usize, can_share: bool) -> Vec<Job> {
        let mut jobs: Vec<Job> = self.next_job().into_iter().collect();
        let most =
            match jobs.first() {
                // The printed one is next. If there is a thread for each, all are done sooner alone.
                // Files as they were written may mean something else in one file: `#if FILE_1`.
                Some(Job {
                    what: What::Original { repetition: 0 }, files: Files(files), ..
                }) if can_share && threads < BASELINE && files.len() == 1 => 2,
                Some(Job { what: What::Mutant(_), .. }) if can_share => {
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

    /// How many mutants to give to the next process, the one that was made last among them.
    fn mutants_in_a_process(&self, threads: usize) -> usize {
        let settings = &self.plan.settings;
        // The mutants of a seed that fails do so as well, and have to be repeated.
        if self.question != Question::DoesAMutantFail {
            return 1;
        }
        let left = settings.mutants.saturating_sub(self.made) + 1;
        let running = self.made.saturating_sub(1 + self.done());
        let most = self.pace.programs(left, running, threads);
        if settings.until_failure || settings.confidence.is_some() { most.min(FEW) } else { most }
    }

    fn next_mutant(&mut self) -> Option<Job> {
        if self.is_dry {
            return None;
        }
        match self.source.next() {
            Some(Ok(mutant)) => {
                self.made += 1;
                let files = self.naming.program(mutant.number, &mutant.subject);
                let validator = Some(Arc::clone(self.seed.validator()));
                let what = What::Mutant(Box::new(mutant));
                Some(Job { what, validator, files })
            }
            Some(Err(defect)) => {
                self.made += 1;
                self.early.insert(self.made, Err(defect));
                self.end_of_mutants()
            }
            None => self.end_of_mutants(),
        }
    }

    fn end_of_mutants(&mut self) -> Option<Job> {
        self.is_dry = true;
        self.advance();
        // The witness may be next.
        if self.stage == Stage::Mutants { None } else { self.next_job() }
    }

    /// Takes up what came of a job.
    pub(crate) fn complete(&mut self, JobResult { what, settled }: JobResult) {
        if self.is_done() {
            return;
        }
        let settled = match (settled, &what) {
            (Ok(settled), _) => settled,
            // In its turn: the test may be over before.
            (Err(defect), What::Mutant(mutant)) => {
                self.early.insert(mutant.number, Err(defect));
                return self.advance();
            }
            (Err(defect), _) => return self.give_up(&defect),
        };
        self.measure(&what, &settled);
        match &what {
            What::Original { .. } | What::Printed { .. } => self.pace.note_seed(&settled),
            What::Mutant(_) => self.pace.note(&settled),
            What::Again { .. } => {}
        }
        match what {
            What::Original { repetition } => {
                self.originals.insert(repetition, settled.verdict);
                self.compare_baselines();
            }
            What::Printed { repetition } => {
                if repetition == 0 {
                    self.asked = Asked::new(&settled.queries, |name| name);
                }
                self.printed.insert(repetition, settled.verdict);
                self.compare_baselines();
            }
            What::Mutant(mutant) => self.take_up(*mutant, settled),
            What::Again { number } => self.confirm(number, &settled.verdict),
        }
    }

    /// Ends the trial with what is known.
    pub(crate) fn interrupt(&mut self) {
        if self.is_done() {
            return;
        }
        self.is_interrupted = true;
        for judged in std::mem::take(&mut self.early).into_values().flatten() {
            self.push(judged);
        }
        self.look_for_witness();
        self.stage = Stage::Done;
    }

    fn give_up(&mut self, defect: &Defect) {
        let reason = format!("a mutant went wrong: {defect}");
        let help = "this is a bug of mugie: please report it, with the seed";
        self.fail(Answer::CouldNotRun, reason, Some(help));
    }

    fn fail_unstable(&mut self, layout: &str, change: &LayoutChange) {
        let words = |outcome: Option<Outcome>| outcome.map_or("not mentioned", Outcome::words);
        let (one, next) = (words(change.original), words(change.printed));
        let reason = match &change.procedure {
            Some(name) => format!(
                "the seed itself{layout} has no stable verdict: `{name}` is {one} in one run, {next} \
                 in the next"
            ),
            None => format!(
                "the seed itself{layout} has no stable verdict: {one} in one run, {next} in the next"
            ),
        };
        let help = "raise --time-limit, or limit the solver's resources with --rlimit";
        self.fail(Answer::CouldNotRun, reason, Some(help));
    }

    fn fail(&mut self, answer: Answer, reason: impl Into<String>, help: Option<&str>) {
        self.failure = Some((answer, reason.into(), help.map(str::to_owned)));
        self.stage = Stage::Done;
    }

    fn measure(&mut self, what: &What, settled: &Settled) {
        let (order, program) = match what {
            What::Original { repetition } => ((0, *repetition), self.seed.name().to_owned()),
            What::Printed { repetition } => {
                ((0, 1 << 16 | *repetition), format!("{} as printed", self.seed.name()))
            }
            What::Mutant(mutant) => ((mutant.number, 0), self.naming.name(mutant.number)),
            What::Again { number } => ((*number, 1), self.naming.name(*number)),
        };
        let measurement = Measurement {
            program,
            outcome: settled.verdict.outcome,
            cached: settled.cached,
            runs: settled.usage.iter().map(RunMeasurement::from).collect(),
        };
        self.measurements.push((order, measurement));
    }

    /// Decides how to go on once the seed was run as often as planned.
    fn compare_baselines(&mut self) {
        let (Some(first), Some(second), Some(printed)) = (
            self.originals.get(&0).cloned(),
            self.originals.get(&1).cloned(),
            self.printed.get(&0).cloned(),
        ) else {
            return;
        };
        let again = self.printed.get(&1).cloned();
        let (first, second, printed) = (&first, &second, &printed);
        for verdict in [first, second, printed].into_iter().chain(&again) {
            if !verdict.outcome.is_evidence() {
                let reason = verdict.reason.clone().unwrap_or_default();
                let reason = format!("{} on the seed: {reason}", verdict.outcome);
                let command = witness::by_hand(&self.plan.command, self.seed.name());
                let help = format!("run the verifier by hand to see more: {command}");
                return self.fail(Answer::CouldNotRun, reason, Some(&help));
            }
        }
        if let Some(change) = changes(first, second).first() {
            return self.fail_unstable("", change);
        }
        self.layout = changes(first, printed);
        if !self.layout.is_empty() {
            // An accusation takes as many runs of the one layout as of the other.
            let Some(again) = &again else {
                self.waiting.push(What::Printed { repetition: 1 });
                return;
            };
            if let Some(change) = changes(printed, again).first() {
                self.layout.clear();
                return self.fail_unstable(", as it is printed,", change);
            }
        }
        let profile = Profile::new(printed, str::to_owned);
        let verifies = printed.outcome == Outcome::Verified;
        if verifies && profile.is_empty() && self.plan.names_procedures {
            let reason = "there is nothing to verify in it";
            let help = "a seed needs a procedure with a body, or an implementation";
            return self.fail(Answer::SeedFails, reason, Some(help));
        }
        self.profile = profile;
        if !verifies {
            self.question = Question::DoesAMutantPass;
            if !self.plan.settings.failing {
                if !self.layout.is_empty() {
                    // The witness is the layout. There is nothing to compare mutants with.
                    self.stage = Stage::Done;
                    return;
                }
                let reason = printed.reason.clone().unwrap_or_else(|| printed.outcome.to_string());
                let help = match printed.outcome {
                    Outcome::TimedOut => "give it more time with --time-limit",
                    Outcome::OutOfMemory => "give it more memory with --memory-limit",
                    Outcome::OutOfResource => "give the solver more with --rlimit",
                    _ => "make it verify first, or ask with --failing whether a mutant does",
                };
                return self.fail(Answer::SeedFails, reason, Some(help));
            }
        }
        self.stage = Stage::Mutants;
    }

    /// Takes up the verdict of a mutant, in its turn.
    fn take_up(&mut self, mutant: Mutant, settled: Settled) {
        let Settled { verdict, output, queries, .. } = settled;
        let names = mutant.subject.procedure_names(self.seed.subject());
        let asked = Asked::new(&queries, |name| names.in_seed(name));
        let profile = Profile::new(&verdict, |name| names.in_seed(name).to_owned());
        let judgement = judge(self.question, &self.profile, &profile, &verdict);
        let Mutant { number, edits, subject, .. } = mutant;
        let operators = edits.iter().fold(0, |bits, edit| bits | bit(&edit.operator));
        let flip = (judgement == Judgement::Flip).then(|| JudgedFlip {
            size: (edits.len(), inversions(&subject.seed_order())),
            edits,
            subject: Arc::clone(&subject),
            verdict,
            output,
        });
        let judged = Judged { number, operators, judgement, asked, subject: Some(subject), flip };
        self.early.insert(number, Ok(judged));
        self.advance();
    }

    /// Goes on as far as the verdicts reach.
    fn advance(&mut self) {
        while self.stage == Stage::Mutants
            && let Some(judged) = self.early.remove(&(self.judged.len() + 1))
        {
            let judged = match judged {
                Ok(judged) => judged,
                Err(defect) => return self.give_up(&defect),
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
        if self.stage == Stage::Mutants && self.is_dry && self.judged.len() == self.made {
            self.is_complete = self.source.is_complete();
            self.look_for_witness();
        }
    }

    fn push(&mut self, mut judged: Judged) {
        if let Some(subject) = judged.subject.take()
            && !matches!(judged.judgement, Judgement::Trouble(..))
        {
            self.order.add(&subject.seed_order(), judged.judgement == Judgement::Flip);
        }
        self.judged.push(judged);
    }

    /// The flip with the smallest change gets a second run, if there is a flip.
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

    /// The second verdict of the witness is there.
    fn confirm(&mut self, number: usize, again: &Verdict) {
        let first = self.flip(number).map(|flip| flip.verdict.outcome);
        if first == Some(again.outcome) {
            self.stage = Stage::Done;
            return;
        }
        // Not a fact about the mutant. So it does not count, and another one is looked for.
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
        // What stopped the test may have been this flip.
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

    /// Where the verdict of a mutant is.
    fn index(&self, number: usize) -> Result<usize, usize> {
        self.judged.binary_search_by_key(&number, |judged| judged.number)
    }
}

/// Takes a mutant into account for the sequential rule, if it says anything.
fn step(sequential: &mut Option<Sequential>, judgement: &Judgement) -> Option<Grade> {
    match judgement {
        Judgement::Trouble(..) => None,
        judgement => sequential.as_mut()?.step(*judgement == Judgement::Flip),
    }
}

/// The bit that stands for an operator.
pub(crate) fn bit(id: &str) -> u64 {
    let number = operators::ALL.iter().position(|operator| operator.about().id() == id);
    number.map_or(0, |number| 1 << number)
}

#[cfg(test)]
pub(crate) mod tests {
    use bpl_syntax::Dialect;
    use mugie_verifiers::Procedure;

    use super::*;
    use crate::report::{SeedReport, Speed};

    pub(crate) fn seed() -> Seed {
        let text = "const a: int; const b: int; const c: int; procedure p() { assert true; }";
        let sources = bpl_syntax::source::SourceMap::single("seed.bpl", text).unwrap();
        let parsed = bpl_syntax::parse_files(&sources, Dialect::Boogie2);
        Seed::new("seed.bpl".to_owned(), &parsed.program, sources, bpl_check::Options::default())
    }

    /// All orders of the declarations.
    pub(crate) fn plan() -> Plan {
        let settings = Settings {
            operators: "S1".to_owned(),
            mutants: 1000,
            exhaustive: true,
            random_seed: 1,
            max_attempts: 10_000,
            time_limit: 20.0,
            cpu_limit: None,
            memory_limit: None,
            resource_limit: None,
            confirm: 0,
            until_failure: false,
            confidence: None,
            failing: false,
            speed: Speed::default(),
        };
        Plan {
            weights: Weights::parse(&settings.operators).unwrap(),
            settings,
            command: Vec::new(),
            names_procedures: true,
            mutate: Vec::new(),
        }
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

    /// Runs a trial with so many jobs at once, of which the last one given out ends first. The
    /// outcome of a mutant depends on its number and the repetition; the seed has number 0.
    fn run(plan: &Plan, at_once: usize, outcome: impl Fn(usize, u32) -> Outcome) -> SeedReport {
        let mut trial = Trial::new(seed(), plan);
        let mut jobs = Vec::new();
        while !trial.is_done() {
            while jobs.len() < at_once
                && let Some(job) = trial.next_job()
            {
                jobs.push(job);
            }
            let Some(job) = jobs.pop() else { break };
            let (number, printed) = match &job.what {
                What::Original { .. } => (0, false),
                What::Printed { .. } => (0, true),
                What::Mutant(mutant) => (mutant.number, false),
                What::Again { number } => (*number, false),
            };
            let result = job.run(|_, repetition| {
                let repetition = if printed { 10 + repetition } else { repetition };
                Some(Settled {
                    verdict: verdict(outcome(number, repetition)),
                    output: String::new(),
                    usage: Vec::new(),
                    unsteady: false,
                    cached: false,
                    queries: Vec::new(),
                    together: false,
                })
            });
            trial.complete(result.unwrap());
        }
        assert!(trial.is_done(), "the trial has no job left and is not done");
        trial.finish().report
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
        plan.weights = Weights::parse("paper").unwrap();
        plan.settings.exhaustive = false;
        plan.settings.confidence = Some(0.9);
        // Two flips at the beginning would settle it.
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
