//! An executor with a cache of verdicts.

use std::borrow::Cow;

use mugie_core::{Artifact, Files};

use crate::cache::{Cache, Entry};
use crate::{CrossChecks, Executor, Key, OnSettled, Request, Settled, TimeoutPolicy};

/// Forwards only those requests to an executor whose verdicts are not cached.
pub struct Cached<'a, E> {
    inner: E,
    cache: Option<&'a Cache>,
}

impl<'a, E> Cached<'a, E> {
    /// Wraps an executor with a cache, if there is one.
    pub fn new(inner: E, cache: Option<&'a Cache>) -> Cached<'a, E> {
        Cached { inner, cache }
    }
}

impl<E: Executor> Cached<'_, E> {
    /// The cache key of a request, or `None` if a fresh run is asked for.
    fn key_of(&self, request: &Request) -> Option<Key> {
        (request.timeouts != TimeoutPolicy::Fresh).then(|| self.key(request))
    }
}

/// The cached result of a key.
fn known(cache: &Cache, key: &Key) -> Option<Settled> {
    let Entry { verdict, output, usage, queries, distrusted, text } = cache.get(key)?;
    let settled = Settled::of_run(verdict, output, usage);
    Some(Settled { cached: true, queries, distrusted, text, ..settled })
}

/// Caches a result, if it is evidence about the program.
fn keep(cache: &Cache, key: &Key, settled: &Settled) {
    if settled.verdict.outcome.is_evidence() {
        let Settled { verdict, output, usage, queries, distrusted, text, .. } = settled.clone();
        cache.put(key, &Entry { verdict, output, usage, queries, distrusted, text });
    }
}

