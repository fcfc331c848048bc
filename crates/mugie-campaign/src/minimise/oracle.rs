//! Whoever knows what a verifier says of a program.

use std::io;

use mugie_verifiers::supervise::Supervisor;
use mugie_verifiers::{Limits, Verdict, Verifier};

use crate::cache::Cache;
use crate::runs::{Files, Runner};

/// Knows what a verifier says of a program. Asked from several threads at once.
pub trait Oracle: Sync {
    /// The verdict on a program; `None` if the search is to end. A `fresh` verdict is one that
    /// was not known before.
    fn ask(&self, files: &Files, fresh: bool) -> Option<Verdict>;
}

/// Asks a verifier on this machine.
pub struct Runners<'a> {
    usual: Runner<'a>,
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
        Ok(Runners {
            usual: Runner::new(verifier, supervisor, limits, confirm, cache)?,
            fresh: Runner::new(verifier, supervisor, limits, confirm, None)?,
        })
    }

    /// The runner that uses the cache.
    pub fn usual(&self) -> &Runner<'a> {
        &self.usual
    }

    /// The runner that does not.
    pub fn fresh(&self) -> &Runner<'a> {
        &self.fresh
    }
}

impl Oracle for Runners<'_> {
    fn ask(&self, files: &Files, fresh: bool) -> Option<Verdict> {
        let runner = if fresh { &self.fresh } else { &self.usual };
        Some(runner.settle(files, 0)?.verdict)
    }
}
