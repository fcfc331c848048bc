//! The thread pool: threads take tasks from some work and hand over the results.
//!
//! This module must not know what the work is.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Stack size of a thread in bytes: enough to drop, clone or compare a tree of the maximum height.
/// It is only reserved; memory is used as the stack grows.
const STACK: usize = 256 << 20;

/// Time between two progress reports while nothing happens.
const TICK: Duration = Duration::from_millis(200);

/// Work that consists of tasks, which threads perform concurrently in any order.
pub trait Work: Send {
    /// A unit of work for one thread.
    type Task: Send;
    /// A result of a task. A task may have several.
    type Outcome: Send;
    /// A report to the caller.
    type Event;

    /// What is to be done next.
    fn next(&mut self) -> Next<Self::Task>;

    /// Takes a result of a task. A break means that the rest of the task's results are not needed.
    fn take_up(&mut self, outcome: Self::Outcome) -> ControlFlow<()>;

    /// Called when a task is finished and its thread is free again.
    fn task_done(&mut self) {}

    /// The events since the last call.
    fn events(&mut self) -> Vec<Self::Event>;

    /// Called several times a second. Returns the current progress, if it is to be reported.
    fn tick(&mut self) -> Option<Self::Event> {
        None
    }

    /// Called when a thread panicked or could not be started: current tasks should end.
    fn give_up(&mut self) {}
}

/// What is to be done next.
#[derive(Debug)]
pub enum Next<T> {
    /// This task.
    Task(T),
    /// Nothing until a current task has a result.
    Wait,
    /// Nothing more at all.
    End,
}

/// The number of threads to use: as many as asked for, or the number of cores.
pub fn threads(jobs: Option<NonZeroUsize>) -> NonZeroUsize {
    jobs.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}

struct Shared<W> {
    work: Mutex<Guarded<W>>,
    /// Signals that there may be a task.
    to_do: Condvar,
    /// Signals that there may be an event, or that all threads have ended.
    to_tell: Condvar,
}

struct Guarded<W> {
    work: W,
    /// Number of threads that have not ended.
    running: usize,
    is_over: bool,
}

impl<W: Work> Shared<W> {
    fn lock(&self) -> MutexGuard<'_, Guarded<W>> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give_up(&self) {
        let mut guarded = self.lock();
        guarded.is_over = true;
        guarded.work.give_up();
        self.to_do.notify_all();
        self.to_tell.notify_all();
    }

    fn next(&self) -> Option<W::Task> {
        let mut guarded = self.lock();
        loop {
            if guarded.is_over {
                return None;
            }
            match guarded.work.next() {
                Next::Task(task) => return Some(task),
                Next::End => return None,
                Next::Wait => {
                    guarded = self.to_do.wait(guarded).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    fn take_up(&self, outcome: W::Outcome) -> ControlFlow<()> {
        let flow = self.lock().work.take_up(outcome);
        self.to_do.notify_all();
        self.to_tell.notify_all();
        flow
    }

    fn task_done(&self) {
        self.lock().work.task_done();
        self.to_do.notify_all();
        self.to_tell.notify_all();
    }
}

/// Wakes the other threads when a thread ends, and gives up if it panicked, because a task that
/// nobody performs any more must not be waited for.
struct Leaving<'s, W: Work>(&'s Shared<W>);

impl<W: Work> Drop for Leaving<'_, W> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.give_up();
        }
        self.0.lock().running -= 1;
        self.0.to_do.notify_all();
        self.0.to_tell.notify_all();
    }
}

/// Performs some work in a number of threads with deep stacks. `perform` does a task and hands over
/// its results; `each` receives the events, in the calling thread. Returns the work in its final
/// state.
pub fn run<W: Work>(
    work: W,
    threads: usize,
    perform: impl Fn(W::Task, &mut dyn FnMut(W::Outcome) -> ControlFlow<()>) + Sync,
    mut each: impl FnMut(W::Event),
) -> io::Result<W> {
    let threads = threads.max(1);
    let shared = Shared {
        work: Mutex::new(Guarded { work, running: threads, is_over: false }),
        to_do: Condvar::new(),
        to_tell: Condvar::new(),
    };
    let started = thread::scope(|scope| {
        let mut started = Ok(());
        for thread in 0..threads {
            let (shared, perform) = (&shared, &perform);
            let worker = move || {
                let leaving = Leaving(shared);
                while let Some(task) = shared.next() {
                    perform(task, &mut |outcome| shared.take_up(outcome));
                    shared.task_done();
                }
                drop(leaving);
            };
            if let Err(error) = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker)
            {
                shared.lock().running -= threads - thread;
                shared.give_up();
                started = Err(error);
                break;
            }
        }
        tell(&shared, &mut each);
        started
    });
    started?;
    let mut guarded = shared.work.into_inner().unwrap_or_else(PoisonError::into_inner);
    for event in guarded.work.events() {
        each(event);
    }
    Ok(guarded.work)
}

