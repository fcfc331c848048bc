//! Fair controls: before an answer accuses a program, runs that share nothing tell a difference from chance.
//!
//! An accusation compares two programs: the seed, and a mutant or the seed in another layout. Each is
//! run again, alone and at the same time as the other, and the seed also under other names, in another
//! folder, with a log and behind the proxy. The first two runs of the same bytes with different verdicts
//! end it: the answer is that verdicts vary, never that the program is brittle. A difference that every run
//! with another name, folder or log shows is a finding of its own.
//!
//! `book/src/statistics.md` has the calculation behind the numbers of runs.

use std::ops::ControlFlow;

use mugie_core::{Answer, Files, Outcome, Verdict};
use mugie_exec::pool::{self, InOrderEvent};
use mugie_exec::{Executor, Request};
use mugie_results::controls::{Circumstance, Controls, Difference, Moved};
use mugie_results::result::{Question, SeedReport};
use mugie_results::verifies;

use crate::baseline::Step;
use crate::judge::changes;
use crate::seed::OpenSeed;
use crate::seed_test::{CHANCE_HELP, Finished, SeedArtifacts};
use crate::solver_work::solver_work;

/// Further runs of the seed alone. Raising it finds rarer changes of the verdict, for a run each.
const ALONE: usize = 4;

/// Further runs of the other program alone, after the second run that confirmed it. Raising it makes it
/// less likely to take chance for brittleness, for a run each.
const AGAIN: usize = 2;

/// Runs of both programs at the same time. Raising it does as both of the above.
const COMPANY: usize = 2;

/// Runs that must all differ before a circumstance is blamed. Raising it makes it less likely to take
/// chance for a circumstance; the runs are made only if the first one differs.
const BLAMED: usize = 5;

/// Runs behind the proxy that look for what moved, if verdicts vary.
const SEARCH: usize = 3;

/// The folder of runs that are to have the same folder.
const FOLDER: &str = "control";

/// Another folder, whose name is longer.
const OTHER_FOLDER: &str = "control-of-the-folder";

/// Before the name of a file that has no other name by itself.
const OTHER_FILE: &str = "other-";

/// A program whose verdict varied during the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The seed as its author wrote it.
    Original,
    /// The seed in its canonical layout.
    Printed,
    /// The mutant to look at first.
    Mutant,
}

/// Two runs of a test with different verdicts on the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Varied {
    /// The program.
    pub subject: Subject,
    /// The outcomes.
    pub outcomes: [Option<Outcome>; 2],
}

/// Starts an executor.
pub type Start<'t> = dyn Fn() -> Option<Box<dyn Executor + 't>> + Sync + 't;

/// The runs that controls need. None of them may be answered from a cache.
#[derive(Clone, Copy)]
pub struct Tools<'t> {
    /// Plain runs, in which a timeout must be confirmed.
    pub plain: &'t dyn Executor,
    /// Plain runs, each of which counts.
    pub once: &'t dyn Executor,
    /// Plain runs with a log of the solver's queries, if the verifier can write one.
    pub logging: Option<&'t dyn Executor>,
    /// Starts an executor with the accelerations of the test and no earlier answers, if there were any.
    pub fast: Option<&'t Start<'t>>,
}

/// Whether a report needs controls.
pub fn are_needed(Finished { report, kept }: &Finished) -> bool {
    let is_accused = match report.answer {
        Answer::Brittle => report.witness.is_some() || !report.layout.is_empty(),
        Answer::Nondeterministic => kept.varied.is_some(),
        _ => false,
    };
    is_accused && report.controls.is_none() && !report.counts.interrupted && kept.seed.is_some()
}

