//! Tests of many seeds at once: hands the jobs of all trials to some threads.
//!
//! Whoever is free takes the first job there is, in the order of the seeds; a new seed is opened
//! only if those under way have no job to give. So the first answers come early, and all threads
//! have work until the last seed runs out of it.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use mugie_verifiers::supervise::Supervisor;

use crate::report::{Answer, SeedReport};
use crate::runs::Runner;
use crate::seed::Seed;
use crate::trial::{Finished, Job, JobResult, Kept, Plan, Trial};

/// Stack of a worker: room for trees of the greatest height. Reserved only.
const STACK: usize = 256 << 20;

/// How often an [`Event::Tick`] comes while there is nothing else to report.
const TICK: Duration = Duration::from_millis(200);

/// A seed that cannot be tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// What to answer: that it could not run, or that there was no time for it.
    pub answer: Answer,
    /// What it is called.
    pub name: String,
    /// Its files.
    pub files: Vec<String>,
    /// Why, in a lower-case fragment.
    pub reason: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// What a test reports while it runs.
#[derive(Debug)]
pub enum Event {
    /// A seed is done. They come in the order given.
    Finished(Box<Finished>),
    /// How far the test is.
    Tick(Progress),
}

/// How far a test is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Seeds that are done.
    pub seeds: usize,
    /// Mutants with a verdict.
    pub mutants: usize,
    /// Flips among them.
    pub flips: usize,
}

/// What the threads share.
struct State<'p> {
    /// Trials under way, by the number of the seed.
    trials: BTreeMap<usize, Trial<'p>>,
    /// The next seed to open.
    next: usize,
    /// Seeds that are being read.
    opening: usize,
    /// What the seeds that are done have added up to.
    done: Progress,
}

/// One thing for a thread to do.
enum Task {
    Open(usize),
    Run(usize, Vec<Job>),
    /// Some seed turned out to be done when it was asked for a job.
    Collect,
}

/// Tests `seeds` seeds, each of which `open` reads when its turn comes, in up to `jobs` threads.
/// Calls `each` with what happens.
///
/// Cancelling the supervisor ends the test with what is known. Seeds that are left are opened all
/// the same, so that each has an answer: `open` should then be quick.
pub fn test(
    seeds: usize,
    open: impl Fn(usize) -> Result<Seed, Unusable> + Sync,
    plan: &Plan,
    (runner, supervisor): (&Runner<'_>, &Supervisor),
    jobs: NonZeroUsize,
    mut each: impl FnMut(Event),
) -> io::Result<()> {
    let state = State { trials: BTreeMap::new(), next: 0, opening: 0, done: Progress::default() };
    let desk = Desk {
        seeds,
        state: Mutex::new(state),
        changed: Condvar::new(),
        supervisor,
        threads: jobs.get(),
        can_share: runner.is_batching(),
    };
    let (sender, finished) = mpsc::channel();
    thread::scope(|scope| {
        let mut result = Ok(());
        for _ in 0..jobs.get() {
            let sender = sender.clone();
            let (desk, open) = (&desk, &open);
            let worker = move || {
                let _alarm = Alarm(desk);
                while let Some(task) = desk.next() {
                    for done in desk.run(task, open, plan, runner) {
                        // Nobody listens any more only if the caller panicked.
                        let _ = sender.send(done);
                    }
                }
            };
            let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker);
            if let Err(error) = worker {
                supervisor.cancel();
                desk.changed.notify_all();
                result = Err(error);
                break;
            }
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut next = 0;
        loop {
            match finished.recv_timeout(TICK) {
                Ok((number, seed)) => {
                    early.insert(number, seed);
                    while let Some(seed) = early.remove(&next) {
                        next += 1;
                        each(Event::Finished(seed));
                    }
                    // Runs whose results nobody waits for any more must not be waited for.
                    if next == seeds {
                        supervisor.cancel();
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) => each(Event::Tick(desk.progress())),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
        // A seed can be left only if a thread is missing.
        for seed in early.into_values() {
            each(Event::Finished(seed));
        }
        result
    })
}

/// Ends the test if its thread panics: a job that nobody does any more must not be waited for.
struct Alarm<'d, 'p>(&'d Desk<'p>);

impl Drop for Alarm<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.supervisor.cancel();
            self.0.changed.notify_all();
        }
    }
}

/// Where threads get their tasks.
struct Desk<'p> {
    seeds: usize,
    state: Mutex<State<'p>>,
    changed: Condvar,
    supervisor: &'p Supervisor,
    threads: usize,
    /// Whether several mutants can share a process.
    can_share: bool,
}

