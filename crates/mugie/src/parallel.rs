//! The thread pool, with the errors and defaults of the command line.

use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use mugie_exec::pool::threads;
use mugie_exec::pool::{self, InOrderEvent};

use crate::messages::Trouble;

/// Calls `work` on every item in up to `jobs` threads with deep stacks, and `each` on the results
/// in the order of the items, as soon as they are available. An error of `each` ends the run.
pub(crate) fn in_order<T: Sync, R: Send, E: From<Trouble>>(
    items: &[T],
    jobs: Option<NonZeroUsize>,
    work: impl Fn(&T) -> R + Sync,
    mut each: impl FnMut(InOrderEvent<R>) -> Result<(), E>,
) -> Result<(), E> {
    let is_over = AtomicBool::new(false);
    let one = |item: &T| {
        let result = work(item);
        let over = is_over.load(Ordering::Relaxed);
        (result, if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    };
    let mut result = Ok(());
    let threads = threads(jobs).get().min(items.len());
    pool::in_order(items.iter(), threads, one, |event| {
        if result.is_ok() {
            result = each(event);
            is_over.store(result.is_err(), Ordering::Relaxed);
        }
    })
    .map_err(|error| no_thread(&error))?;
    result
}

/// Does one piece of work in a thread with a deep stack.
pub(crate) fn alone<R: Send>(work: impl FnOnce() -> R + Send) -> Result<R, Trouble> {
    pool::alone(work).map_err(|error| no_thread(&error))
}

/// Calls `work` on items as they arrive, in up to `jobs` threads with deep stacks. The first error,
/// of an item or of `work`, ends the run.
pub(crate) fn consume<T: Send>(
    items: impl Iterator<Item = Result<T, Trouble>> + Send,
    jobs: Option<NonZeroUsize>,
    work: impl Fn(T) -> Result<(), Trouble> + Sync,
) -> Result<(), Trouble> {
    let one = |item: Result<T, Trouble>| match item.and_then(&work) {
        Ok(()) => (Ok(()), ControlFlow::Continue(())),
        Err(trouble) => (Err(trouble), ControlFlow::Break(())),
    };
    let mut failure = Ok(());
    pool::in_order(items, threads(jobs).get(), one, |event| {
        if let (Ok(()), InOrderEvent::Done(result)) = (&failure, event) {
            failure = result;
        }
    })
    .map_err(|error| no_thread(&error))?;
    failure
}

/// The error for a thread that cannot be started.
pub(crate) fn no_thread(error: &io::Error) -> Trouble {
    Trouble::new(format!("cannot start a thread: {error}")).help(
        "allow more memory and processes (`ulimit -v`, `ulimit -u`), or fewer threads (`-j 1`)",
    )
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn an_error_ends_the_run() {
        let each = |event| match event {
            InOrderEvent::Done(3) => Err(Trouble::new("enough")),
            _ => Ok(()),
        };
        let items: Vec<u32> = (0..1000).collect();
        let work = |item: &u32| {
            thread::sleep(Duration::from_millis(1));
            *item
        };
        assert!(in_order(&items, NonZeroUsize::new(2), work, each).is_err());
    }

    #[test]
    fn the_first_failure_is_told() {
        let items = (0..100).map(|item| if item == 7 { Err(Trouble::new("7")) } else { Ok(item) });
        let work = |item| if item == 50 { Err(Trouble::new("50")) } else { Ok(()) };
        let found = consume(items, NonZeroUsize::new(3), work).unwrap_err();
        assert_eq!(found.message, "7");
    }
}