/// Makes the runs, and takes what they show into the report.
pub fn settle(finished: &mut Finished, tools: Tools<'_>) {
    let Finished { report, kept } = finished;
    let Some(seed) = kept.seed.clone() else { return };
    let mut record = Controls::default();
    let ended = match kept.varied.filter(|_| report.answer == Answer::Nondeterministic) {
        Some(varied) => doubt(report, kept, &seed, varied, tools, &mut record),
        None => accuse(report, kept, &seed, tools, &mut record),
    };
    match ended {
        // What looked like chance comes each time.
        Ok(()) if report.answer == Answer::Nondeterministic => {
            report.answer = Answer::Brittle;
            (report.reason, report.help) = (None, None);
        }
        Ok(()) => {}
        Err(Stopped::Cancelled) => {
            record.interrupted = true;
            report.counts.interrupted = true;
        }
        Err(Stopped::Varies { reason, moved }) => {
            record.moved = Some(moved);
            report.answer = Answer::Nondeterministic;
            report.reason = reason.or(report.reason.take());
            report.help = Some(help(report, moved).to_owned());
            // None of these is established any more.
            report.layout.clear();
            (report.rule, report.grade) = (None, None);
        }
    }
    report.controls = Some(record);
}

/// What to do about verdicts that vary.
fn help(report: &SeedReport, moved: Moved) -> &'static str {
    match moved {
        _ if report.chance.is_some() => CHANCE_HELP,
        Moved::Limit => "raise --time-limit, or limit the solver's resources with --rlimit",
        Moved::Company => {
            "look for files, ports or processors that runs share; with -j 1 there is one run at a time"
        }
        Moved::Query => {
            "the verifier asks its solver something else in each run: report that to its authors"
        }
        Moved::Nothing => {
            "look for random numbers, threads and times in the verifier and its solver"
        }
    }
}

/// Why the runs ended early.
enum Stopped {
    /// They were cancelled.
    Cancelled,
    /// The same bytes got different verdicts.
    Varies {
        /// Which bytes did, unless it was known before.
        reason: Option<String>,
        moved: Moved,
    },
}

/// A program that is run again and again.
#[derive(Clone)]
struct Side {
    /// Its name in messages.
    name: String,
    request: Request,
    /// Whether it verifies; `None` if goals are compared instead.
    verifies: Option<bool>,
    /// The first verdict of these runs.
    first: Option<Verdict>,
    /// The outcomes of runs alone.
    alone: Vec<Outcome>,
    /// The outcomes of runs at the same time as another one.
    in_company: Vec<Outcome>,
}

impl Side {
    fn new(name: impl Into<String>, request: Request, verifies: Option<bool>) -> Side {
        let (alone, in_company) = (Vec::new(), Vec::new());
        Side { name: name.into(), request, verifies, first: None, alone, in_company }
    }

    /// Whether a verdict on the program is the usual one; `None` if it is no evidence.
    fn is_usual(&self, verdict: &Verdict) -> Option<bool> {
        let now = verifies(verdict.outcome)?;
        Some(match (self.verifies, &self.first) {
            (Some(usually), _) => now == usually,
            (None, Some(first)) => changes(first, verdict).is_empty(),
            (None, None) => true,
        })
    }

    /// Takes a verdict into account, and says whether it is the usual one.
    fn take(&mut self, verdict: &Verdict) -> Option<bool> {
        let is_usual = self.is_usual(verdict)?;
        self.first.get_or_insert_with(|| verdict.clone());
        Some(is_usual)
    }

    /// The executor of its runs: a timeout must be confirmed, unless it is the usual verdict.
    fn executor<'t>(&self, tools: Tools<'t>) -> &'t dyn Executor {
        if self.verifies == Some(false) { tools.once } else { tools.plain }
    }

    /// The outcomes of all runs.
    fn outcomes(&self) -> impl Iterator<Item = Outcome> {
        self.alone.iter().chain(&self.in_company).copied()
    }

    /// The end of the runs because verdicts on the program vary.
    fn varies(&self, moved: Option<Moved>, tools: Tools<'_>) -> Stopped {
        let (name, all) = (&self.name, self.outcomes().count());
        let verified = self.outcomes().filter(|it| *it == Outcome::Verified).count();
        let runs = if all == 1 { "a further run" } else { "further runs" };
        let reason = if verified > 0 && verified < all {
            format!("{name} is verified in {verified} of {all} {runs}")
        } else if verified == all {
            format!("{name} is verified in {runs}, and was not before")
        } else {
            format!("{name} has another verdict in {runs} than before")
        };
        let moved = moved.or_else(|| limit(self.outcomes()));
        let moved = moved.unwrap_or_else(|| what_moved(&self.request, tools));
        Stopped::Varies { reason: Some(reason), moved }
    }
}

