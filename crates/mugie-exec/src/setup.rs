//! What executors are made of, and the kinds of them that there are.

use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use mugie_core::Translator;
use mugie_verifiers::supervise::Supervisor;
use mugie_verifiers::{Limits, Verifier};

use crate::{Cache, Cached, CrossChecked, Executor, Local, TapError};

/// What an executor is made of.
#[derive(Clone)]
pub struct Setup<'a> {
    /// The verifier to run.
    pub verifier: Arc<Verifier>,
    /// What watches its runs on this machine.
    pub supervisor: Arc<Supervisor>,
    /// What a run may use.
    pub limits: Limits,
    /// How many more runs must time out before a timeout counts.
    pub confirm: usize,
    /// How many runs at once.
    pub capacity: NonZeroUsize,
    /// How programs of other languages get to the verifier.
    pub translators: &'static [&'static dyn Translator],
    /// Whether each program gets a process of its own, with nothing in between.
    pub plain: bool,
    /// The share of verdicts that are compared with those of plain runs.
    pub cross_check: f64,
    /// Where answers of the solver are kept; with the files of the runs, if nothing is said.
    pub answers: Option<PathBuf>,
    /// Verdicts that are known already.
    pub cache: Option<&'a Cache>,
}

/// An executor that is ready.
pub struct StartedExecutor<'a> {
    /// The executor.
    pub executor: Box<dyn Executor + 'a>,
    /// The folder for the files of its runs. It goes when the executor does.
    pub folder: PathBuf,
    /// Whether the solver is tapped.
    pub is_tapped: bool,
    /// Why the solver could not be tapped, if that was tried.
    pub trouble: Option<TapError>,
}

/// A kind of executors.
pub trait ExecutorKind: Sync {
    /// What the command line calls it.
    fn id(&self) -> &'static str;

    /// Makes one.
    fn start<'a>(&self, setup: Setup<'a>) -> io::Result<StartedExecutor<'a>>;
}

/// Runs on this machine.
pub const LOCAL: &dyn ExecutorKind = &LocalKind;

struct LocalKind;

impl ExecutorKind for LocalKind {
    fn id(&self) -> &'static str {
        "local"
    }

    fn start<'a>(&self, setup: Setup<'a>) -> io::Result<StartedExecutor<'a>> {
        let Setup { verifier, supervisor, limits, confirm, capacity, translators, .. } = setup;
        let plain = Local::new(verifier, supervisor, limits, confirm, capacity)?;
        let plain = plain.with_translators(translators);
        let mut trouble = None;
        let fast = if setup.plain {
            plain.clone()
        } else {
            let shared = plain.clone().with_shared_processes();
            shared.clone().with_answers(setup.answers).unwrap_or_else(|error| {
                trouble = Some(error);
                shared
            })
        };
        let (folder, is_tapped) = (fast.folder().to_owned(), fast.is_tapped());
        let checked = CrossChecked::new(fast, plain, setup.cross_check);
        let executor = Box::new(Cached::new(checked, setup.cache));
        Ok(StartedExecutor { executor, folder, is_tapped, trouble })
    }
}
