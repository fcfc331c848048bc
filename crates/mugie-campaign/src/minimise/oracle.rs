//! Whoever knows what a verifier says of a program.

use std::io;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mugie_verifiers::supervise::Supervisor;
use mugie_verifiers::{Limits, Verdict, Verifier};

use crate::cache::Cache;
use crate::runs::{Files, Runner, Settled};

/// How much an answer matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// A program that times out, or takes much longer than those before, is of no interest.
    Quick,
    /// A timeout is an answer, and must be sure.
    Sure,
    /// As sure, and not known before.
    Fresh,
}

/// Knows what a verifier says of a program. Asked from several threads at once.
pub trait Oracle: Sync {
    /// The verdict on a program; `None` if the search is to end.
    fn ask(&self, files: &Files, care: Care) -> Option<Verdict>;
}

/// A quick run may take this much longer than the longest sure one, so that a busy machine does
/// no harm.
const PATIENCE: u32 = 4;

/// A quick run may always take this long.
const SHORTEST: Duration = Duration::from_secs(8);

/// Asks a verifier on this machine.
pub struct Runners<'a> {
    limits: Limits,
    cache: Option<&'a Cache>,
    sure: Runner<'a>,
    fresh: Runner<'a>,
    /// Made when it is needed: then it is known how long runs take.
    quick: OnceLock<Runner<'a>>,
    /// Milliseconds of the longest sure run before.
    longest: AtomicU64,
}

impl<'a> Runners<'a> {
    /// Asks with these limits; a timeout counts if `confirm` more runs time out, too.
    pub fn new(
        verifier: &'a Verifier,
        supervisor: &'a Supervisor,
        limits: Limits,
        confirm: usize,
        cache: Option<&'a Cache>,
    ) -> io::Result<Runners<'a>> {
        let sure = Runner::new(verifier, supervisor, limits, confirm, cache)?;
        let fresh = sure.with(limits, confirm, None);
        let longest = AtomicU64::new(0);
        Ok(Runners { limits, cache, sure, fresh, quick: OnceLock::new(), longest })
    }

    /// The folder for the files of runs. It goes when this does.
    pub fn folder(&self) -> &Path {
        self.sure.folder()
    }

    /// The runner for what is of no interest if it takes long.
    fn quick(&self) -> &Runner<'a> {
        self.quick.get_or_init(|| {
            let longest = Duration::from_millis(self.longest.load(Ordering::SeqCst));
            let time = quick_limit(longest).min(self.limits.time);
            self.sure.with(Limits { time, ..self.limits }, 0, self.cache)
        })
    }
}

impl Oracle for Runners<'_> {
    fn ask(&self, files: &Files, care: Care) -> Option<Verdict> {
        let runner = match care {
            Care::Quick => self.quick(),
            Care::Sure => &self.sure,
            Care::Fresh => &self.fresh,
        };
        let Settled { verdict, usage, .. } = runner.settle(files, 0)?;
        if care == Care::Sure && self.quick.get().is_none() {
            let longest = usage.iter().map(|usage| usage.wall).max().unwrap_or_default();
            let longest = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
            self.longest.fetch_max(longest, Ordering::SeqCst);
        }
        Some(verdict)
    }
}

/// The limit for quick runs. It is a power of two, so that what is in the cache is mostly found
/// even if the runs before took another time.
fn quick_limit(longest: Duration) -> Duration {
    let wanted = longest.saturating_mul(PATIENCE).max(SHORTEST).as_secs();
    Duration::from_secs(wanted.checked_next_power_of_two().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_runs_have_limits_of_few_sizes() {
        let limit = |millis| quick_limit(Duration::from_millis(millis)).as_secs();
        assert_eq!([0, 1999, 2500, 7000, 60_000].map(limit), [8, 8, 16, 32, 256]);
    }
}