/// Whether the queries to the solver move, as far as runs behind the proxy show that.
fn what_moved(request: &Request, tools: Tools<'_>) -> Moved {
    let Some(fast) = tools.fast else { return Moved::Nothing };
    let mut problems = Vec::new();
    for _ in 0..SEARCH {
        let settled = fast().and_then(|fast| (*fast).settle(request.clone()));
        let Some(settled) = settled else { break };
        let work = solver_work(&settled.verdict, &settled.queries, |name| name);
        problems.extend(work.and_then(|work| work.problem()));
    }
    problems.dedup();
    if problems.len() > 1 { Moved::Query } else { Moved::Nothing }
}

/// A verdict, unless the runs were cancelled.
fn verdict(executor: &dyn Executor, request: Request) -> Result<Verdict, Stopped> {
    executor.settle(request).map(|settled| settled.verdict).ok_or(Stopped::Cancelled)
}

/// The request in the folder that all runs have that are to have the same one.
fn in_folder(request: &Request, name: &str) -> Request {
    Request { folder: Some(name.to_owned()), ..request.clone() }
}

/// Runs a program alone.
fn alone(side: &mut Side, tools: Tools<'_>) -> Result<(), Stopped> {
    let verdict = verdict(side.executor(tools), in_folder(&side.request, FOLDER))?;
    let Some(is_usual) = side.take(&verdict) else { return Ok(()) };
    side.alone.push(verdict.outcome);
    if is_usual { Ok(()) } else { Err(side.varies(None, tools)) }
}

/// Runs two programs at the same time, whatever the number of threads of the test.
fn together(one: &Side, other: &Side, tools: Tools<'_>) -> Result<Vec<Verdict>, Stopped> {
    let runs = [one, other].map(|side| (side.executor(tools), side.request.clone()));
    let mut verdicts = Vec::new();
    let work = |(executor, request): (&dyn Executor, Request)| {
        (verdict(executor, request), ControlFlow::Continue(()))
    };
    let done = pool::in_order(runs.into_iter(), 2, work, |event| {
        if let InOrderEvent::Done(verdict) = event {
            verdicts.push(verdict);
        }
    });
    done.map_err(|_| Stopped::Cancelled)?;
    verdicts.into_iter().collect()
}

/// Runs both programs at the same time, each as company of the other.
fn in_company(seed: &mut Side, other: &mut Side, tools: Tools<'_>) -> Result<(), Stopped> {
    let mut is_doubtful = false;
    let mut is_blamed = true;
    for _ in 0..COMPANY {
        let verdicts = together(seed, other, tools)?;
        let sides = [&mut *seed, &mut *other];
        for (place, (side, verdict)) in sides.into_iter().zip(&verdicts).enumerate() {
            let Some(is_usual) = side.take(verdict) else { continue };
            side.in_company.push(verdict.outcome);
            if !is_usual && place == 1 {
                return Err(side.varies(None, tools));
            }
            is_doubtful |= !is_usual;
            is_blamed &= !is_usual || place == 1;
        }
    }
    if !is_doubtful {
        return Ok(());
    }
    // Company is to blame only if no run in company is as those alone.
    let is_blamed = is_blamed && limit(seed.outcomes()).is_none();
    Err(seed.varies(is_blamed.then_some(Moved::Company), tools))
}

