//! Tests many seeds at once: the jobs of all seeds share one pool of threads.
//!
//! A free thread takes the first available job, in the order of the seeds; a new seed is opened
//! only if the seeds under way have no job. So the first answers come early, and all threads have
//! work until the last seed runs out of it.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;

use mugie_core::{Answer, Diagnostic};
use mugie_exec::Executor;
use mugie_exec::pool::{self, Next, Work};
use mugie_results::SeedReport;

use crate::seed::OpenSeed;
use crate::seed_test::{Finished, Job, JobResult, Protocol, SeedArtifacts, SeedTest};
use crate::sources::{Reading, Source, Unusable};

/// Events of a running test.
#[derive(Debug)]
pub enum TestEvent {
    /// A seed is done. Seeds are reported in the given order.
    Finished {
        /// The result.
        finished: Box<Finished>,
        /// The errors in the program, if it was rejected.
        errors: Vec<Diagnostic>,
    },
    /// The progress, several times a second.
    Tick(TestProgress),
}

/// The progress of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestProgress {
    /// Seeds that are done.
    pub seeds: usize,
    /// Mutants with a verdict.
    pub mutants: usize,
    /// Mutants with a flipped verdict.
    pub flips: usize,
}

/// Tests seeds, each of which is read when its turn comes. Calls `each` with every event.
///
/// Cancelling the executor ends the test with the results so far; the remaining seeds get the
/// answer [`Answer::Interrupted`].
pub fn test<'p>(
    sources: &'p [Source],
    reading: &Reading,
    protocol: &'p Protocol,
    executor: &'p dyn Executor,
    each: impl FnMut(TestEvent),
) -> io::Result<()> {
    let threads = executor.capacity();
    let tests = TestQueue {
        sources,
        executor,
        threads,
        seed_tests: BTreeMap::new(),
        next: 0,
        opening: 0,
        done: TestProgress::default(),
        early: BTreeMap::new(),
        told: 0,
    };
    let perform = |task: Task, hand_over: &mut dyn FnMut(Done<'p>) -> ControlFlow<()>| match task {
        Task::Open(number) => {
            let seed = open(&sources[number], reading, executor);
            // Create the seed test here, outside the lock of the work queue.
            let seed_test = seed.map(|seed| Box::new(SeedTest::new(seed, protocol)));
            let _ = hand_over(Done::Opened(number, seed_test));
        }
        Task::Run(number, jobs) => {
            Job::run(jobs, executor, &mut |result| {
                hand_over(Done::Result(number, Box::new(result)))
            });
        }
        Task::Collect => {}
    };
    pool::run(tests, threads, perform, each)?;
    Ok(())
}

/// Reads a seed, unless the test was cancelled.
fn open(
    source: &Source,
    reading: &Reading,
    executor: &dyn Executor,
) -> Result<OpenSeed, Box<Unusable>> {
    if executor.is_cancelled() {
        return Err(Box::new(Unusable {
            answer: Answer::Interrupted,
            name: source.name().to_owned(),
            files: source.file_names(),
            reason: "interrupted before its turn".to_owned(),
            help: Some("run the same command again to continue".to_owned()),
            errors: Vec::new(),
        }));
    }
    reading.open(source)
}

/// A task for a thread.
enum Task {
    Open(usize),
    Run(usize, Vec<Job>),
    /// Some seed turned out to be done when it was asked for a job.
    Collect,
}

/// The result of a task.
enum Done<'p> {
    Opened(usize, Result<Box<SeedTest<'p>>, Box<Unusable>>),
    Result(usize, Box<JobResult>),
}

/// The state of a test: the work queue of all seeds.
struct TestQueue<'p> {
    sources: &'p [Source],
    executor: &'p dyn Executor,
    threads: usize,
    /// Tests under way, by the number of the seed.
    seed_tests: BTreeMap<usize, Box<SeedTest<'p>>>,
    /// The next seed to open.
    next: usize,
    /// Seeds that are being read.
    opening: usize,
    /// The progress that finished seeds contributed.
    done: TestProgress,
    /// Finished seeds that wait for earlier ones to be reported.
    early: BTreeMap<usize, (Box<Finished>, Vec<Diagnostic>)>,
    /// The number of seeds that were reported to the caller.
    told: usize,
}

impl<'p> Work for TestQueue<'p> {
    type Task = Task;
    type Outcome = Done<'p>;
    type Event = TestEvent;

    fn next(&mut self) -> Next<Task> {
        let is_cancelled = self.executor.is_cancelled();
        if !is_cancelled {
            let (threads, can_share) = (self.threads, self.executor.can_share());
            let jobs = self.seed_tests.iter_mut().find_map(|(number, seed_test)| {
                let jobs = seed_test.next_jobs(threads, can_share);
                (!jobs.is_empty()).then_some((*number, jobs))
            });
            if let Some((number, jobs)) = jobs {
                return Next::Task(Task::Run(number, jobs));
            }
        }
        // After a cancel, a seed without running jobs would otherwise never be collected.
        if self.seed_tests.values().any(|seed_test| is_cancelled || seed_test.is_done()) {
            self.collect();
            return Next::Task(Task::Collect);
        }
        if self.next < self.sources.len() {
            self.next += 1;
            self.opening += 1;
            return Next::Task(Task::Open(self.next - 1));
        }
        if self.seed_tests.is_empty() && self.opening == 0 { Next::End } else { Next::Wait }
    }

