//! Whoever knows what a verifier says of a program.

use std::io;
use std::path::Path;
use std::time::Duration;

use mugie_verifiers::supervise::Supervisor;
use mugie_verifiers::{Limits, Verdict, Verifier};

use crate::cache::Cache;
use crate::runs::{Files, Runner, Settled};

/// How much an answer matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// A program that times out, or takes much longer than this, which is usual, is of no
    /// interest.
    Quick(Duration),
    /// A program that times out is what is looked for. It counts as one already if it takes much
    /// longer than this, which is usual for programs that do not; but every time.
    Lowered(Duration),
    /// A timeout is an answer, and must be sure.
    Sure,
    /// As sure, and not known before.
    Fresh,
}

/// What there is to know of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What the verifier says of it.
    pub verdict: Verdict,
    /// How long it took: the processor time of the longest run.
    pub time: Duration,
}

/// Knows what a verifier says of a program. Asked from several threads at once.
pub trait Oracle: Sync {
    /// The answer about a program; `None` if the search is to end.
    fn ask(&self, files: &Files, care: Care) -> Option<Answer>;
}

/// A run with a lowered limit may take this many times as long as usual.
const PATIENCE: u32 = 4;

/// A run with a lowered limit may always take this long.
const SHORTEST: Duration = Duration::from_secs(4);

/// Asks a verifier on this machine.
pub struct Runners<'a> {
    limits: Limits,
    confirm: usize,
    cache: Option<&'a Cache>,
    sure: Runner<'a>,
    fresh: Runner<'a>,
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
        Ok(Runners { limits, confirm, cache, sure, fresh })
    }

    /// The folder for the files of runs. It goes when this does.
    pub fn folder(&self) -> &Path {
        self.sure.folder()
    }
}

impl Oracle for Runners<'_> {
    fn ask(&self, files: &Files, care: Care) -> Option<Answer> {
        let within = |usual, confirm| {
            let time = quick_limit(usual).min(self.limits.time);
            self.sure.with(Limits { time, ..self.limits }, confirm, self.cache).settle(files, 0)
        };
        let settled = match care {
            Care::Quick(usual) => within(usual, 0),
            Care::Lowered(usual) => within(usual, self.confirm),
            Care::Sure => self.sure.settle(files, 0),
            Care::Fresh => self.fresh.settle(files, 0),
        };
        let Settled { verdict, usage, .. } = settled?;
        let time = usage.iter().map(|usage| usage.cpu).max().unwrap_or_default();
        Some(Answer { verdict, time })
    }
}

/// The lowered limit. It is a power of two, so that what is in the cache is mostly found
/// even if earlier runs took another time.
fn quick_limit(usual: Duration) -> Duration {
    let wanted = usual.saturating_mul(PATIENCE).max(SHORTEST).as_secs();
    Duration::from_secs(wanted.checked_next_power_of_two().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_runs_have_limits_of_few_sizes() {
        let limit = |millis| quick_limit(Duration::from_millis(millis)).as_secs();
        assert_eq!([0, 1000, 2500, 7000, 60_000].map(limit), [4, 4, 16, 32, 256]);
    }
}