/// The name of the mutant to look at first, and the request for it under the names that it was judged with.
fn witness(
    report: &SeedReport,
    kept: &SeedArtifacts,
    seed: &OpenSeed,
) -> Option<(String, Request)> {
    let name = &report.witness.as_ref()?.mutant;
    let place = report.flips.iter().position(|flip| flip.mutant == *name)?;
    let program = &kept.flips.get(place)?.program;
    let texts = program.texts().into_iter().map(|file| file.text);
    let files = Files(report.flips[place].files.iter().cloned().zip(texts).collect());
    let request = Request::new(seed.seed().language().id(), files);
    Some((name.clone(), Request { sharing: program.sharing(), ..request }))
}

/// The runs before an accusation by layout, and those before one by mutants.
fn accuse(
    report: &SeedReport,
    kept: &SeedArtifacts,
    seed: &OpenSeed,
    tools: Tools<'_>,
    record: &mut Controls,
) -> Result<(), Stopped> {
    let original = seed.baseline_request(Step::Original { repetition: 0 });
    let sharing = seed.program().sharing();
    let printed = Request { sharing, ..seed.baseline_request(Step::COMPARED) };
    let witness = witness(report, kept, seed);
    if !report.layout.is_empty() {
        // Goals are compared one by one: both programs may fail.
        let mut one = Side::new("the seed itself", original, None);
        let mut other = Side::new("the seed as it is printed", printed.clone(), None);
        compare(&mut one, &mut other, tools, record)?;
        let verdicts = one.first.as_ref().zip(other.first.as_ref());
        if verdicts.is_some_and(|(one, other)| changes(one, other).is_empty()) {
            return Err(other.varies(None, tools));
        }
        if witness.is_none() {
            return circumstances(&one, &other, tools, record);
        }
    }
    let Some((name, request)) = witness else { return Ok(()) };
    let of_seed = report.question == Question::DoesAMutantFail;
    let mut seed = Side::new("the seed itself", printed, Some(of_seed));
    let mut mutant = Side::new(name, request, Some(!of_seed));
    compare(&mut seed, &mut mutant, tools, record)?;
    circumstances(&seed, &mutant, tools, record)
}

/// Runs two programs again, each alone and at the same time as the other.
fn compare(
    seed: &mut Side,
    other: &mut Side,
    tools: Tools<'_>,
    record: &mut Controls,
) -> Result<(), Stopped> {
    // The other program first: what happened by chance hardly ever happens again.
    let ended = (0..AGAIN)
        .try_for_each(|_| alone(other, tools))
        .and_then(|()| (0..ALONE).try_for_each(|_| alone(seed, tools)))
        .and_then(|()| in_company(seed, other, tools));
    record.alone.clone_from(&seed.alone);
    record.in_company.clone_from(&seed.in_company);
    record.other = other.outcomes().collect();
    ended
}

/// Runs the seed under other names, in another folder, with a log and behind the proxy.
fn circumstances(
    seed: &Side,
    other: &Side,
    tools: Tools<'_>,
    record: &mut Controls,
) -> Result<(), Stopped> {
    for circumstance in Circumstance::ALL {
        let Some(first) = run_in(circumstance, seed, other, tools)? else { continue };
        let Some(is_usual) = seed.is_usual(&first) else { continue };
        record.tried.push(circumstance);
        if is_usual {
            continue;
        }
        // The first difference may be chance: it must come each time, and only in this circumstance.
        let mut usual = seed.clone();
        for _ in 1..BLAMED {
            let again = run_in(circumstance, seed, other, tools)?;
            if again.is_some_and(|again| seed.is_usual(&again) == Some(true)) {
                let name = &seed.name;
                let reason = format!("{name} gets different verdicts {}", circumstance.in_words());
                let moved = limit([first.outcome]);
                let moved = moved.unwrap_or_else(|| what_moved(&seed.request, tools));
                return Err(Stopped::Varies { reason: Some(reason), moved });
            }
            alone(&mut usual, tools)?;
        }
        record.differences.push(Difference {
            circumstance,
            usual: usual.alone.last().copied().unwrap_or(Outcome::ToolError),
            changed: first.outcome,
            explains: circumstance == Circumstance::FileName && is_like_seed(seed, other, tools)?,
        });
    }
    Ok(())
}