    fn take_up(&mut self, outcome: Done<'p>) -> ControlFlow<()> {
        match outcome {
            Done::Opened(number, seed_test) => {
                self.opening -= 1;
                match seed_test {
                    Ok(seed_test) => {
                        self.seed_tests.insert(number, seed_test);
                    }
                    Err(unusable) => {
                        self.done.seeds += 1;
                        let errors = unusable.errors.clone();
                        self.early.insert(number, (Box::new(unusable.finish()), errors));
                    }
                }
                self.collect();
                ControlFlow::Continue(())
            }
            Done::Result(number, result) => {
                // A result for a finished seed comes too late to matter.
                if let Some(seed_test) = self.seed_tests.get_mut(&number) {
                    seed_test.complete(*result);
                }
                self.collect();
                // If the seed is done, its other jobs are not needed.
                if self.seed_tests.contains_key(&number) {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            }
        }
    }

    fn events(&mut self) -> Vec<TestEvent> {
        let mut events = Vec::new();
        while let Some((finished, errors)) = self.early.remove(&self.told) {
            self.told += 1;
            events.push(TestEvent::Finished { finished, errors });
        }
        // All seeds are reported, so do not wait for runs whose results are not needed.
        if !events.is_empty() && self.told == self.sources.len() {
            self.executor.cancel();
        }
        events
    }

    fn tick(&mut self) -> Option<TestEvent> {
        let mut progress = self.done;
        for seed_test in self.seed_tests.values() {
            let (mutants, flips) = seed_test.progress();
            progress.mutants += mutants;
            progress.flips += flips;
        }
        Some(TestEvent::Tick(progress))
    }

    fn give_up(&mut self) {
        self.executor.cancel();
    }
}

impl TestQueue<'_> {
    /// Moves finished seed tests to `early`; after a cancel, all of them.
    fn collect(&mut self) {
        let is_cancelled = self.executor.is_cancelled();
        for (number, mut seed_test) in std::mem::take(&mut self.seed_tests) {
            if is_cancelled {
                seed_test.interrupt();
            }
            if !seed_test.is_done() {
                self.seed_tests.insert(number, seed_test);
                continue;
            }
            let (mutants, flips) = seed_test.progress();
            self.done.seeds += 1;
            self.done.mutants += mutants;
            self.done.flips += flips;
            self.early.insert(number, (Box::new(seed_test.finish()), Vec::new()));
        }
    }
}

impl Unusable {
    /// The report of a seed that cannot be tested.
    fn finish(self) -> Finished {
        let Unusable { answer, name, files, reason, help, .. } = self;
        let report =
            SeedReport { reason: Some(reason), help, ..SeedReport::new(name, files, answer) };
        Finished { report, kept: SeedArtifacts::default() }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use mugie_core::{Artifact, Files, LanguageOptions, Languages};
    use mugie_exec::{Key, OnSettled, Request};

    use super::*;
    use crate::seed_test::tests::{protocol, seed};

    /// An executor that runs nothing.
    #[derive(Default)]
    struct Nobody(AtomicBool);

    impl Executor for Nobody {
        fn identity(&self) -> String {
            String::new()
        }

        fn key(&self, _: &Request) -> Key {
            [0; 32]
        }

        fn capacity(&self) -> usize {
            2
        }

        fn can_share(&self) -> bool {
            false
        }

        fn verify(&self, _: &[Request], _: OnSettled<'_>) {
            self.cancel();
        }

        fn artifacts(&self, _: &str, _: &Files) -> Option<Vec<Artifact>> {
            None
        }

        fn cancel(&self) {
            self.0.store(true, Ordering::Relaxed);
        }

        fn is_cancelled(&self) -> bool {
            self.0.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn a_cancel_between_two_jobs_loses_no_seed() {
        let (protocol, nobody) = (protocol(), Nobody::default());
        let mut tests = TestQueue {
            sources: &[Source::new(Vec::new())],
            executor: &nobody,
            threads: 1,
            seed_tests: BTreeMap::from([(0, Box::new(SeedTest::new(seed(), &protocol)))]),
            next: 1,
            opening: 0,
            done: TestProgress::default(),
            early: BTreeMap::new(),
            told: 0,
        };
        nobody.cancel();
        assert!(matches!(tests.next(), Next::Task(Task::Collect)));
        let events = tests.events();
        let [TestEvent::Finished { finished, .. }] = &events[..] else { panic!("{events:?}") };
        assert_eq!(finished.report.answer, Answer::Interrupted);
        assert!(matches!(tests.next(), Next::End));
    }

    #[test]
    fn every_seed_has_an_answer_after_a_cancel() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/brittle.bpl");
        let sources = [path, "/nowhere.bpl", path].map(|path| Source::new(vec![path.into()]));
        let languages = Languages(&[mugie_boogie::BOOGIE]);
        let reading =
            Reading { languages, usual: "boogie".to_owned(), options: LanguageOptions::default() };
        let mut answers = Vec::new();
        test(&sources, &reading, &protocol(), &Nobody::default(), |event| {
            if let TestEvent::Finished { finished, .. } = event {
                answers.push(finished.report.answer);
            }
        })
        .unwrap();
        assert_eq!(answers.len(), 3, "{answers:?}");
        assert!(answers.contains(&Answer::Interrupted), "{answers:?}");
    }
}