impl<'p> Desk<'p> {
    fn lock(&self) -> MutexGuard<'_, State<'p>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next task, once there is one; `None` if there will be none.
    fn next(&self) -> Option<Task> {
        let mut state = self.lock();
        loop {
            let is_cancelled = self.supervisor.is_cancelled();
            if !is_cancelled {
                let jobs = state.trials.iter_mut().find_map(|(number, trial)| {
                    let jobs = trial.next_jobs(self.threads, self.can_share);
                    (!jobs.is_empty()).then_some((*number, jobs))
                });
                if let Some((number, jobs)) = jobs {
                    return Some(Task::Run(number, jobs));
                }
            }
            // A trial that nobody runs anything for would otherwise be left behind by a cancel.
            if state.trials.values().any(|trial| is_cancelled || trial.is_done()) {
                return Some(Task::Collect);
            }
            if state.next < self.seeds {
                state.next += 1;
                state.opening += 1;
                return Some(Task::Open(state.next - 1));
            }
            if is_cancelled || (state.opening == 0 && state.trials.is_empty()) {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Does a task. Returns the seeds that are done now.
    fn run(
        &self,
        task: Task,
        open: &(impl Fn(usize) -> Result<Seed, Unusable> + Sync),
        plan: &'p Plan,
        runner: &Runner<'_>,
    ) -> Vec<(usize, Box<Finished>)> {
        let done = match task {
            Task::Open(number) => self.open(number, open(number), plan),
            Task::Run(number, jobs) => self.run_jobs(number, jobs, runner),
            Task::Collect => self.collect(&mut self.lock()),
        };
        self.changed.notify_all();
        done.into_iter().map(|(number, seed)| (number, Box::new(seed))).collect()
    }

    fn run_jobs(
        &self,
        number: usize,
        mut jobs: Vec<Job>,
        runner: &Runner<'_>,
    ) -> Vec<(usize, Finished)> {
        if jobs.len() == 1
            && let Some(job) = jobs.pop()
        {
            let result = job.run(|files, repetition| runner.settle(files, repetition));
            return self.take_up(number, result);
        }
        let mut done = Vec::new();
        Job::run_together(
            jobs,
            |programs, each| runner.settle_together(programs, each),
            |result| {
                done.extend(self.take_up(number, Some(result)));
                self.changed.notify_all();
                // Nobody waits for the rest if the seed is done.
                if self.lock().trials.contains_key(&number) {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            },
        );
        done.extend(self.take_up(number, None));
        done
    }

    fn open(
        &self,
        number: usize,
        seed: Result<Seed, Unusable>,
        plan: &'p Plan,
    ) -> Vec<(usize, Finished)> {
        // What it takes to make a trial is done before the others have to wait.
        let trial = seed.map(|seed| Trial::new(seed, plan));
        let mut state = self.lock();
        state.opening -= 1;
        match trial {
            Ok(trial) => {
                state.trials.insert(number, trial);
                self.collect(&mut state)
            }
            Err(unusable) => {
                state.done.seeds += 1;
                vec![(number, unusable.finish())]
            }
        }
    }

    fn take_up(&self, number: usize, result: Option<JobResult>) -> Vec<(usize, Finished)> {
        let mut state = self.lock();
        // A result for a seed that is done comes too late to matter.
        if let (Some(trial), Some(result)) = (state.trials.get_mut(&number), result) {
            trial.complete(result);
        }
        self.collect(&mut state)
    }

    /// Takes out what is done; if the test was cancelled, everything.
    fn collect(&self, state: &mut State<'p>) -> Vec<(usize, Finished)> {
        let is_cancelled = self.supervisor.is_cancelled();
        let mut done = Vec::new();
        for (number, mut trial) in std::mem::take(&mut state.trials) {
            if is_cancelled {
                trial.interrupt();
            }
            if !trial.is_done() {
                state.trials.insert(number, trial);
                continue;
            }
            let (mutants, flips) = trial.progress();
            state.done.seeds += 1;
            state.done.mutants += mutants;
            state.done.flips += flips;
            done.push((number, trial.finish()));
        }
        done
    }

    fn progress(&self) -> Progress {
        let state = self.lock();
        let mut progress = state.done;
        for trial in state.trials.values() {
            let (mutants, flips) = trial.progress();
            progress.mutants += mutants;
            progress.flips += flips;
        }
        progress
    }
}

impl Unusable {
    /// The report of a seed that cannot be tested.
    fn finish(self) -> Finished {
        let Unusable { answer, name, files, reason, help } = self;
        let report =
            SeedReport { reason: Some(reason), help, ..SeedReport::new(name, files, answer) };
        Finished { report, kept: Kept::default() }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use mugie_verifiers::supervise::Keeper;
    use mugie_verifiers::{Limits, Options, Registry};

    use super::*;
    use crate::trial::tests::{plan, seed};

    fn supervisor() -> Supervisor {
        Supervisor::new(Keeper { program: "/nowhere".into(), ..Keeper::this_program() })
    }

    #[test]
    fn a_cancel_between_two_jobs_loses_no_seed() {
        let (plan, supervisor) = (plan(), supervisor());
        let state = State {
            trials: BTreeMap::from([(0, Trial::new(seed(), &plan))]),
            next: 1,
            opening: 0,
            done: Progress::default(),
        };
        let desk = Desk {
            seeds: 1,
            state: Mutex::new(state),
            changed: Condvar::new(),
            supervisor: &supervisor,
            threads: 1,
            can_share: false,
        };
        supervisor.cancel();
        assert!(matches!(desk.next(), Some(Task::Collect)));
        let done = desk.collect(&mut desk.lock());
        assert_eq!(done[0].1.report.answer, Answer::Interrupted);
        assert!(desk.next().is_none());
    }

    #[test]
    fn a_panic_in_a_thread_ends_the_test() {
        let options = Options { program: Some("/bin/true".into()), ..Options::default() };
        let verifier = Registry::load().unwrap().resolve("command", &options).unwrap();
        let (plan, supervisor) = (plan(), supervisor());
        let runner = Runner::new(&verifier, &supervisor, Limits::default(), 0, None).unwrap();
        let jobs = NonZeroUsize::new(3).unwrap();
        let open = |number| if number == 1 { panic!("as the test wants it") } else { Ok(seed()) };
        let result = catch_unwind(AssertUnwindSafe(|| {
            test(3, open, &plan, (&runner, &supervisor), jobs, |_| {})
        }));
        assert!(result.is_err());
    }
}