/// The verdict on the seed in a circumstance; `None` if there is no such circumstance.
fn run_in(
    circumstance: Circumstance,
    seed: &Side,
    other: &Side,
    tools: Tools<'_>,
) -> Result<Option<Verdict>, Stopped> {
    let plain = seed.executor(tools);
    Ok(Some(match circumstance {
        Circumstance::FileName => {
            let files = renamed(&seed.request.files, &other.request.files);
            let request = Request { files, ..seed.request.clone() };
            verdict(plain, in_folder(&request, FOLDER))?
        }
        Circumstance::Folder => verdict(plain, in_folder(&seed.request, OTHER_FOLDER))?,
        Circumstance::Log => {
            let Some(logging) = tools.logging else { return Ok(None) };
            verdict(logging, in_folder(&seed.request, FOLDER))?
        }
        Circumstance::Proxy => {
            let Some(fast) = tools.fast else { return Ok(None) };
            let fast = fast().ok_or(Stopped::Cancelled)?;
            accelerated(&*fast, &seed.request, Some(&other.request)).ok_or(Stopped::Cancelled)?
        }
    }))
}

/// The verdict on a program as the test judges mutants: behind the proxy, and in a process with another
/// program if they may share one.
fn accelerated(
    fast: &dyn Executor,
    request: &Request,
    company: Option<&Request>,
) -> Option<Verdict> {
    let requests: Vec<Request> =
        std::iter::once(request).chain(company.filter(|_| fast.can_share())).cloned().collect();
    let mut found = None;
    fast.verify(&requests, &mut |place, settled| {
        if place > 0 {
            return ControlFlow::Continue(());
        }
        found = Some(settled.verdict);
        ControlFlow::Break(())
    });
    found
}

/// Files with the names of others, or with other names than theirs if these have the same.
fn renamed(Files(files): &Files, Files(others): &Files) -> Files {
    let is_known = |name: &str| files.iter().any(|(known, _)| known == name);
    let new = |place: usize, name: &str| match others.get(place) {
        Some((other, _)) if files.len() == others.len() && !is_known(other) => other.clone(),
        _ => format!("{OTHER_FILE}{name}"),
    };
    let files = files.iter().enumerate();
    Files(files.map(|(place, (name, text))| (new(place, name), text.clone())).collect())
}

