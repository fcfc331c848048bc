//! Work on many things at once, with results in the order of the things.
//!
//! Knows nothing of what the work is.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, mpsc};
use std::thread;
use std::time::Duration;

use crate::report::Trouble;

/// Stack of a worker: room to drop, clone or compare a tree of the greatest height. Reserved
/// only; memory is used as the stack grows.
const STACK: usize = 256 << 20;

/// How often `tick` is called while there is nothing to hand out.
const TICK: Duration = Duration::from_millis(200);

/// What a run reports to its caller.
pub(crate) enum Event<R> {
    /// The next result, in the order of the items.
    Done(R),
    /// Nothing new; so many items are finished.
    Tick {
        /// Items whose work is done, handed out or not.
        finished: usize,
    },
}

/// How many threads to use: as many as asked for, or as there are cores.
pub(crate) fn threads(jobs: Option<NonZeroUsize>) -> NonZeroUsize {
    jobs.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}

/// Calls `work` on every item in up to `jobs` threads with deep stacks, and `each` on the
/// results in the order of the items, as soon as they are there. An error of `each` ends the run.
pub(crate) fn in_order<T: Sync, R: Send, E: From<Trouble>>(
    items: &[T],
    jobs: Option<NonZeroUsize>,
    work: impl Fn(&T) -> R + Sync,
    mut each: impl FnMut(Event<R>) -> Result<(), E>,
) -> Result<(), E> {
    let jobs = threads(jobs).get().min(items.len());
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs {
            let sender = sender.clone();
            let (next, stop, work) = (&next, &stop, &work);
            let worker = move || {
                while !stop.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    if sender.send((index, work(item))).is_err() {
                        break;
                    }
                }
            };
            if let Err(error) = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker)
            {
                stop.store(true, Ordering::Relaxed);
                return Err(no_thread(&error).into());
            }
        }
        drop(sender);
        let result = hand_out(&results, items.len(), &mut each);
        stop.store(true, Ordering::Relaxed);
        result
    })
}

/// One piece of work in a thread with a deep stack.
pub(crate) fn alone<R: Send>(work: impl FnOnce() -> R + Send) -> Result<R, Trouble> {
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let worker = worker.map_err(|error| no_thread(&error))?;
        worker.join().map_err(|_| Trouble::new("the worker thread ended early"))
    })
}

/// Calls `work` on items as they come, in up to `jobs` threads with deep stacks. The first
/// failure, of an item or of the work on one, ends the run.
pub(crate) fn consume<T: Send>(
    items: impl Iterator<Item = Result<T, Trouble>>,
    jobs: Option<NonZeroUsize>,
    work: impl Fn(T) -> Result<(), Trouble> + Sync,
) -> Result<(), Trouble> {
    let jobs = threads(jobs).get();
    // Short queues: whoever makes the items does not run far ahead of those who use them up.
    let (sender, receiver) = mpsc::sync_channel::<T>(4 * jobs);
    let receiver = Mutex::new(receiver);
    let failure = OnceLock::new();
    thread::scope(|scope| {
        for _ in 0..jobs {
            let worker = || {
                while failure.get().is_none() {
                    let next = receiver.lock().map(|receiver| receiver.recv());
                    let Ok(Ok(item)) = next else { return };
                    if let Err(trouble) = work(item) {
                        let _ = failure.set(trouble);
                    }
                }
                // Whoever waits for room in the queue must not wait for ever.
                while let Ok(Ok(_)) = receiver.lock().map(|receiver| receiver.recv()) {}
            };
            if let Err(error) = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker)
            {
                let _ = failure.set(no_thread(&error));
            }
        }
        for item in items {
            match item {
                _ if failure.get().is_some() => break,
                Ok(item) => {
                    if sender.send(item).is_err() {
                        break;
                    }
                }
                Err(trouble) => {
                    let _ = failure.set(trouble);
                }
            }
        }
        drop(sender);
    });
    failure.into_inner().map_or(Ok(()), Err)
}

fn hand_out<R, E>(
    results: &mpsc::Receiver<(usize, R)>,
    total: usize,
    each: &mut impl FnMut(Event<R>) -> Result<(), E>,
) -> Result<(), E> {
    let mut early = BTreeMap::new();
    let mut handed_out = 0;
    while handed_out < total {
        match results.recv_timeout(TICK) {
            Ok((index, result)) => {
                early.insert(index, result);
                while let Some(result) = early.remove(&handed_out) {
                    handed_out += 1;
                    each(Event::Done(result))?;
                }
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                each(Event::Tick { finished: handed_out + early.len() })?;
            }
            // A worker panicked; the scope passes that on.
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok(())
}

/// What to say if a thread cannot be started.
pub(crate) fn no_thread(error: &io::Error) -> Trouble {
    Trouble::new(format!("cannot start a thread: {error}"))
        .help("allow more memory (`ulimit -v unlimited`) or fewer threads (`-j 1`)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..40).collect();
        let mut seen = Vec::new();
        let each = |event| {
            if let Event::Done(result) = event {
                seen.push(result);
            }
            Ok::<_, Trouble>(())
        };
        let work = |item: &u64| {
            thread::sleep(Duration::from_millis((40 - item) % 7));
            *item
        };
        in_order(&items, NonZeroUsize::new(4), work, each).unwrap();
        assert_eq!(seen, items);
    }

    #[test]
    fn an_error_ends_the_run() {
        let each = |event| match event {
            Event::Done(3) => Err(Trouble::new("enough")),
            _ => Ok(()),
        };
        let items: Vec<u32> = (0..1000).collect();
        let work = |item: &u32| {
            thread::sleep(Duration::from_millis(1));
            *item
        };
        assert!(in_order(&items, NonZeroUsize::new(2), work, each).is_err());
    }
}