impl<E: Executor> Executor for Cached<'_, E> {
    fn identity(&self) -> String {
        self.inner.identity()
    }

    fn key(&self, request: &Request) -> Key {
        self.inner.key(request)
    }

    fn capacity(&self) -> usize {
        self.inner.capacity()
    }

    fn can_share(&self) -> bool {
        self.inner.can_share()
    }

    fn verify(&self, requests: &[Request], each: OnSettled<'_>) {
        let Some(cache) = self.cache else { return self.inner.verify(requests, each) };
        let mut unknown = Vec::new();
        for (place, request) in requests.iter().enumerate() {
            let key = self.key_of(request);
            match key.as_ref().and_then(|key| known(cache, key)) {
                None => unknown.push((place, key)),
                Some(known) => {
                    if each(place, known).is_break() {
                        return;
                    }
                }
            }
        }
        // Usually nothing is cached, and then nothing has to be copied.
        let left: Cow<'_, [Request]> = if unknown.len() == requests.len() {
            Cow::Borrowed(requests)
        } else {
            unknown.iter().map(|(place, _)| requests[*place].clone()).collect()
        };
        if left.is_empty() {
            return;
        }
        self.inner.verify(&left, &mut |number, settled| {
            let (place, key) = &unknown[number];
            if let Some(key) = key {
                keep(cache, key, &settled);
            }
            each(*place, settled)
        });
    }

    fn artifacts(&self, language: &str, files: &Files) -> Option<Vec<Artifact>> {
        self.inner.artifacts(language, files)
    }

    fn cross_checks(&self) -> Option<CrossChecks> {
        self.inner.cross_checks()
    }

    fn unshared_seeds(&self) -> usize {
        self.inner.unshared_seeds()
    }

    fn cancel(&self) {
        self.inner.cancel();
    }

    fn is_cancelled(&self) -> bool {
        self.inner.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use mugie_core::Outcome;

    use super::*;
    use crate::testing::{Fake, requests};

    /// Verifies programs. Returns the index of each request, its outcome and whether it was cached,
    /// in the order in which the verdicts arrive.
    fn verified(executor: &dyn Executor, requests: &[Request]) -> Vec<(usize, Outcome, bool)> {
        let mut found = Vec::new();
        executor.verify(requests, &mut |place, settled| {
            found.push((place, settled.verdict.outcome, settled.cached));
            ControlFlow::Continue(())
        });
        found
    }

    #[test]
    fn what_is_known_is_not_asked_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        let executor = Cached::new(Fake::default(), Some(&cache));
        assert_eq!(verified(&executor, &requests(&["failed"])), [(0, Outcome::Failed, false)]);
        assert_eq!(executor.inner.asked(), ["failed"]);
        let both = requests(&["verified", "failed", "timed out"]);
        assert_eq!(
            verified(&executor, &both),
            [
                (1, Outcome::Failed, true),
                (0, Outcome::Verified, false),
                (2, Outcome::TimedOut, false)
            ]
        );
        assert_eq!(executor.inner.asked(), ["verified", "timed out"]);
        // A repetition has a cache entry of its own.
        let again = Request { repetition: 1, ..both[1].clone() };
        assert_eq!(verified(&executor, &[again]), [(0, Outcome::Failed, false)]);
        assert_eq!(executor.inner.asked(), ["failed"]);
        // Another executor with the same cache knows the verdicts, too.
        let other = Cached::new(Fake::default(), Some(&cache));
        assert_eq!(verified(&other, &both).len(), 3);
        assert!(other.inner.asked().is_empty());
    }

    #[test]
    fn what_is_known_is_what_was_said() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        let cached = Cached::new(Fake::default(), Some(&cache));
        let executor: &dyn Executor = &cached;
        let request = requests(&["failed"]).remove(0);
        let first = executor.settle(request.clone()).unwrap();
        assert_eq!(executor.settle(request).unwrap(), Settled { cached: true, ..first });
    }

    #[test]
    fn a_fresh_run_neither_uses_nor_changes_what_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        let usual = requests(&["failed", "verified"]);
        let fresh = usual
            .iter()
            .map(|request| Request { timeouts: TimeoutPolicy::Fresh, ..request.clone() });
        let fresh: Vec<_> = fresh.collect();
        let other = Cached::new(Fake::always(Outcome::TimedOut), Some(&cache));
        let executor = Cached::new(Fake::default(), Some(&cache));
        verified(&executor, &usual[..1]);
        for _ in 0..2 {
            let said = [(0, Outcome::TimedOut, false), (1, Outcome::TimedOut, false)];
            assert_eq!(verified(&other, &fresh), said);
            assert_eq!(other.inner.asked(), ["failed", "verified"]);
        }
        let said = [(0, Outcome::Failed, true), (1, Outcome::Verified, false)];
        assert_eq!(verified(&executor, &usual), said);
    }

    #[test]
    fn trouble_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        let executor = Cached::new(Fake::default(), Some(&cache));
        let trouble = ["crashed", "tool error", "not expressible"];
        for _ in 0..2 {
            assert!(verified(&executor, &requests(&trouble)).iter().all(|&(.., known)| !known));
            assert_eq!(executor.inner.asked(), trouble);
        }
    }

    #[test]
    fn without_a_cache_everything_is_asked() {
        let executor = Cached::new(Fake::default(), None);
        for _ in 0..2 {
            assert_eq!(verified(&executor, &requests(&["failed"])), [(0, Outcome::Failed, false)]);
            assert_eq!(executor.inner.asked(), ["failed"]);
        }
    }

    #[test]
    fn a_break_ends_it() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        let executor = Cached::new(Fake::default(), Some(&cache));
        let up_to = |texts: &[&str], last: usize| {
            let mut number = 0;
            executor.verify(&requests(texts), &mut |place, _| {
                number += 1;
                if place == last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            (number, executor.inner.asked().len())
        };
        // After the break the remaining request is not run, and the verdicts so far are cached.
        assert_eq!(up_to(&["failed", "verified", "rejected"], 1), (2, 2));
        // A break at a cached verdict: nothing is run at all.
        assert_eq!(up_to(&["failed", "verified", "rejected"], 1), (2, 0));
        assert_eq!(up_to(&["rejected", "failed", "verified"], 1), (1, 0));
    }
}