/// Whether a mutant has the seed's verdict if its files have the names of the seed's: then the names alone
/// make the difference.
fn is_like_seed(seed: &Side, mutant: &Side, tools: Tools<'_>) -> Result<bool, Stopped> {
    let (Some(verifies), true) =
        (seed.verifies, seed.request.files.0.len() == mutant.request.files.0.len())
    else {
        return Ok(false);
    };
    let files = renamed(&mutant.request.files, &seed.request.files);
    let request = Request { files, ..mutant.request.clone() };
    let side = Side::new(mutant.name.clone(), request, Some(verifies));
    for _ in 0..BLAMED {
        let verdict = verdict(side.executor(tools), in_folder(&side.request, FOLDER))?;
        if side.is_usual(&verdict) != Some(true) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A limit, if one was reached in some of the runs.
fn limit(outcomes: impl IntoIterator<Item = Outcome>) -> Option<Moved> {
    outcomes.into_iter().any(Outcome::depends_on_machine).then_some(Moved::Limit)
}

/// Looks for what moved between two runs of a test. If the first was accelerated and the second was not,
/// the runs were not the same: fine if every run behind the proxy differs from every plain one.
fn doubt(
    report: &SeedReport,
    kept: &SeedArtifacts,
    seed: &OpenSeed,
    varied: Varied,
    tools: Tools<'_>,
    record: &mut Controls,
) -> Result<(), Stopped> {
    let stopped = |moved| Stopped::Varies { reason: None, moved };
    let known = limit(varied.outcomes.into_iter().flatten());
    if report.chance.is_some() {
        return Err(stopped(Moved::Query));
    }
    let Some(fast) = tools.fast else { return Err(stopped(known.unwrap_or(Moved::Nothing))) };
    let (name, request) = match varied.subject {
        Subject::Original => {
            ("the seed".to_owned(), seed.baseline_request(Step::Original { repetition: 0 }))
        }
        Subject::Printed => ("the seed".to_owned(), seed.baseline_request(Step::COMPARED)),
        Subject::Mutant => {
            let Some(witness) = witness(report, kept, seed) else {
                return Err(stopped(known.unwrap_or(Moved::Nothing)));
            };
            witness
        }
    };
    let mut side = Side::new(name, request, None);
    let plain = (0..ALONE).try_for_each(|_| alone(&mut side, tools));
    match varied.subject {
        Subject::Mutant => record.other.clone_from(&side.alone),
        Subject::Original | Subject::Printed => record.alone.clone_from(&side.alone),
    }
    match plain {
        Err(Stopped::Varies { moved, .. }) => return Err(stopped(known.unwrap_or(moved))),
        plain => plain?,
    }
    let mut changed = None;
    for _ in 0..BLAMED {
        let fast = fast().ok_or(Stopped::Cancelled)?;
        let verdict = accelerated(&*fast, &side.request, None).ok_or(Stopped::Cancelled)?;
        if side.is_usual(&verdict) != Some(false) {
            return Err(stopped(known.unwrap_or_else(|| what_moved(&side.request, tools))));
        }
        changed = Some(verdict.outcome);
    }
    record.tried.push(Circumstance::Proxy);
    let outcomes = side.alone.first().copied().zip(changed);
    record.differences.extend(outcomes.map(|(usual, changed)| Difference {
        circumstance: Circumstance::Proxy,
        usual,
        changed,
        explains: varied.subject == Subject::Mutant,
    }));
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use mugie_core::Artifact;
    use mugie_exec::{Key, OnSettled, Settled};

    use super::*;
    use crate::seed_test::tests::{finished, protocol, seed};

    use Outcome::{Crashed, Failed, TimedOut, Verified};

    /// An executor that decides by a function of the request, the number of the run of these bytes, and the
    /// number of runs at the time.
    struct Fake<F> {
        outcome: F,
        runs: Mutex<Vec<Files>>,
        at_once: AtomicUsize,
    }

    impl<F: Fn(&Request, usize) -> Outcome + Sync> Fake<F> {
        fn new(outcome: F) -> Fake<F> {
            Fake { outcome, runs: Mutex::default(), at_once: AtomicUsize::new(0) }
        }
    }

    impl<F: Fn(&Request, usize) -> Outcome + Sync> Executor for Fake<F> {
        fn identity(&self) -> String {
            "fake".to_owned()
        }

        fn key(&self, _: &Request) -> Key {
            Key::default()
        }

        fn capacity(&self) -> usize {
            1
        }

        fn can_share(&self) -> bool {
            false
        }

        fn verify(&self, requests: &[Request], each: OnSettled<'_>) {
            self.at_once.fetch_add(1, Ordering::SeqCst);
            for (place, request) in requests.iter().enumerate() {
                let number = {
                    let mut runs = self.runs.lock().unwrap();
                    let is_same = |files: &&Files| files.0[0].1 == request.files.0[0].1;
                    let number = runs.iter().filter(is_same).count();
                    runs.push(request.files.clone());
                    number
                };
                let verdict = Verdict::of_program((self.outcome)(request, number), "so");
                let _ = each(place, Settled::of_run(verdict, String::new(), Vec::new()));
            }
            self.at_once.fetch_sub(1, Ordering::SeqCst);
        }

        fn artifacts(&self, _: &str, _: &Files) -> Option<Vec<Artifact>> {
            None
        }

        fn cancel(&self) {}

        fn is_cancelled(&self) -> bool {
            false
        }
    }

    /// A seed of which one mutant fails.
    fn brittle() -> Finished {
        let of = |number, _| if number == 3 { Failed } else { Verified };
        finished(seed(), &protocol(), 1, of)
    }

    /// Whether a request is for the seed.
    fn is_seed(request: &Request) -> bool {
        request.files.0[0].1 == seed().printed()
    }

    /// Settles an accusation by plain runs with these outcomes; and the number of the runs.
    fn settled(outcome: impl Fn(&Request, usize) -> Outcome + Sync) -> (Finished, usize) {
        let mut finished = brittle();
        assert!(are_needed(&finished));
        let fake = Fake::new(outcome);
        settle(
            &mut finished,
            Tools { plain: &fake, once: &fake, logging: Some(&fake), fast: None },
        );
        assert!(!are_needed(&finished), "they are made once");
        let runs = fake.runs.lock().unwrap().len();
        (finished, runs)
    }

    fn usual(request: &Request, _: usize) -> Outcome {
        if is_seed(request) { Verified } else { Failed }
    }

    #[test]
    fn a_repeatable_difference_stays_brittle_after_a_bounded_number_of_runs() {
        let (Finished { report, .. }, runs) = settled(usual);
        let controls = report.controls.unwrap();
        assert_eq!(report.answer, Answer::Brittle);
        assert_eq!((controls.alone.len(), controls.in_company.len()), (ALONE, COMPANY));
        assert_eq!((controls.other, controls.moved), (vec![Failed; AGAIN + COMPANY], None));
        let (file, folder, log) = (Circumstance::FileName, Circumstance::Folder, Circumstance::Log);
        assert_eq!((controls.tried, controls.differences), (vec![file, folder, log], Vec::new()));
        assert_eq!(runs, AGAIN + ALONE + 2 * COMPANY + 3);
    }

    #[test]
    fn the_first_pair_of_the_same_bytes_with_different_verdicts_ends_it() {
        let (Finished { report, .. }, runs) = settled(|_, _| Verified);
        assert_eq!((report.answer, runs), (Answer::Nondeterministic, 1));
        let last_of_seed = ALONE + COMPANY - 1;
        for odd in [Failed, TimedOut] {
            let (Finished { report, .. }, _) = settled(|request, number| {
                if is_seed(request) && number == last_of_seed { odd } else { usual(request, 0) }
            });
            assert_eq!(report.answer, Answer::Nondeterministic);
            let moved = if odd == TimedOut { Moved::Limit } else { Moved::Nothing };
            assert_eq!(report.controls.unwrap().moved, Some(moved));
            let all = ALONE + COMPANY;
            let words = format!("the seed itself is verified in {} of {all} further runs", all - 1);
            assert_eq!(report.reason.as_deref(), Some(words.as_str()));
        }
    }

    #[test]
    fn trouble_with_the_tool_decides_nothing() {
        let (Finished { report, .. }, _) =
            settled(|request, number| if number == 1 { Crashed } else { usual(request, 0) });
        assert_eq!(report.answer, Answer::Brittle);
        assert_eq!(report.controls.unwrap().alone.len(), ALONE - 1);
    }

    #[test]
    fn company_is_to_blame_if_every_run_in_company_differs() {
        let (Finished { report, .. }, _) = settled(|request, _| {
            let is_alone = request.folder.is_some();
            if is_seed(request) && !is_alone { Failed } else { usual(request, 0) }
        });
        assert_eq!(report.answer, Answer::Nondeterministic);
        assert_eq!(report.controls.unwrap().moved, Some(Moved::Company));
    }

    #[test]
    fn names_and_folders_are_findings_of_their_own() {
        // The verifier fails whatever is in the file of a mutant.
        let by_name = |request: &Request, _: usize| {
            if request.files.0[0].0.contains("-0") { Failed } else { Verified }
        };
        let (Finished { report, .. }, _) = settled(by_name);
        let controls = report.controls.unwrap();
        assert_eq!((report.answer, controls.moved), (Answer::Brittle, None));
        assert!(controls.explain_mutants());
        let of = |controls: &Controls| {
            controls.differences.iter().map(|it| (it.circumstance, it.usual, it.changed)).collect()
        };
        let found: Vec<_> = of(&controls);
        assert_eq!(found, [(Circumstance::FileName, Verified, Failed)]);
        let by_folder = |request: &Request, _: usize| {
            let is_other = request.folder.as_deref() == Some(OTHER_FOLDER);
            if is_other { Failed } else { usual(request, 0) }
        };
        let (Finished { report, .. }, _) = settled(by_folder);
        let controls = report.controls.unwrap();
        let found: Vec<_> = of(&controls);
        assert_eq!(found, [(Circumstance::Folder, Verified, Failed)]);
        assert!(report.answer == Answer::Brittle && !controls.explain_mutants());
        // What happens in another folder once is chance.
        let once = |request: &Request, number: usize| {
            let is_other = request.folder.as_deref() == Some(OTHER_FOLDER);
            if is_other && number == ALONE + COMPANY + 1 { Failed } else { usual(request, 0) }
        };
        let (Finished { report, .. }, _) = settled(once);
        assert_eq!(report.answer, Answer::Nondeterministic, "{:?}", report.controls);
        assert!(report.reason.unwrap().ends_with("in a folder of another name"));
    }

    #[test]
    fn a_proxy_that_changes_the_verdict_each_time_is_no_nondeterminism() {
        // The mutant failed behind the proxy, and did not in the plain run after that.
        let of = |number, run| if number == 3 && run == 0 { Failed } else { Verified };
        let by_chance = protocol();
        let begin = || finished(seed(), &by_chance, 1, of);
        assert_eq!(begin().report.answer, Answer::Nondeterministic);
        let plain = Fake::new(|_, _| Verified);
        for (always, answer) in [(true, Answer::Brittle), (false, Answer::Nondeterministic)] {
            let fast = || {
                let outcome = if always { Failed } else { Verified };
                Some(Box::new(Fake::new(move |_, _| outcome)) as Box<dyn Executor>)
            };
            let mut finished = begin();
            let tools = Tools { plain: &plain, once: &plain, logging: None, fast: Some(&fast) };
            settle(&mut finished, tools);
            assert_eq!(finished.report.answer, answer);
            let controls = finished.report.controls.unwrap();
            let found: Vec<_> = controls.differences.iter().map(|it| it.circumstance).collect();
            assert_eq!(found == [Circumstance::Proxy], always, "{controls:?}");
        }
    }

    #[test]
    fn layout_is_not_blamed_if_verdicts_vary() {
        let of = |number, run| if number == 0 && run >= 10 { Failed } else { Verified };
        let printed_fails = |is_certain: bool| {
            let mut finished = finished(seed(), &protocol(), 1, of);
            assert_eq!(finished.report.layout.len(), 1);
            let fake = Fake::new(|request: &Request, number| {
                let is_printed = request.files.0[0].1 == seed().printed();
                if is_printed && (is_certain || number == 0) { Failed } else { Verified }
            });
            settle(&mut finished, Tools { plain: &fake, once: &fake, logging: None, fast: None });
            finished.report
        };
        let report = printed_fails(true);
        assert_eq!((report.answer, report.layout.len()), (Answer::Brittle, 1));
        let report = printed_fails(false);
        assert_eq!((report.answer, report.layout.len()), (Answer::Nondeterministic, 0));
    }
}