/// Reports events until all threads are done.
fn tell<W: Work>(shared: &Shared<W>, each: &mut impl FnMut(W::Event)) {
    let mut next_tick = Instant::now() + TICK;
    let mut guarded = shared.lock();
    loop {
        let mut events = guarded.work.events();
        let now = Instant::now();
        if now >= next_tick {
            next_tick = now + TICK;
            events.extend(guarded.work.tick());
        }
        if !events.is_empty() {
            // Unlocked, so that the threads go on while the caller handles the events.
            drop(guarded);
            for event in events {
                each(event);
            }
            guarded = shared.lock();
            continue;
        }
        if guarded.running == 0 {
            return;
        }
        let wait = next_tick.saturating_duration_since(now);
        let again = shared.to_tell.wait_timeout(guarded, wait);
        guarded = again.unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// Runs a function in a thread with a deep stack.
pub fn alone<R: Send>(work: impl FnOnce() -> R + Send) -> io::Result<R> {
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
        worker.join().map_err(|_| io::Error::other("the worker thread ended early"))
    })
}

/// An event of [`in_order`].
#[derive(Debug)]
pub enum InOrderEvent<R> {
    /// The next result, in the order of the items.
    Done(R),
    /// A regular progress report: the number of finished items, reported or not.
    Tick(usize),
}

/// The work of [`in_order`].
struct InOrder<I, R> {
    items: I,
    /// The number of the next item.
    next: usize,
    /// Results that have not been reported yet, by number.
    early: BTreeMap<usize, R>,
    handed_out: usize,
    /// Items from this number on are not needed.
    end: usize,
}

impl<T: Send, I: Iterator<Item = T> + Send, R: Send> Work for InOrder<I, R> {
    type Task = (usize, T);
    type Outcome = (usize, R, ControlFlow<()>);
    type Event = InOrderEvent<R>;

    fn next(&mut self) -> Next<(usize, T)> {
        if self.next >= self.end {
            return Next::End;
        }
        let Some(item) = self.items.next() else {
            self.end = self.next;
            return Next::End;
        };
        self.next += 1;
        Next::Task((self.next - 1, item))
    }

    fn take_up(&mut self, (number, result, flow): Self::Outcome) -> ControlFlow<()> {
        self.early.insert(number, result);
        if flow.is_break() {
            self.end = self.end.min(number + 1);
        }
        ControlFlow::Continue(())
    }

    fn events(&mut self) -> Vec<InOrderEvent<R>> {
        let mut events = Vec::new();
        while let Some(result) = self.early.remove(&self.handed_out) {
            self.handed_out += 1;
            events.push(InOrderEvent::Done(result));
        }
        events
    }

    fn tick(&mut self) -> Option<InOrderEvent<R>> {
        Some(InOrderEvent::Tick(self.handed_out + self.early.len()))
    }

    fn give_up(&mut self) {
        self.end = 0;
    }
}

/// Calls `work` on the items of an iterator in several threads, and `each` on the results in the
/// order of the items, as soon as possible. A break from `work` means that no later item is needed;
/// some may be in progress.
pub fn in_order<T: Send, R: Send>(
    items: impl Iterator<Item = T> + Send,
    threads: usize,
    work: impl Fn(T) -> (R, ControlFlow<()>) + Sync,
    each: impl FnMut(InOrderEvent<R>),
) -> io::Result<()> {
    let state = InOrder { items, next: 0, early: BTreeMap::new(), handed_out: 0, end: usize::MAX };
    run(
        state,
        threads,
        |(number, item), hand_over| {
            let (result, flow) = work(item);
            let _ = hand_over((number, result, flow));
        },
        each,
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const ON: ControlFlow<()> = ControlFlow::Continue(());

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let mut seen = Vec::new();
        let work = |item: u64| {
            thread::sleep(Duration::from_millis((40 - item) % 7));
            (item, ON)
        };
        in_order(0..40, 4, work, |event| {
            if let InOrderEvent::Done(result) = event {
                seen.push(result);
            }
        })
        .unwrap();
        assert_eq!(seen, (0..40).collect::<Vec<_>>());
    }

    #[test]
    fn a_break_ends_the_run_soon() {
        let done = AtomicUsize::new(0);
        let work = |item: u32| {
            done.fetch_add(1, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(1));
            (item, if item == 3 { ControlFlow::Break(()) } else { ON })
        };
        let mut seen = Vec::new();
        in_order(0..1000, 2, work, |event| {
            if let InOrderEvent::Done(item) = event {
                seen.push(item);
            }
        })
        .unwrap();
        assert!(seen.starts_with(&[0, 1, 2, 3]) && done.load(Ordering::Relaxed) < 100);
    }

    #[test]
    fn a_panic_in_a_thread_ends_the_work() {
        let work = |item: u32| {
            assert!(item != 5, "as the test wants it");
            thread::sleep(Duration::from_millis(1));
            (item, ON)
        };
        let result = catch_unwind(AssertUnwindSafe(|| in_order(0..100_000, 3, work, |_| {})));
        assert!(result.is_err());
    }
}
